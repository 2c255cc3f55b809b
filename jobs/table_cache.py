"""Decision tables kept on disk between runs, and the folder of the user that holds them.

One file a table: a line of JSON (shapes, types, CRC-32), blanks up to 4,096 bytes, then the arrays. A file
that can't be read or is not what was written counts as absent.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import zlib
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from jobs.plan import ENGINE_VERSION
from results.files import make_folder, write_atomically
from sim.ruleset import Ruleset
from strategies.lineup import Player
from strategies.rows import Rows

FORMAT = "dicecup table 1"
HEAD_BYTES = 4096
_ALIGNED = 64
#: Modules of strategies that a table hangs on beside the strategy's own.
_ASKING = ("asking", "bettor", "plans", "questioning", "rows", "sheet", "stakes", "strategy")


def cache_folder() -> Path:
    """Returns where things are kept that can be made again: $DICECUP_CACHE, or below $XDG_CACHE_HOME or ~/.cache."""
    if own := os.environ.get("DICECUP_CACHE"):
        return Path(own)
    shared = os.environ.get("XDG_CACHE_HOME")
    return (Path(shared) if shared else Path.home() / ".cache") / "dicecup"


def table_key(player: Player, ruleset: Ruleset) -> str:
    """Returns what a table hangs on: the strategy's source and parameters, the rules, dicecup's own code."""
    content = [
        FORMAT,
        ENGINE_VERSION,
        player.source.digest,
        ruleset.name,
        ruleset.title,
        ruleset.digest,
        engine_digest(),
    ]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:32]


def load_rows(key: str) -> Rows | None:
    """Returns a table from the cache, mapped into memory, or None if it isn't there whole."""
    try:
        file = np.memmap(_place(key), np.uint8, "r")
        head = json.loads(bytes(file[:HEAD_BYTES]))
        if head["format"] != FORMAT or head["checksum"] != zlib.crc32(file[HEAD_BYTES:].data):
            return None
        arrays = [_array(file, entry) for entry in head["arrays"]]
        return Rows(*arrays)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep_rows(key: str, rows: Rows) -> None:
    """Puts a table into the cache, whole or not at all; a cache that can't be written is done without."""
    body = bytearray()
    entries = []
    for array in (rows.contexts, rows.rows, rows.pool):
        body += bytes(-len(body) % _ALIGNED)
        entries.append({"start": len(body), "shape": array.shape, "type": array.dtype.str})
        body += np.ascontiguousarray(array).tobytes()
    head = json.dumps({"format": FORMAT, "arrays": entries, "checksum": zlib.crc32(body)})
    with suppress(OSError):
        place = _place(key)
        make_folder(place.parent)
        write_atomically(place, head.encode().ljust(HEAD_BYTES) + body)


def _place(key: str) -> Path:
    return cache_folder() / "tables" / f"{key}.table"


def _array(file: npt.NDArray[np.uint8], entry: dict[str, Any]) -> npt.NDArray[Any]:
    kind = np.dtype(entry["type"])
    start = HEAD_BYTES + entry["start"]
    count = math.prod(entry["shape"])
    array: npt.NDArray[Any] = file[start : start + count * kind.itemsize].view(kind)
    return array.reshape(entry["shape"])


@lru_cache(maxsize=1)
def engine_digest() -> str:
    """Returns the digest of the code behind every table: how rolls are numbered, what categories pay."""
    folder = Path(__file__).parent.parent
    sources = [
        *folder.glob("sim/**/*.py"),
        *(folder / "strategies" / f"{name}.py" for name in _ASKING),
    ]
    digest = hashlib.sha256()
    for path in sorted(sources):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
