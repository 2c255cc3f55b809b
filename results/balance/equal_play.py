"""What the match shows in which one strategy sits in every seat: all measures of a game, and its seats."""

from collections.abc import Mapping

import numpy as np

from results.balance.game_totals import Counting, Games, Totals
from results.balance.measures import MEASURES
from results.balance.metrics import METRICS
from results.balance.reading import Reading, absent
from results.blocks import BlockSums, Estimate
from results.joint import joint_deals
from results.scan import by_deal
from results.schema import CREDIT_UNITS
from results.store import Match, Run

_SIGNED = {"first_advantage", "bank_edge", "steal_gain"}
"""Rates that may be negative."""


def read_metrics(run: Run, match: Match, deals: int, counting: Counting) -> dict[str, Reading]:
    """Return what the leading deals of a match show, by measure; DamagedPart if a part is not whole."""
    found = {key: absent(reason) for key, metric in METRICS.items() if (reason := metric.obstacle(match))}
    wanted = {key: metric for key, metric in METRICS.items() if key not in found}
    names = {"credit", *(name for metric in wanted.values() for name in (*metric.columns, *metric.optional))}
    columns = [column.name for column in match.columns if column.name in names]
    sums = {key: _MetricSums(deals) for key in wanted}
    seats = [BlockSums(deals) for _ in range(match.seats)]
    for there, (arrays,) in joint_deals([(run, match)], [columns], deals):
        games = Games(match, arrays, counting)
        for key, metric in wanted.items():
            sums[key].add(there, metric.count(games))
        for seat, own in enumerate(seats):
            above = by_deal(arrays["credit"][:, seat]) * match.side_count - match.seatings * CREDIT_UNITS
            own.add(there, above, match.seatings)
    found |= {key: own.reading(key) for key, own in sums.items()}
    found["seat_advantage"] = _seat_reading(match, seats)
    return found


def count_scores(run: Run, match: Match, deals: int) -> Estimate:
    """Return the mean score of a side in the leading deals; DamagedPart if a part is not whole."""
    sums = BlockSums(deals)
    for there, (arrays,) in joint_deals([(run, match)], [("score",)], deals):
        scores = arrays["score"][:, match.first_seats]
        flat = scores.reshape(-1, scores.shape[-1])
        sums.add(there, by_deal(flat), len(flat))
    mean = sums.estimate()
    assert mean is not None  # there is a deal at the least
    return mean


class _MetricSums:
    """The sums of one measure, and how they are to be read."""

    def __init__(self, deals: int) -> None:
        self._sums, self._n = BlockSums(deals), 0
        self._how: Totals | None = None

    def add(self, deals: range, totals: Totals) -> None:
        self._sums.add(deals, totals.above, totals.below)
        counted = totals.below if totals.n is None else totals.n
        self._n += counted * len(deals) if isinstance(counted, int) else int(np.sum(counted, dtype=np.int64))
        self._how = totals

    def reading(self, key: str) -> Reading:
        assert self._how is not None  # there is a deal at the least
        estimate = self._sums.estimate(self._how.scale)
        if estimate is None:
            return absent("no such game came up")
        bounds = None if self._how.most is None else (0.0, float(self._how.most))
        is_rate = MEASURES[key].is_rate
        if is_rate:
            bounds = (-1.0, 1.0) if key in _SIGNED else (0.0, 1.0)
        # What happens in a game or doesn't is no rare large amount.
        sums = None if is_rate and self._how.n is None else self._sums.above
        return Reading(estimate, self._n, bounds, fixed=self._how.fixed, sums=sums)


def _seat_reading(match: Match, seats: list[BlockSums]) -> Reading:
    scale = match.side_count * CREDIT_UNITS
    found = tuple(estimate for own in seats if (estimate := own.estimate(scale)) is not None)
    seat = max(range(len(found)), key=lambda k: abs(round(found[k].value, 12)))
    # Of two seats the one has what the other lacks, so that nothing is picked.
    picks = match.side_count if match.side_count > 2 else 1
    n = found[seat].observations
    fields: Mapping[str, str] = {"seat": str(seat)}
    return Reading(found[seat], n, (-1.0, 1.0), picks, fields=dict(fields), place=seat, places=found)
