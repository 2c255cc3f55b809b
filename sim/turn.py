"""One turn in lockstep: every lane finds its row of decisions, throws, keeps, throws again and fills a category.

The look-ups go lane by lane; whatever can be done for many lanes at once stands in a short loop of its own over
few arrays, because the compiler turns such loops into vector code.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sim.compiled import Integer, compiled, inlined, prefetch
from sim.dice import JUMPS, LEADING, OUTCOMES, ROLL_KEEPS
from sim.standings import Lead, build_lead
from sim.streams import COIN, uniform
from sim.views import MOST_DIFFERENCE, PACE_FAR, STANDING_FAR, STANDING_NEAR, STEPS

#: A row of decisions has this many places for each throw; 252 are used.
COLUMN = 256
#: The mask that keeps all five dice and so ends the turn.
STOP = 31


class Rules(NamedTuple):
    """A ruleset as the kernel reads it; points are flat, COLUMN places a category, `upper` is a mask."""

    points: npt.NDArray[np.int16]
    upper: int
    pace_par: npt.NDArray[np.int16]
    worth: npt.NDArray[np.int16]
    throws: int
    turns: int
    threshold: int
    bonus: int
    cap: int
    start_roll: bool
    roll_off: bool


class Decisions(NamedTuple):
    """The decision tables of a lineup, by seat; `strategies.tables` documents and fills them.

    `rows` holds masks and categories; `mixed_rows` holds, for strategies that mix, first << 6 | count into `pool`.
    A context's row is row_of[base + context] where `direct`, else found by probing keys for base + context.
    """

    rows: npt.NDArray[np.uint8]
    mixed_rows: npt.NDArray[np.uint32]
    pool: npt.NDArray[np.uint8]
    row_of: npt.NDArray[np.int32]
    keys: npt.NDArray[np.uint64]
    key_rows: npt.NDArray[np.int32]
    base: npt.NDArray[np.uint64]
    direct: npt.NDArray[np.uint8]
    mixed: npt.NDArray[np.uint8]
    any_mixed: bool
    strides: npt.NDArray[np.uint64]
    wide: bool
    in_order: bool


class Lanes(NamedTuple):
    """The state of a block of games played at once.

    What a seat has is of shape (seats, lanes), one row for each position in the order of play, so that all lanes
    of a step work on the same row; where nobody watches rivals the order does not matter, and rows are seats.
    The rest is of shape (lanes,): who sits there, and how the turn at hand goes.
    """

    open: npt.NDArray[np.uint16]
    points: npt.NDArray[np.int16]
    upper: npt.NDArray[np.int16]
    totals: npt.NDArray[np.int16]
    par: npt.NDArray[np.int16]
    worth: npt.NDArray[np.int16]
    throws: npt.NDArray[np.uint16]
    hashes: npt.NDArray[np.uint32]
    entries: npt.NDArray[np.int16]
    start: npt.NDArray[np.uint8]
    seat: npt.NDArray[np.uint8]
    turn: npt.NDArray[np.uint8]
    words: npt.NDArray[np.uint16]
    wide: npt.NDArray[np.uint64]
    place: npt.NDArray[np.uint32]
    masks: npt.NDArray[np.uint8]
    category: npt.NDArray[np.uint8]
    gained: npt.NDArray[np.int16]
    missing: npt.NDArray[np.uint64]
    missing_seat: npt.NDArray[np.uint8]
    lead: Lead


def build_lanes(seats: int, turns: int, lanes: int) -> Lanes:
    """Builds the room for one block of lanes."""
    by_seat = (seats, lanes)
    return Lanes(
        open=np.zeros(by_seat, np.uint16),
        points=np.zeros(by_seat, np.int16),
        upper=np.zeros(by_seat, np.int16),
        totals=np.zeros(by_seat, np.int16),
        par=np.zeros(by_seat, np.int16),
        worth=np.zeros(by_seat, np.int16),
        throws=np.zeros(by_seat, np.uint16),
        hashes=np.zeros(by_seat, np.uint32),
        entries=np.zeros((seats, turns, lanes), np.int16),
        start=np.zeros(lanes, np.uint8),
        seat=np.zeros(lanes, np.uint8),
        turn=np.zeros(lanes, np.uint8),
        words=np.zeros((8, lanes), np.uint16),
        wide=np.zeros(lanes, np.uint64),
        place=np.zeros(lanes, np.uint32),
        masks=np.zeros((5, lanes), np.uint8),
        category=np.zeros(lanes, np.uint8),
        gained=np.zeros(lanes, np.int16),
        missing=np.zeros(lanes, np.uint64),
        missing_seat=np.zeros(lanes, np.uint8),
        lead=build_lead(seats, lanes),
    )


@compiled
def find_rows(rules: Rules, decisions: Decisions, lanes: Lanes, position: int, count: int) -> Integer:
    """Throws the first five dice and finds the place of the first decision; returns how many contexts have no row.

    Here and in each pass of a turn the decision that the next pass reads is fetched ahead: a table is larger than
    the cache, and waiting for each look-up in its turn would take most of the time.
    """
    missing = 0
    cap = np.int16(rules.cap)
    width = np.uint64(rules.throws * COLUMN)
    strides = decisions.strides.reshape(-1)
    views = np.uint64(decisions.strides.shape[1])
    opened = lanes.open[position]
    upper = lanes.upper[position]
    words = lanes.words[0]
    ahead = not decisions.any_mixed
    if decisions.wide:
        view_wide(rules, decisions, lanes, position, count)
    elif not decisions.in_order and decisions.direct[position]:
        row_of = decisions.row_of[np.int64(decisions.base[position]) :]
        own = decisions.strides[position]
        if _place_own(
            row_of,
            own[0],
            own[1],
            opened[:count],
            upper,
            cap,
            words,
            width,
            decisions.rows,
            ahead,
            lanes.place,
        ):
            return missing
    for lane in range(count):
        seat = np.uint64(lanes.seat[lane])
        context = np.uint64(opened[lane]) * strides[seat * views]
        context += np.uint64(min(upper[lane], cap)) * strides[seat * views + np.uint64(1)]
        if decisions.wide:
            context += lanes.wide[lane]
        if decisions.direct[seat]:
            row = decisions.row_of[decisions.base[seat] + context]
        else:
            row = probed_row(decisions.keys, decisions.key_rows, decisions.base[seat] + context)
        if row < 0:
            lanes.missing[missing] = context
            lanes.missing_seat[missing] = lanes.seat[lane]
            missing += 1
            row = 0
        place = np.uint64(row) * width + np.uint64(OUTCOMES[np.uint64(words[lane])])
        lanes.place[lane] = place
        if ahead:
            prefetch(decisions.rows, place)
    return missing


@compiled
def _place_own(
    row_of: npt.NDArray[np.int32],
    open_stride: np.uint64,
    upper_stride: np.uint64,
    opened: npt.NDArray[np.uint16],
    upper: npt.NDArray[np.int16],
    cap: np.int16,
    words: npt.NDArray[np.uint16],
    width: np.uint64,
    rows: npt.NDArray[np.uint8],
    ahead: bool,
    places: npt.NDArray[np.uint32],
) -> bool:
    """Does the work of find_rows where one strategy sits in all lanes and sees its own sheet alone.

    Returns False where a row is missing; find_rows then goes lane by lane.
    """
    lowest: Integer = np.int32(0)
    for lane in range(opened.size):
        context = np.uint64(opened[lane]) * open_stride + np.uint64(min(upper[lane], cap)) * upper_stride
        row = row_of[context]
        lowest = min(lowest, row)
        place = np.uint64(max(row, np.int32(0))) * width + np.uint64(OUTCOMES[np.uint64(words[lane])])
        places[lane] = place
        if ahead:
            prefetch(rows, place)
    return bool(lowest >= 0)


@compiled
def probed_row(keys: npt.NDArray[np.uint64], key_rows: npt.NDArray[np.int32], key: np.uint64) -> Integer:
    """Finds the row of a key by open addressing, or -1; keys are stored plus one, 0 is an empty place."""
    last = np.uint64(keys.size - 1)
    place = (key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32) & last
    while keys[place] != np.uint64(0):
        if keys[place] == key + np.uint64(1):
            return np.int64(key_rows[place])
        place = (place + np.uint64(1)) & last
    return np.int64(-1)


@compiled
def view_wide(rules: Rules, decisions: Decisions, lanes: Lanes, position: int, count: int) -> None:
    """Adds up, for each lane, the part of the context beyond `open` and `upper`; sim.views says what each shows."""
    seats = lanes.open.shape[0]
    for lane in range(count):
        strides = decisions.strides[np.uint64(lanes.seat[lane])]
        own: Integer = np.int64(lanes.totals[position, lane])
        pace = _stepped(np.int64(lanes.upper[position, lane]) - lanes.par[position, lane], 1, PACE_FAR)
        turns_left = 0
        rest = np.uint32(lanes.open[position, lane])
        while rest:
            rest &= rest - np.uint32(1)
            turns_left += 1
        context = np.uint64(pace) * strides[2] + np.uint64(turns_left) * strides[3]
        standing = STEPS
        difference = MOST_DIFFERENCE
        if seats > 1:
            rival = position
            best: Integer = np.int64(-1)
            highest: Integer = np.int64(-1)
            for away in range(1, seats):
                other = (position + away) % seats
                total = np.int64(lanes.totals[other, lane])
                highest = max(highest, total)
                if total + lanes.worth[other, lane] > best:
                    best = total + lanes.worth[other, lane]
                    rival = other
            standing = _stepped(own + lanes.worth[position, lane] - best, STANDING_NEAR, STANDING_FAR)
            difference = min(max(own - highest, -MOST_DIFFERENCE), MOST_DIFFERENCE) + MOST_DIFFERENCE
            context += np.uint64(lanes.open[rival, lane]) * strides[6]
            rival_upper: Integer = min(np.int64(lanes.upper[rival, lane]), rules.cap)
            context += np.uint64(rival_upper) * strides[7]
        lanes.wide[lane] = context + np.uint64(standing) * strides[4] + np.uint64(difference) * strides[5]


@inlined
def _stepped(difference: Integer, near: int, far: int) -> int:
    step = STEPS
    if difference <= -far:
        step = 0
    elif difference <= -near:
        step = 1
    elif difference >= far:
        step = 4
    elif difference >= near:
        step = 3
    return step


@compiled
def play_turns(
    rules: Rules,
    decisions: Decisions,
    lanes: Lanes,
    position: int,
    seed: np.uint64,
    first_deal: np.uint64,
    count: int,
) -> None:
    """Plays one turn of every lane, from the first keep to the entry; find_rows has thrown the first dice."""
    for throw in range(rules.throws - 1):
        look_up(decisions, lanes, seed, first_deal, count, throw, lanes.masks[throw + 1])
        throw_again(decisions, lanes, count, throw)
    look_up(decisions, lanes, seed, first_deal, count, rules.throws - 1, lanes.category)
    enter(rules, lanes, position, count)
    _add_points(lanes.gained[:count], lanes.points[position])
    _add_upper(lanes.gained[:count], lanes.category, np.uint32(rules.upper), lanes.upper[position])
    _close_categories(lanes.category[:count], lanes.open[position])
    for throw in range(1, rules.throws):
        _count_throws(lanes.masks[throw, :count], lanes.throws[position])
    _hash_choices(
        lanes.masks, rules.throws, lanes.category[:count], lanes.throws[position], lanes.hashes[position]
    )
    if decisions.wide:
        for lane in range(count):
            category = np.uint64(lanes.category[lane])
            lanes.par[position, lane] += rules.pace_par[category]
            lanes.worth[position, lane] -= rules.worth[category]


@compiled
def look_up(
    decisions: Decisions,
    lanes: Lanes,
    seed: np.uint64,
    first_deal: np.uint64,
    count: int,
    slot: int,
    answers: npt.NDArray[np.uint8],
) -> None:
    """Writes each lane's decision, the mask after throw `slot` or the category after the last."""
    rows = decisions.rows
    places = lanes.place
    if not decisions.any_mixed:
        for lane in range(count):
            answers[lane] = rows[np.uint64(places[lane])]
        return
    for lane in range(count):
        place = np.uint64(places[lane])
        seat = np.uint64(lanes.seat[lane])
        if decisions.mixed[seat]:
            entry = np.uint64(decisions.mixed_rows[place])
            deal = first_deal + np.uint64(lane)
            turn = np.uint64(lanes.turn[lane])
            answers[lane] = drawn(decisions.pool, entry, seed, deal, seat, turn, np.uint64(slot))
        else:
            answers[lane] = rows[place]


@compiled
def throw_again(decisions: Decisions, lanes: Lanes, count: int, throw: int) -> None:
    """Rolls the dice that are not kept after a throw."""
    rows = decisions.rows
    # A mixing strategy's places are in the other arena; here they may be no memory at all, which costs dearly.
    ahead = not decisions.any_mixed
    places = lanes.place
    before = lanes.masks[throw]
    masks = lanes.masks[throw + 1]
    words = lanes.words[throw + 1]
    column = np.uint64(COLUMN)
    for lane in range(count):
        place = np.uint64(places[lane])
        roll = place % column
        # Keeping all five ends the turn: every later keep of it is all five.
        mask = np.uint64(masks[lane]) | np.uint64(STOP) * np.uint64(before[lane] == STOP)
        jump = np.uint64(JUMPS[np.uint64(ROLL_KEEPS[roll, mask])])
        number = (np.uint64(words[lane]) * LEADING[jump >> np.uint64(16)]) >> np.uint64(24)
        following = place - roll + column + np.uint64(OUTCOMES[(jump & np.uint64(0xFFFF)) + number])
        if ahead:
            prefetch(rows, following)
        places[lane] = following
        masks[lane] = mask


@compiled
def enter(rules: Rules, lanes: Lanes, position: int, count: int) -> None:
    """Enters what the last throw pays in the chosen category."""
    points = rules.points
    entries = lanes.entries[position].reshape(-1)
    lanes_of_entries = np.uint64(lanes.seat.size)
    column = np.uint64(COLUMN)
    for lane in range(count):
        category = np.uint64(lanes.category[lane])
        gained = points[category * column + np.uint64(lanes.place[lane]) % column]
        lanes.gained[lane] = gained
        entries[category * lanes_of_entries + np.uint64(lane)] = gained


@compiled
def drawn(
    pool: npt.NDArray[np.uint8],
    entry: np.uint64,
    seed: np.uint64,
    deal: np.uint64,
    seat: np.uint64,
    turn: np.uint64,
    slot: np.uint64,
) -> np.uint64:
    """Draws one of a mixing strategy's equally likely options with the decision's coin."""
    first = entry >> np.uint64(6)
    options = entry & np.uint64(63)
    if options > np.uint64(1):
        first += uniform(seed, deal, seat, turn, np.uint64(COIN), slot, options)
    return np.uint64(pool[first])


@compiled
def _add_points(gained: npt.NDArray[np.int16], points: npt.NDArray[np.int16]) -> None:
    for lane in range(gained.size):
        points[lane] += gained[lane]


@compiled
def _add_upper(
    gained: npt.NDArray[np.int16],
    category: npt.NDArray[np.uint8],
    upper_mask: np.uint32,
    upper: npt.NDArray[np.int16],
) -> None:
    for lane in range(gained.size):
        counts = np.int16(upper_mask >> np.uint32(category[lane]) & np.uint32(1))
        upper[lane] += np.int16(gained[lane] * counts)


@compiled
def _close_categories(category: npt.NDArray[np.uint8], opened: npt.NDArray[np.uint16]) -> None:
    for lane in range(category.size):
        opened[lane] ^= np.uint16(np.uint32(1) << np.uint32(category[lane]))


@compiled
def _count_throws(masks: npt.NDArray[np.uint8], throws: npt.NDArray[np.uint16]) -> None:
    for lane in range(masks.size):
        throws[lane] += np.uint16(masks[lane] != STOP)


@compiled
def _hash_choices(
    masks: npt.NDArray[np.uint8],
    allowed: int,
    category: npt.NDArray[np.uint8],
    throws: npt.NDArray[np.uint16],
    hashes: npt.NDArray[np.uint32],
) -> None:
    """Counts the turn's first throw and mixes the turn's choices into each lane's hash."""
    for throw in range(1, allowed):
        shift = np.uint32(5 * throw - 5)
        kept = masks[throw]
        for lane in range(category.size):
            hashes[lane] ^= np.uint32(kept[lane]) << shift
    for lane in range(category.size):
        throws[lane] += np.uint16(1)
        mixed = np.uint32((hashes[lane] ^ np.uint32(category[lane]) << np.uint32(20)) * np.uint32(0x9E3779B1))
        hashes[lane] = mixed ^ mixed >> np.uint32(15)
