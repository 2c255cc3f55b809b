"""Counts the games of pairs deal by deal into exact integers, in memory that does not grow with the games."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from results.comparison.pairs import Pair
from results.comparison.sources import Source
from results.control import Folds
from results.joint import joint_deals
from results.luck import excess_luck
from results.scan import GameArrays
from results.schema import CREDIT_UNITS
from results.statistics import DealSums

#: Deals that are counted at once, so that their totals stay in the cache.
_STRIDE = 1 << 14
_UNITS = {"score": 1, "credit": CREDIT_UNITS}
_CONTROLS = {"score": "luck", "credit": "excess"}

Game = tuple[int, int]
"""A source by its index, and a seating."""


@dataclass
class PairSums:
    """What has been counted of a pair, by measure ("score", and "credit" where there are rivals).

    `differences` are the first's mean less the second's, by deal; `apart` has what each single game of a deal adds to
    that. `folds` has the differences with their luck where it is kept. `divergent` counts the deals in which the two
    took different decisions on the same dice; None where decisions are not stored.
    """

    pair: Pair
    differences: dict[str, DealSums] = field(default_factory=dict)
    apart: dict[tuple[str, Game], DealSums] = field(default_factory=dict)
    folds: dict[str, Folds] = field(default_factory=dict)
    divergent: DealSums | None = None

    def variance_ratio(self, measure: str) -> float | None:
        """Return the variance that games with dice of their own would have, over that on shared dice.

        None where the deals show no variance.
        """
        spread = self.differences[measure].spread
        alone = sum(sums.spread for (own, _), sums in self.apart.items() if own == measure)
        return alone / spread if spread else None

    def add(self, first_deal: int, games: dict[int, GameArrays]) -> None:
        """Count deals in a row, given their games by source."""
        there = set.intersection(*(set(games[source]) for source in self.pair.coefficients))
        for measure, units in _UNITS.items():
            if measure in there:
                self._add_measure(measure, units, first_deal, games, _CONTROLS[measure] in there)
        if "decisions" in there and self.pair.twins:
            self._add_divergent(games)

    def _add_measure(
        self, measure: str, units: int, first_deal: int, games: dict[int, GameArrays], with_luck: bool
    ) -> None:
        weight, total = self.pair.weight * units, None
        for game, values in self._by_game(measure, games):
            sums, key = DealSums.of(values, weight), (measure, game)
            self.apart[key] = self.apart[key] + sums if key in self.apart else sums
            total = values if total is None else total + values
        if total is None:
            raise RuntimeError("A pair without games was planned.")
        sums, before = DealSums.of(total, weight), self.differences.get(measure)
        self.differences[measure] = before + sums if before else sums
        if with_luck:
            controls = sum(values for _, values in self._by_game(_CONTROLS[measure], games))
            folds, known = Folds.of(first_deal, total, np.asarray(controls), weight), self.folds.get(measure)
            self.folds[measure] = known + folds if known else folds

    def _by_game(
        self, measure: str, games: dict[int, GameArrays]
    ) -> Iterator[tuple[Game, npt.NDArray[np.int64]]]:
        """Yield what each game adds to the totals of deals."""
        for source, coefficients in self.pair.coefficients.items():
            for seating, row in enumerate(coefficients):
                seats = np.flatnonzero(row).tolist()
                if seats:
                    values = games[source][measure][seating]
                    total = values[seats[0]] * row[seats[0]]
                    for seat in seats[1:]:
                        total += values[seat] * row[seat]
                    yield (source, seating), total

    def _add_divergent(self, games: dict[int, GameArrays]) -> None:
        differ: npt.NDArray[np.bool_] | None = None
        for (one, *here), (two, *there) in self.pair.twins:
            found = games[one]["decisions"][tuple(here)] != games[two]["decisions"][tuple(there)]
            differ = found if differ is None else differ | found
        if differ is not None:
            sums = DealSums.of(differ.view(np.uint8))
            self.divergent = self.divergent + sums if self.divergent else sums


def count_pairs(sources: Sequence[Source], pairs: Sequence[Pair]) -> list[PairSums]:
    """Return the counts of pairs, each over the deals that all its matches have; DamagedPart if a part is not whole."""
    counted = [PairSums(pair) for pair in pairs]
    for group in _groups(counted):
        indices = sorted({source for sums in group for source in sums.pair.coefficients})
        columns = [_columns(sources[index]) for index in indices]
        places = [(sources[index].run, sources[index].match) for index in indices]
        for deals, arrays in joint_deals(places, columns, group[0].pair.deals):
            _count(sources, group, deals, dict(zip(indices, arrays, strict=True)))
    return counted


def _count(
    sources: Sequence[Source], group: Sequence[PairSums], deals: range, arrays: dict[int, GameArrays]
) -> None:
    # A function of its own, so that the games of one chunk are gone before those of the next are read.
    for start in range(0, len(deals), _STRIDE):
        games = {
            index: _prepared(sources[index], {n: v[..., start : start + _STRIDE] for n, v in own.items()})
            for index, own in arrays.items()
        }
        for sums in group:
            sums.add(deals.start + start, games)


def _groups(counted: Sequence[PairSums]) -> list[list[PairSums]]:
    """Return the pairs that are best read together: of as many deals, and linked by a match."""
    groups: list[tuple[int, set[int], list[PairSums]]] = []
    for sums in counted:
        deals, linked, members = sums.pair.deals, set(sums.pair.coefficients), [sums]
        for group in [g for g in groups if g[0] == deals and g[1] & linked]:
            groups.remove(group)
            linked, members = group[1] | linked, group[2] + members
        groups.append((deals, linked, members))
    return [members for _, _, members in groups]


def _columns(source: Source) -> list[str]:
    wanted = ["score", "decisions", *([] if source.match.is_solitaire else ["credit"])]
    return [name for name in [*wanted, "luck"] if source.match.has_column(name)]


def _prepared(source: Source, arrays: GameArrays) -> GameArrays:
    """Return the arrays with room for sums, and the luck of each side beyond the others'."""
    wide = {n: v if n == "decisions" else v.astype(np.int64) for n, v in arrays.items()}
    if "luck" in wide and "credit" in wide:
        wide["excess"] = excess_luck(wide["luck"], source.match.first_seats)
    return wide
