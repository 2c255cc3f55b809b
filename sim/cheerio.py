"""Cheerio in lockstep: many games at once, turn by turn, with every decision looked up in a table."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from sim.compiled import Integer, compiled
from sim.contexts import find_rows
from sim.lanes import COLUMN, Decisions, Lanes, Rules, build_lanes
from sim.ruleset import Ruleset
from sim.scoring import build_points
from sim.standings import follow_leads, settle, start_leads
from sim.start import roll_for_start
from sim.streams import fill_words
from sim.turn import play_turns
from sim.views import upper_cap
from sim.worth import build_worth

#: Deals of one block of category sums.
BLOCK = 1000
#: Games played at once: enough for rows of decisions to be used again while they are in the cache, few enough for
#: the games' own state to stay there too.
LANES = 3000


class LineupTables(Protocol):
    """Decision tables that grow: the kernel names the contexts it lacks, the tables fill them."""

    def decisions(self, seating: int) -> Decisions:
        """Returns the tables by seat for one seating."""

    def fill(self, seating: int, seats: npt.NDArray[np.uint8], contexts: npt.NDArray[np.uint64]) -> None:
        """Fills the rows of contexts met by strategies in these seats."""


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


def build_rules(ruleset: Ruleset) -> Rules:
    """Builds the arrays of a ruleset."""
    points = np.zeros((ruleset.turns, COLUMN), np.int16)
    points[:, :252] = build_points(ruleset)
    categories = list(ruleset.categories.values())
    pars = [3 * (category.pattern.face or 0) if category.upper else 0 for category in categories]
    return Rules(
        points=points.reshape(-1),
        upper=sum(category.upper << index for index, category in enumerate(categories)),
        pace_par=np.array(pars, np.int16),
        worth=build_worth(ruleset).astype(np.int16),
        throws=ruleset.throws,
        turns=ruleset.turns,
        threshold=ruleset.bonus.threshold,
        bonus=ruleset.bonus.points,
        cap=upper_cap(ruleset),
        start_roll=ruleset.start == "highest-die",
        roll_off=ruleset.tiebreak == "roll-off",
    )


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


def play_deals(
    rules: Rules, tables: LineupTables, seats: int, seating: int, seed: int, first_deal: int, deals: int
) -> Course:
    """Plays a range of deals in one seating and returns what is kept of each game.

    The result of a game depends on the seed, the deal, the seating and the tables' strategies alone. Raises what
    the tables raise where a strategy fails.
    """
    course = build_course(seats, rules.turns, first_deal, deals)
    lanes = build_lanes(seats, rules.turns, min(deals, LANES))
    done = step = 0
    while True:
        done, step, missing = _play_blocks(
            rules,
            tables.decisions(seating),
            lanes,
            course,
            np.uint64(seed),
            np.uint64(first_deal),
            deals,
            done,
            step,
        )
        if not missing:
            return course
        tables.fill(seating, lanes.missing_seat[:missing], lanes.missing[:missing])


@compiled
def _play_blocks(
    rules: Rules,
    decisions: Decisions,
    lanes: Lanes,
    course: Course,
    seed: np.uint64,
    first_deal: np.uint64,
    deals: int,
    done: int,
    step: int,
) -> tuple[int, int, int]:
    """Plays block after block, from a step of the block that begins at deal `done`.

    Returns (done, step, missing): with missing contexts it wants to be called again from there once they are
    filled, with none it has played all deals.
    """
    while done < deals:
        count = min(lanes.start.size, deals - done)
        first = first_deal + np.uint64(done)
        if step == 0:
            _start_block(rules, lanes, course, seed, first, done, count)
        step, missing = _play_block(rules, decisions, lanes, seed, first, count, step)
        if missing:
            # A block that lacks its very first contexts is started afresh, which changes nothing.
            return done, step, missing
        _end_block(rules, decisions.in_order, lanes, course, seed, first, done, count)
        _sum_block(lanes, course.sums, first_deal, done, count)
        done += count
        step = 0
    return done, 0, 0


@compiled
def _start_block(
    rules: Rules, lanes: Lanes, course: Course, seed: np.uint64, first_deal: np.uint64, done: int, count: int
) -> None:
    seats = lanes.open.shape[0]
    lanes.open[:] = (1 << rules.turns) - 1
    lanes.points[:] = 0
    lanes.upper[:] = 0
    lanes.totals[:] = 0
    lanes.par[:] = 0
    lanes.worth[:] = rules.worth.sum()
    lanes.throws[:] = 0
    lanes.hashes[:] = 0
    start_leads(lanes.lead)
    lanes.start[:] = 0
    if rules.start_roll and seats > 1:
        rounds = course.start_rounds[done : done + count]
        roll_for_start(seed, first_deal, seats, lanes.words[0, :count], lanes.masks, lanes.start, rounds)
    for seat in range(seats):
        position = course.position[seat, done : done + count]
        for lane in range(count):
            away = np.int8(seat) - np.int8(lanes.start[lane])
            position[lane] = away + np.int8(seats) if away < 0 else away


@compiled
def _play_block(
    rules: Rules,
    decisions: Decisions,
    lanes: Lanes,
    seed: np.uint64,
    first_deal: np.uint64,
    count: int,
    step: int,
) -> tuple[int, int]:
    """Plays from a step (round x seats + position) to the end, or to a step whose contexts are missing.

    Returns the step and the number of missing contexts; the block goes on from that step once they are filled.
    """
    seats = lanes.open.shape[0]
    while step < rules.turns * seats:
        turn = step // seats
        position = step % seats
        lanes.turn[:count] = turn
        lanes.seat[:count] = position
        if decisions.in_order:
            _take_seats(lanes.start[:count], lanes.seat, np.uint8(position), np.uint8(seats))
        fill_words(seed, first_deal, lanes.seat[:count], lanes.turn[:count], rules.throws, lanes.words)
        missing = find_rows(rules, decisions, lanes, position, count)
        if missing:
            return step, missing
        play_turns(rules, decisions, lanes, position, seed, first_deal, count)
        _add_up(rules, lanes.points[position, :count], lanes.upper[position], lanes.totals[position])
        step += 1
        if step % seats == 0:
            follow_leads(lanes.lead, lanes.totals, count, turn + 1)
    return step, 0


@compiled
def _take_seats(
    start: npt.NDArray[np.uint8], seat: npt.NDArray[np.uint8], position: np.uint8, seats: np.uint8
) -> None:
    for lane in range(start.size):
        clockwise = np.uint8(start[lane] + position)
        seat[lane] = np.uint8(clockwise - seats) if clockwise >= seats else clockwise


@compiled
def _add_up(
    rules: Rules, points: npt.NDArray[np.int16], upper: npt.NDArray[np.int16], totals: npt.NDArray[np.int16]
) -> None:
    bonus = np.int16(rules.bonus)
    threshold = np.int16(rules.threshold)
    for lane in range(points.size):
        totals[lane] = np.int16(points[lane] + (bonus if upper[lane] >= threshold else np.int16(0)))


@compiled
def _end_block(
    rules: Rules,
    in_order: bool,
    lanes: Lanes,
    course: Course,
    seed: np.uint64,
    first_deal: np.uint64,
    done: int,
    count: int,
) -> None:
    if in_order:
        _seat_rows(lanes, count)
    end = done + count
    for seat in range(lanes.open.shape[0]):
        course.score[seat, done:end] = lanes.totals[seat, :count]
        course.upper[seat, done:end] = lanes.upper[seat, :count]
        course.bonus[seat, done:end] = lanes.totals[seat, :count] - lanes.points[seat, :count]
        course.throws[seat, done:end] = lanes.throws[seat, :count]
        hashes = lanes.hashes[seat]
        decisions = course.decisions[seat, done:end]
        for lane in range(count):
            decisions[lane] = (hashes[lane] >> np.uint32(16)) ^ (hashes[lane] & np.uint32(0xFFFF))
    settle(
        lanes.lead,
        lanes.totals,
        seed,
        first_deal,
        count,
        rules.turns,
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


@compiled
def _seat_rows(lanes: Lanes, count: int) -> None:
    """Puts what lies in rows by position into rows by seat."""
    seats = lanes.open.shape[0]
    lead = lanes.lead
    for lane in range(count):
        start = np.int64(lanes.start[lane])
        for _ in range(start):
            _rotate(lanes.points, seats, lane)
            _rotate(lanes.upper, seats, lane)
            _rotate(lanes.totals, seats, lane)
            _rotate(lanes.throws, seats, lane)
            _rotate(lanes.hashes, seats, lane)
            _rotate(lead.deficit, seats, lane)
            for category in range(lanes.entries.shape[1]):
                _rotate(lanes.entries[:, category], seats, lane)
        if lead.leader[lane] < seats:
            lead.leader[lane] = (lead.leader[lane] + start) % seats


@compiled
def _rotate(rows: npt.NDArray[Any], seats: int, lane: int) -> None:
    """Moves every row of a lane to the next, the last to the first."""
    last = rows[seats - 1, lane]
    for seat in range(seats - 1, 0, -1):
        rows[seat, lane] = rows[seat - 1, lane]
    rows[0, lane] = last


@compiled
def _sum_block(
    lanes: Lanes, sums: npt.NDArray[np.int64], first_deal: np.uint64, done: int, count: int
) -> None:
    """Adds the entries of a block of lanes to the sums of their blocks of deals."""
    start = np.int64(first_deal % np.uint64(BLOCK))
    begin = 0
    while begin < count:
        block = (start + done + begin) // BLOCK
        end: Integer = min((block + 1) * BLOCK - start - done, count)
        for seat in range(sums.shape[1]):
            for category in range(sums.shape[2]):
                total, squares, zeros = _entry_sums(lanes.entries[seat, category, begin:end])
                sums[block, seat, category, 0] += end - begin
                sums[block, seat, category, 1] += total
                sums[block, seat, category, 2] += squares
                sums[block, seat, category, 3] += zeros
        begin = end


@compiled
def _entry_sums(entries: npt.NDArray[np.int16]) -> tuple[Integer, Integer, Integer]:
    total = np.int32(0)
    squares = np.int64(0)
    zeros = np.int32(0)
    for lane in range(entries.size):
        entry = np.int32(entries[lane])
        total += entry
        squares += entry * entry
        zeros += np.int32(entry == 0)
    return np.int64(total), squares, np.int64(zeros)
