"""What is shown of jobs that were submitted to a cluster."""

from __future__ import annotations

import shlex
import time
from typing import Any

from jobs.service.listing import Found, ago_text
from jobs.service.sessions import utc_text
from jobs.service.tables import Columns, fitting_table, of_text, short_count, whole_words
from jobs.submission import ENDED, SUCCEEDED, Submitted
from results.tables import ABSENT, Heading, Table


def submitted_document(job: Submitted, stored: Found | None, whole: bool = False) -> dict[str, Any]:
    """Returns what all formats show of a submission, with what is stored of its run where that was looked at.

    `whole` asks for all that the cluster says of it in place of the first line.
    """
    return {
        "submission": job.submission,
        "state": job.state,
        "run": job.run,
        **({"stored": stored.state, "games": stored.games} if stored else {}),
        "games_planned": job.games,
        "owner": job.user,
        "started": utc_text(time.gmtime(job.started)) if job.started else None,
        "ended": utc_text(time.gmtime(job.ended)) if job.ended else None,
        "message": job.message if whole else job.first_line,
    }


def submitted_table(jobs: list[dict[str, Any]]) -> Table:
    """Returns the table of what was submitted to a cluster."""
    looked_at = any("stored" in job for job in jobs)
    columns: Columns = {
        "submission": (whole_words("submission"), [job["submission"] for job in jobs]),
        "state": (whole_words("state"), [job["state"] for job in jobs]),
        "stored": (
            Heading("games stored"),
            [f"{job['games']:,}" if "stored" in job else ABSENT for job in jobs],
        ),
        "planned": (Heading("games planned"), [f"{job['games_planned']:,}" for job in jobs]),
        "short": (
            Heading("games"),
            [
                of_text(job["games"], job["games_planned"])
                if "stored" in job
                else short_count(job["games_planned"])
                for job in jobs
            ],
        ),
        "run": (whole_words("run"), [job["run"] for job in jobs]),
        "owner": (whole_words("owner"), [job["owner"] or ABSENT for job in jobs]),
        "started": (
            whole_words("submitted"),
            [ago_text(job["started"]) if job["started"] else ABSENT for job in jobs],
        ),
    }
    return fitting_table(
        "",
        columns,
        f"submission state {'stored ' if looked_at else ''}planned run owner started",
        "submission state short owner started",
        "submission state short started",
        "submission state short",
        "submission state",
    )


def submitted_messages(jobs: list[dict[str, Any]]) -> list[str]:
    """Returns what the cluster says of what was submitted, each in a line, where that is more than the state."""
    return [
        f"{job['submission']}: {job['message']}"
        for job in jobs
        if job["message"] and job["state"] not in ("running", SUCCEEDED, "stopped")
    ]


def submission_facts(document: dict[str, Any], address: str) -> list[tuple[str, str]]:
    """Returns what is shown of one submission, and the commands that go on with it."""
    stored = (
        f"{document['games']:,} of {document['games_planned']:,}: {document['stored']}"
        if "stored" in document
        else f"{document['games_planned']:,} planned; what is stored, if anything, can't be seen from here"
    )
    ended = document["state"] in ENDED
    lacks = document.get("stored", "") != "complete" and document["state"] != SUCCEEDED
    own = f"{shlex.quote(document['submission'])} --address {shlex.quote(address)}"
    run = shlex.quote(document["run"])
    moments = [
        (key, f"{document[name]}, {ago_text(document[name])}")
        for key, name in (("submitted", "started"), ("ended", "ended"))
        if document[name]
    ]
    return [
        ("submission", document["submission"]),
        ("state", document["state"]),
        ("run", document["run"]),
        ("games", stored),
        ("by", document["owner"] or "nobody known"),
        *moments,
        ("logs", f"dicecup jobs logs {own}"),
        *(() if ended else (("watch", f"dicecup jobs watch {own}"), ("stop", f"dicecup jobs cancel {own}"))),
        ("the run", f"dicecup jobs show {run}"),
        ("summary", f"dicecup summary {run}"),
        *([("the rest", "give the same command with dicecup submit again")] if ended and lacks else []),
    ]
