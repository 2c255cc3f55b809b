"""The charts of one match, drawn from the figures of its summary."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from results import beside
from results.exact import MatchValues
from results.figures import Document
from results.pages.page import Chart
from results.pages.plots import Dot, bar_chart, dot_chart, interval_chart, step_chart, z_chart
from results.tables import Table, percent_text, rounded_rate, value_text
from results.words import words_of

_MEASURED = {
    "score_mean": "mean score",
    "score_sd": "spread of the score",
    "bonus_rate": "bonus",
    "jokers_mean": "jokers",
    "throws_mean": "throws a game",
    "win_rate": "wins",
    "shared_rate": "shared tops",
    "credit_rate": "credit",
}
#: Values that an alternative text spells; the table has all.
_MOST_SPELLED = 12


def percent(rate: float | None) -> float | None:
    """Return a rounded rate in per cent, of the digits that tables show."""
    return None if rate is None else float(percent_text(rate))


def percents(bounds: Sequence[float | None] | None) -> list[float | None] | None:
    """Return a rounded interval of a rate in per cent."""
    return None if bounds is None else [percent(bound) for bound in bounds]


def spelled(dots: Sequence[Dot]) -> str:
    """Return in words what a chart of intervals shows."""
    told = [
        f"{dot.label} {dot.text}"
        + (f" [{_bound(dot.bounds[0])}, {_bound(dot.bounds[1])}]" if dot.bounds else "")
        for dot in dots[:_MOST_SPELLED]
        if dot.value is not None
    ]
    more = f"; {len(dots) - _MOST_SPELLED} more are in the table" if len(dots) > _MOST_SPELLED else ""
    return f"{'; '.join(told)}{more}."


def _bound(value: float | None) -> str:
    return value_text(None if value is None else float(value))


def winning_charts(match: Document, tables: Mapping[str, Table]) -> list[Chart]:
    """Return the credit of each strategy against its fair share; nothing of one strategy alone."""
    entries = match["strategies"]
    dots = [
        Dot(
            entry["strategy"],
            percent(entry["credit_rate"]),
            percents(entry["credit_rate_interval"]),
            f"{percent_text(entry['credit_rate'])} %",
            k,
        )
        for k, entry in enumerate(entries)
        if entry["credit_rate"] is not None
    ]
    if len(dots) < 2:
        return []
    fair = match["seats"][0]["fair_share"]
    each = " of a side" if any(entry["seats"] > 1 for entry in entries) else ""
    alt = (
        f"Share of the credit{each}, with intervals: {spelled(dots)} A fair share is {percent_text(fair)} %."
    )
    spec = interval_chart(dots, f"credit{each}, %", percent(fair), (0, 100))
    return [
        Chart(
            "winning-chart", f"Credit{each} of each strategy", alt, spec, tables["Winning"], _fair_key(fair)
        )
    ]


def _fair_key(fair: float) -> str:
    return f"Dots with their intervals; the dashed line is the fair share, {percent_text(fair)} %."


def scores_charts(match: Document, tables: Mapping[str, Table], values: MatchValues | None) -> list[Chart]:
    """Return the mean score of each strategy, and how its scores are spread, with the exact law where it is known."""
    words, entries = words_of(match), match["strategies"]
    charts = []
    if len(entries) > 1:
        dots = [
            Dot(e["strategy"], e["score_mean"], e["score_mean_interval"], value_text(e["score_mean"]), k)
            for k, e in enumerate(entries)
        ]
        best = match.get("best_mean")
        beyond = f" Perfect play has {value_text(best)}." if best is not None else ""
        alt = f"Mean {words.score}, with intervals: {spelled(dots)}{beyond}"
        key = f"Dots with their intervals{'; the dashed line is perfect play' if best is not None else ''}."
        charts.append(
            Chart(
                "means-chart",
                f"Mean {words.score} of each strategy",
                alt,
                interval_chart(dots, f"mean {words.score}", best),
                tables[words.scores],
                key,
            )
        )
    return [*charts, _distribution(match, tables, values)]


def _distribution(match: Document, tables: Mapping[str, Table], values: MatchValues | None) -> Chart:
    histogram, score = match["histogram"], words_of(match).score
    shares = {
        entry: [percent(rounded_rate(count / sum(counts))) or 0.0 for count in counts]
        for entry, counts in histogram["counts"].items()
    }
    table = tables[f"Distribution of the {score}"]
    quartiles = "; ".join(
        f"{e['strategy']}: half of them between {e['score_quantiles']['0.25']} and {e['score_quantiles']['0.75']}, "
        f"median {value_text(e['score_median'])}"
        for e in match["strategies"]
    )
    title, name = (
        f"How the {score}s are spread" if score != "chips" else "How the chips are spread",
        "spread-chart",
    )
    alt = f"Share of the {'chips' if score == 'chips' else 'scores'} in bands. {quartiles}."
    if "bands" in histogram:
        labels = [row[0] for row in table.rows]
        return Chart(name, title, alt, bar_chart(labels, shares, "% of the games", score), table)
    low, width = histogram["low"], histogram["width"]
    edges = [low + width * k for k in range(len(next(iter(shares.values()))) + 1)]
    exact = _exact_shares(match, values, edges)
    key = "Rings are exact shares." if exact else ""
    return Chart(
        name, title, f"{alt}{f' {key}' if key else ''}", step_chart(edges, shares, score, exact), table, key
    )


def _exact_shares(
    match: Document, values: MatchValues | None, edges: Sequence[int]
) -> dict[str, list[float]]:
    laws = {} if values is None else values.strategies
    known = {
        row["strategy"]: laws.get(row["strategy"]) for row in match.get(beside.KEY, {}).get("strategies", [])
    }
    return {
        name: [
            round(100 * float(law.law[max(0, low - law.low) : max(0, high - law.low)].sum()), 4)
            for low, high in pairwise(edges)
        ]
        for name, law in known.items()
        if law is not None
    }


def categories_charts(match: Document, tables: Mapping[str, Table]) -> list[Chart]:
    """Return what each category brings, and how often it is filled with nothing."""
    rows, table = match["categories"], tables["Categories"]
    strategies = list(dict.fromkeys(row["strategy"] for row in rows))
    names = {row["category"]: row["name"] for row in rows}
    cells = {(row["category"], row["strategy"]): row for row in rows}
    labels = _distinct(names)
    charts = []
    for key, name, title, axis, text in (
        ("mean", "category-means-chart", "What each category brings", "mean points", value_text),
        (
            "zero_rate",
            "category-zeros-chart",
            "How often each category is filled with nothing",
            "zeros, %",
            percent_text,
        ),
    ):
        values = {
            strategy: [_cell_value(cells.get((category, strategy)), key) for category in names]
            for strategy in strategies
        }
        peaks = "; ".join(_extremes(strategy, own, labels, text) for strategy, own in values.items())
        charts.append(Chart(name, title, f"{title}. {peaks}.", dot_chart(labels, values, axis), table))
    return charts


def _cell_value(cell: Document | None, key: str) -> float | None:
    if cell is None:
        return None
    value: float | None = cell[key]
    return percent(value) if key.endswith("rate") else value


def _extremes(
    strategy: str, values: Sequence[float | None], labels: Sequence[str], text: Callable[[float | None], str]
) -> str:
    known = [(value, label) for value, label in zip(values, labels, strict=True) if value is not None]
    (high, most), (low, least) = max(known), min(known)
    shown = [value_text(value) if text is value_text else f"{value:.4f} %" for value in (high, low)]
    return f"{strategy}: most in {most}, {shown[0]}, least in {least}, {shown[1]}"


def _distinct(names: Mapping[str, str]) -> list[str]:
    """Return a name for each category, with its id where two have the same name."""
    counted = list(names.values())
    return [f"{name} ({key})" if counted.count(name) > 1 else name for key, name in names.items()]


def chairs_charts(match: Document, tables: Mapping[str, Table]) -> list[Chart]:
    """Return the credit of each seat, and by the order of play."""
    charts = []
    for chairs, title, table in (
        ("seats", "Credit of each seat", "Seats"),
        ("positions", "Credit by the order of play", "Order of play, 0 begins"),
    ):
        key = chairs.removesuffix("s")
        dots = [
            Dot(
                f"{key} {chair[key]}",
                percent(chair["credit_rate"]),
                percents(chair["credit_rate_interval"]),
                f"{percent_text(chair['credit_rate'])} %",
            )
            for chair in match.get(chairs, [])
            if chair["credit_rate"] is not None
        ]
        if not dots:
            continue
        fair = match[chairs][0]["fair_share"]
        alt = f"{title}, with intervals: {spelled(dots)} A fair share is {percent_text(fair)} %."
        spec = interval_chart(dots, "credit, %", percent(fair), (0, 100))
        charts.append(Chart(f"{chairs}-chart", title, alt, spec, tables[table], _fair_key(fair)))
    return charts


def ties_charts(match: Document, tables: Mapping[str, Table]) -> list[Chart]:
    """Return how many rounds roll-offs take, if any took more than one."""
    rounds = match["ties"].get("by_rounds", {})
    if len(rounds) < 2:
        return []
    games = list(rounds.values())
    told = "; ".join(f"round {k} {value_text(count)}" for k, count in rounds.items())
    spec = bar_chart(list(rounds), {"games": games}, "games", "round")
    title = "How many rounds a roll-off takes"
    return [
        Chart(
            "roll-off-chart", title, f"Games that a roll-off decided, by round: {told}.", spec, tables["Ties"]
        )
    ]


def luck_charts(match: Document, tables: Mapping[str, Table]) -> list[Chart]:
    """Return the difference of two strategies as played and with luck taken off."""
    told = match["luck"].get("difference")
    if told is None or told["credit_difference_adjusted"] is None:
        return []
    kinds = (("as played", "credit_difference"), ("luck taken off", "credit_difference_adjusted"))
    dots = [
        Dot(label, percent(told[key]), percents(told[f"{key}_interval"]), f"{percent_text(told[key])} %", k)
        for k, (label, key) in enumerate(kinds)
    ]
    title = f"Credit of {told['first']} less that of {told['second']}"
    return [
        Chart(
            "luck-chart",
            title,
            f"{title}, in percentage points: {spelled(dots)}",
            interval_chart(dots, "percentage points"),
            tables[f"Luck taken off: {told['first']} less {told['second']}"],
            "Dots with their intervals: with luck taken off the same games tell more.",
        )
    ]


def exact_charts(match: Document, tables: Mapping[str, Table]) -> list[Chart]:
    """Return how many standard errors simulated figures lie from exact ones."""
    rows = {
        e["strategy"]: [
            (words, e[f"{key}_z"]) for key, words in _MEASURED.items() if e.get(f"{key}_z") is not None
        ]
        for e in match[beside.KEY]["strategies"]
    }
    rows = {name: own for name, own in rows.items() if own}
    if not rows:
        return []
    apart = [abs(z) for own in rows.values() for _, z in own]
    return [
        Chart(
            "exact-chart",
            "Simulated figures against exact ones",
            f"Standard errors by which simulated figures lie above exact ones: {len(apart)} figures, "
            f"{sum(z > 2 for z in apart)} of them beyond 2, the farthest {value_text(max(apart))}.",
            z_chart(rows, "standard errors from exact"),
            tables["Exact beside simulated"],
            "In the grey band lie about 19 of 20 figures where all is well; those of one strategy hang together.",
        )
    ]
