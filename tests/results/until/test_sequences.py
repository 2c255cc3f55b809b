"""The confidence sequence: its formula against the mixture's integral, and its cover at hundreds of looks."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

from results.statistics import DealSums
from results.until.sequences import half_width, needed_deals, needed_once, sequence_interval


@pytest.mark.parametrize(
    ("deals", "tuned", "level"), [(1000, 500.0, 0.95), (70, 4000.0, 0.9), (10**6, 1e4, 0.975)]
)
def test_the_width_is_where_the_mixture_of_likelihoods_reaches_its_bound(deals, tuned, level):
    """Robbins: the mixture of exp(slope * sum - slope^2 * deals / 2) over slopes exceeds 1 / (1 - level) too seldom."""
    # The mixture that is narrowest at `tuned`, by a search of its own.
    spreads = np.geomspace(0.1, 1000, 200_001)
    widths = np.sqrt((1 + 1 / spreads) * np.log((1 + spreads) / (1 - level) ** 2))
    deviation = math.sqrt(spreads[widths.argmin()] / tuned)
    total = deals * half_width(deals, 1.0, tuned, level)
    centre = total / (deals + 1 / deviation**2)
    width = 1 / math.sqrt(deals + 1 / deviation**2)

    def mixed(slope):
        return math.exp(slope * total - slope**2 * deals / 2) * stats.norm.pdf(slope, 0, deviation)

    mixture, _ = integrate.quad(mixed, centre - 12 * width, centre + 12 * width)
    assert mixture == pytest.approx(1 / (1 - level), rel=1e-4)


def test_the_sequence_is_narrowest_where_it_is_tuned():
    tuned = half_width(1000, 1.0, 1000.0, 0.95)
    assert tuned < min(half_width(1000, 1.0, other, 0.95) for other in (200.0, 900.0, 1100.0, 5000.0))
    assert tuned * math.sqrt(1000) == pytest.approx(3.035, abs=0.001)


def test_needed_deals_are_the_fewest_that_do():
    deals = needed_deals(0.1, 0.7, 300.0, 0.95) or 0
    assert half_width(deals, 0.7, 300.0, 0.95) <= 0.1 < half_width(deals - 1, 0.7, 300.0, 0.95)
    assert needed_deals(0.0, 0.7, 300.0, 0.95) is None
    assert needed_deals(1e-9, 0.7, 300.0, 0.95) is None
    assert needed_once(0.1, 0.7, 0.95) == math.ceil((1.959964 * 7) ** 2)
    assert needed_once(0.1, 0.7, 0.95, 0.9) == math.ceil(((1.959964 + 1.281552) * 7) ** 2)


def test_deals_that_show_no_variance_have_no_interval():
    for sums in (DealSums(0, 0, 0), DealSums(1, 5, 25), DealSums(10**7, 5 * 10**7, 25 * 10**7)):
        assert sequence_interval(sums, 100.0, 0.95) is None


def test_the_sequence_holds_at_hundreds_of_looks_where_the_usual_interval_doesnt():
    """1,000 fair matches of 12,000 deals, looked at every 30 deals: wins, losses and even deals as in real games.

    Fixed seed; the share that is ever wrong is at most 5 % by more than 5 standard errors of a share of 5 %.
    """
    draws = np.random.default_rng(5).choice(np.array([-1, 0, 0, 1], np.int8), (1000, 400, 30))
    deals = 30 * np.arange(1, 401)
    totals = draws.sum(axis=2, dtype=np.int64).cumsum(axis=1)
    unlike = (draws != 0).sum(axis=2).cumsum(axis=1)
    deviation = np.sqrt((unlike - totals**2 / deals) / (deals - 1))
    widths = np.array([half_width(int(n), 1.0, 1200.0, 0.95) for n in deals])
    begun = unlike >= 1000
    wrong = (begun & (np.abs(totals / deals) > deviation * widths)).any(axis=1).mean()
    usual = (begun & (np.abs(totals / deals) > 1.96 * deviation / np.sqrt(deals))).any(axis=1).mean()
    assert 0.005 < wrong <= 0.05 + 5 * math.sqrt(0.05 * 0.95 / 1000)
    assert usual > 0.2
