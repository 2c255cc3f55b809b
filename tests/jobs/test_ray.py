"""Runs on Ray, each as a command of its own: the same bytes as in this process, whatever is killed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SHORT = ("--ruleset", "cheerio-web-short", "--lineup", "greedy,par", "--seed", "5", "--format", "json")


def start(*words, program="from jobs.cli import main; main(sys.argv[1:])"):
    return subprocess.Popen(
        [sys.executable, "-c", f"import sys; {program}", *map(str, words)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip


def finish(process, code=0):
    out, err = process.communicate(timeout=120)
    assert process.returncode == code, err
    return (json.loads(out) if code == 0 else out), err


def processes(driver):
    """The processes of the Ray that a driver started, by their id, with their command lines."""
    parents, lines = {}, {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                stat = (folder / "stat").read_text()
                lines[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                parents[int(folder.name)] = int(stat.rpartition(")")[2].split()[1])
            except (OSError, ValueError):
                continue
    found, waiting = {}, [driver]
    while waiting:
        parent = waiting.pop()
        for pid in (pid for pid, its in parents.items() if its == parent and pid not in found):
            found[pid] = lines[pid]
            waiting.append(pid)
    return found


def wait_for_parts(root, count, seconds=90):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if len(list(Path(root).rglob("games/part-*.parquet"))) >= count:
            return
        time.sleep(0.01)
    raise AssertionError("no parts came")


def wait_until_gone(pids, seconds=30):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        left = [pid for pid in pids if Path(f"/proc/{pid}").exists() and "zombie" not in state(pid)]
        if not left:
            return
        time.sleep(0.1)
    raise AssertionError(f"processes {left} are left")


def state(pid):
    try:
        return next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if "State" in line)
    except OSError:
        return "zombie"


@pytest.fixture
def undisturbed(dicecup, parts):
    """The digest and the parts of a run that was played in this process."""

    def call(*words):
        told = dicecup("run", *SHORT, "--on", "here", "--root", "undisturbed", *words).document
        return told["rows"], parts(Path(told["run"]))

    return call


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
    """Where the cache can't be written, too: a file stands in the place of its folder."""
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
    told, _ = finish(process)
    here = dicecup(*own, "--on", "here", "--root", "undisturbed").document
    assert (told["rows"], parts(Path(told["run"]))) == (here["rows"], parts(Path(here["run"])))
    wait_until_gone(ours)


@pytest.mark.slow
def test_a_killed_worker_costs_nothing_but_time(undisturbed, parts):
    own = ("--games", "1M", "--chunk", 5000)
    process = start("run", *SHORT, *own, "--on", "ray", "--workers", 2)
    wait_for_parts("runs", 3)
    workers = [pid for pid, line in processes(process.pid).items() if line.startswith("ray::_play_order")]
    assert workers
    os.kill(workers[0], signal.SIGKILL)
    told, _ = finish(process)
    rows, whole = undisturbed(*own)
    assert (told["rows"], parts(Path(told["run"]))) == (rows, whole)
    assert not list(Path("runs").rglob(".*.tmp"))


@pytest.mark.slow
@pytest.mark.parametrize(("signals", "code"), [([signal.SIGINT, signal.SIGINT], 130), ([signal.SIGKILL], -9)])
def test_a_stopped_run_leaves_no_process_and_is_resumed(undisturbed, parts, dicecup, signals, code):
    own = ("--games", "2M", "--chunk", 5000)
    process = start("run", *SHORT, *own, "--on", "ray", "--workers", 2)
    wait_for_parts("runs", 3)
    ours = processes(process.pid)
    for number in signals:
        # Ctrl-C reaches every process of the terminal's foreground.
        os.killpg(process.pid, number) if number == signal.SIGINT else process.send_signal(number)
        time.sleep(0.2)
    _, err = finish(process, code)
    if code == -9:
        # After a SIGKILL of the driver, two agents of Ray notice within a minute or so; all others at once.
        ours = {pid: line for pid, line in ours.items() if "Agent" not in line and "agent" not in line}
    wait_until_gone(ours)
    run = next(Path("runs").iterdir())
    there = len(list(run.rglob("games/part-*.parquet")))
    assert 3 <= there < 200
    if code == 130:
        assert f"{there} of 200 chunks are stored and whole; for the rest: dicecup resume {run}" in err
    resumed = dicecup("resume", run, "--on", "here", "--format", "json").document
    rows, whole = undisturbed(*own)
    assert (resumed["rows"], parts(run)) == (rows, whole)


@pytest.mark.slow
def test_a_fault_of_a_strategy_in_a_worker_is_told_once(write_strategy):
    words = write_strategy(
        'sees = ("open",)\n    def keep(self, dice, sheet, rolls_left):',
        'sees = ("open", "upper")\n    def keep(self, dice, sheet, rolls_left):\n        assert sheet.upper < 40',
    )
    own = ("--ruleset", "cheerio", "--lineup", f"{words},par", "--games", "2k", "--chunk", 500)
    _, err = finish(start("run", *own, "--on", "ray", "--workers", 2), code=1)
    assert err.count("AssertionError") == 1
    assert "upper: 4" in err or "upper: 5" in err
    assert "Traceback" not in err


@pytest.mark.slow
def test_a_full_disk_in_a_worker_is_told_once_and_outlived(undisturbed, parts, dicecup):
    """Workers inherit a limit on the size of files, which parts of 5,000 deals exceed."""
    program = (
        "import resource; from jobs import on_ray; play = on_ray._play_order\n"
        "def limited(order, chunk):\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))\n"
        "    return play(order, chunk)\n"
        "on_ray._play_order = limited\n"
        "from jobs.cli import main; main(sys.argv[1:])"
    )
    own = ("--games", "20k", "--chunk", 5000)
    _, err = finish(start("run", *SHORT, *own, "--on", "ray", "--workers", 1, program=program), code=3)
    assert err.count("File too large") == 1
    assert "0 of 2 chunks are stored and whole" in err
    resumed = dicecup("run", *SHORT, *own, "--on", "here").document
    rows, whole = undisturbed(*own)
    assert (resumed["rows"], parts(Path(resumed["run"]))) == (rows, whole)


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
