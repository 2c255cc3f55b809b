"""Plays the chunks that a run lacks: in this process or on Ray, two functions with one signature.

Whoever plays a chunk commits its part. What comes back is small, and nothing of value is held here.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import Any, Protocol

from jobs.chunk import play_chunk
from jobs.digest import digest_text
from jobs.errors import RunIncomplete, is_storage_fault
from jobs.filling import Tables
from jobs.plan import JobPlan, MatchPlan
from jobs.stopping import StopSign
from jobs.table_cache import cache_folder
from results.store import Match, Run, commit_part
from sim.ruleset import Ruleset
from strategies.lineup import Source, rebuild_player
from strategies.rows import Rows
from strategies.strategy import StrategyError
from strategies.tables import LineupTables

#: How often a chunk is played again after its worker or node was lost, or its store failed for a moment.
MOST_RETRIES = 5
#: Seconds between looks at whether the cluster has grown or shrunk.
LOOK_SECONDS = 1.0

Committed = Callable[[int, int], None]


@dataclass(frozen=True)
class Work:
    """What is left to play of a run: chunks as (match number, chunk), in the order of matches."""

    plan: JobPlan
    run: Run
    tables: Tables
    missing: tuple[tuple[int, int], ...]

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


def play_part(run: Run, plan: MatchPlan, tables: LineupTables, chunk: int) -> None:
    """Plays a chunk and commits its part."""
    games, categories, digest = play_chunk(plan, tables, chunk)
    commit_part(run, plan.match, chunk, games, categories, digest_text(digest))


def run_here(
    work: Work, workers: int, committed: Committed, stop: StopSign, address: str | None = None
) -> None:
    """Plays in this process, on as many threads as there are workers.

    Matches whose tables fill as contexts come up are played by the main thread alone: strategies may not be
    safe in several threads, and the limit on a decision's time needs the main one.
    """
    del address
    flying: dict[Future[None], tuple[int, int]] = {}

    def land(until: int) -> None:
        while len(flying) > until:
            for future in wait(flying, return_when=FIRST_COMPLETED).done:
                place = flying.pop(future)
                future.result()
                committed(*place)

    pool = ThreadPoolExecutor(workers)
    try:
        for plan, tables, chunk in _seated_chunks(work):
            if stop.asked:
                break
            if workers == 1 or len(work.whole(plan)) < len({player.label for player in plan.players}):
                play_part(work.run, plan, tables, chunk)
                committed(plan.match.number, chunk)
            else:
                land(until=workers - 1)
                flying[pool.submit(play_part, work.run, plan, tables, chunk)] = (plan.match.number, chunk)
        land(until=0)
    finally:
        pool.shutdown(cancel_futures=True)


def _seated_chunks(work: Work) -> Iterator[tuple[MatchPlan, LineupTables, int]]:
    seated: tuple[int, LineupTables] | None = None
    for number, chunk in work.missing:
        plan = work.plan.matches[number]
        if seated is None or seated[0] != number:
            seated = (number, LineupTables(plan.players, plan.ruleset, work.whole(plan)))
        yield plan, seated[1], chunk


@dataclass(frozen=True)
class Order:
    """What a worker elsewhere needs for a match; `run` and the tables are references to be fetched."""

    key: str
    match: Match
    ruleset: Ruleset
    sources: tuple[Source, ...]
    seed: int
    run: Any
    whole: Mapping[str, Any]


def run_on_ray(
    work: Work, workers: int, committed: Committed, stop: StopSign, address: str | None = None
) -> None:
    """Plays on Ray: on a cluster of its own with that many CPUs, or on the one at an address.

    A bounded number of chunks is under way at a time and follows the size of the cluster. A chunk whose
    worker or node is lost is played again.
    """
    ray = _start_ray(workers, address)
    try:
        stop.install()
        _play_on(ray, work, committed, stop)
    finally:
        ray.shutdown()


def _start_ray(workers: int, address: str | None) -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    import ray

    own: dict[str, Any] = {"num_cpus": workers, "include_dashboard": False} if address is None else {}
    try:
        ray.init(address=address or "local", log_to_driver=False, logging_level=logging.ERROR, **own)
    except (ConnectionError, TimeoutError, ValueError, RuntimeError) as error:
        where = f"the cluster at {address}" if address else "a Ray of its own"
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise RunIncomplete(
            f"{where} can't be reached or started: {reason}. Start it, or play in this process with --on here"
        ) from error
    return ray


def _play_on(ray: Any, work: Work, committed: Committed, stop: StopSign) -> None:
    play = ray.remote(num_cpus=1, max_retries=MOST_RETRIES, retry_exceptions=[OSError])(_play_order)
    orders = _orders(ray, work)
    flying: dict[Any, tuple[int, int]] = {}
    failure: Exception | None = None
    finished = False
    while True:
        window = 2 * max(1, int(ray.cluster_resources().get("CPU", 1)))
        while not (finished or stop.asked or failure) and len(flying) < window:
            place, order = next(orders, (None, None))
            if place is None:
                finished = True
            else:
                flying[play.remote(order, place[1])] = place
        if not flying:
            break
        done, _ = ray.wait(list(flying), num_returns=1, timeout=LOOK_SECONDS)
        for reference in done:
            place = flying.pop(reference)
            fault = _landed(ray, reference)
            if fault is None:
                committed(*place)
            failure = failure or fault
    if failure:
        raise failure


def _landed(ray: Any, reference: Any) -> Exception | None:
    try:
        fault: Exception | None = ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        return error.cause if isinstance(error.cause, Exception) else RunIncomplete(str(error))
    except ray.exceptions.RayError as error:
        reason = str(error).strip().splitlines()[0]
        return RunIncomplete(
            f"a worker was lost more than {MOST_RETRIES} times over one chunk ({reason}); "
            "was it out of memory? Try again with fewer --workers or a smaller --chunk"
        )
    return fault


def _orders(ray: Any, work: Work) -> Iterator[tuple[tuple[int, int], Any]]:
    """Yields each missing chunk with the reference of its match's order; tables and run are put away once."""
    run = ray.put(replace(work.run, path=work.run.path.resolve()))
    rows = {place: ray.put(table) for place, table in work.tables.items()}
    order: tuple[int, Any] | None = None
    for number, chunk in work.missing:
        if order is None or order[0] != number:
            plan = work.plan.matches[number]
            whole = {
                player.label: rows[player.label, plan.ruleset]
                for player in plan.players
                if (player.label, plan.ruleset) in rows
            }
            sources = tuple(player.source for player in plan.players)
            key = f"{work.run.path.resolve()} {work.run.digest} {number}"
            order = (
                number,
                ray.put(Order(key, plan.match, plan.ruleset, sources, plan.seed, run, whole)),
            )
        yield (number, chunk), order[1]


# The match that this worker process plays: one at a time, as tables are large.
_seated: dict[str, tuple[Run, MatchPlan, LineupTables]] = {}


def _play_order(order: Order, chunk: int) -> Exception | None:
    """Plays a chunk in a worker process; returns the fault that playing again wouldn't mend."""
    try:
        if order.key not in _seated:
            _seated.clear()
            _seated[order.key] = _seat(order)
        play_part(*_seated[order.key], chunk)
    except StrategyError as error:
        return error
    except OSError as error:
        if is_storage_fault(error):
            return error
        raise
    return None


def _seat(order: Order) -> tuple[Run, MatchPlan, LineupTables]:
    import pyarrow as pa
    import ray

    # A worker has one CPU; the others belong to other workers.
    pa.set_cpu_count(1)
    players = {
        source.label: rebuild_player(source, cache_folder() / "strategies") for source in order.sources
    }
    lineup = tuple(players[source.label] for source in order.sources)
    whole: dict[str, Rows] = {label: ray.get(reference) for label, reference in order.whole.items()}
    plan = MatchPlan(order.match, order.ruleset, lineup, order.seed)
    return ray.get(order.run), plan, LineupTables(lineup, order.ruleset, whole)
