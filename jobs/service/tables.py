"""The tables of what is found of runs."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from jobs.job_text import job_listings
from jobs.progress import duration_text
from jobs.reporting import size_text
from jobs.service.listing import Found, ago_text, games_there, told_figure
from jobs.service.sessions import Session
from jobs.stored import resume_command
from results.files import sizes_below
from results.printing import visible
from results.schema import SCHEMA_VERSION
from results.tables import ABSENT, Heading, Table

#: Columns by name: the head of each, and its cells.
Columns = dict[str, tuple[Heading, list[str]]]


def fitting_table(title: str, columns: Columns, *choices: str, note: str = "") -> Table:
    """Returns the table of columns that are named in the first choice; terminals too narrow for it show the others."""
    first, *others = (
        Table(
            title,
            tuple(columns[name][0] for name in choice.split()),
            tuple(zip(*(columns[name][1] for name in choice.split()), strict=True)),
        )
        for choice in choices
    )
    return replace(first, note=note, narrower=tuple(others))


def short_count(count: int) -> str:
    """Returns a number of games in three digits, rounded down: `16.4M`; below 100,000 as it is."""
    if count < 100_000:
        return f"{count:,}"
    size, unit = (10**6, "M") if count >= 10**6 else (10**3, "k")
    digits = max(0, 3 - len(str(count // size)))
    shown = f"{count * 10**digits // size / 10**digits:,.{digits}f}"
    return (shown.rstrip("0").rstrip(".") if digits else shown) + unit


def of_text(there: int, planned: int) -> str:
    """Returns how much there is of what is planned, where there is little room: `16.4M of 20M`."""
    return f"{short_count(there)} of {short_count(planned)}"


def runs_table(runs: list[dict[str, Any]]) -> Table:
    """Returns the table of runs below a root."""
    columns: Columns = {
        "run": (whole_words("run"), [run["run"].rstrip("/").rpartition("/")[2] for run in runs]),
        "state": (whole_words("state"), [run["state"] for run in runs]),
        "games": (Heading("games"), [f"{run['games']:,}" for run in runs]),
        "planned": (Heading("planned"), [f"{run['games_planned']:,}" for run in runs]),
        "short": (Heading("games"), [of_text(run["games"], run["games_planned"]) for run in runs]),
        "speed": (
            Heading("games/s"),
            [f"{run['games_per_second']:,.0f}" if run["games_per_second"] else ABSENT for run in runs],
        ),
        "owner": (whole_words("owner"), [run["owner"] or ABSENT for run in runs]),
        "when": (whole_words("when"), [_seen_text(run) or ABSENT for run in runs]),
    }
    return fitting_table(
        "",
        columns,
        "run state games planned speed owner when",
        "run state short speed owner when",
        "run state short owner when",
        "run state short when",
        "run state short",
        "run state",
        note="games/s: of the last session." if any(run["games_per_second"] for run in runs) else "",
    )


def whole_words(text: str) -> Heading:
    """Returns the head of a column of words that are not broken."""
    return Heading(text, "words", whole=True)


def _seen_text(run: dict[str, Any]) -> str:
    """Returns when a run was played last; of one that is running, when it was seen to."""
    if not run["when"]:
        return ""
    return f"{'seen ' if run['state'] == 'running' else ''}{ago_text(run['when'])}"


def shown_document(found: Found) -> dict[str, Any]:
    """Returns all that is shown of one run."""
    run = found.run
    assert run is not None
    sizes = sizes_below(found.place)
    aside = sorted(path.as_posix() for path in sizes if ".damaged" in path.name)
    sessions = [session.model_dump(exclude={"lines"}) for session in found.sessions]
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
        "sessions": _with_running(sessions, found.playing),
        "job": [{"title": listing.title, "text": listing.text} for listing in job_listings(run)],
        "resume": None if found.state in ("complete", "running") else resume_command(found.place),
    }


def _with_running(sessions: list[dict[str, Any]], playing: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns sessions with whether each is running, and what locks tell of those that are, which is newer."""
    for session in sessions:
        own = [said for said in playing if all(said.get(key) == session[key] for key in ("host", "pid"))]
        session["running"] = bool(own) and not session["ended"]
        for key in ("played", "seconds") if session["running"] else ():
            session[key] = max(session[key], type(session[key])(told_figure(own[0], key)))
    return sessions


def shown_lines(document: dict[str, Any]) -> list[str]:
    """Returns the lines above the tables of one run."""
    when = f", {_seen_text(document)}" if document["when"] else ""
    stored = f"{document['games']:,} of {document['games_planned']:,} games, {size_text(document['bytes'])}"
    lines = [
        f"{document['run']} (seed {document['seed']})",
        f"{document['state']}: {stored}; {document['owner'] or 'nobody known'}{when}",
    ]
    lines += [f"damaged: chunk {place}: {visible(why)}" for place, why in document["damage"].items()]
    if document["set_aside"]:
        lines.append(f"set aside as damaged, which may be removed: {', '.join(document['set_aside'])}")
    mended = " and the damage" if document["damage"] else ""
    if document["resume"]:
        lines.append(f"for the rest{mended}: {document['resume']}")
    if document["damage"]:
        lines.append(f"for the damage alone: dicecup jobs repair {shlex.quote(document['run'])}")
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
    matches = document["matches"]
    columns: Columns = {
        "match": (Heading("match"), [str(match["match"]) for match in matches]),
        "ruleset": (Heading("ruleset", "words"), [match["ruleset"] for match in matches]),
        "lineup": (Heading("lineup", "words"), [match["lineup"] for match in matches]),
        "chunks": (Heading("chunks"), [f"{match['chunks']:,}" for match in matches]),
        "chunks_planned": (Heading("chunks planned"), [f"{match['chunks_planned']:,}" for match in matches]),
        "games": (Heading("games"), [f"{match['games']:,}" for match in matches]),
        "planned": (Heading("games planned"), [f"{match['games_planned']:,}" for match in matches]),
        "of_chunks": (
            Heading("chunks"),
            [of_text(match["chunks"], match["chunks_planned"]) for match in matches],
        ),
        "short": (Heading("games"), [of_text(match["games"], match["games_planned"]) for match in matches]),
    }
    tables = [
        fitting_table(
            "Matches",
            columns,
            "match ruleset lineup chunks chunks_planned games planned",
            "match ruleset lineup of_chunks short",
            "match ruleset lineup short",
        )
    ]
    if document["sessions"]:
        tables.append(_sessions_table(document["sessions"]))
    return tables


def _sessions_table(sessions: list[dict[str, Any]]) -> Table:
    owners = [Session(**session).owner for session in sessions]
    columns: Columns = {
        "started": (whole_words("started"), [session["started"] for session in sessions]),
        "began": (
            whole_words("started"),
            [session["started"][:16].replace("T", " ") for session in sessions],
        ),
        "who": (whole_words("who"), owners),
        "how": (whole_words("how"), [session["plays"].partition(":")[0] for session in sessions]),
        "games": (Heading("games"), [f"{session['played']:,}" for session in sessions]),
        "short": (Heading("games"), [short_count(session["played"]) for session in sessions]),
        "took": (whole_words("took"), [duration_text(session["seconds"]) for session in sessions]),
        "ended": (Heading("ended", "words"), [_ended_text(session) for session in sessions]),
    }
    return fitting_table(
        "Sessions",
        columns,
        "started who how games took ended",
        "began who short took ended",
        "began short took ended",
        "began ended",
    )


def _ended_text(session: dict[str, Any]) -> str:
    if session["running"]:
        return "running"
    return session["outcome"].partition(".")[0].partition("\n")[0] or "no end known"
