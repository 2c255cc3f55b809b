"""A figure with its interval: rounded once for the document, then spelled in cells and in rows of CSV."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from results.ratios import RatioSums, ratio_interval, ratio_z
from results.statistics import (
    DealSums,
    Interval,
    difference_interval,
    mean_interval,
    proportion_interval,
)
from results.tables import Heading, Value, percent_text, rounded_rate, rounded_value, value_text

Document = dict[str, Any]

RATE_ENDS = ("rate", "edge")
"""How the names of rates end, that are told in per cent."""


def rate_figure(
    name: str, sums: DealSums | None, level: float, interval: str = "", fixed: bool = False
) -> Document:
    """Return a rate and its interval under their keys; None where there is nothing to count."""
    key = interval or f"{name}_interval"
    if sums is None:
        return {name: None, key: None}
    return {name: rounded_rate(sums.mean), key: rounded_rates(proportion_interval(sums, level, fixed))}


def rate_difference(name: str, sums: DealSums, level: float) -> Document:
    """Return the mean difference of two rates, from -1 to 1, and its interval under their keys."""
    return {
        name: rounded_rate(sums.mean),
        f"{name}_interval": rounded_rates(difference_interval(sums, level)),
    }


def mean_figure(name: str, sums: DealSums, level: float) -> Document:
    """Return a mean and its interval under their keys."""
    return {name: rounded_value(sums.mean), f"{name}_interval": rounded_values(mean_interval(sums, level))}


def count_figure(name: str, sums: DealSums, level: float, most: int) -> Document:
    """Return a mean that lies between 0 and `most`, and its interval under their keys.

    As a share of `most` it has the interval of a rate: counts that nearly always are as high as they can be, such as
    the rounds of games that seldom end early, show no spread in a few deals, and are not sure for that.
    """
    bounds = proportion_interval(replace(sums, weight=sums.weight * most), level)
    scaled = None if bounds is None else (bounds[0] * most, bounds[1] * most)
    return {name: rounded_value(sums.mean), f"{name}_interval": rounded_values(scaled)}


def ratio_figure(name: str, sums: RatioSums, level: float, least: float | None = None) -> Document:
    """Return a ratio of totals and its interval under their keys; given `least`, it is a rate from there to 1."""
    key, bounds = f"{name}_interval", ratio_interval(sums, level, least)
    if least is None:
        return {name: rounded_value(sums.ratio), key: rounded_values(bounds)}
    return {name: rounded_rate(sums.ratio), key: rounded_rates(bounds)}


def exact_figure(
    name: str, sums: RatioSums, level: float, exact: str | None, least: float | None = None
) -> Document:
    """Return a ratio with its interval, what it comes to exactly, and how many standard errors it lies above that.

    `exact` is a fraction as the manifest has it; where there is none, there is nothing to hold the ratio against.
    """
    figure = ratio_figure(name, sums, level, least)
    if exact is None:
        return figure
    value = Fraction(exact)
    shown = rounded_value(float(value)) if least is None else rounded_rate(float(value))
    return figure | {f"{name}_exact": shown, f"{name}_z": rounded_value(ratio_z(sums, value))}


def rounded_rates(bounds: Interval | None) -> list[float | None] | None:
    """Return an interval of a rate as every format shows it."""
    return None if bounds is None else [rounded_rate(bound) for bound in bounds]


def rounded_values(bounds: Interval | None) -> list[float | None] | None:
    """Return an interval of another figure as every format shows it."""
    return None if bounds is None else [rounded_value(bound) for bound in bounds]


def headings(first: str, *others: str) -> tuple[Heading, ...]:
    """Return the heads of a column of words and of columns of figures."""
    return (Heading(first, "words"), *(Heading(text) for text in others))


def percent_cell(row: Document, key: str, interval: str = "") -> str:
    """Return a rate in per cent, with its interval."""
    bounds = row[interval or f"{key}_interval"]
    return _with_bounds(percent_text(row[key]), [percent_text(bound) for bound in bounds] if bounds else None)


def figure_cell(row: Document, key: str) -> str:
    """Return another figure with its interval."""
    return bracketed(value_text(row[key]), row[f"{key}_interval"])


def exact_cells(row: Document, key: str) -> tuple[str, str]:
    """Return what a figure comes to exactly, and how many standard errors it lies above that."""
    text = percent_text if key.endswith(RATE_ENDS) else value_text
    return text(row.get(f"{key}_exact")), value_text(row.get(f"{key}_z"))


def bracketed(text: str, bounds: Sequence[float | None] | None) -> str:
    """Return a text with an interval of figures behind it, where there is one."""
    return _with_bounds(text, [value_text(bound) for bound in bounds] if bounds else None)


def figure_row(
    match: Document, source: Document, key: str, n: int, prefix: str = "", **where: Value
) -> tuple[Value, ...]:
    """Return the row of CSV for a figure of a document with its interval."""
    return csv_row(match, f"{prefix}{key}", source[key], n, source[f"{key}_interval"], **where)


def exact_rows(
    match: Document, source: Document, key: str, n: int, prefix: str = "", **where: Value
) -> Iterator[tuple[Value, ...]]:
    """Yield the rows of CSV for a figure, and for its exact value where that is known."""
    yield figure_row(match, source, key, n, prefix, **where)
    for name in (f"{key}_exact", f"{key}_z"):
        if name in source:
            yield csv_row(match, f"{prefix}{name}", source[name], n, None, **where)


def csv_row(
    match: Document, measure: str, value: Value, n: int, bounds: Sequence[Value] | None = None, **where: Value
) -> tuple[Value, ...]:
    """Return a row of CSV; `where` names a strategy, a seat or a category."""
    low, high = bounds or (None, None)
    place = (where.get("strategy"), where.get("seat"), where.get("category"))
    return (match["match"], match["ruleset"], *place, measure, value, low, high, n)


def _with_bounds(text: str, bounds: Sequence[str] | None) -> str:
    return f"{text} [{bounds[0]}, {bounds[1]}]" if bounds else text
