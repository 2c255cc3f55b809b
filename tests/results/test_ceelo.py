"""What Cee-lo has in a summary, against slow counting of the rows, and what it has not."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from scipy import stats

from results.store import Run, create_run
from tests.results.counting import (
    LINE,
    MATCHES,
    Manifest,
    Play,
    Row,
    ask,
    check_mean,
    check_ratio,
    made,
    rows_of,
    shown_of,
)

ABSENT = {"bonus_points", "start", "positions", "categories", "steals", "clock", "jokers"}


@pytest.fixture(params=MATCHES, ids=str)
def run(request: pytest.FixtureRequest, play: Play, ceelo: Manifest) -> Run:
    given = dict(MATCHES[request.param])
    return play(given.pop("lineup"), deals=31, chunk_deals=9, **ceelo(**given))


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
