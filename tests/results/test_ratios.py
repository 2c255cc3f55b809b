"""Ratios of totals over deals: by hand, by the textbook, and by how often their intervals cover."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from results.ratios import RatioSums, ratio_error, ratio_interval, ratio_z
from results.statistics import DealSums, difference_interval, mean_interval


def sums_of(values: list[int], weight: int = 1) -> DealSums:
    return DealSums.of(np.array(values, np.int64), weight)


def ratio_of(above: list[int], below: list[int], weights: tuple[int, int] = (1, 1)) -> RatioSums:
    return RatioSums.of(np.array(above, np.int64), np.array(below, np.int64), weights)


def test_a_ratio_counted_by_hand() -> None:
    # Four times over, deals (gain, steals): (5, 1), (1, 2), (3, 0) and two of nothing. The ratio is 9/3 = 3; what is
    # left of each gain is 5 - 3 = 2, 1 - 6 = -5 and 3, squares 38; with 12 deals and 12 steals the variance is
    # 12 x 4 x 38 / (11 x 12^2) = 38/33; Student's t for 11 degrees of freedom is 2.200985.
    sums = ratio_of([5, 0, 1, 3, 0] * 4, [1, 0, 2, 0, 0] * 4)
    assert (sums.ratio, sums.numerator.deals) == (3.0, 12)
    half = 2.200985 * math.sqrt(38 / 33)
    assert ratio_interval(sums) == pytest.approx((3 - half, 3 + half), abs=1e-5)
    assert ratio_error(sums) == pytest.approx(math.sqrt(38 / 33))
    assert ratio_z(sums, Fraction(1, 2)) == pytest.approx(2.5 / math.sqrt(38 / 33))
    assert ratio_z(sums, Fraction(4)) == pytest.approx(-1 / math.sqrt(38 / 33))
    halved = ratio_of([5, 0, 1, 3, 0] * 4, [1, 0, 2, 0, 0] * 4, (4, 2))
    assert halved.ratio == 1.5
    assert ratio_z(halved, Fraction(3, 4)) == pytest.approx(1.5 / math.sqrt(38 / 33))
    assert ratio_interval(halved) == pytest.approx((1.5 - half / 2, 1.5 + half / 2), abs=1e-5)
    assert ratio_interval(halved, 0.95, -1.0) == pytest.approx((1.5 - half / 2, 1.0), abs=1e-5)


@given(
    st.lists(st.tuples(st.integers(-60, 60), st.integers(0, 3)), min_size=2, max_size=40), st.integers(1, 39)
)
def test_ratio_sums_add_and_follow_the_textbook(pairs: list[tuple[int, int]], cut: int) -> None:
    above, below = [list(side) for side in zip(*pairs, strict=True)]
    sums = ratio_of(above[:cut], below[:cut]) + ratio_of(above[cut:], below[cut:])
    assert sums == ratio_of(above, below)
    counted = [pair for pair in pairs if pair != (0, 0)]
    if not sum(below):
        assert (sums.ratio, ratio_interval(sums)) == (None, None)
        return
    ratio = Fraction(sum(above), sum(below))
    assert sums.ratio == pytest.approx(float(ratio))
    rest = sum((Fraction(y) - ratio * x) ** 2 for y, x in counted)
    if len(counted) < 10 or not rest:
        assert ratio_interval(sums) is None
        return
    variance = rest * len(counted) / (len(counted) - 1) / sum(below) ** 2
    half = stats.t.ppf(0.975, len(counted) - 1) * math.sqrt(variance)
    assert ratio_interval(sums) == pytest.approx((float(ratio) - half, float(ratio) + half), abs=1e-9)


def test_with_one_steal_in_some_deals_a_ratio_is_the_mean_of_those_deals() -> None:
    gains = [7, -3, 12, 4, 0, 5, 5, -8, 30, 1]
    sums = ratio_of([0, *gains, 0, 0], [0, *[1] * len(gains), 0, 0])
    assert ratio_interval(sums) == pytest.approx(mean_interval(sums_of(gains)))


@pytest.mark.parametrize("chance", [0.02, 0.3])
def test_a_ratio_covers_as_often_as_it_says(chance: float) -> None:
    # 4,000 samples of 300 deals of two games; a game has a steal with this chance, gains hang on the dice of the deal.
    # Five standard errors are allowed, and 1.5 % for the skew of gains where a sample has a dozen steals.
    rng = np.random.default_rng(15)
    covered = shown = 0
    for _ in range(4000):
        steals = rng.random((2, 300)) < chance
        gains = rng.integers(-5, 6, 300) + rng.geometric(0.2, (2, 300))
        sums = RatioSums.of((gains * steals).sum(axis=0), steals.sum(axis=0))
        if bounds := ratio_interval(sums):
            shown += 1
            covered += bounds[0] <= 5 <= bounds[1]
    assert shown > 2500
    assert abs(covered / shown - 0.95) < 5 * math.sqrt(0.95 * 0.05 / shown) + 0.015


def test_a_ratio_of_rates_stays_within_them() -> None:
    # Twelve steals that all win the game, or all change nothing: as far from sure as so many deals can be.
    unlike = 1 - 0.05 ** (1 / 12)
    for gain, bounds in ((60, (1 - 2 * unlike, 1.0)), (0, (-unlike, unlike)), (-60, (-1.0, 2 * unlike - 1))):
        sums = ratio_of([gain] * 12 + [0], [1] * 12 + [0], (60, 1))
        assert ratio_interval(sums, 0.95, -1.0) == pytest.approx(bounds)
        assert ratio_interval(sums, 0.95, -1.0) == pytest.approx(
            difference_interval(sums_of([gain] * 12, 60))
        )
    for sign in (1, -1):
        low, high = ratio_interval(
            ratio_of([sign * 60] * 11 + [-sign * 60], [1] * 12, (60, 1)), 0.95, -1
        ) or (0, 0)
        assert (high if sign == 1 else low) == sign
        assert -1 < (low if sign == 1 else high) * sign < 5 / 6


@pytest.mark.parametrize("least", [None, -1.0])
def test_a_ratio_of_few_deals_has_no_interval(least: float | None) -> None:
    few = [60, -60, 0, 60, 0, 60, -60, 0, 60]
    for count in range(1, 10):
        sums = ratio_of(few[:count] + [0] * 500, [1] * count + [0] * 500, (60, 1))
        assert sums.ratio == pytest.approx(sum(few[:count]) / count / 60)
        assert (ratio_interval(sums, 0.95, least), ratio_z(sums, Fraction(1, 3))) == (None, None)
    assert ratio_interval(ratio_of([*few, 0], [1] * 10, (60, 1)), 0.95, least) is not None


def test_a_ratio_without_bounds_is_not_sure_where_all_deals_agree() -> None:
    # Two deals with a steal of 30 points each once gave [30, 30], and so would any number of them.
    for deals in (2, 10, 400):
        assert ratio_interval(ratio_of([30] * deals, [1] * deals)) is None
        assert ratio_z(ratio_of([30] * deals, [1] * deals), Fraction(29)) is None
        assert ratio_interval(ratio_of([30, 60] * deals, [1, 2] * deals)) is None


def test_products_of_long_times_are_exact() -> None:
    times = [1_500_000_000, 2_100_000_001, 7] * 3
    assert ratio_of(times, times).products == 3 * (1_500_000_000**2 + 2_100_000_001**2 + 49)


def test_the_distance_from_the_exact_value_is_that_of_a_standard_normal() -> None:
    # 4,000 samples of 200 deals of two games, each with 0 to 8 bets won with chance 1/3, where the number of bets of a
    # game hangs on the one before; five standard errors of a variance and of a mean, and 1.5 % for the size of samples.
    rng = np.random.default_rng(29)
    found = []
    for _ in range(4000):
        first = rng.integers(0, 9, 200)
        second = np.minimum(8, first + rng.integers(0, 3, 200))
        won = rng.binomial(first, 1 / 3) + rng.binomial(second, 1 / 3)
        found.append(ratio_z(RatioSums.of(won, first + second), Fraction(1, 3)))
    scores = np.array(found, float)
    assert abs(scores.mean()) < 5 / math.sqrt(4000)
    assert abs(scores.var() - 1) < 5 * math.sqrt(2 / 4000) + 0.015
