"""A page as one HTML file that holds all it needs: style, charts as SVG and, where it is interactive, one script."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from results.pages.drawing import NARROW, WIDE, script_bundle, spec_text, svg_of
from results.pages.page import Chart, Page, Section
from results.pages.palette import VARIABLES, css_variables
from results.printing import visible
from results.tables import Heading, Table

GENERATOR = "dicecup"
"""What the head of a page names as its maker."""

_PLACES = re.compile("@title@|@words@")
_TEMPLATES = Path(__file__).parent / "templates"
#: A table of so many rows is open below its chart.
_MOST_OPEN_ROWS = 8


@dataclass
class _Figure:
    chart: Chart
    wide: Markup
    narrow: Markup
    spec: Markup | None
    table_id: str
    own_table: bool

    @property
    def is_open(self) -> bool:
        return len(self.chart.table.rows) <= _MOST_OPEN_ROWS


@dataclass
class _Shown:
    """A section with its charts drawn, and its tables numbered; those behind its charts are not told twice."""

    section: Section
    figures: list[_Figure] = field(default_factory=list)
    tables: list[tuple[Table, str]] = field(default_factory=list)
    sections: list["_Shown"] = field(default_factory=list)


class _Drawing:
    """Draws the sections of a page one by one, and counts its tables."""

    def __init__(self, interactive: bool) -> None:
        self._interactive = interactive
        self._count = 0

    def section(self, section: Section) -> _Shown:
        shown = _Shown(section)
        placed: list[tuple[Table, str]] = []
        for chart in section.charts:
            known = next((name for table, name in placed if table is chart.table), None)
            name = known or self._next_table()
            if known is None:
                placed.append((chart.table, name))
            shown.figures.append(self._figure(chart, name, known is None))
        behind = [table for table, _ in placed]
        shown.tables = [
            (table, self._next_table())
            for table in section.tables
            if not any(table == other for other in behind)
        ]
        shown.sections = [self.section(inner) for inner in section.sections]
        return shown

    def _next_table(self) -> str:
        self._count += 1
        return f"table-{self._count}"

    def _figure(self, chart: Chart, table_id: str, own_table: bool) -> _Figure:
        words = {"@title@": str(escape(visible(chart.title))), "@words@": str(escape(visible(chart.alt)))}
        wide, narrow = (
            # In one pass, as a title may have the mark of what follows it.
            Markup(
                _PLACES.sub(
                    lambda place: words[place[0]], drawn.replace("<svg ", f'<svg class="{kind}" ', 1), 2
                )
            )
            for kind, width in (("wide", WIDE), ("narrow", NARROW))
            for drawn in [svg_of(chart, width, f"{chart.name}-{kind}")]
        )
        spec = Markup(spec_text(chart.spec)) if self._interactive else None
        return _Figure(chart, wide, narrow, spec, table_id, own_table)


def html_page(page: Page, interactive: bool = False) -> str:
    """Return a page as HTML; an interactive one has its charts both still and, by a script within, with tooltips."""
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES, encoding="utf-8"),
        autoescape=True,
        finalize=_harmless,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    environment.globals.update(cells=_cells, lines_of=_lines_of)
    drawing = _Drawing(interactive)
    return environment.get_template("page.html").render(
        page=page,
        sections=[drawing.section(section) for section in page.sections],
        generator=GENERATOR,
        css=Markup(_style()),
        bundle=Markup(script_bundle()) if interactive else None,
        live=Markup(_script()),
    )


def is_page(start: str) -> bool:
    """Return whether a file that begins so is a page that was written here."""
    return start.startswith("<!DOCTYPE html>") and f'<meta name="generator" content="{GENERATOR}">' in start


def _style() -> str:
    style = (_TEMPLATES / "page.css").read_text(encoding="utf-8").rstrip("\n")
    return style.replace("{{ light }}", css_variables(dark=False)).replace(
        "{{ dark }}", css_variables(dark=True)
    )


def _script() -> str:
    script = (_TEMPLATES / "live.js").read_text(encoding="utf-8").rstrip("\n")
    return script.replace("@variables@", json.dumps(VARIABLES)).replace("@wide@", str(WIDE))


def _harmless(value: object) -> object:
    """Return text with its control and formatting characters spelled out; markup is made of such text already."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _lines_of(text: str) -> Markup:
    return Markup("\n").join(escape(visible(line)) for line in text.rstrip("\n").split("\n"))


def _cells(table: Table, row: tuple[str, ...]) -> Iterator[tuple[Heading, str, str]]:
    """Yield the head of each cell that is no bar, its text, and apart from a figure its interval."""
    for heading, cell in zip(table.headings, row, strict=True):
        if heading.kind == "figures" and cell.endswith("]"):
            figure, _, bounds = cell.partition(" [")
            yield heading, figure, f"[{bounds}"
        elif heading.kind != "bar":
            yield heading, cell, ""
