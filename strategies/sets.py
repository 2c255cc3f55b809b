"""The strategy `sets`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sim.dice import ROLLS, keep_mask
from strategies.lookahead import best_choices
from strategies.strategy import Plan, Sheet, Strategy


@dataclass(frozen=True)
class Sets(Strategy):
    """Keeps the face that shows most often, the higher of equals, and fills the category that pays most.

    Of categories that pay the same it takes the later on the sheet.
    """

    def plan(self, sheet: Sheet) -> Plan:
        """Returns the same keeps for every sheet, and the category that pays most."""
        masks = _build_set_masks()
        keeps = np.broadcast_to(masks, (sheet.ruleset.throws - 1, masks.size))
        return Plan(keeps, best_choices(sheet.scoresheet.points.astype(np.float64), sheet))


@lru_cache(maxsize=1)
def _build_set_masks() -> npt.NDArray[np.uint8]:
    masks: list[int | None] = []
    for dice in ROLLS:
        counts = Counter(dice)
        face = max(counts, key=lambda shown: (counts[shown], shown))
        masks.append(keep_mask(len(masks), [face] * counts[face]))
    return np.array(masks, np.uint8)
