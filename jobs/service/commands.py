"""The commands that look after runs: dicecup jobs, and what may follow it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from jobs.catalogue import format_option
from jobs.spelling import require_known
from results.commands import TABLE_FORMATS, Place
from results.printing import print_line, print_lines

if TYPE_CHECKING:
    from jobs.service.listing import Found
    from results.location import Location

#: Seconds that a holder has to answer a request to stop: the chunks under way are finished first.
STOP_SECONDS = 60.0


def run_argument(command: Any) -> Any:
    """Adds RUN and --root, below which RUN may be a name."""
    command = click.option(
        "--root",
        type=Place(),
        default="runs",
        show_default=True,
        help="Where RUN is looked for by name, or by what its digest begins with.",
    )(command)
    return click.argument("run")(command)


def address_option(command: Any) -> Any:
    """Adds --address of a cluster that jobs were submitted to."""
    return click.option(
        "--address", help="The dashboard of the cluster that it was submitted to, as http://host:8265."
    )(command)


def place_of(run: str, root: Location) -> Location:
    """Returns the folder of a run that a user names."""
    from jobs.service.listing import find_run
    from results.location import read_location

    return find_run(run, read_location(run), root)


class JobsContents(click.Group):
    """A group whose longer commands are imported when they are asked for."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds a command; an unknown one is answered with names near it, as dicecup does."""
        require_known(ctx, args, self.list_commands(ctx))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the commands with the whole first sentence of each."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, command.get_short_help_str(limit=200)) for name, command in commands if command]
            )

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Returns the names in the order in which they are of use."""
        return [*super().list_commands(ctx), "verify", "repair"]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports what stands in a file of its own."""
        if cmd_name == "verify":
            from jobs.service.verify_command import verify

            return verify
        if cmd_name == "repair":
            from jobs.service.repair_command import repair

            return repair
        return super().get_command(ctx, cmd_name)


@click.group(
    cls=JobsContents,
    invoke_without_command=True,
    epilog="Examples: dicecup jobs; dicecup jobs show runs/cheerio-ab12cd34ef56; dicecup jobs cancel pairs",
)
@click.option(
    "--root", type=Place(), default="runs", show_default=True, help="Folder, or s3://bucket/name, of runs."
)
@click.option("--address", help="List what was submitted to the cluster at http://host:8265 instead.")
@format_option
@click.pass_context
def jobs(ctx: click.Context, root: Location, address: str | None, form: str) -> None:
    """List the runs below a root, or look after one of them.

    A run is planned, running, interrupted, complete or damaged. Damaged are those whose files are missing or cut short;
    dicecup jobs verify reads every byte.
    """
    if ctx.invoked_subcommand is not None:
        # What stands before the command is meant for it, too.
        values = {"root": str(root), "address": address, "form": form}
        ctx.default_map = {
            ctx.invoked_subcommand: {name: values[name] for name in given_options(ctx) & values.keys()}
        }
        return
    if address is not None:
        from jobs.service.submitted import list_submitted

        list_submitted(address, form, root if "root" in given_options(ctx) else None)
        return
    from jobs.service.listing import find_runs
    from jobs.service.printed import print_found
    from jobs.service.tables import runs_table
    from results.schema import SCHEMA_VERSION

    found = [one.document() for one in find_runs(require_root(root, "root" in given_options(ctx)))]
    document = {"schema_version": SCHEMA_VERSION, "root": str(root), "runs": found}
    if not found and form == "table":
        print_line(f"{root} holds no runs; dicecup run makes one")
        return
    print_found(form, document, found, [runs_table(found)])
    for one in found:
        if "reason" in one and form == "table":
            print_line(f"{one['run']}: {one['reason']}")


@jobs.command(epilog="Example: dicecup jobs show runs/cheerio-ab12cd34ef56")
@run_argument
@address_option
@format_option
def show(run: str, root: Location, address: str | None, form: str) -> None:
    """Show one run: its job, how far each match is, who played it when, and how to go on."""
    from jobs.service.listing import look_at
    from jobs.service.printed import print_found
    from jobs.service.tables import job_lines, shown_document, shown_lines, shown_tables

    if address is not None:
        from jobs.service.submitted import show_submitted

        show_submitted(address, run, root, form)
        return
    found = look_at(place_of(run, root))
    _require_readable(found)
    document = shown_document(found)
    tables = shown_tables(document)
    print_found(form, document, document["matches"], tables, lines=shown_lines(document))
    if form in TABLE_FORMATS:
        print_lines("\n".join(job_lines(document)))


@jobs.command(epilog="Example: dicecup jobs watch runs/cheerio-ab12cd34ef56")
@run_argument
@address_option
def watch(run: str, root: Location, address: str | None) -> int:
    """Watch a run until it is complete, or nobody plays it any more.

    What counts is what is stored. Ctrl-C ends the watching alone. With --address, what a submitted job says is shown
    until it ends. Ends with code 3 where not all games are stored, or the job failed or was stopped.
    """
    if address is not None:
        from jobs.service.submitted import watch_submitted

        return watch_submitted(address, run)
    from jobs.errors import INCOMPLETE
    from jobs.progress import Progress
    from jobs.service.listing import look_at
    from results.location import ObjectPath
    from results.lock import Heartbeat

    place = place_of(run, root)
    found = look_at(place)
    _require_readable(found)
    pause, alive = 5.0 if isinstance(place, ObjectPath) else 1.0, Heartbeat(place)
    with Progress(found.planned, found.games, quiet=False) as progress:
        games = found.games
        while alive.is_there():
            time.sleep(pause)
            found = look_at(place, ends=False)
            if found.games > games:
                progress.advance(found.games - games)
                games = found.games
    found = look_at(place)
    _require_readable(found)
    print_line(f"{found.games:,} of {found.planned:,} games are stored: {found.state}")
    if found.state == "complete":
        return 0
    print_line(_going_on(found))
    return INCOMPLETE


@jobs.command(epilog="Example: dicecup jobs logs pairs --follow --address http://head:8265")
@run_argument
@address_option
@click.option("--follow", "-f", is_flag=True, help="With --address: go on until the job ends.")
def logs(run: str, root: Location, address: str | None, follow: bool) -> None:
    """Print what was said while a run was played, session by session.

    With --address, print what the job said that was submitted to a cluster.
    """
    if address is not None:
        from jobs.service.submitted import print_submitted_logs

        print_submitted_logs(address, run, follow)
        return
    if follow:
        raise click.UsageError("--follow goes with --address; dicecup jobs watch follows a run")
    from jobs.service.listing import look_at

    found = look_at(place_of(run, root))
    _require_readable(found)
    for session in found.sessions:
        submission = f", submitted as {session.submission}" if session.submission else ""
        print_line(f"{session.started} {session.owner}, process {session.pid}: {session.plays}{submission}")
        for line in session.lines:
            # What begins the session is said above.
            if not line.endswith(f" {session.plays}"):
                print_line(f"  {line}")
        ending = session.outcome or "no end is known: it still plays, or was killed"
        print_line(f"{session.ended or '-'} {session.played:,} games in {session.seconds:,.1f} s: {ending}")
    if not found.sessions:
        print_line(f"{found.place} was not played by this version of dicecup, or could not say so")


@jobs.command(epilog="Example: dicecup jobs cancel runs/cheerio-ab12cd34ef56")
@run_argument
@address_option
def cancel(run: str, root: Location, address: str | None) -> None:
    """Have whoever plays a run stop; the chunks under way are finished and stored first.

    With --address, Ray stops the job that was submitted to a cluster.
    """
    if address is not None:
        from jobs.service.submitted import cancel_submitted

        cancel_submitted(address, run)
        return
    from jobs.errors import JobFailed
    from jobs.service.listing import look_at
    from results.lock import SILENT_SECONDS, Heartbeat, holders, request_stop, this_process

    found = look_at(place_of(run, root))
    _require_readable(found)
    alive = Heartbeat(found.place)
    if not alive.is_there():
        print_line(f"nobody plays {found.place}, which is {found.state}")
        return
    request_stop(found.place, this_process())
    print_line(f"{alive.owner} is asked to stop {found.place}")
    end = time.monotonic() + STOP_SECONDS
    while alive.is_there():
        if time.monotonic() > end:
            raise JobFailed(
                f"{alive.owner} has not stopped in {STOP_SECONDS:.0f} s. Its chunks may be long: dicecup jobs watch "
                f"{found.place} tells when it has. If it hangs, end its process; what is stored is whole."
            )
        time.sleep(0.5)
    found = look_at(found.place, ends=False)
    _require_readable(found)
    if holders(found.place):
        print_line(f"{alive.owner} has been silent for {SILENT_SECONDS:.0f} s and counts as gone")
        return
    print_line(f"stopped: {found.games:,} of {found.planned:,} games are stored. {_going_on(found)}")


def given_options(ctx: click.Context) -> set[str]:
    """Returns the names of what a command was told, and did not take by default."""
    default = click.core.ParameterSource.DEFAULT
    return {name for name in ctx.params if ctx.get_parameter_source(name) is not default}


def require_root(root: Location, given: bool) -> Location:
    """Returns a root; raises JobError where one that is given is no folder: a slip of the pen would find nothing."""
    from jobs.errors import JobError
    from results.location import ObjectPath

    if isinstance(root, ObjectPath) or root.is_dir() or not (given or root.exists()):
        return root
    kind = "is a file" if root.exists() else "does not exist"
    raise JobError(f"--root {root} {kind}; give the folder that holds the runs, or s3://bucket/name")


def _going_on(found: Found) -> str:
    from jobs.stored import resume_command

    return "" if found.state == "complete" else f"For the rest: {resume_command(found.place)}"


def _require_readable(found: Found) -> None:
    from results.errors import RunError

    if found.run is None:
        raise RunError(found.reason)
