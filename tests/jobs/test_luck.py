"""Jobs that keep the luck of the dice: what they store, and what they leave as it was."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from jobs.job import Overrides, build_job, load_job
from jobs.plan import plan_job
from results.store import Run, commit_part


@pytest.fixture
def asked(tmp_path):
    def call(**luck):
        return build_job(["cheerio-web-short"], [["greedy", "par"]], Overrides(seed=5, games=100, **luck))

    return call


def games_of(run):
    return pq.read_table(Path(run) / "matches/00/games")


def test_luck_is_part_of_a_job_only_where_it_is_asked_for(asked, tmp_path):
    without, kept = asked(), asked(luck=True)
    assert without.digest == asked(luck=False).digest != kept.digest
    assert "luck" not in json.dumps(plan_job(without).manifest)
    assert plan_job(kept).manifest["matches"][0]["luck"] is True
    assert plan_job(kept).matches[0].match.luck
    file = tmp_path / "mine.toml"
    file.write_text(
        'luck = true\nseed = 5\ngames = 100\n[[matches]]\nruleset = "cheerio-web-short"\nlineup = ["greedy", "par"]\n'
    )
    assert load_job(file).digest == kept.digest
    file.write_text(file.read_text().removeprefix("luck = true\n"))
    assert load_job(file).digest == without.digest
    assert load_job(file, Overrides(luck=True)).digest == kept.digest


def test_a_run_that_keeps_luck_has_the_same_games_and_is_resumed_with_it(play, dicecup, parts):
    without, kept = play("--chunk", 3000)["run"], play("--luck", "--chunk", 3000)["run"]
    assert without != kept
    games = games_of(kept)
    assert games.drop_columns("luck").equals(games_of(without))
    before = parts(Path(kept))
    (Path(kept) / "matches/00/games/part-00001.parquet").unlink()
    answer = dicecup("resume", kept, "--format", "json", "--on", "here")
    assert answer.code == 0, answer.err
    assert parts(Path(kept)) == before
    answer = dicecup("summary", kept, "--table", "luck", "--format", "markdown")
    assert "mean adjusted" in answer.out
    assert "greedy less par" in answer.out


@pytest.mark.parametrize("name", ["mixing", "team", "joker"])
def test_a_replay_finds_the_luck_that_is_stored(dicecup, variant, name):
    ruleset, lineup = variant("joker" if name == "mixing" else name)
    lineup = "random,optimal" if name == "mixing" else lineup
    words = ("-r", ruleset, "-l", lineup, "-n", 60, "--seed", 4, "--format", "json", "--on", "here", "--luck")
    run = dicecup("run", *words).document["run"]
    rows = games_of(run).to_pylist()
    for number in range(1, 60, 19):
        answer = dicecup("replay", run, "--game", number, "--format", "json")
        assert answer.code == 0, answer.err
        stored = {row["seat"]: row["luck"] for row in rows if row["game"] == number}
        assert [seat["luck"] for seat in answer.document["seats"]] == [
            stored[seat] for seat in sorted(stored)
        ]
    told = dicecup("replay", run, "--game", 0).out.splitlines()[-1]
    first = next(row["luck"] for row in rows if row["game"] == 0 and row["seat"] == 0)
    assert told.startswith("Luck of the dice, in points: ")
    assert f" {first / 1000:+.3f}" in told


def test_luck_that_was_stored_otherwise_is_told(play, dicecup):
    opened = Run.open(Path(play("--luck", games=100)["run"]))
    match = opened.matches[0]
    games, categories = (
        pq.read_table(part(match, 0)) for part in (opened.games_part, opened.categories_part)
    )
    luck = games["luck"].to_pylist()
    luck[0] += 1
    index = games.column_names.index("luck")
    changed = games.set_column(index, "luck", [luck]).cast(games.schema)
    commit_part(opened, match, 0, changed, categories, "0" * 16)
    answer = dicecup("replay", opened.path, "--game", 0)
    assert answer.code == 1
    assert f"luck of seat 0 is {luck[0] - 1}, {luck[0]} is stored" in answer.err


@pytest.mark.parametrize(
    ("ruleset", "lineup", "reason"),
    [
        ("cheerio-cutthroat", "greedy,par", "steals change a sheet by what rivals throw"),
        ("cheerio-speed", "greedy,par", "time is called by whoever is first"),
        ("ceelo-bank", "flat,bold", "in Cee-lo chips pass from one to another"),
    ],
)
def test_where_no_luck_can_be_kept_it_says_why(dicecup, tmp_path, ruleset, lineup, reason):
    answer = dicecup("run", "-r", ruleset, "-l", lineup, "--luck")
    assert answer.code == 2
    assert f"no luck can be kept under {ruleset}: {reason}" in answer.err
    names = ", ".join(f'"{name}"' for name in lineup.split(","))
    text = f'luck = true\n[[matches]]\nruleset = "{ruleset}"\nlineup = [{names}]\n'
    (tmp_path / "mine.toml").write_text(text)
    answer = dicecup("run", "mine.toml")
    assert answer.code == 2
    assert f"matches.0: no luck can be kept under {ruleset}" in answer.err
