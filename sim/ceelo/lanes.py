"""What the kernel of Cee-lo works on: the rules and stakes as arrays, and the state of many games at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sim.ceelo.results import RESULTS
from sim.courses import BLOCK
from sim.standings import Lead, build_lead

#: Games played at once: few enough for their whole state to stay in the first-level cache.
LANES = 500
#: How the bank moves; a game for the pot has NONE.
NONE, PASS, ROTATE, FIXED = range(4)
#: In place of the rounds that a seat survived.
NEVER_RUINED = 255
#: In place of a stake: it has to be asked for.
LACKING = -1

#: Counts of a game that stay below 256, eight to a word: where each begins.
BETS, BETS_WON, PUSHES, BANK_ROUNDS, INSTANT_WINS, INSTANT_LOSSES, BANK_PASSES = range(0, 56, 8)
#: In a word of throws, results are counted from here on.
RESULTS_COUNTED = 16
#: The last decider of a round that is told from those before; later ones count as this one.
MOST_DECIDED = 4


class Rules(NamedTuple):
    """What all games share, as the kernel reads it.

    `most_throws` is 0 without a clock; `near` and `far` end the steps of a lead.
    """

    chips: int
    most_rounds: int
    most_throws: int
    bank: int
    ante: int
    outright: bool
    near: int
    far: int


class StakeTables(NamedTuple):
    """The stakes of a lineup, by seat; `strategies.stake_tables` documents and fills them.

    A context's stake is stake_of[base + context] where `direct`, else found by probing keys for base + context;
    LACKING where it is still to be asked for.
    """

    stake_of: npt.NDArray[np.int16]
    keys: npt.NDArray[np.uint64]
    key_stakes: npt.NDArray[np.int32]
    base: npt.NDArray[np.uint64]
    direct: npt.NDArray[np.uint8]
    strides: npt.NDArray[np.uint64]


class Lanes(NamedTuple):
    """The state of a block of games played at once.

    What a seat has is of shape (seats, lanes): the chips, the stake it wants, the result and throws of the round at
    hand, its last stake and streak, a hash of its stakes, and what is counted of the whole game. The rest is of
    shape (lanes,): who holds the bank or throws first, whether the game is over and after how many rounds, the
    throws of all seats, and contexts.
    """

    chips: npt.NDArray[np.int16]
    wanted: npt.NDArray[np.int16]
    result: npt.NDArray[np.uint8]
    thrown: npt.NDArray[np.uint16]
    last_stake: npt.NDArray[np.int16]
    streak: npt.NDArray[np.int8]
    hashes: npt.NDArray[np.uint32]
    counts: npt.NDArray[np.uint64]
    throws: npt.NDArray[np.uint32]
    staked: npt.NDArray[np.int32]
    covered: npt.NDArray[np.int32]
    bank_net: npt.NDArray[np.int32]
    survived: npt.NDArray[np.uint8]
    holder: npt.NDArray[np.uint8]
    over: npt.NDArray[np.uint8]
    rounds: npt.NDArray[np.uint8]
    all_throws: npt.NDArray[np.int32]
    tied: npt.NDArray[np.uint16]
    decided: npt.NDArray[np.uint16]
    seat: npt.NDArray[np.uint8]
    turn: npt.NDArray[np.uint8]
    numbers: npt.NDArray[np.int32]
    context: npt.NDArray[np.uint64]
    best: npt.NDArray[np.int16]
    missing: npt.NDArray[np.uint64]
    missing_seat: npt.NDArray[np.uint8]
    lead: Lead


def build_lanes(seats: int, lanes: int) -> Lanes:
    """Builds the room for one block of lanes."""
    by_seat = (seats, lanes)
    return Lanes(
        chips=np.zeros(by_seat, np.int16),
        wanted=np.zeros(by_seat, np.int16),
        result=np.zeros(by_seat, np.uint8),
        thrown=np.zeros(by_seat, np.uint16),
        last_stake=np.zeros(by_seat, np.int16),
        streak=np.zeros(by_seat, np.int8),
        hashes=np.zeros(by_seat, np.uint32),
        counts=np.zeros(by_seat, np.uint64),
        throws=np.zeros(by_seat, np.uint32),
        staked=np.zeros(by_seat, np.int32),
        covered=np.zeros(by_seat, np.int32),
        bank_net=np.zeros(by_seat, np.int32),
        survived=np.zeros(by_seat, np.uint8),
        holder=np.zeros(lanes, np.uint8),
        over=np.zeros(lanes, np.uint8),
        rounds=np.zeros(lanes, np.uint8),
        all_throws=np.zeros(lanes, np.int32),
        tied=np.zeros((seats + 1, lanes), np.uint16),
        decided=np.zeros((MOST_DECIDED + 1, lanes), np.uint16),
        seat=np.zeros(lanes, np.uint8),
        turn=np.zeros(lanes, np.uint8),
        numbers=np.zeros((seats, 4, lanes), np.int32),
        context=np.zeros(lanes, np.uint64),
        best=np.zeros(lanes, np.int16),
        missing=np.zeros(seats * lanes, np.uint64),
        missing_seat=np.zeros(seats * lanes, np.uint8),
        lead=build_lead(seats, lanes),
    )


class Course(NamedTuple):
    """What is kept of each game: shape (seats, deals) by seat, (deals,) by game, and sums by block of deals.

    `sums` has shape (blocks, seats, results, 4): how many results, the chips won or lost with them, the squares of
    these, and how many were 0. What only a bank or only a pot has is 0 where it is not in play.
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


def build_course(seats: int, first_deal: int, deals: int) -> Course:
    """Builds the room for the results of a range of deals in one seating."""
    blocks = (first_deal + deals - 1) // BLOCK - first_deal // BLOCK + 1
    by_seat = (seats, deals)
    return Course(
        score=np.zeros(by_seat, np.int16),
        place=np.zeros(by_seat, np.uint8),
        won=np.zeros(by_seat, np.bool_),
        credit=np.zeros(by_seat, np.uint8),
        tied=np.zeros(by_seat, np.bool_),
        throws=np.zeros(by_seat, np.uint16),
        results=np.zeros(by_seat, np.uint16),
        decisions=np.zeros(by_seat, np.uint16),
        staked=np.zeros(by_seat, np.int32),
        bets=np.zeros(by_seat, np.uint8),
        bets_won=np.zeros(by_seat, np.uint8),
        pushes=np.zeros(by_seat, np.uint8),
        survived=np.zeros(by_seat, np.uint8),
        covered=np.zeros(by_seat, np.int32),
        bank_net=np.zeros(by_seat, np.int32),
        bank_rounds=np.zeros(by_seat, np.uint8),
        instant_wins=np.zeros(by_seat, np.uint8),
        instant_losses=np.zeros(by_seat, np.uint8),
        bank_passes=np.zeros(by_seat, np.uint8),
        rounds=np.zeros(deals, np.uint8),
        lead_changes=np.zeros(deals, np.uint8),
        decided_turn=np.zeros(deals, np.uint8),
        worst_deficit=np.zeros(deals, np.int16),
        tied_2=np.zeros(deals, np.uint16),
        tied_3=np.zeros(deals, np.uint16),
        tied_4=np.zeros(deals, np.uint16),
        tied_5=np.zeros(deals, np.uint16),
        tied_6=np.zeros(deals, np.uint16),
        decided_1=np.zeros(deals, np.uint16),
        decided_2=np.zeros(deals, np.uint16),
        decided_3=np.zeros(deals, np.uint16),
        decided_4=np.zeros(deals, np.uint16),
        sums=np.zeros((blocks, seats, len(RESULTS), 4), np.int64),
    )
