"""What each category is worth to the best play."""

from __future__ import annotations

from strategies.valuation import Valuation


def category_worths(valuation: Valuation) -> dict[str, float]:
    """Returns by category what the best play loses if it is struck out before the game, filled with nothing.

    In points; the valuation is for the mean score. There is one turn less to take, as there is one category less.
    """
    keys = list(valuation.ruleset.categories)
    everything = (1 << len(keys)) - 1
    return {
        key: valuation.start - valuation.value(everything & ~(1 << place)) for place, key in enumerate(keys)
    }
