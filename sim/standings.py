"""Who leads at the end of each round, who has won at the end, and how the lead went: for many games at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sim.compiled import Integer, compiled
from sim.dice import WORDS
from sim.rolling import roll_until_highest
from sim.streams import TIEBREAK

NOBODY = 255
WIN = 60


class Lead(NamedTuple):
    """How the lead of each lane has gone so far; all of shape (lanes,) but `deficit` of (seats, lanes)."""

    best: npt.NDArray[np.int16]
    at_top: npt.NDArray[np.uint8]
    now: npt.NDArray[np.uint8]
    leader: npt.NDArray[np.uint8]
    last_leader: npt.NDArray[np.uint8]
    since: npt.NDArray[np.uint8]
    changes: npt.NDArray[np.uint8]
    deficit: npt.NDArray[np.int16]


def build_lead(seats: int, lanes: int) -> Lead:
    """Builds the room for the leads of a block of lanes."""
    return Lead(
        best=np.zeros(lanes, np.int16),
        at_top=np.zeros(lanes, np.uint8),
        now=np.zeros(lanes, np.uint8),
        leader=np.zeros(lanes, np.uint8),
        last_leader=np.zeros(lanes, np.uint8),
        since=np.zeros(lanes, np.uint8),
        changes=np.zeros(lanes, np.uint8),
        deficit=np.zeros((seats, lanes), np.int16),
    )


@compiled
def start_leads(lead: Lead) -> None:
    """Sets every lane to a game in which nobody has led."""
    lead.leader[:] = NOBODY
    lead.last_leader[:] = NOBODY
    lead.since[:] = 0
    lead.changes[:] = 0
    lead.deficit[:] = 0


@compiled
def follow_leads(lead: Lead, totals: npt.NDArray[np.int16], lanes: int, finished_round: int) -> None:
    """Takes note of the running totals, shape (seats, lanes), at the end of a round (the first is 1)."""
    # Short loops over few arrays each, because the compiler turns those into vector code.
    best = lead.best[:lanes]
    best[:] = totals[0, :lanes]
    for seat in range(1, totals.shape[0]):
        _raise_best(best, totals[seat])
    lead.at_top[:lanes] = 0
    for seat in range(totals.shape[0]):
        _deepen_deficit(best, totals[seat], lead.deficit[seat])
        _mark_top(best, totals[seat], lead.at_top, lead.now, np.uint8(seat))
    _pass_lead(lead.at_top[:lanes], lead.now, lead.last_leader, lead.changes)
    _date_lead(lead.now[:lanes], lead.leader, lead.since, np.uint8(finished_round))


@compiled
def _raise_best(best: npt.NDArray[np.int16], totals: npt.NDArray[np.int16]) -> None:
    for lane in range(best.size):
        best[lane] = max(best[lane], totals[lane])


@compiled
def _deepen_deficit(
    best: npt.NDArray[np.int16], totals: npt.NDArray[np.int16], deficit: npt.NDArray[np.int16]
) -> None:
    for lane in range(best.size):
        deficit[lane] = max(deficit[lane], np.int16(best[lane] - totals[lane]))


@compiled
def _mark_top(
    best: npt.NDArray[np.int16],
    totals: npt.NDArray[np.int16],
    at_top: npt.NDArray[np.uint8],
    now: npt.NDArray[np.uint8],
    seat: np.uint8,
) -> None:
    for lane in range(best.size):
        top = totals[lane] == best[lane]
        at_top[lane] += np.uint8(top)
        now[lane] = seat if top else now[lane]


@compiled
def _pass_lead(
    at_top: npt.NDArray[np.uint8],
    now: npt.NDArray[np.uint8],
    last_leader: npt.NDArray[np.uint8],
    changes: npt.NDArray[np.uint8],
) -> None:
    for lane in range(at_top.size):
        alone = now[lane] if at_top[lane] == 1 else np.uint8(NOBODY)
        last = last_leader[lane]
        led = alone != NOBODY
        changes[lane] += np.uint8(led & (last != NOBODY) & (alone != last))
        last_leader[lane] = alone if led else last
        now[lane] = alone


@compiled
def _date_lead(
    now: npt.NDArray[np.uint8],
    leader: npt.NDArray[np.uint8],
    since: npt.NDArray[np.uint8],
    finished_round: np.uint8,
) -> None:
    for lane in range(now.size):
        since[lane] = since[lane] if now[lane] == leader[lane] else finished_round
        leader[lane] = now[lane]


@compiled
def settle(
    lead: Lead,
    totals: npt.NDArray[np.int16],
    seed: np.uint64,
    first_deal: np.uint64,
    lanes: int,
    turns: int,
    rolls_off: bool,
    place: npt.NDArray[np.uint8],
    won: npt.NDArray[np.bool_],
    credit: npt.NDArray[np.uint8],
    tied: npt.NDArray[np.bool_],
    tiebreak_rounds: npt.NDArray[np.uint8],
    lead_changes: npt.NDArray[np.uint8],
    decided_turn: npt.NDArray[np.uint8],
    worst_deficit: npt.NDArray[np.int16],
) -> None:
    """Writes who won each game and how, after the last round; arrays by seat are of shape (seats, lanes)."""
    seats = totals.shape[0]
    if seats == 1:
        place[:] = 1
        return
    winner = lead.leader
    lead_changes[:] = lead.changes[:lanes]
    for lane in range(lanes):
        decided_turn[lane] = lead.since[lane] if winner[lane] != NOBODY else np.uint8(turns + 1)
    if rolls_off:
        for lane in range(lanes):
            if lead.at_top[lane] > 1:
                top: Integer = 0
                for seat in range(seats):
                    top |= np.int64(totals[seat, lane] == lead.best[lane]) << seat
                deal = first_deal + np.uint64(lane)
                winner[lane], tiebreak_rounds[lane] = roll_until_highest(seed, deal, top, TIEBREAK, WORDS)
    for seat in range(seats):
        _settle_seat(
            lead, totals, lanes, seat, place[seat], won[seat], credit[seat], tied[seat], worst_deficit
        )


@compiled
def _settle_seat(
    lead: Lead,
    totals: npt.NDArray[np.int16],
    lanes: int,
    seat: int,
    place: npt.NDArray[np.uint8],
    won: npt.NDArray[np.bool_],
    credit: npt.NDArray[np.uint8],
    tied: npt.NDArray[np.bool_],
    worst_deficit: npt.NDArray[np.int16],
) -> None:
    own = totals[seat]
    winner = lead.leader
    place[:] = 1
    for other in range(totals.shape[0]):
        if other != seat:
            _lower_place(own[:lanes], totals[other], place)
    for lane in range(lanes):
        tied[lane] = (own[lane] == lead.best[lane]) & (lead.at_top[lane] > 1)
    for lane in range(lanes):
        won[lane] = winner[lane] == seat
        place[lane] += np.uint8(tied[lane] & (winner[lane] != NOBODY) & (winner[lane] != seat))
    for lane in range(lanes):
        shared = tied[lane] & (winner[lane] == NOBODY)
        credit[lane] = WIN if won[lane] else (WIN // lead.at_top[lane] if shared else 0)
    for lane in range(lanes):
        worst_deficit[lane] += lead.deficit[seat, lane] * np.int16(won[lane])


@compiled
def _lower_place(
    own: npt.NDArray[np.int16], totals: npt.NDArray[np.int16], place: npt.NDArray[np.uint8]
) -> None:
    for lane in range(own.size):
        place[lane] += np.uint8(totals[lane] > own[lane])
