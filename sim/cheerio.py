"""Cheerio in lockstep: many games at once, turn by turn, with every decision looked up in a table."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from sim.clock import begin_turns, keep_turns, start_clocks, time_parts
from sim.compiled import compiled
from sim.contexts import find_rows
from sim.courses import BLOCK, Course, build_course, end_block, sum_block
from sim.lanes import (
    COLUMN,
    NO_CATEGORY,
    NO_STEAL,
    OVERWRITE,
    TAKE,
    ClockRules,
    Decisions,
    JokerRules,
    Lanes,
    Rules,
    build_lanes,
)
from sim.ruleset import Ruleset
from sim.scoring import build_points
from sim.standings import follow_leads, start_leads
from sim.start import roll_for_start
from sim.steal import begin_steals, note_steals, start_steals, steal
from sim.streams import fill_words
from sim.turn import enter_turns, note_turns, throw_turns
from sim.views import upper_cap
from sim.worth import build_worth

__all__ = ["BLOCK", "LANES", "Course", "LineupTables", "build_rules", "play_deals"]

#: Games played at once: enough for rows of decisions to be used again while they are in the cache, few enough for
#: the games' own state to stay there too.
LANES = 3000


class LineupTables(Protocol):
    """Decision tables that grow: the kernel names the contexts it lacks, the tables fill them."""

    def decisions(self, seating: int) -> Decisions:
        """Returns the tables by seat for one seating."""

    def fill(
        self, seating: int, seats: npt.NDArray[np.uint8], contexts: npt.NDArray[np.uint64], kind: int
    ) -> None:
        """Fills what strategies in these seats decide in contexts of a kind: ROW, STEAL or FORFEIT."""


def build_rules(ruleset: Ruleset) -> Rules:
    """Builds the arrays of a ruleset."""
    categories = list(ruleset.categories.values())
    pars = np.zeros(NO_CATEGORY + 1, np.int16)
    pars[: ruleset.turns] = [3 * (rule.pattern.face or 0) if rule.upper else 0 for rule in categories]
    worth = np.zeros(NO_CATEGORY + 1, np.int16)
    worth[: ruleset.turns] = build_worth(ruleset)
    return Rules(
        points=_flat_points(ruleset, joker=False),
        dearest=build_points(ruleset).max(axis=0),
        upper=sum(category.upper << index for index, category in enumerate(categories)),
        pace_par=pars,
        worth=worth,
        throws=ruleset.throws,
        turns=ruleset.turns,
        threshold=ruleset.bonus.threshold,
        bonus=ruleset.bonus.points,
        cap=upper_cap(ruleset),
        start_roll=ruleset.start == "highest-die",
        roll_off=ruleset.tiebreak == "roll-off",
        team=ruleset.team,
        rounds=ruleset.most_turns,
        steal={"none": NO_STEAL, "overwrite": OVERWRITE, "take": TAKE}[ruleset.steal],
        clock=_build_clock_rules(ruleset),
        joker=_build_joker_rules(ruleset),
    )


def _build_clock_rules(ruleset: Ruleset) -> ClockRules:
    clock = ruleset.clock
    if clock is None:
        return ClockRules(False, 0, 0, 0, 0, 0)
    throw, entry = clock.throw, clock.entry
    return ClockRules(True, throw.mean, throw.reach, entry.mean, entry.reach, clock.sand)


def _build_joker_rules(ruleset: Ruleset) -> JokerRules:
    joker = ruleset.joker
    if joker is None:
        return JokerRules(False, 0, np.zeros(0, np.int16), 0)
    category = list(ruleset.categories).index(joker.category)
    return JokerRules(True, category, _flat_points(ruleset, joker=True), joker.points)


def _flat_points(ruleset: Ruleset, joker: bool) -> npt.NDArray[np.int16]:
    points = np.zeros((ruleset.turns, COLUMN), np.int16)
    points[:, :252] = build_points(ruleset, joker)
    return points.reshape(-1)


def play_deals(
    rules: Rules,
    tables: LineupTables,
    seats: int,
    seating: int,
    seed: int,
    first_deal: int,
    deals: int,
    barred: int = -1,
) -> Course:
    """Plays a range of deals in one seating and returns what is kept of each game.

    The result of a game depends on the seed, the deal, the seating, the tables' strategies and the side `barred` from
    stealing (-1 for none) alone. Raises what the tables raise where a strategy fails.
    """
    course = build_course(seats, rules.turns, first_deal, deals)
    lanes = build_lanes(rules, seats, min(deals, LANES))
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
            barred,
            done,
            step,
        )
        if not missing:
            return course
        kinds = lanes.missing_kind[:missing]
        for kind in np.unique(kinds).tolist():
            these = kinds == kind
            tables.fill(seating, lanes.missing_seat[:missing][these], lanes.missing[:missing][these], kind)


@compiled
def _play_blocks(
    rules: Rules,
    decisions: Decisions,
    lanes: Lanes,
    course: Course,
    seed: np.uint64,
    first_deal: np.uint64,
    deals: int,
    barred: int,
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
            _start_block(rules, lanes, course, seed, first, barred, done, count)
        if rules.clock.on:
            step, missing = _play_at_once(rules, decisions, lanes, seed, first, count, step)
        else:
            step, missing = _play_in_turn(rules, decisions, lanes, seed, first, count, step)
        if missing:
            # A block that lacks its very first contexts is started afresh, which changes nothing.
            return done, step, missing
        end_block(rules, decisions.in_order, lanes, course, seed, first, done, count)
        sum_block(rules, lanes, course.sums, first_deal, done, count)
        done += count
        step = 0
    return done, 0, 0


@compiled
def _start_block(
    rules: Rules,
    lanes: Lanes,
    course: Course,
    seed: np.uint64,
    first_deal: np.uint64,
    barred: int,
    done: int,
    count: int,
) -> None:
    seats = course.position.shape[0]
    lanes.open[:] = (1 << rules.turns) - 1
    lanes.points[:] = 0
    lanes.upper[:] = 0
    lanes.totals[:] = 0
    lanes.par[:] = 0
    lanes.worth[:] = rules.worth.sum()
    lanes.held[:] = 0
    lanes.jokers[:] = 0
    lanes.throws[:] = 0
    lanes.hashes[:] = 0
    lanes.turns[:] = 0
    lanes.rounds[:] = rules.turns
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
    if rules.steal:
        start_steals(lanes, barred, count)
    if rules.clock.on:
        start_clocks(lanes)


@compiled
def _play_in_turn(
    rules: Rules,
    decisions: Decisions,
    lanes: Lanes,
    seed: np.uint64,
    first_deal: np.uint64,
    count: int,
    step: int,
) -> tuple[int, int]:
    """Plays one turn after another, from a step to the end or to a step whose contexts are missing.

    A step is a turn, (round x sides + row), or half of one in a game with steals: the throws, then how it ends. Returns
    the step and the number of missing contexts; the block goes on from that step once they are filled.
    """
    seats = decisions.base.size
    sides = lanes.sides
    halves = 2 if rules.steal else 1
    while step < rules.rounds * sides * halves:
        played = step // halves
        row, seat_row = played % sides, played % seats
        if step % halves == 0:
            lanes.turn[:count] = played // sides
            lanes.seat[:count] = seat_row
            if decisions.in_order:
                _take_seats(lanes.start[:count], lanes.seat, np.uint8(seat_row), np.uint8(seats))
            fill_words(seed, first_deal, lanes.seat[:count], lanes.turn[:count], rules.throws, lanes.words)
            missing = find_rows(rules, decisions, lanes, row, count)
            if missing:
                return step, missing
            throw_turns(rules, decisions, lanes, seed, first_deal, count)
            if rules.steal:
                begin_steals(lanes, row, count)
        if step % halves == halves - 1:
            if rules.steal:
                missing = steal(rules, decisions, lanes, row, played, count)
                if missing:
                    return step, missing
            enter_turns(rules, decisions, lanes, row, count)
            if rules.steal:
                note_steals(rules, lanes, seat_row, count)
            else:
                note_turns(rules, lanes, seat_row, count)
        step += 1
        if step % (sides * halves) == 0:
            follow_leads(lanes.lead, lanes.totals, count, step // (sides * halves))
    return step, 0


@compiled
def _play_at_once(
    rules: Rules,
    decisions: Decisions,
    lanes: Lanes,
    seed: np.uint64,
    first_deal: np.uint64,
    count: int,
    step: int,
) -> tuple[int, int]:
    """Plays against the clock, from a step to the end or to a step whose contexts are missing.

    A step is half of an event: first the end of a turn in every lane, then the throws of the turn that begins.
    """
    seats = decisions.base.size
    row = 2 * lanes.sides
    while True:
        if step % 2 == 0:
            if not begin_turns(rules, lanes, seats, step // 2, count):
                return step, 0
            step += 1
        fill_words(seed, first_deal, lanes.seat[:count], lanes.turn[:count], rules.throws, lanes.words)
        missing = find_rows(rules, decisions, lanes, row, count)
        if missing:
            return step, missing
        time_parts(rules, decisions, lanes, seed, first_deal, count)
        throw_turns(rules, decisions, lanes, seed, first_deal, count)
        enter_turns(rules, decisions, lanes, row, count)
        note_turns(rules, lanes, seats, count)
        keep_turns(rules, lanes, seats, count)
        step += 1


@compiled
def _take_seats(
    start: npt.NDArray[np.uint8], seat: npt.NDArray[np.uint8], position: np.uint8, seats: np.uint8
) -> None:
    for lane in range(start.size):
        clockwise = np.uint8(start[lane] + position)
        seat[lane] = np.uint8(clockwise - seats) if clockwise >= seats else clockwise
