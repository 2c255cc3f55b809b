"""The Strategy API: what a strategy may answer, what it declares, and what it is shown (in strategies.sheet).

A strategy is a pure function of what it declares in `sees`. Each decision is asked once for every distinct
situation, stored in a table, and the table is played.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from sim.cheerio_ruleset import CheerioRuleset
from strategies.sheet import (
    Category,
    Offer,
    Scoresheet,
    Sheet,
    StrategyError,
    UndeclaredViewError,
    allowed_masks,
    build_scoresheet,
    legal_mask,
)

__all__ = [
    "NO_RULE",
    "BatchStrategy",
    "Category",
    "Dice",
    "ForfeitingStrategy",
    "GameStrategy",
    "Offer",
    "Plan",
    "PlannedStrategy",
    "ScalarStrategy",
    "Scoresheet",
    "Sheet",
    "StealingStrategy",
    "Strategy",
    "StrategyError",
    "UndeclaredViewError",
    "allowed_masks",
    "answers_question",
    "build_scoresheet",
    "is_planned",
    "legal_mask",
    "strategy_parameters",
    "strategy_rule",
]

Dice = tuple[int, ...]
#: What is wrong with a strategy whose class has no docstring.
NO_RULE = "it has no rule: write its rule in plain words as the docstring of its class"


@dataclasses.dataclass(frozen=True)
class Plan:
    """All decisions of one turn: `keeps[t, roll]` is the mask kept after throw t, `choices[roll]` a category.

    Shapes (throws - 1, 252) and (252,). A strategy that mixes gives `keep_options` and `choice_options`,
    lists of equally likely masks and categories; `keeps` and `choices` are then places in those lists.
    """

    keeps: npt.NDArray[Any]
    choices: npt.NDArray[Any]
    keep_options: Sequence[Sequence[int]] | None = None
    choice_options: Sequence[Sequence[int]] | None = None


class GameStrategy:
    """What the strategies of all games share: the game that they play, and what their decisions may depend on.

    Strategy and strategies.bettor.Bettor are built on it.
    """

    game: ClassVar[str]
    sees: ClassVar[tuple[str, ...]]


class Strategy(GameStrategy):
    """The base of all strategies of Cheerio.

    A subclass gives `keep(dice, sheet, rolls_left)` and `choose(dice, sheet)`, or `plan(sheet)` for all rolls
    at once, and names in `sees` what its decisions may depend on. Its parameters are dataclass fields. The
    first paragraph of its docstring is its rule in plain words. Where a ruleset has steals, a subclass that gives
    `steal(offer, sheet)` is asked whether to steal what is offered, and one that gives `forfeit(sheet)` what to
    fill with a zero when it is robbed; `steal_sees` and `forfeit_sees` name what these may depend on.
    """

    game: ClassVar[str] = "cheerio"
    sees: ClassVar[tuple[str, ...]] = ("open",)
    steal_sees: ClassVar[tuple[str, ...]] = ("turns_left",)
    forfeit_sees: ClassVar[tuple[str, ...]] = ("open",)
    #: Whether it is a BatchStrategy.
    batched: ClassVar[bool] = False

    def sees_under(self, ruleset: CheerioRuleset) -> tuple[str, ...]:
        """Names what of `sees` matters under a ruleset: all of it, unless a subclass knows better."""
        del ruleset
        return self.sees


class BatchStrategy(Protocol):
    """A strategy that decides the turns of many sheets at once, for each as its `plan` does; it sets `batched`."""

    sees: ClassVar[tuple[str, ...]]

    def plans(self, ruleset: CheerioRuleset, views: Mapping[str, npt.NDArray[np.int64]]) -> Plan:
        """Returns plans with the sheets as the first axis, given by view what each sheet shows."""


class ScalarStrategy(Protocol):
    """A strategy that decides one situation at a time."""

    sees: ClassVar[tuple[str, ...]]

    def keep(self, dice: Dice, sheet: Sheet, rolls_left: int) -> Iterable[int]:
        """Returns the dice to keep; `rolls_left` throws may follow."""

    def choose(self, dice: Dice, sheet: Sheet) -> Category | str:
        """Returns the category to fill, or its id or name."""


class PlannedStrategy(Protocol):
    """A strategy that decides a whole turn at once, for all rolls."""

    sees: ClassVar[tuple[str, ...]]

    def plan(self, sheet: Sheet) -> Plan:
        """Returns the decisions of a turn that begins with this sheet."""


class StealingStrategy(Protocol):
    """A strategy that is asked whether to steal."""

    steal_sees: ClassVar[tuple[str, ...]]

    def steal(self, offer: Offer, sheet: Sheet) -> bool:
        """Tells whether to steal what is offered, rather than to score."""


class ForfeitingStrategy(Protocol):
    """A strategy that is asked what to give up when it is robbed."""

    forfeit_sees: ClassVar[tuple[str, ...]]

    def forfeit(self, sheet: Sheet) -> Category | str:
        """Returns the open category to enter a zero in, or its id or name."""


def is_planned(strategy: GameStrategy) -> bool:
    """Tells whether a strategy gives plans rather than single decisions."""
    return hasattr(strategy, "plan")


def answers_question(strategy: GameStrategy, method: str) -> bool:
    """Tells whether a strategy is to be asked `steal` or `forfeit`; None in place of a method is none."""
    return getattr(strategy, method, None) is not None


def strategy_rule(strategy: GameStrategy | type[GameStrategy]) -> str:
    """Returns a strategy's rule in plain words: the first paragraph of its docstring."""
    kind = strategy if isinstance(strategy, type) else type(strategy)
    own = kind.__doc__ if kind.__doc__ and not kind.__doc__.startswith(f"{kind.__name__}(") else ""
    return " ".join((own or "").strip().split("\n\n")[0].split())


def strategy_parameters(strategy: GameStrategy | type[GameStrategy]) -> dict[str, Any]:
    """Returns a strategy's parameters and their values (of a class: the defaults)."""
    if not dataclasses.is_dataclass(strategy):
        return {}
    fields = dataclasses.fields(strategy)
    if isinstance(strategy, type):
        return {field.name: field.default for field in fields}
    return {field.name: getattr(strategy, field.name) for field in fields}
