"""What a bettor may declare that it sees when it is asked for a stake, at the start of a round."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sim.ceelo.ruleset import CeeloRuleset
from sim.numbering import context_strides

#: The views in the order in which they make up a context, each with what it shows.
VIEWS: dict[str, str] = {
    "chips": "the own chips",
    "bank": "the bank's chips",
    "rounds_left": "the rounds left with this one; on a clock about as many as there is time for",
    "order": "the place in the throwing order: 1 stakes and throws first; 0 holds the bank, and is not asked",
    "rank": "1 and one more for each player with more chips",
    "lead": "chips ahead of the best other player, in steps: 0 level, 1 up to a tenth of the chips at the start, "
    "2 up to half of them, 3 more; negative if behind",
    "last_stake": "the last stake, as the bank covered it; 0 before the first",
    "streak": "bets won in a row, or lost if negative, up to 10; a push changes nothing",
}
MOST_STREAK = 10
LEAD_STEPS = 3
#: What is added to a view that can be negative, in a context.
SHIFTS = {"lead": LEAD_STEPS, "streak": MOST_STREAK}


def lead_limits(ruleset: CeeloRuleset) -> tuple[int, int]:
    """Returns the most chips ahead that are step 1, and step 2."""
    return ruleset.chips // 10, ruleset.chips // 2


def view_sizes(ruleset: CeeloRuleset) -> dict[str, int]:
    """Returns how many values each view has under a ruleset, at its fullest table."""
    seats = ruleset.players[-1]
    all_chips = seats * ruleset.chips
    return {
        "chips": all_chips + 1,
        "bank": all_chips + 1,
        "rounds_left": ruleset.most_rounds + 1,
        "order": seats,
        "rank": seats + 1,
        "lead": 2 * LEAD_STEPS + 1,
        "last_stake": ruleset.stake.maximum + 1,
        "streak": 2 * MOST_STREAK + 1,
    }


def view_strides(ruleset: CeeloRuleset, sees: Sequence[str]) -> tuple[npt.NDArray[np.uint64], int]:
    """Returns the weight of each view in a context (0 where it isn't seen), and the number of contexts."""
    return context_strides(view_sizes(ruleset), sees)
