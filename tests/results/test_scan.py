from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.parquet as pq
import pytest

from results.scan import game_arrays, scan_categories, scan_games, scan_parts
from results.store import DamagedPart, Run, create_run

Play = Callable[..., Run]


def test_a_scan_holds_every_row_of_the_committed_parts(play: Play) -> None:
    run = play(["greedy", "par"], deals=10, chunks=[0, 2])
    (match,) = run.matches
    rows = [
        row for k in (0, 2) for row in pq.read_table(run.games_part(match, k), partitioning=None).to_pylist()
    ]
    assert scan_games(run, match).collect().to_dicts() == rows
    sums = [
        row
        for k in (0, 2)
        for row in pq.read_table(run.categories_part(match, k), partitioning=None).to_pylist()
    ]
    assert scan_categories(run, match).collect().to_dicts() == sums


def test_no_deal_spans_two_parts(play: Play) -> None:
    run = play(["greedy", "par"], deals=10)
    deals = [set(part.collect()["deal"]) for _, part in scan_parts(run, run.matches[0])]
    assert deals == [{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9}]


def test_an_empty_match_scans_as_no_rows_of_the_same_columns(
    tmp_path: Path, manifest: dict[str, Any], play: Play
) -> None:
    empty, full = create_run(tmp_path / "empty", manifest), play(["greedy", "par"])
    for scan in (scan_games, scan_categories):
        frame = scan(empty, empty.matches[0]).collect()
        assert frame.height == 0
        assert frame.schema == scan(full, full.matches[0]).collect_schema()


def test_arrays_are_by_seating_seat_and_deal(play: Play) -> None:
    run = play(["greedy", "par", "first"], deals=6)
    (match,) = run.matches
    arrays = game_arrays(run, match, 1, ["score", "throws"])
    assert list(arrays) == ["score", "throws"]
    for row in scan_games(run, match).filter(pl.col("deal") >= 4).collect().to_dicts():
        for name, array in arrays.items():
            assert array[row["seating"], row["seat"], row["deal"] - 4] == row[name]


def test_arrays_of_a_damaged_part_are_refused(play: Play) -> None:
    run = play(["greedy", "par"])
    (match,) = run.matches
    path = run.games_part(match, 0)
    column = pq.read_metadata(path).row_group(0).column(7)
    content = bytearray(path.read_bytes())
    content[column.data_page_offset + column.total_compressed_size - 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(DamagedPart, match="have the checksum"):
        game_arrays(run, match, 0, ["score"])
