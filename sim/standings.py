"""Who leads at the end of each round, who has won at the end, and how the lead went: for many games at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sim.compiled import Integer, inner
from sim.dice import WORDS
from sim.rolling import roll_until_highest
from sim.streams import TIEBREAK

NOBODY = 255
WIN = 60


class Lead(NamedTuple):
    """How the lead of each lane has gone so far; all of shape (lanes,) but `deficit` of (sides, lanes)."""

    best: npt.NDArray[np.int16]
    at_top: npt.NDArray[np.uint8]
    now: npt.NDArray[np.uint8]
    leader: npt.NDArray[np.uint8]
    last_leader: npt.NDArray[np.uint8]
    since: npt.NDArray[np.uint8]
    changes: npt.NDArray[np.uint8]
    deficit: npt.NDArray[np.int16]


def build_lead(sides: int, lanes: int) -> Lead:
    """Builds the room for the leads of a block of lanes."""
    return Lead(
        best=np.zeros(lanes, np.int16),
        at_top=np.zeros(lanes, np.uint8),
        now=np.zeros(lanes, np.uint8),
        leader=np.zeros(lanes, np.uint8),
        last_leader=np.zeros(lanes, np.uint8),
        since=np.zeros(lanes, np.uint8),
        changes=np.zeros(lanes, np.uint8),
        deficit=np.zeros((sides, lanes), np.int16),
    )


@inner
def start_leads(lead: Lead) -> None:
    """Sets every lane to a game in which nobody has led."""
    lead.leader[:] = NOBODY
    lead.last_leader[:] = NOBODY
    lead.since[:] = 0
    lead.changes[:] = 0
    lead.deficit[:] = 0


@inner
def follow_leads(lead: Lead, totals: npt.NDArray[np.int16], lanes: int, finished_round: int) -> None:
    """Takes note of the running totals, shape (sides, lanes), at the end of a round (the first is 1)."""
    # Short loops over few arrays each, because the compiler turns those into vector code.
    best = lead.best[:lanes]
    best[:] = totals[0, :lanes]
    for side in range(1, lead.deficit.shape[0]):
        _raise_best(best, totals[side])
    lead.at_top[:lanes] = 0
    for side in range(lead.deficit.shape[0]):
        _deepen_deficit(best, totals[side], lead.deficit[side])
        _mark_top(best, totals[side], lead.at_top, lead.now, np.uint8(side))
    _pass_lead(lead.at_top[:lanes], lead.now, lead.last_leader, lead.changes)
    _date_lead(lead.now[:lanes], lead.leader, lead.since, np.uint8(finished_round))


@inner
def _raise_best(best: npt.NDArray[np.int16], totals: npt.NDArray[np.int16]) -> None:
    for lane in range(best.size):
        best[lane] = max(best[lane], totals[lane])


@inner
def _deepen_deficit(
    best: npt.NDArray[np.int16], totals: npt.NDArray[np.int16], deficit: npt.NDArray[np.int16]
) -> None:
    for lane in range(best.size):
        deficit[lane] = max(deficit[lane], np.int16(best[lane] - totals[lane]))


@inner
def _mark_top(
    best: npt.NDArray[np.int16],
    totals: npt.NDArray[np.int16],
    at_top: npt.NDArray[np.uint8],
    now: npt.NDArray[np.uint8],
    side: np.uint8,
) -> None:
    for lane in range(best.size):
        top = totals[lane] == best[lane]
        at_top[lane] += np.uint8(top)
        now[lane] = side if top else now[lane]


@inner
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


@inner
def _date_lead(
    now: npt.NDArray[np.uint8],
    leader: npt.NDArray[np.uint8],
    since: npt.NDArray[np.uint8],
    finished_round: np.uint8,
) -> None:
    for lane in range(now.size):
        since[lane] = since[lane] if now[lane] == leader[lane] else finished_round
        leader[lane] = now[lane]


@inner
def settle(
    lead: Lead,
    totals: npt.NDArray[np.int16],
    seed: np.uint64,
    first_deal: np.uint64,
    rounds: npt.NDArray[np.uint8],
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
    """Writes who won each game and how, after its rounds; arrays by side are of shape (sides, lanes)."""
    lanes = rounds.size
    sides = lead.deficit.shape[0]
    if sides == 1:
        place[:] = 1
        return
    winner = lead.leader
    lead_changes[:] = lead.changes[:lanes]
    for lane in range(lanes):
        decided_turn[lane] = lead.since[lane] if winner[lane] != NOBODY else np.uint8(rounds[lane] + 1)
    if rolls_off:
        for lane in range(lanes):
            if lead.at_top[lane] > 1:
                top: Integer = 0
                for side in range(sides):
                    top |= np.int64(totals[side, lane] == lead.best[lane]) << side
                deal = first_deal + np.uint64(lane)
                winner[lane], tiebreak_rounds[lane] = roll_until_highest(seed, deal, top, TIEBREAK, WORDS)
    for side in range(sides):
        _settle_side(
            lead, totals, lanes, side, place[side], won[side], credit[side], tied[side], worst_deficit
        )


@inner
def _settle_side(
    lead: Lead,
    totals: npt.NDArray[np.int16],
    lanes: int,
    side: int,
    place: npt.NDArray[np.uint8],
    won: npt.NDArray[np.bool_],
    credit: npt.NDArray[np.uint8],
    tied: npt.NDArray[np.bool_],
    worst_deficit: npt.NDArray[np.int16],
) -> None:
    own = totals[side]
    winner = lead.leader
    place[:] = 1
    for other in range(lead.deficit.shape[0]):
        if other != side:
            _lower_place(own[:lanes], totals[other], place)
    for lane in range(lanes):
        tied[lane] = (own[lane] == lead.best[lane]) & (lead.at_top[lane] > 1)
    for lane in range(lanes):
        won[lane] = winner[lane] == side
        place[lane] += np.uint8(tied[lane] & (winner[lane] != NOBODY) & (winner[lane] != side))
    for lane in range(lanes):
        shared = tied[lane] & (winner[lane] == NOBODY)
        credit[lane] = WIN if won[lane] else (WIN // lead.at_top[lane] if shared else 0)
    for lane in range(lanes):
        worst_deficit[lane] += lead.deficit[side, lane] * np.int16(won[lane])


@inner
def _lower_place(
    own: npt.NDArray[np.int16], totals: npt.NDArray[np.int16], place: npt.NDArray[np.uint8]
) -> None:
    for lane in range(own.size):
        place[lane] += np.uint8(totals[lane] > own[lane])
