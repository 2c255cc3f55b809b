"""Measures the speed of dicecup on this machine and prints it beside the targets; `make bench` runs it.

Machines differ, and so does one machine from minute to minute: each figure is the median of several runs, and a
plain Python loop, which stands for what one would write first, is timed in the same run.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tests.benchmarks.betting import measure_betting
from tests.benchmarks.reading import measure_reading
from tests.benchmarks.solving import measure_solving

ROUNDS = 5
VARIANTS = (
    "cheerio", "cheerio-bonus", "cheerio-extended", "cheerio-extended-replace", "cheerio-team", "cheerio-cutthroat",
    "cheerio-cutthroat-take", "cheerio-speed", "cheerio-book", "yahtzee-plain", "yahtzee", "yatzy",
)  # fmt: skip
DEALS = 200_000
END_TO_END_GAMES = 10_000_000
TEN_LINES = '''
from strategies import Strategy

class Bold(Strategy):
    """Chases five alike, and fills the category that pays most."""

    def keep(self, dice, sheet, rolls_left):
        face = max(dice, key=lambda die: (dice.count(die), die))
        return [die for die in dice if die == face]

    def choose(self, dice, sheet):
        return max(sheet.open, key=lambda category: category.points(dice))
'''


def median_seconds(task: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Returns the median time of a task, after one run that compiles what it needs."""
    task()
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        task()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def line(what: str, figure: str, target: str = "") -> None:
    """Prints one figure."""
    print(f"{what:<58}{figure:>16}  {target}".rstrip(), flush=True)


def play_plain_game(rng: random.Random) -> int:
    """Plays 13 turns of one player the way a first script would: keep the commonest face, take the most points."""
    sheet: set[str] = set()
    total = 0
    for _ in range(13):
        dice = [rng.randint(1, 6) for _ in range(5)]
        for _ in range(2):
            face = max(dice, key=lambda die: (dice.count(die), die))
            kept = [die for die in dice if die == face]
            dice = kept + [rng.randint(1, 6) for _ in range(5 - len(kept))]
        counts = sorted((dice.count(face) for face in set(dice)), reverse=True)
        pays = {str(face): face * dice.count(face) for face in range(1, 7)}
        pays["three"] = sum(dice) if counts[0] >= 3 else 0
        pays["four"] = sum(dice) if counts[0] >= 4 else 0
        pays["full"] = 25 if counts == [3, 2] else 0
        pays["low"] = 30 if sorted(dice) == [1, 2, 3, 4, 5] else 0
        pays["high"] = 30 if sorted(dice) == [2, 3, 4, 5, 6] else 0
        pays["cheerio"] = 50 if counts == [5] else 0
        pays["chance"] = sum(dice)
        best = max((name for name in pays if name not in sheet), key=lambda name: pays[name])
        sheet.add(best)
        total += pays[best]
    return total


def measure_plain_loop() -> float:
    """Returns the player-games a second of the plain Python loop."""
    rng = random.Random(1)
    games = 2_000
    speed = games / median_seconds(lambda: [play_plain_game(rng) for _ in range(games)], rounds=3)
    line("plain Python loop", f"{speed:,.0f}", "player-games/s")
    return speed


def kernel_task(name: str, words: tuple[str, ...], deals: int) -> Callable[[], object]:
    """Returns the task of playing deals of a ruleset with a lineup in the kernel."""
    from sim.game import kernel_of
    from sim.ruleset import load_ruleset
    from tests.compile_kernels import seated

    ruleset = load_ruleset(name)
    kernel, tables = kernel_of(ruleset.game), seated(ruleset, words)
    rules = kernel.build_rules(ruleset)
    return lambda: kernel.play_deals(rules, tables, len(words), 0, 1, 0, deals)


def measure_variants() -> None:
    """Prints the player-games a second of every variant beside cheerio's in the same minutes, round by round."""
    pair = ("greedy", "par")
    asked = dict.fromkeys(VARIANTS, pair) | {"cheerio-team": ("greedy", "par", "par", "greedy")}
    tasks = {name: kernel_task(name, words, DEALS // 4) for name, words in asked.items()}
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    for task in tasks.values():
        task()
    for _ in range(ROUNDS):
        for name, task in tasks.items():
            start = time.perf_counter()
            task()
            seconds[name].append(time.perf_counter() - start)
    usual = statistics.median(seconds["cheerio"])
    for name, words in asked.items():
        speed = len(words) * DEALS // 4 / statistics.median(seconds[name])
        # Partners share a sheet, so a game of four in teams is as long as one of two.
        share = usual / statistics.median(seconds[name])
        line(f"variant, one core, {name}", f"{speed:,.0f}", f"player-games/s; games: {share:.2f} of cheerio")


def measure_kernel(plain: float) -> None:
    """Prints the player-games a second of one core, kernel alone."""
    for name, words in (
        ("cheerio", ("greedy", "greedy")),
        ("cheerio", ("par", "par")),
        ("cheerio", ("greedy", "par")),
        ("cheerio-bonus", ("greedy", "par")),
        ("cheerio-web", ("greedy", "par")),
        ("cheerio-web-short", ("greedy", "par")),
        ("cheerio", ("random", "random")),
    ):
        seconds = median_seconds(kernel_task(name, words, DEALS))
        speed = 2 * DEALS / seconds
        wanted = "player-games/s (wanted: 5 million)" if name == "cheerio" and "random" not in words else ""
        line(f"kernel, one core, {name}: {', '.join(words)}", f"{speed:,.0f}", wanted or "player-games/s")
        if words == ("greedy", "par") and name == "cheerio":
            line("  as a multiple of the plain loop", f"{speed / plain:,.0f}", "times")


def measure_shares() -> None:
    """Prints how the time of a chunk is shared out between its steps."""
    from jobs.chunk import play_chunk
    from jobs.digest import digest_text
    from jobs.job import Overrides, build_job
    from jobs.plan import plan_job
    from results.store import commit_part, create_run
    from sim.cheerio import LANES, build_rules, play_deals
    from sim.cheerio_ruleset import CheerioRuleset
    from sim.compiled import compiled
    from sim.contexts import find_rows
    from sim.lanes import Decisions, Lanes, Rules, build_lanes
    from sim.streams import fill_words
    from sim.turn import throw_turns
    from strategies.tables import LineupTables, RowMaker, make_rows

    plan = plan_job(
        build_job(["cheerio"], [["greedy", "par"]], Overrides(seed=1, games=2 * DEALS, chunk=DEALS))
    )
    match = plan.matches[0]
    assert isinstance(match.ruleset, CheerioRuleset)
    whole = {
        player.label: make_rows(player, match.ruleset, RowMaker(player, match.ruleset).whole_contexts())
        for player in match.players
    }
    tables = LineupTables(match.players, match.ruleset, whole)
    rules = build_rules(match.ruleset)
    shared = rules.shared
    lanes = build_lanes(shared, 2, LANES)
    lanes.open[:] = (1 << shared.turns) - 1
    steps = 2 * 2 * DEALS // LANES * shared.turns
    seed, deal = np.uint64(1), np.uint64(0)
    decisions = tables.decisions(0)

    def make_dice() -> None:
        for _ in range(steps):
            fill_words(seed, deal, lanes.seat, lanes.turn, shared.throws, lanes.words)

    @compiled
    def decide_step(
        rules: Rules, decisions: Decisions, lanes: Lanes, seed: np.uint64, deal: np.uint64
    ) -> None:
        find_rows(rules, decisions, lanes, 0, LANES)
        throw_turns(rules, decisions, lanes, None, seed, deal, 0, LANES)

    def decide() -> None:
        for step in range(steps):
            # Sheets as full as they are at this turn, or the rows of decisions would all be in the cache.
            lanes.open[0] = sheets[step % shared.turns]
            decide_step(shared, decisions, lanes, seed, deal)

    rng = np.random.default_rng(1)
    orders = np.argsort(rng.random((LANES, shared.turns)), axis=1).astype(np.uint16)
    bits = np.uint16(1) << orders
    sheets = [bits[:, turn:].sum(axis=1).astype(np.uint16) for turn in range(shared.turns)]
    dice = median_seconds(make_dice)
    decided = median_seconds(decide)
    played = median_seconds(
        lambda: [play_deals(rules, tables, 2, seating, 1, 0, DEALS) for seating in range(2)]
    )
    chunk = median_seconds(lambda: play_chunk(match, tables, 0))
    games, categories, digest = play_chunk(match, tables, 0)
    with tempfile.TemporaryDirectory() as folder:
        run = create_run(Path(folder) / "run", plan.manifest)
        written = median_seconds(
            lambda: commit_part(run, match.match, 0, games, categories, digest_text(digest))
        )
    total = chunk + written
    # The decisions of sheets filled in random order miss the cache more often than those of real play.
    scoring = max(played - dice - decided, 0.0)
    decided = min(decided, played - dice)
    line(f"one chunk of {2 * DEALS:,} games, one core", f"{total:.3f}", "s, of which")
    for what, seconds in (
        ("dice", dice),
        ("decisions (upper limit)", decided),
        ("scoring, sums and leads (what is left of the kernel)", scoring),
        ("columns and digest", chunk - played),
        ("encoding and writing", written),
    ):
        line(f"  {what}", f"{100 * seconds / total:.0f} %")


def run_command(arguments: list[str], cache: Path) -> dict[str, object]:
    """Runs dicecup and returns its JSON answer."""
    command = [sys.executable, "-m", "jobs", *arguments, "--format", "json", "--quiet"]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, env=os.environ | {"DICECUP_CACHE": str(cache)}
    )
    answer: dict[str, object] = json.loads(done.stdout)
    return answer


def measure_end_to_end() -> None:
    """Prints games a second with all rows written, and the bytes that a game takes on disk."""
    with tempfile.TemporaryDirectory() as folder:
        root, cache = Path(folder) / "runs", Path(folder) / "cache"
        asked = ["run", "--ruleset", "cheerio", "--lineup", "greedy,par", "--seed", "1", "--root", str(root)]
        for means in (["--on", "here"], ["--on", "ray", "--workers", "2"]):
            start = time.perf_counter()
            answer = run_command([*asked, "--force", "--games", str(END_TO_END_GAMES), *means], cache)
            wall = time.perf_counter() - start
            speed = float(str(answer["games_per_second"]))
            line(
                f"10 million games, {' '.join(means)}, after start-up",
                f"{speed:,.0f}",
                "games/s (wanted: 1 million)",
            )
            line("  from the command's start to its end", f"{wall:.1f}", "s")
        size = sum(file.stat().st_size for file in root.rglob("*") if file.is_file())
        line("  bytes on disk a game", f"{size / END_TO_END_GAMES:.2f}", "(wanted: at most 12)")
        measure_reading(line, Path(str(answer["run"])))


def measure_user_strategy() -> None:
    """Prints how long a ten-line strategy's tables take to fill, and how fast it then plays."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mine.py"
        file.write_text(TEN_LINES, encoding="utf-8")
        asked = ["run", "--ruleset", "cheerio", "--lineup", f"{file}:Bold,greedy", "--root", f"{folder}/runs"]
        cache = Path(folder) / "cache"
        times: list[float] = []
        for games in (1_000, 1_000, 2_000_000):
            start = time.perf_counter()
            answer = run_command(
                [*asked, "--games", str(games), "--seed", str(len(times)), "--on", "here"], cache
            )
            times.append(time.perf_counter() - start)
        line(
            "ten-line strategy, filling its tables (6 million decisions)",
            f"{times[0] - times[1]:.1f}",
            "s, once",
        )
        line(
            "  then, end to end in this process", f"{float(str(answer['games_per_second'])):,.0f}", "games/s"
        )


if __name__ == "__main__":
    print(f"{os.cpu_count()} CPUs; medians of {ROUNDS} runs")
    plain_speed = measure_plain_loop()
    measure_kernel(plain_speed)
    measure_variants()
    measure_betting(line, median_seconds, kernel_task)
    measure_solving(line, median_seconds)
    measure_shares()
    measure_user_strategy()
    measure_end_to_end()
