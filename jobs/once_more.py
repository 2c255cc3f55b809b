"""Plays a chunk once more in a process that is watched, to learn whether a user's strategy is what ends its workers."""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
from collections.abc import Mapping
from pathlib import Path

from jobs.chunk import play_chunk
from jobs.ending import strategy_ending
from jobs.execute import Work
from jobs.kept import record_beside
from jobs.kinship import end_with_parent
from jobs.plan import MatchPlan
from jobs.stopping import StopSign
from jobs.stored import stored_words
from results.store import Match
from sim.ruleset import Ruleset
from strategies import games
from strategies.lineup import Source, rebuild_player
from strategies.rows import Rows
from strategies.strategy import StrategyError

#: Seconds between looks at whether the user has it stopped.
LOOK_SECONDS = 0.5


def strategy_at_fault(work: Work, number: int, chunk: int, stop: StopSign) -> StrategyError | None:
    """Returns what a user's strategy of a match does wrong in a chunk, or None where it is played without a fault.

    Decisions are always the same, so a strategy that ends one process ends another. Nothing is stored.
    """
    plan = work.plan.matches[number]
    sources = tuple(player.source for player in plan.players)
    if not any(source.files for source in sources):
        return None
    with tempfile.TemporaryDirectory(prefix="dicecup-") as folder:
        asked = (Path(folder), plan.match, plan.ruleset, sources, plan.seed, work.whole(plan), chunk)
        process = multiprocessing.get_context("spawn").Process(target=_play_watched, args=asked)
        process.start()
        try:
            while process.is_alive() and not stop.asked:
                process.join(LOOK_SECONDS)
        finally:
            process.kill()
            process.join()
        if stop.asked:
            return None
        told = _fault_place(Path(folder))
        words = (
            told.read_text()
            if told.exists()
            else strategy_ending(
                Path(folder), process.pid or 0, process.exitcode, stored_words(work.run.path)
            )
        )
        return StrategyError(words) if words else None


def _play_watched(
    folder: Path,
    match: Match,
    ruleset: Ruleset,
    sources: tuple[Source, ...],
    seed: int,
    whole: Mapping[str, Rows],
    chunk: int,
) -> None:
    # The terminal's Ctrl-C goes to every process; the parent alone answers it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent(signal.SIGKILL, os.getppid())
    record_beside(folder)
    try:
        players = {source.label: rebuild_player(source, folder) for source in sources}
        lineup = tuple(players[source.label] for source in sources)
        tables = games.asking_of(ruleset).tables(lineup, ruleset, whole, match.luck)
        play_chunk(MatchPlan(match, ruleset, lineup, seed), tables, chunk)
    except StrategyError as error:
        _fault_place(folder).write_text(str(error))


def _fault_place(folder: Path) -> Path:
    return folder / "fault"
