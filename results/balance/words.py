"""What a balance report concludes for each ruleset: counts of verdicts, what to be told first, what changed."""

from collections.abc import Iterable
from typing import Any

from results.balance.categories import DEAD, DOMINANT
from results.balance.thresholds import AS_IT_IS, UNSETTLED, VERDICTS
from results.figures import Document
from results.tables import percent_text, value_text

_WORST_FIRST = ("poor", "fair or poor", "fair", UNSETTLED, "good or fair", "good")
#: How many measures, and how many changes, a conclusion tells.
_MOST_TOLD, _MOST_CHANGES = 3, 5
#: How many changes stand at the top of a page.
_MOST_LEADING = 3
_NO_CHANGE = "No measure is shown to differ from {base}."


def verdict_counts(measures: Iterable[Document], ruleset: str) -> dict[str, int]:
    """Return how many measures of a ruleset have each verdict; those that it doesn't have are not counted."""
    found = [value["verdict"] for _, value in _values(measures, ruleset)]
    return {verdict: found.count(verdict) for verdict in VERDICTS if verdict in found}


def conclusion_lines(document: Document, ruleset: str) -> list[str]:
    """Return what is concluded for a ruleset, a sentence or two a line."""
    values = _values(document["measures"], ruleset)
    judged = [(measure, value) for measure, value in values if value["verdict"] not in (None, AS_IT_IS)]
    lines = [_counted([value["verdict"] for _, value in judged])]
    judged.sort(key=lambda pair: _WORST_FIRST.index(pair[1]["verdict"]))
    lines += [f"{value['words']}." for _, value in judged[:_MOST_TOLD]]
    lines += _category_lines(document, ruleset)
    lines += _strategy_lines(document, ruleset)
    if ruleset != document["base"]:
        lines.append(_changes(values, document["base"]))
    return lines


def leading_changes(document: Document, ruleset: str) -> str:
    """Return in a sentence what differs most clearly from the base."""
    base = document["base"]
    changed = _changed(_values(document["measures"], ruleset))
    if not changed:
        return _NO_CHANGE.format(base=base)
    return f"Against {base}: {'; '.join(_change(*pair) for pair in changed[:_MOST_LEADING])}."


def bounds_text(unit: str, bounds: list[float] | None) -> str:
    """Return an interval as tables spell it, in brackets; nothing where there is none."""
    spell = percent_text if unit == "rate" else value_text
    return "" if bounds is None else f" [{spell(bounds[0])}, {spell(bounds[1])}]"


def _values(measures: Iterable[Document], ruleset: str) -> list[tuple[Document, Document]]:
    return [
        (measure, value) for measure in measures for value in measure["values"] if value["ruleset"] == ruleset
    ]


def _counted(verdicts: list[str]) -> str:
    if not verdicts:
        return "No measure has a verdict."
    counts = [f"{verdicts.count(v)} {v}" for v in VERDICTS if v in verdicts]
    return f"Of {len(verdicts)} measures with a verdict: {', '.join(counts)}."


def _category_lines(document: Document, ruleset: str) -> list[str]:
    lines = []
    for verdict, meaning in ((DEAD, "bringing hardly anything"), (DOMINANT, "bringing far more than others")):
        names = [
            row["name"]
            for row in document["categories"]
            if row["ruleset"] == ruleset and row["verdict"] == verdict
        ]
        if names:
            lines.append(f"{verdict.capitalize()} on the sheet, {meaning}: {', '.join(names)}.")
    return lines


def _strategy_lines(document: Document, ruleset: str) -> list[str]:
    lines = []
    for matrix in document["matrix"]:
        if matrix["ruleset"] == ruleset:
            if matrix["beats_all"]:
                lines.append(f"{matrix['beats_all']} is shown to beat every other strategy here.")
            lines += [
                f"{' and '.join(group)} decide alike here, and count as one." for group in matrix["alike"]
            ]
            lines += [
                f"A cycle: {' beats '.join([*cycle, cycle[0]])}." for cycle in matrix["cycles"][:_MOST_TOLD]
            ]
    return lines


def _changes(values: list[tuple[Document, Document]], base: str) -> str:
    changed = _changed(values)
    if not changed:
        return _NO_CHANGE.format(base=base)
    told = [
        f"{_change(measure, value)}{bounds_text(measure['unit'], value['changed_interval'])}"
        for measure, value in changed[:_MOST_CHANGES]
    ]
    more = f"; and {len(changed) - _MOST_CHANGES} more" if len(changed) > _MOST_CHANGES else ""
    return (
        f"Changes from {base}, with intervals that hold for all measures together: {'; '.join(told)}{more}."
    )


def _changed(values: list[tuple[Document, Document]]) -> list[tuple[Document, Document]]:
    """Return what is shown to differ: what is judged comes first, and of that what is shown most clearly."""
    changed = [pair for pair in values if pair[1]["changed"]]
    return sorted(changed, key=lambda pair: (pair[1]["verdict"] == AS_IT_IS, -_clearness(pair[1])))


def _change(measure: Document, value: dict[str, Any]) -> str:
    title = measure["title"]
    return f"{title[0].lower()}{title[1:]} {value['difference_words'].partition(' than ')[0]}"


def _clearness(value: dict[str, Any]) -> float:
    """Return a difference in half widths of its interval."""
    bounds = value["difference_interval"]
    width = bounds[1] - bounds[0] if bounds else 0.0
    return float(abs(value["difference"]) / width) if width else float("inf")
