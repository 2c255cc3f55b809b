"""What a strategy may declare that it sees, and how a view of a sheet becomes one number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sim.cheerio_ruleset import MOST_CATEGORIES, CheerioRuleset
from sim.numbering import context_strides, read_context, write_context
from sim.scoring import build_points

#: The views in the order in which they make up a context, each with what it shows.
VIEWS: dict[str, str] = {
    "open": "the open categories",
    "upper": "the upper subtotal, up to the bonus threshold",
    "pace": "the upper subtotal against three of each filled face: -2 (6 or more short) to 2 (6 or more over)",
    "turns_left": "the number of open categories",
    "standing": "behind or ahead of the best rival, open categories allowed for: -2 (25 or more behind) to 2",
    "difference": "points ahead of the best rival, from -400 to 400",
    "rival_open": "the best rival's open categories",
    "rival_upper": "the best rival's upper subtotal, up to the bonus threshold",
    "joker": "1 while further five alike bring extra points, else 0 (in rulesets with a joker)",
}
#: `coin` is no view: it is one fair draw for each decision.
SEES = (*VIEWS, "coin")
WATCHING = frozenset(("standing", "difference", "rival_open", "rival_upper"))

MOST_DIFFERENCE = 400
STEPS = 2
PACE_FAR = 6
STANDING_NEAR, STANDING_FAR = 8, 25
#: What is added to a view that can be negative, in a context.
SHIFTS = {"pace": STEPS, "standing": STEPS, "difference": MOST_DIFFERENCE}


@lru_cache(maxsize=64)
def upper_cap(ruleset: CheerioRuleset) -> int:
    """Returns the highest upper subtotal that is told apart: the threshold, or without a bonus the most there is."""
    if ruleset.bonus.points:
        return ruleset.bonus.threshold
    points = build_points(ruleset)
    if ruleset.joker is not None:
        points = np.maximum(points, build_points(ruleset, joker=True))
    uppers = [category.upper for category in ruleset.categories.values()]
    return int(points[uppers].max(axis=1).sum()) if any(uppers) else 0


@lru_cache(maxsize=64)
def view_sizes(ruleset: CheerioRuleset) -> dict[str, int]:
    """Returns how many values each view has under a ruleset."""
    sheets = 1 << ruleset.turns
    subtotals = upper_cap(ruleset) + 1
    steps = 2 * STEPS + 1
    return {
        "open": sheets,
        "upper": subtotals,
        "pace": steps,
        "turns_left": ruleset.turns + 1,
        "standing": steps,
        "difference": 2 * MOST_DIFFERENCE + 1,
        "rival_open": sheets,
        "rival_upper": subtotals,
        "joker": 1 if ruleset.joker is None else 2,
    }


def view_strides(ruleset: CheerioRuleset, sees: Sequence[str]) -> tuple[npt.NDArray[np.uint64], int]:
    """Returns the weight of each view in a context (0 where it isn't seen), and the number of contexts."""
    return context_strides(view_sizes(ruleset), sees)


def context_views(ruleset: CheerioRuleset, sees: Sequence[str], context: int) -> dict[str, int]:
    """Returns the value of each seen view in a context, steps and differences with their sign."""
    return read_context(view_sizes(ruleset), SHIFTS, sees, context)


def views_context(ruleset: CheerioRuleset, sees: Sequence[str], views: Mapping[str, int]) -> int:
    """Returns the context that shows these views; the inverse of context_views."""
    return write_context(view_sizes(ruleset), SHIFTS, sees, views)


def open_mask(categories: Sequence[int]) -> int:
    """Returns the mask of some category indices."""
    return sum(1 << category for category in categories)


@lru_cache(maxsize=1 << MOST_CATEGORIES)
def masked_categories(mask: int) -> tuple[int, ...]:
    """Returns the category indices of a mask, in sheet order."""
    return tuple(place for place in range(mask.bit_length()) if mask >> place & 1)
