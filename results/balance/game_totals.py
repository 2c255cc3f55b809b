"""The games of a match as measures take them, and what a measure comes to by deal."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from results.manifest import Match
from results.scan import GameArrays, by_deal

Counts = npt.NDArray[np.integer]


@dataclass(frozen=True)
class Totals:
    """What a measure comes to by deal: the sum of `above` over that of `below`, divided by `scale`.

    `n` counts what is averaged, by deal; None where `below` does. `most` is what a value that is no rate can't exceed,
    and `fixed` says that the rules allow no other value.
    """

    above: Counts
    below: Counts | int = 1
    scale: int = 1
    n: Counts | None = None
    most: float | None = None
    fixed: bool = False


@dataclass(frozen=True)
class Counting:
    """From where on a game counts as something, as shares of the best score of that very game."""

    comeback: Fraction
    blowout: Fraction
    close: Fraction

    @classmethod
    def of(cls, comeback: float, blowout: float, close: float) -> "Counting":
        """Return the limits, which are exact in decimals."""
        return cls(*(Fraction(str(share)) for share in (comeback, blowout, close)))


class Games:
    """The games of some deals of a match, with what several measures take; arrays of shape (seatings, deals)."""

    def __init__(self, match: Match, arrays: GameArrays, counting: Counting) -> None:
        self.match, self.arrays, self.counting = match, arrays, counting

    def of_game(self, name: str) -> npt.NDArray[np.int64]:
        """Return a column that all seats of a game share."""
        values: npt.NDArray[np.int64] = self.arrays[name][:, 0].astype(np.int64)
        return values

    def of_sides(self, name: str) -> npt.NDArray[np.int64]:
        """Return a column that a side's seats share, by side: shape (seatings, sides, deals)."""
        values: npt.NDArray[np.int64] = self.arrays[name][:, self.match.first_seats].astype(np.int64)
        return values

    @cached_property
    def won(self) -> npt.NDArray[np.bool_]:
        """Whether somebody won the game alone."""
        won: npt.NDArray[np.bool_] = self.arrays["won"].max(axis=1).astype(np.bool_)
        return won

    @cached_property
    def top(self) -> npt.NDArray[np.int64]:
        """The best score."""
        best: npt.NDArray[np.int64] = self.of_sides("score").max(axis=1)
        return best

    @cached_property
    def margin(self) -> npt.NDArray[np.int64]:
        """The best score less the next side's."""
        scores = self.of_sides("score")
        # numpy's partition is slow along an axis that is no row.
        top, second = np.maximum(scores[:, 0], scores[:, 1]), np.minimum(scores[:, 0], scores[:, 1])
        for side in range(2, scores.shape[1]):
            second = np.maximum(second, np.minimum(top, scores[:, side]))
            top = np.maximum(top, scores[:, side])
        return top - second

    @cached_property
    def rounds(self) -> npt.NDArray[np.int64]:
        """The rounds of the game: the most turns that a side took."""
        if "rounds" in self.arrays:
            return self.of_game("rounds")
        if "turns" not in self.arrays:
            return np.full(self.won.shape, self.match.turns, np.int64)
        turns = self.arrays["turns"].astype(np.int64)
        sides = self.match.sides
        partners = ([seat for seat, own in enumerate(sides) if own == side] for side in dict.fromkeys(sides))
        most: npt.NDArray[np.int64] = np.stack([turns[:, seats].sum(axis=1) for seats in partners]).max(
            axis=0
        )
        return most

    def reaches(self, points: npt.NDArray[np.int64], share: Fraction) -> npt.NDArray[np.bool_]:
        """Return whether points are a share of the best score, or more."""
        reached: npt.NDArray[np.bool_] = points * share.denominator >= self.top * share.numerator
        return reached

    def rate(self, happened: npt.NDArray[np.bool_]) -> Totals:
        """Return the share of games in which something happened."""
        return Totals(by_deal(happened), len(happened))

    def rate_of(self, happened: npt.NDArray[np.bool_], of: npt.NDArray[np.bool_]) -> Totals:
        """Return the share of some games in which something happened."""
        return Totals(by_deal(happened & of), by_deal(of))
