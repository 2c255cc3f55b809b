"""A summary's memory is bounded by one part, however many games a run holds."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from results.schema import BLOCK_DEALS, CATEGORIES, GAMES
from results.store import Match, commit_part, create_run

# The peak of this program alone (VmHWM); ru_maxrss would count the process that started it as well.
SUMMARISE = """
import pathlib, sys
from results.store import Run
from results.summary import summarise_run
run = Run.open(sys.argv[1])
(shown,) = summarise_run(run, run.matches)["matches"]
status = pathlib.Path("/proc/self/status").read_text()
print(shown["games"], shown["strategies"][0]["games"], status.split("VmHWM:")[1].split()[0])
"""


def random_games(match: Match, chunk: int) -> pa.Table:
    """Rows of plausible ranges, which need not make sense as games."""
    deals = match.chunk_deals_of(chunk)
    rng = np.random.default_rng(chunk)
    shape = (match.seatings, match.seats, len(deals))
    grid = np.indices(shape).reshape(3, -1)
    deal = grid[2] + deals.start
    won = (rng.random(deal.size) < 0.5).astype(np.uint8)
    values = {
        "deal": deal,
        "game": deal * match.seatings + grid[0],
        "seating": grid[0],
        "seat": grid[1],
        "side": grid[1],
        "position": rng.integers(0, match.seats, deal.size),
        "score": rng.normal(200, 50, deal.size).astype(np.int64),
        "place": 2 - won,
        "won": won,
        "credit": 60 * won,
        "throws": rng.integers(20, 40, deal.size),
        "decisions": rng.integers(0, 1 << 16, deal.size),
    }
    columns = []
    for column in GAMES:
        if column.name == "strategy":
            names = pa.array((grid[1] - grid[0]) % match.seats, pa.int8())
            columns.append(pa.DictionaryArray.from_arrays(names, list(match.lineup)))
        else:
            value = values.get(column.name)
            value = rng.integers(0, 2, deal.size) if value is None else value
            columns.append(pa.array(value.astype(column.type.to_pandas_dtype())))
    return pa.table(dict(zip((column.name for column in GAMES), columns, strict=True)))


@pytest.mark.slow
def test_twenty_million_rows_are_summarised_in_less_than_a_gigabyte(
    tmp_path: Path, make_manifest: Callable[..., Any], as_table: Callable[..., pa.Table]
) -> None:
    # The largest parts that a job makes unless it is told otherwise: 4,000,000 rows.
    run = create_run(
        tmp_path / "run", make_manifest(["par", "greedy"], deals=5_000_000, chunk_deals=1_000_000)
    )
    (match,) = run.matches
    for chunk in range(match.chunks):
        deals = match.chunk_deals_of(chunk)
        sums = as_table(CATEGORIES, [
            {"block": block, "seat": seat, "strategy": name, "category": category.id, "count": BLOCK_DEALS,
             "sum": 9000, "sum_of_squares": 90_000, "zeros": 7}
            for block in range(deals.start // BLOCK_DEALS, deals.stop // BLOCK_DEALS)
            for seat in range(match.seats) for name in match.lineup for category in match.categories
        ])  # fmt: skip
        commit_part(run, match, chunk, random_games(match, chunk), sums, f"{chunk:016x}")
    done = subprocess.run(
        [sys.executable, "-c", SUMMARISE, str(run.path)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    games, entry_games, peak = map(int, done.stdout.split())
    assert games == entry_games == 10_000_000
    assert peak * 1024 < 1_000_000_000, f"{peak:,} KiB"
