"""Jobs of Cee-lo through the real commands: what they hold, how they are told, and what they survive."""

import csv
import io
import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from jobs.chunk import play_chunk
from jobs.filling import fill_tables
from jobs.job import Overrides, build_job
from jobs.plan import plan_job
from jobs.reporting import planning_lines
from results.schema import CATEGORIES
from results.store import Run, commit_part
from sim.ceelo.reference import play_game
from sim.ceelo.results import RESULTS, result_of
from sim.ceelo.ruleset import CeeloRuleset
from strategies.deciding import build_bettor
from strategies.games import asking_of

#: A bettor that sees too much to be asked whole, so that it is asked as play goes.
WIDE = '''
import threading
from strategies import Bettor

class Wide(Bettor):
    """Stakes what the purses come to, one way or another."""
    sees = ("chips", "bank", "rounds_left", "streak")
    def stake(self, table):
        assert threading.current_thread() is threading.main_thread()
        return table.nearest((table.chips * 7 + table.bank + table.rounds_left + table.streak) % 20 + 1)
'''


def seated(ruleset, lineup, games=60, chunk=None):
    plan = plan_job(build_job([ruleset], [lineup], Overrides(seed=11, games=games, chunk=chunk)))
    match = plan.matches[0]
    assert isinstance(match.ruleset, CeeloRuleset)
    whole = {label: rows for (label, _), rows in fill_tables(plan, 1, lambda *_: None).items()}
    return match, asking_of(match.ruleset).tables(match.players, match.ruleset, whole)


def slow_rows(plan, chunk):
    """The rows of a chunk and its sums by result, from the slow reference, one game at a time."""
    match, ruleset = plan.match, plan.ruleset
    bettors = {player.label: build_bettor(player, ruleset) for player in plan.players}
    rows = []
    sums: dict[tuple[int, int, str, str], tuple[int, ...]] = {}
    for seating in range(match.seatings):
        labels = [match.lineup[(seat - seating) % match.seats] for seat in range(match.seats)]
        deals = match.chunk_deals_of(chunk)
        games = [play_game(ruleset, [bettors[label] for label in labels], plan.seed, deal) for deal in deals]
        for seat, label in enumerate(labels):
            for deal, game in zip(deals, games, strict=True):
                known = {"deal": deal, "game": deal * match.seatings + seating, "seating": seating, "seat": seat,
                         "side": seat, "strategy": label}  # fmt: skip
                rows.append(vars(game) | vars(game.seats[seat]) | known)
                for result, chips in game.seats[seat].settled:
                    key = (deal // 1000, seat, label, RESULTS[result].id)
                    before = sums.get(key, (0, 0, 0, 0))
                    more = (1, chips, chips * chips, chips == 0)
                    sums[key] = tuple(a + b for a, b in zip(before, more, strict=True))
    return rows, sums


@pytest.mark.parametrize(
    ("ruleset", "lineup"),
    [
        ("ceelo-bank", ["martingale", "bold", "fraction"]),
        ("ceelo-bank-rotate", ["paroli", "paroli"]),
        ("ceelo-bank-timed", ["flat", "protect-lead", "catch-up", "flat"]),
        ("ceelo-pot", ["flat", "bold", "timid"]),
        ("ceelo-pot-outright", ["timid", "flat"]),
    ],
)
def test_a_chunk_holds_the_games_of_the_slow_reference(ruleset, lineup):
    plan, tables = seated(ruleset, lineup, games=24)
    games, results, _ = play_chunk(plan, tables, 0)
    rows, sums = slow_rows(plan, 0)
    assert games.column_names == [column.name for column in plan.match.columns]
    assert games.to_pylist() == [{name: row[name] for name in games.column_names} for row in rows]
    assert results.column_names == [column.name for column in CATEGORIES]
    found = {tuple(list(row.values())[:4]): tuple(list(row.values())[4:]) for row in results.to_pylist()}
    assert found == sums


def test_the_rows_of_this_engine_version_are_known():
    """Raise ENGINE_VERSION with these digests, unless it is a bettor that plays otherwise."""
    known = {}
    for ruleset, lineup in (
        ("ceelo-bank", ["martingale", "fraction"]),
        ("ceelo-pot", ["flat", "bold", "timid"]),
    ):
        for chunk in (900, 337):
            plan, tables = seated(ruleset, lineup, games=1800, chunk=chunk)
            parts = [play_chunk(plan, tables, number)[2] for number in range(plan.match.chunks)]
            known[ruleset, chunk] = f"{sum(parts) % 2**64:016x}"
    assert known == {
        ("ceelo-bank", 900): "31d913f4e3826ffd",
        ("ceelo-bank", 337): "31d913f4e3826ffd",
        ("ceelo-pot", 900): "c3a3976bfcd3dcd8",
        ("ceelo-pot", 337): "c3a3976bfcd3dcd8",
    }


@pytest.fixture
def run_ceelo(dicecup, tmp_path):
    """Plays Cee-lo between a shipped bettor and one of the user's; returns the document of the command."""
    (tmp_path / "mine.py").write_text(WIDE)

    def call(*words, ruleset="ceelo-bank", lineup="martingale,mine.py:Wide", games=600):
        asked = ("-r", ruleset, "-l", lineup, "-n", games, "--seed", 5, "--on", "here", "--format", "json")
        answer = dicecup("run", *asked, *words)
        assert answer.code == 0, answer.err
        return answer.document

    return call


@pytest.mark.parametrize(
    ("ruleset", "lineup", "title"),
    [
        ("ceelo-bank", "martingale,mine.py:Wide,bold", "As banker, by strategy"),
        ("ceelo-pot-outright", "flat,bold,timid,flat", "Rounds with a decider"),
    ],
)
def test_the_same_rows_however_they_are_played(dicecup, run_ceelo, parts, ruleset, lineup, title):
    given = {"ruleset": ruleset, "lineup": lineup}
    told = run_ceelo("--chunk", 60, "--workers", 3, **given)
    whole = parts(Path(told["run"]))
    assert run_ceelo("--chunk", 47, "--workers", 1, "--root", "other", **given)["rows"] == told["rows"]
    (Path(told["run"]) / "matches/00/games/part-00001.parquet").unlink()
    assert dicecup("resume", told["run"], "--on", "here", "--format", "json").document["rows"] == told["rows"]
    assert parts(Path(told["run"])) == whole
    for game in (0, 331, 599):
        answer = dicecup("replay", told["run"], "--game", game)
        assert (answer.code, answer.err) == (0, "as stored\n")
        assert "bold" in answer.out
    assert title in dicecup("summary", told["run"]).out


@pytest.mark.slow
def test_a_run_that_is_killed_is_resumed_to_the_same_bytes(dicecup, run_ceelo, parts):
    words = ("--chunk", "2000", "--lineup", "flat,fraction")
    command = [sys.executable, "-m", "jobs", "run", "-r", "ceelo-bank", "-n", "400k", "--seed", "5", "--on", "here",
               "--no-summary", *words]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 120
    while time.monotonic() < end and len(list(Path("runs").rglob("games/part-*.parquet"))) < 3:
        time.sleep(0.01)
    process.kill()
    _, err = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL, err
    run = next(Path("runs").iterdir())
    assert 3 <= len(list(run.rglob("games/part-*.parquet"))) < 100
    whole = run_ceelo("--chunk", 2000, "--root", "whole", lineup="flat,fraction", games="400k")
    resumed = dicecup("resume", run, "--on", "here", "--format", "json")
    assert resumed.document["rows"] == whole["rows"]
    assert parts(run) == parts(Path(whole["run"]))


@pytest.mark.parametrize(("ruleset", "column"), [("ceelo-bank", "bank_net"), ("ceelo-pot", "tied_2")])
def test_a_game_that_was_stored_otherwise_is_told(dicecup, run_ceelo, ruleset, column):
    run = Run.open(run_ceelo(ruleset=ruleset, lineup="flat,bold", games=40)["run"])
    (match,) = run.matches
    games, results = pq.read_table(run.games_part(match, 0)), pq.read_table(run.categories_part(match, 0))
    values = games[column].to_pylist()
    values[0] += 1
    changed = games.set_column(games.column_names.index(column), column, [values]).cast(games.schema)
    commit_part(run, match, 0, changed, results, "0" * 16)
    answer = dicecup("replay", run.path, "--game", 0, "--format", "json")
    assert answer.code == 1
    differing = f"{column} of seat 0 is {values[0] - 1}, {values[0]} is stored"
    assert json.loads(answer.out)["differing"] == [differing]
    assert dicecup("replay", run.path, "--game", 1).code == 0


def test_the_document_of_a_replay_names_results_and_what_the_rules_bring(dicecup, run_ceelo):
    def replay(ruleset):
        run = run_ceelo(ruleset=ruleset, lineup="flat,bold", games=40)["run"]
        return dicecup("replay", run, "--game", 7, "--format", "json").document

    bank, pot = replay("ceelo-bank"), replay("ceelo-pot")
    assert (bank["ruleset"], bank["game"], bank["stored"], bank["differing"]) == ("ceelo-bank", 7, True, [])
    # In seating 1 the lineup has moved on by one seat.
    assert [seat["strategy"] for seat in bank["seats"]] == ["bold", "flat"]
    known = {result.id for result in RESULTS}
    for document, own, others in ((bank, "covered", "tied_2"), (pot, "tied_2", "covered")):
        told = document["seats"][0] | document
        assert own in told
        assert others not in told
        turns = [turn for played in document["course"] for turn in played["turns"]]
        assert {turn["result"] for turn in turns} <= known
        assert sum(len(turn["throws"]) for turn in turns) <= sum(seat["throws"] for seat in document["seats"])
        assert sum(seat["score"] for seat in document["seats"]) == 200
    # In the pot every result settles a round; a bank that wins or loses at once leaves the others without a result.
    won = [sum(settled["chips"] for settled in seat["settled"]) for seat in pot["seats"]]
    assert won == [seat["score"] - 100 for seat in pot["seats"]]
    assert "banker" in bank["course"][0]
    assert not {"banker", "asked", "next_banker"} & pot["course"][0].keys()


def test_who_plays_another_game_is_a_fault_of_the_job_told_with_the_others(dicecup, tmp_path):
    (tmp_path / "job.toml").write_text(
        'seed = 1\n[[matches]]\nruleset = "cheerio"\nlineup = ["flat", "par"]\n'
        '[[matches]]\nruleset = "ceelo-bank"\nlineup = ["greedy", "par"]\n'
        '[[matches]]\nruleset = "ceelo-pot"\nlineup = ["flat"]\n'
    )
    answer = dicecup("run", "job.toml")
    assert (answer.code, answer.out) == (2, "")
    assert "3 mistakes" in answer.err
    assert (
        "matches.0: flat plays ceelo, and cheerio is a ruleset of cheerio; its strategies are random, greedy, "
        in answer.err
    )
    assert (
        "matches.1: greedy, par play cheerio, and ceelo-bank is a ruleset of ceelo; its strategies are flat, "
        in answer.err
    )
    assert "matches.2: lineup flat has 1 seat; ceelo-pot is for 2, 3, 4, 5, 6 players" in answer.err
    checked = dicecup("strategies", "check", "flat", "--ruleset", "cheerio")
    assert checked.code == 2
    assert "flat plays ceelo, and cheerio is a ruleset of cheerio" in checked.err


def test_a_pot_asks_nobody_and_says_so():
    plan = plan_job(build_job(["ceelo-pot", "ceelo-bank"], [["flat", "bold"]], Overrides(seed=1, games=10)))
    assert planning_lines(plan) == [
        "ceelo-pot has equal antes and asks nobody for stakes: all strategies play alike there"
    ]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "ceelo-bank",
            "Seat 0 holds it first. It passes to the first in throwing order who beats it with 4-5-6",
        ),
        ("ceelo-bank", "the others each stake 1 to 20 chips, all at once"),
        ("ceelo-bank", "pushed with 25/216 and lost with 193/432; the bank's edge is 1/108 (0.9259 %)"),
        ("ceelo-bank", "Rounds: 50. One player with all the chips ends the game sooner."),
        ("ceelo-bank-rotate", "After each round it goes on to the left."),
        ("ceelo-bank-fixed", "It stays there. Who has no chips hands it on to the left."),
        (
            "ceelo-bank-timed",
            "A throw takes 4 s, and no round begins once 30 minutes, the time of 450 throws, are over",
        ),
        ("ceelo-pot", "in each round everyone pays 1 chip; who can't pay sits out"),
        ("ceelo-pot", "after a 4-5-6 the others still throw"),
        (
            "ceelo-pot",
            "Seat 0 throws first, and in each later round the next to the left of those who can pay.",
        ),
        ("ceelo-pot", "three alike, a triple; a pair with another die, whose pips are the point; 1-2-3."),
        ("ceelo-bank", "Anything else is thrown again. A result takes 2 throws on average."),
        ("ceelo-pot-outright", "4-5-6 takes the pot at once, and nobody throws after it, in deciders too"),
    ],
)
def test_a_ruleset_is_told_in_plain_words(dicecup, name, words):
    assert words.lower() in " ".join(dicecup("rulesets", name).out.split()).lower()


def test_one_of_anything_is_told_as_one(dicecup, tmp_path):
    (tmp_path / "short.toml").write_text(
        'extends = "ceelo-bank"\nminutes = 1\nthrow_seconds = 60\nstake = { minimum = 1, maximum = 1 }\n'
    )
    told = dicecup("rulesets", "./short.toml").out
    assert "no round begins once 1 minute, the time of 1 throw, is over" in told
    assert "the others each stake 1 chip, all at once" in told


def test_the_dice_of_each_result_are_told_as_they_are_thrown(dicecup):
    told = list(csv.DictReader(io.StringIO(dicecup("rulesets", "ceelo-pot", "--format", "csv").out)))
    numbers = [sorted(map(int, re.findall(r"\d", row["dice"]))) for row in told]
    for dice, row, place in zip(numbers, told, range(14), strict=True):
        # Three dice are named whole, of a triple one, of a point the die that makes it: any pair goes with it.
        thrown = {1: [*dice] * 3, 3: dice}[len(dice)]
        if row["dice"].startswith("a pair"):
            thrown = [*dice, *[next(face for face in (1, 2) if face not in dice)] * 2]
        assert result_of(thrown) == place
        assert row["result"] == RESULTS[place].name


def test_rulesets_are_listed_with_what_tells_them_apart(dicecup):
    listed = {entry["name"]: entry for entry in dicecup("rulesets", "--format", "json").document}
    assert listed["ceelo-bank"]["categories"] == []
    assert (listed["ceelo-bank"]["bank"], listed["ceelo-bank"]["stake"]["maximum"]) == ("pass", 20)
    assert listed["ceelo-bank-timed"]["minutes"] == 30
    assert (listed["ceelo-pot"]["ante"], listed["ceelo-pot-outright"]["outright"]) == (1, True)
    assert not {"stake", "minutes"} & listed["ceelo-pot"].keys()
    (row,) = [line for line in dicecup("rulesets").out.splitlines() if " ceelo-pot " in line]
    assert [cell.strip() for cell in row.split("│")[3:6]] == ["ceelo", "2,3,4,5,6", "-"]
    rows = csv.DictReader(io.StringIO(dicecup("rulesets", "--format", "csv").out))
    assert {row["name"]: row["categories"] for row in rows if row["game"] == "ceelo"} == dict.fromkeys(
        [name for name in listed if listed[name]["game"] == "ceelo"], ""
    )
    told = dicecup("rulesets", "ceelo-bank", "--format", "csv").out.splitlines()
    assert told[0] == "result,dice,thrown by the bank,chance,chance %"
    assert told[1] == '4-5-6,"a 4, a 5 and a 6",wins all stakes,1/18,5.5556'
    assert told[7] == "1-1-1,three 1s,wins all stakes,1/108,0.9259"
    assert told[8] == "point 6,a pair and a 6,the others throw,5/36,13.8889"
    assert told[14] == '1-2-3,"a 1, a 2 and a 3",loses all stakes,1/18,5.5556'


def test_bettors_are_listed_shown_and_checked(dicecup):
    listed = {entry["name"]: entry for entry in dicecup("strategies", "--format", "json").document}
    assert (listed["flat"]["game"], listed["par"]["game"]) == ("ceelo", "cheerio")
    assert "bets won in a row" in dicecup("strategies", "martingale").out
    assert "its decisions are always the same" in dicecup("strategies", "bold").out
    checked = dicecup("strategies", "check", "martingale", "--format", "json")
    assert checked.code == 0, checked.err
    assert (checked.document["ruleset"], checked.document["problems"]) == ("ceelo-bank", [])
    assert not {"offers", "forfeits"} & checked.document.keys()
    pot = dicecup("strategies", "check", "flat", "--ruleset", "ceelo-pot")
    assert pot.err == "ceelo-pot asks nobody for stakes: flat not tried; try --ruleset ceelo-bank\n"


@pytest.mark.parametrize(
    ("ruleset", "lineup"), [("ceelo-bank", "flat,bold,martingale"), ("ceelo-pot", "flat,bold")]
)
def test_sizes_are_estimated_within_a_factor_of_two(run_ceelo, ruleset, lineup):
    given = {"ruleset": ruleset, "lineup": lineup, "games": "50k"}
    estimated = run_ceelo("--dry-run", **given)["estimated_bytes"]
    stored = sum(path.stat().st_size for path in Path(run_ceelo(**given)["run"]).rglob("*.parquet"))
    assert stored / 2 < estimated < stored * 2
