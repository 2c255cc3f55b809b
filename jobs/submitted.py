"""Tells of the jobs that were submitted to a cluster: what dicecup jobs shows with --address."""

from __future__ import annotations

import sys
import time
from typing import Any

from jobs.submission import Submitted, find, logs, stop, submitted
from results.errors import RunError
from results.location import Location, read_location
from results.printing import print_json, print_line, print_lines
from results.schema import SCHEMA_VERSION
from results.tables import Heading, Table, csv_text, markdown_table, print_tables


def print_submissions(address: str, form: str, root: Location | None = None) -> None:
    """Prints the jobs that a cluster knows of, the newest first; with a root, what is stored below it, too."""
    _print([_document(job, root) for job in submitted(address)], address, form)


def show_submission(address: str, words: str, form: str, root: Location | None = None) -> None:
    """Prints all that is known of one submission."""
    document = _document(find(address, words), root)
    if form != "table":
        _print([document], address, form)
        return
    width = max(map(len, document))
    for name, value in document.items():
        print_line(f"{name:<{width}}  {_cell(value)}")


def print_submission_logs(address: str, words: str, follow: bool) -> None:
    """Prints what a submission has written, and with `follow` what it writes until it ends."""

    def said(text: str) -> None:
        print_lines(text)
        sys.stdout.flush()

    logs(address, find(address, words), follow, said)


def cancel_submission(address: str, words: str) -> None:
    """Has a submission stopped; its chunks under way are finished and stored."""
    job = find(address, words)
    if job.has_ended:
        print_line(f"{job.submission} has ended: {job.state}", aside=True)
        return
    job = stop(address, job)
    print_line(f"{job.submission} has ended: {job.state}. To go on: dicecup submit its job again", aside=True)


def _document(job: Submitted, root: Location | None) -> dict[str, Any]:
    stored = _stored(job, root)
    return {
        "submission": job.submission,
        "state": job.state,
        "run": job.run,
        "digest": job.digest,
        "games_planned": job.games,
        **({} if root is None else {"stored": stored}),
        "owner": job.user or None,
        "dicecup": job.dicecup,
        "started": _utc(job.started),
        "ended": _utc(job.ended),
        "message": job.message or None,
    }


def _stored(job: Submitted, root: Location | None) -> str | None:
    """Returns what the store says of a run below a root: its state and games; None where it says nothing."""
    if root is None or not job.run.startswith(f"{root}/"):
        return None
    from jobs.service.listing import look_at

    try:
        found = look_at(read_location(job.run))
    except (RunError, OSError):
        return None
    return f"{found.state}, {found.games:,} of {found.planned:,} games" if found.run else None


def _print(documents: list[dict[str, Any]], address: str, form: str) -> None:
    if form == "json":
        print_json({"schema_version": SCHEMA_VERSION, "address": address, "jobs": documents})
        return
    if not documents:
        print_line(f"no job of dicecup was submitted to {address}", aside=True)
        return
    names = list(documents[0])
    if form == "csv":
        print_lines(csv_text(names, [list(document.values()) for document in documents]))
        return
    shown = [name for name in names if name not in ("digest", "dicecup", "message")]
    headings = tuple(Heading(name, "figures" if name == "games_planned" else "words") for name in shown)
    rows = tuple(tuple(_cell(document[name]) for name in shown) for document in documents)
    table = Table(f"Submitted to {address}", headings, rows)
    if form == "markdown":
        print_lines(markdown_table(table))
    else:
        print_tables([table], sys.stdout)


def _cell(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value or "")


def _utc(seconds: float | None) -> str | None:
    return None if seconds is None else time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
