"""Throws of three dice until there is a result, for many games at once.

A seat's throws in a round are one sequence. Throw t is one of two numbers below 216 in a draw below 46,656: the draw is
that of turn round + 256 * (t // 8), slot t % 8 // 2; even throws take its upper part, odd ones its lower.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sim.ceelo.lanes import Lanes
from sim.ceelo.results import NOTHING, THROW_RESULTS, THROWS
from sim.compiled import Integer, inner
from sim.streams import DICE, fill_numbers, uniform

_WAYS = len(THROWS)
_PAIRS = _WAYS * _WAYS
_PAIR_LIMITS = np.full(4, _PAIRS, np.uint64)
_RESULT_OF = np.array(THROW_RESULTS, np.uint8)
#: Throws that one block of random words brings.
_BLOCK_THROWS = 8
_STAGE = 256


@inner
def throw_results(
    lanes: Lanes, seat: int, seed: np.uint64, first_deal: np.uint64, played: int, count: int
) -> None:
    """Writes what a seat throws in a round, and in how many throws, for every lane."""
    lanes.seat[:count] = seat
    lanes.turn[:count] = played
    numbers = lanes.numbers
    fill_numbers(
        seed, first_deal, lanes.seat[:count], lanes.turn[:count], DICE, 0, _PAIR_LIMITS, numbers[:, :count]
    )
    result, thrown = lanes.result[seat], lanes.thrown[seat]
    for lane in range(count):
        found, throws = _of_pair(np.uint32(numbers[0, lane]))
        if found == NOTHING:
            found, throws = _go_on(numbers, seed, first_deal + np.uint64(lane), seat, played, lane)
        result[lane] = found
        thrown[lane] = throws


@inner
def _of_pair(pair: np.uint32) -> tuple[Integer, Integer]:
    """Returns the result of the first or else the second of two throws, and how many it took."""
    first = pair // np.uint32(_WAYS)
    found = _RESULT_OF[first]
    after = _RESULT_OF[pair - first * np.uint32(_WAYS)]
    again = found == NOTHING
    return (after if again else found), (np.uint16(2) if again else np.uint16(1))


@inner
def _go_on(
    numbers: npt.NDArray[np.int32], seed: np.uint64, deal: np.uint64, seat: int, played: int, lane: int
) -> tuple[Integer, Integer]:
    """Returns the result, and how many throws it took, of a sequence whose first two throws came to nothing."""
    for slot in range(1, 4):
        found, throws = _of_pair(np.uint32(numbers[slot, lane]))
        if found != NOTHING:
            return found, np.uint16(2 * slot + throws)
    return next_result(seed, deal, seat, played, _BLOCK_THROWS)


@inner
def next_result(
    seed: np.uint64, deal: np.uint64, seat: int, played: int, begin: int
) -> tuple[Integer, Integer]:
    """Throws on from throw `begin` of a seat's round; returns the result and the number of throws since the first."""
    throw: Integer = begin
    while True:
        turn = played + _STAGE * (throw // _BLOCK_THROWS)
        pair = uniform(
            seed,
            deal,
            np.uint64(seat),
            np.uint64(turn),
            np.uint64(DICE),
            np.uint64(throw % _BLOCK_THROWS // 2),
            np.uint64(_PAIRS),
        )
        part = pair // np.uint64(_WAYS) if throw % 2 == 0 else pair % np.uint64(_WAYS)
        throw += 1
        if _RESULT_OF[part] != NOTHING:
            return _RESULT_OF[part], np.uint16(throw)
