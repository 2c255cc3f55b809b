"""What the decisions in rows of a table give away against the best play: in points, by the exact value of sheets."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from sim.compiled import compiled
from sim.dice import ROLLS
from strategies.exact_play import shown_views
from strategies.following import Played, option_at, options_of, played_by
from strategies.rows import Entries
from strategies.solving import (
    Lines,
    Problem,
    Reals,
    build_lines,
    fill_allowed,
    fill_worths,
    layer_of,
)
from strategies.turn_values import entry_loss, fill_turn_values, keep_loss
from strategies.valuation import Valuation


def build_losses(
    valuation: Valuation,
    rows: Entries,
    pool: npt.NDArray[np.uint8],
    views: Mapping[str, npt.NDArray[np.int64]],
) -> Reals:
    """Builds what each decision of some rows gives away on sheets that show these views, shape (rows, throws, 252).

    The last column is of categories, those before are of keeps. `views` has all that the valuation sees; where a
    decision is mixed, its loss is the mean of its options'. Raises KeyError for a view that is missing.
    """
    throws = valuation.ruleset.throws
    seen = {view: views[view] for view in valuation.sees}
    opened, upper, joker = shown_views(seen, ("open", "upper", "joker"))
    losses = np.empty((opened.size, throws, len(ROLLS)))
    _fill_losses(
        build_lines(),
        valuation.problem,
        valuation.values,
        valuation.goal.risk,
        played_by(rows, throws, pool),
        opened,
        upper,
        joker,
        losses,
    )
    return losses


@compiled
def _fill_losses(
    lines: Lines,
    problem: Problem,
    values: Reals,
    risk: float,
    played: Played,
    opened: npt.NDArray[np.int64],
    upper: npt.NDArray[np.int64],
    joker: npt.NDArray[np.int64],
    losses: Reals,
) -> None:
    throws, rolls = losses.shape[1], losses.shape[2]
    rows, pool, mixed = played.rows, played.pool, played.mixed
    worths = np.zeros(problem.kinds.of.shape[1:])
    allowed = np.empty(rolls, np.uint32)
    rolled = np.empty((throws, rolls))
    kept = np.empty((throws, lines.first.size - 1))
    for sheet in range(opened.size):
        fill_worths(problem, values, risk, opened[sheet], upper[sheet], joker[sheet], worths)
        fill_allowed(problem.legal, layer_of(problem, opened[sheet], joker[sheet]), opened[sheet], allowed)
        fill_turn_values(lines, worths, allowed, rolled, kept)
        for throw in range(throws):
            for roll in range(rolls):
                entry = np.int64(rows[sheet, throw, roll])
                first, count = options_of(entry, mixed)
                total = 0.0
                for option in range(count):
                    decision = option_at(pool, first, option, mixed)
                    if throw < throws - 1:
                        total += keep_loss(rolled, kept, throw, roll, decision)
                    else:
                        total += entry_loss(rolled, worths, roll, decision)
                losses[sheet, throw, roll] = total / count
