"""Rows of decisions: what one player decides in each context, packed as the kernel reads it.

A row holds the decisions of one turn from one context: COLUMN places for each throw, by roll. A pure
strategy's places are masks and categories (bytes). A strategy that mixes has places of 32 bits,
first << 6 | count, which point to equally likely options in a pool.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from sim.cheerio_ruleset import CheerioRuleset
from sim.dice import DICE, ROLLS
from sim.lanes import COLUMN
from sim.numbering import read_contexts
from sim.ruleset import Ruleset
from sim.views import SHIFTS, VIEWS, context_views, view_sizes, view_strides
from strategies.again import places_of_table
from strategies.asking import Asker
from strategies.lineup import Player, strategy_of
from strategies.strategy import (
    BatchStrategy,
    Plan,
    Sheet,
    Strategy,
    StrategyError,
    build_scoresheet,
    is_planned,
)

#: Strategies that see nothing beyond these are filled whole before the first game.
WHOLE = frozenset(("open", "turns_left", "coin"))
#: A strategy sees less than this many different situations, so that those of a whole lineup have room in 64 bits.
MOST_CONTEXTS = 1 << 59
#: The most options that a pool holds, for its places to fit into an entry.
MOST_POOLED = 1 << 26

Entries = npt.NDArray[np.uint8] | npt.NDArray[np.uint32] | npt.NDArray[np.int16]


@dataclass(frozen=True)
class Rows:
    """Rows of decisions for some contexts: bytes, or 32-bit entries with the pool they point into.

    A bettor's rows are its stakes, of 16 bits and shape (contexts, 1).
    """

    contexts: npt.NDArray[np.uint64]
    rows: Entries
    pool: npt.NDArray[np.uint8]

    @property
    def mixed(self) -> bool:
        """Tells whether the rows are a mixing strategy's."""
        return self.rows.dtype == np.uint32


def check_contexts(player: Player, ruleset: Ruleset, sees: tuple[str, ...], contexts: int) -> None:
    """Raises StrategyError where a player tells more situations apart than there is room for."""
    if contexts >= MOST_CONTEXTS:
        raise StrategyError(
            f"strategy {player.label}: sees too much at once for {ruleset.name}: {sees}; leave some of it out of sees"
        )


class RowMaker:
    """Asks one player for rows of decisions under one ruleset.

    `sees` are the views that its decisions depend on there; one that `mixes` has rows of 32-bit entries.
    """

    def __init__(self, player: Player, ruleset: CheerioRuleset) -> None:
        self.player = player
        self.ruleset = ruleset
        self.strategy = strategy_of(player, Strategy, ruleset)
        self.scoresheet = build_scoresheet(ruleset)
        self.asker = Asker(self.strategy, player.label, ruleset.name)
        under = self.strategy.sees_under(ruleset)
        self.sees = tuple(view for view in VIEWS if view in under)
        self.mixes = "coin" in player.sees
        self.strides, self.size = view_strides(ruleset, self.sees)
        check_contexts(player, ruleset, self.sees, self.size)

    @property
    def whole(self) -> bool:
        """Tells whether all contexts are few enough to be filled before the first game."""
        return WHOLE.issuperset(self.sees)

    @property
    def decisions_per_row(self) -> int:
        """Counts the decisions that one row asks of a strategy, or 1 where it is asked for plans."""
        return 1 if is_planned(self.strategy) else self.ruleset.throws * len(ROLLS)

    def whole_contexts(self) -> npt.NDArray[np.uint64]:
        """Returns every context that play can meet, for a strategy that is filled whole."""
        masks = np.arange(1, 1 << self.ruleset.turns, dtype=np.uint64)
        turns_left = np.bitwise_count(masks).astype(np.uint64)
        places = list(VIEWS)
        contexts: npt.NDArray[np.uint64] = masks * self.strides[places.index("open")]
        contexts += turns_left * self.strides[places.index("turns_left")]
        # Sheets with equally many open categories meet in play: their rows lie together.
        return np.take(contexts, np.argsort(turns_left, kind="stable"))

    def sheet(self, context: int) -> Sheet:
        """Returns the sheet that a context shows."""
        return Sheet(self.scoresheet, self.player.sees, context_views(self.ruleset, self.sees, context))

    def views(self, contexts: npt.NDArray[np.uint64]) -> dict[str, npt.NDArray[np.int64]]:
        """Returns what the sheets of some contexts show, by view."""
        return read_contexts(view_sizes(self.ruleset), SHIFTS, self.sees, contexts)

    def rows(self, contexts: npt.NDArray[np.uint64], pool: Pool | None, again: Sequence[int] = ()) -> Entries:
        """Asks for the rows of some contexts, as `make` asks for their plans; `pool` is for one that mixes."""
        if not self.strategy.batched:
            return pack_plans(self.make(contexts.tolist(), again), self.ruleset.throws, pool)
        rows = self._batch(contexts)
        if again:
            asked = np.array(again[::-1])
            other = np.any(self._batch(contexts[asked]) != rows[asked], axis=1)
            for context in contexts[asked[other]].tolist():
                raise self._two_answers(context)
        return rows

    def _batch(self, contexts: npt.NDArray[np.uint64]) -> Entries:
        plan = cast("BatchStrategy", self.strategy).plans(self.ruleset, self.views(contexts))
        rows = np.zeros((contexts.size, self.ruleset.throws, COLUMN), np.uint8)
        rows[:, :-1, : len(ROLLS)] = plan.keeps
        rows[:, -1, : len(ROLLS)] = plan.choices
        return rows.reshape(contexts.size, -1)

    def make(self, contexts: Iterable[int], again: Sequence[int] = ()) -> list[Plan]:
        """Asks for the decisions of some contexts; raises StrategyError for the first that fails.

        Those at the places `again` are asked about a second time, the last first.
        """
        with self.asker.limited():
            asked = list(contexts)
            plans = [self.asker.turn(self.sheet(context)) for context in asked]
            for place in reversed(again):
                if not _same(plans[place], self.asker.turn(self.sheet(asked[place]), backwards=True)):
                    raise self._two_answers(asked[place])
            return plans

    def _two_answers(self, context: int) -> StrategyError:
        advice = "its decisions may depend on the dice and the sheet alone (for chance, see sheet.coin)"
        return self.asker.two_answers(self.sheet(context), advice)


def _same(one: Plan, other: Plan) -> bool:
    return (
        np.array_equal(one.keeps, other.keeps)
        and np.array_equal(one.choices, other.choices)
        and (one.keep_options, one.choice_options) == (other.keep_options, other.choice_options)
    )


class Pool:
    """Options of mixing strategies, each distinct list held once."""

    def __init__(self) -> None:
        self._places: dict[tuple[int, ...], int] = {}
        self._items: list[int] = []

    def __len__(self) -> int:
        return len(self._items)

    def entry(self, options: Sequence[int]) -> int:
        """Returns the 32-bit entry, first << 6 | count, that stands for some options."""
        key = tuple(options)
        if key not in self._places:
            self._places[key] = len(self._items) << 6 | len(key)
            self._items.extend(key)
            if len(self._items) > MOST_POOLED:
                raise StrategyError("a strategy mixes its decisions in too many different ways to be held")
        return self._places[key]

    def extend(self, items: npt.NDArray[np.uint8]) -> int:
        """Lays another pool behind this one and returns where it begins."""
        first = len(self._items)
        self._items.extend(items.tolist())
        return first

    def cut(self, size: int) -> None:
        """Forgets what was laid down after the first `size` items."""
        del self._items[size:]
        self._places = {key: entry for key, entry in self._places.items() if entry >> 6 < size}

    def array(self) -> npt.NDArray[np.uint8]:
        """Returns all options as bytes."""
        return np.array(self._items or [0], np.uint8)


def pack_plans(plans: Sequence[Plan], throws: int, pool: Pool | None) -> Entries:
    """Packs plans into rows, shape (plans, throws * COLUMN): entries that point into a pool, bytes without one."""
    shape = (len(plans), throws, COLUMN)
    rows: Entries = np.zeros(shape, np.uint8) if pool is None else np.zeros(shape, np.uint32)
    for row, plan in zip(rows, plans, strict=True):
        keeps, choices = (plan.keeps, plan.choices) if pool is None else _pooled(plan, pool)
        row[: throws - 1, : len(ROLLS)] = keeps
        row[throws - 1, : len(ROLLS)] = choices
    return rows.reshape(len(plans), throws * COLUMN)


def _pooled(plan: Plan, pool: Pool) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    single = [(value,) for value in range(1 << DICE)]
    keep_options = single if plan.keep_options is None else plan.keep_options
    choice_options = single if plan.choice_options is None else plan.choice_options
    keep_entries = np.array([pool.entry(options) for options in keep_options] or [0], np.uint32)
    choice_entries = np.array([pool.entry(options) for options in choice_options], np.uint32)
    return keep_entries[plan.keeps], choice_entries[plan.choices]


def make_rows(player: Player, ruleset: CheerioRuleset, contexts: npt.NDArray[np.uint64]) -> Rows:
    """Asks a player for the rows of some contexts."""
    maker = RowMaker(player, ruleset)
    pool = Pool()
    again = places_of_table(player.label, contexts.size)
    rows = maker.rows(contexts, pool if maker.mixes else None, again)
    return Rows(contexts, rows, pool.array())


def join_rows(pieces: Sequence[Rows]) -> Rows:
    """Joins rows of one player that were made in pieces; their pools are laid one after another."""
    contexts = np.concatenate([piece.contexts for piece in pieces])
    if not pieces[0].mixed:
        return Rows(contexts, np.concatenate([piece.rows for piece in pieces]), pieces[0].pool)
    pool = Pool()
    shifted = [piece.rows + np.uint32(pool.extend(piece.pool) << 6) for piece in pieces]
    return Rows(contexts, np.concatenate(shifted), pool.array())
