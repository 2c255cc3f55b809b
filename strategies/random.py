"""The strategy `random`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sim.dice import ROLL_MASKS
from sim.views import masked_categories
from strategies.strategy import Plan, Sheet, Strategy, allowed_masks


@dataclass(frozen=True)
class Random(Strategy):
    """Keeps any dice and fills any open category: each different keep and each category is equally likely."""

    sees = ("open", "coin")

    def plan(self, sheet: Sheet) -> Plan:
        """Returns a plan that mixes every keep of each roll, and every category that may be filled."""
        places, keep_options = _build_keep_groups()
        throws = sheet.ruleset.throws
        allowed = allowed_masks(sheet)
        distinct, choices = np.unique(allowed, return_inverse=True)
        choice_options = [masked_categories(mask) for mask in distinct.tolist()]
        return Plan(np.broadcast_to(places, (throws - 1, places.size)), choices, keep_options, choice_options)


@lru_cache(maxsize=1)
def _build_keep_groups() -> tuple[npt.NDArray[np.intp], tuple[tuple[int, ...], ...]]:
    groups: dict[tuple[int, ...], int] = {}
    places = [groups.setdefault(masks, len(groups)) for masks in ROLL_MASKS]
    return np.array(places), tuple(groups)
