"""The stakes of a lineup as tables: whole where a bettor's contexts are few, else filled as play meets them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sim.ceelo.lanes import LACKING, LANES, StakeTables
from sim.ceelo.ruleset import CeeloRuleset
from strategies.again import Again
from strategies.index import KeyIndex
from strategies.lineup import Player
from strategies.rows import Rows
from strategies.seated import SeatedLineup
from strategies.stakes import Contexts, StakeMaker, Stakes
from strategies.tables import MOST_BYTES


@dataclass
class _Place:
    """Where one player's contexts begin: in the array of stakes where `maker.direct`, else in the index."""

    maker: StakeMaker
    base: int
    again: Again


class BetTables(SeatedLineup):
    """The stakes of one lineup: one array and one index of stakes, shared by its distinct players.

    `whole` brings the stakes of players that are asked before the first game, by label; stakes of the others are asked
    for as the kernel meets their contexts. Raises StrategyError where a player fails.
    """

    def __init__(self, lineup: Sequence[Player], ruleset: CeeloRuleset, whole: Mapping[str, Rows]) -> None:
        super().__init__(lineup)
        self.ruleset = ruleset
        self._places: dict[str, _Place] = {}
        self._ready: dict[int, StakeTables] = {}
        direct = hashed = 0
        for player in self.lineup:
            if player.label not in self._places:
                maker = StakeMaker(player, ruleset)
                base = direct if maker.direct else hashed
                self._places[player.label] = _Place(maker, base, Again(player.label))
                direct, hashed = (
                    (direct + maker.size, hashed) if maker.direct else (direct, hashed + maker.size)
                )
        self._stake_of = np.full(max(direct, 1), LACKING, np.int16)
        self._index = KeyIndex()
        for label, rows in whole.items():
            self._hold(self._places[label], rows.contexts, rows.rows[:, 0].astype(np.int16))

    def decisions(self, seating: int) -> StakeTables:
        """Returns the stakes by seat: the player at lineup index i sits in seat (i + seating) % seats."""
        if seating not in self._ready:
            places = [self._places[self.player(seating, seat).label] for seat in range(self.seats)]
            self._ready[seating] = StakeTables(
                stake_of=self._stake_of,
                keys=self._index.keys,
                key_stakes=self._index.numbers,
                base=np.array([place.base for place in places], np.uint64),
                direct=np.array([place.maker.direct for place in places], np.uint8),
                strides=np.array([place.maker.strides for place in places], np.uint64),
            )
        return self._ready[seating]

    def fill(self, seating: int, seats: npt.NDArray[np.uint8], contexts: Contexts) -> None:
        """Asks for the stakes of contexts that players in these seats have met and that aren't held yet."""
        self._ready.clear()
        if self._is_full(contexts.size):
            self._index.clear()
        for label, distinct in self.met_by_player(seating, seats, contexts).items():
            place = self._places[label]
            self._hold(place, distinct, place.maker.make(distinct, place.again.places(distinct.size)))

    def _is_full(self, more: int) -> bool:
        # What one round of the kernel needs must stay, or the round would never have all of it.
        needed = LANES * self.seats
        return len(self._index) + more > needed and self._index.nbytes_with(more) > MOST_BYTES

    def _hold(self, place: _Place, contexts: Contexts, stakes: Stakes) -> None:
        keys = contexts + np.uint64(place.base)
        if place.maker.direct:
            self._stake_of[keys] = stakes
        else:
            self._index.hold(keys, stakes.astype(np.int32))
