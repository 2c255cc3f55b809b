"""The strategy `par`."""

from __future__ import annotations

from dataclasses import dataclass

from sim.worth import build_aim_worth
from strategies.lookahead import LookaheadStrategy, Worths
from strategies.strategy import Sheet


@dataclass(frozen=True)
class Par(LookaheadStrategy):
    """Plays for the most points above what each category is usually worth.

    The usual worth is the mean of a turn spent on that category alone; `scale` multiplies it.
    """

    scale: float = 1.0

    def worths(self, sheet: Sheet) -> Worths:
        """Returns the points less the usual worth of the category."""
        usual = build_aim_worth(sheet.ruleset)
        return sheet.scoresheet.points - self.scale * usual[:, None]
