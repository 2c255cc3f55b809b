"""From words to players: names, parameters, a user's own files, and the way to another process."""

from __future__ import annotations

import dataclasses
import json
import math
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from sim.cheerio_ruleset import load_cheerio
from sim.lanes import NEVER
from strategies.files import read_shipped
from strategies.lineup import (
    Source,
    get_lineup,
    get_player,
    get_strategy,
    rebuild_player,
)
from strategies.manner import WHEN_IT_PAYS, Manner
from strategies.registry import STRATEGIES
from strategies.rows import RowMaker
from strategies.strategy import Strategy, StrategyError

BOLD = '''
"""Strategies of my own."""

from dataclasses import dataclass

from strategies import Strategy


@dataclass(frozen=True)
class Bold(Strategy):
    """Keeps the high dice.

    And more about it.
    """

    least: int = 5
    bonus: bool = False
    weight: float = 1.5
    word: str = "dice"

    def keep(self, dice, sheet, rolls_left):
        return [die for die in dice if die >= self.least]

    def choose(self, dice, sheet):
        return sheet.open[-1]


class Shy(Bold):
    """Keeps little."""


class Other:
    pass
'''


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(BOLD)
    return path


def write(folder: Path, name: str, text: str) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    return str(folder / name)


def fault(words: str) -> str:
    with pytest.raises(StrategyError) as raised:
        get_player(words)
    return str(raised.value)


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_shipped_strategy_is_found_with_its_rule(name: str) -> None:
    player = get_player(name)
    assert player.label == name
    assert player.rule.endswith(".")
    assert player.game in ("cheerio", "ceelo")
    assert ("open" in player.sees) == (player.game == "cheerio")
    assert player.source.files == ()


def test_parameters_are_set_by_name() -> None:
    player = get_player("greedy:upper=0.5")
    assert player.label == "greedy:upper=0.5"
    assert player.parameters == {"upper": 0.5}
    assert get_player("greedy").parameters == {"upper": 0.0}
    assert get_strategy("nets:price=3") == get_player("nets:price=3.0").strategy


def test_spaces_around_the_pieces_do_not_matter() -> None:
    player = get_player("  greedy : upper = 0.5 ")
    assert player.parameters == {"upper": 0.5}
    assert player.label == "greedy:upper = 0.5"
    assert get_player(" par ").label == "par"


@pytest.mark.parametrize(
    ("words", "manner", "said"),
    [
        ("par", Manner(None, 1000), {}),
        ("par:steal=never", Manner(NEVER, 1000), {"steal": "never"}),
        ("par:steal=when-it-pays", Manner(WHEN_IT_PAYS, 1000), {"steal": "when-it-pays"}),
        ("par:steal=-20:pace=0.1", Manner(-20, 100), {"steal": -20, "pace": 0.1}),
        ("par: pace = 1.2346", Manner(None, 1235), {"pace": 1.235}),
        ("par:pace=10:scale=0.9", Manner(None, 10_000), {"pace": 10.0}),
        ("par:pace=1:steal=0", Manner(0, 1000), {"steal": 0}),
    ],
)
def test_every_strategy_takes_a_manner(words: str, manner: Manner, said: dict[str, object]) -> None:
    player = get_player(words)
    assert player.manner == player.source.manner == manner
    scale = 0.9 if "scale" in words else 1.0
    assert player.parameters == {"scale": scale, **said}
    assert player.source.parameters == ((("scale", 0.9),) if "scale" in words else ())
    assert player.label == words.replace(": ", ":")
    assert rebuild_player(player.source, Path("nowhere")).manner == manner


def test_a_manner_is_in_the_digest_of_a_source_where_it_is_not_the_usual(mine: Path) -> None:
    for name in ("par", f"{mine}:Bold"):
        digests = [
            get_player(f"{name}{rest}").source.digest
            for rest in ("", ":pace=1", ":pace=1.1", ":steal=1", ":steal=never", ":steal=never:pace=1.1")
        ]
        assert digests[0] == digests[1]
        assert len(set(digests)) == 5


def test_equal_words_of_a_lineup_give_one_player() -> None:
    first, second, third = get_lineup(["par", "greedy", "par"])
    assert first is third
    assert second.label == "greedy"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("gredy", "no strategy is named 'gredy': did you mean greedy?"),
        ("upper_first", "did you mean upper-first?"),
        ("xyzzy", f"shipped are {', '.join(STRATEGIES)}. One of your own is named as mine.py:Bold"),
        ("", "no strategy is named ''"),
        ("greedy:uper=1", "'uper=1' sets no parameter of it; did you mean upper=...?"),
        ("greedy:zzz=1", "'zzz=1' sets no parameter of it; its parameters are upper"),
        ("greedy:upper", "upper is given no value; write upper=..."),
        ("sets:upper=1", "'upper=1' sets no parameter of it; it has no parameters"),
        ("greedy:upper=much", "upper is 'much'; a finite number is needed"),
        ("greedy:upper=nan", "upper is 'nan'; a finite number is needed"),
        ("greedy:upper=-inf", "upper is '-inf'; a finite number is needed"),
        ("greedy:upper=", "upper is ''; a finite number is needed"),
        ("greedy:upper=1:upper=2", "upper is given twice; give it once"),
        ("greedy:stael=never", "'stael=never' sets no parameter of it; did you mean steal=...?"),
        ("sets:pase=2", "did you mean pace=...?"),
        ("par:zzz=2", "its parameters are scale; every strategy takes steal and pace"),
        ("sets:zzz=2", "it has no parameters; every strategy takes steal and pace"),
        ("sets:pace", "pace is given no value; write pace=..."),
        (
            "par:steal=nevr",
            "steal is 'nevr' (did you mean never?); never, when-it-pays or a whole number from -9999 to",
        ),
        ("par:steal=", "is needed: the least swing in points to steal for"),
        ("par:steal=1.5", "steal is '1.5'; never, when-it-pays or a whole number"),
        ("par:steal=10000", "a whole number from -9999 to 9999 is needed"),
        ("par:steal=true", "steal is 'true'; never, when-it-pays or a whole number"),
        (
            "par:pace=fast",
            "pace is 'fast'; a number from 0.1 to 10 is needed: 1 is the usual time, 2 twice as long",
        ),
        ("par:pace=0", "pace is '0'; a number from 0.1 to 10"),
        ("par:pace=10.01", "pace is '10.01'; a number from 0.1 to 10"),
        ("par:pace=nan", "pace is 'nan'"),
        ("par:pace=-1", "pace is '-1'"),
        ("par:pace=1:pace=2", "pace is given twice; give it once"),
        ("par:steal=never:scale=1:steal=never", "steal is given twice; give it once"),
    ],
)
def test_words_that_name_no_strategy_are_refused(words: str, expected: str) -> None:
    assert expected in fault(words)


def test_a_file_of_ones_own(mine: Path) -> None:
    player = get_player(f"{mine}:Bold:least=4:bonus=TRUE:weight=2:word=a b")
    assert player.rule == "Keeps the high dice."
    assert player.parameters == {"least": 4, "bonus": True, "weight": 2.0, "word": "a b"}
    assert [name for name, _ in player.source.files] == ["mine.py"]
    assert player.source.place == f"{mine}:Bold"
    plan = RowMaker(player, load_cheerio("cheerio")).make([0b100])[0]
    assert plan.choices.tolist() == [2] * 252


def test_a_file_is_found_from_the_folder_one_is_in(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(mine.parent)
    player = get_player("mine.py:Bold")
    assert player.label == "mine.py:Bold"
    assert player.source.place == f"{mine}:Bold"
    assert player.source.digest == get_player(f"{mine}:Bold").source.digest


def test_a_path_may_have_spaces_and_signs(tmp_path: Path) -> None:
    path = write(tmp_path / "my own = dice", "my bold.py", BOLD)
    assert get_player(f"{path}:Bold").parameters["least"] == 5


def test_a_file_leaves_nothing_beside_itself(mine: Path) -> None:
    get_player(f"{mine}:Bold")
    assert [entry.name for entry in mine.parent.iterdir()] == ["mine.py"]
    assert str(mine.parent) not in sys.path


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("", "names no class; write {path}:Bold or {path}:Shy"),
        (":least=3", "names no class; write {path}:Bold or {path}:Shy"),
        (":Bald", "mine.py has no strategy 'Bald': did you mean Bold?"),
        (":Xyzzy", "its strategies are Bold, Shy"),
        (":Other", "has no strategy 'Other'"),
        (":Bold:least=1.5", "least is '1.5'; a whole number is needed"),
        (":Bold:bonus=yes", "bonus is 'yes'; true or false is needed"),
    ],
)
def test_a_file_and_words_that_do_not_fit_are_refused(mine: Path, rest: str, expected: str) -> None:
    assert expected.format(path=mine) in fault(f"{mine}{rest}")


def test_who_leaves_out_the_ending_of_a_file_is_told(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(mine.parent)
    assert fault("mine:Bold") == "no strategy is named 'mine': did you mean mine.py:Bold?"
    told = "no strategy is named 'mine', but there is mine.py; write mine.py:Bold or mine.py:Shy"
    assert [fault(words) for words in ("mine", "mine:least=3")] == [told, told]
    (mine.parent / "empty.py").write_text("")
    assert fault("empty.py").endswith("names no class; empty.py has no strategy yet: write class Mine(Strategy), or "
                                      "class Mine(Bettor) for Cee-lo")  # fmt: skip


QUESTIONED = "from strategies import Strategy\nclass Bold(Strategy):\n    keep = choose = print\n"
DATACLASS = (
    "from dataclasses import dataclass\nfrom strategies import Strategy\n"
    "@dataclass\nclass Bold(Strategy):\n    {field}\n    keep = choose = print\n"
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("class Bold(:\n", "is not valid Python"),
        ("\0", "is not valid Python"),
        (
            "import nowhere_to_be_found\n",
            "mine.py can't be loaded: ModuleNotFoundError: No module named 'nowhere",
        ),
        ("from . import other\n", "can't be loaded: ImportError"),
        ("1 / 0\n", "can't be loaded: ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)\n", "can't be loaded: SystemExit: 3"),
        ("class Bold:\n    pass\n", "Bold of mine.py is no Strategy; write class Bold(Strategy)"),
        ("x = 1\n", "has no strategy 'Bold': its strategies are none"),
        (
            "from strategies import Strategy\nclass Bold(Strategy):\n    pass\n",
            "has no keep and no choose; give keep",
        ),
        (
            "from strategies import Strategy\nclass Bold(Strategy):\n    keep = print\n    choose = 3\n",
            "has no choose; give keep(dice, sheet, rolls_left) and choose(dice, sheet), or plan(sheet)",
        ),
        (
            "from strategies import Strategy\nclass Bold(Strategy):\n    sees = ('open', 'uper')\n",
            "sees names uper (did you mean upper?); allowed: open, upper",
        ),
        (
            "from strategies import Strategy\nclass Bold(Strategy):\n    sees = 'open'\n",
            "a tuple of names is needed",
        ),
        ("from strategies import Strategy\nclass Bold(Strategy):\n    sees = ('upper',)\n", "add 'open'"),
        (
            "from strategies import Strategy\nclass Bold(Strategy):\n    def __init__(self): raise KeyError(1)\n",
            "can't be built: KeyError: 1",
        ),
        (
            QUESTIONED + "    steal = True\n",
            "steal is True; a method steal(offer, sheet) is needed, or none",
        ),
        (QUESTIONED + "    forfeit = 'ones'\n", "forfeit is 'ones'; a method forfeit(sheet) is needed"),
        (
            QUESTIONED + "    steal = print\n    steal_sees = ('turns-left',)\n",
            "steal_sees names turns-left (did you mean turns_left?); allowed: open, upper, pace, turns_left, standing",
        ),
        (
            QUESTIONED + "    steal = print\n    steal_sees = ('coin', 'open')\n",
            "steal_sees names coin, which is for keep and choose alone; allowed: open, upper",
        ),
        (
            QUESTIONED + "    forfeit = print\n    forfeit_sees = ('open', 'coin')\n",
            "forfeit_sees names coin, which is for keep and choose alone",
        ),
        (
            QUESTIONED + "    steal = print\n    steal_sees = 'standing'\n",
            "steal_sees is 'standing'; a tuple of names is needed, as steal_sees = ('turns_left',)",
        ),
        (
            QUESTIONED + "    forfeit = print\n    forfeit_sees = ('upper',)\n",
            "forfeit_sees is ('upper',); add 'open', for what may be forfeited depends on the open categories",
        ),
        (
            QUESTIONED + "    steal_sees = ('standing',)\n",
            "declares steal_sees but is never asked; give steal(offer, sheet) too",
        ),
        (
            QUESTIONED + "    forfeit_sees = ('open', 'standing')\n",
            "declares forfeit_sees but is never asked; give forfeit(sheet) too",
        ),
        (
            DATACLASS.format(field="steal: float = 0.5"),
            "has a parameter steal of its own; steal and pace are understood of every strategy",
        ),
        (
            DATACLASS.format(field="pace: int = 3"),
            "pace are understood of every strategy in a lineup, so give it another name",
        ),
    ],
)
def test_a_file_that_is_no_strategy_is_refused(tmp_path: Path, text: str, expected: str) -> None:
    path = write(tmp_path, "mine.py", text)
    found = fault(f"{path}:Bold")
    assert found.startswith(f"strategy {path}:Bold: ")
    assert expected in found


def test_a_parameter_of_a_taken_name_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = write(tmp_path, "mine.py", DATACLASS.format(field="steal: float = 0.5"))
    assert "so give it another name" in fault(f"{path}:Bold:steal=often")


def test_a_strategy_may_have_both_questions_one_or_none(tmp_path: Path) -> None:
    for text in (
        "    steal = print\n    steal_sees = ()\n",
        "    forfeit = print\n    forfeit_sees = ('joker', 'open')\n",
        "    steal = forfeit = print\n    steal_sees = ('standing', 'difference')\n",
        # A strategy built on another may leave one of its questions out again.
        "    steal = None\n    steal_sees = ('standing',)\n",
    ):
        path = write(tmp_path, "mine.py", QUESTIONED + text)
        assert get_player(f"{path}:Bold:steal=never").manner.steal == NEVER


def test_a_file_that_is_not_there_or_no_text_is_refused(tmp_path: Path) -> None:
    assert "can't be read: No such file" in fault(f"{tmp_path / 'none.py'}:Bold")
    (tmp_path / "folder.py").mkdir()
    assert "can't be read: Is a directory" in fault(f"{tmp_path / 'folder.py'}:Bold")
    (tmp_path / "bytes.py").write_bytes(b"\xff\xfe\x00")
    assert "is not valid Python" in fault(f"{tmp_path / 'bytes.py'}:Bold")


SHARED = "from shared import LEAST\n" + BOLD.replace("least: int = 5", "least: int = LEAST")


def test_a_module_beside_the_file_belongs_to_it(tmp_path: Path) -> None:
    write(tmp_path, "shared.py", "from deeper import LEAST\n")
    write(tmp_path, "deeper.py", "LEAST = 4\n")
    words = f"{write(tmp_path, 'mine.py', SHARED)}:Bold"
    first = get_player(words)
    assert [name for name, _ in first.source.files] == ["mine.py", "shared.py", "deeper.py"]
    assert first.parameters["least"] == 4
    write(tmp_path, "deeper.py", "LEAST = 3\n")
    second = get_player(words)
    assert second.parameters["least"] == 3
    assert first.source.digest != second.source.digest


def test_a_module_that_is_not_imported_does_not_matter(mine: Path) -> None:
    before = get_player(f"{mine}:Bold").source.digest
    write(mine.parent, "beside.py", "1 / 0\n")
    assert get_player(f"{mine}:Bold").source.digest == before


def test_two_files_of_one_name_have_their_own_neighbours(tmp_path: Path) -> None:
    for name, least in (("a", 2), ("b", 6)):
        write(tmp_path / name, "shared.py", f"LEAST = {least}\n")
        write(tmp_path / name, "mine.py", SHARED)
    first, second = get_lineup([f"{tmp_path / name / 'mine.py'}:Bold" for name in ("a", "b")])
    assert (first.parameters["least"], second.parameters["least"]) == (2, 6)
    assert first.source.digest != second.source.digest
    assert type(first.strategy) is not type(second.strategy)
    assert "shared" not in sys.modules


def test_a_neighbour_called_as_a_module_of_python_is_left_alone(tmp_path: Path) -> None:
    write(tmp_path, "random.py", "1 / 0\n")
    player = get_player(f"{write(tmp_path, 'mine.py', 'import random' + BOLD)}:Bold")
    assert [name for name, _ in player.source.files] == ["mine.py"]


def test_a_folder_beside_the_file_is_not_taken_along(tmp_path: Path) -> None:
    write(tmp_path / "tools", "__init__.py", "")
    found = fault(f"{write(tmp_path, 'mine.py', 'import tools.faces' + BOLD)}:Bold")
    assert "imports the folder tools; only single files beside it are taken along" in found


def test_the_digest_tells_class_parameters_and_text_apart(mine: Path) -> None:
    words = [f"{mine}:Bold", f"{mine}:Shy", f"{mine}:Bold:least=4", "par", "par:scale=2", "greedy"]
    digests = {get_player(entry).source.digest for entry in words}
    assert len(digests) == len(words)
    assert {get_player(entry).source.digest for entry in words} == digests
    mine.write_text(BOLD + "# more\n")
    assert get_player(f"{mine}:Bold").source.digest not in digests


def test_a_file_built_on_a_shipped_strategy_has_that_in_its_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(
        tmp_path, "mine.py", "from strategies.greedy import Greedy\nclass Bold(Greedy):\n    'Greedy.'\n"
    )
    before = get_player(f"{path}:Bold").source.digest
    monkeypatch.setattr(
        "strategies.lineup.read_shipped", lambda modules: [*read_shipped(modules), ("more", "")]
    )
    assert get_player(f"{path}:Bold").source.digest != before
    assert "strategies.greedy" in dict(read_shipped(["strategies.greedy"]))
    assert "strategies.lookahead" in dict(read_shipped(["strategies.greedy"]))


def test_a_player_is_built_again_from_its_source_alone(tmp_path: Path) -> None:
    write(tmp_path / "home", "shared.py", "LEAST = 4\n")
    path = write(tmp_path / "home", "mine.py", SHARED)
    player = get_player(f"{path}:Bold:weight=3:steal=7:pace=0.5")
    Path(path).unlink()
    (tmp_path / "home" / "shared.py").write_text("LEAST = 1\n")
    held = json.loads(json.dumps(dataclasses.asdict(player.source)))
    for name in ("parameters", "files"):
        held[name] = tuple(map(tuple, held[name]))
    source = Source(**held | {"manner": Manner(**held["manner"])})
    assert source == player.source
    for _ in range(2):
        again = rebuild_player(source, tmp_path / "elsewhere")
        assert again.parameters == player.parameters | {"least": 4}
        assert (again.label, again.rule, again.sees) == (player.label, player.rule, player.sees)
        assert again.manner == Manner(7, 500)
    written = sorted(entry.name for entry in (tmp_path / "elsewhere" / source.digest).iterdir())
    assert written == ["mine.py", "shared.py"]


def test_a_shipped_player_is_built_again_by_its_label(tmp_path: Path) -> None:
    player = get_player("bank-low:poor=6")
    again = rebuild_player(player.source, tmp_path)
    assert again.strategy == player.strategy
    assert list(tmp_path.iterdir()) == []


def test_a_strategy_without_parameters_or_docstring_has_none() -> None:
    class Bare(Strategy):
        pass

    @dataclass
    class Plain(Strategy):
        size: float = math.pi

    from strategies.strategy import strategy_parameters, strategy_rule

    assert strategy_rule(Bare) == strategy_rule(Plain()) == ""
    assert strategy_parameters(Bare) == {}
    assert strategy_parameters(Plain()) == strategy_parameters(Plain) == {"size": math.pi}
