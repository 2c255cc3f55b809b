"""What every strategy must satisfy: a rule in words, legal decisions, and no dependence on what it doesn't see."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sim.dice import ROLLS
from sim.lanes import COLUMN
from sim.reference import Entries, View, view_of
from sim.ruleset import Ruleset
from sim.views import views_context
from sim.worth import build_worth
from strategies.deciding import shown_views
from strategies.elsewhere import answer_elsewhere, plan_digest
from strategies.lineup import Player, rebuild_player
from strategies.plans import plan_options
from strategies.rows import RowMaker
from strategies.strategy import Plan, Sheet, StrategyError, build_scoresheet, is_planned
from strategies.tables import MIXED_BYTES

#: The most contexts that a check asks about.
MOST_ASKED = 200

Clock = Callable[[], float]
#: How the sheets of a sample are filled: from the points that each roll pays, with none, the most, or any.
Filling = Callable[[Sequence[int], random.Random], int]
FILLINGS: tuple[Filling, ...] = (
    lambda _points, _draw: 0,
    lambda points, _draw: max(points),
    lambda points, draw: draw.choice(points),
)


@dataclass(frozen=True)
class StrategyCheck:
    """What a check of one strategy under one ruleset finds; no problems means that it may play.

    `contexts` counts the situations that its decisions may depend on (where not `whole`, at most: they are
    asked for as play meets them), `asked` those that were tried. `table_bytes` and `seconds_to_fill` are for all of
    `contexts`; the seconds are None where no clock is given.
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


def check_strategy(player: Player, ruleset: Ruleset, clock: Clock | None = None) -> StrategyCheck:
    """Checks a strategy: its rule, and over a sample that its decisions are legal and always the same.

    They are asked twice, in two orders and with two seeds of the global generators, of a second instance, and
    in another process. `clock` returns seconds.
    """
    maker = RowMaker(player, ruleset)
    contexts = sample_contexts(player, ruleset)
    problems = (
        [] if player.rule else ["it has no rule: write its rule in plain words as the docstring of its class"]
    )
    seconds: float | None = None
    plans: list[Plan] = []
    try:
        plans, seconds = _timed_plans(maker, contexts, clock)
    except StrategyError as error:
        problems.append(str(error))
    else:
        problems += _impurities(player, ruleset, contexts, plans)
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
    )


def sample_contexts(player: Player, ruleset: Ruleset) -> list[int]:
    """Returns contexts that play can meet: all where few, else some of every round and of every extreme."""
    maker = RowMaker(player, ruleset)
    if maker.whole and ruleset.turns < MOST_ASKED.bit_length():
        return [int(context) for context in maker.whole_contexts()]
    found: dict[int, None] = {}
    for view in _sample_views(ruleset):
        found.setdefault(views_context(ruleset, maker.sees, shown_views(view, maker.sees)))
    contexts = list(found)
    step = -(-len(contexts) // MOST_ASKED)
    return contexts[::step]


def _sample_views(ruleset: Ruleset) -> Iterator[View]:
    """Yields views of sheets filled with zeros, with the most points, or with what chance brings."""
    draw = random.Random(ruleset.digest)
    worth = build_worth(ruleset).tolist()
    points = build_scoresheet(ruleset).points
    seats = min(max(ruleset.players), 3)
    for filled in range(ruleset.turns):
        for own in FILLINGS:
            for rivals in FILLINGS:
                # A rival may have had its turn of this round or not.
                others = [_sheet(ruleset, filled + draw.randrange(2), rivals, draw) for _ in range(seats - 1)]
                yield view_of(ruleset, [_sheet(ruleset, filled, own, draw), *others], 0, worth)
        # The filled categories from either end of the sheet.
        order = range(ruleset.turns)
        for categories in (order[:filled], order[ruleset.turns - filled :]):
            sheet = {category: FILLINGS[-1](points[category].tolist(), draw) for category in categories}
            yield view_of(ruleset, [sheet] * seats, 0, worth)


def _sheet(ruleset: Ruleset, filled: int, filling: Filling, draw: random.Random) -> Entries:
    points = build_scoresheet(ruleset).points
    return {
        category: filling(points[category].tolist(), draw)
        for category in draw.sample(range(ruleset.turns), filled)
    }


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
    player: Player, ruleset: Ruleset, contexts: Sequence[int], plans: Sequence[Plan]
) -> list[str]:
    backwards = list(contexts)[::-1]
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            again = RowMaker(player, ruleset)
            second = RowMaker(rebuild_player(player.source, Path(folder)), ruleset)
            for maker, saying in ((again, "asked a second time"), (second, "asked of a second instance")):
                with seeded(2):
                    answers = _ask_again(maker, backwards)[::-1]
                problems += _differences(maker, contexts, plans, answers, saying)
                if problems:
                    return problems
            expected = [plan_digest(plan) for plan in plans]
            elsewhere = answer_elsewhere(player.source, ruleset, contexts)
        except StrategyError as error:
            return [f"asked again, it fails: {error}"]
    for context, own, other in zip(contexts, expected, elsewhere, strict=True):
        if own != other:
            seen = again.sheet(context).words()
            return [f"asked in another process, it decides otherwise, where the sheet shows {seen}; {PURE}"]
    return []


PURE = (
    "decisions may depend on nothing but the dice, the sheet and the rolls left: "
    "not on chance (use sheet.coin), time, the order of a set, or what was asked before"
)


def _ask_again(maker: RowMaker, contexts: Sequence[int]) -> list[Plan]:
    """Asks for plans with single decisions between them, so that a strategy that counts falls out of step."""
    plans = []
    with maker.asker.limited():
        for context in contexts:
            sheet = maker.sheet(context)
            if not is_planned(maker.player.strategy):
                maker.asker.choose(sheet, 0)
                if maker.ruleset.throws > 1:
                    maker.asker.keep(sheet, 0, 1)
            plans.append(maker.asker.turn(sheet))
    return plans


def _differences(
    maker: RowMaker, contexts: Sequence[int], plans: Sequence[Plan], others: Sequence[Plan], saying: str
) -> list[str]:
    for context, plan, other in zip(contexts, plans, others, strict=True):
        if plan_digest(plan) != plan_digest(other):
            return [f"{saying}, {_first_difference(maker.sheet(context), plan, other)}; {PURE}"]
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
