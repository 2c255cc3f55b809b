"""Plays again the parts of a run that are damaged, and those alone; what was damaged is kept beside."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from jobs.errors import RunInterrupted
from jobs.execute import Work, run_here
from jobs.filling import fill_tables
from jobs.means import usual_workers
from jobs.plan import plan_job
from jobs.progress import Filling, note
from jobs.rebuild import rebuild_job
from jobs.running import existing_run, going_on_told, set_aside, stop_asked
from jobs.service.sessions import recorded
from jobs.service.verifying import Verified, verify_run
from jobs.stopping import StopSign
from jobs.until import Remaining
from results.location import Location
from results.lock import lock_run
from results.patience import PLAYING_SECONDS, patience
from results.store import Run


@dataclass(frozen=True)
class Repaired:
    """What was mended: the chunks played again by match, the files set aside, and what the run comes to now."""

    played: tuple[tuple[int, int], ...]
    aside: tuple[Location, ...]
    now: Verified


def repair_run(folder: Location, quiet: bool) -> Repaired:
    """Returns what was mended of a run after reading all of it; nothing is played where nothing is damaged.

    Raises what dicecup resume raises, and RunInterrupted where it is stopped: what was set aside is missing then.
    """
    run = Run.open(folder)
    plan = plan_job(rebuild_job(run))
    existing_run(plan, folder)
    with (
        StopSign(lambda: note("stopping: the chunks under way are finished and stored")) as stop,
        patience(PLAYING_SECONDS, note),
        lock_run(folder, partial(stop_asked, stop), note) as lock,
    ):
        before = _verified_first(run, stop)
        if before.is_whole:
            return Repaired((), (), before)
        with recorded(folder, lock, "repairing what is damaged", stop) as session, going_on_told(run):
            tables = fill_tables(plan, usual_workers(), Filling(quiet))
            aside = set_aside(run, before.damage)
            whole = run.as_planned()
            left = Remaining(whole, tuple(before.damage))
            played: list[tuple[int, int]] = []
            for line in left.settle():
                note(line)

            def committed(number: int, chunk: int) -> None:
                played.append((number, chunk))
                for line in left.land(number, chunk):
                    note(line)
                match = whole.matches[number]
                session.advance(len(match.chunk_deals_of(chunk)) * match.seatings)

            run_here(Work(plan, whole, tables, left), usual_workers(), committed, stop)
            if stop.asked:
                raise RunInterrupted("interrupted")
    return Repaired(tuple(sorted(played)), aside, verify_run(Run.open(folder)))


def _verified_first(run: Run, stop: StopSign) -> Verified:
    """Returns what reading all of a run shows; while nothing is set aside, a stop leaves all as it is."""
    unchanged = RunInterrupted(f"interrupted: {run.path} is as it was; give the same command again")
    stop.at_once = True
    try:
        found = verify_run(run, alone=True)
    except KeyboardInterrupt:
        raise unchanged from None
    stop.at_once = False
    if stop.asked:
        raise unchanged
    return found
