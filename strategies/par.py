"""The strategy `par`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from sim.worth import build_aim_worth
from strategies.lookahead import LookaheadStrategy, Worths
from strategies.strategy import Scoresheet, Sheet


@dataclass(frozen=True)
class Par(LookaheadStrategy):
    """Plays for the most points above what each category is usually worth.

    The usual worth is the mean of a turn spent on that category alone; `scale` multiplies it.
    """

    scale: float = 1.0

    def worths(self, sheet: Sheet) -> Worths:
        """Returns the points less the usual worth of the category."""
        return _build_worths(sheet.scoresheet, self.scale)


@lru_cache(maxsize=64)
def _build_worths(scoresheet: Scoresheet, scale: float) -> Worths:
    worths: Worths = scoresheet.points - scale * build_aim_worth(scoresheet.ruleset)[:, None]
    return worths
