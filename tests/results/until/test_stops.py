"""Questions of a match: exact differences, answers in words, looks, and the file of a stop."""

import json
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from results.manifest import Match
from results.scan import game_arrays
from results.store import Run, RunError
from results.tally import tally_match
from results.until.questions import (
    Differences,
    Question,
    answer_of,
    deal_differences,
    new_differences,
    question_level,
    still_needed,
)
from results.until.stops import answer_line, answers_of, looks, stop_content, write_stop


def question(first="par", second="greedy", kind="within", margin=1.0, unit="%"):
    return Question(first=first, second=second, kind=kind, margin=margin, unit=unit)


def until(*questions):
    return [question.model_dump() for question in questions]


@pytest.mark.parametrize(("lineup", "sides", "pair"), [
    (["par", "greedy"], None, ("par", "greedy")),
    (["par", "par", "greedy", "nets"], None, ("par", "greedy")),
    (["par", "greedy", "nets", "nets"], [0, 1, 0, 1], ("greedy+nets", "par+nets")),
])  # fmt: skip
@pytest.mark.parametrize("unit", ["%", "points"])
def test_differences_are_those_of_single_deals(play, lineup, sides, pair, unit):
    first, second = pair
    asked = question(first, second, unit=unit)
    run = play(lineup, sides=sides, deals=12, chunk_deals=5, until=until(asked))
    match = run.matches[0]
    differences, expected = new_differences(asked, match), Counter[Fraction]()
    for chunk in range(match.chunks):
        arrays = game_arrays(run, match, chunk, [asked.measure, "deal"])
        differences.add(deal_differences(asked, match, arrays))
        values = arrays[asked.measure]
        for deal in range(values.shape[2]):
            means = []
            for entry in pair:
                own = [int(values[seating, seat, deal]) for seating in range(match.seatings)
                       for seat in range(match.seats) if match.entry_at(seating, seat) == entry]  # fmt: skip
                means.append(Fraction(sum(own), len(own)) / (60 if unit == "%" else 1))
            expected[means[0] - means[1]] += 1
    assert {Fraction(k, differences.weight): n for k, n in differences.counts.items()} == expected
    assert differences.unlike == 12 - max(expected.values())
    tally = tally_match(run, match, range(match.chunks))
    told = tally.credit_difference(*pair) if unit == "%" else tally.score_difference(*pair)
    assert differences.sums.mean == pytest.approx(told.mean)
    assert differences.sums.variance_of_mean == pytest.approx(told.variance_of_mean)


def counted(**counts):
    differences = Differences(60)
    for value, count in counts.items():
        differences.counts[int(value[1:]) * (-1 if value[0] == "m" else 1)] += count
    return differences


@pytest.mark.parametrize(("asked", "verdict"), [
    (question(margin=2.0), "par - greedy is known to +-2 %"),
    (question(margin=1.0), None),
    (question(kind="better", margin=0), "par is better than greedy"),
    (question("greedy", "par", "better", 0), "greedy is worse than par"),
    (question(kind="better", margin=15.0), "par is better than greedy by more than 15 %"),
    (question(kind="better", margin=20.5), None),
    (question(kind="better", margin=25.0), "par is not better than greedy by 25 %"),
])  # fmt: skip
def test_answers_are_told_once_the_interval_gives_them(asked, verdict):
    """40,000 deals whose mean difference is 0.2 and its deviation 0.98; half of the interval is 0.0149 to 0.019."""
    up, down = (24_000, 16_000) if asked.first == "par" else (16_000, 24_000)
    answer = answer_of(asked, counted(p60=up, m60=down), 400_000, 0.95)
    assert answer.verdict == verdict
    assert answer.interval is not None
    assert 0.0145 < (answer.interval[1] - answer.interval[0]) / 2 < 0.02
    if verdict is None:
        needed = still_needed(answer, 400_000)
        assert needed is not None
        assert needed > 40_000
        # A little more, as counts of deals are rounded down.
        more = counted(p60=up * needed // 39_900, m60=down * needed // 39_900)
        assert answer_of(asked, more, 400_000, 0.95).verdict is not None


@pytest.mark.parametrize(("unlike", "why"), [
    (0, "all deals show the same; an interval needs 1,000 that differ"),
    (12, "12 deals differ from what most show; an interval needs 1,000 that differ"),
])  # fmt: skip
def test_why_there_is_no_answer_is_told(unlike, why):
    told = {"measure": "credit", "question": "a - b: better or not", "difference": 0.0, "answer": None,
            "difference_interval": None, "unlike_deals": unlike, "games_needed": None}  # fmt: skip
    assert (
        answer_line(told) == f"a - b: better or not is not answered: 0.0000 percentage points so far; {why}"
    )


@pytest.mark.parametrize("kind", ["within", "better"])
def test_deals_that_are_all_alike_or_nearly_so_answer_nothing(kind):
    asked = question(kind=kind, margin=50.0 if kind == "within" else 0.0)
    for differences in (counted(p60=10**7), counted(p60=10**7, p0=999), counted(p0=10**7, p60=999)):
        answer = answer_of(asked, differences, 10**8, 0.95)
        assert (answer.interval, answer.verdict, still_needed(answer, 10**8)) == (None, None, None)
    assert answer_of(asked, counted(p60=10**7, p0=1000), 10**8, 0.95).verdict is not None


def test_several_questions_share_what_may_go_wrong(make_manifest):
    asked = [question(), question(kind="better", margin=0.0)]
    manifest = make_manifest(["par", "greedy"], deals=40_000, chunk_deals=5000, until=until(*asked))
    match = Match.model_validate_json(json.dumps(manifest["matches"][0]))
    two = answers_of(match, [counted(p60=24_000, m60=16_000) for _ in asked])
    assert [answer.level for answer in two] == [question_level(2)] * 2 == [0.975] * 2
    alone = answer_of(asked[0], counted(p60=24_000, m60=16_000), 40_000, 0.95)
    assert two[0].interval is not None
    assert alone.interval is not None
    assert two[0].interval[0] < alone.interval[0] < alone.interval[1] < two[0].interval[1]


@pytest.mark.parametrize(("deals", "chunk_deals", "expected"), [
    (50_000, 1000, [1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 45, 50]),
    (100_001, 30_000, [1, 2, 4]),
    (5000, 300, [4, 8, 12, 16, 17]),
    (1600, 1, [1000, 1125, 1265, 1423, 1600]),
    (900, 400, [3]),
    (700, 700, [1]),
])  # fmt: skip
def test_looks_hang_on_the_match_alone(make_manifest, deals, chunk_deals, expected):
    manifest = make_manifest(["par", "greedy"], deals=deals, chunk_deals=chunk_deals, until=until(question()))
    match = Match.model_validate_json(json.dumps(manifest["matches"][0]))
    assert list(looks(match)) == expected
    if len(expected) > 1:
        # A match that was stopped is looked at as it was before.
        assert list(looks(match.stopped_after(expected[0]))) == expected


def test_a_stopped_match_is_complete_and_a_wrong_file_stops_none(play):
    run = play(["par", "greedy"], deals=9000, chunk_deals=1000, chunks=[], until=until(question()))
    whole = run.matches[0]
    for chunk in (0, 1):
        # What is there is told by names.
        run.games_part(whole, chunk).parent.mkdir(parents=True, exist_ok=True)
        run.games_part(whole, chunk).touch()
    content = stop_content(run.digest, whole, 2, [])
    assert (run.state, run.missing_chunks(whole)) == ("partial", [*range(2, 9)])
    write_stop(run.path, 0, content)
    stopped = Run.open(run.path)
    match = stopped.matches[0]
    assert (stopped.state, match.deals, match.games, match.chunks) == ("complete", 2000, 4000, 2)
    assert (match.planned_deals, stopped.missing_chunks(match)) == (9000, [])
    assert stopped.as_planned().matches == (whole,)
    good = json.loads(content)
    no_look = {"chunks": 3, "deals": 3000, "games": 6000}
    all_there = {"chunks": 9, "deals": 9000, "games": 18_000}
    for wrong in ({"format": 2}, {"job": "other"}, {"match": 1}, no_look, all_there, {"deals": 1999}, {"chunks": -1},
                  {"more": 1}):  # fmt: skip
        write_stop(run.path, 0, json.dumps(good | wrong).encode())
        assert Run.open(run.path).matches == (whole,), wrong
    for damaged in (content[:-9], b"", b"\xff\xfe", b"[]"):
        write_stop(run.path, 0, damaged)
        assert Run.open(run.path).state == "partial"


def test_a_manifest_that_asks_about_nobody_is_refused(play):
    with pytest.raises(RunError, match="until asks about 'nets', which is no entry"):
        play(["par", "greedy"], until=until(question("nets")))


def test_differences_of_any_size_are_counted():
    differences = Differences(1)
    values = np.array([-70_000, 3, 3, 0, 65_000], np.int64)
    differences.add(values)
    differences.add(values[:1])
    assert differences.counts == {-70_000: 2, 3: 2, 0: 1, 65_000: 1}
    assert (differences.sums.total, differences.sums.squares) == (-74_994, 2 * 70_000**2 + 18 + 65_000**2)
