"""Every measure of a game, against slow counting of the rows in exact fractions."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pyarrow.parquet as pq
import pytest

from results.balance.equal_play import count_scores, read_metrics
from results.balance.game_totals import Counting
from results.balance.measures import MEASURES
from results.balance.metrics import METRICS
from results.store import Match, Run

Row = dict[str, Any]
Game = list[Row]
"""The rows of a game, by seat."""

COUNTING = Counting.of(0.5, 0.25, 0.2)
COMEBACK, BLOWOUT, CLOSE = Fraction(1, 2), Fraction(1, 4), Fraction(1, 5)
RUNS: dict[str, dict[str, Any]] = {
    "two": {"lineup": ["par"] * 2, "bonus_points": 35, "luck": True},
    "four": {"lineup": ["par"] * 4, "tiebreak": "shared"},
    "teams": {"lineup": ["par"] * 4, "sides": [0, 1, 0, 1], "rules": {"team": 2}, "luck": True},
    "steals": {"lineup": ["par"] * 3, "rules": {"steal": "take"}},
    "clock": {"lineup": ["par"] * 2, "rules": {"clock": {}, "joker": {}}, "turns": 3},
}
BANKS: dict[str, dict[str, Any]] = {
    "bank": {},
    "pot": {"bank": "none"},
    "timed": {"minutes": 5, "throw_seconds": 1.5},
}


def sides(game: Game) -> list[Row]:
    """One row for each side."""
    return list({row["side"]: row for row in reversed(game)}.values())


def scores(game: Game) -> list[int]:
    return sorted((row["score"] for row in sides(game)), reverse=True)


def rounds(game: Game, match: Match) -> int:
    if "rounds" in game[0]:
        return int(game[0]["rounds"])
    if "turns" not in game[0]:
        return match.turns
    turns: dict[int, int] = defaultdict(int)
    for row in game:
        turns[row["side"]] += row["turns"]
    return max(turns.values())


def turns(game: Game, match: Match) -> int:
    for name in ("results", "turns"):
        if name in game[0]:
            return sum(int(row[name]) for row in game)
    return match.turns * len(sides(game))


def seconds(game: Game, match: Match) -> Fraction:
    if "milliseconds" in game[0]:
        return Fraction(max(row["milliseconds"] for row in game), 1000)
    return Fraction(3 * sum(row["throws"] for row in game), 2)


def luckier(game: Game) -> bool:
    winner, *others = sorted(sides(game), key=lambda row: not row["won"])
    return all(winner["luck"] > row["luck"] for row in others)


def mean(values: list[Any]) -> tuple[Fraction, int] | None:
    return (sum(map(Fraction, values), Fraction(0)) / len(values), len(values)) if values else None


def ratio(above: list[Any], below: list[Any]) -> tuple[Fraction, int]:
    return Fraction(sum(above), sum(below)), len(below)


def expected(key: str, games: list[Game], match: Match) -> tuple[Fraction, int] | None:
    """The value of a measure and how many it is of, by its definition."""
    won = [game for game in games if any(row["won"] for row in game)]
    each = [row for game in games for row in sides(game)]
    fair = Fraction(1, match.side_count)
    found: dict[str, Callable[[], tuple[Fraction, int] | None]] = {
        "first_advantage": lambda: mean(
            [Fraction(r["credit"], 60) - fair for g in games for r in g if r["position"] == 0]
        ),
        "bank_edge": lambda: (
            Fraction(sum(r["bank_net"] for g in games for r in g), sum(r["covered"] for g in games for r in g)),
            sum(r["covered"] for g in games for r in g),
        ),
        "tie_rate": lambda: mean([any(r["tied"] for r in g) for g in games]),
        "roll_off_rounds": lambda: mean([g[0]["tiebreak_rounds"] for g in games if g[0]["tiebreak_rounds"]]),
        "decisive_rate": lambda: mean([g in won for g in games]),
        "lead_changes": lambda: mean([g[0]["lead_changes"] for g in games]),
        "comeback_rate": lambda: mean([g[0]["worst_deficit"] >= COMEBACK * scores(g)[0] for g in won]),
        "drama": lambda: mean([g[0]["worst_deficit"] for g in won]),
        "drama_share": lambda: ratio([g[0]["worst_deficit"] for g in won], [scores(g)[0] for g in won]),
        "decided_share": lambda: ratio(
            [min(g[0]["decided_turn"], rounds(g, match)) for g in won], [rounds(g, match) for g in won]
        ),
        "last_round_rate": lambda: mean([g[0]["decided_turn"] >= rounds(g, match) for g in won]),
        "margin": lambda: mean([scores(g)[0] - scores(g)[1] for g in games]),
        "margin_share": lambda: ratio([scores(g)[0] - scores(g)[1] for g in games], [scores(g)[0] for g in games]),
        "blowout_rate": lambda: mean([scores(g)[0] - scores(g)[1] >= BLOWOUT * scores(g)[0] for g in games]),
        "close_rate": lambda: mean(
            [scores(g)[0] == scores(g)[1] or scores(g)[0] - scores(g)[1] < CLOSE * scores(g)[0] for g in games]
        ),
        "rounds": lambda: mean([rounds(g, match) for g in games]),
        "turns": lambda: mean([turns(g, match) for g in games]),
        "throws": lambda: mean([sum(r["throws"] for r in g) for g in games]),
        "seconds": lambda: mean([seconds(g, match) for g in games]),
        "early_rate": lambda: mean([
            g[0]["rounds"] < match.turns and sum(r["survived"] == r["rounds"] for r in g) <= 1 for g in games
        ]),
        "luckier_rate": lambda: mean([luckier(g) for g in won]),
        "bonus_rate": lambda: mean([r["bonus"] > 0 for r in each]),
        "joker_mean": lambda: mean([r["jokers"] for r in each]),
        "steal_rate": lambda: mean([any(r["steals"] for r in g) for g in games]),
        "steal_gain": lambda: mean([Fraction(r["credit"] - r["credit_without"], 60) for r in each]),
        "cut_rate": lambda: mean([any(r["empty"] for r in g) for g in games]),
        "empty_mean": lambda: mean([r["empty"] for r in each]),
    }  # fmt: skip
    return found[key]()


def games_of(run: Run) -> list[Game]:
    (match,) = run.matches
    parts = sorted((run.match_folder(match) / "games").glob("*.parquet"))
    found: dict[int, Game] = defaultdict(list)
    for part in parts:
        for row in pq.read_table(part, partitioning=None).to_pylist():
            found[row["game"]].append(row)
    return [sorted(game, key=lambda row: row["seat"]) for game in found.values()]


@pytest.fixture(params=[*RUNS, *BANKS])
def own(request: pytest.FixtureRequest, ceelo: Callable[..., Any]) -> dict[str, Any]:
    """What a match of a kind is made of."""
    name = request.param
    return {"lineup": ["bold"] * 3, **ceelo(**BANKS[name])} if name in BANKS else RUNS[name]


def test_each_measure_is_what_its_definition_says(own: dict[str, Any], play: Callable[..., Run]) -> None:
    run = play(deals=43, chunk_deals=16, **own)
    (match,) = run.matches
    found = read_metrics(run, match, match.deals, COUNTING)
    games = games_of(run)
    assert set(found) == {*METRICS, "seat_advantage"}
    for key in METRICS:
        if found[key].why_absent:
            assert found[key].value is None
            continue
        value, n = expected(key, games, match) or (Fraction(0), 0)
        reading = found[key]
        assert (reading.value, reading.n) == (pytest.approx(float(value)), n), key
        interval = reading.interval(0.95)
        if interval:
            assert interval[0] - 1e-9 <= float(value) <= interval[1] + 1e-9, key
            assert not MEASURES[key].is_rate or max(map(abs, interval)) <= 1, key
    away = [
        Fraction(sum(game[seat]["credit"] for game in games), 60 * len(games)) - Fraction(1, match.side_count)
        for seat in range(match.seats)
    ]
    farthest = found["seat_advantage"]
    assert abs(farthest.value or 0) == pytest.approx(float(max(map(abs, away))))
    assert farthest.value == pytest.approx(float(away[int(farthest.fields["seat"])]))
    points = [row["score"] for game in games for row in sides(game)]
    assert count_scores(run, match, match.deals).value == pytest.approx(sum(points) / len(points))


def test_what_a_game_does_not_have_is_told_with_the_reason(
    own: dict[str, Any], make_manifest: Callable[..., Any], request: pytest.FixtureRequest
) -> None:
    match = Match.model_validate_json(json.dumps(make_manifest(**own)["matches"][0]))
    there = {key for key, metric in METRICS.items() if not metric.obstacle(match)}
    always = {"tie_rate", "decisive_rate", "margin", "margin_share", "blowout_rate", "close_rate", "rounds", "turns",
              "throws"}  # fmt: skip
    course = {"lead_changes", "comeback_rate", "drama", "drama_share", "decided_share", "last_round_rate"}
    added = {
        "two": {"first_advantage", "roll_off_rounds", "luckier_rate", "bonus_rate", *course},
        "four": {"first_advantage", *course},
        "teams": {"first_advantage", "roll_off_rounds", "luckier_rate", *course},
        "steals": {"first_advantage", "roll_off_rounds", "steal_rate", "steal_gain", *course},
        "clock": {"first_advantage", "roll_off_rounds", "seconds", "joker_mean", "cut_rate", "empty_mean"},
        "bank": {"bank_edge", "early_rate", *course},
        "pot": {"early_rate", *course},
        "timed": {"bank_edge", "early_rate", "seconds", *course},
    }[request.node.callspec.params["own"]]
    assert there == always | added
