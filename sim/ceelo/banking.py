"""A round against the bank: stakes are cut, the dice settle them, and the bank stays or goes on."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sim.ceelo.lanes import (
    BANK_PASSES,
    BANK_ROUNDS,
    BETS,
    BETS_WON,
    INSTANT_LOSSES,
    INSTANT_WINS,
    PASS,
    PUSHES,
    RESULTS_COUNTED,
    ROTATE,
    Lanes,
    Rules,
)
from sim.ceelo.results import LOSS, LOWEST_TRIPLE, STRAIGHT
from sim.ceelo.views import MOST_STREAK
from sim.compiled import Integer, inner
from sim.hashes import mixed_hash

_NOBODY = -1


@inner
def play_bank_round(rules: Rules, lanes: Lanes, sums: npt.NDArray[np.int64], played: int, count: int) -> None:
    """Settles a round in every lane whose game is not over; `sums` has shape (seats, results, 4)."""
    chips, wanted, result, thrown = lanes.chips, lanes.wanted, lanes.result, lanes.thrown
    counts, throws, staked, hashes = lanes.counts, lanes.throws, lanes.staked, lanes.hashes
    last_stake, streak = lanes.last_stake, lanes.streak
    seats = chips.shape[0]
    all_chips = seats * rules.chips
    for lane in range(count):
        if lanes.over[lane]:
            continue
        bank = np.int64(lanes.holder[lane])
        found = result[bank, lane]
        instant = found <= LOWEST_TRIPLE or found == LOSS
        left = np.int32(chips[bank, lane])
        covered = net = np.int32(0)
        taker = _NOBODY
        winner_has_all = False
        all_thrown = np.int32(thrown[bank, lane])
        seat = bank
        for _ in range(seats - 1):
            seat = seat + 1 if seat + 1 < seats else 0
            own = np.int32(chips[seat, lane])
            stake = min(np.int32(wanted[seat, lane]), own, left)
            if stake <= 0:
                continue
            left -= stake
            covered += stake
            if instant:
                outcome = np.int32(1) if found == LOSS else np.int32(-1)
            else:
                thrown_by_seat = result[seat, lane]
                outcome = np.int32(thrown_by_seat < found) - np.int32(thrown_by_seat > found)
                throws[seat, lane] += np.uint32(thrown[seat, lane]) + np.uint32(1 << RESULTS_COUNTED)
                all_thrown += np.int32(thrown[seat, lane])
                if thrown_by_seat == STRAIGHT and taker == _NOBODY:
                    taker = seat
                _sum(sums[seat, thrown_by_seat], outcome * stake)
            gain = outcome * stake
            net -= gain
            after = own + gain
            chips[seat, lane] = after
            winner_has_all |= after == all_chips
            if after == 0:
                lanes.survived[seat, lane] = played
            staked[seat, lane] += stake
            hashes[seat, lane] = mixed_hash(hashes[seat, lane], np.uint32(stake))
            last_stake[seat, lane] = stake
            if outcome:
                run = np.int32(streak[seat, lane])
                streak[seat, lane] = _longer(run, outcome)
            counts[seat, lane] += (
                np.uint64(1 << BETS)
                + (np.uint64(outcome > 0) << np.uint64(BETS_WON))
                + (np.uint64(outcome == 0) << np.uint64(PUSHES))
            )
        banked = np.int32(chips[bank, lane]) + net
        chips[bank, lane] = banked
        if banked == 0:
            lanes.survived[bank, lane] = played
        lanes.covered[bank, lane] += covered
        lanes.bank_net[bank, lane] += net
        throws[bank, lane] += np.uint32(thrown[bank, lane]) + np.uint32(1 << RESULTS_COUNTED)
        counts[bank, lane] += (
            np.uint64(1 << BANK_ROUNDS)
            + (np.uint64(found <= LOWEST_TRIPLE) << np.uint64(INSTANT_WINS))
            + (np.uint64(found == LOSS) << np.uint64(INSTANT_LOSSES))
        )
        _sum(sums[bank, found], net)
        lanes.all_throws[lane] += all_thrown
        if rules.bank == PASS and taker != _NOBODY:
            counts[taker, lane] += np.uint64(1 << BANK_PASSES)
        lanes.holder[lane] = _next_holder(rules.bank, chips, lane, bank, taker)
        out_of_time = rules.most_throws and lanes.all_throws[lane] >= rules.most_throws
        if winner_has_all or banked == all_chips or out_of_time:
            lanes.over[lane] = 1
            lanes.rounds[lane] = played + 1


@inner
def _longer(run: Integer, outcome: Integer) -> Integer:
    """Returns the streak after a bet that was won (1) or lost (-1)."""
    if outcome > 0:
        return min(run + 1, MOST_STREAK) if run > 0 else 1
    return max(run - 1, -MOST_STREAK) if run < 0 else -1


@inner
def _sum(sums: npt.NDArray[np.int64], net: Integer) -> None:
    wide = np.int64(net)
    sums[0] += 1
    sums[1] += wide
    sums[2] += wide * wide
    sums[3] += wide == 0


@inner
def _next_holder(
    bank_rule: int, chips: npt.NDArray[Any], lane: int, bank: Integer, taker: Integer
) -> Integer:
    """Returns who holds the bank next: the first from whoever should on who has chips."""
    seats = chips.shape[0]
    holder = bank
    if bank_rule == PASS and taker != _NOBODY:
        holder = taker
    if bank_rule == ROTATE:
        holder = holder + 1 if holder + 1 < seats else 0
    while chips[holder, lane] == 0:
        holder = holder + 1 if holder + 1 < seats else 0
    return holder
