"""What a summary says of the turns of a side, where their number is not fixed."""

from collections.abc import Iterator

from results.figures import Document, csv_row, headings
from results.scan import GameArrays, at_cells, side_totals
from results.tables import Table, Value, percent_text, rounded_rate, value_text
from results.tally import MatchTally

COLUMNS = ("turns",)


def count_turns(tally: MatchTally, arrays: GameArrays) -> None:
    """Count how often a side takes each number of turns."""
    turns = side_totals(arrays["turns"], tally.match.sides)
    for entry in tally.entries:
        tally.count_numbers("turns", entry, at_cells(turns, tally.side_cells(entry)))


def turns_document(tally: MatchTally, level: float) -> list[Document]:
    """Return the games of each entry by the number of its turns."""
    del level
    return [
        {
            "strategy": entry,
            "games": sum(numbers.values()),
            "by_turns": {str(k): n for k, n in numbers.items()},
        }
        for entry, numbers in ((entry, tally.numbers_of("turns", entry)) for entry in tally.entries)
    ]


def turns_tables(match: Document) -> list[Table]:
    """Return the table of games by turns."""
    entries = match["turns"]
    numbers = sorted({int(number) for e in entries for number in e["by_turns"]})
    rows = []
    for number in numbers:
        counts = [(e["by_turns"].get(str(number), 0), e["games"]) for e in entries]
        cells = (
            text for n, games in counts for text in (percent_text(rounded_rate(n / games)), value_text(n))
        )
        rows.append((str(number), *cells))
    heads = (text for e in entries for text in (f"{e['strategy']} %", f"{e['strategy']} n"))
    note = "Turns of a side in a game; n counts sides and games."
    return [Table("Games by turns", headings("turns", *heads), tuple(rows), note)]


def turns_rows(match: Document) -> Iterator[tuple[Value, ...]]:
    """Yield the rows of CSV on turns."""
    for e in match["turns"]:
        for number, count in e["by_turns"].items():
            yield csv_row(match, f"turns_{number}", count, e["games"], strategy=e["strategy"])
