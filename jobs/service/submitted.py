"""What dicecup jobs prints with --address: of jobs that were submitted to a cluster."""

from __future__ import annotations

from jobs.errors import INCOMPLETE
from jobs.reporting import fact_items, fact_lines
from jobs.service.listing import Found, look_below
from jobs.service.printed import print_found, print_paragraphs
from jobs.service.submitted_tables import (
    submission_facts,
    submitted_document,
    submitted_messages,
    submitted_table,
)
from jobs.submission import SUCCEEDED, find, logs, stop, submitted
from results.commands import TABLE_FORMATS
from results.errors import RunError
from results.location import Location, ObjectPath, read_location, store_settings
from results.printing import print_line, print_lines
from results.schema import SCHEMA_VERSION


def list_submitted(address: str, form: str, root: Location | None) -> None:
    """Prints what was submitted to a cluster, with what is stored below a root, where one is given."""
    there = submitted(address)
    if not there and form == "table":
        print_line(f"no job was submitted to {address} since it was started")
        return
    found = [submitted_document(job, look_below(job.run, root)) for job in there]
    print_found(form, {"schema_version": SCHEMA_VERSION, "jobs": found}, found, [submitted_table(found)])
    if form in TABLE_FORMATS:
        print_paragraphs(submitted_messages(found), form)


def show_submitted(address: str, run: str, root: Location, form: str) -> None:
    """Prints all that is known of one submission, and the commands that go on with it."""
    job = find(address, run)
    found = submitted_document(job, _stored_of(job.run, root), whole=True)
    if form not in TABLE_FORMATS:
        print_found(form, {"schema_version": SCHEMA_VERSION, "jobs": [found]}, [found], [])
        return
    facts = submission_facts(found, address)
    print_lines("\n".join((fact_items if form == "markdown" else fact_lines)(facts)))
    print_paragraphs(job.message.splitlines(), form)


def print_submitted_logs(address: str, run: str, follow: bool) -> None:
    """Prints what a submitted job has said, and with `follow` what it says until it ends."""
    logs(address, find(address, run), follow, lambda text: print_lines(text.expandtabs()))


def watch_submitted(address: str, run: str) -> int:
    """Prints what a submitted job says until it ends, and how; returns the exit code that says whether it succeeded."""
    print_submitted_logs(address, run, follow=True)
    ended = find(address, run)
    print_line(f"{ended.submission} is {ended.state}")
    return 0 if ended.state == SUCCEEDED else INCOMPLETE


def cancel_submitted(address: str, run: str) -> None:
    """Has Ray stop a submitted job."""
    there = find(address, run)
    job = stop(address, there)
    if not there.has_ended:
        print_line(f"{job.submission} is {job.state}; what it played is stored in {job.run}")


def _stored_of(run: str, root: Location) -> Found | None:
    """Returns what there is of a submitted run; None where that can't be seen from here."""
    try:
        place = read_location(run)
    except RunError:
        return None
    # Who has set nothing of a store has none to ask, and would wait for one.
    if isinstance(place, ObjectPath) and not store_settings() and not run.startswith(f"{root}/"):
        return None
    found = look_below(run, place.parent)
    return found if found and found.run else None
