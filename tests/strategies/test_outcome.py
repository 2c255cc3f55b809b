"""Outcomes of independent scores against enumeration in exact fractions."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from strategies.outcome import MOST_ROUNDS, ScoreLaw, lineup_outcome, roll_off_rounds

SUMS = Counter(sum(dice) for dice in product(range(1, 7), repeat=5))
LAWS: list[dict[int, Fraction]] = [
    {3: Fraction(1, 4), 5: Fraction(1, 2), 6: Fraction(1, 4)},
    {5: Fraction(2, 3), 9: Fraction(1, 3)},
    {2: Fraction(1, 5), 5: Fraction(1, 5), 6: Fraction(3, 5)},
]


def law(chances: dict[int, Fraction]) -> ScoreLaw:
    low, high = min(chances), max(chances)
    return ScoreLaw(low, np.array([float(chances.get(score, 0)) for score in range(low, high + 1)]))


@pytest.mark.parametrize("sides", [2, 3])
@pytest.mark.parametrize("roll_off", [True, False])
def test_rates_are_those_of_all_games(sides: int, roll_off: bool) -> None:
    won, shared, credit = ([Fraction(0)] * sides for _ in range(3))
    tied: dict[int, Fraction] = defaultdict(Fraction)
    for scores in product(*(chances.items() for chances in LAWS[:sides])):
        chance = Fraction(1)
        for _, own in scores:
            chance *= own
        top = [side for side, (score, _) in enumerate(scores) if score == max(s for s, _ in scores)]
        tied[len(top)] += chance
        for side in top:
            credit[side] += chance / len(top)
            if roll_off or len(top) == 1:
                won[side] += chance / len(top)
            else:
                shared[side] += chance
    found = lineup_outcome([law(chances) for chances in LAWS[:sides]], roll_off)
    assert found.win_rates == pytest.approx([float(rate) for rate in won])
    assert found.shared_rates == pytest.approx([float(rate) for rate in shared])
    assert found.credit_rates == pytest.approx([float(rate) for rate in credit])
    assert sum(found.credit_rates) == pytest.approx(1)
    assert found.tie_rate == pytest.approx(float(sum(tied[size] for size in range(2, sides + 1))))
    assert found.by_tied == pytest.approx({size: float(tied[size]) for size in range(2, sides + 1)})
    assert sum(found.by_rounds.values()) == pytest.approx(found.tie_rate if roll_off else 0)


def test_two_tie_again_as_the_dice_have_it() -> None:
    again = Fraction(sum(ways**2 for ways in SUMS.values()), 6**10)
    assert again == Fraction(7631, 104976)
    rounds = roll_off_rounds(2)
    for number in range(1, MOST_ROUNDS):
        assert rounds[number] == pytest.approx(float(again ** (number - 1) * (1 - again)))
    assert sum(rounds.values()) == pytest.approx(1, abs=1e-15)


def test_three_roll_off_by_enumeration() -> None:
    first = sum(
        ways * (sum(other for low, other in SUMS.items() if low < high)) ** 2 for high, ways in SUMS.items()
    )
    assert roll_off_rounds(3)[1] == pytest.approx(float(Fraction(3 * first, 6**15)))


def test_one_side_has_nobody_to_win_against() -> None:
    with pytest.raises(ValueError, match="1 sides given; two or more"):
        lineup_outcome([law(LAWS[0])], True)
