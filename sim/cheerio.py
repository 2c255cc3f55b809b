"""Cheerio in lockstep: many games at once, turn by turn, with every decision looked up in a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from sim.cheerio_ruleset import CheerioRuleset
from sim.clock import ClockRules, Clocks, begin_turns, build_clocks, keep_turns, start_clocks
from sim.compiled import compiled, inner
from sim.contexts import find_rows
from sim.courses import Course, build_course, end_block, sum_block
from sim.game import BLOCK
from sim.joker import NO_JOKERS, Jokers
from sim.lanes import COLUMN, NO_CATEGORY, Decisions, Lanes, Rules, build_lanes
from sim.offers import decide_steals
from sim.robbery import rob_rivals
from sim.scoring import build_points
from sim.standings import follow_leads, start_leads
from sim.start import roll_for_start
from sim.steal import (
    OVERWRITE,
    TAKE,
    Steals,
    begin_steals,
    build_steals,
    note_steals,
    start_steals,
)
from sim.streams import fill_words
from sim.timing import time_parts
from sim.turn import enter_turns, note_turns, throw_turns
from sim.views import upper_cap
from sim.worth import build_worth

__all__ = ["BLOCK", "LANES", "Course", "GameRules", "LineupTables", "build_rules", "play_deals"]

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


@dataclass(frozen=True)
class GameRules:
    """A ruleset as arrays: what all games share, and what variants add, None where they are not in play.

    `steal` is the reading of a steal, `points` has shape (categories, 252); without jokers there are NO_JOKERS.
    """

    shared: Rules
    points: npt.NDArray[np.int16]
    steal: int | None
    clock: ClockRules | None
    jokers: Jokers


def build_rules(ruleset: CheerioRuleset) -> GameRules:
    """Builds the arrays of a ruleset."""
    points = build_points(ruleset)
    clock, joker = ruleset.clock, ruleset.joker
    clock_rules, jokers = None, NO_JOKERS
    if clock is not None:
        throw, entry = clock.throw, clock.entry
        clock_rules = ClockRules(throw.mean, throw.reach, entry.mean, entry.reach, clock.sand)
    if joker is not None:
        category = list(ruleset.categories).index(joker.category)
        jokers = Jokers(category, _flat(build_points(ruleset, joker=True)), joker.points)
    return GameRules(
        shared=_build_shared_rules(ruleset, points),
        points=points,
        steal={"none": None, "overwrite": OVERWRITE, "take": TAKE}[ruleset.steal],
        clock=clock_rules,
        jokers=jokers,
    )


def _build_shared_rules(ruleset: CheerioRuleset, points: npt.NDArray[np.int16]) -> Rules:
    categories = list(ruleset.categories.values())
    pars = np.zeros(NO_CATEGORY + 1, np.int16)
    pars[: ruleset.turns] = [3 * (rule.pattern.face or 0) if rule.upper else 0 for rule in categories]
    worth = np.zeros(NO_CATEGORY + 1, np.int16)
    worth[: ruleset.turns] = build_worth(ruleset)
    return Rules(
        points=_flat(points),
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
    )


def _flat(points: npt.NDArray[np.int16]) -> npt.NDArray[np.int16]:
    flat = np.zeros((len(points), COLUMN), np.int16)
    flat[:, : points.shape[1]] = points
    return flat.reshape(-1)


def play_deals(
    rules: GameRules,
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
    shared, count = rules.shared, min(deals, LANES)
    sides = seats // shared.team
    course = build_course(seats, shared.turns, first_deal, deals)
    lanes = build_lanes(shared, seats, count, clocked=rules.clock is not None)
    steals = None if rules.steal is None else build_steals(rules.steal, rules.points, seats, sides, count)
    clocks = None if rules.clock is None else build_clocks(rules.clock, shared.turns, sides, count)
    done = step = 0
    while True:
        done, step, missing = _play_blocks(
            shared,
            tables.decisions(seating),
            lanes,
            steals,
            clocks,
            rules.jokers,
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
    steals: Steals | None,
    clocks: Clocks | None,
    jokers: Jokers,
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
            _start_block(rules, lanes, course, seed, first, done, count)
            if steals is not None:
                start_steals(lanes, steals, barred, count)
            if clocks is not None:
                start_clocks(lanes, clocks)
        if clocks is not None:
            step, missing = _play_at_once(rules, decisions, lanes, clocks, jokers, seed, first, count, step)
        else:
            step, missing = _play_in_turn(rules, decisions, lanes, steals, jokers, seed, first, count, step)
        if missing:
            # A block that lacks its very first contexts is started afresh, which changes nothing.
            return done, step, missing
        end_block(rules, decisions, lanes, steals, clocks, course, seed, first, done, count)
        sum_block(rules, lanes, course.sums, first_deal, done, count)
        done += count
        step = 0
    return done, 0, 0


@inner
def _start_block(
    rules: Rules, lanes: Lanes, course: Course, seed: np.uint64, first_deal: np.uint64, done: int, count: int
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
    lanes.lost[:] = 0
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


@inner
def _play_in_turn(
    rules: Rules,
    decisions: Decisions,
    lanes: Lanes,
    steals: Steals | None,
    jokers: Jokers,
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
    halves = 1 if steals is None else 2
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
            throw_turns(rules, decisions, lanes, None, seed, first_deal, row, count)
            if steals is not None:
                begin_steals(lanes, steals, row, count)
        if step % halves == halves - 1:
            if steals is not None:
                missing = decide_steals(rules, decisions, lanes, steals, row, count)
                missing = rob_rivals(rules, decisions, lanes, steals, row, played, count, missing)
                if missing:
                    return step, missing
            enter_turns(rules, decisions, lanes, steals, jokers, row, count)
            if steals is not None:
                note_steals(rules, lanes, steals, seat_row, count)
            else:
                note_turns(rules, lanes, seat_row, count)
        step += 1
        if step % (sides * halves) == 0:
            follow_leads(lanes.lead, lanes.totals, count, step // (sides * halves))
    return step, 0


@inner
def _play_at_once(
    rules: Rules,
    decisions: Decisions,
    lanes: Lanes,
    clocks: Clocks,
    jokers: Jokers,
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
            if not begin_turns(lanes, clocks, seats, step // 2, count):
                return step, 0
            step += 1
        fill_words(seed, first_deal, lanes.seat[:count], lanes.turn[:count], rules.throws, lanes.words)
        missing = find_rows(rules, decisions, lanes, row, count)
        if missing:
            return step, missing
        time_parts(
            clocks, lanes.seat[:count], lanes.turn[:count], decisions.pace, rules.throws, seed, first_deal
        )
        throw_turns(rules, decisions, lanes, clocks, seed, first_deal, row, count)
        enter_turns(rules, decisions, lanes, None, jokers, row, count)
        note_turns(rules, lanes, seats, count)
        keep_turns(rules, lanes, clocks, seats, count)
        step += 1


@inner
def _take_seats(
    start: npt.NDArray[np.uint8], seat: npt.NDArray[np.uint8], position: np.uint8, seats: np.uint8
) -> None:
    for lane in range(start.size):
        clockwise = np.uint8(start[lane] + position)
        seat[lane] = np.uint8(clockwise - seats) if clockwise >= seats else clockwise
