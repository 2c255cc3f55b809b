"""What every strategy must satisfy: a rule in words, legal decisions, and no dependence on what it doesn't see."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sim.cheerio_ruleset import CheerioRuleset
from sim.dice import ROLLS
from sim.lanes import COLUMN, FORFEIT, STEAL
from strategies.answers import AnswerMaker
from strategies.elsewhere import Answers, Contexts, answer_elsewhere, plan_digest
from strategies.lineup import Player, rebuild_player
from strategies.plans import plan_options
from strategies.rows import RowMaker
from strategies.samples import sample_contexts, sample_forfeits, sample_offers
from strategies.strategy import Plan, Sheet, StrategyError, is_planned
from strategies.tables import MIXED_BYTES

Clock = Callable[[], float]


@dataclass(frozen=True)
class StrategyCheck:
    """What a check of one strategy under one ruleset finds; no problems means that it may play.

    `contexts` counts the situations that its decisions may depend on (where not `whole`, at most: they are
    asked for as play meets them), `asked` those that were tried. `table_bytes` and `seconds_to_fill` are for all of
    `contexts`; the seconds are None where no clock is given. `offers` and `forfeits` count the questions of a steal
    that were tried, 0 where the strategy is asked none.
    """

    name: str
    rule: str
    sees: tuple[str, ...]
    whole: bool
    contexts: int
    asked: int
    table_bytes: int
    seconds_per_decision: float | None
    seconds_to_fill: float | None
    problems: tuple[str, ...]
    offers: int = 0
    forfeits: int = 0


def check_strategy(player: Player, ruleset: CheerioRuleset, clock: Clock | None = None) -> StrategyCheck:
    """Checks a strategy: its rule, and over a sample that its decisions are legal and always the same.

    They are asked twice, in two orders and with two seeds of the global generators, of a second instance, and
    in another process. `clock` returns seconds.
    """
    maker, questions = RowMaker(player, ruleset), AnswerMaker(player, ruleset)
    contexts = Contexts(
        sample_contexts(player, ruleset), sample_offers(questions), sample_forfeits(questions)
    )
    problems = (
        [] if player.rule else ["it has no rule: write its rule in plain words as the docstring of its class"]
    )
    seconds: float | None = None
    plans: list[Plan] = []
    answers = Answers([], [], [])
    try:
        plans, seconds = _timed_plans(maker, contexts.rows, clock)
        answers = _answers(questions, contexts, plans)
    except StrategyError as error:
        problems.append(str(error))
    else:
        problems += _impurities(player, ruleset, contexts, plans, answers)
    size = (1 << ruleset.turns) - 1 if maker.whole else maker.size
    return StrategyCheck(
        name=player.label,
        rule=player.rule,
        sees=player.sees,
        whole=maker.whole,
        contexts=size,
        asked=len(plans),
        table_bytes=size * ruleset.throws * COLUMN * (MIXED_BYTES if maker.mixes else 1),
        seconds_per_decision=None if seconds is None else seconds / (ruleset.throws * len(ROLLS)),
        seconds_to_fill=None if seconds is None else seconds * size,
        problems=tuple(problems),
        offers=len(answers.offers),
        forfeits=len(answers.forfeits),
    )


def _answers(questions: AnswerMaker, contexts: Contexts, plans: Sequence[Plan]) -> Answers:
    with seeded(1):
        return Answers(
            [plan_digest(plan) for plan in plans],
            questions.make(STEAL, contexts.offers),
            questions.make(FORFEIT, contexts.forfeits),
        )


def _timed_plans(
    maker: RowMaker, contexts: Sequence[int], clock: Clock | None
) -> tuple[list[Plan], float | None]:
    """Asks for plans and measures the seconds of one, once what is built at the first is there."""
    with seeded(1):
        maker.make(contexts[:1])
        begun = clock() if clock else 0.0
        plans = maker.make(contexts)
        return plans, (clock() - begun) / len(contexts) if clock else None


def _impurities(
    player: Player, ruleset: CheerioRuleset, contexts: Contexts, plans: Sequence[Plan], answers: Answers
) -> list[str]:
    maker, questions = RowMaker(player, ruleset), AnswerMaker(player, ruleset)
    with tempfile.TemporaryDirectory() as folder:
        try:
            second = rebuild_player(player.source, Path(folder))
            for again, asking, saying in (
                (maker, questions, "asked a second time"),
                (RowMaker(second, ruleset), AnswerMaker(second, ruleset), "asked of a second instance"),
            ):
                with seeded(2):
                    others = _ask_again(again, contexts.rows[::-1])[::-1]
                    other_answers = _answer_again(asking, contexts)
                problems = _differences(again, contexts.rows, plans, others, saying)
                problems += _other_answers(asking, contexts, answers, other_answers, saying)
                if problems:
                    return problems[:1]
            elsewhere = answer_elsewhere(player.source, ruleset, contexts)
        except StrategyError as error:
            return [f"asked again, it fails: {error}"]
    for context, own, other in zip(contexts.rows, answers.rows, elsewhere.rows, strict=True):
        if own != other:
            seen = maker.sheet(context).words()
            return [f"asked in another process, it decides otherwise, where the sheet shows {seen}; {PURE}"]
    return _other_answers(questions, contexts, answers, elsewhere, "asked in another process")


PURE = (
    "decisions may depend on nothing but the dice or the offer, the sheet and the rolls left: "
    "not on chance (use sheet.coin), time, the order of a set, or what was asked before"
)


def _ask_again(maker: RowMaker, contexts: Sequence[int]) -> list[Plan]:
    """Asks for plans with single decisions between them, so that a strategy that counts falls out of step."""
    plans = []
    with maker.asker.limited():
        for context in contexts:
            sheet = maker.sheet(context)
            if not is_planned(maker.strategy):
                maker.asker.choose(sheet, 0)
                if maker.ruleset.throws > 1:
                    maker.asker.keep(sheet, 0, 1)
            plans.append(maker.asker.turn(sheet))
    return plans


def _answer_again(questions: AnswerMaker, contexts: Contexts) -> Answers:
    offers = questions.make(STEAL, contexts.offers[::-1])[::-1]
    return Answers([], offers, questions.make(FORFEIT, contexts.forfeits[::-1])[::-1])


def _differences(
    maker: RowMaker, contexts: Sequence[int], plans: Sequence[Plan], others: Sequence[Plan], saying: str
) -> list[str]:
    for context, plan, other in zip(contexts, plans, others, strict=True):
        if plan_digest(plan) != plan_digest(other):
            return [f"{saying}, {_first_difference(maker.sheet(context), plan, other)}; {PURE}"]
    return []


def _other_answers(
    questions: AnswerMaker, contexts: Contexts, answers: Answers, others: Answers, saying: str
) -> list[str]:
    for kind, asked, own, other in (
        (STEAL, contexts.offers, answers.offers, others.offers),
        (FORFEIT, contexts.forfeits, answers.forfeits, others.forfeits),
    ):
        for context, answer, second in zip(asked, own, other, strict=True):
            if answer != second:
                words = questions.asked_words(kind, context)
                return [f"{saying}, {words} is another than before; {PURE}"]
    return []


def _first_difference(sheet: Sheet, plan: Plan, other: Plan) -> str:
    throws = sheet.ruleset.throws
    for throw in range(throws - 1):
        for roll, dice in enumerate(ROLLS):
            before = plan_options(plan.keeps[throw, roll], plan.keep_options)
            after = plan_options(other.keeps[throw, roll], other.keep_options)
            if before != after:
                asked = f"keep({dice}, sheet, rolls_left={throws - 1 - throw})"
                return f"{asked} is another than before, where the sheet shows {sheet.words()}"
    roll = next(
        roll
        for roll in range(len(ROLLS))
        if plan_options(plan.choices[roll], plan.choice_options)
        != plan_options(other.choices[roll], other.choice_options)
    )
    return f"choose({ROLLS[roll]}, sheet) is another than before, where the sheet shows {sheet.words()}"


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seeds the global generators inside this block, and puts them back as they were."""
    before, before_numpy = random.getstate(), np.random.get_state()
    random.seed(seed)
    np.random.seed(seed)
    try:
        yield
    finally:
        random.setstate(before)
        np.random.set_state(before_numpy)
