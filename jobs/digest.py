"""The digest of rows: one number that two runs share exactly when they hold the same rows.

Each row is hashed to 64 bits with its key, and the hashes are summed modulo 2**64. A sum has no order, so
any chunks, workers and retries give the same digest, and a run's comes from its parts' without reading a row.
It guards against accidents, not against forgery.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Words = npt.NDArray[np.uint64]

#: Rows hashed at once, so that they stay in the cache.
ROWS = 8192
MASK = (1 << 64) - 1
_MULTIPLIER = np.uint64(0x9FB21C651E98DF25)
_FOLD = np.uint64(32)


@lru_cache(maxsize=4096)
def name_word(name: str) -> int:
    """Returns 64 bits that stand for a name: the first eight bytes of its SHA-256."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")


def games_digest(games: pa.Table) -> int:
    """Returns the sum of the hashes of all rows of a games table, modulo 2**64."""
    columns = {name: _column(games[name]) for name in games.column_names}
    return rows_digest(columns, games.num_rows)


def rows_digest(columns: Mapping[str, npt.NDArray[Any]], rows: int) -> int:
    """Returns the sum over rows of a chained hash of all columns in their order, modulo 2**64.

    From word = 0, each value v of a column named n gives word = mix(word ^ (v + name_word(n))), where
    mix(x) = y ^ (y >> 32) for y = x * 0x9FB21C651E98DF25; a row's hash is mix(word). Negative values count as
    their two's complement.
    """
    total = 0
    word, value = np.empty(ROWS, np.uint64), np.empty(ROWS, np.uint64)
    for first in range(0, rows, ROWS):
        count = min(ROWS, rows - first)
        word_now, value_now = word[:count], value[:count]
        word_now[:] = 0
        for name, column in columns.items():
            np.copyto(value_now, column[first : first + count], casting="unsafe")
            value_now += np.uint64(name_word(name))
            word_now ^= value_now
            word_now *= _MULTIPLIER
            np.right_shift(word_now, _FOLD, out=value_now)
            word_now ^= value_now
        # Once more, or the last column would move only half of the bits.
        total += int(_mixed(word_now).sum(dtype=np.uint64))
    return total & MASK


def categories_digest(categories: pa.Table) -> int:
    """Returns the sum of all figures of a categories table, each times the hash of its key, modulo 2**64.

    It is linear in the figures, so that a block that two chunks share gives what the whole block would.
    """
    names = ("block", "seat", "strategy", "category")
    key = np.zeros(categories.num_rows, np.uint64)
    for name in names:
        key = _mixed(key ^ (_column(categories[name]).astype(np.uint64) + np.uint64(name_word(name))))
    total = 0
    for name in categories.column_names[len(names) :]:
        weight = _mixed(key ^ np.uint64(name_word(name)))
        figures = _column(categories[name]).astype(np.uint64)
        total += int((figures * weight).sum(dtype=np.uint64))
    return total & MASK


def run_digest(matches: Iterable[Iterable[int]]) -> int:
    """Returns the digest of a run from its parts' digests, match by match."""
    total = 0
    for number, parts in enumerate(matches):
        content = f"match {number} {sum(parts) & MASK:016x}"
        total += name_word(content)
    return total & MASK


def digest_text(digest: int) -> str:
    """Returns a digest as 16 hexadecimal digits."""
    return f"{digest:016x}"


def _mixed(words: Words) -> Words:
    multiplied = words * _MULTIPLIER
    return multiplied ^ (multiplied >> _FOLD)


def _column(column: pa.ChunkedArray) -> npt.NDArray[Any]:
    """Returns a column as integers; a name counts as its word, whatever its place in the dictionary."""
    whole = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    if pa.types.is_dictionary(whole.type):
        words = np.array([name_word(name) for name in whole.dictionary.to_pylist()], np.uint64)
        numbers: npt.NDArray[Any] = words[whole.indices.to_numpy()]
    else:
        numbers = whole.to_numpy(zero_copy_only=False)
    return numbers
