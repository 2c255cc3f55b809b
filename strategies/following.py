"""Follows a strategy through its turns with chances in place of dice, in compiled loops."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sim.compiled import Integer, compiled, inner
from sim.dice import ROLL_KEEPS
from sim.lanes import STOP
from strategies.solving import Kinds, Reals

Numbers = npt.NDArray[np.int64]


class Played(NamedTuple):
    """By which decisions some sheets are played: sheet s by rows[row_of[s]], shape (rows, throws, rolls or more).

    A place holds a mask or a category, or where they are `mixed` first << 6 | count into the pool. Loops are compiled
    for one type of rows alone.
    """

    rows: npt.NDArray[np.uint32]
    row_of: Numbers
    pool: npt.NDArray[np.uint8]
    mixed: bool


def played_by(
    rows: npt.NDArray[Any], throws: int, pool: npt.NDArray[np.uint8], row_of: Numbers | None = None
) -> Played:
    """Returns rows of either kind as the loops read them; without `row_of` each sheet has its own."""
    shaped = rows.reshape(len(rows), throws, -1).astype(np.uint32)
    return Played(shaped, np.arange(len(rows)) if row_of is None else row_of, pool, rows.itemsize > 1)


@inner
def options_of(entry: Integer, mixed: bool) -> tuple[Integer, Integer]:
    """Returns where an entry's equally likely options begin in the pool, and how many there are; one if not mixed."""
    return (entry >> 6, entry & 63) if mixed else (entry, 1)


@inner
def option_at(pool: npt.NDArray[np.uint8], first: Integer, option: Integer, mixed: bool) -> Integer:
    """Returns one of an entry's options."""
    return np.int64(pool[first + option]) if mixed else first


@inner
def spread_keeps(grown: npt.NDArray[np.int32], mass: Reals) -> None:
    """Throws what every keep lacks: moves the chance of each keep on to the rolls, shape (462,)."""
    for keep in range(grown.shape[0]):
        share = mass[keep] / 6.0
        if share != 0.0:
            for face in range(6):
                mass[grown[keep, face]] += share


@inner
def follow_turn(
    grown: npt.NDArray[np.int32],
    played: Played,
    sheet: int,
    thrown: Reals,
    ended: Reals,
    mass: Reals,
) -> None:
    """Fills the chances of a turn of one sheet.

    thrown[t, roll] is that of a roll after throw t where the turn goes on, ended[roll] that of a roll which is entered.
    """
    throws, rolls = thrown.shape
    row, pool, mixed = played.rows[played.row_of[sheet]], played.pool, played.mixed
    short = grown.shape[0]
    mass[:] = 0.0
    mass[0] = 1.0
    ended[:] = 0.0
    for throw in range(throws):
        spread_keeps(grown, mass)
        for roll in range(rolls):
            thrown[throw, roll] = mass[short + roll]
        mass[:] = 0.0
        if throw == throws - 1:
            break
        for roll in range(rolls):
            chance = thrown[throw, roll]
            if chance == 0.0:
                continue
            first, count = options_of(np.int64(row[throw, roll]), mixed)
            for option in range(count):
                mask = option_at(pool, first, option, mixed)
                if mask == STOP:
                    ended[roll] += chance / count
                else:
                    mass[ROLL_KEEPS[roll, mask]] += chance / count
    for roll in range(rolls):
        ended[roll] += thrown[throws - 1, roll]


@compiled
def fill_entries(
    grown: npt.NDArray[np.int32],
    kinds: Kinds,
    played: Played,
    layers: Numbers,
    chances: Reals,
    throws_made: Reals,
) -> None:
    """Fills the chance of each kind of entry in a turn of each sheet, shape (sheets, kinds), and its mean throws."""
    throws, rolls = played.rows.shape[1], kinds.of.shape[2]
    pool, mixed = played.pool, played.mixed
    thrown = np.empty((throws, rolls))
    ended = np.empty(rolls)
    mass = np.empty(grown.shape[0] + rolls)
    for sheet in range(layers.size):
        row = played.rows[played.row_of[sheet]]
        follow_turn(grown, played, sheet, thrown, ended, mass)
        throws_made[sheet] = thrown.sum()
        chances[sheet] = 0.0
        for roll in range(rolls):
            if ended[roll] != 0.0:
                first, count = options_of(np.int64(row[throws - 1, roll]), mixed)
                for option in range(count):
                    category = option_at(pool, first, option, mixed)
                    chances[sheet, kinds.of[layers[sheet], category, roll]] += ended[roll] / count


@compiled
def list_steps(
    kinds: Kinds,
    category_of: Numbers,
    chances: Reals,
    opened: Numbers,
    upper: Numbers,
    held: Numbers,
    place_of: npt.NDArray[np.int32],
    found: int,
    ends: Numbers,
    step_place: npt.NDArray[np.int32],
    step_gain: npt.NDArray[np.int32],
    step_chance: Reals,
) -> int:
    """Lists the sheets that each sheet may become, with what it gains on the way and the chance of it.

    `place_of[held, open, upper]` numbers the sheets of the next turn; -1 is one not found before. The steps of sheet s
    end at ends[s], where those of the next begin. Returns how many sheets are numbered.
    """
    last = place_of.shape[2] - 1
    step = 0
    for sheet in range(opened.size):
        for kind in range(chances.shape[1]):
            if chances[sheet, kind] != 0.0:
                after = max(held[sheet], kinds.held[kind])
                following = opened[sheet] ^ 1 << category_of[kind]
                subtotal = min(upper[sheet] + kinds.steps[kind], last)
                if place_of[after, following, subtotal] < 0:
                    place_of[after, following, subtotal] = found
                    found += 1
                step_place[step] = place_of[after, following, subtotal]
                step_gain[step] = np.int32(kinds.gains[kind])
                step_chance[step] = chances[sheet, kind]
                step += 1
        ends[sheet] = step
    return found


@compiled
def bound_scores(
    first: Numbers,
    last: Numbers,
    step_place: npt.NDArray[np.int32],
    step_gain: npt.NDArray[np.int32],
    low: Numbers,
    high: Numbers,
    next_low: Numbers,
    next_high: Numbers,
) -> None:
    """Fills the lowest and highest total that each sheet of the next turn can have."""
    for sheet in range(low.size):
        for step in range(first[sheet], last[sheet]):
            place = step_place[step]
            next_low[place] = min(next_low[place], low[sheet] + step_gain[step])
            next_high[place] = max(next_high[place], high[sheet] + step_gain[step])


@compiled
def pass_on(
    first: Numbers,
    last: Numbers,
    step_place: npt.NDArray[np.int32],
    step_gain: npt.NDArray[np.int32],
    step_chance: Reals,
    low: Numbers,
    begins: Numbers,
    law: Reals,
    next_low: Numbers,
    next_begins: Numbers,
    next_law: Reals,
) -> None:
    """Passes the chances of all totals on to the next turn; those of sheet s are law[begins[s]:begins[s + 1]]."""
    for sheet in range(low.size):
        here, size = begins[sheet], begins[sheet + 1] - begins[sheet]
        for step in range(first[sheet], last[sheet]):
            place = step_place[step]
            there = next_begins[place] + low[sheet] + step_gain[step] - next_low[place]
            chance = step_chance[step]
            for total in range(size):
                next_law[there + total] += chance * law[here + total]
