"""Figures of several matches from sums by block of deals, so that whatever shares its dice is paired.

The deals of a run are cut into at most `MOST_BLOCKS` blocks of deals in a row. Deals are independent, so blocks are,
too; block k has the same dice in every match of one seed. A figure is known by its value and by what each block adds to
its error, so a difference of two figures, of two strategies or of two rulesets, is paired by their mere subtraction.
Source: Cochran (1977), Sampling Techniques, third edition, chapter 6, the ratio estimate and its linear part.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from results.statistics import Interval, agreeing_interval, tail_chance

MOST_BLOCKS = 1000
"""Blocks into which deals are cut: so many that Student's interval over them is as narrow as one over deals."""


def block_count(deals: int) -> int:
    """Return how many blocks some deals are cut into."""
    return min(deals, MOST_BLOCKS)


def block_starts(deals: range, all_deals: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the blocks that a range of deals touches, and where in the range each begins.

    Deal d of `all_deals` is in block d x blocks // all_deals.
    """
    blocks = np.arange(deals.start, deals.stop, dtype=np.int64) * block_count(all_deals) // all_deals
    starts = np.flatnonzero(np.r_[True, blocks[1:] != blocks[:-1]]) if len(blocks) else np.zeros(0, np.int64)
    return blocks[starts], starts


@dataclass(frozen=True)
class Estimate:
    """A figure with its error: `parts[k]` is what block k adds to it beyond the mean of all, to first order.

    Sums, differences and multiples of estimates over the same blocks are estimates, paired by block. `deals` is how
    many deals stand behind it, and `observations` how many there are of what is averaged, which is no error's unit.
    """

    value: float
    parts: npt.NDArray[np.float64]
    deals: int
    observations: int = 0

    @property
    def error(self) -> float | None:
        """The standard error, over blocks; None with fewer than two."""
        blocks = len(self.parts)
        return math.sqrt(blocks / (blocks - 1) * float(self.parts @ self.parts)) if blocks > 1 else None

    def __add__(self, other: "Estimate | float") -> "Estimate":
        if isinstance(other, Estimate):
            return Estimate(self.value + other.value, self.parts + other.parts, min(self.deals, other.deals),
                            min(self.observations, other.observations))  # fmt: skip
        return Estimate(self.value + other, self.parts, self.deals, self.observations)

    def __sub__(self, other: "Estimate | float") -> "Estimate":
        return self + -other

    def __neg__(self) -> "Estimate":
        return self * -1.0

    def __mul__(self, factor: float) -> "Estimate":
        return Estimate(self.value * factor, self.parts * factor, self.deals, self.observations)

    def mapped(self, value: float, slope: float) -> "Estimate":
        """Return a smooth function of the estimate, given its value and its slope there."""
        return Estimate(value, self.parts * slope, self.deals, self.observations)

    def interval(self, level: float = 0.95, least: float | None = None, most: float = 1.0) -> Interval | None:
        """Return Student's interval over blocks; given `least`, it stays within there and `most`.

        A bounded figure whose blocks all agree has the interval of `agreeing_interval`, another one None.
        Source: Student (1908), Biometrika 6, 1-25.
        """
        error = self.error
        if error is None:
            return None
        if error == 0:
            if least is None:
                return None
            scale = most - least
            low, high = agreeing_interval((self.value - least) / scale, 0.0, self.deals, level)
            return least + scale * low, least + scale * high
        half = -float(special.stdtrit(len(self.parts) - 1, tail_chance(level))) * error
        low, high = self.value - half, self.value + half
        return (low, high) if least is None else (max(least, low), min(most, high))

    def rate_interval(self, level: float = 0.95) -> Interval | None:
        """Return Wilson's interval of a rate, with as many trials as would have the same error.

        Source: Wilson (1927), JASA 22, 209-212; Kish (1965), Survey Sampling, section 8.2.
        """
        error = self.error
        if not error or not 0 < self.value < 1:
            return self.interval(level, 0.0)
        rate, z = self.value, -float(special.stdtrit(len(self.parts) - 1, tail_chance(level)))
        trials = rate * (1 - rate) / error**2
        centre, shrink = rate + z * z / (2 * trials), 1 + z * z / trials
        half = z * math.sqrt(rate * (1 - rate) / trials + (z / (2 * trials)) ** 2)
        return max(0.0, (centre - half) / shrink), min(1.0, (centre + half) / shrink)


class BlockSums:
    """Integer sums by block of two totals of deals, for the ratio of the totals."""

    def __init__(self, deals: int) -> None:
        self.deals = deals
        self.above = np.zeros(block_count(deals), np.int64)
        self.below = np.zeros(block_count(deals), np.int64)

    def add(
        self, deals: range, above: npt.NDArray[np.integer], below: "npt.NDArray[np.integer] | int" = 1
    ) -> None:
        """Add the totals of a range of deals, one for each deal; `below` may be the same for all."""
        blocks, starts = block_starts(deals, self.deals)
        under = np.broadcast_to(np.asarray(below, np.int64), (len(deals),))
        self.above[blocks] += np.add.reduceat(above.astype(np.int64, copy=False), starts)
        self.below[blocks] += np.add.reduceat(under, starts)

    def estimate(self, unit: float = 1.0) -> Estimate | None:
        """Return the ratio of the totals, divided by a unit; None where the denominators come to 0."""
        total = int(self.below.sum())
        if not total:
            return None
        ratio = int(self.above.sum()) / total
        parts = (self.above - ratio * self.below) / (total * unit)
        return Estimate(ratio / unit, parts, self.deals, total)
