"""The decision tables of a lineup: whole where a strategy's contexts are few, else filled as play meets them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from sim.cheerio import LANES
from sim.compiled import compiled
from sim.lanes import COLUMN, Decisions
from sim.ruleset import Ruleset
from sim.views import VIEWS, WATCHING
from strategies.lineup import Player
from strategies.rows import Pool, RowMaker, Rows, join_rows, make_rows, pack_plans

__all__ = ["LineupTables", "RowMaker", "Rows", "join_rows", "make_rows"]

#: Contexts up to this number are found by their place in an array, more by hashing.
MOST_DIRECT = 1 << 22
#: Rows that are filled as met are forgotten, and asked anew, when they take up this many bytes.
MOST_BYTES = 1 << 29
#: A mixing strategy's decision takes an entry of 32 bits, another's a byte.
MIXED_BYTES = 4

Number = TypeVar("Number", np.uint8, np.uint32)


@dataclass
class _Place:
    """Where one player's contexts begin in the shared index, and how they are found."""

    maker: RowMaker
    base: int
    direct: bool


class LineupTables:
    """The decision tables of one lineup: one arena of rows shared by its distinct players.

    `whole` brings the rows of players that are filled before the first game, by label; rows of the others are
    asked for as the kernel meets their contexts. Raises StrategyError where a player fails.
    """

    def __init__(self, lineup: Sequence[Player], ruleset: Ruleset, whole: Mapping[str, Rows]) -> None:
        self.ruleset = ruleset
        self.lineup = tuple(lineup)
        self.seats = len(self.lineup)
        self._width = ruleset.throws * COLUMN
        self._places: dict[str, _Place] = {}
        self._rows = np.zeros((64, self._width), np.uint8)
        self._mixed_rows = np.zeros((1, self._width), np.uint32)
        self._pool = Pool()
        self._used = self._mixed_used = 0
        self._ready: dict[int, Decisions] = {}
        direct = hashed = 0
        for player in self.lineup:
            if player.label not in self._places:
                maker = RowMaker(player, ruleset)
                small = maker.size <= MOST_DIRECT
                self._places[player.label] = _Place(maker, direct if small else hashed, small)
                direct, hashed = (direct + maker.size, hashed) if small else (direct, hashed + maker.size)
        self._row_of = np.full(max(direct, 1), -1, np.int32)
        self._keys = np.zeros(1 << 10, np.uint64)
        self._key_rows = np.zeros(1 << 10, np.int32)
        self._hashed = 0
        for label, rows in whole.items():
            first = self._pool.extend(rows.pool) if rows.mixed else 0
            self._add(self._places[label], rows.contexts, rows.rows + rows.rows.dtype.type(first << 6))
        self._kept = self._used, self._mixed_used, len(self._pool)
        self._kept_row_of = self._row_of.copy()

    @cached_property
    def watching(self) -> bool:
        """Tells whether anyone watches the rivals, so that the order of play matters."""
        return any(WATCHING.intersection(player.sees) for player in self.lineup)

    @cached_property
    def wide(self) -> bool:
        """Tells whether anyone sees more than the own open categories and upper subtotal."""
        return any(set(player.sees) - {"open", "upper", "coin"} for player in self.lineup)

    def decisions(self, seating: int) -> Decisions:
        """Returns the tables by seat: the player at lineup index i sits in seat (i + seating) % seats."""
        if seating not in self._ready:
            places = [self._places[self.player(seating, seat).label] for seat in range(self.seats)]
            self._ready[seating] = Decisions(
                rows=self._rows.reshape(-1),
                mixed_rows=self._mixed_rows.reshape(-1),
                pool=self._pool.array(),
                row_of=self._row_of,
                keys=self._keys,
                key_rows=self._key_rows,
                base=np.array([place.base for place in places], np.uint64),
                direct=np.array([place.direct for place in places], np.uint8),
                mixed=np.array([place.maker.mixes for place in places], np.uint8),
                any_mixed=any(place.maker.mixes for place in places),
                strides=np.array([place.maker.strides for place in places], np.uint64),
                wide=self.wide,
                in_order=self.watching,
                steal_from=np.ones(self.seats, np.int16),
                asks_steal=np.zeros(self.seats, np.uint8),
                asks_forfeit=np.zeros(self.seats, np.uint8),
                steal_base=np.zeros(self.seats, np.uint64),
                forfeit_base=np.zeros(self.seats, np.uint64),
                steal_strides=np.zeros((self.seats, len(VIEWS)), np.uint64),
                forfeit_strides=np.zeros((self.seats, len(VIEWS)), np.uint64),
                pace=np.full(self.seats, 1000, np.int64),
            )
        return self._ready[seating]

    def player(self, seating: int, seat: int) -> Player:
        """Returns who sits in a seat."""
        return self.lineup[(seat - seating) % self.seats]

    def fill(self, seating: int, seats: npt.NDArray[np.uint8], contexts: npt.NDArray[np.uint64]) -> None:
        """Asks for the rows of contexts that players in these seats have met."""
        self._ready.clear()
        wanted: dict[str, list[npt.NDArray[np.uint64]]] = {}
        for seat in np.unique(seats).tolist():
            wanted.setdefault(self.player(seating, seat).label, []).append(contexts[seats == seat])
        if self._is_full(contexts.size):
            self._forget()
        for label, met in wanted.items():
            place = self._places[label]
            distinct = np.unique(np.concatenate(met))
            plans = place.maker.make(distinct.tolist())
            pool = self._pool if place.maker.mixes else None
            self._add(place, distinct, pack_plans(plans, self.ruleset.throws, pool))

    def _is_full(self, more: int) -> bool:
        kept, mixed_kept, _ = self._kept
        filled = self._used - kept + self._mixed_used - mixed_kept
        size = (self._used + more) * self._width + (self._mixed_used + more) * self._width * MIXED_BYTES
        # What one step of the game needs must stay, or the step would never have all its rows.
        return filled + more > LANES and size > MOST_BYTES

    def _forget(self) -> None:
        self._used, self._mixed_used, pooled = self._kept
        self._pool.cut(pooled)
        self._row_of[:] = self._kept_row_of
        self._keys[:] = 0
        self._hashed = 0

    def _add(
        self,
        place: _Place,
        contexts: npt.NDArray[np.uint64],
        rows: npt.NDArray[np.uint8] | npt.NDArray[np.uint32],
    ) -> None:
        count = len(contexts)
        if place.maker.mixes:
            first = self._mixed_used
            self._mixed_rows = _with_room(self._mixed_rows, first, count)
            self._mixed_rows[first : first + count] = rows
            self._mixed_used += count
        else:
            first = self._used
            self._rows = _with_room(self._rows, first, count)
            self._rows[first : first + count] = rows
            self._used += count
        places = np.arange(first, first + count, dtype=np.int32)
        keys = contexts + np.uint64(place.base)
        if place.direct:
            self._row_of[keys] = places
            return
        while 2 * (self._hashed + count) > self._keys.size:
            self._rehash()
        _insert(self._keys, self._key_rows, keys, places)
        self._hashed += count

    def _rehash(self) -> None:
        held = self._keys != 0
        keys, rows = self._keys[held] - np.uint64(1), self._key_rows[held]
        self._keys = np.zeros(2 * self._keys.size, np.uint64)
        self._key_rows = np.zeros(self._keys.size, np.int32)
        _insert(self._keys, self._key_rows, keys, rows)


def _with_room(rows: npt.NDArray[Number], used: int, more: int) -> npt.NDArray[Number]:
    if used + more <= len(rows):
        return rows
    # Not zeros: numpy asks for huge pages, which look-ups all over a table need, only for memory as it is.
    grown = np.empty((max(used + more, 2 * len(rows)), rows.shape[1]), rows.dtype)
    grown[:used] = rows[:used]
    return grown


@compiled
def _insert(
    keys: npt.NDArray[np.uint64],
    key_rows: npt.NDArray[np.int32],
    new_keys: npt.NDArray[np.uint64],
    new_rows: npt.NDArray[np.int32],
) -> None:
    last = np.uint64(keys.size - 1)
    for item in range(new_keys.size):
        key = new_keys[item]
        place = (key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32) & last
        while keys[place] != np.uint64(0):
            place = (place + np.uint64(1)) & last
        keys[place] = key + np.uint64(1)
        key_rows[place] = new_rows[item]
