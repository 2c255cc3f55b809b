"""The strategy `bank-low`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.worth import build_aim_worth
from strategies.lookahead import LookaheadStrategy, Worths
from strategies.strategy import Sheet

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
        worths = sheet.scoresheet.points.astype(np.float64)
        upper = [category.index for category in sheet.categories if category.upper]
        low = sorted(upper, key=lambda index: float(worths[index].max()))[:LOW]
        short = worths[low] - build_aim_worth(sheet.ruleset)[low, None]
        worths[low] = np.maximum(worths[low], self.poor + HAIR * short)
        return worths
