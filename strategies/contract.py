"""What every strategy must satisfy: a rule in words, legal decisions, and no dependence on what it doesn't see."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sim.ruleset import Ruleset
from strategies.elsewhere import answer_elsewhere
from strategies.lineup import Player, rebuild_player
from strategies.strategy import NO_RULE, StrategyError
from strategies.trial import Trial

Clock = Callable[[], float]


@dataclass(frozen=True)
class StrategyCheck:
    """What a check of one strategy under one ruleset finds; no problems means that it may play.

    `contexts` counts the situations that its decisions may depend on (where not `whole`, at most: they are
    asked for as play meets them), `asked` those that were tried, one that failed included.
    `table_bytes` and `seconds_to_fill` are for all of `contexts`; the seconds are None where no clock is given.
    `offers` and `forfeits` count the questions of a steal that were tried, 0 where the strategy is asked none.
    """

    name: str
    rule: str
    sees: tuple[str, ...]
    whole: bool
    contexts: int
    table_bytes: int
    seconds_per_decision: float | None
    seconds_to_fill: float | None
    problems: tuple[str, ...]
    asked: int = 0
    offers: int = 0
    forfeits: int = 0


def check_strategy(
    kind: type[Trial], player: Player, ruleset: Ruleset, clock: Clock | None = None
) -> StrategyCheck:
    """Checks a strategy: its rule, and over a sample that its decisions are legal and always the same.

    They are asked twice, in two orders and with two seeds of the global generators, of a second instance, and
    in another process. `kind` asks them; `clock` returns seconds.
    """
    trial = kind(player, ruleset)
    contexts = trial.sample()
    problems = [] if player.rule else [NO_RULE]
    seconds: float | None = None
    answers: list[list[Any]] = []
    failed: list[int] = []
    before = 0
    try:
        # What is built at the first question is not measured.
        with seeded(1):
            trial.ask(0, contexts[0][:1])
        for place, asked in enumerate(contexts):
            before, begun = trial.asked, clock() if clock else 0.0
            with seeded(1):
                answers.append(trial.ask(place, asked))
            if place == 0 and clock and asked:
                seconds = (clock() - begun) / len(asked)
    except StrategyError as error:
        problems.append(str(error))
        failed = [trial.asked - before]
    else:
        problems += _impurities(kind, player, ruleset, contexts, answers)
    return StrategyCheck(
        name=player.label,
        rule=player.rule,
        sees=player.sees,
        whole=trial.whole,
        contexts=trial.contexts,
        table_bytes=trial.table_bytes,
        seconds_per_decision=None if seconds is None else seconds / trial.decisions_per_context,
        seconds_to_fill=None if seconds is None else seconds * trial.contexts,
        problems=tuple(problems),
        **dict(zip(trial.kinds, [*map(len, answers), *failed], strict=False)),
    )


def _impurities(
    kind: type[Trial],
    player: Player,
    ruleset: Ruleset,
    contexts: Sequence[Sequence[int]],
    answers: Sequence[Sequence[Any]],
) -> list[str]:
    """Asks again in every way that must make no difference, and returns the first difference in words."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            second = rebuild_player(player.source, Path(folder))
            for again, saying in ((player, "asked a second time"), (second, "asked of a second instance")):
                trial = kind(again, ruleset)
                with seeded(2):
                    others = [trial.ask_backwards(place, asked) for place, asked in enumerate(contexts)]
                for place, context, own, other in _pairs(contexts, answers, others):
                    if trial.digest(own) != trial.digest(other):
                        return [f"{saying}, {trial.difference(place, context, own, other)}; {kind.advice}"]
            elsewhere = answer_elsewhere(kind, player.source, ruleset, contexts)
        except StrategyError as error:
            return [f"asked again, it fails: {error}"]
    for place, context, own, other in _pairs(contexts, answers, elsewhere):
        if trial.digest(own) != other:
            difference = trial.difference(place, context, own, None)
            return [f"asked in another process, {difference}; {kind.advice}"]
    return []


def _pairs(
    contexts: Sequence[Sequence[int]], answers: Sequence[Sequence[Any]], others: Sequence[Sequence[Any]]
) -> Iterator[tuple[int, int, Any, Any]]:
    """Yields each question's kind and context with both of its answers."""
    for place, questions in enumerate(zip(contexts, answers, others, strict=True)):
        for context, own, other in zip(*questions, strict=True):
            yield place, context, own, other


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
