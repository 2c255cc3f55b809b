"""Plays a job of ten billion games for ten minutes, and tells whether speed and memory stay flat; `make soak` runs it.

Figures are by tenth of the time. The speed by CPU second is of all processes that play, and hangs less than the speed
by the clock on what else the machine does; what still changes with the machine (its clock, what shares its cores) shows
in the CPU time of a fixed piece of work, which is done at every look. In the end the run is stopped as a user would,
its parts are verified, and the folder, some gigabytes, is removed.
"""

from __future__ import annotations

import argparse
import itertools
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

GAMES = 10_000_000_000
SECONDS = 600.0
TENTHS = 10
SAMPLE_SECONDS = 2.0
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Sample:
    """What is seen at a moment: games stored, CPU seconds and bytes of memory of all processes, and of the driver.

    `work` is the CPU seconds that the fixed piece of work took.
    """

    moment: float
    games: int
    cpu: float
    memory: int
    driver: int
    work: float


@dataclass(frozen=True)
class Process:
    """A process as /proc has it: its parent, CPU seconds with those of its children that ended, resident bytes."""

    pid: int
    parent: int
    cpu: float
    memory: int


def descendants(root: int) -> list[Process]:
    """Returns a process and all that it started, and they, the first first."""
    seen: dict[int, Process] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
            except OSError:
                continue
            pid, ticks = int(folder.name), sum(map(int, fields[11:15]))
            seen[pid] = Process(pid, int(fields[1]), ticks / _TICKS, int(fields[21]) * _PAGE)
    found, waiting = [], [root]
    while waiting:
        pid = waiting.pop(0)
        if pid in seen:
            found.append(seen[pid])
            waiting += [process.pid for process in seen.values() if process.parent == pid]
    return found


def stored_games(root: Path, games_of_chunk: int) -> int:
    """Returns the games whose parts are stored below a root."""
    return games_of_chunk * sum(
        1 for folder in root.glob("*/matches/00/games") for _ in folder.glob("part-*.parquet")
    )


def sample(process: int, root: Path, games_of_chunk: int) -> Sample:
    """Looks at a run under way."""
    ours = descendants(process)
    # The first is the keeper, who does nothing; its first child drives.
    driver = next((one.memory for one in ours if one.parent == process), ours[0].memory if ours else 0)
    # Shared tables count in each process that maps them: an upper bound.
    return Sample(
        time.monotonic(),
        stored_games(root, games_of_chunk),
        sum(one.cpu for one in ours),
        sum(one.memory for one in ours),
        driver,
        fixed_work(),
    )


def fixed_work() -> float:
    """Returns the CPU seconds that a piece of work takes now which is the same each time."""
    numbers = np.random.default_rng(1).integers(0, 1 << 30, 1 << 20)
    began = time.thread_time()
    np.sort(numbers)
    return time.thread_time() - began


def soak(root: Path, words: list[str], seconds: float) -> list[Sample]:
    """Plays for a while, then stops as Ctrl-C does; returns what was seen, from the first stored part on."""
    command = [sys.executable, "-m", "jobs", "run", *words, "--games", str(GAMES), "--seed", "1"]
    process = subprocess.Popen(
        [*command, "--root", str(root), "--quiet"], stdout=subprocess.DEVNULL, start_new_session=True
    )
    chunk = GAMES // 5000
    seen: list[Sample] = []
    while process.poll() is None:
        time.sleep(SAMPLE_SECONDS)
        if stored_games(root, chunk):
            seen.append(sample(process.pid, root, chunk))
            if seen[-1].moment - seen[0].moment >= seconds:
                os.killpg(process.pid, signal.SIGINT)
                break
    code = process.wait(120)
    if code != 130:
        raise SystemExit(f"the run ended with {code} by itself")
    return seen


def tenths(seen: list[Sample]) -> list[tuple[Sample, Sample]]:
    """Returns the first and the last sample of each tenth of the time."""
    start, whole = seen[0].moment, seen[-1].moment - seen[0].moment
    edges = [
        next(one for one in seen if one.moment - start >= whole * part / TENTHS) for part in range(TENTHS + 1)
    ]
    return list(itertools.pairwise(edges))


def print_tenths(seen: list[Sample]) -> None:
    """Prints speed and memory by tenth, and the last against the first."""
    print("tenth   games/s   games/CPU s   fixed work ms   driver MB   all processes MB")
    speeds: list[float] = []
    works: list[float] = []
    for number, (first, last) in enumerate(tenths(seen), 1):
        games, cpu = last.games - first.games, last.cpu - first.cpu
        within = [one for one in seen if first.moment <= one.moment <= last.moment]
        speeds.append(games / cpu)
        works.append(statistics.fmean(one.work for one in within))
        print(
            f"{number:5d} {games / (last.moment - first.moment):9,.0f} {games / cpu:13,.0f} "
            f"{1000 * works[-1]:15,.1f} {max(one.driver for one in within) / 1e6:11,.0f} "
            f"{max(one.memory for one in within) / 1e6:20,.0f}"
        )
    speed, work = speeds[-1] / speeds[0], works[-1] / works[0]
    print(f"last tenth against first: games a CPU second {speed:.2f}, the fixed work's CPU time {work:.2f},")
    print(f"games for the CPU time of the fixed work {speed * work:.2f}")
    print(f"games stored: {seen[-1].games:,} of {GAMES:,} planned")


def main() -> None:
    """Soaks for as long as asked, and prints what was seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--on", default="ray", choices=("ray", "here"))
    asked = parser.parse_args()
    words = ["--ruleset", "cheerio", "--lineup", "greedy,par", "--on", asked.on]
    with tempfile.TemporaryDirectory(prefix="dicecup-soak-") as folder:
        root = Path(folder)
        print_tenths(soak(root, words, asked.seconds))
        run = next(root.iterdir())
        verified = subprocess.run([sys.executable, "-m", "jobs", "jobs", "verify", str(run)], check=False)
        print(f"verify: {'all parts are whole' if verified.returncode == 0 else 'FAILED'}")
        left = subprocess.run(["du", "-sk", str(run)], capture_output=True, text=True, check=True)
        print(f"stored: {int(left.stdout.split()[0]) / 1e6:.1f} GB")


if __name__ == "__main__":
    main()
