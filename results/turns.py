"""How many turns sides take, told with the variants that leave it open."""

from collections.abc import Iterator, Sequence

from results.figures import Document, csv_row, headings
from results.scan import GameArrays, at_cells, side_totals
from results.tables import Table, Value, percent_text, rounded_rate, value_text
from results.tally import MatchTally


def count_turns(tally: MatchTally, arrays: GameArrays) -> None:
    """Count how often a side takes each number of turns."""
    turns = side_totals(arrays["turns"], tally.match.sides)
    for entry in tally.entries:
        tally.count_numbers("turns", entry, at_cells(turns, tally.side_cells(entry)))


def games_by_turns(tally: MatchTally, entry: str) -> dict[str, int]:
    """Return an entry's games by the number of its turns."""
    return {str(number): games for number, games in tally.numbers_of("turns", entry).items()}


def turns_table(entries: Sequence[Document]) -> Table:
    """Return the table of games by turns; each entry has its games under `by_turns`."""
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
    return Table("Games by turns", headings("turns", *heads), tuple(rows), note)


def turns_rows(match: Document, entries: Sequence[Document]) -> Iterator[tuple[Value, ...]]:
    """Yield the rows of CSV on turns."""
    for e in entries:
        for number, games in e["by_turns"].items():
            yield csv_row(match, f"turns_{number}", games, e["games"], strategy=e["strategy"])
