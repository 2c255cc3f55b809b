"""The strategy `win`: it plays for the chance to beat the rival in place of the mean score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sim.cheerio_ruleset import CheerioRuleset
from sim.dice import ROLLS
from strategies.beating import Beating, Standings, fill_win_plans, fill_win_worths
from strategies.exact_play import ExactPlay, shown_views
from strategies.laws import Laws, build_laws
from strategies.lookahead import Worths, build_lattice
from strategies.sheet import Category, Sheet
from strategies.strategy import Plan
from strategies.valuation import POINTS, Goal


@dataclass(frozen=True)
class Win(ExactPlay):
    """Plays for the highest chance to beat the best rival, a tie counted as half a win: an entry is worth the chance
    that what `optimal` then scores is more than what it scores from the rival's sheet.

    Chances come of the exact laws of both scores where few enough categories are open on both sheets (in rulesets
    without a bonus always), and before of a normal law with their means and variances. That both play on as `optimal`
    does is exact in the last turn, and an approximation before. Of chances that are alike the higher mean is taken;
    alone, or level with a rival whose sheet is full, it plays as `optimal`. A rival's joker isn't seen, and not
    counted.
    """  # noqa: D205 - the whole rule is the first paragraph

    sees: ClassVar[tuple[str, ...]] = ("open", "upper", "joker", "difference", "rival_open", "rival_upper")

    def goal(self, ruleset: CheerioRuleset) -> Goal:
        """Returns the points, which decide where chances are alike."""
        del ruleset
        return POINTS

    def sees_under(self, ruleset: CheerioRuleset) -> tuple[str, ...]:
        """Names what of `sees` matters under a ruleset."""
        # Whoever asks for decisions asks this first; laws take longer than a single decision may.
        build_laws(ruleset)
        own = super().sees_under(ruleset)
        return (*own, "difference", "rival_open", *(("rival_upper",) if "upper" in own else ()))

    def worths(self, sheet: Sheet) -> Worths:
        """Returns the chance to win after each entry, in hundredths."""
        beating = build_beating(build_laws(sheet.ruleset))
        worths = np.zeros(beating.problem.kinds.of.shape[1:])
        shown = {view: getattr(sheet, view) for view in self.sees_under(sheet.ruleset)}
        views = {
            view: np.array([_mask(value) if isinstance(value, tuple) else value], np.int64)
            for view, value in shown.items()
        }
        fill_win_worths(beating, build_standings(views), 0, worths)
        return worths

    def plans(self, ruleset: CheerioRuleset, views: Mapping[str, npt.NDArray[np.int64]]) -> Plan:
        """Returns the plans of many sheets at once, given what each shows; the same as `plan`, one by one."""
        sheets = views["open"].size
        keeps = np.empty((sheets, ruleset.throws - 1, len(ROLLS)), np.uint8)
        choices = np.empty((sheets, len(ROLLS)), np.uint8)
        fill_win_plans(
            build_lattice(), build_beating(build_laws(ruleset)), build_standings(views), keeps, choices
        )
        return Plan(keeps, choices)


def build_beating(laws: Laws) -> Beating:
    """Builds what the compiled loops need of the laws."""
    valuation = laws.valuation
    return Beating(valuation.problem, valuation.values, laws.variances, laws.tables, laws.levels)


def build_standings(views: Mapping[str, npt.NDArray[np.int64]]) -> Standings:
    """Builds the standings of sheets from what each shows, by view; what is not shown is 0."""
    return Standings(*shown_views(views, Standings._fields))


def _mask(categories: tuple[Category, ...]) -> int:
    return sum(1 << category.index for category in categories)
