"""The strategy `catch-up`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sim.ceelo.views import lead_limits
from strategies.bettor import Bettor, Table, check_least


@dataclass(frozen=True)
class CatchUp(Bettor):
    """Stakes `stake` chips while it is not behind; behind, what it lacks divided by the square root of the rounds left,
    rounded up, and `stake` at least, as far as is allowed. It takes what it lacks to be a tenth of the chips at the
    start where that is enough, else half of them where that is, else all of them.

    As many even bets of that size as there are rounds left usually carry about so far.
    """  # noqa: D205 - the whole rule is the first paragraph

    stake: int = 1
    sees = ("lead", "rounds_left")

    def __post_init__(self) -> None:
        check_least("stake", self.stake)

    def plan(self, table: Table) -> npt.NDArray[np.int64]:
        """Returns what is lacking, spread over the rounds left as chance spreads."""
        lacking = np.array([0, *lead_limits(table.ruleset), table.start])[np.maximum(-table.lead, 0)]
        needed: npt.NDArray[np.float64] = np.ceil(lacking / np.sqrt(table.rounds_left))
        return table.nearest(np.maximum(needed, min(self.stake, table.maximum)))
