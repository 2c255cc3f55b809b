"""The console command: a table of contents of the commands, and how their errors become exit codes."""

from __future__ import annotations

import importlib
import io
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any

import click

from jobs.errors import FAILED, INTERRUPTED, USAGE, error_message, exit_code
from jobs.keeper import is_kept, play_as_child
from jobs.kept import note_end
from jobs.spelling import require_known
from results.printing import print_lines, set_in

#: name -> (module:attribute, short help); a command's module is imported when the command is asked for.
COMMANDS: dict[str, tuple[str, str]] = {
    "run": (
        "jobs.commands:run",
        "Play a job: from JOB, a TOML file, or every --ruleset with every --lineup.",
    ),
    "resume": ("jobs.commands:resume", "Play what RUN, the folder of a run, still lacks."),
    "jobs": ("jobs.service.commands:jobs", "List the runs below a root, or look after one of them."),
    "submit": ("jobs.submit_command:submit", "Give JOB, a TOML file, to a cluster that plays it by itself."),
    "summary": (
        "results.commands:summary",
        "Say who wins by how much, how scores spread, and how often ties occur, in RUN.",
    ),
    "compare": (
        "results.comparison.command:compare",
        "Say which strategy is better and by how much, on the same deals, in one RUN or several.",
    ),
    "report": (
        "jobs.report_command:report",
        "Write a report on RUN: who wins, how scores spread, every category, with charts, method and the job.",
    ),
    "replay": ("jobs.replay_command:replay", "Tell a game of RUN throw by throw."),
    "advise": (
        "jobs.advise_command:advise",
        "Rank what may be done with five dice by the exact mean of the points still to come.",
    ),
    "balance": (
        "jobs.balance_command:balance",
        "Tell how fair, close, long, skilled and varied the games of a ruleset are, and what a changed rule changes.",
    ),
    "exact": (
        "jobs.exact_command:exact",
        "Compute what strategies score and who wins, exactly and without playing.",
    ),
    "tips": (
        "jobs.tips_command:tips",
        "Tell what each piece of advice on how to win is worth, played with and without it on the same deals.",
    ),
    "rulesets": (
        "jobs.catalogue:rulesets",
        "List the rulesets, or show the rules of one: a shipped NAME, or a TOML FILE.",
    ),
    "strategies": (
        "jobs.catalogue:strategies",
        "List the strategies, show one in full, or check one of your own.",
    ),
}


class Contents(click.Group):
    """A group that knows its commands by name and imports each only when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Returns the names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - the same
        """Imports one command."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds the command of a line; an unknown one is answered with names near it."""
        require_known(ctx, args, COMMANDS)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Lists the commands from the table, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, short) for name, (_, short) in COMMANDS.items()])


def _print_version(ctx: click.Context, _param: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"dicecup {version('dicecup')}")
        ctx.exit()


@click.group(
    cls=Contents,
    name="dicecup",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Begin with: dicecup run --ruleset cheerio --lineup greedy,par --games 1M",
)
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_version,
    help="Show the version and exit.",
)
def dicecup(debug: bool) -> None:
    """Play parlour dice games by the million, and tell which strategy is better and by how much."""
    del debug


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs a command line and exits with its code; sys.argv where no arguments are given."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that can't show a sign gets its escape, not a traceback.
            stream.reconfigure(errors="backslashreplace")
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given[: next((i for i, word in enumerate(given) if not word.startswith("-")), None)]
    if arguments is None and is_kept(given):
        play_as_child(_say)
    code = FAILED
    try:
        code = _run(given, debug)
        sys.stdout.flush()
    except BrokenPipeError:
        _close_stdout()
    finally:
        note_end(code)
    if arguments is None and _has_threads_to_leave():
        sys.stderr.flush()
        # Python would wait for them.
        os._exit(code)
    sys.exit(code)


def _has_threads_to_leave() -> bool:
    """Tells whether threads play chunks that nobody waits for, or wait for a store that is away."""
    # What was not imported has begun none.
    execute, patience = map(sys.modules.get, ("jobs.execute", "results.patience"))
    return bool(execute and execute.has_left_threads()) or bool(
        patience and patience.store_is_away(patience.HURRIED_SECONDS)
    )


def _run(given: list[str], debug: bool) -> int:
    try:
        result: Any = dicecup.main(given, prog_name="dicecup", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except SystemExit as leaving:
        if not isinstance(leaving.__context__, BrokenPipeError):
            raise
        # The reader, such as head, has seen enough, which click takes for a failure.
        _close_stdout()
        return 0
    except (click.Abort, KeyboardInterrupt):
        _say("interrupted")
        return INTERRUPTED
    except click.ClickException as error:
        return _usage(error)
    except MemoryError:
        _say("out of memory; try fewer --workers or a smaller --chunk")
        return FAILED
    except Exception as error:
        if debug:
            print_lines(traceback.format_exc(), aside=True)
        code = exit_code(error)
        if code is None:
            _say(f"{type(error).__name__}: {error}. This is a fault of dicecup; dicecup --debug shows where")
            return FAILED
        _say(error_message(error))
        return code


def _usage(error: click.ClickException) -> int:
    context = getattr(error, "ctx", None)
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True)
        return USAGE
    path = context.command_path if context is not None else "dicecup"
    said = error.format_message().rstrip(".")
    _say(f"{said}{'' if said.endswith('?') else ';'} {path} --help shows what is allowed")
    return USAGE if isinstance(error, click.UsageError) else FAILED


def _say(message: str) -> None:
    # No name with an end of line in it begins a line as dicecup does.
    print_lines(set_in(f"dicecup: {message}"), aside=True)


def _close_stdout() -> None:
    # Python flushes stdout at its end; into nothing, as nobody reads it.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
