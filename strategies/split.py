"""The strategy `split`."""

from __future__ import annotations

from dataclasses import dataclass

from strategies.aims import build_aims, build_pair_masks, two_best_aims
from strategies.lookahead import best_choices
from strategies.strategy import Plan, Sheet, Strategy


@dataclass(frozen=True)
class Split(Strategy):
    """Keeps two aims alive: keeps the dice that serve the two most promising categories best on average.

    A category promises the mean of pursuing it alone from these dice, less the mean of a whole turn spent on
    it. The roll is entered where it pays most above that usual worth.
    """

    def plan(self, sheet: Sheet) -> Plan:
        """Returns the keeps with the highest mean of the two best aims' values."""
        aims = build_aims(sheet.scoresheet)
        first, second = two_best_aims(aims, sheet.open_indices)
        keeps = build_pair_masks(sheet.scoresheet)[aims.throws, aims.rolls, first, second]
        return Plan(keeps, best_choices(aims.worths, sheet))
