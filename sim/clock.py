"""Speed: all sides play at once, each at its own pace, and the first full sheet calls time.

The next thing to happen in a game is the end of some side's turn. A step takes it in every lane and plays the side's
next turn, which others see once it ends: what it makes of the sheet is kept apart until then.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sim.compiled import inner
from sim.lanes import EMPTY, Lanes, Rules

#: The row of a lane in which no turn begins.
IDLE = 255
#: Time is not called yet.
NOT_CALLED = 2**31 - 1
#: A turn takes at least so many milliseconds, however fast a side is.
SHORTEST = 1


class ClockRules(NamedTuple):
    """What throws and entries take, in milliseconds; `sand` is 0 without a timer."""

    throw_mean: int
    throw_reach: int
    entry_mean: int
    entry_reach: int
    sand: int


class Clocks(NamedTuple):
    """A game against the clock: its rules, and what is kept of each lane, in milliseconds.

    By side: when the turn at hand or the last ends, whether one is at hand, the turns begun and ended, and the totals
    at the end of each round, shape (turns, sides, lanes). By lane: the instant of the step, when time is called, the
    rounds ended, what the parts of the turn take and have taken.
    """

    rules: ClockRules
    ends: npt.NDArray[np.int32]
    playing: npt.NDArray[np.uint8]
    begun: npt.NDArray[np.uint8]
    ended: npt.NDArray[np.uint8]
    totals: npt.NDArray[np.int16]
    now: npt.NDArray[np.int32]
    called: npt.NDArray[np.int32]
    rounds: npt.NDArray[np.uint8]
    parts: npt.NDArray[np.int32]
    elapsed: npt.NDArray[np.int32]


def build_clocks(rules: ClockRules, turns: int, sides: int, lanes: int) -> Clocks:
    """Builds the room for the clocks of a block of lanes."""
    by_side = (sides, lanes)
    return Clocks(
        rules=rules,
        ends=np.zeros(by_side, np.int32),
        playing=np.zeros(by_side, np.uint8),
        begun=np.zeros(by_side, np.uint8),
        ended=np.zeros(by_side, np.uint8),
        totals=np.zeros((turns, sides, lanes), np.int16),
        now=np.zeros(lanes, np.int32),
        called=np.zeros(lanes, np.int32),
        rounds=np.zeros(lanes, np.uint8),
        parts=np.zeros((8, lanes), np.int32),
        elapsed=np.zeros(lanes, np.int32),
    )


@inner
def start_clocks(lanes: Lanes, clocks: Clocks) -> None:
    """Sets every lane to a game that has not begun."""
    clocks.playing[:] = 0
    clocks.begun[:] = 0
    clocks.ended[:] = 0
    clocks.rounds[:] = 0
    clocks.called[:] = NOT_CALLED
    lanes.entries[: lanes.sides] = EMPTY


@inner
def begin_turns(lanes: Lanes, clocks: Clocks, seats: int, event: int, count: int) -> bool:
    """Takes the next event of every lane and seats whose turn begins; returns False once all games are over.

    The first events, one a side, are the beginnings of the game.
    """
    sides, row = lanes.sides, lanes.row[:count]
    if event < sides:
        clocks.now[:count] = 0
        for lane in range(count):
            row[lane] = (np.int64(lanes.start[lane]) + event) % sides
    else:
        if not _find_ends(clocks.playing, clocks.ends, lanes.start, row):
            return False
        # Everybody sees what the turn that ends has made of its side's sheet.
        _move_sheets(lanes, sides, 1, 0, 1, count)
        _end_turns(clocks.ends, clocks.playing, clocks.ended, row, clocks.now)
        _note_rounds(clocks.rounds[:count], clocks.ended, lanes.totals, clocks.totals)
        _rest(lanes.open, clocks.now, clocks.called, row)
    _sit_down(row, clocks.begun, lanes.start, lanes.seat, lanes.turn, sides, seats)
    # The turn works on rows of its own; an idle lane's sheet is a full one.
    lanes.open[2 * sides, :count] = 0
    _move_sheets(lanes, 0, 1, 2 * sides, 0, count)
    _move(lanes.throws, lanes.seat, 0, 1, seats, 0, count)
    _move(lanes.hashes, lanes.seat, 0, 1, seats, 0, count)
    return True


@inner
def _find_ends(
    playing: npt.NDArray[np.uint8],
    ends: npt.NDArray[np.int32],
    start: npt.NDArray[np.uint8],
    first: npt.NDArray[np.uint8],
) -> bool:
    """Finds the side whose turn ends first, of equals the first in the order of play; False where nobody plays."""
    sides = playing.shape[0]
    found = False
    for lane in range(first.size):
        first[lane] = IDLE
        soonest = NOT_CALLED
        side = np.int64(start[lane]) % sides
        for _ in range(sides):
            if playing[side, lane] and ends[side, lane] < soonest:
                soonest = ends[side, lane]
                first[lane] = side
                found = True
            side = side + 1 if side + 1 < sides else 0
    return found


@inner
def _move(
    rows: npt.NDArray[Any],
    own: npt.NDArray[np.uint8],
    source: int,
    by: int,
    target: int,
    by_too: int,
    count: int,
) -> None:
    """Copies, in every lane that is not idle, row source + by x own to row target + by_too x own."""
    for lane in range(count):
        if own[lane] != IDLE:
            place = np.int64(own[lane])
            rows[target + by_too * place, lane] = rows[source + by * place, lane]


@inner
def _move_sheets(lanes: Lanes, source: int, by: int, target: int, by_too: int, count: int) -> None:
    """Copies all that a sheet is between the rows of sides, of their turns at hand, and of the step's turn."""
    side = lanes.row
    _move(lanes.open, side, source, by, target, by_too, count)
    for rows in (lanes.points, lanes.upper, lanes.totals, lanes.par, lanes.worth):
        _move(rows, side, source, by, target, by_too, count)
    for flags in (lanes.held, lanes.jokers):
        _move(flags, side, source, by, target, by_too, count)


@inner
def _end_turns(
    ends: npt.NDArray[np.int32],
    playing: npt.NDArray[np.uint8],
    ended: npt.NDArray[np.uint8],
    ending: npt.NDArray[np.uint8],
    now: npt.NDArray[np.int32],
) -> None:
    for lane in range(ending.size):
        if ending[lane] != IDLE:
            side = np.int64(ending[lane])
            now[lane] = ends[side, lane]
            playing[side, lane] = 0
            ended[side, lane] += np.uint8(1)


@inner
def _note_rounds(
    rounds: npt.NDArray[np.uint8],
    ended: npt.NDArray[np.uint8],
    totals: npt.NDArray[np.int16],
    noted: npt.NDArray[np.int16],
) -> None:
    """Takes note of the totals where all sides have ended a round."""
    sides = ended.shape[0]
    for lane in range(rounds.size):
        fewest = ended[0, lane]
        for side in range(1, sides):
            fewest = min(fewest, ended[side, lane])
        if fewest > rounds[lane]:
            for side in range(sides):
                noted[np.int64(rounds[lane]), side, lane] = totals[side, lane]
            rounds[lane] = fewest


@inner
def _rest(
    opened: npt.NDArray[np.uint16],
    now: npt.NDArray[np.int32],
    called: npt.NDArray[np.int32],
    side: npt.NDArray[np.uint8],
) -> None:
    """Lets no turn begin on a full sheet, nor from the instant on at which time is called."""
    for lane in range(side.size):
        if side[lane] != IDLE and (opened[np.int64(side[lane]), lane] == 0 or now[lane] >= called[lane]):
            side[lane] = IDLE


@inner
def _sit_down(
    side: npt.NDArray[np.uint8],
    begun: npt.NDArray[np.uint8],
    starts: npt.NDArray[np.uint8],
    seat: npt.NDArray[np.uint8],
    turn: npt.NDArray[np.uint8],
    sides: int,
    seats: int,
) -> None:
    """Seats who plays the turn of a side: its partners in turn, as they come in the order of play."""
    for lane in range(side.size):
        if side[lane] != IDLE:
            own, start = np.int64(side[lane]), np.int64(starts[lane])
            turn[lane] = begun[own, lane]
            seat[lane] = (start + (own - start) % sides + sides * np.int64(turn[lane])) % seats


@inner
def keep_turns(rules: Rules, lanes: Lanes, clocks: Clocks, seats: int, count: int) -> None:
    """Keeps what the turn of every lane has made of its side's sheet, until it ends."""
    sides, side, row = lanes.sides, lanes.row, 2 * lanes.sides
    _move_sheets(lanes, row, 0, sides, 1, count)
    _keep_entries(lanes.entries, lanes.gained, lanes.category, side[:count])
    if rules.team > 1:
        _keep_entries(lanes.entered_by, lanes.seat, lanes.category, side[:count])
    _time_turns(clocks, lanes.open[row], side[:count])
    throws, hashes, turns, seat = lanes.throws, lanes.hashes, lanes.turns, lanes.seat
    for lane in range(count):
        if side[lane] != IDLE:
            own = np.int64(seat[lane])
            throws[own, lane] = throws[seats, lane]
            hashes[own, lane] = hashes[seats, lane]
            turns[own, lane] += np.uint8(1)


@inner
def _keep_entries(
    entries: npt.NDArray[Any],
    entered: npt.NDArray[Any],
    category: npt.NDArray[np.uint8],
    side: npt.NDArray[np.uint8],
) -> None:
    for lane in range(side.size):
        if side[lane] != IDLE:
            entries[np.int64(side[lane]), np.int64(category[lane]), lane] = entered[lane]


@inner
def _time_turns(clocks: Clocks, opened: npt.NDArray[np.uint16], side: npt.NDArray[np.uint8]) -> None:
    """Writes when the turns end; one that fills a sheet calls time."""
    ends, playing, begun, entry = clocks.ends, clocks.playing, clocks.begun, clocks.parts[0]
    now, called, elapsed = clocks.now, clocks.called, clocks.elapsed
    for lane in range(side.size):
        if side[lane] != IDLE:
            own = np.int64(side[lane])
            ending = now[lane] + max(np.int32(SHORTEST), elapsed[lane] + entry[lane])
            ends[own, lane] = ending
            playing[own, lane] = 1
            begun[own, lane] += np.uint8(1)
            if opened[lane] == 0:
                called[lane] = min(called[lane], ending)


@inner
def end_clocks(clocks: Clocks, totals: npt.NDArray[np.int16], count: int) -> None:
    """Lets the rounds that a game has left end with its final totals."""
    noted, rounds = clocks.totals, clocks.rounds
    for lane in range(count):
        for left in range(np.int64(rounds[lane]), noted.shape[0]):
            for side in range(noted.shape[1]):
                noted[left, side, lane] = totals[side, lane]
