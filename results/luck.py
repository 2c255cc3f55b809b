"""What a summary says of luck where it is kept: scores and credit adjusted for it, and the variance that is left.

The luck of a side's dice has mean zero whatever it decides, so what it explains can be taken off: of a score in
proportion to the own luck, of credit in proportion to what that exceeds the others' by. Whoever plays well turns nearly
all luck into points; a strategy that squanders it doesn't, and taking off the whole of it would add to the variance.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from results.control import LEAST_FOLD_DEALS, Folds, variance_left
from results.figures import (
    Document,
    csv_row,
    figure_cell,
    figure_row,
    headings,
    mean_figure,
    percent_cell,
    rate_difference,
    rate_figure,
    rounded_values,
)
from results.scan import GameArrays, at_cells, by_deal
from results.schema import CREDIT_UNITS
from results.statistics import mean_interval
from results.tables import Table, Value, percent_text, rounded_rate, rounded_value, value_text
from results.tally import MatchTally

KEY, PART = "luck", "luck"
COLUMNS: tuple[str, ...] = ("deal", "score", "credit", "luck")
POINT = 1000
"""Units of luck in a point."""

ROUNDING = 0.001
"""Points by which the rounding of luck may shift a mean; intervals are as much wider on either side."""

_FIGURES = ("luck_mean", "score_mean_adjusted", "credit_rate_adjusted")
_DIFFERENCES = (
    "credit_difference",
    "credit_difference_adjusted",
    "score_difference",
    "score_difference_adjusted",
)
_NOTE = (
    "n counts sides and games. Luck: what the dice brought beyond what was to be expected, in points; its mean is "
    "zero. Adjusted: less what luck explains, in proportion, as fitted on the other half of the deals; at least "
    f"{2 * LEAST_FOLD_DEALS} deals are needed. Variance left: of the means of deals, as a share of that before; "
    "above 100 where luck explains too little for a coefficient from so few deals."
)
_SHARES = ("score_variance_left", "credit_variance_left")


def count(tally: MatchTally, arrays: GameArrays) -> None:
    """Count the luck of a chunk, and scores and credit beside it."""
    luck = arrays["luck"].astype(np.int64)
    excess = excess_luck(luck, tally.match.first_seats)
    first_deal = int(arrays["deal"].flat[0])
    scores, owns, shares, controls = [], [], [], []
    for entry in tally.entries:
        cells = tally.side_cells(entry)
        scores.append(by_deal(at_cells(arrays["score"], cells)))
        owns.append(by_deal(at_cells(luck, cells)))
        tally.count("luck", entry, owns[-1], len(cells) * POINT)
        tally.count_folds("score", entry, Folds.of(first_deal, scores[-1], owns[-1], len(cells)))
        if not tally.is_level:
            shares.append(by_deal(at_cells(arrays["credit"], cells)))
            controls.append(by_deal(at_cells(excess, cells)))
            folds = Folds.of(first_deal, shares[-1], controls[-1], len(cells) * CREDIT_UNITS)
            tally.count_folds("credit", entry, folds)
    if len(tally.entries) == 2:
        sides = [len(tally.side_cells(entry)) for entry in tally.entries]
        weight = sides[0] * sides[1]
        for measure, figures, known, unit in (
            ("score difference", scores, owns, 1),
            ("credit difference", shares, controls, CREDIT_UNITS),
        ):
            folds = Folds.of(
                first_deal, _difference(figures, sides), _difference(known, sides), weight * unit
            )
            tally.count_folds(measure, None, folds)


def excess_luck(luck: npt.NDArray[np.int64], first_seats: list[int]) -> npt.NDArray[np.int64]:
    """Return by how much each seat's luck exceeds that of other sides, summed over them; shapes as in a chunk."""
    total = luck[:, first_seats].sum(axis=1, keepdims=True)
    excess: npt.NDArray[np.int64] = luck * len(first_seats) - total
    return excess


def _difference(totals: list[npt.NDArray[np.int64]], sides: list[int]) -> npt.NDArray[np.int64]:
    # Each entry's total is scaled by the other's number of sides, so that the difference is an integer.
    difference: npt.NDArray[np.int64] = totals[0] * sides[1] - totals[1] * sides[0]
    return difference


def document(tally: MatchTally, level: float) -> Document:
    """Return what is known with luck taken off, by entry, and of two entries the difference."""
    told: Document = {"strategies": [_entry(tally, entry, level) for entry in tally.entries]}
    if len(tally.entries) == 2:
        told["difference"] = _differences(tally, level)
    return told


def _entry(tally: MatchTally, entry: str, level: float) -> Document:
    luck = tally.of("luck", entry)
    score, credit = (tally.folds.get((measure, entry)) for measure in ("score", "credit"))
    return {
        "strategy": entry,
        "games": luck.deals * len(tally.side_cells(entry)),
        **mean_figure("luck_mean", luck, level),
        **adjusted_mean("score_mean_adjusted", score, level, ROUNDING),
        "score_variance_left": _share(score),
        **_rate_figure("credit_rate_adjusted", credit, level),
        "credit_variance_left": _share(credit),
    }


def _differences(tally: MatchTally, level: float) -> Document:
    first, second = tally.entries
    raw = tally.score_difference(first, second)
    score, credit = (tally.folds.get((f"{measure} difference", None)) for measure in ("score", "credit"))
    return {
        "first": first,
        "second": second,
        "deals": raw.deals,
        **rate_difference("credit_difference", tally.credit_difference(first, second), level),
        **adjusted_difference("credit_difference_adjusted", credit, level),
        "credit_variance_left": _share(credit),
        **mean_figure("score_difference", raw, level),
        **adjusted_mean("score_difference_adjusted", score, level, 2 * ROUNDING),
        "score_variance_left": _share(score),
    }


def adjusted_mean(name: str, folds: Folds | None, level: float, rounding: float) -> Document:
    """Return a mean with luck taken off and its interval under their keys, widened by the rounding of luck."""
    sums = folds.adjusted() if folds else None
    if sums is None:
        return {name: None, f"{name}_interval": None}
    bounds = mean_interval(sums, level)
    wider = None if bounds is None else (bounds[0] - rounding, bounds[1] + rounding)
    return {name: rounded_value(sums.mean), f"{name}_interval": rounded_values(wider)}


def _rate_figure(name: str, folds: Folds | None, level: float) -> Document:
    """Return a rate that is adjusted; of a rate near 0 or 1 an adjustment may lead beyond, where it stops."""
    sums = folds.adjusted() if folds else None
    if sums is None:
        return {name: None, f"{name}_interval": None}
    within = min(max(sums.total, 0), sums.deals * sums.weight)
    return rate_figure(name, replace(sums, total=within), level)


def adjusted_difference(name: str, folds: Folds | None, level: float) -> Document:
    """Return the difference of two rates with luck taken off and its interval under their keys."""
    sums = folds.adjusted() if folds else None
    if sums is None:
        return {name: None, f"{name}_interval": None}
    return rate_difference(name, sums, level)


def _share(folds: Folds | None) -> float | None:
    return rounded_rate(variance_left(folds.raw, folds.adjusted())) if folds else None


def tables(match: Document) -> list[Table]:
    """Return the tables of luck."""
    luck = match["luck"]
    scores = tuple(
        (
            e["strategy"],
            value_text(e["games"]),
            figure_cell(e, "luck_mean"),
            figure_cell(e, "score_mean_adjusted"),
            percent_text(e["score_variance_left"]),
        )
        for e in luck["strategies"]
    )
    heads = headings("strategy", "n", "luck a game", "mean adjusted", "variance left %")
    told = [Table("Luck", heads, scores, _NOTE)]
    if match["ties"] is not None:
        told.append(_credit_table(luck["strategies"]))
    return [*told, _difference_table(luck["difference"])] if "difference" in luck else told


def _credit_table(strategies: list[Document]) -> Table:
    rows = tuple(
        (
            e["strategy"],
            value_text(e["games"]),
            percent_cell(e, "credit_rate_adjusted"),
            percent_text(e["credit_variance_left"]),
        )
        for e in strategies
    )
    heads = headings("strategy", "n", "credit % adjusted", "variance left %")
    return Table("Luck and credit", heads, rows, "Adjusted by the own luck beyond the others'.")


def _difference_table(told: Document) -> Table:
    rows = (
        (
            "credit, % points",
            percent_cell(told, "credit_difference"),
            percent_cell(told, "credit_difference_adjusted"),
            percent_text(told["credit_variance_left"]),
        ),
        (
            "points",
            figure_cell(told, "score_difference"),
            figure_cell(told, "score_difference_adjusted"),
            percent_text(told["score_variance_left"]),
        ),
    )
    title = f"Luck taken off: {told['first']} less {told['second']}"
    return Table(title, headings("measure", "as played", "adjusted", "variance left %"), rows)


def rows(match: Document) -> Iterator[tuple[Value, ...]]:
    """Yield the rows of CSV on luck."""
    for e in match["luck"]["strategies"]:
        for key in _FIGURES:
            if e[key] is not None:
                yield figure_row(match, e, key, e["games"], strategy=e["strategy"])
        for key in _SHARES:
            if e[key] is not None:
                yield csv_row(match, key, e[key], e["games"], strategy=e["strategy"])
    told: dict[str, Any] | None = match["luck"].get("difference")
    if told:
        for key in _DIFFERENCES:
            if told[key] is not None:
                yield figure_row(match, told, key, told["deals"], strategy=told["first"])
        for key in _SHARES:
            if told[key] is not None:
                yield csv_row(match, f"difference_{key}", told[key], told["deals"], strategy=told["first"])
