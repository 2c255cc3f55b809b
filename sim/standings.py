"""Who leads at the end of each round, who has won at the end, and how the lead went: for many games at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sim.compiled import compiled
from sim.dice import WORDS
from sim.streams import TIEBREAK, uniform

NOBODY = 255
WIN = 60


class Lead(NamedTuple):
    """How the lead of each lane has gone so far; all of shape (lanes,) but `deficit` of (seats, lanes)."""

    best: npt.NDArray[np.int32]
    leader: npt.NDArray[np.uint8]
    last_leader: npt.NDArray[np.uint8]
    since: npt.NDArray[np.uint8]
    changes: npt.NDArray[np.uint8]
    deficit: npt.NDArray[np.int32]


def build_lead(seats: int, lanes: int) -> Lead:
    """Builds the room for the leads of a block of lanes."""
    bytes_ = [np.zeros(lanes, np.uint8) for _ in range(4)]
    return Lead(np.zeros(lanes, np.int32), *bytes_, np.zeros((seats, lanes), np.int32))


@compiled
def start_leads(lead: Lead) -> None:
    """Sets every lane to a game in which nobody has led."""
    lead.leader[:] = NOBODY
    lead.last_leader[:] = NOBODY
    lead.since[:] = 0
    lead.changes[:] = 0
    lead.deficit[:] = 0


@compiled
def follow_leads(lead: Lead, totals: npt.NDArray[np.int32], lanes: int, finished_round: int) -> None:
    """Takes note of the running totals, shape (seats, lanes), at the end of a round (the first is 1)."""
    seats = totals.shape[0]
    best = lead.best
    leader = lead.leader
    last_leader = lead.last_leader
    since = lead.since
    changes = lead.changes
    for lane in range(lanes):
        best[lane] = totals[0, lane]
    for seat in range(1, seats):
        for lane in range(lanes):
            best[lane] = max(best[lane], totals[seat, lane])
    for seat in range(seats):
        for lane in range(lanes):
            lead.deficit[seat, lane] = max(lead.deficit[seat, lane], best[lane] - totals[seat, lane])
    for lane in range(lanes):
        now = np.uint8(NOBODY)
        at_top = 0
        for seat in range(seats):
            if totals[seat, lane] == best[lane]:
                at_top += 1
                now = np.uint8(seat)
        alone = at_top == 1
        now = now if alone else np.uint8(NOBODY)
        changed = alone & (now != last_leader[lane]) & (last_leader[lane] != NOBODY)
        changes[lane] += changed
        since[lane] = since[lane] if now == leader[lane] else np.uint8(finished_round)
        leader[lane] = now
        last_leader[lane] = now if alone else last_leader[lane]


@compiled
def roll_off(seed: np.uint64, deal: np.uint64, tied: int) -> tuple[int, int]:
    """Lets the tied seats, a mask of two or more, roll five dice until one is highest; returns (seat, rounds)."""
    rounds = 0
    while True:
        best = -1
        at_top = 0
        for seat in range(8):
            if tied >> seat & 1:
                word = uniform(
                    seed, deal, np.uint64(seat), np.uint64(rounds), np.uint64(TIEBREAK), np.uint64(0), np.uint64(WORDS)
                )
                rest = int(word)
                total = 0
                for _ in range(5):
                    total += rest % 6 + 1
                    rest //= 6
                if total > best:
                    best = total
                    at_top = 0
                if total == best:
                    at_top |= 1 << seat
        rounds += 1
        tied = at_top
        if tied & (tied - 1) == 0:
            seat = 0
            while tied >> seat != 1:
                seat += 1
            return seat, rounds
