"""The offer at the end of a turn: which rival may be robbed of what, and whether that is done."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sim.cheerio_ruleset import MOST_CATEGORIES
from sim.compiled import Integer, inner
from sim.contexts import answered, seen
from sim.lanes import COLUMN, LACKING, NOBODY, OFFER, STEAL, Decisions, Lanes, Rules
from sim.steal import DECIDE, NOTHING, ROB, TAKE, Steals


@inner
def decide_steals(
    rules: Rules, decisions: Decisions, lanes: Lanes, steals: Steals, row: int, count: int
) -> Integer:
    """Finds the offer of every lane that may steal, and whether it is taken; returns how many answers are missing."""
    missing = 0
    reading, turns, sides = steals.reading, rules.turns, lanes.sides
    points, dearest = rules.points, steals.dearest
    rivals, todo, stolen, top = steals.rival, steals.todo, steals.category, steals.top
    categories, places, seats = lanes.category, lanes.place, lanes.seat
    opened, totals, worth, entries = lanes.open, lanes.totals, lanes.worth, lanes.entries
    asks, steal_from = decisions.asks_steal, decisions.steal_from
    for lane in range(count):
        if todo[lane] != DECIDE:
            continue
        roll = np.int64(np.uint64(places[lane]) % np.uint64(COLUMN))
        seat = np.int64(seats[lane])
        instead = np.int64(points[np.int64(categories[lane]) * COLUMN + roll])
        if not asks[seat]:
            # Most offers fall short of the threshold, and need not be looked for: none swings more than this.
            most = np.int64(0)
            for other in range(sides):
                if other != row:
                    most = max(most, np.int64(top[other, lane]))
            if reading == TAKE:
                most += np.int64(dearest[roll])
            if most - instead < steal_from[seat]:
                todo[lane] = NOTHING
                continue
        wants = 0
        rival = _best_rival(reading, turns, sides, opened, totals, worth, row, lane)
        if rival != NOBODY:
            eligible = _eligible(reading, turns, opened, row, rival, lane)
            category, swing = _best_offer(reading, eligible, points, entries, rival, lane, roll, instead)
            wants = int(swing >= steal_from[seat])
            if asks[seat]:
                pays = np.int64(points[category * COLUMN + roll])
                gains = pays - instead if reading == TAKE else -instead
                wants = _asked(rules, decisions, lanes, row, lane, category, gains, swing - gains, missing)
            stolen[lane] = category
        if wants == LACKING:
            missing += 1
            continue
        todo[lane] = ROB if wants else NOTHING
        rivals[lane] = rival if wants else NOBODY
    return missing


@inner
def _best_rival(
    reading: int,
    turns: int,
    sides: int,
    opened: npt.NDArray[np.uint16],
    totals: npt.NDArray[np.int16],
    worth: npt.NDArray[np.int16],
    row: int,
    lane: int,
) -> Integer:
    """Returns the row of the rival that may be robbed and has most, open categories allowed for; or NOBODY."""
    rival: Integer = np.int64(NOBODY)
    best: Integer = np.int64(-1)
    for away in range(1, sides):
        other = (row + away) % sides
        total = np.int64(totals[other, lane]) + worth[other, lane]
        if total > best and _eligible(reading, turns, opened, row, other, lane):
            best = total
            rival = other
    return rival


@inner
def _eligible(
    reading: int, turns: int, opened: npt.NDArray[np.uint16], row: int, rival: Integer, lane: int
) -> Integer:
    """Returns the mask of the categories that may be stolen from a rival."""
    filled = np.uint32((1 << turns) - 1) & ~np.uint32(opened[rival, lane])
    if reading == TAKE:
        return filled & np.uint32(opened[row, lane])
    return filled if opened[rival, lane] else np.uint32(0)


@inner
def _best_offer(
    reading: int,
    eligible: Integer,
    points: npt.NDArray[np.int16],
    entries: npt.NDArray[np.int16],
    rival: Integer,
    lane: int,
    roll: Integer,
    instead: Integer,
) -> tuple[int, int]:
    """Returns the category of the steal that swings most, and by how many points it does."""
    best: Integer = -2 * OFFER
    stolen = category = 0
    rest = eligible
    while rest:
        if rest & np.uint32(1):
            pays = np.int64(points[category * COLUMN + roll])
            entry = np.int64(entries[rival, category, lane])
            swing = (entry + pays if reading == TAKE else entry - pays) - instead
            if swing > best:
                best = swing
                stolen = category
        rest >>= np.uint32(1)
        category += 1
    return stolen, best


@inner
def _asked(
    rules: Rules,
    decisions: Decisions,
    lanes: Lanes,
    row: int,
    lane: int,
    category: int,
    gains: Integer,
    loses: Integer,
    missing: int,
) -> int:
    """Returns what a strategy answers to an offer, 0 or 1; LACKING where the answer is missing."""
    seat = np.int64(lanes.seat[lane])
    offer = np.uint64(gains + OFFER + 2 * OFFER * (loses + OFFER + 2 * OFFER * category))
    views = seen(rules, lanes, row, lane, decisions.steal_strides[seat])
    context = offer + np.uint64(4 * OFFER * OFFER * MOST_CATEGORIES) * views
    key = decisions.steal_base[seat] + context
    return answered(decisions, lanes, key, context, seat, STEAL, missing)
