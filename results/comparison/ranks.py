"""What many pairs show together: differences, ranks and cycles that hold at once at a level."""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np
from scipy import special

from results.statistics import DealSums

_Entry = TypeVar("_Entry", bound=Hashable)
Shown = set[tuple[str, str]]
"""Pairs of which the first is shown to be better than the second."""


def difference_chance(sums: DealSums, of_rates: bool) -> float | None:
    """Return the two-sided chance of a mean difference of at least this size where there is none (a p-value).

    By Student's law over deals. Where all deals show the same difference d of two rates, it is (1 + |d|)^-deals, at
    which the interval of `agreeing_interval` reaches 0; of other figures it is then unknown, unless d is 0. None for
    fewer than two deals.
    Source: Student (1908), Biometrika 6, 1-25.
    """
    mean, variance = sums.mean, sums.variance_of_mean
    if mean is None or variance is None:
        return None
    if sums.spread == 0:
        return math.exp(-sums.deals * math.log1p(abs(mean))) if of_rates or mean == 0 else None
    return 2 * float(special.stdtr(sums.deals - 1, -abs(mean) / math.sqrt(variance)))


def holm_adjusted(chances: Sequence[float | None]) -> list[float | None]:
    """Return p-values adjusted so that those below a bound hold at once; one that is None counts as 1 and stays None.

    Source: Holm (1979), Scandinavian Journal of Statistics 6, 65-70.
    """
    order = sorted(range(len(chances)), key=lambda k: _or_one(chances[k]))
    adjusted: list[float | None] = [None] * len(chances)
    least = 0.0
    for rank, k in enumerate(order):
        least = max(least, min(1.0, (len(chances) - rank) * _or_one(chances[k])))
        adjusted[k] = None if chances[k] is None else least
    return adjusted


def _or_one(chance: float | None) -> float:
    return 1.0 if chance is None else chance


def are_linked(entries: Sequence[_Entry], pairs: Iterable[tuple[_Entry, _Entry]]) -> bool:
    """Return whether a chain of pairs leads from each entry to every other."""
    linked, waiting = set(entries[:1]), [set(pair) for pair in pairs]
    while reached := [pair for pair in waiting if pair & linked]:
        linked = linked.union(*reached)
        waiting = [pair for pair in waiting if pair not in reached]
    return len(linked) == len(entries)


def ordered_by_leads(entries: Sequence[str], leads: Mapping[tuple[str, str], float]) -> list[str]:
    """Return the entries from the best to the worst, given by how much the first of each pair leads the second.

    Each entry has the value at which differences of values come closest to the leads, by least squares; where all pairs
    are there, that is its mean lead. Level entries stay in their order.
    Source: Mosteller (1951), Psychometrika 16, 3-9.
    """
    ranks = {entry: rank for rank, entry in enumerate(entries)}
    signs = np.zeros((len(leads), len(entries)))
    for row, (one, other) in zip(signs, leads, strict=True):
        row[ranks[one]], row[ranks[other]] = 1, -1
    values = np.linalg.lstsq(signs, np.array(list(leads.values())), rcond=None)[0]
    # What differs by rounding alone is level.
    return sorted(entries, key=lambda entry: -round(float(values[ranks[entry]]), 12))


def rank_bounds(entries: Sequence[str], shown: Shown) -> dict[str, tuple[int, int]]:
    """Return the ranks that each entry may have: behind all that are shown to be better, before all shown to be worse.

    They hold for all entries at once at the level at which the differences do.
    Source: Mogstad, Romano, Shaikh and Wilhelm (2024), Review of Economic Studies 91, 476-518.
    """
    better, worse = (dict.fromkeys(entries, 0) for _ in range(2))
    for winner, loser in shown:
        worse[winner] += 1
        better[loser] += 1
    return {entry: (1 + better[entry], len(entries) - worse[entry]) for entry in entries}


def cycles_among(entries: Iterable[str], shown: Shown) -> list[list[str]]:
    """Return the shortest cycle through each difference that is in one, each cycle once: a beats b beats c beats a.

    A cycle begins with the member that comes first among the entries.
    """
    ranks = {entry: rank for rank, entry in enumerate(entries)}
    beaten = {entry: sorted((b for a, b in shown if a == entry), key=ranks.__getitem__) for entry in ranks}
    found: dict[tuple[str, ...], None] = {}
    for winner in ranks:
        for loser in beaten[winner]:
            way = _shortest_way(loser, winner, beaten)
            if way:
                first = way.index(min(way, key=ranks.__getitem__))
                found[(*way[first:], *way[:first])] = None
    return sorted(map(list, found), key=lambda cycle: (len(cycle), [ranks[entry] for entry in cycle]))


def _shortest_way(start: str, goal: str, beaten: dict[str, list[str]]) -> list[str]:
    """Return the way from one entry to another by who beats whom, both included; empty if there is none."""
    ways = [[start]]
    known = {start}
    for way in ways:
        if way[-1] == goal:
            return way
        for entry in beaten[way[-1]]:
            if entry not in known:
                known.add(entry)
                ways.append([*way, entry])
    return []
