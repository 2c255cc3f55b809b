"""What each category of the sheet brings where one strategy sits in every seat, and which are dead or dominant."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from results.balance.reading import Reading
from results.blocks import Estimate
from results.figures import Document, rounded_rates, rounded_values
from results.scan import category_sums
from results.schema import BLOCK_DEALS
from results.store import Match, Run
from results.tables import rounded_rate, rounded_value
from results.words import WORDS

DEAD, DOMINANT, ALIVE, OPEN = "dead", "dominant", "alive", "unsettled"
"""What a category can be: brings next to nothing, brings far more than others, neither, or it can't be told."""

_NAMES = ("count", "sum", "zeros")


@dataclass(frozen=True)
class CategoryReading:
    """What a category brings: points an entry, the share of zeros, and its share of all points of the sheet."""

    mean: Reading
    zero_rate: Reading
    share: Reading


def read_categories(run: Run, match: Match, deals: int) -> dict[str, CategoryReading]:
    """Return what each category brings in the leading deals of a match, up to a bound of `common_deals`.

    Categories that nobody filled are left out. DamagedPart if a part is not whole.
    """
    # Blocks are taken to be alike, so a last one of less than half as many deals belongs to the one before.
    blocks = max(1, (deals + BLOCK_DEALS // 2) // BLOCK_DEALS)
    places = {category.id: place for place, category in enumerate(match.categories)}
    sums = np.zeros((len(_NAMES), len(places), blocks), np.int64)
    for chunk in range(match.chunks):
        if match.chunk_deals_of(chunk).stop > deals:
            break
        found = category_sums(run, match, chunk).group_by("category", "block").agg(pl.col(_NAMES).sum())
        rows = np.array([places[category] for category in found["category"]], np.int64)
        for k, name in enumerate(_NAMES):
            np.add.at(
                sums[k], (rows, np.minimum(found["block"].to_numpy(), blocks - 1)), found[name].to_numpy()
            )
    points = sums[1].sum(axis=0)
    return {
        category: CategoryReading(
            _ratio(sums[1, place], sums[0, place], deals),
            _ratio(sums[2, place], sums[0, place], deals, (0.0, 1.0)),
            _ratio(sums[1, place], points, deals, (0.0, 1.0), int(sums[0, place].sum())),
        )
        for category, place in places.items()
        if sums[0, place].any() and points.any()
    }


def common_deals(matches: Sequence[Match], deals: int) -> int:
    """Return the most leading deals, up to some, that end with a chunk in every match; 0 if there are none such."""
    bounds = [{match.chunk_deals_of(chunk).stop for chunk in range(match.chunks)} for match in matches]
    return max((stop for stop in set.intersection(*bounds) if stop <= deals), default=0)


def has_sheet(match: Match) -> bool:
    """Return whether a match has a sheet with categories."""
    return WORDS[match.ruleset.game].has_sheet and bool(match.categories)


def category_rows(
    ruleset: str,
    match: Match,
    readings: Mapping[str, CategoryReading],
    base: Mapping[str, CategoryReading] | None,
    worths: Mapping[str, float],
    counting: Mapping[str, float],
    level: float,
) -> list[Document]:
    """Return the document's rows on categories; `base` has those of the base, None for the base itself."""
    rows = []
    for category in match.categories:
        if category.id not in readings:
            continue
        own = readings[category.id]
        other = None if base is None else base.get(category.id)
        difference = Reading() if other is None else own.mean.less(other.mean)
        rows.append(
            {
                "ruleset": ruleset,
                "category": category.id,
                "name": category.name,
                "n": own.mean.n,
                "mean": rounded_value(own.mean.value),
                "mean_interval": rounded_values(own.mean.interval(level)),
                "zero_rate": rounded_rate(own.zero_rate.value),
                "zero_rate_interval": rounded_rates(own.zero_rate.interval(level)),
                "share": rounded_rate(own.share.value),
                "share_interval": rounded_rates(own.share.interval(level)),
                "worth": rounded_value(worths.get(category.id)),
                "difference": rounded_value(difference.value),
                "difference_interval": rounded_values(difference.interval(level)),
                "verdict": category_verdict(own, len(match.categories), counting, level),
            }
        )
    return rows


def category_verdict(
    reading: CategoryReading, categories: int, counting: Mapping[str, float], level: float
) -> str:
    """Return whether a category is dead, dominant or alive, as far as its intervals tell."""
    zeros, share = reading.zero_rate.interval(level), reading.share.interval(level)
    if zeros is None or share is None:
        return OPEN
    # Shares as multiples of what a category brings on average.
    low, high = (bound * categories for bound in share)
    if low > counting["dominant_share"]:
        return DOMINANT
    if zeros[0] > counting["dead_zero_rate"] or high < counting["dead_share"]:
        return DEAD
    is_alive = zeros[1] <= counting["dead_zero_rate"] and low >= counting["dead_share"]
    return ALIVE if is_alive and high <= counting["dominant_share"] else OPEN


def _ratio(
    above: npt.NDArray[np.int64],
    below: npt.NDArray[np.int64],
    deals: int,
    bounds: tuple[float, float] | None = None,
    n: int | None = None,
) -> Reading:
    total = int(below.sum())
    ratio = int(above.sum()) / total
    counted = total if n is None else n
    return Reading(Estimate(ratio, (above - ratio * below) / total, deals, counted), counted, bounds)
