"""What a summary of Cee-lo says of seats, of the pot, of how chips are spread and of how long games last."""

import csv
import io
import itertools
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pytest
from scipy import stats

from results.schema import CATEGORIES
from results.store import Run, commit_part, create_run
from tests.results.counting import (
    LINE,
    MATCHES,
    Manifest,
    Play,
    Row,
    ask,
    check_mean,
    made,
    rows_of,
    shown_of,
    wilson,
)


@pytest.fixture(params=MATCHES, ids=str)
def run(request: pytest.FixtureRequest, play: Play, ceelo: Manifest) -> Run:
    given = dict(MATCHES[request.param])
    return play(given.pop("lineup"), deals=31, chunk_deals=9, **ceelo(**given))


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
