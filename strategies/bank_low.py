"""The strategy `bank-low`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sim.scoring import build_points
from sim.worth import build_aim_worth
from strategies.lookahead import LookaheadStrategy, Worths
from strategies.strategy import Scoresheet, Sheet

#: Orders entries that count the same without outweighing a whole point.
HAIR = 1e-4
LOW = 2


@dataclass(frozen=True)
class BankLow(LookaheadStrategy):
    """Plays for the most points, but puts a poor roll in Ones or Twos rather than a zero in something dear.

    The two upper categories that can pay least count as `poor` points at least. Of the two it takes the one
    that falls less short of its usual worth.
    """

    poor: float = 8.0

    def worths(self, sheet: Sheet) -> Worths:
        """Returns the points, in the two lowest upper categories `poor` at least."""
        return _build_worths(sheet.scoresheet, self.poor)


@lru_cache(maxsize=64)
def _build_worths(scoresheet: Scoresheet, poor: float) -> Worths:
    worths = scoresheet.points.astype(np.float64)
    low = list(lowest_upper(scoresheet))
    short = worths[low] - build_aim_worth(scoresheet.ruleset)[low, None]
    worths[low] = np.maximum(worths[low], poor + HAIR * short)
    return worths


@lru_cache(maxsize=64)
def lowest_upper(scoresheet: Scoresheet) -> tuple[int, ...]:
    """Returns the indices of the two upper categories that can pay least, or of all where there are fewer."""
    upper = [category.index for category in scoresheet.categories if category.upper]
    most = build_points(scoresheet.ruleset).max(axis=1)
    return tuple(sorted(upper, key=lambda index: int(most[index]))[:LOW])
