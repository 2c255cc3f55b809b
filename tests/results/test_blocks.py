import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from results.blocks import MOST_BLOCKS, BlockSums, block_count, block_starts
from results.statistics import DealSums, mean_interval, proportion_interval

DEALS = 700


def counted(above, below=1, cuts=(0, 300, 310, DEALS), deals=DEALS):
    sums = BlockSums(deals)
    for start, stop in itertools.pairwise(cuts):
        under = below if isinstance(below, int) else below[start:stop]
        sums.add(range(start, stop), above[start:stop], under)
    return sums


def test_every_deal_is_in_the_block_that_its_number_says():
    for deals in (1, 7, 999, 1000, 1001, 123_457):
        blocks, starts = block_starts(range(deals), deals)
        assert blocks.tolist() == list(range(block_count(deals)))
        sizes = np.diff(np.r_[starts, deals])
        assert sizes.max() - sizes.min() <= 1
    assert block_count(123_457) == MOST_BLOCKS


def test_sums_do_not_hang_on_how_the_deals_are_cut():
    rng = np.random.default_rng(3)
    above, below = rng.integers(-50, 60, 5003), rng.integers(0, 3, 5003)
    whole = counted(above, below, (0, 5003), 5003)
    for cuts in ((0, 1, 2, 3, 2500, 5003), (0, 4999, 5003)):
        parts = counted(above, below, cuts, 5003)
        assert parts.above.tolist() == whole.above.tolist()
        assert parts.below.tolist() == whole.below.tolist()
    estimate = whole.estimate()
    assert estimate.value == pytest.approx(float(Fraction(int(above.sum()), int(below.sum()))))
    assert estimate.observations == below.sum()


def test_a_mean_over_single_deals_is_students():
    values = np.random.default_rng(1).integers(0, 100, DEALS)
    estimate = counted(values).estimate()
    assert estimate.interval() == pytest.approx(mean_interval(DealSums.of(values)))
    assert estimate.error == pytest.approx(stats.sem(values))


def test_a_difference_is_paired_deal_by_deal():
    rng = np.random.default_rng(2)
    one = rng.integers(0, 100, DEALS)
    other = one + rng.integers(-3, 4, DEALS)
    paired = counted(one).estimate() - counted(other).estimate()
    assert paired.interval() == pytest.approx(mean_interval(DealSums.of(one - other)))
    assert (counted(one).estimate() - counted(one).estimate()).error == 0


def test_a_ratio_has_the_error_of_the_jackknife():
    rng = np.random.default_rng(4)
    below = rng.integers(0, 4, DEALS)
    above = below * 5 + rng.integers(-2, 3, DEALS)
    left_out = (above.sum() - above) / (below.sum() - below)
    spread = (DEALS - 1) / DEALS * ((left_out - left_out.mean()) ** 2).sum()
    assert counted(above, below).estimate().error == pytest.approx(spread**0.5, rel=0.02)


def test_a_function_has_the_error_of_its_linear_part():
    values = np.random.default_rng(5).integers(1, 9, DEALS)
    estimate = counted(values).estimate()
    assert (estimate * 3.0 + 2).error == pytest.approx(3 * estimate.error)
    assert estimate.mapped(estimate.value**2, 2 * estimate.value).error == pytest.approx(
        2 * estimate.value * estimate.error
    )
    assert (-estimate).interval() == pytest.approx([-bound for bound in reversed(estimate.interval())])


def test_a_rate_has_wilsons_interval_with_the_effective_trials():
    hits = (np.random.default_rng(6).random(DEALS) < 0.04).astype(np.int64)
    estimate = counted(hits).estimate()
    # Student's quantile with 699 degrees of freedom in place of the normal one, which differ by less than 0.2 %.
    assert estimate.rate_interval() == pytest.approx(proportion_interval(DealSums.of(hits)), rel=3e-3)


def test_a_rate_where_all_agree_is_not_sure():
    never = counted(np.zeros(DEALS, np.int64)).estimate()
    low, high = never.rate_interval()
    assert low == 0
    assert 0.003 < high < 0.006
    difference = (never - never).interval(least=-1.0)
    assert difference[0] < 0 < difference[1]
    assert never.interval() is None


def test_nothing_counted_is_no_figure():
    assert counted(np.zeros(DEALS, np.int64), 0).estimate() is None
    assert counted(np.ones(1, np.int64), 1, (0, 1), 1).estimate().interval() is None


def test_intervals_cover_as_often_as_they_say():
    # 2,000 simulations of a ratio with skewed denominators; five standard errors of a share of 95 % are 2.44 points.
    rng = np.random.default_rng(7)
    covered = 0
    for _ in range(2000):
        below = rng.integers(0, 3, 400)
        above = rng.binomial(below, 0.3)
        low, high = counted(above, below, (0, 400), 400).estimate().rate_interval()
        covered += low <= 0.3 <= high
    assert abs(covered / 2000 - 0.95) < 0.0244
