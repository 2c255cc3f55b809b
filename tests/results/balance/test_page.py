"""The page of a balance report has every table of it, and draws the limits that give the verdicts."""

import itertools
import random
from typing import Any

import pytest

from results.balance.document import BestPlay, balance_document
from results.balance.page import _bands, balance_page
from results.balance.tables import balance_tables
from results.balance.thresholds import VERDICTS, Limits, load_thresholds
from results.pages.matrix_plots import letters_of
from results.pages.page import all_sections
from results.store import create_run
from tests.results.pages.page_reading import page_charts, rows_of

NAMES = ("greedy", "nets", "par")


@pytest.fixture
def document(tmp_path: Any, make_manifest: Any, play_chunk: Any) -> Any:
    """A small balance run of two rulesets, told."""
    lineups = [(name, name) for name in NAMES] + list(itertools.combinations(NAMES, 2))
    matches: list[dict[str, Any]] = []
    for name, points in (("plain", 0), ("plain bonus.points=35", 35)):
        label = {"name": name, "title": name.title(), "digest": name, "game": "cheerio",
                 "rules": {"bonus": {"points": points}}}  # fmt: skip
        for lineup in lineups:
            manifest = make_manifest(
                list(lineup), deals=40, chunk_deals=40, ruleset=label, bonus_points=points
            )
            matches.append(manifest["matches"][0] | {"number": len(matches)})
    run = create_run(tmp_path / "run", {**manifest, "matches": matches})
    for match in run.matches:
        play_chunk(run, match, 0)
    best = {match.ruleset.name: BestPlay(15.0, {"ones": 2.0, "full_house": 3.0}, "") for match in run.matches}
    return balance_document(run, 0.95, load_thresholds(None), best)


@pytest.mark.slow
def test_a_page_has_every_table_and_chart_of_a_balance_report(document: Any) -> None:
    page = balance_page(document)
    found = [table for _, section in all_sections(page.sections) for table in section.tables]
    titles = [table.title for table in balance_tables(document)]
    assert {table.title for table in found} == (
        {*titles, "Limits of good, fair and poor"} - {"What the measures are"}
    )
    names = [section.name for _, section in all_sections(page.sections)]
    names += [chart.name for chart in page_charts(page)]
    assert len(set(names)) == len(names)
    assert {headline.link for headline in page.lead} <= set(names)
    assert page.lead[1].sentence.startswith("No measure is shown to differ from plain. ")
    terms = dict(page.sections[-1].terms)
    assert [
        m["title"] for m in document["measures"] if any(v["value"] is not None for v in m["values"])
    ] == list(terms)
    assert all(m["definition"] in terms[m["title"]] for m in document["measures"] if m["title"] in terms)
    charts = {chart.name: chart for chart in page_charts(page)}
    assert {"verdicts-chart", "tie-rate-chart", "strategies-0-chart", "category-mean-chart"} <= charts.keys()
    tie_rate = next(measure for measure in document["measures"] if measure["measure"] == "tie_rate")
    dots = [row for row in rows_of(charts["tie-rate-chart"].spec) if "text" in row]
    drawn = {row["label"]: (row["value"], row["low"], row["high"]) for row in dots}
    assert drawn == {
        value["ruleset"].removeprefix("plain "): tuple(
            round(100 * figure, 4) for figure in (value["value"], *value["interval"])
        )
        for value in tie_rate["values"]
    }


@pytest.mark.slow
def test_what_changes_most_clearly_is_read_first(document: Any) -> None:
    measures = {measure["measure"]: measure["values"][1] for measure in document["measures"]}
    for key, difference, told in (
        ("margin", 40.0, "40 points more"),
        ("tie_rate", -0.1, "10 percentage points less"),
    ):
        measures[key] |= {
            "changed": True,
            "difference": difference,
            "difference_interval": [difference - 0.05, difference + 0.05],
            "difference_words": f"{told} than under plain",
        }
    base, varied = balance_page(document).lead
    assert "plain" not in base.sentence
    # The margin has no verdict, so it comes after what has one, though it is shown more clearly.
    start = "Against plain: ties for the top 10 percentage points less; margin 40 points more. "
    assert varied.sentence.startswith(start)
    assert varied.sentence.removeprefix(start) == document["rulesets"][1]["conclusion"][1]


def test_bands_are_where_the_verdicts_are() -> None:
    rng = random.Random(5)
    for _ in range(200):
        below, least, most, above = sorted(rng.sample(range(100), 4))
        limits = rng.choice([
            {"good_least": least}, {"good_most": most}, {"good_least": least, "good_most": most},
            {"poor_below": below, "good_least": least}, {"good_most": most, "poor_above": above},
            {"poor_below": below, "good_least": least, "good_most": most, "poor_above": above},
        ])  # fmt: skip
        bands = _bands({key: float(value) for key, value in limits.items()})
        for value in [rng.random() * 100 for _ in range(10)]:
            behind = [
                band.name
                for band in bands
                if (band.low is None or band.low < value) and (band.high is None or value < band.high)
            ]
            assert behind == [Limits(**limits).verdict((value, value))]


def test_every_verdict_has_letters_of_its_own() -> None:
    judged = [verdict for verdict in VERDICTS if verdict != "as it is"]
    assert [letters_of(verdict) for verdict in judged] == ["G", "G/F", "F", "F/P", "P", "?"]
