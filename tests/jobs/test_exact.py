"""The command dicecup exact: against brute force in plain Python, beside real games, and in a run's folder."""

import csv
import io
import itertools
import json
from collections import Counter, defaultdict
from fractions import Fraction

import pytest

from results.store import Run

TINY = """
game = "cheerio"
title = "Tiny"
players = [1, 2]
throws = 2
tiebreak = "{tiebreak}"
[categories.sixes]
name = "Sixes"
pattern = {{ face = 6 }}
pays = "matched dice"
upper = true
[categories.twos]
name = "Twos"
pattern = {{ face = 2 }}
pays = 5
[bonus]
threshold = 18
points = 7
"""


def pays(category, dice):
    return 6 * dice.count(6) if category == "sixes" else 5 * (dice.count(2) > 0)


def bold_keep(dice):
    return tuple(die for die in dice if die == max(dice, key=dice.count))


def last_rolls():
    """How often each sorted roll comes after two throws of one who keeps what shows most often, in 6^10 ways."""
    ways: Counter[tuple[int, ...]] = Counter()
    thrown = Counter(tuple(sorted(dice)) for dice in itertools.product(range(1, 7), repeat=5))
    for first, count in thrown.items():
        kept = bold_keep(first)
        if len(kept) == 5:
            ways[first] += count * 6**5
            continue
        rest = itertools.product(range(1, 7), repeat=5 - len(kept))
        weight = count * 6 ** len(kept)
        for more, times in Counter(tuple(sorted(kept + dice)) for dice in rest).items():
            ways[more] += weight * times
    return ways


def by_brute_force():
    """The law of the score, and by category the points, by following both turns of Bold."""
    ways = last_rolls()
    law: dict[int, Fraction] = defaultdict(Fraction)
    entered: dict[str, dict[int, Fraction]] = {key: defaultdict(Fraction) for key in ("sixes", "twos")}
    assert sum(ways.values()) == 6**10
    by_entry: dict[tuple[str, int], Fraction] = defaultdict(Fraction)
    for dice, count in ways.items():
        first = max(("sixes", "twos"), key=lambda category: pays(category, dice))
        by_entry[first, pays(first, dice)] += Fraction(count, 6**10)
    for (first, points), chance in by_entry.items():
        second = "twos" if first == "sixes" else "sixes"
        for dice, count in ways.items():
            both = {first: points, second: pays(second, dice)}
            share = chance * Fraction(count, 6**10)
            law[sum(both.values()) + (7 if both["sixes"] >= 18 else 0)] += share
            for category, own in both.items():
                entered[category][own] += share
    return law, entered


def tiny(tmp_path, tiebreak="shared"):
    (tmp_path / "tiny.toml").write_text(TINY.format(tiebreak=tiebreak))
    return "./tiny.toml"


def test_a_tiny_game_comes_to_what_brute_force_finds(dicecup, tmp_path, write_strategy):
    write_strategy()
    law, entered = by_brute_force()
    answer = dicecup("exact", "-r", tiny(tmp_path), "-l", "mine.py:Bold", "--format", "json")
    assert answer.code == 0, answer.err
    (found,) = answer.document["strategies"]
    assert found["score_distribution"] == {
        str(score): pytest.approx(float(chance), rel=1e-11) for score, chance in sorted(law.items())
    }
    mean = sum(score * chance for score, chance in law.items())
    sd = float(sum(score**2 * chance for score, chance in law.items()) - mean**2) ** 0.5
    assert (found["score_mean"], found["score_sd"]) == (round(float(mean), 4), round(sd, 4))
    reached = sum(chance for points, chance in entered["sixes"].items() if points >= 18)
    assert found["bonus_rate"] == round(float(reached), 6)
    for line in found["categories"]:
        own = entered[line["category"]]
        assert line["mean"] == round(float(sum(points * chance for points, chance in own.items())), 4)
        assert line["zero_rate"] == round(float(own[0]), 6)
    best = answer.document["best_mean"]
    assert found["points_short"] == pytest.approx(best - found["score_mean"], abs=1.1e-4)
    assert best > found["score_mean"]
    assert (answer.document["win_rates"], answer.document["tie_rate"]) == (None, None)


@pytest.mark.parametrize("tiebreak", ["shared", "roll-off"])
def test_who_wins_is_what_all_pairs_of_scores_say(dicecup, tmp_path, write_strategy, tiebreak):
    write_strategy()
    lineup = "mine.py:Bold,par"
    answer = dicecup("exact", "-r", tiny(tmp_path, tiebreak), "-l", lineup, "--format", "json")
    assert answer.code == 0, answer.err
    document = answer.document
    one, two = (
        {int(score): Fraction(chance) for score, chance in e["score_distribution"].items()}
        for e in document["strategies"]
    )
    pairs = [(a - b, p * q) for a, p in one.items() for b, q in two.items()]
    alone = [sum(chance for ahead, chance in pairs if sign * ahead > 0) for sign in (1, -1)]
    tied = sum(chance for ahead, chance in pairs if ahead == 0)
    credit = [float(rate + tied / 2) for rate in alone]
    rolled = tiebreak == "roll-off"
    assert document["tie_rate"] == pytest.approx(float(tied), abs=1e-6)
    assert document["credit_rates"] == pytest.approx(credit, abs=1e-6)
    assert document["win_rates"] == pytest.approx(credit if rolled else [float(r) for r in alone], abs=1e-6)
    assert document["shared_rates"] == pytest.approx([0 if rolled else float(tied)] * 2, abs=1e-6)
    assert document["by_tied"] == {"2": document["tie_rate"]}
    # Two that are tied tie again in the roll-off with chance 7631/104976.
    again = Fraction(7631, 104976)
    rounds = {str(k): float(tied * again ** (k - 1) * (1 - again)) for k in (1, 2, 3)}
    first = {k: rate for k, rate in document["by_rounds"].items() if k in rounds}
    assert first == (pytest.approx(rounds, abs=1e-6) if rolled else {})


def test_a_run_stands_beside_its_exact_values(dicecup, play, parts):
    """With a fixed seed; every z-score within 5 standard errors."""
    run = play()["run"]
    before = parts_and_manifest(run, parts)
    answer = dicecup("exact", run, "--format", "json")
    assert answer.code == 0, answer.err
    assert "kept in" in answer.err
    (match,) = answer.document["matches"]
    assert sum(match["credit_rates"]) == pytest.approx(1, abs=2e-6)
    (shown,) = dicecup("summary", run, "--format", "json").document["matches"]
    beside = shown["exact"]
    scores = [
        e[f"{key}_z"] for e in beside["strategies"] for key in ("score_mean", "score_sd", "credit_rate")
    ]
    scores += [c[f"{key}_z"] for c in beside["categories"] for key in ("mean", "zero_rate")]
    scores += [beside["ties"]["rate_z"]]
    told = [z for z in scores if z is not None]
    assert len(told) >= 0.8 * len(scores)
    assert max(map(abs, told)) < 5
    for e, exactly in zip(beside["strategies"], match["strategies"], strict=True):
        assert e["score_mean_exact"] == exactly["score_mean"]
        assert e["fit"]["scores"] == e["games"]
        assert e["fit"]["impossible"] == 0
        assert e["fit"]["p_value"] > 1e-6
    # All that is outside of the run proper, which is whole and as it was.
    assert parts_and_manifest(run, parts) == before
    again = dicecup("resume", run, "--format", "json")
    assert (again.code, again.document["played"]) == (0, 0)
    kept = dicecup("exact", run, "--format", "json")
    assert kept.document == answer.document
    assert "kept in" not in kept.err


def parts_and_manifest(run, parts):
    opened = Run.open(run)
    return parts(opened.path), (opened.path / "manifest.json").read_bytes()


def test_a_run_that_is_replaced_forgets_its_exact_values(dicecup, play):
    run = play(games=200)["run"]
    assert dicecup("exact", run).code == 0
    file = Run.open(run).path / "derived" / "exact.json"
    assert file.exists()
    play("--force", games=200)
    assert not file.exists()
    assert "exactly" not in dicecup("summary", run).out
    file.write_text("{")
    told = dicecup("summary", run)
    assert (told.code, "damaged" in told.err, "exactly" in told.out) == (0, True, False)
    assert dicecup("exact", run).code == 0
    assert "exactly" in dicecup("summary", run).out


def test_only_what_is_asked_anew_is_computed_anew(dicecup, variant):
    rules, _ = variant("joker")
    asked = ("-r", rules, "-l", "par", "-l", "greedy", "-n", 100, "--seed", 3, "--on", "here")
    run = dicecup("run", *asked, "--format", "json").document["run"]
    file = Run.open(run).path / "derived" / "exact.json"
    assert dicecup("exact", run, "--match", 1).code == 0
    assert set(json.loads(file.read_text())["matches"]) == {"1"}
    assert dicecup("exact", run, "--match", 0, "--regret").code == 0
    matches = json.loads(file.read_text())["matches"]
    regret = {
        key: [one["regret"] is not None for one in m["strategies"].values()] for key, m in matches.items()
    }
    assert regret == {"0": [True], "1": [False]}
    document = dicecup("exact", run, "--match", 0, "--regret", "--format", "json").document["matches"][0]
    (par,) = document["strategies"]
    assert par["regret"]["total"] == pytest.approx(par["points_short"], abs=1.1e-4)
    for split in (par["regret"]["by_decision"].values(), par["regret"]["by_turn"]):
        assert sum(split) == pytest.approx(par["points_short"], abs=1e-3)
    by_category = sum(line["points"] for line in par["regret"]["by_category"])
    assert by_category == pytest.approx(par["points_short"], abs=1e-3)
    # What is kept is not shown unasked.
    assert "regret" not in dicecup("exact", run, "--match", 0, "--format", "json").document["matches"][0]["strategies"][0]  # fmt: skip # noqa: E501


def test_a_strategy_that_changed_since_is_left_out_until_it_is_as_it_was(dicecup, tmp_path, write_strategy):
    words = write_strategy()
    rules = tiny(tmp_path)
    asked = ("-r", rules, "-l", f"{words},par", "-n", 100, "--seed", 3, "--on", "here", "--format", "json")
    run = dicecup("run", *asked).document["run"]
    write_strategy("die == face", "die >= face")
    answer = dicecup("exact", run, "--format", "json")
    (match,) = answer.document["matches"]
    assert [e["strategy"] for e in match["strategies"]] == ["par"]
    assert match["not_exact"] == [{"strategy": words, "reason": "its source has changed since the run"}]
    assert match["win_rates"] is None
    assert match["why_no_outcome"] == f"the scores of {words} have no known law"
    told = " ".join(dicecup("summary", run).out.split())
    assert f"Not exact: {words}; its source has changed since the run." in told
    write_strategy()
    (match,) = dicecup("exact", run, "--format", "json").document["matches"]
    assert [e["strategy"] for e in match["strategies"]] == [words, "par"]


def test_several_rulesets_and_lineups_make_a_list_and_formats_agree(dicecup, tmp_path):
    asked = ("exact", "-r", tiny(tmp_path), "-l", "par", "-l", "greedy,par", "--regret", "--format")
    told = {form: dicecup(*asked, form) for form in ("json", "csv", "markdown", "table")}
    assert {answer.code for answer in told.values()} == {0}
    matches = told["json"].document["matches"]
    assert [match["lineup"] for match in matches] == [["par"], ["greedy", "par"]]
    rows = list(csv.DictReader(io.StringIO(told["csv"].out)))
    for match in matches:
        own = [row for row in rows if row["match"] == str(match["match"])]
        for e in match["strategies"]:
            found = {
                r["measure"]: r["value"] for r in own if (r["strategy"], r["category"]) == (e["strategy"], "")
            }
            for key in ("score_mean", "score_sd", "bonus_rate", "throws_mean", "points_short"):
                assert float(found[key]) == e[key]
            assert float(found["regret"]) == e["regret"]["total"]
            for form in ("markdown", "table"):
                assert f"{e['score_mean']:.4f}" in told[form].out
                assert f"{e['bonus_rate'] * 100:.4f}" in told[form].out
    assert f"{matches[1]['win_rates'][0] * 100:.4f}" in told["table"].out
    assert (
        told["table"].out.count("Perfect play scores")
        == told["markdown"].out.count("Perfect play scores")
        == 2
    )


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("-r", "ceelo-bank", "-l", "flat,bold"), 1, "flat, bold; ceelo-bank is a ruleset of ceelo"),
        (("-r", "cheerio-speed", "-l", "par,greedy"), 1, "against the clock"),
        (("-r", "cheerio-cutthroat", "-l", "par,greedy"), 1, "has steals"),
        (("-r", "cheerio-team", "-l", "par+greedy,nets+sets"), 1, "shares its sheet with another strategy"),
        (("-r", "cheerio-web-short", "-l", "mine.py:Watches"), 1, "sees difference"),
        (("-r", "cheerio-web-short", "-l", "mine.py:Fails"), 1, "raises ValueError: no such luck"),
        (("-r", "cheeriq", "-l", "par"), 2, "did you mean cheerio"),
        (("-r", "cheerio", "-l", "pat"), 2, "did you mean par"),
        (("-r", "cheerio"), 2, "no --lineup is given"),
        (("-l", "par"), 2, "no --ruleset is given"),
        ((), 2, "nothing is given"),
        (("--match", 0), 2, "none is given"),
        (("nowhere",), 2, "nowhere does not exist"),
        (("nowhere", "-r", "cheerio"), 2, "give one or the other"),
    ],
)
def test_what_cannot_be_evaluated_is_told_with_the_reason(dicecup, write_strategy, words, code, message):
    write_strategy()
    with open("mine.py", "a") as file:  # noqa: PTH123
        file.write('''
class Watches(Bold):
    """Watches the rival."""
    sees = ("open", "difference")

class Fails(Bold):
    """Fails."""
    def choose(self, dice, sheet):
        raise ValueError("no such luck")
''')
    answer = dicecup("exact", *words)
    assert (answer.code, answer.out) == (code, "")
    assert message in answer.err


def test_one_that_cannot_be_evaluated_does_not_keep_the_others_out(dicecup, tmp_path, write_strategy):
    write_strategy('("open",)', '("open", "rival_open")')
    answer = dicecup("exact", "-r", tiny(tmp_path), "-l", "mine.py:Bold,par")
    assert answer.code == 0
    assert "Not exact: mine.py:Bold; it sees rival_open" in answer.out
    assert "No win rates: the scores of mine.py:Bold have no known law." in answer.out
    assert "Winning" not in answer.out
