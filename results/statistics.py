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
        return cls(len(wide), int(wide.sum()), sum_of_products(wide, wide), weight)

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
    that of `agreeing_interval`. None for fewer than two deals.
    Sources: Wilson (1927), JASA 22, 209-212; Korn and Graubard (1998), Survey Methodology 24, 193-201.
    """
    rate = sums.mean
    if rate is None or sums.deals < 2:
        return None
    trials = effective_deals(sums)
    if trials is None:
        return (rate, rate) if fixed else agreeing_interval(rate, 0.0, sums.deals, level)
    z = -float(special.ndtri(tail_chance(level)))
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
    half = -float(special.stdtrit(sums.deals - 1, tail_chance(level))) * math.sqrt(variance)
    return mean - half, mean + half


def difference_interval(sums: DealSums, level: float = 0.95) -> Interval | None:
    """Return the interval of a mean difference of two rates: Student's, within -1 and 1.

    Where all deals agree, it is that of `agreeing_interval`. None for fewer than two deals.
    """
    mean, bounds = sums.mean, mean_interval(sums, level)
    if mean is None or bounds is None:
        return None
    if sums.spread == 0:
        return agreeing_interval(mean, -1.0, sums.deals, level)
    return max(-1.0, bounds[0]), min(1.0, bounds[1])


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
    tail = tail_chance(level)
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


def sum_of_products(one: npt.NDArray[np.int64], other: npt.NDArray[np.int64]) -> int:
    """Return the exact sum of the products of two rows of totals, however large it is."""
    first = _largest(one)
    if first * (first if other is one else _largest(other)) * len(one) < 1 << 63:
        return int(np.dot(one, other))
    # Long games in milliseconds: Python's integers have no end.
    return int(np.dot(one.astype(object), other.astype(object)))


def agreeing_interval(value: float, least: float, deals: int, level: float) -> Interval:
    """Return the interval of a mean between `least` and 1 where every deal shows the same value.

    So many alike are seen with a chance of at most 1 - level if a share of more than 1 - (1 - level)^(1/deals)
    of all deals is unlike; as much may be missing from the value, or come to it.
    Source: Hanley and Lippman-Hand (1983), JAMA 249, 1743-1745, the rule of three.
    """
    unlike = 1 - (1 - level) ** (1 / deals)
    return value - (value - least) * unlike, value + (1 - value) * unlike


def tail_chance(level: float) -> float:
    """Return what a level of confidence leaves on either side; ValueError where it is none."""
    if not 0 < level < 1:
        raise ValueError(f"The level is {level}; it lies between 0 and 1, such as 0.95.")
    # The lower tail, as the upper one is rounded to 1 at a level very near 1.
    return (1 - level) / 2


def _largest(values: npt.NDArray[np.int64]) -> int:
    return max(int(values.max(initial=0)), -int(values.min(initial=0)))


def _binomial_cdf(successes: int, trials: int, chance: float) -> float:
    # By the incomplete beta function: special.bdtr loses digits at many millions of trials.
    return (
        1.0 if successes >= trials else float(special.betainc(trials - successes, successes + 1, 1 - chance))
    )
