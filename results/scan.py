"""A chunk's rows, every byte checked: games as arrays by seating, seat and deal, category sums as a frame.

A deal never spans two parts, so what is computed for each deal within a part is exact, and memory is
bounded by one part.
"""

from collections.abc import Iterable
from typing import Any

import numpy.typing as npt
import polars as pl

from results.parts import read_rows
from results.store import Match, Run, check_part

GameArrays = dict[str, npt.NDArray[Any]]


def category_sums(run: Run, match: Match, chunk: int) -> pl.DataFrame:
    """Return the category sums of a chunk, names as strings.

    A block of deals that two chunks share has rows in both: sum them. DamagedPart if a byte is not what was
    committed.
    """
    check_part(run, match, chunk)
    # Names as plain strings: the parts number their own, and frames of several are put together.
    return pl.DataFrame(read_rows(run.categories_part(match, chunk))).with_columns(
        pl.col("strategy", "category").cast(pl.String)
    )


def game_arrays(run: Run, match: Match, chunk: int, columns: Iterable[str]) -> GameArrays:
    """Return columns of a chunk's games as arrays of shape (seatings, seats, deals).

    DamagedPart if a byte of the games is not what was committed.
    """
    footer = check_part(run, match, chunk)
    table = read_rows(run.games_part(match, chunk), columns)
    shape = (match.seatings, match.seats, footer.deals)
    return {name: table[name].to_numpy().reshape(shape) for name in table.column_names}
