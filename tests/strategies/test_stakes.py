"""Stakes: which situations there are, how a bettor is asked about them, and how bad answers are told."""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sim.ceelo.ruleset import CeeloRuleset, load_ceelo, validate_ceelo
from sim.ceelo.views import SHIFTS, VIEWS, view_sizes
from strategies.bettor import CONSTANTS, Bettor, Table
from strategies.lineup import Player, Source
from strategies.rows import join_rows
from strategies.stakes import MOST_WHOLE, StakeMaker, asks_in_play, make_stakes
from strategies.strategy import StrategyError, UndeclaredViewError

BANK = load_ceelo("ceelo-bank")
POT = load_ceelo("ceelo-pot")
SMALL = validate_ceelo(
    BANK.model_dump(mode="json")
    | {"name": "small", "players": [2, 3], "chips": 4, "rounds": 3, "stake": {"minimum": 1, "maximum": 3}},
    "small",
)
EVERYTHING = tuple(VIEWS)
LIMIT = 0.05


def player_of(kind: type[Bettor]) -> Player:
    return Player("mine.py:Mine", kind(), "Bets.", Source("mine.py:Mine", "", (), (), "mine"))


def betting(ask: Callable[[Table], Any], *sees: str, ruleset: CeeloRuleset = BANK) -> StakeMaker:
    body = {"stake": lambda self, table: ask(table), "sees": sees}
    return StakeMaker(player_of(type("Mine", (Bettor,), body)), ruleset)


def planning(ask: Callable[[Table], Any], *sees: str, ruleset: CeeloRuleset = BANK) -> StakeMaker:
    body = {"plan": lambda self, table: ask(table), "sees": sees}
    return StakeMaker(player_of(type("Mine", (Bettor,), body)), ruleset)


def scattered(table: Table) -> Any:
    """Returns a stake in which every view counts."""
    number = 3
    for view in table._sees:
        number = number * 7 + getattr(table, view)
    return table.minimum + number % (table.maximum - table.minimum + 1)


def always(answer: Any) -> Callable[[Table], Any]:
    return lambda table: answer


def fault(ask: Callable[[], Any]) -> str:
    with pytest.raises(StrategyError) as raised:
        ask()
    text = str(raised.value)
    assert text.startswith("strategy mine.py:Mine: ")
    return text


@pytest.mark.parametrize("ruleset", [BANK, SMALL, load_ceelo("ceelo-bank-timed")])
@pytest.mark.parametrize(
    "sees", [(), *((view,) for view in VIEWS), ("streak", "chips", "lead"), EVERYTHING, EVERYTHING[::-1]]
)
def test_contexts_and_views_are_each_other_s_inverse(ruleset: CeeloRuleset, sees: tuple[str, ...]) -> None:
    maker = betting(scattered, *sees, ruleset=ruleset)
    assert maker.sees == tuple(view for view in VIEWS if view in sees)
    draw = np.random.default_rng(1)
    contexts = draw.integers(0, maker.size, 200, dtype=np.uint64)
    views = maker.views(contexts)
    sizes = view_sizes(ruleset)
    for view, values in views.items():
        low = -SHIFTS.get(view, 0)
        assert low <= values.min() <= values.max() < low + sizes[view]
    if sees:
        np.testing.assert_array_equal(maker.contexts(views), contexts)
    # As the kernel puts a context together: by the weight of each view.
    expected = sum(
        (values + SHIFTS.get(view, 0)) * int(maker.strides[list(VIEWS).index(view)])
        for view, values in views.items()
    )
    assert np.array_equal(np.broadcast_to(expected, 200), contexts if sees else np.zeros(200))
    table = maker.table(int(contexts[0]))
    assert {view: getattr(table, view) for view in sees} == {view: int(views[view][0]) for view in maker.sees}


@pytest.mark.parametrize(
    "sees",
    [
        (),
        ("chips",),
        ("chips", "bank"),
        ("rank", "lead"),
        ("last_stake", "streak"),
        ("order", "rounds_left"),
        ("streak",),
        ("lead", "order", "last_stake"),
        ("rank", "bank", "chips"),
    ],
)
def test_whole_contexts_are_those_that_play_can_meet(sees: tuple[str, ...]) -> None:
    maker = betting(scattered, *sees, ruleset=SMALL)
    assert maker.whole
    allowed = {
        "chips": range(1, 12),
        "bank": range(1, 12),
        "rounds_left": range(1, 4),
        "order": range(1, 3),
        "rank": range(1, 4),
        "lead": range(-3, 4),
        "last_stake": range(4),
        "streak": range(-10, 11),
    }
    expected = set()
    for values in itertools.product(*(allowed[view] for view in sees)):
        seen = dict(zip(sees, values, strict=True))
        if {"chips", "bank"} <= seen.keys() and seen["chips"] + seen["bank"] > 12:
            continue
        if {"rank", "lead"} <= seen.keys() and (seen["rank"] == 1) != (seen["lead"] >= 0):
            continue
        if {"last_stake", "streak"} <= seen.keys() and seen["last_stake"] == 0 and seen["streak"] != 0:
            continue
        expected.add(tuple(seen[view] for view in sees))
    contexts = maker.whole_contexts()
    shown = [maker.table(context) for context in contexts.tolist()]
    assert len(contexts) == len(expected)
    assert {tuple(getattr(table, view) for view in sees) for table in shown} == expected


def test_who_sees_little_is_asked_whole() -> None:
    timed = load_ceelo("ceelo-bank-timed")
    for sees, ruleset, whole in (
        ((), BANK, True),
        (("chips",), BANK, True),
        (("chips", "rounds_left", "lead"), BANK, True),  # 214,557 contexts
        (("chips", "rounds_left", "lead"), timed, False),  # 1,055,957
        (("chips", "bank"), BANK, False),  # 361,201
        (EVERYTHING, BANK, False),
        (EVERYTHING, POT, True),
    ):
        maker = betting(scattered, *sees, ruleset=ruleset)
        assert maker.whole == (maker.size <= MOST_WHOLE) == whole
        assert asks_in_play(maker.player, ruleset) != whole
        assert maker.decisions_per_row == 1


def test_where_there_is_no_bank_nothing_is_asked() -> None:
    def refuse(table: Table) -> int:
        raise AssertionError

    for maker in (betting(refuse, "chips", ruleset=POT), planning(refuse, "chips", ruleset=POT)):
        assert (maker.size, maker.sees, maker.whole, maker.asks) == (0, (), True, False)
        assert maker.strides.tolist() == [0] * len(VIEWS)
        contexts = maker.whole_contexts()
        assert contexts.size == 0
        rows = make_stakes(maker.player, POT, contexts)
        assert (rows.rows.shape, rows.rows.dtype) == ((0, 1), np.int16)


@pytest.mark.parametrize("ruleset", [BANK, SMALL])
@pytest.mark.parametrize("sees", [(), ("chips",), ("streak", "rank", "lead"), EVERYTHING])
def test_a_plan_and_single_stakes_are_the_same(ruleset: CeeloRuleset, sees: tuple[str, ...]) -> None:
    alone, together = betting(scattered, *sees, ruleset=ruleset), planning(scattered, *sees, ruleset=ruleset)
    contexts = np.random.default_rng(2).integers(0, alone.size, 500, dtype=np.uint64)
    stakes = together.make(contexts, range(0, 500, 9))
    assert stakes.dtype == np.int16
    assert stakes.tolist() == alone.make(contexts, range(0, 500, 9)).tolist()
    with together.asker.limited():
        for context, stake in zip(contexts.tolist()[:20], stakes.tolist()[:20], strict=True):
            assert together.asker.stake(together.table(context)) == stake
            assert alone.asker.stake(alone.table(context)) == stake


def test_rows_hold_a_stake_for_each_context_and_are_joined() -> None:
    maker = betting(scattered, "chips", "rounds_left")
    contexts = maker.whole_contexts()
    rows = make_stakes(maker.player, BANK, contexts)
    assert (rows.rows.shape, rows.rows.dtype) == ((contexts.size, 1), np.int16)
    assert (rows.mixed, rows.pool.size) == (False, 0)
    assert rows.rows[:, 0].tolist() == maker.make(contexts).tolist()
    pieces = [make_stakes(maker.player, BANK, contexts[first : first + 9999]) for first in (0, 9999, 19_998)]
    joined = join_rows(pieces)
    assert np.array_equal(joined.contexts, contexts[:29_997])
    assert np.array_equal(joined.rows, rows.rows[:29_997])
    assert joined.rows.dtype == np.int16


def test_one_number_is_the_plan_of_all_tables() -> None:
    contexts = np.arange(1, 50, dtype=np.uint64)
    for answer in (7, np.int64(7), np.array(7), [7] * 49, np.full(49, 7, np.uint8)):
        assert planning(always(answer), "chips").make(contexts).tolist() == [7] * 49
    assert planning(lambda table: 7).make(np.zeros(3, np.uint64)).tolist() == [7, 7, 7]
    assert planning(lambda table: 7, "chips").make(np.empty(0, np.uint64)).tolist() == []


ILLEGAL = [0, 21, -3, 2.5, 5.0, "5", None, True, np.bool_(True), np.float64(5), [5], np.array([5]), 1 << 70]


@pytest.mark.parametrize("answer", ILLEGAL)
def test_a_stake_that_is_not_allowed_is_told_with_the_table(answer: Any) -> None:
    maker = betting(always(answer), "chips", "streak")
    context = maker.contexts({"chips": np.array([33]), "streak": np.array([-2])})
    text = fault(lambda: maker.make(context))
    assert (
        f"stake(table) returns {answer!r}; allowed: a whole number from 1 to 20, whatever the purse" in text
    )
    assert "table.nearest(chips) is the nearest" in text
    assert text.endswith("\n  the table shows chips: 33; streak: -2")


@pytest.mark.parametrize("answer", [1, 20, np.int8(7), np.uint64(20)])
def test_whole_numbers_of_every_kind_are_stakes(answer: Any) -> None:
    assert betting(always(answer)).make(np.zeros(1, np.uint64)).tolist() == [int(answer)]


@pytest.mark.parametrize(
    "answer",
    [
        *(2.5, "5", None, True, [5, 5], [5.0, 5.0, 5.0], [[5], [5], [5]], [True, True, True]),
        *([5, [5], 5], (number for number in (5, 5, 5)), np.full((1, 3), 5), [1 << 70] * 3),
    ],
)
def test_a_plan_that_is_no_stakes_is_told(answer: Any) -> None:
    maker = planning(always(answer), "chips")
    text = fault(lambda: maker.make(np.array([7, 9, 8], np.uint64)))
    assert "plan(table) returns " in text
    assert "; needed: a whole number, or an array of 3 of them, one for each table" in text
    assert text.endswith("\n  the table shows chips: 7 to 9")


@pytest.mark.parametrize(("answer", "wrong"), [([5, 0, 21], 9), ([5, 20, 21], 8), (0, 7), ([-1, 1, 1], 7)])
def test_a_plan_with_a_stake_that_is_not_allowed_is_told_with_its_table(answer: Any, wrong: int) -> None:
    maker = planning(always(answer), "chips")
    text = fault(lambda: maker.make(np.array([7, 9, 8], np.uint64)))
    assert "; allowed: a whole number from 1 to 20" in text
    assert text.endswith(f"\n  the table shows chips: {wrong}")


@pytest.mark.parametrize("make", [betting, planning])
def test_an_exception_is_told_with_its_line(make: Callable[..., StakeMaker]) -> None:
    def fail(table: Table) -> int:
        raise KeyError("dice")

    text = fault(lambda: make(fail, "rank").make(np.array([2], np.uint64)))
    assert "(table) raises KeyError: 'dice' (test_stakes.py, line " in text
    assert "the table shows rank: 2" in text
    assert "raises SystemExit: 3" in fault(
        lambda: make(lambda table: exit(3), "rank").make(np.array([2], np.uint64))
    )


def looping(table: Table) -> int:
    while True:
        pass


def stubborn(table: Table) -> int:
    while True:
        with contextlib.suppress(Exception):
            time.sleep(0.001)


@pytest.mark.parametrize("make", [betting, planning])
@pytest.mark.parametrize("ask", [looping, stubborn])
def test_a_bettor_that_loops_for_ever_is_stopped(make: Callable[..., StakeMaker], ask: Any) -> None:
    maker = make(ask, "chips")

    def bet() -> None:
        with maker.asker.limited(LIMIT):
            maker.asker.stake(maker.table(8))

    text = fault(bet)
    assert f"(table) takes longer than {LIMIT:g} s; it may loop for ever" in text
    assert "the table shows chips: 8" in text


@pytest.mark.parametrize("make", [betting, planning])
def test_what_a_bettor_prints_goes_to_stderr(
    make: Callable[..., StakeMaker], capsys: pytest.CaptureFixture[str]
) -> None:
    def loud(table: Table) -> int:
        print("all in!")
        return 5

    make(loud).make(np.zeros(1, np.uint64))
    assert capsys.readouterr() == ("", "all in!\n")


@pytest.mark.parametrize("make", [betting, planning])
def test_a_question_with_two_answers_is_refused(make: Callable[..., StakeMaker]) -> None:
    counting = itertools.count(1)
    maker = make(lambda table: table.minimum + next(counting) % 20, "chips")
    assert maker.make(np.array([7, 8], np.uint64)).size == 2
    text = fault(lambda: maker.make(np.array([7, 8], np.uint64), again=[0, 1]))
    assert "answers the same question in different ways; its stakes may depend on the table alone" in text
    assert "the table shows chips: " in text


def test_a_plan_that_looks_at_other_tables_is_refused() -> None:
    maker = planning(lambda table: table.nearest(table.chips - table.chips.min() + 1), "chips")
    contexts = np.arange(1, 40, dtype=np.uint64)
    text = fault(lambda: make_stakes(maker.player, BANK, contexts))
    assert "answers the same question in different ways" in text


def test_a_plan_can_not_change_what_it_is_shown() -> None:
    def change(table: Table) -> Any:
        stakes = table.chips
        stakes //= 10
        return stakes

    text = fault(lambda: planning(change, "chips").make(np.array([50], np.uint64)))
    assert "raises ValueError: output array is read-only (test_stakes.py, line " in text


def test_a_table_shows_what_is_declared_and_what_always_holds() -> None:
    seen: list[Table] = []

    def look(table: Table) -> int:
        seen.append(table)
        return 2

    maker = betting(look, "lead", "chips", ruleset=SMALL)
    maker.make(maker.contexts({"lead": np.array([-3]), "chips": np.array([2])}))
    (table,) = seen
    assert (table.lead, table.chips) == (-3, 2)
    assert (type(table.lead), type(table.chips)) == (int, int)
    assert (table.minimum, table.maximum, table.start, table.rounds) == (1, 3, 4, 3)
    assert table.ruleset == SMALL
    assert set(CONSTANTS) <= vars(table).keys()
    assert table.words() == "chips: 2; lead: -3"
    assert betting(look).table(0).words() == "nothing"
    assert load_ceelo("ceelo-bank-timed").most_rounds == 250


@pytest.mark.parametrize("make", [betting, planning])
@pytest.mark.parametrize("view", VIEWS)
def test_a_view_that_is_not_declared_is_told(make: Callable[..., StakeMaker], view: str) -> None:
    other = next(name for name in VIEWS if name != view)
    text = fault(lambda: make(lambda table: getattr(table, view), other).make(np.ones(1, np.uint64)))
    assert f"table.{view} is read, but sees = ('{other}',); add '{view}' to sees to be shown " in text
    assert VIEWS[view] in text
    with pytest.raises(UndeclaredViewError):
        getattr(Table(BANK, (other,), {other: 1}), view)


def test_an_attribute_that_no_table_has_is_told() -> None:
    text = fault(lambda: betting(lambda table: table.chip, "chips").make(np.ones(1, np.uint64)))
    assert (
        "raises AttributeError: a table has no 'chip' (did you mean chips?); it may show chips, bank, "
        in text
    )
    assert "and always has minimum, maximum, start, rounds, ruleset" in text
    text = fault(lambda: betting(lambda table: table.open, "chips").make(np.ones(1, np.uint64)))
    assert "a table has no 'open'; it may show" in text


def test_the_nearest_stake_is_a_whole_number_within_the_limits() -> None:
    table = betting(scattered, ruleset=SMALL).table(0)
    assert [table.nearest(chips) for chips in (-5, 0, 1, 2, 3, 4, 99, 1 << 80)] == [1, 1, 1, 2, 3, 3, 3, 3]
    assert [table.nearest(chips) for chips in (0.3, 1.999, 2.5, 3.01, Fraction(7, 3))] == [1, 1, 2, 3, 2]
    assert type(table.nearest(2.5)) is int
    many = table.nearest(np.array([-5, 0, 1, 2, 3, 4]))
    assert (many.tolist(), many.dtype) == ([1, 1, 1, 2, 3, 3], np.int64)
    assert table.nearest(np.array([0.3, 1.999, 2.5, 1e30])).tolist() == [1, 1, 2, 3]


@pytest.mark.parametrize(
    "chips", [float("nan"), float("inf"), -float("inf"), np.float32("nan"), np.float64("inf")]
)
@pytest.mark.parametrize("make", [betting, planning])
def test_the_nearest_stake_to_no_number_is_refused(make: Callable[..., StakeMaker], chips: float) -> None:
    maker = make(lambda table: table.nearest(chips), "chips")
    text = fault(lambda: maker.make(np.array([7], np.uint64)))
    assert f"(table): table.nearest(chips) is given {chips}; a finite number of chips is needed" in text
    assert text.endswith("\n  the table shows chips: 7")


@pytest.mark.parametrize(("above", "told"), [(0, "nan"), (3, "inf"), (-3, "-inf")])
def test_a_plan_that_divides_by_nothing_is_told_with_its_table(above: int, told: str) -> None:
    def divide(table: Table) -> Any:
        with np.errstate(all="ignore"):
            return (table.chips + above - 9) / (table.chips - 9)

    contexts = np.array([7, 9, 8], np.uint64)
    text = fault(lambda: planning(lambda table: table.nearest(divide(table)), "chips").make(contexts))
    assert (
        f"plan(table): table.nearest(chips) is given {told} where the table shows chips: 9; a finite" in text
    )
    assert text.endswith("\n  the table shows chips: 7 to 9")
    text = fault(lambda: planning(divide, "chips").make(contexts))
    assert text.endswith(
        f"plan(table) returns {told}; a whole number of chips is needed\n  the table shows chips: 9"
    )
    fine = planning(lambda table: table.nearest(divide(table)), "chips").make(contexts[::2])
    assert fine.tolist() == [max(1, 1 + above // -2), max(1, 1 - above)]


def test_what_is_shown_of_many_tables_alike_is_told_once() -> None:
    text = fault(lambda: planning(always(0.5), "chips", "bank").make(np.array([96, 96], np.uint64)))
    assert text.endswith("\n  the table shows chips: 96; bank: 0")


def test_who_sees_too_much_is_refused() -> None:
    rich = validate_ceelo(
        BANK.model_dump(mode="json")
        | {"name": "rich", "chips": 5000, "rounds": 250, "stake": {"minimum": 1, "maximum": 5000}},
        "rich",
    )
    text = fault(lambda: betting(scattered, *EVERYTHING, ruleset=rich))
    assert "sees too much at once for rich: ('chips', 'bank'," in text
    assert text.endswith("; leave some of it out of sees")
    betting(scattered, *EVERYTHING[2:], ruleset=rich)
