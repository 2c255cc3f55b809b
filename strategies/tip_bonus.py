"""The strategy `tip-bonus`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sim.cheerio_ruleset import CheerioRuleset
from sim.dice import DICE
from strategies.advice import Advised, Numbers, check_not_negative
from strategies.lookahead import Worths
from strategies.strategy import Scoresheet, Sheet, build_scoresheet

#: Of the five dice, how many alike in each upper category make up the bonus, and how many can still be hoped for.
USUAL_ALIKE, HOPED_ALIKE = 3, 4


@dataclass(frozen=True)
class TipBonus(Advised):
    """Plays as `base` does, but goes for the bonus: until it is reached, and as long as four of each open upper face
    would be enough, a point above or below three of the face counts `pull` times its share of the bonus more.

    The share is the points of the bonus by each point that it asks for, as 35 by 63. Without a bonus there is nothing
    to go for.
    """  # noqa: D205 - the whole rule is the first paragraph

    advice: ClassVar[str] = "go for the upper bonus"
    sees: ClassVar[tuple[str, ...]] = ("open", "upper", "joker")

    pull: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_not_negative("pull", self.pull)

    def watched(self, ruleset: CheerioRuleset) -> tuple[str, ...]:
        """Names the upper subtotal where there is a bonus."""
        return ("upper",) if ruleset.bonus.points else ()

    def stances(self, ruleset: CheerioRuleset, views: Mapping[str, Numbers]) -> Numbers:
        """Returns 1 for sheets on which the bonus is neither reached nor out of reach."""
        if "upper" not in views:
            return np.zeros_like(views["open"])
        lacking = ruleset.bonus.threshold - views["upper"]
        hoped = _most_upper(build_scoresheet(ruleset)) * (HOPED_ALIKE / DICE)
        in_sight = sum(
            (views["open"] >> index & 1) * points for index, points in enumerate(hoped.tolist()) if points
        )
        chased: Numbers = ((lacking > 0) & (lacking <= in_sight)).astype(np.int64)
        return chased

    def advise(self, worths: Worths, sheet: Sheet, stance: int) -> Worths:
        """Returns the worths, with upper entries worth more above three of the face and less below."""
        del stance
        bonus = sheet.ruleset.bonus
        most = _most_upper(sheet.scoresheet)[:, None]
        above = np.where(most > 0, sheet.scoresheet.points - most * (USUAL_ALIKE / DICE), 0.0)
        advised: Worths = worths + self.pull * bonus.points / bonus.threshold * above
        return advised


@lru_cache(maxsize=64)
def _most_upper(scoresheet: Scoresheet) -> npt.NDArray[np.int64]:
    """Returns the most that each upper category can pay, 0 for the others."""
    upper = np.array([category.upper for category in scoresheet.categories])
    return np.where(upper, scoresheet.points.max(axis=1), 0).astype(np.int64)
