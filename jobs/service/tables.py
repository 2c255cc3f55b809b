"""The tables of what is found of runs, and of what was submitted."""

from __future__ import annotations

import time
from typing import Any

from jobs.job_text import job_listings
from jobs.progress import duration_text
from jobs.service.listing import Found, ago_text, games_there
from jobs.service.sessions import Session, utc_text
from jobs.stored import resume_command
from jobs.submission import Submitted
from results.files import sizes_below
from results.printing import visible
from results.schema import SCHEMA_VERSION
from results.tables import ABSENT, Heading, Table


def runs_table(runs: list[dict[str, Any]]) -> Table:
    """Returns the table of runs below a root."""
    headings = (
        Heading("run", "words"), Heading("state", "words"), Heading("games"), Heading("planned"),
        Heading("games/s"), Heading("owner", "words"), Heading("when", "words"),
    )  # fmt: skip
    rows = tuple(
        (
            run["run"].rstrip("/").rpartition("/")[2],
            run["state"],
            f"{run['games']:,}",
            f"{run['games_planned']:,}",
            f"{run['games_per_second']:,.0f}" if run["games_per_second"] else ABSENT,
            run["owner"] or ABSENT,
            ago_text(run["when"]) if run["when"] else ABSENT,
        )
        for run in runs
    )
    return Table("", headings, rows)


def shown_document(found: Found) -> dict[str, Any]:
    """Returns all that is shown of one run."""
    run = found.run
    assert run is not None
    sizes = sizes_below(found.place)
    aside = sorted(path.as_posix() for path in sizes if ".damaged" in path.name)
    return {
        "schema_version": SCHEMA_VERSION,
        **found.document(),
        "seed": run.seed,
        "bytes": sum(sizes.values()),
        "damage": found.damage,
        "set_aside": aside,
        "matches": [
            {
                "match": match.number,
                "ruleset": match.ruleset.name,
                "lineup": ",".join(match.lineup),
                "chunks": len(run.committed_chunks(match)),
                "chunks_planned": match.chunks,
                "games": games_there(run, match),
                "games_planned": match.games,
            }
            for match in run.matches
        ],
        "sessions": [session.model_dump(exclude={"lines"}) for session in found.sessions],
        "job": [{"title": listing.title, "text": listing.text} for listing in job_listings(run)],
        "resume": None if found.state in ("complete", "running") else resume_command(found.place),
    }


def shown_lines(document: dict[str, Any]) -> list[str]:
    """Returns the lines above the tables of one run."""
    when = f", {ago_text(document['when'])}" if document["when"] else ""
    stored = (
        f"{document['games']:,} of {document['games_planned']:,} games, {document['bytes'] / 1e6:,.1f} MB"
    )
    lines = [
        f"{document['run']} (seed {document['seed']})",
        f"{document['state']}: {stored}; {document['owner'] or 'nobody known'}{when}",
    ]
    lines += [f"damaged: chunk {place}: {visible(why)}" for place, why in document["damage"].items()]
    if document["set_aside"]:
        lines.append(f"set aside as damaged, which may be removed: {', '.join(document['set_aside'])}")
    if document["damage"]:
        lines.append(f"dicecup jobs repair {document['run']} plays what is damaged again")
    if document["resume"]:
        lines.append(f"for the rest: {document['resume']}")
    return lines


def job_lines(document: dict[str, Any]) -> list[str]:
    """Returns the job of one run, as a command and as a file, in lines that Markdown leaves as they are."""
    return [
        line
        for listing in document["job"]
        for line in (
            "",
            listing["title"],
            "",
            *(f"    {own}" for own in listing["text"].removesuffix("\n").split("\n")),
        )
    ]


def shown_tables(document: dict[str, Any]) -> list[Table]:
    """Returns the tables of one run: its matches, and its sessions."""
    matches = tuple(
        (
            str(match["match"]), match["ruleset"], match["lineup"], f"{match['chunks']:,}",
            f"{match['chunks_planned']:,}", f"{match['games']:,}", f"{match['games_planned']:,}",
        )
        for match in document["matches"]
    )  # fmt: skip
    heads = (
        Heading("match"), Heading("ruleset", "words"), Heading("lineup", "words"), Heading("chunks"),
        Heading("planned"), Heading("games"), Heading("planned"),
    )  # fmt: skip
    tables = [Table("Matches", heads, matches)]
    if document["sessions"]:
        tables.append(_sessions_table([Session(**session) for session in document["sessions"]]))
    return tables


def _sessions_table(sessions: list[Session]) -> Table:
    rows = tuple(
        (
            session.started,
            session.owner,
            session.plays.partition(":")[0],
            f"{session.played:,}",
            duration_text(session.seconds),
            session.outcome.partition(".")[0].partition("\n")[0] or "no end known",
        )
        for session in sessions
    )
    heads = (
        Heading("started", "words"), Heading("who", "words"), Heading("how", "words"), Heading("games"),
        Heading("took", "words"), Heading("ended", "words"),
    )  # fmt: skip
    return Table("Sessions", heads, rows)


def submitted_document(job: Submitted, stored: Found | None) -> dict[str, Any]:
    """Returns what all formats show of a submission, with what is stored of its run where that was looked at."""
    return {
        "submission": job.submission,
        "state": job.state,
        "run": job.run,
        **({"stored": stored.state, "games": stored.games} if stored else {}),
        "games_planned": job.games,
        "owner": job.user,
        "started": utc_text(time.gmtime(job.started)) if job.started else None,
        "ended": utc_text(time.gmtime(job.ended)) if job.ended else None,
        "message": job.message,
    }


def submitted_table(jobs: list[dict[str, Any]]) -> Table:
    """Returns the table of what was submitted to a cluster."""
    heads = (
        Heading("submission", "words"), Heading("state", "words"), Heading("games"), Heading("run", "words"),
        Heading("owner", "words"), Heading("started", "words"), Heading("message", "words"),
    )  # fmt: skip
    rows = tuple(
        (
            job["submission"], _submitted_state(job), f"{job['games_planned']:,}", job["run"],
            job["owner"] or ABSENT,
            ago_text(job["started"]) if job["started"] else ABSENT, job["message"] or ABSENT,
        )
        for job in jobs
    )  # fmt: skip
    return Table("", heads, rows)


def _submitted_state(job: dict[str, Any]) -> str:
    """Returns what Ray says of a submission, and what the store does."""
    return f"{job['state']}, {job['games']:,} games stored" if "stored" in job else str(job["state"])
