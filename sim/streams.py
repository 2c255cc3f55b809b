"""Counter-based random numbers: every die is a function of (seed, deal, seat, turn, purpose).

The generator is Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3",
SC 2011). The key is the job's seed, low word first. Of the counter's four words the first two are the deal,
the third is purpose << 24 | seat << 16 | turn, and the fourth the block. Draw number `slot` of a stream takes word
slot % 4 of block slot // 4; where that word is rejected, the same word of the block two further on, so that
rejection never shifts another draw.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sim.compiled import compiled, inlined
from sim.dice import WORDS

DICE, START, TIEBREAK, COIN, CLOCK = range(5)

_MULTIPLIER_0 = np.uint64(0xD2511F53)
_MULTIPLIER_1 = np.uint64(0xCD9E8D57)
_WEYL_0 = np.uint64(0x9E3779B9)
_WEYL_1 = np.uint64(0xBB67AE85)
_TWO_WEYL_0 = np.uint64(2 * 0x9E3779B9 & 0xFFFFFFFF)
_TWO_WEYL_1 = np.uint64(2 * 0xBB67AE85 & 0xFFFFFFFF)
_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
_24 = np.uint64(24)
_16 = np.uint64(16)
_2 = np.uint64(2)
_4 = np.uint64(4)
_RANGE = np.uint64(1 << 32)
_WORDS = np.uint64(WORDS)
#: A 32-bit number below this, after multiplication, is one too many for exact uniformity over 7776 words.
_REJECTED = np.uint64((1 << 32) % WORDS)


Words = tuple[np.uint64, np.uint64, np.uint64, np.uint64]


@inlined
def _two_rounds(
    c0: np.uint64, c1: np.uint64, c2: np.uint64, c3: np.uint64, k0: np.uint64, k1: np.uint64
) -> Words:
    p0 = c0 * _MULTIPLIER_0
    p1 = c2 * _MULTIPLIER_1
    d0, d1, d2, d3 = (p1 >> _32) ^ c1 ^ k0, p1 & _LOW, (p0 >> _32) ^ c3 ^ k1, p0 & _LOW
    p0 = d0 * _MULTIPLIER_0
    p1 = d2 * _MULTIPLIER_1
    k0 = (k0 + _WEYL_0) & _LOW
    k1 = (k1 + _WEYL_1) & _LOW
    return (p1 >> _32) ^ d1 ^ k0, p1 & _LOW, (p0 >> _32) ^ d3 ^ k1, p0 & _LOW


@inlined
def philox(c0: np.uint64, c1: np.uint64, c2: np.uint64, c3: np.uint64, k0: np.uint64, k1: np.uint64) -> Words:
    """Returns the four 32-bit words of one Philox4x32-10 block; all numbers are held in 64 bits."""
    # Written out, because a loop over the rounds keeps the loop over the lanes from becoming vector code.
    c0, c1, c2, c3 = _two_rounds(c0, c1, c2, c3, k0, k1)
    k0, k1 = (k0 + _TWO_WEYL_0) & _LOW, (k1 + _TWO_WEYL_1) & _LOW
    c0, c1, c2, c3 = _two_rounds(c0, c1, c2, c3, k0, k1)
    k0, k1 = (k0 + _TWO_WEYL_0) & _LOW, (k1 + _TWO_WEYL_1) & _LOW
    c0, c1, c2, c3 = _two_rounds(c0, c1, c2, c3, k0, k1)
    k0, k1 = (k0 + _TWO_WEYL_0) & _LOW, (k1 + _TWO_WEYL_1) & _LOW
    c0, c1, c2, c3 = _two_rounds(c0, c1, c2, c3, k0, k1)
    k0, k1 = (k0 + _TWO_WEYL_0) & _LOW, (k1 + _TWO_WEYL_1) & _LOW
    return _two_rounds(c0, c1, c2, c3, k0, k1)


@compiled
def uniform(
    seed: np.uint64,
    deal: np.uint64,
    seat: np.uint64,
    turn: np.uint64,
    purpose: np.uint64,
    slot: np.uint64,
    below: np.uint64,
) -> np.uint64:
    """Draws exactly uniformly from [0, below) by multiply-shift with rejection (Lemire 2019)."""
    rejected = _RANGE % below
    block = slot // _4
    lane = slot % _4
    stream = purpose << _24 | seat << _16 | turn
    while True:
        words = philox(deal & _LOW, deal >> _32, stream, block, seed & _LOW, seed >> _32)
        word = words[0]
        if lane == np.uint64(1):
            word = words[1]
        elif lane == np.uint64(2):
            word = words[2]
        elif lane == np.uint64(3):
            word = words[3]
        product = word * below
        if product & _LOW >= rejected:
            return product >> _32
        block += _2


@compiled
def fill_words(
    seed: np.uint64,
    first_deal: np.uint64,
    seats: npt.NDArray[np.uint8],
    turns: npt.NDArray[np.uint8],
    throws: int,
    words: npt.NDArray[np.uint16],
) -> None:
    """Writes the dice words of one turn, shape (8, lanes): row t is throw t of deal first_deal + lane in seats[lane].

    The same numbers as `uniform(..., DICE, t, 7776)`, in a loop that the compiler turns into vector code.
    """
    for block in range((throws + 3) // 4):
        rows = words[4 * block : 4 * block + 4]
        if _fill_block(seed, first_deal, seats, turns, block, rows[0], rows[1], rows[2], rows[3]):
            for slot in range(4 * block, 4 * block + 4):
                for lane in range(seats.size):
                    seat = np.uint64(seats[lane])
                    turn = np.uint64(turns[lane])
                    deal = first_deal + np.uint64(lane)
                    words[slot, lane] = uniform(
                        seed, deal, seat, turn, np.uint64(DICE), np.uint64(slot), _WORDS
                    )


@compiled
def _fill_block(
    seed: np.uint64,
    first_deal: np.uint64,
    seats: npt.NDArray[np.uint8],
    turns: npt.NDArray[np.uint8],
    block: int,
    row_0: npt.NDArray[np.uint16],
    row_1: npt.NDArray[np.uint16],
    row_2: npt.NDArray[np.uint16],
    row_3: npt.NDArray[np.uint16],
) -> bool:
    rejections = np.uint64(0)
    k0 = seed & _LOW
    k1 = seed >> _32
    for lane in range(seats.size):
        deal = first_deal + np.uint64(lane)
        stream = np.uint64(DICE) << _24 | np.uint64(seats[lane]) << _16 | np.uint64(turns[lane])
        w0, w1, w2, w3 = philox(deal & _LOW, deal >> _32, stream, np.uint64(block), k0, k1)
        p0 = w0 * _WORDS
        p1 = w1 * _WORDS
        p2 = w2 * _WORDS
        p3 = w3 * _WORDS
        rejections |= np.uint64(p0 & _LOW < _REJECTED) | np.uint64(p1 & _LOW < _REJECTED)
        rejections |= np.uint64(p2 & _LOW < _REJECTED) | np.uint64(p3 & _LOW < _REJECTED)
        row_0[lane] = p0 >> _32
        row_1[lane] = p1 >> _32
        row_2[lane] = p2 >> _32
        row_3[lane] = p3 >> _32
    return bool(rejections)


@compiled
def fill_numbers(
    seed: np.uint64,
    first_deal: np.uint64,
    seats: npt.NDArray[np.uint8],
    turns: npt.NDArray[np.uint8],
    purpose: int,
    block: int,
    limits: npt.NDArray[np.uint64],
    numbers: npt.NDArray[np.int32],
) -> None:
    """Writes four numbers for each lane, shape (4, lanes), of deal first_deal + lane, seats[lane] and turns[lane].

    The same as `uniform(..., purpose, 4 * block + row, limits[row])`.
    """
    l0, l1, l2, l3 = limits[0], limits[1], limits[2], limits[3]
    r0, r1, r2, r3 = _RANGE % l0, _RANGE % l1, _RANGE % l2, _RANGE % l3
    row_0, row_1, row_2, row_3 = numbers[0], numbers[1], numbers[2], numbers[3]
    rejections = np.uint64(0)
    k0 = seed & _LOW
    k1 = seed >> _32
    for lane in range(seats.size):
        deal = first_deal + np.uint64(lane)
        stream = np.uint64(purpose) << _24 | np.uint64(seats[lane]) << _16 | np.uint64(turns[lane])
        w0, w1, w2, w3 = philox(deal & _LOW, deal >> _32, stream, np.uint64(block), k0, k1)
        p0 = w0 * l0
        p1 = w1 * l1
        p2 = w2 * l2
        p3 = w3 * l3
        rejections |= np.uint64(p0 & _LOW < r0) | np.uint64(p1 & _LOW < r1)
        rejections |= np.uint64(p2 & _LOW < r2) | np.uint64(p3 & _LOW < r3)
        row_0[lane] = p0 >> _32
        row_1[lane] = p1 >> _32
        row_2[lane] = p2 >> _32
        row_3[lane] = p3 >> _32
    if rejections:
        _draw_rejected(seed, first_deal, seats, turns, purpose, block, limits, numbers)


@compiled
def _draw_rejected(
    seed: np.uint64,
    first_deal: np.uint64,
    seats: npt.NDArray[np.uint8],
    turns: npt.NDArray[np.uint8],
    purpose: int,
    block: int,
    limits: npt.NDArray[np.uint64],
    numbers: npt.NDArray[np.int32],
) -> None:
    """Draws the numbers of fill_numbers whose words are rejected."""
    for lane in range(seats.size):
        deal = first_deal + np.uint64(lane)
        seat, turn = np.uint64(seats[lane]), np.uint64(turns[lane])
        stream = np.uint64(purpose) << _24 | seat << _16 | turn
        words = philox(deal & _LOW, deal >> _32, stream, np.uint64(block), seed & _LOW, seed >> _32)
        for row, word in enumerate(words):
            if word * limits[row] & _LOW < _RANGE % limits[row]:
                slot = np.uint64(4 * block + row)
                numbers[row, lane] = uniform(seed, deal, seat, turn, np.uint64(purpose), slot, limits[row])


@compiled
def fill_dice(
    seed: np.uint64, first_deal: np.uint64, seat: np.uint64, purpose: np.uint64, dice: npt.NDArray[np.uint16]
) -> None:
    """Writes one die, from 0 to 5, for each deal: the numbers of `uniform(..., turn 0, purpose, 0, 6)`."""
    six = np.uint64(6)
    stream = purpose << _24 | seat << _16
    rejections = np.uint64(0)
    k0 = seed & _LOW
    k1 = seed >> _32
    for lane in range(dice.size):
        deal = first_deal + np.uint64(lane)
        word, _, _, _ = philox(deal & _LOW, deal >> _32, stream, np.uint64(0), k0, k1)
        product = word * six
        rejections |= np.uint64(product & _LOW < _RANGE % six)
        dice[lane] = product >> _32
    if rejections:
        for lane in range(dice.size):
            dice[lane] = uniform(
                seed, first_deal + np.uint64(lane), seat, np.uint64(0), purpose, np.uint64(0), six
            )
