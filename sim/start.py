"""The start roll: each seat rolls one die, the highest begins, and only those tied for it roll again."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sim.compiled import compiled
from sim.rolling import roll_until_highest
from sim.streams import START, fill_dice


@compiled
def roll_for_start(
    seed: np.uint64,
    first_deal: np.uint64,
    seats: int,
    dice: npt.NDArray[np.uint16],
    room: npt.NDArray[np.uint8],
    start: npt.NDArray[np.uint8],
    rounds: npt.NDArray[np.uint8],
) -> None:
    """Writes for each deal the seat that begins and the rounds rolled.

    `dice`, shape (lanes,), and the first two rows of `room` are scratch; row 0 is left at zero.
    """
    best = room[0]
    tied = room[1]
    best[:] = 0
    for seat in range(seats):
        fill_dice(seed, first_deal, np.uint64(seat), np.uint64(START), dice)
        _raise_start(dice, np.uint8(seat), best, tied, start)
    for lane in range(rounds.size):
        rounds[lane] = 1
        if tied[lane]:
            deal = first_deal + np.uint64(lane)
            start[lane], rounds[lane] = roll_until_highest(seed, deal, (1 << seats) - 1, START, 6)
    best[:] = 0


@compiled
def _raise_start(
    dice: npt.NDArray[np.uint16],
    seat: np.uint8,
    best: npt.NDArray[np.uint8],
    tied: npt.NDArray[np.uint8],
    start: npt.NDArray[np.uint8],
) -> None:
    for lane in range(dice.size):
        die = np.uint8(dice[lane] + 1)
        higher = die > best[lane]
        tied[lane] = np.uint8(0) if higher else tied[lane] | np.uint8(die == best[lane])
        start[lane] = seat if higher else start[lane]
        best[lane] = max(best[lane], die)
