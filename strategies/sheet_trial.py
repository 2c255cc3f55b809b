"""What a check asks of a strategy of Cheerio: plans of turns, and the two questions of a steal."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from sim.cheerio_ruleset import CheerioRuleset
from sim.dice import ROLLS
from sim.lanes import COLUMN, ROW
from strategies.answers import AnswerMaker
from strategies.lineup import Player
from strategies.plans import plan_options
from strategies.rows import RowMaker
from strategies.samples import sample_contexts, sample_forfeits, sample_offers
from strategies.strategy import Plan, Sheet, is_planned
from strategies.tables import MIXED_BYTES
from strategies.trial import Digest


class SheetTrial:
    """Tries a player with rows of decisions, offers to steal and forfeits (the kinds of sim.lanes, in their order)."""

    kinds: ClassVar[tuple[str, ...]] = ("asked", "offers", "forfeits")
    advice: ClassVar[str] = (
        "decisions may depend on nothing but the dice or the offer, the sheet and the rolls left: "
        "not on chance (use sheet.coin), time, the order of a set, or what was asked before"
    )

    def __init__(self, player: Player, ruleset: CheerioRuleset) -> None:
        self.player = player
        self.ruleset = ruleset
        self._rows = RowMaker(player, ruleset)
        self._questions = AnswerMaker(player, ruleset)

    @property
    def whole(self) -> bool:
        """Tells whether the player is asked for everything before the first game."""
        return self._rows.whole

    @property
    def contexts(self) -> int:
        """Counts the sheets that the player may tell apart."""
        return (1 << self.ruleset.turns) - 1 if self.whole else self._rows.size

    @property
    def table_bytes(self) -> int:
        """Returns the bytes that the rows of all of them take up."""
        return self.contexts * self.ruleset.throws * COLUMN * (MIXED_BYTES if self._rows.mixes else 1)

    @property
    def decisions_per_context(self) -> int:
        """Counts the decisions of one turn, for all rolls."""
        return self.ruleset.throws * len(ROLLS)

    @property
    def asked(self) -> int:
        """Counts the sheets and questions of a steal that the player has been asked about."""
        return self._rows.asker.asked + self._questions.asker.asked

    def sample(self) -> tuple[list[int], list[int], list[int]]:
        """Returns contexts to ask about, by kind."""
        return (
            sample_contexts(self.player, self.ruleset),
            sample_offers(self._questions),
            sample_forfeits(self._questions),
        )

    def ask(self, kind: int, contexts: Sequence[int]) -> list[Plan] | list[int]:
        """Asks for plans, or for answers to a question of a steal."""
        return self._rows.make(contexts) if kind == ROW else self._questions.make(kind, contexts)

    def ask_backwards(self, kind: int, contexts: Sequence[int]) -> list[Plan] | list[int]:
        """Asks for them in the opposite order."""
        if kind == ROW:
            return self._plans_apart(contexts[::-1])[::-1]
        return self._questions.make(kind, contexts[::-1])[::-1]

    def _plans_apart(self, contexts: Sequence[int]) -> list[Plan]:
        """Asks for plans with single decisions between them, so that a strategy that counts falls out of step."""
        plans = []
        asker = self._rows.asker
        with asker.limited():
            for context in contexts:
                sheet = self._rows.sheet(context)
                if not is_planned(self._rows.strategy):
                    asker.choose(sheet, 0)
                    if self.ruleset.throws > 1:
                        asker.keep(sheet, 0, 1)
                plans.append(asker.turn(sheet))
        return plans

    def difference(self, kind: int, context: int, own: Plan | int, other: Plan | int | None) -> str:
        """Says in words how an answer differs from another."""
        if kind != ROW:
            return f"{self._questions.asked_words(kind, context)} returns another answer"
        sheet = self._rows.sheet(context)
        if isinstance(own, Plan) and isinstance(other, Plan):
            asked = f"{_first_difference(sheet, own, other)} returns another answer"
        else:
            asked = "it decides otherwise"
        return f"{asked}, where the sheet shows {sheet.words()}"

    @staticmethod
    def digest(answer: Plan | int) -> Digest:
        """Identifies a plan, or returns an answer as it is."""
        return plan_digest(answer) if isinstance(answer, Plan) else answer


def plan_digest(plan: Plan) -> str:
    """Identifies the decisions of a plan."""
    text = json.dumps([plan.keep_options, plan.choice_options], default=list)
    places = [np.ascontiguousarray(places, np.int64).tobytes() for places in (plan.keeps, plan.choices)]
    return hashlib.sha256(b"".join((text.encode(), *places))).hexdigest()[:16]


def _first_difference(sheet: Sheet, plan: Plan, other: Plan) -> str:
    """Names the first decision in which two plans differ."""
    throws = sheet.ruleset.throws
    for throw in range(throws - 1):
        for roll, dice in enumerate(ROLLS):
            before = plan_options(plan.keeps[throw, roll], plan.keep_options)
            if before != plan_options(other.keeps[throw, roll], other.keep_options):
                return f"keep({dice}, sheet, rolls_left={throws - 1 - throw})"
    roll = next(
        roll
        for roll in range(len(ROLLS))
        if plan_options(plan.choices[roll], plan.choice_options)
        != plan_options(other.choices[roll], other.choice_options)
    )
    return f"choose({ROLLS[roll]}, sheet)"
