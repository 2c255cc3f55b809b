"""A round for the pot: all who can pay the ante throw, and those tied for the best throw deciders."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sim.ceelo.lanes import BETS, BETS_WON, MOST_DECIDED, RESULTS_COUNTED, Lanes, Rules
from sim.ceelo.results import NOTHING, STRAIGHT
from sim.ceelo.throwing import next_result
from sim.compiled import Integer, inner


@inner
def play_pot_round(
    rules: Rules,
    lanes: Lanes,
    sums: npt.NDArray[np.int64],
    seed: np.uint64,
    first_deal: np.uint64,
    played: int,
    count: int,
) -> None:
    """Settles a round in every lane whose game is not over; `sums` has shape (seats, results, 4)."""
    chips, result, counts, throws = lanes.chips, lanes.result, lanes.counts, lanes.throws
    seats = chips.shape[0]
    for lane in range(count):
        if lanes.over[lane]:
            continue
        first = np.int64(lanes.holder[lane])
        if played > 0:
            first = first + 1 if first + 1 < seats else 0
        while chips[first, lane] < rules.ante:
            first = first + 1 if first + 1 < seats else 0
        lanes.holder[lane] = first
        throwing, tied, pot = _throw_all(rules, lanes, first, lane)
        taker = tied
        if tied & (tied - 1):
            deal = first_deal + np.uint64(lane)
            taker = _decide(rules, lanes, seed, deal, tied, first, played, lane)
        able = 0
        for seat in range(seats):
            before = np.int32(chips[seat, lane])
            if before < rules.ante:
                continue
            took = taker >> seat & 1
            net = (pot if took else 0) - rules.ante
            after = before + net
            chips[seat, lane] = after
            lanes.staked[seat, lane] += rules.ante
            counts[seat, lane] += np.uint64(1 << BETS) + (np.uint64(took) << np.uint64(BETS_WON))
            if after >= rules.ante:
                able += 1
            else:
                lanes.survived[seat, lane] = played
            if throwing >> seat & 1:
                throws[seat, lane] += np.uint32(lanes.thrown[seat, lane]) + np.uint32(1 << RESULTS_COUNTED)
                lanes.all_throws[lane] += np.int32(lanes.thrown[seat, lane])
                own = sums[seat, result[seat, lane]]
                wide = np.int64(net)
                own[0] += 1
                own[1] += wide
                own[2] += wide * wide
                own[3] += wide == 0
        out_of_time = rules.most_throws and lanes.all_throws[lane] >= rules.most_throws
        if able < 2 or out_of_time:
            lanes.over[lane] = 1
            lanes.rounds[lane] = played + 1


@inner
def _throw_all(rules: Rules, lanes: Lanes, first: Integer, lane: int) -> tuple[Integer, Integer, Integer]:
    """Returns who throws and who is tied for the best, as masks, and what is in the pot."""
    seats = lanes.chips.shape[0]
    throwing = tied = pot = 0
    best = np.int64(NOTHING)
    ended = False
    seat = first
    for _ in range(seats):
        if lanes.chips[seat, lane] >= rules.ante:
            pot += rules.ante
            if not ended:
                found = np.int64(lanes.result[seat, lane])
                throwing |= 1 << seat
                tied = 1 << seat if found < best else tied | (found == best) << seat
                best = min(best, found)
                ended = rules.outright and found == STRAIGHT
        seat = seat + 1 if seat + 1 < seats else 0
    return throwing, tied, pot


@inner
def _decide(
    rules: Rules,
    lanes: Lanes,
    seed: np.uint64,
    deal: np.uint64,
    tied: Integer,
    first: Integer,
    played: int,
    lane: int,
) -> Integer:
    """Lets those tied throw deciders, each going on in its own sequence, until one is left; returns it as a mask."""
    seats = lanes.chips.shape[0]
    repetition = 0
    while tied & (tied - 1):
        among, rolling = 0, tied
        best = np.int64(NOTHING)
        ended = False
        seat = first
        tied = 0
        for _ in range(seats):
            if rolling >> seat & 1:
                among += 1
                if not ended:
                    found, thrown = next_result(seed, deal, seat, played, lanes.thrown[seat, lane])
                    lanes.thrown[seat, lane] = thrown
                    lanes.throws[seat, lane] += np.uint32(1 << RESULTS_COUNTED)
                    found = np.int64(found)
                    tied = 1 << seat if found < best else tied | (found == best) << seat
                    best = min(best, found)
                    ended = rules.outright and found == STRAIGHT
            seat = seat + 1 if seat + 1 < seats else 0
        repetition = min(repetition + 1, MOST_DECIDED)
        lanes.tied[among, lane] += np.uint16(1)
    lanes.decided[repetition, lane] += np.uint16(1)
    return tied
