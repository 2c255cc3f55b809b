"""A page, or a section of one, as Markdown."""

from collections.abc import Mapping

from results.pages.page import Listing, Page, Section
from results.printing import visible
from results.tables import markdown_table, markdown_text

MARK = "<!-- a page of dicecup -->"
"""The first line of a page, by which a file is known."""

_DEEPEST = 6


def markdown_page(page: Page) -> str:
    """Return a page as one Markdown text; charts have no place in it, tables hold all their figures."""
    paragraphs = [MARK, *markdown_head(page), "## Conclusion", *markdown_lead(page)]
    for section in page.sections:
        paragraphs += markdown_section(section, 2)
    return joined([*paragraphs, *markdown_facts(page)])


def is_markdown_page(start: str) -> bool:
    """Return whether a file that begins so is a page that was written here."""
    return start.startswith(MARK)


def markdown_head(page: Page) -> list[str]:
    """Return the title of a page and what must be seen at once."""
    notices = [f"**{markdown_text(notice)}**" for notice in page.notices]
    return [f"# {markdown_text(page.title)}", markdown_text(page.subtitle), *notices]


def markdown_lead(page: Page) -> list[str]:
    """Return the conclusion."""
    return [
        f"**{markdown_text(headline.figure)}** {markdown_text(headline.words)}: {markdown_text(headline.sentence)}"
        for headline in page.lead
    ]


def markdown_section(section: Section, level: int, images: Mapping[str, str] | None = None) -> list[str]:
    """Return the paragraphs of a section and of those within it; `images` has the files of charts by their names."""
    paragraphs = [f"{_heading(level)} {markdown_text(section.title)}", *map(markdown_text, section.lines)]
    for chart in section.charts:
        if images is not None:
            words = markdown_text(chart.alt)
            paragraphs += [
                f"![{words}]({images[chart.name]})",
                markdown_text(f"{chart.title}. {chart.key}".strip()),
            ]
    paragraphs += [markdown_table(table, min(level + 1, _DEEPEST)).rstrip("\n") for table in section.tables]
    paragraphs += _terms(section.terms)
    for listing in section.listings:
        paragraphs += _listing(listing, level + 1)
    for inner in section.sections:
        paragraphs += markdown_section(inner, level + 1, images)
    return paragraphs


def markdown_facts(page: Page) -> list[str]:
    """Return where the figures of a page are from."""
    return ["## Where the figures are from", *_terms(page.facts)] if page.facts else []


def joined(paragraphs: list[str]) -> str:
    """Return paragraphs as one text."""
    return "\n\n".join(paragraphs) + "\n"


def _terms(terms: tuple[tuple[str, str], ...]) -> list[str]:
    lines = [f"- **{markdown_text(term)}**: {markdown_text(meaning)}" for term, meaning in terms]
    return ["\n".join(lines)] if lines else []


def _listing(listing: Listing, level: int) -> list[str]:
    lines = [visible(line) for line in listing.text.rstrip("\n").split("\n")]
    # A fence ends at a run of its own sign that is as long, so it is one longer than any within.
    fence = "`" * max([3, *(len(line) - len(line.lstrip("`")) + 1 for line in lines)])
    return [f"{_heading(level)} {markdown_text(listing.title)}", "\n".join([fence, *lines, fence])]


def _heading(level: int) -> str:
    return "#" * min(level, _DEEPEST)
