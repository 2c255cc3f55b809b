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
def note_losses(decisions: Decisions, lanes: Lanes, row: int, count: int, throw: int) -> None:
    """Adds what each lane's next decision gives away: the keep after a throw, unless the turn is over, or the LAST."""
    luck, lost, places = decisions.luck, lanes.lost[row], lanes.place
    if throw != LAST:
        _add_kept(decisions, lanes, row, count, lanes.masks[throw])
    elif not decisions.any_mixed:
        for lane in range(count):
            lost[lane] += luck.losses[np.uint64(places[lane])]
    else:
        for lane in range(count):
            lost[lane] += _loss(decisions, lanes, lane)


@inner
def _add_kept(
    decisions: Decisions, lanes: Lanes, row: int, count: int, before: npt.NDArray[np.uint8]
) -> None:
    luck, lost, places = decisions.luck, lanes.lost[row], lanes.place
    if not decisions.any_mixed:
        for lane in range(count):
            loss = luck.losses[np.uint64(places[lane])]
            lost[lane] += loss * np.int32(before[lane] != STOP)
    else:
        for lane in range(count):
            if before[lane] != STOP:
                lost[lane] += _loss(decisions, lanes, lane)


@inner
def _loss(decisions: Decisions, lanes: Lanes, lane: int) -> Integer:
    place = np.uint64(lanes.place[lane])
    if decisions.mixed[np.uint64(lanes.seat[lane])]:
        return decisions.luck.mixed_losses[place]
    return decisions.luck.losses[place]


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
