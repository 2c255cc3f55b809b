"""The balance of rulesets: one document of measures, each with an interval, a verdict and what changed to the base."""

from collections.abc import Mapping
from dataclasses import replace

from results.balance.categories import category_rows
from results.balance.diversity import equilibrium
from results.balance.matches import BalanceMatches, balance_matches, differing_rules
from results.balance.measure import Fields, Measure
from results.balance.measures import MEASURES
from results.balance.reading import Reading
from results.balance.readings import BestPlay, RulesetReadings, read_rulesets
from results.balance.thresholds import Thresholds
from results.balance.words import conclusion_lines, verdict_counts
from results.figures import Document, rounded_rates, rounded_values
from results.schema import SCHEMA_VERSION
from results.statistics import Interval
from results.store import Run
from results.tables import rounded_rate, rounded_value
from results.words import WORDS

__all__ = ["BestPlay", "balance_document"]


def balance_document(
    run: Run, level: float, thresholds: Thresholds, best: Mapping[str, BestPlay]
) -> Document:
    """Return the balance report of a run, at a level of confidence; `best` is known by the name of a ruleset.

    RunError says what keeps a run from such a report; DamagedPart if a part is not whole.
    """
    matches = balance_matches(run)
    reference, found = read_rulesets(run, matches, thresholds, best)
    return _document(run, matches, reference, found, thresholds, level)


def _document(
    run: Run,
    matches: BalanceMatches,
    reference: str,
    found: list[RulesetReadings],
    thresholds: Thresholds,
    level: float,
) -> Document:
    match = matches.base.match
    measures = [
        _measure(key, _in_unit(measure, match.ruleset.game), found, thresholds, level)
        for key, measure in MEASURES.items()
    ]
    rulesets: list[Document] = [
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
        "reference_words": _reference_words(found[0], level),
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


def _reference_words(base: RulesetReadings, level: float) -> str:
    """Return who sits in every seat where equals play, and whether another might as well."""
    first, *others = base.taken.ranking
    if not others:
        return f"Between equals: {first} sits in every seat, in each ruleset."
    shown = base.taken.shown(level)
    level_with = [name for name in others if (first, name) not in shown]
    doubt = f", though it is not shown to beat {', '.join(level_with)}" if level_with else ""
    return (
        f"Between equals: {first}, the strongest of {', '.join(base.taken.strategies)} under {base.matches.name}"
        f"{doubt}, sits in every seat, in each ruleset."
    )


def _in_unit(measure: Measure, game: str) -> Measure:
    return replace(measure, unit=WORDS[game].unit) if measure.unit == "points" else measure


def _measure(
    key: str, measure: Measure, found: list[RulesetReadings], thresholds: Thresholds, level: float
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
    key: str,
    measure: Measure,
    own: RulesetReadings,
    base: RulesetReadings,
    thresholds: Thresholds,
    level: float,
) -> Document:
    reading, is_base = own.readings[key], own is base
    if reading.value is None:
        return _row(own, reading, Reading(), measure, level) | {
            "verdict": None,
            "words": f"{measure.title}: {reading.why_absent}",
            "difference_words": "",
            "changed": None,
            "changed_interval": None,
            "why_absent": reading.why_absent,
        }
    verdict = thresholds.verdict(key, reading.interval(level))
    fields = own.fields | _share_fields(measure, own, reading)
    most = thresholds.limits[key].good_most
    words = measure.words(reading.value, verdict, fields, most is not None and reading.value > most)
    difference = Reading() if is_base else reading.less(base.readings[key])
    changed, told = None, ""
    # All measures are looked at at once, so what is called a change holds for all together (Bonferroni).
    together = 1 - (1 - level) / len(MEASURES)
    if difference.value is not None:
        changed = difference.is_shown(together)
        may_be = difference.is_shown(level)
        told = measure.difference_words(difference.value, changed, may_be, base.matches.name)
    return _row(own, reading, difference, measure, level) | {
        "verdict": verdict,
        "words": words,
        "difference_words": told,
        "changed": changed,
        "changed_interval": _bounds(measure, difference.interval(together)) if changed else None,
        "why_absent": "",
    }


def _share_fields(measure: Measure, own: RulesetReadings, reading: Reading) -> Fields:
    """Return what a sentence says of a share, instead of how far it is from a fair one, or beside that."""
    value = reading.value or 0.0
    fair = 1 / own.matches.match.side_count if measure.group == "fairness" else 0.0
    share = value + fair if fair else (1 + value) / 2
    if not measure.is_rate:
        return reading.fields
    lead = f"{measure.spoken(abs(value), differs=True)} {'behind' if value < 0 else 'ahead of'}"
    lead = lead if value else "level with"
    return {"fair": measure.spoken(fair), "share": measure.spoken(share), "lead": lead, **reading.fields}


def _row(
    own: RulesetReadings, reading: Reading, difference: Reading, measure: Measure, level: float
) -> Document:
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


def _matrix(own: RulesetReadings, level: float) -> Document:
    taken = own.taken
    names = taken.strategies
    shown = taken.shown(level)
    shares = equilibrium(taken.matrix)
    effective = own.readings["effective_strategies"]
    champion = [name for name in names if all((name, other) in shown for other in names if other != name)]
    several = len(names) > 1
    return {
        "ruleset": own.matches.name,
        "strategies": list(names),
        "credit": [[rounded_rate(float(share)) for share in row] for row in taken.matrix],
        "intervals": [
            [
                None if one == other else rounded_rates(taken.share(one, other).rate_interval(level))
                for other in names
            ]
            for one in names
        ],
        "mean_credit": [rounded_rate(taken.mean(name).value) if several else None for name in names],
        "beats": [[(one, other) in shown for other in names] for one in names],
        "beats_all": champion[0] if champion and several else None,
        "cycles": taken.cycles(level),
        "alike": taken.alike,
        "equilibrium": [rounded_rate(float(share)) for share in shares],
        "effective_strategies": rounded_value(taken.worth(shares)),
        "effective_interval": rounded_values(effective.interval(level)),
        "strongest": taken.ranking[0] if several else None,
        "weakest": taken.ranking[-1] if several else None,
    }
