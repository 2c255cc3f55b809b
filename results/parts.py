"""One file of a part: how a table becomes its bytes, and how the bytes are checked."""

import errno
import io
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from results.errors import DamagedPart
from results.location import Location, read_end
from results.manifest import Match
from results.schema import BLOCK_DEALS, CATEGORIES, arrow_schema, write_options

Kind = Literal["games", "categories"]
#: Bytes at the end of a file in which most footers fit.
_USUAL_END = 1 << 14
#: Bytes of a figure, and of all names beside, that no part comes near to when it is unpacked.
_UNPACKED_CELL, _UNPACKED_REST = 16, 1 << 20
_DIGEST = re.compile(r"[0-9a-f]{16}")

#: What a disk says of one file that it can't give back, whatever is done; another in its place can be written.
_UNREADABLE = (errno.EIO, errno.EISDIR, errno.EBADMSG)

_FOOTER_KEY = "dicecup.footer_checksum"
_BLANK = b"-" * 8
# The footer holds its own CRC-32, taken while the place for it was blank. In Thrift's compact form two
# bytes, the field and the length of its text, stand between a key and its value.
_SEAL = re.compile(re.escape(_FOOTER_KEY.encode()) + rb"\x18\x08([0-9a-f]{8}|-{8})")

# The length of what stands before the footer, a text of at most 127 digits behind its key; and the run.
_LENGTH = re.compile(rb"dicecup\.length\x18[\x01-\x7f]([0-9]{1,19})")
_RUN = re.compile(rb"dicecup\.run\x18\x10([0-9a-f]{16})")


@dataclass(frozen=True)
class Footer:
    """What the footer of a part's file tells without reading a row.

    `run` is the identity of the run that it belongs to, as its manifest gives it. `rows_digest` is the digest of the
    chunk's rows, 16 hexadecimal digits, the same in both files. `length` and `checksum` (CRC-32) are of the bytes that
    stand in the file before the footer.
    """

    run: str
    match: int
    chunk: int
    first_deal: int
    deals: int
    rows: int
    rows_digest: str
    length: int
    checksum: str


def require_shape(match: Match, chunk: int, games: pa.Table, categories: pa.Table, rows_digest: str) -> None:
    """Raise ValueError unless both tables have the columns, rows and order that a part of the chunk has."""
    deals = match.chunk_deals_of(chunk)
    if not _DIGEST.fullmatch(rows_digest):
        raise ValueError(f"rows_digest is {rows_digest!r}; 16 hexadecimal digits are expected.")
    for name, table, schema in (
        ("categories", categories, arrow_schema(CATEGORIES)),
        ("games", games, arrow_schema(match.columns)),
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


def encode_part(run: str, match: Match, chunk: int, table: pa.Table, rows_digest: str) -> bytes:
    """Return the Parquet bytes of a part's table: a function of its rows, its run's identity, and nothing else."""
    deals = match.chunk_deals_of(chunk)
    # Nullability and metadata would be the caller's accident, and the bytes must not hang on it.
    schema = pa.schema([field.with_nullable(False).remove_metadata() for field in table.schema])
    options = write_options(schema)
    rows = options.pop("row_group_size")
    sink = io.BytesIO()
    with pq.ParquetWriter(sink, schema, **options) as writer:
        writer.write_table(pa.Table.from_arrays(table.columns, schema=schema), row_group_size=rows)
        footer = Footer(
            run=run,
            match=match.number,
            chunk=chunk,
            first_deal=deals.start,
            deals=len(deals),
            rows=table.num_rows,
            rows_digest=rows_digest,
            length=sink.tell(),
            checksum=_checksum(sink.getbuffer()),
        )
        stored = {f"dicecup.{key}": str(value) for key, value in asdict(footer).items()}
        writer.add_key_value_metadata({**stored, _FOOTER_KEY: _BLANK.decode()})
    content = sink.getvalue()
    tail = content[footer.length :]
    seal = _SEAL.search(tail)
    if seal is None:
        raise RuntimeError("This pyarrow spells metadata in a way that is not known; install an earlier one.")
    return content[: footer.length] + tail[: seal.start(1)] + _checksum(tail).encode() + tail[seal.end(1) :]


def read_footer(path: Location) -> Footer:
    """Return the footer of a part's file; DamagedPart if it is not whole, or the file has another length."""
    return _metadata_of(path, *_read_tail(path))[0]


def check_file(path: Location, kind: Kind, run: str, match: Match, chunk: int) -> Footer:
    """Return a file's footer; DamagedPart unless its run, columns, counts and length are those of the chunk."""
    return _check(path, kind, run, match, chunk, *_read_tail(path))[0]


def check_whole(path: Location, kind: Kind, run: str, match: Match, chunk: int) -> Footer:
    """Return a file's footer after checking every byte, none of them decoded; DamagedPart as `check_file` has it."""
    return _read_checked(path, kind, run, match, chunk)[0]


def read_file(
    path: Location, kind: Kind, run: str, match: Match, chunk: int, columns: Iterable[str] | None = None
) -> tuple[Footer, pa.Table]:
    """Return a file's footer and its rows, all columns or those named, after checking every byte.

    DamagedPart if one is not what was committed, or as `check_file` has it.
    """
    footer, metadata, content = _read_checked(path, kind, run, match, chunk)
    with pq.ParquetFile(pa.BufferReader(content), metadata=metadata) as file:
        # A thread of Arrow's that lets go of Python's bytes while the interpreter ends would end it with a crash.
        return footer, file.read(None if columns is None else list(columns), use_threads=False)


def _read_checked(
    path: Location, kind: Kind, run: str, match: Match, chunk: int
) -> tuple[Footer, pq.FileMetaData, bytes]:
    """Return what a file's footer says, and all of its bytes, which are read once."""
    with _told_as_damage(path):
        content = path.read_bytes()
    footer, metadata = _check(path, kind, run, match, chunk, *_tail_of(path, content, len(content)))
    if (found := _checksum(memoryview(content)[: footer.length])) != footer.checksum:
        raise DamagedPart(path, f"its rows have the checksum {found}, {footer.checksum} was committed")
    return footer, metadata, content


def _check(
    path: Location, kind: Kind, run: str, match: Match, chunk: int, tail: bytes, start: int
) -> tuple[Footer, pq.FileMetaData]:
    footer, metadata = _metadata_of(path, tail, start)
    _require_run(path, footer.run, run)
    deals = match.chunk_deals_of(chunk)
    columns = match.columns if kind == "games" else CATEGORIES
    types = [(column.name, str(column.type)) for column in columns]
    schema = metadata.schema.to_arrow_schema()
    found = [(field.name, str(field.type)) for field in schema]
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    facts: dict[str, tuple[object, object]] = {
        "match": (footer.match, match.number),
        "chunk": (footer.chunk, chunk),
        "first deal": (footer.first_deal, deals.start),
        "number of deals": (footer.deals, len(deals)),
        "number of rows": (metadata.num_rows, footer.rows),
        "columns": (found if kind == "categories" else found[: len(types)], types),
        "number of rows of all groups": (sum(group.num_rows for group in groups), footer.rows),
    }
    if kind == "games":
        most = len(deals) * match.seatings * match.seats
        facts["number of rows of the chunk"] = (footer.rows, most)
    else:
        blocks = (deals.stop - 1) // BLOCK_DEALS - deals.start // BLOCK_DEALS + 1
        most = blocks * match.seats * match.seats * max(1, len(match.categories))
        facts["number of rows of at most"] = (max(footer.rows, most), most)
    # Told before anything is unpacked: a file may unpack to far more than it is.
    size, room = (
        sum(group.total_byte_size for group in groups),
        _UNPACKED_CELL * len(types) * most + _UNPACKED_REST,
    )
    facts["size when unpacked"] = (max(size, room), room)
    for fact, (stored, expected) in facts.items():
        if stored != expected:
            raise DamagedPart(path, f"its {fact} is {stored}, {expected} is expected")
    return footer, metadata


def check_end(path: Location, run: str) -> None:
    """Raise DamagedPart unless a file ends as it was committed in a run; far quicker than to read all of its footer."""
    tail, start = _read_tail(path)
    _require_sealed(path, tail)
    stated = _LENGTH.search(tail)
    if stated is None or int(stated[1]) != start:
        raise DamagedPart(path, f"it holds {start:,} bytes before its footer, others were committed")
    found = _RUN.search(tail)
    _require_run(path, found[1].decode() if found else "none", run)


def _metadata_of(path: Location, tail: bytes, start: int) -> tuple[Footer, pq.FileMetaData]:
    # Only a footer that is known to be whole goes to the Parquet reader, which may crash on another.
    _require_sealed(path, tail)
    try:
        metadata = pq.read_metadata(pa.BufferReader(b"PAR1" + tail))
        stored = {key.decode(): value.decode() for key, value in (metadata.metadata or {}).items()}
        metadata.schema.to_arrow_schema()
    except (pa.ArrowException, OSError, ValueError) as error:
        # Its checksum may be right all the same, where somebody has made it so.
        raise DamagedPart(path, "its footer is none of Parquet") from error
    footer = _footer_of(path, stored)
    if footer.length != start:
        raise DamagedPart(
            path, f"it holds {start:,} bytes before its footer, {footer.length:,} were committed"
        )
    return footer, metadata


def _require_run(path: Location, found: str, run: str) -> None:
    if found != run:
        raise DamagedPart(path, f"it belongs to another run ({found}, this is {run})")


def _require_sealed(path: Location, tail: bytes) -> None:
    """Raise DamagedPart unless a footer has the checksum that it holds."""
    seal = _SEAL.search(tail)
    if seal is None:
        raise DamagedPart(path, "its footer lacks what dicecup writes")
    blank = tail[: seal.start(1)] + _BLANK + tail[seal.end(1) :]
    if _checksum(blank).encode() != seal[1]:
        raise DamagedPart(path, "its footer is not what was committed")


def _footer_of(path: Location, stored: Mapping[str, str]) -> Footer:
    try:
        return Footer(
            run=stored["dicecup.run"],
            match=int(stored["dicecup.match"]),
            chunk=int(stored["dicecup.chunk"]),
            first_deal=int(stored["dicecup.first_deal"]),
            deals=int(stored["dicecup.deals"]),
            rows=int(stored["dicecup.rows"]),
            rows_digest=stored["dicecup.rows_digest"],
            length=int(stored["dicecup.length"]),
            checksum=stored["dicecup.checksum"],
        )
    except (KeyError, ValueError) as error:
        raise DamagedPart(path, f"its footer lacks what dicecup writes ({error})") from error


def _read_tail(path: Location) -> tuple[bytes, int]:
    """Return the footer, with the length and the mark that end a Parquet file, and where it starts."""
    with _told_as_damage(path):
        end, size = read_end(path, _USUAL_END)
        start = _start_of(path, end, size)
        if size - start > len(end):
            end, again = read_end(path, size - start)
            if again != size:
                raise DamagedPart(path, "it changes while it is read")
    return _tail_of(path, end, size)


def _tail_of(path: Location, end: bytes, size: int) -> tuple[bytes, int]:
    """Return the same of the end of a file that is at hand."""
    start = _start_of(path, end, size)
    return end[start - size :], start


def _start_of(path: Location, end: bytes, size: int) -> int:
    """Return where the footer of a file of some size starts, by its end."""
    length = int.from_bytes(end[-8:-4], "little") if end[-4:] == b"PAR1" else size
    start = size - 8 - length
    if start < 4:
        raise DamagedPart(path, "it is cut short or no Parquet file")
    return start


@contextmanager
def _told_as_damage(path: Location) -> Iterator[None]:
    """Raise DamagedPart where a file is missing, or its place on a disk can't be read."""
    try:
        yield
    except FileNotFoundError as error:
        raise DamagedPart(path, "it is missing") from error
    except OSError as error:
        if error.errno not in _UNREADABLE:
            raise
        raise DamagedPart(path, f"it can't be read ({error.strerror})") from error


def _checksum(content: "bytes | memoryview") -> str:
    return f"{zlib.crc32(content):08x}"
