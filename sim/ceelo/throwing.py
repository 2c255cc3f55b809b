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
#: Throws that one block of random words brings, and those that are looked at in every lane.
_BLOCK_THROWS, _LOOKED_AT = 8, 4
_STAGE = 256


def _build_pair_results() -> npt.NDArray[np.uint8]:
    """Returns for each draw what its two throws come to, below 16, and from there on in how many of them."""
    first, second = np.repeat(_RESULT_OF, _WAYS), np.tile(_RESULT_OF, _WAYS)
    return np.where(first == NOTHING, second | 2 << 4, first | 1 << 4).astype(np.uint8)


_PAIR_RESULTS = _build_pair_results()


@inner
def throw_results(
    lanes: Lanes, seat: int, seed: np.uint64, first_deal: np.uint64, played: int, count: int
) -> None:
    """Writes what a seat throws in a round, and in how many throws, for every lane."""
    lanes.seat[:count] = seat
    lanes.turn[:count] = played
    numbers = lanes.numbers[seat]
    fill_numbers(seed, first_deal, lanes.seat[:count], lanes.turn[:count], DICE, 0, _PAIR_LIMITS, numbers)
    result, thrown = lanes.result[seat], lanes.thrown[seat]
    # Both draws are looked up, wanted or not: a branch that a quarter of the lanes take is slower.
    first_pair, second_pair = numbers[0], numbers[1]
    for lane in range(count):
        found, throws = _of_pair(np.uint32(first_pair[lane]))
        later, more = _of_pair(np.uint32(second_pair[lane]))
        again = found == NOTHING
        found = later if again else found
        throws = np.uint16(more + 2) if again else throws
        if found == NOTHING:
            deal = first_deal + np.uint64(lane)
            found, throws = next_result(lanes.numbers, seed, deal, seat, played, lane, _LOOKED_AT)
        result[lane] = found
        thrown[lane] = throws


@inner
def _of_pair(pair: np.uint32) -> tuple[Integer, Integer]:
    """Returns the result of the first or else the second of two throws, and how many it took."""
    both = _PAIR_RESULTS[pair]
    return both & np.uint8(15), np.uint16(both >> np.uint8(4))


@inner
def next_result(
    numbers: npt.NDArray[np.int32],
    seed: np.uint64,
    deal: np.uint64,
    seat: Integer,
    played: int,
    lane: Integer,
    begin: Integer,
) -> tuple[Integer, Integer]:
    """Throws on from throw `begin` of a seat's round; returns the result and the number of throws since the first.

    `numbers`, shape (seats, 4, lanes), are the first draws of the round.
    """
    throw = np.uint64(begin)
    while True:
        pair = _draw_pair(numbers, seed, deal, seat, played, lane, throw)
        part = pair // np.uint32(_WAYS)
        if throw & np.uint64(1):
            part = pair - part * np.uint32(_WAYS)
        throw += np.uint64(1)
        if _RESULT_OF[part] != NOTHING:
            return _RESULT_OF[part], np.uint16(throw)


@inner
def _draw_pair(
    numbers: npt.NDArray[np.int32],
    seed: np.uint64,
    deal: np.uint64,
    seat: Integer,
    played: int,
    lane: Integer,
    throw: Integer,
) -> np.uint32:
    """Returns the draw that a throw of a seat's round belongs to; the first ones are there already."""
    block = np.uint64(_BLOCK_THROWS)
    slot = np.uint64(throw % block // np.uint64(2))
    if throw < block:
        return np.uint32(numbers[np.uint64(seat), slot, np.uint64(lane)])
    turn = np.uint64(played) + np.uint64(_STAGE) * (throw // block)
    return np.uint32(uniform(seed, deal, np.uint64(seat), turn, np.uint64(DICE), slot, np.uint64(_PAIRS)))
