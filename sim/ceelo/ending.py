"""What is written down of each game of Cee-lo when a block of games is over."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sim.ceelo.lanes import (
    BANK_PASSES,
    BANK_ROUNDS,
    BETS,
    BETS_WON,
    INSTANT_LOSSES,
    INSTANT_WINS,
    NONE,
    PUSHES,
    RESULTS_COUNTED,
    Course,
    Lanes,
    Rules,
)
from sim.compiled import inner
from sim.standings import settle


@inner
def end_block(rules: Rules, lanes: Lanes, course: Course, done: int, count: int, played: int) -> None:
    """Writes the games of a block of lanes down, the first as deal `done` of the course, after so many rounds."""
    end = done + count
    seats = lanes.chips.shape[0]
    for lane in range(count):
        if not lanes.over[lane]:
            lanes.rounds[lane] = played
        course.rounds[done + lane] = lanes.rounds[lane]
    settle(
        lanes.lead,
        lanes.chips,
        np.uint64(0),
        np.uint64(0),
        lanes.rounds[:count],
        False,
        course.place[:, done:end],
        course.won[:, done:end],
        course.credit[:, done:end],
        course.tied[:, done:end],
        lanes.turn[:count],
        course.lead_changes[done:end],
        course.decided_turn[done:end],
        course.worst_deficit[done:end],
    )
    for seat in range(seats):
        _copy(lanes.chips[seat], course.score[seat, done:end])
        _copy(lanes.covered[seat], course.covered[seat, done:end])
        _copy(lanes.bank_net[seat], course.bank_net[seat, done:end])
        counts = lanes.counts[seat]
        _unpack(counts, BETS, course.bets[seat, done:end])
        _unpack(counts, BETS_WON, course.bets_won[seat, done:end])
        _unpack(counts, PUSHES, course.pushes[seat, done:end])
        _unpack(counts, BANK_ROUNDS, course.bank_rounds[seat, done:end])
        _unpack(counts, INSTANT_WINS, course.instant_wins[seat, done:end])
        _unpack(counts, INSTANT_LOSSES, course.instant_losses[seat, done:end])
        _unpack(counts, BANK_PASSES, course.bank_passes[seat, done:end])
        for lane in range(count):
            hashed = lanes.hashes[seat, lane]
            course.decisions[seat, done + lane] = (hashed >> np.uint32(16)) ^ (hashed & np.uint32(0xFFFF))
            course.throws[seat, done + lane] = lanes.throws[seat, lane] & np.uint32(0xFFFF)
            course.results[seat, done + lane] = lanes.throws[seat, lane] >> np.uint32(RESULTS_COUNTED)
            # In a pot what is staked are the antes, which are all alike.
            antes = np.int32(course.bets[seat, done + lane]) * rules.ante
            course.staked[seat, done + lane] = antes if rules.bank == NONE else lanes.staked[seat, lane]
            course.survived[seat, done + lane] = min(lanes.survived[seat, lane], lanes.rounds[lane])
    deciders = lanes.tied
    if seats >= 2:
        _copy(deciders[2], course.tied_2[done:end])
    if seats >= 3:
        _copy(deciders[3], course.tied_3[done:end])
    if seats >= 4:
        _copy(deciders[4], course.tied_4[done:end])
    if seats >= 5:
        _copy(deciders[5], course.tied_5[done:end])
    if seats >= 6:
        _copy(deciders[6], course.tied_6[done:end])
    _copy(lanes.decided[1], course.decided_1[done:end])
    _copy(lanes.decided[2], course.decided_2[done:end])
    _copy(lanes.decided[3], course.decided_3[done:end])
    _copy(lanes.decided[4], course.decided_4[done:end])


@inner
def _copy(source: npt.NDArray[Any], target: npt.NDArray[Any]) -> None:
    for lane in range(target.size):
        target[lane] = source[lane]


@inner
def _unpack(counts: npt.NDArray[np.uint64], place: int, target: npt.NDArray[np.uint8]) -> None:
    for lane in range(target.size):
        target[lane] = np.uint8(counts[lane] >> np.uint64(place) & np.uint64(0xFF))
