"""How the scores of a match are spread: counted in bands, drawn as bars."""

from collections.abc import Iterator, Mapping, Sequence

from results.figures import Document, csv_row
from results.tables import Heading, Table, Value, bar_text, percent_text, rounded_rate
from results.tally import MatchTally
from results.words import words_of

_WIDTHS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 2500, 5000, 10_000)
_MOST_BANDS = 20
_BAR_WIDTH = 24


def distribution(tally: MatchTally) -> Document:
    """Return the scores of all entries in the same bands, at most twenty and of one width.

    Of chips, none at all has a band of its own beside these, and the last one ends at all the chips that there are:
    its bands are told one by one, as their first and last score.
    """
    items = {entry: tally.histogram(entry).items() for entry in tally.entries}
    values = [value for pairs in items.values() for value, _ in pairs]
    if not values:
        return {"low": None, "width": None, "counts": {entry: [] for entry in items}}
    low, high = min(values), max(values)
    width = _width(low, high)
    chips = tally.match.chips
    bands = _bands_of_chips(low, high, width, chips) if chips else _bands(low, high, width)
    counts = {
        entry: [sum(count for value, count in pairs if first <= value <= last) for first, last in bands]
        for entry, pairs in items.items()
    }
    if chips:
        return {"bands": [list(band) for band in bands], "counts": counts}
    return {"low": bands[0][0], "width": width, "counts": counts}


def score_bands(low: int, high: int) -> list[tuple[int, int]]:
    """Return the first and last score of each band from a lowest to a highest score, at most twenty of one width."""
    return _bands(low, high, _width(low, high))


def distribution_table(match: Document, ascii_only: bool) -> Table:
    """Return the table of the distribution, a band a row."""
    histogram = match["histogram"]
    shares = {
        entry: [rounded_rate(count / sum(counts)) or 0.0 for count in counts]
        for entry, counts in histogram["counts"].items()
    }
    return shares_table(words_of(match).score, band_labels(histogram), shares, ascii_only)


def shares_table(
    score: str, labels: Sequence[str], shares: Mapping[str, Sequence[float]], ascii_only: bool
) -> Table:
    """Return the table of the share of each band, for each entry a column of figures and one of bars."""
    top = max(max(values) for values in shares.values())
    heads = [Heading(score, "words")]
    for entry in shares:
        heads += [Heading(f"{entry} %"), Heading("", "bar")]
    rows = []
    for k, label in enumerate(labels):
        cells = [label]
        for values in shares.values():
            cells += [percent_text(values[k]), bar_text(values[k] / top, _BAR_WIDTH, ascii_only)]
        rows.append(tuple(cells))
    return Table(f"Distribution of the {score}", tuple(heads), tuple(rows))


def distribution_rows(match: Document, entry: Document) -> Iterator[tuple[Value, ...]]:
    """Yield the rows of CSV on the distribution of an entry's scores."""
    name, histogram = entry["strategy"], match["histogram"]
    for label, count in zip(band_labels(histogram), histogram["counts"][name], strict=True):
        yield csv_row(match, f"scores_{label}", count, entry["games"], strategy=name)


def _width(low: int, high: int) -> int:
    return next(w for w in _WIDTHS if high // w - low // w < _MOST_BANDS)


def _bands(low: int, high: int, width: int) -> list[tuple[int, int]]:
    return [(k * width, (k + 1) * width - 1) for k in range(low // width, high // width + 1)]


def _bands_of_chips(low: int, high: int, width: int, chips: int) -> list[tuple[int, int]]:
    bands = [(max(1, first), min(last, chips)) for first, last in _bands(low, high, width) if last]
    # All the chips there are need no band of their own beside the one that would end just below.
    if len(bands) > 1 and width > 1 and bands[-1][0] == chips:
        bands[-2:] = [(bands[-2][0], chips)]
    return [*([(0, 0)] if low == 0 else []), *bands]


def band_labels(histogram: Document) -> list[str]:
    """Return the name of each band, as `120 to 139`."""
    if "bands" in histogram:
        bands = histogram["bands"]
    else:
        low, width = histogram["low"], histogram["width"]
        count = max(map(len, histogram["counts"].values()))
        bands = [(low + k * width, low + (k + 1) * width - 1) for k in range(count)]
    return [str(first) if first == last else f"{first} to {last}" for first, last in bands]
