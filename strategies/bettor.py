"""The Bettor API: what a strategy of Cee-lo may answer, what it declares, and what it is shown.

A bettor is a pure function of what it declares in `sees`. Its stake is asked once for every distinct situation,
stored in a table, and the table is played.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Protocol, overload

import numpy as np
import numpy.typing as npt

from sim.ceelo.ruleset import CeeloRuleset
from sim.ceelo.views import VIEWS
from sim.mistakes import near_hint
from strategies.sheet import undeclared_view
from strategies.strategy import GameStrategy, StrategyError

#: What a table always shows, with what it is.
CONSTANTS: dict[str, str] = {
    "minimum": "the least that may be staked",
    "maximum": "the most that may be staked",
    "start": "the chips of each player at the start",
    "rounds": "the rounds of a game at most",
    "ruleset": "the whole rules",
}

#: A view of one table, or of many tables at once.
View = int | npt.NDArray[np.int64]


class Bettor(GameStrategy):
    """The base of all strategies of Cee-lo.

    A subclass gives `stake(table)`, or `plan(table)` for many tables at once, and names in `sees` what its stake may
    depend on. Its parameters are dataclass fields. The first paragraph of its docstring is its rule in plain words.
    """

    game: ClassVar[str] = "ceelo"
    sees: ClassVar[tuple[str, ...]] = ()


class StakingBettor(Protocol):
    """A bettor that decides one situation at a time."""

    sees: ClassVar[tuple[str, ...]]

    def stake(self, table: Table) -> int:
        """Returns the chips to stake, from `table.minimum` to `table.maximum`; a smaller purse stakes all it has."""


class PlannedBettor(Protocol):
    """A bettor that decides many situations at once."""

    sees: ClassVar[tuple[str, ...]]

    def plan(self, table: Table) -> npt.ArrayLike:
        """Returns the chips to stake at each of many tables, or one number for all of them."""


class Table:
    """What a bettor is shown as a round begins: the views that it declares, and what holds for the whole game.

    Always there: `minimum` and `maximum` of a stake, `start` (the chips of each at the start), `rounds` (of a game at
    most) and `ruleset`. By declaration: `chips`, `bank`, `rounds_left`, `order`, `rank`, `lead`, `last_stake` and
    `streak`, whole numbers; a plan is shown arrays of them, a place for each table.
    """

    def __init__(self, ruleset: CeeloRuleset, sees: Sequence[str], views: Mapping[str, View]) -> None:
        self._sees = tuple(sees)
        self._views = dict(views)
        self.ruleset = ruleset
        self.minimum = ruleset.stake.minimum
        self.maximum = ruleset.stake.maximum
        self.start = ruleset.chips
        self.rounds = ruleset.most_rounds
        self.__dict__.update(views)

    def __getattr__(self, name: str) -> Any:
        if name not in VIEWS:
            hint = near_hint(name, (*VIEWS, *CONSTANTS))
            raise AttributeError(
                f"a table has no {name!r}{hint}; it may show {', '.join(VIEWS)}, "
                f"and always has {', '.join(CONSTANTS)}"
            )
        raise undeclared_view(f"table.{name}", "sees", self._sees, VIEWS[name])

    @overload
    def nearest(self, chips: float | Fraction) -> int: ...
    @overload
    def nearest(self, chips: npt.NDArray[Any]) -> npt.NDArray[np.int64]: ...
    def nearest(self, chips: float | Fraction | npt.NDArray[Any]) -> int | npt.NDArray[np.int64]:
        """Returns the legal stake nearest to a number of chips, or to each of many; parts of a chip don't count.

        Raises StrategyError where a number is none, such as 0 / 0, or infinite.
        """
        # Whole numbers and fractions have no end, and comparing them goes wrong with none.
        finite = (-math.inf < chips) & (chips < math.inf)
        if not np.all(finite):
            raise self._endless(chips, finite)
        if isinstance(chips, np.ndarray):
            nearest: npt.NDArray[np.int64] = np.floor(np.clip(chips, self.minimum, self.maximum)).astype(
                np.int64
            )
            return nearest
        return math.floor(max(self.minimum, min(self.maximum, chips)))

    def _endless(self, chips: Any, finite: Any) -> StrategyError:
        """Returns the error of chips that are no finite numbers, with the first table of many that they are for."""
        places = np.flatnonzero(~np.asarray(finite))
        given = np.asarray(chips).reshape(-1)[places[0]]
        of_many = any(np.shape(shown) == np.shape(chips) != () for shown in self._views.values())
        where = f" where the table shows {self.at(int(places[0])).words()}" if of_many else ""
        return StrategyError(
            f"table.nearest(chips) is given {given}{where}; a finite number of chips is needed"
        )

    def at(self, place: int) -> Table:
        """Returns one of many tables."""
        shown = {view: int(np.asarray(values)[place]) for view, values in self._views.items()}
        return Table(self.ruleset, self._sees, shown)

    def alone(self) -> Table:
        """Returns a table as a plan is shown it, one of one."""
        shown = {view: np.array([value], np.int64) for view, value in self._views.items()}
        return Table(self.ruleset, self._sees, shown)

    def words(self) -> str:
        """Describes what is shown, for messages."""
        return "; ".join(f"{view}: {_value_words(value)}" for view, value in self._views.items()) or "nothing"


def check_least(name: str, value: int, least: int = 1) -> None:
    """Raises StrategyError where a parameter is less than it may be."""
    if value < least:
        raise StrategyError(f"{name} is {value}; a whole number of {least} or more is needed")


def _value_words(value: View) -> str:
    if not isinstance(value, np.ndarray):
        return str(value)
    least, most = value.min(), value.max()
    return str(least) if least == most else f"{least} to {most}"
