"""Runs on a cluster of several machines that come, go and are lost: the same bytes, and what went wrong in a line."""

import json
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.jobs.ray_runs import SHORT, Cluster, finish, processes, start, wait_for_parts

MAIN = "from jobs.cli import main; main(sys.argv[1:])"
#: Commands of one process, each with something changed before; what they exit with is told on stdout.
REFUSED = """
from jobs import cluster
from jobs.cli import main
from contextlib import nullcontext
def play():
    try:
        main(sys.argv[1:])
    except SystemExit as leaving:
        print(leaving.code)
kept = cluster.own_versions
cluster.own_versions = lambda: ("0.0.9", 7)
play()
cluster.own_versions = kept
cluster._probe = lambda place: nullcontext("/nowhere/at/all")
play()
import ray
ray.__version__ = "2.1"
play()
"""
#: Workers inherit a limit on the size of files, which parts of 5,000 deals exceed.
LIMITED = """
import resource; from jobs import on_ray; play = on_ray._play_order
def limited(order, chunk):
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
    return play(order, chunk)
on_ray._play_order = limited
from jobs.cli import main; main(sys.argv[1:])
"""
#: The head is given up sooner than usual.
IMPATIENT = (
    "from jobs import on_ray; on_ray.HEAD_SECONDS = 2.0; from jobs.cli import main; main(sys.argv[1:])"
)

OWN = ("--games", "2M", "--chunk", 5000)


@pytest.fixture
def same(dicecup, parts):
    """Whether a run holds the same bytes as one that is played in this process."""

    def call(words, run):
        whole = dicecup("run", *words, "--on", "here", "--root", "undisturbed").document
        return parts(Path(run)) == parts(Path(whole["run"]))

    return call


def players(node):
    """The processes of a machine that play, by id, once there are any."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        found = [p for p, line in processes(node["raylet"]).items() if line.startswith("ray::_play_order")]
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("a machine plays nothing")


def locks(root):
    """The locks below a root, by the process that holds them."""
    found = {}
    for path in Path(root).rglob("lock-*"):
        with suppress(OSError, ValueError):
            found[json.loads(path.read_text())["pid"]] = path
    return found


@pytest.mark.slow
def test_machines_come_go_and_are_lost(dicecup, same, write_strategy):
    with Cluster() as cluster:
        cluster.add("a")
        told_before_anything_is_played(cluster)
        faults_of_a_worker_are_told_once(cluster, write_strategy)
        one_machine_joins_and_one_is_lost(cluster, same, write_strategy)
        two_drivers_play_one_run(cluster, same)
        the_head_is_lost(cluster, dicecup, same)


def told_before_anything_is_played(cluster):
    process = start("run", *SHORT, *OWN, "--address", cluster.address, "--root", "told", program=REFUSED)
    codes, err = process.communicate(timeout=120)
    assert codes.split() == ["3", "3", "3"], err
    assert (
        f"the cluster at {cluster.address} runs other versions: The cluster was started with: Ray: 2." in err
    )
    assert "dicecup 0.1.0 with engine 1 in place of 7, and this run is of 0.0.9; install the same" in err
    assert f"does not see {Path('told').resolve()}" in err
    assert (
        "give --root s3://bucket/name, or a folder that all machines of the cluster share; and 1 more" in err
    )
    assert err.count("0 of 200 chunks are stored") == 3
    assert not list(Path("told").rglob("*.parquet"))
    assert not list(Path("told").rglob(".*.tmp"))


def faults_of_a_worker_are_told_once(cluster, write_strategy):
    words = write_strategy(
        'sees = ("open",)\n    def keep(self, dice, sheet, rolls_left):',
        'sees = ("open", "upper")\n    def keep(self, dice, sheet, rolls_left):\n        assert sheet.upper < 40',
    )
    own = ("--ruleset", "cheerio", "--lineup", f"{words},par", "--games", "2k", "--chunk", 500)
    _, err = finish(start("run", *own, "--address", cluster.address, "--root", "fault"), code=1)
    assert err.count("AssertionError") == 1
    assert "upper: 4" in err or "upper: 5" in err
    assert "Traceback" not in err
    few = ("--games", "20k", "--chunk", 5000, "--root", "full")
    _, err = finish(start("run", *SHORT, *few, "--address", cluster.address, program=LIMITED), code=3)
    assert err.count("File too large") == 1
    assert "0 of 2 chunks are stored and whole" in err


def one_machine_joins_and_one_is_lost(cluster, same, write_strategy):
    """With a strategy of the user's, whose file no machine but this one has."""
    mine = write_strategy()
    lineup = ("--ruleset", "cheerio-web-short", "--lineup", f"{mine},par", "--seed", "5", "--format", "json")
    process = start("run", *lineup, *OWN, "--address", cluster.address, "--root", "joined")
    assert players(cluster.pids["a"])
    cluster.add("b")
    assert players(cluster.pids["b"])
    assert process.poll() is None
    cluster.kill("a", "raylet")
    told, _ = finish(process)
    assert same((*lineup, *OWN), told["run"])
    assert not list(Path("joined").rglob(".*.tmp"))


def two_drivers_play_one_run(cluster, same):
    """The second is refused, and once the lock is removed by hand both play; it has a cluster of its own."""
    first = start("run", *SHORT, *OWN, "--address", cluster.address, "--root", "twice")
    wait_for_parts("twice", 2)
    # Held still, so that it is not done before the second has come.
    first.send_signal(signal.SIGSTOP)
    again = ("run", *SHORT, *OWN, "--on", "ray", "--workers", 1, "--root", "twice")
    _, err = finish(start(*again), code=3)
    assert "is being written by" in err
    assert f"process {first.pid}" in err
    second = start(*again)
    while not (locked := locks("twice")).get(second.pid):
        assert second.poll() is None
        locked.get(first.pid, Path("none")).unlink(missing_ok=True)
        time.sleep(0.01)
    first.send_signal(signal.SIGCONT)
    told, _ = finish(first)
    finish(second)
    assert same((*SHORT, *OWN), told["run"])


def the_head_is_lost(cluster, dicecup, same):
    process = start("run", *SHORT, *OWN, "--address", cluster.address, "--root", "lost", program=IMPATIENT)
    wait_for_parts("lost", 3)
    cluster.kill("head", "gcs_server")
    began = time.monotonic()
    _, err = finish(process, code=3)
    assert time.monotonic() - began < 15
    run = next(Path("lost").iterdir())
    there = len(list(run.rglob("games/part-*.parquet")))
    assert f"the head of the cluster, {cluster.address}, is gone: it has not answered for 2 s" in err
    assert f"{there} of 200 chunks are stored and whole; for the rest: dicecup resume {run}" in err
    dicecup("resume", run, "--on", "here")
    assert same((*SHORT, *OWN), run)
