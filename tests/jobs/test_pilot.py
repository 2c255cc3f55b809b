"""dicecup run --plan: what questions need, from the first deals of the run that they ask for."""

import math
from pathlib import Path

import pytest

from jobs.job import Overrides, build_job
from jobs.pilot import Pilot, question_plan, spread_interval
from jobs.plan import plan_job
from results.store import Run
from results.tally import tally_match
from results.until.questions import new_differences
from results.until.sequences import needed_deals, needed_once

SHORT = ("run", "-r", "cheerio-web-short", "-l", "greedy,par", "--seed", 5, "-q")
WITHIN = ("--until", "par - greedy: +-0.5%")


def test_a_plan_counts_the_games_by_the_first_deals_of_the_run(dicecup, play):
    told = dicecup(*SHORT, *WITHIN, "--plan", "--format", "json").document
    assert not Path("runs").exists()
    (plan,) = told["questions"]
    run = Run.open(play(games="20k")["run"])
    sums = tally_match(run, run.matches[0], range(run.matches[0].chunks)).credit_difference("par", "greedy")
    assert sums.variance_of_mean is not None
    deviation = (sums.variance_of_mean * (sums.deals - 1)) ** 0.5
    assert plan["pilot_deals"] == sums.deals == 10_000
    assert (plan["difference"], plan["deviation"]) == pytest.approx((sums.mean, deviation), abs=1e-6)
    needed = needed_deals(0.005, deviation, (3.03 * 0.6 / 0.005) ** 2, 0.95)
    once = needed_once(0.005, deviation, 0.95)
    assert needed is not None
    assert once is not None
    # A run stops at looks alone: after 1, 2, 4 and 8 chunks of 25,000 deals, and so on.
    assert 98_000 < needed < 100_000
    assert plan["games"] == 2 * 100_000
    # 10,000 deals tell a variance to some 2 %, and games go with the variance.
    assert plan["games_interval"] == [2 * 100_000, 2 * 200_000]
    assert plan["games_once"] == pytest.approx(2 * once, abs=2)
    assert (plan["enough"], plan["most_games"]) == ("yes", 10_000_000)
    assert 0 < plan["seconds"] < plan["most_seconds"]


def test_all_formats_show_the_same_figures(dicecup):
    questions = ("+-0.1%", "better or not by 28.7%", "better or not by 60 points", "+-1.2 points")
    until = [word for question in questions for word in ("--until", f"par - greedy: {question}")]
    asked = (*SHORT, "--plan", "-n", "1M", *until)
    plans = dicecup(*asked, "--format", "json").document["questions"]
    # The difference is some 28.7 %, so that no number of games is sure to tell whether it is more.
    within, near, far, points = plans
    assert (within["enough"], far["enough"]) == ("no", "yes")
    assert within["level"] == 0.9875
    assert near["games_interval"][1] is None
    assert near["enough"] == "perhaps"
    assert far["games_interval"][0] <= far["games"] <= far["games_interval"][1]
    texts = {form: dicecup(*asked, "--format", form).out for form in ("table", "markdown", "csv")}
    for plan in plans:
        games, interval = plan["games"], plan["games_interval"]
        low, high = (f"{end:,}" if end else "no end" for end in interval)
        for form in ("table", "markdown"):
            assert f"{games:,} [{low}, {high}]" in texts[form].replace("\\", "")
        assert f",{games},{interval[0]},{interval[1] or ''}," in texts["csv"]
    assert f"{points['difference']:.4f} [" in texts["table"]
    assert f"{100 * within['difference']:.4f} [" in texts["table"]
    assert len(texts["csv"].splitlines()) == 5


def test_few_deals_that_differ_need_many_games_before_anything_is_known():
    job = build_job(
        ["cheerio"], [["greedy", "par"]], Overrides(seed=1, games=2_000_000, until=("par - greedy: +-50%",))
    )
    (match,) = (own.match for own in plan_job(job).matches)
    differences = new_differences(match.until[0], match)
    # One deal in a hundred differs, and a sequence begins with the thousandth that does.
    differences.counts.update({0: 9900, 60: 50, -60: 50})
    told = question_plan(Pilot(match, (differences,), 1e-6, 0.01), match.until[0], differences)
    assert (told["games"], told["games_interval"]) == (200_000, [200_000, 200_000])
    # Half of all differ by as much either way: the fourth moment is twice the square of the second.
    differences.counts.clear()
    differences.counts.update({0: 5000, 60: 2500, -60: 2500})
    deviation = 60 / differences.weight * math.sqrt(0.5)
    reach = math.exp(1.959964 * math.sqrt(1 / 10_000) / 2)
    assert spread_interval(differences) == pytest.approx(
        (deviation / reach, deviation, deviation * reach), rel=1e-6
    )


def test_what_hardly_ever_differs_is_not_told(dicecup):
    asked = ("run", "-r", "cheerio-web-short", "-l", "greedy,greedy:upper=0", "--seed", 5, "-q", "--plan", "-n", 4000,
             "--until", "greedy - greedy:upper=0: +-1%")  # fmt: skip
    (plan,) = dicecup(*asked, "--format", "json").document["questions"]
    assert (plan["games"], plan["enough"], plan["unlike_deals"]) == (None, None, 0)
    told = dicecup(*asked)
    assert told.code == 0
    assert "can't be told: 0 of 2,000 deals differ" in told.out


def test_a_plan_without_a_question_is_refused(dicecup):
    refused = dicecup(*SHORT, "--plan")
    assert (refused.code, "none is asked; ask one, as --until" in refused.err) == (2, True)
    assert dicecup(*SHORT, *WITHIN, "--plan", "--dry-run").code == 2


def test_a_dry_run_tells_the_questions(dicecup):
    asked = (*SHORT, *WITHIN, "--dry-run", "--format")
    assert dicecup(*asked, "json").document["matches"][0]["until"] == ["par - greedy: +-0.5 %"]
    for form in ("table", "csv", "markdown"):
        assert "par - greedy: +-0.5 %" in dicecup(*asked, form).out
