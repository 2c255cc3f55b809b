"""Compiles every kernel once; `make test` runs it before tests that run together would each compile them."""

from __future__ import annotations

import subprocess
import sys

from sim.game import kernel_of
from sim.ruleset import load_ruleset
from strategies.games import asking_of
from strategies.lineup import get_lineup

#: Rulesets that between them need every kernel, in two groups that take about as long.
GROUPS = (("cheerio-web-short", "cheerio-speed"), ("ceelo-bank", "ceelo-pot", "cheerio-cutthroat"))
LINEUPS = {"cheerio": ("greedy", "sets"), "ceelo": ("flat", "timid")}


def compile_kernel(name: str) -> None:
    """Plays a deal under a ruleset."""
    ruleset = load_ruleset(name)
    lineup = get_lineup(LINEUPS[ruleset.game])
    asking, kernel = asking_of(ruleset), kernel_of(ruleset.game)
    whole = {
        player.label: asking.rows(player, ruleset, asking.maker(player, ruleset).whole_contexts())
        for player in lineup
    }
    tables = asking.tables(lineup, ruleset, whole)
    kernel.play_deals(kernel.build_rules(ruleset), tables, len(lineup), 0, 1, 0, 1)


def main() -> None:
    """Compiles the kernels of the rulesets given, or each group of them in a process of its own."""
    if sys.argv[1:]:
        for name in sys.argv[1:]:
            compile_kernel(name)
        return
    working = [subprocess.Popen([sys.executable, "-m", "tests.compile_kernels", *group]) for group in GROUPS]
    sys.exit(max(process.wait() for process in working))


if __name__ == "__main__":
    main()
