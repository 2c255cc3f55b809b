"""The balance of rulesets: one document of measures, each with an interval, a verdict and what changed to the base."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from results.balance_categories import (
    CategoryReading,
    category_rows,
    common_deals,
    has_sheet,
    read_categories,
)
from results.balance_matches import BalanceMatches, RulesetMatches, balance_matches, differing_rules
from results.balance_words import conclusion_lines, verdict_counts
from results.diversity import Credits, count_credits, effective_number, equilibrium
from results.equal_play import count_scores, read_metrics
from results.figures import Document, rounded_rates, rounded_values
from results.game_totals import Counting
from results.measure import Fields, Measure
from results.measures import MEASURES
from results.reading import Reading, absent
from results.schema import SCHEMA_VERSION
from results.skill import (
    equal_luck_readings,
    gap_luck_reading,
    gap_reading,
    optimal_gap_reading,
    reply_reading,
    short_reading,
    strongest_of,
)
from results.statistics import Interval
from results.store import Run
from results.tables import rounded_rate, rounded_value
from results.thresholds import Thresholds
from results.words import WORDS

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
class _Ruleset:
    """All that is known under one ruleset."""

    matches: RulesetMatches
    credits: Credits
    readings: Mapping[str, Reading]
    categories: Mapping[str, CategoryReading]
    best: BestPlay
    fields: Fields


def balance_document(
    run: Run, level: float, thresholds: Thresholds, best: Mapping[str, BestPlay]
) -> Document:
    """Return the balance report of a run, at a level of confidence; `best` is known by the name of a ruleset.

    RunError says what keeps a run from such a report; DamagedPart if a part is not whole.
    """
    matches = balance_matches(run)
    credits = [count_credits(run, matches, own) for own in matches.rulesets]
    reference = credits[0].ranking[0]
    mirrors = [own.mirrors[reference] for own in matches.rulesets]
    deals = common_deals(mirrors, matches.deals)
    found = []
    for own, taken in zip(matches.rulesets, credits, strict=True):
        match = own.mirrors[reference]
        known = best.get(match.ruleset.name, BestPlay())
        if known.mean is None and match.best_mean is not None:
            known = replace(known, mean=match.best_mean)
        counting, fields = _counting(run, matches, own, reference, thresholds)
        readings = _readings(run, matches, own, taken, reference, counting, known)
        categories = read_categories(run, match, deals) if deals and has_sheet(match) else {}
        found.append(_Ruleset(own, taken, readings, categories, known, fields))
    return _document(run, matches, reference, found, thresholds, level)


def _counting(
    run: Run, matches: BalanceMatches, own: RulesetMatches, reference: str, thresholds: Thresholds
) -> tuple[Counting, Fields]:
    """Return from where on games count as something under a ruleset, and how sentences say it."""
    match, shares = own.mirrors[reference], thresholds.counting
    mean = count_scores(run, match, matches.deals).value
    limits = (shares[f"{name}_share"] for name in ("comeback", "blowout", "close"))
    counting = Counting.of(mean, *limits)
    return counting, {
        "comeback": f"{shares['comeback_share'] * 100:g} %",
        "deficit": f"{counting.deficit} {WORDS[match.ruleset.game].unit}",
        "blowout": f"{float(counting.blowout) * 100:g} %",
        "close": f"{float(counting.close) * 100:g} %",
    }


def _readings(
    run: Run,
    matches: BalanceMatches,
    own: RulesetMatches,
    credits: Credits,
    reference: str,
    counting: Counting,
    best: BestPlay,
) -> dict[str, Reading]:
    match, deals = own.mirrors[reference], matches.deals
    found = read_metrics(run, match, deals, counting) | equal_luck_readings(run, match, deals)
    strongest = strongest_of(credits)
    short = short_reading(
        best.mean, best.why_none, count_scores(run, own.mirrors[strongest], deals), strongest
    )
    found["points_short"] = short
    if own.is_level:
        keys = ("skill_gap", "optimal_gap", "luck_share_gap", "best_reply", "effective_strategies")
        return found | {key: absent(ALL_ALIKE) for key in keys}
    pair = (credits.ranking[0], credits.ranking[-1])
    contest = own.pairs.get(pair) or own.pairs.get(pair[::-1])
    return found | {
        "skill_gap": gap_reading(credits),
        "optimal_gap": optimal_gap_reading(credits),
        "luck_share_gap": gap_luck_reading(run, contest, deals, pair),
        "best_reply": reply_reading(credits),
        "effective_strategies": credits.effective_reading(run.seed),
    }


def _document(
    run: Run,
    matches: BalanceMatches,
    reference: str,
    found: list[_Ruleset],
    thresholds: Thresholds,
    level: float,
) -> Document:
    match = matches.base.match
    measures = [
        _measure(key, _in_unit(measure, match.ruleset.game), found, thresholds, level)
        for key, measure in MEASURES.items()
    ]
    rulesets = [
        {
            "ruleset": own.matches.name,
            "title": own.matches.match.ruleset.title,
            "differs": differing_rules(match, own.matches.match) if own is not found[0] else [],
            "best_mean": rounded_value(own.best.mean),
            "verdicts": verdict_counts(measures, own.matches.name),
        }
        for own in found
    ]
    document = {
        "schema_version": SCHEMA_VERSION,
        "run": str(run.path),
        "seed": run.seed,
        "level": level,
        "base": matches.base.name,
        "game": match.ruleset.game,
        "players": match.seats,
        "games": matches.games,
        "deals": matches.deals,
        "complete": run.state == "complete",
        "reference": reference,
        "strategies": list(matches.strategies),
        "rulesets": rulesets,
        "measures": measures,
        "matrix": [_matrix(own, level) for own in found if not own.matches.is_level],
        "categories": [
            row
            for own in found
            for row in category_rows(
                own.matches.name,
                own.matches.match,
                own.categories,
                None if own is found[0] else found[0].categories,
                own.best.worths,
                thresholds.counting,
                level,
            )
        ],
        "thresholds": thresholds.document(),
    }
    for ruleset in rulesets:
        ruleset["conclusion"] = conclusion_lines(document, ruleset["ruleset"])
    return document


def _in_unit(measure: Measure, game: str) -> Measure:
    return replace(measure, unit=WORDS[game].unit) if measure.unit == "points" else measure


def _measure(
    key: str, measure: Measure, found: list[_Ruleset], thresholds: Thresholds, level: float
) -> Document:
    base = found[0]
    return {
        "measure": key,
        "group": measure.group,
        "title": measure.title,
        "unit": measure.unit,
        "definition": measure.definition.format(**base.fields),
        "source": measure.source,
        "values": [_value(key, measure, own, base, thresholds, level) for own in found],
    }


def _value(
    key: str, measure: Measure, own: _Ruleset, base: _Ruleset, thresholds: Thresholds, level: float
) -> Document:
    reading, is_base = own.readings[key], own is base
    if reading.value is None:
        return _row(own, reading, Reading(), measure, level) | {
            "verdict": None,
            "words": f"{measure.title}: {reading.why_absent}",
            "difference_words": "",
            "changed": None,
            "why_absent": reading.why_absent,
        }
    verdict = thresholds.verdict(key, reading.interval(level))
    fields = own.fields | _share_fields(measure, own, reading)
    words = measure.words(reading.value, verdict, fields)
    difference = Reading() if is_base else reading.less(base.readings[key])
    changed, told = None, ""
    if difference.value is not None:
        # All measures are looked at at once, so what is called a change holds for all together (Bonferroni).
        changed = difference.is_shown(1 - (1 - level) / len(MEASURES))
        may_be = difference.is_shown(level)
        told = measure.difference_words(difference.value, changed, may_be, base.matches.name)
    return _row(own, reading, difference, measure, level) | {
        "verdict": verdict,
        "words": words,
        "difference_words": told,
        "changed": changed,
        "why_absent": "",
    }


def _share_fields(measure: Measure, own: _Ruleset, reading: Reading) -> Fields:
    """Return what a sentence says of a share instead of how far it is from a fair one."""
    value = reading.value or 0.0
    fair = 1 / own.matches.match.side_count if measure.group == "fairness" else 0.0
    share = value + fair if fair else (1 + value) / 2
    told = {"fair": measure.spoken(fair), "share": measure.spoken(share)} if measure.is_rate else {}
    return {**told, **reading.fields}


def _row(own: _Ruleset, reading: Reading, difference: Reading, measure: Measure, level: float) -> Document:
    return {
        "ruleset": own.matches.name,
        "value": _rounded(measure, reading.value),
        "interval": _bounds(measure, reading.interval(level)),
        "n": reading.n,
        "difference": _rounded(measure, difference.value),
        "difference_interval": _bounds(measure, difference.interval(level)),
    }


def _rounded(measure: Measure, value: float | None) -> float | None:
    return rounded_rate(value) if measure.is_rate else rounded_value(value)


def _bounds(measure: Measure, bounds: Interval | None) -> list[float | None] | None:
    return rounded_rates(bounds) if measure.is_rate else rounded_values(bounds)


def _matrix(own: _Ruleset, level: float) -> Document:
    credits = own.credits
    names = credits.strategies
    shown = credits.shown(level)
    shares = equilibrium(credits.matrix)
    effective = own.readings["effective_strategies"]
    champion = [name for name in names if all((name, other) in shown for other in names if other != name)]
    several = len(names) > 1
    return {
        "ruleset": own.matches.name,
        "strategies": list(names),
        "credit": [[rounded_rate(float(share)) for share in row] for row in credits.matrix],
        "intervals": [
            [
                None if one == other else rounded_rates(credits.share(one, other).rate_interval(level))
                for other in names
            ]
            for one in names
        ],
        "mean_credit": [rounded_rate(credits.mean(name).value) if several else None for name in names],
        "beats": [[(one, other) in shown for other in names] for one in names],
        "beats_all": champion[0] if champion and several else None,
        "cycles": credits.cycles(level),
        "equilibrium": [rounded_rate(float(share)) for share in shares],
        "effective_strategies": rounded_value(effective_number(shares)),
        "effective_interval": rounded_values(effective.interval(level)),
        "strongest": credits.ranking[0] if several else None,
        "weakest": credits.ranking[-1] if several else None,
    }
