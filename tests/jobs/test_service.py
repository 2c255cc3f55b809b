"""dicecup jobs: what there is below a root, told as it is; sessions that are written down; holders that are stopped."""

import csv
import io
import json
import os
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from jobs.service import commands, listing, sessions, tables, verify_command
from jobs.stopping import StopSign
from results import patience
from results.lock import lock_run
from results.tables import print_tables

JOB = ("--ruleset", "cheerio-web-short", "--lineup", "greedy,par", "--seed", "5", "--chunk", "1000")


@pytest.fixture
def states(dicecup):
    """The states of runs by name, as the list has them."""
    return lambda: {run["name"]: run["state"] for run in dicecup("jobs", "--format", "json").document["runs"]}


def test_runs_are_listed_as_they_are(dicecup, states):
    assert "holds no runs" in dicecup("jobs").out
    _, part, cut = (
        Path(dicecup("run", *JOB, "--games", 6000, "--name", name, "--format", "json").document["run"])
        for name in ("whole", "part", "cut")
    )
    (part / "matches/00/games/part-00001.parquet").unlink()
    damaged = cut / "matches/00/categories/part-00002.parquet"
    damaged.write_bytes(damaged.read_bytes()[:-20])
    planned = dicecup("run", *JOB, "--games", 6000, "--name", "planned", "--format", "json").document["run"]
    subprocess.run(["rm", "-r", f"{planned}/matches", f"{planned}/derived"], check=True)
    Path("runs/broken-1").mkdir()
    Path("runs/broken-1/manifest.json").write_text("{")
    Path("runs/other").mkdir()
    expected = {
        "whole": "complete",
        "part": "interrupted",
        "cut": "damaged",
        "planned": "planned",
        "broken-1": "unreadable",
    }
    assert states() == expected
    with lock_run(part):
        assert states() == expected | {"part": "running"}
    shown = dicecup("jobs", "--format", "json").document["runs"]
    by_name = {run["name"]: run for run in shown}
    assert [by_name["part"][key] for key in ("games", "games_planned")] == [4000, 6000]
    assert "chunk 0/2: it is cut short" in by_name["cut"]["reason"]
    assert "is not JSON" in by_name["broken-1"]["reason"]
    rows = list(csv.DictReader(io.StringIO(dicecup("jobs", "--format", "csv").out)))
    assert [(row["run"], row["state"]) for row in rows] == [(run["run"], run["state"]) for run in shown]
    table, markdown = dicecup("jobs").out, dicecup("jobs", "--format", "markdown").out
    assert all(state in table and state in markdown for state in expected.values())
    one = dicecup("jobs", "show", "part", "--format", "json").document
    assert one["resume"] == f"dicecup resume {part}"
    assert [(match["chunks"], match["chunks_planned"]) for match in one["matches"]] == [(2, 3)]
    assert one["bytes"] == sum(path.stat().st_size for path in part.rglob("*") if path.is_file())
    assert f"dicecup jobs repair {cut}" in dicecup("jobs", "show", cut).out
    broken = dicecup("jobs", "show", "broken-1")
    assert (broken.code, "is not JSON" in broken.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("pairs", "pairs-0123456789ab"),
        ("01234", "pairs-0123456789ab"),
        ("pairs-0123456789ab", "pairs-0123456789ab"),
        ("0123d", "abc-0123dddddddd"),
        ("012", "may be abc-0123dddddddd, pairs-0123456789ab"),
        ("pairs-0", "pairs-0123456789ab"),
        ("abc", "abc-0123dddddddd"),
        ("twins", "may be twins-aaaaaaaaaaaa, twins-abcbbbbbbbbb"),
        ("twins-a", "may be twins-aaaaaaaaaaaa, twins-abcbbbbbbbbb"),
        ("pears", "did you mean pairs?"),
        ("01", "a digest that begins so (three digits or more)"),
        ("twins-ax", "twins-ax does not exist here"),
    ],
)
def test_a_run_is_named_by_its_name_or_its_digest(dicecup, words, expected):
    for name in ("pairs-0123456789ab", "abc-0123dddddddd", "twins-aaaaaaaaaaaa", "twins-abcbbbbbbbbb"):
        Path("runs", name).mkdir(parents=True)
        Path("runs", name, "manifest.json").write_text("{}")
    if Path("runs", expected).is_dir():
        assert listing.find_run(words, Path(words), Path("runs")) == Path("runs", expected)
    else:
        answer = dicecup("jobs", "show", words)
        assert (answer.code, expected in answer.err) == (2, True)


def test_a_session_tells_who_played_what_and_how_it_ended(dicecup, write_strategy):
    run = Path(dicecup("run", *JOB, "--games", 4000, "--format", "json").document["run"])
    (run / "matches/00/games/part-00001.parquet").unlink()
    assert dicecup("resume", "cheerio-web").code == 2
    assert dicecup("resume", run.name[:-6], "--root", "runs").code == 0
    first, second = sessions.load_sessions(run)
    assert [(one.outcome, one.played, one.pid) for one in (first, second)] == [
        ("complete", 4000, os.getpid()),
        ("complete", 2000, os.getpid()),
    ]
    assert first.started <= first.ended <= second.started
    said = dicecup("jobs", "logs", run).out
    assert "2,000 of 4,000 games are there: the rest is played" in said
    assert said.count("complete") == 2
    failing = write_strategy(
        "    def choose", "    def choose(self, dice, sheet):\n        1 / 0\n    def other"
    )
    assert dicecup("run", *JOB[:2], "--lineup", f"{failing},par", "--games", 10, "--name", "bad").code == 1
    # What is in a folder of others' making is no session.
    (run / "derived/sessions/x.json").write_text('{"user": 3}')
    assert len(sessions.load_sessions(run)) == 2


def test_no_run_ends_as_its_session_can_not_be_written(dicecup, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(sessions, "write_atomically", full)
    told = dicecup("run", *JOB, "--games", 4000, "--format", "json")
    assert (told.code, told.document["complete"]) == (0, True)


@pytest.mark.slow
def test_a_run_that_is_played_elsewhere_is_stopped_on_request(dicecup):
    """In a process of its own, by a request; what it had begun is stored, and who asked is written down."""
    words = ("run", *JOB, "--games", "4M", "--on", "here", "--quiet")
    process = subprocess.Popen([sys.executable, "-m", "jobs", *words], stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 60
    while not list(Path("runs").rglob("games/part-*.parquet")) and time.monotonic() < end:
        time.sleep(0.05)
    assert dicecup("jobs", "cancel", "cheerio-web-short").out.count("For the rest: dicecup resume runs/") == 1
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    run = next(Path("runs").iterdir())
    (session,) = sessions.load_sessions(run)
    assert session.outcome.startswith("cancelled by ")
    assert session.outcome.endswith(f", process {os.getpid()}")
    assert any(f"process {os.getpid()} asks this run to stop" in line for line in session.lines)
    assert session.played == 2000 * len(list(run.rglob("games/part-*.parquet")))
    assert "nobody plays" in dicecup("jobs", "cancel", run).out
    assert not [
        path.name for path in run.iterdir() if path.name not in ("manifest.json", "matches", "derived")
    ]


def test_watching_ends_with_the_run(dicecup, monkeypatch):
    run = Path(dicecup("run", *JOB, "--games", 4000, "--format", "json").document["run"])
    assert dicecup("jobs", "watch", run).out == "4,000 of 4,000 games are stored: complete\n"
    part = run / "matches/00/games/part-00001.parquet"
    content = part.read_bytes()
    part.unlink()
    left = dicecup("jobs", "watch", run)
    assert (left.code, "2,000 of 4,000 games are stored: interrupted" in left.out) == (3, True)
    with lock_run(run) as lock:

        def play(seconds):
            part.write_bytes(content)
            lock.release()

        monkeypatch.setattr(time, "sleep", play)
        assert dicecup("jobs", "watch", run).out == "4,000 of 4,000 games are stored: complete\n"


def test_what_others_leave_in_a_run_does_not_keep_the_list_from_being_told(dicecup, states):
    """A lock with figures that are none, a record of damage that is none, files in the place of folders."""
    run = Path(dicecup("run", *JOB, "--games", 4000, "--name", "whole", "--format", "json").document["run"])
    subprocess.run(["cp", "-r", run, "runs/odd-1"], check=True)
    subprocess.run(["rm", "-r", "runs/odd-1/matches"], check=True)
    Path("runs/odd-1/matches").touch()
    (run / "derived/damage.json").mkdir()
    assert states() == {"odd-1": "unreadable", "whole": "complete"}
    lock = run / "lock-0"
    for said in ('"played": "a", "seconds": "b"', '"played": 5, "seconds": NaN', f'"played": 1{"0" * 400}'):
        lock.write_text(f'{{"host": "elsewhere", "pid": 4, {said}}}')
        found = {one["name"]: one for one in dicecup("jobs", "--format", "json").document["runs"]}
        assert [found["whole"][key] for key in ("state", "games_per_second")] == ["running", 0.0]
    lock.write_text("[" * 100_000)
    assert states()["whole"] == "running"


def test_options_before_a_command_are_meant_for_it(dicecup):
    told = dicecup(
        "run", *JOB, "--games", 4000, "--name", "far", "--root", "else", "--format", "json"
    ).document
    Path("far").mkdir()
    shown = dicecup("jobs", "--root", "else", "--format", "json", "show", "far")
    assert shown.document["run"] == told["run"]
    # What it was played from is told with it, and is the same job.
    (file,) = (one["text"] for one in shown.document["job"] if "job file" in one["title"])
    Path("again.toml").write_text(file)
    assert dicecup("run", "again.toml", "--root", "else", "--format", "json").document["run"] == told["run"]
    assert f"    {file.splitlines()[0]}\n" in dicecup("jobs", "show", "far", "--root", "else").out


def test_a_holder_that_does_not_stop_is_told(dicecup, monkeypatch):
    run = Path(dicecup("run", *JOB, "--games", 4000, "--format", "json").document["run"])
    monkeypatch.setattr(commands, "STOP_SECONDS", 0.0)
    with lock_run(run):
        answer = dicecup("jobs", "cancel", run)
    assert (answer.code, "has not stopped in 0 s" in answer.err) == (1, True)


def test_a_store_that_was_waited_for_in_vain_is_not_waited_for_again(tmp_path):
    with patience.patience(300.0), lock_run(tmp_path) as lock:
        with sessions.recorded(tmp_path, lock, "", StopSign(lambda: None)):
            during = patience._patience.seconds
        assert (during, patience._patience.seconds) == (300.0, patience.LOOKING_SECONDS)


def test_a_session_without_an_end_is_of_one_that_was_killed(dicecup):
    run = Path(dicecup("run", *JOB, "--games", 4000, "--format", "json").document["run"])
    (path,) = (run / "derived/sessions").iterdir()
    said = json.loads(path.read_text()) | {"ended": "", "outcome": ""}
    path.write_text(json.dumps(said))
    assert "no end is known: it still plays, or was killed" in dicecup("jobs", "logs", run).out
    assert "no end known" in dicecup("jobs", "show", run).out
    # What the lock tells of one that plays is newer than what its session does.
    with lock_run(run) as lock:
        lock.tell(played=400_000_000, seconds=90.0)
        lock.write()
        shown = dicecup("jobs", "show", run).out
        (session,) = dicecup("jobs", "show", run, "--format", "json").document["sessions"]
        assert "seen " in dicecup("jobs").out
    for words in ("400,000,000", "1 min 30 s", "│ running"):
        assert words in shown
    assert [session[key] for key in ("running", "played", "seconds")] == [True, 400_000_000, 90.0]


def test_figures_of_a_session_that_nobody_can_have_played_are_not_believed(dicecup):
    run = Path(dicecup("run", *JOB, "--games", 2000, "--format", "json").document["run"])
    (place,) = (run / "derived/sessions").iterdir()
    said = json.loads(place.read_text())
    for played, seconds in ((10**400, 1.0), (10**15, 5e-324), (10**15, 0.001)):
        place.write_text(json.dumps(said | {"played": played, "seconds": seconds}))
        for form in ("table", "json"):
            assert dicecup("jobs", "--format", form).code == 0


def test_a_root_that_is_not_there_is_no_root_without_runs(dicecup):
    Path("file").write_text("")
    for root, told in (("nowhere", "does not exist"), ("file", "is a file")):
        for words in (("jobs",), ("jobs", "verify")):
            answer = dicecup(*words, "--root", root)
            assert (answer.code, f"--root {root} {told}" in answer.err) == (2, True)
    Path("bare").mkdir()
    answer = dicecup("jobs", "verify", "--root", "bare")
    assert (answer.code, answer.out, "--root bare holds no runs" in answer.err) == (2, "", True)
    for form in ("table", "csv", "markdown"):
        answer = dicecup("jobs", "verify", "--format", form)
        assert (answer.code, answer.out, "runs holds no runs" in answer.err) == (0, "", True)
    for refused in (["jobs", "--root", ""], ["run", *JOB, "--root", " "], ["summary", ""]):
        answer = dicecup(*refused)
        assert (answer.code, "an empty path is given" in answer.err) == (2, True)


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0"), (99_999, "99,999"), (100_000, "100k"), (999_999, "999k"), (1_000_000, "1M"), (7_999_999, "7.99M"),
     (16_400_000, "16.4M"), (20_049_999, "20M"), (123_456_789, "123M"), (1_230_000_000, "1,230M")],
)  # fmt: skip
def test_a_short_count_never_tells_more_than_there_is(count, text):
    assert tables.short_count(count) == text


class Terminal(io.StringIO):
    """Stands for a terminal, as wide as COLUMNS says."""

    def isatty(self):
        return True


def test_names_and_numbers_are_whole_on_any_terminal(monkeypatch):
    names = ["big-8c5fd49db911", "an-evening-of-many-0123456789ab"]
    runs = [
        {"run": f"runs/{name}", "state": "interrupted", "games": 16_400_000, "games_planned": 20_000_000,
         "games_per_second": 1_777_778.0, "owner": "ada@machine", "when": "2026-01-01T00:00:00Z"}
        for name in names
    ]  # fmt: skip
    verified = [
        {"run": f"runs/{name}", "whole": False, "chunks": 1999, "chunks_planned": 2000, "games": 16_400_000,
         "bytes": 45_200, "rows": "0123456789abcdef", "wrong": []}
        for name in names
    ]  # fmt: skip
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    for made in (tables.runs_table(runs), verify_command._verified_table(verified)):
        choices = (made, *made.narrower)
        allowed = {cell for one in choices for row in one.rows for cell in row}
        allowed |= {word for one in choices for head in one.headings for word in head.text.split()}
        for width in range(20, 160, 3):
            monkeypatch.setenv("COLUMNS", str(width))
            file = Terminal()
            print_tables([replace(made, note="")], file)
            lines = re.sub("\x1b[^m]*m", "", file.getvalue()).splitlines()
            cells = [cell.strip() for line in lines for cell in re.split("[│┃]", line)[1:-1]]
            assert set(cells) <= allowed
            assert any(names[1] in cell for cell in cells)
            # What is narrower than the narrowest choice wraps by itself.
            assert max(map(len, lines)) <= max(width, len(names[1]) + len("interrupted") + 7)
            if width >= 80:
                assert "16.4M of 20M" in cells or "16,400,000" in cells or "1,999 of 2,000" in cells
