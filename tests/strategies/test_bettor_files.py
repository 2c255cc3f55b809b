"""Bettors in a user's own file: built, refused with the reason, and held against what every strategy must satisfy."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import pytest

from sim.ceelo.kernel import build_rules, play_deals
from sim.ceelo.ruleset import load_ceelo, validate_ceelo
from sim.ceelo.views import VIEWS
from strategies.contract import check_strategy
from strategies.elsewhere import answer_elsewhere
from strategies.lineup import Player, Source, get_player, rebuild_player
from strategies.samples import MOST_ASKED
from strategies.stake_tables import BetTables
from strategies.stake_trial import StakeTrial, sample_stakes
from strategies.stakes import StakeMaker, make_stakes
from strategies.strategy import StrategyError

BANK = load_ceelo("ceelo-bank")
POT = load_ceelo("ceelo-pot")
check_bettor = partial(check_strategy, StakeTrial)
HEAD = "import os, random, time\nimport numpy as np\nfrom strategies import Bettor, Strategy\nasked = []\n"
DATACLASS = "from dataclasses import dataclass\n@dataclass(frozen=True)\n"
TEN_LINES = '''
from strategies import Bettor


class Mine(Bettor):
    """Stakes a tenth of its chips, and all it may once half of the rounds are over."""

    sees = ("chips", "rounds_left")

    def stake(self, table):
        return table.maximum if 2 * table.rounds_left <= table.rounds else table.nearest(table.chips / 10)
'''


def write(folder: Path, text: str) -> str:
    path = folder / "mine.py"
    path.write_text(text)
    return f"{path}:Mine"


@pytest.mark.usefixtures("asked_here")
def test_ten_lines_make_a_bettor(tmp_path: Path) -> None:
    player = get_player(write(tmp_path, TEN_LINES))
    assert (player.game, player.sees) == ("ceelo", ("chips", "rounds_left"))
    assert player.rule == "Stakes a tenth of its chips, and all it may once half of the rounds are over."
    assert [name for name, _ in player.source.files] == ["mine.py"]
    maker = StakeMaker(player, BANK)
    tables = {(26, 95): 9, (26, 3): 1, (50, 600): 20, (25, 3): 20, (1, 95): 20}
    with maker.asker.limited():
        for (rounds_left, chips), stake in tables.items():
            context = chips + 601 * rounds_left
            assert maker.asker.stake(maker.table(context)) == stake
    assert maker.whole
    check = check_bettor(player, BANK)
    assert (check.problems, check.asked) == ((), MOST_ASKED)
    assert check.contexts == 599 * 50
    assert check.table_bytes == 2 * 601 * 51


def test_a_bettor_is_built_again_elsewhere(tmp_path: Path) -> None:
    text = f"{HEAD}{DATACLASS}class Mine(Bettor):\n    'Bets.'\n    least: int = 3\n    sees = ('rank',)\n"
    text += "    def stake(self, table): return table.nearest(self.least + table.rank)\n"
    player = get_player(f"{write(tmp_path, text)}:least=7")
    (tmp_path / "mine.py").unlink()
    again = rebuild_player(player.source, tmp_path / "elsewhere")
    assert again.parameters == player.parameters == {"least": 7}
    contexts = StakeMaker(player, BANK).whole_contexts()
    assert make_stakes(again, BANK, contexts).rows.tolist() == [[8 + place] for place in range(6)]
    asked = contexts.tolist()
    assert answer_elsewhere(StakeTrial, player.source, BANK, [asked]) == [[8 + place for place in range(6)]]


BAD_CLASSES: dict[str, tuple[str, str]] = {
    "nothing": (
        "class Mine(Bettor): pass\n",
        "has no stake; give stake(table), or plan(table) for many tables",
    ),
    "no method": ("class Mine(Bettor):\n    stake = 5\n", "stake is 5; a method stake(table) is needed"),
    "no plan": ("class Mine(Bettor):\n    plan = 5\n", "plan is 5; a method plan(table) is needed"),
    "both": (
        "class Mine(Bettor):\n    stake = plan = print\n",
        "has both stake and plan; give stake(table), or plan(table) for many tables at once",
    ),
    "parameter and method": (
        f"{DATACLASS}class Mine(Bettor):\n    stake: int = 5\n    def stake(self, table): return 5\n",
        "stake is both a parameter and what is asked; give the parameter another name",
    ),
    "parameter and no method": (
        f"{DATACLASS}class Mine(Bettor):\n    stake: int = 5\n",
        "stake is both a parameter and what is asked",
    ),
    "cheerio's methods": (
        "class Mine(Bettor):\n    keep = choose = print\n",
        (
            "has no stake; give stake(table), or plan(table) for many tables at once; "
            "a strategy of Cheerio is built on Strategy"
        ),
    ),
    "a strategy that stakes": (
        "class Mine(Strategy):\n    stake = print\n",
        "or plan(sheet); a strategy of Cee-lo is built on Bettor",
    ),
    "of both games": (
        "class Mine(Strategy, Bettor):\n    stake = keep = choose = print\n",
        "is both a Strategy and a Bettor; build it on one of them",
    ),
    "another game": (
        "class Mine(Bettor):\n    game = 'poker'\n    stake = print\n",
        "game is 'poker'; leave it out: a Bettor plays ceelo",
    ),
    "a string": (
        "class Mine(Bettor):\n    sees = 'chips'\n    stake = print\n",
        "sees is 'chips'; a tuple of names is needed, as sees = ('chips',)",
    ),
    "a near name": (
        "class Mine(Bettor):\n    sees = ('chip', 'bank')\n    stake = print\n",
        "sees names chip (did you mean chips?); allowed: chips, bank, rounds_left, order, rank, lead, last_stake, ",
    ),
    "a view of Cheerio": (
        "class Mine(Bettor):\n    sees = ('open',)\n    stake = print\n",
        "sees names open; allowed: chips, bank",
    ),
    "a coin": (
        "class Mine(Bettor):\n    sees = ('chips', 'coin')\n    stake = print\n",
        "sees names coin, but a bettor doesn't mix: each situation has one stake; allowed: chips, bank",
    ),
    "fails": (
        "class Mine(Bettor):\n    def __init__(self): 1 / 0\n    stake = print\n",
        "can't be built: ZeroDivisionError: division by zero",
    ),
    "no strategy": (
        "class Mine: pass\n",
        "Mine of mine.py is no Strategy; write class Mine(Strategy), or class Mine(Bettor) for Cee-lo",
    ),
    "another name": (
        "class Mime(Bettor): pass\n",
        "mine.py has no strategy 'Mine': did you mean Mime?",
    ),
}


@pytest.mark.parametrize("name", BAD_CLASSES)
def test_a_class_that_is_no_bettor_is_refused(name: str, tmp_path: Path) -> None:
    text, expected = BAD_CLASSES[name]
    words = write(tmp_path, HEAD + text)
    with pytest.raises(StrategyError) as raised:
        get_player(words)
    assert str(raised.value).startswith(f"strategy {words}: ")
    assert expected in str(raised.value)


def test_what_a_lineup_says_of_strategies_of_cheerio_a_bettor_may_call_its_own(tmp_path: Path) -> None:
    text = f"{HEAD}{DATACLASS}class Mine(Bettor):\n    'Bets.'\n    pace: int = 2\n"
    text += "    def stake(self, table): return self.pace\n"
    words = write(tmp_path, text)
    assert get_player(f"{words}:pace=9").parameters == {"pace": 9}
    with pytest.raises(
        StrategyError, match="its parameters are pace; steal is said of strategies of Cheerio alone"
    ):
        get_player(f"{words}:steal=never")


BAD: dict[str, tuple[str, str]] = {
    "no rule": ("def stake(self, table): return 5", "it has no rule: write its rule in plain words"),
    "stakes by chance": (
        "'Bets.'\n    def stake(self, table): return random.randint(1, 20)",
        "asked a second time, stake(table) returns another stake, where the table shows chips: ",
    ),
    "plans by chance of numpy": (
        "'Bets.'\n    def plan(self, table): return np.random.randint(1, 21, table.chips.size)",
        "asked a second time, plan(table) returns another stake, where the table shows chips: ",
    ),
    "remembers what it was asked": (
        "'Bets.'\n    def stake(self, table):\n        asked.append(1)\n        return 1 + len(asked) % 20",
        "asked a second time, stake(table) returns another stake",
    ),
    "looks at other tables": (
        "'Bets.'\n    def plan(self, table): return table.nearest(np.arange(table.chips.size))",
        "asked a second time, plan(table) returns another stake",
    ),
    "counts its instances": (
        (
            "'Bets.'\n    def __init__(self):\n        self.number = os.environ.get('DICECUP_TEST', '')\n"
            "        os.environ['DICECUP_TEST'] = self.number + 'x'\n"
            "    def stake(self, table): return 1 + len(self.number)"
        ),
        "asked of a second instance, stake(table) returns another stake",
    ),
    "goes by the order of a set": (
        "'Bets.'\n    def stake(self, table): return 1 + 'abcdefgh'.index(list(set('abcdefgh'))[table.chips % 8])",
        "asked in another process, stake(table) returns another stake, where the table shows chips: ",
    ),
    "fails in another process": (
        (
            "'Bets.'\n    first = os.environ.setdefault('DICECUP_TEST', str(os.getpid()))\n"
            "    def stake(self, table): return 5 if str(os.getpid()) == self.first else 1 / 0"
        ),
        "asked again, it fails: strategy {label}: stake(table) raises ZeroDivisionError: division by zero",
    ),
    "stakes more than is allowed": (
        "'Bets.'\n    def stake(self, table): return 1 + table.chips // 20",
        "stake(table) returns 30; allowed: a whole number from 1 to 20",
    ),
    "stakes nothing": (
        "'Bets.'\n    def plan(self, table): return table.chips // 1000",
        (
            "plan(table) returns 0; allowed: a whole number from 1 to 20, whatever the purse (a smaller one stakes all "
            "it has); table.nearest(chips) is the nearest"
        ),
    ),
    "stakes half a chip": (
        "'Bets.'\n    def plan(self, table): return table.chips / 100",
        "; needed: a whole number, or an array of 1 of them, one for each table (table.nearest(chips) makes them",
    ),
    "reads what it does not declare": (
        "'Bets.'\n    def stake(self, table): return 5 if table.lead > 0 else 1",
        "table.lead is read, but sees = ('chips',); add 'lead' to sees to be shown chips ahead of the best",
    ),
    "reads what there is not": (
        "'Bets.'\n    def stake(self, table): return table.purse",
        ", and always has minimum, maximum, start, rounds, ruleset (mine.py, line 7)",
    ),
    "misspells a view": (
        "'Bets.'\n    def stake(self, table): return table.purse",
        "stake(table) raises AttributeError: a table has no 'purse'; it may show chips, bank",
    ),
    "divides by nothing": (
        "'Bets.'\n    def stake(self, table): return table.nearest(10 / (table.chips - 1))",
        "stake(table) raises ZeroDivisionError: division by zero (mine.py, line 7)\n  the table shows chips: 1",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_wrong_with_a_bettor_is_found(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setenv("DICECUP_TEST", "")
    monkeypatch.delenv("DICECUP_TEST")
    if name == "no rule":
        request.getfixturevalue("asked_here")
    text, expected = BAD[name]
    player = get_player(write(tmp_path, f"{HEAD}class Mine(Bettor):\n    {text}\n    sees = ('chips',)\n"))
    (problem,) = check_bettor(player, BANK).problems
    assert expected.format(label=player.label) in problem
    if "asked" in name:
        assert problem.endswith("the other tables of a plan, or what was asked before")


#: Purses of 1 to 15 chips, few enough to be asked about all of them.
FEW = validate_ceelo(BANK.model_dump(mode="json") | {"name": "few", "players": [2], "chips": 8}, "few")


@pytest.mark.parametrize(
    ("stake", "asked"),
    [
        ("def stake(self, table): return 1 if table.chips < 4 else 0", 4),
        ("def stake(self, table): return 0", 1),
        ("def plan(self, table): return 1 * (table.chips < 4)", None),
    ],
)
def test_those_asked_are_counted_up_to_the_one_that_fails(
    tmp_path: Path, stake: str, asked: int | None
) -> None:
    text = f"{HEAD}class Mine(Bettor):\n    'Bets.'\n    sees = ('chips',)\n    {stake}\n"
    player = get_player(write(tmp_path, text))
    maker = StakeMaker(player, FEW)
    sample = [maker.table(context).chips for context in sample_stakes(maker)]
    assert sample == list(range(1, 16))
    check = check_bettor(player, FEW)
    assert len(check.problems) == 1
    # A plan is asked about all at once.
    assert check.asked == (len(sample) if asked is None else asked)


def seeing(*views: str) -> StakeMaker:
    body = "class Mine(Bettor):\n    'Bets.'\n    stake = print\n"
    names: dict[str, type] = {}
    exec(HEAD + body, names)
    bettor = type("Mine", (names["Mine"],), {"sees": views})()
    return StakeMaker(Player("mine", bettor, "Bets.", Source("mine", "", (), (), "mine")), BANK)


@pytest.mark.parametrize(
    ("views", "count"),
    [
        ((), 1),
        (("order",), 5),
        (("lead", "order"), 35),
        (("chips",), MOST_ASKED),
        (("chips", "rounds_left", "lead"), MOST_ASKED),
        (tuple(VIEWS), MOST_ASKED),
    ],
)
def test_a_sample_is_of_what_play_can_meet_with_every_end_of_a_view(
    views: tuple[str, ...], count: int
) -> None:
    maker = seeing(*views)
    contexts = sample_stakes(maker)
    assert len(set(contexts)) == len(contexts) == count
    assert contexts == sample_stakes(maker)
    tables = [maker.table(context) for context in contexts]
    ends = {
        "chips": (1, 599),
        "bank": (1, 599),
        "rounds_left": (1, 50),
        "order": (1, 5),
        "rank": (1, 6),
        "lead": (-3, 3),
        "last_stake": (0, 20),
        "streak": (-10, 10),
    }
    for view in views:
        seen = [getattr(table, view) for table in tables]
        assert (min(seen), max(seen)) == ends[view]
    if len(views) == len(VIEWS):
        for table in tables:
            assert table.chips + table.bank <= 600
            assert (table.rank == 1) == (table.lead >= 0)
            assert table.last_stake > 0 or table.streak == 0
    if maker.whole:
        assert set(contexts) <= set(maker.whole_contexts().tolist())


@pytest.mark.usefixtures("asked_here")
def test_a_check_measures_by_the_clock_that_it_is_given() -> None:
    player = get_player("flat")
    ticks = iter((3.0, 7.0))
    check = check_bettor(player, BANK, lambda: next(ticks))
    assert (check.seconds_per_decision, check.seconds_to_fill) == (4, 4)
    unmeasured = check_bettor(player, POT)
    assert (unmeasured.seconds_per_decision, unmeasured.seconds_to_fill) == (None, None)


@pytest.mark.usefixtures("asked_here")
def test_the_size_of_a_table_is_worked_out() -> None:
    for views, whole, contexts, size in (
        ((), True, 1, 2),
        (("chips",), True, 599, 2 * 601),
        (("chips", "bank", "rank"), False, 601 * 601 * 7, 2 * 601 * 601 * 7),
        (("chips", "bank", "rank", "streak"), False, 601 * 601 * 7 * 21, 24 * 601 * 601 * 7 * 21),
    ):
        trial = StakeTrial(seeing(*views).player, BANK)
        assert (trial.whole, trial.contexts, trial.table_bytes) == (whole, contexts, size)
        assert trial.decisions_per_context == 1
        pot = StakeTrial(seeing(*views).player, POT)
        assert (pot.whole, pot.contexts, pot.table_bytes, pot.sample()) == (True, 0, 0, ([],))
    check = check_bettor(seeing("chips").player, POT, lambda: 1.0)
    assert (check.asked, check.seconds_per_decision, check.seconds_to_fill) == (0, None, None)


@pytest.mark.usefixtures("asked_here")
@pytest.mark.parametrize(("name", "whole"), [("Late", True), ("Breaker", False)])
def test_the_examples_of_bettors_play(name: str, whole: bool, tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "strategies.in.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (text,) = [block for block in blocks if f"class {name}(Bettor)" in block]
    (tmp_path / "mine.py").write_text(text)
    player = get_player(f"{tmp_path / 'mine.py'}:{name}")
    assert check_bettor(player, BANK).problems == ()
    maker = StakeMaker(player, BANK)
    assert maker.whole == whole
    rows = {player.label: make_stakes(player, BANK, maker.whole_contexts())} if whole else {}
    lineup = [player, get_player("flat")]
    course = play_deals(build_rules(BANK), BetTables(lineup, BANK, rows), 2, 0, 1, 0, 50)
    assert (course.score.sum(axis=0) == 200).all()
    assert course.staked[0].mean() > 50
