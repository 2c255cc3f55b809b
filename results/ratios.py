"""Ratios of two totals over deals, with their errors; the deal is the unit, as everywhere."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from scipy import special

from results.statistics import DealSums, Interval, agreeing_interval, sum_of_products, tail_chance

LEAST_RATIO_DEALS = 10
"""Deals that count, below which a ratio has no interval.

The variance of a ratio is right for many deals only. A few deals may miss the rare large gains altogether, or agree
by chance: the interval then comes out too narrow, down to no width at all.
"""


@dataclass(frozen=True)
class RatioSums:
    """Integer sums of two totals over deals, of their squares and of their product, for the ratio of the totals.

    Deals where both are 0, as the gains of steals and the steals of a deal without any, say nothing of the ratio
    and are left out: among the others it is the same.
    """

    numerator: DealSums
    denominator: DealSums
    products: int

    @classmethod
    def of(
        cls,
        numerators: npt.NDArray[np.integer],
        denominators: npt.NDArray[np.integer],
        weights: tuple[int, int] = (1, 1),
    ) -> "RatioSums":
        """Sum the totals of deals; `weights` are what the two are divided by to be in their units."""
        counted = (numerators != 0) | (denominators != 0)
        above, below = (totals[counted].astype(np.int64) for totals in (numerators, denominators))
        products = sum_of_products(above, below)
        return cls(DealSums.of(above, weights[0]), DealSums.of(below, weights[1]), products)

    def __add__(self, other: "RatioSums") -> "RatioSums":
        numerator, denominator = self.numerator + other.numerator, self.denominator + other.denominator
        return RatioSums(numerator, denominator, self.products + other.products)

    @property
    def ratio(self) -> float | None:
        """The ratio of the totals; None where the denominators come to 0."""
        above, below = self.numerator, self.denominator
        return above.total * below.weight / (below.total * above.weight) if below.total else None


def ratio_interval(sums: RatioSums, level: float = 0.95, least: float | None = None) -> Interval | None:
    """Return Student's interval of a ratio of totals over deals, with the variance of its linear part.

    Of a ratio that can't leave `least` to 1, the interval stays within, and is that of `agreeing_interval` where
    all deals agree; of another ratio nothing is known then, so it is None. None for fewer than `LEAST_RATIO_DEALS`
    deals that count, and without a denominator.
    Source: Cochran (1977), Sampling Techniques, third edition, chapter 6, the ratio estimate.
    """
    deals, ratio, error = sums.numerator.deals, sums.ratio, ratio_error(sums)
    if ratio is None or error is None:
        return None
    if error == 0:
        return None if least is None else agreeing_interval(ratio, least, deals, level)
    half = -float(special.stdtrit(deals - 1, tail_chance(level))) * error
    low, high = ratio - half, ratio + half
    return (low, high) if least is None else (max(least, low), min(1.0, high))


def ratio_error(sums: RatioSums) -> float | None:
    """Return the standard error of a ratio of totals over deals: that of its linear part, 0 where all deals agree.

    None for fewer than `LEAST_RATIO_DEALS` deals that count, and without a denominator.
    Source: Cochran (1977), Sampling Techniques, third edition, chapter 6, the ratio estimate.
    """
    deals, above, below = sums.numerator.deals, sums.numerator, sums.denominator
    if not below.total or deals < LEAST_RATIO_DEALS:
        return None
    # The sum of the squares of above - ratio x below, times the square of the denominators' total: an integer.
    spread = (
        below.total**2 * above.squares
        - 2 * above.total * below.total * sums.products
        + above.total**2 * below.squares
    )
    return math.sqrt(deals * spread / ((deals - 1) * below.total**4)) * below.weight / above.weight


def ratio_z(sums: RatioSums, exact: Fraction) -> float | None:
    """Return how many standard errors a ratio of totals lies above its exact value; None where there is no error."""
    ratio, error = sums.ratio, ratio_error(sums)
    return (ratio - float(exact)) / error if ratio is not None and error else None
