"""From the document of a balance report to a page: verdicts first, then each measure over the rulesets."""

from collections.abc import Sequence

from results.balance.tables import GROUPS, balance_foot, balance_tables
from results.balance.words import leading_changes
from results.figures import Document
from results.pages.matrix_plots import heat_chart, verdict_chart
from results.pages.page import Chart, Headline, Listing, Page, Section
from results.pages.palette import BANDS
from results.pages.plots import Band, Dot, dot_chart, interval_chart
from results.pages.report_charts import percent, percents, spelled
from results.tables import ABSENT, Heading, Table, percent_text, value_text

#: Series that signs can tell apart in one chart.
_MOST_SERIES = 6
#: Sentences of a conclusion that stand at the top; the section has all.
_LEADING = 2
_JUDGED = ("good", "good or fair", "fair", "fair or poor", "poor", "unsettled")


def balance_page(document: Document, listings: Sequence[Listing] = ()) -> Page:
    """Return the page of a balance report, which holds every table of it; `listings` say how to make it again."""
    rulesets = document["rulesets"]
    left = {table.title: table for table in balance_tables(document)}
    sections = [_conclusions(document, left), *_verdicts(document, left)]
    for group, title in GROUPS.items():
        if title in left:
            table = left.pop(title)
            charts = tuple(
                _measure_chart(document, measure, table)
                for measure in document["measures"]
                if measure["group"] == group and _is_worth_drawing(document, measure)
            )
            sections.append(Section(f"group-{group}", title, charts=charts, tables=(table,)))
    sections += [*_strategies(document, left), *_categories(document, left)]
    definitions = tuple(
        (m["title"], f"{m['definition']} ({m['source']})") for m in document["measures"] if _shown(m)
    )
    left.pop("What the measures are", None)
    if left:
        sections.append(Section("more", "In words", tables=tuple(left.values())))
    lines = tuple(balance_foot(document))
    sections.append(
        Section("method", "Method and definitions", lines, terms=definitions, tables=(_limits(document),))
    )
    again = ("The same command gives the same figures, whatever the number of workers.",)
    if listings:
        sections.append(Section("again", "Make it again", again, listings=tuple(listings)))
    others = len(rulesets) - 1
    beside = "" if not others else f" and {others} {'other' if others == 1 else 'others'}"
    return Page(
        title=f"Balance of {rulesets[0]['title']}{beside}",
        subtitle=(
            f"{document['games']:,} games of {document['players']} players: {', '.join(document['strategies'])}. "
            f"Seed {document['seed']}."
        ),
        lead=tuple(_headline(document, own, f"ruleset-{k}") for k, own in enumerate(rulesets)),
        sections=tuple(
            section for section in sections if section.lines or section.tables or section.sections
        ),
        notices=() if document["complete"] else ("Incomplete: resume the run for the rest.",),
    )


def _headline(document: Document, own: Document, link: str) -> Headline:
    judged = sum(own["verdicts"].get(verdict, 0) for verdict in _JUDGED)
    words = f"measures with a verdict are good under {own['ruleset']}"
    is_base = own["ruleset"] == document["base"]
    lines = own["conclusion"][1 : 1 + _LEADING] or own["conclusion"][:1]
    # What a change of the rules brings is what is asked; the first sentence on the ruleset itself follows.
    sentence = " ".join(lines if is_base else [leading_changes(document, own["ruleset"]), lines[0]])
    return Headline(f"{own['verdicts'].get('good', 0)} of {judged}", words, sentence, link)


def _conclusions(document: Document, left: dict[str, Table]) -> Section:
    each = []
    for number, own in enumerate(document["rulesets"]):
        differs = f"Differs in {', '.join(own['differs'])}." if own["differs"] else ""
        lines = tuple(line for line in (differs, *own["conclusion"]) if line)
        each.append(Section(f"ruleset-{number}", own["title"], lines))
    return Section("rulesets", "What it comes to", tables=_taken(left, "Rulesets"), sections=tuple(each))


def _verdicts(document: Document, left: dict[str, Table]) -> list[Section]:
    tables = _taken(left, "Verdicts")
    if not tables:
        return []
    names = [_short_name(document, own["ruleset"]) for own in document["rulesets"]]
    verdicts = {
        measure["title"]: {
            _short_name(document, value["ruleset"]): value["verdict"] if value["verdict"] in _JUDGED else None
            for value in measure["values"]
        }
        for measure in document["measures"]
    }
    verdicts = {title: own for title, own in verdicts.items() if any(own.values())}
    found = [verdict for own in verdicts.values() for verdict in own.values()]
    counts = ", ".join(f"{found.count(verdict)} {verdict}" for verdict in _JUDGED if verdict in found)
    alt = f"Verdicts on {len(verdicts)} measures under {', '.join(names)}: {counts}."
    key = (
        "Blue is good, orange is poor, grey lies between. G good, F fair, P poor; two where the interval reaches over "
        "both; ? where too little is known."
    )
    chart = Chart(
        "verdicts-chart", "Verdicts at a glance", alt, verdict_chart(names, verdicts), tables[0], key
    )
    return [Section("verdicts", "Verdicts", charts=(chart,), tables=tables)]


def _short_name(document: Document, ruleset: str) -> str:
    """Return what a chart calls a ruleset: one that varies the base is named by what it changes."""
    return ruleset.removeprefix(f"{document['base']} ")


def _shown(measure: Document) -> bool:
    return any(value["value"] is not None for value in measure["values"])


def _is_worth_drawing(document: Document, measure: Document) -> bool:
    """Return whether a chart says more than the table: there are limits to see, or values that differ."""
    values = [value["value"] for value in measure["values"] if value["value"] is not None]
    has_limits = bool(document["thresholds"]["measures"].get(measure["measure"]))
    return bool(values) and (has_limits or len(set(values)) > 1)


def _measure_chart(document: Document, measure: Document, table: Table) -> Chart:
    is_rate = measure["unit"] == "rate"
    dots = [
        Dot(
            _short_name(document, value["ruleset"]),
            percent(value["value"]) if is_rate else value["value"],
            percents(value["interval"]) if is_rate else value["interval"],
            f"{percent_text(value['value'])} %" if is_rate else value_text(value["value"]),
        )
        for value in measure["values"]
    ]
    limits = document["thresholds"]["measures"].get(measure["measure"], {})
    bands = _bands({key: round(value * 100, 4) if is_rate else value for key, value in limits.items()})
    unit = _unit(measure)
    alt = f"{measure['title']}, with intervals: {spelled(dots)}{_limit_words(bands, unit)}"
    spec = interval_chart(dots, unit, bands=bands)
    name = f"{measure['measure'].replace('_', '-')}-chart"
    return Chart(name, measure["title"], alt, spec, table, measure["definition"])


def _bands(limits: dict[str, float]) -> list[Band]:
    """Return where a measure is good, fair and poor."""
    if not limits:
        return []
    least, most = limits.get("good_least"), limits.get("good_most")
    below, above = limits.get("poor_below"), limits.get("poor_above")
    bands = [Band("good", least, most, BANDS[2])]
    if least is not None:
        bands += [Band("fair", below, least, BANDS[1])]
        bands += [] if below is None else [Band("poor", None, below, BANDS[0])]
    if most is not None:
        bands += [Band("fair", most, above, BANDS[1])]
        bands += [] if above is None else [Band("poor", above, None, BANDS[0])]
    return bands


def _limit_words(bands: Sequence[Band], unit: str) -> str:
    told = []
    for band in bands:
        ends = [
            f"from {band.low:g}" if band.low is not None else "",
            f"to {band.high:g}" if band.high is not None else "",
        ]
        told.append(f"{band.name} {' '.join(end for end in ends if end)} {unit}")
    return f" Behind them: {', '.join(told)}." if told else ""


def _strategies(document: Document, left: dict[str, Table]) -> list[Section]:
    found = []
    for number, matrix in enumerate(document["matrix"]):
        tables = _taken(left, f"Strategies under {matrix['ruleset']}")
        names = matrix["strategies"]
        if not tables:
            continue
        cells = {
            (one, other): percent(matrix["credit"][i][j]) or 0.0
            for i, one in enumerate(names)
            for j, other in enumerate(names)
            if i != j and matrix["credit"][i][j] is not None
        }
        (best, worst), most = max(cells.items(), key=lambda item: item[1])
        clearest = f"{best} takes {most:.4f} % of the credit from {worst}"
        alt = f"Matrix of {len(names)} strategies. The clearest pair: {clearest}."
        key = "Blue: the strategy of the row has more than half of the credit; orange: it has less."
        spec = heat_chart(names, cells, "strategy", "against")
        title = f"Credit of each against each under {matrix['ruleset']}, %"
        chart = Chart(f"strategies-{number}-chart", title, alt, spec, tables[0], key)
        found.append(
            Section(f"strategies-{number}", f"Strategies under {matrix['ruleset']}", (), (chart,), tables)
        )
    if len(found) < 2:
        return found
    return [Section("strategies", "Who beats whom", ("Under each ruleset.",), sections=tuple(found))]


def _categories(document: Document, left: dict[str, Table]) -> list[Section]:
    rulesets = [own["ruleset"] for own in document["rulesets"]]
    tables = tuple(table for name in rulesets for table in _taken(left, f"Categories under {name}"))
    if not tables:
        return []
    rows = document["categories"]
    names = {row["category"]: row["name"] for row in rows}
    shown = list(dict.fromkeys(row["ruleset"] for row in rows))[:_MOST_SERIES]
    charts = []
    for key, title, axis in (
        ("mean", "What each category brings", "mean points"),
        ("zero_rate", "How often each category is filled with nothing", "zeros, %"),
        ("worth", "What each category is worth to the best play", "points"),
    ):
        cells = {(row["ruleset"], row["category"]): row[key] for row in rows if row[key] is not None}
        values = {
            ruleset: [
                percent(cells.get((ruleset, category)))
                if key == "zero_rate"
                else cells.get((ruleset, category))
                for category in names
            ]
            for ruleset in shown
        }
        values = {name: own for name, own in values.items() if any(value is not None for value in own)}
        if values:
            first, own = next(iter(values.items()))
            most = max(
                (value, name) for value, name in zip(own, names.values(), strict=True) if value is not None
            )
            alt = f"{title}, under {', '.join(values)}. Under {first} most in {most[1]}, {most[0]:.4f}."
            spec = dot_chart(list(names.values()), values, axis)
            charts.append(Chart(f"category-{key.replace('_', '-')}-chart", title, alt, spec, tables[0]))
    return [Section("categories", "Categories", charts=tuple(charts), tables=tables)]


def _limits(document: Document) -> Table:
    """Return from where on each measure is good or poor, rates in per cent."""
    keys = ("poor_below", "good_least", "good_most", "poor_above")
    rows = []
    for measure in document["measures"]:
        own = document["thresholds"]["measures"].get(measure["measure"])
        if own:
            is_rate = measure["unit"] == "rate"
            cells = (
                f"{own[key] * 100 if is_rate else own[key]:.6g}" if key in own else ABSENT for key in keys
            )
            rows.append((f"{measure['title']}, {_unit(measure)}", *cells))
    heads = (Heading("measure", "words"), *(Heading(key.replace("_", " ")) for key in keys))
    counting = document["thresholds"]["counting"].items()
    counted = "; ".join(f"{key.replace('_', ' ')} {value:g}" for key, value in counting)
    note = f"What counts as something: {counted}. Limits: {document['thresholds']['source']}."
    return Table("Limits of good, fair and poor", heads, tuple(rows), note)


def _unit(measure: Document) -> str:
    return "%" if measure["unit"] == "rate" else str(measure["unit"])


def _taken(left: dict[str, Table], title: str) -> tuple[Table, ...]:
    table = left.pop(title, None)
    return () if table is None else (table,)
