"""The command dicecup tips: what each piece of advice on how to win is worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from jobs.catalogue import format_option
from jobs.commands import Games, means_options, root_option, seed_option
from results.printing import print_json, print_line, print_lines

if TYPE_CHECKING:
    from results.location import Location

USUAL_GAMES = 50_000


@click.command(
    epilog="Examples: dicecup tips --ruleset cheerio --ruleset cheerio-bonus; dicecup tips --tip tip-nets:price=1"
)
@click.option(
    "--ruleset",
    "-r",
    "rulesets",
    multiple=True,
    default=("cheerio-bonus",),
    show_default=True,
    help="A ruleset by name or TOML file; may be repeated.",
)
@click.option(
    "--tip",
    "-t",
    "tips",
    multiple=True,
    help="A tip by name, as tip-nets or tip-nets:price=1; may be repeated.  [default: all]",
)
@click.option(
    "--base",
    "-b",
    "bases",
    multiple=True,
    help="The strategy that the tip is added to, par or lookahead; may be repeated.  [default: both]",
)
@click.option(
    "--games",
    "-n",
    type=Games(),
    default=USUAL_GAMES,
    help="Games of each tip with each base.  [default: 50k]",
)
@seed_option()
@root_option
@means_options
@format_option
def tips(
    rulesets: Sequence[str],
    tips: Sequence[str],
    bases: Sequence[str],
    games: int,
    seed: int | None,
    root: Location,
    form: str,
    **means: Any,
) -> None:
    """Tell what each piece of advice on how to win is worth, played with and without it on the same deals.

    Each tip is a strategy that plays as its base does but for the advice, and plays against that base. The run goes to
    ROOT/tips-<digest>; given again with its seed, the command goes on where it was interrupted. Where nothing watches
    the rival, the exact difference is told, too.
    """
    from jobs.means import Means, usual_workers
    from jobs.plan import plan_job
    from jobs.playing import play_run
    from jobs.tips import build_tips_job, tips_document

    plan = plan_job(build_tips_job(rulesets, tips, bases, games, seed))
    run = play_run(plan, root, Means(**means), "dicecup tips")
    workers = means["workers"] or usual_workers()
    print_tips(tips_document(run, plan, workers, means["quiet"]), form)


def print_tips(document: dict[str, Any], form: str) -> None:
    """Prints what the tips are worth in a format."""
    import sys

    from jobs.tips_tables import tips_csv, tips_tables
    from results.tables import markdown_table, markdown_text, print_tables

    if form == "json":
        print_json(document)
        return
    if form == "csv":
        print_lines(tips_csv(document))
        return
    tables = tips_tables(document)
    foot = f"Run {document['run']}, seed {document['seed']}."
    if form == "markdown":
        drawn = [markdown_table(table, 2).rstrip("\n") for table in tables]
        print_lines("\n\n".join([*drawn, markdown_text(foot)]))
    else:
        print_tables(tables, sys.stdout)
        print_line()
        print_line(foot)
