"""The command dicecup compare: which of two or many strategies is better, and by how much, on the same deals."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from results.commands import FORMATS, Place, level_option
from results.printing import print_json, print_line, print_lines

if TYPE_CHECKING:
    from results.location import Location


@click.command(
    epilog="Examples: dicecup compare runs/pairs-c07c3ae9cd6e --ruleset cheerio-bonus; "
    "dicecup compare runs/first-ab12cd34ef56 runs/second-0123456789ab -s par -s greedy",
)
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=Place())
@click.option("--ruleset", "-r", help="The ruleset to compare under, where the runs hold several.")
@click.option(
    "--strategy",
    "-s",
    "strategies",
    multiple=True,
    help="Only this strategy, or side as par+greedy; may be repeated.  [default: all]",
)
@click.option("--seats", type=click.IntRange(min=1), help="Only games of so many seats.  [default: all]")
@level_option("Level of confidence of all intervals, and of what is shown.")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="table",
    show_default=True,
    help="How the answer is written; all show the same digits. CSV is one tidy table, a row a measure.",
)
def compare(
    runs: Sequence["Location"],
    ruleset: str | None,
    strategies: Sequence[str],
    seats: int | None,
    level: float,
    form: str,
) -> None:
    """Say which strategy is better and by how much, on the same deals, in one RUN or several.

    The runs have one seed and the same ruleset. Strategies that met are compared head to head, and others side by side:
    in the same seat of the same deals against the same rivals. A run that is incomplete counts for its leading deals.
    """
    # Imported here, so that the help of all commands stays instant.
    from results.comparison.document import compare_runs
    from results.store import Run

    document = compare_runs([Run.open(run) for run in runs], ruleset, strategies, seats, level)
    for remark in document["remarks"]:
        print_line(remark, aside=True)
    print_comparison(document, form)


def print_comparison(document: dict[str, Any], form: str) -> None:
    """Print a comparison on stdout in a format."""
    from results.comparison.tables import compare_csv, compare_tables, foot_lines
    from results.tables import markdown_table, markdown_text, print_tables

    if form == "json":
        print_json(document)
    elif form == "csv":
        print_lines(compare_csv(document))
    elif form == "markdown":
        tables = [markdown_table(table, 2).rstrip("\n") for table in compare_tables(document)]
        lines = [markdown_text(document["conclusion"]), *tables, *map(markdown_text, foot_lines(document))]
        print_lines("\n\n".join(lines))
    else:
        print_tables(compare_tables(document), sys.stdout, lines=[document["conclusion"]])
        print_line()
        print_tables([], sys.stdout, lines=foot_lines(document))
