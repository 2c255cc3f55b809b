"""The strategy `upper-first`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from strategies.lookahead import LookaheadStrategy, Worths
from strategies.strategy import Scoresheet, Sheet


@dataclass(frozen=True)
class UpperFirst(LookaheadStrategy):
    """Fills Ones to Sixes first; a lower category only when no upper one is open.

    It plays each turn for the most points on average. Where the rules force a category that pays, a lower one
    is filled earlier if no upper one pays.
    """

    def worths(self, sheet: Sheet) -> Worths:
        """Returns the points; while an upper category is open, any lower one is worth less than its zero."""
        return _build_worths(sheet.scoresheet, any(category.upper for category in sheet.open))


@lru_cache(maxsize=64)
def _build_worths(scoresheet: Scoresheet, upper_is_open: bool) -> Worths:
    worths = scoresheet.points.astype(np.float64)
    if upper_is_open:
        lower = [category.index for category in scoresheet.categories if not category.upper]
        worths[lower] = worths[lower] / (worths.max() + 1) - 1
    return worths
