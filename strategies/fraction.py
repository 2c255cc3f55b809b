"""The strategy `fraction`."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction as Exact

from strategies.bettor import Bettor, Table
from strategies.strategy import StrategyError


@dataclass(frozen=True)
class Fraction(Bettor):
    """Stakes a fixed share of its own chips, parts of a chip left out, within what is allowed."""

    share: float = 0.05
    sees = ("chips",)

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise StrategyError(
                f"share is {self.share:g}; a number above 0 and up to 1 is needed: 0.05 is 5 in 100"
            )

    def stake(self, table: Table) -> int:
        """Returns the share of the chips."""
        # As it is written: 0.29 of 100 chips is 29, where the nearest binary fraction makes it 28.99...
        chips: int = table.chips
        return table.nearest(Exact(str(self.share)) * chips)
