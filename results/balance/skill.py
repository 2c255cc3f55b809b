"""What skill and luck make of the result: strongest against weakest, what is short of perfect, what luck explains."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from results.balance.diversity import Credits, side_cells
from results.balance.measure import Fields
from results.balance.reading import Reading, absent
from results.blocks import Estimate, block_count, block_starts
from results.joint import joint_deals
from results.scan import GameArrays
from results.store import Match, Run

PERFECT = "optimal"
"""The strategy that plays for points perfectly, whatever it is told beside."""

ALONE = "one strategy alone played"
TOO_FEW = "it takes three strategies to tell one that dominates from skill"
NO_LUCK = "the luck of the dice is not kept in this run"

#: Deals below which a share that luck explains has no interval: what is rare, as a bonus, is missing among so few.
LEAST_LUCK_DEALS = 200

_BEST_OF = {2: 0.564190, 3: 0.846284, 4: 1.029375, 5: 1.162964, 6: 1.267206}
"""The mean of the largest of so many independent standard normal numbers.

Source: Harter (1961), Biometrika 48, 151-165.
"""

Figures = npt.NDArray[np.float64]


def is_perfect(strategy: str) -> bool:
    """Return whether a strategy plays for points perfectly."""
    return strategy.partition(":")[0] == PERFECT


def linear_share(sides: int) -> float:
    """Return what a straight line explains of who wins if luck alone decides and is normal, by the number of sides."""
    return sides * (_BEST_OF[sides] / (sides - 1)) ** 2


def strongest_of(taken: Credits) -> str:
    """Return the strongest strategy by mean credit, perfect play left aside where there is another."""
    others = [name for name in taken.ranking if not is_perfect(name)]
    return (others or list(taken.ranking))[0]


def gap_reading(taken: Credits) -> Reading:
    """Return by how much the strongest strategy is before the weakest, as they play each other."""
    if len(taken.strategies) == 1:
        return absent(ALONE)
    pairs = len(taken.strategies) * (len(taken.strategies) - 1) // 2
    return _gap(taken, taken.ranking[0], taken.ranking[-1], pairs)


def optimal_gap_reading(taken: Credits) -> Reading:
    """Return by how much perfect play for points is before the strongest other strategy."""
    perfect = [name for name in taken.strategies if is_perfect(name)]
    others = [name for name in taken.ranking if not is_perfect(name)]
    if not perfect or not others:
        return absent(
            "perfect play for points and another strategy have to be in the set; optimal is its name"
        )
    return _gap(taken, perfect[0], others[0], len(others))


def reply_reading(taken: Credits) -> Reading:
    """Return what the strongest strategy takes from the one that does best against it."""
    if len(taken.strategies) < 3:
        return absent(TOO_FEW)
    first = taken.ranking[0]
    same = next((group for group in taken.alike if first in group), [first])
    rivals = {other: taken.share(first, other) for other in taken.strategies if other not in same}
    if not rivals:
        return absent(f"{' and '.join(same)} decide alike")
    second = min(rivals, key=lambda name: rivals[name].value)
    pairs = len(taken.strategies) * (len(taken.strategies) - 1) // 2
    share = rivals[second]
    return Reading(
        share, taken.games_of(first, second), (0.0, 1.0), pairs, fields={"first": first, "second": second}
    )


def short_reading(best: float | None, why_none: str, mean: Estimate, strategy: str) -> Reading:
    """Return how far a mean score falls short of the best mean that can be, where that is known."""
    if best is None:
        return absent(why_none or "the best mean that can be is not known")
    return Reading(-mean + best, mean.observations, fields={"first": strategy})


def _gap(taken: Credits, first: str, second: str, picks: int) -> Reading:
    share = taken.share(first, second)
    fields: Fields = {"first": first, "second": second}
    return Reading(share * 2 + -1.0, taken.games_of(first, second), (-1.0, 1.0), picks, fields=fields)


@dataclass
class Moments:
    """By block: how many observations there are, the sums of figures and controls, of their squares and products."""

    deals: int

    def __post_init__(self) -> None:
        self.sums = np.zeros((6, block_count(self.deals)))
        self.n = 0

    def add(self, deals: range, figures: Figures, controls: Figures) -> None:
        """Add the figures and controls of a range of deals, shape (observations, deals)."""
        blocks, starts = block_starts(deals, self.deals)
        self.n += figures.size
        for row, terms in enumerate(
            (np.ones_like(figures), figures, controls, figures**2, controls**2, figures * controls)
        ):
            self.sums[row, blocks] += np.add.reduceat(terms.sum(axis=0), starts)

    def reading(self, fields: Fields) -> Reading:
        """Return the share of the variance of the figures that the controls explain, with the jackknife's error.

        Source: Efron and Stein (1981), The Annals of Statistics 9, 586-596, the jackknife.
        """
        blocks = self.sums.shape[1]
        whole = self.sums.sum(axis=1)
        value = float(_explained(whole[:, None])[0])
        if not np.isfinite(value):
            return absent("there is no variance to explain")
        parts = np.zeros(blocks)
        if blocks > 1:
            without = _explained(whole[:, None] - self.sums)
            # The parts are such that blocks / (blocks - 1) x their squares is the variance of the jackknife.
            parts = np.where(np.isfinite(without), without.mean() - without, 0.0) * (blocks - 1) / blocks
        least = LEAST_LUCK_DEALS * self.n // self.deals
        return Reading(
            Estimate(value, parts, self.deals, self.n), self.n, (0.0, 1.0), fields=fields, least_n=least
        )


def _explained(sums: Figures) -> Figures:
    """Return the squared correlation, given sums as Moments has them in its rows."""
    n, figure, control, figures, controls, products = sums
    with np.errstate(divide="ignore", invalid="ignore"):
        across = products - figure * control / n
        shares: Figures = across**2 / ((figures - figure**2 / n) * (controls - control**2 / n))
    return shares


def equal_luck_readings(run: Run, match: Match, deals: int) -> dict[str, Reading]:
    """Return what luck explains where one strategy sits in every seat, of points and of credit."""
    keys = {"luck_share_points": "score", "luck_share_credit": "credit"}
    if not match.luck:
        return {key: absent(NO_LUCK) for key in keys}
    firsts = match.first_seats
    moments = {key: Moments(deals) for key in keys}
    for there, (arrays,) in joint_deals([(run, match)], [("score", "credit", "luck")], deals):
        luck = _excess(arrays, "luck", firsts)
        for key, name in keys.items():
            moments[key].add(there, _excess(arrays, name, firsts), luck)
    return {key: own.reading({}) for key, own in moments.items()}


def gap_luck_reading(run: Run, match: Match | None, deals: int, pair: Sequence[str]) -> Reading:
    """Return what luck explains of who wins, as two strategies play each other."""
    if match is None:
        return absent(ALONE)
    if not match.luck:
        return absent(NO_LUCK)
    moments = Moments(deals)
    cells = [side_cells(match, name) for name in pair]
    for there, (arrays,) in joint_deals([(run, match)], [("credit", "luck")], deals):
        moments.add(there, _between(arrays["credit"], cells), _between(arrays["luck"], cells))
    return moments.reading({"first": pair[0], "second": pair[1]})


def _excess(arrays: GameArrays, name: str, firsts: list[int]) -> Figures:
    """Return by how much each side exceeds the mean of all, shape (sides of all seatings, deals)."""
    sides = arrays[name][:, firsts].astype(np.float64)
    sides -= sides.mean(axis=1, keepdims=True)
    return sides.reshape(-1, sides.shape[-1])


def _between(array: npt.NDArray[np.integer], cells: list[list[tuple[int, int]]]) -> Figures:
    """Return, for each seating and deal, the mean over the sides of one strategy less that over the other's."""
    differences: list[Figures] = []
    for seating, seats in enumerate(array):
        one, other = ([seat for own, seat in side if own == seating] for side in cells)
        differences.append(seats[one].mean(axis=0) - seats[other].mean(axis=0))
    return np.stack(differences)
