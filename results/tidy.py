"""The summary's document as one tidy CSV table, a row a measure."""

from collections.abc import Iterator

from results import beside
from results.distribution import distribution_rows
from results.figures import Document, csv_row, figure_row
from results.tables import Value, csv_text
from results.variants import VARIANTS

CSV_HEADINGS = ("match", "ruleset", "strategy", "seat", "category", "measure", "value", "low", "high", "n")


def csv_summary(document: Document) -> str:
    """Return the summary as one tidy CSV table, a row for each measure."""
    return csv_text(CSV_HEADINGS, [row for match in document["matches"] for row in _tidy(match)])


def _tidy(match: Document) -> Iterator[tuple[Value, ...]]:
    yield csv_row(match, "deals", match["deals"], match["deals_planned"])
    yield csv_row(match, "games", match["games"], match["games_planned"])
    if not match["deals"]:
        return
    if "best_mean" in match:
        yield csv_row(match, "best_mean", match["best_mean"], match["deals"])
    for entry in match["strategies"]:
        yield from _tidy_entry(match, entry)
    if match["ties"]:
        yield from _tidy_games(match)
    for chairs, prefix in (("seats", ""), ("positions", "position_{position}_")):
        for chair in match.get(chairs, []):
            for name in ("win_rate", "credit_rate", "score_mean"):
                if name in chair:
                    seat, before = chair.get("seat"), prefix.format(**chair)
                    yield figure_row(match, chair, name, chair["games"], before, seat=seat)
    for c in match.get("categories", []):
        for name in ("mean", "sd", "zero_rate"):
            yield csv_row(match, name, c[name], c["count"], strategy=c["strategy"], category=c["category"])
    for variant in VARIANTS:
        if variant.KEY in match:
            yield from variant.rows(match)
    if beside.KEY in match:
        yield from beside.rows(match)


def _tidy_entry(match: Document, entry: Document) -> Iterator[tuple[Value, ...]]:
    name, games = entry["strategy"], entry["games"]
    for key in ("win_rate", "shared_rate", "credit_rate", "score_mean", "bonus_rate", "throws_mean"):
        if entry.get(key) is not None:
            yield figure_row(match, entry, key, games, strategy=name)
    for key in ("points_short", "score_sd", "score_min", "score_max"):
        if key in entry:
            yield csv_row(match, key, entry[key], games, strategy=name)
    for q, value in entry["score_quantiles"].items():
        bounds = entry["score_quantile_intervals"][q]
        yield csv_row(match, f"score_quantile_{q}", value, games, bounds, strategy=name)
    yield from distribution_rows(match, entry)


def _tidy_games(match: Document) -> Iterator[tuple[Value, ...]]:
    ties, start, course = match["ties"], match.get("start"), match["course"]
    yield csv_row(match, "tie_rate", ties["rate"], ties["games"], ties["interval"])
    for measure, counts in (
        ("tied_seats", ties["by_tied_seats"]),
        ("tiebreak_rounds", ties.get("by_rounds", {})),
        ("start_rounds", start["by_rounds"] if start else {}),
    ):
        for k, count in counts.items():
            yield csv_row(match, f"{measure}_{k}", count, ties["games"])
    if start:
        yield figure_row(match, start, "tie_rate", start["games"], "start_")
    if course:
        yield csv_row(match, "won_games", course["won_games"], course["games"])
        yield figure_row(match, course, "lead_changes_mean", course["games"])
        for name in ("decided_turn_mean", "worst_deficit_mean"):
            yield figure_row(match, course, name, course["won_games"])
