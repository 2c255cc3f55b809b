"""One turn looked ahead: the keeps and category that are best on average, given what each entry is worth."""

from __future__ import annotations

from abc import abstractmethod
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sim.compiled import compiled, inner
from sim.dice import DICE, KEEP_INDEX, KEEPS, ROLL_MASKS, ROLLS, masked_dice
from strategies.strategy import Plan, Sheet, Strategy, StrategyError, allowed_masks

#: Two averages closer than this are equal: rounding must not decide between equal keeps.
TIE = 1e-9
#: Sheets whose keeps are found together, so that each step is one of vector code; fewer than FEW are sooner done alone.
TOGETHER, FEW = 32, 8
Worths = npt.NDArray[np.float64]


class Lattice(NamedTuple):
    """How keeps grow by one die and which keeps a roll allows, in arrays for the compiled loop.

    `grown[keep, face]` for keeps of fewer than five dice; `roll_keeps` and `roll_masks` hold the keeps
    of roll r at first[r] to first[r + 1], the most dice first.
    """

    grown: npt.NDArray[np.int32]
    first: npt.NDArray[np.int32]
    roll_keeps: npt.NDArray[np.int32]
    roll_masks: npt.NDArray[np.uint8]


@lru_cache(maxsize=1)
def build_lattice() -> Lattice:
    """Builds the lattice of keeps."""
    short = [keep for keep in KEEPS if len(keep) < DICE]
    grown = [[KEEP_INDEX[tuple(sorted((*keep, face)))] for face in range(1, 7)] for keep in short]
    first = [0]
    keeps: list[int] = []
    masks: list[int] = []
    for roll in range(len(ROLLS)):
        for mask in reversed(ROLL_MASKS[roll]):
            keeps.append(KEEP_INDEX[masked_dice(roll, mask)])
            masks.append(mask)
        first.append(len(keeps))
    return Lattice(
        np.array(grown, np.int32),
        np.array(first, np.int32),
        np.array(keeps, np.int32),
        np.array(masks, np.uint8),
    )


def best_plan(worths: Worths, sheet: Sheet, cost: float = 0.0) -> Plan:
    """Returns the plan that maximises the mean worth of the entry, given worths of shape (categories, 252).

    Each throw after the first costs `cost`. Of equal categories the later on the sheet is taken, of equal keeps the
    one that holds more dice.
    """
    keeps = np.empty((sheet.ruleset.throws - 1, len(ROLLS)), np.uint8)
    choices = np.empty(len(ROLLS), np.uint8)
    fill_plan(build_lattice(), _checked(worths, sheet), allowed_masks(sheet), cost, keeps, choices)
    return Plan(keeps, choices)


def best_choices(worths: Worths, sheet: Sheet) -> npt.NDArray[np.uint8]:
    """Returns for each roll the category worth most that may be filled, the later of equals, shape (252,)."""
    choices = np.empty(len(ROLLS), np.uint8)
    fill_choices(_checked(worths, sheet), allowed_masks(sheet), choices, np.empty(len(ROLLS)))
    return choices


def _checked(worths: Worths, sheet: Sheet) -> Worths:
    worths = np.ascontiguousarray(worths, np.float64)
    if worths.shape != sheet.scoresheet.points.shape or not np.isfinite(worths).all():
        raise StrategyError(
            f"worths of shape {worths.shape} given; "
            f"finite numbers of shape {sheet.scoresheet.points.shape} are needed"
        )
    return worths


@compiled
def fill_choices(
    worths: Worths,
    allowed: npt.NDArray[np.uint32],
    choices: npt.NDArray[np.uint8],
    value: npt.NDArray[np.float64],
) -> None:
    """Fills for each roll the category worth most that may be filled, the later of equals, and what it is worth."""
    for roll in range(choices.size):
        best = -np.inf
        for category in range(worths.shape[0]):
            if allowed[roll] >> category & 1 and worths[category, roll] > best - TIE:
                best = worths[category, roll]
                choices[roll] = category
        value[roll] = best


@compiled
def fill_plan(
    lattice: Lattice,
    worths: Worths,
    allowed: npt.NDArray[np.uint32],
    cost: float,
    keeps: npt.NDArray[np.uint8],
    choices: npt.NDArray[np.uint8],
) -> None:
    """Fills the plan that best_plan returns, into keeps of shape (throws - 1, 252) and choices of (252,)."""
    rolls = choices.size
    short = lattice.grown.shape[0]
    entered = np.empty(rolls)
    fill_choices(worths, allowed, choices, entered)
    value = np.empty(short + rolls)
    value[short:] = entered
    for throw in range(keeps.shape[0] - 1, -1, -1):
        # The five-dice keeps are the rolls themselves, in the same order; others average over one more die. Indices
        # are unsigned because signed ones are checked for less than 0 each time.
        for keep in range(short - 1, -1, -1):
            total = 0.0
            for face in range(6):
                total += value[np.uint64(lattice.grown[np.uint64(keep), np.uint64(face)])]
            value[np.uint64(keep)] = total / 6.0
        following = np.empty(rolls)
        for roll in range(rolls):
            # The first keep is all five, which ends the turn; a throw has to be worth its cost more.
            first = np.uint64(lattice.first[roll])
            kept = lattice.roll_masks[first]
            best = entered[roll] + cost
            least = best + TIE
            for place in range(first + np.uint64(1), np.uint64(lattice.first[roll + 1])):
                thrown = value[np.uint64(lattice.roll_keeps[place])]
                if thrown > least:
                    best = thrown
                    least = thrown + TIE
                    kept = lattice.roll_masks[place]
            keeps[throw, roll] = kept
            following[roll] = best - cost
        for roll in range(rolls):
            value[short + roll] = following[roll]


class Room(NamedTuple):
    """Room for planning the turns of TOGETHER sheets.

    What entries are worth, shape (TOGETHER, categories, 252), and which rolls allow, (TOGETHER, 252), are given there;
    `entered` and `following`, shape (252, TOGETHER), `value`, (462, TOGETHER), `best` and `masks`, (throws - 1, 252,
    TOGETHER), are for the work.
    """

    worths: Worths
    allowed: npt.NDArray[np.uint32]
    entered: Worths
    following: Worths
    value: Worths
    best: Worths
    masks: npt.NDArray[np.int64]


@inner
def build_room(lattice: Lattice, categories: int, keeps: int) -> Room:
    """Builds the room for turns with so many keeps."""
    rolls = lattice.first.size - 1
    return Room(
        np.zeros((TOGETHER, categories, rolls)),
        np.zeros((TOGETHER, rolls), np.uint32),
        np.zeros((rolls, TOGETHER)),
        np.zeros((rolls, TOGETHER)),
        np.zeros((lattice.grown.shape[0] + rolls, TOGETHER)),
        np.zeros(TOGETHER),
        np.zeros((keeps, rolls, TOGETHER), np.int64),
    )


@inner
def fill_plans(
    lattice: Lattice, room: Room, keeps: npt.NDArray[np.uint8], choices: npt.NDArray[np.uint8]
) -> None:
    """Fills the plans of at most TOGETHER sheets, shapes (sheets, throws - 1, 252) and (sheets, 252).

    They are those of fill_plan where throws cost nothing.
    """
    sheets = choices.shape[0]
    if sheets < FEW:
        for sheet in range(sheets):
            fill_plan(lattice, room.worths[sheet], room.allowed[sheet], 0.0, keeps[sheet], choices[sheet])
        return
    value = np.empty(choices.shape[1])
    for sheet in range(sheets):
        fill_choices(room.worths[sheet], room.allowed[sheet], choices[sheet], value)
        room.entered[:, sheet] = value
    _fill_masks(lattice, room)
    for sheet in range(sheets):
        for throw in range(keeps.shape[1]):
            for roll in range(keeps.shape[2]):
                keeps[sheet, throw, roll] = room.masks[throw, roll, sheet]


@inner
def _fill_masks(lattice: Lattice, room: Room) -> None:
    """Fills the masks of TOGETHER sheets from what their rolls are worth entered."""
    short = lattice.grown.shape[0]
    value, best, masks = room.value, room.best, room.masks
    value[short:] = room.entered
    for throw in range(masks.shape[0] - 1, -1, -1):
        for keep in range(short - 1, -1, -1):
            grown = lattice.grown[keep]
            a, b, c, d, e, f = grown[0], grown[1], grown[2], grown[3], grown[4], grown[5]
            for sheet in range(TOGETHER):
                total = value[a, sheet] + value[b, sheet] + value[c, sheet]
                value[keep, sheet] = (total + value[d, sheet] + value[e, sheet] + value[f, sheet]) / 6.0
        for roll in range(room.entered.shape[0]):
            first = lattice.first[roll]
            kept = masks[throw, roll]
            best[:] = room.entered[roll]
            kept[:] = lattice.roll_masks[first]
            for place in range(first + 1, lattice.first[roll + 1]):
                thrown = value[lattice.roll_keeps[place]]
                mask = np.int64(lattice.roll_masks[place])
                for sheet in range(TOGETHER):
                    better = thrown[sheet] > best[sheet] + TIE
                    best[sheet] = thrown[sheet] if better else best[sheet]
                    kept[sheet] = mask if better else kept[sheet]
            room.following[roll] = best
        value[short:] = room.following


class LookaheadStrategy(Strategy):
    """Plays each turn for the highest mean worth of the entry, as `worths` values it."""

    @abstractmethod
    def worths(self, sheet: Sheet) -> Worths:
        """Returns what each entry is worth, shape (categories, 252); only open categories are looked at."""

    def plan(self, sheet: Sheet) -> Plan:
        """Returns the best plan for these worths."""
        return best_plan(self.worths(sheet), sheet)
