"""What variants add to a summary, against slow counting of the rows, and games counted by hand."""

import csv
import io
import json
import math
import re
from collections import Counter
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
from results.schema import CATEGORIES, GAMES
from results.store import Match, Run, commit_part, create_run
from results.summary import summarise_run

Play = Callable[..., Run]
Row = dict[str, Any]

STEAL, CLOCK, JOKER = {"steal": "take"}, {"clock": {"timer": 0.0}}, {"joker": {"points": 100}}
TEAM = {"team": 2}
MATCHES: dict[str, dict[str, Any]] = {
    "cutthroat": {"lineup": ["greedy", "par", "greedy"], "rules": STEAL, "tiebreak": "shared"},
    "cutthroat teams": {"lineup": ["a", "b", "c", "b"], "sides": [0, 1, 0, 1], "rules": STEAL | TEAM},
    "speed": {"lineup": ["greedy", "par"], "rules": CLOCK},
    "speed alone": {"lineup": ["greedy"], "rules": CLOCK | JOKER},
    "speed teams": {"lineup": ["a", "b", "c", "b"], "sides": [0, 1, 0, 1], "rules": CLOCK | TEAM},
    "joker": {"lineup": ["par", "par", "greedy"], "rules": JOKER},
}


@pytest.fixture(params=MATCHES, ids=str)
def run(request: pytest.FixtureRequest, play: Play) -> Run:
    return play(deals=31, chunk_deals=9, **MATCHES[request.param])


def rows_of(run: Run, kind: str = "games") -> list[Row]:
    parts = sorted((run.match_folder(run.matches[0]) / kind).glob("*.parquet"))
    return [row for part in parts for row in pq.read_table(part, partitioning=None).to_pylist()]


def sides_of(match: Match, rows: list[Row]) -> list[Row]:
    """One row for each side and game, with what partners have of their own summed up, and the margin."""
    games: dict[int, dict[int, list[Row]]] = {}
    for row in rows:
        games.setdefault(row["game"], {}).setdefault(row["side"], []).append(row)
    sides = []
    for game in games.values():
        for side, partners in game.items():
            rivals = [other[0]["score"] for own, other in game.items() if own != side]
            sides.append(
                partners[0]
                | {
                    name: sum(p[name] for p in partners)
                    for name in ("turns", "steals")
                    if name in partners[0]
                }
                | {"margin": partners[0]["score"] - max(rivals, default=0)}
                | {"entry": match.entry_at(partners[0]["seating"], partners[0]["seat"])}
            )
    return sides


def by_deal(rows: list[Row], value: Callable[[Row], Any]) -> list[Fraction]:
    deals: dict[int, list[int]] = {}
    for row in rows:
        deals.setdefault(row["deal"], []).append(value(row))
    return [Fraction(sum(values), len(values)) for values in deals.values()]


def check_mean(
    shown: Row,
    key: str,
    rows: list[Row],
    value: Callable[[Row], Any],
    scale: int = 1,
    interval: str = "",
    level: float = 0.95,
) -> None:
    """A rate has Wilson's interval with the effective number of deals, another mean Student's."""
    means = [mean / scale for mean in by_deal(rows, value)]
    deals, mean = len(means), sum(means, Fraction(0)) / len(means)
    variance = sum(((m - mean) ** 2 for m in means), Fraction(0)) / (deals - 1) / deals
    is_rate = key.endswith("rate")
    tolerance = 6e-7 if is_rate or key.startswith("credit") else 6e-5
    if not is_rate:
        half = stats.t.ppf((1 + level) / 2, deals - 1) * math.sqrt(variance)
        bounds = [float(mean) - half, float(mean) + half]
    else:
        assert variance or mean in (0, 1), "deals that agree on a rate between need another form"
        trials = mean * (1 - mean) / variance if variance else Fraction(deals)
        z = Fraction(stats.norm.ppf((1 + level) / 2))
        root = math.sqrt(mean * (1 - mean) / trials + z * z / (4 * trials**2))
        bounds = [float((mean + z * z / (2 * trials) + sign * z * Fraction(root)) / (1 + z * z / trials))
                  for sign in (-1, 1)]  # fmt: skip
    assert shown[key] == pytest.approx(float(mean), abs=tolerance)
    assert shown[interval or f"{key}_interval"] == pytest.approx(bounds, abs=tolerance)


def check_ratio(shown: Row, key: str, rows: list[Row], gain: Callable[[Row], int], scale: int = 1) -> None:
    deals: dict[int, list[float]] = {}
    for row in rows:
        sums = deals.setdefault(row["deal"], [0, 0])
        sums[0] += gain(row) / scale
        sums[1] += row["steals"]
    pairs = [pair for pair in deals.values() if pair[1]]
    gains, steals = (sum(side) for side in zip(*pairs, strict=True))
    ratio, count = gains / steals, len(pairs)
    assert count >= 10, "fewer deals with a steal have no interval"
    rest = sum((y - ratio * x) ** 2 for y, x in pairs)
    half = stats.t.ppf(0.975, count - 1) * math.sqrt(count / (count - 1) * rest) / steals
    tolerance = 6e-7 if key.startswith("credit") else 6e-5
    assert shown[key] == pytest.approx(ratio, abs=tolerance)
    assert shown[f"{key}_interval"] == pytest.approx([ratio - half, ratio + half], abs=tolerance)


def test_the_figures_of_a_variant(run: Run) -> None:
    (match,) = run.matches
    rows = rows_of(run)
    sides = sides_of(match, rows)
    (shown,) = summarise_run(run, [match])["matches"]
    parts = match.ruleset.rules.keys()
    assert ("steals" in shown, "clock" in shown, "jokers" in shown) == (
        "steal" in parts, "clock" in parts, "joker" in parts,
    )  # fmt: skip
    for key in ("steals", "clock"):
        for entry in shown.get(key, {"strategies": []})["strategies"]:
            own = [row for row in sides if row["entry"] == entry["strategy"]]
            assert entry["games"] == len(own)
            (check_steals if key == "steals" else check_times)(entry, own)
            turns = Counter(row["turns"] for row in own)
            assert entry["by_turns"] == {str(number): turns[number] for number in sorted(turns)}
    for entry in shown.get("jokers", []):
        own = [row for row in sides if row["entry"] == entry["strategy"]]
        assert entry["games"] == len(own)
        check_mean(entry, "jokers_mean", own, lambda r: r["jokers"])
        check_mean(entry, "joker_rate", own, lambda r: r["jokers"] > 0)


def check_steals(entry: Row, own: list[Row]) -> None:
    assert entry["steals"] == sum(row["steals"] for row in own)
    check_mean(entry, "steal_rate", own, lambda r: r["steals"])
    check_mean(entry, "robbed_mean", own, lambda r: r["robbed"])
    check_mean(entry, "credit_gain_mean", own, lambda r: r["credit"] - r["credit_without"], 60)
    check_mean(entry, "margin_gain_mean", own, lambda r: r["margin"] - r["margin_without"])
    check_ratio(entry, "credit_gain_per_steal", own, lambda r: r["credit"] - r["credit_without"], 60)
    check_ratio(entry, "margin_gain_per_steal", own, lambda r: r["margin"] - r["margin_without"])


def check_times(entry: Row, own: list[Row]) -> None:
    check_mean(entry, "seconds_mean", own, lambda r: r["milliseconds"], 1000)
    check_mean(entry, "turns_mean", own, lambda r: r["turns"])
    check_mean(entry, "empty_mean", own, lambda r: r["empty"])
    check_mean(entry, "cut_rate", own, lambda r: r["empty"] > 0)


def test_the_figures_of_whole_games(run: Run) -> None:
    (match,) = run.matches
    sides = sides_of(match, rows_of(run))
    (shown,) = summarise_run(run, [match])["matches"]
    games: dict[int, list[Row]] = {}
    for row in sides:
        games.setdefault(row["game"], []).append(row)
    whole = [
        {
            "deal": played[0]["deal"],
            "steals": sum(row.get("steals", 0) for row in played),
            "milliseconds": max(row.get("milliseconds", 0) for row in played),
            "empty": max(row.get("empty", 0) for row in played),
        }
        for played in games.values()
    ]
    if "steals" in shown:
        steals = shown["steals"]
        assert steals["games"] == shown["games"] == len(whole)
        counts = Counter(row["steals"] for row in whole)
        assert steals["by_steals"] == {str(k): n for k, n in sorted(counts.items())}
        check_mean(steals, "rate", whole, lambda r: r["steals"] > 0, interval="interval")
    if "clock" in shown:
        check_mean(shown["clock"], "seconds_mean", whole, lambda r: r["milliseconds"], 1000)
        check_mean(shown["clock"], "cut_rate", whole, lambda r: r["empty"] > 0)
        check_empty(match, shown["clock"]["empty_categories"], rows_of(run, "categories"), len(sides))


def check_empty(match: Match, shown: list[Row], entries: list[Row], sheets: int) -> None:
    """Sheets are those of a strategy, or of all sides where partners share them."""
    apart = match.side_count == match.seats
    names = list(dict.fromkeys(match.lineup)) if apart else [None]
    assert [(e["strategy"], e["category"]) for e in shown] == [
        (n, c.id) for n in names for c in match.categories
    ]
    for e in shown:
        made = sum(
            row["count"]
            for row in entries
            if row["category"] == e["category"] and e["strategy"] in (None, row["strategy"])
        )
        own = sheets * match.lineup.count(e["strategy"]) // match.seats if apart else sheets
        assert (e["sheets"], e["empty"]) == (own, own - made)
        assert e["empty_rate"] == pytest.approx((own - made) / own, abs=6e-7)


def ask(run: Run, form: str) -> str:
    return CliRunner().invoke(summary, [str(run.path), "--format", form], catch_exceptions=False).output


def figures(document: Any) -> list[float]:
    """All means, rates and gains of a variant's document with their bounds, as CSV spells them."""
    if isinstance(document, list):
        return [number for item in document for number in figures(item)]
    found: list[float] = []
    for key, value in document.items():
        if isinstance(value, dict) or (isinstance(value, list) and "interval" not in key):
            found += figures(value) if "by_" not in key else []
        elif isinstance(value, float):
            found.append(value)
        elif "interval" in key:
            found += value or []
    return found


def test_all_formats_show_the_same_digits(run: Run) -> None:
    (shown,) = json.loads(ask(run, "json"))["matches"]
    texts = {form: ask(run, form).replace("\\", "") for form in ("csv", "table", "markdown")}
    tidy = list(csv.DictReader(io.StringIO(texts.pop("csv"))))
    values = {float(row[key]) for row in tidy for key in ("value", "low", "high") if row[key]}
    for key in ("steals", "clock", "jokers"):
        for number in figures(shown.get(key, {})):
            assert number in values
            for text in texts.values():
                assert f"{number:,.4f}" in text or f"{number * 100:.4f}" in text
    for text in (*texts.values(), str(tidy)):
        assert not re.search(r"\b(nan|inf|None)\b", text, re.IGNORECASE)


def test_a_variant_shows_its_tables_and_others_none_of_them(play: Play) -> None:
    titles = ("Steals", "What stealing is worth", "Games by steals", "Length of the games", "Time",
              "Empty categories", "Games by turns", "Jokers")  # fmt: skip
    expected = {"cutthroat": titles[:3] + titles[6:7], "speed": titles[3:7], "joker": titles[7:]}
    for name, told in expected.items():
        text = ask(play(name=name, **MATCHES[name]), "markdown")
        assert [title for title in titles if f"### {title}\n" in text] == list(told)
    plain = ask(play(["par", "greedy"], name="plain"), "markdown")
    assert not any(f"### {title}\n" in plain for title in titles)
    assert "no comparison of those who stole with those who did not" in ask(
        play(name="again", **MATCHES["cutthroat"]), "table"
    )


def test_teams_are_named_by_side(play: Play) -> None:
    run = play(**MATCHES["speed teams"])
    assert ask(run, "table").splitlines()[0] == "Match 0: Cheerio (cheerio), a+c, b+b"
    assert "all sides empty %" in ask(run, "table")
    crossed = play(["a", "b", "b", "a"], sides=[0, 1, 0, 1], rules=TEAM, name="crossed")
    assert ask(crossed, "table").splitlines()[0] == "Match 0: Cheerio (cheerio), a+b, a+b"
    assert crossed.matches[0].side_names == ("a+b", "a+b")


def test_who_never_steals_has_no_worth_of_a_steal(tmp_path: Path, make_manifest: Callable[..., Any],
                                                  as_table: Callable[..., pa.Table]) -> None:  # fmt: skip
    """Two deals, two seatings: par steals in deal 0 of seating 0 and in both seatings of deal 1; greedy never."""
    # (deal, seating) -> scores of par and greedy, then par's margin and credit without its steal.
    games = {
        (0, 0): (20, 10, 4, 60),  # won by 10, would have won by 4
        (0, 1): (15, 18, -3, 0),  # no steal: the same
        (1, 0): (30, 10, -2, 0),  # won by 20, would have lost by 2
        (1, 1): (12, 16, 1, 60),  # lost by 4, would have won by 1
    }
    blank: Row = dict.fromkeys((column.name for column in GAMES), 0)
    rows = []
    for seating in (0, 1):
        for seat in (0, 1):
            for deal in (0, 1):
                name = ["par", "greedy"][(seat - seating) % 2]
                par, greedy, margin, credit = games[deal, seating]
                own, other = (par, greedy) if name == "par" else (greedy, par)
                stole = (deal, seating) != (0, 1) and name == "par"
                rows.append(blank | {
                    "deal": deal, "game": 2 * deal + seating, "seating": seating, "seat": seat, "side": seat,
                    "strategy": name, "position": seat, "score": own, "place": 1 if own > other else 2,
                    "won": own > other, "credit": 60 * (own > other), "tied": False, "decided_turn": 1,
                    "turns": 2 + stole, "steals": int(stole), "robbed": int((deal, seating) != (0, 1)) - int(stole),
                    "margin_without": margin if name == "par" else own - other,
                    "credit_without": credit if name == "par" else 60 * (own > other),
                })  # fmt: skip
    run = create_run(
        tmp_path / "run",
        make_manifest(["par", "greedy"], deals=2, chunk_deals=2, rules={"steal": "overwrite"}),
    )
    sums = [{"block": 0, "seat": 0, "strategy": "par", "category": "ones", "count": 4, "sum": 6,
             "sum_of_squares": 14, "zeros": 1}]  # fmt: skip
    games_table = as_table(run.matches[0].columns, rows)
    commit_part(run, run.matches[0], 0, games_table, as_table(CATEGORIES, sums), "0" * 16)
    (shown,) = summarise_run(run, run.matches)["matches"]
    par, greedy = shown["steals"]["strategies"]
    assert (par["games"], par["steals"], par["steal_rate"], par["robbed_mean"]) == (4, 3, 0.75, 0.0)
    assert (greedy["steals"], greedy["steal_rate"], greedy["robbed_mean"]) == (0, 0.0, 0.75)
    # Gains of the margin: 6, 0, 22 and -5; of credit: 0, 0, 60 and -60. By deal: 6 and 17; 0 and 0.
    assert (par["margin_gain_mean"], par["credit_gain_mean"]) == (5.75, 0.0)
    # Deal means 3 and 8.5, so the error is 2.75; Student's t for one degree of freedom is 12.7062.
    assert par["margin_gain_mean_interval"] == [round(5.75 - 12.70620474 * 2.75, 4), 40.6921]
    # 23 points over 3 steals, in two deals: far too few for an interval.
    assert (par["margin_gain_per_steal"], par["margin_gain_per_steal_interval"]) == (round(23 / 3, 4), None)
    assert par["credit_gain_per_steal_interval"] is None
    assert (par["credit_gain_per_steal"], greedy["credit_gain_per_steal"]) == (0.0, None)
    assert (greedy["margin_gain_mean"], greedy["margin_gain_per_steal_interval"]) == (0.0, None)
    # Greedy could have stolen: in two deals without a steal a share of 1 - sqrt(0.05) may differ unseen.
    assert greedy["margin_gain_mean_interval"] is None
    assert greedy["credit_gain_mean_interval"] == [round(0.05**0.5 - 1, 6), round(1 - 0.05**0.5, 6)]
    assert shown["steals"]["by_steals"] == {"0": 1, "1": 3}
    assert par["by_turns"] == {"2": 1, "3": 3}


@pytest.mark.parametrize(
    ("told", "sure"),
    [
        ({"par": "never", "greedy": "never"}, True),
        ({"greedy": "never"}, False),
        ({"par": "12"}, False),
        ({}, False),
    ],
)
@pytest.mark.parametrize("sides", [[0, 1], [0, 1, 0, 1]])
def test_only_who_is_told_never_to_steal_is_sure_to_gain_nothing(
    told: dict[str, str], sure: bool, sides: list[int], tmp_path: Path, make_manifest: Callable[..., Any],
    chunk_tables: Callable[..., Any],
) -> None:  # fmt: skip
    """Nobody steals in any game; entries are par against a, or par+greedy against a+a."""
    lineup = ["par", "a", "greedy", "a"][: len(sides)]
    manifest = make_manifest(lineup, sides=sides, deals=12, chunk_deals=12, rules={"steal": "take"})
    for name, steal in told.items():
        if name in lineup:
            manifest["matches"][0]["strategies"][name]["parameters"]["steal"] = steal
    run = create_run(tmp_path / "run", manifest)
    games, categories = chunk_tables(run.matches[0], 0)
    rows = games.to_pylist()
    for row, side in zip(rows, sides_by_row(run.matches[0], rows), strict=True):
        row |= {"steals": 0, "robbed": 0, "credit_without": row["credit"], "margin_without": side["margin"]}
    commit_part(run, run.matches[0], 0, as_rows(games, rows), categories, "0" * 16)
    (shown,) = summarise_run(run, run.matches)["matches"]
    entries = {e["strategy"]: e for e in shown["steals"]["strategies"]}
    first, other = (
        entries["par" if len(sides) == 2 else "par+greedy"],
        entries["a" if len(sides) == 2 else "a+a"],
    )
    assert (first["credit_gain_mean"], first["margin_gain_mean"], first["steals"]) == (0.0, 0.0, 0)
    unlike = pytest.approx(1 - 0.05 ** (1 / 12), abs=6e-7)
    for entry, is_sure in ((first, sure), (other, False)):
        low, high = entry["credit_gain_mean_interval"]
        assert (-low, high) == ((0.0, 0.0) if is_sure else (unlike, unlike))
        assert entry["margin_gain_mean_interval"] == ([0.0, 0.0] if is_sure else None)
    assert ("0.0000 [0.0000, 0.0000]" in stealing_lines(ask(run, "markdown").replace("\\", ""))) == sure


def sides_by_row(match: Match, rows: list[Row]) -> list[Row]:
    by_side = {(row["game"], row["side"]): row for row in sides_of(match, rows)}
    return [by_side[row["game"], row["side"]] for row in rows]


def as_rows(table: pa.Table, rows: list[Row]) -> pa.Table:
    return pa.Table.from_pylist(
        [{name: row[name] for name in table.column_names} for row in rows], schema=table.schema
    )


def stealing_lines(text: str) -> str:
    return text.partition("### What stealing is worth")[2].partition("###")[0]


def test_what_stealing_is_worth_tells_the_steals_it_rests_on(play: Play) -> None:
    run = play(name="told", **MATCHES["cutthroat"])
    (shown,) = summarise_run(run, run.matches)["matches"]
    lines = stealing_lines(ask(run, "markdown"))
    for entry in shown["steals"]["strategies"]:
        assert f"| {entry['strategy']} | {entry['steals']} | " in lines
    assert "no interval where fewer than 10 deals have one" in lines


def test_games_on_a_clock_have_no_course(play: Play) -> None:
    for name, has in (("speed", False), ("speed teams", False), ("cutthroat", True), ("joker", True)):
        run = play(name=name, **MATCHES[name])
        (shown,) = summarise_run(run, run.matches)["matches"]
        assert (shown["course"] is not None) == has
        assert ("Course of the games" in ask(run, "table")) == has
        for word in ("lead_changes", "decided_turn", "worst_deficit"):
            assert (word in ask(run, "csv")) == has
        assert "start_tie_rate" in ask(run, "csv")


def test_with_steals_it_is_said_what_the_categories_show(play: Play) -> None:
    for name in ("cutthroat", "cutthroat teams", "speed", "joker"):
        text = ask(play(name=name, **MATCHES[name]), "markdown")
        assert ("zeros include forfeits and what thieves have left" in text) == name.startswith("cutthroat")


def test_a_game_on_a_clock_counted_by_hand(
    tmp_path: Path, make_manifest: Callable[..., Any], as_table: Callable[..., pa.Table]
) -> None:
    # One seating of a mirror, two deals: seat 0 is done after 40 and 50 s; seat 1 after 44.5 and 48 s, once cut short.
    times, empty = {(0, 0): 40_000, (0, 1): 44_500, (1, 0): 50_000, (1, 1): 48_000}, {(0, 1): 1}
    blank: Row = dict.fromkeys((column.name for column in GAMES), 0)
    rows = [
        blank
        | {"deal": deal, "game": deal, "seat": seat, "side": seat, "strategy": "par", "position": seat,
           "score": 20 - seat, "place": 1 + seat, "won": seat == 0, "credit": 60 * (seat == 0), "tied": False,
           "turns": 2 - empty.get((deal, seat), 0), "milliseconds": times[deal, seat],
           "empty": empty.get((deal, seat), 0)}
        for seat in (0, 1) for deal in (0, 1)
    ]  # fmt: skip
    run = create_run(tmp_path / "run", make_manifest(["par", "par"], deals=2, chunk_deals=2, rules=CLOCK))
    # Everybody enters a 0 and then a 6 in each category, but what is left empty is that 0.
    sums = [
        {"block": 0, "seat": seat, "strategy": "par", "category": category, "count": 2 - (seat and cut),
         "sum": 6, "sum_of_squares": 36, "zeros": 1 - (seat and cut)}
        for category, cut in (("ones", 0), ("full_house", 1)) for seat in (0, 1)
    ]  # fmt: skip
    games = as_table(run.matches[0].columns, rows)
    commit_part(run, run.matches[0], 0, games, as_table(CATEGORIES, sums), "0" * 16)
    (shown,) = summarise_run(run, run.matches)["matches"]
    clock = shown["clock"]
    assert (clock["games"], clock["seconds_mean"], clock["cut_rate"]) == (2, 47.25, 0.5)
    (par,) = clock["strategies"]
    assert [par[f"{key}_mean"] for key in ("seconds", "turns", "empty")] == [45.625, 1.75, 0.25]
    assert (par["games"], par["cut_rate"]) == (4, 0.25)
    assert [(e["category"], e["empty"], e["sheets"]) for e in clock["empty_categories"]] == [
        ("ones", 0, 4), ("full_house", 1, 4),
    ]  # fmt: skip
    assert [(c["count"], c["mean"], c["zero_rate"]) for c in shown["categories"]] == [
        (4, 3.0, 0.5), (3, 4.0, 0.333333),
    ]  # fmt: skip
