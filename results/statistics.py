"""Intervals from exact integer sums; the deal is the unit of every standard error.

Games of one deal share their dice, so they are summed within the deal first, and only deals count as
independent. Nothing here returns nan or inf: what is undefined, as a spread over one deal, is None.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from scipy import special

Interval = tuple[float, float]

LEAST_RATIO_DEALS = 10
"""Deals that count, below which a ratio has no interval.

The variance of a ratio is right for many deals only. A few deals may miss the rare large gains altogether, or agree
by chance: the interval then comes out too narrow, down to no width at all.
"""


@dataclass(frozen=True)
class DealSums:
    """Integer sums over deals: of a total for each deal, and of its square.

    `weight` is what a deal's total is divided by to be the deal's mean: its observations times their unit.
    """

    deals: int
    total: int
    squares: int
    weight: int = 1

    @classmethod
    def of(cls, totals: npt.NDArray[np.integer], weight: int = 1) -> "DealSums":
        """Sum the totals of deals, one value for each deal; their sum must fit 63 bits."""
        wide = totals.astype(np.int64, copy=False)
        return cls(len(wide), int(wide.sum()), _sum_of_products(wide, wide), weight)

    def __add__(self, other: "DealSums") -> "DealSums":
        if self.weight != other.weight:
            raise ValueError(f"Sums of weight {self.weight} and {other.weight} can't be added.")
        deals = self.deals + other.deals
        return DealSums(deals, self.total + other.total, self.squares + other.squares, self.weight)

    @property
    def mean(self) -> float | None:
        """The mean over deals; None without a deal."""
        return self.total / (self.deals * self.weight) if self.deals else None

    @property
    def spread(self) -> int:
        """The spread of the deals, deals x squares - total^2: 0 exactly when all deals agree."""
        return self.deals * self.squares - self.total**2

    @property
    def variance_of_mean(self) -> float | None:
        """The variance of the deal means over the number of deals; None with fewer than two deals."""
        if self.deals < 2:
            return None
        return self.spread / (self.deals**2 * (self.deals - 1) * self.weight**2)


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
        products = _sum_of_products(above, below)
        return cls(DealSums.of(above, weights[0]), DealSums.of(below, weights[1]), products)

    def __add__(self, other: "RatioSums") -> "RatioSums":
        numerator, denominator = self.numerator + other.numerator, self.denominator + other.denominator
        return RatioSums(numerator, denominator, self.products + other.products)

    @property
    def ratio(self) -> float | None:
        """The ratio of the totals; None where the denominators come to 0."""
        above, below = self.numerator, self.denominator
        return above.total * below.weight / (below.total * above.weight) if below.total else None


@dataclass(frozen=True)
class Histogram:
    """How often each integer occurs: `counts[k]` times the value `low + k`."""

    low: int
    counts: npt.NDArray[np.int64]

    @property
    def size(self) -> int:
        """How many values there are."""
        return int(self.counts.sum())

    @property
    def total(self) -> int:
        """The sum of all values."""
        return sum(value * count for value, count in self.items())

    @property
    def squares(self) -> int:
        """The sum of the squares of all values."""
        return sum(value * value * count for value, count in self.items())

    def items(self) -> list[tuple[int, int]]:
        """Return (value, count) for each value that occurs, in ascending order."""
        return [(self.low + int(k), int(self.counts[k])) for k in np.flatnonzero(self.counts)]

    def ranked(self, rank: int) -> int:
        """Return the value of a rank, the smallest value having rank 1."""
        return self.low + int(np.searchsorted(np.cumsum(self.counts), rank))


def effective_deals(sums: DealSums) -> float | None:
    """Return how many independent yes/no trials carry as much as these deals: p(1-p) over the variance of p.

    A p of 0 or 1 shows no variance, so it counts its deals. None for fewer than two deals, and where all
    deals agree on a p between.
    Source: Kish (1965), Survey Sampling, section 8.2, the effective sample size.
    """
    if sums.deals < 2:
        return None
    observations = sums.deals * sums.weight
    if sums.total in (0, observations):
        return float(sums.deals)
    if sums.spread == 0:
        return None
    return sums.total * (observations - sums.total) * (sums.deals - 1) / sums.spread


def proportion_interval(sums: DealSums, level: float = 0.95, fixed: bool = False) -> Interval | None:
    """Return Wilson's interval of a rate, with the effective number of deals in place of the trials.

    Where all deals agree on a p between 0 and 1, it is [p, p] for a rate that the rules fix (`fixed`), and else
    that of `_agreeing_interval`. None for fewer than two deals.
    Sources: Wilson (1927), JASA 22, 209-212; Korn and Graubard (1998), Survey Methodology 24, 193-201.
    """
    rate = sums.mean
    if rate is None or sums.deals < 2:
        return None
    trials = effective_deals(sums)
    if trials is None:
        return (rate, rate) if fixed else _agreeing_interval(rate, 0.0, sums.deals, level)
    z = -float(special.ndtri(_tail(level)))
    shrink = 1 + z * z / trials
    centre = (rate + z * z / (2 * trials)) / shrink
    half = z / shrink * math.sqrt(rate * (1 - rate) / trials + (z / (2 * trials)) ** 2)
    # At 0 and 1 the bound is that very value; rounding must not move it off.
    low = 0.0 if sums.total == 0 else max(0.0, centre - half)
    high = 1.0 if sums.total == sums.deals * sums.weight else min(1.0, centre + half)
    return low, high


def mean_interval(sums: DealSums, level: float = 0.95) -> Interval | None:
    """Return Student's interval of a mean over deals; None for fewer than two deals.

    Source: Student (1908), Biometrika 6, 1-25.
    """
    mean, variance = sums.mean, sums.variance_of_mean
    if mean is None or variance is None:
        return None
    half = -float(special.stdtrit(sums.deals - 1, _tail(level))) * math.sqrt(variance)
    return mean - half, mean + half


def difference_interval(sums: DealSums, level: float = 0.95) -> Interval | None:
    """Return the interval of a mean difference of two rates: Student's, within -1 and 1.

    Where all deals agree, it is that of `_agreeing_interval`. None for fewer than two deals.
    """
    mean, bounds = sums.mean, mean_interval(sums, level)
    if mean is None or bounds is None:
        return None
    if sums.spread == 0:
        return _agreeing_interval(mean, -1.0, sums.deals, level)
    return max(-1.0, bounds[0]), min(1.0, bounds[1])


def ratio_interval(sums: RatioSums, level: float = 0.95, least: float | None = None) -> Interval | None:
    """Return Student's interval of a ratio of totals over deals, with the variance of its linear part.

    Of a ratio that can't leave `least` to 1, the interval stays within, and is that of `_agreeing_interval` where
    all deals agree; of another ratio nothing is known then, so it is None. None for fewer than `LEAST_RATIO_DEALS`
    deals that count, and without a denominator.
    Source: Cochran (1977), Sampling Techniques, third edition, chapter 6, the ratio estimate.
    """
    deals, ratio = sums.numerator.deals, sums.ratio
    if ratio is None or deals < LEAST_RATIO_DEALS:
        return None
    above, below = sums.numerator, sums.denominator
    # The sum of the squares of above - ratio x below, times the square of the denominators' total: an integer.
    spread = (
        below.total**2 * above.squares
        - 2 * above.total * below.total * sums.products
        + above.total**2 * below.squares
    )
    if spread == 0:
        return None if least is None else _agreeing_interval(ratio, least, deals, level)
    error = math.sqrt(deals * spread / ((deals - 1) * below.total**4)) * below.weight / above.weight
    half = -float(special.stdtrit(deals - 1, _tail(level))) * error
    low, high = ratio - half, ratio + half
    return (low, high) if least is None else (max(least, low), min(1.0, high))


def standard_deviation(histogram: Histogram) -> float | None:
    """Return the sample standard deviation (n - 1 below) of single values; None for fewer than two."""
    size = histogram.size
    if size < 2:
        return None
    return math.sqrt((size * histogram.squares - histogram.total**2) / (size * (size - 1)))


def design_effect(sums: DealSums, histogram: Histogram) -> float | None:
    """Return the variance of a mean over deals, over what independent values would have.

    None where there is no variance, or fewer than two deals.
    Source: Kish (1965), Survey Sampling, section 8.2.
    """
    deviation, variance = standard_deviation(histogram), sums.variance_of_mean
    if not deviation or variance is None:
        return None
    return variance * histogram.size / deviation**2


def quantile(histogram: Histogram, share: float) -> int | None:
    """Return the smallest value that at least this share of the values does not exceed; None if empty.

    Source: Hyndman and Fan (1996), The American Statistician 50, 361-365, definition 1.
    """
    size = histogram.size
    return histogram.ranked(max(1, math.ceil(Fraction(str(share)) * size))) if size else None


def quantile_interval(
    histogram: Histogram, share: float, effect: float | None = None, level: float = 0.95
) -> tuple[int | None, int | None]:
    """Return the order statistics between which a quantile lies; a bound is None where none is far enough.

    `effect` is the design effect of the values. The ranks are those of size / effect independent values,
    where an effect below 1 counts as 1, so that the interval errs to the wide side.
    Sources: David and Nagaraja (2003), Order Statistics, section 7.1; Woodruff (1952), JASA 47, 635-646.
    """
    size = histogram.size
    trials = max(1, math.floor(size / max(1.0, effect or 1.0))) if size else 0
    if not trials:
        return None, None
    tail = _tail(level)
    lower = binomial_quantile(tail, trials, share)
    upper = binomial_quantile(1 - tail, trials, share) + 1
    low = histogram.ranked(max(1, lower * size // trials)) if lower >= 1 else None
    high = histogram.ranked(-(-upper * size // trials)) if upper <= trials else None
    return low, high


def binomial_quantile(share: float, trials: int, chance: float) -> int:
    """Return the smallest number of successes whose cumulative chance is at least `share`."""
    start = special.bdtrik(share, trials, chance)
    successes = trials if math.isnan(start) else min(trials, max(0, math.ceil(start)))
    while successes > 0 and _binomial_cdf(successes - 1, trials, chance) >= share:
        successes -= 1
    while successes < trials and _binomial_cdf(successes, trials, chance) < share:
        successes += 1
    return successes


def _sum_of_products(one: npt.NDArray[np.int64], other: npt.NDArray[np.int64]) -> int:
    first = _largest(one)
    if first * (first if other is one else _largest(other)) * len(one) < 1 << 63:
        return int(np.dot(one, other))
    # Long games in milliseconds: Python's integers have no end.
    return int(np.dot(one.astype(object), other.astype(object)))


def _largest(values: npt.NDArray[np.int64]) -> int:
    return max(int(values.max(initial=0)), -int(values.min(initial=0)))


def _binomial_cdf(successes: int, trials: int, chance: float) -> float:
    # By the incomplete beta function: special.bdtr loses digits at many millions of trials.
    return (
        1.0 if successes >= trials else float(special.betainc(trials - successes, successes + 1, 1 - chance))
    )


def _agreeing_interval(value: float, least: float, deals: int, level: float) -> Interval:
    """Return the interval of a mean between `least` and 1 where every deal shows the same value.

    So many alike are seen with a chance of at most 1 - level if a share of more than 1 - (1 - level)^(1/deals)
    of all deals is unlike; as much may be missing from the value, or come to it.
    Source: Hanley and Lippman-Hand (1983), JAMA 249, 1743-1745, the rule of three.
    """
    unlike = 1 - (1 - level) ** (1 / deals)
    return value - (value - least) * unlike, value + (1 - value) * unlike


def _tail(level: float) -> float:
    if not 0 < level < 1:
        raise ValueError(f"The level is {level}; it lies between 0 and 1, such as 0.95.")
    # The lower tail, as the upper one is rounded to 1 at a level very near 1.
    return (1 - level) / 2
