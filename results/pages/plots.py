"""Charts as Vega-Lite by altair, from figures that are rounded already and as tables have them.

Nothing is told by colour alone: series have dashes or shapes of their own, and values stand beside their signs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import altair as alt

from results.pages.chart_style import (
    DASHES,
    FONT_SIZE,
    SHAPES,
    Row,
    alignment,
    domain_of,
    finished,
    inline_rows,
    label_lines,
    legend_of,
    named_signs,
    reference_rule,
    short_names,
    signs_of,
)
from results.pages.page import Spec
from results.pages.palette import BANDS, INK, MUTED, SERIES
from results.printing import visible


@dataclass(frozen=True)
class Dot:
    """One line of a chart of intervals; `text` is written beside the dot, `series` counts colours and shapes from 0."""

    label: str
    value: float | None
    bounds: Sequence[float | None] | None
    text: str
    series: int = 0


@dataclass(frozen=True)
class Band:
    """What lies behind the dots from one value to another, None where it has no end; `colour` is one of BANDS."""

    name: str
    low: float | None
    high: float | None
    colour: str


def interval_chart(
    dots: Sequence[Dot],
    axis: str,
    reference: float | None = None,
    limits: tuple[float, float] | None = None,
    bands: Sequence[Band] = (),
) -> Spec:
    """Return a chart of dots with intervals, a line each; a dashed line stands at the reference.

    `limits` are the least and most that a value can be. The axis reaches to the ends of all bands.
    """
    short = short_names(dot.label for dot in dots)
    rows = [_dot_row(dot, short[dot.label]) for dot in dots if dot.value is not None]
    domain = domain_of(
        [row[key] for row in rows for key in ("value", "low", "high")]
        + ([] if reference is None else [reference])
        + [end for band in bands for end in (band.low, band.high) if end is not None],
        limits,
    )
    for row in rows:
        row["align"] = alignment(row["value"], domain)
    labels = list(dict.fromkeys(row["label"] for row in rows))
    base = alt.Chart(inline_rows(rows)).encode(y=label_lines(labels))
    x_scale = alt.Scale(domain=list(domain), nice=False, zero=False)
    series = sorted({row["series"] for row in rows})
    colour = alt.Color("series:N", scale=signs_of(series, SERIES), legend=None)
    shape = alt.Shape("series:N", scale=signs_of(series, SHAPES), legend=None)
    tooltip = [alt.Tooltip("label:N", title=" "), alt.Tooltip("text:N", title=visible(axis))]
    lines = base.mark_rule(strokeWidth=4, strokeCap="round", opacity=0.55).encode(
        x=alt.X("low:Q", scale=x_scale, title=visible(axis)), x2="high:Q", color=colour, tooltip=tooltip
    )
    points = base.mark_point(filled=True, size=80, opacity=1).encode(
        x=alt.X("value:Q", scale=x_scale), color=colour, shape=shape, tooltip=tooltip
    )
    words = base.mark_text(
        dy=-12, fontSize=FONT_SIZE, color=INK, align=alt.ExprRef("datum.align"), baseline="bottom"
    ).encode(x=alt.X("value:Q", scale=x_scale), text="text:N")
    layers: list[alt.Chart] = [lines, points, words]
    if reference is not None:
        layers.insert(0, reference_rule(reference))
    return finished(alt.layer(*_band_layers(bands, domain, x_scale), *layers), 46 * len(labels))


def step_chart(
    edges: Sequence[float],
    shares: Mapping[str, Sequence[float]],
    axis: str,
    exact: Mapping[str, Sequence[float]] | None = None,
) -> Spec:
    """Return the shares of bands as overlaid steps, a series each, with exact ones as rings over the bands.

    There is one edge more than there are bands; shares are in per cent.
    """
    names = list(short_names(shares).values())
    rows: list[Row] = []
    for name, values in zip(names, shares.values(), strict=True):
        # A step begins and ends on the axis, so that it encloses its area.
        rows.append({"series": name, "edge": edges[0], "share": 0.0, "order": 0})
        rows += [
            {"series": name, "edge": edge, "share": share, "order": k}
            for k, (edge, share) in enumerate(zip(edges, [*values, 0.0], strict=True), 1)
        ]
    legend = legend_of(names, "stroke")
    colour = alt.Color("series:N", scale=named_signs(names, SERIES), legend=legend)
    dash = alt.StrokeDash("series:N", scale=named_signs(names, DASHES), legend=legend)
    x_scale = alt.Scale(domain=[edges[0], edges[-1]], nice=False, zero=False)
    x, y = alt.X("edge:Q", scale=x_scale, title=visible(axis)), alt.Y("share:Q", title="% of the scores")
    base = alt.Chart(inline_rows(rows)).encode(x=x, y=y, order="order:Q", color=colour)
    layers = [
        base.mark_line(interpolate="step-after", strokeWidth=2, strokeJoin="miter").encode(strokeDash=dash)
    ]
    marks = _band_marks(edges, shares, exact or {})
    tooltip = [
        alt.Tooltip("series:N", title=" "),
        alt.Tooltip("share:Q", title="% of the scores", format=".4f"),
        alt.Tooltip("exact:Q", title="exactly %", format=".4f"),
    ]
    over = alt.Chart(inline_rows(marks)).encode(
        x=alt.X("middle:Q", scale=x_scale),
        color=colour,
    )
    if exact:
        layers.append(
            over.mark_point(size=42, strokeWidth=1.6, opacity=1).encode(y="exact:Q", tooltip=tooltip)
        )
    layers.append(over.mark_point(size=120, opacity=0).encode(y="share:Q", tooltip=tooltip))
    return finished(alt.layer(*layers), 280)


def bar_chart(
    labels: Sequence[str], shares: Mapping[str, Sequence[float]], axis: str, label_axis: str
) -> Spec:
    """Return bars side by side, a group for each label and a bar for each series."""
    names = list(short_names(shares).values())
    rows: list[Row] = [
        {"series": name, "label": label, "share": share}
        for name, values in zip(names, shares.values(), strict=True)
        for label, share in zip(labels, values, strict=True)
    ]
    bars = (
        alt.Chart(inline_rows(rows))
        .mark_bar(stroke=INK, strokeWidth=0.5)
        .encode(
            y=alt.Y("label:N", sort=None, title=visible(label_axis), scale=alt.Scale(paddingInner=0.25)),
            yOffset=alt.YOffset("series:N", sort=names),
            x=alt.X("share:Q", title=visible(axis)),
            color=alt.Color("series:N", scale=named_signs(names, SERIES), legend=legend_of(names)),
            tooltip=[
                alt.Tooltip("series:N", title=" "),
                alt.Tooltip("label:N", title=visible(label_axis)),
                alt.Tooltip("share:Q", title=visible(axis), format=",.4~f"),
            ],
        )
    )
    height = len(labels) * (14 * len(names) + 8)
    return finished(alt.layer(bars), height)


def dot_chart(
    labels: Sequence[str], values: Mapping[str, Sequence[float | None]], axis: str, zero: bool = True
) -> Spec:
    """Return one line for each label with a dot for each series, in colours and shapes of their own."""
    names, lines = list(short_names(values).values()), short_names(labels)
    rows = [
        {"series": name, "label": lines[label], "value": value}
        for name, own in zip(names, values.values(), strict=True)
        for label, value in zip(labels, own, strict=True)
        if value is not None
    ]
    base = alt.Chart(inline_rows(rows)).encode(y=label_lines(list(lines.values()), grid=True))
    spans = base.mark_rule(stroke=MUTED, strokeWidth=1.5).encode(x="min(value):Q", x2="max(value):Q")
    dots = base.mark_point(filled=True, size=70, opacity=0.95).encode(
        x=alt.X("value:Q", title=visible(axis), scale=alt.Scale(zero=zero)),
        color=alt.Color("series:N", scale=named_signs(names, SERIES), legend=legend_of(names)),
        shape=alt.Shape("series:N", scale=named_signs(names, SHAPES), legend=legend_of(names)),
        tooltip=[
            alt.Tooltip("series:N", title=" "),
            alt.Tooltip("label:N", title="of"),
            alt.Tooltip("value:Q", title=visible(axis), format=",.4f"),
        ],
    )
    return finished(alt.layer(spans, dots), 26 * len(labels))


def z_chart(rows_of: Mapping[str, Sequence[tuple[str, float]]], axis: str) -> Spec:
    """Return how many standard errors figures lie from their exact values, before a band from -2 to 2."""
    names = list(short_names(rows_of).values())
    rows: list[Row] = [
        {"series": name, "label": visible(label), "value": value}
        for name, own in zip(names, rows_of.values(), strict=True)
        for label, value in own
    ]
    labels = list(dict.fromkeys(row["label"] for row in rows))
    reach = max([3.0, *(abs(row["value"]) * 1.1 for row in rows)])
    scale = alt.Scale(domain=[-reach, reach], nice=False)
    usual = (
        alt.Chart(inline_rows([{"from": -2, "to": 2}]))
        .mark_rect(color=BANDS[1])
        .encode(x=alt.X("from:Q", scale=scale, title=visible(axis)), x2="to:Q")
    )
    dots = (
        alt.Chart(inline_rows(rows))
        .mark_point(filled=True, size=70, opacity=1)
        .encode(
            x=alt.X("value:Q", scale=scale),
            y=label_lines(labels, grid=True),
            color=alt.Color("series:N", scale=named_signs(names, SERIES), legend=legend_of(names)),
            shape=alt.Shape("series:N", scale=named_signs(names, SHAPES), legend=legend_of(names)),
            tooltip=[
                alt.Tooltip("series:N", title=" "),
                alt.Tooltip("label:N", title="of"),
                alt.Tooltip("value:Q", title="z", format=".4f"),
            ],
        )
    )
    return finished(alt.layer(usual, reference_rule(0.0), dots), 26 * len(labels))


def _band_layers(bands: Sequence[Band], domain: tuple[float, float], x_scale: alt.Scale) -> list[alt.Chart]:
    """Return the bands as far as the axis goes, each with its name above."""
    rows = []
    for band in bands:
        low = domain[0] if band.low is None else max(domain[0], band.low)
        high = domain[1] if band.high is None else min(domain[1], band.high)
        if low < high:
            rows.append(
                {
                    "from": low,
                    "to": high,
                    "middle": (low + high) / 2,
                    "name": band.name,
                    "colour": band.colour,
                }
            )
    if not rows:
        return []
    base = alt.Chart(inline_rows(rows))
    colour = alt.Color("colour:N", scale=None)
    return [
        base.mark_rect().encode(x=alt.X("from:Q", scale=x_scale), x2="to:Q", color=colour),
        base.mark_text(baseline="bottom", fontSize=FONT_SIZE, color=MUTED).encode(
            x=alt.X("middle:Q", scale=x_scale), y=alt.value(-7), text="name:N"
        ),
    ]


def _dot_row(dot: Dot, label: str) -> Row:
    low, high = dot.bounds or (dot.value, dot.value)
    return {
        "label": label,
        "value": dot.value,
        "low": dot.value if low is None else low,
        "high": dot.value if high is None else high,
        "text": dot.text,
        "series": dot.series,
    }


def _band_marks(
    edges: Sequence[float], shares: Mapping[str, Sequence[float]], exact: Mapping[str, Sequence[float]]
) -> list[Row]:
    short = short_names(shares)
    middles = [(low + high) / 2 for low, high in pairwise(edges)]
    return [
        {
            "series": short[name],
            "middle": middle,
            "share": values[k],
            "exact": exact[name][k] if name in exact else None,
        }
        for name, values in shares.items()
        for k, middle in enumerate(middles)
    ]
