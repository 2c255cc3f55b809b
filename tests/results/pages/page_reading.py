"""Reads an HTML page strictly: what is not nested, named, linked or told as it should be is a problem."""

from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

from results.pages.page import Chart, Page, all_sections

VOID = {"meta", "link", "br", "hr", "img", "input"}
#: What an address may be in; a page has addresses within itself alone.
LOADING = ("src", "srcset", "data", "poster", "action", "formaction", "background", "xlink:href")


class PageReading(HTMLParser):
    """The elements of a page with their attributes and texts, and its problems."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.problems: list[str] = []
        self.tags: list[str] = []
        self.elements: list[dict[str, Any]] = []
        self._open: list[dict[str, Any]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        element = {"tag": tag, "text": "", "inside": [e["tag"] for e in self._open], **attributes}
        self.tags.append(tag)
        self.elements.append(element)
        self.problems += [f"{tag} loads by {name}" for name in LOADING if name in attributes]
        self.problems += [f"{tag} has {name}" for name in attributes if name.startswith("on")]
        if tag in ("link", "iframe", "object", "embed", "img", "base"):
            self.problems.append(f"{tag} is there")
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open[-1]["tag"] != tag:
            self.problems.append(
                f"{tag} ends where {self._open[-1]['tag'] if self._open else 'nothing'} is open"
            )
            return
        self._open.pop()

    def handle_data(self, text: str) -> None:
        for element in self._open:
            element["text"] += text
        if "http" in text and self._open[-1]["tag"] != "script":
            self.problems.append(f"an address in {text[:60]!r}")

    def of(self, tag: str) -> list[dict[str, Any]]:
        """Returns the elements with a tag."""
        return [element for element in self.elements if element["tag"] == tag]

    def texts(self, tag: str) -> list[str]:
        """Returns the texts of the elements with a tag."""
        return [element["text"].strip() for element in self.of(tag)]

    @property
    def heading_levels(self) -> list[int]:
        """The levels of all headings but that of the contents."""
        return [
            int(e["tag"][1])
            for e in self.elements
            if e["tag"] in ("h1", "h2", "h3", "h4") and "nav" not in e["inside"]
        ]

    def close(self) -> None:
        super().close()
        self.problems += [f"{element['tag']} is never closed" for element in self._open]
        ids = [element["id"] for element in self.elements if "id" in element]
        self.problems += [f"two elements are {name}" for name in sorted({i for i in ids if ids.count(i) > 1})]
        for element in self.elements:
            links = [element["href"].removeprefix("#")] if "href" in element else []
            links += (element.get("aria-labelledby") or "").split()
            self.problems += [f"{element['tag']} points to {link}" for link in links if link not in ids]
        for svg in self.of("svg"):
            if svg.get("role") != "img" or len(svg.get("aria-labelledby", "").split()) != 2:
                self.problems.append("an svg has no words")
        self.problems += [f"an empty {tag}" for tag in ("title", "desc", "caption", "figcaption", "h2", "h3", "h4", "a")
                          if not all(self.texts(tag))]  # fmt: skip
        levels = self.heading_levels
        self.problems += [f"h{b} after h{a}" for a, b in pairwise(levels) if b > a + 1]


def read_page(text: str) -> PageReading:
    """Reads a page whole."""
    reading = PageReading()
    reading.feed(text)
    reading.close()
    if not text.startswith("<!DOCTYPE html>\n<html lang="):
        reading.problems.append("no doctype or no language")
    return reading


def rows_of(spec: Any) -> list[dict[str, Any]]:
    """Returns the rows of all data that a chart has, wherever it keeps them."""
    if isinstance(spec, list):
        return [row for part in spec for row in rows_of(part)]
    if not isinstance(spec, dict):
        return []
    own = [row for rows in spec.get("datasets", {}).values() for row in rows]
    own += spec["data"].get("values", []) if "data" in spec else []
    return own + rows_of(spec.get("layer", []))


def page_charts(page: Page) -> list[Chart]:
    """The charts of a page in reading order."""
    return [chart for _, section in all_sections(page.sections) for chart in section.charts]
