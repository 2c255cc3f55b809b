"""How the strategies of each game are asked, and where their decisions are kept: one entry a game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from sim.ceelo.ruleset import CeeloRuleset
from sim.ruleset import Ruleset
from strategies import stakes, tables
from strategies.contract import StrategyCheck, check_strategy
from strategies.lineup import Player
from strategies.rows import RowMaker, Rows, make_rows
from strategies.sheet_trial import SheetTrial
from strategies.stake_tables import BetTables
from strategies.stake_trial import StakeTrial
from strategies.stakes import StakeMaker, make_stakes
from strategies.tables import LineupTables


class Maker(Protocol):
    """What is known of the situations of one player under one ruleset."""

    @property
    def whole(self) -> bool:
        """Tells whether all situations are few enough to be asked before the first game."""

    @property
    def size(self) -> int:
        """Counts the situations that the player may tell apart."""

    @property
    def decisions_per_row(self) -> int:
        """Counts the questions that one situation asks."""

    def whole_contexts(self) -> npt.NDArray[np.uint64]:
        """Returns every situation that play can meet, for a player that is asked whole."""


class Tables(Protocol):
    """The decisions of a lineup, as a kernel plays them."""

    def decisions(self, seating: int) -> Any:
        """Returns the tables by seat for one seating."""


class BuildTables(Protocol):
    """Builds the tables of a lineup."""

    def __call__(
        self, lineup: Sequence[Player], ruleset: Any, whole: Mapping[str, Rows], lucky: bool = False
    ) -> Tables:
        """Builds them from the rows that were asked before, by label."""


@dataclass(frozen=True)
class Asking:
    """How a game's strategies are asked.

    `maker(player, ruleset)` knows the situations, `rows(player, ruleset, contexts)` asks for some of them, and
    `tables(lineup, ruleset, whole, lucky)` holds what a lineup decides, given the rows that were asked before, by
    label, and where it is lucky what each decision gives away.
    `asks_in_play(player, ruleset)` tells whether a player is asked while games are played, and
    `check(player, ruleset, clock)` holds one against what every strategy must satisfy.
    """

    maker: Callable[[Player, Any], Maker]
    rows: Callable[[Player, Any, npt.NDArray[np.uint64]], Rows]
    tables: BuildTables
    asks_in_play: Callable[[Player, Any], bool]
    check: Callable[[Player, Any, Callable[[], float] | None], StrategyCheck]


def _bet_tables(
    lineup: Sequence[Player], ruleset: CeeloRuleset, whole: Mapping[str, Rows], lucky: bool = False
) -> BetTables:
    if lucky:
        raise ValueError(
            f"{ruleset.name}: no luck can be kept, as chips have no values to hold stakes against"
        )
    return BetTables(lineup, ruleset, whole)


ASKING: dict[str, Asking] = {
    "cheerio": Asking(
        RowMaker, make_rows, LineupTables, tables.asks_in_play, partial(check_strategy, SheetTrial)
    ),
    "ceelo": Asking(
        StakeMaker, make_stakes, _bet_tables, stakes.asks_in_play, partial(check_strategy, StakeTrial)
    ),
}


def asking_of(ruleset: Ruleset) -> Asking:
    """Returns how the strategies of a ruleset's game are asked."""
    return ASKING[ruleset.game]
