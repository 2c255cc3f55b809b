"""A run's rows: as polars LazyFrames, or as arrays by seating, seat and deal.

A deal never spans two parts, so what is computed for each deal within a part is exact, and memory is
bounded by one part.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy.typing as npt
import polars as pl
import pyarrow as pa

from results.parts import read_rows
from results.schema import categories_schema, games_schema
from results.store import Match, Run, check_part

GameArrays = dict[str, npt.NDArray[Any]]


def scan_games(run: Run, match: Match) -> pl.LazyFrame:
    """Return all committed games of a match, a row for each game and seat, lazily."""
    paths = [run.games_part(match, chunk) for chunk in run.committed_chunks(match)]
    return pl.scan_parquet(paths) if paths else _empty(games_schema())


def scan_categories(run: Run, match: Match) -> pl.LazyFrame:
    """Return the category sums of all committed chunks of a match, lazily.

    A block of deals that two chunks share has rows from both: sum them.
    """
    paths = [run.categories_part(match, chunk) for chunk in run.committed_chunks(match)]
    return pl.scan_parquet(paths) if paths else _empty(categories_schema())


def scan_parts(run: Run, match: Match) -> Iterator[tuple[int, pl.LazyFrame]]:
    """Yield each committed chunk with its games, lazily, in the order of the chunks."""
    for chunk in run.committed_chunks(match):
        yield chunk, pl.scan_parquet(run.games_part(match, chunk))


def game_arrays(run: Run, match: Match, chunk: int, columns: Iterable[str]) -> GameArrays:
    """Return columns of a chunk's games as arrays of shape (seatings, seats, deals).

    DamagedPart if a byte of the games is not what was committed.
    """
    footer = check_part(run, match, chunk)
    table = read_rows(run.games_part(match, chunk), columns)
    shape = (match.seatings, match.seats, footer.deals)
    return {name: table[name].to_numpy().reshape(shape) for name in table.column_names}


def _empty(schema: pa.Schema) -> pl.LazyFrame:
    return pl.DataFrame(schema.empty_table()).lazy()
