"""What a page tells of one match: a section for each subject, with its charts before its tables."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from results import beside, luck
from results.exact import MatchValues
from results.figures import Document
from results.page import Chart, Section
from results.plots import Dot, bar_chart, dot_chart, interval_chart, step_chart, z_chart
from results.summary_tables import match_tables
from results.tables import Table, percent_text, rounded_rate, value_text
from results.variants import VARIANTS
from results.words import words_of

_VARIANT_TITLES = {
    "steals": "Steals",
    "clock": "The clock",
    "jokers": "Jokers",
    "purse": "Purses, bets and length",
    "bank": "The bank",
    "pot": "The pot",
    "results": "Results of the dice",
    "luck": "Luck",
}
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


def match_sections(
    match: Document, values: MatchValues | None = None, prefix: str = "", charts: Sequence[str] | None = None
) -> tuple[Section, ...]:
    """Return the sections of a match that has games, which hold every table of its summary.

    Their names begin with the prefix. With `charts` only the sections named have charts. Exact values, where there are
    any, are drawn over the scores.
    """
    tables = match_tables(match)
    by_title = {table.title: table for table in tables}
    exact = beside.tables(match) if beside.KEY in match else []
    of_variants = {v.KEY: v.tables(match) for v in VARIANTS if v.KEY in match}
    taken = [*exact, *(table for own in of_variants.values() for table in own)]
    left = [table for table in tables if table not in taken]
    score = words_of(match).score
    named: list[tuple[str, str, tuple[str, ...], Callable[[], list[Chart]]]] = [
        ("winning", "Who wins", ("Winning",), lambda: _winning(match, by_title)),
        (
            "scores",
            words_of(match).scores,
            (words_of(match).scores, f"Quantiles of the {score}", f"Distribution of the {score}"),
            lambda: _scores(match, by_title, values),
        ),
        ("categories", "Categories", ("Categories",), lambda: _categories(match, by_title)),
        (
            "seats",
            "Seats and order of play",
            ("Seats", "Order of play, 0 begins"),
            lambda: _chairs(match, by_title),
        ),
        ("ties", "Ties", ("Ties",), lambda: _ties(match, by_title)),
        ("course", "Course of the games", ("Course of the games",), list),
    ]
    sections = []
    for name, title, titles, draw in named:
        own = tuple(table for table in left if table.title in titles)
        left = [table for table in left if table not in own]
        if own:
            sections.append(_section(prefix, name, title, draw if _drawn(name, charts) else list, own))
    for key, own_tables in of_variants.items():
        draw = _luck_drawn(match) if key == luck.KEY else list
        title = _VARIANT_TITLES.get(key, key.capitalize())
        sections.append(
            _section(prefix, key, title, draw if _drawn(key, charts) else list, tuple(own_tables))
        )
    if left:
        sections.append(Section(f"{prefix}more", "More", tables=tuple(left)))
    if exact:
        draw = _exact_drawn(match, exact[0])
        sections.append(
            _section(
                prefix,
                "exact",
                "Exact beside simulated",
                draw if _drawn("exact", charts) else list,
                tuple(exact),
            )
        )
    return tuple(sections)


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


def _drawn(name: str, charts: Sequence[str] | None) -> bool:
    return charts is None or name in charts


def _section(
    prefix: str, name: str, title: str, draw: Callable[[], list[Chart]], tables: tuple[Table, ...]
) -> Section:
    charts = tuple(
        Chart(f"{prefix}{chart.name}", chart.title, chart.alt, chart.spec, chart.table, chart.key)
        for chart in draw()
    )
    return Section(f"{prefix}{name}", title, charts=charts, tables=tables)


def _series(match: Document) -> dict[str, int]:
    """Return the colour of each entry, the same in all charts of the match."""
    return {entry["strategy"]: k for k, entry in enumerate(match["strategies"])}


def _winning(match: Document, tables: Mapping[str, Table]) -> list[Chart]:
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


def _scores(match: Document, tables: Mapping[str, Table], values: MatchValues | None) -> list[Chart]:
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


def _categories(match: Document, tables: Mapping[str, Table]) -> list[Chart]:
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


def _chairs(match: Document, tables: Mapping[str, Table]) -> list[Chart]:
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


def _ties(match: Document, tables: Mapping[str, Table]) -> list[Chart]:
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


def _luck_drawn(match: Document) -> Callable[[], list[Chart]]:
    def draw() -> list[Chart]:
        told = match["luck"].get("difference")
        if told is None or told["credit_difference_adjusted"] is None:
            return []
        dots = [
            Dot(
                label,
                percent(told[key]),
                percents(told[f"{key}_interval"]),
                f"{percent_text(told[key])} %",
                k,
            )
            for k, (label, key) in enumerate(
                (("as played", "credit_difference"), ("luck taken off", "credit_difference_adjusted"))
            )
        ]
        table = next(table for table in luck.tables(match) if table.title.startswith("Luck taken off"))
        title = f"Credit of {told['first']} less that of {told['second']}"
        alt = f"{title}, in percentage points: {spelled(dots)}"
        key = "Dots with their intervals: with luck taken off the same games tell more."
        return [Chart("luck-chart", title, alt, interval_chart(dots, "percentage points"), table, key)]

    return draw


def _exact_drawn(match: Document, table: Table) -> Callable[[], list[Chart]]:
    def draw() -> list[Chart]:
        rows = {
            e["strategy"]: [
                (words, e[f"{key}_z"]) for key, words in _MEASURED.items() if e.get(f"{key}_z") is not None
            ]
            for e in match[beside.KEY]["strategies"]
        }
        rows = {name: own for name, own in rows.items() if own}
        if not rows:
            return []
        total = [abs(z) for own in rows.values() for _, z in own]
        beyond = sum(z > 2 for z in total)
        alt = (
            f"Standard errors by which simulated figures lie above exact ones: {len(total)} figures, {beyond} of them "
            f"beyond 2, the farthest {value_text(max(total))}."
        )
        key = "In the grey band lie about 19 of 20 figures where all is well; those of one strategy hang together."
        title = "Simulated figures against exact ones"
        return [Chart("exact-chart", title, alt, z_chart(rows, "standard errors from exact"), table, key)]

    return draw
