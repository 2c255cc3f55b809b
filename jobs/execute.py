"""Plays the chunks that a run lacks, in this process; jobs.on_ray does the same on Ray, with the same signature.

Whoever plays a chunk commits its part. What comes back is small, and nothing of value is held here.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Protocol

from jobs.chunk import play_chunk
from jobs.digest import digest_text
from jobs.filling import Tables, is_asked_in_play
from jobs.kept import note_run
from jobs.plan import JobPlan, MatchPlan
from jobs.stopping import StopSign
from jobs.until import Remaining
from results.patience import HURRIED_SECONDS, give_up_where_away, has_given_up
from results.store import Run, commit_part
from strategies import games
from strategies.rows import Rows

Committed = Callable[[int, int], None]

#: Chunks that were left as they were played.
_left: set[Future[None]] = set()

#: Seconds between looks at whether chunks under way can be stored where a stop is asked for.
LOOK_SECONDS = 1.0


@dataclass(frozen=True)
class Work:
    """What is left to play of a run: chunks as (match number, chunk), in the order of matches."""

    plan: JobPlan
    run: Run
    tables: Tables
    remaining: Remaining

    def whole(self, plan: MatchPlan) -> dict[str, Rows]:
        """Returns the tables of a match's players that are filled before the first game, by label."""
        return {
            player.label: self.tables[player.label, plan.ruleset]
            for player in plan.players
            if (player.label, plan.ruleset) in self.tables
        }


class Execute(Protocol):
    """Plays what is left of a run; `committed(match, chunk)` hears of each part that is written.

    Returns early, with all parts begun committed, when the stop sign is set. Raises the StrategyError or
    OSError that ended the work, once no part is being written any more.
    """

    def __call__(
        self, work: Work, workers: int, committed: Committed, stop: StopSign, address: str | None = None
    ) -> None:
        """Plays on some workers, or on the cluster at an address."""


def play_part(run: Run, plan: MatchPlan, tables: games.Tables, chunk: int) -> None:
    """Plays a chunk and commits its part."""
    games, categories, digest = play_chunk(plan, tables, chunk)
    commit_part(run, plan.match, chunk, games, categories, digest_text(digest))


def run_here(
    work: Work, workers: int, committed: Committed, stop: StopSign, address: str | None = None
) -> None:
    """Plays in this process, on as many threads as there are workers.

    Matches whose players are asked as play goes are played by the main thread alone: strategies may not be
    safe in several threads, and the limit on a decision's time needs the main one.
    """
    del address
    note_run(work.run.path)
    flying: dict[Future[None], tuple[int, int]] = {}

    def land_one() -> None:
        while not (landed := wait(flying, LOOK_SECONDS, FIRST_COMPLETED).done):
            stop.end_where_away()
        for future in landed:
            place = flying.pop(future)
            future.result()
            committed(*place)

    seated: tuple[MatchPlan, games.Tables, bool] | None = None
    pool = ThreadPoolExecutor(workers)
    try:
        while True:
            place = None if stop.asked else work.remaining.take()
            if place is None:
                if not flying:
                    break
                land_one()
                continue
            number, chunk = place
            if seated is None or seated[0].match.number != number:
                seated = _seated(work, number)
            plan, tables, asks = seated
            if asks:
                # A strategy that ends this process costs no chunk but its own.
                while flying:
                    land_one()
                play_part(work.run, plan, tables, chunk)
                committed(number, chunk)
            else:
                flying[pool.submit(play_part, work.run, plan, tables, chunk)] = place
                if len(flying) == workers:
                    land_one()
    except KeyboardInterrupt:
        # Chunks in compiled code hear nothing: they are left to end with this process.
        if wait(flying, HURRIED_SECONDS).not_done:
            give_up_where_away()
            _left.update(flying)
        raise
    finally:
        # What a store was asked for that is given up ends by itself.
        pool.shutdown(wait=not (has_left_threads() or has_given_up()), cancel_futures=True)


def has_left_threads() -> bool:
    """Tells whether chunks are still being played that nobody waits for, as the user wanted to stop at once."""
    return any(not future.done() for future in _left)


def _seated(work: Work, number: int) -> tuple[MatchPlan, games.Tables, bool]:
    """Returns a match with its tables, and whether any of its players is asked as play goes."""
    plan = work.plan.matches[number]
    build = games.asking_of(plan.ruleset).tables
    tables = build(plan.players, plan.ruleset, work.whole(plan), plan.match.luck)
    return plan, tables, any(is_asked_in_play(player, plan.ruleset) for player in plan.players)
