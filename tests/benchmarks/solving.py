"""Measures how soon perfect play is solved, and how fast it is played on one core; `make bench` runs it."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

#: Games of two that are played for a figure, and those in which `win` plays, whose situations hardly recur.
DEALS, WATCHED = 200_000, 10_000


def measure_solving(line: Callable[[str, str, str], None], median_seconds: Callable[..., float]) -> None:
    """Prints the seconds in which rulesets are solved, and player-games a second of strategies that play by it."""
    from sim.cheerio_ruleset import load_cheerio, validate_cheerio
    from strategies.valuation import POINTS, build_valuation

    bonus = load_cheerio("cheerio-bonus")
    extended = load_cheerio("cheerio-extended").model_dump(mode="json", exclude_none=True)
    fifteen = validate_cheerio(extended | {"name": "fifteen", "bonus": bonus.bonus.model_dump()}, "fifteen")
    for ruleset, wanted in ((load_cheerio("cheerio"), 1), (bonus, 1), (fifteen, 5)):
        seconds = median_seconds(lambda ruleset=ruleset: build_valuation.__wrapped__(ruleset, POINTS))
        what = f"solving {ruleset.turns} categories{', with a bonus' if ruleset.bonus.points else ''}"
        line(what, f"{seconds:.2f}", f"s (wanted: {wanted})")
    for name, words, deals in (
        ("cheerio", ("optimal", "optimal"), DEALS),
        ("cheerio-bonus", ("optimal", "optimal"), DEALS),
        ("cheerio", ("win", "optimal"), WATCHED),
        ("cheerio-bonus", ("win", "optimal"), WATCHED),
    ):
        first, again, rows = play_seconds(name, words, deals, median_seconds)
        line(f"kernel, one core, {name}: {', '.join(words)}", f"{2 * deals / first:,.0f}", "player-games/s")
        line(f"  once its {rows:,} situations are filled", f"{2 * deals / again:,.0f}", "player-games/s")


def play_seconds(
    name: str, words: tuple[str, ...], deals: int, median_seconds: Callable[..., float]
) -> tuple[float, float, int]:
    """Returns the seconds of playing deals with tables still to be filled and with filled ones, and their rows."""
    from sim.game import kernel_of
    from sim.ruleset import load_ruleset
    from strategies.tables import LineupTables
    from tests.compile_kernels import seated

    ruleset = load_ruleset(name)
    kernel = kernel_of(ruleset.game)
    rules = kernel.build_rules(ruleset)
    # What is solved and compiled once is not measured here.
    kernel.play_deals(rules, seated(ruleset, words), len(words), 0, 2, 0, 1)
    start = time.perf_counter()
    tables = seated(ruleset, words)
    assert isinstance(tables, LineupTables)
    kernel.play_deals(rules, tables, len(words), 0, 1, 0, deals)
    first = time.perf_counter() - start
    again = median_seconds(lambda: kernel.play_deals(rules, tables, len(words), 0, 1, 0, deals), rounds=3)
    decisions = tables.decisions(0)
    rows = np.count_nonzero(decisions.row_of >= 0) + np.count_nonzero(decisions.keys)
    return first, again, int(rows)
