"""Who wins, exactly: from the laws of independent scores to win rates, ties and roll-offs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
import numpy.typing as npt

from sim.dice import ROLL_WAYS, ROLLS, WORDS

Reals = npt.NDArray[np.float64]
#: A roll-off that takes more rounds is counted with this number.
MOST_ROUNDS = 12


@dataclass(frozen=True, eq=False)
class ScoreLaw:
    """The chance of each score: `chances[k]` is that of `low` + k, and neither the first nor the last is 0."""

    low: int
    chances: Reals

    @property
    def mean(self) -> float:
        """Returns the mean score."""
        return float(self._scores @ self.chances)

    @property
    def sd(self) -> float:
        """Returns the standard deviation of the score."""
        return math.sqrt(float((self._scores - self.mean) ** 2 @ self.chances))

    def items(self) -> Iterator[tuple[int, float]]:
        """Yields the scores that occur, in ascending order, each with its chance."""
        for place in np.flatnonzero(self.chances).tolist():
            yield self.low + place, float(self.chances[place])

    @property
    def _scores(self) -> Reals:
        return self.low + np.arange(self.chances.size, dtype=np.float64)


@dataclass(frozen=True)
class Outcome:
    """How a game ends whose sides score independently of each other: rates by side, as shares of all games.

    `shared_rates` are those of a shared top where nobody wins alone, `credit_rates` count it in equal parts.
    `by_tied[k]` is the rate of k sides tied for the top and `by_rounds[r]` that of a roll-off of r rounds.
    """

    win_rates: tuple[float, ...]
    shared_rates: tuple[float, ...]
    credit_rates: tuple[float, ...]
    tie_rate: float
    by_tied: dict[int, float]
    by_rounds: dict[int, float]


def lineup_outcome(laws: Sequence[ScoreLaw], roll_off: bool) -> Outcome:
    """Returns how a game of sides with these laws of score ends, where a tie for the top is rolled off or shared.

    Those tied are equally likely to win a roll-off. Raises ValueError for fewer than two sides.
    """
    if len(laws) < 2:
        raise ValueError(f"{len(laws)} sides given; two or more are needed for somebody to win")
    chances, below = _aligned(laws)
    alone, tied, parts = (np.zeros(len(laws)) for _ in range(3))
    by_tied = dict.fromkeys(range(2, len(laws) + 1), 0.0)
    for size in range(1, len(laws) + 1):
        for top in map(list, combinations(range(len(laws)), size)):
            others = [side for side in range(len(laws)) if side not in top]
            chance = float((chances[top].prod(axis=0) * below[others].prod(axis=0)).sum())
            if size == 1:
                alone[top] += chance
            else:
                by_tied[size] += chance
                tied[top] += chance
                parts[top] += chance / size
    by_rounds = dict.fromkeys(range(1, MOST_ROUNDS + 1), 0.0)
    for size, chance in by_tied.items():
        for rounds, share in roll_off_rounds(size).items():
            by_rounds[rounds] += chance * share
    return Outcome(
        win_rates=tuple((alone + parts if roll_off else alone).tolist()),
        shared_rates=tuple((np.zeros_like(tied) if roll_off else tied).tolist()),
        credit_rates=tuple((alone + parts).tolist()),
        tie_rate=sum(by_tied.values()),
        by_tied=by_tied,
        by_rounds=by_rounds if roll_off else {},
    )


@lru_cache(maxsize=8)
def roll_off_rounds(sides: int) -> dict[int, float]:
    """Returns the chance of each number of rounds that a roll-off of so many sides takes, 1 to MOST_ROUNDS.

    Each rolls five dice, the highest sum wins, and those tied for it roll again.
    """
    sums = np.bincount([sum(roll) for roll in ROLLS], weights=ROLL_WAYS) / WORDS
    below = np.concatenate([[0.0], np.cumsum(sums)[:-1]])
    step = np.zeros((sides + 1, sides + 1))
    for rolling in range(1, sides + 1):
        for left in range(1, rolling + 1):
            ways = math.comb(rolling, left)
            step[rolling, left] = ways * float((sums**left * below ** (rolling - left)).sum())
    rolling_now = np.zeros(sides + 1)
    rolling_now[sides] = 1.0
    rounds: dict[int, float] = {}
    for number in range(1, MOST_ROUNDS + 1):
        rolling_now = rolling_now @ step
        rounds[number] = float(rolling_now[1])
        rolling_now[1] = 0.0
    rounds[MOST_ROUNDS] += float(rolling_now.sum())
    return rounds


def _aligned(laws: Sequence[ScoreLaw]) -> tuple[Reals, Reals]:
    """Returns the chance of each score by side, and of less, both over the same range of scores."""
    low = min(law.low for law in laws)
    high = max(law.low + law.chances.size for law in laws)
    chances = np.zeros((len(laws), high - low))
    for side, law in enumerate(laws):
        chances[side, law.low - low : law.low - low + law.chances.size] = law.chances
    below = np.cumsum(chances, axis=1) - chances
    return chances, below
