"""The strategy `upper-first`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strategies.lookahead import LookaheadStrategy, Worths
from strategies.strategy import Sheet


@dataclass(frozen=True)
class UpperFirst(LookaheadStrategy):
    """Fills Ones to Sixes first; a lower category only when no upper one is open.

    It plays each turn for the most points on average. Where the rules force a category that pays, a lower one
    is filled earlier if no upper one pays.
    """

    def worths(self, sheet: Sheet) -> Worths:
        """Returns the points; while an upper category is open, any lower one is worth less than its zero."""
        points = sheet.scoresheet.points.astype(np.float64)
        if any(category.upper for category in sheet.open):
            lower = [category.index for category in sheet.categories if not category.upper]
            points[lower] = points[lower] / (points.max() + 1) - 1
        return points
