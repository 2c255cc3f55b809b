"""The strategy `tip-commit`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sim.dice import DICE, ROLL_INDEX, ROLL_KEEPS, ROLLS
from strategies.advice import Advised, check_not_negative
from strategies.aims import build_aims, first_best
from strategies.lookahead import Worths, best_plan
from strategies.strategy import Plan, Sheet
from strategies.turn_values import sheet_turn_values

#: A roll that is nothing: what an entry is worth beyond its points is read off here.
PLAIN = ROLL_INDEX[1, 2, 3, 4, 6]
WHOLE_ROLL = (1 << DICE) - 1


@dataclass(frozen=True)
class TipCommit(Advised):
    """Plays as `base` does, but with a pair or more it chases one of the open categories for dice alike (Three of a
    Kind, Four of a Kind, Cheerio) and no other: it keeps the dice that are best for the one that promises most, unless
    `base` would throw no more, or would expect to lose more than `most` points by it.

    A category promises the mean of its points when it is pursued alone from these dice, and what the sheet is worth to
    `base` once it is filled. The roll is entered as `base` would enter it. Nothing in the rules binds a player to what
    was chased before, and dice alike serve all three at once, so that the choice is made anew after each throw.
    """  # noqa: D205 - the whole rule is the first paragraph

    advice: ClassVar[str] = "with a pair, chase dice alike and nothing else"

    most: float = 100.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_not_negative("most", self.most)

    def advised_plan(self, worths: Worths, sheet: Sheet, stance: int) -> Plan:
        """Returns the plan of the base, with the keeps of the one aim where there is a pair."""
        del stance
        plan = best_plan(worths, sheet)
        chased = [index for index in sheet.open_indices if sheet.categories[index].pattern.alike is not None]
        if not chased:
            return plan
        aims, turn = build_aims(sheet.scoresheet), sheet_turn_values(worths, sheet)
        beyond = worths[chased, PLAIN] - sheet.scoresheet.points[chased, PLAIN]
        promised = aims.net[..., chased] + aims.usual[chased] + beyond
        aim = np.array(chased)[first_best(promised, axis=2)]
        masks = aims.masks[aims.throws, aims.rolls, aim]
        lost = turn.rolled[:-1] - turn.kept[aims.throws, ROLL_KEEPS[aims.rolls, masks]]
        follows = _has_pair() & (plan.keeps != WHOLE_ROLL) & (lost <= self.most)
        return Plan(np.where(follows, masks, plan.keeps), plan.choices)


@lru_cache(maxsize=1)
def _has_pair() -> npt.NDArray[np.bool_]:
    return np.array([len(set(dice)) < len(dice) for dice in ROLLS])
