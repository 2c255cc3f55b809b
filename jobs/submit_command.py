"""The command that gives a job to a cluster: dicecup submit."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jobs.commands import Games, seed_option
from results.commands import FORMATS, Place

if TYPE_CHECKING:
    from jobs.plan import JobPlan
    from results.location import Location


@click.command(
    epilog="Example: dicecup submit evening.toml --address http://head:8265 --root s3://bucket/runs"
)
@click.argument("job", type=click.Path(path_type=Path))
@click.option("--address", required=True, help="The cluster's dashboard, as http://host:8265.")
@click.option(
    "--root",
    type=Place(),
    required=True,
    help="Where the run goes: s3://bucket/name, or an absolute path that all machines of the cluster share.",
)
@click.option("--workers", type=click.IntRange(1, 10_000), help="CPUs that play at a time.  [default: all]")
@click.option("--games", "-n", type=Games(), help="Games of each match, in place of the file's.")
@seed_option("the file's, or drawn and printed")
@click.option("--name", help="Name of the job, in place of the file's.")
@click.option("--chunk", type=click.IntRange(1), help="Deals of one chunk, in place of the file's.")
@click.option("--luck", is_flag=True, default=None, help="Keep the luck of every side's dice, too.")
@click.option(
    "--until", "questions", multiple=True, metavar="QUESTION", help="As of dicecup run; may be repeated."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="table",
    show_default=True,
    help="How the answer is written.",
)
@click.option("--quiet", "-q", is_flag=True, help="No remarks on stderr.")
def submit(
    job: Path,
    address: str,
    root: Location,
    workers: int | None,
    games: int | None,
    seed: int | None,
    name: str | None,
    chunk: int | None,
    luck: bool | None,
    questions: Sequence[str],
    form: str,
    quiet: bool,
) -> None:
    """Give JOB, a TOML file, to a cluster that plays it by itself.

    The job is checked here; its rulesets and strategies travel with it. The cluster has the same dicecup, and for a
    store the credentials: AWS_ACCESS_KEY_ID and the like in the environment that Ray was started in. They never
    travel, as what travels is shown on the dashboard; AWS_ENDPOINT_URL and AWS_REGION do. The cluster's token is taken
    from RAY_AUTH_TOKEN, RAY_AUTH_TOKEN_PATH or ~/.ray/auth_token. A job that has ended may be submitted again, and
    goes on where its run is.
    """
    from jobs.job import Overrides, load_job
    from jobs.plan import plan_job
    from jobs.progress import note
    from jobs.reporting import planning_lines
    from jobs.submission import require_address

    address = require_address(address)
    if isinstance(root, Path) and not root.is_absolute():
        raise click.UsageError(
            f"--root {root} is relative, and the cluster has another working folder; give s3://bucket/name, or an "
            "absolute path that all its machines share"
        )
    plan = plan_job(load_job(job, Overrides(name, seed, games, chunk, luck, tuple(questions) or None)))
    if not quiet:
        for line in planning_lines(plan):
            note(line)
    _print_submitted(_submit(plan, address, root, workers), form)


def _submit(plan: JobPlan, address: str, root: Location, workers: int | None) -> dict[str, Any]:
    """Submits a planned job, and returns what to tell of that."""
    import tempfile
    from importlib.metadata import version

    from jobs.bundle import START, write_bundle
    from jobs.submission import VERSION_KEY, submit
    from results.lock import this_user
    from results.schema import SCHEMA_VERSION

    job, own = plan.job, version("dicecup")
    run = str(root / f"{job.name}-{job.digest}")
    wanted = {
        VERSION_KEY: own,
        "run": run,
        "name": job.name,
        "digest": job.digest,
        "games": str(plan.games),
        "seed": str(job.seed),
        "user": this_user(),
    }
    with tempfile.TemporaryDirectory(prefix="dicecup-") as folder:
        file = write_bundle(plan, Path(folder))
        words = [START, own, "run", file, "--root", str(root)]
        words += ["--workers", str(workers)] if workers else []
        # The shell becomes dicecup, so that Ray's stop reaches it; Ray says where the cluster is.
        python = "$(command -v python || command -v python3)"
        entrypoint = f'exec {python} {shlex.join(words)} --address "$RAY_ADDRESS"'
        submission = submit(address, folder, entrypoint, wanted, not isinstance(root, Path))
    return {
        "schema_version": SCHEMA_VERSION,
        "submission": submission,
        "address": address,
        "run": run,
        "seed": job.seed,
        "games": plan.games,
        "complete": False,
    }


def _print_submitted(document: dict[str, Any], form: str) -> None:
    from jobs.reporting import fact_items, fact_lines
    from results.printing import print_json, print_lines
    from results.tables import csv_rows

    if form == "json":
        print_json(document)
        return
    plain = {key: value for key, value in document.items() if key not in ("schema_version", "complete")}
    if form == "csv":
        print_lines(csv_rows([plain]))
        return
    words = f"{shlex.quote(document['submission'])} --address {shlex.quote(document['address'])}"
    facts = [
        *((key, f"{value:,}" if key == "games" else str(value)) for key, value in plain.items()),
        ("look", f"dicecup jobs show {words}"),
        ("logs", f"dicecup jobs logs {words}"),
        ("stop", f"dicecup jobs cancel {words}"),
        ("summary", f"dicecup summary {shlex.quote(document['run'])}"),
    ]
    print_lines("\n".join((fact_items if form == "markdown" else fact_lines)(facts)))
