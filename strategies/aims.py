"""Aims: what pursuing each single category from a roll is worth, and the keeps that serve one aim or two."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sim.dice import DICE, ROLL_MASKS, ROLLS
from sim.ruleset import Ruleset
from sim.worth import build_aim_values, build_aim_worth, build_roll_keeps
from strategies.lookahead import TIE

#: All masks of five dice, the most dice first, as equal keeps are preferred.
MASKS: npt.NDArray[np.uint8] = np.array(
    sorted(range(1 << DICE), key=lambda mask: (mask.bit_count(), mask), reverse=True), np.uint8
)
_ROLLS = np.arange(len(ROLLS))


class Aims(NamedTuple):
    """What single aims are worth after each throw that leaves a keep.

    `kept[t, roll, place, category]` is the mean when MASKS[place] is kept, minus infinity for a mask that isn't
    the one of its keep; `best[t, roll, category]` the mean of the best keep and `masks[t, roll, category]` that
    keep; `usual[category]` the mean of a whole turn.
    """

    kept: npt.NDArray[np.float64]
    best: npt.NDArray[np.float64]
    masks: npt.NDArray[np.uint8]
    usual: npt.NDArray[np.float64]


@lru_cache(maxsize=64)
def build_aims(ruleset: Ruleset) -> Aims:
    """Builds the aims of a ruleset."""
    values = build_aim_values(ruleset)
    distinct = np.array([[mask in ROLL_MASKS[roll] for mask in MASKS.tolist()] for roll in _ROLLS.tolist()])
    # After throw t there are throws - 1 - t still to come, and values[left - 1] counts those after the next one.
    following = values[: ruleset.throws - 1][::-1]
    kept = np.where(distinct[None, :, :, None], following[:, build_roll_keeps()[:, MASKS]], -np.inf)
    return Aims(kept, kept.max(axis=2), MASKS[first_best(kept, axis=2)], build_aim_worth(ruleset))


def first_best(values: npt.NDArray[np.float64], axis: int) -> npt.NDArray[np.intp]:
    """Returns the first place along an axis whose value is the highest, or within rounding of it."""
    return np.asarray((values >= values.max(axis=axis, keepdims=True) - TIE).argmax(axis=axis))


def best_aims(net: npt.NDArray[np.float64], open_indices: tuple[int, ...]) -> npt.NDArray[np.intp]:
    """Returns for each entry of net, shape (..., categories), the best open category, the later of equals."""
    later_first = np.array(open_indices[::-1])
    return later_first[first_best(net[..., later_first], axis=-1)]


def masks_for_two(
    aims: Aims, throw: int, first: npt.NDArray[np.intp], second: npt.NDArray[np.intp]
) -> npt.NDArray[np.uint8]:
    """Returns for each roll the mask with the highest mean of two aims' values, given the aims by roll."""
    kept = aims.kept[throw]
    return MASKS[first_best(kept[_ROLLS, :, first] + kept[_ROLLS, :, second], axis=1)]
