"""What happens to a run's folder from outside, and to the clock: it is told, and the bytes are the same in the end."""

import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest


def whole_parts(parts, run):
    return {place: content for place, content in parts(run).items() if ".damaged" not in place}


def test_parts_zeroed_swapped_or_joined_by_others_are_the_same_in_the_end(play, parts, dicecup):
    run = Path(play("--chunk", 1000)["run"])
    whole = parts(run)
    games, categories = (run / "matches/00" / kind for kind in ("games", "categories"))

    def part(folder, chunk):
        return folder / f"part-{chunk:05d}.parquet"

    zeroed = part(games, 0)
    zeroed.write_bytes(bytes(zeroed.stat().st_size))
    part(categories, 1).write_bytes(b"")
    for one, other in (
        (part(games, 2), part(categories, 2)),
        (part(games, 4), part(games, 5)),
        (part(categories, 6), part(categories, 7)),
    ):
        content = one.read_bytes()
        one.write_bytes(other.read_bytes())
        other.write_bytes(content)
    # Of a run with another seed, one of the two files.
    strange = Path(play("--chunk", 1000, "--seed", 6, "--root", "other")["run"])
    part(games, 8).write_bytes(part(strange / "matches/00/games", 8).read_bytes())
    others = [
        games / "notes.txt",
        games / "part-00099.parquet",
        games / "part-1.parquet",
        run / "derived" / "mine",
    ]
    for path in others:
        path.parent.mkdir(exist_ok=True)
        path.write_text("mine")
    answer = dicecup("resume", run, "--format", "json", "--on", "here")
    assert (answer.code, answer.document["played"]) == (0, 8 * 2000)
    assert [chunk for chunk in range(10) if f"match 0, chunk {chunk} is damaged: " in answer.err] == [
        0, 1, 2, 4, 5, 6, 7, 8
    ]  # fmt: skip
    assert all(path.read_text() == "mine" for path in others)
    for path in others:
        path.unlink()
    assert whole_parts(parts, run) == whole
    assert len(list(run.rglob("*.damaged"))) == 16


def test_a_byte_of_the_manifest_changes_nothing_unseen(play, parts, dicecup):
    """Of what tells how games are played: names and versions are notes."""
    run = Path(play("--chunk", 5000)["run"])
    part = run / "matches/00/games/part-00001.parquet"
    whole, lost = parts(run), part.read_bytes()
    part.unlink()
    manifest = run / "manifest.json"
    content = manifest.read_bytes()
    end = content.index(b'  "schema_version"')
    for place in range(3, end, end // 40):
        altered = bytearray(content)
        altered[place] ^= 1
        manifest.write_bytes(altered)
        part.unlink(missing_ok=True)
        answer = dicecup("resume", run, "--on", "here", "--no-summary")
        same = altered.split() == content.split() or b'"name"' in content[:place].rpartition(b"\n")[2]
        assert answer.code == 2 or same, (place, answer.err)
        assert part.read_bytes() == lost if answer.code == 0 else not part.exists()
        assert "Traceback" not in answer.err
    manifest.write_bytes(content)
    assert dicecup("resume", run, "--on", "here").code == 0
    assert (parts(run), part.read_bytes()) == (whole, lost)


@pytest.mark.parametrize("jump", [-86_400, 86_400])
def test_a_clock_that_is_set_in_the_middle_changes_nothing(play, parts, dicecup, monkeypatch, jump):
    whole = parts(Path(play("--chunk", 1000, "--root", "whole")["run"]))
    real, began = time.time, time.monotonic()
    from results.store import commit_part

    def commit(*words):
        commit_part(*words)
        monkeypatch.setattr(time, "time", lambda: real() + jump)

    monkeypatch.setattr("jobs.execute.commit_part", commit)
    run = Path(play("--chunk", 1000)["run"])
    assert time.time() == pytest.approx(real() + jump, abs=5)
    assert parts(run) == whole
    assert not list(run.glob("lock-*"))
    (session,) = dicecup("jobs", "show", run, "--format", "json").document["sessions"]
    assert 0 <= session["seconds"] <= time.monotonic() - began + 0.1
    assert dicecup("jobs", "--format", "json").document["runs"][0]["state"] == "complete"
    assert json.loads((run / "manifest.json").read_text())["job"]["seed"] == 5


@pytest.mark.slow
def test_two_that_play_one_run_as_their_locks_are_removed_both_end_well(play, parts):
    def start():
        words = (
            "run --ruleset cheerio-web-short --lineup greedy,par --seed 5 --games 60k --chunk 250 --on here"
        )
        command = [sys.executable, "-m", "jobs.cli", *words.split(), "--no-summary"]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def remove():
        while any(writer.poll() is None for writer in writers):
            for path in Path("runs").glob("*/lock-*"):
                path.unlink(missing_ok=True)
            time.sleep(0.002)

    writers = [start()]
    while not list(Path("runs").glob("*/lock-*")):
        assert writers[0].poll() is None
        time.sleep(0.002)
    writers.append(start())
    removing = threading.Thread(target=remove)
    removing.start()
    ends = [(writer.communicate(timeout=60)[1], writer.returncode) for writer in writers]
    removing.join()
    assert [code for _, code in ends] == [0, 0], ends
    run = next(Path("runs").iterdir())
    assert parts(run) == parts(Path(play("--chunk", 250, "--root", "whole", games="60k")["run"]))
    assert not list(run.rglob(".*.tmp"))
