"""Counts a match part by part into exact integers, in memory that does not grow with the games."""

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import add
from typing import Protocol

import numpy as np
import numpy.typing as npt
import polars as pl

from results.control import Folds
from results.ratios import RatioSums
from results.scan import Cells, GameArrays, at_cells, by_deal, read_chunks
from results.schema import CREDIT_UNITS
from results.statistics import DealSums, Histogram, sum_of_products
from results.store import Match, Run

_SCORES = 1 << 16
_LOWEST = -(1 << 15)
_ALWAYS = ("score", "bonus", "throws")
_CONTESTED = ("won", "credit", "place", "position", "tied", "tiebreak_rounds", "start_rounds")
_ROUNDS = {"tie-break rounds": "tiebreak_rounds", "start rounds": "start_rounds"}
_COURSE = ("lead_changes", "decided_turn", "worst_deficit")
#: Of these, what there is only where somebody won.
_WINNERS = ("decided_turn", "worst_deficit")

#: Category sums of so many chunks are added up at a time.
_FRAMES = 64

Subject = str | int | None
Key = tuple[str, Subject]
CategorySums = tuple[int, ...]


class Measures(Protocol):
    """More to count of a match: the columns that it takes where they are there, and how it counts them."""

    COLUMNS: tuple[str, ...]

    def count(self, tally: "MatchTally", arrays: GameArrays) -> None:
        """Count one chunk, given as arrays of shape (seatings, seats, deals)."""


@dataclass
class MatchTally:
    """What has been counted of a match.

    An entry is a strategy, or in a Team game a pair such as `par+greedy`; it counts once for each side and
    game. `sums`, `ratios`, `folds` and `numbers` (how often each number occurs) are keyed by measure and subject: an
    entry, a seat, a position in the order of play, or None for the game as a whole. `products[measure][i, j]` sums,
    over deals, the credit or score of entry i times that of another entry j. `categories` has, by strategy and
    category, the entries made, the sums of their points and of the squares, and the zeros.
    """

    match: Match
    sums: dict[Key, DealSums] = field(default_factory=dict)
    ratios: dict[Key, RatioSums] = field(default_factory=dict)
    folds: dict[Key, Folds] = field(default_factory=dict)
    numbers: dict[Key, Counter[int]] = field(default_factory=dict)
    scores: dict[str, npt.NDArray[np.int64]] = field(default_factory=dict)
    categories: dict[tuple[str, str], CategorySums] = field(default_factory=dict)
    products: dict[str, npt.NDArray[np.object_]] = field(init=False)

    def __post_init__(self) -> None:
        self.cells: dict[str, Cells] = {}
        for seating in range(self.match.seatings):
            for seat in range(self.match.seats):
                self.cells.setdefault(self.match.entry_at(seating, seat), []).append((seating, seat))
        self.scores = {entry: np.zeros(_SCORES, dtype=np.int64) for entry in self.entries}
        size = (len(self.entries),) * 2
        self.products = {measure: np.zeros(size, dtype=object) for measure in ("credit", "score")}

    @property
    def entries(self) -> list[str]:
        """The entries, in the order of the seats they take first."""
        return list(self.cells)

    @property
    def is_level(self) -> bool:
        """Whether the rules fix the credit of every entry.

        A lone entry takes all. For a pot nobody is asked anything: all play alike, and each comes to every seat as
        often.
        """
        return len(self.entries) == 1 or "ante" in self.match.ruleset.rules

    def side_cells(self, entry: str) -> Cells:
        """Return the (seating, seat) pairs that stand for an entry's sides."""
        return self.match.side_cells(entry)

    def of(self, measure: str, subject: Subject = None) -> DealSums:
        """Return the sums of a measure; of no deals where nothing was counted."""
        return self.sums.get((measure, subject), DealSums(0, 0, 0))

    def ratio_of(self, measure: str, subject: Subject = None) -> RatioSums:
        """Return the sums of a ratio; of no deals where nothing was counted."""
        nothing = DealSums(0, 0, 0)
        return self.ratios.get((measure, subject), RatioSums(nothing, nothing, 0))

    def numbers_of(self, measure: str, subject: Subject = None) -> dict[int, int]:
        """Return how often each number occurs, in ascending order."""
        return dict(sorted(self.numbers.get((measure, subject), Counter()).items()))

    def histogram(self, entry: str) -> Histogram:
        """Return the exact score histogram of an entry, from its lowest to its highest score."""
        occurring = np.flatnonzero(self.scores[entry])
        if not len(occurring):
            return Histogram(0, np.zeros(0, dtype=np.int64))
        low, high = int(occurring[0]), int(occurring[-1])
        return Histogram(low + _LOWEST, self.scores[entry][low : high + 1])

    def credit_difference(self, first: str, second: str) -> DealSums:
        """Return the sums of the difference of two entries' mean credit (as a share of a game), by deal."""
        return self._difference("credit", first, second, CREDIT_UNITS)

    def score_difference(self, first: str, second: str) -> DealSums:
        """Return the sums of the difference of two entries' mean scores, by deal."""
        return self._difference("score", first, second, 1)

    def _difference(self, measure: str, first: str, second: str, units: int) -> DealSums:
        a, b = self.entries.index(first), self.entries.index(second)
        # Each entry's total is scaled by the other's number of sides, so that the difference is an integer.
        scale_a, scale_b = len(self.side_cells(second)), len(self.side_cells(first))
        one, two = self.of(measure, first), self.of(measure, second)
        squares = (
            scale_a**2 * one.squares
            + scale_b**2 * two.squares
            - 2 * scale_a * scale_b * int(self.products[measure][a, b])
        )
        total = scale_a * one.total - scale_b * two.total
        return DealSums(one.deals, total, squares, scale_a * scale_b * units)

    def add(self, arrays: GameArrays) -> None:
        """Count one chunk, given as arrays of shape (seatings, seats, deals)."""
        self._add_entries(arrays)
        if not self.match.is_solitaire:
            self._add_credit(arrays)
            self._add_chairs(arrays)
            self._add_games(arrays)

    def add_categories(self, sums: pl.DataFrame) -> None:
        """Count the entries of one chunk, given as its category sums."""
        names = ("count", "sum", "sum_of_squares", "zeros")
        for strategy, category, *more in (
            sums.group_by("strategy", "category").agg(pl.col(names).sum()).rows()
        ):
            before = self.categories.get((strategy, category), (0,) * len(names))
            self.categories[strategy, category] = tuple(map(add, before, more))

    def count(self, measure: str, subject: Subject, totals: npt.NDArray[np.integer], weight: int) -> None:
        """Add totals of deals, one for each; `weight` is what a total is divided by to be the deal's mean."""
        sums = DealSums.of(totals, weight)
        before = self.sums.get((measure, subject))
        self.sums[measure, subject] = before + sums if before else sums

    def count_ratio(self, measure: str, subject: Subject, sums: RatioSums) -> None:
        """Add the sums of a ratio."""
        before = self.ratios.get((measure, subject))
        self.ratios[measure, subject] = before + sums if before else sums

    def count_folds(self, measure: str, subject: Subject, folds: Folds) -> None:
        """Add the sums of a figure with its control."""
        before = self.folds.get((measure, subject))
        self.folds[measure, subject] = before + folds if before else folds

    def count_numbers(self, measure: str, subject: Subject, values: npt.NDArray[np.integer]) -> None:
        """Add how often each number occurs; none is negative."""
        counts = np.bincount(values.ravel().astype(np.int64))
        counter = self.numbers.setdefault((measure, subject), Counter())
        counter.update({value: int(counts[value]) for value in np.flatnonzero(counts).tolist()})

    def _add_entries(self, arrays: GameArrays) -> None:
        totals = []
        for entry in self.entries:
            cells = self.side_cells(entry)
            score = at_cells(arrays["score"], cells)
            ranks = score.ravel().astype(np.int64) - _LOWEST
            self.scores[entry] += np.bincount(ranks, minlength=_SCORES)
            totals.append(by_deal(score))
            self.count("score", entry, totals[-1], len(cells))
            if "bonus" in arrays:
                self.count("bonus", entry, by_deal(at_cells(arrays["bonus"], cells) > 0), len(cells))
            self.count("throws", entry, by_deal(at_cells(arrays["throws"], self.cells[entry])), len(cells))
        self._add_products("score", totals)

    def _add_products(self, measure: str, totals: list[npt.NDArray[np.int64]]) -> None:
        """Add the products of two entries' totals of deals; those of one with itself are among its sums."""
        for (a, one), (b, other) in itertools.combinations(enumerate(totals), 2):
            product = sum_of_products(one, other)
            self.products[measure][a, b] += product
            self.products[measure][b, a] += product

    def _add_credit(self, arrays: GameArrays) -> None:
        shared = (arrays["place"] == 1) & ~arrays["won"].astype(np.bool_)
        shares = []
        for entry in self.entries:
            cells = self.side_cells(entry)
            self.count("won", entry, by_deal(at_cells(arrays["won"], cells)), len(cells))
            self.count("shared", entry, by_deal(at_cells(shared, cells)), len(cells))
            shares.append(by_deal(at_cells(arrays["credit"], cells)))
            self.count("credit", entry, shares[-1], len(cells) * CREDIT_UNITS)
        self._add_products("credit", shares)

    def _add_chairs(self, arrays: GameArrays) -> None:
        seatings = self.match.seatings
        for seat in range(self.match.seats):
            self.count("seat won", seat, by_deal(arrays["won"][:, seat]), seatings)
            self.count("seat credit", seat, by_deal(arrays["credit"][:, seat]), seatings * CREDIT_UNITS)
            if self.match.chips:
                self.count("seat score", seat, by_deal(arrays["score"][:, seat]), seatings)
        if "position" in arrays:
            self._add_positions(arrays)

    def _add_positions(self, arrays: GameArrays) -> None:
        seatings, flat = self.match.seatings, (-1, arrays["won"].shape[-1])
        won, credit = arrays["won"].reshape(flat), arrays["credit"].reshape(flat)
        for position in range(self.match.seats):
            here = arrays["position"].reshape(flat) == position
            self.count("position won", position, by_deal(here & won), seatings)
            self.count("position credit", position, by_deal(here * credit), seatings * CREDIT_UNITS)

    def _add_games(self, arrays: GameArrays) -> None:
        seatings = self.match.seatings
        tied = arrays["tied"][:, self.match.first_seats].sum(axis=1, dtype=np.int64)
        self.count("tied", None, by_deal(tied > 0), seatings)
        if "start_rounds" in arrays:
            self.count("start tied", None, by_deal(arrays["start_rounds"][:, 0] > 1), seatings)
        self._add_course(arrays)
        self.count_numbers("tied sides", None, tied)
        for measure, name in _ROUNDS.items():
            if name in arrays:
                self.count_numbers(measure, None, arrays[name][:, 0])

    def _add_course(self, arrays: GameArrays) -> None:
        won = arrays["won"].max(axis=1)
        for measure in course_measures(self.match):
            values = arrays[measure][:, 0]
            if measure in _WINNERS:
                self.count_ratio(measure, None, RatioSums.of(by_deal(values * won), by_deal(won)))
            else:
                self.count(measure, None, by_deal(values), self.match.seatings)


def course_measures(match: Match) -> tuple[str, ...]:
    """Return the columns that tell the course of a match's games; none with a clock.

    A round on a clock ends when its slowest side does, so that the leads at its end compare sides at no one moment.
    """
    return () if match.is_solitaire or "clock" in match.ruleset.rules else _COURSE


def tally_match(run: Run, match: Match, chunks: Iterable[int], added: Sequence[Measures] = ()) -> MatchTally:
    """Return the counts of committed chunks of a match; DamagedPart if one is not whole."""
    tally = MatchTally(match)
    columns = _ALWAYS if match.is_solitaire else (*_ALWAYS, *_CONTESTED, *course_measures(match))
    columns = (*columns, *(name for measures in added for name in measures.COLUMNS))
    # Games differ in their columns; what is not there is not counted.
    there = [column.name for column in match.columns if column.name in columns]
    waiting: list[pl.DataFrame] = []
    for arrays, sums in read_chunks(run, match, chunks, there):
        tally.add(arrays)
        for measures in added:
            measures.count(tally, arrays)
        # A query takes longer than what it adds up of one small part.
        waiting.append(sums)
        if len(waiting) == _FRAMES:
            tally.add_categories(pl.concat(waiting))
            waiting = []
    if waiting:
        tally.add_categories(pl.concat(waiting))
    return tally
