"""What dicecup run --plan prints: how many games each question needs, in every format."""

from __future__ import annotations

import sys
from typing import Any

from jobs.progress import duration_text
from results.figures import bracketed, percent_cell
from results.printing import print_json, print_lines
from results.tables import (
    ABSENT,
    Heading,
    Table,
    Value,
    csv_rows,
    markdown_table,
    percent_text,
    print_tables,
    value_text,
)

Document = dict[str, Any]
UNENDING = "no end"
NEEDED_NOTE = (
    "games: up to the first look by which the confidence sequence, which holds however often it is looked at, is "
    "expected to answer; a run stops at looks alone. [low, high]: such looks by the error of the first deals at "
    f'95 %, "{UNENDING}" where these don\'t tell the difference from the margin. looked at once: of a number of games '
    "that is fixed before and looked at when all are played; of better or not, so many that nine of ten such runs tell "
    "it, if the difference is that of the first deals."
)


def print_plan(document: Document, form: str) -> None:
    """Prints what the questions of a job need."""
    if form == "json":
        print_json(document)
    elif form == "csv":
        rows = [_csv_row(told) for told in document["questions"]]
        print_lines(csv_rows(rows))
    elif form == "markdown":
        print_lines("\n".join(markdown_table(table, 2) for table in plan_tables(document)).rstrip("\n"))
    else:
        print_tables(plan_tables(document), sys.stdout)


def plan_tables(document: Document) -> list[Table]:
    """Returns what the pilot showed, and what the questions need by it."""
    questions = document["questions"]
    names = [f"{told['ruleset']} {','.join(told['lineup'])}" for told in questions]
    shown = tuple(
        (
            name,
            told["question"],
            value_text(told["pilot_deals"]),
            _difference(told),
            _figure(told, "deviation"),
        )
        for name, told in zip(names, questions, strict=True)
    )
    needed = tuple(
        (
            told["question"],
            _games(told),
            _time(told["seconds"]),
            value_text(told["games_once"]),
            _time(told["seconds_once"]),
        )
        for told in questions
    )
    most = tuple(
        (
            told["question"],
            value_text(told["most_games"]),
            _time(told["most_seconds"]),
            _figure(told, "half_width_at_most"),
            told["enough"] or "can't be told",
        )
        for told in questions
    )
    workers = document["workers"]
    first = Table(
        "The first deals",
        _heads("match", "until", "n", "difference", "sd"),
        shown,
        "n counts deals, which are played and not stored. sd: the standard deviation of the differences of single "
        "deals. Intervals at 95 %.",
    )
    second = Table(
        "Games needed",
        _heads("until", "games", "takes", "games, looked at once", "takes"),
        needed,
        f"{NEEDED_NOTE} takes: on {workers} {'worker' if workers == 1 else 'workers'} here.",
    )
    third = Table(
        "Games allowed",
        _heads("until", "games at most", "takes", "known to +-", "enough"),
        most,
        "known to +-: half the width of the interval when all games that are allowed are played. A difference that is "
        "farther from 0, or from the margin asked about, is shown by them.",
    )
    return [first, second, third]


def _heads(*texts: str) -> tuple[Heading, ...]:
    return tuple(
        Heading(text, "words" if text in ("match", "until", "enough") else "figures") for text in texts
    )


def _difference(told: Document) -> str:
    if told["measure"] == "credit":
        return f"{percent_cell(told, 'difference')} %"
    return bracketed(value_text(told["difference"]), told["difference_interval"])


def _figure(told: Document, key: str) -> str:
    if told[key] is None:
        return ABSENT
    return f"{percent_text(told[key])} %" if told["measure"] == "credit" else value_text(told[key])


def _games(told: Document) -> str:
    if told["games_interval"] is None:
        few = f"{told['unlike_deals']:,} of {told['pilot_deals']:,} deals differ"
        return f"can't be told: {few}"
    low, high = (UNENDING if end is None else value_text(end) for end in told["games_interval"])
    games = UNENDING if told["games"] is None else value_text(told["games"])
    return f"{games} [{low}, {high}]"


def _time(seconds: float | None) -> str:
    return ABSENT if seconds is None else duration_text(max(1, seconds))


def _csv_row(told: Document) -> dict[str, Value]:
    row: dict[str, Value] = {}
    for key, value in told.items():
        if key.endswith("_interval"):
            low, high = value or (None, None)
            row |= {key.replace("interval", "low"): low, key.replace("interval", "high"): high}
        else:
            row[key] = ",".join(value) if key == "lineup" else value
    return row
