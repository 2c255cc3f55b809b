"""What each lane's strategy sees, as one number, and where its row of decisions is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sim.compiled import Integer, inlined, inner, prefetch
from sim.dice import OUTCOMES
from sim.lanes import COLUMN, LACKING, ROW, Decisions, Lanes, Rules
from sim.luck import shared_losses
from sim.views import MOST_DIFFERENCE, PACE_FAR, STANDING_FAR, STANDING_NEAR, STEPS


@inner
def find_rows(rules: Rules, decisions: Decisions, lanes: Lanes, row: int, count: int) -> Integer:
    """Throws the first five dice and finds the place of the first decision; returns how many contexts have no row.

    Whose sheet is full is passed over, and needs none.

    Here and in each pass of a turn the decision that the next pass reads is fetched ahead: a table is larger than
    the cache, and waiting for each look-up in its turn would take most of the time.
    """
    missing = 0
    cap = np.int16(rules.cap)
    width = np.uint64(rules.throws * COLUMN)
    strides = decisions.strides.reshape(-1)
    views = np.uint64(decisions.strides.shape[1])
    opened = lanes.open[row]
    upper = lanes.upper[row]
    words = lanes.words[0]
    ahead = not decisions.any_mixed
    losses = shared_losses(decisions, lanes)
    lucky = losses.size > 0
    if decisions.wide:
        view_wide(rules, decisions, lanes, row, count)
    elif row < lanes.sides and not decisions.in_order and decisions.direct[row]:
        row_of = decisions.row_of[np.int64(decisions.base[row]) :]
        own = decisions.strides[row]
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
            losses,
            ahead,
            lucky,
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
            found = decisions.row_of[decisions.base[seat] + context]
        else:
            found = probed(decisions.keys, decisions.key_rows, decisions.base[seat] + context)
        if found < 0:
            if opened[lane]:
                note_missing(lanes, missing, context, lanes.seat[lane], ROW)
                missing += 1
            found = 0
        place = np.uint64(found) * width + np.uint64(OUTCOMES[np.uint64(words[lane])])
        lanes.place[lane] = place
        if ahead:
            prefetch(decisions.rows, place)
        if lucky:
            prefetch(losses, place)
    return missing


@inner
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
    losses: npt.NDArray[np.int32],
    ahead: bool,
    lucky: bool,
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
        if lucky:
            prefetch(losses, place)
    return bool(lowest >= 0)


@inner
def note_missing(lanes: Lanes, number: int, context: np.uint64, seat: np.uint8, kind: int) -> None:
    """Writes down a context that the tables lack."""
    lanes.missing[number] = context
    lanes.missing_seat[number] = seat
    lanes.missing_kind[number] = kind


@inner
def probed(keys: npt.NDArray[np.uint64], found: npt.NDArray[np.int32], key: np.uint64) -> Integer:
    """Finds what belongs to a key by open addressing, or -1; keys are stored plus one, 0 is an empty place."""
    last = np.uint64(keys.size - 1)
    place = (key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32) & last
    while keys[place] != np.uint64(0):
        if keys[place] == key + np.uint64(1):
            return np.int64(found[place])
        place = (place + np.uint64(1)) & last
    return np.int64(-1)


@inner
def answered(
    decisions: Decisions, lanes: Lanes, key: Integer, context: Integer, seat: Integer, kind: int, missing: int
) -> int:
    """Returns the answer that belongs to a key; LACKING where it is missing, which is written down as `missing`."""
    answer = probed(decisions.keys, decisions.key_rows, key)
    if answer < 0:
        note_missing(lanes, missing, context, np.uint8(seat), kind)
        return LACKING
    return int(answer)


@inner
def view_wide(rules: Rules, decisions: Decisions, lanes: Lanes, row: int, count: int) -> None:
    """Adds up, for each lane, the part of the context beyond `open` and `upper`."""
    for lane in range(count):
        seat = np.uint64(lanes.seat[lane])
        lanes.wide[lane] = seen_beyond(rules, lanes, row, lane, decisions.strides[seat])


@inner
def seen(rules: Rules, lanes: Lanes, row: int, lane: int, strides: npt.NDArray[np.uint64]) -> np.uint64:
    """Returns the whole context of a side."""
    context = np.uint64(lanes.open[row, lane]) * strides[0]
    context += np.uint64(min(lanes.upper[row, lane], np.int16(rules.cap))) * strides[1]
    return np.uint64(context + seen_beyond(rules, lanes, row, lane, strides))


@inner
def seen_beyond(
    rules: Rules, lanes: Lanes, row: int, lane: int, strides: npt.NDArray[np.uint64]
) -> np.uint64:
    """Returns the part of a context beyond `open` and `upper`; sim.views says what each view shows."""
    sides = lanes.sides
    own: Integer = np.int64(lanes.totals[row, lane])
    pace = _stepped(np.int64(lanes.upper[row, lane]) - lanes.par[row, lane], 1, PACE_FAR)
    turns_left = 0
    rest = np.uint32(lanes.open[row, lane])
    while rest:
        rest &= rest - np.uint32(1)
        turns_left += 1
    context = np.uint64(pace) * strides[2] + np.uint64(turns_left) * strides[3]
    standing = STEPS
    difference = MOST_DIFFERENCE
    if sides > 1:
        # A turn against the clock works on a row that is a copy; the rivals are those of the side itself.
        place: Integer = np.int64(lanes.row[lane]) if row >= sides else row
        rival = place
        best: Integer = np.int64(-1)
        highest: Integer = np.int64(-1)
        for away in range(1, sides):
            other = (place + away) % sides
            total = np.int64(lanes.totals[other, lane])
            highest = max(highest, total)
            if total + lanes.worth[other, lane] > best:
                best = total + lanes.worth[other, lane]
                rival = other
        standing = _stepped(own + lanes.worth[row, lane] - best, STANDING_NEAR, STANDING_FAR)
        difference = min(max(own - highest, -MOST_DIFFERENCE), MOST_DIFFERENCE) + MOST_DIFFERENCE
        context += np.uint64(lanes.open[rival, lane]) * strides[6]
        rival_upper: Integer = min(np.int64(lanes.upper[rival, lane]), rules.cap)
        context += np.uint64(rival_upper) * strides[7]
    context += np.uint64(lanes.held[row, lane]) * strides[8]
    return np.uint64(context + np.uint64(standing) * strides[4] + np.uint64(difference) * strides[5])


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
