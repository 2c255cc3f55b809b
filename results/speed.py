"""What a summary says of games on a clock: how long they take, and what is left empty when time is called."""

from collections.abc import Iterator

from results.figures import (
    Document,
    csv_row,
    figure_cell,
    figure_row,
    headings,
    mean_figure,
    percent_cell,
    rate_figure,
)
from results.scan import GameArrays, at_cells, by_deal, side_totals
from results.tables import Table, Value, percent_text, rounded_rate, value_text
from results.tally import MatchTally
from results.turns import count_turns, games_by_turns, turns_rows, turns_table

KEY, PART = "clock", "clock"
COLUMNS: tuple[str, ...] = ("milliseconds", "empty", "turns")
_SECOND = 1000


def count(tally: MatchTally, arrays: GameArrays) -> None:
    """Count the times, turns and empty categories of a chunk."""
    seatings = tally.match.seatings
    times, empty = arrays["milliseconds"], arrays["empty"]
    turns = side_totals(arrays["turns"], tally.match.sides)
    for entry in tally.entries:
        cells = tally.side_cells(entry)
        tally.count("milliseconds", entry, by_deal(at_cells(times, cells)), len(cells) * _SECOND)
        tally.count("turns", entry, by_deal(at_cells(turns, cells)), len(cells))
        tally.count("empty", entry, by_deal(at_cells(empty, cells)), len(cells))
        tally.count("cut short", entry, by_deal(at_cells(empty, cells) > 0), len(cells))
    count_turns(tally, arrays)
    tally.count("milliseconds", None, by_deal(times.max(axis=1)), seatings * _SECOND)
    tally.count("cut short", None, by_deal(empty.max(axis=1) > 0), seatings)


def document(tally: MatchTally, level: float) -> Document:
    """Return how long games take; a side is cut short where its sheet is not full at the end."""
    times = tally.of("milliseconds")
    return {
        "games": times.deals * tally.match.seatings,
        **mean_figure("seconds_mean", times, level),
        **rate_figure("cut_rate", tally.of("cut short"), level),
        "strategies": [
            {
                "strategy": entry,
                "games": times.deals * len(tally.side_cells(entry)),
                **mean_figure("seconds_mean", tally.of("milliseconds", entry), level),
                **mean_figure("turns_mean", tally.of("turns", entry), level),
                **mean_figure("empty_mean", tally.of("empty", entry), level),
                **rate_figure("cut_rate", tally.of("cut short", entry), level),
                "by_turns": games_by_turns(tally, entry),
            }
            for entry in tally.entries
        ],
        "empty_categories": _empty_categories(tally),
    }


def tables(match: Document) -> list[Table]:
    """Return the tables of times and of empty categories."""
    clock = match["clock"]
    told = [
        (
            e["strategy"],
            value_text(e["games"]),
            *(figure_cell(e, key) for key in ("seconds_mean", "turns_mean", "empty_mean")),
            percent_cell(e, "cut_rate"),
        )
        for e in clock["strategies"]
    ]
    names = ("strategy", "n", "seconds a game", "turns a game", "empty categories a game", "cut short %")
    game = (
        ("seconds until the last side ends", figure_cell(clock, "seconds_mean")),
        ("games in which a side is cut short, %", percent_cell(clock, "cut_rate")),
    )
    return [
        Table("Length of the games", headings("measure", "mean of a game"), game),
        Table(
            "Time",
            headings(*names),
            tuple(told),
            "n counts sides and games. Cut short: time is called before the sheet is full.",
        ),
        *([_empty_table(clock["empty_categories"])] if clock["empty_categories"] else []),
        turns_table(clock["strategies"]),
    ]


def rows(match: Document) -> Iterator[tuple[Value, ...]]:
    """Yield the rows of CSV on times."""
    clock = match["clock"]
    for key in ("seconds_mean", "cut_rate"):
        yield figure_row(match, clock, key, clock["games"], "game_")
    for entry in clock["strategies"]:
        for key in ("seconds_mean", "turns_mean", "empty_mean", "cut_rate"):
            yield figure_row(match, entry, key, entry["games"], strategy=entry["strategy"])
    for e in clock["empty_categories"]:
        place = {"strategy": e["strategy"], "category": e["category"]}
        yield csv_row(match, "empty_rate", e["empty_rate"], e["sheets"], **place)
    yield from turns_rows(match, clock["strategies"])


def _empty_categories(tally: MatchTally) -> list[Document]:
    """Return how often each category stays empty: sheets without an entry in it.

    Of teams it is told for all sides together, as an entry tells of one partner and an empty category of none.
    """
    match = tally.match
    deals = tally.of("milliseconds").deals
    strategies = list(dict.fromkeys(match.lineup))
    groups: list[tuple[str | None, list[str], int]] = [
        (name, [name], deals * len(tally.side_cells(name))) for name in strategies if name in tally.cells
    ]
    if match.side_count < match.seats:
        groups = [(None, strategies, deals * match.seatings * match.side_count)]
    found: list[Document] = []
    for name, members, sheets in groups:
        for category in match.categories:
            made = sum(tally.categories.get((member, category.id), (0,))[0] for member in members)
            found.append(
                {
                    "strategy": name,
                    "category": category.id,
                    "name": category.name,
                    "sheets": sheets,
                    "empty": sheets - made,
                    "empty_rate": rounded_rate((sheets - made) / sheets) if sheets else None,
                }
            )
    return found


def _empty_table(empty: list[Document]) -> Table:
    strategies = list(dict.fromkeys(row["strategy"] for row in empty))
    shares = {(row["category"], row["strategy"]): percent_text(row["empty_rate"]) for row in empty}
    names = {row["category"]: row["name"] for row in empty}
    cells = tuple((name, *(shares[key, strategy] for strategy in strategies)) for key, name in names.items())
    heads = (f"{strategy or 'all sides'} empty %" for strategy in strategies)
    return Table("Empty categories", headings("category", *heads), cells, "In % of the sheets.")
