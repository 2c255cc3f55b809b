"""What a summary says of steals: how often, and what the stealing of a side is worth to it."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

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
    ratio_figure,
)
from results.ratios import LEAST_RATIO_DEALS, RatioSums
from results.scan import GameArrays, at_cells, by_deal, side_totals
from results.schema import CREDIT_UNITS
from results.tables import Table, Value, percent_text, rounded_rate, value_text
from results.tally import MatchTally
from results.turns import count_turns, games_by_turns, turns_rows, turns_table

KEY, PART = "steals", "steal"
COLUMNS: tuple[str, ...] = (
    "score",
    "credit",
    "turns",
    "steals",
    "robbed",
    "margin_without",
    "credit_without",
)
_WORTHS = ("credit_gain_mean", "margin_gain_mean", "credit_gain_per_steal", "margin_gain_per_steal")


def count(tally: MatchTally, arrays: GameArrays) -> None:
    """Count the steals of a chunk, and what a side gains against the same games without its steals."""
    sides, seatings = tally.match.sides, tally.match.seatings
    steals = side_totals(arrays["steals"], sides)
    credit = arrays["credit"].astype(np.int64) - arrays["credit_without"]
    margin = margins(arrays["score"], sides) - arrays["margin_without"]
    for entry in tally.entries:
        cells = tally.side_cells(entry)
        stolen, credit_gains, margin_gains = (
            by_deal(at_cells(array, cells)) for array in (steals, credit, margin)
        )
        tally.count("steals", entry, stolen, len(cells))
        tally.count("robbed", entry, by_deal(at_cells(arrays["robbed"], cells)), len(cells))
        tally.count("credit gain", entry, credit_gains, len(cells) * CREDIT_UNITS)
        tally.count("margin gain", entry, margin_gains, len(cells))
        tally.count_ratio("credit gain", entry, RatioSums.of(credit_gains, stolen, (CREDIT_UNITS, 1)))
        tally.count_ratio("margin gain", entry, RatioSums.of(margin_gains, stolen))
    count_turns(tally, arrays)
    together = steals[:, tally.match.first_seats].sum(axis=1)
    tally.count("stolen", None, by_deal(together > 0), seatings)
    tally.count_numbers("steals", None, together)


def margins(scores: npt.NDArray[np.integer], sides: tuple[int, ...]) -> npt.NDArray[np.int64]:
    """Return each side's score minus the best other side's, by seat; shapes (seatings, seats, deals)."""
    margin = scores.astype(np.int64)
    for seat, side in enumerate(sides):
        margin[:, seat] -= scores[:, [own != side for own in sides]].max(axis=1)
    return margin


def document(tally: MatchTally, level: float) -> Document:
    """Return what is known of steals; gains of credit are fractions of a game's."""
    stolen = tally.of("stolen")
    return {
        "games": stolen.deals * tally.match.seatings,
        **rate_figure("rate", stolen, level, interval="interval"),
        "by_steals": {str(number): games for number, games in tally.numbers_of("steals").items()},
        "strategies": [_entry(tally, entry, level) for entry in tally.entries],
    }


def tables(match: Document) -> list[Table]:
    """Return the tables of steals."""
    steals = match["steals"]
    often = tuple(
        (
            e["strategy"],
            value_text(e["games"]),
            value_text(e["steals"]),
            percent_cell(e, "steal_rate"),
            figure_cell(e, "robbed_mean"),
        )
        for e in steals["strategies"]
    )
    worth = tuple(
        (e["strategy"], value_text(e["steals"]), *(_gain_cell(e, key) for key in _WORTHS))
        for e in steals["strategies"]
    )
    stolen = sum(n for number, n in steals["by_steals"].items() if number != "0")
    games = [("at least one", percent_cell(steals, "rate", "interval"), value_text(stolen))]
    games += [
        (number, percent_text(rounded_rate(n / steals["games"])), value_text(n))
        for number, n in steals["by_steals"].items()
    ]
    units = ("credit a game, % points", "points a game", "credit a steal, % points", "points a steal")
    return [
        Table(
            "Steals",
            headings("strategy", "n", "steals", "steals in % of games", "robbed a game"),
            often,
            "n counts sides and games. A side steals once a game at most.",
        ),
        Table(
            "What stealing is worth",
            headings("strategy", "steals", *units),
            worth,
            "Each game against the same deal and seating played with this side never stealing, all else alike: "
            "gain of credit, and in points of the margin over the best rival. This is no comparison of those who "
            "stole with those who did not. "
            f"Gains a steal have no interval where fewer than {LEAST_RATIO_DEALS} deals have one.",
        ),
        Table("Games by steals", headings("steals in the game", "% of games", "games"), tuple(games)),
        turns_table(steals["strategies"]),
    ]


def rows(match: Document) -> Iterator[tuple[Value, ...]]:
    """Yield the rows of CSV on steals."""
    steals = match["steals"]
    yield csv_row(match, "steal_games_rate", steals["rate"], steals["games"], steals["interval"])
    for number, games in steals["by_steals"].items():
        yield csv_row(match, f"steals_{number}", games, steals["games"])
    for entry in steals["strategies"]:
        name = entry["strategy"]
        yield csv_row(match, "steals", entry["steals"], entry["games"], strategy=name)
        for key in ("steal_rate", "robbed_mean", *_WORTHS):
            n = entry["steals"] if key.endswith("per_steal") else entry["games"]
            yield figure_row(match, entry, key, n, strategy=name)
    yield from turns_rows(match, steals["strategies"])


def _entry(tally: MatchTally, entry: str, level: float) -> Document:
    steals = tally.of("steals", entry)
    return {
        "strategy": entry,
        "games": steals.deals * len(tally.side_cells(entry)),
        "steals": steals.total,
        **rate_figure("steal_rate", steals, level),
        **mean_figure("robbed_mean", tally.of("robbed", entry), level),
        **_gains(tally, entry, level),
        **ratio_figure("credit_gain_per_steal", tally.ratio_of("credit gain", entry), level, least=-1.0),
        **ratio_figure("margin_gain_per_steal", tally.ratio_of("margin gain", entry), level),
        "by_turns": games_by_turns(tally, entry),
    }


def _gains(tally: MatchTally, entry: str, level: float) -> Document:
    """Return what stealing gains in a game: exactly 0 for who never steals, whatever the dice."""
    credit, margin = tally.of("credit gain", entry), tally.of("margin gain", entry)
    if margin.deals and _never_steals(tally, entry):
        names = ("credit_gain_mean", "margin_gain_mean")
        return {
            key: value for name in names for key, value in ((name, 0.0), (f"{name}_interval", [0.0, 0.0]))
        }
    gains = rate_difference("credit_gain_mean", credit, level) | mean_figure(
        "margin_gain_mean", margin, level
    )
    # Points have no bound, so deals that all agree, as those of nobody who happened to steal, show no error.
    return gains if margin.spread else gains | {"margin_gain_mean_interval": None}


def _never_steals(tally: MatchTally, entry: str) -> bool:
    """Return whether all partners of an entry are told never to steal."""
    match = tally.match
    names = {match.strategy_at(seating, seat) for seating, seat in tally.cells[entry]}
    return all(match.strategies[name].parameters.get("steal") == "never" for name in names)


def _gain_cell(entry: Document, key: str) -> str:
    return percent_cell(entry, key) if key.startswith("credit") else figure_cell(entry, key)
