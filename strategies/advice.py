"""Pieces of advice: each is a switch that changes what a base strategy does, and nothing that it doesn't speak of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sim.cheerio_ruleset import CheerioRuleset
from sim.mistakes import near_hint
from sim.views import open_mask
from strategies.lookahead import LookaheadStrategy, Worths, best_plan
from strategies.lookahead_play import Lookahead
from strategies.par import Par
from strategies.strategy import Plan, Sheet, Strategy, StrategyError, build_scoresheet

Numbers = npt.NDArray[np.int64]

#: Plans that are kept for when their sheets come up again, about a kilobyte each.
MOST_KEPT = 1 << 16

#: What a piece of advice may be added to, by name.
BASES: dict[str, type[LookaheadStrategy]] = {"par": Par, "lookahead": Lookahead}


def check_not_negative(name: str, value: float) -> None:
    """Raises StrategyError where the strength of a piece of advice is below 0."""
    if value < 0:
        raise StrategyError(f"{name} is {value:g}; 0 or more is needed, and 0 plays as the base does")


@lru_cache(maxsize=len(BASES))
def base_strategy(name: str) -> LookaheadStrategy:
    """Returns a base by its name."""
    return BASES[name]()


@dataclass(frozen=True)
class Advised(Strategy):
    """Plays as its base does, but for what a piece of advice changes of the worth of entries.

    `advice` says it in a few words. Sheets that show the same open categories, and on which the advice takes the same
    stance, share one plan, so that what it watches may be wide.
    """

    advice: ClassVar[str]
    batched: ClassVar[bool] = True
    sees: ClassVar[tuple[str, ...]] = ("open", "joker")

    base: str = "par"

    def __post_init__(self) -> None:
        if self.base not in BASES:
            raise StrategyError(
                f"base is {self.base!r}{near_hint(self.base, BASES)}; allowed: {', '.join(BASES)}"
            )

    def watched(self, ruleset: CheerioRuleset) -> tuple[str, ...]:
        """Names what the advice looks at beside what the base sees."""
        del ruleset
        return ()

    def sees_under(self, ruleset: CheerioRuleset) -> tuple[str, ...]:
        """Names what the base sees and what the advice looks at."""
        return (*base_strategy(self.base).sees_under(ruleset), *self.watched(ruleset))

    def stances(self, ruleset: CheerioRuleset, views: Mapping[str, Numbers]) -> Numbers:
        """Returns by sheet which of a few stances the advice takes, 0 where it has nothing to say."""
        del ruleset
        return np.ones_like(views["open"])

    def advise(self, worths: Worths, sheet: Sheet, stance: int) -> Worths:
        """Returns what each entry is worth to one who takes the advice, shape (categories, 252); to the base alike."""
        del sheet, stance
        return worths

    def advised_plan(self, worths: Worths, sheet: Sheet, stance: int) -> Plan:
        """Returns the plan of one who takes the advice, where it has something to say."""
        return best_plan(self.advise(worths, sheet, stance), sheet)

    def plan(self, sheet: Sheet) -> Plan:
        """Returns the plan for the worths that the advice leaves."""
        views = {"open": np.array([open_mask(sheet.open_indices)])}
        for view in self.watched(sheet.ruleset):
            shown = getattr(sheet, view)
            value = open_mask([category.index for category in shown]) if view == "rival_open" else shown
            views[view] = np.array([value])
        return self._plan(sheet, int(self.stances(sheet.ruleset, views)[0]))

    def plans(self, ruleset: CheerioRuleset, views: Mapping[str, Numbers]) -> Plan:
        """Returns the plans of many sheets at once; the same as `plan`, one by one."""
        scoresheet, seen = build_scoresheet(ruleset), base_strategy(self.base).sees_under(ruleset)
        stances = self.stances(ruleset, views)
        code = stances
        for view in seen:
            code = code << _bits(views[view]) | views[view]
        _, first, place = np.unique(code, return_index=True, return_inverse=True)
        distinct = np.stack([*(views[view][first] for view in seen), stances[first]])
        kept = _kept_plans(self, ruleset)
        if len(kept) > MOST_KEPT:
            kept.clear()
        plans = []
        for *shown, stance in distinct.T.tolist():
            key = (*shown, stance)
            if key not in kept:
                kept[key] = self._plan(
                    Sheet(scoresheet, self.sees, dict(zip(seen, shown, strict=True))), stance
                )
            plans.append(kept[key])
        return Plan(
            np.stack([plan.keeps for plan in plans])[place],
            np.stack([plan.choices for plan in plans])[place],
        )

    def _plan(self, sheet: Sheet, stance: int) -> Plan:
        worths = base_strategy(self.base).worths(sheet)
        return self.advised_plan(worths, sheet, stance) if stance else best_plan(worths, sheet)


@lru_cache(maxsize=16)
def _kept_plans(advised: Advised, ruleset: CheerioRuleset) -> dict[tuple[int, ...], Plan]:
    """Returns the plans that were made for one strategy under one ruleset, by what they depend on."""
    del advised, ruleset
    return {}


def _bits(values: Numbers) -> int:
    """Returns how many bits hold every one of some numbers."""
    return int(values.max(initial=0)).bit_length()
