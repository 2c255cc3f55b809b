"""Every figure of the summary against slow counting of the rows, and one run counted by hand."""

import math
from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import stats

from results.schema import CATEGORIES, GAMES
from results.store import DamagedPart, Match, Run, RunError, commit_part, create_run
from results.summary import QUANTILES, summarise_run

Play = Callable[..., Run]
Row = dict[str, Any]

LINEUPS: dict[str, dict[str, Any]] = {
    "two": {"lineup": ["greedy", "par"], "bonus_points": 35},
    "three, tops shared": {"lineup": ["greedy", "par", "greedy"], "tiebreak": "shared"},
    "mirror": {"lineup": ["par", "par"]},
    "six": {"lineup": ["a", "b", "c", "d", "e", "f"], "tiebreak": "shared"},
    "teams": {"lineup": ["par", "greedy", "greedy", "par"], "sides": [0, 1, 0, 1]},
    "three teams": {
        "lineup": ["a", "b", "a", "a", "a", "c"],
        "sides": [0, 1, 2, 0, 1, 2],
        "tiebreak": "shared",
    },
    "solitaire": {"lineup": ["greedy"], "bonus_points": 35},
}


@pytest.fixture(params=LINEUPS, ids=str)
def run(request: pytest.FixtureRequest, play: Play) -> Run:
    return play(deals=37, chunk_deals=10, **LINEUPS[request.param])


def rows_of(run: Run, match: Match, kind: str = "games") -> list[Row]:
    parts = sorted((run.match_folder(match) / kind).glob("*.parquet"))
    return [row for part in parts for row in pq.read_table(part, partitioning=None).to_pylist()]


def by_deal(rows: Iterable[Row], value: Callable[[Row], int]) -> list[Fraction]:
    deals: dict[int, list[int]] = {}
    for row in rows:
        deals.setdefault(row["deal"], []).append(value(row))
    return [Fraction(sum(values), len(values)) for values in deals.values()]


def mean_and_variance(means: list[Fraction]) -> tuple[Fraction, Fraction]:
    mean = sum(means, Fraction(0)) / len(means)
    return mean, sum(((m - mean) ** 2 for m in means), Fraction(0)) / (len(means) - 1) / len(means)


def wilson(means: list[Fraction], level: float, fixed: bool = False) -> list[float]:
    rate, variance = mean_and_variance(means)
    if variance == 0 and 0 < rate < 1:
        unlike = 0 if fixed else 1 - (1 - level) ** (1 / len(means))
        return [float(rate) * (1 - unlike), float(rate) + (1 - float(rate)) * unlike]
    trials = float(rate * (1 - rate) / variance) if variance else len(means)
    z, p = stats.norm.ppf((1 + level) / 2), float(rate)
    root = z * math.sqrt(p * (1 - p) / trials + z * z / (4 * trials**2))
    return [(p + z * z / (2 * trials) + sign * root) / (1 + z * z / trials) for sign in (-1, 1)]


def student(means: list[Fraction], level: float) -> list[float]:
    mean, variance = mean_and_variance(means)
    half = stats.t.ppf((1 + level) / 2, len(means) - 1) * math.sqrt(variance)
    return [float(mean) - half, float(mean) + half]


def check_rate(
    shown: Row, key: str, interval: str, means: list[Fraction], level: float, fixed: bool = False
) -> None:
    assert shown[key] == pytest.approx(float(sum(means) / len(means)), abs=6e-7)
    assert shown[interval] == pytest.approx(wilson(means, level, fixed), abs=6e-7)


def check_mean(shown: Row, key: str, means: list[Fraction], level: float) -> None:
    assert shown[key] == pytest.approx(float(sum(means) / len(means)), abs=6e-5)
    assert shown[f"{key}_interval"] == pytest.approx(student(means, level), abs=6e-5)


def entry_of(match: Match, row: Row) -> str:
    """The entry of a row by the rule in words: partners joined in the order the lineup names them."""
    partners = [k for k in range(match.seats) if match.sides[k] == row["side"]]
    names = [match.lineup[(k - row["seating"]) % match.seats] for k in partners]
    return "+".join(name for name in dict.fromkeys(match.lineup) for _ in range(names.count(name)))


def one_seat_a_side(match: Match, rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["seat"] == match.sides.index(row["side"])]


@pytest.mark.parametrize("level", [0.95, 0.8])
def test_the_figures_of_each_strategy(run: Run, level: float) -> None:
    (match,) = run.matches
    rows = rows_of(run, match)
    (shown,) = summarise_run(run, [match], level)["matches"]
    sides = one_seat_a_side(match, rows)
    assert {e["strategy"] for e in shown["strategies"]} == {entry_of(match, row) for row in rows}
    for entry in shown["strategies"]:
        own = [row for row in sides if entry_of(match, row) == entry["strategy"]]
        assert entry["games"] == len(own) == entry["seats"] * shown["games"]
        check_mean(entry, "score_mean", by_deal(own, lambda r: r["score"]), level)
        check_rate(entry, "bonus_rate", "bonus_rate_interval", by_deal(own, lambda r: r["bonus"] > 0), level)
        per_side = len(match.sides) // match.side_count
        throws = by_deal([r for r in rows if entry_of(match, r) == entry["strategy"]], lambda r: r["throws"])
        check_mean(entry, "throws_mean", [per_side * t for t in throws], level)
        scores = [row["score"] for row in own]
        assert entry["score_sd"] == pytest.approx(np.std(scores, ddof=1), abs=6e-5)
        assert (entry["score_min"], entry["score_max"]) == (min(scores), max(scores))
        assert entry["score_median"] == np.quantile(scores, 0.5, method="inverted_cdf")
        check_quantiles(entry, own, level)
        if match.is_solitaire:
            assert [entry[f"{name}_rate"] for name in ("win", "shared", "credit")] == [None] * 3
            continue
        alone = len(shown["strategies"]) == 1
        fixed = alone and match.tiebreak == "roll-off"
        check_rate(entry, "win_rate", "win_rate_interval", by_deal(own, lambda r: r["won"]), level, fixed)
        shared = by_deal(own, lambda r: r["place"] == 1 and not r["won"])
        check_rate(entry, "shared_rate", "shared_rate_interval", shared, level)
        credit = [c / 60 for c in by_deal(own, lambda r: r["credit"])]
        check_rate(entry, "credit_rate", "credit_rate_interval", credit, level, alone)


def check_quantiles(entry: Row, own: list[Row], level: float) -> None:
    scores = sorted(row["score"] for row in own)
    size = len(scores)
    _, variance = mean_and_variance(by_deal(own, lambda r: r["score"]))
    trials = int(size / max(1.0, float(variance) * size / float(np.var(scores, ddof=1))))
    for share in QUANTILES:
        assert entry["score_quantiles"][str(share)] == np.quantile(scores, share, method="inverted_cdf")
        below = int(stats.binom.ppf((1 - level) / 2, trials, share))
        above = int(stats.binom.ppf((1 + level) / 2, trials, share)) + 1
        low = scores[max(1, below * size // trials) - 1] if below >= 1 else None
        high = scores[math.ceil(Fraction(above * size, trials)) - 1] if above <= trials else None
        assert entry["score_quantile_intervals"][str(share)] == (
            [low, high] if (low, high) != (None, None) else None
        )


def test_ties_seats_positions_and_course(run: Run) -> None:
    (match,) = run.matches
    rows = rows_of(run, match)
    (shown,) = summarise_run(run, [match])["matches"]
    if match.is_solitaire:
        assert (shown["ties"], shown["start"], shown["course"]) == (None, None, None)
        assert (shown["seats"], shown["positions"]) == ([], [])
        return
    games = [row for row in rows if row["seat"] == 0]
    tied_sides = Counter(row["game"] for row in one_seat_a_side(match, rows) if row["tied"])
    ties = shown["ties"]
    check_rate(ties, "rate", "interval", by_deal(games, lambda r: tied_sides[r["game"]] > 0), 0.95)
    assert (ties["games"], ties["tied_games"]) == (len(games), len(tied_sides))
    assert ties["by_tied_seats"] == {str(k): n for k, n in sorted(Counter(tied_sides.values()).items())}
    for shown_rounds, name in (
        (ties["by_rounds"], "tiebreak_rounds"),
        (shown["start"]["by_rounds"], "start_rounds"),
    ):
        rounds = Counter(row[name] for row in games if row[name])
        assert shown_rounds == {str(k): n for k, n in sorted(rounds.items())}
    starts = by_deal(games, lambda r: r["start_rounds"] > 1)
    check_rate(shown["start"], "tie_rate", "tie_rate_interval", starts, 0.95)
    check_course(shown["course"], rows)
    for chair, chairs in (("seat", "seats"), ("position", "positions")):
        assert [c[chair] for c in shown[chairs]] == list(range(match.seats))
        for c in shown[chairs]:
            own = [row for row in rows if row[chair] == c[chair]]
            check_rate(c, "win_rate", "win_rate_interval", by_deal(own, lambda r: r["won"]), 0.95)
            credit = [x / 60 for x in by_deal(own, lambda r: r["credit"])]
            check_rate(c, "credit_rate", "credit_rate_interval", credit, 0.95)
            assert c["games"] == len(own)
            assert c["fair_share"] == pytest.approx(1 / len(set(match.sides)), abs=6e-7)


def check_course(course: Row, rows: list[Row]) -> None:
    """What the winner did is of the games that somebody won, with the error of a ratio of totals over deals."""
    games = [row for row in rows if row["seat"] == 0]
    won = {row["game"] for row in rows if row["won"]}
    assert (course["games"], course["won_games"]) == (len(games), len(won))
    check_mean(course, "lead_changes_mean", by_deal(games, lambda r: r["lead_changes"]), 0.95)
    counts: Counter[int] = Counter(row["deal"] for row in games if row["game"] in won)
    for name in ("decided_turn", "worst_deficit"):
        totals: Counter[int] = Counter()
        for row in games:
            totals[row["deal"]] += row[name] * (row["game"] in won)
        mean, deals = Fraction(totals.total(), len(won)), len(counts)
        rest = sum((totals[deal] - mean * counts[deal]) ** 2 for deal in counts)
        half = stats.t.ppf(0.975, deals - 1) * math.sqrt(rest * deals / (deals - 1)) / len(won)
        assert course[f"{name}_mean"] == pytest.approx(float(mean), abs=6e-5)
        bounds = [float(mean) - half, float(mean) + half]
        assert course[f"{name}_mean_interval"] == pytest.approx(bounds, abs=6e-5)


def test_where_nobody_won_there_is_no_course_of_a_winner(
    tmp_path: Path, make_manifest: Callable[..., Any], as_table: Callable[..., pa.Table]
) -> None:
    """Twelve deals: games of the first seating are tied in the end, of the second won in all or in no deal."""
    for name, wins in (("some", 12), ("none", 0)):
        manifest = make_manifest(["par", "greedy"], deals=12, chunk_deals=12, tiebreak="shared")
        run = create_run(tmp_path / name, manifest)
        blank: Row = dict.fromkeys((column.name for column in GAMES), 0)
        rows = []
        for seating in (0, 1):
            for seat in (0, 1):
                for deal in range(12):
                    somebody = seating == 1 and deal < wins
                    won = somebody and seat == 1
                    rows.append(blank | {
                        "deal": deal, "game": 2 * deal + seating, "seating": seating, "seat": seat, "side": seat,
                        "strategy": ["par", "greedy"][(seat - seating) % 2], "position": seat, "won": won,
                        "place": 1 + (somebody and not won), "credit": 60 * won if somebody else 30,
                        "tied": not somebody, "lead_changes": 2, "decided_turn": 1 + deal % 2 if somebody else 3,
                        "worst_deficit": 7 if somebody else 0,
                    })  # fmt: skip
        sums = [{"block": 0, "seat": 0, "strategy": "par", "category": "ones", "count": 4, "sum": 6,
                 "sum_of_squares": 14, "zeros": 1}]  # fmt: skip
        commit_part(run, run.matches[0], 0, as_table(GAMES, rows), as_table(CATEGORIES, sums), "0" * 16)
        course = summarise_run(run, run.matches)["matches"][0]["course"]
        assert (course["games"], course["won_games"], course["lead_changes_mean"]) == (24, wins, 2.0)
        if wins:
            # Half of twelve deals 1, half 2: an error of sqrt(12 x 0.25 / 11 / 12); t for 11 degrees is 2.200985.
            half = 2.200985 * math.sqrt(0.25 / 11)
            assert course["decided_turn_mean"] == 1.5
            assert course["decided_turn_mean_interval"] == pytest.approx([1.5 - half, 1.5 + half], abs=6e-5)
            assert (course["worst_deficit_mean"], course["worst_deficit_mean_interval"]) == (7.0, None)
        else:
            assert [v for k, v in course.items() if k.startswith(("decided", "worst"))] == [None] * 4


def test_categories_and_histogram(run: Run) -> None:
    (match,) = run.matches
    (shown,) = summarise_run(run, [match])["matches"]
    sums = rows_of(run, match, "categories")
    order = [(s, c.id) for s in dict.fromkeys(match.lineup) for c in match.categories]
    assert [(c["strategy"], c["category"]) for c in shown["categories"]] == order
    for c in shown["categories"]:
        own = [row for row in sums if (row["strategy"], row["category"]) == (c["strategy"], c["category"])]
        count, total, squares, zeros = (
            sum(r[k] for r in own) for k in ("count", "sum", "sum_of_squares", "zeros")
        )
        assert c["count"] == count
        assert c["mean"] == pytest.approx(total / count, abs=6e-5)
        assert c["zero_rate"] == pytest.approx(zeros / count, abs=6e-7)
        assert c["sd"] == pytest.approx(math.sqrt((squares - total**2 / count) / (count - 1)), abs=6e-5)
    bins = shown["histogram"]
    for entry, counts in bins["counts"].items():
        own = [r for r in one_seat_a_side(match, rows_of(run, match)) if entry_of(match, r) == entry]
        assert len(counts) <= 20
        for k, count in enumerate(counts):
            edge = bins["low"] + k * bins["width"]
            assert count == sum(edge <= row["score"] < edge + bins["width"] for row in own)
        assert sum(counts) == len(own)


def test_the_conclusion_pairs_the_two_best_by_deal(play: Play) -> None:
    run = play(["greedy", "par", "greedy"], deals=40, chunk_deals=15, tiebreak="shared")
    (match,) = run.matches
    rows = rows_of(run, match)
    first, second = (
        by_deal([r for r in rows if r["strategy"] == name], lambda r: r["credit"])
        for name in ("greedy", "par")
    )
    differences = [(a - b) / 60 * 100 for a, b in zip(first, second, strict=True)]
    if sum(differences) < 0:
        differences = [-d for d in differences]
    low, high = student(differences, 0.95)
    conclusion = summarise_run(run, [match])["matches"][0]["conclusion"]
    assert " % for each side: " in conclusion
    assert (
        f"{float(sum(differences) / 40):.4f} percentage points more [{low:.4f}, {high:.4f}] at 95 %"
        in conclusion
    )
    assert conclusion.startswith("No winner is shown") == (low <= 0)
    assert conclusion.endswith("over 120 games (40 deals).")


def test_a_run_counted_by_hand(
    tmp_path: Path, make_manifest: Callable[..., Any], as_table: Callable[..., pa.Table]
) -> None:
    # par against greedy, one seating each way. Scores (par, greedy), by deal and seating:
    #   deal 0: 20-10, 15-15 and greedy wins the roll-off in round 2;  deal 1: 30-10, 20-10
    scores = {
        (0, 0): (20, 10, "par"),
        (0, 1): (15, 15, "greedy"),
        (1, 0): (30, 10, "par"),
        (1, 1): (20, 10, "par"),
    }
    blank: Row = dict.fromkeys((column.name for column in GAMES), 0)
    rows = []
    for seating in (0, 1):
        for seat in (0, 1):
            for deal in (0, 1):
                name = ["par", "greedy"][(seat - seating) % 2]
                par, greedy, winner = scores[deal, seating]
                won = name == winner
                rows.append(blank | {
                    "deal": deal, "game": 2 * deal + seating, "seating": seating, "seat": seat, "side": seat,
                    "strategy": name, "position": seat, "score": par if name == "par" else greedy,
                    "place": 1 if won else 2, "won": won, "credit": 60 * won, "tied": par == greedy,
                    "tiebreak_rounds": 2 * (par == greedy), "start_rounds": 1, "throws": 5,
                    "lead_changes": deal, "decided_turn": 1 + deal, "worst_deficit": 4 * seating,
                })  # fmt: skip
    category = {"block": 0, "seat": 0, "strategy": "par", "category": "ones", "count": 4, "sum": 6}
    sums = [
        category | {"sum_of_squares": 14, "zeros": 1},
        category | {"block": 1, "sum_of_squares": 10, "zeros": 0},
    ]
    run = create_run(tmp_path / "run", make_manifest(["par", "greedy"], deals=2, chunk_deals=2))
    commit_part(run, run.matches[0], 0, as_table(GAMES, rows), as_table(CATEGORIES, sums), "0" * 16)
    (shown,) = summarise_run(run, run.matches)["matches"]
    par, greedy = shown["strategies"]
    # Deal means of par's wins: 1/2 and 1. Their variance over 2 is 1/16, so n_eff = (3/4)(1/4)/(1/16) = 3.
    # Wilson, z^2 = 3.841459: (0.75 + z^2/6 -+ z sqrt(0.0625 + z^2/36)) / (1 + z^2/3).
    assert (par["win_rate"], greedy["win_rate"], par["games"]) == (0.75, 0.25, 4)
    assert par["win_rate_interval"] == [0.256093, 0.963159]
    # Deal means of the scores: 17.5 and 25; Student's t for one degree of freedom is 12.7062.
    assert (par["score_mean"], par["score_mean_interval"]) == (21.25, [-26.3983, 68.8983])
    assert par["score_sd"] == 6.2915  # sqrt((1.25^2 + 6.25^2 + 8.75^2 + 1.25^2) / 3)
    assert par["score_quantiles"] == {"0.05": 15, "0.25": 15, "0.5": 20, "0.75": 20, "0.95": 30}
    assert (greedy["score_mean"], greedy["score_min"], greedy["score_max"]) == (11.25, 10, 15)
    assert shown["ties"]["rate"] == 0.25
    assert (shown["ties"]["by_tied_seats"], shown["ties"]["by_rounds"]) == ({"2": 1}, {"2": 1})
    assert [c["win_rate"] for c in shown["seats"]] == [0.75, 0.25]
    course = shown["course"]
    assert [course[f"{k}_mean"] for k in ("lead_changes", "decided_turn", "worst_deficit")] == [0.5, 1.5, 2.0]
    # Every game had a winner; two deals are too few for the interval of a ratio.
    assert (course["won_games"], course["worst_deficit_mean_interval"]) == (4, None)
    assert shown["categories"] == [
        {"strategy": "par", "category": "ones", "name": "Ones", "count": 8, "mean": 1.5, "sd": 0.9258,
         "zero_rate": 0.125}
    ]  # fmt: skip
    assert shown["conclusion"].startswith(
        "No winner is shown: par is before greedy, with 75.0000 % of the credit"
    )


def test_a_part_of_a_run_is_summarised_as_such(play: Play) -> None:
    run = play(["greedy", "par"], deals=12, chunk_deals=4, chunks=[0, 2])
    document = summarise_run(run, run.matches)
    (shown,) = document["matches"]
    assert (document["complete"], shown["complete"]) == (False, False)
    assert (shown["deals"], shown["deals_planned"], shown["games"], shown["games_planned"]) == (8, 12, 16, 24)


def test_one_deal_gives_figures_without_intervals(play: Play) -> None:
    run = play(["greedy", "par"], deals=1)
    (shown,) = summarise_run(run, run.matches)["matches"]
    for entry in shown["strategies"]:
        assert entry["win_rate"] is not None
        assert (entry["win_rate_interval"], entry["score_mean_interval"]) == (None, None)
    assert "one deal gives no interval" in shown["conclusion"]


def test_a_mirror_is_sure_only_of_what_the_rules_fix(play: Play) -> None:
    for name, rate in (("roll-off", "win_rate"), ("shared", "credit_rate")):
        run = play(["par", "par"], deals=30, tiebreak=name, name=name)
        (entry,) = summarise_run(run, run.matches)["matches"][0]["strategies"]
        assert (entry[rate], entry[f"{rate}_interval"]) == (0.5, [0.5, 0.5])
    low, high = entry["win_rate_interval"]
    assert low < high


def test_a_clean_sweep_of_two_deals_shows_no_winner(
    tmp_path: Path, make_manifest: Callable[..., Any], as_table: Callable[..., pa.Table]
) -> None:
    blank: Row = dict.fromkeys((column.name for column in GAMES), 0)
    rows = []
    for seating in (0, 1):
        for seat in (0, 1):
            for deal in (0, 1):
                won = seat == seating  # par, the first of the lineup
                rows.append(blank | {
                    "deal": deal, "game": 2 * deal + seating, "seating": seating, "seat": seat, "side": seat,
                    "strategy": "par" if won else "greedy", "position": seat, "score": 20 if won else 10,
                    "place": 2 - won, "won": won, "credit": 60 * won, "tied": False, "decided_turn": 1,
                })  # fmt: skip
    run = create_run(tmp_path / "run", make_manifest(["par", "greedy"], deals=2, chunk_deals=2))
    sums = [{"block": 0, "seat": 0, "strategy": "par", "category": "ones", "count": 4, "sum": 6,
             "sum_of_squares": 14, "zeros": 1}]  # fmt: skip
    commit_part(run, run.matches[0], 0, as_table(GAMES, rows), as_table(CATEGORIES, sums), "0" * 16)
    assert summarise_run(run, run.matches)["matches"][0]["conclusion"] == (
        "No winner is shown: par is before greedy, with 100.0000 % of the credit against 0.0000 %: "
        "100.0000 percentage points more [-55.2786, 100.0000] at 95 %, over 4 games (2 deals)."
    )


def test_nothing_played_is_an_error_for_the_run_and_a_word_for_a_match(
    tmp_path: Path, make_manifest: Callable[..., Any], play_chunk: Callable[..., None]
) -> None:
    manifest = make_manifest(["greedy", "par"])
    manifest["matches"].append(manifest["matches"][0] | {"number": 1})
    run = create_run(tmp_path / "run", manifest)
    with pytest.raises(RunError, match="holds no games"):
        summarise_run(run, run.matches)
    play_chunk(run, run.matches[1], 0)
    empty, partial = summarise_run(run, run.matches)["matches"]
    assert (empty["deals"], empty["conclusion"]) == (0, "Nothing is played yet.")
    assert empty["strategies"][0]["win_rate"] is None
    assert partial["deals"] == 4


@pytest.mark.parametrize("kind", ["games", "categories"])
def test_a_damaged_file_gives_no_figures(play: Play, kind: str) -> None:
    run = play(["greedy", "par"], deals=10)
    (match,) = run.matches
    path = run.match_folder(match) / kind / "part-00001.parquet"
    content = path.read_bytes()
    for place in range(4, len(content), len(content) // 40):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with pytest.raises(DamagedPart, match="dicecup jobs repair sets it aside") as caught:
            summarise_run(run, [match])
        assert caught.value.path == path


def test_a_run_that_grows_meanwhile_is_summarised_at_one_moment(
    play: Play, play_chunk: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = play(["greedy", "par"], deals=12, chunk_deals=4, chunks=[0])
    (match,) = run.matches
    before = summarise_run(run, [match])
    assert before["complete"] is False
    real = Run.committed_chunks

    def growing(self: Run, match: Match) -> list[int]:
        there = real(self, match)
        if missing := sorted(set(range(match.chunks)) - set(there)):
            play_chunk(self, match, missing[0])
        return there

    monkeypatch.setattr(Run, "committed_chunks", growing)
    assert summarise_run(run, [match]) == before
    monkeypatch.undo()
    assert run.committed_chunks(match) == [0, 1]
    (shown,) = summarise_run(run, [match])["matches"]
    assert shown["deals"] == 8
    assert sum(c["count"] for c in shown["categories"]) == 2 * sum(
        c["count"] for c in before["matches"][0]["categories"]
    )
