"""Who was placed before whom, by block of deals: what ratings are fitted to.

A game of three sides or more is taken apart into the contests of all pairs of its sides.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from results.blocks import MOST_BLOCKS
from results.comparison.sources import Comparison, Source
from results.joint import joint_deals
from results.scan import GameArrays

_STRIDE = 1 << 14
#: Blocks that the deals of one stratum are cut into at the least, where there are so many deals.
_LEAST_BLOCKS = 100


@dataclass(frozen=True)
class Blocks:
    """The deals of all matches, cut into blocks of deals in a row: a block has the same dice in every match.

    Where matches have different numbers of deals, each stretch that the same matches have is a stratum of its own:
    `cuts` are the bounds of the strata, and `sizes` how many blocks each has.
    """

    cuts: tuple[int, ...]
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, deals: Sequence[int]) -> "Blocks":
        """Cut the deals, given how many each match has."""
        cuts = (0, *sorted(set(deals)))
        most = max(_LEAST_BLOCKS, MOST_BLOCKS // (len(cuts) - 1))
        return cls(cuts, tuple(min(most, stop - start) for start, stop in itertools.pairwise(cuts)))

    @property
    def count(self) -> int:
        """How many blocks there are."""
        return sum(self.sizes)

    def of_deals(self, deals: range) -> npt.NDArray[np.int64]:
        """Return the block of each deal."""
        numbers = np.arange(deals.start, deals.stop, dtype=np.int64)
        cuts, sizes = np.asarray(self.cuts, np.int64), np.asarray(self.sizes, np.int64)
        stratum = np.searchsorted(cuts, numbers, side="right") - 1
        before, lengths = np.cumsum(sizes) - sizes, np.diff(cuts)
        blocks: npt.NDArray[np.int64] = (
            before[stratum] + (numbers - cuts[stratum]) * sizes[stratum] // lengths[stratum]
        )
        return blocks


@dataclass(frozen=True, order=True)
class Kind:
    """What contests have in common: the two entries by index, the number of sides, and the chair of each.

    A chair is the side's place in the order of play where that is stored (`chairs` is "position"), or else its seat.
    """

    first: int
    second: int
    sides: int
    chairs: str
    chair: int
    other: int


@dataclass
class Contests:
    """How often the first was placed before the second, level with it, and behind it, by kind and block."""

    entries: tuple[str, ...]
    blocks: Blocks
    counts: dict[Kind, npt.NDArray[np.int64]] = field(default_factory=dict)

    def add(self, source: Source, deals: range, arrays: GameArrays) -> None:
        """Count the games of some deals of a match, given as arrays of shape (seatings, seats, deals)."""
        ranks = {entry: rank for rank, entry in enumerate(self.entries)}
        blocks, match = self.blocks.of_deals(deals), source.match
        low, size = int(blocks[0]), match.side_count**2 * 3
        base = (blocks - low) * size
        spread = (int(blocks[-1]) - low + 1) * size
        for seating, row in enumerate(source.entries):
            chairs = _chairs(source, arrays, seating)
            for one, two in itertools.combinations(range(match.side_count), 2):
                seats = [source.match.first_seats[side] for side in (one, two)]
                names = [row[seat] for seat in seats]
                if not all(name in ranks for name in names):
                    continue
                places = (arrays["place"][seating, seat].astype(np.int8) for seat in seats)
                outcome = np.sign(np.subtract(*places)) + 1
                code = (chairs[one] * match.side_count + chairs[two]) * 3 + outcome
                found = np.bincount(base + code, minlength=spread)
                pair = (ranks[names[0]], ranks[names[1]])
                self._keep(pair, source, low, found.reshape(-1, match.side_count, match.side_count, 3))

    def _keep(self, pair: tuple[int, int], source: Source, low: int, found: npt.NDArray[np.int64]) -> None:
        chairs = "position" if source.match.has_column("position") else "seat"
        for chair, other in itertools.permutations(range(source.match.side_count), 2):
            own = found[:, chair, other]
            if not own.any():
                continue
            one, two = (pair[0], chair), (pair[1], other)
            # Each kind is kept once, seen from the entry that comes first, or else from the first chair.
            if two < one:
                one, two, own = two, one, own[:, ::-1]
            kind = Kind(one[0], two[0], source.match.side_count, chairs, one[1], two[1])
            total = self.counts.setdefault(kind, np.zeros((self.blocks.count, 3), np.int64))
            total[low : low + len(own)] += own


def count_contests(comparison: Comparison) -> Contests:
    """Return the contests of the entries that met another; DamagedPart if a part is not whole."""
    met = {
        entry
        for source in comparison.sources
        for row in source.entries
        for entry in row
        if len(set(row) & set(comparison.entries)) > 1
    }
    entries = tuple(entry for entry in comparison.entries if entry in met)
    contests = Contests(entries, Blocks.of([source.deals for source in comparison.sources]))
    for source in comparison.sources:
        names = [name for name in ("place", "position") if source.match.has_column(name)]
        for deals, (arrays,) in joint_deals([(source.run, source.match)], [names], source.deals):
            for start in range(deals.start, deals.stop, _STRIDE):
                stop = min(start + _STRIDE, deals.stop)
                own = {n: v[..., start - deals.start : stop - deals.start] for n, v in arrays.items()}
                contests.add(source, range(start, stop), own)
    return contests


def _chairs(source: Source, arrays: GameArrays, seating: int) -> list[npt.NDArray[np.int64]]:
    """Return the chair of each side: who of its seats plays first says when the side does."""
    sides, deals = source.match.sides, arrays["place"].shape[-1]
    if "position" not in arrays:
        return [np.full(deals, side, np.int64) for side in range(source.match.side_count)]
    return [
        arrays["position"][seating, [seat for seat, own in enumerate(sides) if own == side]]
        .min(axis=0)
        .astype(np.int64)
        for side in sorted(set(sides))
    ]
