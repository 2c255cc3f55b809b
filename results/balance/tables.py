"""A balance report's document as tables for people, and as one tidy table of CSV."""

from collections.abc import Iterator
from typing import Any

from results.balance.words import bounds_text
from results.figures import Document, figure_cell, headings, percent_cell
from results.tables import ABSENT, Heading, Table, Value, csv_text, level_text, percent_text, value_text

CSV_HEADINGS = (
    "ruleset", "group", "measure", "category", "strategy", "rival", "value", "low", "high", "n",
    "difference", "difference_low", "difference_high", "verdict", "words",
)  # fmt: skip

GROUPS = {
    "fairness": "Fairness, where all play alike",
    "ties": "Ties",
    "course": "Course of the game",
    "length": "Length",
    "skill": "Skill and luck",
    "diversity": "Strategies",
    "categories": "Bonus and jokers",
    "steals": "Steals",
    "clock": "The clock",
}
"""The titles of the groups of measures, in their order."""
#: Keys in which a ruleset differs that are told; the document has all.
_MOST_KEYS = 5
_MATRIX_NOTE = (
    "What the strategy of the row takes of the credit from that of the column, seat for seat, in %. Equilibrium: how "
    "often to play each, so that no other does better."
)


def balance_tables(document: Document) -> list[Table]:
    """Return the tables of a balance report: what is concluded, the measures by group, strategies, categories."""
    tables = [_rulesets(document), _verdicts(document)]
    for group, title in GROUPS.items():
        measures = [m for m in document["measures"] if m["group"] == group]
        if any(map(_is_there, measures)):
            tables.append(_measures(document, title, measures))
    tables += [_matrix(matrix) for matrix in document["matrix"] if len(matrix["strategies"]) > 1]
    tables += [_categories(document, own["ruleset"]) for own in document["rulesets"]]
    return [*(table for table in tables if table.rows), _words(document), _definitions(document)]


def balance_lines(document: Document) -> list[str]:
    """Return what stands before the tables: the conclusion for each ruleset."""
    lines = []
    for own in document["rulesets"]:
        differs = _differs(own)
        lines.append(f"{own['ruleset']} ({own['title']}{'; ' if differs else ''}{differs})")
        lines += [f"  {line}" for line in own["conclusion"]]
    return lines


def balance_foot(document: Document) -> list[str]:
    """Return what stands below the tables: where the figures are from, and how to read them."""
    played = f"{document['games']:,} games, {document['deals']:,} deals of every match"
    level, base = level_text(document["level"]), document["base"]
    lines = [
        f"Run {document['run']}, seed {document['seed']}: {played}.",
        f"Intervals [low, high] at {level}; their unit is the deal. Differences to {base} are paired by deal.",
        document["reference_words"],
    ]
    return lines if document["complete"] else ["Incomplete: resume the run for the rest.", *lines]


def balance_csv(document: Document) -> str:
    """Return a row for each measure, each pair of strategies and each figure of a category, by ruleset."""
    rows = [*_measure_rows(document), *_matrix_rows(document), *_category_rows(document)]
    return csv_text(CSV_HEADINGS, rows)


def _differs(own: Document) -> str:
    """Return how a ruleset differs from the base, by its first keys where there are many."""
    keys = own["differs"]
    more = f", and {len(keys) - _MOST_KEYS} more" if len(keys) > _MOST_KEYS else ""
    return ", ".join(keys[:_MOST_KEYS]) + more


def _is_there(measure: Document) -> bool:
    return any(value["value"] is not None for value in measure["values"])


def _rulesets(document: Document) -> Table:
    rows = tuple(
        (
            own["ruleset"],
            own["title"],
            _differs(own) or ("the base" if own["ruleset"] == document["base"] else "nothing"),
            ", ".join(f"{count} {verdict}" for verdict, count in own["verdicts"].items()),
        )
        for own in document["rulesets"]
    )
    return Table("Rulesets", _worded("ruleset", "title", "differs in", "verdicts"), rows)


def _verdicts(document: Document) -> Table:
    names = [own["ruleset"] for own in document["rulesets"]]
    rows = []
    for measure in document["measures"]:
        verdicts = {value["ruleset"]: value["verdict"] for value in measure["values"]}
        if any(verdict not in (None, "as it is") for verdict in verdicts.values()):
            rows.append((measure["title"], *(verdicts[name] or ABSENT for name in names)))
    note = "Of measures that have limits; two verdicts where the interval reaches over both."
    return Table("Verdicts", _worded("measure", *names), tuple(rows), note)


def _measures(document: Document, title: str, measures: list[Document]) -> Table:
    # One ruleset alone has no base to differ from.
    several = len(document["rulesets"]) > 1
    rows = tuple(
        (
            f"{measure['title']}, {'%' if measure['unit'] == 'rate' else measure['unit']}",
            value["ruleset"],
            value_text(value["n"]),
            _cell(measure, value, "value", "interval"),
            *([_cell(measure, value, "difference", "difference_interval")] if several else []),
            value["verdict"] or ABSENT,
        )
        for measure in measures
        for value in measure["values"]
        if value["value"] is not None
    )
    heads = (Heading("measure", "words"), Heading("ruleset", "words"), Heading("n"), Heading("value"),
             *([Heading(f"more than {document['base']}")] if several else []), Heading("verdict", "words"))  # fmt: skip
    return Table(title, heads, rows, _reasons(document, measures))


def _reasons(document: Document, measures: list[Document]) -> str:
    """Return why measures are not there: a sentence for each reason, with the rulesets that it holds for."""
    found: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for measure in measures:
        by_reason: dict[str, list[str]] = {}
        for value in measure["values"]:
            if value["why_absent"]:
                by_reason.setdefault(value["why_absent"], []).append(value["ruleset"])
        for reason, rulesets in by_reason.items():
            found.setdefault((reason, tuple(rulesets)), []).append(measure["title"])
    return " ".join(
        f"{', '.join(titles)}: {reason}{_under(document, rulesets)}."
        for (reason, rulesets), titles in found.items()
    )


def _under(document: Document, rulesets: tuple[str, ...]) -> str:
    return "" if len(rulesets) == len(document["rulesets"]) else f" ({', '.join(rulesets)})"


def _matrix(matrix: Document) -> Table:
    names = matrix["strategies"]
    rows = tuple(
        (
            name,
            *(
                percent_cell({"share": matrix["credit"][i][j], "bounds": matrix["intervals"][i][j]}, "share", "bounds")
                for j in range(len(names))
            ),
            percent_text(matrix["mean_credit"][i]),
            percent_text(matrix["equilibrium"][i]),
        )
        for i, name in enumerate(names)
    )  # fmt: skip
    notes = [_MATRIX_NOTE]
    if matrix["beats_all"]:
        notes.append(f"{matrix['beats_all']} is shown to beat every other (Holm).")
    notes += [f"A cycle: {' beats '.join([*cycle, cycle[0]])}." for cycle in matrix["cycles"]]
    heads = headings("strategy", *names, "mean", "equilibrium %")
    return Table(f"Strategies under {matrix['ruleset']}", heads, rows, " ".join(notes))


def _categories(document: Document, ruleset: str) -> Table:
    found = [row for row in document["categories"] if row["ruleset"] == ruleset]
    rows = tuple(
        (
            row["name"],
            figure_cell(row, "mean"),
            percent_cell(row, "zero_rate"),
            percent_cell(row, "share"),
            value_text(row["worth"]),
            figure_cell(row, "difference"),
            row["verdict"],
        )
        for row in found
    )
    heads = (*headings("category", "mean", "zero %", "share of points %", "worth", f"more than {document['base']}"),
             Heading("verdict", "words"))  # fmt: skip
    note = (
        f"Of {document['reference']} in every seat. Share: of all points but the bonus. Worth: what the best play "
        "loses if the category is struck out before the game."
    )
    return Table(f"Categories under {ruleset}", heads, rows, note)


def _words(document: Document) -> Table:
    rows = tuple(
        (
            value["ruleset"],
            f"{value['words']}{'; ' if value['difference_words'] else ''}{value['difference_words']}.",
        )
        for own in document["rulesets"]
        for measure in document["measures"]
        for value in measure["values"]
        if value["ruleset"] == own["ruleset"] and value["value"] is not None
    )
    return Table("In words", _worded("ruleset", "what the figures say"), rows)


def _definitions(document: Document) -> Table:
    rows = tuple((m["title"], m["definition"], m["source"]) for m in document["measures"] if _is_there(m))
    return Table("What the measures are", _worded("measure", "definition", "source"), rows)


def _measure_rows(document: Document) -> Iterator[tuple[Value, ...]]:
    for measure in document["measures"]:
        for value in measure["values"]:
            figures = (value["value"], *_pair(value["interval"]), value["n"])
            differences = (value["difference"], *_pair(value["difference_interval"]))
            words = (value["verdict"], value["words"])
            yield (value["ruleset"], measure["group"], measure["measure"], None, None, None, *figures,
                   *differences, *words)  # fmt: skip


def _matrix_rows(document: Document) -> Iterator[tuple[Value, ...]]:
    for matrix in document["matrix"]:
        names, ruleset = matrix["strategies"], matrix["ruleset"]
        empty = (None,) * 6
        for i, one in enumerate(names):
            for j, other in enumerate(names):
                if i != j:
                    share, bounds = matrix["credit"][i][j], _pair(matrix["intervals"][i][j])
                    yield ruleset, "diversity", "credit", None, one, other, share, *bounds, *empty
            for key in ("mean_credit", "equilibrium"):
                if matrix[key][i] is not None:
                    yield ruleset, "diversity", key, None, one, None, matrix[key][i], None, None, *empty


def _category_rows(document: Document) -> Iterator[tuple[Value, ...]]:
    for row in document["categories"]:
        for key in ("mean", "zero_rate", "share", "worth"):
            if row[key] is None:
                continue
            is_mean = key == "mean"
            differences = (row["difference"], *_pair(row["difference_interval"])) if is_mean else (None,) * 3
            figures = (row[key], *_pair(row.get(f"{key}_interval")), row["n"])
            yield (row["ruleset"], "categories", key, row["category"], None, None, *figures, *differences,
                   row["verdict"] if is_mean else None, None)  # fmt: skip


def _cell(measure: Document, value: dict[str, Any], key: str, interval: str) -> str:
    spell = percent_text if measure["unit"] == "rate" else value_text
    return spell(value[key]) + bounds_text(measure["unit"], value[interval])


def _pair(bounds: list[float] | None) -> tuple[float | None, float | None]:
    return (None, None) if bounds is None else (bounds[0], bounds[1])


def _worded(*texts: str) -> tuple[Heading, ...]:
    return tuple(Heading(text, "words") for text in texts)
