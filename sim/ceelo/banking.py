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
from sim.ceelo.ledger import Ledger
from sim.ceelo.results import LOSS, LOWEST_TRIPLE, STRAIGHT
from sim.ceelo.views import MOST_STREAK
from sim.compiled import Integer, inner
from sim.hashes import mixed_hash


@inner
def play_bank_round(
    rules: Rules, lanes: Lanes, ledger: Ledger, block: int, done: int, played: int, count: int
) -> None:
    """Settles a round in every lane whose game is not over; the first lane is deal `done` of the ledger."""
    chips, wanted, result, thrown = lanes.chips, lanes.wanted, lanes.result, lanes.thrown
    counts, throws, staked, hashes = ledger.counts, ledger.throws, ledger.staked, ledger.hashes
    last_stake, streak, survived = lanes.last_stake, lanes.streak, ledger.survived
    all_covered, bank_net, sums = ledger.covered, ledger.bank_net, ledger.sums[block]
    over, holder, rounds, all_throws = lanes.over, lanes.holder, lanes.rounds, lanes.all_throws
    seats = np.uint64(chips.shape[0])
    all_chips = chips.shape[0] * rules.chips
    for number in range(count):
        lane, deal = np.uint64(number), np.uint64(done + number)
        if over[lane]:
            continue
        bank = np.uint64(holder[lane])
        found = result[bank, lane]
        instant = found <= LOWEST_TRIPLE or found == LOSS
        left = np.int32(chips[bank, lane])
        covered = net = np.int32(0)
        taker = seats
        winner_has_all = False
        all_thrown = np.int32(thrown[bank, lane])
        seat = bank
        for _ in range(chips.shape[0] - 1):
            seat = left_of(seat, seats)
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
                throws[seat, deal] += np.uint32(thrown[seat, lane]) + np.uint32(1 << RESULTS_COUNTED)
                all_thrown += np.int32(thrown[seat, lane])
                if thrown_by_seat == STRAIGHT and taker == seats:
                    taker = seat
                sum_result(sums, seat, np.uint64(thrown_by_seat), outcome * stake)
            gain = outcome * stake
            net -= gain
            after = own + gain
            chips[seat, lane] = after
            winner_has_all |= after == all_chips
            if after == 0:
                survived[seat, deal] = played
            staked[seat, deal] += stake
            hashes[seat, deal] = mixed_hash(hashes[seat, deal], np.uint32(stake))
            last_stake[seat, lane] = stake
            streak[seat, lane] = _longer(np.int32(streak[seat, lane]), outcome)
            counts[seat, deal] += (
                np.uint64(1 << BETS)
                + (np.uint64(outcome > 0) << np.uint64(BETS_WON))
                + (np.uint64(outcome == 0) << np.uint64(PUSHES))
            )
        banked = np.int32(chips[bank, lane]) + net
        chips[bank, lane] = banked
        if banked == 0:
            survived[bank, deal] = played
        all_covered[bank, deal] += covered
        bank_net[bank, deal] += net
        throws[bank, deal] += np.uint32(thrown[bank, lane]) + np.uint32(1 << RESULTS_COUNTED)
        counts[bank, deal] += (
            np.uint64(1 << BANK_ROUNDS)
            + (np.uint64(found <= LOWEST_TRIPLE) << np.uint64(INSTANT_WINS))
            + (np.uint64(found == LOSS) << np.uint64(INSTANT_LOSSES))
        )
        sum_result(sums, bank, np.uint64(found), net)
        if rules.bank == PASS and taker != seats:
            counts[taker, deal] += np.uint64(1 << BANK_PASSES)
        holder[lane] = _next_holder(rules.bank, chips, lane, bank, taker)
        ends = winner_has_all or banked == all_chips
        if rules.most_throws:
            all_throws[lane] += all_thrown
            ends |= all_throws[lane] >= rules.most_throws
        if ends:
            over[lane] = 1
            rounds[lane] = played + 1


@inner
def left_of(seat: Integer, seats: Integer) -> Integer:
    """Returns the seat to the left."""
    after = np.uint64(seat + np.uint64(1))
    return after if after < seats else np.uint64(0)


@inner
def _longer(run: Integer, outcome: Integer) -> Integer:
    """Returns the streak after a bet that was won (1), pushed (0) or lost (-1)."""
    # Without a branch, which would go either way as the dice fall.
    won = min(max(run, np.int32(0)) + np.int32(1), np.int32(MOST_STREAK))
    lost = max(min(run, np.int32(0)) - np.int32(1), np.int32(-MOST_STREAK))
    changed = won if outcome > 0 else lost
    return changed if outcome != 0 else run


@inner
def sum_result(sums: npt.NDArray[np.int64], seat: Integer, result: Integer, net: Integer) -> None:
    """Counts a result that won or lost a seat some chips."""
    wide = np.int64(net)
    sums[seat, result, 0] += 1
    sums[seat, result, 1] += wide
    sums[seat, result, 2] += wide * wide
    sums[seat, result, 3] += wide == 0


@inner
def _next_holder(
    bank_rule: int, chips: npt.NDArray[Any], lane: Integer, bank: Integer, taker: Integer
) -> Integer:
    """Returns who holds the bank next: the first from whoever should on who has chips."""
    seats = np.uint64(chips.shape[0])
    holder = bank
    if bank_rule == PASS and taker != seats:
        holder = taker
    if bank_rule == ROTATE:
        holder = left_of(holder, seats)
    while chips[holder, lane] == 0:
        holder = left_of(holder, seats)
    return holder
