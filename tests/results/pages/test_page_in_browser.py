"""Pages as a reader's browser shows them, without a network: no request, no complaint, every chart there."""

import re
from pathlib import Path

import pytest

from results.pages import matrix_plots, plots
from results.pages.html import html_page
from results.pages.page import Chart, Headline, Page, Section
from results.pages.palette import css_variables
from results.tables import Heading, Table
from tests.results.pages.browser import CHROMIUM, Browser

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed; apt-get install chromium"),
]
LONG = "a-strategy-of-a-rather-long-name:with=1,parameters=2.5"
#: What the page says of its charts that are to be seen: how wide the picture is, and how wide its surroundings.
CHARTS = """
[...document.querySelectorAll("figure")].filter((figure) => figure.checkVisibility()).map((figure) => {
  const seen = [...figure.querySelectorAll("svg")].filter((svg) => svg.getBoundingClientRect().width > 0);
  const svg = seen[0], box = svg.getBoundingClientRect();
  const scale = box.width / (svg.viewBox.baseVal.width || svg.clientWidth);
  const marks = [...svg.querySelectorAll("[stroke], [fill]")].map((mark) => getComputedStyle(mark));
  const sizes = [...svg.querySelectorAll("text")].map((text) => parseFloat(getComputedStyle(text).fontSize));
  return {
    name: figure.id, count: seen.length, live: Boolean(svg.closest(".live")), width: box.width, height: box.height,
    room: figure.clientWidth, letters: Math.min(...sizes) * scale,
    colours: marks.flatMap((mark) => [mark.stroke, mark.fill]),
  };
})
"""
DRAWN = "[...document.querySelectorAll('figure')].every((f) => !f.checkVisibility() || f.classList.contains('drawn'))"
OPEN = "document.querySelectorAll('details').forEach((each) => { each.open = true })"
NAMES = ["intervals", "steps", "bars", "dots", "z", "heat"]


def page_of_all_charts() -> Page:
    figures = Table(
        "Figures", (Heading("of", "words"), Heading("value")), ((LONG, "1.0000 [0.5000, 1.5000]"),)
    )
    dots = [
        plots.Dot(LONG, 40.0, [39.0, 41.0], "40.0000 %"),
        plots.Dot("par", 60.0, [59.0, 61.0], "60.0000 %", 1),
    ]
    names = [LONG, "par", "b", "c", "d", "e"]
    shares = {name: [60.0 - 5 * k, 40.0 + 5 * k] for k, name in enumerate(names)}
    drawn = {
        "intervals": plots.interval_chart(dots, "credit, %", 50.0, (0, 100)),
        "steps": plots.step_chart([100, 120, 140], shares, "score", {"par": [55.0, 45.0]}),
        "bars": plots.bar_chart(["0", "1 to 9"], shares, "% of the games", "chips"),
        "dots": plots.dot_chart(["Ones", "Three of a Kind"], shares, "mean points"),
        "z": plots.z_chart({"par": [("mean", 2.5), ("spread", -0.5)]}, "standard errors"),
        "heat": matrix_plots.heat_chart(
            names, {("par", LONG): 61.0, (LONG, "par"): 39.0}, "strategy", "against"
        ),
    }
    charts = [Chart(name, name, f"In words: {name}.", spec, figures) for name, spec in drawn.items()]
    inner = Chart("inner", "Inner", "In words.", drawn["z"], figures)
    hidden = Section("folded", "Folded", ("First.", "Second."), (inner,), folded=True)
    return Page(
        "All charts", "For the test.", (Headline("60.0000 %", "of the credit for par", "par leads.", "charts"),),
        (Section("charts", "Charts", ("One of each.",), tuple(charts), (figures,)), hidden),
    )  # fmt: skip


def complaints(browser: Browser) -> list[str]:
    """What the browser has to say since it was asked last, and every address it went to but the page's."""
    found = []
    for event in browser.events:
        told, kind = event.get("params", {}), event["method"]
        if kind in ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled"):
            found.append(str(told)[:400])
        address = told.get("request", {}).get("url", "") if kind == "Network.requestWillBeSent" else ""
        if address and not re.fullmatch(r"file://[^?]*/(still|live)\.html(#.*)?", address):
            found.append(address)
    browser.events.clear()
    return found


def check_screen(browser: Browser, path: Path, width: int, dark: bool) -> None:
    is_live = path.stem == "live"
    browser.show(path, width, dark)
    if is_live:
        browser.wait_for(DRAWN)
    charts = browser.value(CHARTS)
    assert [chart["name"] for chart in charts] == NAMES
    for chart in charts:
        assert (chart["count"], chart["live"]) == (1, is_live)
        assert 0.9 * min(chart["room"], 680) < chart["width"] < chart["room"] + 1
        assert chart["height"] > 40
        assert chart["letters"] >= 10
    declared = dict(re.findall(r"(--series-\d): #([0-9a-f]{6});", css_variables(dark)))
    expected = {f"rgb({', '.join(map(str, bytes.fromhex(colour)))})" for colour in declared.values()}
    assert expected <= set(charts[1]["colours"])
    # The page itself never scrolls sideways; tables do, within their own frame.
    assert browser.value("document.documentElement.scrollWidth <= innerWidth")
    # What is folded is drawn once it is opened.
    browser.value(OPEN)
    if is_live:
        browser.wait_for(DRAWN)
    charts = browser.value(CHARTS)
    assert (charts[-1]["name"], charts[-1]["live"]) == ("inner", is_live)


def check_print(browser: Browser) -> None:
    """What is shown now goes to the printer."""
    browser.value("document.querySelectorAll('details').forEach((each) => { each.open = false })")
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    browser.ask("Emulation.setEmulatedMedia", media="print", features=dark)
    charts = browser.value(CHARTS)
    assert [chart["name"] for chart in charts] == [*NAMES, "inner"]
    for chart in charts:
        assert (chart["count"], chart["live"]) == (1, False)
        assert chart["height"] > 40
    assert browser.value("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert browser.value("[...document.querySelectorAll('table')].every((table) => table.clientHeight > 0)")


def test_every_chart_is_there_at_a_desk_on_a_phone_and_in_print(tmp_path: Path) -> None:
    # One test, as a browser and both pages take longer to make than to look at.
    page = page_of_all_charts()
    still, live = tmp_path / "still.html", tmp_path / "live.html"
    still.write_text(html_page(page), encoding="utf-8")
    live.write_text(html_page(page, interactive=True), encoding="utf-8")
    with Browser() as browser:
        for path in (still, live):
            check_screen(browser, path, 1280, dark=False)
            check_screen(browser, path, 390, dark=True)
        check_print(browser)
        assert complaints(browser) == []
