"""The strategy `timid`."""

from __future__ import annotations

from dataclasses import dataclass

from strategies.bettor import Bettor, Table


@dataclass(frozen=True)
class Timid(Bettor):
    """Always stakes the least that is allowed."""

    def stake(self, table: Table) -> int:
        """Returns the minimum."""
        return table.minimum
