from collections.abc import Callable

import pyarrow.parquet as pq
import pytest

from results.scan import category_sums, game_arrays
from results.store import DamagedPart, Run

Play = Callable[..., Run]


def test_category_sums_are_the_rows_of_the_part(play: Play) -> None:
    run = play(["greedy", "par"], deals=10)
    (match,) = run.matches
    for chunk in range(match.chunks):
        rows = pq.read_table(run.categories_part(match, chunk), partitioning=None).to_pylist()
        assert rows
        assert category_sums(run, match, chunk).to_dicts() == rows


def test_arrays_are_by_seating_seat_and_deal(play: Play) -> None:
    run = play(["greedy", "par", "first"], deals=6)
    (match,) = run.matches
    arrays = game_arrays(run, match, 1, ["score", "throws"])
    assert list(arrays) == ["score", "throws"]
    rows = pq.read_table(run.games_part(match, 1), partitioning=None).to_pylist()
    assert {row["deal"] for row in rows} == {4, 5}
    for row in rows:
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


def test_category_sums_with_one_flipped_bit_anywhere_are_refused(play: Play) -> None:
    run = play(["greedy", "par"])
    (match,) = run.matches
    path = run.categories_part(match, 0)
    content = path.read_bytes()
    for place in range(0, len(content), 5):
        path.write_bytes(content[:place] + bytes([content[place] ^ 16]) + content[place + 1 :])
        with pytest.raises(DamagedPart, match="dicecup jobs repair sets it aside"):
            category_sums(run, match, 0)
