"""A lineup in its seats: who sits where in each seating, and what each player has met there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from strategies.lineup import Player


class SeatedLineup:
    """A lineup whose decisions are kept in tables, filled as play meets what they lack."""

    def __init__(self, lineup: Sequence[Player]) -> None:
        self.lineup = tuple(lineup)
        self.seats = len(self.lineup)

    def player(self, seating: int, seat: int) -> Player:
        """Returns who sits in a seat: the player at lineup index i sits in seat (i + seating) % seats."""
        return self.lineup[(seat - seating) % self.seats]

    def met_by_player(
        self, seating: int, seats: npt.NDArray[np.uint8], contexts: npt.NDArray[np.uint64]
    ) -> dict[str, npt.NDArray[np.uint64]]:
        """Returns the distinct contexts that each player has met, by label, given the seats they were met in."""
        met: dict[str, list[npt.NDArray[np.uint64]]] = {}
        for seat in np.unique(seats).tolist():
            met.setdefault(self.player(seating, seat).label, []).append(contexts[seats == seat])
        return {label: np.unique(np.concatenate(parts)) for label, parts in met.items()}
