"""The dice of the slow reference: the generator and its streams once more, in plain integers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeVar

DICE, START, TIEBREAK, COIN, CLOCK = range(5)

Rolled = TypeVar("Rolled")


@lru_cache(maxsize=64)  # the throws of one turn take their words from one block
def philox(counter: tuple[int, int, int, int], key: tuple[int, int]) -> tuple[int, int, int, int]:
    """Returns the four 32-bit words of Philox4x32-10 (Salmon, Moraes, Dror and Shaw, SC 2011)."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        high_0, low_0 = divmod(0xD2511F53 * c0, 2**32)
        high_1, low_1 = divmod(0xCD9E8D57 * c2, 2**32)
        c0, c1, c2, c3 = high_1 ^ c1 ^ k0, low_1, high_0 ^ c3 ^ k1, low_0
        k0, k1 = (k0 + 0x9E3779B9) % 2**32, (k1 + 0xBB67AE85) % 2**32
    return c0, c1, c2, c3


def uniform(seed: int, deal: int, seat: int, turn: int, purpose: int, slot: int, below: int) -> int:
    """Draws uniformly from [0, below), as sim/streams.py describes the streams."""
    block = slot // 4
    while True:
        counter = (deal % 2**32, deal // 2**32, purpose * 2**24 + seat * 2**16 + turn, block)
        word = philox(counter, (seed % 2**32, seed // 2**32))[slot % 4]
        number, rest = divmod(word * below, 2**32)
        if rest >= 2**32 % below:
            return number
        block += 2


def word_dice(word: int) -> tuple[int, ...]:
    """Returns the five dice of a number in [0, 7776): its base-6 digits, most significant first, plus one."""
    dice: list[int] = []
    for _ in range(5):
        word, digit = divmod(word, 6)
        dice.insert(0, digit + 1)
    return tuple(dice)


def roll_for_start(seed: int, deal: int, seats: int) -> list[tuple[tuple[int, int], ...]]:
    """Rolls one die for each seat, then for those tied, until one is highest; returns the (seat, die) pairs."""

    def die(seat: int, number: int) -> int:
        return uniform(seed, deal, seat, number, START, 0, 6) + 1

    return _until_one_is_highest(range(seats), die, lambda rolled: rolled)


def roll_off(seed: int, deal: int, tied: Sequence[int]) -> list[tuple[tuple[int, tuple[int, ...]], ...]]:
    """Rolls five dice for each tied side until one sum is highest; returns the (side, dice) pairs."""

    def dice(side: int, number: int) -> tuple[int, ...]:
        return word_dice(uniform(seed, deal, side, number, TIEBREAK, 0, 7776))

    return _until_one_is_highest(tied, dice, sum)


def _until_one_is_highest(
    rolling: Sequence[int], roll: Callable[[int, int], Rolled], height: Callable[[Rolled], int]
) -> list[tuple[tuple[int, Rolled], ...]]:
    rounds: list[tuple[tuple[int, Rolled], ...]] = []
    while len(rolling) > 1:
        rolled = tuple((who, roll(who, len(rounds))) for who in rolling)
        rounds.append(rolled)
        highest = max(height(fell) for _, fell in rolled)
        rolling = [who for who, fell in rolled if height(fell) == highest]
    return rounds
