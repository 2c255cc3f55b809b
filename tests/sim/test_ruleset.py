from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sim.cheerio_ruleset import load_cheerio
from sim.ruleset import (
    Ruleset,
    RulesetError,
    shipped_rulesets,
    validate_ruleset,
)

CHEERIO = (
    "ones",
    "twos",
    "threes",
    "fours",
    "fives",
    "sixes",
    "three-of-a-kind",
    "four-of-a-kind",
    "full-house",
    "low-straight",
    "high-straight",
    "cheerio",
    "chance",
)
CHANCE = '[categories.chance]\nname = "Chance"\npattern = { any = true }\npays = "all dice"\n'
CLOCK = "[clock]\nthrow = { seconds = 4 }\nentry = { seconds = 6 }\n"
ALONE = 'title = "Mine"\nplayers = [1]\n' + CHANCE


def written(folder: Path, text: str | bytes, name: str = "mine.toml") -> str:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def mistakes_of(path: str) -> list[str]:
    with pytest.raises(RulesetError) as caught:
        load_cheerio(path)
    return str(caught.value).splitlines()


@pytest.mark.parametrize("name", shipped_rulesets("cheerio"))
def test_shipped_file_loads(name: str) -> None:
    ruleset = load_cheerio(name)
    assert ruleset.name == name
    assert ruleset.title
    assert ruleset.turns == len(ruleset.categories)
    assert ruleset.source, "each shipped ruleset says where it comes from"


def test_cheerio_is_as_its_rules_say() -> None:
    ruleset = load_cheerio("cheerio")
    assert tuple(ruleset.categories) == CHEERIO
    assert ruleset.players == (1, 2, 3, 4, 5, 6)
    assert (ruleset.throws, ruleset.scratch, ruleset.bonus.points) == (3, "free", 0)
    assert (ruleset.start, ruleset.tiebreak) == ("highest-die", "roll-off")
    assert [key for key, category in ruleset.categories.items() if category.upper] == list(CHEERIO[:6])


def test_child_inherits_all_but_what_it_overrides() -> None:
    parent, child = load_cheerio("cheerio"), load_cheerio("cheerio-bonus")
    assert child.bonus.points == 35
    assert child.bonus.threshold == 63
    changed = {"name", "title", "bonus"}
    assert child.model_dump(exclude=changed) == parent.model_dump(exclude=changed)


def test_drop_removes_categories_and_keeps_the_order() -> None:
    assert tuple(load_cheerio("cheerio-web-short").categories) == (*CHEERIO[:6], "cheerio")


def test_merge_reaches_into_tables_but_replaces_patterns_lists_and_pays(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """
        extends = "cheerio-bonus"
        players = [2]
        [bonus]
        points = 50
        [categories.full-house]
        pattern = { alike = 2 }
        pays = { points = 1, plus = "matched dice" }
        [categories.pair]
        name = "Pair"
        pattern = { alike = 2 }
        pays = 10
        """,
    )
    ruleset = load_cheerio(path)
    assert ruleset.name == "mine"
    assert ruleset.title == load_cheerio("cheerio-bonus").title
    assert ruleset.players == (2,)
    assert (ruleset.bonus.threshold, ruleset.bonus.points) == (63, 50)
    assert tuple(ruleset.categories) == (*CHEERIO, "pair"), "an overridden category keeps its place"
    house = ruleset.categories["full-house"]
    assert house.name == "Full House"
    assert (house.pattern.kind, house.pattern.groups) == ("alike", None)
    assert (house.pays.points, house.pays.plus) == (1, "matched dice")
    assert ruleset.categories["pair"].pays.plus is None


def test_files_extend_files_beside_them(tmp_path: Path) -> None:
    (tmp_path / "family").mkdir()
    written(tmp_path, 'extends = "cheerio"\nthrows = 4\n', "house.toml")
    written(tmp_path, 'extends = "../house.toml"\ndrop = ["chance"]\n', "family/late.toml")
    path = written(tmp_path, 'extends = "late.toml"\nscratch = "forced"\n', "family/strict.toml")
    ruleset = load_cheerio(path)
    assert (ruleset.name, ruleset.throws, ruleset.scratch) == ("strict", 4, "forced")
    assert tuple(ruleset.categories) == CHEERIO[:-1]


def test_dropped_category_may_be_given_anew_at_the_end(tmp_path: Path) -> None:
    path = written(tmp_path, 'extends = "cheerio"\ndrop = ["chance", "ones"]\n' + CHANCE)
    assert tuple(load_cheerio(path).categories) == CHEERIO[1:]


@pytest.mark.parametrize("text", [ALONE, ALONE.replace("\n", "\r\n"), b"\xef\xbb\xbf" + ALONE.encode()])
def test_file_of_any_editor_loads(tmp_path: Path, text: str | bytes) -> None:
    ruleset = load_cheerio(written(tmp_path, text))
    assert (ruleset.players, ruleset.throws, ruleset.turns) == ((1,), 3, 1)


@pytest.mark.parametrize("name", shipped_rulesets("cheerio"))
def test_rules_survive_a_manifest(name: str) -> None:
    ruleset = load_cheerio(name)
    again = validate_ruleset(json.loads(json.dumps(ruleset.model_dump(mode="json"))), "manifest")
    assert again == ruleset
    assert again.digest == ruleset.digest
    assert hash(again) == hash(ruleset)


def test_digests_are_stable() -> None:
    # A change here breaks the identity of every run that is stored: raise it knowingly.
    digests = {
        name: load_cheerio(name).digest
        for name in ("cheerio", "cheerio-bonus", "cheerio-web", "cheerio-web-short")
    }
    assert digests == {
        "cheerio": "c274f7fed942",
        "cheerio-bonus": "69f0e16117d1",
        "cheerio-web": "fd5219d6bd3e",
        "cheerio-web-short": "bf5bdc904bdc",
    }


def test_digest_leaves_out_titles_sources_and_the_writing(tmp_path: Path) -> None:
    original = load_cheerio("cheerio")
    text = 'extends = "cheerio"\ntitle = "Other"\nsource = "me"\nplayers = [6, 5, 4, 3, 2, 1]\nthrows = 3\n'
    retold = load_cheerio(written(tmp_path, text))
    assert retold != original
    assert retold.digest == original.digest


CHANGES: list[dict[str, Any]] = [
    {"players": [2]},
    {"throws": 2},
    {"scratch": "forced"},
    {"start": "first-seat"},
    {"tiebreak": "shared"},
    {"bonus": {"threshold": 63, "points": 35}},
    {"bonus": {"threshold": 64, "points": 35}},
    {"players": (4,), "team": 2},
    {"players": (2, 4), "steal": "take"},
    {"players": (2, 4), "steal": "overwrite"},
    {"clock": {"throw": {"seconds": 4.0}, "entry": {"seconds": 6.0}}},
    {"clock": {"throw": {"seconds": 4.0, "spread": 1.0}, "entry": {"seconds": 6.0}}},
    {"clock": {"throw": {"seconds": 4.0}, "entry": {"seconds": 6.5}}},
    {"clock": {"throw": {"seconds": 4.0}, "entry": {"seconds": 6.0}, "timer": 60.0}},
    {"joker": {"category": "cheerio"}},
    {"joker": {"category": "cheerio", "points": 100}},
    {"joker": {"category": "cheerio", "fits": ("full-house",)}},
    {"joker": {"category": "cheerio", "forced": False}},
]


def test_digest_covers_every_rule() -> None:
    plain = load_cheerio("cheerio").model_dump(mode="json")
    categories = plain["categories"]
    variants: list[dict[str, Any]] = [plain, *(plain | change for change in CHANGES)]
    variants += [
        plain | {"categories": categories | {"chance": categories["chance"] | part}}
        for part in ({"pattern": {"alike": 4}}, {"pays": {"points": 1}}, {"upper": True})
    ]
    backwards = dict(reversed(list(categories.items())))
    variants.append(plain | {"categories": backwards})
    digests = [validate_ruleset(rules, "variant").digest for rules in variants]
    assert len(set(digests)) == len(variants)
    assert all(len(digest) == 12 and int(digest, 16) >= 0 for digest in digests)


# What is written below `extends = "cheerio"`, and what the message has to say.
MISTAKES = [
    ("throws = 0", ["throws: 0 given", "at least 1"]),
    ("throws = 6", ["throws: 6 given", "at most 5"]),
    ("throws = true", ["throws: true given", "whole number"]),
    ("throws = 3.0", ["throws: 3.0 given", "whole number"]),
    ("throws = nan", ["throws: nan given", "whole number"]),
    ('throws = "3"', ["throws: '3' given", "whole number"]),
    ("throws = 1979-05-27", ["throws: 1979-05-27 given", "whole number"]),
    ("throws = 99999999999999999999", ["throws: 99999999999999999999 given", "at most 5"]),
    ('scratch = "force"', ["scratch: 'force' given", "did you mean forced?", "'free' or 'forced'"]),
    ('start = "dice"', ["start: 'dice' given", "'highest-die' or 'first-seat'"]),
    ('tiebreak = "roll"', ["tiebreak: 'roll' given", "did you mean roll-off?", "'shared'"]),
    ('game = "chess"', ["game: 'chess' given", "'cheerio'"]),
    ("players = []", ["players: 0 given", "at least 1"]),
    ("players = 2", ["players: 2 given", "list in square brackets"]),
    ('players = "12"', ["players: '12' given", "list in square brackets"]),
    ("players = [0]", ["players.0: 0 given", "at least 1"]),
    ("players = [2, 7]", ["players.1: 7 given", "at most 6"]),
    ("players = [2, true]", ["players.1: true given", "whole number"]),
    ("players = [2, 2]", ["players: [2, 2] given", "once"]),
    ('title = ""', ["title: '' given", "printable text"]),
    ('title = "a\\nb"', ["title: 'a\\nb' given", "printable text"]),
    (f'title = "{"x" * 100_000}"', ["title: 'xxx", "at most 160 characters"]),
    ('name = "My Rules"', ["name: 'My Rules' given", "small letters, digits and single hyphens"]),
    ("name = 3", ["name: 3 given", "text in quotes"]),
    ("bonus = 35", ["bonus: 35 given", "a table"]),
    ("[bonus]\npoints = -1", ["bonus.points: -1 given", "at least 0"]),
    ("[bonus]\npoints = 1001", ["bonus.points: 1001 given", "at most 1000"]),
    ("[bonus]\nthreshold = 0", ["bonus.threshold: 0 given", "at least 1"]),
    ("[bonus]\npoint = 35", ["bonus.point: unknown key", "did you mean points?", "threshold, points"]),
    ("scrach = 1", ["scrach: unknown key", "did you mean scratch?", "extends, drop"]),
    ("zzz = 1", ["zzz: unknown key; allowed: name, title"]),
    ('"a\\nb" = 1', ["'a\\nb': unknown key"]),
    ('drop = "ones"', ["drop: 'ones' given", "a list of categories"]),
    ("drop = [1]", ["drop: [1] given", "a list of categories"]),
    ('drop = ["one"]', ["drop: 'one' given", "did you mean ones?", "allowed: ones, twos"]),
    ("categories = 3", ["categories: 3 given", "a table"]),
    ("categories = []", ["categories: [] given", "a table"]),
    ("[categories]\nones = 3", ["categories.ones: 3 given", "a table"]),
    (
        "[categories.Big]\n" + CHANCE[20:].replace("Chance", "Big"),
        ["categories: 'Big' given", "small letters"],
    ),
    ("[categories.luck]\n" + CHANCE[20:], ["categories: 'Chance' given twice", "one category"]),
    (
        '[categories.luck]\nname = "Luck"',
        ["categories.luck.pattern: missing", "categories.luck.pays: missing"],
    ),
    ("[categories.ones]\nuper = true", ["categories.ones.uper: unknown key", "did you mean upper?", "pays"]),
    ("[categories.ones]\nupper = 1", ["categories.ones.upper: 1 given", "true or false"]),
    ('[categories.ones]\nname = " "', ["categories.ones.name: ' ' given", "printable text"]),
    ("[categories.ones]\npattern = 3", ["categories.ones.pattern: 3 given", "a table"]),
    ("[categories.ones]\npattern = {}", ["pattern: none given", "exactly one of face, alike, groups"]),
    ("[categories.ones]\npattern = { face = 1, run = 3 }", ["face and run given", "exactly one"]),
    (
        "[categories.ones]\npattern = { faced = 1 }",
        ["faced: unknown key", "did you mean", "face, alike, groups"],
    ),
    ("[categories.ones]\npattern = { face = 7 }", ["pattern.face: 7 given", "at most 6"]),
    ("[categories.ones]\npattern = { face = true }", ["pattern.face: true given", "whole number"]),
    ("[categories.ones]\npattern = { alike = 1 }", ["pattern.alike: 1 given", "at least 2"]),
    ("[categories.ones]\npattern = { alike = 6 }", ["pattern.alike: 6 given", "at most 5"]),
    ("[categories.ones]\npattern = { run = 6 }", ["pattern.run: 6 given", "at most 5"]),
    ("[categories.ones]\npattern = { groups = [3] }", ["groups [3]", "two or more counts", "at most 5"]),
    (
        "[categories.ones]\npattern = { groups = [3, 3] }",
        ["groups [3, 3]", "two or more counts", "at most 5"],
    ),
    ("[categories.ones]\npattern = { groups = [5, 0] }", ["groups.0: 5 given", "groups.1: 0 given"]),
    ("[categories.ones]\npattern = { groups = 3 }", ["groups: 3 given", "list in square brackets"]),
    ("[categories.ones]\npattern = { face = 1, five_alike = true }", ["five_alike goes with groups only"]),
    ("[categories.ones]\npattern = { faces = [1, 2] }", ["faces names 2 dice", "all five"]),
    ("[categories.ones]\npattern = { any = false }", ["any = false given", "any = true"]),
    ("[categories.ones]\npattern = { any = 1 }", ["pattern.any: 1 given", "true or false"]),
    ("[categories.ones]\npays = true", ["pays: true given", '"all dice", "matched dice"']),
    ("[categories.ones]\npays = 1.5", ["pays: 1.5 given", "points as a number"]),
    ("[categories.ones]\npays = -5", ["pays.points: -5 given", "at least 0"]),
    ("[categories.ones]\npays = {}", ["pays: nothing given", "points as a number"]),
    ('[categories.ones]\npays = "all"', ["pays: 'all' given", '"all dice", "matched dice"']),
    ('[categories.ones]\npays = { plus = "dice" }', ["pays.plus: 'dice' given", "did you mean all dice?"]),
    ("[categories.ones]\npays = { point = 3 }", ["pays.point: unknown key", "did you mean points?"]),
    ("team = 0", ["team: 0 given", "at least 1"]),
    ("team = 4", ["team: 4 given", "at most 3"]),
    ("players = [3]\nteam = 2", ["players: 3 given with team = 2", "a multiple of 2 players"]),
    ("team = 2", ["players: 1, 3, 5 given with team = 2"]),
    ("players = [2, 4]\nteam = 2", ["players: 2 given", "another to play against", "at least 4"]),
    ('steal = "rob"', ["steal: 'rob' given", "'none', 'overwrite' or 'take'"]),
    ('steal = "take"', ["players: 1 given", "somebody to rob", "at least 2"]),
    ('players = [3]\nteam = 3\nsteal = "take"', ["players: 3 given", "at least 6"]),
    (
        f'players = [2]\nsteal = "overwrite"\n{CLOCK}',
        ['steal: "overwrite" given with a clock', "the turn that a robbed player is in", "Leave one"],
    ),
    (
        'players = [2]\nsteal = "overwrite"\n[joker]\ncategory = "cheerio"',
        ['steal: "overwrite" given with a joker', "what a stolen joker pays", "Leave one"],
    ),
    (
        f'steal = "take"\n{CLOCK}[joker]\ncategory = "chance"\nfits = ["straight"]',
        ["somebody to rob", "with a clock", "with a joker", "joker.fits", "joker.category"],
    ),
    ("clock = 3", ["clock: 3 given", "a table"]),
    ("[clock]", ["clock.throw: missing", "clock.entry: missing"]),
    ("[clock]\nthrow = 3\nentry = 4", ["clock.throw: 3 given", "a table"]),
    (f"{CLOCK}timer = -1", ["clock.timer: -1 given", "at least 0"]),
    (f"{CLOCK}timer = 601", ["clock.timer: 601 given", "at most 600"]),
    (f"{CLOCK}timer = nan", ["clock.timer: nan given", "at most 600"]),
    (f"{CLOCK}timers = 1", ["clock.timers: unknown key", "did you mean timer?"]),
    (
        f"{CLOCK}[clock.throw]\nspeed = 1".replace("throw = { seconds = 4 }\n", ""),
        ["clock.throw.speed: unknown key", "seconds, spread"],
    ),
    (
        CLOCK.replace("{ seconds = 4 }", "{ seconds = 4, spread = 5 }"),
        ["spread 5 given", "at most the seconds"],
    ),
    (
        CLOCK.replace("4", "0").replace("6", "0.05"),
        ["a turn of one throw may take 0.05 s", "at least 0.1 s", "raise the seconds"],
    ),
    ("[joker]", ["joker.category: missing"]),
    (
        '[joker]\ncategory = "cheeri"',
        ["joker.category: 'cheeri' given", "did you mean cheerio?", "allowed: ones"],
    ),
    ('[joker]\ncategory = "cheerio"\nfits = ["straight"]', ["joker.fits: 'straight' given", "allowed: ones"]),
    ('[joker]\ncategory = "chance"', ["joker.category: 'chance' given", "five alike", "alike = 5"]),
    ('[joker]\ncategory = "cheerio"\npoints = -1', ["joker.points: -1 given", "at least 0"]),
    ('[joker]\ncategory = "cheerio"\nforced = 1', ["joker.forced: 1 given", "true or false"]),
    (
        'drop = ["ones", "twos", "threes", "fours", "fives", "sixes"]\n[bonus]\npoints = 35',
        ["bonus.points: 35 given", "upper = true"],
    ),
]


@pytest.mark.parametrize(("text", "expected"), MISTAKES, ids=[text[:40] for text, _ in MISTAKES])
def test_mistake_is_told(tmp_path: Path, text: str, expected: list[str]) -> None:
    path = written(tmp_path, f'extends = "cheerio"\n{text}\n')
    first, *lines = mistakes_of(path)
    assert first == f"ruleset {path} (extends cheerio): {len(lines)} mistake{'s' * (len(lines) > 1)}"
    message = "\n".join(lines)
    assert [words for words in expected if words not in message] == []
    assert max(map(len, lines)) < 300
    assert "pydantic" not in message


def test_too_many_categories_are_counted(tmp_path: Path) -> None:
    more = [CHANCE.replace("chance", f"more-{n}").replace("Chance", f"More {n}") for n in range(4)]
    assert load_cheerio(written(tmp_path, 'extends = "cheerio"\n' + "".join(more[:3]))).turns == 16
    lines = mistakes_of(written(tmp_path, 'extends = "cheerio"\n' + "".join(more)))
    assert lines[1:] == ["  categories: 17 given; at most 16 are allowed"]


def test_no_category_left_is_told(tmp_path: Path) -> None:
    path = written(tmp_path, f'extends = "cheerio"\ndrop = {json.dumps(CHEERIO)}\n')
    assert mistakes_of(path)[1:] == ["  categories: 0 given; at least 1 is needed"]


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    text = """
        extends = "cheerio"
        drop = ["ons"]
        throws = 9
        scratch = "maybe"
        colour = "red"
        [bonus]
        points = "many"
        [categories.chance]
        pays = "some dice"
        pattern = { run = 9 }
    """
    first, *lines = mistakes_of(written(tmp_path, text))
    assert first.endswith(": 7 mistakes")
    assert [line.split(":")[0].strip() for line in lines] == [
        "drop",
        "throws",
        "scratch",
        "bonus.points",
        "categories.chance.pattern.run",
        "categories.chance.pays",
        "colour",
    ]


def test_empty_file_lacks_what_has_no_default(tmp_path: Path) -> None:
    lines = mistakes_of(written(tmp_path, ""))
    assert [line.split(":")[0].strip() for line in lines[1:]] == ["title", "players", "categories"]
    assert all("missing; it has to be given" in line for line in lines[1:])


def test_drop_without_extends_is_told(tmp_path: Path) -> None:
    lines = mistakes_of(written(tmp_path, 'drop = ["chance"]\n' + ALONE))
    assert lines[1:] == ["  drop: ['chance'] given; it goes with extends only"]


def test_mistake_of_a_parent_names_the_parent(tmp_path: Path) -> None:
    parent = written(tmp_path, "categories = 3\n", "parent.toml")
    lines = mistakes_of(written(tmp_path, 'extends = "parent.toml"\ndrop = ["ones"]\n'))
    assert f"(extends {parent})" in lines[0]
    assert "  categories: 3 given; a table is needed" in lines


def test_name_from_a_file_name_that_is_no_name(tmp_path: Path) -> None:
    assert "the file's name is taken" in mistakes_of(written(tmp_path, ALONE, "My Rules.toml"))[1]


BROKEN: list[tuple[str | bytes, list[str]]] = [
    ("throws = [", ["not valid TOML", "at end of document"]),
    ("throws 3", ["not valid TOML", "line 1"]),
    ("throws = 1\nthrows = 2", ["not valid TOML", "overwrite"]),
    ("throws = " + "9" * 5000, ["a number has more digits than can be read"]),
    ("throws = " + "[" * 5000, ["nested too deeply"]),
    (b"title = '\xff\xfe'", ["not a text file in UTF-8", "save it as UTF-8"]),
    ("extends = 3", ["extends: 3 given", "a ruleset's name or file is needed"]),
    ('extends = "cheeriio"', ["no ruleset is named 'cheeriio'", "did you mean cheerio", "./mine.toml"]),
    ('extends = "mine.toml"', ["extends itself", "mine.toml ->", "leave it out"]),
    ('extends = "gone.toml"', ["gone.toml", "can't be read: No such file"]),
    ('extends = "./"', ["can't be read: Is a directory"]),
    ('extends = "a\\u0000/b"', ["no file can have this name"]),
]


@pytest.mark.parametrize(("text", "expected"), BROKEN, ids=[str(text[:24]) for text, _ in BROKEN])
def test_unreadable_file_is_told(tmp_path: Path, text: str | bytes, expected: list[str]) -> None:
    message = "\n".join(mistakes_of(written(tmp_path, text)))
    assert [words for words in expected if words not in message] == []
    assert len(message) < 1000


def test_circle_of_files_is_told(tmp_path: Path) -> None:
    written(tmp_path, 'extends = "b.toml"', "a.toml")
    path = written(tmp_path, 'extends = "a.toml"', "b.toml")
    message = mistakes_of(path)[0]
    assert "b.toml -> " in message
    assert "a.toml -> " in message


NAMES = [
    ("cherio", ["'cherio'", "did you mean cheerio", "./mine.toml"]),
    ("qqq", ["'qqq'", "shipped are ceelo-bank, ceelo-bank-fixed"]),
    ("", ["no ruleset is named ''"]),
    ("cheerio\0", ["no ruleset is named 'cheerio\\x00'"]),
    ("cheerio.toml", ["can't be read", "named cheerio, without .toml"]),
    ("nowhere/mine.toml", ["nowhere/mine.toml", "No such file"]),
]


@pytest.mark.parametrize(("name", "expected"), NAMES, ids=[repr(name) for name, _ in NAMES])
def test_unknown_name_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, expected: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    message = mistakes_of(name)[0]
    assert [words for words in expected if words not in message] == []


def test_ruleset_does_not_change_after_loading() -> None:
    ruleset: Ruleset = load_cheerio("cheerio")
    with pytest.raises(ValueError, match="frozen"):
        setattr(ruleset, "throws", 2)  # noqa: B010  (mypy knows that it is frozen)
