"""The tips: each piece of advice is played against its own base, and what it is worth is told with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from jobs.errors import JobError
from jobs.exact_values import Evaluations, reasons_not_exact
from jobs.job import Job, Overrides, build_job
from jobs.plan import JobPlan, MatchPlan
from results.exact import MatchValues
from results.figures import rounded_rates, rounded_values
from results.schema import SCHEMA_VERSION
from results.statistics import Interval, difference_interval, mean_interval
from results.store import Run
from results.tables import rounded_rate, rounded_value
from results.tally import tally_match
from sim.mistakes import near_hint
from sim.ruleset import Ruleset, load_ruleset
from strategies.advice import BASES, Advised
from strategies.lineup import get_player, shipped_strategies

LEVEL = 0.95
HELPS, HURTS, UNSEEN = "helps", "hurts", "no difference seen"

Document = dict[str, Any]


def shipped_tips() -> tuple[str, ...]:
    """Names the pieces of advice that there are, in the order of the registry."""
    names = shipped_strategies("cheerio")
    return tuple(name for name in names if isinstance(get_player(name).strategy, Advised))


def build_tips_job(
    rulesets: Sequence[str], tips: Sequence[str], bases: Sequence[str], games: int, seed: int | None
) -> Job:
    """Builds the job that plays each tip, as `tip-nets` or `tip-nets:price=1`, against each base; all by default.

    Raises JobError for a tip that there isn't, and for every other mistake of the job.
    """
    known = shipped_tips()
    for name in rulesets:
        _check_ruleset(load_ruleset(name))
    for words in tips:
        _check_name("tip", words.partition(":")[0].strip(), known)
    for base in bases:
        _check_name("base", base, tuple(BASES))
    lineups = [[f"{words}:base={base}", base] for words in tips or known for base in bases or BASES]
    return build_job(rulesets, lineups, Overrides(name="tips", seed=seed, games=games))


def _check_ruleset(ruleset: Ruleset) -> None:
    if ruleset.game != "cheerio":
        raise JobError(
            f"{ruleset.name} is a ruleset of {ruleset.game}; the tips are for scoresheets, as in cheerio-bonus"
        )
    if 2 not in ruleset.players:
        allowed = ", ".join(map(str, ruleset.players))
        raise JobError(
            f"{ruleset.name} is for {allowed} players; a tip plays against its base, so give a ruleset for 2"
        )


def _check_name(kind: str, name: str, known: Sequence[str]) -> None:
    if name not in known:
        raise JobError(f"no {kind} is named {name!r}{near_hint(name, known)}; allowed: {', '.join(known)}")


def tips_document(run: Run, plan: JobPlan, workers: int, quiet: bool) -> Document:
    """Returns what each tip of a complete run is worth, as JSON has it.

    Differences are those of the tip less the base: points in points, credit and rates as shares of a game.
    """
    evaluations = Evaluations(False, workers, quiet)
    tips = [_tip(run, match, evaluations) for match in plan.matches]
    return {
        "schema_version": SCHEMA_VERSION,
        "run": str(run.path),
        "seed": run.seed,
        "level": LEVEL,
        "tips": tips,
    }


def _tip(run: Run, plan: MatchPlan, evaluations: Evaluations) -> Document:
    match = plan.match
    advised, base = plan.players
    tally = tally_match(run, match, range(match.chunks))
    exact = _exact_figures(match.lineup, evaluations.match_values(plan, reasons_not_exact(plan)))
    points = tally.score_difference(advised.label, base.label)
    credit = tally.credit_difference(advised.label, base.label)
    within = difference_interval(credit, LEVEL)
    return {
        "tip": advised.label.removesuffix(f":base={base.label}"),
        "words": cast("Advised", advised.strategy).advice,
        "base": base.label,
        "ruleset": match.ruleset.name,
        "games": match.games,
        "deals": match.deals,
        "points_difference": rounded_value(points.mean),
        "points_interval": rounded_values(mean_interval(points, LEVEL)),
        "credit_difference": rounded_rate(credit.mean),
        "credit_interval": rounded_rates(within),
        **exact,
        "verdict": verdict_of(within, exact["exact_credit_difference"]),
    }


def _exact_figures(lineup: Sequence[str], values: MatchValues) -> Document:
    """Returns what is known exactly of a match of two, or why it isn't."""
    if values.outcome is None:
        reasons: Mapping[str, str] = values.not_exact
        return {
            "exact_points_difference": None,
            "exact_credit_difference": None,
            "exact_win_rate": None,
            "why_not_exact": "; ".join(dict.fromkeys(reasons[label] for label in lineup if label in reasons)),
        }
    means = [values.strategies[label].mean for label in lineup]
    credit = values.outcome.credit_rates
    return {
        "exact_points_difference": rounded_value(means[0] - means[1]),
        "exact_credit_difference": rounded_rate(credit[0] - credit[1]),
        "exact_win_rate": rounded_rate(values.outcome.win_rates[0]),
        "why_not_exact": None,
    }


def verdict_of(interval: Interval | None, exact: float | None) -> str:
    """Returns whether advice helps to win: by the exact credit where that is known, else by the interval."""
    low, high = interval or (-1.0, 1.0)
    if exact is not None:
        low = high = exact
    return HELPS if low > 0 else HURTS if high < 0 else UNSEEN
