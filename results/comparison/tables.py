"""The document of a comparison as tables for people, and as rows of CSV."""

from collections.abc import Iterator, Sequence

from results.comparison.words import rank_text
from results.figures import Document, bracketed, figure_cell, headings, percent_cell
from results.tables import (
    ABSENT,
    RATE_DIGITS,
    Heading,
    Table,
    Value,
    csv_text,
    level_text,
    percent_text,
    value_text,
)
from results.words import WORDS

CSV_HEADINGS = ("first", "second", "measure", "value", "low", "high", "n")

_MARK = "*"
#: The figures of a pair that have an interval: the key, and the key of the interval.
_WITH_BOUNDS = {
    "credit_difference": "credit_interval",
    "credit_difference_adjusted": "credit_difference_adjusted_interval",
    "score_difference": "score_interval",
    "score_difference_adjusted": "score_difference_adjusted_interval",
    "divergent_rate": "divergent_rate_interval",
}
_PLAIN = ("variance_ratio", "score_variance_ratio", "p", "p_adjusted", "verdict", "how")
_PAIR_NOTE = (
    "The first less the second, by deal: head to head, or side by side in the same seat of the same deals against the "
    "same rivals. Different decisions: in so many of the deals, on the same dice; two courses that differ look alike "
    "with a chance of 1/65,536. Variance ratio: what the variance would be if every game had dice of its own, over "
    "what it is"
)
_RATING_NOTE = (
    "Strength: on the log scale with mean 0, fitted to who is placed before whom, with ties and the order (Davidson "
    "1970; Davidson and Beaver 1977); games of three sides or more are taken apart into pairs, and each pair that met "
    "has half a win added for either. Elo points: the same scale, 400 for odds of ten to one."
)


def compare_tables(document: Document) -> list[Table]:
    """Return the tables of a comparison: of two strategies one, of more the ranking, all pairs, and the order."""
    if len(document["strategies"]) == 2:
        return [_of_two(document, pair) for pair in document["pairs"]]
    tables = [_ranking(document), _square(document), _pairs(document)]
    return [*tables, _chairs(document)] if document["model"] else tables


def foot_lines(document: Document) -> list[str]:
    """Return what stands below the tables: where the figures are from, how to read intervals."""
    level = level_text(document["level"])
    return [
        f"Runs {', '.join(document['runs'])}; {document['title']} ({document['ruleset']}), seed {document['seed']}.",
        f"Intervals [low, high] at {level}; their unit is the deal, as the games of a deal share their dice.",
    ]


def chance_text(chance: float | None) -> str:
    """Return a rounded p-value."""
    if chance is None:
        return ABSENT
    return f"{chance:.{RATE_DIGITS}f}" if chance else f"< {10**-RATE_DIGITS:.{RATE_DIGITS}f}"


def _has_luck(document: Document) -> bool:
    return any("score_difference_adjusted" in pair for pair in document["pairs"])


def _score(pair: Document, key: str = "score_difference") -> str:
    return bracketed(value_text(pair.get(key)), pair.get(_WITH_BOUNDS[key]))


def _credit(pair: Document, key: str = "credit_difference") -> str:
    return percent_cell(pair, key, _WITH_BOUNDS[key]) if key in pair else ABSENT


def _of_two(document: Document, pair: Document) -> Table:
    unit, luck = WORDS[document["game"]].unit, _has_luck(document)
    measured = [] if document["solitaire"] else [("credit, % points", _credit, "credit", "variance_ratio")]
    rows = [
        (
            label,
            cell(pair),
            *([cell(pair, f"{key}_difference_adjusted")] if luck else []),
            value_text(pair[ratio]),
        )
        for label, cell, key, ratio in (
            *measured,
            (f"{unit} a game", _score, "score", "score_variance_ratio"),
        )
    ]
    rows.append(
        (
            "deals with different decisions, %",
            percent_cell(pair, "divergent_rate"),
            *([ABSENT] if luck else []),
            ABSENT,
        )
    )
    heads = headings(
        "measure",
        f"{pair['first']} less {pair['second']}",
        *(["luck taken off"] if luck else []),
        "variance ratio",
    )
    deals = f"{pair['games']:,} games, {pair['deals']:,} deals, {pair['how']}. p {chance_text(pair['p'])}."
    return Table(f"{pair['first']} against {pair['second']}", heads, tuple(rows), f"{deals} {_PAIR_NOTE}.")


def _ranking(document: Document) -> Table:
    ratings = {row["strategy"]: row for row in document["ratings"]}
    rows = []
    for row in document["strategies"]:
        rated = ratings.get(row["strategy"])
        cells = [
            figure_cell(rated, key) if rated else ABSENT for key in (("strength", "elo") if ratings else ())
        ]
        rows.append((row["strategy"], value_text(row["rank"]), rank_text(row), *cells))
    heads = headings("strategy", "rank", "ranks possible", *(["strength", "Elo points"] if ratings else []))
    measure = "scores" if document["solitaire"] else "credit"
    note = (
        f"Rank: by the ranks possible and then by all pairs, in {measure}"
        f"{'' if document['linked'] else '; no chain links all'}. Ranks possible: behind all that are "
        "shown to be better, before all shown to be worse, at "
        f"{level_text(document['level'])} for all strategies at once (Mogstad et al. 2024)."
    )
    return Table("Ranking", heads, tuple(rows), f"{_how_rated(document)} {note}")


def _how_rated(document: Document) -> str:
    model = document["model"]
    if not model:
        return str(document["no_ratings"])
    told = [_RATING_NOTE]
    if model["replications"]:
        told.append(
            f"Intervals by bootstrap: {model['replications']:,} resamples of {model['blocks']:,} blocks of deals."
        )
    if model["unsettled"]:
        told.append(
            f"How far {', '.join(model['unsettled'])} is from others hangs on that half win, as one side alone ever "
            "came first (Ford 1957), so it has no interval."
        )
    return " ".join(told)


def _square(document: Document) -> Table:
    names = [row["strategy"] for row in document["strategies"]]
    key, text, what = (
        ("score_difference", value_text, f"{WORDS[document['game']].unit} a game")
        if document["solitaire"]
        else ("credit_difference", percent_text, "% points of credit")
    )
    cells = {}
    for pair in document["pairs"]:
        mark = _MARK if pair["verdict"] == "first is better" else ""
        cells[pair["first"], pair["second"]] = f"{text(pair[key])}{mark}"
        cells[pair["second"], pair["first"]] = f"{text(0.0 - pair[key])}{mark}"
    rows = tuple((row, *(cells.get((row, column), ABSENT) for column in names)) for row in names)
    note = f"{_MARK} shown at {level_text(document['level'])} for all pairs at once (Holm 1979)."
    return Table(f"The row less the column, {what}", headings("strategy", *names), rows, note)


def _pairs(document: Document) -> Table:
    solitaire, luck = document["solitaire"], _has_luck(document)
    rows = [
        (
            pair["first"],
            pair["second"],
            pair["how"],
            value_text(pair["deals"]),
            value_text(pair["games"]),
            *([] if solitaire else [_credit(pair)]),
            *([_credit(pair, "credit_difference_adjusted")] if luck and not solitaire else []),
            _score(pair),
            *([_score(pair, "score_difference_adjusted")] if luck else []),
            percent_cell(pair, "divergent_rate"),
            value_text(pair["variance_ratio"]),
            chance_text(pair["p_adjusted"]),
            pair["verdict"],
        )
        for pair in document["pairs"]
    ]
    unit = WORDS[document["game"]].unit
    heads = (
        *(Heading(text, "words") for text in ("first", "second", "how")),
        *(
            Heading(text)
            for text in (
                "deals",
                "games",
                *([] if solitaire else ["credit, % points"]),
                *(["luck taken off"] if luck and not solitaire else []),
                f"{unit} a game",
                *(["luck taken off"] if luck else []),
                "different decisions, % of deals",
                "variance ratio",
                "p, all pairs",
            )
        ),
        Heading("verdict", "words"),
    )
    pairs = "; ".join(f"{one} and {other}" for one, other in document["absent"])
    absent = f" Nothing compares {pairs}." if pairs else ""
    of = "of the score" if solitaire else "of the credit"
    mixed = len({pair["how"] for pair in document["pairs"]}) > 1
    scale = (
        " Head to head a lead counts what one gains and the other loses, side by side only what one gains more than "
        "the other from the same rivals."
        if mixed
        else ""
    )
    note = f"{_PAIR_NOTE}, {of}.{scale} p: two-sided, adjusted for all pairs by Holm (1979).{absent}"
    return Table("Pairs", heads, tuple(rows), note)


def _chairs(document: Document) -> Table:
    model = document["model"]
    rows = tuple(
        (
            f"{row['chair']} {row['number']} of {row['sides']}",
            figure_cell(row, "effect"),
            figure_cell(row, "elo"),
        )
        for row in model["chairs"]
    )
    misfit = model["misfit"]
    tie = "No contest was tied." if model["tie"] is None else f"Tie parameter: {figure_cell(model, 'tie')}."
    fit = (
        f"The ratings miss {misfit['first']} against {misfit['second']} the most: {percent_text(misfit['observed'])} % "
        f"of the credit between the two where {percent_text(misfit['predicted'])} % is predicted."
    )
    begins = "; position 0 begins" if any(row["chair"] == "position" for row in model["chairs"]) else ""
    note = f"What a place is worth to whoever has it, mean 0{begins}. {tie} {fit}"
    return Table("Order", headings("place", "effect", "Elo points"), rows, note)


def compare_csv(document: Document) -> str:
    """Return the comparison as one tidy CSV table, a row for each measure."""
    return csv_text(CSV_HEADINGS, [*_pair_rows(document["pairs"]), *_strategy_rows(document)])


def _pair_rows(pairs: Sequence[Document]) -> Iterator[tuple[Value, ...]]:
    for pair in pairs:
        names = (pair["first"], pair["second"])
        for key, bounds in _WITH_BOUNDS.items():
            if pair.get(key) is not None:
                yield (*names, key, pair[key], *(pair[bounds] or (None, None)), pair["deals"])
        for key in _PLAIN:
            if pair[key] is not None:
                yield (*names, key, pair[key], None, None, pair["deals"])
        yield (*names, "games", pair["games"], None, None, pair["deals"])


def _strategy_rows(document: Document) -> Iterator[tuple[Value, ...]]:
    for row in document["strategies"]:
        yield (row["strategy"], None, "rank", row["rank"], *row["rank_interval"], None)
    model = document["model"]
    if not model:
        return
    for row in document["ratings"]:
        for key in ("strength", "elo"):
            bounds = row[f"{key}_interval"] or (None, None)
            yield (row["strategy"], None, key, row[key], *bounds, model["contests"])
    if model["tie"] is not None:
        yield (None, None, "tie", model["tie"], *(model["tie_interval"] or (None, None)), model["contests"])
    for row in model["chairs"]:
        name = f"effect_{row['chair']}_{row['number']}_of_{row['sides']}"
        yield (None, None, name, row["effect"], *(row["effect_interval"] or (None, None)), model["contests"])
    misfit = model["misfit"]
    yield (misfit["first"], misfit["second"], "misfit", misfit["excess"], None, None, model["contests"])
