"""A page for people: what it says, shows and lists, before any format is chosen."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from results.tables import Table

Spec = dict[str, Any]
"""A Vega-Lite chart as plain values, without a width, which hangs on where it is shown."""


@dataclass(frozen=True)
class Chart:
    """A chart: `alt` says in words what it shows, `table` has the figures that it draws, `key` what its signs mean."""

    name: str
    title: str
    alt: str
    spec: Spec
    table: Table
    key: str = ""


@dataclass(frozen=True)
class Listing:
    """A text that is shown letter by letter, such as a job file; `name` is what it would be saved as, if anything."""

    title: str
    text: str
    name: str = ""


@dataclass(frozen=True)
class Headline:
    """What is to be read first: a large figure, the words that say of what, a sentence, and the section with more."""

    figure: str
    words: str
    sentence: str
    link: str = ""


@dataclass(frozen=True)
class Section:
    """A part of a page; `name` is unique within the page. `terms` are words with their meanings.

    One that is folded shows its title and its first line until it is opened.
    """

    name: str
    title: str
    lines: tuple[str, ...] = ()
    charts: tuple[Chart, ...] = ()
    tables: tuple[Table, ...] = ()
    terms: tuple[tuple[str, str], ...] = ()
    listings: tuple[Listing, ...] = ()
    sections: tuple["Section", ...] = ()
    folded: bool = False


@dataclass(frozen=True)
class Page:
    """A page: `notices` are what must be seen at once, `lead` is the conclusion, `facts` say where all is from."""

    title: str
    subtitle: str
    lead: tuple[Headline, ...]
    sections: tuple[Section, ...]
    facts: tuple[tuple[str, str], ...] = ()
    notices: tuple[str, ...] = ()


def all_sections(sections: Sequence[Section], depth: int = 0) -> Iterator[tuple[int, Section]]:
    """Yield sections and those within them in reading order, each with its depth from 0."""
    for section in sections:
        yield depth, section
        yield from all_sections(section.sections, depth + 1)
