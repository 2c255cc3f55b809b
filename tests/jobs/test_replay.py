import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from results.store import Run, commit_part


@pytest.mark.parametrize(
    ("ruleset", "lineup"), [("cheerio-bonus", "greedy,par,par"), ("cheerio-web-short", "par")]
)
def test_any_game_is_told_and_agrees_with_what_is_stored(dicecup, ruleset, lineup):
    asked = (
        "-r",
        ruleset,
        "-l",
        lineup,
        "-n",
        300,
        "--seed",
        4,
        "--chunk",
        40,
        "--format",
        "json",
        "--on",
        "here",
    )
    run = dicecup("run", *asked).document["run"]
    rows = pq.read_table(Path(run) / "matches/00/games").to_pylist()
    for number in (0, 1, 2, 121, 299):
        told = dicecup("replay", run, "--game", number)
        assert told.code == 0, told.err
        assert told.err.strip() == "as stored"
        document = dicecup("replay", run, "--game", number, "--format", "json").document
        stored = sorted((row["seat"], row["score"], row["strategy"]) for row in rows if row["game"] == number)
        assert [(k, s["score"], s["strategy"]) for k, s in enumerate(document["seats"])] == stored
        assert f"{stored[0][1]}" in told.out


def test_a_game_that_was_stored_otherwise_is_told(dicecup):
    run = dicecup(
        "run", "-r", "cheerio-web-short", "-l", "greedy,par", "-n", 200, "--seed", 4, "--format", "json"
    )
    opened = Run.open(run.document["run"])
    match = opened.matches[0]
    games = pq.read_table(opened.games_part(match, 0))
    categories = pq.read_table(opened.categories_part(match, 0))
    scores = games["score"].to_pylist()
    scores[0] += 1
    index = games.column_names.index("score")
    changed = games.set_column(index, "score", [scores])
    changed = changed.cast(games.schema)
    commit_part(opened, match, 0, changed, categories, "0" * 16)
    answer = dicecup("replay", opened.path, "--game", 0)
    assert answer.code == 1
    assert f"score of seat 0 is {scores[0] - 1}, {scores[0]} is stored" in answer.err
    assert dicecup("replay", opened.path, "--game", 1).code == 0


@pytest.fixture
def played(dicecup, variant):
    """Play a few games of a variant; returns the folder of the run."""

    def call(name):
        ruleset, lineup = variant(name)
        asked = ("-r", ruleset, "-l", lineup, "-n", 60, "--seed", 4, "--format", "json", "--on", "here")
        return dicecup("run", *asked).document["run"]

    return call


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("overwrite", "margin_without"),
        ("team-take", "robbed"),
        ("speed", "milliseconds"),
        ("team", "turns"),
        ("joker", "jokers"),
    ],
)
def test_what_a_variant_stores_is_compared(dicecup, played, name, column):
    run = played(name)
    opened = Run.open(run)
    (match,) = opened.matches
    games = pq.read_table(opened.games_part(match, 0))
    categories = pq.read_table(opened.categories_part(match, 0))
    values = games[column].to_pylist()
    values[0] += 1
    index = games.column_names.index(column)
    changed = games.set_column(index, column, [values]).cast(games.schema)
    commit_part(opened, match, 0, changed, categories, "0" * 16)
    answer = dicecup("replay", run, "--game", 0, "--format", "json")
    assert answer.code == 1
    assert json.loads(answer.out)["differing"] == [
        f"{column} of seat 0 is {values[0] - 1}, {values[0]} is stored"
    ]


def test_the_document_of_a_variant_has_what_it_adds(dicecup, played):
    def replay(name):
        return dicecup("replay", played(name), "--game", 4, "--format", "json").document

    stolen = replay("team-take")
    robbing = [turn for turn in stolen["turns"] if turn["steal"]]
    assert len(robbing) == sum(seat["steals"] for seat in stolen["seats"]) > 0
    for turn in robbing:
        assert {turn["steal"]["category"], turn["steal"]["forfeited"]} <= set(stolen["seats"][0]["entries"])
    for seat, told in enumerate(stolen["seats"]):
        assert told["side"] == seat % 2
        assert {"margin_without", "credit_without", "robbed", "turns"} <= told.keys()
        assert set(told["entered_by"].values()) <= {told["side"], told["side"] + 2}
    assert "milliseconds" not in stolen["seats"][0]
    timed = replay("speed")
    assert {turn["sand_out"] for turn in timed["turns"]} <= {True, False}
    ends = [turn["ended"] for turn in timed["turns"]]
    assert max(ends) == max(seat["milliseconds"] for seat in timed["seats"])
    assert not {"steal", "extra"} & timed["turns"][0].keys()
    joker = replay("joker")
    assert sum(turn["extra"] for turn in joker["turns"]) == 30 * sum(
        seat["jokers"] for seat in joker["seats"]
    )


def test_requests_that_make_no_sense_are_refused(dicecup, write_strategy):
    words = write_strategy()
    run = dicecup("run", "-r", "cheerio-web-short", "-l", words, "-l", "par", "-n", 200, "--seed", 4, "--format",
                  "json").document["run"]  # fmt: skip
    for asked, told in (
        (("--game", 1), "has matches 0 to 1; say which with --match"),
        (("--game", 200, "--match", 0), "has games 0 to 199"),
        (("--game", 1, "--match", 2), "has no match 2"),
    ):
        answer = dicecup("replay", run, *asked)
        assert answer.code == 2
        assert told in answer.err
    assert dicecup("replay", run, "--game", 5, "--match", 0).code == 0
    write_strategy("key=dice.count", "key=lambda die: (dice.count(die), die)")
    answer = dicecup("replay", run, "--game", 5, "--match", 0)
    assert answer.code == 2
    assert "mine.py:Bold has changed since" in answer.err
    path = Path(run) / "manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps(manifest | {"engine_version": 99}))
    assert "engine version 99" in dicecup("replay", run, "--game", 5, "--match", 1).err
