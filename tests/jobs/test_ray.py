"""Runs on Ray, each as a command of its own: the same bytes as in this process, whatever is killed."""

import os
import signal
import time
from pathlib import Path

import pytest

from tests.jobs.ray_runs import SHORT, finish, processes, start, wait_for_parts, wait_until_gone

#: Bettors see too much to be asked whole, and so are asked as play goes.
MIXED = """
name = "mixed"
seed = 5
[[matches]]
ruleset = "cheerio-web-short"
lineup = ["greedy", "mine.py:Bold"]
games = 40_000
[[matches]]
ruleset = "{take}"
lineup = ["thief.py:Bold", "greedy:steal=9"]
games = 2_000
[[matches]]
ruleset = "ceelo-bank"
lineup = ["martingale", "wide.py:Wide"]
games = 600
"""
WIDE = '''
from strategies import Bettor

class Wide(Bettor):
    """Stakes what the purses come to, one way or another."""
    sees = ("chips", "bank", "rounds_left", "streak")
    def stake(self, table):
        return table.nearest((table.chips * 7 + table.bank + table.rounds_left + table.streak) % 20 + 1)
'''


@pytest.mark.slow
def test_more_workers_than_cores_on_ray_make_the_same_bytes_of_every_game(
    dicecup, parts, write_strategy, variant
):
    """Where the cache can't be written, too, as a file stands in the place of its folder, and a worker is killed."""
    write_strategy()
    steal = "    def steal(self, offer, sheet):\n        return offer.gains > 4\n    def choose"
    write_strategy("    def choose", steal, "thief.py")
    Path("wide.py").write_text(WIDE)
    Path("mixed.toml").write_text(MIXED.format(take=variant("take")[0]))
    Path("cache").write_text("")
    program = (
        "import os; os.environ['DICECUP_CACHE'] = 'cache'; from jobs.cli import main; main(sys.argv[1:])"
    )
    own = ("run", "mixed.toml", "--chunk", 1000, "--format", "json")
    process = start(*own, "--on", "ray", "--workers", 5, program=program)
    wait_for_parts("runs", 1)
    ours = processes(process.pid)
    assert any("raylet" in line for line in ours.values())
    workers = [pid for pid, line in ours.items() if line.startswith("ray::_play_order")]
    os.kill(workers[0], signal.SIGKILL)
    told, _ = finish(process)
    here = dicecup(*own, "--on", "here", "--root", "undisturbed").document
    assert (told["rows"], parts(Path(told["run"]))) == (here["rows"], parts(Path(here["run"])))
    assert not list(Path("runs").rglob(".*.tmp"))
    wait_until_gone(ours)


@pytest.mark.slow
def test_a_stopped_run_leaves_no_process_and_is_resumed(dicecup, parts):
    """Stopped by two Ctrl-C, resumed and killed, and then played to its end in this process."""
    own = ("--games", "2M", "--chunk", 5000)
    process = start("run", *SHORT, *own, "--on", "ray", "--workers", 2)
    wait_for_parts("runs", 3)
    ours = processes(process.pid)
    for _ in range(2):
        # Ctrl-C reaches every process of the terminal's foreground.
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.2)
    _, err = finish(process, 130)
    wait_until_gone(ours)
    run = next(Path("runs").iterdir())
    there = len(list(run.rglob("games/part-*.parquet")))
    assert 3 <= there < 200
    assert f"{there} of 200 chunks are stored and whole; for the rest: dicecup resume {run}" in err
    process = start("resume", run, "--on", "ray", "--workers", 2)
    wait_for_parts("runs", there + 3)
    ours = processes(process.pid)
    process.kill()
    finish(process, -9)
    # Without a keeper two agents of Ray notice within a minute or so; all others at once.
    wait_until_gone([pid for pid, line in ours.items() if "agent" not in line.lower()])
    assert len(list(run.rglob("games/part-*.parquet"))) < 200
    resumed = dicecup("resume", run, "--on", "here", "--format", "json").document
    whole = dicecup("run", *SHORT, *own, "--on", "here", "--root", "undisturbed").document
    assert (resumed["rows"], parts(run)) == (whole["rows"], parts(Path(whole["run"])))


def test_a_cluster_that_is_not_there_is_told(dicecup):
    answer = dicecup("run", *SHORT, "--games", 1000, "--address", "127.0.0.1:1")
    assert answer.code == 3
    assert "the cluster at 127.0.0.1:1 can't be reached: " in answer.err


def test_a_worker_that_can_write_nowhere_does_not_blame_the_run(monkeypatch, write_strategy):
    from jobs import on_ray
    from jobs.errors import RunIncomplete
    from strategies.lineup import get_player

    source = get_player(write_strategy()).source
    Path("cache").write_text("")
    monkeypatch.setenv("DICECUP_CACHE", "cache")
    monkeypatch.setattr(on_ray, "_own_folder", lambda: Path("cache"))
    with pytest.raises(RunIncomplete, match="set DICECUP_CACHE or TMPDIR"):
        on_ray._rebuilt(source)


@pytest.mark.parametrize(
    ("cpus", "most", "window"), [(4, None, 8), (4, 10_000, 8), (4, 3, 3), (64, 2, 2), (0, None, 2), (0, 1, 1)]
)
def test_chunks_under_way_follow_the_cluster_and_the_workers_asked_for(cpus, most, window):
    from jobs.on_ray import window_size

    assert window_size(cpus, most) == window


@pytest.mark.parametrize(("workers", "most"), [(3, 3), (None, 10_000)])
def test_workers_count_on_a_cluster_at_an_address_too(dicecup, monkeypatch, workers, most):
    asked = []

    def play_on(_ray, _head, work, committed, _stop, most):
        asked.append(most)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("jobs.on_ray._start_ray", lambda _workers, _address: Nothing())
    monkeypatch.setattr("jobs.on_ray._met_head", lambda _ray, _work, _address: Nothing())
    monkeypatch.setattr("jobs.on_ray._play_on", play_on)
    words = [] if workers is None else ["--workers", workers]
    answer = dicecup("run", *SHORT, "--games", 1000, "--address", "127.0.0.1:1", *words)
    assert asked == [most]
    assert ("on at most 3 of its CPUs" in answer.err) == (workers == 3)


class Nothing:
    def shutdown(self):
        return None
