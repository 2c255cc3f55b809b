"""What a sheet is worth under the best play: exactly solved for a ruleset, once, and kept."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sim.cheerio_ruleset import CheerioRuleset
from strategies.sheet import Scoresheet, StrategyError, build_scoresheet
from strategies.solving import Kinds, Problem, Reals, build_lines, fill_values, fill_worths

#: Utilities beyond these can't be told apart in double precision.
MOST_EXPONENT = 600.0


@dataclass(frozen=True)
class Goal:
    """What the best play maximises: the mean score, or what a strategy puts in its place.

    Without `bonus` the ruleset's bonus doesn't count; each point of an upper category counts `upper` more. With a
    `risk` other than 0 it is the mean of sign(risk) x exp(risk x points), constant absolute risk aversion (Pratt,
    "Risk aversion in the small and in the large", Econometrica 32, 1964).
    """

    bonus: bool = True
    upper: float = 0.0
    risk: float = 0.0


POINTS = Goal()


@dataclass(frozen=True, eq=False)
class Valuation:
    """The value of every sheet under the best play for a goal.

    `values` has shape (joker held or not, 2 ** categories, upper subtotals), NaN where no sheet can be; the last
    subtotal stands for all above it, and where the goal knows no bonus there is one for all. Values are in points, or
    utilities where there is a risk.
    """

    ruleset: CheerioRuleset
    goal: Goal
    problem: Problem
    values: Reals

    @property
    def start(self) -> float:
        """Returns what the empty sheet is worth: the best mean, or with a risk its certainty equivalent, in points."""
        value = float(self.values[0, -1, 0])
        risk = self.goal.risk
        return math.log(abs(value)) / risk if risk else value

    @property
    def sees(self) -> tuple[str, ...]:
        """Names the views that a value depends on."""
        upper = ("upper",) if self.values.shape[2] > 1 else ()
        return ("open", *upper, *(("joker",) if self.values.shape[0] > 1 else ()))

    def value(self, opened: int, upper: int = 0, joker: int = 0) -> float:
        """Returns what a sheet still brings, given the mask of open categories; NaN for one that can't be."""
        held, _, subtotals = self.values.shape
        return float(self.values[min(joker, held - 1), opened, min(upper, subtotals - 1)])

    def worths(self, opened: int, upper: int = 0, joker: int = 0) -> Reals:
        """Returns what each entry is worth with all that follows it, shape (categories, 252); 0 for filled ones.

        Utilities are scaled so that a difference of 1 is that of one point near the sheet's own value.
        """
        worths = np.zeros(self.problem.kinds.of.shape[1:])
        fill_worths(self.problem, self.values, self.goal.risk, opened, upper, joker, worths)
        return worths


@lru_cache(maxsize=16)
def build_valuation(ruleset: CheerioRuleset, goal: Goal = POINTS) -> Valuation:
    """Solves a ruleset for a goal, once for all that ask; raises StrategyError where utilities are beyond all bounds.

    The dynamic programme is that of Verhoeff ("Optimal solitaire Yahtzee strategies", 1999) and Woodward ("Yahtzee: the
    solution", Chance 16, 2003).
    """
    problem = _build_problem(build_scoresheet(ruleset), goal)
    held = 1 if problem.joker < 0 or not ruleset.joker or not ruleset.joker.points else 2
    values = np.full((held, 1 << ruleset.turns, problem.ending.size), np.nan)
    fill_values(problem, build_lines(), values)
    values.flags.writeable = False
    return Valuation(ruleset, goal, problem, values)


@dataclass(frozen=True, eq=False)
class Layers:
    """A ruleset by the layers in which a sheet may stand to the joker: one, or OPEN, WASTED and HELD.

    `points` has shape (layers, categories, 252), `extra` what a joker brings beside, (layers, 252), and `legal` the
    masks of Scoresheet, (layers, levels, 252); `joker` is the index of the joker's category, or -1.
    """

    points: npt.NDArray[np.int16]
    extra: Reals
    legal: npt.NDArray[np.uint32]
    upper: npt.NDArray[np.bool_]
    joker: int


def layers_of(
    joker: int, opened: npt.NDArray[np.int64], held: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Returns the layers of many sheets, as layer_of does of one; `joker` is the index of its category, or -1."""
    return np.zeros_like(opened) if joker < 0 else np.where(opened >> joker & 1, 0, 1 + held)


def build_layers(scoresheet: Scoresheet) -> Layers:
    """Builds the layers of a scoresheet (not its joker's)."""
    ruleset, with_joker = scoresheet.ruleset, scoresheet.joker
    points, legal, extra = [scoresheet.points], [scoresheet.legal], [np.zeros(scoresheet.points.shape[1])]
    joker = -1
    if with_joker is not None and ruleset.joker is not None:
        joker = list(ruleset.categories).index(ruleset.joker.category)
        points += [with_joker.points] * 2
        legal += [with_joker.legal] * 2
        extra += [extra[0], np.where(scoresheet.points[joker] > 0, float(ruleset.joker.points), 0.0)]
    upper = np.array([category.upper for category in ruleset.categories.values()])
    return Layers(np.array(points), np.array(extra), _stacked(legal), upper, joker)


def _build_problem(scoresheet: Scoresheet, goal: Goal) -> Problem:
    ruleset, layers = scoresheet.ruleset, build_layers(scoresheet)
    counted = bool(goal.bonus and ruleset.bonus.points)
    kinds, highest = build_kinds(layers, counted, goal)
    ending = np.zeros(1)
    if counted:
        ending = np.zeros(ruleset.bonus.threshold + 1)
        ending[-1] = ruleset.bonus.points
    highest += float(ending[-1])
    if abs(goal.risk * highest) > MOST_EXPONENT:
        raise StrategyError(
            f"risk is {goal.risk:g}; under {ruleset.name}, where up to {highest:g} points are scored, at most "
            f"{MOST_EXPONENT / highest:.2g} either way is allowed"
        )
    if goal.risk:
        ending = np.sign(goal.risk) * np.exp(goal.risk * ending)
    mask = sum(1 << index for index, upper in enumerate(layers.upper.tolist()) if upper and counted)
    return Problem(kinds, layers.legal, mask, layers.joker, ruleset.throws, ending)


def build_kinds(layers: Layers, counted: bool, goal: Goal = POINTS) -> tuple[Kinds, float]:
    """Builds all distinct entries, and tells the most that a sheet can gain by them.

    Where the upper subtotal is `counted`, entries in upper categories add to it.
    """
    points, joker = layers.points, layers.joker
    count, categories, _ = points.shape
    of = np.zeros(points.shape, np.uint16)
    least, sizes = np.zeros((count, categories), np.int64), np.zeros((count, categories), np.int64)
    rows: list[tuple[float, int, int]] = []
    most = np.zeros(categories)
    for layer in range(count):
        for category in range(categories):
            own = points[layer, category].astype(np.int64)
            gains = own * (1.0 + goal.upper * layers.upper[category]) + layers.extra[layer]
            steps = own if counted and layers.upper[category] else np.zeros_like(own)
            held = (own > 0) & (category == joker)
            distinct, place = np.unique(
                np.stack([gains, steps, held, layers.extra[layer]], 1), axis=0, return_inverse=True
            )
            least[layer, category], sizes[layer, category] = len(rows), len(distinct)
            of[layer, category] = len(rows) + place.reshape(-1)
            rows += [(gain, int(step), int(after)) for gain, step, after, _ in distinct.tolist()]
            most[category] = max(most[category], gains.max())
    gained = np.array([row[0] for row in rows])
    steps, held = np.array([row[1] for row in rows]), np.array([row[2] for row in rows])
    risky = goal.risk != 0
    kinds = Kinds(
        of,
        least,
        sizes,
        steps,
        held,
        np.zeros_like(gained) if risky else gained,
        np.exp(np.clip(goal.risk * gained, -MOST_EXPONENT, MOST_EXPONENT)),
    )
    return kinds, float(most.sum())


def _stacked(legal: list[npt.NDArray[np.uint32]]) -> npt.NDArray[np.uint32]:
    """Stacks the levels of each layer, the shorter ones filled up with levels that force nothing."""
    most = max(len(levels) for levels in legal)
    rolls = legal[0].shape[1]
    return np.array([[*levels, *np.zeros((most - len(levels), rolls), np.uint32)] for levels in legal])
