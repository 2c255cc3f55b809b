"""Runs that are played until something is known: where they stop, and that nothing but the job decides it."""

import json
import math
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from jobs.filling import fill_tables
from jobs.job import Overrides, build_job
from jobs.plan import plan_job
from jobs.until import Remaining
from results.lock import holders
from results.scan import game_arrays
from results.store import Run
from results.until.questions import Differences, Question, answer_of
from results.until.stops import looks
from sim.game import kernel_of
from strategies import games as playing

ASKED = "par - greedy: +-2%"


@pytest.fixture
def ask(play):
    """Play the short game in chunks of 1,000 deals until questions are answered."""

    def call(*questions, games="100k", **more):
        words = [word for question in questions or (ASKED,) for word in ("--until", question)]
        root = more.pop("root", "runs")
        return play(*words, "--chunk", 1000, "--root", root, *more.pop("words", ()), games=games, **more)

    return call


def all_files(run):
    return {
        str(path.relative_to(run)): path.read_bytes()
        for path in sorted(Path(run).rglob("*"))
        if path.is_file() and "derived" not in path.parts
    }


def first_stop(path, most_deals):
    """Where the run should stop, by plain sums over all its deals and the formula as it is printed in the paper."""
    run = Run.open(path)
    match = run.matches[0]
    chunks = [game_arrays(run, match, chunk, ["credit"])["credit"] for chunk in range(match.chunks)]
    credit = np.concatenate(chunks, axis=2).astype(float) / 60
    # The lineup is greedy, par; in the second seating they change seats.
    deals = (credit[0, 1] - credit[0, 0] + credit[1, 0] - credit[1, 1]) / 2
    tuned = min(most_deals, (3.03 * 0.6 / 0.02) ** 2)
    bounds = [7.94, 8.3]
    for _ in range(60):
        middle = sum(bounds) / 2
        bounds = (
            [middle, bounds[1]] if math.log(1 + middle) - 2 * math.log(0.05) > middle else [bounds[0], middle]
        )
    rho = math.sqrt(bounds[0] / tuned)
    for look in (1, 2, 4, 8, 12, 16, 20, 24, 28, 32):
        seen = deals[: look * 1000]
        t = len(seen)
        half = seen.std(ddof=1) * math.sqrt(
            2 * (t * rho**2 + 1) / (t**2 * rho**2) * math.log(math.sqrt(t * rho**2 + 1) / 0.05)
        )
        if half <= 0.02:
            return look, seen.mean(), half
    raise AssertionError("no stop")


def test_a_run_stops_at_the_first_look_that_answers(ask, play, dicecup):
    told = ask()
    chunks, difference, half = first_stop(play("--chunk", 1000, "--root", "all", games="64k")["run"], 50_000)
    (answer,) = told["until"]
    assert (told["games"], answer["games"], answer["most_games"]) == (chunks * 2000, chunks * 2000, 100_000)
    assert answer["stopped"] is True
    assert answer["difference"] == pytest.approx(difference, abs=1e-6)
    assert answer["difference_interval"] == pytest.approx([difference - half, difference + half], abs=1e-6)
    run = Run.open(told["run"])
    assert len(list(run.path.rglob("games/part-*.parquet"))) == chunks
    stop = json.loads((run.path / "matches/00/stop.json").read_text())
    assert (stop["chunks"], stop["answers"][0]["answer"]) == (chunks, "par - greedy is known to +-2 %")
    assert run.manifest["matches"][0]["games"] == 100_000
    # All that is told of the run afterwards takes it as complete.
    again = ask()
    assert (again["played"], again["rows"], again["until"]) == (0, told["rows"], told["until"])
    line = f"Stopped after {chunks * 2000:,} of at most 100,000 games: par - greedy is known to +-2 %: 2"
    for form in ("table", "markdown", "json"):
        shown = " ".join(dicecup("summary", run.path, "--format", form).out.replace("\\", "").split())
        assert line in shown
        assert "], however often looked at." in shown
    summary = dicecup("summary", run.path, "--format", "json").document["matches"][0]
    assert summary["complete"] is True
    assert summary["until"]["answers"] == [{k: v for k, v in answer.items() if k in stop["answers"][0]}]
    low, high = answer["difference_interval"]
    row = f"0,cheerio-web-short,par - greedy: +-2 %,,,until_credit_difference,{answer['difference']},{low},{high}"
    assert row in dicecup("summary", run.path, "--format", "csv").out
    for form, words in (("table", "until    Stopped"), ("markdown", "- until: Stopped"), ("csv", ",until\n")):
        answered = dicecup("resume", run.path, "--format", form, "--no-summary")
        assert words in answered.out
        assert f"all {chunks * 2000:,} games of {run.path} are there: nothing is played" in answered.err
    beyond = dicecup("replay", run.path, "--game", chunks * 2000)
    assert (beyond.code, f"games 0 to {chunks * 2000 - 1}" in beyond.err) == (2, True)
    # A part beyond the stop is none of the match's.
    last = run.path / f"matches/00/games/part-{chunks - 1:05d}.parquet"
    shutil.copy(last, last.with_name(f"part-{chunks:05d}.parquet"))
    assert ask()["until"] == told["until"]


def test_any_number_of_workers_and_any_stop_make_the_same_bytes(ask, dicecup):
    told = ask(words=("--workers", 1))
    whole = all_files(told["run"])
    assert all_files(ask(words=("--workers", 3), root="three")["run"]) == whole
    assert ask(words=("--force",))["played"] == told["games"]
    assert all_files(told["run"]) == whole
    run = Path(told["run"])
    folder = run / "matches/00"
    stop = json.loads(whole["matches/00/stop.json"])
    forged = {
        k: 4 if k == "chunks" else 4000 if k == "deals" else 8000 if k == "games" else v
        for k, v in stop.items()
    }
    parts = sorted(folder.rglob("part-*.parquet"))

    def cut():
        (folder / "stop.json").unlink()
        for path in parts:
            if int(path.stem[-5:]) >= 5:
                path.unlink()

    harms = {
        "as if killed before the stop was written": (folder / "stop.json").unlink,
        "as if killed between looks": cut,
        "a part is gone": parts[2].unlink,
        "a part is damaged": lambda: parts[-1].write_bytes(parts[-1].read_bytes()[:-99]),
        "the stop is damaged": lambda: (folder / "stop.json").write_text("{"),
        "the stop is too early": lambda: (folder / "stop.json").write_text(json.dumps(forged)),
        "the stop says otherwise": lambda: (folder / "stop.json").write_text(
            json.dumps(stop | {"answers": []})
        ),
    }
    for name, harm in harms.items():
        harm()
        resumed = dicecup("resume", run, "--on", "here", "--format", "json", "--workers", 2)
        assert resumed.code == 0, name
        assert ("is not what the parts show: it is made again" in resumed.err) == name.startswith(
            "the stop"
        ), name
        assert {
            path: content for path, content in all_files(run).items() if "damaged" not in path
        } == whole, name


def test_the_most_games_may_not_be_enough(ask, dicecup):
    told = ask(
        "par - greedy: +-2%", "par - greedy: better or not by 28.6 points", "par - greedy: +-0.5%", games="8k"
    )
    assert told["games"] == 8000
    assert [answer["answer"] is None for answer in told["until"]] == [True, False, True]
    assert not (Path(told["run"]) / "matches/00/stop.json").exists()
    first, _, last = told["until"]
    assert not first["stopped"]
    # Half a width goes down with the root of the games and a little slower, so a quarter takes over 16 times as many.
    assert 16 < last["games_needed"] / first["games_needed"] < 22
    assert first["games_needed"] > 8000
    answer = dicecup("resume", told["run"], "--format", "table")
    assert answer.code == 0
    line = "Played all 8,000 games that were allowed: par - greedy: +-2 % is not answered: "
    assert answer.out.count(line) == 2
    assert f"about {first['games_needed']:,} games would answer it if all goes on so" in answer.out
    assert "par is not better than greedy by 28.6 points: " in answer.out


def test_strategies_that_play_alike_are_played_to_the_end(dicecup):
    """The same decisions under two labels: each deal's seatings cancel out, and a variance of 0 answers nothing."""
    told = dicecup("run", "-r", "cheerio-web-short", "-l", "greedy,greedy:upper=0", "-n", "20k", "--seed", 5, "--on",
                   "here", "--until", "greedy - greedy:upper=0: +-50%", "--format", "json").document  # fmt: skip
    assert told["games"] == 20_000
    (answer,) = told["until"]
    assert (answer["answer"], answer["difference"], answer["difference_interval"]) == (None, 0.0, None)


def test_nothing_beyond_a_look_is_begun_before_it(ask):
    told = ask(games="40k")
    run = Run.open(told["run"])
    plan = plan_job(
        build_job(["cheerio-web-short"], [["greedy", "par"]],
                  Overrides(seed=5, games=40_000, chunk=1000, until=(ASKED,)))
    )  # fmt: skip
    assert plan.job.digest == run.digest
    chunks = run.matches[0].chunks
    copy = Path("copy")
    shutil.copytree(run.path, copy)
    parts = {path: path.read_bytes() for path in copy.rglob("part-*.parquet")}
    for path in (*parts, copy / "matches/00/stop.json"):
        path.unlink()
    opened = Run.open(copy)
    left = Remaining(opened.as_planned())
    taken: list[tuple[int, int]] = []
    for look in looks(plan.matches[0].match):
        batch = list(iter(left.take, None))
        assert batch == [(0, chunk) for chunk in range(len(taken), look)]
        # They land in whatever order, each once its part is there.
        for place in reversed(batch):
            for path in (p for p in parts if p.stem == f"part-{place[1]:05d}"):
                path.write_bytes(parts[path])
        for place in reversed(batch):
            assert left.take() is None
            left.land(*place)
        taken += batch
        if look == chunks:
            break
    assert left.take() is None
    assert left.is_nothing
    assert all_files(copy) == all_files(run.path)


def test_each_match_of_a_job_stops_by_itself(dicecup):
    told = dicecup("run", "-r", "cheerio-web-short", "-l", "greedy,par", "-l", "par,nets", "-l", "greedy,nets",
                   "--until", "par - greedy: better or not", "--until", "par - nets: +-0.5%", "-n", "12k", "--chunk",
                   1000, "--seed", 5, "--on", "here", "--no-summary")  # fmt: skip
    assert told.code == 0
    matches = Run.open(next(Path("runs").iterdir())).matches
    assert [match.most_deals is not None for match in matches] == [True, False, False]
    assert [match.deals for match in matches] == [4000, 6000, 6000]
    assert "until    cheerio-web-short greedy,par: Stopped after " in told.out
    assert "cheerio-web-short par,nets: Played all 12,000 games" in told.out


@pytest.mark.slow
def test_a_killed_run_is_resumed_to_the_same_bytes(ask, dicecup):
    question = "par - greedy: +-1%"
    undisturbed = ask(question, games="1M", root="undisturbed")
    command = [sys.executable, "-m", "jobs.cli", "run", "--ruleset", "cheerio-web-short", "--lineup", "greedy,par",
               "--seed", "5", "--games", "1M", "--chunk", "1000", "--until", question, "--on", "here"]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while len(list(Path("runs").rglob("games/part-*.parquet"))) < 6 and time.monotonic() < end:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=30)
    run = next(Path("runs").iterdir())
    # What its keeper leaves is ended in moments.
    while holders(run) and time.monotonic() < end:
        time.sleep(0.05)
    assert not (run / "matches/00/stop.json").exists()
    resumed = dicecup("resume", run, "--on", "here", "--format", "json")
    assert 0 < resumed.document["played"] < undisturbed["games"]
    assert all_files(run) == all_files(undisturbed["run"])


@pytest.mark.slow
def test_equal_seats_of_real_games_are_seldom_told_apart():
    """150 matches of par against itself: its two seats have dice of their own, so any answer is a false one.

    Fixed seeds; the share is at most 5 % by more than 5 standard errors of a share of 5 %. The usual interval at the
    same looks is wrong in some 30 %.
    """
    job = build_job(["cheerio-web-short"], [["par", "par"]], Overrides(seed=1, games=20_000, chunk=400))
    (plan,) = plan_job(job).matches
    rows = fill_tables(plan_job(job), 1, lambda *_: None)
    whole = {label: table for (label, _), table in rows.items()}
    tables = playing.asking_of(plan.ruleset).tables(plan.players, plan.ruleset, whole, False)
    kernel = kernel_of("cheerio")
    rules = kernel.build_rules(plan.ruleset)
    asked = Question(first="seat 0", second="seat 1", kind="better", margin=0.0, unit="%")
    schedule = [min(20_000, look * 400) for look in looks(plan.match)]
    wrong = usual = 0
    for seed in range(150):
        course = kernel.play_deals(rules, tables, 2, 0, 1000 + seed, 0, 20_000, barred=-1)
        difference = course.credit[0].astype(np.int64) - course.credit[1]
        differences, done, answers, spans = Differences(60), 0, [], []
        for deals in schedule:
            differences.add(difference[done:deals])
            done = deals
            answers.append(answer_of(asked, differences, 20_000, 0.95))
            spans.append(abs(difference[:deals].mean()) > 1.96 * difference[:deals].std() / math.sqrt(deals))
        assert answers[-1].interval is not None
        wrong += any(answer.verdict for answer in answers)
        usual += any(spans)
    assert wrong / 150 <= 0.05 + 5 * math.sqrt(0.05 * 0.95 / 150)
    assert usual / 150 > 0.15
