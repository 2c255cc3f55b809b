"""Asks a bettor for its stakes, and holds each against the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

import numpy as np
import numpy.typing as npt

from sim.ceelo.ruleset import CeeloRuleset
from sim.ceelo.views import SHIFTS, VIEWS, view_sizes, view_strides
from sim.numbering import read_contexts, write_contexts
from sim.recording import STAKE, STAKES
from strategies.again import places_of_table
from strategies.bettor import Bettor, PlannedBettor, StakingBettor, Table
from strategies.lineup import Player, strategy_of
from strategies.questioning import Questioner, answer_words
from strategies.rows import Rows, check_contexts
from strategies.strategy import StrategyError, is_planned
from strategies.tables import MOST_DIRECT

#: Bettors that tell apart at most this many situations are asked for all of them before the first game.
MOST_WHOLE = 1 << 18
#: So many of the last stakes of a table are asked for a second time, among others.
ASKED_TWICE = 16

Contexts = npt.NDArray[np.uint64]
Stakes = npt.NDArray[np.int16]
#: Views of many tables, each an array of one length.
Views = dict[str, npt.NDArray[np.int64]]


class StakeAsker(Questioner):
    """Asks one bettor, and tells its failures with the table."""

    shows: ClassVar[str] = "table"

    def __init__(self, bettor: Bettor, label: str, under: str = "") -> None:
        super().__init__(label, under)
        self.bettor = bettor
        self._staking = cast("StakingBettor", bettor)
        self._planned = is_planned(bettor)

    def stake(self, table: Table) -> int:
        """Returns what the bettor stakes at one table."""
        if self._planned:
            return int(self.stakes(table.alone(), 1)[0])
        self._begin(table, STAKE)
        self.asked += 1
        answer = self._answer(table, lambda: self._staking.stake(table))
        whole = isinstance(answer, (int, np.integer)) and not isinstance(answer, bool)
        if not whole or not table.minimum <= answer <= table.maximum:
            raise self._illegal(answer, table)
        return int(answer)

    def stakes(self, tables: Table, count: int) -> Stakes:
        """Returns what the bettor plans to stake at each of so many tables."""
        bettor = cast("PlannedBettor", self.bettor)
        self._begin(tables, STAKES)
        self.asked += count
        answer = self._answer(tables, lambda: bettor.plan(tables))
        stakes = _whole_numbers(answer)
        if stakes is None or stakes.shape not in ((), (count,)):
            self._refuse_endless(answer, tables, count)
            wanted = f"a whole number, or an array of {count} of them, one for each table"
            raise self._error(
                f" returns {answer_words(answer)}; needed: {wanted} (table.nearest(chips) makes them whole)",
                tables,
            )
        spread = np.broadcast_to(stakes, (count,))
        wrong = np.flatnonzero((spread < tables.minimum) | (spread > tables.maximum))
        if wrong.size:
            raise self._illegal(int(spread[wrong[0]]), tables.at(int(wrong[0])))
        return spread.astype(np.int16)

    @property
    def question(self) -> str:
        """Names what the bettor is asked."""
        return "plan(table)" if self._planned else "stake(table)"

    def _refuse_endless(self, answer: Any, tables: Table, count: int) -> None:
        """Raises StrategyError for the first table whose answer among floats is no finite number."""
        if not isinstance(answer, np.ndarray) or answer.dtype.kind != "f" or answer.shape != (count,):
            return
        endless = np.flatnonzero(~np.isfinite(answer))
        if endless.size:
            table = tables.at(int(endless[0]))
            raise self._error(f" returns {answer[endless[0]]}; a whole number of chips is needed", table)

    def _illegal(self, answer: Any, table: Table) -> StrategyError:
        allowed = f"a whole number from {table.minimum} to {table.maximum}, whatever the purse (a smaller one"
        advice = "table.nearest(chips) is the nearest"
        return self._error(
            f" returns {answer_words(answer)}; allowed: {allowed} stakes all it has); {advice}", table
        )


def _whole_numbers(answer: Any) -> npt.NDArray[np.integer[Any]] | None:
    """Returns an answer as an array, or None where it is no whole number and no array of such."""
    try:
        numbers = np.asarray(answer)
    except Exception:
        return None
    return numbers if numbers.dtype.kind in "iu" else None


class StakeMaker:
    """Asks one player for stakes under one ruleset; where there is no bank there is nothing to ask.

    Raises StrategyError where it plays another game, or sees too much at once.
    """

    decisions_per_row = 1

    def __init__(self, player: Player, ruleset: CeeloRuleset) -> None:
        self.player = player
        self.ruleset = ruleset
        self.bettor = strategy_of(player, Bettor, ruleset)
        self.asker = StakeAsker(self.bettor, player.label, ruleset.name)
        self.asks = ruleset.bank != "none"
        self.sees = tuple(view for view in VIEWS if self.asks and view in player.sees)
        self.strides, contexts = view_strides(ruleset, self.sees)
        self.size = contexts if self.asks else 0
        check_contexts(player, ruleset, self.sees, self.size)

    @property
    def whole(self) -> bool:
        """Tells whether all contexts are few enough to be asked before the first game."""
        return self.size <= MOST_WHOLE

    @property
    def direct(self) -> bool:
        """Tells whether all contexts are few enough for stakes to be found by their place in an array."""
        return self.size <= MOST_DIRECT

    def whole_contexts(self) -> Contexts:
        """Returns every context that play can meet, as far as the views tell, for a player that is asked whole."""
        contexts = np.arange(self.size, dtype=np.uint64)
        if not self.sees:
            return contexts
        return contexts[possible_tables(self.ruleset, self.views(contexts))]

    def views(self, contexts: Contexts) -> Views:
        """Returns the views that contexts show, each of the same length."""
        return read_contexts(view_sizes(self.ruleset), SHIFTS, self.sees, contexts)

    def contexts(self, views: Mapping[str, npt.NDArray[np.int64]]) -> Contexts:
        """Returns the contexts that show these views; the inverse of `views`."""
        return write_contexts(view_sizes(self.ruleset), SHIFTS, self.sees, views)

    def table(self, context: int) -> Table:
        """Returns the table that a context shows."""
        return Table(self.ruleset, self.bettor.sees, self.views(np.array([context], np.uint64))).at(0)

    def make(self, contexts: Contexts, again: Sequence[int] = ()) -> Stakes:
        """Asks for the stakes of some contexts; raises StrategyError for the first that fails.

        Those at the places `again` are asked for a second time, the last first.
        """
        with self.asker.limited():
            stakes = self._asked(contexts)
            # In two halves, as a plan may look at the other tables that it is asked about.
            for half in filter(None, (again[::-2], again[-2::-2])):
                places = np.array(half, np.int64)
                other = self._asked(contexts[places]) != stakes[places]
                for context in contexts[places[other]].tolist():
                    raise self.asker.two_answers(
                        self.table(context), "its stakes may depend on the table alone"
                    )
            return stakes

    def _asked(self, contexts: Contexts) -> Stakes:
        views, sees = self.views(contexts), self.bettor.sees
        if not contexts.size:
            return np.empty(0, np.int16)
        if is_planned(self.bettor):
            return self.asker.stakes(Table(self.ruleset, sees, views), contexts.size)
        columns = [values.tolist() for values in views.values()]
        shown = zip(*columns, strict=True) if columns else [()] * contexts.size
        tables = (Table(self.ruleset, sees, dict(zip(views, values, strict=True))) for values in shown)
        return np.array([self.asker.stake(table) for table in tables], np.int16)


def possible_tables(
    ruleset: CeeloRuleset, views: Mapping[str, npt.NDArray[np.int64]]
) -> npt.NDArray[np.bool_]:
    """Tells which of many tables play can meet, as far as their views tell (one at least).

    A bettor has chips, and so has the bank.
    """
    all_chips = ruleset.players[-1] * ruleset.chips
    possible = np.ones(next(iter(views.values())).shape, np.bool_)
    for view in ("chips", "bank", "rounds_left", "order", "rank"):
        if view in views:
            possible &= views[view] >= 1
    for chips in ("chips", "bank"):
        if chips in views:
            possible &= views[chips] < all_chips
    if "chips" in views and "bank" in views:
        possible &= views["chips"] + views["bank"] <= all_chips
    if "rank" in views and "lead" in views:
        possible &= (views["rank"] == 1) == (views["lead"] >= 0)
    if "last_stake" in views and "streak" in views:
        possible &= (views["streak"] == 0) | (views["last_stake"] > 0)
    return possible


def make_stakes(player: Player, ruleset: CeeloRuleset, contexts: Contexts) -> Rows:
    """Asks a player for the stakes of some contexts."""
    last = range(max(0, contexts.size - ASKED_TWICE), contexts.size)
    again = sorted({*places_of_table(player.label, contexts.size), *last})
    stakes = StakeMaker(player, ruleset).make(contexts, again)
    return Rows(contexts, stakes.reshape(-1, 1), np.empty(0, np.uint8))


def asks_in_play(player: Player, ruleset: CeeloRuleset) -> bool:
    """Tells whether a player is asked for stakes while games are played, as their situations come up."""
    return not StakeMaker(player, ruleset).whole
