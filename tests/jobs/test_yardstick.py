"""The best mean of a ruleset: kept between runs, noted in a run's manifest, shown by its summary."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jobs.job import Overrides, build_job
from jobs.notes import noted_manifest
from jobs.plan import plan_job
from jobs.yardstick import best_mean
from sim.cheerio_ruleset import load_cheerio
from sim.ruleset import load_ruleset
from strategies import valuation
from tests.strategies.slow_play import small


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DICECUP_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_ruleset_is_solved_once(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short = load_ruleset("cheerio-web-short")
    found = best_mean(short)
    assert found == round(valuation.build_valuation(short).start, 9)
    monkeypatch.setattr(valuation, "build_valuation", None)
    assert best_mean(short) == found
    assert best_mean(load_ruleset("cheerio-web-short")) == found


@pytest.mark.parametrize("content", ["", "{", "[]", '{"best_mean": "much"}', '{"best_mean": null}'])
def test_what_is_kept_badly_is_solved_again(own_cache: Path, content: str) -> None:
    short = load_ruleset("cheerio-web-short")
    found = best_mean(short)
    (kept,) = own_cache.rglob("*.json")
    kept.write_text(content, encoding="utf-8")
    assert best_mean(short) == found
    assert json.loads(kept.read_text(encoding="utf-8"))["best_mean"] == found


def test_a_cache_that_cannot_be_written_is_done_without(own_cache: Path) -> None:
    own_cache.write_text("no folder", encoding="utf-8")
    assert best_mean(load_ruleset("cheerio-web-short")) is not None


@pytest.mark.parametrize(
    "name", ["ceelo-bank", "cheerio-cutthroat", "cheerio-cutthroat-take", "cheerio-speed"]
)
def test_sheets_that_do_not_stand_alone_have_no_best_mean(name: str) -> None:
    assert best_mean(load_ruleset(name)) is None


def test_rulesets_of_too_many_sheets_are_not_solved_for_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    for parent in ("cheerio-bonus", "yahtzee", "yahtzee-plain", "cheerio"):
        keys = [
            key for key in ("ones", "aces", "cheerio", "yahtzee") if key in load_cheerio(parent).categories
        ]
        ruleset = small(parent, *keys)
        sheets = valuation.build_valuation(ruleset).values.size
        for most in (sheets - 1, sheets):
            monkeypatch.setattr("jobs.yardstick.MOST_SHEETS", most)
            assert (best_mean(ruleset) is None) == (most < sheets)


def test_the_manifest_notes_it_where_it_is_known(tmp_path: Path) -> None:
    lineups = [["greedy", "greedy"], ["flat", "flat"]]
    for ruleset, lineup in zip(("cheerio-web-short", "ceelo-bank"), lineups, strict=True):
        plan = plan_job(build_job([ruleset], [lineup], Overrides(seed=1, games=10)))
        (match,) = noted_manifest(plan, tmp_path)["matches"]
        assert match.get("best_mean") == best_mean(plan.matches[0].ruleset)
        assert "best_mean" not in plan.manifest["matches"][0]
