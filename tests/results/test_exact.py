"""Exact values in a run's folder: believed only where fresh and whole, and beside what rows say by slow counting."""

import csv
import io
import json
import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from scipy import stats

from results import exact
from results.beside import _categories, _category_spread, _rate
from results.commands import summary
from results.exact import (
    CategoryValues,
    CostlyDecision,
    MatchValues,
    Outcome,
    Regret,
    StrategyValues,
    code_digests,
    keep_exact,
    load_exact,
)
from results.exact_document import exact_document
from results.exact_tables import csv_exact, match_tables
from results.location import Location
from results.statistics import DealSums, proportion_interval
from results.store import Match, Run, create_run
from results.summary import summarise_run
from results.tally import tally_match

Play = Callable[..., Run]
Row = dict[str, Any]
CODE = code_digests(["results/exact.py"])


def law(low: int, *chances: float) -> StrategyValues:
    return StrategyValues(
        low=low,
        chances=chances,
        bonus_rate=0.3,
        jokers_mean=None,
        throws_mean=29.5,
        situations=3,
        categories=(
            CategoryValues(id="ones", mean=1.9, zero_rate=0.21),
            CategoryValues(id="full_house", mean=2.1, zero_rate=0.19),
        ),
        regret=Regret(
            total=1.25,
            by_decision={"keep 1": 0.25, "category": 1.0},
            by_turn=(1.0, 0.25),
            by_category={"ones": 1.25, "full_house": 0.0},
            costly=(CostlyDecision(words="filled Ones with 1-2-3-4-5", times=0.5, loss=1.5, cost=0.75),),
        ),
    )


OUTCOME = Outcome(
    win_rates=(0.45, 0.55),
    shared_rates=(0.0, 0.0),
    credit_rates=(0.45, 0.55),
    tie_rate=0.17,
    by_tied={"2": 0.17},
    by_rounds={"1": 0.15, "2": 0.02},
)


def values_of(match: Match, outcome: Outcome | None = OUTCOME, **changed: Any) -> MatchValues:
    """Made-up values of a match, near what the made-up games of these tests come to."""
    high = 10 + 3 * match.side_count
    strategies = {name: law(10, *[1 / (high - 10)] * (high - 10)) for name in match.lineup}
    fields: dict[str, Any] = {
        "ruleset": match.ruleset.digest,
        "sources": dict.fromkeys(strategies, "s"),
        "best_mean": 14.0,
        "strategies": strategies,
        "not_exact": {},
        "outcome": outcome,
    }
    return MatchValues(**(fields | changed))


def test_a_law_tells_its_moments_and_quantiles() -> None:
    own = law(3, 0.25, 0.0, 0.5, 0.25)
    assert own.mean == pytest.approx(4.75)
    assert own.variance == pytest.approx(1.1875)
    assert own.second_moment(5) == pytest.approx(1.25)
    shares = (0.1, 0.25, 0.26, 0.75, 0.76, 1.0)
    assert [own.quantile(share) for share in shares] == [3, 3, 5, 5, 6, 6]
    # Rounding must not push a quantile past the last score.
    assert law(0, *[0.1] * 10).quantile(1.0) == 9


def test_what_is_kept_is_found_again_to_the_last_digit(play: Play) -> None:
    run = play(["greedy", "par"])
    assert load_exact(run) == ({}, [])
    values = values_of(run.matches[0])
    path = keep_exact(run, {0: values}, CODE)
    assert path == run.path / "derived" / "exact.json"
    assert load_exact(run) == ({0: values}, [])


def edited(path: Location, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("0.45", "0.46", "damaged"),
        ("]", "", "damaged"),
        ('"jokers_mean": null', '"jokers_mean": NaN', "damaged"),
        ('"job": "ab12cd34ef56"', '"job": "000000000000"', "the job has changed"),
        ('"engine_version": 1', '"engine_version": 2', "the engine has changed"),
        ("dicecup exact 1", "dicecup exact 0", "the form of the file has changed"),
        (CODE["results/exact.py"], "0" * 16, "dicecup itself has changed"),
    ],
)
def test_what_is_damaged_or_out_of_date_is_left_aside_with_a_remark(
    play: Play, old: str, new: str, word: str
) -> None:
    run = play(["greedy", "par"])
    edited(keep_exact(run, {0: values_of(run.matches[0])}, CODE), old, new)
    found, remarks = load_exact(run)
    assert found == {}
    assert word in remarks[0]
    assert f"dicecup exact {run.path} makes it again" in remarks[0]


def test_a_summary_without_what_was_left_aside_says_so(play: Play) -> None:
    run = play(["greedy", "par"])
    edited(keep_exact(run, {0: values_of(run.matches[0])}, CODE), "0.45", "0.46")
    shown = CliRunner().invoke(summary, [str(run.path), "--format", "json"])
    assert shown.exit_code == 0
    assert "damaged" in shown.stderr
    document = json.loads(shown.stdout)
    assert document["remarks"] == shown.stderr.splitlines()
    assert "exact" not in document["matches"][0]


def test_another_ruleset_or_source_makes_only_its_own_match_stale(tmp_path: Path, make_manifest) -> None:
    manifest = make_manifest(["greedy", "par"])
    manifest["matches"] = [manifest["matches"][0] | {"number": number} for number in range(3)]
    run = create_run(tmp_path / "run", manifest)
    good = values_of(run.matches[0])
    kept = {
        0: good,
        1: values_of(run.matches[1], sources={"greedy": "s", "par": "another"}),
        2: values_of(run.matches[2], ruleset="another"),
    }
    keep_exact(run, kept, CODE)
    found, remarks = load_exact(run)
    assert found == {0: good}
    assert "matches 1, 2" in remarks[0]


def test_code_that_is_not_installed_here_is_no_reason_to_doubt(play: Play) -> None:
    run = play(["greedy", "par"])
    values = values_of(run.matches[0])
    keep_exact(run, {0: values}, {"elsewhere/exact.py": "1" * 16, "elsewhere/more.py": ""})
    assert load_exact(run) == ({0: values}, [])
    keep_exact(run, {0: values}, {"results/gone.py": "1" * 16})
    assert load_exact(run)[0] == {}


def test_writing_goes_on_where_a_player_of_the_run_clears_temporary_files(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, calls = play(["greedy", "par"]), []

    def cleared(path: Path, content: bytes) -> None:
        calls.append(path)
        if len(calls) < 3:
            raise FileNotFoundError(path)
        path.write_bytes(content)

    monkeypatch.setattr(exact, "write_atomically", cleared)
    keep_exact(run, {0: values_of(run.matches[0])}, CODE)
    assert len(calls) == 3
    assert load_exact(run)[1] == []


LINEUPS: dict[str, dict[str, Any]] = {
    "two": {"lineup": ["greedy", "par"], "bonus_points": 35},
    "three": {"lineup": ["greedy", "par", "greedy"], "bonus_points": 35},
    "teams": {"lineup": ["par", "greedy", "par", "greedy"], "sides": [0, 1, 0, 1], "bonus_points": 35},
    "solitaire": {"lineup": ["greedy"], "bonus_points": 35},
}


def by_deal(rows: list[Row], value: Callable[[Row], Any]) -> list[Fraction]:
    deals: dict[int, list[Any]] = {}
    for row in rows:
        deals.setdefault(row["deal"], []).append(Fraction(value(row)))
    return [sum(deal, Fraction(0)) / len(deal) for deal in deals.values()]


def z_of(means: list[Fraction], expected: float) -> float:
    count, mean = len(means), sum(means, Fraction(0)) / len(means)
    variance = sum((one - mean) ** 2 for one in means) / (count - 1) / count
    return float((mean - Fraction(expected)) / Fraction(math.sqrt(variance)))


def rate_z_of(means: list[Fraction], expected: float) -> float:
    """The z of a rate whose variance is that of the exact one, with what the deals' dependence makes of it."""
    rate = float(sum(means, Fraction(0)) / len(means))
    return z_of(means, expected) * math.sqrt(rate * (1 - rate) / (expected * (1 - expected)))


@pytest.mark.parametrize("name", LINEUPS)
def test_figures_beside_exact_ones_have_the_z_scores_of_slow_counting(play: Play, name: str) -> None:
    run = play(deals=60, chunk_deals=25, **LINEUPS[name])
    (match,) = run.matches
    outcome = None if match.is_solitaire else OUTCOME
    if match.side_count == 3:
        thirds = (0.3, 0.4, 0.3)
        outcome = OUTCOME.model_copy(
            update={"win_rates": thirds, "shared_rates": (0.0,) * 3, "credit_rates": thirds}
        )
    keep_exact(run, {0: values_of(match, outcome)}, CODE)
    shown = summarise_run(run, [match])["matches"][0]["exact"]
    parts = sorted((run.match_folder(match) / "games").glob("*.parquet"))
    rows = [row for part in parts for row in pq.read_table(part, partitioning=None).to_pylist()]
    sides = [row for row in rows if row["seat"] == match.sides.index(row["side"])]
    team = len(match.sides) // match.side_count
    assert [e["strategy"] for e in shown["strategies"]] == list(
        dict.fromkeys("+".join([label] * team) for label in match.lineup)
    )
    for e in shown["strategies"]:
        label = e["strategy"].split("+")[0]
        own = [row for row in sides if row["strategy"] == label]
        exactly = values_of(match).strategies[label]
        assert e["score_mean_exact"] == pytest.approx(exactly.mean, abs=6e-5)
        assert e["score_mean_z"] == pytest.approx(
            z_of(by_deal(own, lambda r: r["score"]), exactly.mean), abs=2e-4
        )
        centre = round(exactly.mean)
        spread = by_deal([r | {"from": r["score"] - centre} for r in own], lambda r: r["from"] ** 2)
        assert e["score_sd_z"] == pytest.approx(z_of(spread, exactly.second_moment(centre)), abs=2e-4)
        bonus = rate_z_of(by_deal(own, lambda r: r["bonus"] > 0), 0.3)
        assert e["bonus_rate_z"] == pytest.approx(bonus, abs=2e-4)
        throws = by_deal([r for r in rows if r["strategy"] == label], lambda r: team * r["throws"])
        assert e["throws_mean_z"] == pytest.approx(z_of(throws, 29.5), abs=2e-4)
        # One score for each deal and seat, of the first seating in which the strategy sits there.
        once = {(r["deal"], r["seat"]): r["score"] for r in sorted(own, key=lambda r: -r["seating"])}
        counts = Counter(once.values())
        seen = [counts[score] for score in range(10, 10 + len(exactly.chances))]
        fit = stats.chisquare(seen)
        assert (e["fit"]["scores"], e["fit"]["bins"], e["fit"]["impossible"]) == (len(once), len(seen), 0)
        assert e["fit"]["chi_square"] == pytest.approx(fit.statistic, abs=6e-5)
        assert e["fit"]["p_value"] == pytest.approx(fit.pvalue, abs=6e-5)
        if outcome is None:
            assert "win_rate" not in e
            continue
        side = match.lineup.index(label)
        won = rate_z_of(by_deal(own, lambda r: r["won"]), outcome.win_rates[side])
        assert e["win_rate_z"] == pytest.approx(won, abs=2e-4)
        assert e["shared_rate_z"] is None
    if outcome is not None:
        games = [row for row in rows if row["seat"] == 0]
        tied = {row["game"] for row in rows if row["tied"]}
        z = rate_z_of(by_deal(games, lambda r: r["game"] in tied), 0.17)
        assert shown["ties"]["rate_z"] == pytest.approx(z, abs=2e-4)
    else:
        assert shown["ties"] is None


def test_categories_count_what_several_seatings_repeat_once(play: Play) -> None:
    """In three seatings greedy sits in each seat twice, with the same dice: half as many entries are independent."""
    run = play(["greedy", "par", "greedy"], deals=60, chunk_deals=60)
    (match,) = run.matches
    keep_exact(run, {0: values_of(match, None)}, CODE)
    (document,) = summarise_run(run, [match])["matches"]
    plain = {(c["strategy"], c["category"]): c for c in document["categories"]}
    assert len(document["exact"]["categories"]) == len(plain) == 4
    for c in document["exact"]["categories"]:
        usual = plain[c["strategy"], c["category"]]
        assert (c["mean"], c["zero_rate"], c["count"]) == (usual["mean"], usual["zero_rate"], usual["count"])
        apart = c["count"] / (2 if c["strategy"] == "greedy" else 1)
        rate, paid = c["zero_rate_exact"], 1 - c["zero_rate"]
        squares = usual["sd"] ** 2 * (c["count"] - 1) / c["count"] + c["mean"] ** 2
        paying, among = c["mean"] / paid, squares / paid - (c["mean"] / paid) ** 2
        # The variance among those that pay, and that between them and zeros, of which there are as many as exactly.
        sd = math.sqrt((1 - rate) * among + rate * (1 - rate) * paying**2)
        assert c["mean_z"] == pytest.approx((c["mean"] - c["mean_exact"]) / sd * math.sqrt(apart), abs=5e-3)
        z = (c["zero_rate"] - rate) / math.sqrt(rate * (1 - rate) / apart)
        assert c["zero_rate_z"] == pytest.approx(z, abs=5e-3)


@pytest.mark.parametrize("yes", [0, 1, 4, 11, 12, 40, 199, 200])
def test_z_of_a_rate_is_within_its_bounds_where_its_interval_holds_the_exact_one(yes: int) -> None:
    sums = DealSums(200, yes, yes)
    bounds = proportion_interval(sums)
    assert bounds is not None
    for exactly in (0.06, 0.2, 0.5, 0.93):
        z = _rate("rate", sums, exactly)["rate_z"]
        assert (abs(z) < stats.norm.ppf(0.975)) == (bounds[0] < exactly < bounds[1])
    assert _rate("rate", sums, 0.04)["rate_z"] is None


def test_a_category_that_pays_one_amount_is_told_by_its_zeros_alone() -> None:
    """Of 25 points or none: the mean's z is that of the zeros turned round, and needs as many zeros."""
    variance, varies = _category_spread(180, 180 * 25, 180 * 625, 0.08)
    assert variance == pytest.approx(625 * 0.08 * 0.92)
    assert not varies
    # Ten of 5 points, ten of 15, and as many zeros as not.
    assert _category_spread(20, 200, 10 * 25 + 10 * 225, 0.5) == (0.5 * 25 + 0.25 * 100, True)
    assert _category_spread(0, 0, 0, 0.5) == (0.0, False)


@pytest.mark.parametrize(("zero_rate", "told"), [(0.04, False), (0.4, True)])
def test_few_zeros_of_a_straight_say_nothing(play: Play, zero_rate: float, told: bool) -> None:
    run = play(["greedy", "par"], deals=60)
    (match,) = run.matches
    tally = tally_match(run, match, range(match.chunks))
    category = CategoryValues(id="ones", mean=30 * (1 - zero_rate), zero_rate=zero_rate)
    law = values_of(match, None).strategies["greedy"].model_copy(update={"categories": (category,)})
    paid = 110
    tally.categories["greedy", "ones"] = (120, 30 * paid, 900 * paid, 120 - paid)
    (row,) = _categories(tally, "greedy", law)
    if told:
        assert row["mean_z"] == pytest.approx(-row["zero_rate_z"], abs=1e-4)
    else:
        assert (row["mean_z"], row["zero_rate_z"]) == (None, None)


def test_partners_that_differ_have_no_law_and_keep_their_categories_out(play: Play) -> None:
    run = play(["par", "par", "par", "greedy"], sides=[0, 1, 0, 1], deals=20)
    (match,) = run.matches
    keep_exact(run, {0: values_of(match, None, not_exact={"greedy": "it shares its sheet"})}, CODE)
    (document,) = summarise_run(run, [match])["matches"]
    assert [e["strategy"] for e in document["exact"]["strategies"]] == ["par+par"]
    assert document["exact"]["categories"] == []
    told = CliRunner().invoke(summary, [str(run.path), "-t", "exact"]).stdout
    assert "Not exact: greedy; it shares its sheet." in " ".join(told.replace("│", " ").split())


def test_all_formats_of_a_summary_have_the_same_digits(play: Play) -> None:
    run = play(["greedy", "par"], deals=60)
    keep_exact(run, {0: values_of(run.matches[0])}, CODE)
    asked = [str(run.path), "--format"]
    told = {form: CliRunner().invoke(summary, [*asked, form]).stdout for form in ("json", "csv", "markdown")}
    e = json.loads(told["json"])["matches"][0]["exact"]["strategies"][1]
    row = next(line for line in told["markdown"].splitlines() if line.startswith("| par | mean score |"))
    cells = [cell.strip().replace("\\", "") for cell in row.strip("|").split("|")]
    assert cells[3:] == [f"{e[key]:.4f}" for key in ("score_mean", "score_mean_exact", "score_mean_z")]
    found = {
        (line["strategy"], line["measure"]): line["value"]
        for line in csv.DictReader(io.StringIO(told["csv"]))
    }
    for key in ("score_mean_exact", "score_mean_z", "win_rate_exact", "score_sd_z"):
        assert float(found["par", key]) == e[key]
    assert float(found["par", "fit_chi_square"]) == e["fit"]["chi_square"]
    assert all("_exact" not in measure for _, measure in found if measure.startswith("fit"))


def test_the_document_and_its_formats_have_the_same_digits(make_manifest) -> None:
    manifest = make_manifest(["greedy", "par"], bonus_points=35)
    match = Match.model_validate_json(json.dumps(manifest["matches"][0]))
    rng = np.random.default_rng(5)
    chances = rng.dirichlet(np.ones(90))
    values = values_of(match, strategies={"greedy": law(12, *chances), "par": law(3, 0.5, 0.25, 0.0, 0.25)})
    document = exact_document(match, values, regret=True)
    first, second = document["strategies"]
    assert first["score_mean"] == round(float(chances @ np.arange(12, 102)), 4)
    assert second["points_short"] == 14 - 4
    assert second["share_of_best"] == round(4 / 14, 6)
    assert second["score_distribution"] == {"3": 0.5, "4": 0.25, "6": 0.25}
    assert (second["score_min"], second["score_median"], second["score_max"]) == (3, 3, 6)
    bands, shares = document["histogram"]["bands"], document["histogram"]["shares"]
    assert (bands[0][0], bands[-1][1]) == (0, 109)
    assert sum(shares["greedy"]) == pytest.approx(1, abs=2e-5)
    tables = {table.title: table for table in match_tables(document)}
    rows = list(csv.DictReader(io.StringIO(csv_exact([document]))))
    found = {(r["strategy"], r["category"], r["measure"]): r["value"] for r in rows}
    scores = dict(zip([h.text for h in tables["Scores"].headings], tables["Scores"].rows[0], strict=True))
    assert scores["mean"] == f"{first['score_mean']:.4f}"
    assert float(found["greedy", "", "score_mean"]) == first["score_mean"]
    assert tables["Winning"].rows[1] == ("par", "1", "55.0000", "0.0000", "55.0000")
    assert float(found["par", "", "win_rate"]) == document["win_rates"][1] == 0.55
    assert ("decided in roll-off round 2", "2.0000") in tables["Ties"].rows
    for score, chance in first["score_distribution"].items():
        assert float(found["greedy", "", f"chance_{score}"]) == chance
    assert tables["Points lost by category"].rows[-1] == ("all", "1.2500", "1.2500")
    assert tables["Costly decisions of par"].rows == (
        ("filled Ones with 1-2-3-4-5", "0.5000", "1.5000", "0.7500"),
    )
    assert float(found["par", "ones", "regret"]) == 1.25
    assert not any("regret" in e for e in exact_document(match, values)["strategies"])
