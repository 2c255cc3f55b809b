"""From strategies to the decision tables that the kernel plays: whole where that is small, else filled as met.

A row holds the decisions of one turn from one context: COLUMN places for each throw, by roll. A pure strategy's
places are masks and categories (bytes). A strategy that mixes has places of 32 bits, first << 6 | count, which
point to equally likely options in a pool.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sim.cheerio import COLUMN, Decisions
from sim.compiled import compiled
from sim.dice import ROLLS
from sim.ruleset import Ruleset
from sim.views import VIEWS, WATCHING, context_views, view_strides
from strategies.asking import Asker
from strategies.lineup import Player
from strategies.strategy import Plan, Sheet, StrategyError, build_scoresheet, is_planned

#: Strategies that see nothing beyond these are filled whole before the first game.
WHOLE = frozenset(("open", "turns_left", "coin"))
#: Contexts up to this number are found by their place in an array, more by hashing.
MOST_DIRECT = 1 << 22
#: Rows that are filled as met are forgotten, and asked anew, when they take up this many bytes.
MOST_BYTES = 1 << 29


@dataclass(frozen=True)
class Rows:
    """Rows of decisions for some contexts: bytes, or 32-bit entries with the pool they point into."""

    contexts: npt.NDArray[np.uint64]
    rows: npt.NDArray[np.uint8] | npt.NDArray[np.uint32]
    pool: npt.NDArray[np.uint8]

    @property
    def mixed(self) -> bool:
        """Tells whether the rows are a mixing strategy's."""
        return self.rows.dtype == np.uint32


class RowMaker:
    """Asks one player for rows of decisions under one ruleset."""

    def __init__(self, player: Player, ruleset: Ruleset) -> None:
        self.player = player
        self.ruleset = ruleset
        self.scoresheet = build_scoresheet(ruleset)
        self.asker = Asker(player.strategy, player.label)
        self.sees = tuple(view for view in VIEWS if view in player.sees)
        self.strides, self.size = view_strides(ruleset, self.sees)
        if self.size >= 1 << 60:
            raise StrategyError(
                f"strategy {player.label}: sees too much at once for {ruleset.name}: {self.sees}"
            )

    @property
    def whole(self) -> bool:
        """Tells whether all contexts are few enough to be filled before the first game."""
        return WHOLE.issuperset(self.player.sees)

    @property
    def decisions_per_row(self) -> int:
        """Counts the decisions that one row asks of a strategy, or 1 where it is asked for plans."""
        return 1 if is_planned(self.player.strategy) else self.ruleset.throws * len(ROLLS)

    def whole_contexts(self) -> npt.NDArray[np.uint64]:
        """Returns every context that play can meet, for a strategy that is filled whole."""
        masks = np.arange(1, 1 << self.ruleset.turns, dtype=np.uint64)
        turns_left = np.bitwise_count(masks).astype(np.uint64)
        places = list(VIEWS)
        contexts = (
            masks * self.strides[places.index("open")] + turns_left * self.strides[places.index("turns_left")]
        )
        # Sheets with equally many open categories meet in play: their rows lie together.
        return contexts[np.argsort(turns_left, kind="stable")]

    def sheet(self, context: int) -> Sheet:
        """Returns the sheet that a context shows."""
        return Sheet(self.scoresheet, self.player.sees, context_views(self.ruleset, self.sees, context))

    def make(self, contexts: Iterable[int]) -> list[Plan]:
        """Asks for the decisions of some contexts; raises StrategyError for the first that fails."""
        with self.asker.limited():
            return [self.asker.turn(self.sheet(context)) for context in contexts]


class Pool:
    """Options of mixing strategies, each distinct list held once."""

    def __init__(self) -> None:
        self._places: dict[tuple[int, ...], int] = {}
        self._items: list[int] = []

    def entry(self, options: Sequence[int]) -> int:
        """Returns the 32-bit entry, first << 6 | count, that stands for some options."""
        key = tuple(options)
        if key not in self._places:
            self._places[key] = len(self._items) << 6 | len(key)
            self._items.extend(key)
        return self._places[key]

    def array(self) -> npt.NDArray[np.uint8]:
        """Returns all options as bytes."""
        return np.array(self._items or [0], np.uint8)


def pack_rows(contexts: npt.NDArray[np.uint64], plans: Sequence[Plan], throws: int) -> Rows:
    """Packs the plans of some contexts into rows."""
    mixed = any(plan.keep_options is not None for plan in plans)
    rows = np.zeros((len(plans), throws, COLUMN), np.uint32 if mixed else np.uint8)
    pool = Pool()
    for row, plan in zip(rows, plans, strict=True):
        keeps, choices = (plan.keeps, plan.choices) if not mixed else _pooled(plan, pool)
        row[: throws - 1, : len(ROLLS)] = keeps
        row[throws - 1, : len(ROLLS)] = choices
    return Rows(contexts, rows.reshape(len(plans), throws * COLUMN), pool.array())


def _pooled(plan: Plan, pool: Pool) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    if plan.keep_options is None or plan.choice_options is None:
        single = np.array([pool.entry((value,)) for value in range(32)], np.uint32)
        return single[plan.keeps], single[plan.choices]
    keep_entries = np.array([pool.entry(options) for options in plan.keep_options] or [0], np.uint32)
    choice_entries = np.array([pool.entry(options) for options in plan.choice_options], np.uint32)
    return keep_entries[plan.keeps], choice_entries[plan.choices]


def join_rows(pieces: Sequence[Rows]) -> Rows:
    """Joins rows that were made in pieces; the pools are laid one after another."""
    mixed = any(piece.mixed for piece in pieces)
    contexts = np.concatenate([piece.contexts for piece in pieces])
    if not mixed:
        return Rows(contexts, np.concatenate([piece.rows for piece in pieces]), np.zeros(1, np.uint8))
    shifted, pools, first = [], [], 0
    for piece in pieces:
        piece = _as_mixed(piece)
        shifted.append(piece.rows + np.uint32(first << 6))
        pools.append(piece.pool)
        first += piece.pool.size
    return Rows(contexts, np.concatenate(shifted), np.concatenate(pools))


def _as_mixed(rows: Rows) -> Rows:
    if rows.mixed:
        return rows
    return Rows(rows.contexts, rows.rows.astype(np.uint32) << 6 | 1, np.arange(32, dtype=np.uint8))


def make_rows(player: Player, ruleset: Ruleset, contexts: npt.NDArray[np.uint64]) -> Rows:
    """Asks a player for the rows of some contexts."""
    plans = RowMaker(player, ruleset).make(contexts.tolist())
    return pack_rows(contexts, plans, ruleset.throws)


@dataclass
class _Place:
    """Where one player's contexts begin in the shared index, and how they are found."""

    maker: RowMaker
    base: int
    direct: bool
    mixed: bool


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
        self._pool = np.zeros(1, np.uint8)
        self._used = self._mixed_used = self._kept = self._mixed_kept = 0
        self._ready: dict[int, Decisions] = {}
        direct = hashed = 0
        for player in self.lineup:
            if player.label not in self._places:
                maker = RowMaker(player, ruleset)
                small = maker.size <= MOST_DIRECT
                self._places[player.label] = _Place(maker, direct if small else hashed, small, False)
                direct, hashed = (direct + maker.size, hashed) if small else (direct, hashed + maker.size)
        self._row_of = np.full(max(direct, 1), -1, np.int32)
        self._keys = np.zeros(1 << 10, np.uint64)
        self._key_rows = np.zeros(1 << 10, np.int32)
        self._hashed = 0
        for label, rows in whole.items():
            self._add(self._places[label], rows)
        self._kept, self._mixed_kept = self._used, self._mixed_used
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
                pool=self._pool,
                row_of=self._row_of,
                keys=self._keys,
                key_rows=self._key_rows,
                base=np.array([place.base for place in places], np.uint64),
                direct=np.array([place.direct for place in places], np.uint8),
                mixed=np.array([place.mixed for place in places], np.uint8),
                strides=np.array([place.maker.strides for place in places], np.uint64),
                wide=self.wide,
                in_order=self.watching,
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
        if (self._used + contexts.size) * self._width > MOST_BYTES:
            self._forget()
        for label, met in wanted.items():
            place = self._places[label]
            distinct = np.unique(np.concatenate(met))
            plans = place.maker.make(distinct.tolist())
            self._add(place, pack_rows(distinct, plans, self.ruleset.throws))

    def _forget(self) -> None:
        self._used, self._mixed_used = self._kept, self._mixed_kept
        self._row_of[:] = self._kept_row_of
        self._keys[:] = 0
        self._hashed = 0

    def _add(self, place: _Place, rows: Rows) -> None:
        if place.mixed:
            rows = _as_mixed(rows)
        place.mixed = rows.mixed
        count = len(rows.contexts)
        if rows.mixed:
            first = self._mixed_used
            self._mixed_rows = _with_room(self._mixed_rows, first, count)
            self._mixed_rows[first : first + count] = rows.rows + np.uint32(self._pool.size << 6)
            self._pool = np.concatenate([self._pool, rows.pool])
            self._mixed_used += count
        else:
            first = self._used
            self._rows = _with_room(self._rows, first, count)
            self._rows[first : first + count] = rows.rows
            self._used += count
        places = np.arange(first, first + count, dtype=np.int32)
        keys = rows.contexts + np.uint64(place.base)
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


def _with_room(
    rows: npt.NDArray[np.uint8] | npt.NDArray[np.uint32], used: int, more: int
) -> npt.NDArray[np.uint8] | npt.NDArray[np.uint32]:
    if used + more <= len(rows):
        return rows
    grown = np.zeros((max(used + more, 2 * len(rows)), rows.shape[1]), rows.dtype)
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
