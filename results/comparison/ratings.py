"""Strengths of many strategies on one scale, from who is placed before whom.

The model is that of `results.strengths`; d is the strength of one side less that of the other, and the effect of its
chair less that of the other's. A weak prior of half a win for each side of each pair that met keeps strengths finite
where one always wins.
Source: Davidson and Beaver (1977), Biometrics 33, 693-702, ties and the order within a pair.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from results.comparison.contests import Blocks, Contests, Kind
from results.comparison.ranks import are_linked
from results.comparison.strengths import Floats, chances_of, most_likely
from results.statistics import Interval, tail_chance

REPLICATIONS = 1000
#: Blocks below which a resample of them tells nothing of the error.
LEAST_BLOCKS = 20
ELO_POINTS = 400 / math.log(10)
"""Elo points in a unit of strength. Source: Elo (1978), The Rating of Chessplayers, Past and Present."""

_PRIOR_WINS = 0.5


@dataclass(frozen=True)
class Chair:
    """A place in the order of play, or a seat, among so many sides."""

    sides: int
    chairs: str
    number: int


@dataclass(frozen=True)
class Rated:
    """A fitted value, and what it came to in each resample of the blocks."""

    value: float
    drawn: Floats

    def interval(self, level: float) -> Interval | None:
        """Return the percentile interval of the bootstrap; None with too few blocks to resample.

        Source: Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 13.
        """
        if not len(self.drawn):
            return None
        tail = tail_chance(level)
        low, high = np.quantile(self.drawn, [tail, 1 - tail])
        return float(low), float(high)


@dataclass(frozen=True)
class Misfit:
    """The pair whose credit the ratings miss the most: observed and predicted share of the first, by index."""

    first: int
    second: int
    observed: float
    predicted: float


@dataclass(frozen=True)
class Ratings:
    """Strengths on the log scale with mean 0, effects of chairs with mean 0 among as many sides, and the tie parameter.

    `tie` is None where no contest was tied. `contests` are those that the fit rests on, the prior left out. `settled`
    tells whose distance from most others the contests alone would settle, by `settled_entries`.
    """

    strengths: list[Rated]
    settled: list[bool]
    chairs: dict[Chair, Rated]
    tie: Rated | None
    misfit: Misfit
    contests: int
    replications: int


@dataclass(frozen=True)
class _Design:
    """The kinds of contests, and `rows`: how free parameters make up the d of each."""

    kinds: list[Kind]
    chairs: list[Chair]
    basis: Floats
    rows: Floats
    prior: Floats


def is_connected(contests: Contests) -> bool:
    """Return whether every entry has met every other, directly or by way of others."""
    return are_linked(range(len(contests.entries)), [(kind.first, kind.second) for kind in contests.counts])


def settled_entries(kinds: Sequence[Kind], counts: Floats, entries: int) -> list[bool]:
    """Return which entries belong to the largest group in which everyone is, by a chain, before everyone else.

    Between groups one side was never placed before the other, so that without a prior they would be infinitely far
    apart. A tie counts for both. `counts` has the shape (kinds, 3).
    Source: Ford (1957), The American Mathematical Monthly 64, 28-33.
    """
    before = np.eye(entries, dtype=np.bool_)
    for kind, (ahead, level, behind) in zip(kinds, counts, strict=True):
        before[kind.first, kind.second] |= ahead + level > 0
        before[kind.second, kind.first] |= behind + level > 0
    for middle in range(entries):
        before |= before[:, [middle]] & before[[middle]]
    group = max(before & before.T, key=lambda row: int(row.sum()))
    return [bool(own and group.sum() > 1) for own in group]


def fit_ratings(contests: Contests, seed: int) -> Ratings:
    """Return the ratings of connected entries, with resamples of the blocks of deals by a seed."""
    design = _design(contests)
    counts = np.stack([contests.counts[kind] for kind in design.kinds], axis=1).astype(np.float64)
    blocks = len(counts)
    whole = counts.sum(axis=0)[None]
    fitted = most_likely(design.rows, whole + design.prior, _start(design, whole))
    drawn = np.zeros((0, fitted.shape[1]))
    if blocks >= LEAST_BLOCKS:
        weights = _resampled(contests.blocks, seed)
        resampled = (weights @ counts.reshape(blocks, -1)).reshape(REPLICATIONS, -1, 3)
        drawn = most_likely(design.rows, resampled + design.prior, np.repeat(fitted, REPLICATIONS, axis=0))
    free = design.basis.shape[1]
    values, all_drawn = design.basis @ fitted[0, :free], drawn[:, :free] @ design.basis.T
    rated = [Rated(float(value), all_drawn[:, k]) for k, value in enumerate(values)]
    entries = len(contests.entries)
    tied = bool(whole[..., 1].any())
    return Ratings(
        strengths=rated[:entries],
        settled=settled_entries(design.kinds, whole[0], entries),
        chairs=dict(zip(design.chairs, rated[entries:], strict=True)),
        tie=Rated(math.exp(fitted[0, free]), np.exp(drawn[:, free])) if tied else None,
        misfit=_misfit(design, whole[0], fitted),
        contests=int(whole.sum()),
        replications=len(drawn),
    )


def _design(contests: Contests) -> _Design:
    kinds = sorted(contests.counts)
    chairs = [
        Chair(sides, name, number)
        for sides, name in sorted({(kind.sides, kind.chairs) for kind in kinds})
        for number in range(sides)
    ]
    entries = len(contests.entries)
    at = {chair: entries + k for k, chair in enumerate(chairs)}
    full = np.zeros((len(kinds), entries + len(chairs)))
    for row, kind in zip(full, kinds, strict=True):
        row[kind.first] += 1
        row[kind.second] -= 1
        row[at[Chair(kind.sides, kind.chairs, kind.chair)]] += 1
        row[at[Chair(kind.sides, kind.chairs, kind.other)]] -= 1
    # In each group the last is what makes the mean 0.
    groups = [entries, *(c.sides for c in chairs if c.number == 0)]
    basis = np.zeros((entries + len(chairs), entries + len(chairs) - len(groups)))
    top = left = 0
    for size in groups:
        basis[top : top + size - 1, left : left + size - 1] = np.eye(size - 1)
        basis[top + size - 1, left : left + size - 1] = -1
        top, left = top + size, left + size - 1
    return _Design(kinds, chairs, basis, full @ basis, _prior(kinds))


def _prior(kinds: Sequence[Kind]) -> Floats:
    """Return half a win for each side of each pair that met, spread over the chairs in which it did."""
    met: dict[tuple[int, int], int] = {}
    for kind in kinds:
        met[kind.first, kind.second] = met.get((kind.first, kind.second), 0) + 1
    wins = [
        0.0 if kind.first == kind.second else _PRIOR_WINS / met[kind.first, kind.second] for kind in kinds
    ]
    return np.array([[share, 0.0, share] for share in wins])


def _start(design: _Design, whole: Floats) -> Floats:
    start = np.zeros((1, design.rows.shape[1] + 1))
    tied = whole[..., 1].sum() / whole.sum()
    start[0, -1] = math.log(2 * tied / (1 - tied)) if 0 < tied < 1 else 0.0
    return start


def _resampled(blocks: Blocks, seed: int) -> Floats:
    """Return how often each block is drawn in each replication: as many as there are, stratum by stratum."""
    generator = np.random.default_rng([seed, blocks.count])
    return np.concatenate(
        [generator.multinomial(size, np.full(size, 1 / size), REPLICATIONS) for size in blocks.sizes], axis=1
    ).astype(np.float64)


def _misfit(design: _Design, counts: Floats, fitted: Floats) -> Misfit:
    win, tie, _ = (chance[0] for chance in chances_of(design.rows, fitted))
    games = counts.sum(axis=1)
    sums: dict[tuple[int, int], Floats] = {}
    for k, kind in enumerate(design.kinds):
        if kind.first != kind.second:
            own = np.array([games[k], counts[k, 0] + counts[k, 1] / 2, games[k] * (win[k] + tie[k] / 2)])
            sums[kind.first, kind.second] = sums.get((kind.first, kind.second), 0) + own
    shares = [
        Misfit(*pair, float(observed / n), float(predicted / n))
        for pair, (n, observed, predicted) in sums.items()
    ]
    return max(shares, key=lambda misfit: abs(misfit.observed - misfit.predicted))
