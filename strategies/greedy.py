"""The strategy `greedy`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from strategies.lookahead import LookaheadStrategy, Worths
from strategies.strategy import Scoresheet, Sheet


@dataclass(frozen=True)
class Greedy(LookaheadStrategy):
    """Plays each turn for the most points on average, and takes the category that pays most.

    Of equal categories it takes the later on the sheet. With `upper` each point in the upper section counts
    that much more: 0.5 leans towards the bonus.
    """

    upper: float = 0.0

    def worths(self, sheet: Sheet) -> Worths:
        """Returns the points, those of the upper section raised by `upper`."""
        return _build_worths(sheet.scoresheet, self.upper)


@lru_cache(maxsize=64)
def _build_worths(scoresheet: Scoresheet, upper: float) -> Worths:
    weights = np.array([1 + upper * category.upper for category in scoresheet.categories])
    worths: Worths = scoresheet.points * weights[:, None]
    return worths
