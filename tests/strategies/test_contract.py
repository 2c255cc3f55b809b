"""The contract holds for all that is shipped, and finds what is wrong with strategies that are bad on purpose."""

from __future__ import annotations

import itertools
import random
import re
from functools import partial
from itertools import cycle
from pathlib import Path

import numpy as np
import pytest

from sim.cheerio_ruleset import CheerioRuleset, load_cheerio, validate_cheerio
from sim.lanes import FORFEIT, STEAL
from sim.scoring import build_points
from sim.views import VIEWS, context_views
from strategies.answers import AnswerMaker
from strategies.contract import StrategyCheck, check_strategy, seeded
from strategies.elsewhere import answer_elsewhere
from strategies.lineup import Player, Source, get_player, shipped_strategies
from strategies.rows import RowMaker
from strategies.samples import MOST_ASKED, sample_contexts, sample_forfeits, sample_offers
from strategies.sheet_trial import SheetTrial, plan_digest
from strategies.strategy import Plan, Strategy, StrategyError

check_sheets = partial(check_strategy, SheetTrial)
SHIPPED = shipped_strategies("cheerio")
#: The tips are built alike: the one that sees most stands for all, and test_tips.py asks each about such a sample.
TRIED = tuple(name for name in SHIPPED if name == "tip-rival" or not name.startswith("tip-"))
SHORT = load_cheerio("cheerio-web-short")
SMALL = validate_cheerio(
    SHORT.model_dump(mode="json")
    | {"name": "small", "categories": dict(list(SHORT.model_dump(mode="json")["categories"].items())[:4])},
    "small",
)
HEAD = "import os, random, time\nimport numpy as np\nfrom strategies import Strategy\nasked = []\n"
BAD: dict[str, tuple[str, str]] = {
    "no rule": (
        """
class Bold(Strategy):
    pass
""",
        "it has no rule",
    ),
    "rolls its own dice": (
        """
class Bold(Strategy):
    "Bold."
    def keep(self, dice, sheet, left):
        return dice[: random.randrange(5)]
""",
        "asked a second time, keep((1, 1, 1, 1, 2), sheet, rolls_left=2) returns another answer",
    ),
    "rolls dice of numpy": (
        """
class Bold(Strategy):
    "Bold."
    def choose(self, dice, sheet):
        return sheet.open[np.random.randint(len(sheet.open))]
""",
        "asked a second time, choose(",
    ),
    "remembers what it was asked": (
        """
class Bold(Strategy):
    "Bold."
    def keep(self, dice, sheet, left):
        asked.append(dice)
        return dice[: len(asked) % 5]
""",
        "asked a second time, keep(",
    ),
    "changes itself": (
        """
class Bold(Strategy):
    "Bold."
    count = 0
    def choose(self, dice, sheet):
        self.count += 1
        return sheet.open[self.count % len(sheet.open)]
""",
        "asked a second time, choose(",
    ),
    "counts its instances": (
        """
class Bold(Strategy):
    "Bold."
    def __init__(self):
        self.number = os.environ.get("DICECUP_TEST", "")
        os.environ["DICECUP_TEST"] = self.number + "x"
    def keep(self, dice, sheet, left):
        return dice[: len(self.number) % 5]
""",
        "asked of a second instance, keep(",
    ),
    "goes by the order of a set": (
        """
class Bold(Strategy):
    "Bold."
    def choose(self, dice, sheet):
        return next(iter({category.id for category in sheet.open}))
""",
        "asked in another process, it decides otherwise",
    ),
    "fails in another process": (
        """
FIRST = os.environ.setdefault("DICECUP_TEST", str(os.getpid()))
class Bold(Strategy):
    "Bold."
    def keep(self, dice, sheet, left):
        return dice if str(os.getpid()) == FIRST else 1 / 0
""",
        "asked again, it fails: strategy {label}: keep((1, 1, 1, 1, 1), sheet, rolls_left=2) raises ZeroDivision",
    ),
    "breaks the rules": (
        """
class Bold(Strategy):
    "Bold."
    def choose(self, dice, sheet):
        return "ones" if len(sheet.open) == 3 else sheet.open[0]
""",
        "which is filled",
    ),
    "reads what it does not declare": (
        """
class Bold(Strategy):
    "Bold."
    def keep(self, dice, sheet, left):
        return dice[: sheet.upper]
""",
        "add 'upper' to sees",
    ),
    "divides by nothing at the end": (
        """
class Bold(Strategy):
    "Bold."
    sees = ("open", "difference")
    def keep(self, dice, sheet, left):
        return dice[: 1 // (len(sheet.open) - 1)]
""",
        "raises ZeroDivisionError",
    ),
}
CUTTHROAT = validate_cheerio(
    SMALL.model_dump(mode="json", exclude_none=True)
    | {"name": "cutthroat", "players": [2, 3], "steal": "overwrite"},
    "cutthroat",
)
TAKE = validate_cheerio(
    CUTTHROAT.model_dump(mode="json", exclude_none=True) | {"name": "take", "steal": "take"}, "take"
)
BAD_QUESTIONS: dict[str, tuple[str, str]] = {
    "steals by chance": (
        """
class Bold(Strategy):
    "Bold."
    def steal(self, offer, sheet):
        return random.random() < 0.5
""",
        "asked a second time, steal(Offer(",
    ),
    "forfeits what it was not asked before": (
        """
class Bold(Strategy):
    "Bold."
    def forfeit(self, sheet):
        if sheet.open not in asked: asked.append(sheet.open)
        return sheet.open[asked.index(sheet.open) % len(sheet.open)]
""",
        "asked of a second instance, forfeit(sheet), where the sheet shows open:",
    ),
    "forfeits by the order of a set": (
        """
class Bold(Strategy):
    "Bold."
    def forfeit(self, sheet):
        return next(iter({category.id for category in sheet.open}))
""",
        "asked in another process, forfeit(sheet), where the sheet shows",
    ),
    "forfeits what is filled": (
        """
class Bold(Strategy):
    "Bold."
    def forfeit(self, sheet):
        return "twos"
""",
        "forfeit(sheet): forfeits Twos, which is filled; allowed: ",
    ),
    "says maybe": (
        """
class Bold(Strategy):
    "Bold."
    def steal(self, offer, sheet):
        return offer.swing
""",
        "allowed: True to steal, False to score instead",
    ),
    "reads what it does not declare": (
        """
class Bold(Strategy):
    "Bold."
    def steal(self, offer, sheet):
        return sheet.difference < 0
""",
        "add 'difference' to steal_sees",
    ),
}
USUAL = (
    "\nif 'keep' not in vars(Bold): Bold.keep = lambda self, dice, sheet, left: ()\n"
    "if 'choose' not in vars(Bold): Bold.choose = lambda self, dice, sheet: sheet.open[0]\n"
)


@pytest.mark.parametrize(
    "name",
    ["random", *(pytest.param(name, marks=pytest.mark.slow) for name in ("greedy", "optimal", "win"))],
)
def test_strategies_of_every_kind_keep_the_contract(name: str) -> None:
    check = check_sheets(get_player(name), SHORT)
    assert check.problems == ()
    assert check.name == name
    assert check.rule == get_player(name).rule
    assert check.whole == RowMaker(get_player(name), SHORT).whole
    if check.whole:
        assert check.contexts == check.asked == 127
    else:
        assert check.contexts > MOST_ASKED >= check.asked > 50


#: Every strategy under one of three kinds of rules. Those that play by the solver have it solve them anew in a process
#: of their own: they have the quicker ones. The laws that `win` has to build are tested with it.
QUICKER = ("optimal", "lookahead")
OTHERS = [name for name in TRIED if name not in (*QUICKER, "win")]
KINDS = [*zip(cycle(("cheerio-bonus", "yahtzee", "yatzy")), OTHERS, strict=False)]
KINDS += zip(("yahtzee", "cheerio-bonus"), QUICKER, strict=True)


@pytest.mark.slow
@pytest.mark.usefixtures("asked_here")
@pytest.mark.parametrize(("ruleset", "name"), KINDS)
def test_every_shipped_strategy_keeps_the_contract_under_every_kind_of_rules(ruleset: str, name: str) -> None:
    rules = load_cheerio(ruleset)
    if ruleset == "yahtzee":
        # A joker is forced, and so is a category that pays.
        forced = rules.model_dump(mode="json", exclude_none=True) | {"name": "forced", "scratch": "forced"}
        rules = validate_cheerio(forced, "forced")
    assert check_sheets(get_player(name), rules).problems == ()


@pytest.mark.parametrize("name", BAD)
def test_what_is_wrong_is_found(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setenv("DICECUP_TEST", "")
    monkeypatch.delenv("DICECUP_TEST")
    if name == "no rule":
        request.getfixturevalue("asked_here")
    text, expected = BAD[name]
    path = tmp_path / "mine.py"
    path.write_text(HEAD + text + USUAL)
    player = get_player(f"{path}:Bold")
    check = check_sheets(player, SMALL)
    assert any(expected.format(label=player.label) in problem for problem in check.problems), check.problems
    assert len(check.problems) == 1


@pytest.mark.parametrize("name", BAD_QUESTIONS)
def test_what_is_wrong_with_an_answer_is_found(name: str, tmp_path: Path) -> None:
    text, expected = BAD_QUESTIONS[name]
    path = tmp_path / "mine.py"
    path.write_text(HEAD + text + USUAL)
    (problem,) = check_sheets(get_player(f"{path}:Bold"), CUTTHROAT).problems
    assert expected in problem
    assert "the sheet shows" in problem


@pytest.mark.parametrize("sees", ["('open',)", "('open', 'upper')"])
def test_those_asked_are_counted_up_to_the_one_that_fails(tmp_path: Path, sees: str) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        f"{HEAD}class Bold(Strategy):\n    'Bold.'\n    sees = {sees}\n"
        "    def choose(self, dice, sheet):\n        return sheet.open[9 if len(sheet.open) == 2 else 0]\n"
        + USUAL
    )
    player = get_player(f"{path}:Bold")
    opens = [
        context_views(SMALL, RowMaker(player, SMALL).sees, context)["open"]
        for context in sample_contexts(player, SMALL)
    ]
    found = check_sheets(player, SMALL)
    assert len(found.problems) == 1
    failing = next(place for place, mask in enumerate(opens) if int(mask).bit_count() == 2)
    assert found.asked == failing + 1 > 1


THIEF = """
class Bold(Strategy):
    "Steals what comes."
    steal_sees = ("standing", "turns_left")
    def steal(self, offer, sheet):
        return sheet.standing < 1
    def forfeit(self, sheet):
        return sheet.open[0]
"""


def test_the_questions_of_a_steal_are_asked_where_they_can_be(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(HEAD + THIEF + USUAL)
    check = check_sheets(get_player(f"{path}:Bold"), CUTTHROAT)
    assert check.problems == ()
    assert 40 < check.offers <= MOST_ASKED
    assert 10 < check.forfeits <= 15
    request.getfixturevalue("asked_here")
    never = check_sheets(get_player(f"{path}:Bold:steal=never"), TAKE)
    assert (never.problems, never.offers) == ((), 0)
    assert 10 < never.forfeits <= 15
    for words, ruleset in ((f"{path}:Bold", SMALL), ("par", CUTTHROAT)):
        maker = AnswerMaker(get_player(words), ruleset)
        assert sample_offers(maker) == sample_forfeits(maker) == []


def test_the_example_of_a_thief_steals(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "strategies.in.md").read_text(encoding="utf-8")
    (text,) = [block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "def steal" in block]
    (tmp_path / "mine.py").write_text(text)
    maker = AnswerMaker(get_player(f"{tmp_path / 'mine.py'}:Patient"), TAKE)
    assert set(maker.make(STEAL, sample_offers(maker))) == {0, 1}
    assert len(set(maker.make(FORFEIT, sample_forfeits(maker)))) > 1
    assert RowMaker(maker.player, TAKE).whole


@pytest.mark.parametrize("ruleset", [CUTTHROAT, TAKE])
def test_a_sample_of_offers_is_of_what_play_can_make(ruleset: CheerioRuleset) -> None:
    kind = type("Thief", (Seeing,), {"steal": print, "steal_sees": ("open", "standing")})
    maker = AnswerMaker(Player("thief", kind(), "Steals.", Source("thief", "", (), (), "thief")), ruleset)
    contexts = sample_offers(maker)
    assert 20 < len(contexts) <= MOST_ASKED
    assert contexts == sample_offers(maker)
    offers = [maker.offer(context) for context in contexts]
    points = build_points(ruleset)
    for offer, sheet in offers:
        assert sheet.open
        if ruleset.steal == "take":
            assert offer.category in sheet.open
            assert offer.loses in points[offer.category.index]
        else:
            assert -offer.gains in points[[category.index for category in sheet.open]]
    assert {offer.category.index for offer, _ in offers} == set(range(ruleset.turns))
    assert min(offer.gains for offer, _ in offers) < 0 < max(offer.loses for offer, _ in offers)
    assert len({sheet.standing for _, sheet in offers}) == 5


@pytest.mark.usefixtures("asked_here")
def test_a_check_measures_by_the_clock_that_it_is_given() -> None:
    ticks = itertools.count(0, 127 * 252)
    check = check_sheets(get_player("par"), SHORT, lambda: float(next(ticks)))
    # One tick for 127 rows, each of three decisions for each of 252 rolls.
    assert check.seconds_per_decision == pytest.approx(1 / 3)
    assert check.seconds_to_fill == pytest.approx(127 * 252)
    unmeasured = check_sheets(seeing(), SHORT)
    assert (unmeasured.seconds_per_decision, unmeasured.seconds_to_fill) == (None, None)


class Seeing(Strategy):
    """Stops at once."""

    def plan(self, sheet: object) -> Plan:
        raise NotImplementedError


def seeing(*views: str) -> Player:
    strategy = type("Seeing", (Seeing,), {"sees": ("open", *views)})()
    return Player("seeing", strategy, "Stops at once.", Source("seeing", "", (), (), "seeing"))


def test_the_size_of_a_table_is_worked_out() -> None:
    bonus = load_cheerio("cheerio-bonus")
    for views, contexts, size in (
        ((), 8191, 8191 * 768),
        (("coin",), 8191, 8191 * 768 * 4),
        (("turns_left",), 8191, 8191 * 768),
        (("upper",), 8192 * 64, 8192 * 64 * 768),
    ):
        check: StrategyCheck = check_sheets(seeing(*views), bonus)
        assert (check.contexts, check.table_bytes) == (contexts, size)
        assert check.whole == (views != ("upper",))
        assert "NotImplementedError" in check.problems[0]
        assert check.asked == 1


@pytest.mark.parametrize(
    ("ruleset", "view"),
    [(ruleset, view) for ruleset in ("cheerio-bonus", "cheerio-web") for view in VIEWS]
    + [("yahtzee", "joker")],
)
def test_a_sample_has_every_round_and_both_extremes_of_a_view(ruleset: str, view: str) -> None:
    rules = load_cheerio(ruleset)
    player = seeing(view)
    contexts = sample_contexts(player, rules)
    assert 50 < len(contexts) <= MOST_ASKED
    assert len(set(contexts)) == len(contexts)
    assert contexts == sample_contexts(player, rules)
    shown = [context_views(rules, RowMaker(player, rules).sees, context) for context in contexts]
    assert {views["open"].bit_count() for views in shown} == set(range(1, rules.turns + 1))
    values = {views[view] for views in shown}
    extremes = {
        "upper": {0, 63 if ruleset == "cheerio-bonus" else max(values)},
        "pace": {-2, 0, 2},
        "turns_left": {1, rules.turns},
        "standing": {-2, 0, 2},
        "difference": {0},
        "rival_open": {(1 << rules.turns) - 1},
        "rival_upper": {0},
        "open": {(1 << rules.turns) - 1},
        "joker": {0, 1} if ruleset == "yahtzee" else {0},
    }
    assert extremes[view] <= values
    if view == "difference":
        assert min(values) < -200
        assert max(values) > 200


def test_a_sample_shows_what_can_happen_together() -> None:
    rules = load_cheerio("cheerio-bonus")
    player = seeing("upper", "turns_left", "pace")
    upper = [index for index, category in enumerate(rules.categories.values()) if category.upper]
    for context in sample_contexts(player, rules):
        views = context_views(rules, RowMaker(player, rules).sees, context)
        assert views["turns_left"] == views["open"].bit_count() > 0
        filled = [index for index in upper if not views["open"] >> index & 1]
        assert views["upper"] <= sum(5 * (index + 1) for index in filled)
        assert filled or views["pace"] == 0


def test_where_there_is_no_rival_a_sample_has_none() -> None:
    rules = load_cheerio("cheerio").model_dump(mode="json") | {"name": "alone", "players": [1]}
    alone = validate_cheerio(rules, "alone")
    player = seeing("rival_open", "standing")
    for context in sample_contexts(player, alone):
        views = context_views(alone, RowMaker(player, alone).sees, context)
        assert (views["rival_open"], views["standing"]) == (0, 0)


def test_global_generators_are_seeded_and_put_back() -> None:
    random.seed(7)
    np.random.seed(7)
    expected = random.random(), np.random.random()
    random.seed(7)
    np.random.seed(7)
    with seeded(1):
        inside = random.random(), np.random.random()
    with seeded(1):
        assert (random.random(), np.random.random()) == inside
    assert (random.random(), np.random.random()) == expected


def test_another_process_answers_as_this_one(tmp_path: Path) -> None:
    player = get_player("random")
    contexts = [1, 77, 127]
    plans = RowMaker(player, SHORT).make(contexts)
    answers = answer_elsewhere(SheetTrial, player.source, SHORT, [contexts, [], []])
    assert answers == [[plan_digest(plan) for plan in plans], [], []]


def test_another_process_that_ends_is_told() -> None:
    path = Path(__file__)
    source = Source("gone", f"{path}:Gone", (), (("gone.py", "import os\nos._exit(3)\n"),), "gone")
    with pytest.raises(StrategyError, match="strategy gone: another process fails"):
        answer_elsewhere(SheetTrial, source, SHORT, [[1], [], []])


def test_a_digest_tells_plans_apart() -> None:
    keeps, choices = np.zeros((2, 252), np.uint8), np.zeros(252, np.uint8)
    plan = Plan(keeps, choices)
    assert plan_digest(plan) == plan_digest(Plan(keeps.astype(np.int64), choices))
    others = [
        Plan(keeps + 1, choices),
        Plan(keeps, choices + 1),
        Plan(keeps, choices, [[0]], [[0]]),
        Plan(keeps, choices, [[1]], [[0]]),
        Plan(keeps, choices, [[0]], [[1]]),
    ]
    assert len({plan_digest(other) for other in (plan, *others)}) == 6
