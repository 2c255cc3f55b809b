"""What a summary says of the results of the dice: how often each comes up, and what it brings."""

from collections.abc import Iterator
from fractions import Fraction

from results.figures import Document, csv_row, headings
from results.scan import GameArrays
from results.tables import Table, Value, percent_text, rounded_rate, rounded_value, value_text
from results.tally import MatchTally

KEY, PART = "results", "chips"
COLUMNS: tuple[str, ...] = ()
_OF_BANK = (
    "Of the results that settled a round for a strategy. Chips: won or lost in the round with it on average, as banker "
    "or as bettor; both are in one mean."
)
_OF_POT = (
    "Of the results that all throw in a round; those of deciders are left out. Chips: won or lost in the round with it "
    "on average, after all deciders."
)
_FIGURES = ("rate", "mean", "zero_rate")


def count(tally: MatchTally, arrays: GameArrays) -> None:
    """Count nothing of the games: the sums by result are in the second table."""
    del tally, arrays


def document(tally: MatchTally, level: float) -> list[Document]:
    """Return how often each strategy's rounds are settled with each result, and the chips that it wins with it."""
    del level
    match = tally.match
    found: list[Document] = []
    for strategy in dict.fromkeys(match.lineup):
        sums = {line.id: tally.categories.get((strategy, line.id), (0, 0, 0, 0)) for line in match.categories}
        thrown = sum(count for count, *_ in sums.values())
        for line in match.categories:
            count, chips, _, zeros = sums[line.id]
            found.append(
                {
                    "strategy": strategy,
                    "result": line.id,
                    "name": line.name,
                    "count": count,
                    "rate": rounded_rate(count / thrown) if thrown else None,
                    "rate_exact": _exact(match.exact.get(f"result {line.id}")),
                    "mean": rounded_value(chips / count) if count else None,
                    "zero_rate": rounded_rate(zeros / count) if count else None,
                }
            )
    return found


def tables(match: Document) -> list[Table]:
    """Return the table of results."""
    strategies = list(dict.fromkeys(row["strategy"] for row in match["results"]))
    cells = {(row["result"], row["strategy"]): row for row in match["results"]}
    firsts = [row for row in match["results"] if row["strategy"] == strategies[0]]
    told = tuple(
        (
            first["name"],
            percent_text(first["rate_exact"]),
            *(
                text
                for strategy in strategies
                for row in [cells[first["result"], strategy]]
                for text in (percent_text(row["rate"]), value_text(row["mean"]))
            ),
        )
        for first in firsts
    )
    heads = (text for strategy in strategies for text in (f"{strategy} %", f"{strategy} chips"))
    note = _OF_POT if "pot" in match else _OF_BANK
    return [Table("Results", headings("result", "exactly %", *heads), told, note)]


def rows(match: Document) -> Iterator[tuple[Value, ...]]:
    """Yield the rows of CSV on results."""
    for row in match["results"]:
        place = {"strategy": row["strategy"], "category": row["result"]}
        for key in _FIGURES:
            yield csv_row(match, f"result_{key}", row[key], row["count"], None, **place)
        if row["rate_exact"] is not None:
            yield csv_row(match, "result_rate_exact", row["rate_exact"], row["count"], None, **place)


def _exact(text: str | None) -> float | None:
    return None if text is None else rounded_rate(float(Fraction(text)))
