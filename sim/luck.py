"""Luck in the kernel: what the dice, and a mixing strategy's coins, have brought a side beyond what was to be expected.

The value of a sheet plus the points on it changes by what the dice bring and by what decisions give away, and by
nothing else. So luck is what a side comes to, less the value of its empty sheet, plus all that it has given away. Its
mean is zero whatever is decided, so that it can be taken off a score: the advantage sum of Zinkevich, Bowling, Bard,
Kan and Billings ("Optimal unbiased estimators for evaluating agent performance", AAAI 2006).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sim.compiled import Integer, inner
from sim.lanes import LUCK_UNITS, STOP, Decisions, Lanes, Luck

#: In place of the number of a throw: the choice of a category, which every turn comes to.
LAST = -1
THOUSAND = 1000


@inner
def shared_losses(decisions: Decisions, lanes: Lanes) -> npt.NDArray[np.int32]:
    """Returns the losses that all lanes read at the places of their decisions, so that they may be fetched ahead.

    Nothing where luck is not kept or no losses are held, and where lanes read from several arrays.
    """
    luck, nothing = decisions.luck, decisions.luck.losses[:0]
    if decisions.in_order:
        return nothing if decisions.any_mixed or luck.any_faultless or not luck.kept else luck.losses
    # But in the order of play all lanes of a step work on the same seat.
    seat = np.uint64(lanes.seat[0])
    if not luck.kept or luck.faultless[seat]:
        return nothing
    return luck.mixed_losses if decisions.mixed[seat] else luck.losses


@inner
def note_losses(decisions: Decisions, lanes: Lanes, row: int, count: int, throw: int) -> None:
    """Adds what each lane's next decision gives away: the keep after a throw, unless the turn is over, or the LAST."""
    lost, places, losses = lanes.lost[row], lanes.place, shared_losses(decisions, lanes)
    before = lanes.masks[max(throw, 0)]
    if losses.size and throw == LAST:
        for lane in range(count):
            lost[lane] += losses[np.uint64(places[lane])]
    elif losses.size:
        for lane in range(count):
            lost[lane] += losses[np.uint64(places[lane])] * np.int32(before[lane] != STOP)
    elif decisions.in_order:
        for lane in range(count):
            if throw == LAST or before[lane] != STOP:
                lost[lane] += _loss(decisions, lanes, lane)


@inner
def _loss(decisions: Decisions, lanes: Lanes, lane: int) -> Integer:
    luck, place, seat = decisions.luck, np.uint64(lanes.place[lane]), np.uint64(lanes.seat[lane])
    if luck.faultless[seat]:
        return np.int32(0)
    return luck.mixed_losses[place] if decisions.mixed[seat] else luck.losses[place]


@inner
def settle_luck(
    luck: Luck,
    seat: int,
    points: npt.NDArray[np.int16],
    totals: npt.NDArray[np.int16],
    jokers: npt.NDArray[np.uint8],
    lost: npt.NDArray[np.int64],
    thousandths: npt.NDArray[np.int32],
) -> None:
    """Writes down the luck of a side, given its first seat, in thousandths of a point; halves are rounded up."""
    counted = totals if luck.bonus[seat] else points
    for lane in range(thousandths.size):
        gained = np.int64(counted[lane]) - luck.uncounted[seat] * np.int64(jokers[lane])
        units = gained * LUCK_UNITS - luck.start[seat] + lost[lane]
        thousandths[lane] = (units * THOUSAND + LUCK_UNITS // 2) // LUCK_UNITS
