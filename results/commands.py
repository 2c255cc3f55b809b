"""The commands that answer from a run: dicecup summary."""

import math
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from results.errors import RunError

if TYPE_CHECKING:
    from results.location import Location

from results.printing import print_json, print_line, print_lines

FORMATS = ("table", "json", "csv", "markdown")
TABLE_FORMATS = ("table", "markdown")


class Level(click.FloatRange):
    """A level of confidence: a number between 0 and 1, as which click's range would take nan, too."""

    def __init__(self) -> None:
        super().__init__(0, 1, min_open=True, max_open=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number that a text spells; a usage error where it is no level."""
        level = float(super().convert(value, param, ctx))
        if math.isnan(level):
            self.fail(f"{value} is no number; a level lies between 0 and 1, such as 0.95", param, ctx)
        return level


def level_option(help_text: str) -> Callable[[Any], Any]:
    """Return what adds --level to a command."""
    return click.option("--level", type=Level(), default=0.95, show_default=True, help=help_text)


class Place(click.ParamType[Any]):
    """The place of a run or of runs: a folder, or s3://bucket/name in an object store."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> "Location":
        """Return the location that a text names; a usage error where it names none."""
        from results.location import read_location

        if not str(value).strip():
            self.fail("an empty path is given; give a folder, or s3://bucket/name in a store", param, ctx)
        try:
            return read_location(value)
        except RunError as error:
            self.fail(str(error), param, ctx)


@click.command(
    epilog="Example: dicecup summary runs/quick-ab12cd34ef56 --format markdown > summary.md",
)
@click.argument("run", type=Place())
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="table",
    show_default=True,
    help="How the answer is written; all show the same digits. CSV is one tidy table, a row a measure.",
)
@click.option(
    "--match", "number", type=click.IntRange(min=0), help="Only the match of this number.  [default: all]"
)
@level_option("Level of confidence of all intervals.")
@click.option(
    "--table",
    "-t",
    "titles",
    metavar="TITLE",
    multiple=True,
    help="Only the tables with this in their title, as --table seats; may be repeated.  [default: all]",
)
def summary(run: "Location", form: str, number: int | None, level: float, titles: Sequence[str]) -> None:
    """Say who wins by how much, how scores spread, and how often ties occur, in RUN.

    RUN is the folder of a run. One that is incomplete is summarised for what has been played, and says so.
    The deal is the unit of every interval, as the games of a deal share their dice. Where dicecup exact RUN has been
    asked, its values stand beside.
    """
    # Imported here, so that the help of all commands stays instant.
    from results.store import Run
    from results.summary import summarise_run

    if titles and form not in TABLE_FORMATS:
        raise click.UsageError(
            f"--table goes with --format {' or '.join(TABLE_FORMATS)}; {form} holds all figures, leave --table out"
        )
    opened = Run.open(run)
    matches = opened.matches if number is None else [opened.match(number)]
    document = summarise_run(opened, matches, level)
    for remark in document.get("remarks", ()):
        print_line(remark, aside=True)
    print_summary(document, form, titles=titles)


def print_summary(
    document: dict[str, Any], form: str, brief: bool = False, titles: Sequence[str] = ()
) -> None:
    """Print the summary's document on stdout in a format; in brief, a table shows who wins and how scores run.

    With `titles` only the tables that have one of them in their title are shown, and only the matches that have such
    a table; RunError where no match has.
    """
    from results.summary_tables import (
        chosen_tables,
        foot_lines,
        match_lines,
        match_tables,
        match_title,
    )
    from results.tables import draws_ascii_only, markdown_table, markdown_text, print_tables
    from results.tidy import csv_summary

    if form == "json":
        print_json(document)
        return
    if form == "csv":
        print_lines(csv_summary(document))
        return
    matches, in_markdown = document["matches"], form == "markdown"
    ascii_only = not in_markdown and draws_ascii_only(sys.stdout)
    tables = chosen_tables([match_tables(match, ascii_only, brief) for match in matches], titles)
    shown = [pair for pair in zip(matches, tables, strict=True) if pair[1] or not titles]
    if in_markdown:
        paragraphs = [f"# {markdown_text(document['job'])}"]
        for match, chosen in shown:
            paragraphs += [f"## {markdown_text(match_title(match))}", *map(markdown_text, match_lines(match))]
            paragraphs += [markdown_table(table).rstrip("\n") for table in chosen]
        print_lines("\n\n".join([*paragraphs, *map(markdown_text, foot_lines(document))]))
        return
    for match, chosen in shown:
        print_tables(chosen, sys.stdout, match_title(match), match_lines(match))
        print_line()
    print_tables([], sys.stdout, lines=foot_lines(document))
