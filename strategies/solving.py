"""The exact value of every sheet: what the best play still brings, by the open categories and the upper subtotal.

All sheets are solved from the last category back. What is maximised is affine in what follows, worth = gain + factor
x value, so that the same loop solves for points and for a utility of points.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sim.compiled import compiled, inner
from sim.dice import KEEP_INDEX, KEEPS
from strategies.lookahead import build_lattice

Reals = npt.NDArray[np.float64]
#: How a sheet stands to the joker, by layer: its category is open, filled with nothing, filled with points.
OPEN, WASTED, HELD = range(3)


class Kinds(NamedTuple):
    """All distinct entries of a ruleset: what a category brings with a roll, in a layer.

    `of[layer, category, roll]` is the entry's kind; of each kind, what it adds to the upper subtotal, whether the
    joker is held after it, and its gain and factor. The kinds of one category are `sizes[layer, category]` from
    `least[layer, category]` on.
    """

    of: npt.NDArray[np.uint16]
    least: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int64]
    steps: npt.NDArray[np.int64]
    held: npt.NDArray[np.int64]
    gains: Reals
    factors: Reals


class Problem(NamedTuple):
    """What is to be solved: the entries, what may be filled, and what the end is worth by upper subtotal.

    `legal[layer, level, roll]` are masks of categories to be preferred in turn; `joker` is the index of the joker's
    category, -1 where there is none.
    """

    kinds: Kinds
    legal: npt.NDArray[np.uint32]
    upper: int
    joker: int
    throws: int
    ending: Reals


class Lines(NamedTuple):
    """How keeps grow by one die and shrink by one, in arrays for the compiled loop.

    `grown[keep, face]` for keeps of fewer than five dice; a keep without one of its dice is among
    `shrunk[first[keep]:first[keep + 1]]`.
    """

    grown: npt.NDArray[np.int32]
    first: npt.NDArray[np.int32]
    shrunk: npt.NDArray[np.int32]


@lru_cache(maxsize=1)
def build_lines() -> Lines:
    """Builds the lines between keeps that differ by one die."""
    first, shrunk = [0], []
    for keep in KEEPS:
        shrunk += sorted({KEEP_INDEX[keep[:place] + keep[place + 1 :]] for place in range(len(keep))})
        first.append(len(shrunk))
    return Lines(build_lattice().grown, np.array(first, np.int32), np.array(shrunk, np.int32))


@compiled
def fill_values(problem: Problem, lines: Lines, values: Reals) -> None:
    """Fills values of shape (joker held or not, 2 ** categories, upper subtotals), all that can be reached."""
    held_states, masks, subtotals = values.shape
    everything = masks - 1
    lower = everything & ~problem.upper
    rolls = problem.legal.shape[2]
    reached = _reached(problem, masks, subtotals)
    worth = np.empty((problem.kinds.gains.size, subtotals))
    entered = np.empty((rolls, subtotals))
    following = np.empty((rolls, subtotals))
    value = np.empty((lines.grown.shape[0], subtotals))
    best = np.empty((lines.grown.shape[0], subtotals))
    places = np.empty(subtotals, np.int64)
    allowed = np.empty(rolls, np.uint32)
    for held in range(held_states):
        values[held, 0] = problem.ending
    for mask in range(1, masks):
        count = 0
        for subtotal in range(subtotals):
            if reached[mask | lower, subtotal]:
                places[count] = subtotal
                count += 1
        joker_filled = layer_of(problem, mask, 0) != OPEN
        for held in range(held_states if joker_filled else 1):
            layer = layer_of(problem, mask, held)
            _fill_worth(problem.kinds, values, mask, layer, held, places, count, worth)
            fill_allowed(problem.legal, layer, mask, allowed)
            _enter_best(problem.kinds.of, layer, allowed, worth, count, entered)
            for throw in range(problem.throws):
                _throw(lines.grown, entered if throw == 0 else following, value, count)
                if throw < problem.throws - 1:
                    _keep_best(lines.first, lines.shrunk, value, best, entered, following, count)
            for place in range(count):
                values[held, mask, places[place]] = value[0, place]


@inner
def _reached(problem: Problem, masks: int, subtotals: int) -> npt.NDArray[np.bool_]:
    """Tells which upper subtotals a sheet can have, for sheets whose lower categories are all open.

    A category may be struck out before the first turn, also one that never comes to nothing.
    """
    kinds = problem.kinds
    reached = np.zeros((masks, subtotals), np.bool_)
    reached[masks - 1, 0] = True
    for category in range(kinds.of.shape[1]):
        if problem.upper >> category & 1:
            reached[masks - 1 ^ 1 << category, 0] = True
    lower = (masks - 1) & ~problem.upper
    for mask in range(masks - 1, 0, -1):
        if mask & lower != lower:
            continue
        for category in range(kinds.of.shape[1]):
            if not (mask & problem.upper) >> category & 1:
                continue
            following = mask ^ 1 << category
            for layer in range(kinds.of.shape[0]):
                first = kinds.least[layer, category]
                for kind in range(first, first + kinds.sizes[layer, category]):
                    for subtotal in range(subtotals):
                        if reached[mask, subtotal]:
                            reached[following, min(subtotal + kinds.steps[kind], subtotals - 1)] = True
    return reached


@inner
def _fill_worth(
    kinds: Kinds,
    values: Reals,
    mask: int,
    layer: int,
    held: int,
    places: npt.NDArray[np.int64],
    count: int,
    worth: Reals,
) -> None:
    last = values.shape[2] - 1
    for category in range(kinds.of.shape[1]):
        if mask >> category & 1:
            following = mask ^ 1 << category
            first = kinds.least[layer, category]
            for kind in range(first, first + kinds.sizes[layer, category]):
                after = min(max(held, kinds.held[kind]), values.shape[0] - 1)
                gain, factor, step = kinds.gains[kind], kinds.factors[kind], kinds.steps[kind]
                for place in range(count):
                    subtotal = min(places[place] + step, last)
                    worth[kind, place] = gain + factor * values[after, following, subtotal]


@compiled
def layer_of(problem: Problem, opened: int, held: int) -> int:
    """Returns how a sheet stands to the joker: OPEN, WASTED or HELD."""
    if problem.joker < 0 or opened >> problem.joker & 1:
        return OPEN
    return HELD if held else WASTED


@compiled
def fill_worths(
    problem: Problem, values: Reals, risk: float, opened: int, upper: int, held: int, worths: Reals
) -> None:
    """Fills what each entry is worth with all that follows it, shape (categories, 252); filled ones stay as they are.

    Utilities are scaled so that a difference of 1 is that of one point near the sheet's own value.
    """
    kinds, last = problem.kinds, values.shape[2] - 1
    subtotal = min(upper, last)
    held = min(held, values.shape[0] - 1)
    layer = layer_of(problem, opened, held)
    scale = 1.0
    if risk != 0.0:
        scale = 1.0 / abs(risk * values[held, opened, subtotal])
    for category in range(worths.shape[0]):
        if opened >> category & 1:
            following = opened ^ 1 << category
            for roll in range(worths.shape[1]):
                kind = kinds.of[layer, category, roll]
                after = min(max(held, kinds.held[kind]), values.shape[0] - 1)
                reached = values[after, following, min(subtotal + kinds.steps[kind], last)]
                worths[category, roll] = (kinds.gains[kind] + kinds.factors[kind] * reached) * scale


@compiled
def fill_allowed(
    legal: npt.NDArray[np.uint32], layer: int, opened: int, allowed: npt.NDArray[np.uint32]
) -> None:
    """Fills which categories each roll may fill, as masks, of those that are open."""
    for roll in range(allowed.size):
        allowed[roll] = np.uint32(opened)
        for level in range(legal.shape[1]):
            if legal[layer, level, roll] & np.uint32(opened):
                allowed[roll] = legal[layer, level, roll] & np.uint32(opened)
                break


@inner
def _enter_best(
    kind_of: npt.NDArray[np.uint16],
    layer: int,
    allowed: npt.NDArray[np.uint32],
    worth: Reals,
    count: int,
    entered: Reals,
) -> None:
    for roll in range(allowed.size):
        begun = False
        for category in range(kind_of.shape[1]):
            if allowed[roll] >> np.uint32(category) & np.uint32(1):
                kind = kind_of[layer, category, roll]
                if not begun:
                    for place in range(count):
                        entered[roll, place] = worth[kind, place]
                    begun = True
                else:
                    for place in range(count):
                        entered[roll, place] = max(entered[roll, place], worth[kind, place])


@inner
def _throw(grown: npt.NDArray[np.int32], thrown: Reals, value: Reals, count: int) -> None:
    """Fills the value of each keep that is thrown, from the values of the rolls that the throw may give."""
    short = grown.shape[0]
    for keep in range(short - 1, -1, -1):
        a, b, c, d, e, f = (
            grown[keep, 0],
            grown[keep, 1],
            grown[keep, 2],
            grown[keep, 3],
            grown[keep, 4],
            grown[keep, 5],
        )
        if a >= short:
            a, b, c, d, e, f = a - short, b - short, c - short, d - short, e - short, f - short
            for place in range(count):
                value[keep, place] = (
                    thrown[a, place]
                    + thrown[b, place]
                    + thrown[c, place]
                    + thrown[d, place]
                    + thrown[e, place]
                    + thrown[f, place]
                ) / 6.0
        else:
            for place in range(count):
                value[keep, place] = (
                    value[a, place]
                    + value[b, place]
                    + value[c, place]
                    + value[d, place]
                    + value[e, place]
                    + value[f, place]
                ) / 6.0


@inner
def _keep_best(
    first: npt.NDArray[np.int32],
    shrunk: npt.NDArray[np.int32],
    value: Reals,
    best: Reals,
    entered: Reals,
    following: Reals,
    count: int,
) -> None:
    """Fills the value of each roll before the decision what to keep: of all its keeps the best, or entering it."""
    short = value.shape[0]
    for keep in range(short):
        for place in range(count):
            best[keep, place] = value[keep, place]
        for item in range(first[keep], first[keep + 1]):
            smaller = shrunk[item]
            for place in range(count):
                best[keep, place] = max(best[keep, place], best[smaller, place])
    for roll in range(entered.shape[0]):
        for place in range(count):
            following[roll, place] = entered[roll, place]
        for item in range(first[short + roll], first[short + roll + 1]):
            smaller = shrunk[item]
            for place in range(count):
                following[roll, place] = max(following[roll, place], best[smaller, place])
