"""What a summary says of luck, against slow counting of the rows."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from scipy import stats

from results.commands import summary
from results.control import Folds
from results.luck import _rate_figure
from results.store import Match, Run
from results.summary import summarise_run

Play = Callable[..., Run]
Row = dict[str, Any]

MATCHES: dict[str, dict[str, Any]] = {
    "two": {"lineup": ["greedy", "par"]},
    "two of three": {"lineup": ["greedy", "par", "greedy"]},
    "three": {"lineup": ["greedy", "par", "nets"]},
    "teams": {"lineup": ["a", "b", "c", "b"], "sides": [0, 1, 0, 1], "rules": {"team": 2}},
    "alone": {"lineup": ["greedy"]},
    "mirror": {"lineup": ["par", "par"]},
}


@pytest.fixture(params=MATCHES, ids=str)
def run(request: pytest.FixtureRequest, play: Play) -> Run:
    return play(deals=61, chunk_deals=9, luck=True, **MATCHES[request.param])


def sides_of(run: Run, match: Match) -> list[Row]:
    """One row for each side and game, with its entry and how much its luck exceeds the mean of the others'."""
    parts = sorted((run.match_folder(match) / "games").glob("*.parquet"))
    rows = [row for part in parts for row in pq.read_table(part, partitioning=None).to_pylist()]
    games: dict[int, dict[int, Row]] = {}
    for row in rows:
        games.setdefault(row["game"], {}).setdefault(row["side"], row)
    found = []
    for sides in games.values():
        for side, row in sides.items():
            others = [other["luck"] for own, other in sides.items() if own != side]
            excess = row["luck"] - Fraction(sum(others), len(others)) if others else Fraction(0)
            entry = match.entry_at(row["seating"], row["seat"])
            found.append(
                row | {"entry": entry, "excess": excess / 1000, "points": Fraction(row["luck"], 1000)}
            )
    return found


def means(rows: list[Row], value: Callable[[Row], Any]) -> list[Fraction]:
    deals: dict[int, list[Any]] = {}
    for row in rows:
        deals.setdefault(row["deal"], []).append(value(row))
    return [Fraction(sum(deals[deal])) / len(deals[deal]) for deal in sorted(deals)]


def student(values: list[Fraction], wider: float = 0.0) -> tuple[float, list[float]]:
    floats = np.array([float(value) for value in values])
    half = stats.t.ppf(0.975, len(floats) - 1) * floats.std(ddof=1) / math.sqrt(len(floats)) + wider
    return floats.mean(), [floats.mean() - half, floats.mean() + half]


def wilson(values: list[Fraction]) -> tuple[float, list[float]]:
    """Wilson's interval of a rate, with as many trials as would have the variance of the deals."""
    floats = np.array([float(value) for value in values])
    mean, z = floats.mean(), stats.norm.ppf(0.975)
    trials = mean * (1 - mean) * len(floats) / floats.var(ddof=1)
    root = z * math.sqrt(mean * (1 - mean) / trials + z * z / (4 * trials**2))
    return mean, [(mean + z * z / (2 * trials) + sign * root) / (1 + z * z / trials) for sign in (-1, 1)]


def adjusted(figures: list[Fraction], controls: list[Fraction]) -> list[Fraction]:
    """Each deal's figure less what its control explains, by least squares over the deals of the other parity."""
    found = list(figures)
    for parity in (0, 1):
        x, y = controls[1 - parity :: 2], figures[1 - parity :: 2]
        middle_x, middle_y = sum(x, Fraction(0)) / len(x), sum(y, Fraction(0)) / len(y)
        across = sum(((a - middle_x) * (b - middle_y) for a, b in zip(x, y, strict=True)), Fraction(0))
        slope = across / (sum(((a - middle_x) ** 2 for a in x), Fraction(0)) or 1)
        for deal in range(parity, len(figures), 2):
            found[deal] -= slope * controls[deal]
    return found


def check(shown: Row, key: str, values: list[Fraction], tolerance: float, wider: float = 0.0) -> None:
    mean, bounds = student(values, wider)
    assert shown[key] == pytest.approx(mean, abs=tolerance)
    assert shown[f"{key}_interval"] == pytest.approx(bounds, abs=tolerance)


def share(after: list[Fraction], before: list[Fraction]) -> float:
    return float(np.var([float(value) for value in after]) / np.var([float(value) for value in before]))


def test_the_figures_of_luck(run: Run) -> None:
    (match,) = run.matches
    sides = sides_of(run, match)
    (shown,) = summarise_run(run, [match])["matches"]
    names = list(dict.fromkeys(row["entry"] for row in sides))
    assert [entry["strategy"] for entry in shown["luck"]["strategies"]] == names
    for entry in shown["luck"]["strategies"]:
        own = [row for row in sides if row["entry"] == entry["strategy"]]
        assert entry["games"] == len(own)
        scores = means(own, lambda row: row["score"])
        rests = adjusted(scores, means(own, lambda row: row["points"]))
        check(entry, "luck_mean", means(own, lambda row: row["points"]), 6e-5)
        check(entry, "score_mean_adjusted", rests, 6e-5, 0.001)
        assert entry["score_variance_left"] == pytest.approx(share(rests, scores), abs=6e-7)
        if len(names) == 1:
            assert entry["credit_rate_adjusted"] is entry["credit_variance_left"] is None
            continue
        credit = means(own, lambda row: Fraction(row["credit"], 60))
        without = adjusted(credit, means(own, lambda row: row["excess"]))
        mean, bounds = wilson(without)
        assert entry["credit_rate_adjusted"] == pytest.approx(mean, abs=6e-7)
        assert entry["credit_rate_adjusted_interval"] == pytest.approx(bounds, abs=6e-7)
        assert entry["credit_variance_left"] == pytest.approx(share(without, credit), abs=6e-7)
    assert ("difference" in shown["luck"]) == (len(names) == 2)


@pytest.mark.parametrize("run", ["two", "two of three", "teams"], indirect=True)
def test_the_difference_of_two_entries(run: Run) -> None:
    (match,) = run.matches
    sides = sides_of(run, match)
    (shown,) = summarise_run(run, [match])["matches"]
    told = shown["luck"]["difference"]
    first, second = ([row for row in sides if row["entry"] == told[name]] for name in ("first", "second"))

    def differences(value: Callable[[Row], Any]) -> list[Fraction]:
        return [a - b for a, b in zip(means(first, value), means(second, value), strict=True)]

    scores = differences(lambda row: row["score"])
    rests = adjusted(scores, differences(lambda row: row["points"]))
    check(told, "score_difference", scores, 6e-5)
    check(told, "score_difference_adjusted", rests, 6e-5, 0.002)
    assert told["score_variance_left"] == pytest.approx(share(rests, scores), abs=6e-7)
    credit = differences(lambda row: Fraction(row["credit"], 60))
    check(told, "credit_difference", credit, 6e-7)
    without = adjusted(credit, differences(lambda row: row["excess"]))
    check(told, "credit_difference_adjusted", without, 6e-7)
    assert told["credit_variance_left"] == pytest.approx(share(without, credit), abs=6e-7)
    assert told["deals"] == match.deals


@pytest.mark.parametrize("run", ["two of three"], indirect=True)
def test_all_formats_show_the_same_figures(run: Run) -> None:
    def ask(form: str) -> str:
        words = [str(run.path), "--format", form]
        return CliRunner().invoke(summary, words, catch_exceptions=False).output

    document = json.loads(ask("json"))["matches"][0]["luck"]
    rows = {
        (row["strategy"], row["measure"]): row
        for row in csv.DictReader(io.StringIO(ask("csv")))
        if re.search("adjusted|luck|variance_left|_difference", row["measure"])
    }
    table, markdown = ask("table"), ask("markdown")
    entries = [(entry, "") for entry in document["strategies"]]
    for told, prefix in [*entries, (document["difference"] | {"strategy": "greedy"}, "difference_")]:
        for key, value in told.items():
            if isinstance(value, float):
                name = prefix * key.endswith("left") + key
                row = rows.pop((told["strategy"], name))
                assert float(row["value"]) == value
                is_rate = "credit" in key or key.endswith("left")
                text = f"{100 * value:.4f}" if is_rate else f"{value:.4f}"
                assert text in table
                assert text in markdown
                if f"{key}_interval" in told:
                    assert [float(row["low"]), float(row["high"])] == told[f"{key}_interval"]
    assert not rows


def test_few_deals_and_a_match_without_luck(play: Play) -> None:
    run = play(["greedy", "par"], deals=4, luck=True)
    (shown,) = summarise_run(run, run.matches)["matches"]
    for entry in shown["luck"]["strategies"]:
        assert entry["credit_rate_adjusted"] is entry["credit_rate_adjusted_interval"] is None
        assert entry["score_mean_adjusted"] is entry["score_variance_left"] is None
        assert entry["luck_mean_interval"] is not None
    assert CliRunner().invoke(summary, [str(run.path)], catch_exceptions=False).exit_code == 0
    without = play(["greedy", "par"], name="without")
    assert not without.matches[0].has_column("luck")
    assert "luck" not in summarise_run(without, without.matches)["matches"][0]


def test_a_rate_stops_where_no_rate_can_be() -> None:
    rare = np.zeros(200, np.int64)
    rare[[3, 40]] = 60
    controls = np.where(rare, 90_000, np.random.default_rng(3).integers(-20_000, 90_000, 200))
    folds = Folds.of(0, rare, controls, 60)
    sums = folds.adjusted()
    assert sums is not None
    assert sums.total < 0
    told = _rate_figure("rate", folds, 0.95)
    assert told["rate"] == 0.0
    assert told["rate_interval"][0] == 0.0
    assert told["rate_interval"][1] == pytest.approx(1.96**2 / (200 + 1.96**2), abs=1e-5)
