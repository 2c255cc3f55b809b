"""What the commands share that play a job and then tell what it has shown."""

from __future__ import annotations

from jobs.errors import RunIncomplete, RunInterrupted
from jobs.means import Means
from jobs.plan import JobPlan
from jobs.progress import note
from jobs.reporting import planning_lines
from jobs.running import complete_run
from results.location import Location
from results.store import Run


def play_run(plan: JobPlan, root: Location, means: Means, command: str) -> Run:
    """Returns the run of a job below a folder, after playing what it lacks.

    Raises what complete_run does; where a run is begun, the error says how to be told its results by the same command.
    """
    job = plan.job
    if not means.quiet:
        for line in planning_lines(plan):
            note(line)
    folder = root / f"{job.name}-{job.digest}"
    try:
        return complete_run(plan, folder, means).run
    except (RunInterrupted, RunIncomplete) as error:
        if not folder.exists():
            raise
        again = f"to be told the results, give {command} as before with --seed {job.seed}"
        raise type(error)(f"{error}\n{again}") from error
