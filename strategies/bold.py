"""The strategy `bold`."""

from __future__ import annotations

from dataclasses import dataclass

from strategies.bettor import Bettor, Table


@dataclass(frozen=True)
class Bold(Bettor):
    """Always stakes the most that is allowed."""

    def stake(self, table: Table) -> int:
        """Returns the maximum."""
        return table.maximum
