"""What a strategy is shown: the part of a scoresheet that it declares, its categories, and the offer of a steal."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from sim.category import Pattern
from sim.cheerio_ruleset import CheerioRuleset
from sim.compiled import compiled
from sim.dice import ROLL_INDEX, ROLLS
from sim.scoring import build_legal, build_points
from sim.views import SEES, VIEWS, masked_categories, open_mask

Option = TypeVar("Option")


class StrategyError(Exception):
    """Says why a strategy can't be found or built, or which of its decisions fails or is illegal."""


class UndeclaredViewError(StrategyError):
    """A decision reads something of the sheet or table that its strategy doesn't declare in `sees`."""


def undeclared_view(read: str, declaration: str, sees: Sequence[str], shows: str) -> UndeclaredViewError:
    """Returns the error of a view that is read (as `sheet.upper`) but isn't among those declared."""
    name = read.partition(".")[2]
    return UndeclaredViewError(
        f"{read} is read, but {declaration} = {tuple(sees)!r}; "
        f"add {name!r} to {declaration} to be shown {shows}"
    )


@dataclasses.dataclass(frozen=True)
class Category:
    """A category as a strategy sees it: its place on the sheet, and what it pays."""

    index: int
    id: str
    name: str
    upper: bool
    pattern: Pattern
    _points: tuple[int, ...] = dataclasses.field(repr=False)

    def points(self, dice: Sequence[int]) -> int:
        """Returns what five dice pay here."""
        return self._points[ROLL_INDEX[tuple(sorted(dice))]]

    def __str__(self) -> str:
        return self.name


@dataclasses.dataclass(frozen=True)
class Offer:
    """A steal that a strategy is offered after its last throw, in points.

    Stealing is worth `gains` on the own sheet, as against scoring with this roll (less than 0 where the turn is
    spent and nothing entered), and the rival loses `loses`, what is in `category` less what takes its place.
    """

    category: Category
    gains: int
    loses: int

    @property
    def swing(self) -> int:
        """Returns how much nearer the thief comes to the rival."""
        return self.gains + self.loses

    def __str__(self) -> str:
        return f"Offer({self.category}, gains={self.gains}, loses={self.loses})"


@dataclasses.dataclass(frozen=True, eq=False)
class Scoresheet:
    """What all sheets of a ruleset share: categories, points (categories x 252), what each roll forces.

    There is one for a ruleset, and one more with a joker, so that what is built of it can be kept by it.
    `legal` has shape (levels, 252): masks of categories to be preferred in turn. In a ruleset with a joker, `joker` is
    the scoresheet once the joker's category is filled, and of that one `has_joker` is true.
    """

    ruleset: CheerioRuleset
    categories: tuple[Category, ...]
    points: npt.NDArray[np.int16]
    legal: npt.NDArray[np.uint32]
    joker: Scoresheet | None = None
    has_joker: bool = False


@lru_cache(maxsize=64)
def build_scoresheet(ruleset: CheerioRuleset) -> Scoresheet:
    """Builds the scoresheet of a ruleset."""
    joker = None if ruleset.joker is None else _build_scoresheet(ruleset, None, has_joker=True)
    return _build_scoresheet(ruleset, joker, has_joker=False)


def _build_scoresheet(ruleset: CheerioRuleset, joker: Scoresheet | None, has_joker: bool) -> Scoresheet:
    points = build_points(ruleset, has_joker)
    categories = tuple(
        Category(index, key, rule.name, rule.upper, rule.pattern, tuple(points[index].tolist()))
        for index, (key, rule) in enumerate(ruleset.categories.items())
    )
    legal = build_legal(ruleset, points, has_joker)
    return Scoresheet(ruleset, categories, points, legal, joker, has_joker)


def _shown_scoresheet(scoresheet: Scoresheet, views: Mapping[str, int]) -> Scoresheet:
    """Returns the scoresheet that is in force for a sheet: the joker's once its category is filled."""
    rule = scoresheet.ruleset.joker
    if scoresheet.joker is None or rule is None or "open" not in views:
        return scoresheet
    place = list(scoresheet.ruleset.categories).index(rule.category)
    return scoresheet if views["open"] >> place & 1 else scoresheet.joker


class Sheet:
    """The part of a scoresheet that a strategy declares it sees, at the start of a turn.

    Always there: `ruleset`, `categories` (all, in sheet order). By declaration: `open` (the open categories),
    `upper`, `pace`, `turns_left`, `standing`, `difference`, `rival_open`, `rival_upper`, `joker`, and
    `coin(options)`, which returns one of some options by a fair draw, once in a decision. `declaration` names the
    attribute of the strategy that declares `sees`.
    """

    def __init__(
        self,
        scoresheet: Scoresheet,
        sees: Sequence[str],
        views: Mapping[str, int],
        declaration: str = "sees",
    ) -> None:
        self._scoresheet = scoresheet = _shown_scoresheet(scoresheet, views)
        self._sees = tuple(sees)
        self._declaration = declaration
        self._views = dict(views)
        self._coin: Callable[[Sequence[Any]], Any] | None = None
        self._allowed: npt.NDArray[np.uint32] | None = None
        self.ruleset = scoresheet.ruleset
        self.categories = scoresheet.categories
        for view, value in views.items():
            mask = view in ("open", "rival_open")
            shown = tuple(self.categories[index] for index in masked_categories(value)) if mask else value
            setattr(self, view, shown)

    def __getattr__(self, name: str) -> Any:
        if name not in SEES:
            raise AttributeError(f"a sheet has no {name!r}; it may show {', '.join(SEES)}")
        raise undeclared_view(f"sheet.{name}", self._declaration, self._sees, VIEWS.get(name, "it"))

    @property
    def scoresheet(self) -> Scoresheet:
        """The arrays behind the sheet, for plans."""
        return self._scoresheet

    @property
    def open_indices(self) -> tuple[int, ...]:
        """The indices of the open categories, for plans."""
        opened: tuple[Category, ...] = self.open
        return tuple([category.index for category in opened])

    def legal(self, dice: Sequence[int]) -> tuple[Category, ...]:
        """Returns the open categories that these dice may be entered in: all, unless the rules force some."""
        allowed = legal_mask(self, ROLL_INDEX[tuple(sorted(dice))])
        return tuple(self.categories[index] for index in masked_categories(allowed))

    def coin(self, options: Sequence[Option]) -> Option:
        """Returns one of the options, each equally likely, by the decision's one draw."""
        if self._declaration != "sees":
            raise StrategyError("sheet.coin is called; the coin is for keep and choose alone")
        if "coin" not in self._sees:
            raise UndeclaredViewError(f"sheet.coin is called, but sees = {self._sees!r}; add 'coin' to sees")
        if self._coin is None:
            raise StrategyError("sheet.coin is called outside a decision; call it in keep or choose")
        drawn: Option = self._coin(options)
        return drawn

    def words(self) -> str:
        """Describes what is shown, for messages."""
        parts = []
        for view, value in self._views.items():
            if view in ("open", "rival_open"):
                named = ", ".join(self.categories[index].name for index in masked_categories(value))
                parts.append(f"{view}: {named or 'none'}")
            else:
                parts.append(f"{view}: {value}")
        return "; ".join(parts) or "nothing"


def allowed_masks(sheet: Sheet) -> npt.NDArray[np.uint32]:
    """Returns for each roll the mask of the categories that may be filled, shape (252,)."""
    if sheet._allowed is None:
        opened = open_mask(sheet.open_indices)
        sheet._allowed = np.empty(len(ROLLS), np.uint32)
        _fill_allowed(sheet.scoresheet.legal, np.uint32(opened), sheet._allowed)
        # Whoever asks for them is shown the same array.
        sheet._allowed.flags.writeable = False
    return sheet._allowed


@compiled
def _fill_allowed(legal: npt.NDArray[np.uint32], opened: np.uint32, allowed: npt.NDArray[np.uint32]) -> None:
    for roll in range(allowed.size):
        allowed[roll] = opened
        for level in range(legal.shape[0]):
            if legal[level, roll] & opened:
                allowed[roll] = legal[level, roll] & opened
                break


def legal_mask(sheet: Sheet, roll: int) -> int:
    """Returns the mask of the categories that may be filled with one roll."""
    return int(allowed_masks(sheet)[roll])
