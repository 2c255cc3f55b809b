"""Writes a page to the file, and its parts to the folder, that a command names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from jobs.errors import JobError, JobFailed
from results.pages.page import Page
from results.printing import counted, print_line

#: Bytes in which a page says what it is.
_HEAD = 2000
STDOUT = Path("-")


def require_page_options(
    place: Path | None, parts: Path | None, form: str, interactive: bool, force: bool
) -> None:
    """Refuses options that don't go together, and a place that holds something else, before any work is done."""
    if interactive and form != "html":
        raise click.UsageError("--interactive goes with --format html; Markdown has no charts, leave it out")
    if interactive and place is None:
        raise click.UsageError("--interactive is given and no file; name one with -o, as -o report.html")
    if place is not None and parts is not None and place.absolute() == parts.absolute():
        raise click.UsageError(
            f"-o and --parts name one place, {place}; give the file and the folder two names"
        )
    if parts is not None:
        from results.pages.parts import earlier_parts

        earlier_parts(parts, force)
    if place is None or place == STDOUT or not place.exists():
        return
    if place.is_dir():
        raise JobError(f"{place} is a folder; name a file with -o, as {place / 'report.html'}")
    if not place.is_file():
        raise JobError(
            f"{place} is a device, which a page would replace; name a file with -o, or - for stdout"
        )
    if not force and not _is_ours(place, form):
        raise JobError(
            f"{place} is there and is no report; name another file with -o, or replace it with --force"
        )


def require_file(place: Path | None, parts: Path | None, interactive: bool, force: bool) -> None:
    """Refuses a place for a page beside an answer on stdout, where that can't be, before any work is done."""
    if place == STDOUT:
        raise click.UsageError("-o - is given, and stdout has the answer; name a file, as -o balance.html")
    require_page_options(place, parts, "html", interactive, force)


def write_page(
    page: Page,
    place: Path | None,
    form: str,
    interactive: bool,
    parts: Path | None,
    force: bool,
    aside: bool = False,
) -> None:
    """Writes a page where it is wanted, whole or not at all, and says where.

    What is said goes to stderr if it is said aside, and where the page itself goes to stdout.
    """
    aside = aside or place == STDOUT
    from results.files import make_folder, write_atomically

    if parts is not None:
        from results.pages.parts import write_parts

        with _told(parts, "--parts"):
            written = write_parts(page, parts, force)
        print_line(f"{parts}: {counted(len(written), 'file')}, {written[0].name} lists them", aside)
    if place is None:
        return
    text = _page_text(page, form, interactive)
    if place == STDOUT:
        # A page is made harmless as it is made, and its script is no text to be spelled out.
        click.echo(text, nl=False)
        return
    with _told(place, "-o"):
        make_folder(place.absolute().parent)
        write_atomically(place, text.encode())
    print_line(f"{place}: {len(text.encode()):,} bytes", aside)


@contextmanager
def _told(place: Path, option: str) -> Iterator[None]:
    """Tells a place that can't be written by the name that was given, and what to do."""
    try:
        yield
    except OSError as error:
        raise JobFailed(
            f"{place} can't be written: {error.strerror or error}; name another place with {option}"
        ) from error


def _page_text(page: Page, form: str, interactive: bool) -> str:
    if form == "markdown":
        from results.pages.markdown import markdown_page

        return markdown_page(page)
    from results.pages.html import html_page

    return html_page(page, interactive)


def _is_ours(place: Path, form: str) -> bool:
    """Tells whether a file is a page that was written here before, of this form."""
    from results.pages.html import is_page
    from results.pages.markdown import is_markdown_page

    with place.open(encoding="utf-8", errors="replace") as file:
        start = file.read(_HEAD)
    return is_markdown_page(start) if form == "markdown" else is_page(start)
