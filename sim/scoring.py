"""What each category pays for each roll."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import permutations

import numpy as np
import numpy.typing as npt

from sim.dice import ROLLS
from sim.ruleset import Category, Pattern, Ruleset


def category_points(category: Category, dice: Sequence[int]) -> int:
    """Returns what a category pays for five dice, in any order; 0 where they do not fit."""
    matched = matched_sum(category.pattern, dice)
    if matched is None:
        return 0
    plus = {None: 0, "all dice": sum(dice), "matched dice": matched}[category.pays.plus]
    # Ones ... Sixes fit every roll by their wording, but a roll without the face is a zero like any other.
    if category.pattern.face is not None and matched == 0:
        return 0
    return category.pays.points + plus


def matched_sum(pattern: Pattern, dice: Sequence[int]) -> int | None:
    """Returns the highest sum of dice that meet the pattern, or None where no dice do."""
    counts = Counter(dice)
    if pattern.face is not None:
        return pattern.face * counts[pattern.face]
    if pattern.alike is not None:
        return max((pattern.alike * face for face in counts if counts[face] >= pattern.alike), default=None)
    if pattern.groups is not None:
        return _groups_sum(pattern.groups, counts, pattern.five_alike)
    if pattern.faces is not None:
        return sum(dice) if sorted(dice) == sorted(pattern.faces) else None
    if pattern.run is not None:
        runs = [range(low, low + pattern.run) for low in range(1, 8 - pattern.run)]
        return max((sum(run) for run in runs if all(counts[face] for face in run)), default=None)
    return sum(dice)


def _groups_sum(groups: tuple[int, ...], counts: Counter[int], five_alike: bool) -> int | None:
    sums = [
        sum(size * face for size, face in zip(groups, faces, strict=True))
        for faces in permutations(counts, len(groups))
        if all(counts[face] >= size for size, face in zip(groups, faces, strict=True))
    ]
    if five_alike and len(counts) == 1:
        sums.append(sum(groups) * next(iter(counts)))
    return max(sums, default=None)


def build_points(ruleset: Ruleset) -> npt.NDArray[np.int16]:
    """Builds the table of points, shape (categories, 252)."""
    return np.array(
        [[category_points(category, roll) for roll in ROLLS] for category in ruleset.categories.values()],
        np.int16,
    )


def build_legal(ruleset: Ruleset, points: npt.NDArray[np.int16]) -> npt.NDArray[np.uint32]:
    """Builds, for each roll, the mask of categories to be preferred while one of them is open, shape (252,).

    All bits are set where a scratch is free; under a forced scratch only the categories that pay.
    """
    everything = (1 << ruleset.turns) - 1
    if ruleset.scratch == "free":
        return np.full(len(ROLLS), everything, np.uint32)
    bits = (1 << np.arange(ruleset.turns, dtype=np.uint32))[:, None]
    legal: npt.NDArray[np.uint32] = np.where(points > 0, bits, 0).sum(axis=0, dtype=np.uint32)
    return legal
