"""The page on perfect play says what the solver says, and its examples run."""

import re
import shlex
from pathlib import Path

import pytest

from jobs.cli import COMMANDS, main
from sim.cheerio_ruleset import load_cheerio
from sim.ruleset import shipped_rulesets
from strategies.lineup import get_player
from strategies.valuation import build_valuation

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "perfect-play.md").read_text(encoding="utf-8")
ROWS = {
    name: rest for name, *rest in re.findall(r"^\| `([\w-]+)` \| (\d+) \| ([\d.]+) \|$", PAGE, re.MULTILINE)
}


def check_rows(names):
    for name in names:
        ruleset = load_cheerio(name)
        assert ROWS[name] == [str(ruleset.turns), f"{build_valuation(ruleset).start:.8f}"], name


def test_the_best_means_are_the_solver_s():
    assert list(ROWS) == list(shipped_rulesets("cheerio"))
    check_rows(["cheerio", "cheerio-bonus", "cheerio-web-short"])


@pytest.mark.slow
def test_all_best_means_are_the_solver_s():
    check_rows(ROWS)


def test_the_page_names_commands_and_strategies_that_exist():
    assert set(re.findall(r"`dicecup ([a-z]+)", PAGE)) <= set(COMMANDS)
    for name in ("optimal", "optimal:risk=0.01", "lookahead", "win"):
        assert f"`{name.partition(':')[0]}" in PAGE
        assert get_player(name).game == "cheerio"


def test_the_example_of_advice_runs(capsys):
    words = re.search(r"`dicecup (advise [^`]+)`", PAGE)
    assert words is not None
    with pytest.raises(SystemExit) as leaving:
        main(shlex.split(words.group(1)))
    assert not leaving.value.code
    assert "Best: keep 5-5, " in capsys.readouterr().out
