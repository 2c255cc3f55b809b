"""The command dicecup tips, on few games, held against what the other commands say of the same matches."""

from __future__ import annotations

import csv
import io

import pytest

from jobs.errors import RunInterrupted
from jobs.tips import verdict_of
from jobs.tips_tables import tips_tables
from results.tables import print_tables

SHORT = ("tips", "--ruleset", "cheerio-web-short", "--games", 300, "--seed", 5, "--on", "here")
KEYS = [
    "tip", "words", "base", "ruleset", "games", "deals", "points_difference", "points_interval",
    "credit_difference", "credit_interval", "exact_points_difference", "exact_credit_difference",
    "exact_win_rate", "why_not_exact", "verdict",
]  # fmt: skip


def test_what_a_tip_is_worth_is_told_in_every_format(dicecup):
    words = (*SHORT, "--tip", "tip-low:poor=2", "--tip", "tip-rival", "--base", "par")
    answer = dicecup(*words, "--format", "json")
    assert answer.code == 0, answer.err
    told = answer.document
    low, rival = told["tips"]
    assert list(low) == list(rival) == KEYS
    assert [low["tip"], rival["tip"]] == ["tip-low:poor=2", "tip-rival"]
    assert low["words"] == "a poor roll goes into Ones or Twos"
    assert low["games"] == 300
    assert low["deals"] == 150
    assert rival["exact_win_rate"] is None
    assert "sees standing, rival_open" in rival["why_not_exact"]

    # The differences are those of the summary's means, and lie within their intervals.
    summed = dicecup("summary", told["run"], "--format", "json").document["matches"]
    for tip, match in zip(told["tips"], summed, strict=True):
        advised, base = match["strategies"]
        assert match["lineup"] == [f"{tip['tip']}:base=par", "par"]
        for key, figure, digits in (("points", "score_mean", 2e-4), ("credit", "credit_rate", 2e-6)):
            difference = tip[f"{key}_difference"]
            assert difference == pytest.approx(advised[figure] - base[figure], abs=digits)
            assert tip[f"{key}_interval"][0] <= difference <= tip[f"{key}_interval"][1]

    exact = dicecup(
        "exact", "-r", "cheerio-web-short", "-l", "tip-low:poor=2:base=par,par", "--format", "json"
    ).document
    advised, base = (entry["score_mean"] for entry in exact["strategies"])
    assert low["exact_points_difference"] == pytest.approx(advised - base, abs=2e-4)
    assert low["exact_win_rate"] == pytest.approx(exact["win_rates"][0], abs=2e-6)
    assert low["why_not_exact"] is None

    # All games are there: what follows plays nothing and says the same.
    drawn = dicecup(*words)
    assert "nothing is played" in drawn.err
    assert "Tips under cheerio-web-short, 300 games each" in drawn.out
    assert "Not exact: tip-rival; it sees standing, rival_open" in " ".join(drawn.out.split())
    played, exact, advice = (line for line in drawn.out.splitlines() if "│ tip-low" in line)
    assert f"{low['points_difference']:.4f} [{low['points_interval'][0]:.4f}, " in played
    assert f"{low['credit_difference'] * 100:.4f} [{low['credit_interval'][0] * 100:.4f}, " in played
    for figure in (
        low["exact_points_difference"],
        *(low[f"exact_{key}"] * 100 for key in ("credit_difference", "win_rate")),
    ):
        assert f" {figure:.4f} " in exact
    assert low["words"] in advice
    rows = list(csv.DictReader(io.StringIO(dicecup(*words, "--format", "csv", "-q").out)))
    assert [row["verdict"] for row in rows] == [tip["verdict"] for tip in told["tips"]]
    assert float(rows[0]["credit_low"]) == low["credit_interval"][0]
    assert rows[1]["exact_win_rate"] == ""
    marked = dicecup(*words, "--format", "markdown", "-q").out
    assert "| tip-rival | ahead of a rival" in marked
    assert "## Exactly, under cheerio-web-short" in marked


def _told(reason="", tip="tip-commit", base="lookahead"):
    known = None if reason else -0.187768
    return {
        "tip": tip, "words": "with a pair, chase dice alike and nothing else", "base": base, "ruleset": "any",
        "games": 50_000, "points_difference": -12.2925, "points_interval": [-13.9732, -10.6118],
        "credit_difference": -0.187, "credit_interval": [-0.22078, -0.15322], "exact_points_difference": known,
        "exact_credit_difference": known, "exact_win_rate": known, "why_not_exact": reason or None,
        "verdict": "no difference seen",
    }  # fmt: skip


def test_a_reason_is_told_once_for_all_tips_that_it_holds_for():
    watching = [f"tip-rival:base={base} sees standing" for base in ("par", "lookahead")]
    tips = [_told(), *(_told(reason, "tip-rival", reason[15:].split()[0]) for reason in watching)]
    played, exact, _ = tips_tables({"tips": tips, "level": 0.95})
    assert (len(played.rows), len(exact.rows)) == (3, 1)
    assert exact.note == "Not exact: tip-rival; it sees standing."
    # Where nothing is known exactly there is one table less.
    stolen = [_told("any has steals", tip) for tip in ("tip-low", "tip-nets")]
    played, advice = tips_tables({"tips": stolen, "level": 0.95})
    assert played.note.endswith(
        "by the interval of the credit. Not exact: tip-low, tip-nets; any has steals."
    )
    assert len(advice.rows) == 2


def test_the_widest_shipped_tip_fits_a_page():
    page = io.StringIO()
    print_tables(tips_tables({"tips": [_told(), _told("it", "tip-rival")], "level": 0.95}), page)
    assert max(map(len, page.getvalue().splitlines())) <= 116


@pytest.mark.parametrize("begun", [True, False])
def test_a_run_that_is_interrupted_is_gone_on_with_by_its_seed(dicecup, monkeypatch, begun):
    def interrupted(plan, folder, means):
        if begun:
            folder.mkdir(parents=True)
        raise RunInterrupted("interrupted")

    monkeypatch.setattr("jobs.playing.complete_run", interrupted)
    answer = dicecup(*SHORT, "--tip", "tip-low", "--base", "par")
    assert (answer.code, answer.out) == (130, "")
    assert ("give dicecup tips as before with --seed 5" in answer.err) == begun


def test_all_tips_with_both_bases_are_the_usual(dicecup):
    told = dicecup(
        "tips", "-r", "cheerio-web-short", "-n", 2, "--seed", 1, "--on", "here", "--format", "json"
    )
    pairs = [(tip["tip"], tip["base"]) for tip in told.document["tips"]]
    assert pairs == [
        (f"tip-{tip}", base)
        for tip in ("low", "bonus", "nets", "commit", "rival")
        for base in ("par", "lookahead")
    ]
    # Without a bonus, and without Chance and the like, these have nothing to say.
    for tip in told.document["tips"]:
        if tip["tip"] in ("tip-bonus", "tip-nets"):
            assert tip["exact_points_difference"] == tip["points_difference"] == 0
            assert tip["exact_credit_difference"] == tip["credit_difference"] == 0
            assert tip["verdict"] == "no difference seen"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ["--tip", "tip-lows"],
            "no tip is named 'tip-lows' (did you mean tip-low?); allowed: tip-low, tip-bonus",
        ),
        (["--tip", "nets"], "no tip is named 'nets' (did you mean tip-nets?)"),
        (
            ["--base", "lokahead"],
            "no base is named 'lokahead' (did you mean lookahead?); allowed: par, lookahead",
        ),
        (["--tip", "tip-nets:prize=3", "--base", "par"], "did you mean price=...?"),
        (["--ruleset", "cheerio-bonsu"], "did you mean cheerio-bonus"),
        (["--ruleset", "cheerio-team"], "cheerio-team is for 4, 6 players; a tip plays against its base"),
        (["--ruleset", "ceelo-bank"], "ceelo-bank is a ruleset of ceelo; the tips are for scoresheets"),
    ],
)
def test_mistakes_are_told_in_words(dicecup, words, told):
    answer = dicecup("tips", *words)
    assert answer.code == 2
    assert told in answer.err
    assert answer.err.count("\n") == 1
    assert answer.out == ""


@pytest.mark.parametrize(
    ("interval", "exact", "verdict"),
    [
        ((0.001, 0.003), None, "helps"),
        ((-0.003, -0.001), None, "hurts"),
        ((-0.001, 0.003), None, "no difference seen"),
        (None, None, "no difference seen"),
        # What is known exactly goes before what was played.
        ((-0.001, 0.003), -0.0001, "hurts"),
        ((-0.003, -0.001), 0.0001, "helps"),
        ((0.001, 0.003), 0.0, "no difference seen"),
    ],
)
def test_a_verdict_is_that_of_the_credit(interval, exact, verdict):
    assert verdict_of(interval, exact) == verdict
