"""Rolling until one seat is highest: for who begins, and for who wins a tie."""

from __future__ import annotations

import numpy as np

from sim.compiled import compiled
from sim.ruleset import MOST_SEATS
from sim.streams import uniform


@compiled
def roll_until_highest(
    seed: np.uint64, deal: np.uint64, rolling: int, purpose: int, below: int
) -> tuple[int, int]:
    """Lets the seats of a mask roll, those tied for the highest again, until one is left; returns (seat, rounds).

    A number in [0, below) stands for dice, its base-6 digits: one die below 6, five below 7776. The sum counts.
    """
    rounds = 0
    while True:
        best = -1
        at_top = 0
        highest = 0
        for seat in range(MOST_SEATS):
            if rolling >> seat & 1:
                number = uniform(
                    seed,
                    deal,
                    np.uint64(seat),
                    np.uint64(rounds),
                    np.uint64(purpose),
                    np.uint64(0),
                    np.uint64(below),
                )
                rest = int(number)
                total = 0
                while rest:
                    total += rest % 6
                    rest //= 6
                if total > best:
                    best = total
                    at_top = 0
                    highest = seat
                if total == best:
                    at_top |= 1 << seat
        rounds += 1
        rolling = at_top
        if rolling & (rolling - 1) == 0:
            return highest, rounds
