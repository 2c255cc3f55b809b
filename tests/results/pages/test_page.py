"""Pages as HTML, as Markdown and in parts, whatever names and texts they hold."""

import csv
import io
import re

import altair as alt
import pytest

from results.errors import RunError
from results.pages import matrix_plots, plots
from results.pages.html import html_page, is_page
from results.pages.markdown import is_markdown_page, markdown_page
from results.pages.page import Chart, Headline, Listing, Page, Section
from results.pages.palette import HEAT, css_variables
from results.pages.parts import table_csv, write_parts
from results.tables import Heading, Table
from tests.results.pages.page_reading import read_page, rows_of

ODD = '=1+1,"<script>alert(1)</script>\n🎲 骰子\x1b[31m\u202e&amp;'
SHOWN = '=1+1,"<script>alert(1)</script>\\n🎲 骰子\\x1b[31m\\u202e&amp;'
TABLE = Table(
    ODD,
    (Heading(ODD, "words"), Heading("credit %"), Heading("", "bar"), Heading("n")),
    ((ODD, "-1.5000 [-2.0000, 3.2500]", "###", "1,000"), ("par", "-", "", "20")),
    ODD,
)


def odd_page():
    dots = [plots.Dot(ODD, 40.0, [39.0, 41.0], "40.0000 %"), plots.Dot("par", 60.0, None, "60.0000 %", 1)]
    chart = Chart("odd-chart", ODD, ODD, plots.interval_chart(dots, ODD, 50.0, (0, 100)), TABLE, ODD)
    inner = Section("inner", ODD, (ODD, ODD), tables=(TABLE,), folded=True)
    listing = Listing(ODD, f'name = "{ODD}"\n', "job.toml")
    section = Section("odd", ODD, (ODD,), (chart,), (TABLE,), ((ODD, ODD),), (listing,), (inner,))
    return Page(ODD, ODD, (Headline("1", ODD, ODD, "odd"),), (section,), ((ODD, ODD),), (ODD,))


@pytest.fixture(scope="module")
def written():
    return html_page(odd_page())


def test_odd_names_do_nothing_and_are_shown(written):
    read = read_page(written)
    assert read.problems == []
    assert "script" not in read.tags
    assert read.heading_levels == [1, 2, 2, 3, 3, 2]
    assert read.texts("h1") == [SHOWN]
    assert set(read.texts("title")) == {SHOWN}
    assert set(read.texts("desc")) == {SHOWN}
    assert read.texts("figcaption") == [SHOWN]
    # Letters that turn the direction of what follows, or colour a terminal, are nowhere in the file.
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202a-\u202e]", written)


def test_charts_take_their_colours_from_the_page(written):
    drawn = re.findall(r"<svg .*?</svg>", written, re.DOTALL)
    assert len(drawn) == 2
    for svg in drawn:
        assert re.findall(r'(?:fill|stroke)="(?!var\(--|none|transparent)[^"]*"', svg) == []
    used = set(re.findall(r"var\((--[a-z0-9-]+)\)", written))
    for dark in (False, True):
        declared = re.findall(r"(--[a-z0-9-]+): (#[0-9a-f]{6});", css_variables(dark))
        assert used <= dict(declared).keys() | {"--paper", "--raised", "--link", "--warn", "--warn-edge"}
        series = [colour for name, colour in declared if name.startswith("--series")]
        assert len(set(series)) == len(series)


def test_the_same_page_gives_the_same_bytes(written):
    assert html_page(odd_page()) == written
    assert is_page(written)
    assert not is_page(written.replace("dicecup", "other"))


def test_markdown_has_every_text_but_no_chart():
    text = markdown_page(odd_page())
    assert is_markdown_page(text)
    # Within a fence nothing needs an escape.
    assert "<script" not in text.replace(r"\<script", "").partition("```")[0]
    assert text.count(r"| \-1.5000 \[-2.0000, 3.2500\] |") == 2
    assert "![" not in text


def test_csv_of_a_table_has_bare_figures_and_intervals_apart():
    rows = list(csv.reader(io.StringIO(table_csv(TABLE))))
    assert rows[0][1:] == ["credit %", "credit % low", "credit % high", "n"]
    assert rows[1] == [f"'{SHOWN}", "-1.5", "-2", "3.25", "1000"]
    assert rows[2] == ["par", "", "", "", "20"]


def test_parts_are_written_listed_and_replaced(tmp_path):
    folder = tmp_path / "report"
    written = write_parts(odd_page(), folder)
    assert sorted(path.name for path in written) == sorted(path.name for path in folder.iterdir())
    linked = re.findall(r"\]\(([^)]+)\)", (folder / "index.md").read_text())
    assert sorted([*linked, "index.md"]) == sorted(path.name for path in folder.iterdir())
    assert (folder / "odd-chart.png").read_bytes().startswith(b"\x89PNG")
    assert "](odd-chart.png)" in (folder / "odd.md").read_text()
    (folder / "notes.txt").write_text("mine")
    write_parts(Page("t", "s", (), (Section("other", "Other"),)), folder)
    assert sorted(path.name for path in folder.iterdir()) == ["index.md", "notes.txt", "other.md"]


def test_parts_are_kept_out_of_other_folders(tmp_path):
    (tmp_path / "thesis.md").write_text("mine")
    page = Page("t", "s", (), (Section("other", "Other"),))
    with pytest.raises(
        RunError, match=r"holds other things \(thesis\.md\) .*name a new folder, or give --force"
    ):
        write_parts(page, tmp_path)
    with pytest.raises(RunError, match="is a file; name a folder"):
        write_parts(page, tmp_path / "thesis.md")
    write_parts(page, tmp_path, force=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["index.md", "other.md", "thesis.md"]


CHARTS = {
    "intervals": lambda: plots.interval_chart([plots.Dot("a", 1.0, None, "1")], "x", 2.0),
    "steps": lambda: plots.step_chart(
        [0, 1, 2], {"a": [40.0, 60.0], "b": [50.0, 50.0]}, "x", {"a": [41.0, 59.0]}
    ),
    "bars": lambda: plots.bar_chart(["1", "2"], {"a": [1.0, 2.0]}, "x", "y"),
    "dots": lambda: plots.dot_chart(["c", "d"], {"a": [1.0, None], "b": [2.0, 3.0]}, "x"),
    "z": lambda: plots.z_chart({"a": [("mean", -4.5)]}, "z"),
    "heat": lambda: matrix_plots.heat_chart(
        ["a", "b"], {("a", "b"): 55.0, ("b", "a"): 45.0}, "row", "column"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CHARTS)
def test_charts_are_valid_by_the_schema(name):
    spec = CHARTS[name]()
    alt.LayerChart.from_dict(spec, validate=True)
    assert "$schema" not in spec


def test_a_chart_of_steps_draws_every_share_from_edge_to_edge():
    rows = rows_of(CHARTS["steps"]())
    steps = sorted((r["order"], r["edge"], r["share"]) for r in rows if r["series"] == "a" and "edge" in r)
    assert steps == [(0, 0, 0.0), (1, 0, 40.0), (2, 1, 60.0), (3, 2, 0.0)]
    assert [(r["middle"], r["exact"]) for r in rows if r["series"] == "a" and "middle" in r] == [
        (0.5, 41.0),
        (1.5, 59.0),
    ]


def test_a_heat_map_is_bluest_and_most_orange_at_its_ends_and_grey_in_the_middle():
    names, values = "abcd", {("a", "b"): 80.0, ("b", "a"): 20.0, ("c", "d"): 50.2, ("d", "c"): 49.8}
    colours = {
        (r["row"], r["column"]): r["colour"] for r in rows_of(matrix_plots.heat_chart(names, values, "", ""))
    }
    assert colours == {
        ("a", "b"): HEAT[-1], ("b", "a"): HEAT[0], ("c", "d"): HEAT[4], ("d", "c"): HEAT[4],
    }  # fmt: skip
