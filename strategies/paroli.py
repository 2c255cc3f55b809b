"""The strategy `paroli`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sim.ceelo.views import MOST_STREAK
from strategies.bettor import Bettor, Table, check_least


@dataclass(frozen=True)
class Paroli(Bettor):
    """Doubles its stake after each won bet; after `wins` of them, or a lost one, it begins again with `stake`.

    After a push the stake stands. Ten won bets in a row or more count as ten.
    """

    stake: int = 5
    wins: int = 3
    sees = ("streak",)

    def __post_init__(self) -> None:
        check_least("stake", self.stake)
        check_least("wins", self.wins)

    def plan(self, table: Table) -> npt.NDArray[np.int64]:
        """Returns the stake doubled once for each bet won since it began."""
        won: npt.NDArray[np.int64] = np.maximum(table.streak, 0) % min(self.wins, MOST_STREAK + 1)
        return table.nearest(min(self.stake, table.maximum) << won)
