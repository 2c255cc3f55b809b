"""Makes the run of a job complete: what is there is looked at, what is missing is played."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial

from jobs.digest import digest_text, run_digest
from jobs.errors import JobError, RunIncomplete, RunInterrupted, error_reason, is_storage_fault
from jobs.execute import Execute, Work
from jobs.filling import fill_tables
from jobs.means import MOST_WORKERS, Means, choose_execution, usual_workers
from jobs.notes import noted_manifest
from jobs.place import clear_run, make_place, refuse_other_content
from jobs.plan import JobPlan
from jobs.progress import Filling, Progress, note
from jobs.rebuild import changed_strategies, since_changed
from jobs.service.sessions import Recorder, recorded
from jobs.service.verifying import check_chunk, damage_text
from jobs.stopping import StopSign
from jobs.stored import stored_words
from jobs.until import Remaining
from results.damage import keep_damage, load_damage
from results.errors import DamagedPart, RunError, StoreError
from results.identity import differing_keys, identifying
from results.location import Location, ObjectPath
from results.lock import lock_run
from results.patience import PLAYING_SECONDS, give_up_where_away, patience
from results.store import (
    MANIFEST_NAME,
    Match,
    Run,
    create_run,
    damaged_chunks,
    footers,
    read_footer,
    set_aside_damaged,
)
from results.until.questions import Answer
from sim.compiled import compiling_heard, kernel_is_compiled
from sim.game import GAMES

Say = Callable[[str], None]


@dataclass(frozen=True)
class Outcome:
    """What there is to report of a complete run; `played` counts the games that were played just now.

    `answers` has the matches that were played until something is known, and what their deals answer. `stop_asked` tells
    whether a stop was asked for, with which nothing was left to play.
    """

    run: Run
    games: int
    played: int
    seconds: float
    digest: str
    answers: tuple[tuple[Match, list[Answer]], ...] = ()
    stop_asked: bool = False

    @property
    def speed(self) -> float:
        """Games played a second."""
        return self.played / self.seconds if self.seconds > 0 else 0.0


def complete_run(plan: JobPlan, folder: Location, means: Means, force: bool = False) -> Outcome:
    """Plays what a job's run lacks, and returns what there is in the end.

    Raises JobError or RunError where the folder holds something else, StrategyError where a strategy fails,
    and RunIncomplete or RunInterrupted where chunks are left to play.
    """
    with StopSign(lambda: note(_stopping())) as stop:
        outcome = _complete(plan, folder, means, force, stop)
        return replace(outcome, stop_asked=stop.asked)


def _complete(plan: JobPlan, folder: Location, means: Means, force: bool, stop: StopSign) -> Outcome:
    started = time.monotonic()
    say: Say = note if not means.quiet else _unsaid
    # Nothing is under way yet that would be worth finishing.
    stop.at_once = True
    if force:
        refuse_other_content(folder)
    run = None if force else existing_run(plan, folder)
    if run is not None and not any(_missing(run)) and not any(_damaged(run)):
        left = Remaining(run.as_planned())
        if left.is_nothing:
            # What was known as damaged is whole again, or would have been found; who may only read is told as well.
            with suppress(OSError, StoreError):
                keep_damage(run, {})
            outcome = _outcome(folder, left, 0, started)
            say(f"all {outcome.games:,} games of {folder} are there: nothing is played")
            return outcome
    workers = means.workers or usual_workers()
    share = sum(_games(run, *place) for place in _missing(run)) / plan.games if run else 1.0
    execute, why = choose_execution(plan, share, means, workers)
    try:
        tables = fill_tables(plan, workers, Filling(means.quiet))
    except KeyboardInterrupt:
        raise RunInterrupted(_unplayed(plan, run)) from None
    stop.at_once = False
    if run is None:
        make_place(folder)
    with patience(PLAYING_SECONDS, note), lock_run(folder, partial(stop_asked, stop), say) as lock:
        if force:
            clear_run(folder)
        if run is None:
            run = create_run(folder, noted_manifest(plan, folder))
        with recorded(folder, lock, why, stop) as session, going_on_told(run):
            set_aside(run, {(match.number, chunk): error for match, chunk, error in _damaged(run)})
            run = run.as_planned()
            left = Remaining(run)
            for line in left.settle():
                note(line)
            if left.there:
                most = "at most " if plan.job.has_questions else ""
                say(f"{left.there:,} of {most}{plan.games:,} games are there: the rest is played")
            say(f"run {folder}")
            say(why)
            # A cluster has CPUs of its own, of which --workers takes some and its absence all.
            most_workers = MOST_WORKERS if means.address and means.workers is None else workers
            with compiling_heard(_compiling_told(plan, say)):
                played = _play(Work(plan, run, tables, left), execute, most_workers, means, stop, session)
    return _outcome(folder, left, played, started)


def _compiling_told(plan: JobPlan, say: Say) -> Callable[[], None]:
    """Returns what tells that kernels are compiled; tells it at once where that may not be heard."""
    told = partial(say, "kernels are compiled first, which takes about half a minute, once")
    if all(kernel_is_compiled(GAMES[match.ruleset.game].kernel) for match in plan.matches):
        return told
    # Other processes, which are not heard, may be those that compile.
    told()
    return partial(_unsaid, "")


def _outcome(folder: Location, left: Remaining, played: int, started: float) -> Outcome:
    run = Run.open(folder)
    games = sum(match.games for match in run.matches)
    digest = rows_digest(run)
    return Outcome(run, games, played, time.monotonic() - started, digest, tuple(left.answers()))


def existing_run(plan: JobPlan, folder: Location) -> Run | None:
    """Returns the run of this very job that a folder holds, or None where none is there yet.

    Raises JobError naming the keys that differ where the run was made otherwise.
    """
    if not (folder / MANIFEST_NAME).exists():
        return None
    run = Run.open(folder)
    if differing := differing_keys(identifying(run.manifest), identifying(plan.manifest)):
        changed = _changed(plan, run)
        since = f": {since_changed(changed)}" if changed else ""
        # A strategy that is named needs no key beside its name.
        others = [key for key in differing if not (changed and key.endswith("source_digest"))]
        told = f"; it differs in: {', '.join(others)}" if others else ""
        raise JobError(
            f"{folder} was made otherwise{since}{told}. {_remedy(differing)}, or "
            "replace the run: give its job to dicecup run with --force"
        )
    _require_own_parts(run)
    return run


def _require_own_parts(run: Run) -> None:
    """Raises JobError where the parts are those of one other run, so that it is the manifest which is wrong."""
    there = [(match, chunk) for match in run.matches for chunk in run.committed_chunks(match)]
    if len(there) < 2:
        return
    try:
        first, last = (read_footer(run.games_part(*place)).run for place in (there[0], there[-1]))
    except DamagedPart:
        return
    if first == last != run.identity:
        raise JobError(
            f"{run.path}: its parts belong to another run than its {MANIFEST_NAME} ({first}, not {run.identity}), "
            "which was altered or comes from elsewhere. Bring the manifest back as it was; or, if it is the parts that "
            "are wrong, move the folder matches/ elsewhere and resume"
        )


def _changed(plan: JobPlan, run: Run) -> list[str]:
    """Names the strategies whose source is another than when the run was begun."""
    names = [
        name
        for old, new in zip(run.matches, plan.matches, strict=False)
        if old.lineup == new.match.lineup
        for name in changed_strategies(old, new.players)
    ]
    return list(dict.fromkeys(names))


def rows_digest(run: Run) -> str:
    """Returns the digest of all rows of a complete run, from the footers of its parts."""
    parts = ((int(footer.rows_digest, 16) for footer in footers(run, match)) for match in run.matches)
    return digest_text(run_digest(parts))


def _play(work: Work, execute: Execute, workers: int, means: Means, stop: StopSign, session: Recorder) -> int:
    run = work.run
    played = 0
    with Progress(work.plan.games, work.remaining.there, means.quiet) as progress:

        def committed(number: int, chunk: int) -> None:
            nonlocal played
            for line in work.remaining.land(number, chunk):
                note(line)
            played += _games(run, number, chunk)
            progress.advance(_games(run, number, chunk))
            session.advance(_games(run, number, chunk))

        execute(work, workers, committed, stop, means.address)
    if not any(_missing_now(run)):
        return played
    if stop.asked:
        raise RunInterrupted("interrupted")
    raise RunIncomplete("parts are gone that were committed")


@contextmanager
def going_on_told(run: Run) -> Iterator[None]:
    """Tells of what ends the playing of a run how much is stored, and the command that plays the rest."""
    try:
        yield
    except (KeyboardInterrupt, RunInterrupted):
        give_up_where_away()
        raise RunInterrupted(_left(run, "interrupted")) from None
    except OSError as error:
        if not is_storage_fault(error):
            raise
        raise RunIncomplete(_left(run, error_reason(error))) from error
    except MemoryError as error:
        raise RunIncomplete(_left(run, "out of memory, of which fewer --workers take less")) from error
    except (RunIncomplete, StoreError) as error:
        raise RunIncomplete(_left(run, str(error))) from error


def _missing(run: Run) -> list[tuple[int, int]]:
    return [(match.number, chunk) for match in run.matches for chunk in run.missing_chunks(match)]


def _missing_now(run: Run) -> list[tuple[int, int]]:
    """Returns what is missing of a run as it is on disk; RunIncomplete where it can't be read any more."""
    try:
        return _missing(Run.open(run.path))
    except StoreError:
        raise
    except RunError:
        raise RunIncomplete("the run was removed while it was played") from None


def _damaged(run: Run) -> list[tuple[Match, int, DamagedPart]]:
    """Returns the chunks that are not what was committed; those known as damaged are looked at wholly, rows and all."""
    # A store keeps checksums of its own, and to fetch all of a large run takes long: dicecup jobs verify does, and what
    # that has found is looked at again.
    whole = not isinstance(run.path, ObjectPath)
    known = load_damage(run)
    # A stop that is wrong would hide the parts behind it.
    return [
        (match, chunk, error)
        for match in run.as_planned().matches
        for chunk, error in (
            damaged_chunks(run, match, whole) | dict(_still_damaged(run, match, known.get(match.number, ())))
        ).items()
    ]


def _still_damaged(run: Run, match: Match, chunks: Iterable[int]) -> Iterator[tuple[int, DamagedPart]]:
    for chunk in chunks:
        error = check_chunk(run, match, chunk)[2]
        if error is not None:
            yield chunk, error


def set_aside(run: Run, damage: Mapping[tuple[int, int], DamagedPart]) -> tuple[Location, ...]:
    """Sets damaged chunks aside, by match and chunk, says so of each, and returns where their files are now."""
    aside: list[Location] = []
    for (number, chunk), error in damage.items():
        moved = set_aside_damaged(run, run.matches[number], chunk)
        aside += moved
        kept = ", ".join(f"{path.parent.name}/{path.name}" for path in moved)
        what = f"match {number}, chunk {chunk} is damaged: {damage_text(error)}"
        note(f"{what}; set aside as {kept}, its games are played again")
    # All that was known is looked at anew or gone.
    keep_damage(run, {})
    return tuple(aside)


def _games(run: Run, number: int, chunk: int) -> int:
    match = run.matches[number]
    return len(match.chunk_deals_of(chunk)) * match.seatings


def _left(run: Run, reason: str) -> str:
    return f"{reason.rstrip('.')}. {stored_words(run.path)}"


def _unplayed(plan: JobPlan, run: Run | None) -> str:
    if run is not None:
        return _left(run, "interrupted before any game was played")
    seed = f" with --seed {plan.job.seed}" if plan.job.seed_drawn else ""
    return f"interrupted: no game was played; give the same command again{seed}"


def stop_asked(stop: StopSign, asker: str) -> None:
    """Lets a run stop as another process asks it to, and says who."""
    stop.ask(asker)
    note(f"{asker} asks this run to stop")


def _stopping() -> str:
    return "stopping: the chunks under way are finished and stored; once more to stop at once"


def _remedy(differing: list[str]) -> str:
    if any(key.endswith("source_digest") for key in differing):
        return "Bring back the strategies as they were"
    if any(key in ("engine_version", "schema_version") for key in differing):
        return "Use the version of dicecup that began it (see versions in its manifest.json)"
    return "Bring back what differs"


def _unsaid(_line: str) -> None:
    return
