"""What Cee-lo has in a summary, against slow counting of the rows, and what it has not."""

import csv
import io
import itertools
import json
import math
import re
from collections.abc import Callable, Iterator
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
ABSENT = {"bonus_points", "start", "positions", "categories", "steals", "clock", "jokers"}


@pytest.fixture(params=MATCHES, ids=str)
def run(request: pytest.FixtureRequest, play: Play, ceelo: Manifest) -> Run:
    given = dict(MATCHES[request.param])
    return play(given.pop("lineup"), deals=31, chunk_deals=9, **ceelo(**given))


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


def test_purses(run: Run) -> None:
    (match,) = run.matches
    rows, shown = rows_of(run), shown_of(run)
    purse = shown["purse"]
    games = [row for row in rows if row["seat"] == 0]
    left: dict[int, int] = {}
    for row in rows:
        left[row["game"]] = left.get(row["game"], 0) + (row["survived"] == row["rounds"])
    assert purse["games"] == shown["games"] == len(games)
    check_mean(purse, "rounds_mean", games, lambda r: r["rounds"], match.turns)
    check_mean(purse, "early_rate", games, lambda r: r["rounds"] < match.turns and left[r["game"]] <= 1)
    check_ratio(purse, "throws_per_result", rows, lambda r: r["throws"], lambda r: r["results"], None)
    assert purse["results"] == sum(row["results"] for row in rows)
    for entry in purse["strategies"]:
        own = [row for row in rows if row["strategy"] == entry["strategy"]]
        assert entry["games"] == len(own)
        check_mean(entry, "ruin_rate", own, lambda r: r["survived"] < r["rounds"])
        check_mean(entry, "survived_mean", own, lambda r: r["survived"], match.turns)
        check_ratio(entry, "throws_per_result", own, lambda r: r["throws"], lambda r: r["results"], None)
        if "pushes" not in rows[0]:
            assert not {key for key in entry if key.startswith(("bet", "stake"))}
            continue
        assert entry["bets"] == sum(row["bets"] for row in own)
        check_mean(entry, "bets_mean", own, lambda r: r["bets"])
        check_ratio(entry, "stake_mean", own, lambda r: r["staked"], lambda r: r["bets"], None)
        for key, name in (("win", "bets_won"), ("push", "pushes")):
            rate = {
                "bet_rate": entry[f"bet_{key}_rate"],
                "bet_rate_interval": entry[f"bet_{key}_rate_interval"],
            }
            check_ratio(rate, "bet_rate", own, lambda r, n=name: r[n], lambda r: r["bets"], 0.0)  # type: ignore[misc]


def test_the_bank(run: Run) -> None:
    (match,) = run.matches
    rows, shown = rows_of(run), shown_of(run)
    if match.ruleset.rules["bank"] == "none":
        assert "bank" not in shown
        return
    bank = shown["bank"]
    rounds = sum(row["rounds"] for row in rows if row["seat"] == 0)
    assert (bank["bets"], bank["rounds"]) == (sum(row["bets"] for row in rows), rounds)
    ends: dict[str, tuple[Callable[[Row], int], str]] = {
        "bet_win_rate": (lambda r: r["bets_won"], "bets"),
        "bet_push_rate": (lambda r: r["pushes"], "bets"),
        "bet_loss_rate": (lambda r: r["bets"] - r["bets_won"] - r["pushes"], "bets"),
        "instant_win_rate": (lambda r: r["instant_wins"], "bank_rounds"),
        "instant_loss_rate": (lambda r: r["instant_losses"], "bank_rounds"),
    }
    for key, (above, below) in ends.items():
        check_ratio(bank, key, rows, above, lambda r, n=below: r[n], 0.0)  # type: ignore[misc]
    assert ("pass_rate" in bank) == (match.ruleset.rules["bank"] == "pass")
    if "pass_rate" in bank:
        check_ratio(bank, "pass_rate", rows, lambda r: r["bank_passes"], lambda r: r["bank_rounds"], 0.0)
        check_mean(bank, "passes_mean", rows, lambda r: match.seats * r["bank_passes"])
    check_edge(bank, rows)
    for chair in ("strategy", "seat"):
        bankers = bank["strategies" if chair == "strategy" else "seats"]
        assert {e[chair] for e in bankers} == {row[chair] for row in rows}
        for e in bankers:
            own = [row for row in rows if row[chair] == e[chair]]
            assert e["games"] == len(own)
            check_mean(e, "rounds_mean", own, lambda r: r["bank_rounds"], match.turns)
            check_edge(e, own)


def check_edge(shown: Row, rows: list[Row]) -> None:
    assert shown["covered"] == sum(row["covered"] for row in rows)
    check_ratio(shown, "edge", rows, lambda r: r["bank_net"], lambda r: r["covered"], -1.0)


def test_the_pot(run: Run) -> None:
    rows, shown = rows_of(run), shown_of(run)
    assert ("pot" in shown) == ("tied_2" in rows[0])
    if "pot" not in shown:
        return
    pot = shown["pot"]
    games = [row for row in rows if row["seat"] == 0]
    decided, tied = [f"decided_{k}" for k in range(1, 5)], [f"tied_{k}" for k in range(2, 7)]
    assert pot["rounds"] == sum(row["rounds"] for row in games)
    check_ratio(pot, "decider_rate", games, lambda r: sum(r[k] for k in decided), lambda r: r["rounds"], 0.0)
    check_ratio(pot, "deciders_mean", games, lambda r: sum(r[k] for k in tied), lambda r: r["rounds"], None)
    assert pot["by_tied_seats"] == {str(k): sum(r[f"tied_{k}"] for r in games) for k in range(2, 5)}
    assert list(pot["by_deciders"].values()) == [sum(r[k] for r in games) for k in decided]
    assert list(pot["by_deciders"]) == ["1", "2", "3", "4+"]
    for entry in pot["strategies"]:
        own = [row for row in rows if row["strategy"] == entry["strategy"]]
        assert (entry["games"], entry["antes"]) == (len(own), sum(row["bets"] for row in own))
        check_ratio(entry, "pot_rate", own, lambda r: r["bets_won"], lambda r: r["bets"], 0.0)
        check_mean(entry, "pots_mean", own, lambda r: r["bets_won"], run.matches[0].turns)


def test_results_are_shares_beside_their_exact_chance(run: Run) -> None:
    (match,) = run.matches
    sums, shown = rows_of(run, "categories"), shown_of(run)
    order = [(name, line.id) for name in dict.fromkeys(match.lineup) for line in match.categories]
    assert [(row["strategy"], row["result"]) for row in shown["results"]] == order
    for row in shown["results"]:
        of_strategy = [r for r in sums if r["strategy"] == row["strategy"]]
        own = [r for r in of_strategy if r["category"] == row["result"]]
        count = sum(r["count"] for r in own)
        assert row["count"] == count
        assert row["rate"] == pytest.approx(count / sum(r["count"] for r in of_strategy), abs=6e-7)
        assert row["rate_exact"] == {"456": 0.25, "point-6": 0.4, "123": None}[row["result"]]
        assert row["mean"] == pytest.approx(sum(r["sum"] for r in own) / count, abs=6e-5)
        assert row["zero_rate"] == pytest.approx(sum(r["zeros"] for r in own) / count, abs=6e-7)


def ask(run: Run, form: str) -> str:
    return CliRunner().invoke(summary, [str(run.path), "--format", form], catch_exceptions=False).output


def figures(document: Any, name: str = "") -> Iterator[tuple[str, float]]:
    """All figures of a part of the document with their bounds, counts left out."""
    if isinstance(document, dict):
        for key, value in document.items():
            yield from figures(value, key)
    elif isinstance(document, list):
        for item in document:
            yield from figures(item, name)
    elif isinstance(document, float):
        yield name, document


def test_all_formats_show_the_same_digits(run: Run) -> None:
    (shown,) = json.loads(ask(run, "json"))["matches"]
    texts = {form: ask(run, form).replace("\\", "") for form in ("csv", "table", "markdown")}
    tidy = list(csv.DictReader(io.StringIO(texts.pop("csv"))))
    values = {float(row[key]) for row in tidy for key in ("value", "low", "high") if row[key]}
    told = list(figures({key: shown[key] for key in ("purse", "bank", "pot", "results") if key in shown}))
    assert len(told) > 40
    for name, number in told:
        assert number in values, name
        for text in texts.values():
            # Zeros by result and passes a game are for those who read figures by program.
            if not name.startswith(("zero_rate", "passes_mean")):
                assert f"{number:,.4f}" in text or f"{number * 100:.4f}" in text, name
    for text in (*texts.values(), str(tidy)):
        assert not re.search(r"\b(nan|inf|None)\b", text, re.IGNORECASE)


def test_what_cee_lo_has_not_is_absent(run: Run) -> None:
    shown = shown_of(run)
    assert shown["game"] == "ceelo"
    assert not ABSENT & shown.keys()
    assert "by_rounds" not in shown["ties"]
    assert all("bonus_rate" not in entry for entry in shown["strategies"])
    assert {"win_rate", "credit_rate", "score_mean", "throws_mean"} <= shown["strategies"][0].keys()
    assert {"rate", "interval", "by_tied_seats"} <= shown["ties"].keys()
    assert {"lead_changes_mean", "decided_turn_mean", "worst_deficit_mean"} <= shown["course"].keys()
    texts = [ask(run, form) for form in ("table", "csv", "markdown")]
    assert not any(
        re.search("(?<!percentage )points|roll-off|bonus|order of play|categories", text, re.IGNORECASE)
        for text in texts
    )
    assert "Chips at the end" in texts[0]


def test_the_course_is_of_the_games_that_somebody_won(run: Run) -> None:
    rows, shown = rows_of(run), shown_of(run)
    won = {row["game"] for row in rows if row["won"]}
    games = [row for row in rows if row["seat"] == 0]
    course = shown["course"]
    assert 0 < course["won_games"] == len(won) < course["games"] == len(games)
    check_mean(course, "lead_changes_mean", games, lambda r: r["lead_changes"])
    for name in ("decided_turn", "worst_deficit"):
        check_ratio(
            course,
            f"{name}_mean",
            games,
            lambda r, n=name: r[n] * (r["game"] in won),  # type: ignore[misc]
            lambda r: r["game"] in won,
            None,
        )
    tidy = [row for row in csv.DictReader(io.StringIO(ask(run, "csv"))) if row["measure"] == "won_games"]
    assert [(row["value"], row["n"]) for row in tidy] == [(str(len(won)), str(len(games)))]


def test_tables_are_those_of_the_rules(play: Play, ceelo: Manifest) -> None:
    bank = ["Length of the games", "Purses", "Bets", "Throws for a result", "The bank", "As banker, by strategy",
            "As banker, by seat", "Results"]  # fmt: skip
    pot = [*bank[:2], bank[3], "Rounds with a decider", "Deciders by the seats that threw", "Pots", "Results"]
    for rules, titles in (("pass", bank), ("none", pot)):
        text = ask(play(["flat", "bold"], name=rules, **ceelo(rules)), "markdown")
        assert re.findall("^### (.*)$", text, re.MULTILINE)[-len(titles) :] == titles


def wilson(rows: list[Row], level: float) -> list[float]:
    """Wilson's interval of the mean credit, each row one trial of a deal of its own."""
    shares = [Fraction(row["credit"], 60) for row in rows]
    count, mean = len(shares), sum(shares, Fraction(0)) / len(shares)
    trials = float(mean * (1 - mean) * count * (count - 1) / sum((share - mean) ** 2 for share in shares))
    z, p = stats.norm.ppf((1 + level) / 2), float(mean)
    root = z * math.sqrt(p * (1 - p) / trials + z * z / (4 * trials**2))
    return [(p + z * z / (2 * trials) + sign * root) / (1 + z * z / trials) for sign in (-1, 1)]


@pytest.mark.parametrize("bank", ["pass", "none"])
@pytest.mark.parametrize("seats", [2, 4])
def test_of_one_strategy_in_every_seat_the_seats_are_told(
    play: Play, ceelo: Manifest, seats: int, bank: str
) -> None:
    run = play(["flat"] * seats, deals=40, **ceelo(bank))
    rows, shown = rows_of(run), shown_of(run)
    by_seat = [[row for row in rows if row["seat"] == seat] for seat in range(seats)]
    shares = [Fraction(sum(row["credit"] for row in own), 60 * len(own)) for own in by_seat]
    distances = [abs(share - Fraction(1, seats)) for share in shares]
    seat = distances.index(max(distances))
    # The one of several that is picked for its distance: all of them hold with 95 % together.
    low, high = wilson(by_seat[seat], 0.95 if seats == 2 else 1 - 0.05 / seats)
    assert low < 1 / seats < high
    together = "" if seats == 2 else " for all seats together"
    assert shown["conclusion"] == (
        f"flat sits in every seat; no seat is shown to be better: seat {seat} has {float(shares[seat]) * 100:.4f} % of "
        f"the credit [{low * 100:.4f}, {high * 100:.4f}] at 95 %{together} where {100 / seats:.4f} % would be fair, "
        "over 40 games (40 deals)."
    )


def test_a_better_seat_is_named(
    tmp_path: Path, make_manifest: Manifest, as_table: Callable[..., pa.Table], ceelo: Manifest
) -> None:
    for deals, shown in ((1, False), (3, False), (40, True)):
        manifest = make_manifest(["flat", "flat"], deals=deals, chunk_deals=deals, **ceelo())
        run = create_run(tmp_path / str(deals), manifest)
        (match,) = run.matches
        blank: Row = dict.fromkeys((column.name for column in match.columns), 0)
        rows = [
            blank | {"deal": deal, "game": deal, "seat": seat, "side": seat, "strategy": "flat", "place": 2 - seat,
                     "won": seat == 1, "credit": 60 * seat, "tied": False, "score": 200 * seat, "rounds": 9}
            for seat in range(2) for deal in range(deals)
        ]  # fmt: skip
        commit_part(run, match, 0, as_table(match.columns, rows), as_table(CATEGORIES, [LINE]), "0" * 16)
        found = shown_of(run)
        # Of two seats equally far from fair the first is told. Wilson's bound where none of n trials succeeds.
        bound = stats.norm.ppf(0.975) ** 2 / (deals + stats.norm.ppf(0.975) ** 2)
        within = f" [0.0000, {bound * 100:.4f}] at 95 %" if deals > 1 else " (one deal gives no interval)"
        assert found["conclusion"] == (
            f"flat sits in every seat; {'' if shown else 'no seat is shown to be better: '}seat 0 has 0.0000 % of the "
            f"credit{within} where 50.0000 % would be fair, over {deals} games ({deals} deals)."
        )
        # Nor are the chips of a seat sure where all deals agree.
        expected = ([0, 200 * bound], [200 - 200 * bound, 200])
        for seat, bounds in zip(found["seats"], expected, strict=True):
            assert seat["score_mean"] == 200.0 * seat["seat"]
            if deals > 1:
                assert seat["score_mean_interval"] == pytest.approx(bounds, abs=6e-5)


def test_the_chips_of_each_seat(run: Run) -> None:
    (match,) = run.matches
    rows, shown = rows_of(run), shown_of(run)
    tidy = [row for row in csv.DictReader(io.StringIO(ask(run, "csv"))) if row["measure"] == "score_mean"]
    for seat in shown["seats"]:
        check_mean(
            seat,
            "score_mean",
            [row for row in rows if row["seat"] == seat["seat"]],
            lambda r: r["score"],
            100 * match.seats,
        )
        (row,) = [row for row in tidy if row["seat"] == str(seat["seat"])]
        assert [float(row[key]) for key in ("value", "low", "high")] == [
            seat["score_mean"],
            *seat["score_mean_interval"],
        ]
    text = ask(run, "table")
    first = "throws first in the first round" if "pot" in shown else "holds the bank first"
    assert re.search(rf"^Seat 0 {first}\. *$", text, re.MULTILINE)
    for seat in shown["seats"]:
        assert f"{seat['score_mean']:.4f} [" in text


def test_for_the_pot_all_play_alike(play: Play, ceelo: Manifest) -> None:
    shown = shown_of(play(["a", "b", "a"], deals=20, **ceelo("none")))
    assert shown["conclusion"] == (
        "All play alike for the pot, so every strategy's share is the same by the rules, over 60 games (20 deals)."
    )


def test_pots_are_as_sure_as_their_deals(
    tmp_path: Path, make_manifest: Manifest, as_table: Callable[..., pa.Table], ceelo: Manifest
) -> None:
    manifest = make_manifest(["flat", "bold"], deals=12, chunk_deals=12, **ceelo("none"))
    shown = shown_of(made(tmp_path, manifest, as_table, {"bets": 20, "bets_won": 10}, [LINE]))
    unlike = 1 - 0.05 ** (1 / 12)
    for entry in shown["pot"]["strategies"]:
        assert (entry["antes"], entry["pot_rate"], entry["pots_mean"]) == (480, 0.5, 10.0)
        bounds = [0.5 - 0.5 * unlike, 0.5 + 0.5 * unlike]
        assert entry["pot_rate_interval"] == pytest.approx(bounds, abs=6e-7)
        assert entry["pots_mean_interval"] == pytest.approx([20 * bound for bound in bounds], abs=6e-5)


def test_a_table_has_no_deciders_of_more_than_its_seats(play: Play, ceelo: Manifest) -> None:
    text = ask(play(["a", "b", "c"], deals=20, **ceelo("none")), "csv")
    assert sorted(set(re.findall(r"deciders_of_\d", text))) == ["deciders_of_2", "deciders_of_3"]


@pytest.mark.parametrize(
    ("chips", "scores", "bands"),
    [
        (200, {0: 3, 1: 1, 9: 2, 10: 1, 189: 1, 190: 4, 200: 5}, {"0": 3, "1 to 19": 4, "180 to 200": 10}),
        (200, {0: 1, 120: 2, 199: 1}, {"0": 1, "1 to 9": 0, "120 to 129": 2, "190 to 199": 1}),
        (210, {0: 1, 205: 2, 210: 3}, {"0": 1, "200 to 210": 5}),
        (206, {0: 1, 199: 1, 206: 3}, {"0": 1, "180 to 199": 1, "200 to 206": 3}),
        (200, {95: 1, 100: 1, 105: 2}, {"95": 1, "100": 1, "104": 0, "105": 2}),
        (200, {190: 1, 199: 1, 200: 2}, {"190": 1, "199": 1, "200": 2}),
        (200, {0: 7}, {"0": 7}),
        (200, {200: 7}, {"200": 7}),
        (400, {0: 1, 24: 1, 25: 1, 375: 1, 400: 1}, {"0": 1, "1 to 24": 1, "25 to 49": 1, "375 to 400": 2}),
    ],
)  # fmt: skip
def test_nothing_and_all_the_chips_have_their_bands(
    tmp_path: Path,
    make_manifest: Manifest,
    as_table: Callable[..., pa.Table],
    ceelo: Manifest,
    chips: int,
    scores: dict[int, int],
    bands: dict[str, int],
) -> None:
    ends = [score for score, count in scores.items() for _ in range(count)]
    deals = len(ends)
    lineup = ["flat"] * 2
    manifest = make_manifest(lineup, deals=deals, chunk_deals=deals, **ceelo(chips=chips // 2))
    run = create_run(tmp_path / "run", manifest)
    (match,) = run.matches
    blank: Row = dict.fromkeys((column.name for column in match.columns), 0)
    rows = [
        blank | {"deal": deal, "game": deal, "seat": seat, "side": seat, "strategy": "flat", "place": 1, "won": False,
                 "credit": 30, "tied": True, "score": ends[deal], "rounds": 9}
        for seat in range(2) for deal in range(deals)
    ]  # fmt: skip
    commit_part(run, match, 0, as_table(match.columns, rows), as_table(CATEGORIES, [LINE]), "0" * 16)
    histogram = shown_of(run)["histogram"]
    tidy = {
        row["measure"].removeprefix("scores_"): int(row["value"])
        for row in csv.DictReader(io.StringIO(ask(run, "csv")))
        if row["measure"].startswith("scores_")
    }
    assert {label: tidy[label] for label in bands} == {label: 2 * count for label, count in bands.items()}
    assert list(tidy.values()) == histogram["counts"]["flat"]
    assert sum(tidy.values()) == 2 * deals
    assert len(tidy) <= 21
    # No gap and no overlap, none at all alone, and nothing beyond the chips there are.
    edges = [tuple(map(int, label.split(" to "))) for label in tidy]
    assert [[edge[0], edge[-1]] for edge in edges] == histogram["bands"]
    assert all(low[-1] + 1 == high[0] for low, high in itertools.pairwise(edges))
    assert edges[0][0] <= min(ends) <= edges[0][-1]
    assert edges[-1][0] <= max(ends) <= edges[-1][-1] <= chips
    assert (edges[0] == (0,)) == (min(ends) == 0)


def test_the_length_of_games_on_a_clock_is_told_in_minutes(play: Play, ceelo: Manifest) -> None:
    run = play(["flat", "bold"], deals=12, **ceelo(minutes=30, throw_seconds=4.5))
    rows, shown = rows_of(run), shown_of(run)
    check_mean(
        shown["purse"], "minutes_mean", rows, lambda r: Fraction(2 * r["throws"]) * Fraction(9, 2) / 60
    )
    told = re.findall(r"minutes a game +│ +([\d.]+) \[", ask(run, "table"))
    assert told == [f"{shown['purse']['minutes_mean']:.4f}"]
    assert "game_minutes_mean" in ask(run, "csv")
    assert "minutes" not in ask(play(["flat", "bold"], name="rounds", **ceelo()), "csv")


def test_players_of_cee_lo_are_no_sides(run: Run) -> None:
    text = " ".join(ask(run, "table").split())
    assert "n counts players and games." in text
    assert "n counts a game once for each seat of the strategy." in text
    assert re.search("│ 2 players tied +│", text)
    assert not re.search(r"\bsides?\b", text)


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


@pytest.mark.parametrize("bank", ["fixed", "none"])
@pytest.mark.parametrize("deals", [1, 2, 12])
def test_what_never_happens_is_no_number(
    tmp_path: Path,
    make_manifest: Manifest,
    as_table: Callable[..., pa.Table],
    ceelo: Manifest,
    bank: str,
    deals: int,
) -> None:
    """No bets and nobody ruined, one deal and some that all agree: neither nan nor a fault, and no false certainty."""
    manifest = make_manifest(["flat", "bold"], deals=deals, chunk_deals=deals, **ceelo(bank))
    run = made(tmp_path, manifest, as_table, {}, [LINE])
    shown = shown_of(run)
    for entry in shown["purse"]["strategies"]:
        assert entry["ruin_rate"] == 0.0
        assert (entry["ruin_rate_interval"] is None) == (deals == 1)
        assert entry["throws_per_result"] == 2.0
        assert (entry["throws_per_result_interval"], entry["throws_per_result_z"]) == (None, None)
        if bank == "fixed":
            assert [entry[key] for key in ("stake_mean", "bet_win_rate", "bet_push_rate")] == [None] * 3
    assert shown["purse"]["early_rate"] == 0.0
    if deals > 1:
        # For a pot all play alike, by the rules; that all games with a bank were tied may be chance.
        low, high = shown["strategies"][0]["credit_rate_interval"]
        assert (low == high == 0.5) == (bank == "none")
    if bank == "fixed":
        assert [shown["bank"][key] for key in ("edge", "edge_interval", "edge_z", "bet_win_rate")] == [
            None
        ] * 4
        assert shown["bank"]["edge_exact"] == 0.009259
        # Rounds there were, and in none of them did the bank win or lose at once.
        unlike = 1 - 0.05 ** (1 / deals)
        bounds = [0.0, pytest.approx(unlike, abs=6e-7)] if deals >= 10 else None
        assert shown["bank"]["instant_win_rate_interval"] == bounds
    else:
        assert (shown["pot"]["decider_rate"], shown["pot"]["strategies"][0]["pot_rate"]) == (0.0, None)
    absent = [row for row in shown["results"] if row["strategy"] == "bold"]
    assert {(row["count"], row["rate"], row["mean"]) for row in absent} == {(0, None, None)}
    for form in ("table", "json", "csv", "markdown"):
        assert not re.search(r"\b(nan|inf|None)\b", ask(run, form), re.IGNORECASE)


def test_what_is_alike_in_all_games_is_not_sure_to_be(
    tmp_path: Path, make_manifest: Manifest, as_table: Callable[..., pa.Table], ceelo: Manifest
) -> None:
    manifest = make_manifest(["flat", "bold"], deals=30, chunk_deals=30, **ceelo())
    shown = shown_of(made(tmp_path, manifest, as_table, {}, [LINE]))
    purse = shown["purse"]
    # Wilson's lower bound where all of 30 trials succeed: n / (n + z^2).
    least = 20 * 30 / (30 + stats.norm.ppf(0.975) ** 2)
    assert purse["rounds_mean"] == 20
    assert purse["rounds_mean_interval"] == pytest.approx([least, 20], abs=6e-5)
    for entry in purse["strategies"]:
        assert entry["survived_mean_interval"] == purse["rounds_mean_interval"]
    # Nor is a seat sure never to hold the bank.
    for seat in shown["bank"]["seats"]:
        assert seat["rounds_mean"] == 0
        assert seat["rounds_mean_interval"] == pytest.approx([0, 20 - least], abs=6e-5)


def test_what_always_happens_is_as_sure_as_its_deals(
    tmp_path: Path, make_manifest: Manifest, as_table: Callable[..., pa.Table], ceelo: Manifest
) -> None:
    manifest = make_manifest(["flat", "bold"], deals=12, chunk_deals=12, **ceelo())
    change = {"rounds": 7, "survived": 6, "bets": 3, "bets_won": 3, "staked": 9}
    shown = shown_of(made(tmp_path, manifest, as_table, change, [LINE]))
    assert (shown["purse"]["early_rate"], shown["purse"]["rounds_mean"]) == (1.0, 7.0)
    for entry in shown["purse"]["strategies"]:
        low, high = entry["ruin_rate_interval"]
        assert (entry["ruin_rate"], high) == (1.0, 1.0)
        assert low < 0.8
        assert entry["survived_mean"] == 6.0
        # Three bets of three won in each of twelve deals: as far from sure as so many deals can be.
        unlike = 1 - 0.05 ** (1 / 12)
        assert entry["bet_win_rate_interval"] == pytest.approx([1 - unlike, 1.0], abs=6e-7)
        assert entry["bet_push_rate_interval"] == pytest.approx([0.0, unlike], abs=6e-7)


def test_an_unknown_game_is_no_run_of_ours(tmp_path: Path, make_manifest: Manifest, ceelo: Manifest) -> None:
    from results.store import RunError

    manifest = make_manifest(["flat", "bold"], **ceelo())
    manifest["matches"][0]["ruleset"]["game"] = "liar"
    with pytest.raises(RunError, match=r"game is 'liar', which this dicecup does not read"):
        create_run(tmp_path / "one", manifest)
    manifest = make_manifest(["flat", "bold"], **ceelo())
    manifest["matches"][0]["exact"] = {"bank edge": "1/0"}
    with pytest.raises(RunError, match=r"exact 'bank edge' is '1/0', a fraction such as 1/108 is expected"):
        create_run(tmp_path / "two", manifest)
