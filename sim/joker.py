"""Jokers: what five alike bring once the category that asks for them is filled."""

from __future__ import annotations

import numpy as np

from sim.compiled import compiled
from sim.lanes import COLUMN, Lanes, Rules


@compiled
def pay_jokers(rules: Rules, lanes: Lanes, row: int, count: int) -> None:
    """Puts what a joker pays in place of what was entered, and adds the extra points; before the entry closes."""
    joker = rules.joker
    usual, own = rules.points, np.uint32(joker.category)
    opened, held, points, jokers = lanes.open[row], lanes.held[row], lanes.points[row], lanes.jokers[row]
    entries, gained, places, categories = lanes.entries[row], lanes.gained, lanes.place, lanes.category
    column = np.uint64(COLUMN)
    for lane in range(count):
        category = np.uint64(categories[lane])
        roll = np.uint64(places[lane]) % column
        if np.uint32(opened[lane]) >> own & np.uint32(1):
            if category == np.uint64(own):
                held[lane] = gained[lane] > 0
            continue
        gained[lane] = joker.points[category * column + roll]
        entries[category, lane] = gained[lane]
        if held[lane] and usual[np.uint64(own) * column + roll] > 0:
            jokers[lane] += np.uint8(1)
            points[lane] += np.int16(joker.extra)
