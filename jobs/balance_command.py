"""The command dicecup balance: how balanced a ruleset is, and what a changed rule changes."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jobs.catalogue import format_option
from jobs.commands import Games, means_options, root_option, seed_option
from results.commands import level_option
from results.printing import counted, print_json, print_line, print_lines

if TYPE_CHECKING:
    from jobs.plan import JobPlan
    from results.location import Location

USUAL_GAMES = 100_000


@click.command(
    epilog="Examples: dicecup balance --ruleset cheerio-bonus --vary bonus.points=0,25,50 --strategies "
    "greedy,par,optimal; dicecup balance --ruleset ceelo-bank --ruleset ceelo-bank-rotate --players 4"
)
@click.option(
    "--ruleset",
    "-r",
    "rulesets",
    multiple=True,
    required=True,
    help="A ruleset by name or TOML file; may be repeated. The first is the base, which the others are held against.",
)
@click.option(
    "--vary",
    "-v",
    multiple=True,
    metavar="KEY=VALUE,...",
    help="A rule of the base to be changed, by its key in a ruleset file, as bonus.points=0,25 or throws=2,4; may be "
    "repeated. Each value makes a ruleset of its own, with that one rule changed.",
)
@click.option(
    "--strategies",
    "-s",
    help="Who plays, as greedy,par,mine.py:Bold.  [default: from simple to good, by the game]",
)
@click.option(
    "--players",
    "-p",
    type=click.IntRange(1),
    help="How many sit down.  [default: the fewest that all rulesets allow]",
)
@click.option(
    "--games",
    "-n",
    type=Games(),
    default=USUAL_GAMES,
    help="Games of each two strategies, rounded up to whole deals; equals play every deal once.  [default: 100k]",
)
@seed_option()
@root_option
@click.option(
    "--luck/--no-luck",
    default=None,
    help="Keep the luck of every side's dice, for the share of the results that it explains.  [default: where every "
    "ruleset allows it]",
)
@click.option(
    "--thresholds",
    type=click.Path(path_type=Path),
    help="TOML file of limits between good, fair and poor, in place of the usual ones that it names.",
)
@level_option("Level of the intervals.")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    help="Write a page with charts, too: an HTML file that needs nothing else.",
)
@click.option("--interactive", is_flag=True, help="Charts of the page that answer the pointer (0.9 MB more).")
@click.option(
    "--parts",
    type=click.Path(path_type=Path),
    help="Folder for every part of the page by itself: Markdown, PNG and CSV files.",
)
@click.option("--force", is_flag=True, help="Replace a file that is no report, or write beside other files.")
@means_options
@format_option
def balance(
    rulesets: Sequence[str],
    vary: Sequence[str],
    strategies: str | None,
    players: int | None,
    games: int,
    seed: int | None,
    root: Location,
    luck: bool | None,
    thresholds: Path | None,
    level: float,
    output: Path | None,
    interactive: bool,
    parts: Path | None,
    force: bool,
    form: str,
    **means: Any,
) -> None:
    """Tell how fair, close, long, skilled and varied the games of a ruleset are, and what a changed rule changes.

    Every strategy plays against its equals and against each other, under every ruleset on the same deals; each measure
    has an interval, its difference to the base, and a verdict. The run goes to ROOT/balance-<digest>; given again with
    its seed, the command goes on where it was interrupted.
    """
    from jobs.balance import BalanceOrder, build_balance_job
    from jobs.means import Means
    from jobs.page_files import require_file, write_page
    from jobs.plan import plan_job
    from jobs.playing import play_run
    from jobs.progress import note
    from jobs.worths import best_plays
    from results.balance.document import balance_document
    from results.balance.thresholds import load_thresholds
    from results.pages.page import Listing

    require_file(output, parts, interactive, force)
    limits = load_thresholds(thresholds)
    named = None if strategies is None else split_strategies(strategies)
    plan = plan_job(build_balance_job(BalanceOrder(rulesets, vary, named, players, games, seed, luck)))
    if not means["quiet"]:
        note(played_line(plan))
    run = play_run(plan, root, Means(**means), "dicecup balance")
    best = best_plays({match.ruleset.name: match.ruleset for match in plan.matches}.values())
    document = balance_document(run, level, limits, best)
    # Whoever reads the answer may stop reading it, as head does: the page is there by then.
    try:
        if output is not None or parts is not None:
            from results.balance.page import balance_page

            asked: dict[str, Any] = {
                "--ruleset": rulesets,
                "--vary": vary,
                "--strategies": strategies,
                "--players": players,
                "--games": games,
                "--seed": plan.job.seed,
                "--thresholds": thresholds,
                "--level": level,
            }
            page = balance_page(document, [Listing("The command", again_text(asked, luck))])
            write_page(page, output, "html", interactive, parts, force, aside=True)
    finally:
        print_balance(document, form)


def again_text(asked: dict[str, Any], luck: bool | None) -> str:
    """Returns the command that makes the same page again, from its options in order."""
    words = ["dicecup", "balance"]
    for option, given in asked.items():
        several = given if isinstance(given, (list, tuple)) else [] if given is None else [given]
        words += [word for value in several for word in (option, str(value))]
    words += [] if luck is None else ["--luck" if luck else "--no-luck"]
    return f"{shlex.join(words)}\n"


def split_strategies(text: str) -> list[str]:
    """Splits `greedy,par` into the words of each strategy."""
    words = [entry.strip() for entry in text.split(",")]
    if not all(words):
        raise click.UsageError(
            f"--strategies {shlex.quote(text)} leaves one empty; name them with commas between, as greedy,par"
        )
    return words


def played_line(plan: JobPlan) -> str:
    """Returns what is played: the rulesets, the strategies and the games."""
    rulesets = list(dict.fromkeys(match.ruleset.name for match in plan.matches))
    strategies = list(dict.fromkeys(label for match in plan.matches for label in match.match.lineup))
    matches, seats = len(plan.matches), plan.matches[0].match.seats
    return (
        f"{counted(len(rulesets), 'ruleset')} ({', '.join(rulesets)}) with {counted(len(strategies), 'strategy')} "
        f"({', '.join(strategies)}) and {seats} players: {counted(matches, 'match')}, {plan.games:,} games"
    )


def print_balance(document: dict[str, Any], form: str) -> None:
    """Prints the measures in a format: first what they come to, then tables of them."""
    import sys

    from results.balance.tables import balance_csv, balance_foot, balance_lines, balance_tables
    from results.tables import markdown_table, markdown_text, print_tables

    if form == "json":
        print_json(document)
        return
    if form == "csv":
        print_lines(balance_csv(document))
        return
    lines, tables, foot = balance_lines(document), balance_tables(document), balance_foot(document)
    if form == "markdown":
        told = [f"- {markdown_text(line.strip())}" if line[0] == " " else _heading(line) for line in lines]
        drawn = [markdown_table(table, 2).rstrip("\n") for table in tables]
        print_lines("\n\n".join(["\n".join(told).lstrip("\n"), *drawn, *map(markdown_text, foot)]))
    else:
        print_tables(tables, sys.stdout, "", lines)
        print_line()
        for line in foot:
            print_line(line)


def _heading(line: str) -> str:
    from results.tables import markdown_text

    return f"\n## {markdown_text(line)}\n"
