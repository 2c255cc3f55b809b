"""dicecup jobs verify and repair: what is wrong is found by reading all of it, and what is damaged is played again."""

import json
import shlex
import shutil
import signal
import time
from pathlib import Path

import pytest

from jobs.service import repairing
from jobs.service.verifying import verify_run
from results import damage
from results.lock import lock_run, request_stop
from results.store import Run

JOB = ("--ruleset", "cheerio-web-short", "--lineup", "greedy,par", "--seed", "5", "--chunk", "1000")


@pytest.fixture
def run(dicecup):
    return Path(dicecup("run", *JOB, "--games", 8000, "--format", "json").document["run"])


def altered(path, place=400):
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


def test_a_whole_run_is_verified_with_the_digest_of_its_rows(dicecup, run):
    told = dicecup("run", *JOB, "--games", 8000, "--format", "json").document
    (found,) = dicecup("jobs", "verify", run, "--format", "json").document["runs"]
    size = sum(path.stat().st_size for path in run.rglob("*.parquet"))
    assert found["rows"] == told["rows"]
    assert [found[key] for key in ("whole", "chunks", "games", "bytes", "wrong")] == [True, 4, 8000, size, []]
    assert not (run / "derived/damage.json").exists()
    # A part that is missing is not wrong, but the digest is that of a whole run alone.
    (run / "matches/00/games/part-00002.parquet").unlink()
    (found,) = dicecup("jobs", "verify", "--format", "json").document["runs"]
    assert [found[key] for key in ("whole", "chunks", "rows")] == [True, 3, None]


def test_what_is_damaged_is_found_and_played_again_alone(dicecup, parts, run):
    before = parts(run)
    games, categories = (run / "matches/00" / kind for kind in ("games", "categories"))
    altered(games / "part-00000.parquet")
    (categories / "part-00001.parquet").write_bytes((games / "part-00001.parquet").read_bytes())
    (games / "part-00002.parquet").unlink()
    found = dicecup("jobs", "verify", run)
    assert found.code == 3
    assert "match 0, chunk 0" in found.out
    assert "match 0, chunk 1" in found.out
    assert {run["state"] for run in dicecup("jobs", "--format", "json").document["runs"]} == {"damaged"}
    mended = dicecup("jobs", "repair", run, "--format", "json")
    assert mended.code == 0
    assert [place["chunk"] for place in mended.document["played_again"]] == [0, 1]
    assert sorted(Path(path).name for path in mended.document["set_aside"]) == sorted(
        2 * ["part-00000.parquet.damaged", "part-00001.parquet.damaged"]
    )
    assert all(Path(path).exists() for path in mended.document["set_aside"])
    after = parts(run)
    # The part that was missing is not damaged: resume plays it.
    missing = "matches/00/games/part-00002.parquet"
    assert after == {path: content for path, content in before.items() if path != missing}
    assert {run["state"] for run in dicecup("jobs", "--format", "json").document["runs"]} == {"interrupted"}
    assert dicecup("resume", run).code == 0
    assert parts(run) == before
    again = dicecup("jobs", "repair", run)
    assert "no part is damaged: nothing is played" in again.out


def test_rows_that_are_not_those_of_their_digest_are_found(dicecup, run):
    """A part that is whole in itself, as another program might write it with a figure changed."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    from results.parts import encode_part, read_footer

    opened = Run.open(run)
    match = opened.matches[0]
    path = opened.games_part(match, 3)
    rows, footer = pq.read_table(path, partitioning=None), read_footer(path)
    place = rows.column_names.index("score")
    raised = pc.add(rows["score"], 1).cast(rows["score"].type)
    path.write_bytes(
        encode_part(opened.identity, match, 3, rows.set_column(place, "score", raised), footer.rows_digest)
    )
    found = dicecup("jobs", "verify", run, "--format", "json")
    assert (found.code, found.document["runs"][0]["wrong"][0]["chunk"]) == (3, 3)
    assert f"{footer.rows_digest} was committed" in found.document["runs"][0]["wrong"][0]["reason"]
    # Its checksums are right: the list knows it from the check alone.
    shown = dicecup("jobs", "--format", "json").document["runs"][0]
    assert (shown["state"], "digest" in shown["reason"]) == ("damaged", True)
    mended = dicecup("jobs", "repair", run)
    assert mended.code == 0
    (removal,) = [line for line in mended.out.splitlines() if line.startswith("to remove them: ")]
    assert set(shlex.split(removal)[5:]) == set(map(str, run.rglob("*.damaged")))
    assert dicecup("jobs", "--format", "json").document["runs"][0]["state"] == "complete"


def test_a_chunk_of_another_seed_is_found_and_played_again(dicecup, parts, run):
    """Both files are whole and of the same match and chunk; only the run that they hold is another."""
    words = ("--games", 8000, "--seed", 6, "--format", "json")
    other = Path(dicecup("run", *JOB, *words).document["run"])
    before = parts(run)
    for kind in ("games", "categories"):
        name = f"matches/00/{kind}/part-00002.parquet"
        (run / name).write_bytes((other / name).read_bytes())
    found = dicecup("jobs", "verify", run, "--format", "json").document["runs"][0]["wrong"]
    assert [(one["chunk"], "belongs to another run" in one["reason"]) for one in found] == [(2, True)]
    assert dicecup("summary", run).code == 3
    assert dicecup("resume", run).code == 0
    assert {path: content for path, content in parts(run).items() if "damaged" not in path} == before
    # All of another run: the manifest is what is wrong, and nothing is set aside for it.
    (run / "manifest.json").write_bytes((other / "manifest.json").read_bytes())
    for command in (("resume",), ("jobs", "repair")):
        refused = dicecup(*command, run)
        assert refused.code == 2
        assert "its parts belong to another run than its manifest.json" in refused.err
    assert {path: content for path, content in parts(run).items() if "damaged" not in path} == before


def test_a_note_that_is_not_so_is_found(dicecup, run):
    manifest = run / "manifest.json"
    content = json.loads(manifest.read_text())
    content["matches"][0]["best_mean"] += 0.5
    manifest.write_text(json.dumps(content))
    (found,) = dicecup("jobs", "verify", run, "--format", "json").document["runs"]
    assert [(one["file"], "perfect play scores" in one["reason"]) for one in found["wrong"]] == [
        ("manifest.json", True)
    ]
    manifest.unlink()
    assert dicecup("run", *JOB, "--games", 8000).code == 0
    assert dicecup("jobs", "verify", run).code == 0


def test_a_stop_that_the_parts_do_not_show_is_found_and_made_again(dicecup):
    words = (*JOB, "--games", "200k", "--until", "par - greedy: +-2%", "--format", "json")
    run = Path(dicecup("run", *words).document["run"])
    stop = run / "matches/00/stop.json"
    content = stop.read_bytes()
    said = json.loads(content)
    said["answers"] = []
    stop.write_text(json.dumps(said))
    found = dicecup("jobs", "verify", run)
    assert (found.code, "matches/00/stop.json: " in found.out or "stop.json" in found.out) == (3, True)
    mended = dicecup("jobs", "repair", run)
    assert mended.code == 0
    assert stop.read_bytes() == content
    stop.unlink()
    # Whoever plays writes it a moment after the last part; when nobody does, it is missing.
    with lock_run(run):
        assert dicecup("jobs", "verify", run).code == 0
    assert dicecup("jobs", "verify", run).code == 3


@pytest.mark.parametrize("chunks", [(1, 7), (0, 2, 3, 5), tuple(range(8))])
def test_all_that_is_damaged_of_a_stopped_match_is_played_again(dicecup, parts, chunks):
    """On both sides of looks, and behind a stop that is too early."""
    words = (*JOB, "--games", "200k", "--until", "par - greedy: +-2%", "--format", "json")
    run = Path(dicecup("run", *words).document["run"])
    before, stop = parts(run), run / "matches/00/stop.json"
    content = stop.read_bytes()
    assert json.loads(content)["chunks"] == 8
    for chunk in chunks:
        altered(run / f"matches/00/games/part-{chunk:05d}.parquet")
    stop.write_text(json.dumps(json.loads(content) | {"chunks": 1, "deals": 1000, "games": 2000}))
    (found,) = dicecup("jobs", "verify", run, "--format", "json").document["runs"]
    assert [fault["chunk"] for fault in found["wrong"]] == list(chunks)
    assert dicecup("jobs", "--format", "json").document["runs"][0]["state"] == "damaged"
    mended = dicecup("jobs", "repair", run, "--format", "json")
    assert (mended.code, parts(run), stop.read_bytes()) == (0, before, content)
    assert [place["chunk"] for place in mended.document["played_again"]] == list(chunks)
    assert (mended.document["chunks"], mended.document["rows"] is None) == (8, False)


def test_what_is_played_again_otherwise_is_damaged_no_more(dicecup, parts, run):
    before = parts(run)
    altered(run / "matches/00/games/part-00001.parquet")
    shutil.copytree(run, "runs/other-1")
    Path("runs/other-1/manifest.json").write_text("{")
    # A manifest that can't be read is one more thing that is wrong.
    found = dicecup("jobs", "verify", "--format", "json")
    assert (found.code, [one["whole"] for one in found.document["runs"]]) == (3, [False, False])
    assert [one["wrong"][0]["file"] for one in found.document["runs"]] == [
        "matches/00/games/part-00001.parquet",
        "manifest.json",
    ]
    assert dicecup("resume", run).code == 0
    assert parts(run) == before
    states = {one["run"]: one["state"] for one in dicecup("jobs", "--format", "json").document["runs"]}
    assert states == {str(run): "complete", "runs/other-1": "unreadable"}
    shown = dicecup("jobs", "show", run, "--format", "json").document
    assert [(run / path).is_file() for path in shown["set_aside"]] == [True, True]


def test_who_may_only_read_is_told_what_is_wrong(dicecup, run, monkeypatch):
    def refused(*_):
        raise PermissionError(13, "Permission denied")

    altered(run / "matches/00/games/part-00000.parquet")
    monkeypatch.setattr(damage, "write_atomically", refused)
    found = dicecup("jobs", "verify", run)
    assert (found.code, "match 0, chunk 0" in found.out, "is not kept" in found.err) == (3, True, True)


def test_a_repair_that_is_asked_to_stop_leaves_all_as_it_is(dicecup, parts, run, monkeypatch):
    """Whether by a signal, or by another process, while all is read."""
    altered(run / "matches/00/games/part-00000.parquet")
    before = parts(run)

    def asked(_run, alone):
        # As the lock's thread does for dicecup jobs cancel.
        lock = next(path for path in run.iterdir() if path.name.startswith("lock-"))
        request_stop(run, "ada@elsewhere")
        end = time.monotonic() + 10
        while lock.with_name("stop-request").exists() and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(0.05)
        return verify_run(_run, alone)

    for first in (asked, lambda *_, **__: signal.raise_signal(signal.SIGINT)):
        monkeypatch.setattr(repairing, "verify_run", first)
        answer = dicecup("jobs", "repair", run)
        assert (answer.code, "is as it was; give the same command again" in answer.err) == (130, True)
        assert parts(run) == before


def test_a_run_that_is_being_played_is_not_repaired(dicecup, run):
    altered(run / "matches/00/games/part-00000.parquet")
    with lock_run(run):
        answer = dicecup("jobs", "repair", run)
    assert (answer.code, "is being written by" in answer.err) == (3, True)
    assert not list(run.rglob("*.damaged"))


def test_formats_show_the_same(dicecup, run):
    shutil.copytree(run, "runs/copy-1")
    altered(Path("runs/copy-1/matches/00/games/part-00000.parquet"))
    table, markdown, csv_form = (
        dicecup("jobs", "verify", "--format", form) for form in ("table", "markdown", "csv")
    )
    assert [answer.code for answer in (table, markdown, csv_form)] == [3, 3, 3]
    assert all("copy-1" in answer.out and "6,000" in answer.out for answer in (table, markdown))
    assert "\nto play what is damaged again: dicecup jobs repair runs/copy-1\n" in table.out
    assert "dicecup jobs repair runs/copy-1\n" in markdown.out
    assert " kB " in table.out
    assert [line.split(",")[:2] for line in csv_form.out.splitlines()[1:]] == [
        [str(run), "true"],
        ["runs/copy-1", "false"],
    ]


def test_what_was_damaged_and_is_whole_again_is_damaged_no_more(dicecup, run):
    part = run / "matches/00/games/part-00001.parquet"
    whole = part.read_bytes()

    def state():
        return dicecup("jobs", "--format", "json").document["runs"][0]["state"]

    for mend in (part.unlink, lambda: part.write_bytes(whole)):
        altered(part)
        assert dicecup("jobs", "verify", run).code == 3
        assert state() == "damaged"
        mend()
        assert dicecup("resume", run).code == 0
        assert state() == "complete"


def test_a_repair_that_is_cut_off_says_how_to_go_on(dicecup, parts, run, monkeypatch):
    before = parts(run)
    altered(run / "matches/00/games/part-00001.parquet")

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(repairing, "run_here", full)
        cut = dicecup("jobs", "repair", run)
    assert (
        cut.code,
        f"3 of 4 chunks are stored and whole; for the rest: dicecup resume {run}" in cut.err,
    ) == (3, True)
    again = dicecup("jobs", "repair", run)
    assert (again.code, f"1 chunk to play yet: dicecup resume {run}" in again.out) == (0, True)
    assert dicecup("resume", run).code == 0
    assert {path: content for path, content in parts(run).items() if "damaged" not in path} == before
