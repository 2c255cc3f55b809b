"""How what is found of runs and of submissions is printed, in every format."""

from __future__ import annotations

import sys
from typing import Any

from results.printing import print_json, print_lines
from results.tables import Table, csv_rows, markdown_table, markdown_text, print_tables


def print_found(
    form: str, document: Any, rows: list[dict[str, Any]], tables: list[Table], lines: list[str] | None = None
) -> None:
    """Prints a document as JSON, its rows as CSV, or its tables with lines above them."""
    if form == "json":
        print_json(document)
    elif form == "csv":
        print_lines(csv_rows(rows))
    elif form == "markdown":
        print_lines(
            "\n".join([*(markdown_text(line) + "\n" for line in lines or []), *map(markdown_table, tables)])
        )
    else:
        print_tables(tables, sys.stdout, lines=lines or [])


def print_paragraphs(lines: list[str], form: str) -> None:
    """Prints lines below a table, those of Markdown as it shows them."""
    if lines:
        print_lines(
            "\n" + "\n".join(f"{markdown_text(line)}\n" if form == "markdown" else line for line in lines)
        )
