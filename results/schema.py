"""The tables of a part: which columns each game has, and how they are written."""

from collections.abc import Container, Iterable
from itertools import chain
from typing import Any

import pyarrow as pa

from results import ceelo_columns
from results.cheerio_columns import CATEGORIES, GAMES, VARIANT_COLUMNS
from results.column import BLOCK_DEALS, ROW, Column, Encoding

__all__ = [
    "BLOCK_DEALS",
    "CATEGORIES",
    "CREDIT_UNITS",
    "GAMES",
    "GAME_TABLES",
    "ROW",
    "ROW_GROUP_ROWS",
    "SCHEMA_VERSION",
    "VARIANT_COLUMNS",
    "Column",
    "arrow_schema",
    "games_columns",
    "markdown_columns",
    "write_options",
]

SCHEMA_VERSION = 1
"""Raised whenever a reader of the old columns would misread the new ones."""

CREDIT_UNITS = 60
"""Units of credit in one game: divisible by every number of sides up to six."""

ROW_GROUP_ROWS = 500_000

GAME_TABLES: dict[str, tuple[tuple[Column, ...], tuple[Column, ...], tuple[Column, ...]]] = {
    "cheerio": (GAMES, VARIANT_COLUMNS, CATEGORIES),
    "ceelo": (ceelo_columns.GAMES, ceelo_columns.VARIANT_COLUMNS, ceelo_columns.RESULTS),
}
"""By game: the columns of all its games, those that variants add, and those of the second table."""

_PARQUET_ENCODING = {"stream": "BYTE_STREAM_SPLIT", "delta": "DELTA_BINARY_PACKED", "plain": "PLAIN"}


def arrow_schema(columns: Iterable[Column]) -> pa.Schema:
    """Return the Arrow schema of columns, none of which may be null."""
    return pa.schema([pa.field(column.name, column.type, nullable=False) for column in columns])


def games_columns(game: str, rules: Container[str]) -> tuple[Column, ...]:
    """Return the columns of a games table of a game, given the parts of its rules that are in play, and luck."""
    always, added, _ = GAME_TABLES[game]
    return (*always, *(column for column in added if any(part in rules for part in column.parts)))


def markdown_columns(columns: Iterable[Column]) -> str:
    """Return the columns as a Markdown table, for the reference page."""
    lines = ["| column | type | unit | meaning |", "| --- | --- | --- | --- |"]
    lines += [f"| {c.name} | {_type_name(c.type)} | {c.unit} | {c.meaning} |" for c in columns]
    return "\n".join(lines) + "\n"


def write_options(schema: pa.Schema) -> dict[str, Any]:
    """Return the arguments of `pyarrow.parquet.write_table` for a table of this schema.

    One page holds a row group's whole column: values that are equal for all seats of a game stand a page's
    part apart, and zstd finds them only within one page.
    """
    chosen = {field.name: _ENCODINGS.get(field.name) or _default_encoding(field.type) for field in schema}
    return {
        "compression": "zstd",
        "compression_level": 1,
        "data_page_size": 1 << 28,
        "max_rows_per_page": ROW_GROUP_ROWS,
        "row_group_size": ROW_GROUP_ROWS,
        "write_batch_size": ROW_GROUP_ROWS,
        "write_statistics": False,
        "use_dictionary": [name for name, encoding in chosen.items() if encoding == "dictionary"],
        "column_encoding": {n: _PARQUET_ENCODING[e] for n, e in chosen.items() if e != "dictionary"},
    }


#: A column of one name is written alike, whichever game it is of.
_ENCODINGS: dict[str, Encoding] = {
    column.name: column.encoding for column in chain(*chain(*GAME_TABLES.values()))
}


def _default_encoding(kind: pa.DataType) -> Encoding:
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return "stream"
    return "plain" if pa.types.is_boolean(kind) else "dictionary"


def _type_name(kind: pa.DataType) -> str:
    return "string (dictionary)" if pa.types.is_dictionary(kind) else str(kind)
