"""The fourteen results of three dice, the best first, and what each of the 216 throws comes to."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

FACES = 6
#: Every throw of three dice, in the order of their numbers: the first die counts 36, the second 6, the third 1.
THROWS: tuple[tuple[int, ...], ...] = tuple(product(range(1, FACES + 1), repeat=3))


class Result(NamedTuple):
    """What a throw may come to: its id in files, and how people call it."""

    id: str
    name: str


#: A result is known by its place here: the lower, the better.
RESULTS: tuple[Result, ...] = (
    Result("456", "4-5-6"),
    *(Result(f"{face}{face}{face}", f"{face}-{face}-{face}") for face in range(FACES, 0, -1)),
    *(Result(f"point-{face}", f"point {face}") for face in range(FACES, 0, -1)),
    Result("123", "1-2-3"),
)
STRAIGHT = 0
LOWEST_TRIPLE = FACES
LOWEST_POINT = 2 * FACES
LOSS = 2 * FACES + 1
#: In place of a result: the dice have to be thrown again.
NOTHING = LOSS + 1


def result_of(dice: Sequence[int]) -> int:
    """Returns the place of what three dice come to, or NOTHING."""
    low, middle, high = sorted(dice)
    if low == high:
        return LOWEST_TRIPLE + 1 - low
    if (low, middle, high) == (4, 5, 6):
        return STRAIGHT
    if (low, middle, high) == (1, 2, 3):
        return LOSS
    if low == middle:
        return LOWEST_POINT + 1 - high
    return LOWEST_POINT + 1 - low if middle == high else NOTHING


#: The result of each throw.
THROW_RESULTS: tuple[int, ...] = tuple(result_of(dice) for dice in THROWS)


def is_point(result: int) -> bool:
    """Tells whether a result is a point, which neither wins nor loses at once."""
    return LOWEST_TRIPLE < result <= LOWEST_POINT
