"""Cutthroat: once a game a side may rob a rival at the end of a turn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sim.compiled import Integer, inner
from sim.contexts import note_missing, probed, seen
from sim.hashes import CATEGORY_SHIFT, mixed_hash
from sim.lanes import (
    COLUMN,
    EMPTY,
    FORFEIT,
    NO_CATEGORY,
    NOBODY,
    OFFER,
    STEAL,
    STOP,
    Decisions,
    Lanes,
    Rules,
)
from sim.ruleset import MOST_CATEGORIES

#: The readings of a steal.
OVERWRITE, TAKE = range(2)
#: In place of a rival: the sheet is full, and the turn is passed over.
PASSED = -2
#: In place of an answer: it has to be asked for.
LACKING = -1
#: What is still to be done in a lane, when answers are missing: to decide on the offer, to rob, or nothing.
DECIDE, ROB, NOTHING = range(3)
#: What a forfeit writes where a turn writes its category, when it is mixed into a hash.
FORFEITED = 7 << 4


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


class Sheets(NamedTuple):
    """What an entry changes, and by what rules: a few arrays, for the whole of the lanes is slow to hand over."""

    open: npt.NDArray[np.uint16]
    points: npt.NDArray[np.int16]
    upper: npt.NDArray[np.int16]
    totals: npt.NDArray[np.int16]
    par: npt.NDArray[np.int16]
    worth: npt.NDArray[np.int16]
    entries: npt.NDArray[np.int16]
    usual: npt.NDArray[np.int16]
    pace_par: npt.NDArray[np.int16]
    upper_mask: int
    threshold: int
    bonus: int


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
def steal(
    rules: Rules, decisions: Decisions, lanes: Lanes, steals: Steals, row: int, step: int, count: int
) -> Integer:
    """Decides in every lane on a steal, and robs; returns how many answers are missing.

    Lanes that lack no answer are done with, and left alone when this is called again once the answers are there. A
    turn that steals enters nothing else.
    """
    missing = _decide(rules, decisions, lanes, steals, row, count)
    return _rob(rules, decisions, lanes, steals, row, step, count, missing)


@inner
def _decide(
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
    answer = probed(decisions.keys, decisions.key_rows, decisions.steal_base[seat] + context)
    if answer < 0:
        note_missing(lanes, missing, context, lanes.seat[lane], STEAL)
        return LACKING
    return int(answer)


@inner
def _rob(
    rules: Rules,
    decisions: Decisions,
    lanes: Lanes,
    steals: Steals,
    row: int,
    step: int,
    count: int,
    missing: int,
) -> Integer:
    """Robs where that is decided, and lets the robbed forfeit a category; undoes both where their answer is missing.

    Returns how many answers are missing, those counted in that were missing before.
    """
    sides, seats = lanes.sides, decisions.base.size
    rivals, stolen, todo, categories = steals.rival, steals.category, steals.todo, lanes.category
    used, robbed, made, top = steals.used, steals.robbed, steals.made, steals.top
    starts, places, hashes, entered_by = lanes.start, lanes.place, lanes.hashes, lanes.entered_by
    points, usual, takes, asks = rules.points, rules.worth, steals.reading == TAKE, decisions.asks_forfeit
    opened, entries, here = lanes.open, lanes.entries, lanes.seat
    sheets = Sheets(
        lanes.open, lanes.points, lanes.upper, lanes.totals, lanes.par, lanes.worth, lanes.entries,
        rules.worth, rules.pace_par, rules.upper, rules.threshold, rules.bonus,
    )  # fmt: skip
    for lane in range(count):
        if todo[lane] != ROB:
            continue
        rival, category = np.int64(rivals[lane]), np.int64(stolen[lane])
        pays = np.int64(points[category * COLUMN + np.int64(np.uint64(places[lane]) % np.uint64(COLUMN))])
        entry = np.int64(entries[rival, category, lane])
        left = EMPTY if takes else pays
        _put(sheets, rival, lane, category, left)
        if takes:
            _put(sheets, row, lane, category, pays)
        # The partner forfeits who takes the rival's next turn.
        following = step + (rival - row + sides) % sides
        seat = (np.int64(starts[lane]) + following) % seats
        if asks[seat]:
            given_up = _asked_forfeit(rules, decisions, lanes, rival, lane, seat, missing)
        else:
            given_up = _cheapest(opened[rival, lane], usual, rules.turns)
        if given_up == LACKING:
            missing += 1
            if takes:
                _put(sheets, row, lane, category, EMPTY)
            _put(sheets, rival, lane, category, entry)
            continue
        _put(sheets, rival, lane, given_up, 0)
        if rules.team > 1:
            entered_by[rival, given_up, lane] = seat
            if takes:
                entered_by[row, category, lane] = here[lane]
        used[row, lane] = 1
        robbed[rival, lane] += np.uint8(1)
        made[step % seats, lane] += np.uint8(1)
        changed = row if takes else rival
        top[changed, lane] = max(top[changed, lane], np.int16(pays))
        choice = np.uint32(FORFEITED | given_up) << np.uint32(CATEGORY_SHIFT)
        hashes[following % seats, lane] = mixed_hash(hashes[following % seats, lane], choice)
        todo[lane] = NOTHING
        categories[lane] = NO_CATEGORY
    return missing


@inner
def _put(sheets: Sheets, row: Integer, lane: int, category: Integer, entry: Integer) -> None:
    """Puts an entry in place of what a category holds, EMPTY to open it, with all that hangs on it."""
    bit = np.uint16(1 << category)
    was_open = sheets.open[row, lane] & bit != 0
    more = max(entry, 0)
    if not was_open:
        more -= np.int64(sheets.entries[row, category, lane])
    sheets.entries[row, category, lane] = entry
    if was_open != (entry == EMPTY):
        way = 1 if was_open else -1
        sheets.open[row, lane] ^= bit
        sheets.worth[row, lane] -= way * sheets.usual[category]
        sheets.par[row, lane] += way * sheets.pace_par[category]
    sheets.points[row, lane] += more
    if sheets.upper_mask >> category & 1:
        sheets.upper[row, lane] += more
    bonus = sheets.bonus if sheets.upper[row, lane] >= sheets.threshold else 0
    sheets.totals[row, lane] = sheets.points[row, lane] + bonus


@inner
def _cheapest(opened: np.uint16, usual: npt.NDArray[np.int16], turns: int) -> int:
    """Returns the open category that is usually worth least, of equals the first."""
    least: int = LACKING
    for category in range(turns):
        is_open = np.uint32(opened) >> np.uint32(category) & np.uint32(1)
        if is_open and (least == LACKING or usual[category] < usual[least]):
            least = category
    return least


@inner
def _asked_forfeit(
    rules: Rules, decisions: Decisions, lanes: Lanes, row: Integer, lane: int, seat: Integer, missing: int
) -> int:
    """Returns the category that a strategy gives up; LACKING where its answer is missing."""
    context: Integer = seen(rules, lanes, row, lane, decisions.forfeit_strides[seat])
    answer = probed(decisions.keys, decisions.key_rows, decisions.forfeit_base[seat] + context)
    if answer < 0:
        note_missing(lanes, missing, context, np.uint8(seat), FORFEIT)
    return int(answer)


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
