"""What is known of a measure under one ruleset: its value, its interval, and how it differs from another's."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from results.balance.measure import Fields
from results.blocks import Estimate
from results.ratios import LEAST_RATIO_DEALS
from results.statistics import Interval

Bounds = tuple[float, float]


@dataclass(frozen=True)
class Reading:
    """A measure under one ruleset.

    `estimate` is None where nothing was there to count, and `why_absent` says why. `bounds` are what the value lies
    between, where it has such. A value that was picked among `picks` for what it shows has an interval at which all of
    them hold together (Bonferroni). `fixed` says that the rules allow no other value. `places` are the estimates of all
    seats where the value is that of one, `place`: it is compared with the same seat's under another ruleset.
    `replicates` stand in for the error of a value that has no linear part. `sums` are what is averaged, by block: where
    few blocks differ from another ruleset's, the rare large difference may be missing among them. `level_chance` is the
    p-value of all being alike, when the value is its upper bound, which resamples hardly ever reach. There is no
    interval with fewer than `least_n` observations: they may all agree by chance, or miss what is rare.
    """

    estimate: Estimate | None = None
    n: int = 0
    bounds: Bounds | None = None
    picks: int = 1
    fixed: bool = False
    fields: Fields = field(default_factory=dict)
    why_absent: str = ""
    place: int | None = None
    places: tuple[Estimate, ...] = ()
    replicates: npt.NDArray[np.float64] | None = None
    sums: npt.NDArray[np.int64] | None = None
    level_chance: float = 0.0
    least_n: int = LEAST_RATIO_DEALS

    @property
    def value(self) -> float | None:
        """The value, or None."""
        return None if self.estimate is None else self.estimate.value

    def interval(self, level: float) -> Interval | None:
        """Return the interval at a level of confidence, or None where too little is known."""
        estimate = self.estimate
        if estimate is None:
            return None
        if self.fixed:
            return estimate.value, estimate.value
        if self.replicates is not None:
            low, high = _reflected(self.replicates, estimate.value, level)
            if self.bounds is None:
                return low, high
            least, most = self.bounds
            return max(least, low), most if self.level_chance > 1 - level else min(most, high)
        if self.n < self.least_n:
            return None
        estimate = replace(estimate, deals=min(estimate.deals, self.n))
        level = 1 - (1 - level) / self.picks
        if self.bounds is None:
            return estimate.interval(level)
        if self.bounds == (0.0, 1.0):
            return estimate.rate_interval(level)
        return estimate.interval(level, *self.bounds)

    def less(self, base: "Reading") -> "Reading":
        """Return by how much the value exceeds that under a base, paired on the deals that both have."""
        own, other = self.estimate, base.estimate
        if own is None or other is None:
            return Reading()
        if self.place is not None:
            if self.place >= len(base.places):
                return Reading()
            other = base.places[self.place]
        width = None if self.bounds is None else max(map(abs, self.bounds))
        replicates = (
            None if self.replicates is None or base.replicates is None else self.replicates - base.replicates
        )
        difference, n = own - other, min(self.n, base.n)
        if self.sums is not None and base.sums is not None and difference.error:
            n = min(n, int(np.count_nonzero(self.sums != base.sums)))
        return Reading(
            difference,
            n,
            None if width is None else (-width, width),
            max(self.picks, base.picks),
            self.fixed and base.fixed,
            replicates=replicates,
            least_n=max(self.least_n, base.least_n),
        )

    def is_shown(self, level: float) -> bool:
        """Return whether the value is shown to differ from 0."""
        interval = self.interval(level)
        return interval is not None and not interval[0] <= 0 <= interval[1]


Readings = Mapping[str, Reading]
"""What is known under one ruleset, by measure."""


def absent(reason: str) -> Reading:
    """Return what is said of a measure that a ruleset doesn't have."""
    return Reading(why_absent=reason)


def _reflected(replicates: npt.NDArray[np.float64], value: float, level: float) -> Interval:
    """Return the interval of a bootstrap by percentiles, with what these are when they are reflected at the value.

    Where the value is near a bound, resamples lie on the inner side of it, and the truth may lie on the other.
    Source: Davison and Hinkley (1997), Bootstrap Methods and their Application, sections 5.2 and 5.3.
    """
    low, high = np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2], method="inverted_cdf")
    return min(float(low), 2 * value - float(high)), max(float(high), 2 * value - float(low))
