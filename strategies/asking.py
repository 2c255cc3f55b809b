"""Asks a strategy for its decisions, one situation at a time, and holds each answer against the rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, ClassVar, cast

import numpy as np

from sim.dice import DICE, ROLL_MASKS, ROLLS, masked_dice
from sim.recording import CHOOSE, FORFEIT, KEEP, PLAN, STEAL
from strategies.plans import MOST_OPTIONS, Options, check_choice, checked_plan, plan_of_options
from strategies.questioning import Questioner, answer_words
from strategies.strategy import (
    Category,
    ForfeitingStrategy,
    Offer,
    Plan,
    PlannedStrategy,
    ScalarStrategy,
    Sheet,
    StealingStrategy,
    Strategy,
    StrategyError,
    is_planned,
)

#: A code holds the rolls left above the roll, below the kind of question.
_ROLLS_LEFT = 8


@lru_cache(maxsize=1)
def _masks_of_keeps() -> tuple[dict[tuple[int, ...], int], ...]:
    return tuple({masked_dice(roll, mask): mask for mask in ROLL_MASKS[roll]} for roll in range(len(ROLLS)))


class Asker(Questioner):
    """Asks one strategy for keeps and categories, and tells its failures with sheet, dice and decision."""

    shows: ClassVar[str] = "sheet"

    def __init__(self, strategy: Strategy, label: str, under: str = "") -> None:
        super().__init__(label, under)
        self.strategy = strategy
        self._scalar = cast("ScalarStrategy", strategy)
        self._planner = cast("PlannedStrategy", strategy)
        self._is_planned = is_planned(strategy)
        self._mixes = "coin" in strategy.sees
        self._code = PLAN
        self._offer: Offer | None = None

    def keep(self, sheet: Sheet, roll: int, rolls_left: int) -> Options:
        """Returns the masks that the strategy may keep of a roll, equally likely."""
        dice = ROLLS[roll]
        self._decide(KEEP | rolls_left << _ROLLS_LEFT | roll, sheet)
        answers = self._answers(sheet, lambda: self._scalar.keep(dice, sheet, rolls_left))
        return tuple([self._mask(sheet, roll, answer) for answer in answers])

    def choose(self, sheet: Sheet, roll: int) -> Options:
        """Returns the indices of the categories that the strategy may fill with a roll, equally likely."""
        dice = ROLLS[roll]
        self._decide(CHOOSE | roll, sheet)
        answers = self._answers(sheet, lambda: self._scalar.choose(dice, sheet))
        return tuple([self._category(sheet, roll, answer) for answer in answers])

    def steal(self, offer: Offer, sheet: Sheet) -> bool:
        """Tells whether the strategy steals what it is offered."""
        strategy = cast("StealingStrategy", self.strategy)
        self._offer = offer
        self._decide(STEAL, sheet)
        self.asked += 1
        answer = self._answer(sheet, lambda: strategy.steal(offer, sheet))
        if not isinstance(answer, (bool, np.bool_)):
            fault = f" returns {answer_words(answer)}; allowed: True to steal, False to score instead"
            raise self._error(fault, sheet)
        return bool(answer)

    def forfeit(self, sheet: Sheet) -> int:
        """Returns the index of the open category that the strategy fills with a zero when it is robbed."""
        strategy = cast("ForfeitingStrategy", self.strategy)
        self._decide(FORFEIT, sheet)
        self.asked += 1
        category = self._named(sheet, self._answer(sheet, lambda: strategy.forfeit(sheet)))
        if category.index not in sheet.open_indices:
            allowed = ", ".join(item.id for item in sheet.open)
            raise self._error(f": forfeits {category.name}, which is filled; allowed: {allowed}", sheet)
        return category.index

    def turn(self, sheet: Sheet, backwards: bool = False) -> Plan:
        """Returns the plan of one turn, asked whole or gathered of single decisions, `backwards` the last first."""
        self.asked += 1
        if self._is_planned:
            return self._planned(sheet)
        if self._is_users:
            self._recording.show(sheet.words())
        if backwards:
            return self._turn_backwards(sheet)
        throws = sheet.ruleset.throws
        keeps = [
            [self.keep(sheet, roll, throws - 1 - throw) for roll in range(len(ROLLS))]
            for throw in range(throws - 1)
        ]
        choices = [self.choose(sheet, roll) for roll in range(len(ROLLS))]
        return plan_of_options(keeps, choices)

    def _turn_backwards(self, sheet: Sheet) -> Plan:
        # A strategy that counts its questions falls out of step, whatever it counts to.
        rolls = range(len(ROLLS))[::-1]
        choices = [self.choose(sheet, roll) for roll in rolls]
        keeps = [
            [self.keep(sheet, roll, rolls_left) for roll in rolls][::-1]
            for rolls_left in range(1, sheet.ruleset.throws)
        ]
        return plan_of_options(keeps[::-1], choices[::-1])

    def _answers(self, sheet: Sheet, ask: Callable[[], Any]) -> Sequence[Any]:
        """Asks once, or once for each side of the coin."""
        if self._mixes:
            sides: list[Any] = self._answer(sheet, lambda: self._sides(sheet, ask))
            return sides
        return (self._answer(sheet, ask),)

    def _sides(self, sheet: Sheet, ask: Callable[[], Any]) -> list[Any]:
        drawn: list[int] = []

        def coin(options: Sequence[Any]) -> Any:
            if drawn:
                raise StrategyError("the coin is drawn a second time; a decision has one draw")
            if not 1 <= len(options) <= MOST_OPTIONS:
                raise StrategyError(
                    f"the coin is given {len(options)} options; 1 to {MOST_OPTIONS} are allowed"
                )
            drawn.append(len(options))
            return options[len(answers)]

        answers: list[Any] = []
        sheet._coin = coin
        try:
            while True:
                answers.append(ask())
                self._limit.check()
                if not drawn or len(answers) == drawn.pop():
                    return answers
                self._limit.asked += 1
        finally:
            sheet._coin = None

    def _decide(self, code: int, sheet: Sheet) -> None:
        self._code = code
        self._begin(sheet, code)

    def _mask(self, sheet: Sheet, roll: int, answer: Any) -> int:
        try:
            # One more than five tells too many dice; an answer without end is not read to its end.
            mask = _masks_of_keeps()[roll].get(tuple(sorted(islice(answer, DICE + 1))))
        except Exception:
            mask = None
        if mask is None:
            allowed = "any of these five dice, as a list of their faces, () for none"
            raise self._error(f" returns {answer_words(answer)}; allowed: {allowed}", sheet)
        return mask

    def _category(self, sheet: Sheet, roll: int, answer: Any) -> int:
        category = self._named(sheet, answer)
        try:
            check_choice(sheet, roll, category.index)
        except StrategyError as error:
            raise self._error(f": {error}", sheet) from None
        return category.index

    def _named(self, sheet: Sheet, answer: Any) -> Category:
        """Returns the category of the sheet that an answer stands for."""
        if isinstance(answer, Category) and answer.index < len(sheet.categories):
            # A joker changes what a category pays, not which line of the sheet it is.
            line = sheet.categories[answer.index]
            if line.id == answer.id:
                return line
        if isinstance(answer, str):
            for line in sheet.categories:
                if answer in (line.id, line.name):
                    return line
        allowed = ", ".join(item.id for item in sheet.categories)
        raise self._error(
            f" returns {answer_words(answer)}; allowed: a category of the sheet, or its id: {allowed}", sheet
        )

    def _planned(self, sheet: Sheet) -> Plan:
        self._decide(PLAN, sheet)

        def ask() -> Plan:
            plan = self._planner.plan(sheet)
            self._limit.check()
            return checked_plan(plan, sheet, self._mixes)

        plan: Plan = self._answer(sheet, ask)
        return plan

    @property
    def question(self) -> str:
        """Names what was asked last."""
        return question_words(self._code, self._offer)


def question_words(code: int, offer: Offer | None = None) -> str:
    """Names the question of a code; an offer, which is not in the code, where it is known."""
    dice, rolls_left = ROLLS[code & 0xFF], code >> _ROLLS_LEFT & 0xFF
    return {
        KEEP: f"keep({dice}, sheet, rolls_left={rolls_left})",
        CHOOSE: f"choose({dice}, sheet)",
        STEAL: f"steal({offer or 'offer'}, sheet)",
        FORFEIT: "forfeit(sheet)",
    }.get(code >> 16 << 16, "plan(sheet)")
