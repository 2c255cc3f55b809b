"""What every decision of a turn is worth, given what each entry is worth, and what a plan gives away."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sim.compiled import compiled, inner
from sim.dice import KEEPS, ROLL_KEEPS, ROLLS
from strategies.solving import Lines, Reals, build_lines, fill_allowed, layer_of
from strategies.strategy import Sheet, allowed_masks
from strategies.valuation import Valuation


class TurnValues(NamedTuple):
    """The values of one turn's decisions under the best play that follows them.

    `before` is the mean before the first throw; `rolled[t, roll]` the value of a roll after throw t, shape (throws,
    252), the last of which is its best entry; `kept[t, keep]` the value of holding a keep (an index of KEEPS) after
    throw t, shape (throws - 1, 462), where all five dice are entered at once; `worths[category, roll]` and
    the masks of categories that each roll may fill are as given.
    """

    before: float
    rolled: Reals
    kept: Reals
    worths: Reals
    allowed: npt.NDArray[np.uint32]


def build_turn_values(worths: Reals, allowed: npt.NDArray[np.uint32], throws: int) -> TurnValues:
    """Builds the values of a turn, given worths of shape (categories, 252) and which categories each roll may fill."""
    rolled = np.empty((throws, len(ROLLS)))
    kept = np.empty((throws, len(KEEPS)))
    fill_turn_values(build_lines(), np.ascontiguousarray(worths, np.float64), allowed, rolled, kept)
    # The keep of nothing, thrown with all throws to come, is the turn before it begins.
    return TurnValues(float(kept[0, 0]), rolled, kept[1:], worths, allowed)


def sheet_turn_values(worths: Reals, sheet: Sheet) -> TurnValues:
    """Builds the values of a turn that begins with this sheet."""
    return build_turn_values(worths, allowed_masks(sheet), sheet.ruleset.throws)


def valued_turn(valuation: Valuation, opened: int, upper: int, joker: int) -> TurnValues:
    """Builds the values of a turn that begins with such a sheet, by a valuation."""
    problem = valuation.problem
    allowed = np.empty(len(ROLLS), np.uint32)
    fill_allowed(problem.legal, layer_of(problem, opened, joker), opened, allowed)
    return build_turn_values(valuation.worths(opened, upper, joker), allowed, valuation.ruleset.throws)


@compiled
def fill_turn_values(
    lines: Lines, worths: Reals, allowed: npt.NDArray[np.uint32], rolled: Reals, kept: Reals
) -> None:
    """Fills rolled, shape (throws, 252), and kept, shape (throws, 462): kept[t] is what is held before throw t."""
    throws = rolled.shape[0]
    short = lines.grown.shape[0]
    best = np.empty(short)
    for roll in range(allowed.size):
        entered = -np.inf
        for category in range(worths.shape[0]):
            if allowed[roll] >> np.uint32(category) & np.uint32(1):
                entered = max(entered, worths[category, roll])
        rolled[throws - 1, roll] = entered
    for throw in range(throws - 1, -1, -1):
        for roll in range(allowed.size):
            kept[throw, short + roll] = rolled[throw, roll]
        for keep in range(short - 1, -1, -1):
            total = 0.0
            for face in range(6):
                total += kept[throw, lines.grown[keep, face]]
            kept[throw, keep] = total / 6.0
        # To hold all five is to enter them, not to throw none of them.
        for roll in range(allowed.size):
            kept[throw, short + roll] = rolled[throws - 1, roll]
        if throw > 0:
            for keep in range(short):
                best[keep] = kept[throw, keep]
                for item in range(lines.first[keep], lines.first[keep + 1]):
                    best[keep] = max(best[keep], best[lines.shrunk[item]])
            for roll in range(allowed.size):
                value = rolled[throws - 1, roll]
                for item in range(lines.first[short + roll], lines.first[short + roll + 1]):
                    value = max(value, best[lines.shrunk[item]])
                rolled[throw - 1, roll] = value


@inner
def keep_loss(rolled: Reals, kept: Reals, throw: int, roll: int, mask: int) -> Any:
    """Returns what holding a mask of a roll after a throw gives away, in the arrays of fill_turn_values."""
    return rolled[throw, roll] - kept[throw + 1, ROLL_KEEPS[roll, mask]]


@inner
def entry_loss(rolled: Reals, worths: Reals, roll: int, category: int) -> Any:
    """Returns what filling a category with a roll after the last throw gives away."""
    return rolled[rolled.shape[0] - 1, roll] - worths[category, roll]
