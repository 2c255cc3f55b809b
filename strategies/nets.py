"""The strategy `nets`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from strategies.lookahead import LookaheadStrategy, Worths
from strategies.strategy import Category, Scoresheet, Sheet


@dataclass(frozen=True)
class Nets(LookaheadStrategy):
    """Plays for the most points, but keeps Chance and Three of a Kind open as nets for a poor roll.

    A category that takes any roll, or any three alike, costs `price` points: it is filled only where all
    others pay that much less.
    """

    price: float = 12.0

    def worths(self, sheet: Sheet) -> Worths:
        """Returns the points, less the price of a net."""
        return _build_worths(sheet.scoresheet, self.price)


@lru_cache(maxsize=64)
def _build_worths(scoresheet: Scoresheet, price: float) -> Worths:
    costs = np.array([price * is_net(category) for category in scoresheet.categories])
    worths: Worths = scoresheet.points - costs[:, None]
    return worths


def is_net(category: Category) -> bool:
    """Tells whether a category takes any roll, or any three alike."""
    return category.pattern.any is True or category.pattern.alike == 3
