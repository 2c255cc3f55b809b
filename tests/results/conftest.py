"""Builds small runs row by row, in plain Python, so that tests can count what they hold."""

import random

import pyarrow as pa
import pytest

from results.schema import CATEGORIES
from results.store import commit_part, create_run


def make_manifest(
    lineup, *, sides=None, deals=6, chunk_deals=4, tiebreak="roll-off", bonus_points=0, rules=(), **more
):
    seats = len(lineup)
    seatings = len({tuple(lineup[k:] + lineup[:k]) for k in range(seats)})
    match = {
        "number": 0,
        "ruleset": {
            "name": "cheerio",
            "title": "Cheerio",
            "digest": "r",
            "game": "cheerio",
            "rules": {"dice": 5, **dict(rules)},
        },
        "categories": [
            {"id": "ones", "name": "Ones", "upper": True},
            {"id": "full_house", "name": "Full House", "upper": False},
        ],
        "turns": 2,
        "throws": 3,
        "tiebreak": tiebreak,
        "bonus_points": bonus_points,
        "lineup": lineup,
        "strategies": {
            name: {"rule": "r", "sees": ["open"], "parameters": {}, "source_digest": "s"} for name in lineup
        },
        "sides": sides or list(range(seats)),
        "seats": seats,
        "seatings": seatings,
        "deals": deals,
        "games": deals * seatings,
        "chunk_deals": chunk_deals,
        "chunks": -(-deals // chunk_deals),
    }
    return {
        "schema_version": 1,
        "engine_version": 1,
        "versions": {"dicecup": "0.1.0"},
        "job": {"name": "quick", "digest": "ab12cd34ef56", "seed": 7},
        "matches": [match | more],
    }


def play_game(match, seating, deal):
    """One game with scores from a small range, so that ties of all sizes come up."""
    rng = random.Random(f"{seating} {deal}")
    side_scores = {side: rng.randrange(10, 10 + 3 * match.side_count) for side in sorted(set(match.sides))}
    top = max(side_scores.values())
    leaders = [side for side, score in side_scores.items() if score == top]
    alone = match.side_count == 1
    tied = len(leaders) > 1
    roll_off = tied and match.tiebreak == "roll-off"
    winner = None if alone else rng.choice(leaders) if roll_off or not tied else None
    first = rng.randrange(match.seats)
    game = {
        "deal": deal,
        "game": deal * match.seatings + seating,
        "seating": seating,
        "tiebreak_rounds": rng.choice([1, 1, 1, 2]) if roll_off else 0,
        "start_rounds": 0 if alone else rng.choice([1, 1, 2]),
        "lead_changes": 0 if alone else rng.randrange(4),
        "decided_turn": 0 if alone else rng.randrange(1, 4),
        "worst_deficit": 0 if alone else rng.randrange(20),
    }
    added = variant_values(match, seating, deal, side_scores, winner)
    for seat in range(match.seats):
        side = match.sides[seat]
        score = side_scores[side]
        if roll_off and score == top:
            place = 1 if side == winner else 2
        else:
            place = 1 + sum(other > score for other in side_scores.values())
        credit = 60 if side == winner else 60 // len(leaders) if winner is None and score == top else 0
        yield (
            game
            | added[seat]
            | {
                "seat": seat,
                "side": side,
                "strategy": match.lineup[(seat - seating) % match.seats],
                "position": (seat - first) % match.seats,
                "score": score,
                "place": place,
                "won": side == winner,
                "credit": 0 if alone else credit,
                "tied": tied and score == top,
                "throws": rng.randrange(20, 40),
                "upper": score // 2,
                "bonus": match.bonus_points if score % 3 == 0 else 0,
                "decisions": rng.randrange(1 << 16),
            }
        )


def variant_values(match, seating, deal, scores, winner):
    """What variants add, by seat: plausible, and without a steal the same as with steals forbidden."""
    rng = random.Random(f"variant {seating} {deal}")
    by_seat = [{"turns": rng.randrange(1, 4), "steals": 0} for _ in range(match.seats)]
    for side, score in sorted(scores.items()):
        seats = [seat for seat, own in enumerate(match.sides) if own == side]
        margin = score - max((other for own, other in scores.items() if own != side), default=0)
        shared = [own for own, other in scores.items() if other == max(scores.values())]
        credit = 60 * (side == winner) if winner is not None else 60 // len(shared) * (side in shared)
        steals = rng.random() < 0.4
        by_seat[rng.choice(seats)]["steals"] = int(steals)
        by_side = {
            "jokers": rng.choice([0, 0, 0, 1, 2]),
            "robbed": rng.randrange(2),
            "margin_without": margin - steals * rng.randrange(-9, 20),
            "credit_without": rng.choice([0, 30, 60]) if steals else credit,
            "milliseconds": rng.randrange(20_000, 90_000),
            "empty": rng.choice([0, 0, 1, 2]),
        }
        for seat in seats:
            by_seat[seat] |= by_side
    return by_seat


def as_table(columns, rows):
    return pa.table(
        {c.name: pa.array([row[c.name] for row in rows]).cast(c.type) if not pa.types.is_dictionary(c.type)
         else pa.array([row[c.name] for row in rows], pa.string()).dictionary_encode().cast(c.type)
         for c in columns}
    )  # fmt: skip


def chunk_tables(match, chunk):
    deals = match.chunk_deals_of(chunk)
    rows = [
        row for seating in range(match.seatings) for deal in deals for row in play_game(match, seating, deal)
    ]
    rows.sort(key=lambda row: (row["seating"], row["seat"], row["deal"]))
    sums = []
    for seat in range(match.seats):
        for strategy in dict.fromkeys(match.lineup):
            for k, category in enumerate(match.categories):
                points = [
                    (row["decisions"] + k) % 5
                    for row in rows
                    if (row["seat"], row["strategy"]) == (seat, strategy)
                    and not ("clock" in match.ruleset.rules and (row["decisions"] + k) % 7 == 0)
                ]
                sums.append({
                    "block": deals.start // 1000, "seat": seat, "strategy": strategy, "category": category.id,
                    "count": len(points), "sum": sum(points), "sum_of_squares": sum(p * p for p in points),
                    "zeros": points.count(0),
                })  # fmt: skip
    return as_table(match.columns, rows), as_table(CATEGORIES, sums)


def play_chunk(run, match, chunk):
    games, categories = chunk_tables(match, chunk)
    commit_part(run, match, chunk, games, categories, f"{chunk:016x}")


@pytest.fixture
def manifest():
    return make_manifest(["greedy", "par"])


@pytest.fixture(name="make_manifest")
def make_manifest_fixture():
    return make_manifest


@pytest.fixture(name="chunk_tables")
def chunk_tables_fixture():
    return chunk_tables


@pytest.fixture(name="play_chunk")
def play_chunk_fixture():
    return play_chunk


@pytest.fixture(name="as_table")
def as_table_fixture():
    return as_table


@pytest.fixture
def play(tmp_path):
    """Return a function that plays a run whole, or only the chunks named."""

    def play_run(lineup, *, chunks=None, name="run", **rest):
        run = create_run(tmp_path / name, make_manifest(lineup, **rest))
        for match in run.matches:
            for chunk in range(match.chunks) if chunks is None else chunks:
                play_chunk(run, match, chunk)
        return run

    return play_run
