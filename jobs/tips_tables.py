"""What the tips are worth, as tables for people, and as rows of CSV."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from results.exact import not_exact_lines
from results.figures import bracketed, percent_cell
from results.tables import Heading, Table, Value, csv_rows, level_text, percent_text, value_text

Document = dict[str, Any]


def tips_tables(document: Document) -> list[Table]:
    """Returns for each ruleset what was played and what is known exactly, and the advice in words."""
    tables = []
    for ruleset in dict.fromkeys(tip["ruleset"] for tip in document["tips"]):
        told = [tip for tip in document["tips"] if tip["ruleset"] == ruleset]
        tables += _ruleset_tables(ruleset, told, document["level"])
    advice = {tip["tip"]: tip["words"] for tip in document["tips"]}
    heads = (Heading("tip", "words"), Heading("advice", "words"))
    return [*tables, Table("What the tips say", heads, tuple(advice.items()))]


def tips_csv(document: Document) -> str:
    """Returns a row for each tip and base."""
    rows = [_csv_row(tip) for tip in document["tips"]]
    return csv_rows(rows)


def _csv_row(tip: Document) -> dict[str, Value]:
    row: dict[str, Value] = {}
    for key, value in tip.items():
        if key.endswith("_interval"):
            low, high = value or (None, None)
            row |= {key.replace("interval", "low"): low, key.replace("interval", "high"): high}
        else:
            row[key] = value
    return row


def _ruleset_tables(ruleset: str, tips: Sequence[Document], level: float) -> list[Table]:
    played = tuple(
        (
            tip["tip"],
            tip["base"],
            bracketed(value_text(tip["points_difference"]), tip["points_interval"]),
            percent_cell(tip, "credit_difference", "credit_interval"),
            tip["verdict"],
        )
        for tip in tips
    )
    exact = tuple(
        (
            tip["tip"],
            tip["base"],
            value_text(tip["exact_points_difference"]),
            percent_text(tip["exact_credit_difference"]),
            percent_text(tip["exact_win_rate"]),
        )
        for tip in tips
        if not tip["why_not_exact"]
    )
    unknown = " ".join(_unknown_lines(tips))
    heads = (*_words("tip", "base"), Heading("points gained"), Heading("credit gained, % points"))
    title = f"Tips under {ruleset}, {tips[0]['games']:,} games each"
    note = _note(level, bool(exact), any(tip["why_not_exact"] for tip in tips))
    first = Table(
        title,
        (*heads, *_words("verdict")),
        played,
        note if exact else " ".join(filter(None, (note, unknown))),
    )
    if not exact:
        return [first]
    return [first, Table(f"Exactly, under {ruleset}", (*heads, Heading("win %")), exact, unknown)]


def _words(*texts: str) -> tuple[Heading, ...]:
    return tuple(Heading(text, "words") for text in texts)


def _note(level: float, some_exact: bool, some_not: bool) -> str:
    """Returns what a reader of the table must know: what is counted, and what the verdict goes by."""
    by = {(True, False): "the exact credit below", (False, True): "the interval of the credit"}.get(
        (some_exact, some_not), "the exact credit below, else by the interval of the one played"
    )
    return (
        "Gained by who follows the tip over who plays its base, against each other on the same deals. Credit: a win is "
        f"1, a shared top is split. Intervals at {level_text(level)}; their unit is the deal. The verdict goes by {by}."
    )


def _unknown_lines(tips: Sequence[Document]) -> list[str]:
    """Returns a sentence for each reason why tips have no exact values, naming them all."""
    entries = {}
    for tip in tips:
        if reason := tip["why_not_exact"]:
            # With either base a tip is the same tip.
            own = f"{tip['tip']}:base={tip['base']} "
            plain = f"{tip['tip']} {reason.removeprefix(own)}" if reason.startswith(own) else reason
            entries[tip["tip"], plain] = {"strategy": tip["tip"], "reason": plain}
    return not_exact_lines(list(entries.values()))
