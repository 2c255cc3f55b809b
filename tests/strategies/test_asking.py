"""Every way in which a strategy can answer badly is told with its name, the sheet, the dice and the decision."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from sim.cheerio_ruleset import CheerioRuleset, load_cheerio, validate_cheerio
from sim.dice import ROLL_INDEX, ROLLS, masked_dice
from sim.views import open_mask
from strategies.asking import Asker
from strategies.plans import MOST_OPTIONS
from strategies.strategy import (
    Offer,
    Plan,
    Sheet,
    Strategy,
    StrategyError,
    UndeclaredViewError,
    build_scoresheet,
)

CHEERIO = load_cheerio("cheerio")
FORCED = validate_cheerio(CHEERIO.model_dump(mode="json") | {"name": "forced", "scratch": "forced"}, "forced")
KEYS = list(CHEERIO.categories)
ROLL = ROLL_INDEX[1, 2, 2, 5, 6]
LIMIT = 0.05


def sheet_of(
    *opened: str, sees: tuple[str, ...] = ("open",), ruleset: CheerioRuleset = CHEERIO, **views: int
) -> Sheet:
    return Sheet(
        build_scoresheet(ruleset), sees, {"open": open_mask([KEYS.index(key) for key in opened]), **views}
    )


def answering(**questions: Callable[..., Any]) -> Asker:
    """Builds who is asked the questions of a steal; each is given without the strategy itself."""
    body = {name: staticmethod(ask) for name, ask in questions.items()}
    return Asker(type("Bold", (Strategy,), body)(), "mine.py:Bold")


def robbed_sheet(*opened: str, **views: int) -> Sheet:
    shown = {"open": open_mask([KEYS.index(key) for key in opened])} if opened else {}
    return Sheet(build_scoresheet(CHEERIO), (*shown, *views), {**shown, **views}, "forfeit_sees")


def thief_sheet(**views: int) -> Sheet:
    return Sheet(build_scoresheet(CHEERIO), tuple(views), views, "steal_sees")


OFFER = Offer(build_scoresheet(CHEERIO).categories[12], -4, 20)


def asker(
    keep: Callable[..., Any] = lambda dice, sheet, rolls_left: (),
    choose: Callable[..., Any] = lambda dice, sheet: sheet.open[0],
    sees: tuple[str, ...] = ("open",),
) -> Asker:
    body = {
        "keep": lambda self, *seen: keep(*seen),
        "choose": lambda self, *seen: choose(*seen),
        "sees": sees,
    }
    return Asker(type("Bold", (Strategy,), body)(), "mine.py:Bold")


def planner(plan: Callable[[Sheet], Any], sees: tuple[str, ...] = ("open",)) -> Asker:
    body = {"plan": lambda self, sheet: plan(sheet), "sees": sees}
    return Asker(type("Bold", (Strategy,), body)(), "mine.py:Bold")


def fault(ask: Callable[[], Any]) -> str:
    with pytest.raises(StrategyError) as raised:
        ask()
    text = str(raised.value)
    assert text.startswith("strategy mine.py:Bold: ")
    return text


def raising(error: BaseException) -> Callable[..., Any]:
    def decide(*seen: Any) -> Any:
        raise error

    return decide


def returning(answer: Any) -> Callable[..., Any]:
    return lambda *seen: answer


def looping(*seen: Any) -> Any:
    while True:
        pass


def stubborn(*seen: Any) -> Any:
    while True:
        with contextlib.suppress(Exception):
            time.sleep(0.001)


def held_back(*seen: Any) -> Any:
    try:
        looping()
    except BaseException:
        return ()


def sleeping(*seen: Any) -> Any:
    time.sleep(1000)


def endless(*seen: Any) -> Any:
    return itertools.repeat(2)


def test_the_dice_asked_about_are_sorted_and_the_rolls_left_are_told() -> None:
    asked: list[Any] = []

    def keep(dice: tuple[int, ...], sheet: Sheet, rolls_left: int) -> Any:
        asked.append((dice, rolls_left))
        return dice[:2]

    player = asker(keep=keep)
    masks = player.keep(sheet_of("ones"), ROLL, 2)
    assert asked == [((1, 2, 2, 5, 6), 2)]
    assert [masked_dice(ROLL, mask) for mask in masks] == [(1, 2)]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ((), ()),
        ([6, 5], (5, 6)),
        ((2, 1, 2), (1, 2, 2)),
        ({5}, (5,)),
        (np.array([2, 6]), (2, 6)),
        ((die for die in (2, 5)), (2, 5)),
        ((1, 2, 2, 5, 6), (1, 2, 2, 5, 6)),
    ],
)
def test_a_keep_is_any_of_the_dice_in_any_order(answer: Any, expected: tuple[int, ...]) -> None:
    (mask,) = asker(keep=lambda *seen: answer).keep(sheet_of("ones"), ROLL, 1)
    assert masked_dice(ROLL, mask) == expected


@pytest.mark.parametrize(
    "answer",
    [None, 2, "2", "12", (3,), (2, 2, 2), (1, 2, 2, 5, 6, 6), (0,), ("2",), ([2],), (2.5,), object(), 1.5],
)
def test_a_keep_of_anything_else_is_refused(answer: Any) -> None:
    text = fault(lambda: asker(keep=lambda *seen: answer).keep(sheet_of("ones", "chance"), ROLL, 1))
    assert "keep((1, 2, 2, 5, 6), sheet, rolls_left=1) returns" in text
    assert "allowed: any of these five dice" in text
    assert "the sheet shows open: Ones, Chance" in text


def test_an_answer_without_end_is_read_no_further_than_it_can_be_right() -> None:
    assert "returns repeat(2)" in fault(lambda: asker(keep=endless).keep(sheet_of("ones"), ROLL, 1))


def test_a_long_answer_is_shown_in_part_and_one_that_cannot_be_shown_by_its_type() -> None:
    class Silent:
        def __repr__(self) -> str:
            raise ValueError

    assert len(fault(lambda: asker(keep=lambda *seen: [7] * 9999).keep(sheet_of("ones"), ROLL, 1))) < 400
    assert "returns a Silent;" in fault(
        lambda: asker(keep=lambda *seen: Silent()).keep(sheet_of("ones"), ROLL, 1)
    )


@pytest.mark.parametrize("answer", ["sixes", "Sixes", build_scoresheet(CHEERIO).categories[5]])
def test_a_category_is_named_by_itself_or_by_id_or_name(answer: Any) -> None:
    assert asker(choose=lambda *seen: answer).choose(sheet_of("ones", "sixes"), ROLL) == (5,)


@pytest.mark.parametrize("answer", [None, 5, "six", "SIXES", ["sixes"], "", (), True])
def test_a_category_that_is_none_is_refused(answer: Any) -> None:
    text = fault(lambda: asker(choose=lambda *seen: answer).choose(sheet_of("ones", "sixes"), ROLL))
    assert f"choose((1, 2, 2, 5, 6), sheet) returns {answer!r}" in text
    assert "allowed: a category of the sheet, or its id: ones, twos" in text


def test_a_filled_category_is_refused_and_the_open_ones_are_named() -> None:
    text = fault(lambda: asker(choose=lambda *seen: "chance").choose(sheet_of("ones", "sixes"), ROLL))
    assert "fills Chance with (1, 2, 2, 5, 6), which is filled; allowed: ones, sixes" in text


def test_a_zero_is_refused_where_one_that_pays_is_forced() -> None:
    sheet = sheet_of("threes", "sixes", "full-house", ruleset=FORCED)
    player = asker(choose=lambda *seen: "full-house")
    text = fault(lambda: player.choose(sheet, ROLL))
    assert "fills Full House" in text
    assert "pays nothing, and this ruleset forces one that pays; allowed: sixes" in text
    # 1-1-2-2-4 pays in none of them, so any may be taken.
    assert player.choose(sheet, ROLL_INDEX[1, 1, 2, 2, 4]) == (8,)
    assert player.choose(sheet_of("threes", "sixes", "full-house"), ROLL) == (8,)


@pytest.mark.parametrize(
    "error", [ValueError("no idea"), KeyError("x"), SystemExit(3), RecursionError(), MemoryError()]
)
def test_an_exception_is_told_with_its_line(error: BaseException) -> None:
    for text in (
        fault(lambda: asker(keep=raising(error)).keep(sheet_of("ones"), ROLL, 2)),
        fault(lambda: asker(choose=raising(error)).choose(sheet_of("ones"), ROLL)),
        fault(lambda: planner(raising(error)).turn(sheet_of("ones"))),
    ):
        assert f"raises {type(error).__name__}" in text
        assert "(test_asking.py, line" in text
        assert "the sheet shows open: Ones" in text


def test_an_interrupt_is_no_fault_of_the_strategy() -> None:
    with pytest.raises(KeyboardInterrupt):
        asker(keep=raising(KeyboardInterrupt())).keep(sheet_of("ones"), ROLL, 2)


@pytest.mark.parametrize(
    "view", ["upper", "pace", "difference", "rival_open", "turns_left", "standing", "rival_upper", "joker"]
)
def test_reading_an_undeclared_view_says_which_name_to_add(view: str) -> None:
    read = lambda *seen: getattr(next(item for item in seen if isinstance(item, Sheet)), view)  # noqa: E731
    for text in (
        fault(lambda: asker(keep=read).keep(sheet_of("ones"), ROLL, 1)),
        fault(lambda: asker(choose=read).choose(sheet_of("ones"), ROLL)),
        fault(lambda: planner(read).turn(sheet_of("ones"))),
    ):
        assert f"sheet.{view} is read, but sees = ('open',); add {view!r} to sees" in text


def test_a_sheet_shows_what_is_declared_and_nothing_unknown() -> None:
    sheet = sheet_of("ones", sees=("open", "upper", "rival_open"), upper=31, rival_open=0b101)
    assert sheet.upper == 31
    assert [category.id for category in sheet.rival_open] == ["ones", "threes"]
    assert sheet.words() == "open: Ones; upper: 31; rival_open: Ones, Threes"
    with pytest.raises(UndeclaredViewError, match="'pace'"):
        _ = sheet.pace
    with pytest.raises(AttributeError, match="no 'uper'; it may show open, upper"):
        _ = sheet.uper


def test_the_coin_gives_each_side_of_a_decision() -> None:
    sheet = sheet_of("ones", "sixes", "chance", sees=("open", "coin"))
    player = asker(
        keep=lambda dice, shown, rolls_left: shown.coin([(), dice[:1], dice]),
        choose=lambda dice, shown: shown.coin(shown.open),
        sees=("open", "coin"),
    )
    masks = player.keep(sheet, ROLL, 1)
    assert [masked_dice(ROLL, mask) for mask in masks] == [(), (1,), (1, 2, 2, 5, 6)]
    assert player.choose(sheet, ROLL) == (0, 5, 12)


def test_a_decision_may_use_the_coin_for_some_dice_only() -> None:
    def keep(dice: tuple[int, ...], sheet: Sheet, rolls_left: int) -> Any:
        return sheet.coin([dice, ()]) if dice[0] == 1 else dice

    plan = asker(keep=keep, sees=("open", "coin")).turn(sheet_of("ones", sees=("open", "coin")))
    assert plan.keep_options is not None
    assert plan.choice_options is not None
    for roll, dice in enumerate(ROLLS):
        assert plan.keep_options[plan.keeps[0, roll]] == ((31, 0) if dice[0] == 1 else (31,))
        assert plan.choice_options[plan.choices[roll]] == (0,)


def test_the_coin_is_drawn_once_in_a_decision() -> None:
    def keep(dice: tuple[int, ...], sheet: Sheet, rolls_left: int) -> Any:
        return sheet.coin([dice, ()]) if sheet.coin([True, False]) else ()

    text = fault(
        lambda: asker(keep=keep, sees=("open", "coin")).keep(sheet_of("ones", sees=("open", "coin")), ROLL, 1)
    )
    assert "the coin is drawn a second time; a decision has one draw" in text


@pytest.mark.parametrize("count", [0, MOST_OPTIONS + 1])
def test_the_coin_has_one_to_63_sides(count: int) -> None:
    player = asker(keep=lambda dice, sheet, rolls_left: sheet.coin([()] * count), sees=("open", "coin"))
    text = fault(lambda: player.keep(sheet_of("ones", sees=("open", "coin")), ROLL, 1))
    assert f"given {count} options; 1 to 63 are allowed" in text


def test_a_coin_that_is_not_declared_is_refused() -> None:
    text = fault(
        lambda: asker(keep=lambda dice, sheet, rolls_left: sheet.coin([()])).keep(sheet_of("ones"), ROLL, 1)
    )
    assert "sheet.coin is called, but sees = ('open',); add 'coin' to sees" in text


def test_the_coin_belongs_to_a_decision() -> None:
    with pytest.raises(StrategyError, match="outside a decision"):
        sheet_of("ones", sees=("open", "coin")).coin([1])


@pytest.mark.parametrize("decide", [looping, stubborn, sleeping, held_back])
def test_a_decision_that_takes_too_long_is_stopped(decide: Callable[..., Any]) -> None:
    def ask(call: Callable[[Asker], Any], player: Asker) -> None:
        with player.limited(LIMIT):
            call(player)

    begun = time.monotonic()
    for text in (
        fault(lambda: ask(lambda player: player.keep(sheet_of("ones"), ROLL, 2), asker(keep=decide))),
        fault(lambda: ask(lambda player: player.choose(sheet_of("ones"), ROLL), asker(choose=decide))),
        fault(lambda: ask(lambda player: player.turn(sheet_of("ones")), planner(decide))),
    ):
        assert "takes longer than 0.05 s; it may loop for ever" in text
        assert "the sheet shows open: Ones" in text
    assert time.monotonic() - begun < 20 * LIMIT


@pytest.mark.parametrize(("module", "counts"), [("numba.core.compiler", False), ("numbers", True)])
def test_the_time_that_compiling_takes_does_not_count(module: str, counts: bool) -> None:
    # A strategy's first decision on a machine may compile what it calls.
    names: dict[str, Any] = {"__name__": module, "time": time}
    exec(f"def work():\n    for _ in range(20): time.sleep({LIMIT / 4})", names)

    def keep(*seen: Any) -> Any:
        names["work"]()
        return ()

    def ask() -> Any:
        player = asker(keep=keep)
        with player.limited(LIMIT):
            return player.keep(sheet_of("ones"), ROLL, 2)

    if counts:
        assert "takes longer" in fault(ask)
    else:
        assert ask() == (0,)


def test_many_quick_decisions_may_take_longer_than_the_limit_together() -> None:
    def keep(*seen: Any) -> Any:
        time.sleep(LIMIT / 20)
        return ()

    player = asker(keep=keep)
    with player.limited(LIMIT):
        for _ in range(80):
            player.keep(sheet_of("ones"), ROLL, 2)


def test_outside_the_main_thread_decisions_are_asked_without_a_limit() -> None:
    found = []

    def ask() -> None:
        player = asker()
        with player.limited(LIMIT):
            found.append(player.keep(sheet_of("ones"), ROLL, 2))

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert found == [(0,)]


def test_single_decisions_make_the_plan_of_a_turn() -> None:
    def keep(dice: tuple[int, ...], sheet: Sheet, rolls_left: int) -> Any:
        return [die for die in dice if die > 6 - rolls_left]

    def choose(dice: tuple[int, ...], sheet: Sheet) -> str:
        return "ones" if 1 in dice else "chance"

    plan = asker(keep, choose).turn(sheet_of("ones", "chance"))
    assert plan.keep_options is None
    for roll, dice in enumerate(ROLLS):
        assert masked_dice(roll, plan.keeps[0, roll]) == tuple(die for die in dice if die > 4)
        assert masked_dice(roll, plan.keeps[1, roll]) == tuple(die for die in dice if die > 5)
        assert plan.choices[roll] == (0 if 1 in dice else 12)


def pure_plan(**changes: Any) -> Plan:
    fields = {"keeps": np.zeros((2, 252), np.uint8), "choices": np.full(252, 5), **changes}
    return Plan(**fields)


def with_entry(values: Any, place: Any, value: int) -> Any:
    changed = np.array(values)
    changed[place] = value
    return changed


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        (None, "returns NoneType; a Plan is needed"),
        ((np.zeros((2, 252)), np.zeros(252)), "returns tuple; a Plan is needed"),
        (pure_plan(keeps=np.zeros((3, 252), int)), r"needed are (2, 252) and (252,)"),
        (pure_plan(choices=np.zeros(251, int)), r"needed are (2, 252) and (252,)"),
        (pure_plan(keeps=np.zeros((2, 252))), "has keeps of type float64; integers are needed"),
        (pure_plan(choices=["sixes"] * 252), "has choices of type <U5; integers are needed"),
        (pure_plan(keeps=with_entry(np.zeros((2, 252), int), (1, 9), 32)), "keeps mask 32; allowed: 0 to 31"),
        (pure_plan(keeps=with_entry(np.zeros((2, 252), int), (0, 9), -1)), "keeps mask -1; allowed: 0 to 31"),
        (pure_plan(choices=with_entry(np.full(252, 5), 3, 13)), "fills category 13; allowed: 0 to 12"),
        (pure_plan(choices=with_entry(np.full(252, 5), 3, -1)), "fills category -1; allowed: 0 to 12"),
        (
            pure_plan(choices=with_entry(np.full(252, 5), ROLL, 12)),
            "fills Chance with (1, 2, 2, 5, 6), which is filled; allowed: ones, sixes",
        ),
        (pure_plan(keep_options=[[0]], choice_options=[[0]]), "mixes options; add 'coin' to sees"),
    ],
)
def test_a_plan_that_is_wrong_is_refused(plan: Any, expected: str) -> None:
    text = fault(lambda: planner(lambda sheet: plan).turn(sheet_of("ones", "sixes")))
    assert "plan(sheet)" in text
    assert expected in text


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"choice_options": None}, "gives only one of keep_options and choice_options; give both or neither"),
        ({"keep_options": None}, "gives only one of keep_options and choice_options; give both or neither"),
        (
            {"keep_options": [[0], []]},
            "has () among its keep_options; 1 to 63 numbers from 0 to 31 are allowed",
        ),
        ({"keep_options": [[0], [32]]}, "has (32,) among its keep_options"),
        ({"keep_options": [[0], [0] * 64]}, "1 to 63 numbers"),
        ({"choice_options": [[5, 13]]}, "has (5, 13) among its choice_options; 1 to 63 numbers from 0 to 12"),
        ({"keep_options": [[0]]}, "names of keep_options place 1; allowed: 0 to 0"),
        ({"choices": np.full(252, -1)}, "names of choice_options place -1; allowed: 0 to 0"),
        (
            {"choice_options": [[5, 12]]},
            "fills Chance with (1, 1, 1, 1, 1), which is filled; allowed: ones, sixes",
        ),
    ],
)
def test_a_plan_that_mixes_wrongly_is_refused(changes: dict[str, Any], expected: str) -> None:
    fields = {
        "keeps": np.ones((2, 252), int),
        "choices": np.zeros(252, int),
        "keep_options": [[0], [0, 31]],
        "choice_options": [[0, 5]],
        **changes,
    }
    sees = ("open", "coin")
    sheet = sheet_of("ones", "sixes", sees=sees)
    assert expected in fault(lambda: planner(lambda _: Plan(**fields), sees).turn(sheet))


def test_every_mask_of_a_plan_becomes_the_one_of_its_keep() -> None:
    # Of 1-2-2-5-6, positions 1 and 2 hold the same die: the lower one stands for it.
    keeps = np.full((2, 252), 0b00100)
    assert planner(lambda sheet: pure_plan(keeps=keeps)).turn(sheet_of("sixes")).keeps[0, ROLL] == 0b00010
    sees = ("open", "coin")
    mixed = planner(
        lambda sheet: pure_plan(keeps=keeps * 0, keep_options=[[0b00100, 0b00101]], choice_options=[[5]] * 6),
        sees,
    ).turn(sheet_of("sixes", sees=sees))
    assert mixed.keep_options is not None
    assert mixed.keep_options[mixed.keeps[1, ROLL]] == (0b00010, 0b00011)
    assert mixed.keep_options[mixed.keeps[1, ROLL_INDEX[1, 2, 3, 4, 5]]] == (0b00100, 0b00101)
    assert mixed.keep_options[mixed.keeps[1, ROLL_INDEX[2, 2, 2, 2, 2]]] == (0b00001, 0b00011)


def test_a_joker_that_is_entered_elsewhere_is_refused_with_the_reason() -> None:
    yahtzee = load_cheerio("yahtzee")
    keys, roll = list(yahtzee.categories), ROLL_INDEX[3, 3, 3, 3, 3]
    filled = open_mask([keys.index(key) for key in ("aces", "threes", "full-house", "chance")])
    sheet = Sheet(build_scoresheet(yahtzee), ("open",), {"open": filled})
    for refused in ("full-house", "aces"):
        text = fault(partial(asker(choose=returning(refused)).choose, sheet, roll))
        assert "has to be entered elsewhere, for a joker is forced; allowed: threes" in text
    assert asker(choose=lambda *seen: "threes").choose(sheet, roll) == (keys.index("threes"),)
    # The category is the same line of the sheet, whatever it pays by now.
    before = build_scoresheet(yahtzee).categories[keys.index("full-house")]
    assert asker(choose=lambda *seen: before).choose(sheet, ROLL_INDEX[1, 1, 2, 2, 2]) == (before.index,)


def test_a_category_of_another_sheet_is_refused() -> None:
    others = build_scoresheet(load_cheerio("yatzy")).categories
    for category in (others[14], others[6]):
        text = fault(partial(asker(choose=returning(category)).choose, sheet_of("ones"), ROLL))
        assert "allowed: a category of the sheet, or its id: ones, twos" in text


@pytest.mark.parametrize("answer", [True, False, np.bool_(True)])
def test_a_steal_is_answered_with_true_or_false(answer: Any) -> None:
    seen: list[Any] = []

    def steal(*asked: Any) -> Any:
        seen.append(asked)
        return answer

    sheet = thief_sheet(turns_left=3)
    assert answering(steal=steal).steal(OFFER, sheet) is bool(answer)
    assert seen == [(OFFER, sheet)]


@pytest.mark.parametrize("answer", [None, 1, 0, "yes", "True", [True], 0.5, np.int64(1), object])
def test_any_other_answer_to_a_steal_is_refused(answer: Any) -> None:
    text = fault(lambda: answering(steal=lambda *asked: answer).steal(OFFER, thief_sheet(turns_left=3)))
    assert "steal(Offer(Chance, gains=-4, loses=20), sheet) returns" in text
    assert "allowed: True to steal, False to score instead" in text
    assert text.endswith("the sheet shows turns_left: 3")


@pytest.mark.parametrize("answer", ["sixes", "Sixes", build_scoresheet(CHEERIO).categories[5]])
def test_a_forfeit_is_an_open_category(answer: Any) -> None:
    assert answering(forfeit=lambda sheet: answer).forfeit(robbed_sheet("ones", "sixes")) == 5


@pytest.mark.parametrize("answer", [None, 5, True, "six", (), ["sixes"]])
def test_a_forfeit_of_what_is_no_category_is_refused(answer: Any) -> None:
    text = fault(lambda: answering(forfeit=lambda sheet: answer).forfeit(robbed_sheet("ones", "sixes")))
    assert (
        f"forfeit(sheet) returns {answer!r}; allowed: a category of the sheet, or its id: ones, twos" in text
    )


def test_a_forfeit_of_what_is_filled_is_refused_and_the_open_ones_are_named() -> None:
    text = fault(
        lambda: answering(forfeit=lambda sheet: "chance").forfeit(robbed_sheet("ones", "sixes", upper=4))
    )
    assert "forfeit(sheet): forfeits Chance, which is filled; allowed: ones, sixes" in text
    assert text.endswith("the sheet shows open: Ones, Sixes; upper: 4")


def test_a_forfeit_is_not_bound_by_a_forced_scratch() -> None:
    sheet = Sheet(build_scoresheet(FORCED), ("open",), {"open": 0b110000}, "forfeit_sees")
    assert answering(forfeit=lambda sheet: "sixes").forfeit(sheet) == 5


@pytest.mark.parametrize("error", [ValueError("no idea"), SystemExit(3), StrategyError("my own")])
def test_a_question_that_fails_is_told_with_what_was_asked(error: BaseException) -> None:
    player = answering(steal=raising(error), forfeit=raising(error))
    for text, asked in (
        (
            fault(lambda: player.steal(OFFER, thief_sheet())),
            "steal(Offer(Chance, gains=-4, loses=20), sheet)",
        ),
        (fault(lambda: player.forfeit(robbed_sheet("ones"))), "forfeit(sheet)"),
    ):
        assert asked in text
        assert str(error) in text


def test_a_question_that_reads_what_it_does_not_see_says_where_to_declare_it() -> None:
    player = answering(
        steal=lambda offer, sheet: sheet.difference > 0, forfeit=lambda sheet: sheet.rival_open[0]
    )
    assert "sheet.difference is read, but steal_sees = ('upper',); add 'difference' to steal_sees" in fault(
        lambda: player.steal(OFFER, thief_sheet(upper=0))
    )
    assert (
        "sheet.rival_open is read, but forfeit_sees = ('open',); add 'rival_open' to forfeit_sees"
        in fault(lambda: player.forfeit(robbed_sheet("ones")))
    )


def test_there_is_no_coin_for_the_questions_of_a_steal() -> None:
    player = answering(
        steal=lambda offer, sheet: sheet.coin([True, False]), forfeit=lambda sheet: sheet.coin(sheet.open)
    )
    for text in (
        fault(lambda: player.steal(OFFER, thief_sheet())),
        fault(lambda: player.forfeit(robbed_sheet("ones"))),
    ):
        assert "sheet.coin is called; the coin is for keep and choose alone" in text


@pytest.mark.parametrize("decide", [looping, held_back])
def test_a_question_that_takes_too_long_is_stopped(decide: Callable[..., Any]) -> None:
    player = answering(steal=decide, forfeit=decide)

    def ask(call: Callable[[], Any]) -> None:
        with player.limited(LIMIT):
            call()

    for text in (
        fault(lambda: ask(lambda: player.steal(OFFER, thief_sheet(upper=3)))),
        fault(lambda: ask(lambda: player.forfeit(robbed_sheet("ones")))),
    ):
        assert "takes longer than 0.05 s; it may loop for ever" in text
