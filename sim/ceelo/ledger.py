"""What is kept of each game of Cee-lo: packed as the kernel counts it, and column by column as a run stores it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sim.ceelo.lanes import (
    BANK_PASSES,
    BANK_ROUNDS,
    BETS,
    BETS_WON,
    INSTANT_LOSSES,
    INSTANT_WINS,
    MOST_DECIDED,
    NEVER_RUINED,
    NONE,
    PUSHES,
    RESULTS_COUNTED,
    Lanes,
    Rules,
)
from sim.ceelo.results import RESULTS
from sim.compiled import inner
from sim.game import count_blocks
from sim.ruleset import MOST_SEATS
from sim.standings import settle


class Ledger(NamedTuple):
    """What is counted of each game: shape (seats, deals) by seat, (deals,) by game, and sums by block of deals.

    `counts` holds eight counts a word and `throws` two, as sim.ceelo.lanes places them. `tied` has a row for each
    number of seats that a decider may have, `decided` one for each decider that may decide a round. `sums` has shape
    (blocks, seats, results, 4): how many results, the chips won or lost with them, the squares of these, and how
    many were 0.
    """

    score: npt.NDArray[np.int16]
    place: npt.NDArray[np.uint8]
    won: npt.NDArray[np.bool_]
    credit: npt.NDArray[np.uint8]
    shared: npt.NDArray[np.bool_]
    counts: npt.NDArray[np.uint64]
    throws: npt.NDArray[np.uint32]
    hashes: npt.NDArray[np.uint32]
    staked: npt.NDArray[np.int32]
    covered: npt.NDArray[np.int32]
    bank_net: npt.NDArray[np.int32]
    survived: npt.NDArray[np.uint8]
    rounds: npt.NDArray[np.uint8]
    lead_changes: npt.NDArray[np.uint8]
    decided_turn: npt.NDArray[np.uint8]
    worst_deficit: npt.NDArray[np.int16]
    tied: npt.NDArray[np.uint16]
    decided: npt.NDArray[np.uint16]
    sums: npt.NDArray[np.int64]


def build_ledger(seats: int, first_deal: int, deals: int) -> Ledger:
    """Builds the room for what is counted of a range of deals in one seating."""
    by_seat = (seats, deals)
    return Ledger(
        score=np.zeros(by_seat, np.int16),
        place=np.zeros(by_seat, np.uint8),
        won=np.zeros(by_seat, np.bool_),
        credit=np.zeros(by_seat, np.uint8),
        shared=np.zeros(by_seat, np.bool_),
        counts=np.zeros(by_seat, np.uint64),
        throws=np.zeros(by_seat, np.uint32),
        hashes=np.zeros(by_seat, np.uint32),
        staked=np.zeros(by_seat, np.int32),
        covered=np.zeros(by_seat, np.int32),
        bank_net=np.zeros(by_seat, np.int32),
        survived=np.full(by_seat, NEVER_RUINED, np.uint8),
        rounds=np.zeros(deals, np.uint8),
        lead_changes=np.zeros(deals, np.uint8),
        decided_turn=np.zeros(deals, np.uint8),
        worst_deficit=np.zeros(deals, np.int16),
        tied=np.zeros((MOST_SEATS + 1, deals), np.uint16),
        decided=np.zeros((MOST_DECIDED + 1, deals), np.uint16),
        sums=np.zeros((count_blocks(first_deal, deals), seats, len(RESULTS), 4), np.int64),
    )


@inner
def end_block(lanes: Lanes, ledger: Ledger, done: int, count: int, played: int) -> None:
    """Writes down how a block of games ended after so many rounds, the first as deal `done` of the ledger."""
    end = done + count
    for lane in range(count):
        if not lanes.over[lane]:
            lanes.rounds[lane] = played
        ledger.rounds[done + lane] = lanes.rounds[lane]
    for seat in range(lanes.chips.shape[0]):
        for lane in range(count):
            ledger.score[seat, done + lane] = lanes.chips[seat, lane]
    settle(
        lanes.lead,
        lanes.chips,
        np.uint64(0),
        np.uint64(0),
        lanes.rounds[:count],
        False,
        ledger.place[:, done:end],
        ledger.won[:, done:end],
        ledger.credit[:, done:end],
        ledger.shared[:, done:end],
        lanes.turn[:count],
        ledger.lead_changes[done:end],
        ledger.decided_turn[done:end],
        ledger.worst_deficit[done:end],
    )


class Course(NamedTuple):
    """What is kept of each game, a column each: shape (seats, deals) by seat, (deals,) by game; `sums` as counted.

    What only a bank or only a pot has is 0 where it is not in play.
    """

    score: npt.NDArray[np.int16]
    place: npt.NDArray[np.uint8]
    won: npt.NDArray[np.bool_]
    credit: npt.NDArray[np.uint8]
    tied: npt.NDArray[np.bool_]
    throws: npt.NDArray[np.uint16]
    results: npt.NDArray[np.uint16]
    decisions: npt.NDArray[np.uint16]
    staked: npt.NDArray[np.int32]
    bets: npt.NDArray[np.uint8]
    bets_won: npt.NDArray[np.uint8]
    pushes: npt.NDArray[np.uint8]
    survived: npt.NDArray[np.uint8]
    covered: npt.NDArray[np.int32]
    bank_net: npt.NDArray[np.int32]
    bank_rounds: npt.NDArray[np.uint8]
    instant_wins: npt.NDArray[np.uint8]
    instant_losses: npt.NDArray[np.uint8]
    bank_passes: npt.NDArray[np.uint8]
    rounds: npt.NDArray[np.uint8]
    lead_changes: npt.NDArray[np.uint8]
    decided_turn: npt.NDArray[np.uint8]
    worst_deficit: npt.NDArray[np.int16]
    tied_2: npt.NDArray[np.uint16]
    tied_3: npt.NDArray[np.uint16]
    tied_4: npt.NDArray[np.uint16]
    tied_5: npt.NDArray[np.uint16]
    tied_6: npt.NDArray[np.uint16]
    decided_1: npt.NDArray[np.uint16]
    decided_2: npt.NDArray[np.uint16]
    decided_3: npt.NDArray[np.uint16]
    decided_4: npt.NDArray[np.uint16]
    sums: npt.NDArray[np.int64]


def read_ledger(rules: Rules, ledger: Ledger) -> Course:
    """Unpacks a ledger into columns."""

    def counted(place: int) -> npt.NDArray[np.uint8]:
        return (ledger.counts >> np.uint64(place) & np.uint64(0xFF)).astype(np.uint8)

    bets, hashes, throws = counted(BETS), ledger.hashes, ledger.throws
    return Course(
        score=ledger.score,
        place=ledger.place,
        won=ledger.won,
        credit=ledger.credit,
        tied=ledger.shared,
        throws=(throws & np.uint32(0xFFFF)).astype(np.uint16),
        results=(throws >> np.uint32(RESULTS_COUNTED)).astype(np.uint16),
        decisions=(hashes >> np.uint32(16) ^ hashes & np.uint32(0xFFFF)).astype(np.uint16),
        # For the pot what is staked are the antes, which are all alike.
        staked=bets * np.int32(rules.ante) if rules.bank == NONE else ledger.staked,
        bets=bets,
        bets_won=counted(BETS_WON),
        pushes=counted(PUSHES),
        survived=np.minimum(ledger.survived, ledger.rounds),
        covered=ledger.covered,
        bank_net=ledger.bank_net,
        bank_rounds=counted(BANK_ROUNDS),
        instant_wins=counted(INSTANT_WINS),
        instant_losses=counted(INSTANT_LOSSES),
        bank_passes=counted(BANK_PASSES),
        rounds=ledger.rounds,
        lead_changes=ledger.lead_changes,
        decided_turn=ledger.decided_turn,
        worst_deficit=ledger.worst_deficit,
        **{f"tied_{seats}": ledger.tied[seats] for seats in range(2, MOST_SEATS + 1)},
        **{f"decided_{number}": ledger.decided[number] for number in range(1, MOST_DECIDED + 1)},
        sums=ledger.sums,
    )
