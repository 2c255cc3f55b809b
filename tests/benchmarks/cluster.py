"""Measures what workers and machines of a cluster on this machine add: `python -m tests.benchmarks.cluster`.

One and two workers of a cluster of dicecup's own, and a standing cluster of four machines with a CPU each, all on this
machine, so that four can't play faster than its cores. Rounds are taken in turn and told as medians and as ratios.
"""

from __future__ import annotations

import os
import statistics
import tempfile
from pathlib import Path

from tests.benchmarks.scaling import JOB, ROUNDS, played
from tests.jobs.ray_runs import Cluster

GAMES, CHUNK = 6_000_000, 20_000
MACHINES = 4
#: The part of the chunks between whose commits the speed is taken: start and end of a run are left out.
STEADY = (0.2, 0.9)


def steady_speed(root: str, *words: object) -> float:
    """Returns the games a second in the midst of a run."""
    told = played(root, *JOB, "--games", GAMES, "--chunk", CHUNK, *words)
    games = Path(str(told["run"])).rglob("games/part-*.parquet")
    times = sorted(part.stat().st_mtime for part in games)
    first, last = (int(share * len(times)) for share in STEADY)
    return (last - first) * GAMES / len(times) / (times[last] - times[first])


def main() -> None:
    """Prints games a second, and their ratio to one worker's."""
    with tempfile.TemporaryDirectory(prefix="dicecup-cluster-") as root, Cluster() as cluster:
        for number in range(1, MACHINES):
            cluster.add(str(number))
        means: dict[str, tuple[object, ...]] = {
            "1 worker": ("--on", "ray", "--workers", 1),
            "2 workers": ("--on", "ray", "--workers", 2),
            f"{MACHINES} machines of 1 CPU": ("--address", cluster.address),
        }
        speeds: dict[str, list[float]] = {name: [] for name in means}
        for _ in range(ROUNDS):
            for name, words in means.items():
                speeds[name].append(steady_speed(root, *words))
    alone = speeds["1 worker"]
    print(f"{len(os.sched_getaffinity(0))} cores; medians of {ROUNDS} rounds, taken in turn")
    for name, found in speeds.items():
        ratios = [speed / one for speed, one in zip(found, alone, strict=True)]
        spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
        print(
            f"{name}: {statistics.median(found):,.0f} games/s, {statistics.median(ratios):.2f} ({spread}) of one"
        )


if __name__ == "__main__":
    main()
