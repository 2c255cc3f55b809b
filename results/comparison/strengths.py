"""The most likely strengths, by Newton's method, for many sets of counts at once.

Of two sides the first is placed before the second with a chance in proportion to exp(d / 2), behind it to exp(-d / 2),
and level with it to a tie parameter, where d is a sum of parameters with coefficients that are known.
Sources: Bradley and Terry (1952), Biometrika 39, 324-345; Davidson (1970), JASA 65, 317-328, ties.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_MOST_STEPS, _MOST_HALVINGS = 60, 30
_SMALL_STEP = 1e-9
#: A tie parameter of next to nothing, on the log scale, where nobody tied.
_NO_TIES = -700.0


def most_likely(rows: Floats, counts: Floats, start: Floats) -> Floats:
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


def chances_of(rows: Floats, found: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the chances that the first is placed before the second, level with it, and behind it, by kind."""
    half, sums = _log_weights(rows, found)
    return np.exp(half - sums), np.exp(found[:, -1:] - sums), np.exp(-half - sums)


def _newton_step(rows: Floats, squares: Floats, games: Floats, target: Floats, found: Floats) -> Floats:
    win, tie, loss = chances_of(rows, found)
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
