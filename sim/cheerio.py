"""Cheerio in lockstep: all lanes of a block play the same turn at once, and every decision is looked up in a table."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from sim.compiled import compiled, inlined
from sim.dice import LEADING, MOVES, OUTCOMES
from sim.ruleset import MOST_SEATS, Ruleset
from sim.scoring import build_points
from sim.standings import NOBODY, WIN, Lead, build_lead, follow_leads, roll_off, start_leads
from sim.streams import COIN, START, fill_words, uniform
from sim.views import MOST_DIFFERENCE, PACE_FAR, STANDING_FAR, STANDING_NEAR, STEPS, upper_cap
from sim.worth import build_worth

#: Deals of one block of category sums.
BLOCK = 1000
#: Games played at once: enough for rows of decisions to be used again while they are in the cache.
LANES = 8000
#: A row of decisions has this many places for each throw; 252 are used.
COLUMN = 256
STOP = 31


class Rules(NamedTuple):
    """A ruleset as the kernel reads it; points are flat, COLUMN places a category."""

    points: npt.NDArray[np.int16]
    upper: npt.NDArray[np.uint8]
    pace_par: npt.NDArray[np.int32]
    worth: npt.NDArray[np.int32]
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
    strides: npt.NDArray[np.uint64]
    wide: bool
    in_order: bool


class LineupTables(Protocol):
    """Decision tables that grow: the kernel names the contexts it lacks, the tables fill them."""

    def decisions(self, seating: int) -> Decisions:
        """Returns the tables by seat for one seating."""

    def fill(self, seating: int, seats: npt.NDArray[np.uint8], contexts: npt.NDArray[np.uint64]) -> None:
        """Fills the rows of contexts met by strategies in these seats."""


class Lanes(NamedTuple):
    """The state of a block of lanes: shape (seats, lanes) by seat, (lanes,) by lane."""

    open: npt.NDArray[np.uint32]
    points: npt.NDArray[np.int32]
    totals: npt.NDArray[np.int32]
    upper: npt.NDArray[np.int32]
    par: npt.NDArray[np.int32]
    worth: npt.NDArray[np.int32]
    throws: npt.NDArray[np.uint16]
    hashes: npt.NDArray[np.uint32]
    entries: npt.NDArray[np.int16]
    start: npt.NDArray[np.uint8]
    seat: npt.NDArray[np.uint8]
    turn: npt.NDArray[np.uint8]
    row: npt.NDArray[np.uint32]
    roll: npt.NDArray[np.uint8]
    choices: npt.NDArray[np.uint32]
    words: npt.NDArray[np.uint16]
    missing: npt.NDArray[np.uint64]
    missing_seat: npt.NDArray[np.uint8]
    lead: Lead


class Course(NamedTuple):
    """What is kept of each game: shape (seats, deals) by seat, (deals,) by game, and sums by block of deals.

    `sums` has shape (blocks, seats, categories, 3): the sum of points, of their squares, and the zeros.
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
    sums: npt.NDArray[np.int64]


def build_rules(ruleset: Ruleset) -> Rules:
    """Builds the arrays of a ruleset."""
    points = np.zeros((ruleset.turns, COLUMN), np.int16)
    points[:, :252] = build_points(ruleset)
    categories = list(ruleset.categories.values())
    pars = [3 * (category.pattern.face or 0) if category.upper else 0 for category in categories]
    return Rules(
        points=points.reshape(-1),
        upper=np.array([category.upper for category in categories], np.uint8),
        pace_par=np.array(pars, np.int32),
        worth=build_worth(ruleset),
        throws=ruleset.throws,
        turns=ruleset.turns,
        threshold=ruleset.bonus.threshold,
        bonus=ruleset.bonus.points,
        cap=upper_cap(ruleset),
        start_roll=ruleset.start == "highest-die",
        roll_off=ruleset.tiebreak == "roll-off",
    )


def build_lanes(seats: int, turns: int, lanes: int) -> Lanes:
    """Builds the room for one block of lanes."""
    by_seat = (seats, lanes)
    return Lanes(
        open=np.zeros(by_seat, np.uint32),
        points=np.zeros(by_seat, np.int32),
        totals=np.zeros(by_seat, np.int32),
        upper=np.zeros(by_seat, np.int32),
        par=np.zeros(by_seat, np.int32),
        worth=np.zeros(by_seat, np.int32),
        throws=np.zeros(by_seat, np.uint16),
        hashes=np.zeros(by_seat, np.uint32),
        entries=np.zeros((seats, turns, lanes), np.int16),
        start=np.zeros(lanes, np.uint8),
        seat=np.zeros(lanes, np.uint8),
        turn=np.zeros(lanes, np.uint8),
        row=np.zeros(lanes, np.uint32),
        roll=np.zeros(lanes, np.uint8),
        choices=np.zeros(lanes, np.uint32),
        words=np.zeros((8, lanes), np.uint16),
        missing=np.zeros(lanes, np.uint64),
        missing_seat=np.zeros(lanes, np.uint8),
        lead=build_lead(seats, lanes),
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
        sums=np.zeros((blocks, seats, turns, 3), np.int64),
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
            rules, tables.decisions(seating), lanes, course, np.uint64(seed), np.uint64(first_deal), deals, done, step
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
        _end_block(rules, lanes, course, seed, first, done, count)
        _sum_block(lanes, course.sums, first_deal, done, count)
        done += count
        step = 0
    return done, 0, 0


@compiled
def _start_block(
    rules: Rules, lanes: Lanes, course: Course, seed: np.uint64, first_deal: np.uint64, done: int, count: int
) -> None:
    seats = lanes.open.shape[0]
    for seat in range(seats):
        lanes.open[seat, :count] = (1 << rules.turns) - 1
        lanes.points[seat, :count] = 0
        lanes.totals[seat, :count] = 0
        lanes.upper[seat, :count] = 0
        lanes.par[seat, :count] = 0
        lanes.worth[seat, :count] = rules.worth.sum()
        lanes.throws[seat, :count] = 0
        lanes.hashes[seat, :count] = 0
    start_leads(lanes.lead)
    for lane in range(count):
        starter = 0
        rounds = 0
        if rules.start_roll and seats > 1:
            starter, rounds = _start_roll(seed, first_deal + np.uint64(lane), seats)
        lanes.start[lane] = starter
        course.start_rounds[done + lane] = rounds
        for seat in range(seats):
            course.position[seat, done + lane] = (seat + seats - starter) % seats


@compiled
def _start_roll(seed: np.uint64, deal: np.uint64, seats: int) -> tuple[int, int]:
    rolling = (1 << seats) - 1
    rounds = 0
    while True:
        best = -1
        at_top = 0
        starter = 0
        for seat in range(seats):
            if rolling >> seat & 1:
                die = int(
                    uniform(
                        seed, deal, np.uint64(seat), np.uint64(rounds), np.uint64(START), np.uint64(0), np.uint64(6)
                    )
                )
                if die > best:
                    best = die
                    at_top = 0
                    starter = seat
                if die == best:
                    at_top |= 1 << seat
        rounds += 1
        rolling = at_top
        if rolling & (rolling - 1) == 0:
            return starter, rounds


@compiled
def _play_block(
    rules: Rules, decisions: Decisions, lanes: Lanes, seed: np.uint64, first_deal: np.uint64, count: int, step: int
) -> tuple[int, int]:
    """Plays from a step (round x seats + position) to the end, or to a step whose contexts are missing.

    Returns the step and the number of missing contexts; the block goes on from that step once they are filled.
    """
    seats = lanes.open.shape[0]
    while step < rules.turns * seats:
        turn = step // seats
        position = step % seats
        for lane in range(count):
            # The order of play matters only to strategies that watch their rivals.
            seat = (np.uint32(lanes.start[lane]) + np.uint32(position)) % np.uint32(seats)
            lanes.seat[lane] = seat if decisions.in_order else np.uint32(position)
            lanes.turn[lane] = turn
        missing = _find_rows(rules, decisions, lanes, count)
        if missing:
            return step, missing
        fill_words(seed, first_deal, lanes.seat[:count], lanes.turn[:count], rules.throws, lanes.words)
        _play_turns(rules, decisions, lanes, seed, first_deal, count)
        step += 1
        if step % seats == 0 and seats > 1:
            follow_leads(lanes.lead, lanes.totals, count, turn + 1)
    return step, 0


@compiled
def _find_rows(rules: Rules, decisions: Decisions, lanes: Lanes, count: int) -> int:
    missing = 0
    cap = rules.cap
    for lane in range(count):
        seat = np.uint64(lanes.seat[lane])
        place = np.uint64(lane)
        upper = np.uint64(min(lanes.upper[seat, place], cap))
        context = np.uint64(lanes.open[seat, place]) * decisions.strides[seat, np.uint64(0)]
        context += upper * decisions.strides[seat, np.uint64(1)]
        if decisions.wide:
            context += _wide_context(rules, decisions.strides[seat], lanes, seat, place)
        if decisions.direct[seat]:
            row = decisions.row_of[decisions.base[seat] + context]
        else:
            row = _probed_row(decisions.keys, decisions.key_rows, decisions.base[seat] + context)
        if row < 0:
            lanes.missing[missing] = context
            lanes.missing_seat[missing] = lanes.seat[lane]
            missing += 1
        lanes.row[place] = np.uint32(row)
    return missing


@compiled
def _probed_row(keys: npt.NDArray[np.uint64], key_rows: npt.NDArray[np.int32], key: np.uint64) -> int:
    """Finds the row of a key by open addressing; keys are stored plus one, 0 is an empty place."""
    last = np.uint64(keys.size - 1)
    place = (key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32) & last
    while keys[place] != np.uint64(0):
        if keys[place] == key + np.uint64(1):
            return np.int64(key_rows[place])
        place = (place + np.uint64(1)) & last
    return np.int64(-1)


@compiled
def _wide_context(
    rules: Rules, strides: npt.NDArray[np.uint64], lanes: Lanes, seat: np.uint64, lane: np.uint64
) -> np.uint64:
    """Adds up the views beyond `open` and `upper`; sim.views says what each shows."""
    pace = _stepped(lanes.upper[seat, lane] - lanes.par[seat, lane], 1, PACE_FAR)
    turns_left = 0
    rest = lanes.open[seat, lane]
    while rest:
        rest &= rest - np.uint32(1)
        turns_left += 1
    context = np.uint64(pace) * strides[2] + np.uint64(turns_left) * strides[3]
    seats = np.uint64(lanes.open.shape[0])
    standing = STEPS
    difference = MOST_DIFFERENCE
    if seats > np.uint64(1):
        rival = seat
        adjusted = np.int64(-1)
        highest = np.int64(-1)
        for away in range(np.uint64(1), seats):
            other = (seat + away) % seats
            total = np.int64(lanes.totals[other, lane])
            highest = max(highest, total)
            if total + lanes.worth[other, lane] > adjusted:
                adjusted = total + lanes.worth[other, lane]
                rival = other
        own = np.int64(lanes.totals[seat, lane])
        standing = _stepped(own + lanes.worth[seat, lane] - adjusted, STANDING_NEAR, STANDING_FAR)
        difference = min(max(own - highest, -MOST_DIFFERENCE), MOST_DIFFERENCE) + MOST_DIFFERENCE
        context += np.uint64(lanes.open[rival, lane]) * strides[6]
        context += np.uint64(min(lanes.upper[rival, lane], rules.cap)) * strides[7]
    return context + np.uint64(standing) * strides[4] + np.uint64(difference) * strides[5]


@inlined
def _stepped(difference: int, near: int, far: int) -> int:
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
def _play_turns(
    rules: Rules, decisions: Decisions, lanes: Lanes, seed: np.uint64, first_deal: np.uint64, count: int
) -> None:
    """Plays one turn of every lane, throw by throw.

    One pass for each throw keeps many lanes' table look-ups in flight, which hides the time that a look-up
    outside the cache takes.
    """
    rolls = lanes.roll
    for lane in range(count):
        rolls[lane] = OUTCOMES[np.uint64(lanes.words[0, lane])]
        lanes.choices[lane] = 0
    for throw in range(rules.throws - 1):
        _keep_and_throw(decisions, lanes, seed, first_deal, count, throw, rules.throws)
    _enter(rules, decisions, lanes, seed, first_deal, count)


@compiled
def _keep_and_throw(
    decisions: Decisions, lanes: Lanes, seed: np.uint64, first_deal: np.uint64, count: int, throw: int, throws: int
) -> None:
    rows = decisions.rows
    rolls = lanes.roll
    choices = lanes.choices
    row = lanes.row
    seats = lanes.seat
    words = lanes.words[throw + 1]
    width = np.uint64(throws * COLUMN)
    first = np.uint64(throw * COLUMN)
    shift = np.uint64(5 * throw)
    before = np.uint64(max(5 * throw - 5, 0))
    for lane in range(count):
        roll = np.uint64(rolls[lane])
        column = np.uint64(row[lane]) * width + first
        if decisions.mixed[np.uint64(seats[lane])]:
            entry = decisions.mixed_rows[column + roll]
            mask = _drawn(decisions.pool, entry, seed, first_deal, lanes, lane, throw)
        else:
            mask = np.uint64(rows[column + roll])
        # Keeping all five ends the turn: every later keep of it is all five.
        stopped = (np.uint64(choices[lane]) >> before) & np.uint64(STOP) == np.uint64(STOP)
        mask |= np.uint64(STOP) * np.uint64(stopped)
        move = np.uint64(MOVES[roll, mask])
        number = (np.uint64(words[lane]) * LEADING[move >> np.uint64(16)]) >> np.uint64(24)
        rolls[lane] = OUTCOMES[(move & np.uint64(0xFFFF)) + number]
        choices[lane] |= np.uint32(mask << shift)


@compiled
def _enter(
    rules: Rules, decisions: Decisions, lanes: Lanes, seed: np.uint64, first_deal: np.uint64, count: int
) -> None:
    keeps = rules.throws - 1
    width = np.uint64(rules.throws * COLUMN)
    first = np.uint64(keeps * COLUMN)
    for lane in range(count):
        place = np.uint64(lane)
        seat = np.uint64(lanes.seat[place])
        roll = np.uint64(lanes.roll[place])
        column = np.uint64(lanes.row[place]) * width + first
        if decisions.mixed[seat]:
            entry = decisions.mixed_rows[column + roll]
            category = _drawn(decisions.pool, entry, seed, first_deal, lanes, lane, keeps)
        else:
            category = np.uint64(decisions.rows[column + roll])
        points = rules.points[category * np.uint64(COLUMN) + roll]
        upper = lanes.upper[seat, place] + points * np.int32(rules.upper[category])
        total = lanes.points[seat, place] + points
        lanes.points[seat, place] = total
        lanes.upper[seat, place] = upper
        lanes.totals[seat, place] = total + rules.bonus * np.int32(upper >= rules.threshold)
        lanes.open[seat, place] ^= np.uint32(1) << np.uint32(category)
        lanes.entries[seat, category, place] = points
        choices = lanes.choices[place]
        casts = np.uint32(1)
        for throw in range(keeps):
            casts += np.uint32((choices >> np.uint32(5 * throw)) & np.uint32(STOP) != np.uint32(STOP))
        lanes.throws[seat, place] += np.uint16(casts)
        hashed = (lanes.hashes[seat, place] ^ (choices | np.uint32(category << np.uint64(20)))) * np.uint32(0x9E3779B1)
        lanes.hashes[seat, place] = hashed ^ hashed >> np.uint32(15)
        if decisions.wide:
            lanes.par[seat, place] += rules.pace_par[category]
            lanes.worth[seat, place] -= rules.worth[category]


@compiled
def _drawn(
    pool: npt.NDArray[np.uint8],
    entry: np.uint32,
    seed: np.uint64,
    first_deal: np.uint64,
    lanes: Lanes,
    lane: int,
    slot: int,
) -> np.uint64:
    """Draws one of a mixing strategy's equally likely options with the decision's coin."""
    first = np.uint64(entry) >> np.uint64(6)
    count = np.uint64(entry) & np.uint64(63)
    if count > np.uint64(1):
        deal = first_deal + np.uint64(lane)
        seat = np.uint64(lanes.seat[lane])
        turn = np.uint64(lanes.turn[lane])
        first += uniform(seed, deal, seat, turn, np.uint64(COIN), np.uint64(slot), count)
    return np.uint64(pool[first])


@compiled
def _end_block(
    rules: Rules,
    lanes: Lanes,
    course: Course,
    seed: np.uint64,
    first_deal: np.uint64,
    done: int,
    count: int,
) -> None:
    seats = lanes.open.shape[0]
    for seat in range(seats):
        for lane in range(count):
            game = done + lane
            course.score[seat, game] = lanes.totals[seat, lane]
            course.upper[seat, game] = lanes.upper[seat, lane]
            course.bonus[seat, game] = lanes.totals[seat, lane] - lanes.points[seat, lane]
            course.throws[seat, game] = lanes.throws[seat, lane]
            hashed = lanes.hashes[seat, lane]
            course.decisions[seat, game] = (hashed >> np.uint32(16)) ^ (hashed & np.uint32(0xFFFF))
    for lane in range(count):
        if seats == 1:
            course.place[0, done + lane] = 1
        else:
            _end_game(rules, lanes, course, seed, first_deal, done, lane)


@compiled
def _sum_block(
    lanes: Lanes, sums: npt.NDArray[np.int64], first_deal: np.uint64, done: int, count: int
) -> None:
    """Adds the entries of a block of lanes to the sums of their blocks of deals."""
    start = np.int64(first_deal % np.uint64(BLOCK))
    begin = 0
    while begin < count:
        block = (start + done + begin) // BLOCK
        end = min((block + 1) * BLOCK - start - done, count)
        for seat in range(sums.shape[1]):
            for category in range(sums.shape[2]):
                total, squares, zeros = _entry_sums(lanes.entries[seat, category, begin:end])
                sums[block, seat, category, 0] += total
                sums[block, seat, category, 1] += squares
                sums[block, seat, category, 2] += zeros
        begin = end


@compiled
def _entry_sums(entries: npt.NDArray[np.int16]) -> tuple[int, int, int]:
    total = np.int32(0)
    squares = np.int64(0)
    zeros = np.int32(0)
    for lane in range(entries.size):
        entry = np.int32(entries[lane])
        total += entry
        squares += entry * entry
        zeros += np.int32(entry == 0)
    return np.int64(total), squares, np.int64(zeros)


@compiled
def _end_game(
    rules: Rules, lanes: Lanes, course: Course, seed: np.uint64, first_deal: np.uint64, done: int, lane: int
) -> None:
    seats = lanes.open.shape[0]
    lead = lanes.lead
    game = done + lane
    best = lead.best[lane]
    at_top = 0
    top = 0
    for seat in range(seats):
        if lanes.totals[seat, lane] == best:
            at_top += 1
            top |= 1 << seat
    winner = int(lead.leader[lane])
    rounds = 0
    if at_top > 1 and rules.roll_off:
        winner, rounds = roll_off(seed, first_deal + np.uint64(lane), top)
    decided_alone = at_top == 1
    course.tiebreak_rounds[game] = rounds
    course.lead_changes[game] = lead.changes[lane]
    course.decided_turn[game] = lead.since[lane] if decided_alone else rules.turns + 1
    course.worst_deficit[game] = lead.deficit[winner, lane] if winner != NOBODY else 0
    for seat in range(seats):
        own = lanes.totals[seat, lane]
        above = 0
        for other in range(seats):
            above += lanes.totals[other, lane] > own
        tied = own == best and at_top > 1
        course.tied[seat, game] = tied
        course.won[seat, game] = seat == winner
        course.place[seat, game] = above + 1 + (tied and winner not in (NOBODY, seat))
        if seat == winner:
            course.credit[seat, game] = WIN
        elif tied and winner == NOBODY:
            course.credit[seat, game] = WIN // at_top


assert MOST_SEATS <= 8, "the roll-off and the start roll keep their seats in a byte"
