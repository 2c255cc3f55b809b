import pytest

from jobs import means
from jobs.errors import JobError
from jobs.execute import run_here
from jobs.job import build_job
from jobs.means import Means, choose_execution
from jobs.on_ray import run_on_ray
from jobs.plan import plan_job


def choose(monkeypatch, seconds, workers=2, lineup="par", share=1.0, ruleset="cheerio-web-short", **rest):
    monkeypatch.setattr(means, "estimated_seconds", lambda plan: seconds)
    plan = plan_job(build_job([ruleset], [lineup.split(",")]))
    return choose_execution(plan, share, Means(**rest), workers)


@pytest.mark.parametrize(
    ("seconds", "workers", "rest", "chosen"),
    [
        (1, 2, {}, run_here),
        (10_000, 1, {}, run_here),
        (60, 2, {}, run_here),  # 60 / 1.7 = 35 s on threads, 6 + 30 = 36 s on Ray
        (90, 2, {}, run_on_ray),
        (90, 2, {"share": 0.1}, run_here),
        (90, 2, {"on": "here"}, run_here),
        (1, 2, {"on": "ray"}, run_on_ray),
        (1, 1, {"address": "host:1"}, run_on_ray),
    ],
)
def test_the_place_that_is_done_sooner_is_chosen(monkeypatch, seconds, workers, rest, chosen):
    execute, why = choose(monkeypatch, seconds, workers, **rest)
    assert execute is chosen
    assert ("Ray" in why.split(":")[0]) is (chosen is run_on_ray)


def test_strategies_that_are_asked_as_play_goes_have_one_thread(monkeypatch, write_strategy):
    words = write_strategy('sees = ("open",)', 'sees = ("open", "upper")')
    assert choose(monkeypatch, 11, lineup=words)[0] is run_here
    assert choose(monkeypatch, 13, lineup=words)[0] is run_on_ray


@pytest.mark.parametrize(
    ("ruleset", "manner", "chosen"),
    [
        ("cheerio-cutthroat", "", run_on_ray),
        ("cheerio-cutthroat", ":steal=never", run_here),
        ("cheerio", "", run_here),
    ],
)
def test_strategies_that_are_asked_whether_to_steal_have_one_thread(
    monkeypatch, write_strategy, ruleset, manner, chosen
):
    words = write_strategy(
        "    def choose", "    def steal(self, offer, sheet):\n        return True\n    def choose"
    )
    assert choose(monkeypatch, 13, lineup=f"{words}{manner},par", ruleset=ruleset)[0] is chosen


def test_a_contradiction_is_refused(monkeypatch):
    with pytest.raises(JobError, match="--address host:1 goes with --on ray"):
        choose(monkeypatch, 1, on="here", address="host:1")
