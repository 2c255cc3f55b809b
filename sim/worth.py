"""What each category is worth to a player who spends a whole turn on it alone."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sim.cheerio_ruleset import CheerioRuleset
from sim.dice import DICE, KEEPS, OFFSETS, OUTCOMES, ROLL_KEEPS, ROLLS
from sim.scoring import build_points

Values = npt.NDArray[np.float64]


@lru_cache(maxsize=1)
def build_transitions() -> Values:
    """Builds the chance of each roll after each keep is filled up with fresh dice, shape (462, 252)."""
    transitions = np.zeros((len(KEEPS), len(ROLLS)))
    for keep, dice in enumerate(KEEPS):
        ways = 6 ** (DICE - len(dice))
        first = int(OFFSETS[keep])
        transitions[keep] = np.bincount(OUTCOMES[first : first + ways], minlength=len(ROLLS)) / ways
    return transitions


@lru_cache(maxsize=64)
def build_aim_values(ruleset: CheerioRuleset, joker: bool = False) -> Values:
    """Builds the mean points of a category for a player with no other aim, shape (throws, 462, categories).

    Entry [t, keep, category] is the mean after keeping `keep` with t more throws to come after the next one, where
    five alike are a joker or not.
    """
    transitions = build_transitions()
    values = [transitions @ build_points(ruleset, joker).T.astype(np.float64)]
    for _ in range(1, ruleset.throws):
        values.append(transitions @ values[-1][ROLL_KEEPS].max(axis=1))
    return np.array(values)


def build_aim_worth(ruleset: CheerioRuleset) -> Values:
    """Builds the mean points of each category when a whole turn is spent on it, shape (categories,)."""
    worth: Values = build_aim_values(ruleset)[ruleset.throws - 1, 0]
    return worth


def build_worth(ruleset: CheerioRuleset) -> npt.NDArray[np.int32]:
    """Builds the usual worth of each category in whole points, as standings count what is still open."""
    return np.rint(build_aim_worth(ruleset)).astype(np.int32)
