"""Cutthroat: once a game a side may rob a rival at the end of a turn.

Here is what a game keeps of that; sim.offers decides on a steal, and sim.robbery carries it out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sim.compiled import inner
from sim.hashes import CATEGORY_SHIFT, mixed_hash
from sim.lanes import NO_CATEGORY, NOBODY, STOP, Lanes, Rules

#: The readings of a steal.
OVERWRITE, TAKE = range(2)
#: In place of a rival: the sheet is full, and the turn is passed over.
PASSED = -2
#: What is still to be done in a lane, when answers are missing: to decide on the offer, to rob, or nothing.
DECIDE, ROB, NOTHING = range(3)


class Steals(NamedTuple):
    """A cutthroat game: its reading, and what is kept of each lane by side, by seat, and of the turn at hand.

    `dearest` is the most that each roll pays anywhere. A side has used its steal, was robbed so often, and has had no
    entry above `top`; a seat has made so many steals. A turn's steal is the rival's row (NOBODY for none) and the
    category, with what is still to be done.
    """

    reading: int
    dearest: npt.NDArray[np.int16]
    used: npt.NDArray[np.uint8]
    top: npt.NDArray[np.int16]
    robbed: npt.NDArray[np.uint8]
    made: npt.NDArray[np.uint8]
    rival: npt.NDArray[np.int8]
    category: npt.NDArray[np.uint8]
    todo: npt.NDArray[np.uint8]


def build_steals(reading: int, points: npt.NDArray[np.int16], seats: int, sides: int, lanes: int) -> Steals:
    """Builds the room for the steals of a block of lanes; `points` are of shape (categories, 252)."""
    return Steals(
        reading=reading,
        dearest=points.max(axis=0),
        used=np.zeros((sides, lanes), np.uint8),
        top=np.zeros((sides, lanes), np.int16),
        robbed=np.zeros((sides, lanes), np.uint8),
        made=np.zeros((seats, lanes), np.uint8),
        rival=np.zeros(lanes, np.int8),
        category=np.zeros(lanes, np.uint8),
        todo=np.zeros(lanes, np.uint8),
    )


@inner
def start_steals(lanes: Lanes, steals: Steals, barred: int, count: int) -> None:
    """Sets every lane to a game in which nobody has stolen yet; the side `barred` never will, -1 bars nobody."""
    steals.used[:] = 0
    steals.robbed[:] = 0
    steals.made[:] = 0
    steals.top[:] = 0
    if barred >= 0:
        for lane in range(count):
            steals.used[(barred - np.int64(lanes.start[lane])) % lanes.sides, lane] = 1


@inner
def begin_steals(lanes: Lanes, steals: Steals, row: int, count: int) -> None:
    """Looks at the turn of every lane: whether it is passed over, and whether its side may steal."""
    opened, used = lanes.open[row], steals.used[row]
    rival, todo, category = steals.rival, steals.todo, lanes.category
    for lane in range(count):
        rival[lane] = NOBODY if opened[lane] else PASSED
        todo[lane] = DECIDE if opened[lane] and not used[lane] else NOTHING
        if not opened[lane]:
            category[lane] = NO_CATEGORY


@inner
def note_steals(rules: Rules, lanes: Lanes, steals: Steals, seat_row: int, count: int) -> None:
    """Does as note_turns does, for turns that may have been a steal or passed over."""
    throws, hashes, turns = lanes.throws[seat_row], lanes.hashes[seat_row], lanes.turns[seat_row]
    rivals, stolen, categories = steals.rival, steals.category, lanes.category
    masks, start, rounds, turn = lanes.masks, lanes.start, lanes.rounds, lanes.turn
    for lane in range(count):
        if rivals[lane] == PASSED:
            continue
        choices = np.uint32(categories[lane])
        if rivals[lane] != NOBODY:
            side = (np.uint32(start[lane]) + np.uint32(rivals[lane])) % np.uint32(lanes.sides)
            choices = np.uint32(stolen[lane]) | (side + np.uint32(1)) << np.uint32(4)
        choices <<= np.uint32(CATEGORY_SHIFT)
        throws[lane] += np.uint16(1)
        for throw in range(1, rules.throws):
            choices |= np.uint32(masks[throw, lane]) << np.uint32(5 * throw - 5)
            throws[lane] += np.uint16(masks[throw, lane] != STOP)
        hashes[lane] = mixed_hash(hashes[lane], choices)
        turns[lane] += np.uint8(1)
        rounds[lane] = turn[lane] + np.uint8(1)
