"""One file of a part: how a table becomes its bytes, and how the bytes are checked."""

import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from results.errors import DamagedPart
from results.manifest import Match
from results.schema import CATEGORIES, GAMES, categories_schema, games_schema, write_options

Kind = Literal["games", "categories"]
_DIGEST = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True)
class Footer:
    """What the footer of a part's file tells without reading a row.

    `rows_digest` is the digest of the chunk's rows, 16 hexadecimal digits, the same in both files;
    `checksum` is the CRC-32 of this file's own rows.
    """

    match: int
    chunk: int
    first_deal: int
    deals: int
    rows: int
    rows_digest: str
    checksum: str


def read_footer(path: Path) -> Footer:
    """Return the footer of a part's file; DamagedPart if the file has none that is whole."""
    return _footer_of(path, _read_metadata(path))


def read_rows(path: Path, columns: Iterable[str] | None = None) -> pa.Table:
    """Return the rows of a part's file, all columns or those named; DamagedPart if they can't be read."""
    names = None if columns is None else list(columns)
    try:
        return pq.read_table(path, columns=names, partitioning=None, page_checksum_verification=True)
    except (OSError, pa.ArrowException) as error:
        raise DamagedPart(path, f"its rows can't be read ({_first_line(error)})") from error


def require_shape(match: Match, chunk: int, games: pa.Table, categories: pa.Table, rows_digest: str) -> None:
    """Raise ValueError unless both tables have the columns, rows and order that a part of the chunk has."""
    deals = match.chunk_deals_of(chunk)
    if not _DIGEST.fullmatch(rows_digest):
        raise ValueError(f"rows_digest is {rows_digest!r}; 16 hexadecimal digits are expected.")
    for name, table, schema in (
        ("categories", categories, categories_schema()),
        ("games", games, games_schema()),
    ):
        given = [(field.name, str(field.type)) for field in table.schema]
        expected = [(field.name, str(field.type)) for field in schema]
        if given[: len(expected)] != expected or (table is categories and len(given) > len(expected)):
            raise ValueError(f"The {name} table has the columns {given}; {expected} are expected.")
    if any(column.null_count for table in (games, categories) for column in table.columns):
        raise ValueError("A part has no nulls; give every row a value in every column.")
    rows = len(deals) * match.seatings * match.seats
    if games.num_rows != rows:
        raise ValueError(f"The games table has {games.num_rows} rows; {rows} are expected.")
    shape = (match.seatings, match.seats, len(deals))
    seating, seat, deal = np.ogrid[: match.seatings, : match.seats, deals.start : deals.stop]
    for name, wanted in {"seating": seating, "seat": seat, "deal": deal}.items():
        if not (games[name].to_numpy().reshape(shape) == wanted).all():
            raise ValueError(f"The games are not ordered by (seating, seat, deal): {name} is out of order.")


def encode_part(match: Match, chunk: int, table: pa.Table, rows_digest: str) -> bytes:
    """Return the Parquet bytes of a part's table: a function of its rows, and of nothing else."""
    deals = match.chunk_deals_of(chunk)
    footer = {
        "match": match.number,
        "chunk": chunk,
        "first_deal": deals.start,
        "deals": len(deals),
        "rows": table.num_rows,
        "rows_digest": rows_digest,
        "checksum": checksum(table),
    }
    # Nullability and other metadata would be the caller's accident, and the bytes must not hang on it.
    schema = pa.schema(
        [field.with_nullable(False).remove_metadata() for field in table.schema],
        metadata={f"dicecup.{key}": str(value) for key, value in footer.items()},
    )
    marked = pa.Table.from_arrays(table.columns, schema=schema)
    sink = pa.BufferOutputStream()
    pq.write_table(marked, sink, **write_options(table.schema))
    return bytes(sink.getvalue())


def checksum(table: pa.Table) -> str:
    """Return the CRC-32 of the values column by column, whatever chunks or dictionaries carry them."""
    value = 0
    for name in table.column_names:
        column = table[name]
        if pa.types.is_dictionary(column.type):
            encoded = column.unify_dictionaries().combine_chunks()
            marks = [zlib.crc32(word.encode()) for word in encoded.dictionary.to_pylist()]
            values = np.array(marks, dtype=np.uint32)[encoded.indices.to_numpy()]
        else:
            values = column.to_numpy()
        content = values.astype(values.dtype.newbyteorder("<")).tobytes()
        value = zlib.crc32(content, zlib.crc32(name.encode(), value))
    return f"{value:08x}"


def _read_metadata(path: Path) -> pq.FileMetaData:
    try:
        return pq.read_metadata(path)
    except FileNotFoundError as error:
        raise DamagedPart(path, "it is missing") from error
    except (OSError, pa.ArrowException) as error:
        raise DamagedPart(path, f"it is cut short or no Parquet file ({_first_line(error)})") from error


def _footer_of(path: Path, metadata: pq.FileMetaData) -> Footer:
    stored = {key.decode(): value.decode() for key, value in (metadata.metadata or {}).items()}
    try:
        numbers = {k: int(stored[f"dicecup.{k}"]) for k in ("match", "chunk", "first_deal", "deals", "rows")}
        return Footer(
            **numbers, rows_digest=stored["dicecup.rows_digest"], checksum=stored["dicecup.checksum"]
        )
    except (KeyError, ValueError) as error:
        raise DamagedPart(path, f"its footer lacks what dicecup writes ({error})") from error


def check_file(path: Path, kind: Kind, match: Match, chunk: int) -> Footer:
    """Return a file's footer; DamagedPart unless its columns, counts and length are those of the chunk."""
    metadata = _read_metadata(path)
    footer = _footer_of(path, metadata)
    deals = match.chunk_deals_of(chunk)
    columns = [column.name for column in (GAMES if kind == "games" else CATEGORIES)]
    facts: dict[str, tuple[object, object]] = {
        "match": (footer.match, match.number),
        "chunk": (footer.chunk, chunk),
        "first deal": (footer.first_deal, deals.start),
        "number of deals": (footer.deals, len(deals)),
        "number of rows": (metadata.num_rows, footer.rows),
        "columns": (metadata.schema.names[: len(columns)], columns),
    }
    if kind == "games":
        facts["number of rows of the chunk"] = (footer.rows, len(deals) * match.seatings * match.seats)
    for fact, (found, expected) in facts.items():
        if found != expected:
            raise DamagedPart(path, f"its {fact} is {found}, {expected} is expected")
    groups = range(metadata.num_row_groups)
    held = sum(
        metadata.row_group(g).column(c).total_compressed_size
        for g in groups
        for c in range(metadata.num_columns)
    )
    if path.stat().st_size < held + metadata.serialized_size:
        raise DamagedPart(path, "it is shorter than its footer says")
    return footer


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0].rstrip(".")
