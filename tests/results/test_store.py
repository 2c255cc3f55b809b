"""Parts are whole or not there, and every other state of a run folder is named."""

import errno
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from results import files
from results.store import (
    DamagedPart,
    Run,
    RunError,
    check_part,
    commit_part,
    create_run,
    cut_chunks,
    damaged_chunks,
    read_footer,
    set_aside_damaged,
    verify_part,
)

Play = Callable[..., Run]
Tables = Callable[..., tuple[pa.Table, pa.Table]]
Manifest = dict[str, Any]


def files_of(run: Run) -> dict[str, bytes]:
    return {str(p.relative_to(run.path)): p.read_bytes() for p in sorted(run.path.rglob("*")) if p.is_file()}


def test_a_new_run_is_empty_then_partial_then_complete(
    tmp_path: Path, manifest: Manifest, play_chunk: Callable[..., None]
) -> None:
    run = create_run(tmp_path / "deep" / "run", manifest)
    (match,) = run.matches
    assert (run.state, run.committed_chunks(match), run.missing_chunks(match)) == ("empty", [], [0, 1])
    play_chunk(run, match, 1)
    assert (run.state, run.committed_chunks(match), run.missing_chunks(match)) == ("partial", [1], [0])
    play_chunk(run, match, 0)
    assert (run.state, run.committed_chunks(match), run.missing_chunks(match)) == ("complete", [0, 1], [])
    assert (run.name, run.digest, run.seed) == ("quick", "ab12cd34ef56", 7)


def test_the_folder_is_laid_out_as_documented(play: Play) -> None:
    run = play(["greedy", "par"])
    assert list(files_of(run)) == [
        "manifest.json",
        "matches/00/categories/part-00000.parquet",
        "matches/00/categories/part-00001.parquet",
        "matches/00/games/part-00000.parquet",
        "matches/00/games/part-00001.parquet",
    ]
    text = (run.path / "manifest.json").read_text()
    assert text == json.dumps(json.loads(text), sort_keys=True, indent=2) + "\n"


def test_the_bytes_depend_on_nothing_but_the_rows(play: Play, tmp_path: Path, manifest: Manifest,
                                                  chunk_tables: Tables) -> None:  # fmt: skip
    first = play(["greedy", "par"], name="first")
    second = create_run(tmp_path / "elsewhere" / "second", manifest)
    (match,) = second.matches
    for chunk in (1, 0):
        games, categories = chunk_tables(match, chunk)
        cut = pa.concat_tables([games.slice(0, 3), games.slice(3)]).replace_schema_metadata({"host": "x"})
        commit_part(second, match, chunk, cut, categories, f"{chunk:016x}")
    assert files_of(first) == files_of(second)


def test_rows_come_back_as_they_went_in(play: Play, chunk_tables: Tables) -> None:
    run = play(["greedy", "par", "par"], deals=3)
    (match,) = run.matches
    games, categories = chunk_tables(match, 0)
    assert pq.read_table(run.games_part(match, 0), partitioning=None).to_pylist() == games.to_pylist()
    assert (
        pq.read_table(run.categories_part(match, 0), partitioning=None).to_pylist() == categories.to_pylist()
    )


def test_the_footer_tells_what_is_in_the_part(play: Play) -> None:
    run = play(["greedy", "par"])
    footer = check_part(run, run.matches[0], 1)
    assert (footer.match, footer.chunk, footer.first_deal, footer.deals, footer.rows) == (0, 1, 4, 2, 8)
    assert footer.rows_digest == f"{1:016x}"
    assert verify_part(run, run.matches[0], 1) == footer == read_footer(run.games_part(run.matches[0], 1))


def test_a_variants_columns_follow_the_common_ones(
    tmp_path: Path, manifest: Manifest, chunk_tables: Tables
) -> None:
    run = create_run(tmp_path / "run", manifest)
    (match,) = run.matches
    games, categories = chunk_tables(match, 0)
    stolen = games.append_column("steals", pa.array(range(games.num_rows), pa.uint8()))
    commit_part(run, match, 0, stolen, categories, "0" * 16)
    verify_part(run, match, 0)
    read = pq.read_table(run.games_part(match, 0), partitioning=None)
    assert read["steals"].to_pylist() == list(range(games.num_rows))


@pytest.mark.parametrize("kind", ["games", "categories"])
def test_a_failed_write_leaves_nothing_and_the_chunk_is_missing(
    tmp_path: Path,
    manifest: Manifest,
    play_chunk: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
) -> None:
    run = create_run(tmp_path / "run", manifest)
    (match,) = run.matches
    real_replace = Path.replace

    def full_disk(self: Path, target: Path) -> Path:
        if target.parent.name == kind:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real_replace(self, target)

    monkeypatch.setattr(Path, "replace", full_disk)
    with pytest.raises(OSError, match="No space left"):
        play_chunk(run, match, 0)
    assert run.committed_chunks(match) == []
    assert not [path for path in run.path.rglob("*") if files.is_temporary(path)]
    monkeypatch.undo()
    play_chunk(run, match, 0)
    verify_part(run, match, 0)


def test_every_file_is_synced_before_it_gets_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []
    real_fsync, real_replace = os.fsync, Path.replace

    def fsync(descriptor: int) -> None:
        events.append(f"fsync {Path(f'/proc/self/fd/{descriptor}').readlink().suffix}")
        real_fsync(descriptor)

    def replace(self: Path, target: Path) -> Path:
        events.append("rename")
        return real_replace(self, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Path, "replace", replace)
    files.write_atomically(tmp_path / "file", b"content")
    assert events == ["fsync .tmp", "rename", "fsync "]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("kind", ["games", "categories"])
def test_a_part_that_is_cut_short_is_damaged(play: Play, share: float, kind: str) -> None:
    run = play(["greedy", "par"])
    (match,) = run.matches
    path = run.games_part(match, 0) if kind == "games" else run.categories_part(match, 0)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(DamagedPart, match="cut short") as caught:
        check_part(run, match, 0)
    assert caught.value.path == path
    assert list(damaged_chunks(run, match)) == list(cut_chunks(run, match)) == [0]


def test_parts_of_another_chunk_or_missing_are_damaged(play: Play) -> None:
    run = play(["greedy", "par"], deals=8)
    (match,) = run.matches
    shutil.copy(run.games_part(match, 0), run.games_part(match, 1))
    with pytest.raises(DamagedPart, match="its chunk is 0, 1 is expected"):
        check_part(run, match, 1)
    run.categories_part(match, 0).unlink()
    with pytest.raises(DamagedPart, match="missing"):
        check_part(run, match, 0)
    # Chunk 1 is whole in itself, which is all that is looked at there.
    assert [(chunk, error.reason) for chunk, error in cut_chunks(run, match).items()] == [
        (0, "it is missing")
    ]


def test_a_part_of_another_run_of_the_same_shape_is_damaged(
    tmp_path: Path, manifest: Manifest, play_chunk: Callable[..., None]
) -> None:
    run = create_run(tmp_path / "run", manifest)
    other = create_run(tmp_path / "other", manifest | {"job": manifest["job"] | {"seed": 8}})
    for one in (run, other):
        play_chunk(one, one.matches[0], 0)
    (match,) = run.matches
    shutil.copy(other.games_part(match, 0), run.games_part(match, 0))
    shutil.copy(other.categories_part(match, 0), run.categories_part(match, 0))
    with pytest.raises(
        DamagedPart, match=f"belongs to another run .{other.identity}, this is {run.identity}"
    ):
        check_part(run, match, 0)


def test_a_part_of_other_rows_than_its_neighbour_is_damaged(play: Play, chunk_tables: Tables) -> None:
    run, other = play(["greedy", "par"]), play(["greedy", "par"], name="other")
    (match,) = run.matches
    games, categories = chunk_tables(match, 0)
    commit_part(other, match, 0, games, categories, "f" * 16)
    shutil.copy(other.categories_part(match, 0), run.categories_part(match, 0))
    with pytest.raises(DamagedPart, match="other games"):
        check_part(run, match, 0)


def test_one_flipped_bit_anywhere_is_found(play: Play) -> None:
    run = play(["greedy", "par"])
    (match,) = run.matches
    for path in (run.games_part(match, 0), run.categories_part(match, 0)):
        content, footer = path.read_bytes(), read_footer(path).length
        for place in range(0, len(content), 7):
            path.write_bytes(content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :])
            with pytest.raises(DamagedPart):
                verify_part(run, match, 0)
            assert list(damaged_chunks(run, match)) == [0]
            assert bool(cut_chunks(run, match)) == (place >= footer), place
        path.write_bytes(content)
        verify_part(run, match, 0)


def test_bytes_lost_from_the_middle_are_missed_without_reading_the_rows(play: Play) -> None:
    run = play(["greedy", "par"])
    (match,) = run.matches
    path = run.games_part(match, 0)
    content = path.read_bytes()
    path.write_bytes(content[:50] + content[60:])
    with pytest.raises(DamagedPart, match="bytes before its footer"):
        check_part(run, match, 0)
    assert list(cut_chunks(run, match)) == [0]


def test_another_parquet_file_in_the_place_of_a_part_is_damaged(play: Play, chunk_tables: Tables) -> None:
    run = play(["greedy", "par"])
    (match,) = run.matches
    path = run.games_part(match, 0)
    pq.write_table(chunk_tables(match, 0)[0], path)
    with pytest.raises(DamagedPart, match="lacks what dicecup writes"):
        check_part(run, match, 0)


def test_damaged_parts_are_set_aside_and_missing_then(play: Play, play_chunk: Callable[..., None]) -> None:
    run = play(["greedy", "par"])
    (match,) = run.matches
    for suffix in (".damaged", ".damaged-2", ".damaged-3"):
        moved = set_aside_damaged(run, match, 1)
        assert [path.name for path in moved] == [f"part-00001.parquet{suffix}"] * 2
        assert run.missing_chunks(match) == [1]
        play_chunk(run, match, 1)
    assert run.state == "complete"


def test_a_table_of_another_shape_is_refused(
    tmp_path: Path, manifest: Manifest, chunk_tables: Tables
) -> None:
    run = create_run(tmp_path / "run", manifest)
    (match,) = run.matches
    games, categories = chunk_tables(match, 0)
    wide = games.set_column(7, "score", games["score"].cast(pa.int64()))
    for tables, digest, message in (
        ((games, categories), "xyz", "16 hexadecimal digits"),
        ((wide, categories), "0" * 16, "int64"),
        ((games.select(range(20)), categories), "0" * 16, "decisions"),
        ((games, categories.append_column("more", categories["sum"])), "0" * 16, "categories table"),
        ((games.slice(1), categories), "0" * 16, "15 rows; 16 are expected"),
        ((games.take(list(reversed(range(16)))), categories), "0" * 16, "out of order"),
    ):
        with pytest.raises(ValueError, match=message):
            commit_part(run, match, 0, *tables, digest)
    assert run.state == "empty"


def test_what_is_no_run_is_refused_with_the_reason(tmp_path: Path, play: Play) -> None:
    with pytest.raises(RunError, match="does not exist"):
        Run.open(tmp_path / "nothing")
    run = play(["greedy", "par"])
    with pytest.raises(RunError, match=r"holds no manifest.json. The runs in it are: run\."):
        Run.open(tmp_path)
    path = run.path / "manifest.json"
    with pytest.raises(RunError, match="is a file"):
        Run.open(path)
    stored = json.loads(path.read_text())
    for text, message in (
        ("{", "not JSON"),
        ("[]", "no schema_version"),
        (json.dumps(stored | {"schema_version": 99}), "schema version 99.*Update dicecup"),
        (json.dumps(stored | {"job": {"name": 3, "digest": "d"}}), "job.name.*job.seed"),
        (json.dumps(stored | {"matches": [stored["matches"][0] | {"games": 1}]}), "games is 1, 12 expected"),
        (
            json.dumps(stored | {"matches": [stored["matches"][0] | {"seatings": 3}]}),
            "seatings is 3, 2 expected",
        ),
    ):
        path.write_text(text)
        with pytest.raises(RunError, match=message):
            Run.open(run.path)


def test_another_run_or_other_things_in_the_folder_are_not_overwritten(
    tmp_path: Path, play: Play, make_manifest: Callable[..., Manifest]
) -> None:
    run = play(["greedy", "par"])
    before = files_of(run)
    assert create_run(run.path, make_manifest(["greedy", "par"])).state == "complete"
    with pytest.raises(RunError, match=r"differs in: .*matches\.0\.lineup\.1"):
        create_run(run.path, make_manifest(["greedy", "first"]))
    assert files_of(run) == before
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.png").touch()
    with pytest.raises(RunError, match=r"cat\.png"):
        create_run(tmp_path / "photos", make_manifest(["greedy", "par"]))


def test_a_match_and_a_chunk_that_are_not_there_are_named(play: Play) -> None:
    run = play(["greedy", "par"])
    assert run.match(0) is run.matches[0]
    with pytest.raises(RunError, match="no match 1; it has matches 0 to 0"):
        run.match(1)
    with pytest.raises(RunError, match="no chunk 2; it has chunks 0 to 1"):
        run.matches[0].chunk_deals_of(2)


def test_strategies_and_teams_turn_with_the_seating(
    tmp_path: Path, make_manifest: Callable[..., Manifest]
) -> None:
    solo = create_run(tmp_path / "solo", make_manifest(["a", "b", "c"])).matches[0]
    assert [solo.strategy_at(1, seat) for seat in range(3)] == ["c", "a", "b"]
    team = create_run(tmp_path / "team", make_manifest(["a", "b", "c", "d"], sides=[0, 1, 0, 1])).matches[0]
    assert [team.entry_at(0, seat) for seat in range(4)] == ["a+c", "b+d", "a+c", "b+d"]
    assert [team.entry_at(3, seat) for seat in range(4)] == ["b+d", "a+c", "b+d", "a+c"]
    assert team.side_names == ("a+c", "b+d")
    again = create_run(
        tmp_path / "again", make_manifest(["a", "b", "b", "a", "b", "c"], sides=[0, 1, 2, 0, 1, 2])
    ).matches[0]
    crossed = create_run(
        tmp_path / "crossed", make_manifest(["a", "b", "b", "a"], sides=[0, 1, 0, 1])
    ).matches[0]
    # Partners stand in the order of the lineup, not of their seats.
    assert (again.side_names, crossed.side_names) == (("a+a", "b+b", "b+c"), ("a+b", "a+b"))
    assert crossed.side_names == tuple(crossed.entry_at(0, seat) for seat in (0, 1))
    assert (solo.side_count, team.side_count, team.is_solitaire) == (3, 2, False)


def test_a_file_of_another_name_is_no_chunk_a_second_time(play: Play) -> None:
    run = play(["greedy", "par"], deals=8)
    (match,) = run.matches
    part = run.games_part(match, 0)
    for name in (
        "part-000000.parquet",
        "part-0000\u0661.parquet",
        "part-0000000001.parquet",
        "part-1.parquet",
    ):
        shutil.copy(part, part.with_name(name))
    run.games_part(match, 1).unlink()
    assert (run.committed_chunks(match), run.missing_chunks(match), run.state) == ([0], [1], "partial")


def test_what_stands_in_the_place_of_a_part_and_can_not_be_read_is_damage(play: Play) -> None:
    run = play(["greedy", "par"])
    (match,) = run.matches
    path = run.games_part(match, 0)
    path.unlink()
    path.mkdir()
    (fault,) = damaged_chunks(run, match).values()
    assert fault.reason == "it can't be read (Is a directory)"
    assert list(cut_chunks(run, match)) == [0]
    set_aside_damaged(run, match, 0)
    assert run.missing_chunks(match) == [0]
