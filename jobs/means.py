"""Where a run is played: in this process or on Ray, by which of them is done sooner."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal

from jobs.errors import JobError
from jobs.estimate import estimated_seconds
from jobs.execute import Execute, run_here
from jobs.filling import is_asked_in_play
from jobs.on_ray import run_on_ray
from jobs.plan import JobPlan
from jobs.progress import duration_text

#: Seconds until Ray plays its first chunk, and how much of a worker process a thread of this one is worth.
RAY_START_SECONDS = 6.0
THREAD_SHARE = 0.85

#: Workers that may be asked for.
MOST_WORKERS = 10_000

Where = Literal["auto", "here", "ray"]


@dataclass(frozen=True)
class Means:
    """How a run is played; nothing here changes what is stored."""

    on: Where = "auto"
    workers: int | None = None
    address: str | None = None
    quiet: bool = False


def usual_workers() -> int:
    """Returns the number of CPUs that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def choose_execution(plan: JobPlan, share: float, means: Means, workers: int) -> tuple[Execute, str]:
    """Chooses where a share of a job's games is played, and says which and why in a line."""
    if means.on == "here" and means.address:
        raise JobError(
            f"--address {means.address} goes with --on ray; leave one of --on here and --address out"
        )
    if "://" in (means.address or ""):
        raise JobError(
            f"--address {means.address} is given; on a machine of the cluster give host:port, as 10.0.0.1:6379, and "
            "from anywhere else: dicecup submit job.toml --address http://host:8265"
        )
    seconds = estimated_seconds(plan) * share
    alone = any(is_asked_in_play(player, ruleset) for player, ruleset in plan.distinct_players())
    threads = 1 if alone else workers
    here = seconds / max(1.0, threads * THREAD_SHARE)
    elsewhere = RAY_START_SECONDS + seconds / workers
    on_threads = "in this process" if threads == 1 else f"in this process on {threads} threads"
    about_here, about_elsewhere = (f"about {duration_text(max(time, 1))}" for time in (here, elsewhere))
    if means.address:
        most = f", on at most {means.workers} of its CPUs" if means.workers else ""
        return run_on_ray, f"playing on the Ray cluster at {means.address}{most}"
    if means.on == "ray":
        return run_on_ray, f"playing on Ray with {workers} workers, as asked: {about_elsewhere}"
    if means.on == "here":
        return run_here, f"playing {on_threads}, as asked: {about_here}"
    if workers > 1 and elsewhere < here:
        return (
            run_on_ray,
            f"playing on Ray with {workers} workers: {about_elsewhere} ({on_threads} {about_here})",
        )
    other = f" (on Ray with its start {about_elsewhere})" if workers > 1 else ""
    return run_here, f"playing {on_threads}: {about_here}{other}"
