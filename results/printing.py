"""What is printed: no text of another's making commands a terminal, turns a line around or begins a line of its own."""

import json
import unicodedata
from typing import Any

import click

#: Control characters, those that format what stands around them, halves of pairs, and ends of lines.
_HARMFUL = ("Cc", "Cf", "Cs", "Zl", "Zp")


def visible(text: str) -> str:
    """Return a text whose control and formatting characters are spelled out, so that they do nothing."""
    if text.isprintable():
        return text
    return "".join(
        sign.encode("unicode_escape").decode() if unicodedata.category(sign) in _HARMFUL else sign
        for sign in text
    )


def print_line(text: str = "", aside: bool = False) -> None:
    """Print one line on stdout, or aside on stderr; what would end it sooner is spelled out."""
    click.echo(visible(text), err=aside)


def print_lines(text: str, aside: bool = False) -> None:
    """Print a text of several lines, the last of which may end as the others do, and need not."""
    click.echo("\n".join(map(visible, text.removesuffix("\n").split("\n"))), err=aside)


def print_json(document: Any) -> None:
    """Print plain values as JSON."""
    click.echo(json_text(document))


def set_in(text: str) -> str:
    """Return a text whose lines after its first are set in, so that none begins as a line of its own does."""
    first, *others = text.split("\n")
    return "\n".join([first, *(f"  {line.removeprefix('  ')}" for line in others)])


def counted(count: int, noun: str) -> str:
    """Return a number with its noun: `1 chunk`, `2,000 chunks`."""
    plural = {"strategy": "strategies", "match": "matches"}.get(noun, f"{noun}s")
    return f"{count:,} {noun if count == 1 else plural}"


def json_text(document: Any) -> str:
    """Return plain values as JSON in printable ASCII."""
    # JSON leaves this one as it is.
    return json.dumps(document, indent=2, allow_nan=False).replace("\x7f", "\\u007f")
