"""The summary of a run: one document of rounded figures, from which every format is drawn."""

import math
from collections.abc import Sequence
from typing import Any

from results import beside
from results.conclusion import conclusion_of
from results.distribution import distribution
from results.exact import MatchValues, load_exact
from results.figures import Document, count_figure, mean_figure, rate_figure, ratio_figure
from results.schema import SCHEMA_VERSION
from results.statistics import (
    design_effect,
    quantile,
    quantile_interval,
    standard_deviation,
)
from results.store import Match, Run, RunError
from results.tables import rounded_rate, rounded_value
from results.tally import CategorySums, MatchTally, course_measures, tally_match
from results.variants import variants_of
from results.words import USUAL_GAME, WORDS

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def summarise_run(run: Run, matches: Sequence[Match], level: float = 0.95) -> Document:
    """Return the summary of matches of a run, at a level of confidence; RunError if nothing is played yet.

    Rates are fractions of six decimals, other figures have four; None stands where a figure is undefined. Exact values
    stand beside where the run's folder has them; `remarks` says what of them had to be left aside.
    """
    # Listed once: a run that is being written grows, and all figures must be of the same moment.
    committed = {match.number: run.committed_chunks(match) for match in matches}
    if not any(committed.values()):
        raise RunError(f"{run.path} holds no games of what was asked yet; resume the run to play them.")
    exact, remarks = load_exact(run)
    return {
        "schema_version": SCHEMA_VERSION,
        "run": str(run.path),
        "job": run.name,
        "seed": run.seed,
        "level": level,
        "complete": all(len(committed[match.number]) == match.chunks for match in matches),
        **_where(bool(remarks), remarks=remarks),
        "matches": [
            summarise_match(run, match, level, committed[match.number], exact.get(match.number))
            for match in matches
        ],
    }


def summarise_match(
    run: Run,
    match: Match,
    level: float = 0.95,
    chunks: Sequence[int] | None = None,
    exact: MatchValues | None = None,
) -> Document:
    """Return the summary of one match, of the chunks given or else of all that are committed now.

    Given exact values, the figures stand beside them.
    """
    chunks = run.committed_chunks(match) if chunks is None else chunks
    variants = variants_of(match)
    shown = None if exact is None else beside.Beside(exact)
    tally = tally_match(run, match, chunks, [*variants, *([shown] if shown else [])])
    deals = tally.of("score", tally.entries[0]).deals
    contested = not match.is_solitaire
    game = match.ruleset.game
    return {
        "match": match.number,
        "ruleset": match.ruleset.name,
        "title": match.ruleset.title,
        **_where(game != USUAL_GAME, game=game),
        "lineup": list(match.lineup),
        "sides": list(match.sides),
        "conclusion": conclusion_of(tally, level),
        "complete": deals == match.deals,
        "deals": deals,
        "deals_planned": match.deals,
        "games": deals * match.seatings,
        "games_planned": match.games,
        **_where(match.has_column("bonus"), bonus_points=match.bonus_points),
        **_where(match.best_mean is not None, best_mean=rounded_value(match.best_mean)),
        "strategies": [_entry(tally, entry, level) for entry in tally.entries],
        "histogram": distribution(tally),
        "ties": _ties(tally, level) if contested else None,
        **_where(match.has_column("start_rounds"), start=_start(tally, level) if contested else None),
        "seats": _chairs(tally, "seat", level),
        **_where(match.has_column("position"), positions=_chairs(tally, "position", level)),
        "course": _course(tally, level),
        **_where(WORDS[game].has_sheet, categories=_categories(tally)),
        **{variant.KEY: variant.document(tally, level) for variant in variants},
        **({beside.KEY: shown.document(tally)} if shown and deals else {}),
    }


def _where(there: bool, **figures: Any) -> Document:
    """Return figures under their keys where they are there, and nothing where the game has no such thing."""
    return figures if there else {}


def _entry(tally: MatchTally, entry: str, level: float) -> Document:
    contested = not tally.match.is_solitaire
    # A lone entry takes every win where a roll-off leaves no tie.
    always_won = len(tally.entries) == 1 and tally.match.tiebreak == "roll-off"
    has_bonus, best = tally.match.has_column("bonus"), tally.match.best_mean
    scores = tally.of("score", entry)
    histogram = tally.histogram(entry)
    effect = design_effect(scores, histogram)
    bounds = {q: quantile_interval(histogram, q, effect, level) for q in QUANTILES}
    occurring = histogram.items()
    return {
        "strategy": entry,
        "seats": len(tally.side_cells(entry)) // tally.match.seatings,
        "games": scores.deals * len(tally.side_cells(entry)),
        **rate_figure("win_rate", tally.of("won", entry) if contested else None, level, fixed=always_won),
        **rate_figure("shared_rate", tally.of("shared", entry) if contested else None, level),
        **rate_figure(
            "credit_rate", tally.of("credit", entry) if contested else None, level, fixed=tally.is_level
        ),
        **mean_figure("score_mean", scores, level),
        **_where(best is not None, points_short=_short_of(best, scores.mean)),
        "score_sd": rounded_value(standard_deviation(histogram)),
        "score_median": quantile(histogram, 0.5),
        "score_quantiles": {str(q): quantile(histogram, q) for q in QUANTILES},
        "score_quantile_intervals": {str(q): _bounds(*bounds[q]) for q in QUANTILES},
        "score_min": occurring[0][0] if occurring else None,
        "score_max": occurring[-1][0] if occurring else None,
        **(rate_figure("bonus_rate", tally.of("bonus", entry), level) if has_bonus else {}),
        **mean_figure("throws_mean", tally.of("throws", entry), level),
    }


def _short_of(best: float | None, mean: float | None) -> float | None:
    return None if best is None or mean is None else rounded_value(best - mean)


def _ties(tally: MatchTally, level: float) -> Document:
    """Return how often the top is shared; `by_tied_seats` counts one seat for each side that shares it."""
    tied = tally.of("tied")
    has_roll_off = tally.match.has_column("tiebreak_rounds")
    return {
        **rate_figure("rate", tied, level, interval="interval"),
        "games": tied.deals * tally.match.seatings,
        "tied_games": tied.total,
        "by_tied_seats": _counted(tally, "tied sides"),
        **_where(has_roll_off, by_rounds=_counted(tally, "tie-break rounds")),
    }


def _start(tally: MatchTally, level: float) -> Document:
    tied = tally.of("start tied")
    return {
        **rate_figure("tie_rate", tied, level),
        "games": tied.deals * tally.match.seatings,
        "by_rounds": _counted(tally, "start rounds"),
    }


def _counted(tally: MatchTally, measure: str) -> dict[str, int]:
    return {str(number): count for number, count in tally.numbers_of(measure).items() if number}


def _chairs(tally: MatchTally, chair: str, level: float) -> list[Document]:
    match = tally.match
    if match.is_solitaire:
        return []
    return [
        {
            chair: number,
            "games": tally.of(f"{chair} won", number).deals * match.seatings,
            **rate_figure("win_rate", tally.of(f"{chair} won", number), level),
            **rate_figure("credit_rate", tally.of(f"{chair} credit", number), level),
            **_where(chair == "seat" and match.chips > 0, **_chips(tally, number, level)),
            "fair_share": rounded_rate(1 / match.side_count),
        }
        for number in range(match.seats)
    ]


def _chips(tally: MatchTally, seat: int, level: float) -> Document:
    return count_figure("score_mean", tally.of("seat score", seat), level, tally.match.chips)


def _course(tally: MatchTally, level: float) -> Document | None:
    """Return the course of the games; what it says of winners is of the games that somebody won."""
    if not course_measures(tally.match):
        return None
    return {
        "games": tally.of("tied").deals * tally.match.seatings,
        "won_games": tally.ratio_of("decided_turn").denominator.total,
        **mean_figure("lead_changes_mean", tally.of("lead_changes"), level),
        **ratio_figure("decided_turn_mean", tally.ratio_of("decided_turn"), level),
        **ratio_figure("worst_deficit_mean", tally.ratio_of("worst_deficit"), level),
    }


def _categories(tally: MatchTally) -> list[Document]:
    names = {category.id: category.name for category in tally.match.categories}
    strategies = {name: k for k, name in reversed(list(enumerate(tally.match.lineup)))}
    ranks = (strategies, {key: k for k, key in enumerate(names)})
    ordered = sorted(
        tally.categories,
        key=lambda keys: [(rank.get(key, len(rank)), key) for rank, key in zip(ranks, keys, strict=True)],
    )
    return [
        _category(strategy, category, names.get(category, category), tally.categories[strategy, category])
        for strategy, category in ordered
        if tally.categories[strategy, category][0]
    ]


def _category(strategy: str, category: str, name: str, sums: CategorySums) -> Document:
    count, total, squares, zeros = sums
    spread = count * squares - total**2
    return {
        "strategy": strategy,
        "category": category,
        "name": name,
        "count": count,
        "mean": rounded_value(total / count),
        "sd": rounded_value(math.sqrt(spread / (count * (count - 1)))) if count > 1 else None,
        "zero_rate": rounded_rate(zeros / count),
    }


def _bounds(low: int | None, high: int | None) -> list[int | None] | None:
    return None if low is None and high is None else [low, high]
