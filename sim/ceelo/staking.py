"""What each bettor sees at the start of a round, as one number, and the stake that it wants."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sim.ceelo.lanes import LACKING, Lanes, Rules, StakeTables
from sim.ceelo.views import LEAD_STEPS, MOST_STREAK
from sim.compiled import Integer, inner
from sim.contexts import probed

_CHIPS, _BANK, _ROUNDS_LEFT, _ORDER, _RANK, _LEAD, _LAST_STAKE, _STREAK = range(8)


@inner
def want_stakes(rules: Rules, stakes: StakeTables, lanes: Lanes, played: int, count: int) -> int:
    """Writes the stake that each seat wants in a round; returns how many contexts have none yet."""
    missing = 0
    for seat in range(stakes.base.size):
        strides = stakes.strides[seat]
        if strides.any():
            _see(rules, strides, lanes, seat, played, count)
            missing = _look_up(stakes, lanes, seat, count, missing)
        elif played == 0 or lanes.wanted[seat, 0] == LACKING:
            # What hangs on nothing is looked up once; not before somebody is to stake it.
            lanes.context[:count] = 0
            missing = _look_up(stakes, lanes, seat, count, missing)
    return missing


@inner
def _look_up(stakes: StakeTables, lanes: Lanes, seat: int, count: int, missing: int) -> int:
    wanted, chips, context = lanes.wanted[seat], lanes.chips[seat], lanes.context
    base, direct = stakes.base[seat], stakes.direct[seat]
    for lane in range(count):
        # Who has no chips, holds the bank, or has ended the game is asked nothing.
        if direct:
            stake = np.int16(stakes.stake_of[base + context[lane]])
        else:
            stake = np.int16(probed(stakes.keys, stakes.key_stakes, base + context[lane]))
        if stake == LACKING and chips[lane] > 0 and lanes.holder[lane] != seat and not lanes.over[lane]:
            lanes.missing[missing] = context[lane]
            lanes.missing_seat[missing] = seat
            missing += 1
        wanted[lane] = stake
    return missing


@inner
def _see(
    rules: Rules, strides: npt.NDArray[np.uint64], lanes: Lanes, seat: int, played: int, count: int
) -> None:
    """Adds up the context of a seat from the views that it sees; sim.ceelo.views says what each shows."""
    context = lanes.context[:count]
    seats = lanes.chips.shape[0]
    holder = lanes.holder
    context[:] = 0
    if strides[_CHIPS]:
        _add(context, lanes.chips[seat], strides[_CHIPS], 0)
    if strides[_BANK]:
        for lane in range(count):
            context[lane] += np.uint64(lanes.chips[holder[lane], lane]) * strides[_BANK]
    if strides[_ROUNDS_LEFT]:
        _see_rounds_left(rules, strides[_ROUNDS_LEFT], lanes, seats, played, count)
    if strides[_ORDER]:
        for lane in range(count):
            away = seat - np.int64(holder[lane])
            context[lane] += np.uint64(away + seats if away < 0 else away) * strides[_ORDER]
    if strides[_RANK]:
        _see_rank(strides[_RANK], lanes, seats, seat, count)
    if strides[_LEAD]:
        _see_lead(rules, strides[_LEAD], lanes, seats, seat, count)
    if strides[_LAST_STAKE]:
        _add(context, lanes.last_stake[seat], strides[_LAST_STAKE], 0)
    if strides[_STREAK]:
        _add(context, lanes.streak[seat], strides[_STREAK], MOST_STREAK)


@inner
def _add(context: npt.NDArray[np.uint64], values: npt.NDArray[Any], stride: np.uint64, shift: int) -> None:
    for lane in range(context.size):
        context[lane] += np.uint64(np.int64(values[lane]) + shift) * stride


@inner
def _see_rounds_left(
    rules: Rules, stride: np.uint64, lanes: Lanes, seats: int, played: int, count: int
) -> None:
    left = rules.most_rounds - played
    for lane in range(count):
        rounds: Integer = left
        if rules.most_throws:
            # A round of all seats takes 2 + 5/3 for each bettor throws on average.
            throws = 3 * (rules.most_throws - np.int64(lanes.all_throws[lane]))
            usual = 6 + 5 * (seats - 1)
            rounds = min(left, max(1, (throws + usual - 1) // usual))
        lanes.context[lane] += np.uint64(rounds) * stride


@inner
def _see_rank(stride: np.uint64, lanes: Lanes, seats: int, seat: int, count: int) -> None:
    own = lanes.chips[seat]
    rank = lanes.best
    rank[:count] = 1
    for other in range(seats):
        chips = lanes.chips[other]
        for lane in range(count):
            rank[lane] += np.int16(chips[lane] > own[lane])
    _add(lanes.context[:count], rank, stride, 0)


@inner
def _see_lead(rules: Rules, stride: np.uint64, lanes: Lanes, seats: int, seat: int, count: int) -> None:
    own = lanes.chips[seat]
    best = lanes.best
    best[:count] = -1
    for other in range(seats):
        if other != seat:
            chips = lanes.chips[other]
            for lane in range(count):
                best[lane] = max(best[lane], chips[lane])
    for lane in range(count):
        lead = np.int64(own[lane]) - np.int64(best[lane])
        ahead = abs(lead)
        step = np.int64(ahead > 0) + np.int64(ahead > rules.near) + np.int64(ahead > rules.far)
        lanes.context[lane] += np.uint64(LEAD_STEPS + (step if lead > 0 else -step)) * stride
