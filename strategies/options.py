"""What may be done with a roll, ranked by what the rest of the game then brings under the best play."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sim.cheerio_ruleset import CheerioRuleset
from sim.dice import DICE, ROLL_KEEPS, ROLL_MASKS, ROLLS
from sim.scoring import FIVE_ALIKE
from sim.views import masked_categories
from sim.worth import build_transitions
from strategies.lineup import Player
from strategies.lookahead import best_plan
from strategies.plans import plan_options
from strategies.rows import RowMaker
from strategies.solving import Reals
from strategies.strategy import Plan, Sheet, build_scoresheet, is_planned, legal_mask
from strategies.turn_values import TurnValues, sheet_turn_values
from strategies.valuation import Valuation

#: Values closer than this many digits are equal, for the order of options.
DIGITS = 9


class Entry(NamedTuple):
    """A category that a turn may be entered in: how often it is, and how many points it then gets on average."""

    category: int
    chance: float
    points: float


class Option(NamedTuple):
    """One thing that may be done: `answer` is the mask of a keep, or the index of a category. In points.

    `rest` is the mean of all that the game still brings, the bonus included, of which this turn brings `turn`; `loss`
    is what the option gives away against the best. `entries` are what the turn may come to, the likeliest first.
    """

    answer: int
    rest: float
    loss: float
    turn: float
    entries: tuple[Entry, ...]

    @property
    def aim(self) -> Entry | None:
        """Returns the entry that most of the turn's points come from, or None where none are to be had."""
        best = max(self.entries, key=lambda entry: round(entry.chance * entry.points, DIGITS))
        return best if best.points > 0 else None


@dataclass(frozen=True)
class TurnOptions:
    """All that can be done in a turn that begins with a sheet, and what it is worth.

    `gains[category, roll]` are the points of an entry, those of a joker included.
    """

    sheet: Sheet
    values: TurnValues
    plan: Plan
    gains: Reals

    def start(self) -> Option:
        """Returns the turn before its first throw."""
        rest = self.values.before
        return self._ahead([0], [0], [rest], rest, self.sheet.ruleset.throws)[0]

    def ranked(self, roll: int, throws_left: int) -> tuple[Option, ...]:
        """Returns what may be done with a roll, the best first: of equals the most dice, or the later category.

        While throws are left those are its distinct keeps, else the categories that it may be entered in.
        """
        if throws_left:
            thrown = self.sheet.ruleset.throws - throws_left
            masks = list(ROLL_MASKS[roll])
            keeps = [int(ROLL_KEEPS[roll, mask]) for mask in masks]
            rests = self.values.kept[thrown - 1, keeps].tolist()
            best = float(self.values.rolled[thrown - 1, roll])
            found = self._ahead(masks, keeps, rests, best, throws_left)
            return tuple(sorted(found, key=_keep_order))
        best = float(self.values.rolled[-1, roll])
        found = [
            Option(index, rest, best - rest, points, (Entry(index, 1.0, points),))
            for index in masked_categories(legal_mask(self.sheet, roll))
            for rest, points in [(float(self.values.worths[index, roll]), float(self.gains[index, roll]))]
        ]
        return tuple(sorted(found, key=lambda option: (-round(option.rest, DIGITS), -option.answer)))

    def _ahead(
        self,
        masks: Sequence[int],
        keeps: Sequence[int],
        rests: Sequence[float],
        best: float,
        throws_left: int,
    ) -> list[Option]:
        """Follows the best play from some keeps to the end of the turn."""
        transitions = build_transitions()
        reached = transitions[list(keeps)]
        rolls = np.arange(len(ROLLS))
        # Who holds all five has entered them: the best play holds them again after each throw that it doesn't make.
        for throw in range(self.sheet.ruleset.throws - throws_left, self.sheet.ruleset.throws - 1):
            reached = reached @ transitions[ROLL_KEEPS[rolls, self.plan.keeps[throw]]]
        stopping = [index for index, mask in enumerate(masks) if mask == (1 << DICE) - 1]
        reached[stopping] = transitions[[keeps[index] for index in stopping]]
        paid = reached * self.gains[self.plan.choices, rolls]
        chances, points = (np.zeros((len(masks), len(self.sheet.categories))) for _ in range(2))
        np.add.at(chances.T, self.plan.choices, reached.T)
        np.add.at(points.T, self.plan.choices, paid.T)
        return [
            Option(mask, rest, best - rest, sum(points), _likeliest(chances, points))
            for mask, rest, chances, points in zip(
                masks, rests, chances.tolist(), points.tolist(), strict=True
            )
        ]


def build_turn_options(valuation: Valuation, views: Mapping[str, int]) -> TurnOptions:
    """Builds what can be done on a sheet that shows these views; KeyError for one that the valuation sees and lacks.

    The valuation's values have to be points.
    """
    ruleset = valuation.ruleset
    seen = {view: views[view] for view in valuation.sees}
    sheet = Sheet(build_scoresheet(ruleset), tuple(seen), seen)
    worths = valuation.worths(seen["open"], seen.get("upper", 0), seen.get("joker", 0))
    gains = sheet.scoresheet.points.astype(np.float64)
    if ruleset.joker is not None and seen.get("joker", 0):
        gains[:, list(FIVE_ALIKE)] += ruleset.joker.points
    return TurnOptions(sheet, sheet_turn_values(worths, sheet), best_plan(worths, sheet), gains)


def barred_reasons(sheet: Sheet, roll: int) -> dict[int, str]:
    """Returns the open categories that a roll may not be entered in, by index, each with the rule that forbids it."""
    legal = legal_mask(sheet, roll)
    scoresheet = sheet.scoresheet
    named = " or ".join(sheet.categories[index].name for index in masked_categories(legal))
    reasons = {}
    for index in sheet.open_indices:
        if not legal >> index & 1:
            unpaid = sheet.ruleset.scratch == "forced" and not scoresheet.points[index, roll]
            forced = "a category that pays has to be filled while one is open"
            reasons[index] = (
                forced if unpaid else f"five alike are a joker, which has to be entered in {named}"
            )
    return reasons


def decided_options(
    player: Player, ruleset: CheerioRuleset, views: Mapping[str, int], roll: int, throws_left: int
) -> dict[int, float]:
    """Returns what a player does with a roll: masks or categories as Option has them, each with its chance.

    `views` has all that RowMaker says it sees, else KeyError; raises StrategyError where its decision fails.
    """
    maker = RowMaker(player, ruleset)
    sheet = Sheet(maker.scoresheet, player.sees, {view: views[view] for view in maker.sees})
    asker = maker.asker

    def ask() -> tuple[int, ...]:
        if not is_planned(maker.strategy):
            return asker.keep(sheet, roll, throws_left) if throws_left else asker.choose(sheet, roll)
        plan = asker.turn(sheet)
        if throws_left:
            return plan_options(plan.keeps[ruleset.throws - 1 - throws_left, roll], plan.keep_options)
        return plan_options(plan.choices[roll], plan.choice_options)

    with asker.limited():
        answers = ask()
        if answers != ask():
            raise asker.two_answers(sheet, "its decisions may depend on the dice and the sheet alone")
    return {answer: count / len(answers) for answer, count in Counter(answers).items()}


def _keep_order(option: Option) -> tuple[float, int, int]:
    return -round(option.rest, DIGITS), -option.answer.bit_count(), option.answer


def _likeliest(chances: Sequence[float], points: Sequence[float]) -> tuple[Entry, ...]:
    entered = [
        Entry(index, chance, paid / chance)
        for index, (chance, paid) in enumerate(zip(chances, points, strict=True))
        if chance > 0
    ]
    return tuple(sorted(entered, key=lambda entry: (-round(entry.chance, DIGITS), entry.category)))
