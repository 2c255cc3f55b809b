"""Fills the tables that are asked whole before the first game, on all CPUs where decisions are many."""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing.process import BaseProcess
from pathlib import Path

import numpy as np
import numpy.typing as npt

from jobs.ending import strategy_ending
from jobs.errors import RunIncomplete
from jobs.kept import record_beside
from jobs.kinship import end_with_parent
from jobs.plan import JobPlan
from jobs.table_cache import keep_rows, load_rows, table_key
from sim.ruleset import Ruleset
from strategies.games import Maker, asking_of
from strategies.lineup import Player, Source, rebuild_player
from strategies.memory_limit import share_memory
from strategies.rows import Rows, join_rows
from strategies.strategy import StrategyError

#: A table of fewer decisions is asked for in this process: starting others takes longer.
FEW_DECISIONS = 600_000
#: Contexts that a worker process is asked for at once: about half a second of decisions.
PIECE = 128
#: Seconds that a process has to be gone once the pool has lost one.
LEAVING_SECONDS = 2.0

#: Tables by label and ruleset.
Tables = dict[tuple[str, Ruleset], Rows]
Told = Callable[[str, int, int], None]


def fill_tables(plan: JobPlan, workers: int, told: Told) -> Tables:
    """Returns the tables of all players that are asked whole, from the cache or filled.

    `told(label, done, all)` hears how many contexts of a table are filled. Raises StrategyError for the first
    decision that fails.
    """
    tables: Tables = {}
    for player, ruleset in plan.distinct_players():
        rows = whole_rows(player, ruleset, workers, told)
        if rows is not None:
            tables[player.label, ruleset] = rows
    return tables


def whole_rows(player: Player, ruleset: Ruleset, workers: int, told: Told) -> Rows | None:
    """Returns the table of a player that is asked whole, from the cache or filled; None for one that is not."""
    maker = asking_of(ruleset).maker(player, ruleset)
    if not maker.whole:
        return None
    key = table_key(player, ruleset)
    rows = load_rows(key)
    if rows is None:
        rows = _filled(player, ruleset, maker, workers, told)
        keep_rows(key, rows)
    return rows


def is_asked_in_play(player: Player, ruleset: Ruleset) -> bool:
    """Tells whether a player is asked for decisions while games are played, as their situations come up."""
    return asking_of(ruleset).asks_in_play(player, ruleset)


def _filled(player: Player, ruleset: Ruleset, maker: Maker, workers: int, told: Told) -> Rows:
    contexts = maker.whole_contexts()
    if contexts.size * maker.decisions_per_row <= FEW_DECISIONS:
        return asking_of(ruleset).rows(player, ruleset, contexts)
    pieces = [contexts[first : first + PIECE] for first in range(0, contexts.size, PIECE)]
    made: list[Rows] = []
    done = 0
    with _asking_processes(player.source, ruleset, min(workers, len(pieces))) as answers:
        told(player.label, 0, contexts.size)
        for piece in answers(pieces):
            made.append(piece)
            done += piece.contexts.size
            told(player.label, done, contexts.size)
    return join_rows(made)


@contextmanager
def _asking_processes(
    source: Source, ruleset: Ruleset, workers: int
) -> Iterator[Callable[[Sequence[npt.NDArray[np.uint64]]], Iterator[Rows]]]:
    before = set(multiprocessing.active_children())
    with tempfile.TemporaryDirectory(prefix="dicecup-") as folder:
        asked = (source, ruleset, folder, workers)
        # A fork of a process with threads may hang, so each worker starts afresh.
        pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _begin_asking, asked)
        processes: set[BaseProcess] = set()
        finished = False

        def answers(pieces: Sequence[npt.NDArray[np.uint64]]) -> Iterator[Rows]:
            made = pool.map(_ask_piece, pieces)
            processes.update(set(multiprocessing.active_children()) - before)
            return made

        try:
            yield answers
            finished = True
        except BrokenProcessPool:
            raise _fault_of(source.label, processes, Path(folder)) from None
        finally:
            if not finished:
                for process in set(multiprocessing.active_children()) - before:
                    process.kill()
            pool.shutdown(cancel_futures=True)


def _fault_of(label: str, processes: set[BaseProcess], folder: Path) -> Exception:
    """Returns what to tell of processes of which one has ended by itself; the pool ends the others by SIGTERM."""
    for process in processes:
        process.join(LEAVING_SECONDS)
        words = strategy_ending(folder, process.pid or 0, process.exitcode, "No game was played")
        if words and process.exitcode != -signal.SIGTERM:
            return StrategyError(words)
    return RunIncomplete(
        f"a process that asked {label} for its decisions ended (was it out of memory?); "
        "no game was played. Try again with fewer --workers"
    )


_asked: list[tuple[Player, Ruleset]] = []


def _begin_asking(source: Source, ruleset: Ruleset, folder: str, processes: int) -> None:
    # The terminal's Ctrl-C goes to every process; the parent alone answers it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    end_with_parent(signal.SIGKILL, os.getppid())
    record_beside(Path(folder))
    share_memory(processes)
    _asked.append((rebuild_player(source, Path(folder) / str(os.getpid())), ruleset))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        with suppress(OSError):
            parent.join()
        os._exit(1)


def _ask_piece(contexts: npt.NDArray[np.uint64]) -> Rows:
    player, ruleset = _asked[0]
    return asking_of(ruleset).rows(player, ruleset, contexts)
