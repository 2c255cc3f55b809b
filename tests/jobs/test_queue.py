"""Several jobs, one after another: all are read before any is played, and one that fails stops no other."""

import csv
import io
from pathlib import Path

import pytest

JOB = '{}\n[[matches]]\nruleset = "cheerio-web-short"\nlineup = ["greedy", "{}"]\ngames = 200\n'


def write(name, rival="par", head="seed = 5"):
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(JOB.format(head, rival))
    return path


@pytest.mark.parametrize("words", [("a.toml", "more/b.toml"), ("both",), ("queue.toml",)])
def test_jobs_are_played_in_order_and_as_each_alone(dicecup, parts, words):
    for folder in ("", "both/"):
        write(f"{folder}a.toml")
        write(f"{folder}{'' if folder else 'more/'}b.toml", "nets")
    Path("queue.toml").write_text('jobs = ["a.toml", "more/b.toml"]')
    # Beside the jobs that it lists, which are played once.
    Path("both/c.toml").write_text('jobs = ["b.toml"]')
    told = dicecup("run", *words, "--format", "json").document["jobs"]
    assert [Path(job["job"]).name for job in told] == ["a.toml", "b.toml"]
    assert [job["complete"] for job in told] == [True, True]
    for job, file in zip(told, ("a.toml", "more/b.toml"), strict=True):
        alone = dicecup("run", file, "--root", "alone", "--format", "json").document
        assert parts(Path(job["run"])) == parts(Path(alone["run"]))
    again = dicecup("run", *words)
    assert again.err.count("nothing is played") == 2
    assert again.out.index("job      ") < again.out.index("nets")
    assert len(dicecup("run", *words, "--format", "json").document["jobs"]) == 2


def test_all_mistakes_of_all_jobs_are_told_before_any_is_played(dicecup):
    write("good.toml")
    write("drawn.toml", head="")
    write("bad.toml", "nobody")
    Path("deep.toml").write_text('jobs = ["queue.toml", "good.toml"]')
    Path("queue.toml").write_text('jobs = ["good.toml"]')
    Path("empty").mkdir()
    Path("wrong.toml").write_text("jobs = 3")
    answer = dicecup(
        "run", "good.toml", "drawn.toml", "bad.toml", "gone.toml", "deep.toml", "empty", "wrong.toml"
    )
    assert answer.code == 2
    for told in (
        "job drawn.toml: no seed is given",
        "nobody",
        "job gone.toml: can't be read",
        "queue deep.toml: queue.toml is no job file",
        "folder empty: it holds no job files",
        "queue wrong.toml: jobs is 3",
    ):
        assert told in answer.err
    assert not Path("runs").exists()
    assert dicecup("run", "good.toml", "drawn.toml", "--seed", 1).code == 0
    refused = dicecup("run", "good.toml", "drawn.toml", "--name", "x")
    assert (refused.code, "--name goes with one job" in refused.err) == (2, True)


def test_a_job_that_fails_stops_no_other(dicecup, write_strategy):
    words = write_strategy(
        "    def choose", "    def choose(self, dice, sheet):\n        1 / 0\n    def other"
    )
    write("a.toml", words)
    write("b.toml")
    answer = dicecup("run", "a.toml", "b.toml", "--format", "json")
    assert answer.code == 1
    first, second = answer.document["jobs"]
    assert [first["complete"], second["complete"]] == [False, True]
    assert "ZeroDivisionError" in first["error"]
    assert answer.err.count("ZeroDivisionError") == 2


def test_a_queue_that_is_stopped_says_how_it_goes_on(dicecup, monkeypatch):
    from jobs import queue
    from jobs.errors import RunInterrupted

    def stopped(*_):
        raise RunInterrupted("interrupted")

    write("a.toml")
    write("b.toml")
    monkeypatch.setattr(queue, "complete_run", stopped)
    answer = dicecup("run", "a.toml", "b.toml")
    assert (answer.code, "1 more job waits; the same command goes on" in answer.err) == (130, True)


def test_a_queue_is_looked_at_without_playing_it(dicecup):
    write("a.toml")
    write("b.toml", "nets")
    answer = dicecup("run", "a.toml", "b.toml", "--dry-run")
    assert (answer.code, "par" in answer.out, "nets" in answer.out) == (0, True, True)
    told = dicecup("run", "a.toml", "b.toml", "--dry-run", "--format", "json").document["jobs"]
    assert [(one["job"], one["games"]) for one in told] == [("a.toml", 200), ("b.toml", 200)]
    assert not Path("runs").exists()


def test_a_stop_that_comes_with_the_last_chunks_of_a_job_stops_the_queue(dicecup, monkeypatch):
    from dataclasses import replace

    from jobs import queue, running

    real = running.complete_run
    monkeypatch.setattr(queue, "complete_run", lambda *given: replace(real(*given), stop_asked=True))
    write("a.toml")
    write("b.toml")
    answer = dicecup("run", "a.toml", "b.toml")
    assert (answer.code, "a.toml is complete. 1 more job waits" in answer.err) == (130, True)
    assert len(list(Path("runs").iterdir())) == 1


def test_a_queue_makes_one_table_of_csv(dicecup):
    write("a.toml")
    write("b.toml")
    for more in ((), ("--dry-run",)):
        rows = list(
            csv.DictReader(io.StringIO(dicecup("run", "a.toml", "b.toml", "--format", "csv", *more).out))
        )
        assert [(row["job"], row["games"]) for row in rows] == [("a.toml", "200"), ("b.toml", "200")]
