"""Small runs of Cee-lo, and the slow counting that their summaries are held against."""

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from scipy import stats

from results.commands import summary
from results.schema import CATEGORIES
from results.store import Run, commit_part, create_run
from results.summary import summarise_run

Play = Callable[..., Run]
Manifest = Callable[..., dict[str, Any]]
Row = dict[str, Any]

MATCHES: dict[str, dict[str, Any]] = {
    "bank": {"lineup": ["flat", "bold"]},
    "three at a rotating bank": {"lineup": ["flat", "bold", "flat"], "bank": "rotate"},
    "pot": {"lineup": ["a", "b", "c", "d"], "bank": "none"},
    "mirror on a clock": {"lineup": ["flat", "flat"], "minutes": 30, "throw_seconds": 4.0},
}
EXACT = {
    "throws_per_result": Fraction(2),
    "edge": Fraction(1, 108),
    "bet_win_rate": Fraction(7, 16),
    "bet_push_rate": Fraction(25, 216),
    "bet_loss_rate": Fraction(193, 432),
    "instant_win_rate": Fraction(1, 9),
}


def rows_of(run: Run, kind: str = "games") -> list[Row]:
    parts = sorted((run.match_folder(run.matches[0]) / kind).glob("*.parquet"))
    return [row for part in parts for row in pq.read_table(part, partitioning=None).to_pylist()]


def shown_of(run: Run) -> Row:
    matches: list[Row] = summarise_run(run, run.matches)["matches"]
    return matches[0]


def by_deal(rows: list[Row], value: Callable[[Row], Any]) -> dict[int, list[int]]:
    deals: dict[int, list[int]] = {}
    for row in rows:
        deals.setdefault(row["deal"], []).append(value(row))
    return deals


def check_mean(
    shown: Row, key: str, rows: list[Row], value: Callable[[Row], Any], most: int | None = None
) -> None:
    """A mean over deals; one between 0 and `most`, as a rate is between 0 and 1, has the interval of a rate."""
    is_rate = key.endswith("rate")
    whole = 1 if most is None else most
    means = [Fraction(sum(values), len(values) * whole) for values in by_deal(rows, value).values()]
    count, mean = len(means), sum(means, Fraction(0)) / len(means)
    variance = sum(((m - mean) ** 2 for m in means), Fraction(0)) / (count - 1) / count
    if is_rate or most:
        assert variance or mean in (0, 1)
        z, trials = stats.norm.ppf(0.975), float(mean * (1 - mean) / variance) if variance else count
        root = z * math.sqrt(mean * (1 - mean) / trials + z * z / (4 * trials**2))
        bounds = [
            (float(mean) + z * z / (2 * trials) + sign * root) / (1 + z * z / trials) for sign in (-1, 1)
        ]
    else:
        half = stats.t.ppf(0.975, count - 1) * math.sqrt(variance)
        bounds = [float(mean) - half, float(mean) + half]
    tolerance = 6e-7 if is_rate else 6e-5
    assert shown[key] == pytest.approx(float(mean) * whole, abs=tolerance)
    assert shown[f"{key}_interval"] == pytest.approx([bound * whole for bound in bounds], abs=tolerance)


def check_ratio(
    shown: Row,
    key: str,
    rows: list[Row],
    above: Callable[[Row], int],
    below: Callable[[Row], int],
    least: float | None,
) -> None:
    """A ratio of totals over deals, with the error of its linear part, and its distance from what is exact."""
    tops, bottoms = by_deal(rows, above), by_deal(rows, below)
    pairs = [(sum(tops[deal]), sum(bottoms[deal])) for deal in tops]
    pairs = [pair for pair in pairs if pair != (0, 0)]
    ratio, count = Fraction(sum(y for y, _ in pairs), sum(x for _, x in pairs)), len(pairs)
    rest = sum((y - ratio * x) ** 2 for y, x in pairs)
    error = math.sqrt(Fraction(count, count - 1) * rest) / sum(x for _, x in pairs)
    half = stats.t.ppf(0.975, count - 1) * error
    bounds = [float(ratio) - half, float(ratio) + half]
    if least is not None:
        bounds = [max(least, bounds[0]), min(1.0, bounds[1])]
    tolerance = 6e-5 if least is None else 6e-7
    assert shown[key] == pytest.approx(float(ratio), abs=tolerance)
    assert shown[f"{key}_interval"] == pytest.approx(bounds, abs=tolerance)
    if key in EXACT:
        assert shown[f"{key}_exact"] == pytest.approx(float(EXACT[key]), abs=tolerance)
        assert shown[f"{key}_z"] == pytest.approx(float(ratio - EXACT[key]) / error, abs=6e-5)
    else:
        assert f"{key}_exact" not in shown


def ask(run: Run, form: str) -> str:
    return CliRunner().invoke(summary, [str(run.path), "--format", form], catch_exceptions=False).output


def wilson(rows: list[Row], level: float) -> list[float]:
    """Wilson's interval of the mean credit, each row one trial of a deal of its own."""
    shares = [Fraction(row["credit"], 60) for row in rows]
    count, mean = len(shares), sum(shares, Fraction(0)) / len(shares)
    trials = float(mean * (1 - mean) * count * (count - 1) / sum((share - mean) ** 2 for share in shares))
    z, p = stats.norm.ppf((1 + level) / 2), float(mean)
    root = z * math.sqrt(p * (1 - p) / trials + z * z / (4 * trials**2))
    return [(p + z * z / (2 * trials) + sign * root) / (1 + z * z / trials) for sign in (-1, 1)]


def made(
    tmp_path: Path, manifest: Row, as_table: Callable[..., pa.Table], change: Row, sums: list[Row]
) -> Run:
    """A run of two seats whose games are all alike, but for what is changed."""
    run = create_run(tmp_path / "run", manifest)
    (match,) = run.matches
    alike = dict.fromkeys((column.name for column in match.columns), 0) | {
        "won": False,
        "tied": True,
        "credit": 30,
    }
    rows = [
        alike | {"deal": deal, "game": deal * 2 + seating, "seating": seating, "seat": seat, "side": seat,
                 "strategy": match.strategy_at(seating, seat), "place": 1, "score": 100, "rounds": 20,
                 "survived": 20, "results": 20, "throws": 40} | change
        for seating in range(2) for seat in range(2) for deal in range(match.deals)
    ]  # fmt: skip
    commit_part(run, match, 0, as_table(match.columns, rows), as_table(CATEGORIES, sums), "0" * 16)
    return run


LINE = {"block": 0, "seat": 0, "strategy": "flat", "category": "456", "count": 1, "sum": 5, "sum_of_squares": 25,
        "zeros": 0}  # fmt: skip
