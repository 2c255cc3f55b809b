"""What all charts share: signs, scales, and the one style that they are drawn in."""

from collections.abc import Iterable, Sequence
from typing import Any

import altair as alt

from results.pages.page import Spec
from results.pages.palette import GRID, INK, MUTED
from results.printing import visible

SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
DASHES: tuple[list[int], ...] = ([1, 0], [7, 3], [2, 2], [9, 3, 2, 3], [4, 4], [12, 4])
FONT_SIZE = 13
LONGEST_NAME = 30
_STYLE: Spec = {
    "padding": {"left": 14, "right": 8, "top": 4, "bottom": 4},
    "autosize": {"type": "fit-x", "contains": "padding"},
    "config": {
        "background": "transparent",
        "font": "sans-serif",
        "aria": False,
        "view": {"stroke": None},
        "axis": {
            "labelFontSize": FONT_SIZE, "titleFontSize": FONT_SIZE, "titleFontWeight": "normal", "labelColor": INK,
            "titleColor": MUTED, "labelPadding": 6, "titlePadding": 8, "gridColor": GRID, "domainColor": MUTED,
            "tickColor": MUTED, "labelOverlap": True, "labelSeparation": 8,
        },
        "axisY": {"labelOverlap": False},
        "legend": {
            "orient": "top", "labelFontSize": FONT_SIZE, "labelColor": INK, "symbolSize": 110, "symbolStrokeWidth": 2,
        },
    },
}  # fmt: skip
"""What every chart has beside its signs; room on the left is for letters that are wider where it is read."""

Row = dict[str, Any]


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Return by name what a chart calls it: the name made harmless, its middle left out if it is long, each its own."""
    found: dict[str, str] = {}
    for name in names:
        if name in found:
            continue
        shown = visible(name)
        if len(shown) > LONGEST_NAME:
            shown = f"{shown[: LONGEST_NAME * 2 // 3]}…{shown[-(LONGEST_NAME // 3) :]}"
        plain, count = shown, 1
        while shown in found.values():
            count += 1
            shown = f"{plain} ({count})"
        found[name] = shown
    return found


def inline_rows(rows: Iterable[Row]) -> alt.InlineData:
    """Return rows as the data of a chart."""
    return alt.InlineData(values=list(rows))


def label_lines(labels: Sequence[str], grid: bool = False) -> alt.Y:
    """Return the axis on which each label has a line of its own, in their order."""
    axis = alt.Axis(ticks=False, domain=False, grid=grid, gridDash=[1, 3])
    return alt.Y("label:N", scale=alt.Scale(domain=list(labels)), title=None, axis=axis)


def reference_rule(value: float) -> alt.Chart:
    """Return a dashed line across the chart at a value."""
    rule = alt.Chart(inline_rows([{"at": value}])).mark_rule(stroke=MUTED, strokeDash=[4, 4], strokeWidth=1.5)
    encoded: alt.Chart = rule.encode(x="at:Q")
    return encoded


def signs_of(series: Sequence[int], signs: Sequence[str]) -> alt.Scale:
    """Return the signs of series that are counted from 0."""
    return alt.Scale(domain=list(series), range=[signs[k % len(signs)] for k in series])


def named_signs(names: Sequence[str], signs: Sequence[Any]) -> alt.Scale:
    """Return the signs of series by their names, in their order."""
    return alt.Scale(domain=list(names), range=[signs[k % len(signs)] for k in range(len(names))])


def legend_of(names: Sequence[str], symbol: str = "") -> alt.Legend | None:
    """Return the legend of series, with their own signs or all with one; one series alone is told by the title."""
    if len(names) < 2:
        return None
    return alt.Legend(title=None, symbolType=symbol) if symbol else alt.Legend(title=None)


def alignment(value: float, domain: tuple[float, float]) -> str:
    """Return to which side of its place a text has room."""
    place = (value - domain[0]) / (domain[1] - domain[0])
    return "left" if place < 0.15 else "right" if place > 0.85 else "center"


def domain_of(values: Sequence[float], limits: tuple[float, float] | None) -> tuple[float, float]:
    """Return from where to where an axis goes that has all values, with some room, within limits."""
    low, high = min(values), max(values)
    room = (high - low) * 0.08 or max(abs(high) * 0.01, 0.5)
    low, high = low - room, high + room
    return (low, high) if limits is None else (max(low, limits[0]), min(high, limits[1]))


def finished(chart: alt.LayerChart | alt.FacetChart, height: int) -> Spec:
    """Return a chart as plain values, in the style that all have, of a height in pixels."""
    # What is drawn is checked in tests; each chart would take longer to check than to draw.
    spec: Spec = chart.to_dict(validate=False)
    # The address of the schema would be the only one in a page that asks for nothing.
    del spec["$schema"]
    # Put beside what altair makes, as it copies the whole chart for every word of it.
    return spec | _STYLE | {"height": height}
