"""A job as a folder that travels to another machine: its file, rulesets and strategies, and what starts it there."""

from __future__ import annotations

import shutil
from pathlib import Path, PurePosixPath

from jobs import start_on_cluster
from jobs.errors import JobError
from jobs.job import load_job
from jobs.job_text import job_listings
from jobs.plan import JobPlan
from results.identity import run_identity
from results.store import Run
from strategies.lineup import Player

#: Names that no module can have, so that nothing in the bundle stands in the way of an import.
START, FOLDER = "dicecup-start.py", "dicecup-job"
#: A folder of the job's own for every one that a strategy lies above it.
_BELOW = "below"


def write_bundle(plan: JobPlan, bundle: Path) -> str:
    """Writes a job with all that it needs into an empty folder; returns the place of its file in there.

    JobError where a strategy is named by what leads nowhere on another machine, or where what was written is not read
    as the same job.
    """
    players = [player for player in _distinct_players(plan) if player.source.files]
    places = [_place(player) for player in players]
    above = max([place.parts.count("..") for place in places], default=0)
    folder = PurePosixPath(FOLDER, *[_BELOW] * above)
    (bundle / folder).mkdir(parents=True)
    shutil.copyfile(start_on_cluster.__file__, bundle / START)
    for player, place in zip(players, places, strict=True):
        home = (bundle / folder / place.parent).resolve()
        home.mkdir(parents=True, exist_ok=True)
        for name, text in player.source.files:
            (home / name).write_text(text, encoding="utf-8")
    names = []
    for listing in job_listings(_as_run(plan)):
        if listing.name:
            names.append(listing.name)
            (bundle / folder / listing.name).write_text(listing.text, encoding="utf-8")
    _require_same(plan, bundle / folder / names[0])
    return str(folder / names[0])


def _distinct_players(plan: JobPlan) -> list[Player]:
    return list({player.label: player for player, _ in plan.distinct_players()}.values())


def _place(player: Player) -> PurePosixPath:
    """Returns where a user's file lies, from the folder of the job."""
    name = player.label.partition(":")[0]
    place = PurePosixPath(name)
    if place.is_absolute() or ".." in place.parts[place.parts.count("..") :]:
        raise JobError(
            f"strategy {player.label}: a job that is submitted travels with its strategies, and {name} is no path that "
            "another machine has, too; name the file from the folder of the job, as mine.py:Bold or ../mine.py:Bold"
        )
    return place


def _as_run(plan: JobPlan) -> Run:
    """Returns a job as the run that it would make, of which nothing is there."""
    matches = tuple(match_plan.match for match_plan in plan.matches)
    job, identity = plan.job, run_identity(plan.manifest)
    return Run(Path(), plan.manifest, matches, job.name, job.digest, job.seed, identity)


def _require_same(plan: JobPlan, file: Path) -> None:
    """Reads a job again as the other machine will; JobError where it has become another."""
    again = load_job(file)
    sources = [
        {player.label: player.source.digest for match in job.matches for player in match.players}
        for job in (plan.job, again)
    ]
    if again.digest != plan.job.digest or sources[0] != sources[1]:
        raise JobError(
            f"job {plan.job.name} would be another on another machine; submit it from the folder of its file"
        )
