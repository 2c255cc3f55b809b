"""The comparison of strategies on the same deals: one document of rounded figures, from which every format is drawn."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from results.comparison.contests import Contests, count_contests
from results.comparison.pair_sums import PairSums, count_pairs
from results.comparison.pairs import plan_pairs
from results.comparison.ranks import (
    Shown,
    are_linked,
    cycles_among,
    difference_chance,
    holm_adjusted,
    ordered_by_leads,
    rank_bounds,
)
from results.comparison.rating_document import ratings_document
from results.comparison.ratings import Rated, Ratings, fit_ratings, is_connected
from results.comparison.sources import Comparison, Source, choose_sources
from results.comparison.words import conclusion_of
from results.control import Folds
from results.figures import Document, mean_figure, rate_difference, rate_figure
from results.luck import ROUNDING, adjusted_difference, adjusted_mean
from results.schema import SCHEMA_VERSION
from results.statistics import DealSums
from results.store import Run
from results.tables import rounded_rate, rounded_value

FIRST_IS_BETTER, NO_DIFFERENCE = "first is better", "no difference is shown"
_SOLITAIRE_RATINGS = (
    "In solitaire nobody is placed before another, so there are no ratings; scores say who is better."
)
_APART_RATINGS = (
    "No chain of games links all strategies, so they have no common scale and there are no ratings."
)


@dataclass(frozen=True)
class _Turned:
    """A pair seen from its better side, with its p-value and the one that is adjusted for all pairs."""

    first: str
    second: str
    sums: PairSums
    turned: bool
    chance: float | None
    adjusted: float | None = None

    def difference(self, measure: str) -> DealSums:
        sums = self.sums.differences[measure]
        return replace(sums, total=-sums.total) if self.turned else sums

    def folds(self, measure: str) -> Folds | None:
        folds = self.sums.folds.get(measure)
        return -folds if folds and self.turned else folds


def compare_runs(
    runs: Sequence[Run],
    ruleset: str | None = None,
    strategies: Sequence[str] = (),
    seats: int | None = None,
    level: float = 0.95,
) -> Document:
    """Return the comparison of the strategies of some runs, at a level of confidence.

    Rates are fractions of six decimals, other figures have four; None stands where a figure is undefined. RunError says
    why the runs can't be compared, or that what was asked is not there.
    """
    comparison = choose_sources(runs, ruleset, strategies, seats)
    pairs = _better_first(count_pairs(comparison.sources, plan_pairs(comparison)), comparison)
    shown = {
        (pair.first, pair.second)
        for pair in pairs
        if pair.adjusted is not None and pair.adjusted <= 1 - level and _lead(pair, comparison) > 0
    }
    contests = None if comparison.is_solitaire else count_contests(comparison)
    ratings = None
    if contests and len(contests.entries) > 1 and is_connected(contests):
        ratings = fit_ratings(contests, comparison.seed)
    ranks = rank_bounds(comparison.entries, shown)
    leads = {(pair.first, pair.second): _lead(pair, comparison) for pair in pairs}
    linked = are_linked(comparison.entries, leads)
    order = _order(ordered_by_leads(comparison.entries, leads), ranks, pairs, _strengths(contests, ratings))
    document: Document = {
        "schema_version": SCHEMA_VERSION,
        "runs": [str(run.path) for run in comparison.runs],
        "ruleset": comparison.ruleset.name,
        "title": comparison.ruleset.title,
        "game": comparison.ruleset.game,
        "seed": comparison.seed,
        "level": level,
        "solitaire": comparison.is_solitaire,
        "complete": all(source.deals == source.match.deals for source in comparison.sources),
        "remarks": list(comparison.remarks),
        "matches": [_match(source) for source in comparison.sources],
        "strategies": [
            {"strategy": entry, "rank": rank if linked else None, "rank_interval": list(ranks[entry])}
            for rank, entry in enumerate(order, 1)
        ],
        "pairs": [_pair(pair, comparison, shown, level) for pair in _listed(pairs, order)],
        "absent": _absent(comparison, pairs),
        "linked": linked,
        "cycles": cycles_among(order, shown),
        "ratings": [],
        "model": None,
        "no_ratings": _SOLITAIRE_RATINGS if comparison.is_solitaire else _APART_RATINGS,
    }
    if contests and ratings:
        document |= ratings_document(contests, ratings, order, level)
    return {"conclusion": conclusion_of(document), **document}


def _measure(comparison: Comparison) -> str:
    return "score" if comparison.is_solitaire else "credit"


def _lead(pair: _Turned, comparison: Comparison) -> float:
    return pair.difference(_measure(comparison)).mean or 0.0


def _better_first(counted: Sequence[PairSums], comparison: Comparison) -> list[_Turned]:
    """Return the pairs with the better first: by credit, or else by score; level ones stay as they are."""
    measure = _measure(comparison)
    turned = []
    for sums in counted:
        totals = [sums.differences[key].total for key in (measure, "score")]
        backwards = next((total for total in totals if total), 0) < 0
        names = (sums.pair.second, sums.pair.first) if backwards else (sums.pair.first, sums.pair.second)
        chance = difference_chance(sums.differences[measure], of_rates=measure == "credit")
        turned.append(_Turned(*names, sums, backwards, chance))
    adjusted = holm_adjusted([pair.chance for pair in turned])
    return [replace(pair, adjusted=value) for pair, value in zip(turned, adjusted, strict=True)]


def _strengths(contests: Contests | None, ratings: Ratings | None) -> dict[str, Rated]:
    if contests is None or ratings is None:
        return {}
    return dict(zip(contests.entries, ratings.strengths, strict=True))


def _order(
    by_leads: Sequence[str],
    ranks: dict[str, tuple[int, int]],
    pairs: Sequence[_Turned],
    strengths: dict[str, Rated],
) -> list[str]:
    """Return the entries from the best to the worst: by what is shown, and then by what all pairs look like."""
    # Side by side, a lead is the smaller one of two shares of other games, so that leads of both kinds don't add up.
    mixed = len({pair.sums.pair.how for pair in pairs}) > 1
    values = {entry: rated.value for entry, rated in strengths.items()} if mixed else {}
    return sorted(by_leads, key=lambda entry: (sum(ranks[entry]), -values.get(entry, 0.0)))


def _listed(pairs: Sequence[_Turned], order: Sequence[str]) -> list[_Turned]:
    ranks = {entry: rank for rank, entry in enumerate(order)}
    return sorted(pairs, key=lambda p: sorted((ranks[p.first], ranks[p.second])))


def _match(source: Source) -> Document:
    match = source.match
    return {
        "run": source.run.path.name,
        "match": match.number,
        "lineup": list(source.names),
        "sides": list(match.sides),
        "deals": source.deals,
        "deals_planned": match.deals,
        "games": source.deals * match.seatings,
    }


def _pair(pair: _Turned, comparison: Comparison, shown: Shown, level: float) -> Document:
    sums, contested = pair.sums, not comparison.is_solitaire
    sources = {index: comparison.sources[index] for index in sorted(sums.pair.coefficients)}
    score = mean_figure("score_difference", pair.difference("score"), level)
    told: Document = {
        "first": pair.first,
        "second": pair.second,
        "how": sums.pair.how,
        "credit_difference": None,
        "credit_interval": None,
        **_credit(pair, level, contested),
        "score_difference": score["score_difference"],
        "score_interval": score["score_difference_interval"],
        **_adjusted(pair, level, contested),
        "deals": sums.pair.deals,
        "games": sum(sums.pair.deals * source.match.seatings for source in sources.values()),
        "matches": [{"run": s.run.path.name, "match": s.match.number} for s in sources.values()],
        **rate_figure("divergent_rate", sums.divergent, level),
        "variance_ratio": rounded_value(sums.variance_ratio(_measure(comparison))),
        "score_variance_ratio": rounded_value(sums.variance_ratio("score")),
        "p": rounded_rate(pair.chance),
        "p_adjusted": rounded_rate(pair.adjusted),
        "verdict": FIRST_IS_BETTER if (pair.first, pair.second) in shown else NO_DIFFERENCE,
    }
    return told


def _credit(pair: _Turned, level: float, contested: bool) -> Document:
    if not contested:
        return {}
    told = rate_difference("credit_difference", pair.difference("credit"), level)
    return {
        "credit_difference": told["credit_difference"],
        "credit_interval": told["credit_difference_interval"],
    }


def _adjusted(pair: _Turned, level: float, contested: bool) -> Document:
    """Return the differences with luck taken off, where it is kept in all games of the pair."""
    score, credit = pair.folds("score"), pair.folds("credit")
    if score is None:
        return {}
    told = adjusted_mean("score_difference_adjusted", score, level, 2 * ROUNDING)
    if contested:
        told |= adjusted_difference("credit_difference_adjusted", credit, level)
    return told


def _absent(comparison: Comparison, pairs: Sequence[_Turned]) -> list[list[str]]:
    there = {frozenset((pair.first, pair.second)) for pair in pairs}
    entries = comparison.entries
    return [
        [one, other]
        for k, one in enumerate(entries)
        for other in entries[k + 1 :]
        if frozenset((one, other)) not in there
    ]
