"""The document of dicecup exact as tables for people, and as rows of CSV."""

from collections.abc import Callable, Iterator

from results.distribution import band_labels, shares_table
from results.exact import not_exact_lines
from results.figures import Document, headings
from results.tables import Heading, Table, Value, csv_text, percent_text, value_text
from results.words import words_of

CSV_HEADINGS = ("match", "ruleset", "strategy", "category", "measure", "value")
_RATES = ("win", "shared", "credit")
_OF_SCORE = (
    "score_mean", "score_sd", "points_short", "share_of_best", "score_min", "score_max", "bonus_rate", "jokers_mean",
    "throws_mean", "situations",
)  # fmt: skip

_LOST_NOTES = {
    "decision": "Means of a game, against perfect play. Keep 1 is after the first throw.",
    "turn": "",
    "category": "All that a turn loses, by the category that it then fills.",
}

Row = tuple[Value, ...]


def match_lines(match: Document) -> list[str]:
    """Return what perfect play comes to, and for what there are no exact values and why."""
    lines = not_exact_lines(match["not_exact"])
    if match["best_mean"] is not None:
        lines.insert(0, f"Perfect play scores {value_text(match['best_mean'])} on average.")
    if match["why_no_outcome"]:
        lines.append(f"No win rates: {match['why_no_outcome']}.")
    return lines


def match_tables(match: Document, ascii_only: bool = False) -> list[Table]:
    """Return the tables of a match; none where nothing is known of it."""
    if not match["strategies"]:
        return []
    histogram, contested = match["histogram"], match["win_rates"] is not None
    return [
        *([_winning(match)] if contested else []),
        _scores(match),
        _quantiles(match),
        shares_table(words_of(match).score, band_labels(histogram), histogram["shares"], ascii_only),
        *([_ties(match)] if contested else []),
        _categories(match),
        *_regret_tables(match),
    ]


def csv_exact(matches: list[Document]) -> str:
    """Return exact values as one tidy CSV table, a row for each measure."""
    return csv_text(CSV_HEADINGS, [row for match in matches for row in _tidy(match)])


def _winning(match: Document) -> Table:
    entries = _entries(match)
    rows = tuple(
        (name, value_text(len(sides)), *(percent_text(match[f"{key}_rates"][sides[0]]) for key in _RATES))
        for name, sides in entries.items()
    )
    heads = headings("strategy", words_of(match).rivals, *(f"{key} %" for key in _RATES))
    note = (
        "Each side's own rate. Shared: the top place is shared and nobody wins alone. "
        "Credit: a win is 1, a shared top is split."
    )
    return Table("Winning", heads, rows, note)


def _ties(match: Document) -> Table:
    rows = [("games with a tie for the top", percent_text(match["tie_rate"]))]
    rivals = words_of(match).rivals
    rows += [(f"{k} {rivals} tied", percent_text(rate)) for k, rate in match["by_tied"].items()]
    rows += [
        (f"decided in roll-off round {k}", percent_text(rate))
        for k, rate in match["by_rounds"].items()
        if rate
    ]
    return Table("Ties", headings("event", "% of games"), tuple(rows))


def _scores(match: Document) -> Table:
    measures: list[tuple[str, str, Callable[[float | None], str]]] = [
        ("mean", "score_mean", value_text),
        ("sd", "score_sd", value_text),
        ("short of perfect", "points_short", value_text),
        ("% of perfect", "share_of_best", percent_text),
        ("bonus %", "bonus_rate", percent_text),
        ("jokers a game", "jokers_mean", value_text),
        ("throws a game", "throws_mean", value_text),
    ]
    first = match["strategies"][0]
    shown = [m for m in measures if m[1] in first and (m[1] != "bonus_rate" or match["bonus_points"])]
    rows = tuple(
        (e["strategy"], *(text(e[key]) for _, key, text in shown), value_text(e["situations"]))
        for e in match["strategies"]
    )
    note = (
        "Short of perfect: the points that a mean falls short of perfect play's. Situations: the different sheets that "
        "a strategy can come to."
    )
    heads = headings("strategy", *(name for name, _, _ in shown), "situations")
    return Table(words_of(match).scores, heads, rows, note)


def _quantiles(match: Document) -> Table:
    shares = list(match["strategies"][0]["score_quantiles"])
    rows = tuple(
        (
            e["strategy"],
            *(
                value_text(score)
                for score in (e["score_min"], *(e["score_quantiles"][q] for q in shares), e["score_max"])
            ),
        )
        for e in match["strategies"]
    )
    names = ["median" if q == "0.5" else f"{float(q) * 100:g} %" for q in shares]
    return Table(
        f"Quantiles of the {words_of(match).score}", headings("strategy", "min", *names, "max"), rows
    )


def _categories(match: Document) -> Table:
    strategies = match["strategies"]
    rows = tuple(
        (
            line["name"],
            *(
                text
                for e in strategies
                for cell in (e["categories"][k],)
                for text in (value_text(cell["mean"]), percent_text(cell["zero_rate"]))
            ),
        )
        for k, line in enumerate(strategies[0]["categories"])
    )
    heads = [text for e in strategies for text in (f"{e['strategy']} mean", f"{e['strategy']} zero %")]
    return Table("Categories", headings("category", *heads), rows)


def _regret_tables(match: Document) -> list[Table]:
    """Return where points are lost, with a column for each strategy, and the costly decisions of each."""
    told = [e for e in match["strategies"] if "regret" in e]
    if not told:
        return []
    parts: dict[str, list[dict[str, float]]] = {
        "decision": [e["regret"]["by_decision"] for e in told],
        "turn": [{str(k): points for k, points in enumerate(e["regret"]["by_turn"], 1)} for e in told],
        "category": [{line["name"]: line["points"] for line in e["regret"]["by_category"]} for e in told],
    }
    tables = []
    for part, columns in parts.items():
        rows = [
            (name, *(value_text(column.get(name)) for column in columns))
            for name in dict.fromkeys(name for column in columns for name in column)
        ]
        rows.append(("all", *(value_text(e["regret"]["total"]) for e in told)))
        heads = headings(part, *(e["strategy"] for e in told))
        tables.append(Table(f"Points lost by {part}", heads, tuple(rows), _LOST_NOTES[part]))
    return [*tables, *(_costly(e) for e in told if e["regret"]["costly"])]


def _costly(entry: Document) -> Table:
    rows = tuple(
        (d["words"], value_text(d["times"]), value_text(d["loss"]), value_text(d["cost"]))
        for d in entry["regret"]["costly"]
    )
    heads = (Heading("decision", "words"), *map(Heading, ("times a game", "loses", "points a game")))
    return Table(f"Costly decisions of {entry['strategy']}", heads, rows)


def _entries(match: Document) -> dict[str, list[int]]:
    """Return the sides of each entry, in the order in which they are seated."""
    entries: dict[str, list[int]] = {}
    for side, name in enumerate(match["side_names"]):
        entries.setdefault(name, []).append(side)
    return entries


def _tidy(match: Document) -> Iterator[Row]:
    yield _row(match, "best_mean", match["best_mean"])
    for entry in match["strategies"]:
        yield from _tidy_entry(match, entry)
    if match["win_rates"] is None:
        return
    for name, sides in _entries(match).items():
        for key in _RATES:
            yield _row(match, f"{key}_rate", match[f"{key}_rates"][sides[0]], name)
    yield _row(match, "tie_rate", match["tie_rate"])
    for measure, rates in (("tied_sides", match["by_tied"]), ("tiebreak_rounds", match["by_rounds"])):
        for k, rate in rates.items():
            yield _row(match, f"{measure}_{k}", rate)


def _tidy_entry(match: Document, entry: Document) -> Iterator[Row]:
    name = entry["strategy"]
    for key in _OF_SCORE:
        if key in entry:
            yield _row(match, key, entry[key], name)
    for q, score in entry["score_quantiles"].items():
        yield _row(match, f"score_quantile_{q}", score, name)
    histogram = match["histogram"]
    for label, share in zip(band_labels(histogram), histogram["shares"][name], strict=True):
        yield _row(match, f"scores_{label}", share, name)
    for score, chance in entry["score_distribution"].items():
        # As text, so that no digit of a small chance is cut off.
        yield _row(match, f"chance_{score}", str(chance), name)
    for line in entry["categories"]:
        for key in ("mean", "zero_rate"):
            yield _row(match, key, line[key], name, line["category"])
    if "regret" in entry:
        yield from _tidy_regret(match, entry)


def _tidy_regret(match: Document, entry: Document) -> Iterator[Row]:
    name, regret = entry["strategy"], entry["regret"]
    yield _row(match, "regret", regret["total"], name)
    for decision, points in regret["by_decision"].items():
        yield _row(match, f"regret_{decision}", points, name)
    for turn, points in enumerate(regret["by_turn"], 1):
        yield _row(match, f"regret_turn_{turn}", points, name)
    for line in regret["by_category"]:
        yield _row(match, "regret", line["points"], name, line["category"])
    for decision in regret["costly"]:
        for key in ("times", "loss", "cost"):
            yield _row(match, f"{key}: {decision['words']}", decision[key], name)


def _row(match: Document, measure: str, value: Value, strategy: Value = None, category: Value = None) -> Row:
    return match["match"], match["ruleset"], strategy, category, measure, value
