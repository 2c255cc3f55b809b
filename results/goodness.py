"""How well counts agree with a law that is known exactly: the chi-square test."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

LEAST_EXPECTED = 5.0
"""Values that a bin has to expect, below which the statistic does not follow the chi-square distribution."""


@dataclass(frozen=True)
class Fit:
    """A chi-square test: its bins and statistic, and the chance of at least such a statistic if the law holds.

    `impossible` counts values that the law has no chance for; with any, the law is refuted and the chance is 0.
    """

    values: int
    bins: int
    statistic: float
    freedom: int
    p_value: float
    impossible: int


def fit_of(counts: Mapping[int, int], low: int, chances: npt.NDArray[np.float64]) -> Fit | None:
    """Return the test of independent values, counted by value, against the law of `chances[k]` for `low + k`.

    Values stand alone in a bin where enough of them are expected, and share one with those beside them else: bins hang
    on the law and on how many values there are, not on what was seen. None where there are fewer than two bins.
    Sources: Pearson (1900), Philosophical Magazine 50, 157-175; Cochran (1954), Biometrics 10, 417-451, for the least
    that is expected.
    """
    total = sum(counts.values())
    seen = np.zeros(chances.size)
    impossible = 0
    for value, count in counts.items():
        place = value - low
        if 0 <= place < chances.size and chances[place] > 0:
            seen[place] += count
        else:
            impossible += count
    expected = chances * total
    firsts = bin_starts(expected)
    if len(firsts) < 2:
        return None
    wanted, found = np.add.reduceat(expected, firsts), np.add.reduceat(seen, firsts)
    statistic, freedom = float(((found - wanted) ** 2 / wanted).sum()), len(firsts) - 1
    p_value = 0.0 if impossible else float(special.chdtrc(freedom, statistic))
    return Fit(total, len(firsts), statistic, freedom, p_value, impossible)


def bin_starts(expected: Sequence[float] | npt.NDArray[np.float64]) -> list[int]:
    """Return where each bin begins, the first at 0, so that every one expects enough; none if all are too few."""
    starts: list[int] = []
    begin, gathered = 0, 0.0
    for place, value in enumerate(expected):
        gathered += value
        if gathered >= LEAST_EXPECTED:
            starts.append(begin)
            begin, gathered = place + 1, 0.0
    # What is left at the end is too little for a bin of its own, and belongs to the last one.
    return starts
