"""The report of a run has every table of its summary, with the same digits, and draws no other figures."""

import itertools
import re
from collections.abc import Callable
from typing import Any

import pytest

from results.exact import CategoryValues, MatchValues, StrategyValues, code_digests, keep_exact
from results.pages import report
from results.pages.html import html_page
from results.pages.page import all_sections
from results.pages.report import report_page
from results.pages.report_overview import conclusions, pair_sections
from results.pages.report_sections import match_sections
from results.store import Run, create_run
from results.summary import summarise_run
from results.summary_tables import match_tables
from tests.results.pages.page_reading import page_charts, read_page, rows_of

Play = Callable[..., Run]
RULES: dict[str, Any] = {"joker": {"points": 100}, "steal": "take"}
MATCHES: dict[str, dict[str, Any]] = {
    "two with luck": {"lineup": ["greedy", "par"], "bonus_points": 35, "luck": True},
    "cutthroat teams": {"lineup": ["a", "b", "c", "b"], "sides": [0, 1, 0, 1], "rules": RULES},
    "mirror": {"lineup": ["par", "par"], "tiebreak": "shared"},
    "solitaire on a clock": {"lineup": ["greedy"], "rules": {"clock": {"timer": 0.0}}},
}


def own_tables(sections):
    return [table for _, section in all_sections(sections) for table in section.tables]


@pytest.mark.parametrize("name", [*MATCHES, "bank", "pot"])
def test_every_table_of_the_summary_is_in_one_section(play: Play, ceelo: Any, name: str) -> None:
    asked = MATCHES.get(name) or {
        "lineup": ["flat", "bold", "flat"],
        **ceelo("none" if name == "pot" else "pass"),
    }
    run = play(deals=40, chunk_deals=40, **asked)
    match = summarise_run(run, run.matches)["matches"][0]
    expected = match_tables(match)
    found = own_tables(match_sections(match, drawn=()))
    assert sorted(table.title for table in found) == sorted(table.title for table in expected)
    assert all(table in found for table in expected)
    assert "more" not in [section.name for section in match_sections(match, drawn=())]


def made_up_values(match: Any) -> MatchValues:
    own = StrategyValues(
        low=10, chances=(0.1, 0.2, 0.3, 0.2, 0.1, 0.1), bonus_rate=0.3, jokers_mean=None, throws_mean=29.5,
        situations=3, categories=(CategoryValues(id="ones", mean=1.9, zero_rate=0.21),),
    )  # fmt: skip
    return MatchValues(
        ruleset=match.ruleset.digest, sources={"par": "s"}, best_mean=14.0, strategies={"par": own},
        not_exact={"greedy": "it can't be evaluated"}, outcome=None, why_no_outcome="",
    )  # fmt: skip


def test_a_page_shows_the_digits_of_the_summary_and_draws_them(play: Play) -> None:
    run = play(deals=60, chunk_deals=25, chunks=[0, 1], **MATCHES["two with luck"])
    keep_exact(run, {0: made_up_values(run.matches[0])}, code_digests(["results/exact.py"]))
    document = summarise_run(run, run.matches)
    match = document["matches"][0]
    page = report_page(run, run.matches)
    text = html_page(page)
    read = read_page(text)
    assert read.problems == []
    assert read.texts("h1") == ["Cheerio (cheerio), greedy, par"]
    again = f"dicecup resume {run.path} plays the rest."
    assert page.notices == (f"Incomplete: 100 of 120 games are played. {again}",)
    assert match["conclusion"] in re.sub(r"\s+", " ", read.of("main")[0]["text"])
    # The cells of all tables, in order of the page, without the bars that a chart draws better.
    shown = [" ".join(cell.split()) for cell in read.texts("td")]
    for table in match_tables(match):
        kept = [k for k, heading in enumerate(table.headings) if heading.kind != "bar"][1:]
        cells = [" ".join(row[k].split()) for row in table.rows for k in kept]
        assert any(shown[k : k + len(cells)] == cells for k in range(len(shown))), table.title
    charts = {chart.name: chart for chart in page_charts(page)}
    assert {e["id"] for e in read.of("figure")} == charts.keys()
    dots = {row["label"]: row for row in rows_of(charts["winning-chart"].spec) if "label" in row}
    for entry in match["strategies"]:
        low, high = (round(bound * 100, 4) for bound in entry["credit_rate_interval"])
        drawn = dots[entry["strategy"]]
        assert (drawn["value"], drawn["low"], drawn["high"]) == (
            round(entry["credit_rate"] * 100, 4),
            low,
            high,
        )
        assert f"{entry['strategy']} {drawn['text']} [{low:.4f}, {high:.4f}]" in charts["winning-chart"].alt
    # Scores are from 10 to 15, a band each, and only par has an exact law.
    rings = [
        (r["series"], r["middle"], r["exact"]) for r in rows_of(charts["spread-chart"].spec) if "exact" in r
    ]
    assert [ring for ring in rings if ring[2] is not None] == [
        ("par", 10.5 + k, share) for k, share in enumerate([10.0, 20.0, 30.0, 20.0, 10.0, 10.0])
    ]
    assert {name for name, _, share in rings if share is None} == {"greedy"}


@pytest.fixture
def pairs(tmp_path: Any, make_manifest: Any, play_chunk: Any) -> Callable[..., Run]:
    """Plays every pair of some strategies under one ruleset."""

    def play_pairs(names: str) -> Run:
        manifest = make_manifest(["greedy", "par"])
        manifest["matches"] = [
            make_manifest(list(pair), deals=12, chunk_deals=12)["matches"][0] | {"number": number}
            for number, pair in enumerate(itertools.combinations(names, 2))
        ]
        run = create_run(tmp_path / names, manifest)
        for match in run.matches:
            play_chunk(run, match, 0)
        return run

    return play_pairs


def test_pairs_become_a_matrix_and_a_ranking(pairs: Any) -> None:
    run = pairs("abcd")
    matches = summarise_run(run, run.matches)["matches"]
    rates = {}
    for match in matches:
        one, two = match["strategies"]
        rates[one["strategy"], two["strategy"]] = one
        rates[two["strategy"], one["strategy"]] = two
    (section,) = pair_sections(matches)
    matrix, ranking = section.charts
    cells = {(row["row"], row["column"]): row["value"] for row in rows_of(matrix.spec)}
    assert cells == {pair: round(100 * entry["credit_rate"], 4) for pair, entry in rates.items()}
    for name, rivals, shown in section.tables[1].rows:
        own = [entry for (first, _), entry in rates.items() if first == name]
        mean = sum(entry["credit_rate"] for entry in own) / 3
        low, high = (sum(entry["credit_rate_interval"][k] for entry in own) / 3 for k in (0, 1))
        assert rivals == "3"
        figures = [float(figure) / 100 for figure in re.findall(r"[\d.]+", shown)]
        assert figures == pytest.approx([mean, low, high], abs=1e-6)
    order = [float(row[2].partition(" ")[0]) for row in section.tables[1].rows]
    assert order == sorted(order, reverse=True)
    assert len([row for row in rows_of(ranking.spec) if "label" in row]) == 4


def test_no_ranking_is_told_where_pairs_are_missing(pairs: Any) -> None:
    run = pairs("abc")
    matches = summarise_run(run, run.matches)["matches"]
    assert pair_sections(matches[:1]) == ()
    (section,) = pair_sections(matches[:2])
    assert [chart.name for chart in section.charts] == ["pairs-matrix"]
    assert len(conclusions(matches).rows) == 3


def test_of_many_matches_less_is_told(pairs: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    run = pairs("abc")
    for drawn, outlined, told in ((1, 3, 3), (1, 2, 3), (1, 1, 2)):
        monkeypatch.setattr(report, "MOST_DRAWN", drawn)
        monkeypatch.setattr(report, "MOST_OUTLINED", outlined)
        monkeypatch.setattr(report, "MOST_TOLD", told)
        page = report_page(run, run.matches)
        each = next(section for section in page.sections if section.name == "matches")
        charts = [chart.name for _, section in all_sections(each.sections) for chart in section.charts]
        if outlined == 3:
            assert charts == [
                f"match-{k}-{name}-chart" for k in range(3) for name in ("winning", "means", "spread")
            ]
        else:
            assert charts == []
        if told == 3:
            assert [section.name for section in each.sections] == ["match-0", "match-1", "match-2"]
            assert all(section.folded and len(own_tables([section])) > 8 for section in each.sections)
        else:
            assert [table.title for table in each.tables] == ["Conclusions"]
        assert "dicecup report RUN --match N" in each.lines[0]
        assert [chart.name for chart in page_charts(page)][:2] == ["pairs-matrix", "pairs-means"]
