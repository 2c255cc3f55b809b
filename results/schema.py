"""Every column of a part: name, type, unit, meaning, and how it is encoded."""

from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import pyarrow as pa

SCHEMA_VERSION = 1
"""Raised whenever a reader of the old columns would misread the new ones."""

BLOCK_DEALS = 1000
"""Deals in one block of the categories table."""

CREDIT_UNITS = 60
"""Units of credit in one game: divisible by every number of sides up to six."""

ROW_GROUP_ROWS = 500_000

Encoding = Literal["stream", "delta", "dictionary", "plain"]
_PARQUET_ENCODING = {"stream": "BYTE_STREAM_SPLIT", "delta": "DELTA_BINARY_PACKED", "plain": "PLAIN"}


@dataclass(frozen=True)
class Column:
    """One column of a table.

    `encoding` is chosen by measurement on rows ordered by (seating, seat, deal): `stream` splits integers
    into their bytes and suits spread-out values, `delta` suits counting up, `dictionary` suits a handful of
    values, `plain` suits booleans. `parts` are the parts of a ruleset of which any one brings the column; a
    column without is always there.
    """

    name: str
    type: pa.DataType
    unit: str
    meaning: str
    encoding: Encoding = "stream"
    parts: tuple[str, ...] = ()


_INT16, _INT32, _INT64, _UINT8, _UINT16 = pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16()
_LABEL = pa.dictionary(pa.int8(), pa.string())

GAMES: tuple[Column, ...] = (
    Column("deal", _INT64, "number", "which dice are offered; counted from 0 within the match", "delta"),
    Column(
        "game", _INT64, "number", "deal x seatings + seating; the number of the game in its match", "delta"
    ),
    Column("seating", _UINT8, "number", "rotation of the lineup over the seats", "dictionary"),
    Column("seat", _UINT8, "number", "the chair, from 0", "dictionary"),
    Column("side", _UINT8, "number", "the side that the seat belongs to, from 0", "dictionary"),
    Column("strategy", _LABEL, "name", "the strategy in the seat", "dictionary"),
    Column("position", _UINT8, "number", "place in the order of play, 0 first", "dictionary"),
    Column("score", _INT16, "points", "final score of the side"),
    Column("place", _UINT8, "rank", "final place of the side, shared ranks as 1, 2, 2, 4", "dictionary"),
    Column("won", pa.bool_(), "yes/no", "sole winner, after any roll-off; never in solitaire", "plain"),
    Column(
        "credit",
        _UINT8,
        "1/60",
        "credit of the side: 60 a win, shared ties split; 0 in solitaire",
        "dictionary",
    ),
    Column("tied", pa.bool_(), "yes/no", "shared the top score before any tie-break", "plain"),
    Column("tiebreak_rounds", _UINT8, "rounds", "rounds of the roll-off of the game, 0 if none"),
    Column("start_rounds", _UINT8, "rounds", "rounds of the start roll of the game, 0 if none"),
    Column("throws", _UINT16, "throws", "throws of the seat in the whole game"),
    Column("upper", _INT16, "points", "upper subtotal of the side's sheet"),
    Column("bonus", _INT16, "points", "bonus of the side's sheet"),
    Column(
        "lead_changes",
        _UINT8,
        "changes",
        "how often the sole lead, as at the ends of the rounds, passed to another side in the game. A round is one "
        "turn of each side. With a clock it ends when every side has ended that many turns, and rounds left when the "
        "game ends have the final totals",
    ),
    Column(
        "decided_turn",
        _UINT8,
        "round",
        "the first round from whose end on the winner led alone to the end; one more than there are rounds "
        "in that game if a tie-break decided or nobody won; 0 in solitaire. With steals a game has one round more "
        "where a thief needs it to fill its sheet. Rounds with a clock: see lead_changes",
    ),
    Column(
        "worst_deficit",
        _INT16,
        "points",
        "the largest deficit at the end of a round that the winner made up; 0 if none or if nobody won. "
        "Rounds with a clock: see lead_changes",
    ),
    Column(
        "decisions",
        _UINT16,
        "hash",
        "hash of the decisions that the seat took; two different courses share it with chance 1/65,536",
    ),
)

VARIANT_COLUMNS: tuple[Column, ...] = (
    Column(
        "turns",
        _UINT8,
        "turns",
        "turns that the seat took; there with teams, steals or a clock",
        "dictionary",
        ("team", "steal", "clock"),
    ),
    Column(
        "jokers",
        _UINT8,
        "jokers",
        "how often the side was paid for five alike beyond their category; there with a joker",
        "dictionary",
        ("joker",),
    ),
    Column("steals", _UINT8, "steals", "steals by the seat; there with steals", "dictionary", ("steal",)),
    Column(
        "robbed",
        _UINT8,
        "steals",
        "how often the side was robbed; there with steals",
        "dictionary",
        ("steal",),
    ),
    Column(
        "margin_without",
        _INT16,
        "points",
        "score of the side minus the best other side's, where the deal and seating are played with this side "
        "never stealing; there with steals",
        "stream",
        ("steal",),
    ),
    Column(
        "credit_without",
        _UINT8,
        "1/60",
        "credit of the side in that game; there with steals",
        "dictionary",
        ("steal",),
    ),
    Column(
        "milliseconds",
        _INT32,
        "ms",
        "when the side ended its last turn, from the start of the game; there with a clock",
        "stream",
        ("clock",),
    ),
    Column(
        "empty",
        _UINT8,
        "categories",
        "categories that the side left open when the game ended; there with a clock",
        "dictionary",
        ("clock",),
    ),
)
"""Columns that stand after those of `GAMES` where the ruleset has one of their parts."""

CATEGORIES: tuple[Column, ...] = (
    Column(
        "block",
        _INT64,
        "number",
        f"deal // {BLOCK_DEALS}; a block that two chunks share appears in both",
        "delta",
    ),
    Column("seat", _UINT8, "number", "the chair, from 0, of who filled the category", "dictionary"),
    Column("strategy", _LABEL, "name", "the strategy in the seat", "dictionary"),
    Column("category", _LABEL, "id", "the category that was filled", "dictionary"),
    Column(
        "count",
        _INT64,
        "entries",
        "entries of the seat on the sheets as they stand at the end. With steals an overwritten entry counts for who "
        "filled it, an erased one for nobody, and a forfeit for the robbed who entered it. With a clock a category "
        "left empty counts for nobody",
    ),
    Column(
        "sum",
        _INT64,
        "points",
        "points of these entries, summed; an overwritten entry has its new points, and a forfeit 0",
    ),
    Column("sum_of_squares", _INT64, "points squared", "squares of the points of these entries, summed"),
    Column(
        "zeros",
        _INT64,
        "entries",
        "how many of these entries are 0; with steals also forfeits and entries overwritten with 0",
    ),
)


def arrow_schema(columns: Iterable[Column]) -> pa.Schema:
    """Return the Arrow schema of columns, none of which may be null."""
    return pa.schema([pa.field(column.name, column.type, nullable=False) for column in columns])


def games_columns(rules: Container[str]) -> tuple[Column, ...]:
    """Return the columns of a games table under some rules, given by the parts that are in play."""
    return (*GAMES, *(column for column in VARIANT_COLUMNS if any(part in rules for part in column.parts)))


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
    known = {column.name: column.encoding for column in (*GAMES, *VARIANT_COLUMNS, *CATEGORIES)}
    chosen = {field.name: known.get(field.name) or _default_encoding(field.type) for field in schema}
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


def _default_encoding(kind: pa.DataType) -> Encoding:
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return "stream"
    return "plain" if pa.types.is_boolean(kind) else "dictionary"


def _type_name(kind: pa.DataType) -> str:
    return "string (dictionary)" if pa.types.is_dictionary(kind) else str(kind)
