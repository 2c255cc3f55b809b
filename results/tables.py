"""A small table, and how it looks on a terminal, in Markdown and in CSV.

Figures are rounded once, by `rounded_rate` and `rounded_value`, and every format spells what they return:
a rate as a fraction of six decimals or the same digits in per cent, any other figure with four decimals.
"""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import IO, Literal

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from results.printing import visible

RATE_DIGITS = 6
VALUE_DIGITS = 4
ABSENT = "-"

Value = str | int | float | None
#: What a spreadsheet may take for a formula, in either width; of these only a number is left as it is.
_FORMULA = re.compile(r"[\s']*[=+\-@\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"[+-]?[0-9][0-9,]*(\.[0-9]+)?")
_MARKDOWN_SIGNS = set("\\`*_{}[]<>()#|~&!$")
_EIGHTHS = " ▏▎▍▌▋▊▉"


#: Notes below tables are folded to at most so many columns.
PROSE = 116
#: Where a table does not fit all the same, columns of words get no narrower than this.
_LEAST_WORDS = 10


@dataclass(frozen=True)
class Heading:
    """The head of a column: its words, and whether it holds figures (set to the right) or words.

    Cells of a column that is `whole` are not broken on any terminal.
    """

    text: str
    kind: Literal["words", "figures", "bar"] = "figures"
    whole: bool = False


@dataclass(frozen=True)
class Table:
    """A titled table of cells that are text already; `note` says what a reader must know about it.

    A terminal shows the first of it and those `narrower` that fits; if none does, the last is folded.
    """

    title: str
    headings: tuple[Heading, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    narrower: tuple["Table", ...] = ()


def rounded_rate(value: float | None) -> float | None:
    """Return a rate as every format shows it: a fraction of six decimals."""
    return None if value is None else round(value, RATE_DIGITS) + 0.0


def rounded_value(value: float | None) -> float | None:
    """Return a figure that is no rate as every format shows it, with four decimals."""
    return None if value is None else round(value, VALUE_DIGITS) + 0.0


def percent_text(rate: float | None) -> str:
    """Return a rounded rate in per cent, without the sign: the same digits as the fraction's."""
    return ABSENT if rate is None else f"{rate * 100:.{RATE_DIGITS - 2}f}"


def value_text(value: float | None) -> str:
    """Return a rounded figure: whole numbers with thousands apart, others with four decimals."""
    if value is None:
        return ABSENT
    return f"{value:,}" if isinstance(value, int) else f"{value:,.{VALUE_DIGITS}f}"


def level_text(level: float) -> str:
    """Return a level of confidence in per cent."""
    return f"{level * 100:.12g} %"


def bar_text(share: float, width: int, ascii_only: bool = False) -> str:
    """Return a bar of up to `width` characters for a share from 0 to 1, in eighths of a character."""
    if ascii_only:
        return "#" * round(share * width)
    whole, eighths = divmod(round(share * width * 8), 8)
    return ("█" * whole + _EIGHTHS[eighths]).rstrip()


def print_tables(tables: Iterable[Table], file: IO[str], title: str = "", lines: Sequence[str] = ()) -> None:
    """Print a title, lines of text and tables for people.

    A terminal's width is kept and long names are folded; into a file or a pipe, nothing is folded or cut.
    """
    console = _console(file)
    drawn = [_drawn(table, console.width if console.is_terminal else None) for table in tables]
    if not console.is_terminal:
        natural = [console.measure(table, options=console.options.update(width=10_000)) for _, table in drawn]
        console = _console(file, max([80, *(measure.maximum + 2 for measure in natural)]))
    if title:
        console.print(Text(visible(title), style="bold"))
    for line in lines:
        console.print(Text(visible(line)), soft_wrap=not console.is_terminal)
    for number, (table, shape) in enumerate(drawn):
        if number or title or lines:
            console.print()
        # As parts of the table, a title and a note would be folded to its width.
        if table.title:
            console.print(Text(visible(table.title), style="table.title"))
        # What is wider than the terminal is wrapped by it, and can be copied whole.
        (_console(file, shape.width) if shape.width else console).print(shape)
        if table.note:
            # Beyond this width prose is hard to read.
            console.print(Text(visible(table.note), style="table.caption"), width=min(console.width, PROSE))


def draws_ascii_only(file: IO[str]) -> bool:
    """Return whether a file can't take block characters."""
    return not (getattr(file, "encoding", None) or "utf-8").lower().replace("-", "").startswith("utf")


def markdown_table(table: Table, level: int = 3) -> str:
    """Return a table as Markdown under a heading of this level."""
    lines = [f"{'#' * level} {markdown_text(table.title)}", ""] if table.title else []
    lines.append(_markdown_row(heading.text for heading in table.headings))
    lines.append(_markdown_row(("---:" if h.kind == "figures" else "---" for h in table.headings), raw=True))
    lines += [_markdown_row(row) for row in table.rows]
    if table.note:
        lines += ["", markdown_text(table.note)]
    return "\n".join(lines) + "\n"


def markdown_text(text: str) -> str:
    """Return a text that Markdown shows as it is."""
    shown = visible(text)
    return "".join(f"\\{sign}" if _needs_escape(shown, k) else sign for k, sign in enumerate(shown))


def csv_text(headings: Sequence[str], rows: Iterable[Sequence[Value]]) -> str:
    """Return rows as CSV after a line of headings; None is an empty cell.

    A text that a spreadsheet would take for a formula gets an apostrophe in front, and so does one that begins with
    apostrophes before such a text: whoever reads the rows takes one away from what begins with apostrophes and a sign
    of a formula, and has the text as it was.
    """
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow([_csv_cell(heading) for heading in headings])
    writer.writerows([[_csv_cell(value) for value in row] for row in rows])
    return sink.getvalue()


def csv_rows(rows: Sequence[Mapping[str, Value]]) -> str:
    """Return rows with names as CSV, with the columns of any of them, in the order in which they come."""
    heads = list(dict.fromkeys(key for row in rows for key in row))
    return csv_text(heads, [[row.get(key) for key in heads] for row in rows])


def _csv_cell(value: Value) -> Value:
    if isinstance(value, float):
        return f"{value:.{RATE_DIGITS}f}".rstrip("0").rstrip(".")
    if not isinstance(value, str):
        return value
    shown = visible(value)
    return f"'{shown}" if _FORMULA.match(shown) and not _NUMBER.fullmatch(shown) else shown


def _needs_escape(text: str, index: int) -> bool:
    sign = text[index]
    if sign == "_":
        # Between letters an underscore is plain text, and ids stay readable.
        return not text[max(0, index - 1) : index + 2].replace("_", "").isalnum() or index in (
            0,
            len(text) - 1,
        )
    return sign in _MARKDOWN_SIGNS - set("(){}!$#") or (index == 0 and sign in "#+-")


def _markdown_row(cells: Iterable[str], raw: bool = False) -> str:
    return "| " + " | ".join(cell if raw or cell == ABSENT else markdown_text(cell) for cell in cells) + " |"


def _console(file: IO[str], width: int | None = None) -> Console:
    return Console(file=file, highlight=False, emoji=False, markup=False, width=width)


def _drawn(table: Table, room: int | None) -> tuple[Table, RichTable]:
    """Return the table of those narrower that fits a terminal, if there is one, and how it looks."""
    if room is None or not (table.narrower or any(heading.whole for heading in table.headings)):
        return table, _rich_table(table)
    for tried in (table, *table.narrower):
        least, widths = _column_widths(tried)
        frame = 3 * len(widths) + 1
        if sum(least) + frame <= room:
            break
    else:
        broken = zip(tried.headings, least, strict=True)
        least = [width if heading.whole else min(width, _LEAST_WORDS) for heading, width in broken]
    while sum(widths) + frame > room and widths != least:
        widest = max((k for k in range(len(widths)) if widths[k] > least[k]), key=lambda k: widths[k])
        widths[widest] -= 1
    return tried, _rich_table(tried, widths)


def _column_widths(table: Table) -> tuple[list[int], list[int]]:
    """Return how narrow each column may be for nothing to be broken but between words, and how wide it is."""
    least, widths = [], []
    for heading, *cells in zip(table.headings, *table.rows, strict=True):
        may_fold = heading.kind == "words" and not heading.whole
        parts = [part for cell in cells for part in (visible(cell).split() if may_fold else [visible(cell)])]
        head = visible(heading.text)
        least.append(max(map(cell_len, [*parts, *head.split()]), default=1))
        widths.append(max(map(cell_len, [*map(visible, cells), head])))
    return least, widths


def _rich_table(table: Table, widths: Sequence[int] = ()) -> RichTable:
    drawn = RichTable(width=sum(widths) + 3 * len(widths) + 1 if widths else None)
    for heading, width in zip_longest(table.headings, widths):
        right = heading.kind == "figures"
        drawn.add_column(
            Text(visible(heading.text)), justify="right" if right else "left", overflow="fold", width=width
        )
    for row in table.rows:
        drawn.add_row(*(Text(visible(cell)) for cell in row))
    return drawn
