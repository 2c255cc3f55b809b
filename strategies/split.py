"""The strategy `split`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.dice import ROLLS
from strategies.aims import best_aims, build_aims, masks_for_two
from strategies.lookahead import best_choices
from strategies.strategy import Plan, Sheet, Strategy


@dataclass(frozen=True)
class Split(Strategy):
    """Keeps two aims alive: keeps the dice that serve the two most promising categories best on average.

    A category promises the mean of pursuing it alone from these dice, less the mean of a whole turn spent on it.
    The roll is entered where it pays most above that usual worth.
    """

    def plan(self, sheet: Sheet) -> Plan:
        """Returns the keeps with the highest mean of the two best aims' values."""
        aims = build_aims(sheet.ruleset)
        net = aims.best - aims.usual
        first = best_aims(net, sheet.open_indices)
        second = first
        if len(sheet.open_indices) > 1:
            others = net.copy()
            np.put_along_axis(others, first[..., None], -np.inf, axis=2)
            second = best_aims(others, sheet.open_indices)
        keeps = np.empty((len(net), len(ROLLS)), np.uint8)
        for throw in range(len(net)):
            keeps[throw] = masks_for_two(aims, throw, first[throw], second[throw])
        return Plan(keeps, best_choices(sheet.scoresheet.points - aims.usual[:, None], sheet))
