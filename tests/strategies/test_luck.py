"""What luck is reckoned by, and what decisions give away by it."""

from __future__ import annotations

import numpy as np
import pytest

from sim.lanes import COLUMN, LUCK_UNITS
from strategies.losses import build_losses
from strategies.luck import build_yardstick, build_yardsticks, is_faultless, luck_units
from strategies.strategy import Strategy
from strategies.tables import LineupTables, RowMaker
from strategies.valuation import POINTS, build_valuation
from tests.sim.agreement import Leaning, Mixing, only, seat, shipped
from tests.sim.test_luck import few, few_with_joker


@pytest.mark.parametrize(
    ("sees", "needs", "uncounted"),
    [
        (("open",), ("open",), 70),
        (("open", "turns_left", "standing"), ("open",), 70),
        (("open", "upper"), ("open", "upper"), 70),
        (("open", "joker"), ("open", "joker"), 0),
        (("open", "upper", "joker", "pace"), ("open", "upper", "joker"), 0),
    ],
)
def test_values_hang_on_what_is_seen_alone(
    sees: tuple[str, ...], needs: tuple[str, ...], uncounted: int
) -> None:
    stick = build_yardstick(few_with_joker(), sees)
    assert stick.valuation.sees == needs
    assert stick.counts_bonus == ("upper" in sees)
    assert stick.uncounted == uncounted


def test_what_is_left_out_makes_the_start_worth_less() -> None:
    starts = [
        build_yardstick(few_with_joker(), sees).valuation.start
        for sees in (("open",), ("open", "joker"), ("open", "upper"), ("open", "upper", "joker"))
    ]
    assert starts[0] < starts[1] < starts[3] == build_valuation(few_with_joker()).start
    assert starts[0] < starts[2] < starts[3]


def test_what_the_values_leave_out_is_no_luck() -> None:
    seen, blind = (
        build_yardstick(few_with_joker(), sees) for sees in (("open", "upper", "joker"), ("open",))
    )
    # By thousandths of a point: two jokers of 70 points are in the points, a bonus of 20 is not.
    assert seen.luck(190, 20, 2, 0) - seen.luck(50, 0, 0, 0) == 160_000
    assert blind.luck(190, 20, 2, 0) == blind.luck(50, 0, 0, 0)
    assert blind.luck(50, 0, 0, 3 * LUCK_UNITS) - blind.luck(50, 0, 0, 0) == 3000
    assert seen.luck(50, 0, 0, 0) == pytest.approx(1000 * (50 - seen.valuation.start), abs=0.51)


def test_without_a_bonus_all_is_counted_whatever_is_seen() -> None:
    ruleset = only("fives", "chance")
    stick = build_yardstick(ruleset, ("open",))
    assert stick.counts_bonus
    assert stick.valuation is build_valuation(ruleset, POINTS)


def test_partners_have_one_yardstick_by_what_all_of_them_see() -> None:
    sees = {"one": ("open", "upper"), "other": ("open", "turns_left")}
    alone = build_yardsticks(few(), sees)
    assert (alone["one"].counts_bonus, alone["other"].counts_bonus) == (True, False)
    teams = build_yardsticks(few(team=2, players=[4]), sees)
    assert not teams["one"].counts_bonus
    assert teams["one"].valuation is teams["other"].valuation


@pytest.mark.parametrize("kind", [Leaning, Mixing])
def test_losses_are_rounded_to_units_beside_the_rows(
    kind: type[Strategy], monkeypatch: pytest.MonkeyPatch
) -> None:
    ruleset, player = few(), seat(kind, "upper", *(["coin"] if kind is Mixing else []))
    tables, maker = LineupTables([seat(Leaning), player], ruleset, {}, lucky=True), RowMaker(player, ruleset)
    monkeypatch.setattr("strategies.luck.ROWS_AT_ONCE", 4)
    contexts = np.arange(1, 16, dtype=np.uint64) * maker.strides[0]
    tables.fill(0, np.full(15, 1, np.uint8), contexts)
    decisions = tables.decisions(0)
    luck = decisions.luck
    rows = decisions.mixed_rows if maker.mixes else decisions.rows
    stored = luck.mixed_losses if maker.mixes else luck.losses
    assert luck.kept
    assert stored.size == rows.size
    own = rows.reshape(-1, 3, COLUMN)[decisions.row_of[decisions.base[1] + contexts]]
    found = stored.reshape(-1, 3, COLUMN)[decisions.row_of[decisions.base[1] + contexts]]
    exact = build_losses(build_valuation(ruleset), own, decisions.pool, maker.views(contexts))
    np.testing.assert_allclose(found[:, :, :252] / LUCK_UNITS, exact, atol=0.5 / LUCK_UNITS)
    assert exact.max() > 5


@pytest.mark.parametrize(
    ("words", "faultless"), [("optimal", True), ("optimal:risk=0.01", False), ("par", False)]
)
def test_perfect_play_gives_nothing_away_and_no_losses_are_held_for_it(words: str, faultless: bool) -> None:
    ruleset, (player,) = few(), shipped(words)
    stick = build_yardstick(ruleset, ("open", "upper"))
    assert is_faultless(player.strategy, ruleset, stick) == faultless
    assert not is_faultless(player.strategy, ruleset, build_yardstick(ruleset, ("open",)))
    tables = LineupTables([player, seat(Leaning)], ruleset, {}, lucky=True)
    # Both upper categories are filled, with upper subtotals that can be.
    uppers = [0, 5, 6, 10, 11, 12, 15] if words != "par" else [0]
    contexts = np.array([0b1100 + 16 * upper for upper in uppers], np.uint64)
    tables.fill(0, np.zeros(len(contexts), np.uint8), contexts)
    luck = tables.decisions(0).luck
    assert luck.faultless.tolist() == [faultless, False]
    assert luck.any_faultless == faultless
    assert tables._lost == (0 if faultless else len(contexts))


def test_tables_without_luck_hold_no_losses() -> None:
    tables = LineupTables(shipped("greedy", "random"), few(), {})
    luck = tables.decisions(0).luck
    assert not luck.kept
    assert luck.losses.size == luck.mixed_losses.size == luck.start.size == 0


def test_losses_count_towards_the_memory_that_tables_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    forgotten = []
    for lucky in (False, True):
        lineup = [seat(Leaning, "upper")]
        tables = LineupTables(lineup, few(), {}, lucky)
        monkeypatch.setattr("strategies.tables.LANES", 1)
        monkeypatch.setattr("strategies.tables.MOST_BYTES", 80 * 768 + tables._index.nbytes)
        maker = RowMaker(lineup[0], few())
        contexts = np.arange(1, 16, dtype=np.uint64) * maker.strides[0]
        tables.fill(0, np.zeros(8, np.uint8), contexts[:8])
        tables.fill(0, np.zeros(7, np.uint8), contexts[8:])
        forgotten.append(tables._used == 7)
    assert forgotten == [False, True]


def test_units_are_rounded_to_the_nearest() -> None:
    assert luck_units(1.0) == LUCK_UNITS
    assert luck_units(-0.4 / LUCK_UNITS) == 0
    assert luck_units(200.06294923839384) == 13111325
