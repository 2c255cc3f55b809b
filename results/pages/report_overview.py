"""What a page tells of several matches together: who wins against whom under one ruleset, and all conclusions."""

from collections.abc import Sequence
from dataclasses import dataclass

from results.figures import Document, headings, percent_cell
from results.pages.matrix_plots import heat_chart
from results.pages.page import Chart, Headline, Section
from results.pages.plots import Dot, interval_chart
from results.pages.report_charts import percent, percents, spelled
from results.summary_tables import match_title
from results.tables import ABSENT, Heading, Table, percent_text, rounded_rate, value_text
from results.until import shown as until
from results.words import words_of

#: A matrix of more strategies is a table alone.
MOST_IN_MATRIX = 16
_MATRIX_NOTE = "In % of the credit, of the strategy of the row against that of the column. 50 is level."
_MEAN_NOTE = (
    "The mean of the credit over all rivals. Its interval is the mean of theirs, at least as wide as need be, as the "
    "matches share their deals."
)


@dataclass(frozen=True)
class _Pairs:
    """The matches of one ruleset that set two strategies against each other: by pair the entry of its first."""

    ruleset: str
    title: str
    names: tuple[str, ...]
    entries: dict[tuple[str, str], Document]

    @property
    def is_complete(self) -> bool:
        return all((a, b) in self.entries for a in self.names for b in self.names if a != b)


def pair_sections(matches: Sequence[Document]) -> tuple[Section, ...]:
    """Return who beats whom under each ruleset under which at least three strategies met in pairs."""
    return tuple(
        _pair_section(pairs, "pairs" if number == 0 else f"pairs-{number}")
        for number, pairs in enumerate(_all_pairs(matches))
    )


def conclusions(matches: Sequence[Document]) -> Table:
    """Return the conclusions of many matches, a row each."""
    rows = tuple((match_title(match), value_text(match["games"]), match["conclusion"]) for match in matches)
    heads = (Heading("match", "words"), Heading("games"), Heading("conclusion", "words"))
    return Table("Conclusions", heads, rows)


def ranking_headlines(matches: Sequence[Document]) -> list[Headline]:
    """Return who leads under each ruleset in which every strategy met every other."""
    found = []
    for number, pairs in enumerate(_all_pairs(matches)):
        if not pairs.is_complete:
            continue
        rows = _means(pairs)
        first, second = rows[0], rows[1]
        sentence = (
            f"{pairs.title} ({pairs.ruleset}): {first['strategy']} takes the most credit of {len(rows)} strategies, "
            f"{percent_cell(first, 'credit_rate')} % on average over its {len(rows) - 1} rivals, ahead of "
            f"{second['strategy']} with {percent_cell(second, 'credit_rate')} %."
        )
        link = "pairs" if number == 0 else f"pairs-{number}"
        found.append(
            Headline(
                f"{percent_text(first['credit_rate'])} %",
                f"of the credit for {first['strategy']}",
                sentence,
                link,
            )
        )
    return found


def headline(match: Document, link: str = "") -> Headline:
    """Return the conclusion of a match with its largest figure: the best's credit, or else a mean."""
    ended = match[until.KEY]["ended"] if until.KEY in match else None
    sentence = f"{match['conclusion']} {ended}" if ended else match["conclusion"]
    if not match["deals"]:
        return Headline(ABSENT, "nothing played", sentence, link)
    entries, words = match["strategies"], words_of(match)
    known = [entry for entry in entries if entry["credit_rate"] is not None]
    if len(entries) > 1 and known:
        best = max(known, key=lambda entry: entry["credit_rate"])
        each = f" for each {words.rival}" if best["seats"] > 1 else ""
        figure = f"{percent_text(best['credit_rate'])} %"
        return Headline(figure, f"of the credit{each} for {best['strategy']}", sentence, link)
    if words.score == "chips" and match["seats"]:
        seat = max(match["seats"], key=lambda seat: abs(seat["credit_rate"] - seat["fair_share"]))
        return Headline(
            f"{percent_text(seat['credit_rate'])} %", f"of the credit for seat {seat['seat']}", sentence, link
        )
    entry = entries[0]
    return Headline(
        value_text(entry["score_mean"]), f"{words.unit} a game for {entry['strategy']}", sentence, link
    )


def _all_pairs(matches: Sequence[Document]) -> list[_Pairs]:
    """Return the pairs of each ruleset that has at least two pairs of at least three strategies."""
    entries: dict[tuple[str, str], dict[tuple[str, str], Document]] = {}
    for match in matches:
        own = match["strategies"] if match["deals"] else []
        if len(own) != 2 or len(set(match["sides"])) != 2 or any(e["credit_rate"] is None for e in own):
            continue
        (first, second), key = own, (match["ruleset"], match["title"])
        found = entries.setdefault(key, {})
        found[first["strategy"], second["strategy"]] = first
        found[second["strategy"], first["strategy"]] = second
    return [
        _Pairs(ruleset, title, names, found)
        for (ruleset, title), found in entries.items()
        if len(names := _by_credit(found)) > 2
    ]


def _by_credit(entries: dict[tuple[str, str], Document]) -> tuple[str, ...]:
    """Return the strategies, those with more credit on average first."""
    rates: dict[str, list[float]] = {}
    for (name, _), entry in entries.items():
        rates.setdefault(name, []).append(entry["credit_rate"])
    return tuple(sorted(rates, key=lambda name: -sum(rates[name]) / len(rates[name])))


def _pair_section(pairs: _Pairs, name: str) -> Section:
    cells = {pair: percent(entry["credit_rate"]) or 0.0 for pair, entry in pairs.entries.items()}
    rows = tuple(
        (row, *(percent_cell(pairs.entries[row, column], "credit_rate") if (row, column) in cells else ABSENT
                for column in pairs.names))
        for row in pairs.names
    )  # fmt: skip
    title = f"Who beats whom: {pairs.title} ({pairs.ruleset})"
    table = Table(
        f"Credit % of each pair, {pairs.ruleset}", headings("strategy", *pairs.names), rows, _MATRIX_NOTE
    )
    charts = []
    if len(pairs.names) <= MOST_IN_MATRIX:
        (best, worst), most = max(cells.items(), key=lambda item: item[1])
        alt = (
            f"Matrix of {len(pairs.names)} strategies, the strongest first. The clearest pair: {best} takes "
            f"{most:.4f} % of the credit against {worst}."
        )
        spec = heat_chart(pairs.names, cells, "strategy", "against")
        key = "Blue: the strategy of the row has more than half of the credit; orange: it has less."
        charts.append(Chart(f"{name}-matrix", "Credit of each against each, %", alt, spec, table, key))
    tables = [table]
    if pairs.is_complete:
        means = _means(pairs)
        ranking = Table(
            f"Mean credit, {pairs.ruleset}",
            headings("strategy", "rivals", "mean credit %"),
            tuple((m["strategy"], value_text(len(means) - 1), percent_cell(m, "credit_rate")) for m in means),
            _MEAN_NOTE,
        )
        dots = [
            Dot(
                m["strategy"],
                percent(m["credit_rate"]),
                percents(m["credit_rate_interval"]),
                f"{percent_text(m['credit_rate'])} %",
            )
            for m in means
        ]
        alt = f"Mean credit over all rivals, with intervals: {spelled(dots)} 50 % is level."
        charts.append(
            Chart(
                f"{name}-means", "Mean credit over all rivals", alt,
                interval_chart(dots, "mean credit, %", 50.0, (0, 100)), ranking, "The dashed line is 50 %.",
            )
        )  # fmt: skip
        tables.append(ranking)
    return Section(name, title, charts=tuple(charts), tables=tuple(tables))


def _means(pairs: _Pairs) -> list[Document]:
    means = []
    for name in pairs.names:
        own = [entry for (first, _), entry in pairs.entries.items() if first == name]
        bounds = [entry["credit_rate_interval"] for entry in own]
        whole = all(bound is not None for bound in bounds)
        means.append(
            {
                "strategy": name,
                "credit_rate": rounded_rate(sum(entry["credit_rate"] for entry in own) / len(own)),
                "credit_rate_interval": [
                    rounded_rate(sum(bound[k] for bound in bounds) / len(bounds)) for k in (0, 1)
                ]
                if whole
                else None,
            }
        )
    return means
