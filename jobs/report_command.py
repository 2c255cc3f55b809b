"""The command dicecup report: a run as one page to read, print and pass on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from results.commands import Place, level_option
from results.printing import print_line

if TYPE_CHECKING:
    from results.location import Location


@click.command(
    epilog="Examples: dicecup report runs/quick-ab12cd34ef56 -o report.html; "
    "dicecup report runs/quick-ab12cd34ef56 --parts report"
)
@click.argument("run", type=Place())
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, allow_dash=True),
    help="File to write, or - for stdout.  [default: <run>.html here, or <run>.md]",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(("html", "markdown")),
    default="html",
    show_default=True,
    help="One HTML file that needs nothing else, or Markdown without charts.",
)
@click.option(
    "--interactive",
    is_flag=True,
    help="Charts that answer the pointer, by a script within the file (0.9 MB more); without, the file has no script.",
)
@click.option(
    "--parts",
    type=click.Path(path_type=Path),
    help="Folder for every part by itself: Markdown, PNG and CSV files. The one file is written too if -o is given.",
)
@click.option(
    "--match", "number", type=click.IntRange(min=0), help="Only the match of this number.  [default: all]"
)
@level_option("Level of confidence of all intervals.")
@click.option("--force", is_flag=True, help="Replace a file that is no report, or write beside other files.")
def report(
    run: Location,
    output: Path | None,
    form: str,
    interactive: bool,
    parts: Path | None,
    number: int | None,
    level: float,
    force: bool,
) -> None:
    """Write a report on RUN: who wins, how scores spread, every category, with charts, method and the job.

    RUN is the folder of a run. The page has the figures of dicecup summary and, where dicecup exact RUN has been asked,
    exact ones beside them. It opens offline, on a phone too, and prints.
    """
    # Imported here, so that the help of all commands stays instant.
    from jobs.job_text import job_listings
    from jobs.page_files import require_page_options, write_page
    from results.pages.report import report_page
    from results.store import Run

    opened = Run.open(run)
    matches = opened.matches if number is None else [opened.match(number)]
    place = output or Path(opened.path.resolve().name + (".md" if form == "markdown" else ".html"))
    whole = output is not None or parts is None
    require_page_options(place if whole else None, parts, form, interactive, force)
    page = report_page(opened, matches, level, job_listings(opened))
    for notice in page.notices:
        print_line(notice, aside=True)
    write_page(page, place if whole else None, form, interactive, parts, force)
