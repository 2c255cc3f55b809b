"""Strengths of many strategies on one scale, from who is placed before whom.

Of two sides a and b, a is placed before b with a chance in proportion to exp(d / 2), behind it to exp(-d / 2), and
level with it to the tie parameter, where d is the strength of a less that of b, and the effect of the chair of a less
that of the chair of b. A weak prior of half a win for each side of each pair that met keeps strengths finite where one
always wins.
Sources: Bradley and Terry (1952), Biometrika 39, 324-345; Davidson (1970), JASA 65, 317-328, ties; Davidson and Beaver
(1977), Biometrics 33, 693-702, the order within a pair.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from results.contests import Blocks, Contests, Kind
from results.statistics import Interval, tail_chance

Floats = npt.NDArray[np.float64]
REPLICATIONS = 1000
#: Blocks below which a resample of them tells nothing of the error.
LEAST_BLOCKS = 20
ELO_POINTS = 400 / math.log(10)
"""Elo points in a unit of strength. Source: Elo (1978), The Rating of Chessplayers, section 8.4."""

_PRIOR_WINS = 0.5
_MOST_STEPS, _MOST_HALVINGS = 60, 30
_SMALL_STEP = 1e-9
#: A tie parameter of next to nothing, on the log scale, where nobody tied.
_NO_TIES = -700.0


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

    `tie` is None where no contest was tied. `contests` are those that the fit rests on, the prior left out.
    """

    strengths: list[Rated]
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
    linked = {0}
    while reached := {
        entry
        for kind in contests.counts
        for entry in (kind.first, kind.second)
        if {kind.first, kind.second} & linked and entry not in linked
    }:
        linked |= reached
    return len(linked) == len(contests.entries)


def fit_ratings(contests: Contests, seed: int) -> Ratings:
    """Return the ratings of connected entries, with resamples of the blocks of deals by a seed."""
    design = _design(contests)
    counts = np.stack([contests.counts[kind] for kind in design.kinds], axis=1).astype(np.float64)
    blocks = len(counts)
    whole = counts.sum(axis=0)[None]
    fitted = _fit(design.rows, whole + design.prior, _start(design, whole))
    drawn = np.zeros((0, fitted.shape[1]))
    if blocks >= LEAST_BLOCKS:
        weights = _resampled(contests.blocks, seed)
        resampled = (weights @ counts.reshape(blocks, -1)).reshape(REPLICATIONS, -1, 3)
        drawn = _fit(design.rows, resampled + design.prior, np.repeat(fitted, REPLICATIONS, axis=0))
    free = design.basis.shape[1]
    values, all_drawn = design.basis @ fitted[0, :free], drawn[:, :free] @ design.basis.T
    rated = [Rated(float(value), all_drawn[:, k]) for k, value in enumerate(values)]
    entries = len(contests.entries)
    tied = bool(whole[..., 1].any())
    return Ratings(
        strengths=rated[:entries],
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


def _fit(rows: Floats, counts: Floats, start: Floats) -> Floats:
    """Return the most likely parameters, shape (replications, parameters + 1), the last the log of the tie's.

    `counts` has the shape (replications, kinds, 3). All replications take Newton's steps together; the likelihood is
    concave, and a step that would lower it is halved.
    """
    found = start.copy()
    games, ties = counts.sum(axis=2), counts[..., 1].sum(axis=1)
    # Nobody tied, so the tie parameter is 0 and stays there.
    found[ties == 0, -1] = _NO_TIES
    target = np.concatenate([(counts[..., 0] - counts[..., 2]) / 2 @ rows, ties[:, None]], axis=1)
    squares = (rows[:, :, None] * rows[:, None, :]).reshape(len(rows), -1)
    value = _likelihood(rows, games, target, found)
    for _ in range(_MOST_STEPS):
        step = _newton_step(rows, squares, games, target, found)
        moving = np.abs(step).max(axis=1) > _SMALL_STEP
        if not moving.any():
            break
        step[~moving] = 0
        for _ in range(_MOST_HALVINGS):
            after = _likelihood(rows, games, target, found + step)
            worse = after < value - 1e-12 * np.abs(value)
            if not worse.any():
                break
            step[worse] /= 2
        found, value = found + step, after
    return found


def _log_weights(rows: Floats, found: Floats) -> tuple[Floats, Floats]:
    """Return half of d of each kind, and the logarithm of what the three chances are in proportion to, in sum."""
    half = found[:, :-1] @ rows.T / 2
    return half, np.logaddexp(np.logaddexp(half, -half), found[:, -1:])


def _likelihood(rows: Floats, games: Floats, target: Floats, found: Floats) -> Floats:
    _, sums = _log_weights(rows, found)
    total: Floats = (target * found).sum(axis=1) - (games * sums).sum(axis=1)
    return total


def _chances(rows: Floats, found: Floats) -> tuple[Floats, Floats, Floats]:
    half, sums = _log_weights(rows, found)
    return np.exp(half - sums), np.exp(found[:, -1:] - sums), np.exp(-half - sums)


def _newton_step(rows: Floats, squares: Floats, games: Floats, target: Floats, found: Floats) -> Floats:
    win, tie, loss = _chances(rows, found)
    lead, free = win - loss, rows.shape[1]
    expected = np.concatenate([games * lead / 2 @ rows, (games * tie).sum(axis=1, keepdims=True)], axis=1)
    information = np.empty((len(found), free + 1, free + 1))
    information[:, :free, :free] = (games * (win + loss - lead**2) / 4 @ squares).reshape(-1, free, free)
    crossed = -(games * lead * tie) / 2 @ rows
    information[:, :free, free] = information[:, free, :free] = crossed
    information[:, free, free] = (games * tie * (1 - tie)).sum(axis=1)
    # So little that it moves no digit; where nothing is known in a direction, nothing moves.
    information += 1e-9 * np.eye(free + 1)
    step: Any = np.linalg.solve(information, (target - expected)[..., None])[..., 0]
    return np.asarray(step, np.float64)


def _misfit(design: _Design, counts: Floats, fitted: Floats) -> Misfit:
    win, tie, _ = (chance[0] for chance in _chances(design.rows, fitted))
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
