"""What is said of a column: name, type, unit, meaning, and how it is encoded."""

from dataclasses import dataclass
from typing import Literal

import pyarrow as pa

Encoding = Literal["stream", "delta", "dictionary", "plain"]

INT16, INT32, INT64, UINT8, UINT16 = pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16()
BOOL = pa.bool_()
LABEL = pa.dictionary(pa.int8(), pa.string())

BLOCK_DEALS = 1000
"""Deals in one block of the second table of a part."""


@dataclass(frozen=True)
class Column:
    """One column of a table.

    `encoding` is chosen by measurement on rows ordered by (seating, seat, deal): `stream` splits integers
    into their bytes and suits spread-out values, `delta` suits counting up, `dictionary` suits a handful of
    values, `plain` suits booleans. `parts` are the parts of a ruleset of which any one brings the column; a
    column without is always there. `of_game` tells that all seats of a game have the same value.
    """

    name: str
    type: pa.DataType
    unit: str
    meaning: str
    encoding: Encoding = "stream"
    parts: tuple[str, ...] = ()
    of_game: bool = False


ROW: tuple[Column, ...] = (
    Column("deal", INT64, "number", "which dice are offered; counted from 0 within the match", "delta"),
    Column(
        "game", INT64, "number", "deal x seatings + seating; the number of the game in its match", "delta"
    ),
    Column("seating", UINT8, "number", "rotation of the lineup over the seats", "dictionary"),
    Column("seat", UINT8, "number", "the chair, from 0", "dictionary"),
    Column("side", UINT8, "number", "the side that the seat belongs to, from 0", "dictionary"),
    Column("strategy", LABEL, "name", "the strategy in the seat", "dictionary"),
)
"""The columns of any game that say which row it is, and nothing of what came of it."""
