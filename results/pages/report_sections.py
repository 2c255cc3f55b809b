"""What a page tells of one match: a section for each subject, with its charts before its tables."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from results import beside, luck
from results.exact import MatchValues
from results.figures import Document
from results.pages.page import Chart, Section
from results.pages.report_charts import (
    categories_charts,
    chairs_charts,
    exact_charts,
    luck_charts,
    scores_charts,
    ties_charts,
    winning_charts,
)
from results.summary_tables import match_tables
from results.tables import Table
from results.variants import VARIANTS
from results.words import words_of

Draw = Callable[[Document, Mapping[str, Table]], list[Chart]]

_VARIANT_TITLES = {
    "steals": "Steals",
    "clock": "The clock",
    "jokers": "Jokers",
    "purse": "Purses, bets and length",
    "bank": "The bank",
    "pot": "The pot",
    "results": "Results of the dice",
    "luck": "Luck",
    "until": "What was asked",
}


def match_sections(
    match: Document, values: MatchValues | None = None, prefix: str = "", drawn: Sequence[str] | None = None
) -> tuple[Section, ...]:
    """Return the sections of a match that has games, which hold every table of its summary.

    Their names begin with the prefix. Given `drawn`, only the sections it names have charts. Exact values, where there
    are any, are drawn over the scores.
    """
    sections = []
    for name, title, draw, tables in _subjects(match, values):
        if not tables:
            continue
        found = (
            draw(match, {table.title: table for table in tables}) if drawn is None or name in drawn else []
        )
        charts = tuple(replace(chart, name=f"{prefix}{chart.name}") for chart in found)
        sections.append(Section(f"{prefix}{name}", title, charts=charts, tables=tables))
    return tuple(sections)


def _subjects(
    match: Document, values: MatchValues | None
) -> Iterator[tuple[str, str, Draw, tuple[Table, ...]]]:
    """Yield the name and title of each subject, how it is drawn, and its tables; every table is of one subject."""
    exact = tuple(beside.tables(match)) if beside.KEY in match else ()
    of_variants = {v.KEY: tuple(v.tables(match)) for v in VARIANTS if v.KEY in match}
    apart = [*exact, *(table for own in of_variants.values() for table in own)]
    left = [table for table in match_tables(match) if table not in apart]
    words = words_of(match)
    scores = (words.scores, f"Quantiles of the {words.score}", f"Distribution of the {words.score}")
    chairs = ("Seats", "Order of play, 0 begins")
    usual: tuple[tuple[str, str, Draw, tuple[str, ...]], ...] = (
        ("winning", "Who wins", winning_charts, ("Winning",)),
        ("scores", words.scores, partial(scores_charts, values=values), scores),
        ("categories", "Categories", categories_charts, ("Categories",)),
        ("seats", "Seats and order of play", chairs_charts, chairs),
        ("ties", "Ties", ties_charts, ("Ties",)),
        ("course", "Course of the games", _undrawn, ("Course of the games",)),
    )
    for name, title, draw, titles in usual:
        own = tuple(table for table in left if table.title in titles)
        left = [table for table in left if table not in own]
        yield name, title, draw, own
    for key, own in of_variants.items():
        yield (
            key,
            _VARIANT_TITLES.get(key, key.capitalize()),
            luck_charts if key == luck.KEY else _undrawn,
            own,
        )
    yield "more", "More", _undrawn, tuple(left)
    yield beside.KEY, "Exact beside simulated", exact_charts, exact


def _undrawn(match: Document, tables: Mapping[str, Table]) -> list[Chart]:
    """Return no charts: the tables say it all."""
    del match, tables
    return []
