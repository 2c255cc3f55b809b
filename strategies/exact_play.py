"""Strategies that play a turn by the exact value of the sheets that it may lead to."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sim.cheerio_ruleset import CheerioRuleset
from sim.compiled import compiled
from sim.dice import ROLLS
from strategies.lookahead import (
    TOGETHER,
    Lattice,
    LookaheadStrategy,
    Worths,
    build_lattice,
    build_room,
    fill_plans,
)
from strategies.sheet import Sheet
from strategies.solving import Problem, fill_allowed, fill_worths, layer_of
from strategies.strategy import Plan
from strategies.valuation import Goal, Valuation, build_valuation

Numbers = npt.NDArray[np.int64]


class ExactPlay(LookaheadStrategy):
    """Plays for the highest mean of a goal, exactly.

    What it sees of a sheet is what its goal's values depend on under the ruleset at hand.
    """

    sees: ClassVar[tuple[str, ...]] = ("open", "upper", "joker")
    batched: ClassVar[bool] = True

    def __init_subclass__(cls) -> None:
        # Who plans otherwise, sheet by sheet, is asked so.
        if "plans" not in vars(cls) and {"plan", "worths"} & vars(cls).keys():
            cls.batched = False

    @abstractmethod
    def goal(self, ruleset: CheerioRuleset) -> Goal:
        """Returns what is maximised under a ruleset."""

    def valuation(self, ruleset: CheerioRuleset) -> Valuation:
        """Returns the values of all sheets."""
        return build_valuation(ruleset, self.goal(ruleset))

    def sees_under(self, ruleset: CheerioRuleset) -> tuple[str, ...]:
        """Names what of `sees` matters under a ruleset."""
        return self.valuation(ruleset).sees

    def worths(self, sheet: Sheet) -> Worths:
        """Returns the points of each entry and what the sheet that results still brings."""
        valuation = self.valuation(sheet.ruleset)
        seen = {view: getattr(sheet, view) for view in valuation.sees if view != "open"}
        return valuation.worths(sum(1 << index for index in sheet.open_indices), **seen)

    def plans(self, ruleset: CheerioRuleset, views: Mapping[str, Numbers]) -> Plan:
        """Returns the plans of many sheets at once, given what each shows; the same as `plan`, one by one."""
        valuation = self.valuation(ruleset)
        opened, upper, joker = shown_views(views, ("open", "upper", "joker"))
        keeps = np.empty((opened.size, ruleset.throws - 1, len(ROLLS)), np.uint8)
        choices = np.empty((opened.size, len(ROLLS)), np.uint8)
        _fill_plans(
            build_lattice(),
            valuation.problem,
            valuation.values,
            valuation.goal.risk,
            opened,
            upper,
            joker,
            keeps,
            choices,
        )
        return Plan(keeps, choices)


def shown_views(views: Mapping[str, Numbers], wanted: Sequence[str]) -> list[Numbers]:
    """Returns what sheets show by each wanted view, 0 where it is not shown, as arrays for compiled loops."""
    nothing = np.zeros_like(views["open"])
    shown = [views.get(view, nothing).view() for view in wanted]
    for values in shown:
        # A loop is compiled once for arrays that may be written and once for others, in each of their mixtures.
        values.flags.writeable = False
    return shown


@compiled
def _fill_plans(
    lattice: Lattice,
    problem: Problem,
    values: npt.NDArray[np.float64],
    risk: float,
    opened: Numbers,
    upper: Numbers,
    joker: Numbers,
    keeps: npt.NDArray[np.uint8],
    choices: npt.NDArray[np.uint8],
) -> None:
    room = build_room(lattice, problem.kinds.of.shape[1], keeps.shape[1])
    for begin in range(0, opened.size, TOGETHER):
        end = min(begin + TOGETHER, opened.size)
        for sheet in range(begin, end):
            worths, allowed = room.worths[sheet - begin], room.allowed[sheet - begin]
            layer = layer_of(problem, opened[sheet], joker[sheet])
            fill_worths(problem, values, risk, opened[sheet], upper[sheet], joker[sheet], worths)
            fill_allowed(problem.legal, layer, opened[sheet], allowed)
        fill_plans(lattice, room, keeps[begin:end], choices[begin:end])
