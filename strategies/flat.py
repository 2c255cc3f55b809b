"""The strategy `flat`."""

from __future__ import annotations

from dataclasses import dataclass

from strategies.bettor import Bettor, Table, check_least


@dataclass(frozen=True)
class Flat(Bettor):
    """Always stakes the same: `stake` chips, or the nearest that is allowed."""

    stake: int = 5

    def __post_init__(self) -> None:
        check_least("stake", self.stake)

    def plan(self, table: Table) -> int:
        """Returns one stake for all tables."""
        return table.nearest(self.stake)
