"""Jokers: what five alike bring once the category that asks for them is filled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sim.compiled import inner
from sim.lanes import COLUMN, NO_CATEGORY, Lanes, Rules


class Jokers(NamedTuple):
    """What five alike bring once `category` is filled: other `points`, laid out as those of Rules, and `extra`.

    Without a joker the category is NO_CATEGORY: so little is not worth kernels of its own.
    """

    category: int
    points: npt.NDArray[np.int16]
    extra: int


#: What stands for a ruleset without jokers.
NO_JOKERS = Jokers(NO_CATEGORY, np.zeros(0, np.int16), 0)


@inner
def pay_jokers(rules: Rules, jokers: Jokers, lanes: Lanes, row: int, count: int) -> None:
    """Puts what a joker pays in place of what was entered, and adds the extra points; before the entry closes."""
    own, extra, usual, jokers_points = np.uint32(jokers.category), jokers.extra, rules.points, jokers.points
    opened, held, points, paid = lanes.open[row], lanes.held[row], lanes.points[row], lanes.jokers[row]
    entries, gained, places, categories = lanes.entries[row], lanes.gained, lanes.place, lanes.category
    column = np.uint64(COLUMN)
    for lane in range(count):
        category = np.uint64(categories[lane])
        roll = np.uint64(places[lane]) % column
        if np.uint32(opened[lane]) >> own & np.uint32(1):
            if category == np.uint64(own):
                held[lane] = gained[lane] > 0
            continue
        gained[lane] = jokers_points[category * column + roll]
        entries[category, lane] = gained[lane]
        if held[lane] and usual[np.uint64(own) * column + roll] > 0:
            paid[lane] += np.uint8(1)
            points[lane] += np.int16(extra)
