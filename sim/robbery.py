"""A robbery: what it makes of both sheets, and what the robbed gives up."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sim.compiled import Integer, inner
from sim.contexts import answered, seen
from sim.hashes import CATEGORY_SHIFT, mixed_hash
from sim.lanes import COLUMN, EMPTY, FORFEIT, LACKING, NO_CATEGORY, Decisions, Lanes, Rules
from sim.steal import NOTHING, ROB, TAKE, Steals

#: What a forfeit writes where a turn writes its category, when it is mixed into a hash.
FORFEITED = 7 << 4


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
def rob_rivals(
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
    key = decisions.forfeit_base[seat] + context
    return answered(decisions, lanes, key, context, seat, FORFEIT, missing)
