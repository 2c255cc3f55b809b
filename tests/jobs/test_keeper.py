"""However a command ends, that is told, what is stored is whole, and no process is left."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from jobs import filling
from jobs.ending import strategy_words
from jobs.kept import Watch
from results.store import Run, damaged_chunks, read_footer
from sim.recording import BUILDING, CHOOSE, FORFEIT, KEEP, LOADING, PLAN, STAKE, STAKES, STEAL, Asked

#: Plays a command's part without importing what it needs.
KEPT = """
import os, signal, subprocess, sys, time
from jobs import keeper
from jobs.kept import is_echo, note_end
keeper.GRACE_SECONDS = 0.2
keeper.play_as_child(lambda words: print(words, file=sys.stderr))
"""
#: Leaves a process in a session of its own, which ends when nobody adopts it.
LEAVING = "subprocess.Popen(['sleep', '600'], start_new_session=True); "
#: Counts what it is told, and not what it is told once more.
COUNTING = """
told = []
signal.signal(signal.SIGTERM, lambda *_: is_echo() or told.append(1))
print(os.getpid(), flush=True)
end = time.monotonic() + 20
while not told and time.monotonic() < end:
    time.sleep(0.01)
time.sleep(0.1)
note_end(len(told))
sys.exit(len(told))
"""


def start(program, *words):
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, words)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip


@pytest.fixture
def left(tmp_path):
    """List the processes beside this one that are in the test's folder, as all that a command starts there is."""

    def find():
        found = []
        for folder in Path("/proc").iterdir():
            with suppress(OSError):
                if folder.name.isdigit() and (folder / "cwd").readlink() == tmp_path:
                    found.append(int(folder.name))
        return set(found) - {os.getpid()}

    return find


@pytest.mark.parametrize(
    ("ending", "code", "told"),
    [
        ("note_end(5); sys.exit(5)", 5, ""),
        ("note_end(0); os.kill(os.getpid(), signal.SIGSEGV)", 0, ""),
        (
            LEAVING + "os._exit(7)",
            3,
            "the process that plays ended in the middle of it (exit code 7). Nothing was stored\n",
        ),
        (
            "os.kill(os.getpid(), signal.SIGKILL)",
            3,
            (
                "the process that plays ended in the middle of it (SIGKILL, as where no memory is left). "
                "Nothing was stored\n"
            ),
        ),
        ("os.kill(os.getpid(), signal.SIGHUP)", -signal.SIGHUP, ""),
    ],
)
def test_an_end_is_told_once_and_leaves_no_process(ending, code, told, left):
    begun = time.monotonic()
    process = start(KEPT + ending)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (code, told)
    assert not left()
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize("to_all", [False, True])
def test_a_signal_counts_once_whoever_it_reaches(to_all, left):
    process = start(KEPT + COUNTING)
    assert process.stdout is not None
    assert int(process.stdout.readline()) != process.pid
    (os.killpg if to_all else os.kill)(process.pid, signal.SIGTERM)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (1, "")
    assert not left()


@pytest.mark.parametrize(
    ("events", "counted"),
    [("s", 1), ("ks", 1), ("sks", 1), ("kss", 1), ("ss", 2), ("ks.s", 2), ("sks.kss", 2), ("kss.ss", 3)],
)
def test_signals_are_counted_in_whatever_order_they_and_the_keeper_come(monkeypatch, events, counted):
    """s: the command hears one; k: the keeper counts that it passes one on; a dot: a second passes."""
    now = [100.0]
    monkeypatch.setattr("jobs.kept.time.monotonic", lambda: now[0])
    watch = Watch()
    heard = 0
    for event in events:
        if event == "k":
            watch.passed_on()
        elif event == "s":
            heard += not watch.is_echo()
        now[0] += 1.0 if event == "." else 0.01
    assert heard == counted


def test_a_command_whose_keeper_is_killed_is_told(left):
    process = start(KEPT + COUNTING)
    assert process.stdout is not None
    process.stdout.readline()
    process.kill()
    process.communicate(timeout=30)
    assert not left()


def test_what_was_asked_is_named_with_the_way_in_which_the_process_ended():
    def words(code, ending, trace="", shown=""):
        return strategy_words(Asked("mine.py:Bold", "cheerio", code, shown), ending, trace, "Stored")

    trace = (
        'Fatal Python error: Segmentation fault\n\n  File "/x/ctypes/__init__.py", line 500 in string_at\n'
        '  File "/x/mine.py", line 7 in keep\n  File "/x/asking.py", line 9 in keep\n'
    )
    assert words(KEEP | 2 << 8 | 0, -signal.SIGSEGV, trace, "open: Ones") == (
        "strategy mine.py:Bold: keep((1, 1, 1, 1, 1), sheet, rolls_left=2) under cheerio ends its process "
        "(SIGSEGV, mine.py, line 7). Stored\n  the sheet shows open: Ones"
    )
    for code, question in {
        CHOOSE | 251: "choose((6, 6, 6, 6, 6), sheet)",
        PLAN: "plan(sheet)",
        STEAL: "steal(offer, sheet)",
        FORFEIT: "forfeit(sheet)",
        STAKE: "stake(table)",
        STAKES: "plan(table)",
        LOADING: "loading its file",
        BUILDING: "making it",
    }.items():
        assert f"Bold: {question} under cheerio ends its process (exit code 0)" in words(code, 0)
    assert "goes on for ever" in words(PLAN, -signal.SIGVTALRM)


#: A match of a strategy in play, after one that is played before it.
JOB = """
name = "two"
seed = 5
[[matches]]
ruleset = "cheerio-web-short"
lineup = ["greedy", "par"]
games = 4_000
[[matches]]
ruleset = "cheerio-web-short"
lineup = ["mine.py:Bold", "greedy"]
games = 400
"""
SEES = 'sees = ("open",)\n    def keep(self, dice, sheet, rolls_left):'


@pytest.fixture
def write_crash(write_strategy):
    """Write mine.py with a strategy that is asked in play, and does something fatal there."""

    def write(fatal, sees=("open", "upper")):
        crash = f"        if rolls_left == 1 and len(sheet.open) == 3:\n            {fatal}"
        own = SEES.replace('("open",)', repr(sees))
        words = write_strategy(SEES, f"{own}\n        import ctypes, os\n{crash}")
        lines = Path("mine.py").read_text().splitlines()
        return words, next(number for number, line in enumerate(lines, 1) if fatal in line)

    return write


def rows_of(run):
    """Return the bytes of a run's parts but for their footers, which say whose they are."""
    first = sorted((run / "matches/00").rglob("*.parquet"))
    return [path.read_bytes()[: read_footer(path).length] for path in first]


def check_first_match_whole(dicecup, root):
    run = Run.open(next(Path(root).iterdir()))
    assert run.committed_chunks(run.matches[0]) == [0, 1]
    assert not any(damaged_chunks(run, match) for match in run.matches)
    short = ("--ruleset", "cheerio-web-short", "--lineup", "greedy,par", "--seed", 5, "--games", 4000)
    alone = dicecup("run", *short, "--chunk", 1000, "--on", "here", "--root", "alone", "--format", "json")
    assert rows_of(Path(run.path)) == rows_of(Path(alone.document["run"]))


@pytest.mark.slow
def test_a_strategy_that_crashes_here_is_named_and_costs_no_part(dicecup, write_crash, left):
    _, line = write_crash("ctypes.string_at(8)")
    Path("job.toml").write_text(JOB)
    own = ("run", "job.toml", "--chunk", 1000, "--on", "here", "--root", "crashed")
    process = start("from jobs.cli import main; main()", *own)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1, err
    assert "dicecup: strategy mine.py:Bold: keep(" in err
    assert f"rolls_left=1) under cheerio-web-short ends its process (SIGSEGV, mine.py, line {line}). " in err
    assert "2 of 3 chunks are stored and whole; for the rest: dicecup resume crashed/two-" in err
    assert "\n  the sheet shows open: " in err
    assert not left()
    check_first_match_whole(dicecup, "crashed")


@pytest.mark.slow
def test_a_strategy_that_ends_a_process_of_the_pool_is_named(dicecup, monkeypatch, write_crash):
    monkeypatch.setattr(filling, "FEW_DECISIONS", 0)
    words, _ = write_crash("os._exit(7)", ("open",))
    own = ("--ruleset", "cheerio-web-short", "--lineup", words, "--games", 1000, "--workers", 1)
    answer = dicecup("run", *own, "--on", "here")
    assert answer.code == 1
    assert "dicecup: strategy mine.py:Bold: keep(" in answer.err
    assert "under cheerio-web-short ends its process (exit code 7). No game was played\n" in answer.err
    assert not multiprocessing.active_children()
    assert not Path("runs").exists()


@pytest.mark.slow
def test_a_strategy_that_ends_workers_of_ray_is_named_and_costs_no_part(dicecup, write_crash, left):
    """It is asked once more in a process that is watched; workers are lost once instead of six times."""
    _, line = write_crash("ctypes.string_at(8)")
    Path("job.toml").write_text(JOB)
    program = (
        "import sys; from jobs import on_ray; on_ray.MOST_RETRIES = 0; "
        "from jobs.cli import main; main(sys.argv[1:])"
    )
    own = ("run", "job.toml", "--chunk", 1000, "--on", "ray", "--workers", 1, "--root", "crashed")
    process = start(program, *own)
    _, err = process.communicate(timeout=90)
    assert process.returncode == 1, err
    assert err.count("strategy mine.py:Bold: keep(") == 1
    assert f"under cheerio-web-short ends its process (SIGSEGV, mine.py, line {line}). 2 of 3 chunks" in err
    end = time.monotonic() + 10
    while left() and time.monotonic() < end:
        time.sleep(0.1)
    assert not left()
    check_first_match_whole(dicecup, "crashed")
