"""Asks a strategy for its decisions, one situation at a time, and holds each answer against the rules."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, cast

import numpy as np

from sim.dice import DICE, ROLL_MASKS, ROLLS, masked_dice
from strategies.plans import MOST_OPTIONS, Options, check_choice, checked_plan, plan_of_options
from strategies.strategy import (
    Category,
    Dice,
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
from strategies.time_limit import TimeLimit, TimeLimitError

#: A single decision may take this many seconds; a strategy that loops for ever is stopped by it.
DECISION_SECONDS = 5.0
#: An answer is shown in a message up to this many characters.
MOST_SHOWN = 80
#: What is asked: the decision's name, the dice or the offer it is about, the rolls left.
Decision = tuple[str, Dice | Offer, int]


@lru_cache(maxsize=1)
def _masks_of_keeps() -> tuple[dict[tuple[int, ...], int], ...]:
    return tuple({masked_dice(roll, mask): mask for mask in ROLL_MASKS[roll]} for roll in range(len(ROLLS)))


class Asker:
    """Asks one strategy, known by its label, and tells its failures with sheet, dice and decision."""

    def __init__(self, strategy: Strategy, label: str) -> None:
        self.strategy = strategy
        self.label = label
        self._decision: Decision = ("plan", (), 0)
        self._sheet: Sheet | None = None
        self._limit = TimeLimit()

    @contextmanager
    def limited(self, seconds: float = DECISION_SECONDS) -> Iterator[None]:
        """Stops any single decision asked inside this block after `seconds` to twice that."""
        try:
            with self._limit.running(seconds):
                yield
        except TimeLimitError:
            assert self._sheet is not None, "no decision is asked without a sheet"
            fault = f" takes longer than {seconds:g} s; it may loop for ever"
            raise self._error(fault, self._sheet) from None

    def keep(self, sheet: Sheet, roll: int, rolls_left: int) -> Options:
        """Returns the masks that the strategy may keep of a roll, equally likely."""
        dice = ROLLS[roll]
        strategy = cast("ScalarStrategy", self.strategy)
        self._begin(("keep", dice, rolls_left), sheet)
        answers = self._answers(sheet, lambda: strategy.keep(dice, sheet, rolls_left))
        return tuple([self._mask(sheet, roll, answer) for answer in answers])

    def choose(self, sheet: Sheet, roll: int) -> Options:
        """Returns the indices of the categories that the strategy may fill with a roll, equally likely."""
        dice = ROLLS[roll]
        strategy = cast("ScalarStrategy", self.strategy)
        self._begin(("choose", dice, 0), sheet)
        answers = self._answers(sheet, lambda: strategy.choose(dice, sheet))
        return tuple([self._category(sheet, roll, answer) for answer in answers])

    def steal(self, offer: Offer, sheet: Sheet) -> bool:
        """Tells whether the strategy steals what it is offered."""
        strategy = cast("StealingStrategy", self.strategy)
        self._begin(("steal", offer, 0), sheet)
        answer = self._answer(sheet, lambda: strategy.steal(offer, sheet))
        if not isinstance(answer, (bool, np.bool_)):
            fault = f" returns {_shown(answer)}; allowed: True to steal, False to score instead"
            raise self._error(fault, sheet)
        return bool(answer)

    def forfeit(self, sheet: Sheet) -> int:
        """Returns the index of the open category that the strategy fills with a zero when it is robbed."""
        strategy = cast("ForfeitingStrategy", self.strategy)
        self._begin(("forfeit", (), 0), sheet)
        category = self._named(sheet, self._answer(sheet, lambda: strategy.forfeit(sheet)))
        if category.index not in sheet.open_indices:
            allowed = ", ".join(item.id for item in sheet.open)
            raise self._error(f": forfeits {category.name}, which is filled; allowed: {allowed}", sheet)
        return category.index

    def turn(self, sheet: Sheet) -> Plan:
        """Returns the plan of one turn, asked whole or gathered from single decisions."""
        if is_planned(self.strategy):
            return self._planned(sheet)
        throws = sheet.ruleset.throws
        keeps = [
            [self.keep(sheet, roll, throws - 1 - throw) for roll in range(len(ROLLS))]
            for throw in range(throws - 1)
        ]
        choices = [self.choose(sheet, roll) for roll in range(len(ROLLS))]
        return plan_of_options(keeps, choices)

    def _answers(self, sheet: Sheet, ask: Callable[[], Any]) -> Sequence[Any]:
        """Asks once, or once for each side of the coin."""
        if "coin" in self.strategy.sees:
            sides: list[Any] = self._answer(sheet, lambda: self._sides(sheet, ask))
            return sides
        return (self._answer(sheet, ask),)

    def _answer(self, sheet: Sheet, ask: Callable[[], Any]) -> Any:
        try:
            answer = ask()
            self._limit.check()
            return answer
        except StrategyError as error:
            raise self._error(f": {error}", sheet) from None
        except (Exception, SystemExit) as error:
            raise self._error(f" raises {_told(error)}", sheet) from error

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

    def _begin(self, decision: Decision, sheet: Sheet) -> None:
        self._decision = decision
        self._sheet = sheet
        self._limit.asked += 1

    def _mask(self, sheet: Sheet, roll: int, answer: Any) -> int:
        try:
            # One more than five tells too many dice; an answer without end is not read to its end.
            mask = _masks_of_keeps()[roll].get(tuple(sorted(islice(answer, DICE + 1))))
        except Exception:
            mask = None
        if mask is None:
            raise self._error(
                f" returns {_shown(answer)}; allowed: any of these five dice, as a list of their faces, () for none",
                sheet,
            )
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
            f" returns {_shown(answer)}; allowed: a category of the sheet, or its id: {allowed}", sheet
        )

    def _planned(self, sheet: Sheet) -> Plan:
        strategy = cast("PlannedStrategy", self.strategy)
        self._begin(("plan", (), 0), sheet)

        def ask() -> Plan:
            plan = strategy.plan(sheet)
            self._limit.check()
            return checked_plan(plan, sheet, "coin" in strategy.sees)

        plan: Plan = self._answer(sheet, ask)
        return plan

    def _error(self, fault: str, sheet: Sheet) -> StrategyError:
        name, about, rolls_left = self._decision
        asked = {
            "keep": f"keep({about}, sheet, rolls_left={rolls_left})",
            "choose": f"choose({about}, sheet)",
            "steal": f"steal({about}, sheet)",
        }.get(name, f"{name}(sheet)")
        return StrategyError(f"strategy {self.label}: {asked}{fault}\n  the sheet shows {sheet.words()}")


def _shown(answer: Any) -> str:
    try:
        text = repr(answer)
    except Exception:
        text = f"a {type(answer).__name__}"
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."


def _told(error: BaseException) -> str:
    """Names an exception, with the line that raises it."""
    raised = traceback.extract_tb(error.__traceback__)[-1]
    place = f" ({Path(raised.filename).name}, line {raised.lineno})"
    return f"{type(error).__name__}: {error}{place}" if str(error) else f"{type(error).__name__}{place}"
