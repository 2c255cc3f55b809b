"""The command that plays again what is damaged: dicecup jobs repair."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jobs.catalogue import format_option
from jobs.service.commands import run_argument
from results.printing import counted, print_json, print_line

if TYPE_CHECKING:
    from results.location import Location


@click.command(epilog="Example: dicecup jobs repair runs/cheerio-ab12cd34ef56")
@run_argument
@format_option
@click.option("--quiet", "-q", is_flag=True, help="No remarks on how tables are filled.")
def repair(run: str, root: Location, form: str, quiet: bool) -> int:
    """Set the damaged parts of RUN aside, play these again, and read all of it once more.

    Strategies and dicecup must be those that began it. Damaged files keep their bytes under names that end in .damaged.
    """
    from jobs.errors import INCOMPLETE
    from jobs.service.commands import place_of
    from jobs.service.repairing import repair_run
    from jobs.service.verify_command import print_verified
    from jobs.stored import resume_command
    from results.schema import SCHEMA_VERSION

    done = repair_run(place_of(run, root), quiet)
    document = {
        "schema_version": SCHEMA_VERSION,
        **done.now.document(),
        "played_again": [{"match": match, "chunk": chunk} for match, chunk in done.played],
        "set_aside": [str(path) for path in done.aside],
    }
    if form == "json":
        print_json(document)
        return 0 if done.now.is_whole else INCOMPLETE
    print_verified(form, [{key: document[key] for key in done.now.document()}])
    if form == "table":
        for path in done.aside:
            print_line(f"set aside: {path}, which may be removed")
        if local := [path for path in done.aside if isinstance(path, Path)]:
            print_line(f"to remove them: {shlex.join(['rm', '--', *map(str, local)])}")
        print_line(
            f"{counted(len(done.played), 'chunk')} played again"
            if done.played
            else "no part is damaged: nothing is played"
        )
        if done.now.is_whole and done.now.chunks < done.now.chunks_planned:
            missing = counted(done.now.chunks_planned - done.now.chunks, "chunk")
            print_line(f"{missing} to play yet: {resume_command(done.now.run.path)}")
    return 0 if done.now.is_whole else INCOMPLETE
