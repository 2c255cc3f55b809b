"""A page in parts: each section as Markdown, each chart as PNG, each table as CSV, in one folder with an index."""

import re
from collections.abc import Iterator
from pathlib import Path

from results.errors import RunError
from results.files import make_folder, write_atomically
from results.pages.drawing import png_of
from results.pages.markdown import joined, markdown_facts, markdown_head, markdown_lead, markdown_section
from results.pages.page import Page, all_sections
from results.tables import ABSENT, Heading, Table, Value, csv_text, markdown_text

INDEX = "index.md"
MARK = "<!-- parts of a report of dicecup -->"
"""The first line of an index, by which a folder is known."""

_FIGURE = re.compile(r"(?P<value>-?[\d,]+(?:\.\d+)?)(?: \[(?P<low>\S+), (?P<high>\S+)\])?")
_NAME = re.compile(r"[a-z0-9][a-z0-9.-]*\.(?:md|png|csv|toml)")
_LINK = re.compile(rf"\]\(({_NAME.pattern})\)")


def write_parts(page: Page, folder: Path, force: bool = False) -> list[Path]:
    """Write the parts of a page and return their paths, the index first.

    What the folder's index names of an earlier page and this one has not is removed. RunError where the folder holds
    other things, unless forced; then they stay beside the parts.
    """
    earlier = earlier_parts(folder, force)
    make_folder(folder)
    parts = dict(page_parts(page))
    for name in parts:
        if not _NAME.fullmatch(name):
            raise RunError(f"a part would be named {name!r}, which is no name of a file in {folder}.")
    for name, content in parts.items():
        if name != INDEX:
            write_atomically(folder / name, content)
    for name in sorted(earlier - parts.keys()):
        (folder / name).unlink(missing_ok=True)
    # Last, so that an index never names what is not there.
    write_atomically(folder / INDEX, parts[INDEX])
    return [folder / INDEX, *(folder / name for name in parts if name != INDEX)]


def page_parts(page: Page) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each part, the index last."""
    lines: list[str] = []
    for section in page.sections:
        own = list(all_sections([section]))
        images = {chart.name: f"{chart.name}.png" for _, each in own for chart in each.charts}
        text = joined(markdown_section(section, 1, images))
        yield f"{section.name}.md", text.encode()
        lines.append(f"- [{markdown_text(section.title)}]({section.name}.md)")
        for _, each in own:
            for chart in each.charts:
                yield f"{chart.name}.png", png_of(chart)
                lines.append(f"  - [{markdown_text(chart.title)}, chart]({chart.name}.png)")
            for table, name in zip(each.tables, _table_names(each.name, each.tables), strict=True):
                yield name, table_csv(table).encode()
                lines.append(f"  - [{markdown_text(table.title)}, table]({name})")
            for listing in each.listings:
                if listing.name:
                    yield listing.name, listing.text.encode()
                    lines.append(f"  - [{markdown_text(listing.title)}]({listing.name})")
    paragraphs = [MARK, *markdown_head(page), *markdown_lead(page), "\n".join(lines), *markdown_facts(page)]
    yield INDEX, joined(paragraphs).encode()


def table_csv(table: Table) -> str:
    """Return a table as CSV: bare figures, an interval in two columns of its own, nothing where nothing is known."""
    heads: list[str] = []
    columns: list[list[Value]] = []
    for k, heading in enumerate(table.headings):
        if heading.kind == "bar":
            continue
        for head, column in _columns(heading, [row[k] for row in table.rows]):
            heads.append(head)
            columns.append(column)
    return csv_text(heads, list(zip(*columns, strict=True)))


def _columns(heading: Heading, cells: list[str]) -> Iterator[tuple[str, list[Value]]]:
    found = [_FIGURE.fullmatch(cell) for cell in cells]
    plain = heading.kind == "words" or any(
        match is None and cell != ABSENT for match, cell in zip(found, cells, strict=True)
    )
    if plain:
        yield heading.text, [None if cell == ABSENT else cell for cell in cells]
        return
    yield heading.text, [_number(match["value"]) if match else None for match in found]
    if any(match and match["low"] for match in found):
        for end in ("low", "high"):
            yield (
                f"{heading.text} {end}",
                [_number(match[end]) if match and match[end] else None for match in found],
            )


def _number(text: str) -> Value:
    bare = text.replace(",", "")
    if bare == ABSENT:
        return None
    return float(bare) if "." in bare else int(bare)


def _table_names(section: str, tables: tuple[Table, ...]) -> list[str]:
    names: list[str] = []
    for table in tables:
        slug = re.sub(r"[^a-z0-9]+", "-", table.title.casefold()).strip("-")[:60] or "table"
        name, count = f"{section}-{slug}.csv", 1
        while name in names:
            count += 1
            name = f"{section}-{slug}-{count}.csv"
        names.append(name)
    return names


def earlier_parts(folder: Path, force: bool) -> set[str]:
    """Return the parts that a folder has of an earlier page; RunError where it is no such folder and has something."""
    if not folder.exists():
        return set()
    if not folder.is_dir():
        raise RunError(f"{folder} is a file; name a folder for the parts, such as report.")
    index = folder / INDEX
    text = index.read_text(encoding="utf-8", errors="replace") if index.is_file() else ""
    if text.startswith(MARK):
        return set(_LINK.findall(text))
    others = sorted(path.name for path in folder.iterdir())
    if others and not force:
        raise RunError(
            f"{folder} holds other things ({', '.join(others[:3])}) and no parts of a report; name a new folder, or "
            "give --force to write beside them."
        )
    return set()
