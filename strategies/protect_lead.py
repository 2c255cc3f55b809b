"""The strategy `protect-lead`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from strategies.bettor import Bettor, Table, check_least


@dataclass(frozen=True)
class ProtectLead(Bettor):
    """Stakes `stake` chips, or the nearest that is allowed, but the least that is allowed to keep a lead: one of more
    than half of the chips at the start always, one of more than a tenth in the last 2 x `last` rounds, and a smaller
    one in the last `last` rounds.
    """  # noqa: D205 - the whole rule is the first paragraph

    stake: int = 5
    last: int = 15
    sees = ("lead", "rounds_left")

    def __post_init__(self) -> None:
        check_least("stake", self.stake)
        check_least("last", self.last, 0)

    def plan(self, table: Table) -> npt.NDArray[np.int64]:
        """Returns the minimum where there is a lead to keep, else the stake."""
        ahead = np.maximum(table.lead, 0)
        last = min(self.last, table.rounds)
        kept_for = np.array([0, last, 2 * last, table.rounds])[ahead]
        return np.where(table.rounds_left <= kept_for, table.minimum, table.nearest(self.stake))
