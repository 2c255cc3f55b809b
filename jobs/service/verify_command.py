"""The command that reads every byte of runs: dicecup jobs verify."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from jobs.catalogue import format_option
from results.commands import Place
from results.printing import print_json, print_line, print_lines

if TYPE_CHECKING:
    from results.location import Location
    from results.tables import Table


@click.command(epilog="Example: dicecup jobs verify runs/cheerio-ab12cd34ef56")
@click.argument("runs", metavar="[RUN]...", nargs=-1)
@click.option(
    "--root",
    type=Place(),
    default="runs",
    show_default=True,
    help="Where RUN is looked for by name, or by what its digest begins with; all of it where none is named.",
)
@format_option
@click.pass_context
def verify(ctx: click.Context, runs: Sequence[str], root: Location, form: str) -> int:
    """Read every byte of runs, count and hash their rows again, and name what is wrong.

    Without RUN all runs below the root are read. Ends with code 3 where anything is wrong, which dicecup jobs repair
    mends.
    """
    from jobs.errors import INCOMPLETE, JobError
    from jobs.service.commands import given_options, place_of, require_root
    from jobs.service.verifying import verified_document
    from results.schema import SCHEMA_VERSION
    from results.store import run_folders

    given = "root" in given_options(ctx)
    places = [place_of(run, root) for run in runs] if runs else run_folders(require_root(root, given))
    if not places and given:
        raise JobError(f"--root {root} holds no runs; give the folder that holds them, or s3://bucket/name")
    if not places:
        print_line(f"{root} holds no runs; dicecup run makes one", aside=True)
    documents = [verified_document(place) for place in places]
    if form == "json":
        print_json({"schema_version": SCHEMA_VERSION, "runs": documents})
    elif documents:
        print_verified(form, documents)
    return 0 if all(run["whole"] for run in documents) else INCOMPLETE


def print_verified(form: str, documents: list[dict[str, Any]]) -> None:
    """Prints what runs came to, and what is wrong, as tables."""
    from results.tables import csv_text, markdown_table, markdown_text, print_tables

    wrong = [(run["run"], fault) for run in documents for fault in run["wrong"]]
    if form == "csv":
        keys = [key for key in documents[0] if key != "wrong"]
        print_lines(csv_text(keys, [[_plain(run[key]) for key in keys] for run in documents]))
        for run, fault in wrong:
            print_line(f"{run}: {_place(fault)}: {fault['reason']}", aside=True)
        return
    tables = [_verified_table(documents), *([_wrong_table(wrong)] if wrong else [])]
    # Of a run that can't be opened it is told above what to do.
    damaged = [run["run"] for run in documents if run["wrong"] and run["chunks_planned"]]
    mending = [f"to play what is damaged again: dicecup jobs repair {shlex.quote(run)}" for run in damaged]
    if form == "markdown":
        print_lines(
            "\n".join([*map(markdown_table, tables), *(f"{markdown_text(line)}\n" for line in mending)])
        )
        return
    print_tables(tables, sys.stdout)
    for line in mending:
        print_line(line)


def _verified_table(documents: list[dict[str, Any]]) -> Table:
    from jobs.reporting import size_text
    from jobs.service.tables import Columns, fitting_table, of_text, whole_words
    from results.tables import ABSENT, Heading

    columns: Columns = {
        "run": (whole_words("run"), [run["run"] for run in documents]),
        "name": (whole_words("run"), _names(documents)),
        "whole": (whole_words("whole"), ["yes" if run["whole"] else "NO" for run in documents]),
        "chunks": (Heading("chunks"), [f"{run['chunks']:,}" for run in documents]),
        "planned": (Heading("planned"), [f"{run['chunks_planned']:,}" for run in documents]),
        "of": (Heading("chunks"), [of_text(run["chunks"], run["chunks_planned"]) for run in documents]),
        "games": (Heading("games"), [f"{run['games']:,}" for run in documents]),
        "size": (Heading("size"), [size_text(run["bytes"]) for run in documents]),
        "rows": (whole_words("rows"), [run["rows"] or ABSENT for run in documents]),
    }
    return fitting_table(
        "",
        columns,
        "run whole chunks planned games size rows",
        "run whole of games rows",
        "name whole of games rows",
        "name whole of rows",
        "name whole of",
        "name whole",
    )


def _wrong_table(wrong: list[tuple[str, dict[str, Any]]]) -> Table:
    from jobs.service.tables import fitting_table, whole_words
    from results.tables import Heading

    columns = {
        "run": (whole_words("run"), [run for run, _ in wrong]),
        "name": (whole_words("run"), _names([{"run": run} for run, _ in wrong])),
        "where": (whole_words("where"), [_place(fault) for _, fault in wrong]),
        "why": (Heading("what is wrong", "words"), [fault["reason"] for _, fault in wrong]),
    }
    is_one = len({run for run, _ in wrong}) == 1
    return fitting_table("Wrong", columns, "run where why", "where why" if is_one else "name where why")


def _names(documents: list[dict[str, Any]]) -> list[str]:
    """Returns the names of runs, or their places where two have one name."""
    places = {run["run"] for run in documents}
    names = {place: place.rstrip("/").rpartition("/")[2] for place in places}
    return [names[run["run"]] if len(set(names.values())) == len(places) else run["run"] for run in documents]


def _place(fault: dict[str, Any]) -> str:
    return fault["file"] if fault["chunk"] is None else f"match {fault['match']}, chunk {fault['chunk']}"


def _plain(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value
