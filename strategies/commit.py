"""The strategy `commit`."""

from __future__ import annotations

from dataclasses import dataclass

from strategies.aims import build_aims, two_best_aims
from strategies.lookahead import best_choices
from strategies.strategy import Plan, Sheet, Strategy


@dataclass(frozen=True)
class Commit(Strategy):
    """Settles on one aim: keeps the best dice for the one category that promises most, and no other.

    A category promises the mean of pursuing it alone from these dice, less the mean of a whole turn spent on
    it. The roll is entered where it pays most above that usual worth.
    """

    def plan(self, sheet: Sheet) -> Plan:
        """Returns the keeps that are best for the single best aim."""
        aims = build_aims(sheet.scoresheet)
        aim, _ = two_best_aims(aims, sheet.open_indices)
        return Plan(aims.masks[aims.throws, aims.rolls, aim], best_choices(aims.worths, sheet))
