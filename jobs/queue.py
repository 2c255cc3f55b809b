"""Several jobs, one after another: from job files, folders of them, and queue files that list them."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jobs.errors import FAILED, INCOMPLETE, USAGE, JobError, RunInterrupted, error_message, exit_code
from jobs.job import Job, Overrides, load_job
from jobs.means import Means
from jobs.plan import JobPlan, plan_job
from jobs.progress import note
from jobs.reporting import (
    outcome_document,
    outcome_row,
    planning_lines,
    print_outcome,
    print_summary_of,
)
from jobs.running import Outcome, complete_run
from results.commands import TABLE_FORMATS
from results.location import Location
from results.printing import counted, print_json, print_lines
from results.tables import csv_rows
from sim.mistakes import shown
from sim.ruleset import RulesetError
from sim.texts import read_small
from strategies.strategy import StrategyError

#: Exit codes of jobs, the worst first: that of a queue is its worst job's.
_WORST = (FAILED, USAGE, INCOMPLETE)


@dataclass(frozen=True)
class Queued:
    """A job of a queue, ready to be played."""

    file: Path
    plan: JobPlan
    folder: Location


def is_queue(places: Sequence[Path]) -> bool:
    """Tells whether what a user names is more than one job file."""
    return len(places) > 1 or any(place.is_dir() or _listed(place) is not None for place in places)


def load_queue(places: Sequence[Path], overrides: Overrides, root: Location) -> list[Queued]:
    """Loads all jobs of a queue in their order, each once; raises JobError with every mistake of all of them.

    A job without a seed would be another each time that the queue goes on, and is refused.
    """
    mistakes: list[str] = []
    queue: list[Queued] = []
    known: set[Path] = set()
    for place in places:
        for file in _files(place, mistakes):
            # A folder may hold a queue beside the jobs that it lists.
            if file.resolve() in known:
                continue
            known.add(file.resolve())
            try:
                queue.append(_queued(load_job(file, overrides), file, root))
            except (JobError, RulesetError, StrategyError) as error:
                mistakes.append(str(error))
    if mistakes:
        raise JobError("nothing is played, as not all jobs can be:\n" + "\n".join(mistakes))
    return queue


def play_queue(queue: Sequence[Queued], means: Means, force: bool, form: str, summarised: bool | None) -> int:
    """Plays jobs one after another, tells the outcome of each, and returns the exit code of the worst.

    A job that fails does not keep the others from being played. Raises RunInterrupted where the user stops.
    """
    told: list[dict[str, Any]] = []
    played: list[Outcome] = []
    failed: list[tuple[Path, str, int]] = []
    for number, job in enumerate(queue, 1):
        if not means.quiet:
            note(f"job {number} of {len(queue)}: {job.file}")
            for line in planning_lines(job.plan):
                note(line)
        try:
            outcome = complete_run(job.plan, job.folder, means, force)
            document = outcome_row(outcome) if form == "csv" else outcome_document(outcome)
            if form in TABLE_FORMATS:
                print_outcome(outcome, form, summarised, str(job.file))
        except RunInterrupted as error:
            raise RunInterrupted(f"{job.file}: {error}\n{_waiting(len(queue) - number)}") from None
        except Exception as error:
            code = exit_code(error)
            if code is None:
                raise
            failed.append((job.file, error_message(error), code))
            told.append({"job": str(job.file), "complete": False, "error": error_message(error)})
            note(f"dicecup: {job.file}: {error_message(error)}")
            continue
        told.append({"job": str(job.file), **document})
        played.append(outcome)
        if outcome.stop_asked and number < len(queue):
            raise RunInterrupted(f"{job.file} is complete. {_waiting(len(queue) - number)}")
    if form == "json":
        print_json({"jobs": told})
    elif form == "csv":
        print_lines(csv_rows(told))
        for outcome in played if summarised else ():
            print_summary_of(outcome, form)
    for file, message, _ in failed:
        note(f"dicecup: not played to its end: {file}: {message}")
    return next((code for code in _WORST if any(code == own for _, _, own in failed)), 0)


def _waiting(left: int) -> str:
    waiting = f"{counted(left, 'more job')} {'waits' if left == 1 else 'wait'}; " if left else ""
    return f"{waiting}the same command goes on with all of them"


def _queued(job: Job, file: Path, root: Location) -> Queued:
    if job.seed_drawn:
        raise JobError(
            f"job {file}: no seed is given, so that a queue that was stopped could not go on with it; put seed = 1 in "
            "it, or give --seed"
        )
    return Queued(file, plan_job(job), root / f"{job.name}-{job.digest}")


def _files(place: Path, mistakes: list[str]) -> list[Path]:
    """Returns the job files that a folder, a queue file or a job file stands for."""
    if place.is_dir():
        found = sorted(path for path in place.iterdir() if path.suffix == ".toml" and path.is_file())
        if not found:
            mistakes.append(f"folder {place}: it holds no job files, *.toml")
        return [file for path in found for file in _files(path, mistakes)]
    listed = _listed(place)
    if listed is None:
        return [place]
    names = listed if isinstance(listed, list) and listed else None
    odd = [name for name in names or () if not isinstance(name, str)]
    if names is None or odd:
        given = f"jobs holds {', '.join(map(shown, odd))}" if odd else f"jobs is {shown(listed)}"
        mistakes.append(f'queue {place}: {given}; a list of job files is allowed, as ["a.toml", "b.toml"]')
        return []
    files = []
    for name in names:
        file = place.parent / name
        if file.is_dir() or _listed(file) is not None:
            mistakes.append(f"queue {place}: {name} is no job file; a queue lists job files alone")
        else:
            files.append(file)
    return files


def _listed(file: Path) -> Any:
    """Returns what a queue file lists, or None where a file is none; a file that can't be read is no queue."""
    try:
        content = tomllib.loads(read_small(file))
    except (OSError, ValueError, RecursionError):
        return None
    return content["jobs"] if set(content) == {"jobs"} else None
