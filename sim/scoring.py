"""What each category pays for each roll."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import permutations

import numpy as np
import numpy.typing as npt

from sim.category import Category, Pattern
from sim.cheerio_ruleset import CheerioRuleset
from sim.dice import DICE, ROLL_INDEX, ROLLS

#: The rolls of five alike, by their face.
FIVE_ALIKE = tuple(ROLL_INDEX[(face,) * DICE] for face in range(1, 7))


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


def joker_points(category: Category, dice: Sequence[int]) -> int:
    """Returns what a category that a joker fits pays for five alike: what it pays where its pattern is met."""
    return category.pays.points + (sum(dice) if category.pays.plus else 0)


def build_points(ruleset: CheerioRuleset, joker: bool = False) -> npt.NDArray[np.int16]:
    """Builds the table of points, shape (categories, 252).

    With `joker` they are those in the joker state, in which five alike fit more categories.
    """
    points = np.array(
        [[category_points(category, roll) for roll in ROLLS] for category in ruleset.categories.values()],
        np.int16,
    )
    if joker and ruleset.joker is not None:
        for index, (key, category) in enumerate(ruleset.categories.items()):
            if key in ruleset.joker.fits:
                points[index, list(FIVE_ALIKE)] = [joker_points(category, ROLLS[roll]) for roll in FIVE_ALIKE]
    return points


def build_legal(
    ruleset: CheerioRuleset, points: npt.NDArray[np.int16], joker: bool = False
) -> npt.NDArray[np.uint32]:
    """Builds, for each roll, the masks of categories to be preferred in turn, shape (levels, 252).

    The first level that has an open category tells what may be filled; where none has, anything open may.
    Under a forced scratch those that pay come first. With `joker`, the joker state, five alike belong first of
    all into the categories that a forced joker asks for; those that pay come first among these.
    """
    everything = np.full(len(ROLLS), (1 << ruleset.turns) - 1, np.uint32)
    levels = [everything]
    if joker and ruleset.joker is not None and ruleset.joker.forced:
        levels = [*_joker_levels(ruleset, everything), everything]
    if ruleset.scratch == "forced":
        bits = (1 << np.arange(ruleset.turns, dtype=np.uint32))[:, None]
        paying = np.where(points > 0, bits, 0).sum(axis=0, dtype=np.uint32)
        levels = [mask for level in levels for mask in (level & paying, level)]
    return np.array(levels)


def _joker_levels(
    ruleset: CheerioRuleset, everything: npt.NDArray[np.uint32]
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """Returns where five alike belong first, in the upper category of their face, and next, in one not upper."""
    of_face, not_upper = everything.copy(), everything.copy()
    categories = list(enumerate(ruleset.categories.values()))
    for roll in FIVE_ALIKE:
        face = ROLLS[roll][0]
        of_face[roll] = sum(1 << i for i, rule in categories if rule.upper and rule.pattern.face == face)
        not_upper[roll] = sum(1 << i for i, rule in categories if not rule.upper)
    return of_face, not_upper
