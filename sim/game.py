"""GAMES, the registry: what each game is made of. A new one is an entry here."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any, Protocol, cast

#: Deals of one block of sums.
BLOCK = 1000


def count_blocks(first_deal: int, deals: int) -> int:
    """Counts the blocks of sums that a range of deals lies in."""
    return (first_deal + deals - 1) // BLOCK - first_deal // BLOCK + 1


@dataclass(frozen=True)
class Game:
    """Where the parts of a game are, as "module" or "module:name", to be imported when they are asked for.

    `ruleset` is the model of its rulesets, `kernel` a Kernel.
    """

    ruleset: str
    kernel: str


class Kernel(Protocol):
    """Plays many games at once."""

    def build_rules(self, ruleset: Any) -> Any:
        """Builds the arrays of a ruleset."""

    def play_deals(
        self,
        rules: Any,
        tables: Any,
        seats: int,
        seating: int,
        seed: int,
        first_deal: int,
        deals: int,
        barred: int = -1,
    ) -> Any:
        """Plays a range of deals in one seating and returns a named tuple of arrays: a column each, and `sums`.

        Columns have shape (seats, deals) by seat or (deals,) by game; `sums` has shape (blocks, seats, lines, 4): how
        many entries, the sum of what they came to, of its square, and how many came to 0. The result of a game
        depends on the seed, the deal, the seating, the tables' strategies and `barred` alone.
        """


GAMES: dict[str, Game] = {
    "cheerio": Game("sim.cheerio_ruleset:CheerioRuleset", "sim.cheerio"),
    "ceelo": Game("sim.ceelo.ruleset:CeeloRuleset", "sim.ceelo.kernel"),
}


def kernel_of(game: str) -> Kernel:
    """Returns the module that plays a game fast."""
    return cast("Kernel", importlib.import_module(GAMES[game].kernel))
