from __future__ import annotations

import json
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Any

import pytest

from sim.ceelo.results import RESULTS
from sim.ceelo.ruleset import MOST_CHIPS, MOST_ROUNDS, CeeloRuleset, load_ceelo, validate_ceelo
from sim.cheerio_ruleset import load_cheerio
from sim.ruleset import RulesetError, load_ruleset, shipped_rulesets

KEYS = "name, title, source, game, players, chips, rounds, minutes, throw_seconds, bank, stake, ante, outright, extends"


def written(folder: Path, text: str, name: str = "mine.toml") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def mistakes_of(path: str) -> list[str]:
    with pytest.raises(RulesetError) as caught:
        load_ceelo(path)
    return str(caught.value).splitlines()


def test_six_are_shipped() -> None:
    assert shipped_rulesets("ceelo") == (
        "ceelo-bank",
        "ceelo-bank-fixed",
        "ceelo-bank-rotate",
        "ceelo-bank-timed",
        "ceelo-pot",
        "ceelo-pot-outright",
    )


@pytest.mark.parametrize("name", shipped_rulesets("ceelo"))
def test_shipped_file_loads(name: str) -> None:
    ruleset = load_ceelo(name)
    assert load_ruleset(name) == ruleset
    assert (ruleset.name, ruleset.game, ruleset.players) == (name, "ceelo", (2, 3, 4, 5, 6))
    assert (ruleset.chips, ruleset.rounds) == (100, 50)
    assert ruleset.source, "each shipped ruleset says where it comes from"
    assert [line.id for line in ruleset.lines] == [result.id for result in RESULTS]
    assert (ruleset.side_size, ruleset.sides(6)) == (1, 6)


def test_shipped_are_as_their_rules_say() -> None:
    rules = {name: load_ceelo(name) for name in shipped_rulesets("ceelo")}
    assert {name: ruleset.bank for name, ruleset in rules.items()} == {
        "ceelo-bank": "pass",
        "ceelo-bank-fixed": "fixed",
        "ceelo-bank-rotate": "rotate",
        "ceelo-bank-timed": "pass",
        "ceelo-pot": "none",
        "ceelo-pot-outright": "none",
    }
    assert [name for name, ruleset in rules.items() if ruleset.outright] == ["ceelo-pot-outright"]
    assert [name for name, ruleset in rules.items() if ruleset.minutes] == ["ceelo-bank-timed"]
    assert {(ruleset.stake.minimum, ruleset.stake.maximum) for ruleset in rules.values()} == {(1, 20)}
    assert {ruleset.ante for ruleset in rules.values()} == {1}


def test_digests_are_stable() -> None:
    # A change here breaks the identity of every run that is stored: raise it knowingly.
    assert {name: load_ceelo(name).digest for name in shipped_rulesets("ceelo")} == {
        "ceelo-bank": "8b454edecb18",
        "ceelo-bank-fixed": "444f65d23f13",
        "ceelo-bank-rotate": "f050d743697a",
        "ceelo-bank-timed": "e6a88ef8ad81",
        "ceelo-pot": "2430208fba30",
        "ceelo-pot-outright": "d6a650bd3838",
    }


@pytest.mark.parametrize("name", shipped_rulesets("ceelo"))
def test_rules_survive_a_manifest(name: str) -> None:
    ruleset = load_ceelo(name)
    for rules in (ruleset.stated(), ruleset.model_dump(mode="json")):
        again = validate_ceelo(json.loads(json.dumps(rules)), "manifest")
        assert again == ruleset
        assert again.digest == ruleset.digest
        assert hash(again) == hash(ruleset)
        assert again.stated() == ruleset.stated()


# What a ruleset states beside what all do.
STATED = {
    "ceelo-bank": {"rounds", "stake"},
    "ceelo-bank-timed": {"minutes", "throw_seconds", "stake"},
    "ceelo-pot": {"rounds", "ante", "outright"},
}


@pytest.mark.parametrize("name", STATED)
def test_parts_that_are_not_in_play_are_not_stated(name: str) -> None:
    of_all = {"name", "title", "source", "game", "players", "chips", "bank"}
    assert set(load_ceelo(name).stated()) == of_all | STATED[name]


IDLE = [
    ("ceelo-bank", {"ante": 7}),
    ("ceelo-bank", {"ante": MOST_CHIPS}),
    ("ceelo-bank", {"throw_seconds": 9.0}),
    ("ceelo-bank-timed", {"rounds": 9}),
    ("ceelo-pot", {"stake": {"minimum": 3, "maximum": 4}}),
]


@pytest.mark.parametrize(("name", "change"), IDLE)
def test_parts_that_are_not_in_play_change_nothing(name: str, change: dict[str, Any]) -> None:
    ruleset = load_ceelo(name)
    changed = validate_ceelo(ruleset.model_dump(mode="json") | change, "changed")
    assert changed.digest == ruleset.digest
    assert changed.stated() == ruleset.stated()


CHANGES: list[tuple[str, dict[str, Any]]] = [
    ("ceelo-bank", {"players": [2]}),
    ("ceelo-bank", {"chips": 99}),
    ("ceelo-bank", {"rounds": 49}),
    ("ceelo-bank", {"stake": {"minimum": 2, "maximum": 20}}),
    ("ceelo-bank", {"stake": {"minimum": 1, "maximum": 21}}),
    ("ceelo-bank", {"minutes": 29}),
    ("ceelo-bank", {"minutes": 30, "throw_seconds": 5.0}),
    ("ceelo-pot", {"ante": 2}),
    ("ceelo-pot", {"chips": 99}),
    ("ceelo-pot", {"rounds": 49}),
    ("ceelo-pot", {"minutes": 30}),
]


def test_digest_covers_every_rule_in_play() -> None:
    digests = [load_ceelo(name).digest for name in shipped_rulesets("ceelo")]
    for name, change in CHANGES:
        rules = load_ceelo(name).model_dump(mode="json")
        digests.append(validate_ceelo(rules | change, "changed").digest)
    assert len(set(digests)) == len(digests)


def test_digest_leaves_out_titles_sources_and_the_writing(tmp_path: Path) -> None:
    text = 'extends = "ceelo-bank"\ntitle = "Other"\nsource = "me"\nplayers = [6, 5, 4, 3, 2]\nchips = 100\n'
    retold = load_ceelo(written(tmp_path, text))
    assert retold != load_ceelo("ceelo-bank")
    assert retold.digest == load_ceelo("ceelo-bank").digest


def test_extending_inherits_all_but_what_it_overrides(tmp_path: Path) -> None:
    written(tmp_path, 'extends = "ceelo-bank"\nchips = 60\n[stake]\nminimum = 2\n', "house.toml")
    ruleset = load_ceelo(written(tmp_path, 'extends = "house.toml"\nbank = "rotate"\n[stake]\nmaximum = 6\n'))
    assert (ruleset.name, ruleset.title) == ("mine", "Cee-lo with a bank")
    assert (ruleset.chips, ruleset.rounds, ruleset.bank) == (60, 50, "rotate")
    assert (ruleset.stake.minimum, ruleset.stake.maximum) == (2, 6)


def test_a_file_needs_little(tmp_path: Path) -> None:
    ruleset = load_ceelo(written(tmp_path, 'game = "ceelo"\ntitle = "Mine"\nplayers = [3]\n'))
    assert ruleset.stated() | {"name": "", "title": "", "source": ""} == load_ceelo("ceelo-bank").stated() | {
        "name": "",
        "title": "",
        "source": "",
        "players": [3],
    }


@pytest.mark.parametrize(
    ("minutes", "throw_seconds", "most_throws"),
    [
        (30, 4.0, 450),
        (1, 60.0, 1),
        (1, 600.0, 1),
        (1, 7.0, 9),
        (1, 0.7, 86),
        (600, 0.1, 360_000),
        (2, 0.123, 976),
    ],
)
def test_throws_that_a_clock_leaves_time_for(minutes: int, throw_seconds: float, most_throws: int) -> None:
    rules = load_ceelo("ceelo-pot").model_dump(mode="json")
    ruleset = validate_ceelo(rules | {"minutes": minutes, "throw_seconds": throw_seconds}, "timed")
    assert ruleset.most_throws == most_throws == ceil(60 * minutes / Fraction(str(throw_seconds)))
    assert ruleset.most_rounds == MOST_ROUNDS


def test_rounds_bound_a_game_without_a_clock() -> None:
    ruleset = load_ceelo("ceelo-bank")
    assert (ruleset.most_rounds, ruleset.most_throws) == (50, None)


def test_scores_fit_into_what_they_are_stored_in() -> None:
    assert 6 * MOST_CHIPS < 2**15
    assert MOST_ROUNDS + 1 < 2**8


# What is written below `extends = "ceelo-bank"`, and the whole of what is said.
MISTAKES: list[tuple[str, list[str]]] = [
    ("chips = 0", ["chips: 0 given; at least 1 is allowed"]),
    ("chips = 5001", ["chips: 5001 given; at most 5000 is allowed"]),
    ("chips = 1.5", ["chips: 1.5 given; a whole number is needed"]),
    ("rounds = 0", ["rounds: 0 given; at least 1 is allowed"]),
    ("rounds = 251", ["rounds: 251 given; at most 250 is allowed"]),
    ("minutes = 0", ["minutes: 0 given; at least 1 is allowed"]),
    ("minutes = 601", ["minutes: 601 given; at most 600 is allowed"]),
    ('minutes = "ten"', ["minutes: 'ten' given; a whole number is needed"]),
    ("minutes = 3\nthrow_seconds = 0.05", ["throw_seconds: 0.05 given; at least 0.1 is allowed"]),
    ("minutes = 3\nthrow_seconds = 601", ["throw_seconds: 601 given; at most 600.0 is allowed"]),
    ("minutes = 3\nthrow_seconds = nan", ["throw_seconds: nan given; at most 600.0 is allowed"]),
    (
        'bank = "passing"',
        ["bank: 'passing' given (did you mean pass?); allowed: 'none', 'pass', 'rotate' or 'fixed'"],
    ),
    ("bank = false", ["bank: false given; allowed: 'none', 'pass', 'rotate' or 'fixed'"]),
    ("stake = 5", ["stake: 5 given; a table is needed"]),
    ("[stake]\nminimum = 0", ["stake.minimum: 0 given; at least 1 is allowed"]),
    ("[stake]\nmaximum = 5001", ["stake.maximum: 5001 given; at most 5000 is allowed"]),
    ("[stake]\nminimum = 21", ["stake: minimum 21 given with maximum 20; the maximum may not be less"]),
    ("[stake]\nmax = 3", ["stake.max: unknown key (did you mean maximum?); allowed: minimum, maximum"]),
    ('ante = 0\nbank = "none"', ["ante: 0 given; at least 1 is allowed"]),
    (
        'ante = 101\nbank = "none"',
        ["ante: 101 given with 100 chips; nobody could pay it. Lower the ante or give more chips"],
    ),
    (
        "outright = true",
        [
            'outright: true given; with bank = "pass" there is no pot; it goes with bank = "none" only. Leave it out'
        ],
    ),
    (
        "ante = 3",
        ['ante: 3 given; with bank = "pass" there is no pot; it goes with bank = "none" only. Leave it out'],
    ),
    (
        "throw_seconds = 3.0",
        ["throw_seconds: 3.0 given; without minutes no clock runs; it goes with minutes only. Leave it out"],
    ),
    ("rounds = 9\nminutes = 9", ["rounds: 9 given; with minutes the game ends by the clock. Leave it out"]),
    (
        'bank = "none"\n[stake]\nminimum = 2',
        [
            "stake: {'minimum': 2} given; with bank = \"none\" all pay the ante, and nobody stakes. Leave it out"
        ],
    ),
    ('outright = 1\nbank = "none"', ["outright: 1 given; true or false is needed"]),
    (
        "players = [1, 2]",
        ["players: 1 given; Cee-lo is played against others, so at least 2 are needed"],
    ),
    ("players = []", ["players: 0 given; at least 1 is needed"]),
    ("players = [7]", ["players.0: 7 given; at most 6 is allowed"]),
    ("players = [2, 2]", ["players: [2, 2] given; each count of players is named once"]),
    ('title = ""', ["title: '' given; printable text without spaces around it is needed"]),
    ('game = "chess"', ["game: 'chess' given; allowed: 'cheerio', 'ceelo'"]),
    ('game = "ceeloo"', ["game: 'ceeloo' given (did you mean ceelo?); allowed: 'cheerio', 'ceelo'"]),
    ("game = 3", ["game: 3 given; allowed: 'cheerio', 'ceelo'"]),
    ("chip = 3", [f"chip: unknown key (did you mean chips?); allowed: {KEYS}"]),
    ("tiebreak = 3", [f"tiebreak: unknown key; allowed: {KEYS}"]),
    (
        'players = [1]\nbank = "rotate"\noutright = true\n[stake]\nminimum = 9\nmaximum = 2',
        [
            'outright: true given; with bank = "rotate" there is no pot; it goes with bank = "none" only. Leave it out',
            "players: 1 given; Cee-lo is played against others, so at least 2 are needed",
            "stake: minimum 9 given with maximum 2; the maximum may not be less",
        ],
    ),
    (
        'chips = "many"\nrounds = 0\n[stake]\nminimum = -1',
        [
            "chips: 'many' given; a whole number is needed",
            "rounds: 0 given; at least 1 is allowed",
            "stake.minimum: -1 given; at least 1 is allowed",
        ],
    ),
]


@pytest.mark.parametrize(("text", "expected"), MISTAKES, ids=[text[:30] for text, _ in MISTAKES])
def test_mistake_is_told(tmp_path: Path, text: str, expected: list[str]) -> None:
    path = written(tmp_path, f'extends = "ceelo-bank"\n{text}\n')
    first, *lines = mistakes_of(path)
    assert first == f"ruleset {path} (extends ceelo-bank): {len(lines)} mistake{'s' * (len(lines) > 1)}"
    assert [line.strip() for line in lines] == expected


def test_one_game_does_not_pass_for_another() -> None:
    with pytest.raises(RulesetError, match=r"^ruleset cheerio: is one of cheerio; one of ceelo is needed$"):
        load_ceelo("cheerio")
    with pytest.raises(RulesetError, match=r"^ruleset ceelo-pot: is one of ceelo; one of cheerio is needed$"):
        load_cheerio("ceelo-pot")
    with pytest.raises(RulesetError, match=r"^ruleset here: is one of cheerio; one of ceelo is needed$"):
        validate_ceelo(load_cheerio("yatzy").model_dump(mode="json"), "here")


def test_ruleset_does_not_change_after_loading() -> None:
    ruleset: CeeloRuleset = load_ceelo("ceelo-bank")
    with pytest.raises(ValueError, match="frozen"):
        setattr(ruleset, "chips", 2)  # noqa: B010  (mypy knows that it is frozen)


def test_labels_say_how_long_a_game_lasts_and_that_ties_are_shared() -> None:
    labels = load_ceelo("ceelo-bank-timed").labels(3)
    assert (labels["turns"], labels["tiebreak"]) == (250, "shared")
    assert labels["exact"]["bank edge"] == "1/108"


def test_what_counts_for_nothing_may_be_inherited(tmp_path: Path) -> None:
    path = tmp_path / "banked.toml"
    path.write_text('extends = "ceelo-pot-outright"\nbank = "rotate"\n', encoding="utf-8")
    ruleset = load_ceelo(str(path))
    assert ruleset.bank == "rotate"
    assert ruleset.digest == load_ceelo("ceelo-bank-rotate").digest
