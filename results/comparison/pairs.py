"""Which games tell two entries apart on the same dice: head to head, or side by side against the same rivals.

The figure of a pair is, for each deal, a sum over seats of games with whole numbers for coefficients: above 0 where the
first sits, below 0 where the second does.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from results.comparison.sources import Comparison, Source, rotated, table_key

Coefficients = dict[int, npt.NDArray[np.int64]]
Place = tuple[int, int, int]
"""A source by its index, a seating and a seat."""

HEAD_TO_HEAD, SIDE_BY_SIDE = "head to head", "side by side"


@dataclass(frozen=True)
class Pair:
    """Two entries and the games that compare them, over the deals that all of these have.

    `coefficients` are by source and then (seating, seat); divided by `weight` they are a mean less a mean. `twins` are
    places of the first and the second that are offered the same dice.
    """

    first: str
    second: str
    how: str
    deals: int
    coefficients: Coefficients
    weight: int
    twins: tuple[tuple[Place, Place], ...]


@dataclass(frozen=True)
class _Meeting:
    """One way to compare two entries: one match, or two matches beside each other."""

    coefficients: Coefficients
    weight: int
    twins: tuple[tuple[Place, Place], ...]


def plan_pairs(comparison: Comparison) -> list[Pair]:
    """Return the pairs of entries that can be compared; one that never met alike is absent."""
    tables = {table_key(s.names, s.match.sides): k for k, s in enumerate(comparison.sources)}
    found = []
    for first, second in itertools.combinations(comparison.entries, 2):
        how, meetings = HEAD_TO_HEAD, list(_head_to_head(comparison.sources, first, second))
        if not meetings:
            how, meetings = SIDE_BY_SIDE, list(_side_by_side(comparison, tables, first, second))
        if meetings:
            found.append(_pair(comparison.sources, first, second, how, meetings))
    return found


def _pair(sources: Sequence[Source], first: str, second: str, how: str, meetings: Sequence[_Meeting]) -> Pair:
    """Return the mean of all meetings, each of them counting alike."""
    common = math.lcm(*(meeting.weight for meeting in meetings))
    total: Coefficients = {}
    for meeting in meetings:
        for source, own in meeting.coefficients.items():
            total[source] = total.get(source, 0) + own * (common // meeting.weight)
    deals = min(sources[source].deals for source in total)
    twins = tuple(twin for meeting in meetings for twin in meeting.twins)
    return Pair(first, second, how, deals, total, common * len(meetings), twins)


def _head_to_head(sources: Sequence[Source], first: str, second: str) -> Iterator[_Meeting]:
    for index, source in enumerate(sources):
        cells = [source.cells(entry) for entry in (first, second)]
        if not all(cells):
            continue
        counts = [len(own) for own in cells]
        coefficients = np.zeros((source.match.seatings, source.match.seats), np.int64)
        # Each is scaled by the other's number of sides, so that the figure is a whole number.
        for own, scale in zip(cells, (counts[1], -counts[0]), strict=True):
            for cell in own:
                coefficients[cell] += scale
        seated = [_first_seatings(source.cells(entry, whole=True)) for entry in (first, second)]
        twins = tuple(
            ((index, seated[0][seat], seat), (index, seated[1][seat], seat))
            for seat in range(source.match.seats)
            if seat in seated[0] and seat in seated[1]
        )
        yield _Meeting({index: coefficients}, counts[0] * counts[1], twins)


def _first_seatings(cells: Sequence[tuple[int, int]]) -> dict[int, int]:
    return {seat: seating for seating, seat in sorted(cells, reverse=True)}


def _side_by_side(
    comparison: Comparison,
    tables: dict[tuple[tuple[str, ...], tuple[int, ...]], int],
    first: str,
    second: str,
) -> Iterator[_Meeting]:
    """Yield matches of the first with those in which the second has all its places and nothing else differs."""
    for index, source in enumerate(comparison.sources):
        taken = [side for side, seat in _sides(source) if source.entries[0][seat] == first]
        # Against itself a strategy has no rival to be measured by.
        if not taken or (len(taken) == source.match.side_count > 1):
            continue
        for names in _replaced(source, taken, comparison.partners[second]):
            other = tables.get(table_key(names, source.match.sides))
            if other is not None:
                yield _beside(comparison.sources, index, other, names, first)
                break


def _sides(source: Source) -> list[tuple[int, int]]:
    return [(source.match.sides[seat], seat) for seat in source.match.first_seats]


def _replaced(source: Source, taken: Sequence[int], partners: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the lineups in which some sides have these partners; first those that keep most of the places."""
    seats = [[seat for seat, side in enumerate(source.match.sides) if side == own] for own in taken]
    found = set()
    for orders in itertools.product(*(set(itertools.permutations(partners)) for _ in taken)):
        names = list(source.names)
        for own, order in zip(seats, orders, strict=True):
            for seat, name in zip(own, order, strict=True):
                names[seat] = name
        found.add(tuple(names))
    return sorted(found, key=lambda names: (-_agreeing(names, source.names), names))


def _agreeing(one: Sequence[str], other: Sequence[str]) -> int:
    return sum(a == b for a, b in zip(one, other, strict=True))


def _beside(
    sources: Sequence[Source], index: int, other: int, names: tuple[str, ...], first: str
) -> _Meeting:
    one, two = sources[index], sources[other]
    # Lineups that are rotations of each other are the same table, begun at another seating.
    shift = next(by for by in range(len(names)) if rotated(two.names, by) == names)
    coefficients = {k: np.zeros((sources[k].match.seatings, len(names)), np.int64) for k in (index, other)}
    twins, weight = [], 0
    for step in range(math.lcm(one.match.seatings, two.match.seatings)):
        here, there = step % one.match.seatings, (step - shift) % two.match.seatings
        for seat, entry in enumerate(one.entries[here]):
            if entry != first:
                continue
            twins.append(((index, here, seat), (other, there, seat)))
            if seat in one.match.first_seats:
                coefficients[index][here, seat] += 1
                coefficients[other][there, seat] -= 1
                weight += 1
    return _Meeting(coefficients, weight, tuple(twins))
