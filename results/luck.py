"""What a summary says of luck where it is kept: scores and credit adjusted for it, and the variance that is left.

The luck of a side's dice has mean zero whatever it decides, so it can be taken off its score. What it does to credit is
not known before: of credit it takes off, in proportion, what the own side's luck exceeds the others' by.
"""

from collections.abc import Iterator
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
    rounded_rates,
    rounded_values,
)
from results.scan import GameArrays, at_cells, by_deal
from results.schema import CREDIT_UNITS
from results.statistics import DealSums, agreeing_interval, mean_interval
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
_SHARES = ("score_variance_left", "credit_variance_left")


def count(tally: MatchTally, arrays: GameArrays) -> None:
    """Count the luck of a chunk, scores without it, and credit beside it."""
    luck = arrays["luck"].astype(np.int64)
    excess = _excess(luck, tally.first_seats)
    first_deal = int(arrays["deal"].flat[0])
    shares, controls, rests = [], [], []
    for entry in tally.entries:
        cells = tally.side_cells(entry)
        own = by_deal(at_cells(luck, cells))
        tally.count("luck", entry, own, len(cells) * POINT)
        rests.append(by_deal(at_cells(arrays["score"], cells)) * POINT - own)
        tally.count("score less luck", entry, rests[-1], len(cells) * POINT)
        if not tally.is_level:
            shares.append(by_deal(at_cells(arrays["credit"], cells)))
            controls.append(by_deal(at_cells(excess, cells)))
            folds = Folds.of(first_deal, shares[-1], controls[-1], len(cells) * CREDIT_UNITS)
            tally.count_folds("credit", entry, folds)
    if len(tally.entries) == 2:
        sides = [len(tally.side_cells(entry)) for entry in tally.entries]
        weight = sides[0] * sides[1]
        tally.count("score difference less luck", None, _difference(rests, sides), weight * POINT)
        figures, known = _difference(shares, sides), _difference(controls, sides)
        folds = Folds.of(first_deal, figures, known, weight * CREDIT_UNITS)
        tally.count_folds("credit difference", None, folds)


def _excess(luck: npt.NDArray[np.int64], first_seats: list[int]) -> npt.NDArray[np.int64]:
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
    luck, rest = tally.of("luck", entry), tally.of("score less luck", entry)
    folds = tally.folds.get(("credit", entry))
    return {
        "strategy": entry,
        "games": luck.deals * len(tally.side_cells(entry)),
        **mean_figure("luck_mean", luck, level),
        **_value_figure("score_mean_adjusted", rest, level, ROUNDING),
        "score_variance_left": _share(tally.of("score", entry), rest),
        **_rate_figure("credit_rate_adjusted", folds, level, least=0.0),
        "credit_variance_left": _share(folds.raw, folds.adjusted()) if folds else None,
    }


def _differences(tally: MatchTally, level: float) -> Document:
    first, second = tally.entries
    score, rest = tally.score_difference(first, second), tally.of("score difference less luck")
    folds = tally.folds.get(("credit difference", None))
    return {
        "first": first,
        "second": second,
        "deals": score.deals,
        **rate_difference("credit_difference", tally.credit_difference(first, second), level),
        **_rate_figure("credit_difference_adjusted", folds, level, least=-1.0),
        "credit_variance_left": _share(folds.raw, folds.adjusted()) if folds else None,
        **mean_figure("score_difference", score, level),
        **_value_figure("score_difference_adjusted", rest, level, 2 * ROUNDING),
        "score_variance_left": _share(score, rest),
    }


def _value_figure(name: str, sums: DealSums, level: float, rounding: float) -> Document:
    bounds = mean_interval(sums, level)
    wider = None if bounds is None else (bounds[0] - rounding, bounds[1] + rounding)
    return {name: rounded_value(sums.mean), f"{name}_interval": rounded_values(wider)}


def _rate_figure(name: str, folds: Folds | None, level: float, least: float) -> Document:
    """Return a rate, or from -1 a difference of two, that is adjusted; it stays within what a rate may be."""
    sums = folds.adjusted() if folds else None
    if sums is None or sums.mean is None:
        return {name: None, f"{name}_interval": None}
    mean, bounds = min(1.0, max(least, sums.mean)), mean_interval(sums, level)
    if not sums.spread:
        bounds = agreeing_interval(mean, least, sums.deals, level)
    elif bounds is not None:
        bounds = min(1.0, max(least, bounds[0])), min(1.0, max(least, bounds[1]))
    return {name: rounded_rate(mean), f"{name}_interval": rounded_rates(bounds)}


def _share(raw: DealSums, adjusted: DealSums | None) -> float | None:
    return rounded_rate(variance_left(raw, adjusted))


def tables(match: Document) -> list[Table]:
    """Return the tables of luck."""
    luck = match["luck"]
    contested = match["ties"] is not None
    credit = ("credit % adjusted", "variance left %") if contested else ()
    told = tuple(
        (
            e["strategy"],
            value_text(e["games"]),
            figure_cell(e, "luck_mean"),
            figure_cell(e, "score_mean_adjusted"),
            percent_text(e["score_variance_left"]),
            *(
                (percent_cell(e, "credit_rate_adjusted"), percent_text(e["credit_variance_left"]))
                if contested
                else ()
            ),
        )
        for e in luck["strategies"]
    )
    names = ("strategy", "n", "luck a game", "mean adjusted", "variance left %", *credit)
    between = [_difference_table(luck["difference"])] if "difference" in luck else []
    return [Table("Luck", headings(*names), told, _note(contested)), *between]


def _note(contested: bool) -> str:
    words = (
        "n counts sides and games. Luck: what the dice brought beyond what was to be expected, in points; its mean is "
        "zero. Adjusted: with the luck taken off. Variance left: of the means of deals, as a share of what it is with "
        "the luck in them."
    )
    if not contested:
        return words
    return (
        f"{words} Of credit is taken off what the own luck beyond the others' explains, by a coefficient fitted on the "
        f"other half of the deals; at least {2 * LEAST_FOLD_DEALS} deals are needed."
    )


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
