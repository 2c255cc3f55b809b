"""Holds the plan of a turn against the rules, and makes one plan of many single decisions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from sim.cheerio_ruleset import MOST_CATEGORIES
from sim.compiled import compiled
from sim.dice import CANONICAL_MASKS, DICE, ROLLS
from strategies.strategy import Plan, Sheet, StrategyError, allowed_masks, legal_mask

#: The most equally likely options that one decision may mix.
MOST_OPTIONS = 63

Options = tuple[int, ...]
Places = npt.NDArray[Any]
_ROLLS = np.arange(len(ROLLS))


def plan_options(place: int, options: Sequence[Sequence[int]] | None) -> Options:
    """Returns what a place of a plan stands for: itself, or its equally likely options where the plan mixes."""
    return (int(place),) if options is None else tuple(options[place])


def checked_plan(plan: Any, sheet: Sheet, mixes: bool) -> Plan:
    """Returns a legal plan with every mask the one of its keep; raises StrategyError for the first fault.

    `mixes` tells whether the strategy declares a coin.
    """
    if not isinstance(plan, Plan):
        raise StrategyError(f"returns {type(plan).__name__}; a Plan is needed")
    keeps, choices = np.asarray(plan.keeps), np.asarray(plan.choices)
    throws = sheet.ruleset.throws
    if keeps.shape != (throws - 1, len(ROLLS)) or choices.shape != (len(ROLLS),):
        raise StrategyError(
            f"has keeps of shape {keeps.shape} and choices of {choices.shape}; "
            f"needed are ({throws - 1}, {len(ROLLS)}) and ({len(ROLLS)},)"
        )
    for name, places in (("keeps", keeps), ("choices", choices)):
        if places.dtype.kind not in "iu":
            raise StrategyError(f"has {name} of type {places.dtype}; integers are needed")
    if plan.keep_options is not None or plan.choice_options is not None:
        if not mixes:
            raise StrategyError("mixes options; add 'coin' to sees")
        return _checked_mix(plan, keeps, choices, sheet)
    held, filled = np.empty(keeps.shape, np.uint8), np.empty(choices.shape, np.uint8)
    masks, categories = (np.ascontiguousarray(places, np.int64) for places in (keeps, choices))
    if not _hold_plan(masks, categories, CANONICAL_MASKS, allowed_masks(sheet), held, filled):
        _check_range("keeps mask", keeps, 1 << DICE)
        _check_range("fills category", choices, len(sheet.categories))
        wrong = int(np.flatnonzero(allowed_masks(sheet) >> choices.astype(np.uint32) & 1 == 0)[0])
        check_choice(sheet, wrong, int(choices[wrong]))
    return Plan(held, filled)


@compiled
def _hold_plan(
    masks: npt.NDArray[np.int64],
    categories: npt.NDArray[np.int64],
    canonical: npt.NDArray[np.uint8],
    allowed: npt.NDArray[np.uint32],
    held: npt.NDArray[np.uint8],
    filled: npt.NDArray[np.uint8],
) -> bool:
    """Writes down a plan, every mask the one of its keep; returns False where anything is illegal."""
    for roll in range(categories.size):
        category = categories[roll]
        if (
            category < 0
            or category >= MOST_CATEGORIES
            or not allowed[roll] >> np.uint32(category) & np.uint32(1)
        ):
            return False
        filled[roll] = category
    for throw in range(masks.shape[0]):
        for roll in range(masks.shape[1]):
            mask = masks[throw, roll]
            if mask < 0 or mask >= canonical.shape[1]:
                return False
            held[throw, roll] = canonical[roll, mask]
    return True


def check_choice(sheet: Sheet, roll: int, index: int) -> None:
    """Raises StrategyError where the category of that index may not be filled with a roll."""
    if legal_mask(sheet, roll) >> index & 1:
        return
    category = sheet.categories[index]
    legal = sheet.legal(ROLLS[roll])
    fault = "is filled"
    if category in sheet.open:
        fault = "has to be entered elsewhere, for a joker is forced"
        if sheet.ruleset.scratch == "forced" and not sheet.scoresheet.points[index, roll]:
            fault = "pays nothing, and this ruleset forces one that pays"
    allowed = ", ".join(item.id for item in legal)
    raise StrategyError(f"fills {category.name} with {ROLLS[roll]}, which {fault}; allowed: {allowed}")


def plan_of_options(keeps: Sequence[Sequence[Options]], choices: Sequence[Options]) -> Plan:
    """Makes the plan of the options of each decision, keeps[throw][roll] and choices[roll].

    It is pure where each decision has one option.
    """
    if all(len(options) == 1 for row in (*keeps, choices) for options in row):
        masks = np.array([[options[0] for options in row] for row in keeps], np.uint8)
        return Plan(
            masks.reshape(len(keeps), len(ROLLS)), np.array([options[0] for options in choices], np.uint8)
        )
    keep_places: dict[Options, int] = {}
    choice_places: dict[Options, int] = {}
    kept = [[keep_places.setdefault(options, len(keep_places)) for options in row] for row in keeps]
    chosen = [choice_places.setdefault(options, len(choice_places)) for options in choices]
    shaped = np.array(kept, np.int64).reshape(len(keeps), len(ROLLS))
    return Plan(shaped, np.array(chosen), tuple(keep_places), tuple(choice_places))


def _checked_mix(plan: Plan, keeps: Places, choices: Places, sheet: Sheet) -> Plan:
    if plan.keep_options is None or plan.choice_options is None:
        raise StrategyError("gives only one of keep_options and choice_options; give both or neither")
    masks = _groups("keep_options", tuple(map(tuple, plan.keep_options)), 1 << DICE)
    groups = _groups("choice_options", tuple(map(tuple, plan.choice_options)), len(sheet.categories))
    _check_range("names of keep_options place", keeps, len(masks))
    _check_range("names of choice_options place", choices, len(groups))
    filled = np.array([sum(1 << index for index in set(group)) for group in groups], np.uint32)[choices]
    for roll in np.flatnonzero(filled & ~allowed_masks(sheet)).tolist():
        for index in groups[choices[roll]]:
            check_choice(sheet, roll, index)
    if _canonical(masks)[_ROLLS, keeps].all():
        return Plan(keeps, choices, masks, groups)
    kept = [
        [tuple(int(CANONICAL_MASKS[roll, mask]) for mask in masks[place]) for roll, place in enumerate(row)]
        for row in keeps.tolist()
    ]
    return plan_of_options(kept, [groups[place] for place in choices.tolist()])


@lru_cache(maxsize=1 << 10)
def _groups(name: str, options: tuple[Options, ...], below: int) -> tuple[Options, ...]:
    groups = tuple(tuple(int(item) for item in group) for group in options)
    for group in groups:
        if not 1 <= len(group) <= MOST_OPTIONS or min(group) < 0 or max(group) >= below:
            raise StrategyError(
                f"has {group} among its {name}; 1 to {MOST_OPTIONS} numbers from 0 to {below - 1} are allowed"
            )
    return groups


def _check_range(saying: str, numbers: Places, below: int) -> None:
    wrong = numbers[(numbers < 0) | (numbers >= below)]
    if wrong.size:
        raise StrategyError(f"{saying} {wrong[0]}; allowed: 0 to {below - 1}")


@lru_cache(maxsize=64)
def _canonical(groups: tuple[Options, ...]) -> npt.NDArray[np.bool_]:
    """Tells, by roll and place, whether all masks of a group are the ones that stand for their keeps."""
    own = np.arange(1 << DICE) == CANONICAL_MASKS
    return np.stack([own[:, list(group)].all(axis=1) for group in groups], axis=1)
