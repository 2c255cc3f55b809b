"""Plays one chunk of a match into the two tables of its part; pure, and the same whoever plays it."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from jobs.digest import categories_digest, games_digest
from jobs.plan import MatchPlan
from results.schema import BLOCK_DEALS, CATEGORIES, Column, arrow_schema
from results.store import Match
from sim.game import kernel_of
from sim.ruleset import Ruleset
from strategies.games import Tables

#: The number of no side.
NOBODY = -1


def play_chunk(plan: MatchPlan, tables: Tables, chunk: int) -> tuple[pa.Table, pa.Table, int]:
    """Plays a chunk; returns its games, its categories and the digest of their rows (below 2**64).

    The rows are ordered by (seating, seat, deal) and by (block, seat, strategy, category). Where steals are in play,
    each side's games are played once more without its own. Raises what the tables raise where a strategy fails.
    """
    match = plan.match
    deals = match.chunk_deals_of(chunk)
    rules, kernel = _rules_of(plan.ruleset), kernel_of(plan.ruleset.game)

    def play(seating: int, barred: int = NOBODY) -> Any:
        first, count = deals.start, len(deals)
        return kernel.play_deals(rules, tables, match.seats, seating, plan.seed, first, count, barred=barred)

    names = [column.name for column in match.columns]
    courses = [play(seating) for seating in range(match.seatings)]
    without = _without_steals(match, courses, play) if "margin_without" in names else {}
    games = _games_table(match, deals, courses, without)
    categories = _categories_table(match, deals, courses)
    return games, categories, (games_digest(games) + categories_digest(categories)) % 2**64


@lru_cache(maxsize=16)
def _rules_of(ruleset: Ruleset) -> Any:
    return kernel_of(ruleset.game).build_rules(ruleset)


def _without_steals(
    match: Match, courses: list[Any], play: Callable[[int, int], Any]
) -> dict[str, npt.NDArray[Any]]:
    """Returns what each side comes to where it alone never steals, by (seating, seat, deal)."""
    sides = np.array(match.sides)
    margin = np.stack([_margins(course.score, sides) for course in courses])
    credit = np.stack([course.credit for course in courses])
    for seating, course in enumerate(courses):
        for side in range(match.side_count):
            own = sides == side
            # A side that has not stolen in any of these games would play them again as they were.
            if course.steals[own].any():
                barred = play(seating, side)
                margin[seating, own] = _margins(barred.score, sides)[own]
                credit[seating, own] = barred.credit[own]
    return {"margin_without": margin, "credit_without": credit}


def _margins(scores: npt.NDArray[np.int16], sides: npt.NDArray[np.int64]) -> npt.NDArray[np.int16]:
    """Returns by seat the score of its side minus the best other side's."""
    return np.stack([scores[seat] - scores[sides != side].max(axis=0) for seat, side in enumerate(sides)])


def _games_table(
    match: Match, deals: range, courses: list[Any], without: dict[str, npt.NDArray[Any]]
) -> pa.Table:
    shape = (match.seatings, match.seats, len(deals))
    seating, seat, deal = np.ogrid[: match.seatings, : match.seats, deals.start : deals.stop]
    known: dict[str, npt.NDArray[Any]] = {
        "deal": deal,
        "game": deal * match.seatings + seating,
        "seating": seating,
        "seat": seat,
        "side": np.array(match.sides)[seat],
        "strategy": _label_codes(match)[:, :, None],
        **without,
    }
    arrays = []
    for column in match.columns:
        if column.name in known:
            values = np.broadcast_to(known[column.name], shape)
        else:
            parts = [getattr(course, column.name) for course in courses]
            values = np.stack(parts)
            if column.of_game:
                values = np.broadcast_to(values[:, None, :], shape)
        arrays.append(_arrow_column(column, values, match))
    return pa.Table.from_arrays(arrays, schema=arrow_schema(match.columns))


def _categories_table(match: Match, deals: range, courses: list[Any]) -> pa.Table:
    blocks = np.arange(deals.start // BLOCK_DEALS, (deals.stop - 1) // BLOCK_DEALS + 1)
    codes = _label_codes(match)
    shape = (len(blocks), match.seats, len(_labels(match)), len(match.categories))
    sums = np.zeros((*shape, 4), np.int64)
    # A strategy in several seats of a lineup comes to the same chair in several seatings.
    for seating, course in enumerate(courses):
        for seat, code in enumerate(codes[seating]):
            sums[:, seat, code] += course.sums[:, seat]
    met = sums[..., 0] > 0
    block, chair, strategy, category = np.nonzero(met)
    columns: dict[str, npt.NDArray[Any]] = {
        "block": blocks[block],
        "seat": chair,
        "strategy": strategy,
        "category": category,
        "count": sums[met, 0],
        "sum": sums[met, 1],
        "sum_of_squares": sums[met, 2],
        "zeros": sums[met, 3],
    }
    arrays = [_arrow_column(column, columns[column.name], match) for column in CATEGORIES]
    return pa.Table.from_arrays(arrays, schema=arrow_schema(CATEGORIES))


def _label_codes(match: Match) -> npt.NDArray[np.int64]:
    """Returns the place of each seat's strategy among the distinct labels, shape (seatings, seats)."""
    labels = _labels(match)
    return np.array(
        [
            [labels.index(match.strategy_at(seating, seat)) for seat in range(match.seats)]
            for seating in range(match.seatings)
        ]
    )


def _labels(match: Match) -> list[str]:
    return list(dict.fromkeys(match.lineup))


def _arrow_column(column: Column, values: npt.NDArray[Any], match: Match) -> pa.Array:
    if not pa.types.is_dictionary(column.type):
        narrow = np.ascontiguousarray(values, column.type.to_pandas_dtype()).reshape(-1)
        return pa.array(narrow, column.type)
    names = _labels(match) if column.name == "strategy" else [category.id for category in match.categories]
    codes = np.ascontiguousarray(values, np.int8).reshape(-1)
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(names, pa.string()))
