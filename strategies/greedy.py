"""The strategy `greedy`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strategies.lookahead import LookaheadStrategy, Worths
from strategies.strategy import Sheet


@dataclass(frozen=True)
class Greedy(LookaheadStrategy):
    """Plays each turn for the most points on average, and takes the category that pays most.

    Of equal categories it takes the later on the sheet. With `upper` each point in the upper section counts
    that much more: 0.5 leans towards the bonus.
    """

    upper: float = 0.0

    def worths(self, sheet: Sheet) -> Worths:
        """Returns the points, those of the upper section raised by `upper`."""
        weights = np.array([1 + self.upper * category.upper for category in sheet.categories])
        worths: Worths = sheet.scoresheet.points * weights[:, None]
        return worths
