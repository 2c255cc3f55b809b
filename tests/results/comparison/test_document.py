"""Every figure of a comparison, against slow counting of the rows."""

import itertools
import math
import random
from collections import Counter, defaultdict
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from results.comparison.contests import count_contests
from results.comparison.document import _order, compare_runs
from results.comparison.ranks import difference_chance
from results.comparison.ratings import Rated
from results.comparison.sources import choose_sources
from results.control import Folds
from results.figures import rounded_rates, rounded_values
from results.statistics import DealSums, difference_interval, mean_interval, proportion_interval
from results.store import commit_part, create_run
from results.tables import rounded_rate, rounded_value

TEAM: dict[str, Any] = {"sides": [0, 1, 0, 1], "rules": {"team": 2}}
FIELDS: dict[str, list[Any]] = {
    "two": [(["a", "b"], 24, {})],
    "yardstick": [(["a", "c"], 24, {}), (["c", "b"], 21, {}), (["d", "c"], 24, {}), (["b", "b"], 24, {})],
    "three": [(["a", "b", "b"], 21, {}), (["a", "b", "c"], 24, {}), (["c", "a"], 24, {})],
    "rotated": [(["a", "c", "d"], 20, {}), (["c", "d", "b"], 20, {})],
    "teams": [(["a", "x", "b", "x"], 22, TEAM), (["c", "x", "c", "x"], 22, TEAM), (["x", "b", "y", "c"], 21, TEAM)],
    "alone": [(["a"], 24, {}), (["b"], 21, {}), (["c"], 24, {})],
}  # fmt: skip


@pytest.fixture
def play_field(tmp_path, make_manifest, chunk_tables, as_table):
    """Return a function that plays matches with figures at random, by match, seating, seat and deal."""

    def play(field, name="run", seed=7, chunks=None, luck=True, **more):
        manifests = [
            make_manifest(lineup, deals=deals, chunk_deals=11 + number, luck=luck, **more, **rest)
            for number, (lineup, deals, rest) in enumerate(field)
        ]
        matches = [m["matches"][0] | {"number": number} for number, m in enumerate(manifests)]
        job = manifests[0]["job"] | {"seed": seed}
        run = create_run(tmp_path / name, manifests[0] | {"matches": matches, "job": job})
        for match in run.matches:
            for chunk in range(match.chunks)[:chunks]:
                games, categories = chunk_tables(match, chunk)
                rows = games.to_pylist()
                shuffle(match, rows)
                commit_part(run, match, chunk, as_table(match.columns, rows), categories, f"{chunk:016x}")
        return run

    return play


def shuffle(match, rows):
    """Give every side figures that hang on the names at the table, as those of real games do."""
    for row in rows:
        table = [match.strategy_at(row["seating"], seat) for seat in range(match.seats)]
        one = random.Random(f"{table} {row['deal']} {row['side']}")
        row["score"] += one.randrange(-5, 6)
        row["place"] = one.randrange(1, 4)
        row["credit"] = one.choice([0, 20, 30, 60]) * (match.side_count > 1)
        row["luck"] = one.randrange(-3000, 3001) + 500 * row["score"]
        row["decisions"] = random.Random(f"{table[row['seat']]} {row['deal']} {row['seat']}").randrange(3)


def rows_of(runs):
    """All rows of leading deals, with their run and match, the table (names by seat) and the entry of the seat."""
    found = []
    for run in runs:
        for match in run.matches:
            parts = sorted((run.match_folder(match) / "games").glob("*.parquet"))
            for part in parts:
                for row in pq.read_table(part, partitioning=None).to_pylist():
                    table = tuple(match.strategy_at(row["seating"], seat) for seat in range(match.seats))
                    partners = [table[k] for k in range(match.seats) if match.sides[k] == row["side"]]
                    where = {"where": (run.path.name, match.number), "table": table, "sides": match.sides}
                    found.append(row | where | {"entry": tuple(sorted(partners))})
    return found


def deals_of(rows):
    """By match the deals, each with its rows."""
    deals: Any = defaultdict(lambda: defaultdict(list))
    for row in rows:
        deals[row["where"]][row["deal"]].append(row)
    return deals


def replacements(row_table, sides, first, second):
    """The tables on which the second's partners sit where the first's did."""
    partners = defaultdict(list)
    for name, side in zip(row_table, sides, strict=True):
        partners[side].append(name)
    taken = [side for side, names in partners.items() if tuple(sorted(names)) == first]
    options = []
    for orders in itertools.product(itertools.permutations(second), repeat=len(taken)):
        table = list(row_table)
        for side, order in zip(taken, orders, strict=True):
            for seat, name in zip((k for k, o in enumerate(sides) if o == side), order, strict=True):
                table[seat] = name
        options.append(tuple(table))
    return set(options)


def nearest(table, options):
    """Those of some tables that keep most of the places."""
    kept = {option: sum(a == b for a, b in zip(option, table, strict=True)) for option in options}
    return {option for option in options if kept[option] == max(kept.values())}


def meetings_of(deals, first, second):
    """Each way to compare two entries: for each deal, the rows with the first and those with the second."""
    head = []
    for by_deal in deals.values():
        found = {
            deal: tuple([row for row in rows if row["entry"] == entry] for entry in (first, second))
            for deal, rows in by_deal.items()
        }
        if all(one and two for one, two in found.values()):
            head.append(found)
    if head:
        return "head to head", head
    beside = []
    for one, two in itertools.permutations(deals, 2):
        example = deals[one][0]
        entries = {row["entry"] for row in example}
        if first not in entries or (entries == {first} and len(set(example[0]["sides"])) > 1):
            continue
        tables = {row["table"] for row in deals[two][0]}
        example_tables = {row["table"] for row in example if row["entry"] == first}
        sides = example[0]["sides"]
        wanted = {}
        for table in example_tables:
            wanted[table] = nearest(table, replacements(table, sides, first, second) & tables)
        if not all(wanted.values()) or len(sides) != len(deals[two][0][0]["sides"]):
            continue
        found = {}
        for deal in sorted(set(deals[one]) & set(deals[two])):
            pairs = [
                (row, other)
                for row in deals[one][deal]
                if row["entry"] == first
                for other in deals[two][deal]
                if other["table"] in wanted[row["table"]] and other["seat"] == row["seat"]
            ]
            found[deal] = ([row for row, _ in pairs], [other for _, other in pairs])
        beside.append(found)
    return "side by side", beside


def leads(row):
    return row["sides"].index(row["side"]) == row["seat"]


def mean(rows, key):
    own = [row for row in rows if leads(row)]
    return Fraction(sum(row[key] for row in own), len(own))


def excess(rows, every):
    """Rows with what their luck exceeds that of each other side by, in sum, given all rows of the deal."""
    found = []
    for row in rows:
        others = [
            o["luck"]
            for o in every
            if o["seating"] == row["seating"] and leads(o) and o["side"] != row["side"]
        ]
        found.append(row | {"excess": sum(row["luck"] - luck for luck in others)})
    return found


def whole(values, unit):
    """Fractions as whole numbers with the weight that they are divided by."""
    scale = math.lcm(*(Fraction(value).denominator for value in values))
    return np.array([int(value * scale) for value in values]), scale * unit


def sums_of(values, unit):
    numbers, weight = whole(values, unit)
    return DealSums.of(numbers, weight)


@pytest.mark.parametrize("name", FIELDS)
def test_the_figures_of_every_pair_are_those_of_slow_counting(play_field, name):
    run = play_field(FIELDS[name])
    document = compare_runs([run], level=0.9)
    deals = deals_of(rows_of([run]))
    entries = list(
        dict.fromkeys(row["entry"] for own in deals.values() for rows in own.values() for row in rows)
    )
    pairs = {
        frozenset(tuple(sorted(pair[key].split("+"))) for key in ("first", "second")): pair
        for pair in document["pairs"]
    }
    absent = {frozenset(tuple(sorted(entry.split("+"))) for entry in both) for both in document["absent"]}
    for both in itertools.combinations(entries, 2):
        assert (frozenset(both) in absent) == (not meetings_of(deals, *both)[1])
        assert (frozenset(both) in absent) != (frozenset(both) in pairs)
    for pair in document["pairs"]:
        check_pair(pair, deals, name == "alone")
    if name != "alone":
        check_contests(run)


def check_pair(pair, deals, alone):
    first, second = (tuple(sorted(pair[key].split("+"))) for key in ("first", "second"))
    how, meetings = meetings_of(deals, first, second)
    assert pair["how"] == how
    common = sorted(set.intersection(*(set(meeting) for meeting in meetings)))
    assert pair["deals"] == len(common)
    places = {row["where"] for meeting in meetings for rows in meeting[0] for row in rows}
    assert {(place["run"], place["match"]) for place in pair["matches"]} == places
    found: Any = {}
    known: Any = {}
    for measure, unit in (("score", 1), *(() if alone else (("credit", 60),))):
        values = [
            sum(mean(meeting[d][0], measure) - mean(meeting[d][1], measure) for meeting in meetings)
            / len(meetings)
            for d in common
        ]
        found[measure] = sums_of(values, unit)
        control = []
        for d in common:
            total = 0
            for meeting in meetings:
                sides = []
                for rows in meeting[d]:
                    if measure == "credit":
                        every = deals[rows[0]["where"]][d]
                        sides.append(mean(excess(rows, every), "excess"))
                    else:
                        sides.append(mean(rows, "luck"))
                total += sides[0] - sides[1]
            control.append(total)
        numbers, weight = whole(values, unit)
        known[measure] = Folds.of(0, numbers, whole(control, 1)[0], weight).adjusted()
        ratio = own_dice_ratio(meetings, common, measure, found[measure], unit)
        key = "score_variance_ratio" if measure == "score" else "variance_ratio"
        assert pair[key] == rounded_value(ratio)
    score = found["score"]
    assert pair["score_difference"] == rounded_value(score.mean)
    assert pair["score_interval"] == rounded_values(mean_interval(score, 0.9))
    assert pair["score_difference_adjusted"] == rounded_value(known["score"].mean)
    low, high = mean_interval(known["score"], 0.9) or (0, 0)
    # Luck is stored in thousandths, so that either mean may be off by half of one twice.
    assert pair["score_difference_adjusted_interval"] == rounded_values((low - 0.002, high + 0.002))
    if alone:
        assert pair["credit_difference"] is None
        assert pair["variance_ratio"] == pair["score_variance_ratio"]
    else:
        credit = found["credit"]
        assert credit.total >= 0
        assert pair["credit_difference"] == rounded_rate(credit.mean)
        assert pair["credit_interval"] == rounded_rates(difference_interval(credit, 0.9))
        assert pair["credit_difference_adjusted"] == rounded_rate(known["credit"].mean)
        bounds = difference_interval(known["credit"], 0.9)
        assert pair["credit_difference_adjusted_interval"] == rounded_rates(bounds)
    decided = score if alone else found["credit"]
    assert decided.total >= 0
    assert pair["p"] == rounded_rate(difference_chance(decided, of_rates=not alone))
    divergent = DealSums.of(np.array([int(any(diverge(m[d], how) for m in meetings)) for d in common]))
    assert pair["divergent_rate"] == rounded_rate(divergent.mean)
    assert pair["divergent_rate_interval"] == rounded_rates(proportion_interval(divergent, 0.9))


def own_dice_ratio(meetings, common, measure, sums, unit):
    """The variance of the mean if every game had dice of its own, over what it is."""
    games: Any = defaultdict(lambda: [Fraction(0)] * len(common))
    for meeting in meetings:
        for k, d in enumerate(common):
            for rows, sign in zip(meeting[d], (1, -1), strict=True):
                own = [row for row in rows if leads(row)]
                for row in own:
                    games[row["where"], row["seating"]][k] += Fraction(
                        sign * row[measure], len(own) * len(meetings)
                    )
    alone = sum(sums_of(values, unit).variance_of_mean for values in games.values())
    return alone / sums.variance_of_mean if sums.spread else None


def diverge(sides, how):
    if how == "side by side":
        return any(one["decisions"] != two["decisions"] for one, two in zip(*sides, strict=True))
    seated = [{row["seat"]: row for row in sorted(rows, key=lambda r: -r["seating"])} for rows in sides]
    return any(
        seated[0][k]["decisions"] != seated[1][k]["decisions"] for k in set(seated[0]) & set(seated[1])
    )


def check_contests(run):
    """Who was placed before whom, game by game."""
    contests = count_contests(choose_sources([run]))
    expected: Counter[Any] = Counter()
    games: Any = defaultdict(dict)
    spelled = {tuple(sorted(entry.split("+"))): k for k, entry in enumerate(contests.entries)}
    for row in rows_of([run]):
        own = games[row["where"], row["game"]].setdefault(row["side"], dict(row))
        own["position"] = min(own["position"], row["position"])
    for sides in games.values():
        for one, two in itertools.combinations(sides.values(), 2):
            pair = [(spelled[row["entry"]], row["position"], row["place"]) for row in (one, two)]
            (a, x, p), (b, y, q) = sorted(pair, key=lambda own: own[:2])
            expected[a, b, len(sides), x, y, (p > q) - (p < q)] += 1
    counted = {
        (kind.first, kind.second, kind.sides, kind.chair, kind.other, sign): int(total)
        for kind, counts in contests.counts.items()
        for sign, total in zip((-1, 0, 1), counts.sum(axis=0), strict=True)
        if total
    }
    assert counted == expected
    assert all(kind.chairs == "position" for kind in contests.counts)


def test_several_runs_are_one_when_their_matches_are(play_field):
    field = FIELDS["yardstick"][:2]
    whole_run = compare_runs([play_field(field, "whole")])
    parts = [play_field([match], f"part{k}") for k, match in enumerate(field)]
    parts_run = compare_runs(parts)
    for key in ("strategies", "ratings", "model", "absent", "cycles", "conclusion"):
        assert parts_run[key] == whole_run[key]
    assert [p | {"matches": 0} for p in parts_run["pairs"]] == [
        p | {"matches": 0} for p in whole_run["pairs"]
    ]


def test_the_same_games_count_once_whatever_place_the_lineup_begins_at(play_field):
    runs = [play_field([(["a", "b"], 20, {})], "short"), play_field([(["b", "a"], 40, {})], "long")]
    document = compare_runs(runs)
    assert [match["run"] for match in document["matches"]] == ["long"]
    assert "counted once, with 40 deals" in document["remarks"][0]


def test_a_label_with_two_sources_is_two_strategies(play_field):
    field: list[Any] = [(["a", "c"], 30, {})]
    other = {"strategies": {name: {"source_digest": f"{name}2"} for name in "ac"}}
    runs = [play_field(field, "old"), play_field([(["a", "c"], 30, other)], "new")]
    document = compare_runs(runs)
    names = {"a [old]", "a [new]", "c [old]", "c [new]"}
    assert {row["strategy"] for row in document["strategies"]} == names
    assert ["a [old]", "a [new]"] in document["absent"]
    assert document["ratings"] == []
    assert "no common scale" in document["no_ratings"]
    assert len(compare_runs(runs, strategies=["a", "c [new]"])["strategies"]) == 3


def test_chosen_strategies_are_compared_as_among_all_but_for_what_is_adjusted(play_field):
    run = play_field(FIELDS["three"])
    whole_run, chosen = compare_runs([run]), compare_runs([run], strategies=["a", "b"])
    (pair,) = chosen["pairs"]
    (same,) = [p for p in whole_run["pairs"] if {p["first"], p["second"]} == {"a", "b"}]
    assert pair | {"p_adjusted": 0} == same | {"p_adjusted": 0}
    assert {row["strategy"] for row in chosen["ratings"]} == {"a", "b"}


def test_what_is_shown_orders_before_what_pairs_look_like():
    ranks = {"a": (2, 3), "b": (1, 1), "c": (2, 3)}
    strengths = {name: Rated(value, np.zeros(0)) for name, value in (("a", -0.2), ("b", -0.3), ("c", 0.5))}
    head, beside = (SimpleNamespace(sums=SimpleNamespace(pair=SimpleNamespace(how=how))) for how in "hb")
    alike: Any = [head, head]
    mixed: Any = [head, beside]
    assert _order("abc", ranks, alike, strengths) == ["b", "a", "c"]
    # Leads of two kinds have no common scale, but strengths have.
    assert _order("abc", ranks, mixed, strengths) == ["b", "c", "a"]
