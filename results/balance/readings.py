"""All that is known of each ruleset of a balance report, read from the run."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from results.balance.categories import CategoryReading, common_deals, has_sheet, read_categories
from results.balance.diversity import Credits, count_credits
from results.balance.equal_play import count_scores, read_metrics
from results.balance.game_totals import Counting
from results.balance.matches import BalanceMatches, RulesetMatches
from results.balance.measure import Fields
from results.balance.reading import Reading, absent
from results.balance.skill import (
    equal_luck_readings,
    gap_luck_reading,
    gap_reading,
    linear_share,
    optimal_gap_reading,
    reply_reading,
    short_reading,
    strongest_of,
)
from results.balance.thresholds import Thresholds
from results.store import Match, Run

ALL_ALIKE = "nobody is asked anything, so all strategies play alike"


@dataclass(frozen=True)
class BestPlay:
    """What the best play of a ruleset comes to: its mean score, what it loses by category if that is struck out.

    `why_none` says why nothing is known.
    """

    mean: float | None = None
    worths: Mapping[str, float] = field(default_factory=dict)
    why_none: str = ""


@dataclass(frozen=True)
class RulesetReadings:
    """All that is known under one ruleset: its measures by key, its categories by id.

    `fields` are what sentences say of where games begin to count as something.
    """

    matches: RulesetMatches
    taken: Credits
    readings: Mapping[str, Reading]
    categories: Mapping[str, CategoryReading]
    best: BestPlay
    fields: Fields


def read_rulesets(
    run: Run, matches: BalanceMatches, thresholds: Thresholds, best: Mapping[str, BestPlay]
) -> tuple[str, list[RulesetReadings]]:
    """Return the reference, and all that is known under each ruleset; `best` is by the name of a ruleset.

    The reference is the strongest strategy under the base. What equals do is read from the match in which it sits in
    every seat, under each ruleset, so that all is paired. DamagedPart if a part is not whole.
    """
    credits_of = [count_credits(run, matches, own) for own in matches.rulesets]
    reference = credits_of[0].ranking[0]
    deals = common_deals([own.mirrors[reference] for own in matches.rulesets], matches.deals)
    found = []
    for own, taken in zip(matches.rulesets, credits_of, strict=True):
        match = own.mirrors[reference]
        known = best.get(match.ruleset.name, BestPlay())
        if known.mean is None and match.best_mean is not None:
            known = replace(known, mean=match.best_mean)
        fields = _fields(match, thresholds)
        readings = _readings(run, matches, own, taken, reference, _counting(thresholds), known)
        categories = read_categories(run, match, deals) if deals and has_sheet(match) else {}
        found.append(RulesetReadings(own, taken, readings, categories, known, fields))
    return reference, found


def _counting(thresholds: Thresholds) -> Counting:
    comeback, blowout, close = (
        thresholds.counting[f"{name}_share"] for name in ("comeback", "blowout", "close")
    )
    return Counting.of(comeback, blowout, close)


def _fields(match: Match, thresholds: Thresholds) -> Fields:
    """Return how sentences say from where on games count as something."""
    shares = {name: thresholds.counting[f"{name}_share"] for name in ("comeback", "blowout", "close")}
    shares["linear"] = round(linear_share(match.side_count), 2)
    return {name: f"{share * 100:g} %" for name, share in shares.items()}


def _readings(
    run: Run,
    matches: BalanceMatches,
    own: RulesetMatches,
    taken: Credits,
    reference: str,
    counting: Counting,
    best: BestPlay,
) -> dict[str, Reading]:
    match, deals = own.mirrors[reference], matches.deals
    found = read_metrics(run, match, deals, counting) | equal_luck_readings(run, match, deals)
    strongest = strongest_of(taken)
    short = short_reading(
        best.mean, best.why_none, count_scores(run, own.mirrors[strongest], deals), strongest
    )
    found["points_short"] = short
    if own.is_level:
        keys = ("skill_gap", "optimal_gap", "luck_share_gap", "best_reply", "effective_strategies")
        return found | {key: absent(ALL_ALIKE) for key in keys}
    pair = (taken.ranking[0], taken.ranking[-1])
    contest = own.pairs.get(pair) or own.pairs.get(pair[::-1])
    return found | {
        "skill_gap": gap_reading(taken),
        "optimal_gap": optimal_gap_reading(taken),
        "luck_share_gap": gap_luck_reading(run, contest, deals, pair),
        "best_reply": reply_reading(taken),
        "effective_strategies": taken.effective_reading(run.seed),
    }
