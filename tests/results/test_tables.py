import csv
import io

import pytest

from results.printing import visible
from results.tables import (
    Heading,
    Table,
    bar_text,
    csv_text,
    draws_ascii_only,
    markdown_table,
    markdown_text,
    percent_text,
    print_tables,
    rounded_rate,
    rounded_value,
    value_text,
)

NASTY = 'a|b,"c"\n=1\x1b[31m\u202e'


def test_a_rate_has_the_same_digits_as_a_fraction_and_in_per_cent() -> None:
    for rate, fraction, percent in (
        (2 / 3, 0.666667, "66.6667"),
        (0.0, 0.0, "0.0000"),
        (1e-7, 0.0, "0.0000"),
    ):
        assert rounded_rate(rate) == fraction
        assert percent_text(rounded_rate(rate)) == percent
    assert (rounded_rate(None), percent_text(None)) == (None, "-")


def test_figures_are_rounded_once_and_never_minus_zero() -> None:
    assert str(rounded_value(-0.00001)) == "0.0"
    assert value_text(rounded_value(1234.56785)) == "1,234.5678"
    assert (value_text(1234567), value_text(None)) == ("1,234,567", "-")


def test_bars_are_proportional_in_eighths() -> None:
    assert [bar_text(k / 16, 2) for k in (0, 1, 8, 9, 16)] == ["", "▏", "█", "█▏", "██"]
    assert bar_text(0.5, 10, ascii_only=True) == "#####"
    assert bar_text(1.0, 10) == "█" * 10


def test_control_and_direction_characters_are_spelled_out() -> None:
    assert visible(NASTY) == 'a|b,"c"\\n=1\\x1b[31m\\u202e'
    assert visible("é ½ █") == "é ½ █"


@pytest.mark.parametrize("start", ["=1+1", "+1+1", "-1-x", "@x", " =1", "\t=1", "\uff1d1", "'=1"])
def test_csv_is_no_formula_and_comes_back_whole(start: str) -> None:
    text = csv_text(["name", "value"], [[start, -1.5], [NASTY, None], ["a", 3]])
    read = list(csv.reader(io.StringIO(text)))
    assert read[0] == ["name", "value"]
    assert read[1][1] == "-1.5"
    assert not read[1][0].startswith(("=", "+", "-", "@", " ", "\t")) or read[1][0].startswith("\\t")
    assert read[2:] == [[visible(NASTY), ""], ["a", "3"]]


def test_markdown_shows_names_as_they_are() -> None:
    table = Table(
        "T", (Heading("name", "words"), Heading("n")), ((NASTY, "1"), ("full_house", "-")), "*note*"
    )
    lines = markdown_table(table).splitlines()
    assert lines[0] == "### T"
    assert lines[3] == "| --- | ---: |"
    assert lines[4] == '| a\\|b,"c"\\\\n=1\\\\x1b\\[31m\\\\u202e | 1 |'
    assert lines[5] == "| full_house | - |"
    assert lines[-1] == "\\*note\\*"
    assert markdown_text("_a_ # x") == "\\_a\\_ # x"
    assert markdown_text("# x") == "\\# x"


def test_a_table_in_a_pipe_cuts_nothing_and_has_no_colour() -> None:
    name = "a strategy with a name of many words " * 8
    table = Table("Long", (Heading("name", "words"), Heading("n")), ((name, "1"), ("[red]x[/red]", "2")))
    sink = io.StringIO()
    print_tables([table], sink, title="[b]", lines=["line " * 40])
    text = sink.getvalue()
    assert name in text
    assert "[red]x[/red]" in text
    assert "line " * 39 in text
    assert "\x1b" not in text
    assert "…" not in text


@pytest.mark.parametrize(("encoding", "ascii_only"), [("utf-8", False), ("ascii", True), ("latin-1", True)])
def test_block_characters_go_only_where_they_can(encoding: str, ascii_only: bool) -> None:
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    assert draws_ascii_only(file) is ascii_only
    table = Table("T", (Heading("n"), Heading("", "bar")), (("1", bar_text(0.3, 9, ascii_only)),))
    print_tables([table], file)
    file.flush()
