"""Compiles all that is compiled, once; `make test` runs it before tests that run together would each do so."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Sequence

import numpy as np

from sim.cheerio_ruleset import load_cheerio
from sim.game import kernel_of
from sim.ruleset import Ruleset, load_ruleset
from sim.views import views_context
from strategies.exact import evaluate
from strategies.games import Tables, asking_of
from strategies.lineup import get_lineup, get_player
from strategies.rows import RowMaker

#: What is asked for in place of a ruleset: the solver, and what is built on it.
PERFECT_PLAY = "perfect-play"
#: Rulesets that between them need every kernel, in two groups that take about as long.
GROUPS = (
    ("cheerio-web-short", "cheerio-speed"),
    (PERFECT_PLAY, "ceelo-bank", "ceelo-pot", "cheerio-cutthroat"),
)
LINEUPS = {"cheerio": ("greedy", "sets"), "ceelo": ("flat", "timid")}


def seated(ruleset: Ruleset, words: Sequence[str]) -> Tables:
    """Returns the tables of a lineup, with all that can be asked before the first game."""
    asking, lineup = asking_of(ruleset), get_lineup(words)
    makers = {player: asking.maker(player, ruleset) for player in dict.fromkeys(lineup)}
    whole = {
        player.label: asking.rows(player, ruleset, maker.whole_contexts())
        for player, maker in makers.items()
        if maker.whole
    }
    return asking.tables(lineup, ruleset, whole)


def compile_kernel(name: str) -> None:
    """Plays a deal under a ruleset."""
    ruleset = load_ruleset(name)
    kernel, words = kernel_of(ruleset.game), LINEUPS[ruleset.game]
    kernel.play_deals(kernel.build_rules(ruleset), seated(ruleset, words), len(words), 0, 1, 0, 1)


def compile_perfect_play() -> None:
    """Solves a short ruleset, follows strategies of both kinds of rows through it, and has `win` decide a turn."""
    ruleset = load_cheerio("cheerio-web-short")
    for words in ("optimal", "random"):
        evaluate(get_player(words), ruleset, regret=True)
    win = RowMaker(get_player("win"), ruleset)
    last_turn = views_context(ruleset, win.sees, dict.fromkeys(win.sees, 1))
    win.make([last_turn])
    win.rows(np.array([last_turn], np.uint64), None)


def main() -> None:
    """Compiles what is given, or each group of it in a process of its own."""
    if sys.argv[1:]:
        # A compiler leaves little behind to be collected, and much to be looked through for it.
        gc.disable()
        for name in sys.argv[1:]:
            compile_perfect_play() if name == PERFECT_PLAY else compile_kernel(name)
        return
    working = [subprocess.Popen([sys.executable, "-m", "tests.compile_kernels", *group]) for group in GROUPS]
    sys.exit(max(process.wait() for process in working))


if __name__ == "__main__":
    main()
