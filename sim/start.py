"""The start roll: each seat rolls one die, the highest begins, and only those tied for it roll again."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sim.compiled import compiled
from sim.streams import START, fill_dice, uniform


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
            start[lane], rounds[lane] = _roll_until_decided(seed, first_deal + np.uint64(lane), seats)
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


@compiled
def _roll_until_decided(seed: np.uint64, deal: np.uint64, seats: int) -> tuple[int, int]:
    rolling = (1 << seats) - 1
    rounds = 0
    while True:
        best = -1
        at_top = 0
        starter = 0
        for seat in range(seats):
            if rolling >> seat & 1:
                die = int(
                    uniform(
                        seed,
                        deal,
                        np.uint64(seat),
                        np.uint64(rounds),
                        np.uint64(START),
                        np.uint64(0),
                        np.uint64(6),
                    )
                )
                if die > best:
                    best = die
                    at_top = 0
                    starter = seat
                if die == best:
                    at_top |= 1 << seat
        rounds += 1
        rolling = at_top
        if rolling & (rolling - 1) == 0:
            return starter, rounds
