"""The commands that play: dicecup run and dicecup resume."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jobs.service.commands import place_of, run_argument
from results.commands import FORMATS, Place
from results.printing import print_lines

if TYPE_CHECKING:
    from jobs.job import Overrides
    from jobs.means import Means
    from jobs.plan import JobPlan
    from results.location import Location

TWO_FORMS = (
    "give a job file, as in:\n  dicecup run job.toml\nor rulesets and lineups, as in:\n"
    "  dicecup run --ruleset {} --lineup {} --games 1M"
)


_MEANS = (
    click.option(
        "--on",
        type=click.Choice(("auto", "here", "ray")),
        default="auto",
        show_default=True,
        help="Play in this process, or on Ray; auto takes Ray where its start pays.",
    ),
    click.option(
        "--workers", type=click.IntRange(1, 10_000), help="CPUs that play at a time.  [default: all]"
    ),
    click.option("--address", help="Ray cluster to play on, as host:port.  [default: one of its own]"),
)
_QUIET = click.option("--quiet", "-q", is_flag=True, help="No progress and no remarks on stderr.")


class Games(click.ParamType[int]):
    """A number of games, as 1_000_000, 1e6, 1M or 10k."""

    name = "games"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Reads the number."""
        from jobs.orders import read_games

        try:
            return read_games(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


def seed_option(usual: str = "drawn and printed") -> Callable[[Any], Any]:
    """Returns what adds --seed, with the default that its help tells."""
    return click.option(
        "--seed", type=click.IntRange(0, 2**64 - 1), help=f"Seed of all dice.  [default: {usual}]"
    )


def root_option(command: Any) -> Any:
    """Adds --root."""
    return click.option(
        "--root",
        type=Place(),
        default="runs",
        show_default=True,
        help="Folder that holds runs, or s3://bucket/name.",
    )(command)


def means_options(command: Any) -> Any:
    """Adds the options that say where a run is played."""
    return _with_options(command, (*_MEANS, _QUIET))


def playing_options(command: Any) -> Any:
    """Adds the options that say how a run is played and told; none of them changes what is stored."""
    options = (
        click.option("--format", "form", type=click.Choice(FORMATS), default="table", show_default=True,
                     help="How the answer is written."),
        click.option("--summary/--no-summary", "summarised", default=None,
                     help="Follow a complete run with who wins.  [default: with --format table]"),
    )  # fmt: skip
    return _with_options(command, (*_MEANS, *options, _QUIET))


def _with_options(command: Any, options: Sequence[Any]) -> Any:
    for option in reversed(options):
        command = option(command)
    return command


@click.command(
    epilog="Examples: dicecup run --ruleset cheerio --lineup greedy,par --games 1M --seed 7; "
    "dicecup run --ruleset ceelo-bank --lineup flat,bold,martingale --games 1M; "
    "dicecup run --ruleset cheerio --lineup greedy,par --until 'par - greedy: +-0.5%'"
)
@click.argument("jobs", metavar="[JOB]...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--ruleset", "-r", "rulesets", multiple=True, help="A ruleset by name or TOML file; may be repeated."
)
@click.option(
    "--lineup",
    "-l",
    "lineups",
    multiple=True,
    help="Strategies by seat, as greedy,par or greedy:upper=0.5,mine.py:Bold; teams by side, as "
    "par+greedy,nets+nets; may be repeated.",
)
@click.option(
    "--games",
    "-n",
    type=Games(),
    help="Games of each match, rounded up to whole deals.  [default: the file's, or 100k; with --until at most 10M]",
)
@seed_option("the file's, or drawn and printed")
@click.option(
    "--name",
    help="Name of the job, of which the run's folder is made.  [default: the file's or the ruleset's; quick where "
    "there are several rulesets]",
)
@root_option
@click.option(
    "--chunk",
    type=click.IntRange(1),
    help="Deals of one chunk.  [default: the file's, or by the games of the match]",
)
@click.option(
    "--luck",
    is_flag=True,
    default=None,
    help="Keep the luck of every side's dice, too, so that the summary also tells figures adjusted for it, with much "
    "narrower intervals; not with steals, a clock, or Cee-lo.",
)
@click.option(
    "--until",
    "questions",
    multiple=True,
    metavar="QUESTION",
    help='Play until something is known, as "par - greedy: +-0.1%" (of the credit), "+-0.5 points" (of the score), '
    '"better or not", or "better or not by 0.2%"; --games is the most then; may be repeated.',
)
@click.option(
    "--plan",
    "planned",
    is_flag=True,
    help="Tell how many games the questions need and how long that takes here, from a few that are played; store "
    "nothing.",
)
@click.option("--force", is_flag=True, help="Replace a run of this job that is there already.")
@click.option(
    "--dry-run", is_flag=True, help="Show the job, its chunks, and about what it takes; play nothing."
)
@playing_options
def run(
    jobs: Sequence[Path],
    rulesets: Sequence[str],
    lineups: Sequence[str],
    games: int | None,
    seed: int | None,
    name: str | None,
    root: Location,
    chunk: int | None,
    luck: bool | None,
    questions: Sequence[str],
    planned: bool,
    force: bool,
    dry_run: bool,
    form: str,
    summarised: bool | None,
    **means: Any,
) -> int | None:
    """Play a job: from JOB, a TOML file, or every --ruleset with every --lineup.

    The run goes to ROOT/<name>-<digest>. What is there of it already is not played again. With --until, matches stop
    once their questions are answered; the answers hold at 95 % however often they were looked at. Several JOBs, a
    folder of them, or a queue file (jobs = ["a.toml", "b.toml"]) are played one after another.
    """
    # Imported here, so that the help of all commands stays instant.
    from jobs.job import Overrides, build_job, load_job
    from jobs.means import Means
    from jobs.plan import plan_job
    from jobs.progress import note
    from jobs.reporting import dry_run_text, planning_lines, print_outcome
    from jobs.running import complete_run

    overrides = Overrides(name, seed, games, chunk, luck, tuple(questions) or None)
    if jobs and (rulesets or lineups):
        raise click.UsageError("a job file and --ruleset or --lineup are given; give one or the other")
    if _is_queue(jobs):
        return _run_queue(jobs, overrides, root, planned, dry_run, force, form, summarised, Means(**means))
    if not jobs and not (rulesets and lineups):
        lacking = (
            "no --lineup is given" if rulesets else "no --ruleset is given" if lineups else "nothing is given"
        )
        raise click.UsageError(f"{lacking} to play: {TWO_FORMS.format(*_example(rulesets))}")
    asked = (
        load_job(jobs[0], overrides)
        if jobs
        else build_job(rulesets, [split_lineup(text) for text in lineups], overrides)
    )
    plan = plan_job(asked)
    folder = root / f"{asked.name}-{asked.digest}"
    if not means["quiet"]:
        for line in planning_lines(plan):
            note(line)
    if planned:
        _require_plannable(asked.has_questions, dry_run)
        _print_plan(plan, Means(**means), form)
        return None
    if dry_run:
        print_lines(dry_run_text(plan, folder, form))
        return None
    print_outcome(complete_run(plan, folder, Means(**means), force), form, summarised)
    return None


def _is_queue(jobs: Sequence[Path]) -> bool:
    if not jobs:
        return False
    from jobs.queue import is_queue

    return is_queue(jobs)


def _run_queue(
    jobs: Sequence[Path],
    overrides: Overrides,
    root: Location,
    planned: bool,
    dry_run: bool,
    force: bool,
    form: str,
    summarised: bool | None,
    means: Means,
) -> int:
    from jobs.queue import load_queue, play_queue
    from jobs.reporting import dry_run_document, dry_run_rows, dry_run_text
    from results.printing import print_json
    from results.tables import csv_rows

    if planned or overrides.name is not None:
        option = "--plan" if planned else "--name"
        raise click.UsageError(f"{option} goes with one job; several are given, leave it out")
    queue = load_queue(jobs, overrides, root)
    if dry_run and form == "json":
        told = [{"job": str(job.file), **dry_run_document(job.plan, job.folder)} for job in queue]
        print_json({"jobs": told})
        return 0
    if dry_run and form == "csv":
        print_lines(
            csv_rows([{"job": str(job.file), **row} for job in queue for row in dry_run_rows(job.plan)])
        )
        return 0
    if dry_run:
        texts = [dry_run_text(job.plan, job.folder, form, str(job.file)) for job in queue]
        print_lines("\n\n".join(texts))
        return 0
    return play_queue(queue, means, force, form, summarised)


@click.command(epilog="Example: dicecup resume runs/cheerio-ab12cd34ef56")
@run_argument
@playing_options
def resume(run: str, root: Location, form: str, summarised: bool | None, **means: Any) -> None:
    """Play what RUN, the folder of a run, still lacks.

    RUN may also be the name of a run, or what its digest begins with. The job is read from its manifest. Strategies and
    dicecup must be those that began it.
    """
    from jobs.means import Means
    from jobs.plan import plan_job
    from jobs.rebuild import rebuild_job
    from jobs.reporting import print_outcome
    from jobs.running import complete_run
    from results.store import Run

    place = place_of(run, root)
    plan = plan_job(rebuild_job(Run.open(place)))
    print_outcome(complete_run(plan, place, Means(**means)), form, summarised)


def _print_plan(plan: JobPlan, means: Means, form: str) -> None:
    from jobs.means import usual_workers
    from jobs.pilot import pilot_document
    from jobs.pilot_tables import print_plan

    print_plan(pilot_document(plan, means.workers or usual_workers(), means.quiet), form)


def _require_plannable(has_questions: bool, dry_run: bool) -> None:
    if not has_questions:
        raise click.UsageError(
            "--plan tells how many games a question needs, and none is asked; "
            'ask one, as --until "par - greedy: +-0.1%"'
        )
    if dry_run:
        raise click.UsageError("--plan and --dry-run are given; give one or the other")


def _example(rulesets: Sequence[str]) -> tuple[str, str]:
    """Returns a ruleset and a lineup to show: of the ruleset that is given, or of the usual game."""
    from jobs.games import COMMANDS, rules_text_of
    from sim.ruleset import load_ruleset

    for name in rulesets:
        ruleset = load_ruleset(name)
        lineup = rules_text_of(ruleset.game).EXAMPLE
        if lineup.count(",") + 1 in ruleset.players:
            return name, lineup
    usual = rules_text_of(next(iter(COMMANDS)))
    return usual.USUAL, usual.EXAMPLE


def split_lineup(text: str) -> list[str]:
    """Splits `greedy,par` into the words of its seats."""
    words = [word.strip() for word in text.split(",")]
    if not all(words):
        raise click.UsageError(
            f"--lineup {shlex.quote(text)} leaves a seat empty; name one strategy a seat, as greedy,par"
        )
    return words
