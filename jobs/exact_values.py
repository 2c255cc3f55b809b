"""Evaluates the strategies of matches exactly: what each scores, and who wins how often."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import sim
from jobs.filling import whole_rows
from jobs.plan import MatchPlan
from jobs.progress import PLAIN_SECONDS, Filling, note
from results.exact import (
    CategoryValues,
    CostlyDecision,
    MatchValues,
    Outcome,
    Regret,
    StrategyValues,
    code_digests,
    entry_strategies,
)
from results.manifest import Match
from sim.cheerio_ruleset import CheerioRuleset
from sim.ruleset import Ruleset
from strategies import regret as regrets
from strategies.exact import Evaluation, evaluate, why_not_exact
from strategies.files import read_shipped
from strategies.lineup import Player
from strategies.outcome import ScoreLaw, lineup_outcome
from strategies.strategy import StrategyError
from strategies.valuation import build_valuation

#: The modules that exact values come from; those that these are built on are found from them.
_MODULES = ("strategies.exact", "strategies.outcome", "strategies.regret")


def computing_code() -> dict[str, str]:
    """Returns the digests of the files that exact values hang on beside the strategies' own."""
    packages = Path(sim.__path__[0])
    names = [f"sim/{path.name}" for path in packages.glob("*.py")]
    names += [f"{module.replace('.', '/')}.py" for module, _ in read_shipped(_MODULES)]
    return code_digests(sorted(names))


def reasons_not_exact(plan: MatchPlan, changed: Sequence[str] = ()) -> dict[str, str]:
    """Returns why strategies of a match are not evaluated, by label, for those that are not.

    `changed` names those that are not any more what the match was played with, and that the plan lacks.
    """
    reasons = dict.fromkeys(changed, "its source has changed since the run")
    alone = {
        label
        for entry in plan.match.side_names
        for labels in [entry_strategies(plan.match, entry)]
        if len(labels) == 1
        for label in labels
    }
    for player in plan.players:
        label = player.label
        if reason := _why_not(player, plan.ruleset):
            reasons[label] = reason
        elif label not in alone:
            reasons[label] = "it shares its sheet with another strategy, and the two have no law of their own"
    return reasons


class Evaluations:
    """Evaluates players, each once for all matches of a command; progress goes to stderr.

    `failures` tells in full of the players whose decisions fail.
    """

    def __init__(self, regret: bool, workers: int, quiet: bool = False) -> None:
        self._regret = regret
        self._workers = workers
        self._quiet = quiet
        self._found: dict[tuple[str, Ruleset], StrategyValues | str] = {}
        self.failures: list[str] = []

    def match_values(self, plan: MatchPlan, reasons: Mapping[str, str]) -> MatchValues:
        """Returns the exact values of a match; `reasons` says of some strategies why they are left out."""
        not_exact = dict(reasons)
        strategies: dict[str, StrategyValues] = {}
        for player in dict.fromkeys(plan.players):
            if player.label in reasons:
                continue
            found = self._values(player, cast("CheerioRuleset", plan.ruleset))
            if isinstance(found, str):
                not_exact[player.label] = found
            else:
                strategies[player.label] = found
        sources = {player.label: player.source.digest for player in plan.players}
        outcome, why = _outcome(plan.match, strategies)
        return MatchValues(
            ruleset=plan.ruleset.digest,
            sources={label: sources[label] for label in strategies},
            best_mean=_best_mean(plan.ruleset) if strategies else None,
            strategies=strategies,
            not_exact=not_exact,
            outcome=outcome,
            why_no_outcome=why,
        )

    def _values(self, player: Player, ruleset: CheerioRuleset) -> StrategyValues | str:
        """Returns the exact values of a player, or why its decisions fail."""
        key = player.label, ruleset
        if key not in self._found:
            try:
                whole = whole_rows(player, ruleset, self._workers, Filling(self._quiet))
                following = _Following(player.label, ruleset.name, self._quiet)
                self._found[key] = _stored(evaluate(player, ruleset, self._regret, whole, following))
            except StrategyError as error:
                self.failures.append(str(error))
                self._found[key] = "; ".join(line.strip() for line in str(error).splitlines())
        return self._found[key]


class _Following:
    """Tells how far a strategy is followed, in plain lines on stderr once it takes long."""

    def __init__(self, label: str, ruleset: str, quiet: bool) -> None:
        self._words = f"following {label} under {ruleset} through all its sheets"
        self._quiet = quiet
        self._told = time.monotonic()

    def __call__(self, turn: int, turns: int) -> None:
        now = time.monotonic()
        if not self._quiet and now - self._told >= PLAIN_SECONDS / 2:
            self._told = now
            note(f"{self._words}: turn {turn + 1} of {turns}")


def _why_not(player: Player, ruleset: Ruleset) -> str | None:
    try:
        return why_not_exact(player, ruleset)
    except StrategyError as error:
        return str(error)


def _best_mean(ruleset: Ruleset) -> float:
    return build_valuation(cast("CheerioRuleset", ruleset)).start


def _outcome(match: Match, strategies: Mapping[str, StrategyValues]) -> tuple[Outcome | None, str]:
    """Returns how games end, or why that can't be said; neither for one side alone."""
    if match.is_solitaire:
        return None, ""
    laws = []
    for name in match.side_names:
        labels = entry_strategies(match, name)
        own = strategies.get(labels.pop())
        if own is None or labels:
            return None, f"the scores of {name} have no known law"
        laws.append(ScoreLaw(own.low, own.law))
    ended = lineup_outcome(laws, match.tiebreak == "roll-off")
    return Outcome(
        win_rates=ended.win_rates,
        shared_rates=ended.shared_rates,
        credit_rates=ended.credit_rates,
        tie_rate=ended.tie_rate,
        by_tied={str(sides): rate for sides, rate in ended.by_tied.items()},
        by_rounds={str(rounds): rate for rounds, rate in ended.by_rounds.items()},
    ), ""


def _stored(found: Evaluation) -> StrategyValues:
    return StrategyValues(
        low=found.scores.low,
        chances=tuple(found.scores.chances.tolist()),
        bonus_rate=found.bonus_rate,
        jokers_mean=found.jokers_mean,
        throws_mean=found.throws_mean,
        situations=found.situations,
        categories=tuple(
            CategoryValues(id=law.id, mean=law.mean, zero_rate=law.zero_rate) for law in found.categories
        ),
        regret=None if found.regret is None else _stored_regret(found.regret),
    )


def _stored_regret(found: regrets.Regret) -> Regret:
    return Regret(
        total=found.total,
        by_decision=found.by_decision,
        by_turn=found.by_turn,
        by_category=found.by_category,
        costly=tuple(
            CostlyDecision(words=one.words, times=one.times, loss=one.loss, cost=one.cost)
            for one in found.costly
        ),
    )
