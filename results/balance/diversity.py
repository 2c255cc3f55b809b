"""How the strategies of a set do against each other: the credit of all pairs, its equilibrium, who beats whom.

The equilibrium mixes strategies so that no other does better against it; of several the solver's is taken.
Sources: von Neumann (1928), Mathematische Annalen 100, 295-320, the equilibrium and, by Dantzig (1951), its linear
program; Efron (1979), The Annals of Statistics 7, 1-26, the bootstrap.
"""

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy import optimize, special

from results.balance.matches import BalanceMatches, Pair, RulesetMatches
from results.balance.reading import Reading, absent
from results.blocks import BlockSums, Estimate
from results.comparison.ranks import cycles_among, holm_adjusted
from results.joint import joint_deals
from results.scan import at_cells, by_deal
from results.store import Match, Run

REPLICATES = 200
"""Replicates of the bootstrap, each of as many blocks of deals as there are."""

_LEAST_SHARE = 1e-9
#: Blocks below which strategies that differ may be level in each by chance.
_LEAST_ALIKE = 100
Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Credits:
    """What each strategy takes of the credit from each other under a ruleset, seat for seat: sums and games by pair."""

    strategies: tuple[str, ...]
    sums: Mapping[Pair, BlockSums]
    games: Mapping[Pair, int]

    def share(self, one: str, other: str) -> Estimate:
        """Return what one strategy takes of the credit that the two have for each seat."""
        if (one, other) in self.sums:
            estimate = self.sums[one, other].estimate()
            assert estimate is not None  # every game has credit
            return estimate
        return -self.share(other, one) + 1.0

    def games_of(self, one: str, other: str) -> int:
        """Return how many games two strategies played."""
        return self.games[(one, other) if (one, other) in self.games else (other, one)]

    def mean(self, strategy: str) -> Estimate:
        """Return the mean of what a strategy takes from each other."""
        shares = [self.share(strategy, other) for other in self.strategies if other != strategy]
        return sum(shares[1:], start=shares[0]) * (1 / len(shares))

    @cached_property
    def ranking(self) -> tuple[str, ...]:
        """The strategies from the largest mean credit to the smallest, ties in their order."""
        if len(self.strategies) == 1:
            return self.strategies
        means = {name: self.mean(name).value for name in self.strategies}
        return tuple(sorted(self.strategies, key=lambda name: -means[name]))

    @cached_property
    def matrix(self) -> Matrix:
        """What the strategy of a row takes from that of a column; one half from itself."""
        if not self.sums:
            return np.full((1, 1), 0.5)
        whole: Matrix = self._matrices(*self._totals(np.ones((1, self._blocks))))[0]
        return whole

    def shown(self, level: float) -> set[Pair]:
        """Return the pairs of which the first beats the second, all at once at a level, by Holm."""
        return {
            pair if self.share(*pair).value > 0.5 else (pair[1], pair[0])
            for pair, chance in zip(self.sums, self._adjusted(), strict=True)
            if chance is not None and chance < 1 - level
        }

    def _adjusted(self) -> list[float | None]:
        return holm_adjusted([_chance(self.share(*pair)) for pair in self.sums])

    @cached_property
    def alike(self) -> list[list[str]]:
        """The strategies that decide alike, in groups: level in every block, and with the same from each other one."""
        groups: list[list[str]] = []
        for name in self.strategies:
            found = next((group for group in groups if self._are_alike(group[0], name)), None)
            if found is None:
                groups.append([name])
            else:
                found.append(name)
        return [group for group in groups if len(group) > 1]

    def _are_alike(self, one: str, other: str) -> bool:
        few = self._blocks < _LEAST_ALIKE
        if few or not np.array_equal(self._above(one, other), self._above(other, one)):
            return False
        thirds = [name for name in self.strategies if name not in (one, other)]
        return all(np.array_equal(self._above(one, third), self._above(other, third)) for third in thirds)

    def _above(self, one: str, other: str) -> npt.NDArray[np.int64]:
        """Return what one strategy takes from another, by block; every pair has played as many games."""
        if (one, other) in self.sums:
            return self.sums[one, other].above
        own = self.sums[other, one]
        rest: npt.NDArray[np.int64] = own.below - own.above
        return rest

    def worth(self, shares: Matrix) -> float:
        """Return how many strategies a mix is worth, those that decide alike taken as one."""
        merged = dict(zip(self.strategies, map(float, shares), strict=True))
        for first, *others in self.alike:
            merged[first] += sum(merged.pop(other) for other in others)
        return effective_number(np.array(list(merged.values())))

    def cycles(self, level: float) -> list[list[str]]:
        """Return the cycles among differences that are shown at a level: a beats b beats c beats a."""
        return cycles_among(self.strategies, self.shown(level))

    def effective_reading(self, seed: int) -> Reading:
        """Return the effective number of strategies of the equilibrium."""
        count = len(self.strategies)
        if count == 1:
            return absent("one strategy alone played")
        value = self.worth(equilibrium(self.matrix))
        deals = next(iter(self.sums.values())).deals
        games = sum(self.games.values())
        estimate = Estimate(value, np.zeros(self._blocks), deals, games)
        alike = min((chance for chance in self._adjusted() if chance is not None), default=1.0)
        return Reading(
            estimate, games, (1.0, float(count)), replicates=self.replicates(seed), level_chance=alike
        )

    def replicates(self, seed: int) -> npt.NDArray[np.float64]:
        """Return the effective number of strategies in each replicate; the same blocks for any ruleset of a seed."""
        rng = np.random.default_rng(seed)
        weights = rng.multinomial(self._blocks, np.full(self._blocks, 1 / self._blocks), size=REPLICATES)
        matrices = self._matrices(*self._totals(weights.astype(np.float64)))
        likely = np.flatnonzero(equilibrium(self.matrix))
        return np.array([self.worth(equilibrium(matrix, likely)) for matrix in matrices])

    @property
    def _blocks(self) -> int:
        return len(next(iter(self.sums.values())).above)

    def _totals(self, weights: Matrix) -> tuple[Matrix, Matrix]:
        above, below = (
            np.stack([getattr(own, name) for own in self.sums.values()]) for name in ("above", "below")
        )
        return weights @ above.T, weights @ below.T

    def _matrices(self, above: Matrix, below: Matrix) -> Matrix:
        count = len(self.strategies)
        matrices = np.full((len(above), count, count), 0.5)
        for k, (one, other) in enumerate(self.sums):
            i, j = self.strategies.index(one), self.strategies.index(other)
            matrices[:, i, j] = above[:, k] / below[:, k]
            matrices[:, j, i] = 1 - matrices[:, i, j]
        return matrices


def count_credits(run: Run, matches: BalanceMatches, of: RulesetMatches) -> Credits:
    """Return what each strategy takes from each other under a ruleset; DamagedPart if a part is not whole."""
    order = itertools.combinations(matches.strategies, 2)
    played = {pair: of.pairs.get(pair) or of.pairs[pair[::-1]] for pair in order}
    sums = {pair: _pair_sums(run, match, pair, matches.deals) for pair, match in played.items()}
    games = {pair: matches.deals * match.seatings for pair, match in played.items()}
    return Credits(matches.strategies, sums, games)


def equilibrium(matrix: Matrix, likely: npt.NDArray[np.intp] | None = None) -> Matrix:
    """Return how often the equilibrium plays each strategy, given what each takes of the credit from each.

    `likely` are the strategies that it may well mix, which are tried first, as that is faster.
    """
    payoff = matrix - 0.5
    best = np.flatnonzero((payoff >= 0).all(axis=1))
    count = len(payoff)
    if len(best):
        # A strategy that nothing beats is an equilibrium of its own; of several, each is played as often.
        shares = np.zeros(count)
        shares[best] = 1 / len(best)
        return shares
    if likely is not None and (mix := _balanced_mix(payoff, likely)) is not None:
        return mix
    # Maximise the value v that the mix has against every strategy at least: payoff' x shares >= v.
    solved = optimize.linprog(
        np.r_[np.zeros(count), -1.0],
        A_ub=np.c_[-payoff.T, np.ones(count)],
        b_ub=np.zeros(count),
        A_eq=np.r_[np.ones(count), 0.0][None],
        b_eq=[1.0],
        bounds=[(0, 1)] * count + [(None, None)],
        method="highs",
    )
    shares = np.clip(solved.x[:-1], 0, None)
    shares[shares < _LEAST_SHARE] = 0
    found: Matrix = shares / shares.sum()
    return found


def _balanced_mix(payoff: Matrix, mixed: npt.NDArray[np.intp]) -> Matrix | None:
    """Return the mix of some strategies against which each of them does equally well, if no other does better."""
    within = payoff[np.ix_(mixed, mixed)]
    equations = np.r_[within, np.ones((1, len(mixed)))]
    found, _, rank, _ = np.linalg.lstsq(equations, np.r_[np.zeros(len(mixed)), 1.0], rcond=None)
    shares = np.zeros(len(payoff))
    shares[mixed] = found
    is_one = rank == len(mixed) and np.allclose(within @ found, 0, atol=_LEAST_SHARE)
    return shares if is_one and shares.min() >= 0 and (payoff @ shares).max() <= _LEAST_SHARE else None


def effective_number(shares: Matrix) -> float:
    """Return how many strategies a mix is worth: the exponential of its entropy, 1 where one alone is played.

    Source: Hill (1973), Ecology 54, 427-432.
    """
    played = shares[shares > 0]
    return math.exp(-float(played @ np.log(played)))


def side_cells(match: Match, strategy: str) -> list[tuple[int, int]]:
    """Return the (seating, seat) pairs that stand for the sides of a strategy."""
    return [
        (seating, seat)
        for seating in range(match.seatings)
        for seat in match.first_seats
        if match.strategy_at(seating, seat) == strategy
    ]


def _pair_sums(run: Run, match: Match, pair: Pair, deals: int) -> BlockSums:
    cells = [side_cells(match, name) for name in pair]
    sums = BlockSums(deals)
    for there, (arrays,) in joint_deals([(run, match)], [("credit",)], deals):
        one, other = (by_deal(at_cells(arrays["credit"], own)) for own in cells)
        # Seat for seat: each total times the other's number of sides.
        above = one * len(cells[1])
        sums.add(there, above, above + other * len(cells[0]))
    return sums


def _chance(share: Estimate) -> float | None:
    """Return the chance that a share is as far from one half if it is none; by Student's law over blocks."""
    error = share.error
    if error is None:
        return None
    away = abs(share.value - 0.5)
    if error == 0:
        # As many deals that all agree come by chance as seldom as so many throws of a coin.
        return 0.5 ** (share.deals - 1) if away else 1.0
    return 2 * float(special.stdtr(len(share.parts) - 1, -away / error))
