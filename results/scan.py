"""A chunk's rows, every byte checked: games as arrays by seating, seat and deal, category sums as a frame.

A deal never spans two parts, so what is computed for each deal within a part is exact, and memory is
bounded by one part.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa

from results.errors import DamagedPart
from results.files import read_together
from results.schema import CREDIT_UNITS
from results.store import Match, Run, read_categories, read_games, read_part

#: Parts that are read ahead at most, and the rows of games that they may have together.
_MOST_AHEAD, _ROWS_AHEAD = 32, 1 << 21

GameArrays = dict[str, npt.NDArray[Any]]
Cells = list[tuple[int, int]]


def category_sums(run: Run, match: Match, chunk: int) -> pl.DataFrame:
    """Return the category sums of a chunk, names as strings.

    A block of deals that two chunks share has rows in both: sum them. DamagedPart if a byte is not what was
    committed.
    """
    return _sums_of(read_categories(run, match, chunk))


def game_arrays(run: Run, match: Match, chunk: int, columns: Iterable[str]) -> GameArrays:
    """Return columns of a chunk's games as arrays of shape (seatings, seats, deals).

    DamagedPart if a byte of the games is not what was committed.
    """
    return _arrays_of(run, match, chunk, read_games(run, match, chunk, columns))


def read_chunks(
    run: Run, match: Match, chunks: Iterable[int], columns: Sequence[str]
) -> Iterator[tuple[GameArrays, pl.DataFrame]]:
    """Yield the columns of each chunk's games, as `game_arrays`, and its category sums, as `category_sums`.

    Some are read ahead, the fewer the larger they are. DamagedPart if a byte is not what was committed.
    """

    def read(chunk: int) -> tuple[GameArrays, pl.DataFrame]:
        _, games, sums = read_part(run, match, chunk, columns)
        return _arrays_of(run, match, chunk, games), _sums_of(sums)

    rows = match.chunk_deals * match.seatings * match.seats
    return read_together(run.path, read, chunks, max(1, min(_MOST_AHEAD, _ROWS_AHEAD // rows)))


def _sums_of(table: pa.Table) -> pl.DataFrame:
    # Names as plain strings: the parts number their own, and frames of several are put together.
    return pl.DataFrame(table).with_columns(pl.col("strategy", "category").cast(pl.String))


def _arrays_of(run: Run, match: Match, chunk: int, table: pa.Table) -> GameArrays:
    shape = (match.seatings, match.seats, len(match.chunk_deals_of(chunk)))
    arrays = {name: table[name].to_numpy().reshape(shape) for name in table.column_names}
    # What is counted by these would go wrong far from here.
    for name, most in {"position": match.seats - 1, "credit": CREDIT_UNITS}.items():
        if name in arrays and (found := int(arrays[name].max(initial=0))) > most:
            raise DamagedPart(
                run.games_part(match, chunk), f"its {name} goes up to {found}, {most} is the most"
            )
    return arrays


def at_cells(array: npt.NDArray[Any], cells: Cells) -> npt.NDArray[Any]:
    """Return the rows of (seating, seat) pairs, shape (cells, deals)."""
    seatings, seats = zip(*cells, strict=True)
    return array[list(seatings), list(seats)]


def by_deal(values: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Sum over all but the deals, which are the last of two axes."""
    total = np.zeros(values.shape[-1], dtype=np.int64)
    # Row by row: numpy's sum over a short first axis with another type is several times slower.
    for row in values:
        total += row
    return total


def side_totals(values: npt.NDArray[Any], sides: Sequence[int]) -> npt.NDArray[np.int64]:
    """Sum what the partners of each side have, shape (seatings, seats, deals); each seat has its side's total."""
    totals = np.zeros(values.shape, np.int64)
    for seat, side in enumerate(sides):
        totals[:, [own == side for own in sides]] += values[:, [seat]]
    return totals
