"""A round for the pot: all who can pay the ante throw, and those tied for the best throw deciders."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sim.ceelo.banking import left_of, sum_result
from sim.ceelo.lanes import BETS, BETS_WON, MOST_DECIDED, RESULTS_COUNTED, Lanes, Rules
from sim.ceelo.ledger import Ledger
from sim.ceelo.results import NOTHING, STRAIGHT
from sim.ceelo.throwing import next_result
from sim.compiled import Integer, inner


@inner
def play_pot_round(
    rules: Rules,
    lanes: Lanes,
    ledger: Ledger,
    block: int,
    done: int,
    seed: np.uint64,
    first_deal: np.uint64,
    played: int,
    count: int,
) -> None:
    """Settles a round in every lane whose game is not over; the first lane is deal `done` of the ledger."""
    chips, result, counts, throws = lanes.chips, lanes.result, ledger.counts, ledger.throws
    over, holder, rounds, survived = lanes.over, lanes.holder, lanes.rounds, ledger.survived
    thrown, all_throws, numbers = lanes.thrown, lanes.all_throws, lanes.numbers
    tied_counts, decided, sums = ledger.tied, ledger.decided, ledger.sums[block]
    seats, ante = np.uint64(chips.shape[0]), np.int32(rules.ante)
    for number in range(count):
        lane, deal = np.uint64(number), np.uint64(done + number)
        if over[lane]:
            continue
        first = np.uint64(holder[lane])
        if played > 0:
            first = left_of(first, seats)
        while chips[first, lane] < ante:
            first = left_of(first, seats)
        holder[lane] = first
        throwing, tied, pot = _throw_all(chips, result, ante, rules.outright, first, lane)
        if tied & (tied - 1):
            tied = _decide(
                numbers,
                thrown,
                throws,
                tied_counts,
                decided,
                rules.outright,
                seed,
                first_deal + lane,
                tied,
                first,
                played,
                lane,
                deal,
            )
        able = 0
        all_thrown = np.int32(0)
        for place in range(chips.shape[0]):
            seat = np.uint64(place)
            before = np.int32(chips[seat, lane])
            if before < ante:
                continue
            took = np.int32(tied >> place & 1)
            net = pot * took - ante
            after = before + net
            chips[seat, lane] = after
            counts[seat, deal] += np.uint64(1 << BETS) + (np.uint64(took) << np.uint64(BETS_WON))
            if after >= ante:
                able += 1
            else:
                survived[seat, deal] = played
            if throwing >> place & 1:
                throws[seat, deal] += np.uint32(thrown[seat, lane]) + np.uint32(1 << RESULTS_COUNTED)
                all_thrown += np.int32(thrown[seat, lane])
                sum_result(sums, seat, np.uint64(result[seat, lane]), net)
        ends = able < 2
        if rules.most_throws:
            all_throws[lane] += all_thrown
            ends |= all_throws[lane] >= rules.most_throws
        if ends:
            over[lane] = 1
            rounds[lane] = played + 1


@inner
def _throw_all(
    chips: npt.NDArray[np.int16],
    result: npt.NDArray[np.uint8],
    ante: Integer,
    outright: bool,
    first: Integer,
    lane: Integer,
) -> tuple[Integer, Integer, Integer]:
    """Returns who throws and who is tied for the best, as masks, and what is in the pot."""
    seats = np.uint64(chips.shape[0])
    throwing = tied = np.int64(0)
    pot = np.int32(0)
    best = np.int64(NOTHING)
    ended = False
    seat = first
    for _ in range(chips.shape[0]):
        if chips[seat, lane] >= ante:
            pot += ante
            if not ended:
                found = np.int64(result[seat, lane])
                own = np.int64(1) << np.int64(seat)
                throwing |= own
                tied = _best_of(found, best, own, tied)
                best = min(best, found)
                ended = outright and found == STRAIGHT
        seat = left_of(seat, seats)
    return throwing, tied, pot


@inner
def _best_of(found: Integer, best: Integer, own: Integer, tied: Integer) -> Integer:
    """Returns who is tied for the best, given what a further seat has thrown."""
    shared = tied | own if found == best else tied
    return own if found < best else shared


@inner
def _decide(
    numbers: npt.NDArray[np.int32],
    thrown: npt.NDArray[np.uint16],
    throws: npt.NDArray[np.uint32],
    tied_counts: npt.NDArray[np.uint16],
    decided: npt.NDArray[np.uint16],
    outright: bool,
    seed: np.uint64,
    deal: np.uint64,
    tied: Integer,
    first: Integer,
    played: int,
    lane: Integer,
    place: Integer,
) -> Integer:
    """Lets those tied throw deciders, each going on in its own sequence, until one is left; returns it as a mask.

    `place` is where the game is in `throws`, `tied_counts` and `decided`.
    """
    seats = np.uint64(thrown.shape[0])
    repetition = 0
    while tied & (tied - 1):
        among, rolling = 0, tied
        best = np.int64(NOTHING)
        ended = False
        seat = first
        tied = np.int64(0)
        for _ in range(thrown.shape[0]):
            own = np.int64(1) << np.int64(seat)
            if rolling & own:
                among += 1
                if not ended:
                    begin = thrown[seat, lane]
                    found, end = next_result(numbers, seed, deal, seat, played, lane, begin)
                    thrown[seat, lane] = end
                    throws[seat, place] += np.uint32(1 << RESULTS_COUNTED)
                    tied = _best_of(np.int64(found), best, own, tied)
                    best = min(best, np.int64(found))
                    ended = outright and found == STRAIGHT
            seat = left_of(seat, seats)
        repetition = min(repetition + 1, MOST_DECIDED)
        tied_counts[among, place] += np.uint16(1)
    decided[repetition, place] += np.uint16(1)
    return tied
