"""Plays the chunks that a run lacks on Ray; nothing of value is held by the driver."""

from __future__ import annotations

import atexit
import logging
import os
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from jobs.cluster import Head, own_versions, place_fault, require_alike
from jobs.errors import RunIncomplete, is_storage_fault
from jobs.execute import Committed, Work, play_part
from jobs.kept import note_run
from jobs.once_more import strategy_at_fault
from jobs.plan import MatchPlan
from jobs.stopping import StopSign
from jobs.table_cache import cache_folder
from results.errors import StoreError
from results.location import adopt_settings, store_settings
from results.patience import PLAYING_SECONDS, set_patience
from results.store import Match, Run
from sim.recording import end_when_stuck
from sim.ruleset import Ruleset
from strategies import games
from strategies.lineup import Player, Source, rebuild_player
from strategies.memory_limit import share_memory
from strategies.rows import Rows
from strategies.strategy import StrategyError

#: How often a chunk is played again after its worker or node was lost, or its store failed for a moment.
MOST_RETRIES = 5
#: Seconds between looks at whether the cluster has grown or shrunk.
LOOK_SECONDS = 1.0
#: Seconds until the head of a cluster is given up, of one of our own, which does not come back, and of another.
OWN_HEAD_SECONDS, HEAD_SECONDS = 3.0, 20.0
#: Seconds that Ray itself waits for the same, and then ends the process: to leave it takes five seconds before.
RAY_OWN_HEAD_SECONDS, RAY_HEAD_SECONDS = 15, 60
#: Seconds that a cluster has to answer at all.
KNOCK_SECONDS = 5.0
#: Characters of a reason of Ray's that are told.
_LONGEST_REASON = 300
_MISMATCH = "Version mismatch: "


class WorkersLost(RunIncomplete):
    """Workers were lost over one chunk, and nobody says why."""


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
    # Of the run's store, which the worker's machine may not have; they are shown nowhere.
    settings: Mapping[str, str] = field(repr=False)
    versions: tuple[str, int] = ("", 0)


def run_on_ray(
    work: Work, workers: int, committed: Committed, stop: StopSign, address: str | None = None
) -> None:
    """Plays on Ray: on a cluster of its own with that many CPUs, or on at most as many of the one at an address.

    A bounded number of chunks is under way at a time and follows the size of the cluster. A chunk whose
    worker or node is lost is played again.
    """
    note_run(work.run.path)
    # Ray tells of lost workers on stdout, which carries the answer alone.
    with redirect_stdout(sys.stderr):
        ray = _start_ray(workers, address)
        try:
            stop.install()
            head = _met_head(ray, work, address)
            _play_on(ray, head, work, committed, stop, workers if address else None)
        finally:
            ray.shutdown()


def _start_ray(workers: int, address: str | None) -> Any:
    if address is not None:
        _knock(address)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    head_seconds = RAY_HEAD_SECONDS if address else RAY_OWN_HEAD_SECONDS
    os.environ.setdefault("RAY_gcs_rpc_server_reconnect_timeout_s", str(head_seconds))
    import ray

    own: dict[str, Any] = {"num_cpus": workers, "include_dashboard": False} if address is None else {}
    try:
        ray.init(address=address or "local", log_to_driver=False, logging_level=logging.ERROR, **own)
    except (ConnectionError, TimeoutError, ValueError, RuntimeError) as error:
        raise _not_there(address, error) from error
    return ray


def _met_head(ray: Any, work: Work, address: str | None) -> Head:
    """Returns the head of the cluster, whose machines have said that they can play."""
    if address:
        require_alike(ray, work.run.path)
    return Head(ray.get_runtime_context().gcs_address, HEAD_SECONDS if address else OWN_HEAD_SECONDS)


def _knock(address: str) -> None:
    """Asks whether anyone answers at host:port; Ray itself would try for minutes."""
    host, colon, port = address.rpartition(":")
    if colon and port.isdigit() and "/" not in host:
        try:
            socket.create_connection((host.strip("[]"), int(port)), KNOCK_SECONDS).close()
        except (OSError, OverflowError) as error:
            raise _not_there(address, error) from error


def _not_there(address: str | None, error: Exception) -> RunIncomplete:
    where = f"the cluster at {address} can't be reached" if address else "Ray can't be started"
    reason = " ".join(str(error).split())[:_LONGEST_REASON] or type(error).__name__
    if reason.startswith(_MISMATCH):
        versions = reason.removeprefix(_MISMATCH)
        return RunIncomplete(
            f"the cluster at {address} runs other versions: {versions}. Play with its Ray and Python"
        )
    token = ", give its token as RAY_AUTH_TOKEN where it asks for one" if address else ""
    return RunIncomplete(
        f"{where}: {reason.rstrip('.')}. Start it{token}, or play in this process with --on here"
    )


def window_size(cpus: int, most: int | None) -> int:
    """Returns how many chunks are under way at a time on some CPUs, of which `most` may play where it is given.

    Twice the CPUs, so that none waits for the driver; one a worker where not all CPUs may play.
    """
    return min(2 * max(1, cpus), most or 2 * max(1, cpus))


def _play_on(
    ray: Any, head: Head, work: Work, committed: Committed, stop: StopSign, most: int | None
) -> None:
    # Spread, so that all machines of a cluster play from the start.
    play = ray.remote(
        num_cpus=1, max_retries=MOST_RETRIES, retry_exceptions=[OSError], scheduling_strategy="SPREAD"
    )(_play_order)
    order_of = _orders(ray, work)
    flying: dict[Any, tuple[int, int]] = {}
    failure: Exception | None = None
    failed = (0, 0)
    window, looked = 0, 0.0
    while True:
        if not looked or (time.monotonic() - looked >= LOOK_SECONDS and head.is_there()):
            looked = time.monotonic()
            window = window_size(int(ray.cluster_resources().get("CPU", 1)), most)
        while not (stop.asked or failure) and len(flying) < window:
            place = work.remaining.take()
            if place is None:
                break
            flying[play.remote(order_of(place[0]), place[1])] = place
        if not flying:
            break
        done, _ = ray.wait(list(flying), num_returns=1, timeout=LOOK_SECONDS)
        if not done:
            stop.end_where_away()
        for reference in done:
            place = flying.pop(reference)
            fault = _landed(ray, reference)
            if fault is None:
                committed(*place)
            elif failure is None:
                failure, failed = fault, place
    if isinstance(failure, WorkersLost):
        failure = strategy_at_fault(work, *failed, stop) or failure
    if failure:
        raise failure


def _landed(ray: Any, reference: Any) -> Exception | None:
    try:
        fault: Exception | None = ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        return error.cause if isinstance(error.cause, Exception) else RunIncomplete(str(error))
    except ray.exceptions.RayError as error:
        reason = str(error).strip().splitlines()[0]
        return WorkersLost(
            f"a worker was lost over one chunk until Ray gave up ({reason.rstrip('.')}); "
            "was it out of memory? Fewer --workers take less"
        )
    return fault


def _orders(ray: Any, work: Work) -> Callable[[int], Any]:
    """Returns what gives the reference of a match's order, by its number; tables and run are put away once."""
    run = ray.put(replace(work.run, path=work.run.path.resolve()))
    rows = {place: ray.put(table) for place, table in work.tables.items()}

    # The order of one match is kept at a time.
    @lru_cache(maxsize=1)
    def order_of(number: int) -> Any:
        plan = work.plan.matches[number]
        whole = {
            player.label: rows[player.label, plan.ruleset]
            for player in plan.players
            if (player.label, plan.ruleset) in rows
        }
        sources = tuple(player.source for player in plan.players)
        key = f"{work.run.path.resolve()} {work.run.digest} {number}"
        return ray.put(
            Order(
                key,
                plan.match,
                plan.ruleset,
                sources,
                plan.seed,
                run,
                whole,
                store_settings(),
                own_versions(),
            )
        )

    return order_of


# The match that this worker process plays: one at a time, as tables are large.
_seated: dict[str, tuple[Run, MatchPlan, games.Tables]] = {}


def _play_order(order: Order, chunk: int) -> Exception | None:
    """Plays a chunk in a worker process; returns the fault that playing again wouldn't mend."""
    try:
        if order.key not in _seated:
            _seated.clear()
            _seated[order.key] = _seat(order)
        play_part(*_seated[order.key], chunk)
    except (StrategyError, RunIncomplete, StoreError) as error:
        return error
    except OSError as error:
        if is_storage_fault(error):
            return error
        raise
    return None


def _rebuilt(source: Source) -> Player:
    """Builds a player from its files in the cache, or in a folder of this worker where the cache can't be written."""
    try:
        return rebuild_player(source, cache_folder() / "strategies")
    except (OSError, RuntimeError) as refusal:
        try:
            return rebuild_player(source, _own_folder())
        except OSError as error:
            raise RunIncomplete(
                f"a worker can write strategies neither to its cache ({refusal}) nor to a temporary folder "
                f"({error}); set DICECUP_CACHE or TMPDIR to a folder that its workers can write"
            ) from error


@lru_cache(maxsize=1)
def _own_folder() -> Path:
    folder = tempfile.mkdtemp(prefix="dicecup-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _cpus_here(ray: Any) -> int:
    """Returns how many workers may play beside each other where this one does."""
    here = ray.get_runtime_context().get_node_id()
    return next((int(node["Resources"].get("CPU", 1)) for node in ray.nodes() if node["NodeID"] == here), 1)


def _seat(order: Order) -> tuple[Run, MatchPlan, games.Tables]:
    import pyarrow as pa
    import ray

    # A worker has one CPU; the others belong to other workers.
    pa.set_cpu_count(1)
    end_when_stuck()
    if any(source.files for source in order.sources):
        share_memory(_cpus_here(ray))
    run: Run = ray.get(order.run)
    if fault := place_fault(order.versions, run.path):
        raise RunIncomplete(f"the cluster can't play this: {fault}")
    adopt_settings(order.settings)
    set_patience(PLAYING_SECONDS)
    players = {source.label: _rebuilt(source) for source in order.sources}
    lineup = tuple(players[source.label] for source in order.sources)
    whole: dict[str, Rows] = {label: ray.get(reference) for label, reference in order.whole.items()}
    plan = MatchPlan(order.match, order.ruleset, lineup, order.seed)
    tables = games.asking_of(order.ruleset).tables(lineup, order.ruleset, whole, order.match.luck)
    return run, plan, tables
