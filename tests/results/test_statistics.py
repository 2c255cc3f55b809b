"""Intervals against scipy, closed forms and brute force."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from results.statistics import (
    DealSums,
    Histogram,
    binomial_quantile,
    design_effect,
    difference_interval,
    effective_deals,
    mean_interval,
    proportion_interval,
    quantile,
    quantile_interval,
    standard_deviation,
)

TOTALS = st.lists(st.integers(0, 6), min_size=2, max_size=40)


def sums_of(values: list[int], weight: int = 1) -> DealSums:
    return DealSums.of(np.array(values), weight)


def histogram_of(values: list[int]) -> Histogram:
    return Histogram(min(values), np.bincount(np.array(values) - min(values)))


@given(TOTALS, TOTALS, st.integers(1, 7))
def test_sums_add_and_give_mean_and_variance_exactly(one: list[int], two: list[int], weight: int) -> None:
    both = sums_of(one, weight) + sums_of(two, weight)
    assert both == sums_of(one + two, weight)
    means = [Fraction(value, weight) for value in one + two]
    mean = sum(means) / len(means)
    variance = sum((m - mean) ** 2 for m in means) / (len(means) - 1) / len(means)
    assert both.mean == pytest.approx(float(mean), rel=1e-14)
    assert both.variance_of_mean == pytest.approx(float(variance), rel=1e-13, abs=0)


def test_sums_of_different_weights_do_not_add() -> None:
    with pytest.raises(ValueError, match="weight 1 and 2"):
        sums_of([1], 1) + sums_of([1], 2)


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (1, 10), (7, 20), (10, 10), (512, 1000)])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_independent_deals_give_nearly_wilsons_interval(successes: int, trials: int, level: float) -> None:
    sums = DealSums(trials, successes, successes)
    # p(1-p) over the unbiased variance is trials - 1 for yes/no deals; at 0 and 1 it is their number.
    count = trials if successes in (0, trials) else trials - 1
    assert effective_deals(sums) == pytest.approx(count)
    z = stats.norm.ppf((1 + level) / 2)
    rate = successes / trials
    root = z * math.sqrt(rate * (1 - rate) / count + z * z / (4 * count**2))
    expected = [(rate + z * z / (2 * count) + sign * root) / (1 + z * z / count) for sign in (-1, 1)]
    assert proportion_interval(sums, level) == pytest.approx(expected, abs=1e-12)
    if successes in (0, trials):
        exact = stats.binomtest(successes, trials).proportion_ci(level, method="wilson")
        assert proportion_interval(sums, level) == pytest.approx([exact.low, exact.high], abs=1e-12)


@given(TOTALS, st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_bounds_solve_their_own_equation(values: list[int], level: float) -> None:
    sums = sums_of(values, 6)
    trials = effective_deals(sums)
    bounds = proportion_interval(sums, level)
    assert bounds is not None
    assert sums.mean is not None
    assert 0 <= bounds[0] <= sums.mean <= bounds[1] <= 1
    if trials is not None:
        z = stats.norm.ppf((1 + level) / 2)
        for bound in bounds:
            assert (sums.mean - bound) ** 2 == pytest.approx(z * z * bound * (1 - bound) / trials, abs=1e-12)


def test_deals_that_all_agree_give_a_point_only_by_rule_and_one_deal_gives_nothing() -> None:
    assert proportion_interval(sums_of([1, 1, 1], 2), fixed=True) == (0.5, 0.5)
    # Three alike are seen with a chance of 5 % where 1 - 0.05^(1/3) = 0.631597 of the deals are unlike.
    assert proportion_interval(sums_of([1, 1, 1], 2)) == pytest.approx((0.1842016, 0.8157984))
    assert proportion_interval(sums_of([1, 1, 1], 4)) == pytest.approx((0.0921008, 0.7236976))
    assert effective_deals(sums_of([1, 1, 1], 2)) is None
    assert proportion_interval(sums_of([1], 2)) is None
    assert mean_interval(sums_of([1])) is None
    nothing = DealSums(0, 0, 0)
    assert (nothing.mean, proportion_interval(nothing), mean_interval(nothing)) == (None, None, None)


def test_at_zero_and_one_the_interval_counts_the_deals_and_keeps_the_end() -> None:
    low, high = proportion_interval(sums_of([0] * 50, 2)) or (1, 1)
    z = stats.norm.ppf(0.975)
    assert low == 0.0
    assert high == pytest.approx(z * z / (50 + z * z))
    mirrored, end = proportion_interval(sums_of([2] * 50, 2)) or (0, 0)
    assert mirrored == pytest.approx(1 - high)
    assert end == 1.0


def test_more_games_of_the_same_dice_do_not_narrow_the_interval() -> None:
    one, repeated = sums_of([0, 1, 1, 0, 1], 1), sums_of([0, 4, 4, 0, 4], 4)
    assert proportion_interval(one) == pytest.approx(proportion_interval(repeated))


@given(TOTALS, st.sampled_from([0.8, 0.95, 0.99]))
def test_mean_interval_is_students(values: list[int], level: float) -> None:
    bounds = mean_interval(sums_of(values, 3), level)
    means = np.array(values) / 3
    spread = stats.sem(means)
    expected = (
        stats.t.interval(level, len(values) - 1, means.mean(), spread) if spread else [means.mean()] * 2
    )
    assert bounds == pytest.approx(expected, abs=1e-9)


def test_mean_interval_covers_as_often_as_it_says() -> None:
    # 4,000 samples of 12 deals, seed fixed; five standard errors of the coverage are allowed.
    rng = np.random.default_rng(11)
    covered = 0
    for row in rng.integers(0, 1000, (4000, 12)):
        low, high = mean_interval(sums_of(row.tolist())) or (0, 0)
        covered += low <= 499.5 <= high
    assert abs(covered / 4000 - 0.95) < 5 * math.sqrt(0.95 * 0.05 / 4000)


def test_wilson_covers_as_often_as_it_says_for_deals_of_dependent_games() -> None:
    # Half the deals have two games alike; five standard errors and 0.5 % of slack for discreteness.
    rng = np.random.default_rng(12)
    covered = 0
    for _ in range(4000):
        first, fresh, same = rng.random((3, 200)) < np.array([[0.3], [0.3], [0.5]])
        low, high = proportion_interval(DealSums.of(first + np.where(same, first, fresh).astype(int), 2)) or (
            0,
            0,
        )
        covered += low <= 0.3 <= high
    assert abs(covered / 4000 - 0.95) < 5 * math.sqrt(0.95 * 0.05 / 4000) + 0.005


def test_difference_interval_is_students_within_what_is_possible() -> None:
    values = [3, -1, 2, 0, 1, -2]
    assert difference_interval(sums_of(values, 9)) == mean_interval(sums_of(values, 9))
    # Student's would be 0.75 -+ 12.7062 x 0.25.
    assert difference_interval(sums_of([1, 2], 2)) == (-1.0, 1.0)
    assert difference_interval(sums_of([1])) is None


def test_sums_of_long_times_are_exact() -> None:
    times = [1_500_000_000, 2_100_000_001, 7] * 3
    assert sums_of(times).squares == 3 * (1_500_000_000**2 + 2_100_000_001**2 + 49)


def test_deals_that_all_agree_show_no_sure_difference() -> None:
    # Two strategies that are equally good win both games of each of two deals with a chance of 1/8.
    low, high = difference_interval(sums_of([2, 2], 2)) or (1, 1)
    assert (low, high) == (pytest.approx(1 - 2 * (1 - 0.05**0.5)), 1.0)
    assert low < 0
    low, high = difference_interval(sums_of([-2] * 100, 2)) or (1, 1)
    assert (low, high) == (-1.0, pytest.approx(-1 + 2 * (1 - 0.05**0.01)))
    assert difference_interval(sums_of([0] * 100, 2)) == pytest.approx((-0.0295130, 0.0295130), abs=1e-7)


@pytest.mark.parametrize("deals", [2, 5, 20])
@pytest.mark.parametrize("unlike", [0.02, 0.2, 0.5])
def test_few_deals_of_a_shared_dice_match_are_covered(deals: int, unlike: float) -> None:
    # A deal gives one win of two, or now and then both; 4,000 samples, five standard errors of slack.
    rng = np.random.default_rng(14)
    rate, covered = 0.5 + unlike / 2, 0
    for row in rng.random((4000, deals)) < unlike:
        low, high = proportion_interval(DealSums.of(1 + row.astype(int), 2)) or (0, 0)
        covered += low <= rate <= high
    assert covered / 4000 > 0.80


@pytest.mark.parametrize("level", [1e-300, 1 - 2**-53])
def test_bounds_are_finite_at_any_level(level: float) -> None:
    sums = sums_of([1, 0, 2, 1], 2)
    for bounds in (
        proportion_interval(sums, level),
        mean_interval(sums, level),
        difference_interval(sums, level),
    ):
        assert bounds is not None
        assert all(map(math.isfinite, bounds))


@given(st.lists(st.integers(-9, 30), min_size=1, max_size=60), st.sampled_from([0.05, 0.25, 0.5, 0.75, 0.95]))
def test_histogram_figures_are_those_of_the_values(values: list[int], share: float) -> None:
    histogram = histogram_of(values)
    assert (histogram.size, histogram.total) == (len(values), sum(values))
    assert histogram.squares == sum(v * v for v in values)
    assert quantile(histogram, share) == np.quantile(values, share, method="inverted_cdf")
    expected = np.std(values, ddof=1) if len(values) > 1 else None
    assert standard_deviation(histogram) == (None if expected is None else pytest.approx(float(expected)))


@given(
    st.sampled_from([1, 2, 3, 10, 99, 1000, 10**6, 2 * 10**7]),
    st.sampled_from([0.05, 0.25, 0.5, 0.75, 0.95]),
    st.sampled_from([0.0005, 0.025, 0.4, 0.975, 0.9995]),
)
def test_binomial_quantile_is_scipys(trials: int, chance: float, share: float) -> None:
    assert binomial_quantile(share, trials, chance) == int(stats.binom.ppf(share, trials, chance))


def test_quantile_interval_is_the_textbooks_for_twenty_values() -> None:
    # For n = 20 the median lies between the 6th and the 15th value with chance 0.9586.
    assert quantile_interval(histogram_of(list(range(1, 21))), 0.5) == (6, 15)
    assert quantile_interval(histogram_of([3, 4]), 0.5) == (None, None)
    assert quantile_interval(Histogram(0, np.zeros(0, dtype=np.int64)), 0.5) == (None, None)


def test_quantile_interval_widens_with_the_design_effect_only() -> None:
    values = histogram_of(list(range(1, 401)))
    assert quantile_interval(values, 0.5, 0.3) == quantile_interval(values, 0.5)
    low, high = quantile_interval(values, 0.5, 4.0)
    assert (low, high) == (160, 244)  # ranks 40 and 61 of 100, times four


def test_quantile_interval_covers_at_least_as_often_as_it_says() -> None:
    # 2,000 samples of 60 values, seed fixed; five standard errors are allowed below.
    rng = np.random.default_rng(13)
    covered = 0
    for row in rng.integers(0, 100_000, (2000, 60)):
        low, high = quantile_interval(histogram_of(row.tolist()), 0.25)
        covered += low is not None and high is not None and low <= 24_999.5 <= high
    assert covered / 2000 > 0.95 - 5 * math.sqrt(0.95 * 0.05 / 2000)


def test_design_effect_of_repeated_values_is_their_number() -> None:
    values = list(range(200))
    doubled = design_effect(sums_of([2 * v for v in values], 2), histogram_of(values + values))
    assert doubled == pytest.approx(2, rel=0.02)
    assert design_effect(sums_of([4, 4], 2), histogram_of([2, 2, 2, 2])) is None


@pytest.mark.parametrize("level", [0, 1, -0.5, 95])
def test_a_level_outside_0_and_1_is_refused(level: float) -> None:
    with pytest.raises(ValueError, match="lies between 0 and 1"):
        mean_interval(sums_of([1, 2]), level)
