"""Which questions a strategy is asked a second time, as tables are worth nothing where one has several answers."""

from __future__ import annotations

from strategies.loading import is_users

#: So many of the first situations that come up in play are asked about again more often than later ones.
FIRST = 1024
#: Of later situations, and of those of a table that is filled before play, every so many-th is asked about again.
LATER = 64
#: A turn is hundreds of decisions: of the first situations that ask for one, so many and then every so many-th.
TURNS = 16


class Again:
    """Says which of the situations that come up in play a strategy is asked about a second time.

    Of the first FIRST all, or where each asks for the decisions of whole `turns` some, later every LATER-th. What is
    shipped is not asked again: it is held to its rules where it is made.
    """

    def __init__(self, label: str, turns: bool = False) -> None:
        self._is_users = is_users(label)
        self._turns = turns
        self._met = 0

    def places(self, count: int) -> list[int]:
        """Returns the places, among the next so many situations, of those that are asked about again."""
        if not self._is_users:
            return []
        met = self._met
        self._met += count
        early = range(met, min(self._met, FIRST))
        later = range(max(met, FIRST), self._met)
        places = [number - met for number in early if self._is_due(number)]
        return places + [number - met for number in later[-later.start % LATER :: LATER]]

    def _is_due(self, number: int) -> bool:
        return not self._turns or number < TURNS or number % TURNS == 0


def places_of_table(label: str, count: int) -> list[int]:
    """Returns the places, among so many situations that are asked about before play, of those asked about again."""
    return list(range((count - 1) % LATER, count, LATER)) if is_users(label) else []
