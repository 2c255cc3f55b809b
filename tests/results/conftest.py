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
            | (ceelo_values(match, seating, deal)[seat] if match.ruleset.game == "ceelo" else {})
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
            # Luck that has something to do with the score, and mean zero.
            "luck": 2000 * (score - 9)
            + random.Random(f"luck {seating} {deal} {side}").randrange(-3000, 3001),
        }
        for seat in seats:
            by_seat[seat] |= by_side
    return by_seat


#: What a manifest of Cee-lo has otherwise than one of Cheerio; chances here are made up, but for two.
CEELO_LINES = [
    {"id": "456", "name": "4-5-6"},
    {"id": "point-6", "name": "point 6"},
    {"id": "123", "name": "1-2-3"},
]
CEELO_EXACT = {
    "result 456": "1/4",
    "result point-6": "2/5",
    "throws per result": "2",
    "bank edge": "1/108",
    "bet won": "7/16",
    "bet pushed": "25/216",
    "bet lost": "193/432",
    "instant win": "1/9",
}


def ceelo(bank="pass", **rules):
    """What make_manifest takes for a match of Cee-lo, with a bank or, where that is "none", a pot."""
    stakes = {"ante": 1, "outright": False} if bank == "none" else {"stake": {"minimum": 1, "maximum": 20}}
    return {
        "ruleset": {
            "name": "ceelo", "title": "Cee-lo", "digest": "c", "game": "ceelo",
            "rules": {"chips": 100, "bank": bank, **stakes, **rules},
        },
        "categories": CEELO_LINES,
        "exact": CEELO_EXACT,
        "turns": 20,
        "throws": 0,
        "tiebreak": "shared",
    }  # fmt: skip


def ceelo_values(match, seating, deal):
    """What Cee-lo adds, by seat: plausible figures of a game, more than it takes to tell them apart."""
    rng = random.Random(f"ceelo {seating} {deal}")
    rounds = rng.choice([match.turns, match.turns, rng.randrange(1, match.turns)])
    bankers = [rng.randrange(match.seats) for _ in range(rounds)]
    game = {
        "rounds": rounds,
        **{f"tied_{players}": rng.randrange(3) for players in range(2, match.seats + 1)},
        **{f"tied_{players}": 0 for players in range(match.seats + 1, 7)},
        **{f"decided_{number}": rng.randrange(1 + rounds // 4) for number in range(1, 5)},
    }
    by_seat = []
    for seat in range(match.seats):
        bank_rounds = bankers.count(seat)
        bets = rng.randrange(rounds - bank_rounds + 1)
        results = rounds + rng.randrange(9)
        covered = rng.randrange(20 * bank_rounds + 1)
        instant_wins = rng.randrange(bank_rounds + 1)
        won = rng.randrange(bets + 1)
        by_seat.append(game | {
            "survived": rounds if rng.random() < 0.7 else rng.randrange(rounds),
            "results": results,
            "throws": results + rng.randrange(2 * results),
            "bets": bets,
            "staked": bets * rng.randrange(1, 21),
            "bets_won": won,
            "pushes": rng.randrange(bets - won + 1),
            "covered": covered,
            "bank_net": rng.randrange(-covered, covered + 1),
            "bank_rounds": bank_rounds,
            "instant_wins": instant_wins,
            "instant_losses": rng.randrange(bank_rounds - instant_wins + 1),
            "bank_passes": rng.randrange(3) if match.ruleset.rules["bank"] == "pass" else 0,
        })  # fmt: skip
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


@pytest.fixture(name="ceelo")
def ceelo_fixture():
    return ceelo


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
