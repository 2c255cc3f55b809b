"""Builds the reference pages and the output shown in the README from the code itself; `make docs` runs it."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from results.schema import Column

ROOT = Path(__file__).resolve().parent.parent
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
FILE = re.compile(r"```(?:python|toml)\n# (\S+\.(?:py|toml))\n(.*?)```", re.DOTALL)
#: What differs from run to run, or goes on too long to show; stands as three dots.
CHANGING = re.compile(r"^(seconds|games/s|\S+\.html:)( +)\S.*$", re.MULTILINE)
MOST_LINES = 34


def columns_page() -> str:
    """Returns the page of every column of a run."""
    from results.schema import GAME_TABLES

    return (
        "# The columns of a run\n\n"
        "A run is a folder: `manifest.json` says what was asked for and with which rules, and each match has two\n"
        "sets of Parquet files, `matches/<nn>/games/` and `matches/<nn>/categories/`. The first have a row for each\n"
        "game and seat, ordered by seating, seat and deal; the second have sums by block of 1,000 deals. A block that\n"
        "two files share has a row in each; readers add them up. This page is built from the code by `make docs`.\n"
        + "".join(_game_columns(game, *tables) for game, tables in GAME_TABLES.items())
    )


def _game_columns(
    game: str, always: tuple[Column, ...], added: tuple[Column, ...], sums: tuple[Column, ...]
) -> str:
    from results.schema import markdown_columns

    title, line = {
        "cheerio": ("Cheerio and its relatives", "category"),
        "ceelo": ("Cee-lo", "result of the dice"),
    }[game]
    return (
        f"\n## {title}\n\n"
        "### games: one row for each game and seat\n\n"
        f"{markdown_columns(always)}\n"
        "Where the rules bring them, more columns follow:\n\n"
        f"{markdown_columns(added)}\n"
        f"### categories: sums by block of 1,000 deals, seat, strategy and {line}\n\n"
        f"{markdown_columns(sums)}"
    )


def commands_page() -> str:
    """Returns the page of every command's help."""
    from jobs.cli import dicecup

    context = _context(dicecup, "dicecup", None)
    parts = ["# The commands\n\nThis page is built from the commands' own help by `make docs`.\n"]
    parts += [f"## {path}\n\n```text\n{text}\n```\n" for path, text in _helps(dicecup, context)]
    return "\n".join(parts)


def balance_page() -> str:
    """Returns the page on the measures of balance: what each is, where it is from, and what is good or poor."""
    from results.balance.measures import MEASURES
    from results.balance.skill import linear_share
    from results.balance.tables import GROUPS
    from results.balance.thresholds import SHIPPED, load_thresholds
    from results.tables import markdown_text

    template = (ROOT / "docs" / "balance.in.md").read_text(encoding="utf-8")
    thresholds = load_thresholds()
    limits, counting = thresholds.limits, thresholds.counting
    shares = {name: f"{counting[f'{name}_share'] * 100:g} %" for name in ("comeback", "blowout", "close")}
    shares["linear"] = f"{linear_share(2) * 100:.0f} % (two sides)"
    parts = []
    for group in dict.fromkeys(measure.group for measure in MEASURES.values()):
        parts += [
            f"### {GROUPS[group]}\n",
            "| measure | definition | source | good | poor |",
            "| --- | --- | --- | --- | --- |",
        ]
        for key, measure in MEASURES.items():
            if measure.group == group:
                own = limits[key]
                good = _limit_words(own.good_least, own.good_most, ("from", "up to"))
                poor = _limit_words(own.poor_below, own.poor_above, ("below", "above"))
                definition = measure.definition.format(**shares)
                words = map(markdown_text, (measure.title, definition, measure.source))
                parts.append(f"| {' | '.join(words)} | {good} | {poor} |")
        parts.append("")
    return template.replace("{measures}", "\n".join(parts).rstrip()).replace(
        "{thresholds}", SHIPPED.read_text(encoding="utf-8").rstrip()
    )


def _limit_words(least: float | None, most: float | None, words: tuple[str, str]) -> str:
    found = [
        f"{word} {value:g}" for word, value in zip(words, (least, most), strict=True) if value is not None
    ]
    return " or ".join(found) if words[0] == "below" else " ".join(found)


def strategies_page() -> str:
    """Returns the page on writing a strategy, with all views and all shipped strategies."""
    from sim.ceelo.views import VIEWS as BETTOR_VIEWS
    from sim.views import VIEWS
    from strategies.questioning import DECISION_SECONDS
    from strategies.stakes import MOST_WHOLE

    template = (ROOT / "docs" / "strategies.in.md").read_text(encoding="utf-8")
    return (
        template.replace("{views}", _view_rows(VIEWS))
        .replace("{bettor_views}", _view_rows(BETTOR_VIEWS))
        .replace("{shipped}", _strategy_rows("cheerio"))
        .replace("{shipped_bettors}", _strategy_rows("ceelo"))
        .replace("{whole}", f"{MOST_WHOLE:,}")
        .replace("{seconds}", f"{DECISION_SECONDS:g}")
    )


def _view_rows(views: dict[str, str]) -> str:
    return "\n".join(f"| `{name}` | {shown} |" for name, shown in views.items())


def _strategy_rows(game: str) -> str:
    from strategies.lineup import get_player, shipped_strategies

    rows = []
    for player in map(get_player, shipped_strategies(game)):
        parameters = ", ".join(f"`{key}={value}`" for key, value in player.parameters.items())
        rows.append(f"| `{player.label}` | {parameters} | {player.rule} |")
    return "\n".join(rows)


def _helps(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    yield context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None:
                yield from _helps(inner, _context(inner, name, context))


def _context(command: click.Command, name: str, above: click.Context | None) -> click.Context:
    return command.make_context(
        name, [], above, resilient_parsing=True, terminal_width=100, max_content_width=100
    )


def readme_with_output(text: str) -> str:
    """Returns the README with the output of its commands, run in their order in an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in FILE.findall(text):
            (Path(folder) / name).write_text(content, encoding="utf-8")
        return CONSOLE.sub(lambda block: _played(block.group(1), folder), text)


def _played(block: str, folder: str) -> str:
    lines = []
    for command in re.findall(r"^\$ (.*)$", block, re.MULTILINE):
        lines += [f"$ {command}", *_output(command, folder)]
    return "```console\n" + "\n".join(lines) + "\n```"


def _output(command: str, folder: str) -> list[str]:
    program = [sys.executable, "-m", "jobs", *shlex.split(command)[1:]]
    environment = os.environ | {"COLUMNS": "116", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        program, cwd=folder, capture_output=True, encoding="utf-8", env=environment, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{command} ended with {done.returncode}: {done.stderr}")
    lines = [line.rstrip() for line in CHANGING.sub(r"\1\2...", done.stdout).rstrip().split("\n")]
    return lines if len(lines) <= MOST_LINES else [*lines[:MOST_LINES], "..."]


def main() -> None:
    """Writes the pages and the README."""
    (ROOT / "docs" / "columns.md").write_text(columns_page(), encoding="utf-8")
    (ROOT / "docs" / "commands.md").write_text(commands_page(), encoding="utf-8")
    (ROOT / "docs" / "strategies.md").write_text(strategies_page(), encoding="utf-8")
    (ROOT / "docs" / "balance.md").write_text(balance_page(), encoding="utf-8")
    readme = ROOT / "README.md"
    readme.write_text(readme_with_output(readme.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
