"""What is kept of each game, and how it comes from the lanes when a block of games is over."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sim.clock import Clocks, end_clocks
from sim.compiled import Integer, inner
from sim.game import BLOCK, count_blocks
from sim.lanes import EMPTY, Decisions, Lanes, Rules
from sim.luck import settle_luck
from sim.standings import follow_leads, settle
from sim.steal import Steals


class Course(NamedTuple):
    """What is kept of each game: shape (seats, deals) by seat, (deals,) by game, and sums by block of deals.

    `sums` has shape (blocks, seats, categories, 4): the entries, the sum of points, of their squares, and the zeros.
    What a variant adds is 0 where it is not in play; `luck`, in thousandths of a point, where it is not kept.
    """

    position: npt.NDArray[np.uint8]
    score: npt.NDArray[np.int16]
    place: npt.NDArray[np.uint8]
    won: npt.NDArray[np.bool_]
    credit: npt.NDArray[np.uint8]
    tied: npt.NDArray[np.bool_]
    throws: npt.NDArray[np.uint16]
    upper: npt.NDArray[np.int16]
    bonus: npt.NDArray[np.int16]
    decisions: npt.NDArray[np.uint16]
    start_rounds: npt.NDArray[np.uint8]
    tiebreak_rounds: npt.NDArray[np.uint8]
    lead_changes: npt.NDArray[np.uint8]
    decided_turn: npt.NDArray[np.uint8]
    worst_deficit: npt.NDArray[np.int16]
    turns: npt.NDArray[np.uint8]
    jokers: npt.NDArray[np.uint8]
    steals: npt.NDArray[np.uint8]
    robbed: npt.NDArray[np.uint8]
    milliseconds: npt.NDArray[np.int32]
    empty: npt.NDArray[np.uint8]
    luck: npt.NDArray[np.int32]
    sums: npt.NDArray[np.int64]


def build_course(seats: int, turns: int, first_deal: int, deals: int) -> Course:
    """Builds the room for the results of a range of deals in one seating."""
    by_seat = (seats, deals)
    return Course(
        position=np.zeros(by_seat, np.uint8),
        score=np.zeros(by_seat, np.int16),
        place=np.zeros(by_seat, np.uint8),
        won=np.zeros(by_seat, np.bool_),
        credit=np.zeros(by_seat, np.uint8),
        tied=np.zeros(by_seat, np.bool_),
        throws=np.zeros(by_seat, np.uint16),
        upper=np.zeros(by_seat, np.int16),
        bonus=np.zeros(by_seat, np.int16),
        decisions=np.zeros(by_seat, np.uint16),
        start_rounds=np.zeros(deals, np.uint8),
        tiebreak_rounds=np.zeros(deals, np.uint8),
        lead_changes=np.zeros(deals, np.uint8),
        decided_turn=np.zeros(deals, np.uint8),
        worst_deficit=np.zeros(deals, np.int16),
        turns=np.zeros(by_seat, np.uint8),
        jokers=np.zeros(by_seat, np.uint8),
        steals=np.zeros(by_seat, np.uint8),
        robbed=np.zeros(by_seat, np.uint8),
        milliseconds=np.zeros(by_seat, np.int32),
        empty=np.zeros(by_seat, np.uint8),
        luck=np.zeros(by_seat, np.int32),
        sums=np.zeros((count_blocks(first_deal, deals), seats, turns, 4), np.int64),
    )


@inner
def end_block(
    rules: Rules,
    decisions: Decisions,
    lanes: Lanes,
    steals: Steals | None,
    clocks: Clocks | None,
    course: Course,
    seed: np.uint64,
    first_deal: np.uint64,
    done: int,
    count: int,
) -> None:
    """Writes the games of a block of lanes down, the first as deal `done` of the course."""
    sides, luck = lanes.sides, decisions.luck
    end = done + count
    if decisions.in_order:
        _seat_rows(rules, lanes, count)
        if luck.kept:
            _seat_lost(lanes, count)
        if steals is not None:
            _seat_steals(steals, lanes.start[:count])
    if clocks is not None:
        end_clocks(clocks, lanes.totals, count)
        for finished in range(rules.turns):
            follow_leads(lanes.lead, clocks.totals[finished], count, finished + 1)
    for side in range(sides):
        _write(course.score, side, done, lanes.totals, side, count)
        _write(course.upper, side, done, lanes.upper, side, count)
        _write_rest(course.bonus[side, done:end], lanes.totals[side], lanes.points[side])
        _write(course.jokers, side, done, lanes.jokers, side, count)
        if luck.kept:
            settle_luck(
                luck,
                side,
                lanes.points[side],
                lanes.totals[side],
                lanes.jokers[side],
                lanes.lost[side],
                course.luck[side, done:end],
            )
    settle(
        lanes.lead,
        lanes.totals,
        seed,
        first_deal,
        lanes.rounds[:count],
        rules.roll_off,
        course.place[:, done:end],
        course.won[:, done:end],
        course.credit[:, done:end],
        course.tied[:, done:end],
        course.tiebreak_rounds[done:end],
        course.lead_changes[done:end],
        course.decided_turn[done:end],
        course.worst_deficit[done:end],
    )
    if steals is not None:
        for side in range(sides):
            _write(course.robbed, side, done, steals.robbed, side, count)
        for seat in range(course.score.shape[0]):
            _write(course.steals, seat, done, steals.made, seat, count)
    if clocks is not None:
        for side in range(sides):
            _write(course.milliseconds, side, done, clocks.ends, side, count)
        _count_empty(lanes.open, course.empty[:sides, done:end])
    if rules.team > 1:
        _share_sides(course, sides, done, count)
    for seat in range(course.score.shape[0]):
        _write(course.throws, seat, done, lanes.throws, seat, count)
        _write(course.turns, seat, done, lanes.turns, seat, count)
        hashes = lanes.hashes[seat]
        folded = course.decisions[seat, done:end]
        for lane in range(count):
            folded[lane] = (hashes[lane] >> np.uint32(16)) ^ (hashes[lane] & np.uint32(0xFFFF))


@inner
def _write_rest(
    target: npt.NDArray[np.int16], whole: npt.NDArray[np.int16], part: npt.NDArray[np.int16]
) -> None:
    for lane in range(target.size):
        target[lane] = whole[lane] - part[lane]


@inner
def _write(
    target: npt.NDArray[Any], row: int, first: int, source: npt.NDArray[Any], source_row: int, count: int
) -> None:
    """Copies a row of a block of lanes to its place in a row of a course."""
    to, of = target[row, first : first + count], source[source_row]
    for lane in range(to.size):
        to[lane] = of[lane]


@inner
def _count_empty(opened: npt.NDArray[np.uint16], empty: npt.NDArray[np.uint8]) -> None:
    for side in range(empty.shape[0]):
        for lane in range(empty.shape[1]):
            rest = np.uint32(opened[side, lane])
            while rest:
                rest &= rest - np.uint32(1)
                empty[side, lane] += np.uint8(1)


@inner
def _share_sides(course: Course, sides: int, done: int, count: int) -> None:
    """Gives every partner what their side has."""
    for seat in range(sides, course.score.shape[0]):
        side = seat % sides
        for points in (course.score, course.upper, course.bonus):
            _share(points, seat, side, done, count)
        for flags in (course.won, course.tied):
            _share(flags, seat, side, done, count)
        for numbers in (course.place, course.credit, course.jokers, course.robbed, course.empty):
            _share(numbers, seat, side, done, count)
        for wide in (course.milliseconds, course.luck):
            _share(wide, seat, side, done, count)


@inner
def _share(rows: npt.NDArray[Any], seat: int, side: int, done: int, count: int) -> None:
    for lane in range(done, done + count):
        rows[seat, lane] = rows[side, lane]


@inner
def _seat_rows(rules: Rules, lanes: Lanes, count: int) -> None:
    """Puts what lies in rows by position into rows by side and by seat."""
    seats, sides = lanes.throws.shape[0], lanes.sides
    lead = lanes.lead
    for lane in range(count):
        start = np.int64(lanes.start[lane])
        for _ in range(start):
            _rotate(lanes.throws, seats, lane)
            _rotate(lanes.turns, seats, lane)
            _rotate(lanes.hashes, seats, lane)
        for _ in range(start % sides):
            _rotate(lanes.points, sides, lane)
            _rotate(lanes.upper, sides, lane)
            _rotate(lanes.totals, sides, lane)
            _rotate(lanes.jokers, sides, lane)
            _rotate(lead.deficit, sides, lane)
            for category in range(rules.turns):
                _rotate(lanes.entries[:, category], sides, lane)
        if lead.leader[lane] < sides:
            lead.leader[lane] = (lead.leader[lane] + start) % sides
    if rules.team > 1:
        _seat_partners(rules, lanes, count)


@inner
def _seat_partners(rules: Rules, lanes: Lanes, count: int) -> None:
    for lane in range(count):
        for _ in range(np.int64(lanes.start[lane]) % lanes.sides):
            for category in range(rules.turns):
                _rotate(lanes.entered_by[:, category], lanes.sides, lane)


@inner
def _seat_lost(lanes: Lanes, count: int) -> None:
    for lane in range(count):
        for _ in range(np.int64(lanes.start[lane]) % lanes.sides):
            _rotate(lanes.lost, lanes.sides, lane)


@inner
def _seat_steals(steals: Steals, start: npt.NDArray[np.uint8]) -> None:
    seats, sides = steals.made.shape[0], steals.robbed.shape[0]
    for lane in range(start.size):
        for _ in range(start[lane]):
            _rotate(steals.made, seats, lane)
        for _ in range(np.int64(start[lane]) % sides):
            _rotate(steals.robbed, sides, lane)


@inner
def _rotate(rows: npt.NDArray[Any], seats: int, lane: int) -> None:
    """Moves every row of a lane to the next, the last to the first."""
    last = rows[seats - 1, lane]
    for seat in range(seats - 1, 0, -1):
        rows[seat, lane] = rows[seat - 1, lane]
    rows[0, lane] = last


@inner
def sum_block(
    rules: Rules, lanes: Lanes, sums: npt.NDArray[np.int64], first_deal: np.uint64, done: int, count: int
) -> None:
    """Adds the entries of a block of lanes to the sums of their blocks of deals."""
    start = np.int64(first_deal % np.uint64(BLOCK))
    # Only against the clock may a category stay empty; there are more rows than sides then.
    rows = lanes.open.shape[0]
    begin = 0
    while begin < count:
        block = (start + done + begin) // BLOCK
        end: Integer = min((block + 1) * BLOCK - start - done, count)
        for side in range(lanes.sides):
            for category in range(rules.turns):
                entries = lanes.entries[side, category, begin:end]
                if rules.team > 1:
                    _sum_entries(
                        entries, lanes.entered_by[side, category, begin:end], sums[block, :, category]
                    )
                else:
                    _add_sums(entries, sums[block, side, category])
                    if rows > lanes.sides:
                        _take_out_empty(entries, sums[block, side, category])
        begin = end


@inner
def _add_sums(entries: npt.NDArray[np.int16], sums: npt.NDArray[np.int64]) -> None:
    total = np.int32(0)
    squares = np.int64(0)
    zeros = np.int32(0)
    for lane in range(entries.size):
        entry = np.int32(entries[lane])
        total += entry
        squares += entry * entry
        zeros += np.int32(entry == 0)
    sums[0] += entries.size
    sums[1] += total
    sums[2] += squares
    sums[3] += zeros


@inner
def _take_out_empty(entries: npt.NDArray[np.int16], sums: npt.NDArray[np.int64]) -> None:
    """Takes empty categories out of the sums, in which each has been counted as an entry of EMPTY points."""
    empty = np.int64(0)
    for lane in range(entries.size):
        empty += np.int64(entries[lane] == EMPTY)
    sums[0] -= empty
    sums[1] -= empty * EMPTY
    sums[2] -= empty * EMPTY * EMPTY


@inner
def _sum_entries(
    entries: npt.NDArray[np.int16], entered_by: npt.NDArray[np.uint8], sums: npt.NDArray[np.int64]
) -> None:
    for lane in range(entries.size):
        entry = np.int64(entries[lane])
        if entry != EMPTY:
            own = sums[entered_by[lane]]
            own[0] += 1
            own[1] += entry
            own[2] += entry * entry
            own[3] += entry == 0
