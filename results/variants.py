"""The table of what variants add to a summary: one line for each, with what counts, tells and shows it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from results import jokers, speed, steals, turns
from results.figures import Document
from results.manifest import Match
from results.scan import GameArrays
from results.tables import Table, Value
from results.tally import MatchTally


@dataclass(frozen=True)
class Variant:
    """What a variant adds to the summary of a match whose rules have one of some parts.

    `document` makes what stands under `key` in the document of the match, of which `tables` and `rows` (of CSV)
    show it.
    """

    key: str
    parts: tuple[str, ...]
    columns: tuple[str, ...]
    count: Callable[[MatchTally, GameArrays], None]
    document: Callable[[MatchTally, float], Any]
    tables: Callable[[Document], list[Table]]
    rows: Callable[[Document], Iterator[tuple[Value, ...]]]


VARIANTS = (
    Variant(
        "steals",
        ("steal",),
        steals.COLUMNS,
        steals.count_steals,
        steals.steals_document,
        steals.steals_tables,
        steals.steals_rows,
    ),
    Variant(
        "clock",
        ("clock",),
        speed.COLUMNS,
        speed.count_times,
        speed.clock_document,
        speed.clock_tables,
        speed.clock_rows,
    ),
    Variant(
        "turns",
        ("steal", "clock"),
        turns.COLUMNS,
        turns.count_turns,
        turns.turns_document,
        turns.turns_tables,
        turns.turns_rows,
    ),
    Variant(
        "jokers",
        ("joker",),
        jokers.COLUMNS,
        jokers.count_jokers,
        jokers.jokers_document,
        jokers.jokers_tables,
        jokers.jokers_rows,
    ),
)


def variants_of(match: Match) -> list[Variant]:
    """Return what the rules of a match add to its summary."""
    return [variant for variant in VARIANTS if any(part in match.ruleset.rules for part in variant.parts)]
