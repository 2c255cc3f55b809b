"""What the kernel of Cee-lo works on: the rules and stakes as arrays, and the state of many games at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sim.game import BLOCK
from sim.standings import Lead, build_lead

#: Games played at once: a block of sums. With half as many the steps of a round are too short to be fast.
LANES = BLOCK
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
    hand, its last stake and streak; `numbers`, of shape (seats, 4, lanes), are what the dice of the round are drawn
    from. The rest is of shape (lanes,): who holds the bank or throws first, whether the game is over and after how
    many rounds, the throws of all seats, and contexts.
    """

    chips: npt.NDArray[np.int16]
    wanted: npt.NDArray[np.int16]
    result: npt.NDArray[np.uint8]
    thrown: npt.NDArray[np.uint16]
    last_stake: npt.NDArray[np.int16]
    streak: npt.NDArray[np.int8]
    holder: npt.NDArray[np.uint8]
    over: npt.NDArray[np.uint8]
    rounds: npt.NDArray[np.uint8]
    all_throws: npt.NDArray[np.int32]
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
        holder=np.zeros(lanes, np.uint8),
        over=np.zeros(lanes, np.uint8),
        rounds=np.zeros(lanes, np.uint8),
        all_throws=np.zeros(lanes, np.int32),
        seat=np.zeros(lanes, np.uint8),
        turn=np.zeros(lanes, np.uint8),
        numbers=np.zeros((seats, 4, lanes), np.int32),
        context=np.zeros(lanes, np.uint64),
        best=np.zeros(lanes, np.int16),
        missing=np.zeros(seats * lanes, np.uint64),
        missing_seat=np.zeros(seats * lanes, np.uint8),
        lead=build_lead(seats, lanes),
    )
