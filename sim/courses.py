"""What is kept of each game, and how it comes from the lanes when a block of games is over."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sim.clock import Clocks, end_clocks
from sim.compiled import Integer, compiled
from sim.lanes import EMPTY, Lanes, Rules
from sim.standings import follow_leads, settle
from sim.steal import Steals

#: Deals of one block of category sums.
BLOCK = 1000


class Course(NamedTuple):
    """What is kept of each game: shape (seats, deals) by seat, (deals,) by game, and sums by block of deals.

    `sums` has shape (blocks, seats, categories, 4): the entries, the sum of points, of their squares, and the zeros.
    What a variant adds is 0 where it is not in play.
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
    sums: npt.NDArray[np.int64]


def build_course(seats: int, turns: int, first_deal: int, deals: int) -> Course:
    """Builds the room for the results of a range of deals in one seating."""
    blocks = (first_deal + deals - 1) // BLOCK - first_deal // BLOCK + 1
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
        sums=np.zeros((blocks, seats, turns, 4), np.int64),
    )


@compiled
def end_block(
    rules: Rules,
    in_order: bool,
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
    sides = lanes.sides
    end = done + count
    if in_order:
        _seat_rows(rules, lanes, count)
        if steals is not None:
            _seat_steals(steals, lanes.start[:count])
    if clocks is not None:
        end_clocks(clocks, lanes.totals, count)
        for finished in range(rules.turns):
            follow_leads(lanes.lead, clocks.totals[finished], count, finished + 1)
    for side in range(sides):
        course.score[side, done:end] = lanes.totals[side, :count]
        course.upper[side, done:end] = lanes.upper[side, :count]
        course.bonus[side, done:end] = lanes.totals[side, :count] - lanes.points[side, :count]
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
    course.turns[:, done:end] = lanes.turns[: course.turns.shape[0], :count]
    course.jokers[:sides, done:end] = lanes.jokers[:sides, :count]
    if steals is not None:
        course.robbed[:sides, done:end] = steals.robbed[:, :count]
        course.steals[:, done:end] = steals.made[:, :count]
    if clocks is not None:
        course.milliseconds[:sides, done:end] = clocks.ends[:, :count]
        _count_empty(lanes.open, course.empty[:sides, done:end])
    for seat in range(course.score.shape[0]):
        if seat >= sides:
            _share_side(course, seat, seat % sides, done, end)
        course.throws[seat, done:end] = lanes.throws[seat, :count]
        hashes = lanes.hashes[seat]
        decisions = course.decisions[seat, done:end]
        for lane in range(count):
            decisions[lane] = (hashes[lane] >> np.uint32(16)) ^ (hashes[lane] & np.uint32(0xFFFF))


@compiled
def _count_empty(opened: npt.NDArray[np.uint16], empty: npt.NDArray[np.uint8]) -> None:
    for side in range(empty.shape[0]):
        for lane in range(empty.shape[1]):
            rest = np.uint32(opened[side, lane])
            while rest:
                rest &= rest - np.uint32(1)
                empty[side, lane] += np.uint8(1)


@compiled
def _share_side(course: Course, seat: int, side: int, done: int, end: int) -> None:
    """Gives a seat what its side has."""
    course.score[seat, done:end] = course.score[side, done:end]
    course.place[seat, done:end] = course.place[side, done:end]
    course.won[seat, done:end] = course.won[side, done:end]
    course.credit[seat, done:end] = course.credit[side, done:end]
    course.tied[seat, done:end] = course.tied[side, done:end]
    course.upper[seat, done:end] = course.upper[side, done:end]
    course.bonus[seat, done:end] = course.bonus[side, done:end]
    course.jokers[seat, done:end] = course.jokers[side, done:end]
    course.robbed[seat, done:end] = course.robbed[side, done:end]
    course.milliseconds[seat, done:end] = course.milliseconds[side, done:end]
    course.empty[seat, done:end] = course.empty[side, done:end]


@compiled
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


@compiled
def _seat_partners(rules: Rules, lanes: Lanes, count: int) -> None:
    for lane in range(count):
        for _ in range(np.int64(lanes.start[lane]) % lanes.sides):
            for category in range(rules.turns):
                _rotate(lanes.entered_by[:, category], lanes.sides, lane)


@compiled
def _seat_steals(steals: Steals, start: npt.NDArray[np.uint8]) -> None:
    seats, sides = steals.made.shape[0], steals.robbed.shape[0]
    for lane in range(start.size):
        for _ in range(start[lane]):
            _rotate(steals.made, seats, lane)
        for _ in range(np.int64(start[lane]) % sides):
            _rotate(steals.robbed, sides, lane)


@compiled
def _rotate(rows: npt.NDArray[Any], seats: int, lane: int) -> None:
    """Moves every row of a lane to the next, the last to the first."""
    last = rows[seats - 1, lane]
    for seat in range(seats - 1, 0, -1):
        rows[seat, lane] = rows[seat - 1, lane]
    rows[0, lane] = last


@compiled
def sum_block(
    rules: Rules, lanes: Lanes, sums: npt.NDArray[np.int64], first_deal: np.uint64, done: int, count: int
) -> None:
    """Adds the entries of a block of lanes to the sums of their blocks of deals."""
    start = np.int64(first_deal % np.uint64(BLOCK))
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
        begin = end


@compiled
def _add_sums(entries: npt.NDArray[np.int16], sums: npt.NDArray[np.int64]) -> None:
    total = np.int32(0)
    squares = np.int64(0)
    zeros = np.int32(0)
    empty = np.int32(0)
    for lane in range(entries.size):
        entry = np.int32(entries[lane])
        total += entry
        squares += entry * entry
        zeros += np.int32(entry == 0)
        empty += np.int32(entry == EMPTY)
    # An empty category stands as -1, and has been taken for points.
    sums[0] += entries.size - empty
    sums[1] += total - empty * EMPTY
    sums[2] += squares - empty * EMPTY * EMPTY
    sums[3] += zeros


@compiled
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
