"""The command dicecup balance, on few games, held against what the other commands say of the same matches."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

import pytest

from jobs.errors import RunInterrupted
from jobs.worths import best_plays
from jobs.yardstick import best_mean
from sim.ruleset import load_ruleset

SHORT = (
    "balance", "-r", "cheerio-web-short", "--vary", "throws=2,3", "-s", "greedy,par", "-n", 400, "--seed", 5,
    "--on", "here",
)  # fmt: skip
VARIED = "cheerio-web-short throws=2"


@pytest.fixture
def told(dicecup):
    answer = dicecup(*SHORT, "--format", "json")
    assert answer.code == 0, answer.err
    rulesets = f"2 rulesets (cheerio-web-short, {VARIED})"
    assert f"{rulesets} with 2 strategies (greedy, par) and 2 players: 6 matches, 1,600 games" in answer.err
    return answer.document


def test_every_ruleset_is_played_and_told(dicecup, told):
    assert [own["ruleset"] for own in told["rulesets"]] == [told["base"], VARIED]
    assert [own["differs"] for own in told["rulesets"]] == [[], ["throws: 3 -> 2"]]
    assert (told["deals"], told["games"], told["players"]) == (200, 1600, 2)
    summed = dicecup("summary", told["run"], "--format", "json").document["matches"]
    for place, matrix in enumerate(told["matrix"]):
        _, _, pair = summed[3 * place : 3 * place + 3]
        assert pair["lineup"] == matrix["strategies"] == ["greedy", "par"]
        credit = [strategy["credit_rate"] for strategy in pair["strategies"]]
        assert matrix["credit"][0][1] == pytest.approx(credit[0], abs=2e-6)
        assert matrix["credit"][1][0] == pytest.approx(credit[1], abs=2e-6)
        equals = summed[3 * place + ["greedy", "par"].index(told["reference"])]
        ties = next(measure for measure in told["measures"] if measure["measure"] == "tie_rate")
        assert ties["values"][place]["value"] == pytest.approx(equals["ties"]["rate"], abs=2e-6)
    # What is best is solved for every ruleset, also for one that has no file.
    worths = best_plays([load_ruleset("cheerio-web-short")])["cheerio-web-short"].worths
    shown = {row["category"]: row["worth"] for row in told["categories"] if row["ruleset"] == told["base"]}
    assert shown == pytest.approx(dict(worths), abs=1e-4)
    assert told["rulesets"][0]["best_mean"] == pytest.approx(
        best_mean(load_ruleset("cheerio-web-short")), abs=1e-4
    )
    assert told["rulesets"][1]["best_mean"] < told["rulesets"][0]["best_mean"]


def test_all_formats_tell_the_same_of_a_run_that_is_not_played_again(dicecup, told):
    ties = next(measure for measure in told["measures"] if measure["measure"] == "tie_rate")
    value = ties["values"][1]
    low, high = value["interval"]
    cell = f"{value['value'] * 100:.4f} [{low * 100:.4f}, {high * 100:.4f}]"
    Path("mine.toml").write_text("[tie_rate]\ngood_most = 1.0\n")
    drawn = dicecup(*SHORT, "--thresholds", "mine.toml")
    assert "nothing is played" in drawn.err
    assert drawn.out.startswith("cheerio-web-short (")
    assert cell in next(
        line for line in drawn.out.splitlines() if "│ Ties for the top, %" in line and VARIED in line
    )
    marked = dicecup(*SHORT, "--format", "markdown", "-q")
    assert marked.err == ""
    assert marked.out.startswith("## cheerio-web-short (")
    assert f"\n- {told['rulesets'][1]['conclusion'][0]}\n" in marked.out
    rows = list(csv.DictReader(io.StringIO(dicecup(*SHORT, "--format", "csv", "-q").out)))
    (row,) = (row for row in rows if (row["measure"], row["ruleset"]) == ("tie_rate", VARIED))
    assert [float(row[key]) for key in ("value", "low", "high")] == [value["value"], low, high]


def test_a_run_of_varied_rulesets_is_resumed_from_its_folder(dicecup, told, parts):
    run = Path(told["run"])
    before = parts(run)
    for part in run.glob("matches/0[345]/games/part-*.parquet"):
        part.unlink()
    assert dicecup("resume", run, "--on", "here", "--no-summary").code == 0
    assert parts(run) == before
    assert "nothing is played" in dicecup(*SHORT).err


@pytest.mark.slow
def test_the_page_is_there_when_nobody_reads_the_answer_to_its_end(dicecup, monkeypatch, told):
    monkeypatch.setattr("jobs.balance_command.print_balance", lambda document, form: sys.exit(141))
    assert dicecup(*SHORT, "-o", "page.html").code == 141
    assert Path("page.html").read_text().startswith("<!DOCTYPE html>")


def test_limits_are_read_before_anything_is_played(dicecup):
    Path("mine.toml").write_text("[tie_rate]\ngood_mots = 0.1\n")
    answer = dicecup(*SHORT, "--thresholds", "mine.toml")
    assert (answer.code, answer.out) == (2, "")
    assert "unknown key 'good_mots' (did you mean good_most?)" in answer.err
    assert not Path("runs").exists()


def test_a_run_that_is_interrupted_is_gone_on_with_by_its_seed(dicecup, monkeypatch):
    def interrupted(plan, folder, means):
        folder.mkdir(parents=True)
        raise RunInterrupted("interrupted")

    monkeypatch.setattr("jobs.playing.complete_run", interrupted)
    answer = dicecup(*SHORT)
    assert (answer.code, answer.out) == (130, "")
    assert "give dicecup balance as before with --seed 5" in answer.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "Missing option '--ruleset'"),
        (("-r", "cheerio", "-s", "greedy,,par"), "--strategies greedy,,par leaves one empty"),
        (("-r", "cheerio", "--vary", "points=3"), "--vary points=3: unknown key (did you mean bonus.points?)"),
        (("-r", "cheerio", "-r", "ceelo-bank"), "give rulesets of one game"),
        (("-r", "cheerio-speed", "--luck"), "no luck can be kept under cheerio-speed"),
    ],
)  # fmt: skip
def test_mistakes_are_told_in_words(dicecup, words, told):
    answer = dicecup("balance", *words)
    assert (answer.code, answer.out) == (2, "")
    assert told in answer.err
    assert answer.err.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("cheerio-cutthroat", "with steals the best play hangs on the rivals"),
        ("cheerio-speed", "with a clock the best play hangs on the rivals"),
        ("ceelo-bank", "there is no scoresheet to fill"),
    ],
)
def test_where_perfect_play_is_not_known_the_reason_is_told(name, why):
    found = best_plays([load_ruleset(name)])[name]
    assert (found.mean, dict(found.worths), found.why_none) == (None, {}, why)
