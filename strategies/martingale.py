"""The strategy `martingale`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from strategies.bettor import Bettor, Table, check_least


@dataclass(frozen=True)
class Martingale(Bettor):
    """Doubles its stake after each lost bet, and goes back to `stake` after a won one; after a push it stands.

    It never stakes more than the most that is allowed, and ten lost bets in a row or more count as ten.
    """

    stake: int = 1
    sees = ("streak",)

    def __post_init__(self) -> None:
        check_least("stake", self.stake)

    def plan(self, table: Table) -> npt.NDArray[np.int64]:
        """Returns the stake doubled once for each lost bet of the streak."""
        lost: npt.NDArray[np.int64] = np.maximum(-table.streak, 0)
        return table.nearest(min(self.stake, table.maximum) << lost)
