"""Measures how dicecup scales on this machine: chunks, memory, files and workers; `make scaling` runs it.

Figures that hang on the machine's mood are taken several times, in turn, and told as medians and as ratios.
"""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow.parquet as pq

from tests.benchmarks.soak import descendants

ROUNDS = 3
GIANT = 10_000_000_000
JOB = ("--ruleset", "cheerio", "--lineup", "greedy,par", "--seed", "1")
SHORT = ("--ruleset", "cheerio-web-short", "--lineup", "greedy,par", "--seed", "1")


def command(*words: object) -> list[str]:
    """Returns a command line of dicecup, played in this environment."""
    return [sys.executable, "-m", "jobs", *map(str, words)]


def played(root: str, *words: object) -> dict[str, float]:
    """Plays a job and returns what it tells of itself."""
    asked = command("run", *words, "--root", root, "--format", "json", "--quiet", "--force")
    told = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    document: dict[str, float] = json.loads(told)
    return document


def marginal_speed(root: str, games: tuple[int, int], *words: object) -> float:
    """Returns the games a second that more games take, without what the start takes."""
    few, many = (played(root, "--games", number, *words)["seconds"] for number in games)
    return (games[1] - games[0]) / max(many - few, 1e-9)


def chunks_a_second(root: str, on: str) -> float:
    """Returns how many chunks of one deal, which take next to no play, are played and stored a second."""
    return marginal_speed(root, (400, 2400), *SHORT, "--chunk", 1, "--on", on) / 2


def peak_memory(root: str, chunks: int) -> int:
    """Returns the most memory of the driver of a run of so many chunks, some of which are played."""
    words = command(
        "run", *SHORT, "--chunk", 50, "--games", 100 * chunks, "--on", "here", "--root", root, "--quiet"
    )
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, start_new_session=True)
    most = 0
    end = time.monotonic() + 12
    while time.monotonic() < end and process.poll() is None:
        most = max([most, *(one.memory for one in descendants(process.pid))])
        time.sleep(0.1)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)
    process.wait(60)
    return most


def giant_parts(root: str) -> tuple[int, float, int, float]:
    """Returns the chunks of ten billion games, and of one part its bytes, row groups and seconds of one worker."""
    told = subprocess.run(
        command("run", *JOB, "--games", GIANT, "--dry-run", "--format", "json"),
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    chunks = sum(match["chunks"] for match in json.loads(told)["matches"])
    games = GIANT // chunks
    few, many = (
        played(root, *JOB, "--games", games * n, "--chunk", games // 2, "--on", "here", "--workers", 1)
        for n in (1, 3)
    )
    run = Path(str(many["run"]))
    parts = sorted(run.glob("matches/00/*/part-*.parquet"))
    size = sum(part.stat().st_size for part in parts) / 3
    groups = pq.read_metadata(run / "matches/00/games/part-00000.parquet").num_row_groups
    return chunks, size, groups, (many["seconds"] - few["seconds"]) / 2


def main() -> None:
    """Prints each figure with what it means."""
    cores = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory(prefix="dicecup-scaling-") as root:
        print(f"{cores} cores; each figure is the median of {ROUNDS} rounds, taken in turn\n")
        rates: dict[str, list[float]] = {"here": [], "ray": []}
        speeds: dict[int, list[float]] = {workers: [] for workers in range(1, cores + 1)}
        for _ in range(ROUNDS):
            for on, found in rates.items():
                found.append(chunks_a_second(root, on))
            for workers, found in speeds.items():
                words = (*JOB, "--chunk", 100_000, "--on", "ray", "--workers", workers)
                found.append(marginal_speed(root, (1_000_000, 9_000_000), *words))
        for on, found in rates.items():
            print(f"chunks a second that one driver feeds, --on {on}: {statistics.median(found):,.0f}")
        for workers, found in speeds.items():
            ratio = statistics.median(a / b / workers for a, b in zip(found, speeds[1], strict=True))
            print(
                f"{workers} workers on Ray: {statistics.median(found):,.0f} games/s, efficiency {ratio:.0%}"
            )
        for chunks in (100, 100_000):
            print(f"driver of {chunks:,} chunks: {peak_memory(root, chunks) / 1e6:,.0f} MB at most")
        chunks, size, groups, seconds = giant_parts(root)
        print(
            f"ten billion games: {chunks:,} chunks, {2 * chunks:,} files, {chunks * size / 1e9:,.0f} GB; a part of "
            f"{GIANT // chunks:,} games has {size / 1e6:.1f} MB and {groups} row groups, and takes a worker "
            f"{seconds:.1f} s"
        )


if __name__ == "__main__":
    main()
