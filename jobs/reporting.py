"""What dicecup run and dicecup resume print: the job before, the outcome after."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

from jobs.estimate import estimated_bytes, estimated_seconds
from jobs.games import rules_text_of
from jobs.plan import JobPlan, MatchPlan
from jobs.progress import duration_text
from jobs.running import Outcome
from results.location import Location
from results.printing import counted, json_text, print_json, print_line, print_lines, visible
from results.schema import SCHEMA_VERSION
from results.store import Match
from results.tables import Heading, Table, Value, csv_rows, markdown_table, markdown_text, print_tables
from results.until.stops import answer_document, stop_line


def planning_lines(plan: JobPlan) -> list[str]:
    """Returns what is told before a job is played: a drawn seed, games rounded up, what is asked for in vain."""
    job = plan.job
    lines = (
        [f"seed {job.seed} drawn; give --seed {job.seed} to play the same games"] if job.seed_drawn else []
    )
    for match_plan, asked in zip(plan.matches, job.matches, strict=True):
        match = match_plan.match
        if match.until:
            questions = "; ".join(question.text for question in match.until)
            lines.append(f"{_words(match)}: until {questions}, at most {match.games:,} games")
        if match.games != asked.games:
            lines.append(
                f"{_words(match)}: {asked.games:,} games rounded up to {match.games:,}, "
                f"{counted(match.deals, 'deal')} in {counted(match.seatings, 'seating')}"
            )
    vain = [line for match_plan in plan.matches for line in _vain_lines(match_plan)]
    return [*lines, *dict.fromkeys(vain)]


def _vain_lines(plan: MatchPlan) -> Iterator[str]:
    return rules_text_of(plan.ruleset.game).vain_lines(plan.ruleset, plan.players)


def dry_run_document(plan: JobPlan, folder: Location) -> dict[str, Any]:
    """Returns the job after defaults, its chunks, and about what it takes, as JSON tells it."""
    return {
        "schema_version": SCHEMA_VERSION,
        "run": str(folder),
        "name": plan.job.name,
        "seed": plan.job.seed,
        "games": plan.games,
        "chunks": plan.chunks,
        "estimated_core_seconds": round(estimated_seconds(plan), 1),
        "estimated_bytes": estimated_bytes(plan),
        "matches": _planned_matches(plan),
    }


def _planned_matches(plan: JobPlan) -> list[dict[str, Any]]:
    return [
        {
            "match": m.number,
            "ruleset": m.ruleset.name,
            "lineup": list(m.lineup),
            "seatings": m.seatings,
            "deals": m.deals,
            "games": m.games,
            "chunk_deals": m.chunk_deals,
            "chunks": m.chunks,
            **({"until": [question.text for question in m.until]} if plan.job.has_questions else {}),
        }
        for m in (match_plan.match for match_plan in plan.matches)
    ]


def dry_run_text(plan: JobPlan, folder: Location, form: str, job: str = "") -> str:
    """Returns the job after defaults, its chunks, and about what it takes, in a format; `job` names one of several."""
    seconds, size = estimated_seconds(plan), estimated_bytes(plan)
    most = "at most " if plan.job.has_questions else ""
    if form == "json":
        return json_text(dry_run_document(plan, folder))
    if form == "csv":
        return csv_rows(dry_run_rows(plan)).rstrip("\n")
    facts = [
        *([("job", job)] if job else []),
        ("run", str(folder)),
        ("seed", str(plan.job.seed)),
        ("games", f"{most}{plan.games:,}"),
        ("chunks", f"{most}{plan.chunks:,}"),
        ("takes", f"{most}about {duration_text(max(seconds, 1))} of one core"),
        ("stores", f"{most}about {size_text(size)}"),
    ]
    table = _matches_table(dry_run_rows(plan))
    if form == "markdown":
        return "\n".join([*fact_items(facts), "", markdown_table(table)]).rstrip("\n")
    return "\n".join([*fact_lines(facts), "", _drawn(table)]).rstrip("\n")


def dry_run_rows(plan: JobPlan) -> list[dict[str, Value]]:
    """Returns the matches of a job as rows of a table."""
    lineups = [",".join(match_plan.match.side_names) for match_plan in plan.matches]
    return [
        row | {"lineup": lineup} | ({"until": "; ".join(row["until"])} if "until" in row else {})
        for row, lineup in zip(_planned_matches(plan), lineups, strict=True)
    ]


def print_outcome(outcome: Outcome, form: str, summarised: bool | None, job: str = "") -> None:
    """Prints the outcome of a run, followed by a summary of its results where that is wanted.

    `job` names one of several.
    """
    facts = [*([("job", job)] if job else []), *_facts(outcome)]
    document = outcome_document(outcome)
    if form == "json":
        print_json(document)
    elif form == "csv":
        print_lines(csv_rows([outcome_row(outcome)]))
    elif form == "markdown":
        print_lines("\n".join(fact_items(facts)))
    else:
        print_lines("\n".join(fact_lines(facts)))
    if summarised or (summarised is None and form == "table"):
        print_summary_of(outcome, form)


def outcome_document(outcome: Outcome) -> dict[str, Any]:
    """Returns the outcome of a run as JSON has it; seconds are of this command, games of the whole run."""
    return {
        "schema_version": SCHEMA_VERSION,
        "run": str(outcome.run.path),
        "games": outcome.games,
        "played": outcome.played,
        "seconds": round(outcome.seconds, 3),
        "games_per_second": round(outcome.speed),
        "seed": outcome.run.seed,
        "rows": outcome.digest,
        "complete": True,
        **({"until": until_documents(outcome)} if outcome.answers else {}),
    }


def outcome_row(outcome: Outcome) -> dict[str, Any]:
    """Returns the outcome of a run as a row of CSV."""
    document = outcome_document(outcome)
    plain = {name: value for name, value in document.items() if not isinstance(value, (bool, list))}
    return plain | ({"until": " ".join(until_lines(outcome))} if outcome.answers else {})


def until_documents(outcome: Outcome) -> list[dict[str, Any]]:
    """Returns what the matches of a run were played until, a document for each question of a match."""
    return [
        {
            "match": match.number,
            "ruleset": match.ruleset.name,
            "lineup": list(match.lineup),
            "most_games": match.planned_deals * match.seatings,
            "stopped": match.deals < match.planned_deals,
            **answer_document(match, answer),
        }
        for match, answers in outcome.answers
        for answer in answers
    ]


def until_lines(outcome: Outcome) -> list[str]:
    """Returns for each match with questions what ended it, in words."""
    many = len(outcome.run.matches) > 1
    return [
        (f"{_words(match)}: " if many else "")
        + stop_line(match, [answer_document(match, answer) for answer in answers])
        for match, answers in outcome.answers
    ]


def fact_lines(facts: list[tuple[str, str]]) -> list[str]:
    """Returns facts one a line, their values below each other."""
    width = max(len(name) for name, _ in facts)
    return [f"{name:<{width}}  {visible(value)}" for name, value in facts]


def fact_items(facts: list[tuple[str, str]]) -> list[str]:
    """Returns facts as the items of a list in Markdown."""
    return [f"- {name}: {markdown_text(value)}" for name, value in facts]


def size_text(size: float) -> str:
    """Returns a number of bytes for people: `12.3 MB`."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"


def _facts(outcome: Outcome) -> list[tuple[str, str]]:
    path = str(outcome.run.path)
    played = [("games/s", f"{outcome.speed:,.0f}")] if outcome.played else []
    return [
        ("run", path),
        ("seed", str(outcome.run.seed)),
        ("games", f"{outcome.games:,}"),
        ("seconds", f"{outcome.seconds:.2f}"),
        *played,
        ("rows", outcome.digest),
        *(("until", line) for line in until_lines(outcome)),
        ("summary", f"dicecup summary {shlex.quote(path)}"),
    ]


def print_summary_of(outcome: Outcome, form: str) -> None:
    """Prints who won in a run."""
    if len(outcome.run.matches) == 1:
        from results.commands import print_summary
        from results.summary import summarise_run

        if form == "table":
            print_line()
        print_summary(summarise_run(outcome.run, outcome.run.matches), form, brief=True)
        return
    from results.summary import summarise_match

    print_line()
    for match in outcome.run.matches:
        document = summarise_match(outcome.run, match)
        print_line(f"{_words(match)}: {document['conclusion']}")


def _matches_table(rows: list[dict[str, Value]]) -> Table:
    headings = tuple(
        Heading(n.replace("_", " "), "words" if n in ("ruleset", "lineup", "until") else "figures")
        for n in rows[0]
    )
    cells = tuple(tuple(f"{v:,}" if isinstance(v, int) else str(v) for v in row.values()) for row in rows)
    return Table("Matches", headings, cells)


def _drawn(table: Table) -> str:
    import io

    sink = io.StringIO()
    print_tables([table], sink)
    return sink.getvalue()


def _words(match: Match) -> str:
    return f"{match.ruleset.name} {','.join(match.side_names)}"
