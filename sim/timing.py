"""How long a turn takes: what its throws and its entry take, and when the sand runs out."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sim.clock import Clocks
from sim.compiled import Integer, inner
from sim.lanes import STOP
from sim.streams import CLOCK, fill_numbers

#: A pace of 1, in thousandths.
USUAL_PACE = 1000


@inner
def time_parts(
    clocks: Clocks,
    seats: npt.NDArray[np.uint8],
    turns: npt.NDArray[np.uint8],
    pace: npt.NDArray[np.int64],
    throws: int,
    seed: np.uint64,
    first_deal: np.uint64,
) -> None:
    """Draws what the parts of every lane's turn take: row 0 the entry, row 1 + k throw k, at the seat's pace."""
    clock, parts, count = clocks.rules, clocks.parts, seats.size
    limits = np.full(parts.shape[0], np.uint64(2 * clock.throw_reach + 1))
    limits[0] = np.uint64(2 * clock.entry_reach + 1)
    for first in range(0, throws + 1, 4):
        block = slice(first, first + 4)
        fill_numbers(seed, first_deal, seats, turns, CLOCK, first // 4, limits[block], parts[block])
    _keep_pace(parts[0, :count], clock.entry_mean - clock.entry_reach, pace, seats)
    for throw in range(throws):
        _keep_pace(parts[1 + throw, :count], clock.throw_mean - clock.throw_reach, pace, seats)
    clocks.elapsed[:count] = parts[1, :count]


@inner
def _keep_pace(
    part: npt.NDArray[np.int32], least: int, pace: npt.NDArray[np.int64], seat: npt.NDArray[np.uint8]
) -> None:
    for lane in range(part.size):
        usual = np.int64(part[lane]) + least
        part[lane] = (usual * pace[np.uint64(seat[lane])] + USUAL_PACE // 2) // USUAL_PACE


@inner
def run_sand(clocks: Clocks, all_masks: npt.NDArray[np.uint8], throw: int, count: int) -> None:
    """Adds the time of the throw that follows a keep; where the sand runs out first, the dice stay as they lie."""
    sand = clocks.rules.sand
    before, masks = all_masks[throw], all_masks[throw + 1]
    elapsed, part = clocks.elapsed, clocks.parts[throw + 2]
    for lane in range(count):
        if before[lane] == STOP or masks[lane] == STOP:
            continue
        after: Integer = elapsed[lane] + part[lane]
        if sand and after > sand:
            masks[lane] = STOP
            after = max(elapsed[lane], np.int32(sand))
        elapsed[lane] = after
