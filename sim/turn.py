"""One turn in lockstep: every lane keeps, throws again and fills a category.

The look-ups go lane by lane; whatever can be done for many lanes at once stands in a short loop of its own over
few arrays, because the compiler turns such loops into vector code.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sim.clock import Clocks
from sim.compiled import inner, prefetch
from sim.dice import JUMPS, LEADING, OUTCOMES, ROLL_KEEPS
from sim.hashes import hash_turns
from sim.joker import Jokers, pay_jokers
from sim.lanes import COLUMN, NO_CATEGORY, STOP, Decisions, Lanes, Rules
from sim.luck import LAST, note_losses, shared_losses
from sim.steal import Steals
from sim.streams import COIN, uniform
from sim.timing import run_sand


@inner
def throw_turns(
    rules: Rules,
    decisions: Decisions,
    lanes: Lanes,
    clocks: Clocks | None,
    seed: np.uint64,
    first_deal: np.uint64,
    row: int,
    count: int,
) -> None:
    """Plays the throws of one turn of every lane, to the choice of a category; find_rows has thrown the first dice."""
    for throw in range(rules.throws - 1):
        if decisions.luck.kept:
            note_losses(decisions, lanes, row, count, throw)
        look_up(decisions, lanes, seed, first_deal, count, throw, lanes.masks[throw + 1])
        if clocks is not None:
            run_sand(clocks, lanes.masks, throw, count)
        throw_again(decisions, lanes, count, throw)
    if decisions.luck.kept:
        note_losses(decisions, lanes, row, count, LAST)
    look_up(decisions, lanes, seed, first_deal, count, rules.throws - 1, lanes.category)


@inner
def enter_turns(
    rules: Rules,
    decisions: Decisions,
    lanes: Lanes,
    steals: Steals | None,
    jokers: Jokers,
    row: int,
    count: int,
) -> None:
    """Enters what every lane has thrown in the category that it has chosen, or nothing for NO_CATEGORY."""
    gained, category = lanes.gained[:count], lanes.category[:count]
    if steals is not None:
        _enter_most(rules, lanes, row, count)
        _raise_top(gained, steals.top[row])
    else:
        enter(rules, lanes, row, count)
    if jokers.category != NO_CATEGORY:
        pay_jokers(rules, jokers, lanes, row, count)
    if rules.team > 1:
        _sign(category, lanes.seat, lanes.entered_by[row])
    _add_points(gained, lanes.points[row])
    _add_upper(gained, category, np.uint32(rules.upper), lanes.upper[row])
    _close_categories(category, lanes.open[row])
    _add_up(rules, lanes.points[row, :count], lanes.upper[row], lanes.totals[row])
    # A thief looks for the best rival by what the open categories are worth, whatever the strategies see.
    if decisions.wide or steals is not None:
        _lower_worth(category, rules.pace_par, rules.worth, lanes.par[row], lanes.worth[row])


@inner
def note_turns(rules: Rules, lanes: Lanes, seat_row: int, count: int) -> None:
    """Counts every lane's turn and its throws, and mixes its choices into the hash of the course."""
    if rules.team > 1:
        lanes.turns[seat_row, :count] += np.uint8(1)
    throws = lanes.throws[seat_row, :count]
    for lane in range(count):
        throws[lane] += np.uint16(1)
    for throw in range(1, rules.throws):
        _count_throws(lanes.masks[throw, :count], throws)
    hash_turns(lanes.masks, rules.throws, lanes.category[:count], lanes.hashes[seat_row])


@inner
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


@inner
def throw_again(decisions: Decisions, lanes: Lanes, count: int, throw: int) -> None:
    """Rolls the dice that are not kept after a throw."""
    rows = decisions.rows
    # A mixing strategy's places are in the other arena; here they may be no memory at all, which costs dearly.
    ahead = not decisions.any_mixed
    losses = shared_losses(decisions, lanes)
    lucky = losses.size > 0
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
        if lucky:
            prefetch(losses, following)
        places[lane] = following
        masks[lane] = mask


@inner
def enter(rules: Rules, lanes: Lanes, row: int, count: int) -> None:
    """Enters what the last throw pays in the chosen category."""
    points = rules.points
    entries = lanes.entries[row].reshape(-1)
    lanes_of_entries = np.uint64(lanes.seat.size)
    column = np.uint64(COLUMN)
    for lane in range(count):
        category = np.uint64(lanes.category[lane])
        gained = points[category * column + np.uint64(lanes.place[lane]) % column]
        lanes.gained[lane] = gained
        entries[category * lanes_of_entries + np.uint64(lane)] = gained


@inner
def _enter_most(rules: Rules, lanes: Lanes, row: int, count: int) -> None:
    """Does as enter does, and nothing for NO_CATEGORY."""
    points = rules.points
    entries = lanes.entries[row]
    places, categories, gained = lanes.place, lanes.category, lanes.gained
    column = np.uint64(COLUMN)
    for lane in range(count):
        category = np.uint64(categories[lane])
        gained[lane] = 0
        if category != NO_CATEGORY:
            gained[lane] = points[category * column + np.uint64(places[lane]) % column]
            entries[category, lane] = gained[lane]


@inner
def _raise_top(gained: npt.NDArray[np.int16], top: npt.NDArray[np.int16]) -> None:
    for lane in range(gained.size):
        top[lane] = max(top[lane], gained[lane])


@inner
def _sign(
    category: npt.NDArray[np.uint8], seat: npt.NDArray[np.uint8], entered_by: npt.NDArray[np.uint8]
) -> None:
    for lane in range(category.size):
        if category[lane] != NO_CATEGORY:
            entered_by[np.uint64(category[lane]), lane] = seat[lane]


@inner
def _lower_worth(
    category: npt.NDArray[np.uint8],
    pace_par: npt.NDArray[np.int16],
    usual: npt.NDArray[np.int16],
    par: npt.NDArray[np.int16],
    worth: npt.NDArray[np.int16],
) -> None:
    for lane in range(category.size):
        par[lane] += pace_par[np.uint64(category[lane])]
        worth[lane] -= usual[np.uint64(category[lane])]


@inner
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


@inner
def _add_points(gained: npt.NDArray[np.int16], points: npt.NDArray[np.int16]) -> None:
    for lane in range(gained.size):
        points[lane] += gained[lane]


@inner
def _add_upper(
    gained: npt.NDArray[np.int16],
    category: npt.NDArray[np.uint8],
    upper_mask: np.uint32,
    upper: npt.NDArray[np.int16],
) -> None:
    for lane in range(gained.size):
        counts = np.int16(upper_mask >> np.uint32(category[lane]) & np.uint32(1))
        upper[lane] += np.int16(gained[lane] * counts)


@inner
def _close_categories(category: npt.NDArray[np.uint8], opened: npt.NDArray[np.uint16]) -> None:
    for lane in range(category.size):
        opened[lane] ^= np.uint16(np.uint32(1) << np.uint32(category[lane]))


@inner
def _count_throws(masks: npt.NDArray[np.uint8], throws: npt.NDArray[np.uint16]) -> None:
    for lane in range(masks.size):
        throws[lane] += np.uint16(masks[lane] != STOP)


@inner
def _add_up(
    rules: Rules, points: npt.NDArray[np.int16], upper: npt.NDArray[np.int16], totals: npt.NDArray[np.int16]
) -> None:
    bonus = np.int16(rules.bonus)
    threshold = np.int16(rules.threshold)
    for lane in range(points.size):
        totals[lane] = np.int16(points[lane] + (bonus if upper[lane] >= threshold else np.int16(0)))
