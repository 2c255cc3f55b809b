"""The command dicecup exact: what strategies come to, computed and not played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from jobs.catalogue import format_option
from results.commands import Place
from results.printing import print_json, print_line, print_lines

if TYPE_CHECKING:
    from jobs.exact_values import Evaluations
    from jobs.plan import MatchPlan
    from results.exact import MatchValues
    from results.location import Location
    from results.store import Match, Run

TWO_FORMS = (
    "give the folder of a run, as in:\n  dicecup exact runs/cheerio-ab12cd34ef56\nor rulesets and lineups, as in:\n"
    "  dicecup exact --ruleset cheerio --lineup greedy,par"
)


@click.command(
    epilog="Examples: dicecup exact --ruleset cheerio-bonus --lineup greedy,par --regret; "
    "dicecup exact runs/cheerio-ab12cd34ef56"
)
@click.argument("run", required=False, type=Place())
@click.option(
    "--ruleset", "-r", "rulesets", multiple=True, help="A ruleset by name or TOML file; may be repeated."
)
@click.option(
    "--lineup",
    "-l",
    "lineups",
    multiple=True,
    help="Strategies by seat, as greedy,par or mine.py:Bold; one alone plays solitaire; may be repeated.",
)
@click.option(
    "--match",
    "number",
    type=click.IntRange(min=0),
    help="Only the match of this number of RUN.  [default: all]",
)
@click.option("--regret", is_flag=True, help="Tell too where points are lost against perfect play.")
@format_option
@click.option("--quiet", "-q", is_flag=True, help="No progress and no remarks on stderr.")
def exact(
    run: Location | None,
    rulesets: Sequence[str],
    lineups: Sequence[str],
    number: int | None,
    regret: bool,
    form: str,
    quiet: bool,
) -> None:
    """Compute what strategies score and who wins, exactly and without playing.

    For strategies that see their own sheet alone: mean, spread and whole distribution of the score, what each category
    brings, and how often each side wins or ties. Given RUN, all is kept in its folder, where dicecup summary finds it
    and shows it beside what was played.
    """
    if run is not None and (rulesets or lineups):
        raise click.UsageError("a run and --ruleset or --lineup are given; give one or the other")
    if run is not None:
        _answer_run(run, number, regret, form, quiet)
        return
    if number is not None:
        raise click.UsageError(f"--match {number} is of a run, and none is given; {TWO_FORMS}")
    if not (rulesets and lineups):
        raise click.UsageError(f"{_lacking(rulesets, lineups)}: {TWO_FORMS}")
    _answer_lineups(rulesets, lineups, regret, form, quiet)


def _lacking(rulesets: Sequence[str], lineups: Sequence[str]) -> str:
    return "no --lineup is given" if rulesets else "no --ruleset is given" if lineups else "nothing is given"


def _answer_lineups(
    rulesets: Sequence[str], lineups: Sequence[str], regret: bool, form: str, quiet: bool
) -> None:
    from jobs.commands import split_lineup
    from jobs.exact_values import Evaluations, reasons_not_exact
    from jobs.job import build_job
    from jobs.means import usual_workers
    from jobs.plan import plan_job
    from results.exact_document import exact_document
    from results.schema import SCHEMA_VERSION

    plan = plan_job(build_job(rulesets, [split_lineup(text) for text in lineups]))
    evaluations = Evaluations(regret, usual_workers(), quiet)
    found = [evaluations.match_values(match, reasons_not_exact(match)) for match in plan.matches]
    _require_any(found, evaluations, "It can be simulated: dicecup run")
    documents = [
        exact_document(match.match, values, regret) for match, values in zip(plan.matches, found, strict=True)
    ]
    head: dict[str, Any] = {"schema_version": SCHEMA_VERSION}
    document = head | (documents[0] if len(documents) == 1 else {"matches": documents})
    _print_exact("", documents, document, form)


def _answer_run(path: Location, number: int | None, regret: bool, form: str, quiet: bool) -> None:
    from jobs.exact_values import Evaluations, computing_code
    from jobs.means import usual_workers
    from jobs.progress import note
    from results.exact import keep_exact, load_exact
    from results.exact_document import exact_document
    from results.schema import SCHEMA_VERSION
    from results.store import Run

    run = Run.open(path)
    matches = run.matches if number is None else (run.match(number),)
    kept, remarks = load_exact(run)
    for remark in () if quiet else remarks:
        note(remark)
    evaluations = Evaluations(regret, usual_workers(), quiet)
    found = _run_values(run, matches, kept, regret, evaluations)
    _require_any(list(found.values()), evaluations, f"What was played is told by dicecup summary {run.path}")
    documents = [exact_document(match, found[match.number], regret) for match in matches]
    document = {
        "schema_version": SCHEMA_VERSION,
        "run": str(run.path),
        "job": run.name,
        "matches": documents,
    }
    try:
        if any(kept.get(match) is not values for match, values in found.items()):
            place = keep_exact(run, kept | found, computing_code())
            if not quiet:
                note(f"kept in {place}, for dicecup summary {run.path}")
    finally:
        # Where nothing can be written the answer is given all the same.
        _print_exact(run.name, documents, document, form)


def _run_values(
    run: Run,
    matches: Sequence[Match],
    kept: dict[int, MatchValues],
    regret: bool,
    evaluations: Evaluations,
) -> dict[int, MatchValues]:
    """Returns the exact values of matches of a run, those that are kept and still hold as they are."""
    from jobs.exact_values import reasons_not_exact

    found = {}
    for match in matches:
        plan, changed = _match_plan(run, match)
        reasons = reasons_not_exact(plan, changed)
        known = kept.get(match.number)
        if known is None or known.not_exact != reasons or (regret and not known.has_regret):
            known = evaluations.match_values(plan, reasons)
        found[match.number] = known
    return found


def _match_plan(run: Run, match: Match) -> tuple[MatchPlan, list[str]]:
    """Builds a match of a run again, without the strategies that are not what they were, which are named beside it.

    JobError where this dicecup plays other games than the one that made it.
    """
    from jobs.errors import JobError
    from jobs.plan import ENGINE_VERSION, MatchPlan
    from jobs.rebuild import rebuild_players, rebuild_rules

    if run.manifest["engine_version"] != ENGINE_VERSION:
        raise JobError(
            f"{run.path} was played by engine version {run.manifest['engine_version']}, this is {ENGINE_VERSION}; "
            "use the dicecup that made it (see versions in its manifest.json)"
        )
    ruleset = rebuild_rules(run, match)
    players, changed = rebuild_players(run, match)
    seated = tuple(players[label] for label in match.lineup if label in players)
    return MatchPlan(match, ruleset, seated, run.seed), changed


def _require_any(found: Sequence[MatchValues], evaluations: Evaluations, remedy: str) -> None:
    """Raises JobFailed with the reasons, and with what to do, where nothing could be evaluated at all."""
    from jobs.errors import JobFailed
    from results.exact import not_exact_lines

    if any(values.strategies for values in found):
        return
    if evaluations.failures:
        raise JobFailed("\n".join(evaluations.failures))
    entries = [
        {"strategy": label, "reason": reason}
        for values in found
        for label, reason in values.not_exact.items()
    ]
    told = " ".join(dict.fromkeys(not_exact_lines(entries)))
    raise JobFailed(f"nothing here can be evaluated exactly. {told} {remedy}")


def _print_exact(job: str, matches: list[dict[str, Any]], document: dict[str, Any], form: str) -> None:
    """Prints exact values in a format; `job` names the job of a run."""
    import sys

    from results.exact_tables import csv_exact, match_lines, match_tables
    from results.summary_tables import match_title
    from results.tables import draws_ascii_only, markdown_table, markdown_text, print_tables

    if form == "json":
        print_json(document)
    elif form == "csv":
        print_lines(csv_exact(matches))
    elif form == "markdown":
        paragraphs = [f"# {markdown_text(job)}"] if job else []
        for match in matches:
            paragraphs += [f"## {markdown_text(match_title(match))}", *map(markdown_text, match_lines(match))]
            paragraphs += [markdown_table(table).rstrip("\n") for table in match_tables(match)]
        print_lines("\n\n".join(paragraphs))
    else:
        ascii_only = draws_ascii_only(sys.stdout)
        for place, match in enumerate(matches):
            if place:
                print_line()
            print_tables(match_tables(match, ascii_only), sys.stdout, match_title(match), match_lines(match))
