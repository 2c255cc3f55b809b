"""Several matches read together, deal by deal: what a comparison on the same dice needs.

A deal offers a seat the same dice in every match of one seed, whatever the ruleset and the lineup.
"""

from collections.abc import Iterator, Sequence

from results.scan import GameArrays, game_arrays
from results.store import Match, Run

Place = tuple[Run, Match]


def leading_deals(run: Run, match: Match) -> int:
    """Return how many deals of a match are there without a gap, counted from the first."""
    deals = 0
    for expected, chunk in enumerate(run.committed_chunks(match)):
        if chunk != expected:
            break
        deals = match.chunk_deals_of(chunk).stop
    return deals


def joint_deals(
    places: Sequence[Place], columns: Sequence[Sequence[str]], deals: int
) -> Iterator[tuple[range, list[GameArrays]]]:
    """Yield ranges of deals, from 0 up to `deals`, with the arrays of each match by seating, seat and deal.

    `columns` names those to read of each match. The matches may be cut into chunks of different sizes; memory is
    bounded by one chunk of each. DamagedPart if a byte of a part is not what was committed.
    """
    cursors = [_Cursor(run, match, names) for (run, match), names in zip(places, columns, strict=True)]
    start = 0
    while start < deals:
        for cursor in cursors:
            cursor.reach(start)
        stop = min(deals, *(cursor.deals.stop for cursor in cursors))
        yield range(start, stop), [cursor.cut(start, stop) for cursor in cursors]
        start = stop


class _Cursor:
    """One match as it is read: the chunk that holds the deals of the moment."""

    def __init__(self, run: Run, match: Match, columns: Sequence[str]) -> None:
        self._run, self._match, self._columns = run, match, columns
        self._arrays: GameArrays = {}
        self.deals = range(0)

    def reach(self, deal: int) -> None:
        if deal not in self.deals:
            chunk = deal // self._match.chunk_deals
            # The games of one chunk are gone before those of the next are read.
            self._arrays = {}
            self._arrays = game_arrays(self._run, self._match, chunk, self._columns)
            self.deals = self._match.chunk_deals_of(chunk)

    def cut(self, start: int, stop: int) -> GameArrays:
        first = self.deals.start
        return {name: values[..., start - first : stop - first] for name, values in self._arrays.items()}
