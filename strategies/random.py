"""The strategy `random`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sim.dice import ROLL_MASKS, ROLLS
from sim.views import masked_categories
from strategies.strategy import Plan, Sheet, Strategy, allowed_masks

_ALIKE = np.zeros(len(ROLLS), np.intp)


@dataclass(frozen=True)
class Random(Strategy):
    """Keeps any dice and fills any open category: each different keep and each category is equally likely."""

    sees = ("open", "coin")

    def plan(self, sheet: Sheet) -> Plan:
        """Returns a plan that mixes every keep of each roll, and every category that may be filled."""
        places, keep_options = _build_keep_groups(sheet.ruleset.throws)
        allowed = allowed_masks(sheet)
        if (allowed == allowed[0]).all():
            return Plan(places, _ALIKE, keep_options, [masked_categories(int(allowed[0]))])
        distinct, choices = np.unique(allowed, return_inverse=True)
        choice_options = [masked_categories(mask) for mask in distinct.tolist()]
        return Plan(places, choices, keep_options, choice_options)


@lru_cache(maxsize=8)
def _build_keep_groups(throws: int) -> tuple[npt.NDArray[np.intp], tuple[tuple[int, ...], ...]]:
    groups: dict[tuple[int, ...], int] = {}
    places = [groups.setdefault(masks, len(groups)) for masks in ROLL_MASKS]
    return np.array([places] * (throws - 1), np.intp).reshape(throws - 1, len(ROLLS)), tuple(groups)
