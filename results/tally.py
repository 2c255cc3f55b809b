"""Counts a match part by part into exact integers, in memory that does not grow with the games."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from results.scan import GameArrays, game_arrays
from results.schema import CREDIT_UNITS
from results.statistics import DealSums, Histogram
from results.store import Match, Run

_SCORES = 1 << 16
_LOWEST = -(1 << 15)
_ALWAYS = ("score", "bonus", "throws")
_CONTESTED = ("won", "credit", "place", "position", "tied", "tiebreak_rounds", "start_rounds")
_COURSE = ("lead_changes", "decided_turn", "worst_deficit")

Subject = str | int | None


@dataclass
class MatchTally:
    """What has been counted of a match.

    An entry is a strategy, or in a Team game a pair such as `par+greedy`; it counts once for each side and
    game. `sums` is keyed by measure and subject: an entry, a seat, a position in the order of play, or None
    for the game as a whole. `credit_products[i, j]` sums, over deals, entry i's credit times entry j's.
    """

    match: Match
    sums: dict[tuple[str, Subject], DealSums] = field(default_factory=dict)
    scores: dict[str, npt.NDArray[np.int64]] = field(default_factory=dict)
    tied_sides: Counter[int] = field(default_factory=Counter)
    tiebreak_rounds: Counter[int] = field(default_factory=Counter)
    start_rounds: Counter[int] = field(default_factory=Counter)
    credit_products: npt.NDArray[np.object_] = field(init=False)

    def __post_init__(self) -> None:
        self.cells: dict[str, list[tuple[int, int]]] = {}
        for seating in range(self.match.seatings):
            for seat in range(self.match.seats):
                self.cells.setdefault(self.match.entry_at(seating, seat), []).append((seating, seat))
        self.scores = {entry: np.zeros(_SCORES, dtype=np.int64) for entry in self.entries}
        self.credit_products = np.zeros((len(self.entries),) * 2, dtype=object)

    @property
    def entries(self) -> list[str]:
        """The entries, in the order of the seats they take first."""
        return list(self.cells)

    @property
    def first_seats(self) -> list[int]:
        """The first seat of each side; it stands for its side where sides are counted."""
        return [seat for seat, side in enumerate(self.match.sides) if self.match.sides.index(side) == seat]

    def side_cells(self, entry: str) -> list[tuple[int, int]]:
        """Return the (seating, seat) pairs that stand for an entry's sides."""
        return [cell for cell in self.cells[entry] if cell[1] in self.first_seats]

    def of(self, measure: str, subject: Subject = None) -> DealSums:
        """Return the sums of a measure; of no deals where nothing was counted."""
        return self.sums.get((measure, subject), DealSums(0, 0, 0))

    def histogram(self, entry: str) -> Histogram:
        """Return the exact score histogram of an entry, from its lowest to its highest score."""
        occurring = np.flatnonzero(self.scores[entry])
        if not len(occurring):
            return Histogram(0, np.zeros(0, dtype=np.int64))
        low, high = int(occurring[0]), int(occurring[-1])
        return Histogram(low + _LOWEST, self.scores[entry][low : high + 1])

    def credit_difference(self, first: str, second: str) -> DealSums:
        """Return the sums of the difference of two entries' mean credit (as a share of a game), by deal."""
        a, b = self.entries.index(first), self.entries.index(second)
        # Each entry's total is scaled by the other's number of sides, so that the difference is an integer.
        scale_a, scale_b = len(self.side_cells(second)), len(self.side_cells(first))
        one, two = self.of("credit", first), self.of("credit", second)
        squares = (
            scale_a**2 * one.squares
            + scale_b**2 * two.squares
            - 2 * scale_a * scale_b * int(self.credit_products[a, b])
        )
        total = scale_a * one.total - scale_b * two.total
        return DealSums(one.deals, total, squares, scale_a * scale_b * CREDIT_UNITS)

    def add(self, arrays: GameArrays) -> None:
        """Count one chunk, given as arrays of shape (seatings, seats, deals)."""
        self._add_entries(arrays)
        if not self.match.is_solitaire:
            self._add_credit(arrays)
            self._add_chairs(arrays)
            self._add_games(arrays)

    def _count(self, measure: str, subject: Subject, totals: npt.NDArray[np.integer], weight: int) -> None:
        sums = DealSums.of(totals, weight)
        before = self.sums.get((measure, subject))
        self.sums[measure, subject] = before + sums if before else sums

    def _add_entries(self, arrays: GameArrays) -> None:
        for entry in self.entries:
            cells = self.side_cells(entry)
            score = _take(arrays["score"], cells)
            ranks = score.ravel().astype(np.int64) - _LOWEST
            self.scores[entry] += np.bincount(ranks, minlength=_SCORES)
            self._count("score", entry, _by_deal(score), len(cells))
            self._count("bonus", entry, _by_deal(_take(arrays["bonus"], cells) > 0), len(cells))
            self._count("throws", entry, _by_deal(_take(arrays["throws"], self.cells[entry])), len(cells))

    def _add_credit(self, arrays: GameArrays) -> None:
        shared = (arrays["place"] == 1) & ~arrays["won"].astype(np.bool_)
        shares = []
        for entry in self.entries:
            cells = self.side_cells(entry)
            self._count("won", entry, _by_deal(_take(arrays["won"], cells)), len(cells))
            self._count("shared", entry, _by_deal(_take(shared, cells)), len(cells))
            shares.append(_by_deal(_take(arrays["credit"], cells)))
            self._count("credit", entry, shares[-1], len(cells) * CREDIT_UNITS)
        matrix = np.stack(shares)
        self.credit_products += (matrix @ matrix.T).astype(object)

    def _add_chairs(self, arrays: GameArrays) -> None:
        seatings = self.match.seatings
        for seat in range(self.match.seats):
            self._count("seat won", seat, _by_deal(arrays["won"][:, seat]), seatings)
            self._count("seat credit", seat, _by_deal(arrays["credit"][:, seat]), seatings * CREDIT_UNITS)
        flat = (-1, arrays["won"].shape[-1])
        won, credit = arrays["won"].reshape(flat), arrays["credit"].reshape(flat)
        for position in range(self.match.seats):
            here = arrays["position"].reshape(flat) == position
            self._count("position won", position, _by_deal(here & won), seatings)
            self._count("position credit", position, _by_deal(here * credit), seatings * CREDIT_UNITS)

    def _add_games(self, arrays: GameArrays) -> None:
        seatings = self.match.seatings
        tied = arrays["tied"][:, self.first_seats].sum(axis=1, dtype=np.int64)
        rounds, start = arrays["tiebreak_rounds"][:, 0], arrays["start_rounds"][:, 0]
        self._count("tied", None, _by_deal(tied > 0), seatings)
        self._count("start tied", None, _by_deal(start > 1), seatings)
        for measure in _COURSE:
            self._count(measure, None, _by_deal(arrays[measure][:, 0]), seatings)
        for counter, values in (
            (self.tied_sides, tied),
            (self.tiebreak_rounds, rounds),
            (self.start_rounds, start),
        ):
            counts = np.bincount(values.ravel().astype(np.int64))
            counter.update({value: int(counts[value]) for value in np.flatnonzero(counts).tolist() if value})


def tally_match(run: Run, match: Match, chunks: Iterable[int]) -> MatchTally:
    """Return the counts of committed chunks of a match; DamagedPart if one is not whole."""
    tally = MatchTally(match)
    columns = _ALWAYS if match.is_solitaire else (*_ALWAYS, *_CONTESTED, *_COURSE)
    for chunk in chunks:
        tally.add(game_arrays(run, match, chunk, columns))
    return tally


def _take(array: npt.NDArray[Any], cells: list[tuple[int, int]]) -> npt.NDArray[Any]:
    seatings, seats = zip(*cells, strict=True)
    return array[list(seatings), list(seats)]


def _by_deal(values: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Sum over all but the deals, which are the last axis."""
    total = np.zeros(values.shape[-1], dtype=np.int64)
    # Row by row: numpy's sum over a short first axis with another type is several times slower.
    for row in values:
        total += row
    return total
