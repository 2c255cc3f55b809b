"""The balance report against slow counting, known matrices and planted imbalances."""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import stats

from results.balance import categories as balance_categories
from results.balance.diversity import Credits, effective_number, equilibrium
from results.balance.document import BestPlay, balance_document
from results.balance.matches import differing_rules
from results.balance.measures import MEASURES
from results.balance.reading import Reading
from results.balance.skill import Moments, optimal_gap_reading, reply_reading, strongest_of
from results.balance.tables import balance_csv, balance_foot, balance_lines, balance_tables
from results.balance.thresholds import AS_IT_IS, UNSETTLED, Limits, load_thresholds
from results.balance.words import leading_changes
from results.blocks import BlockSums
from results.errors import RunError
from results.figures import Document
from results.scan import category_sums
from results.schema import CREDIT_UNITS
from results.store import Run, commit_part, create_run

Row = dict[str, Any]
NAMES = ("greedy", "nets", "par")
DEALS = 40
RULES: dict[str, dict[str, Any]] = {
    "plain": {"rules": {"bonus": {"points": 0}}},
    "rich": {"rules": {"bonus": {"points": 35}}, "bonus_points": 35, "tiebreak": "shared"},
}
_KEPT: dict[str, Run] = {}


@pytest.fixture
def build(
    tmp_path_factory: pytest.TempPathFactory, make_manifest: Any, play_chunk: Any
) -> Callable[..., Run]:
    """Return a function that plays a mirror of each strategy and all pairs, under rulesets that are given by name.

    A run of the same kind is played once, unless it is to be fresh.
    """

    def build_run(
        rulesets: dict[str, dict[str, Any]],
        names: tuple[str, ...] = NAMES,
        seats: int = 2,
        fresh: bool = False,
        **more: Any,
    ) -> Run:
        key = repr((rulesets, names, seats, more))
        if key in _KEPT and not fresh:
            return _KEPT[key]
        lineups = [[name] * seats for name in names]
        lineups += [[pair[k % 2] for k in range(seats)] for pair in itertools.combinations(names, 2)]
        manifest: dict[str, Any] = {}
        matches: list[dict[str, Any]] = []
        for name, own in rulesets.items():
            extra = {rest: value for rest, value in own.items() if rest != "rules"} | more
            label = {
                "name": name,
                "title": name.title(),
                "digest": name,
                "game": "cheerio",
                "rules": own["rules"],
            }
            for lineup in lineups:
                manifest = make_manifest(lineup, deals=DEALS, chunk_deals=24, ruleset=label, **extra)
                matches.append(manifest["matches"][0] | {"number": len(matches)})
        run = create_run(tmp_path_factory.mktemp("balance") / "run", {**manifest, "matches": matches})
        for match in run.matches:
            for chunk in range(match.chunks):
                play_chunk(run, match, chunk)
        if not fresh:
            _KEPT[key] = run
        return run

    return build_run


def document_of(run: Run, best: dict[str, BestPlay] | None = None) -> Document:
    return balance_document(run, 0.95, load_thresholds(None), best or {})


def rows_of(run: Run, number: int) -> list[Row]:
    parts = sorted((run.match_folder(run.matches[number]) / "games").glob("*.parquet"))
    return [row for part in parts for row in pq.read_table(part, partitioning=None).to_pylist()]


def by_deal(rows: list[Row], key: str) -> np.ndarray:
    totals = np.zeros(DEALS)
    for row in rows:
        totals[row["deal"]] += row[key]
    return totals


def student(values: np.ndarray, level: float = 0.95) -> tuple[float, float]:
    half = stats.t.ppf((1 + level) / 2, len(values) - 1) * stats.sem(values)
    return values.mean() - half, values.mean() + half


def value_of(document: Document, measure: str, ruleset: str) -> Row:
    values = next(m["values"] for m in document["measures"] if m["measure"] == measure)
    return next(dict(value) for value in values if value["ruleset"] == ruleset)


def test_credit_of_pairs_and_differences_by_deal(build: Callable[..., Run]) -> None:
    run = build(RULES, luck=True)
    document = document_of(run, {"rich": BestPlay(60.0, {"ones": 1.25})})
    numbers = {
        (m.ruleset.name, tuple(dict.fromkeys(m.lineup))): m.number for m in run.matches
    }  # mirrors by (name,)
    for matrix in document["matrix"]:
        for (i, one), (j, other) in itertools.combinations(enumerate(NAMES), 2):
            rows = rows_of(run, numbers[matrix["ruleset"], (one, other)])
            shares = by_deal([r for r in rows if r["strategy"] == one], "credit") / (2 * CREDIT_UNITS)
            assert matrix["credit"][i][j] == pytest.approx(shares.mean(), abs=1e-6)
            assert matrix["credit"][j][i] == pytest.approx(1 - shares.mean(), abs=1e-6)
            low, high = matrix["intervals"][i][j]
            assert low < shares.mean() < high
            assert matrix["intervals"][j][i] == pytest.approx([1 - high, 1 - low], abs=2e-6)
        means = [(sum(row) - 0.5) / 2 for row in matrix["credit"]]
        assert matrix["mean_credit"] == pytest.approx(means, abs=1e-6)
        gap = value_of(document, "skill_gap", matrix["ruleset"])
        most, least = (NAMES.index(matrix[key]) for key in ("strongest", "weakest"))
        assert (most, least) == (np.argmax(means), np.argmin(means))
        assert gap["value"] == pytest.approx(2 * matrix["credit"][most][least] - 1, abs=2e-6)
    reference = document["reference"]
    assert reference == document["matrix"][0]["strongest"]
    plain, rich = (rows_of(run, numbers[name, (reference,)]) for name in RULES)
    won, throws = (by_deal(rich, key) - by_deal(plain, key) for key in ("won", "throws"))
    told = value_of(document, "decisive_rate", "rich")
    assert told["difference"] == pytest.approx(won.mean(), abs=1e-6)
    assert told["difference_interval"] == pytest.approx(student(won), abs=1e-6)
    # Fewer than ten deals that differ may miss the rare large difference, where that is no rate.
    assert 0 < np.count_nonzero(throws) < 10
    told = value_of(document, "throws", "rich")
    assert told["difference"] == pytest.approx(throws.mean(), abs=1e-4)
    assert (told["difference_interval"], told["changed"]) == (None, False)
    assert value_of(document, "throws", "plain")["difference"] is None
    best = value_of(document, "points_short", "rich")
    strongest = document["matrix"][1]["strongest"]
    scores = by_deal(rows_of(run, numbers["rich", (strongest,)]), "score") / 2
    assert best["value"] == pytest.approx(60 - scores.mean(), abs=1e-4)
    assert best["interval"] == pytest.approx([60 - bound for bound in reversed(student(scores))], abs=1e-4)
    assert "not known" in value_of(document, "points_short", "plain")["why_absent"]
    worths = {row["worth"] for row in document["categories"] if row["category"] == "ones"}
    assert worths == {None, 1.25}


def test_what_luck_explains_is_the_squared_correlation(build: Callable[..., Run]) -> None:
    run = build(RULES, luck=True)
    document = document_of(run)
    reference = document["reference"]
    matches = {tuple(dict.fromkeys(m.lineup)): m.number for m in run.matches if m.ruleset.name == "plain"}
    mirror = rows_of(run, matches[reference,])
    for key, name in (("luck_share_points", "score"), ("luck_share_credit", "credit")):
        away = {column: by_deal([r | {column: r[column] * (1 if r["seat"] else -1)} for r in mirror], column)
                for column in (name, "luck")}  # fmt: skip
        # Each side's excess and its reverse: the correlation about zero.
        squared = (away[name] @ away["luck"]) ** 2 / (away[name] @ away[name]) / (away["luck"] @ away["luck"])
        told = value_of(document, key, "plain")
        assert told["value"] == pytest.approx(squared, abs=1e-6)
        # Too few deals for an interval.
        assert told["interval"] is None
    first, last = (document["matrix"][0][key] for key in ("strongest", "weakest"))
    pair = rows_of(run, matches.get((first, last), matches.get((last, first), -1)))
    games: dict[int, dict[str, Row]] = {}
    for row in pair:
        games.setdefault(row["game"], {})[row["strategy"]] = row
    credit, luck = (
        [game[first][column] - game[last][column] for game in games.values()] for column in ("credit", "luck")
    )
    told = value_of(document, "luck_share_gap", "plain")
    assert told["value"] == pytest.approx(np.corrcoef(credit, luck)[0, 1] ** 2, abs=1e-6)


def test_categories_are_those_of_the_mirror(
    build: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = build(RULES, luck=True)
    document = document_of(run)
    points = {}
    for row in document["categories"]:
        number = next(m.number for m in run.matches if m.ruleset.name == row["ruleset"]
                      and set(m.lineup) == {document["reference"]})  # fmt: skip
        parts = sorted((run.match_folder(run.matches[number]) / "categories").glob("*.parquet"))
        sums = [r for part in parts for r in pq.read_table(part, partitioning=None).to_pylist()]
        own = [r for r in sums if r["category"] == row["category"]]
        count, total = (sum(r[key] for r in own) for key in ("count", "sum"))
        points[row["ruleset"], row["category"]] = total / count
        assert (row["n"], row["mean"]) == (count, pytest.approx(total / count, abs=1e-4))
        assert row["zero_rate"] == pytest.approx(sum(r["zeros"] for r in own) / count, abs=1e-6)
        assert row["share"] == pytest.approx(total / sum(r["sum"] for r in sums), abs=1e-6)
        # Forty deals are one block of categories, which has no error.
        assert row["mean_interval"] is None
        assert row["verdict"] == "unsettled"
    for row in document["categories"]:
        if row["ruleset"] == "rich":
            change = points["rich", row["category"]] - points["plain", row["category"]]
            assert row["difference"] == pytest.approx(change, abs=1e-4)
    # Chunks of 24 and of 16 deals as blocks: a last one of less than half a block is no block of its own.
    monkeypatch.setattr(
        balance_categories, "category_sums", lambda *of: category_sums(*of).with_columns(block=pl.lit(of[2]))
    )
    for block_deals, is_known in ((24, True), (30, False)):
        monkeypatch.setattr(balance_categories, "BLOCK_DEALS", block_deals)
        ones = balance_categories.read_categories(run, run.matches[0], DEALS)["ones"]
        assert (ones.mean.interval(0.95) is not None) == is_known


@pytest.mark.parametrize(
    "more",
    [{"seats": 3, "names": ("par", "greedy")}, {"luck": True}, {"names": ("par",)}],
    ids=["three", "luck", "one"],
)
def test_every_format_has_the_same_digits_and_no_infinity(build: Callable[..., Run], more: Row) -> None:
    document = document_of(build(RULES, **more))
    text = json.dumps(document, allow_nan=False)
    assert json.loads(text) == document
    assert {m["measure"] for m in document["measures"]} == set(MEASURES)
    cells = {cell.partition(" ")[0] for t in balance_tables(document) for row in t.rows for cell in row}
    rows = {
        (row["ruleset"], row["measure"]): row
        for row in csv.DictReader(io.StringIO(balance_csv(document)))
        if not row["category"] and not row["strategy"]
    }
    for measure in document["measures"]:
        for value in measure["values"]:
            row = rows[value["ruleset"], measure["measure"]]
            if value["value"] is None:
                assert value["why_absent"]
                assert row["value"] == ""
                continue
            assert float(row["value"]) == value["value"]
            is_rate = measure["unit"] == "rate"
            assert (f"{value['value'] * 100:.4f}" if is_rate else f"{value['value']:,.4f}") in cells
    assert [
        own["ruleset"] in line
        for own, line in zip(document["rulesets"], balance_lines(document), strict=False)
    ]
    assert document["reference"] in balance_foot(document)[-1]


def test_three_players_count_side_by_side_and_each_seat_might_have_been_picked(
    build: Callable[..., Run],
) -> None:
    run = build({"plain": RULES["plain"]}, ("greedy", "par"), 3)
    document = document_of(run)
    rows = rows_of(run, 2)
    totals = {
        name: sum(row["credit"] for row in rows if row["strategy"] == name) for name in ("greedy", "par")
    }
    # greedy has two sides of three.
    share = totals["greedy"] / 2 / (totals["greedy"] / 2 + totals["par"])
    assert document["matrix"][0]["credit"][0][1] == pytest.approx(share, abs=1e-6)
    mirror = rows_of(run, ("greedy", "par").index(document["reference"]))
    by_seat = [
        by_deal([r for r in mirror if r["seat"] == s], "credit") / CREDIT_UNITS - 1 / 3 for s in range(3)
    ]
    farthest = max(by_seat, key=lambda shares: abs(shares.mean()))
    told = value_of(document, "seat_advantage", "plain")
    assert told["value"] == pytest.approx(farthest.mean(), abs=1e-6)
    assert told["interval"] == pytest.approx(student(farthest, 1 - 0.05 / 3), abs=1e-6)
    own, base = (Reading(credits_of(np.full((3, 3), 0.5)).mean("a"), n) for n in (5, 30))
    assert (own.less(base).n, base.less(own).n) == (5, 5)


def test_a_seat_that_wins_more_is_found(build: Callable[..., Run], chunk_tables: Any) -> None:
    run = build({"plain": RULES["plain"]}, ("par",), fresh=True)
    (match,) = run.matches
    for chunk in range(match.chunks):
        run.games_part(match, chunk).unlink()
        games, categories = chunk_tables(match, chunk)
        # Seat 1 wins nine of ten games.
        credit = [60 * ((deal % 10 > 0) == (seat == 1))
                  for deal, seat in zip(games["deal"].to_pylist(), games["seat"].to_pylist(), strict=True)]  # fmt: skip
        place = games.column_names.index("credit")
        planted = games.set_column(place, games.schema.field("credit"), pa.array(credit, pa.uint8()))
        commit_part(run, match, chunk, planted, categories, f"{chunk:016x}")
    document = document_of(run)
    told = value_of(document, "seat_advantage", "plain")
    assert (abs(told["value"]), told["verdict"]) == (0.4, "poor")
    share, seat = ("90 %", 1) if told["value"] > 0 else ("10 %", 0)
    assert told["words"].startswith(f"Seat {seat} takes {share} of the credit, where 50 % would be fair")
    assert f"{told['words']}." in document["rulesets"][0]["conclusion"]


def test_equilibria_of_known_matrices() -> None:
    stone = np.array([[0.5, 0, 1], [1, 0.5, 0], [0, 1, 0.5]])
    assert equilibrium(stone) == pytest.approx([1 / 3] * 3)
    assert effective_number(equilibrium(stone)) == pytest.approx(3)
    # Where the second cuts deeper, the equilibrium plays each as often as the other two are apart.
    uneven = 0.5 + np.array([[0, -0.1, 0.2], [0.1, 0, -0.3], [-0.2, 0.3, 0]])
    assert equilibrium(uneven) == pytest.approx([0.5, 1 / 3, 1 / 6])
    dominated = np.array([[0.5, 0.4, 0.3], [0.6, 0.5, 0.45], [0.7, 0.55, 0.5]])
    assert equilibrium(dominated) == pytest.approx([0, 0, 1])
    assert effective_number(equilibrium(dominated)) == 1
    lizard = np.full((5, 5), 0.5)
    for k in range(5):
        lizard[k, [(k + 1) % 5, (k + 3) % 5]], lizard[k, [(k + 2) % 5, (k + 4) % 5]] = 0.6, 0.4
    assert equilibrium(lizard) == pytest.approx([0.2] * 5)


def test_a_likely_mix_is_taken_only_if_it_is_the_equilibrium() -> None:
    rng = np.random.default_rng(5)
    for size in (3, 4, 5, 6):
        for _ in range(5):
            drawn = rng.normal(0, 0.05, (size, size))
            matrix = 0.5 + drawn - drawn.T
            found = equilibrium(matrix)
            assert ((matrix - 0.5) @ found).max() < 1e-9
            near = rng.normal(0, 0.01, (size, size))
            moved = matrix + near - near.T
            assert equilibrium(moved, np.flatnonzero(found)) == pytest.approx(equilibrium(moved), abs=1e-7)


def test_what_luck_explains_is_covered() -> None:
    # 400 simulations of 300 deals of two; five standard errors of a share of 95 % are 5.4 points.
    rng, covered = np.random.default_rng(6), 0
    for _ in range(400):
        luck = rng.normal(size=(2, 300))
        moments = Moments(300)
        moments.add(range(300), 0.8 * luck + 0.6 * rng.normal(size=luck.shape), luck)
        low, high = moments.reading({}).interval(0.95) or (1, 0)
        covered += low <= 0.64 <= high
    assert abs(covered / 400 - 0.95) < 0.054


def credits_of(matrix: np.ndarray, deals: int = 400, seed: int = 1) -> Credits:
    """Credits that are drawn so that a strategy wins a game of another with the chance that a matrix says."""
    names, rng = ("a", "b", "c"), np.random.default_rng(seed)
    sums = {}
    for (i, one), (j, other) in itertools.combinations(enumerate(names), 2):
        own = BlockSums(deals)
        own.add(range(deals), rng.binomial(2, matrix[i, j], deals), 2)
        sums[one, other] = own
    return Credits(names, sums, dict.fromkeys(sums, 2 * deals))


def test_cycles_are_shown_and_the_bootstrap_holds_them() -> None:
    stone = np.array([[0.5, 0.6, 0.4], [0.4, 0.5, 0.6], [0.6, 0.4, 0.5]])
    found = credits_of(stone)
    assert found.cycles(0.95) == [["a", "b", "c"]]
    reading = found.effective_reading(7)
    low, high = reading.interval(0.95) or (0, 0)
    # The truth is 3, the most there can be.
    assert 1 <= low < (reading.value or 0) <= high == 3
    assert reading.less(reading).interval(0.95) == (0, 0)
    # A hundredth apart, 400 deals show nothing.
    level = credits_of(0.5 + (stone - 0.5) / 20)
    assert level.shown(0.95) == set()
    assert level.effective_reading(7).interval(0.95) == (1, 3)
    # The strongest other strategy is one of two, either of which it might have been.
    pairs = (("optimal", "a"), ("optimal", "b"), ("a", "b"))
    sums = dict(zip(pairs, found.sums.values(), strict=True))
    perfect = Credits(("optimal", "a", "b"), sums, dict.fromkeys(pairs, 800))
    left = optimal_gap_reading(perfect)
    share = perfect.share("optimal", left.fields["second"]) * 2 + -1.0
    assert left.interval(0.95) == share.interval(0.975, -1.0)
    # Two that decide alike are one: level in every block, and with the same from each other one.
    twins = {("a", "b"): BlockSums(400), ("a", "c"): found.sums["a", "c"], ("b", "c"): found.sums["a", "c"]}
    twins["a", "b"].add(range(400), np.ones(400, np.int64), 2)
    alike = Credits(("a", "b", "c"), twins, found.games)
    assert (alike.alike, found.alike, alike.effective_reading(7).value) == ([["a", "b"]], [], 1)
    assert reply_reading(alike).fields["second"] == ("c" if alike.ranking[0] != "c" else "a")
    ladder = credits_of(np.array([[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]]))
    assert (ladder.ranking, ladder.cycles(0.95)) == (("a", "b", "c"), [])
    assert ladder.effective_reading(7).interval(0.95) == (1, 1)
    # Perfect play is no strategy that anybody has, unless it is there alone.
    best = Credits(("optimal", "a", "b"), dict(zip(pairs, ladder.sums.values(), strict=True)), {})
    assert (best.ranking[0], strongest_of(best), strongest_of(ladder)) == ("optimal", "a", "a")
    assert strongest_of(Credits(("optimal",), {}, {})) == "optimal"


@pytest.mark.parametrize(
    ("interval", "verdict"),
    [
        ((0.2, 0.3), "good"), ((0.05, 0.09), "fair"), ((0.0, 0.04), "poor"), ((0.05, 0.2), "good or fair"),
        ((0.04, 0.09), "fair or poor"), ((0.04, 0.2), UNSETTLED), ((0.55, 0.7), "good or fair"), ((0.9, 0.95), "poor"),
        ((0.7, 0.85), "fair or poor"), ((0.0, 1.0), UNSETTLED), (None, UNSETTLED),
    ],
)  # fmt: skip
def test_verdicts_say_no_more_than_the_interval(interval: tuple[float, float] | None, verdict: str) -> None:
    assert Limits(0.1, 0.6, 0.05, 0.8).verdict(interval) == verdict
    # The same on the other side of zero.
    turned = None if interval is None else (-interval[1], -interval[0])
    assert Limits(-0.6, -0.1, -0.8, -0.05).verdict(turned) == verdict
    assert Limits().verdict(interval) == AS_IT_IS


def test_thresholds_of_a_file_replace_single_ones(tmp_path: Path) -> None:
    shipped = load_thresholds(None)
    assert set(shipped.limits) == set(MEASURES)
    assert not [fault for own in shipped.limits.values() for fault in own.mistakes()]
    path = tmp_path / "mine.toml"
    path.write_text("[tie_rate]\ngood_most = 0.5\n[skill_gap]\n[counting]\nclose_share = 0.2\n")
    own = load_thresholds(path)
    assert (own.limits["tie_rate"], own.limits["skill_gap"]) == (Limits(good_most=0.5), Limits())
    assert own.limits["margin_share"] == shipped.limits["margin_share"]
    assert own.counting == {**shipped.counting, "close_share": 0.2}
    assert own.document()["measures"]["tie_rate"] == {"good_most": 0.5}
    path.write_text(
        "tie_rates = 1\ntie_rate = 2\n[skill_gap]\ngood_lest = 1\n[drama_share]\npoor_below = 0.1\n"
        "[margin_share]\ngood_most = 0.5\npoor_above = 0.2\n[counting]\nclose_share = nan\n[lead_changes]\n"
        "good_least = true\n"
    )
    with pytest.raises(RunError, match="7 mistakes") as told:
        load_thresholds(path)
    lines = str(told.value).splitlines()[1:]
    for line, part in zip(
        lines,
        ("did you mean tie_rate", "a table is needed", "did you mean good_least", "goes with good_least",
         "may be 0.2 at most", "a number is needed", "a number is needed"),
        strict=True,
    ):  # fmt: skip
        assert part in line
    path.write_text("[tie_rate")
    with pytest.raises(RunError, match="not valid TOML"):
        load_thresholds(path)
    with pytest.raises(RunError, match="can't be read"):
        load_thresholds(tmp_path / "none.toml")


def test_a_run_of_other_matches_is_refused_with_all_reasons(build: Callable[..., Run], play: Any) -> None:
    with pytest.raises(RunError, match=r"greedy sits in every seat\s.*par sits in every seat"):
        document_of(play(["greedy", "par"], name="pair"))
    with pytest.raises(RunError, match="partners have to play the same"):
        document_of(play(["greedy", "par", "par", "par"], sides=[0, 1, 0, 1], name="mixed"))
    with pytest.raises(RunError, match="two sides or more are needed"):
        document_of(play(["greedy"], name="alone"))
    run = build(RULES, ("par",), fresh=True)
    run.games_part(run.matches[1], 1).unlink()
    document = document_of(run)
    # All that every match has from the first deal on.
    assert (document["deals"], document["complete"]) == (24, False)
    assert balance_foot(document)[0].startswith("Incomplete")
    run.games_part(run.matches[1], 0).unlink()
    with pytest.raises(RunError, match="no deal yet that all"):
        document_of(run)


def test_differing_rules_by_their_keys(build: Callable[..., Run]) -> None:
    sheet = [{"id": "ones", "pays": {"points": 1}}, {"id": "twos", "pays": {"points": 0}}]
    other = [{"id": "ones", "pays": {"points": 2}}, {"id": "chance", "pays": {"points": 0}}]
    run = build(
        {
            "plain": {"rules": {"categories": sheet, "throws": 3, "title": "x"}},
            "other": {
                "rules": {
                    "categories": other,
                    "throws": 2,
                    "title": "y",
                    "clock": {"timer": 1},
                    "steal": "take",
                }
            },
        },
        ("par",),
    )
    assert differing_rules(*run.matches) == [
        "categories.ones.pays.points: 1 -> 2",
        "categories.twos: left out",
        "categories.chance: added",
        "throws: 3 -> 2",
        "clock: added",
        "steal: none -> take",
    ]


def test_differences_that_show_nothing_are_not_called_changes(build: Callable[..., Run]) -> None:
    # Two names for the same rules: the same games, row by row.
    document = document_of(
        build({"plain": RULES["plain"], "again": RULES["plain"]}, ("par", "greedy"), luck=True)
    )
    for measure in document["measures"]:
        for value in measure["values"]:
            assert not value["changed"]
            if value["ruleset"] == "again" and value["value"] is not None:
                assert value["difference"] == 0
    assert document["rulesets"][1]["conclusion"][-1] == "No measure is shown to differ from plain."
    assert leading_changes(document, "again") == "No measure is shown to differ from plain."
    # A sentence says of a lead what the table says; half of it is what the share has beyond an even one.
    gap = next(measure for measure in document["measures"] if measure["measure"] == "skill_gap")["values"][0]
    words = re.match(r"(\w+) is (\S+) percentage points ahead of \w+, with (\S+) % of the", gap["words"])
    assert words is not None
    lead, share = float(words[2]), float(words[3])
    assert lead == pytest.approx(gap["value"] * 100, abs=0.051)
    assert share == pytest.approx(50 + lead / 2, abs=0.1)
    assert document["games"] == 2 * (2 * DEALS + 2 * DEALS)
