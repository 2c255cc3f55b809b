"""What a comparison says of ratings, rounded for every format."""

from collections.abc import Sequence
from dataclasses import replace

from results.comparison.contests import Contests
from results.comparison.ratings import ELO_POINTS, Rated, Ratings
from results.figures import Document, rounded_values
from results.tables import rounded_rate, rounded_value


def ratings_document(contests: Contests, ratings: Ratings, order: Sequence[str], level: float) -> Document:
    """Return the ratings in an order of the entries, and of the model behind them all that is fitted."""
    strengths = dict(zip(contests.entries, ratings.strengths, strict=True))
    misfit = ratings.misfit
    unsettled = [
        entry for entry, settled in zip(contests.entries, ratings.settled, strict=True) if not settled
    ]
    # The resamples know nothing of what only the prior keeps from being infinite.
    strengths |= {entry: replace(strengths[entry], drawn=strengths[entry].drawn[:0]) for entry in unsettled}
    return {
        "ratings": [
            {
                "strategy": entry,
                **_rated_value("strength", strengths[entry], level),
                **_rated_value("elo", strengths[entry], level, ELO_POINTS),
            }
            for entry in order
            if entry in strengths
        ],
        "no_ratings": None,
        "model": {
            "contests": ratings.contests,
            "replications": ratings.replications,
            "blocks": contests.blocks.count,
            "unsettled": [entry for entry in order if entry in unsettled],
            **(
                {"tie": None, "tie_interval": None}
                if ratings.tie is None
                else _rated_value("tie", ratings.tie, level)
            ),
            "chairs": [
                {
                    "sides": chair.sides,
                    "chair": chair.chairs,
                    "number": chair.number,
                    **_rated_value("effect", rated, level),
                    **_rated_value("elo", rated, level, ELO_POINTS),
                }
                for chair, rated in ratings.chairs.items()
            ],
            "misfit": {
                "first": contests.entries[misfit.first],
                "second": contests.entries[misfit.second],
                "observed": rounded_rate(misfit.observed),
                "predicted": rounded_rate(misfit.predicted),
                "excess": rounded_rate(misfit.observed - misfit.predicted),
            },
        },
    }


def _rated_value(name: str, rated: Rated, level: float, units: float = 1.0) -> Document:
    bounds = rated.interval(level)
    scaled = None if bounds is None else (bounds[0] * units, bounds[1] * units)
    return {name: rounded_value(rated.value * units), f"{name}_interval": rounded_values(scaled)}
