"""What a summary says of jokers: how often five alike are paid for once more."""

from collections.abc import Iterator

from results.figures import (
    Document,
    figure_cell,
    figure_row,
    headings,
    mean_figure,
    percent_cell,
    rate_figure,
)
from results.scan import GameArrays, at_cells, by_deal
from results.tables import Table, Value, value_text
from results.tally import MatchTally

KEY, PART = "jokers", "joker"
COLUMNS: tuple[str, ...] = ("jokers",)


def count(tally: MatchTally, arrays: GameArrays) -> None:
    """Count the jokers of a chunk."""
    for entry in tally.entries:
        cells = tally.side_cells(entry)
        jokers = at_cells(arrays["jokers"], cells)
        tally.count("jokers", entry, by_deal(jokers), len(cells))
        tally.count("joker", entry, by_deal(jokers > 0), len(cells))


def document(tally: MatchTally, level: float) -> list[Document]:
    """Return how many jokers an entry has, and how often it has any."""
    return [
        {
            "strategy": entry,
            "games": tally.of("jokers", entry).deals * len(tally.side_cells(entry)),
            **mean_figure("jokers_mean", tally.of("jokers", entry), level),
            **rate_figure("joker_rate", tally.of("joker", entry), level),
        }
        for entry in tally.entries
    ]


def tables(match: Document) -> list[Table]:
    """Return the table of jokers."""
    told = tuple(
        (e["strategy"], value_text(e["games"]), figure_cell(e, "jokers_mean"), percent_cell(e, "joker_rate"))
        for e in match["jokers"]
    )
    heads = headings("strategy", "n", "jokers a game", "games with a joker %")
    return [
        Table("Jokers", heads, told, "n counts sides and games. A joker: five alike that bring extra points.")
    ]


def rows(match: Document) -> Iterator[tuple[Value, ...]]:
    """Yield the rows of CSV on jokers."""
    for e in match["jokers"]:
        for key in ("jokers_mean", "joker_rate"):
            yield figure_row(match, e, key, e["games"], strategy=e["strategy"])
