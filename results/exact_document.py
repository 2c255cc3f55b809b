"""The answer of dicecup exact: one document of rounded figures for a match, from which every format is drawn."""

import numpy as np

from results.distribution import score_bands
from results.exact import MatchValues, Regret, StrategyValues
from results.figures import Document
from results.store import Match
from results.summary import QUANTILES
from results.tables import rounded_rate, rounded_value

#: Scores outside these quantiles share a band with those next to them.
BAND_TAIL = 1e-5
CHANCE_DIGITS = 12


def exact_document(match: Match, values: MatchValues, regret: bool = False) -> Document:
    """Return the exact values of a match; rates are fractions of six decimals, other figures have four.

    `win_rates` and their like are by side, None where there is nobody to win against, or no saying. The chances of
    single scores have twelve significant digits, so that they add up. With `regret` it has where points are lost,
    of those strategies for which that is known.
    """
    outcome = values.outcome
    return {
        "match": match.number,
        "ruleset": match.ruleset.name,
        "title": match.ruleset.title,
        "lineup": list(match.lineup),
        "sides": list(match.sides),
        "side_names": list(match.side_names),
        "bonus_points": match.bonus_points,
        "best_mean": rounded_value(values.best_mean),
        "strategies": [_strategy(match, name, values, regret) for name in values.strategies],
        "histogram": _histogram(values),
        "win_rates": outcome and [rounded_rate(rate) for rate in outcome.win_rates],
        "shared_rates": outcome and [rounded_rate(rate) for rate in outcome.shared_rates],
        "credit_rates": outcome and [rounded_rate(rate) for rate in outcome.credit_rates],
        "tie_rate": outcome and rounded_rate(outcome.tie_rate),
        "by_tied": outcome and {k: rounded_rate(rate) for k, rate in outcome.by_tied.items()},
        "by_rounds": outcome and {k: rounded_rate(rate) for k, rate in outcome.by_rounds.items()},
        "why_no_outcome": values.why_no_outcome or None,
        "not_exact": [{"strategy": name, "reason": reason} for name, reason in values.not_exact.items()],
    }


def _strategy(match: Match, name: str, values: MatchValues, regret: bool) -> Document:
    own = values.strategies[name]
    best, names = values.best_mean, {category.id: category.name for category in match.categories}
    occurring = np.flatnonzero(own.law)
    return {
        "strategy": name,
        "score_mean": rounded_value(own.mean),
        "points_short": None if best is None else rounded_value(best - own.mean),
        "share_of_best": rounded_rate(own.mean / best) if best else None,
        "score_sd": rounded_value(own.sd),
        "score_median": own.quantile(0.5),
        "score_quantiles": {str(share): own.quantile(share) for share in QUANTILES},
        "score_min": own.low + int(occurring[0]),
        "score_max": own.low + int(occurring[-1]),
        **({} if own.bonus_rate is None else {"bonus_rate": rounded_rate(own.bonus_rate)}),
        **({} if own.jokers_mean is None else {"jokers_mean": rounded_value(own.jokers_mean)}),
        "throws_mean": rounded_value(own.throws_mean),
        "situations": own.situations,
        "categories": [
            {
                "category": category.id,
                "name": names[category.id],
                "mean": rounded_value(category.mean),
                "zero_rate": rounded_rate(category.zero_rate),
            }
            for category in own.categories
        ],
        **({"regret": _regret(own.regret, names)} if regret and own.regret is not None else {}),
        "score_distribution": {
            str(own.low + place): float(f"{own.law[place]:.{CHANCE_DIGITS}g}") for place in occurring.tolist()
        },
    }


def _regret(regret: Regret, names: dict[str, str]) -> Document:
    return {
        "total": rounded_value(regret.total),
        "by_decision": {name: rounded_value(points) for name, points in regret.by_decision.items()},
        "by_turn": [rounded_value(points) for points in regret.by_turn],
        "by_category": [
            {"category": key, "name": names.get(key, key), "points": rounded_value(points)}
            for key, points in regret.by_category.items()
        ],
        "costly": [
            {
                "words": decision.words,
                "times": rounded_value(decision.times),
                "loss": rounded_value(decision.loss),
                "cost": rounded_value(decision.cost),
            }
            for decision in regret.costly
        ],
    }


def _histogram(values: MatchValues) -> Document:
    """Return the share of each strategy's scores in bands, those of rare scores at either end as wide as it takes."""
    laws = values.strategies
    if not laws:
        return {"bands": [], "shares": {}}
    bands = score_bands(
        min(law.quantile(BAND_TAIL) for law in laws.values()),
        max(law.quantile(1 - BAND_TAIL) for law in laws.values()),
    )
    lowest = min(law.low for law in laws.values())
    highest = max(law.low + law.law.size - 1 for law in laws.values())
    bands[0] = (min(bands[0][0], lowest), bands[0][1])
    bands[-1] = (bands[-1][0], max(bands[-1][1], highest))
    return {
        "bands": [list(band) for band in bands],
        "shares": {name: [_share(law, *band) for band in bands] for name, law in laws.items()},
    }


def _share(law: StrategyValues, first: int, last: int) -> float:
    return rounded_rate(float(law.law[max(0, first - law.low) : max(0, last + 1 - law.low)].sum())) or 0.0
