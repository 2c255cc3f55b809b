"""The command that reads every byte of runs: dicecup jobs verify."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from jobs.catalogue import format_option
from results.commands import Place
from results.printing import print_json, print_line, print_lines

if TYPE_CHECKING:
    from results.location import Location


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
    from jobs.errors import INCOMPLETE
    from jobs.service.commands import place_of, require_root
    from jobs.service.verifying import verified_document
    from results.schema import SCHEMA_VERSION
    from results.store import run_folders

    given = ctx.get_parameter_source("root") is not click.core.ParameterSource.DEFAULT
    places = [place_of(run, root) for run in runs] if runs else run_folders(require_root(root, given))
    if not places:
        print_line(f"{root} holds no runs", aside=True)
    documents = [verified_document(place) for place in places]
    if form == "json":
        print_json({"schema_version": SCHEMA_VERSION, "runs": documents})
    else:
        print_verified(form, documents)
    return 0 if all(run["whole"] for run in documents) else INCOMPLETE


def print_verified(form: str, documents: list[dict[str, Any]]) -> None:
    """Prints what runs came to, and what is wrong, as tables."""
    from results.tables import ABSENT, Heading, Table, csv_text, markdown_table, print_tables

    wrong = [(run["run"], fault) for run in documents for fault in run["wrong"]]
    if form == "csv":
        keys = [key for key in documents[0] if key != "wrong"] if documents else []
        print_lines(csv_text(keys, [[_plain(run[key]) for key in keys] for run in documents]))
        for run, fault in wrong:
            print_line(f"{run}: {_place(fault)}: {fault['reason']}", aside=True)
        return
    words: tuple[tuple[str, Any], ...] = (("run", "words"), ("whole", "words"))
    figures = tuple((key, "figures") for key in ("chunks", "planned", "games", "MB"))
    heads = tuple(Heading(text, kind) for text, kind in (*words, *figures, ("rows", "words")))
    rows = tuple(
        (
            run["run"], "yes" if run["whole"] else "NO", f"{run['chunks']:,}", f"{run['chunks_planned']:,}",
            f"{run['games']:,}", f"{run['bytes'] / 1e6:,.1f}", run["rows"] or ABSENT,
        )
        for run in documents
    )  # fmt: skip
    tables = [Table("", heads, rows)]
    if wrong:
        faults = tuple((run, _place(fault), fault["reason"]) for run, fault in wrong)
        named = tuple(Heading(text, "words") for text in ("run", "where", "what is wrong"))
        note = "dicecup jobs repair sets damaged parts aside and plays them again."
        tables.append(Table("Wrong", named, faults, note))
    if form == "markdown":
        print_lines("\n".join(map(markdown_table, tables)))
    else:
        print_tables(tables, sys.stdout)


def _place(fault: dict[str, Any]) -> str:
    return fault["file"] or f"match {fault['match']}, chunk {fault['chunk']}"


def _plain(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value
