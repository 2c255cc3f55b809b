"""The decision tables of a lineup: whole where a strategy's contexts are few, else filled as play meets them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from sim.cheerio import LANES
from sim.cheerio_ruleset import CheerioRuleset
from sim.lanes import COLUMN, FORFEIT, ROW, STEAL, Decisions, Luck
from sim.views import WATCHING
from strategies.again import Again
from strategies.answers import AnswerMaker
from strategies.index import KeyIndex
from strategies.lineup import Player
from strategies.luck import build_yardsticks, is_faultless
from strategies.rows import Entries, Pool, RowMaker, Rows, join_rows, make_rows
from strategies.seated import SeatedLineup

__all__ = ["LineupTables", "RowMaker", "Rows", "join_rows", "make_rows"]

#: Contexts up to this number are found by their place in an array, more by hashing.
MOST_DIRECT = 1 << 22
#: Rows that are filled as met are forgotten, and asked anew, when they take up this many bytes.
MOST_BYTES = 1 << 29
#: A mixing strategy's decision takes an entry of 32 bits, another's a byte.
MIXED_BYTES = 4
#: What a decision gives away takes as much again.
LOSS_BYTES = 4

Number = TypeVar("Number", np.uint8, np.uint32, np.int32)


@dataclass
class _Place:
    """Where one player's contexts begin in the shared index, and how they are found.

    The contexts of its answers begin at `steal_base` and `forfeit_base`; they are always found by hashing.
    """

    maker: RowMaker
    answers: AnswerMaker
    base: int
    direct: bool
    steal_base: int
    forfeit_base: int
    again: dict[int, Again]


class LineupTables(SeatedLineup):
    """The decision tables of one lineup: one arena of rows shared by its distinct players.

    `whole` brings the rows of players that are filled before the first game, by label; rows of the others, and answers
    to the questions of a steal, are asked for as the kernel meets their contexts. Where it is `lucky`, what each
    decision gives away is kept beside it, for the luck of the dice. Raises StrategyError where a player fails.
    """

    def __init__(
        self,
        lineup: Sequence[Player],
        ruleset: CheerioRuleset,
        whole: Mapping[str, Rows],
        lucky: bool = False,
    ) -> None:
        super().__init__(lineup)
        self.ruleset = ruleset
        self.lucky = lucky
        self._width = ruleset.throws * COLUMN
        self._places: dict[str, _Place] = {}
        self._rows = np.zeros((64, self._width), np.uint8)
        self._mixed_rows = np.zeros((1, self._width), np.uint32)
        self._losses = np.zeros((64 * lucky, self._width), np.int32)
        self._mixed_losses = np.zeros((1 * lucky, self._width), np.int32)
        self._pool = Pool()
        self._used = self._mixed_used = self._answered = 0
        # Rows up to the last whose losses are held; of who gives nothing away, none are.
        self._lost = self._mixed_lost = 0
        self._ready: dict[int, Decisions] = {}
        direct = hashed = 0
        for player in self.lineup:
            if player.label not in self._places:
                maker, answers = RowMaker(player, ruleset), AnswerMaker(player, ruleset)
                small = maker.size <= MOST_DIRECT
                base = direct if small else hashed
                direct, hashed = (direct + maker.size, hashed) if small else (direct, hashed + maker.size)
                forfeit_base = hashed + answers.steal_size
                again = {kind: Again(player.label, turns=kind == ROW) for kind in (ROW, STEAL, FORFEIT)}
                self._places[player.label] = _Place(maker, answers, base, small, hashed, forfeit_base, again)
                hashed = forfeit_base + answers.forfeit_size
        sees = {label: place.maker.sees for label, place in self._places.items()}
        self._yardsticks = build_yardsticks(ruleset, sees) if lucky else {}
        self._faultless = {
            player.label
            for player in self.lineup
            if lucky and is_faultless(player.strategy, ruleset, self._yardsticks[player.label])
        }
        self._row_of = np.full(max(direct, 1), -1, np.int32)
        self._index = KeyIndex()
        for label, rows in whole.items():
            first = self._pool.extend(rows.pool) if rows.mixed else 0
            self._add(self._places[label], rows.contexts, rows.rows + rows.rows.dtype.type(first << 6))
        self._kept = self._used, self._mixed_used, len(self._pool)
        self._kept_row_of = self._row_of.copy()

    @cached_property
    def in_order(self) -> bool:
        """Tells whether turns have to be played in the order of play: where one bears on those of other seats.

        Against the clock there is no such order.
        """
        if self.ruleset.clock is not None:
            return False
        watching = any(WATCHING.intersection(place.maker.sees) for place in self._places.values())
        return watching or self.ruleset.steal != "none" or self.ruleset.team > 1

    @cached_property
    def wide(self) -> bool:
        """Tells whether anyone sees more than the own open categories and upper subtotal."""
        return any(set(place.maker.sees) - {"open", "upper"} for place in self._places.values())

    def decisions(self, seating: int) -> Decisions:
        """Returns the tables by seat: the player at lineup index i sits in seat (i + seating) % seats."""
        if seating not in self._ready:
            players = [self.player(seating, seat) for seat in range(self.seats)]
            places = [self._places[player.label] for player in players]
            answers = [place.answers for place in places]
            self._ready[seating] = Decisions(
                rows=self._rows.reshape(-1),
                mixed_rows=self._mixed_rows.reshape(-1),
                pool=self._pool.array(),
                row_of=self._row_of,
                keys=self._index.keys,
                key_rows=self._index.numbers,
                base=np.array([place.base for place in places], np.uint64),
                direct=np.array([place.direct for place in places], np.uint8),
                mixed=np.array([place.maker.mixes for place in places], np.uint8),
                any_mixed=any(place.maker.mixes for place in places),
                strides=np.array([place.maker.strides for place in places], np.uint64),
                wide=self.wide,
                in_order=self.in_order,
                steal_from=np.array([maker.threshold for maker in answers], np.int16),
                asks_steal=np.array([maker.asks_steal for maker in answers], np.uint8),
                asks_forfeit=np.array([maker.asks_forfeit for maker in answers], np.uint8),
                steal_base=np.array([place.steal_base for place in places], np.uint64),
                forfeit_base=np.array([place.forfeit_base for place in places], np.uint64),
                steal_strides=np.array([maker.steal_strides for maker in answers], np.uint64),
                forfeit_strides=np.array([maker.forfeit_strides for maker in answers], np.uint64),
                pace=np.array([player.manner.pace for player in players], np.int64),
                luck=self._luck(players),
            )
        return self._ready[seating]

    def fill(
        self,
        seating: int,
        seats: npt.NDArray[np.uint8],
        contexts: npt.NDArray[np.uint64],
        kind: int = ROW,
    ) -> None:
        """Asks for the rows, or of another kind the answers, of contexts that players in these seats have met."""
        self._ready.clear()
        if self._is_full(contexts.size, kind):
            self._forget()
        for label, distinct in self.met_by_player(seating, seats, contexts).items():
            place = self._places[label]
            again = place.again[kind].places(distinct.size)
            if kind == ROW:
                pool = self._pool if place.maker.mixes else None
                self._add(place, distinct, place.maker.rows(distinct, pool, again))
            else:
                base = place.steal_base if kind == STEAL else place.forfeit_base
                answers = place.answers.make(kind, distinct.tolist(), again)
                self._index.hold(distinct + np.uint64(base), np.array(answers, np.int32))
                self._answered += len(distinct)

    def _is_full(self, more: int, kind: int) -> bool:
        kept, mixed_kept, _ = self._kept
        filled = self._used - kept + self._mixed_used - mixed_kept + self._answered
        # An answer takes its place in the index and nothing else.
        rows = more if kind == ROW else 0
        lost = self._lost + self._mixed_lost + rows * (len(self._faultless) < len(self._yardsticks))
        places = self._used + rows + (self._mixed_used + rows) * MIXED_BYTES + lost * LOSS_BYTES
        size = places * self._width
        # What one step of the game needs must stay, or the step would never have all of it: for each lane a row, and
        # where there are steals two answers.
        needed = LANES if self.ruleset.steal == "none" else 3 * LANES
        return filled + more > needed and size + self._index.nbytes > MOST_BYTES

    def _forget(self) -> None:
        self._used, self._mixed_used, pooled = self._kept
        self._lost, self._mixed_lost = min(self._lost, self._used), min(self._mixed_lost, self._mixed_used)
        self._pool.cut(pooled)
        self._row_of[:] = self._kept_row_of
        self._index.clear()
        self._answered = 0

    def _add(
        self,
        place: _Place,
        contexts: npt.NDArray[np.uint64],
        rows: Entries,
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
        if self.lucky and place.maker.player.label not in self._faultless:
            self._add_losses(place, contexts, rows, first)
        places = np.arange(first, first + count, dtype=np.int32)
        keys = contexts + np.uint64(place.base)
        if place.direct:
            self._row_of[keys] = places
        else:
            self._index.hold(keys, places)

    def _add_losses(self, place: _Place, contexts: npt.NDArray[np.uint64], rows: Entries, first: int) -> None:
        count = len(contexts)
        yardstick = self._yardsticks[place.maker.player.label]
        losses = yardstick.losses(rows, self._pool.array(), place.maker.views(contexts))
        if place.maker.mixes:
            self._mixed_losses = _with_room(self._mixed_losses, first, count)
            self._mixed_losses[first : first + count] = losses
            self._mixed_lost = first + count
        else:
            self._losses = _with_room(self._losses, first, count)
            self._losses[first : first + count] = losses
            self._lost = first + count

    def _luck(self, players: Sequence[Player]) -> Luck:
        yardsticks = [self._yardsticks[player.label] for player in players] if self.lucky else []
        return Luck(
            kept=self.lucky,
            any_faultless=bool(self._faultless),
            losses=self._losses.reshape(-1),
            mixed_losses=self._mixed_losses.reshape(-1),
            faultless=np.array([player.label in self._faultless for player in players], np.uint8),
            start=np.array([yardstick.start for yardstick in yardsticks], np.int64),
            bonus=np.array([yardstick.counts_bonus for yardstick in yardsticks], np.uint8),
            uncounted=np.array([yardstick.uncounted for yardstick in yardsticks], np.int64),
        )


def asks_in_play(player: Player, ruleset: CheerioRuleset) -> bool:
    """Tells whether a player is asked for decisions while games are played, as their situations come up."""
    answers = AnswerMaker(player, ruleset)
    return answers.asks_steal or answers.asks_forfeit or not RowMaker(player, ruleset).whole


def _with_room(rows: npt.NDArray[Number], used: int, more: int) -> npt.NDArray[Number]:
    if used + more <= len(rows):
        return rows
    # Not zeros: numpy asks for huge pages, which look-ups all over a table need, only for memory as it is.
    grown = np.empty((max(used + more, 2 * len(rows)), rows.shape[1]), rows.dtype)
    held = min(used, len(rows))
    grown[:held] = rows[:held]
    return grown
