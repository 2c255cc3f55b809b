"""Aims: what pursuing each single category from a roll is worth, and the keeps that serve one aim or two."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sim.compiled import compiled
from sim.dice import DICE, ROLL_KEEPS, ROLL_MASKS, ROLLS
from sim.worth import build_aim_values, build_aim_worth
from strategies.lookahead import TIE
from strategies.strategy import Scoresheet

Places = npt.NDArray[np.intp]
#: All masks of five dice, the most dice first, as equal keeps are preferred.
MASKS: npt.NDArray[np.uint8] = np.array(
    sorted(range(1 << DICE), key=lambda mask: (mask.bit_count(), mask), reverse=True), np.uint8
)


class Aims(NamedTuple):
    """What single aims are worth after each throw that leaves a keep.

    `kept[t, roll, place, category]` is the mean when MASKS[place] is kept, minus infinity for a mask that
    isn't the one of its keep; `masks[t, roll, category]` is the keep with the highest mean and
    `net[t, roll, category]` that mean less the usual worth; `usual[category]` is the mean of a whole turn, and
    `worths[category, roll]` what an entry pays above it. `throws` and `rolls` index arrays of shape (throws - 1, 252).
    """

    kept: npt.NDArray[np.float64]
    masks: npt.NDArray[np.uint8]
    net: npt.NDArray[np.float64]
    usual: npt.NDArray[np.float64]
    worths: npt.NDArray[np.float64]
    throws: Places
    rolls: Places


@lru_cache(maxsize=64)
def build_aims(scoresheet: Scoresheet) -> Aims:
    """Builds the aims of a scoresheet; where that has a joker, five alike fit more categories."""
    ruleset = scoresheet.ruleset
    values = build_aim_values(ruleset, scoresheet.has_joker)
    distinct = np.array([[mask in ROLL_MASKS[roll] for mask in MASKS.tolist()] for roll in range(len(ROLLS))])
    # After throw t there are left = throws - 1 - t to come; values[left - 1] is the mean with that many.
    following = values[: ruleset.throws - 1][::-1]
    kept = np.where(distinct[None, :, :, None], following[:, ROLL_KEEPS[:, MASKS]], -np.inf)
    usual = build_aim_worth(ruleset)
    masks = MASKS[first_best(kept, axis=2)]
    grid = np.indices(masks.shape[:2])
    worths = scoresheet.points - usual[:, None]
    return Aims(kept, masks, kept.max(axis=2) - usual, usual, worths, grid[0], grid[1])


def first_best(values: npt.NDArray[np.float64], axis: int) -> Places:
    """Returns the first place along an axis whose value is the highest, or within rounding of it."""
    return np.asarray((values >= values.max(axis=axis, keepdims=True) - TIE).argmax(axis=axis))


def two_best_aims(aims: Aims, open_indices: tuple[int, ...]) -> tuple[Places, Places]:
    """Returns the open categories that promise most and next to most, shapes (throws - 1, 252).

    A category promises its best mean less its usual worth; of equals the later comes first. Where only one is
    open, it is both.
    """
    first = np.empty(aims.net.shape[:2], np.intp)
    second = np.empty(aims.net.shape[:2], np.intp)
    _fill_two_best(aims.net, np.array(open_indices, np.intp), first, second)
    return first, second


@compiled
def _fill_two_best(net: npt.NDArray[np.float64], open_indices: Places, first: Places, second: Places) -> None:
    for throw in range(net.shape[0]):
        for roll in range(net.shape[1]):
            best = next_best = -np.inf
            leader = follower = open_indices[0]
            for category in open_indices:
                value = net[throw, roll, category]
                if value > best - TIE:
                    next_best, follower = best, leader
                    best, leader = value, category
                elif value > next_best - TIE:
                    next_best, follower = value, category
            first[throw, roll] = leader
            second[throw, roll] = follower


@lru_cache(maxsize=64)
def build_pair_masks(scoresheet: Scoresheet) -> npt.NDArray[np.uint8]:
    """Builds the keeps with the highest mean of two aims' values.

    Shape (throws - 1, 252, categories, categories).
    """
    kept = build_aims(scoresheet).kept
    pairs = [first_best(kept + kept[..., [aim]], axis=2) for aim in range(kept.shape[-1])]
    return MASKS[np.stack(pairs, axis=-1)]
