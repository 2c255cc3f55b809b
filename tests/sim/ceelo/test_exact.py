"""Simulated rounds of Cee-lo come to the exact chances: tolerance 5 standard errors, fixed seeds."""

from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest

from sim.ceelo.kernel import build_rules, play_deals
from sim.ceelo.ledger import Course
from sim.ceelo.odds import bank_edge, bank_pass_chance, bet_chances, decider_chance, result_chances
from sim.ceelo.results import RESULTS
from tests.sim.ceelo.agreement import Guest, Guests, changed

#: Purses that no game of unit stakes can empty, so that every round is played by all.
LASTING = {"chips": 5000, "rounds": 250, "stake": {"minimum": 1, "maximum": 1}, "ante": 1}
ROUNDS = 250
#: Blocks of games from which on their spread tells a standard error well.
ENOUGH_BLOCKS = 100


def lasting_games(name: str, seats: int, deals: int, seed: int, outright: bool = False) -> Course:
    ruleset = changed(name, **LASTING, outright=outright)
    guests = [Guest(f"guest {seat}", (), ruleset) for seat in range(seats)]
    course = play_deals(build_rules(ruleset), Guests(guests, ruleset), seats, 0, seed, 0, deals)
    assert (course.rounds == ROUNDS).all()
    return course


def agrees(totals: npt.NDArray[np.int64], each: int, expected: Fraction) -> None:
    """Totals by game, each of so many observations, have the expected mean; games are independent."""
    mean = totals.mean() / each
    error = totals.std(ddof=1) / each / np.sqrt(len(totals))
    assert error > 0
    assert abs(mean - float(expected)) < 5 * error, (
        f"{mean} played, {float(expected)} expected, {error} error"
    )


def bank_agrees(seats: int, deals: int, seed: int) -> None:
    course = lasting_games("ceelo-bank", seats, deals, seed)
    bets = ROUNDS * (seats - 1)
    wide = {name: getattr(course, name).sum(axis=0, dtype=np.int64) for name in Course._fields if name != "sums"
            and getattr(course, name).ndim == 2}  # fmt: skip
    assert (wide["bets"] == bets).all()
    assert (wide["staked"] == bets).all()
    chances = bet_chances()
    agrees(wide["bank_net"], bets, bank_edge())
    agrees(wide["bets_won"], bets, chances[1])
    agrees(wide["pushes"], bets, chances[0])
    agrees(wide["instant_wins"], ROUNDS, Fraction(1, 9))
    agrees(wide["instant_losses"], ROUNDS, Fraction(1, 18))
    agrees(wide["bank_passes"], ROUNDS, bank_pass_chance(seats - 1))
    # A result takes two throws on average.
    agrees(wide["throws"] - 2 * wide["results"], ROUNDS, Fraction(0))
    if len(course.sums) >= ENOUGH_BLOCKS:
        results_agree(course)


def results_agree(course: Course) -> None:
    blocks = course.sums[..., 0].sum(axis=1).astype(np.float64)
    whole = blocks.sum(axis=1)
    for place, chance in enumerate(result_chances()):
        # The ratio of two sums over blocks of games, with the variance of its linear part.
        rest = blocks[:, place] - float(chance) * whole
        error = rest.std(ddof=1) * np.sqrt(len(rest))
        assert abs(rest.sum()) < 5 * error, RESULTS[place].name


def pot_agrees(seats: int, deals: int, seed: int, outright: bool = False) -> None:
    course = lasting_games("ceelo-pot", seats, deals, seed, outright)
    decided = course.decided_1 + course.decided_2 + course.decided_3 + course.decided_4
    agrees(decided.astype(np.int64), ROUNDS, decider_chance(seats, outright))
    for seat in range(seats):
        agrees(course.bets_won[seat].astype(np.int64), ROUNDS, Fraction(1, seats))
    if not outright and len(course.sums) >= ENOUGH_BLOCKS:
        results_agree(course)


def test_a_few_rounds_agree() -> None:
    bank_agrees(3, 8000, seed=1)
    pot_agrees(2, 4000, seed=2)


@pytest.mark.slow
def test_many_millions_of_rounds_agree() -> None:
    bank_agrees(2, 80_000, seed=3)
    bank_agrees(3, 80_000, seed=4)


@pytest.mark.slow
@pytest.mark.parametrize(("seats", "outright"), [(2, False), (3, False), (2, True)])
def test_many_rounds_for_the_pot_agree(seats: int, outright: bool) -> None:
    pot_agrees(seats, 50_000, seed=5, outright=outright)
