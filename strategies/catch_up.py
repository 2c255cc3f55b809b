"""The strategy `catch-up`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sim.ceelo.views import lead_limits
from strategies.bettor import Bettor, Table, check_least


@dataclass(frozen=True)
class CatchUp(Bettor):
    """Stakes little while it is not behind; behind, the more, the more it lacks and the fewer rounds are left.

    It stakes what it lacks divided by the square root of the rounds left, rounded up: so far do as many even bets
    usually carry. What it lacks is taken to be a tenth of the chips at the start, half of them or all of them, the
    first of these that is enough, or all.
    """

    stake: int = 1
    sees = ("lead", "rounds_left")

    def __post_init__(self) -> None:
        check_least("stake", self.stake)

    def plan(self, table: Table) -> npt.NDArray[np.int64]:
        """Returns what is lacking, spread over the rounds left as chance spreads."""
        lacking = np.array([0, *lead_limits(table.ruleset), table.start])[np.maximum(-table.lead, 0)]
        needed: npt.NDArray[np.float64] = np.ceil(lacking / np.sqrt(table.rounds_left))
        return table.nearest(np.maximum(needed, min(self.stake, table.maximum)))
