import itertools

import numpy as np
import pytest
from scipy import stats

from results.comparison.ranks import (
    are_linked,
    cycles_among,
    difference_chance,
    holm_adjusted,
    ordered_by_leads,
    rank_bounds,
)
from results.statistics import DealSums, difference_interval


def closed_testing(chances):
    """Holm's adjusted p-values by their definition: every set of hypotheses that holds one is refuted by Bonferroni."""
    every = range(len(chances))
    sets = [own for size in range(1, len(chances) + 1) for own in itertools.combinations(every, size)]
    return [max(min(1.0, len(own) * min(chances[j] for j in own)) for own in sets if k in own) for k in every]


def test_holm_is_closed_testing_and_what_is_unknown_counts_as_one():
    rng = np.random.default_rng(5)
    for _ in range(20):
        chances = (rng.random(6) ** 3).tolist()
        assert holm_adjusted(chances) == pytest.approx(closed_testing(chances))
    assert holm_adjusted([0.01, None, 0.03]) == [pytest.approx(0.03), None, pytest.approx(0.06)]


def test_the_chance_of_a_difference_is_students():
    values = np.random.default_rng(2).integers(-50, 60, 300)
    expected = stats.ttest_1samp(values / 60, 0).pvalue
    assert difference_chance(DealSums.of(values, 60), of_rates=True) == pytest.approx(expected)
    assert difference_chance(DealSums.of(values[:1]), of_rates=False) is None


def test_where_all_deals_agree_the_chance_is_where_the_interval_ends():
    sums = DealSums.of(np.full(9, 30), 60)
    chance = difference_chance(sums, of_rates=True)
    assert chance == pytest.approx(1.5**-9)
    low, _ = difference_interval(sums, 1 - 1.5**-9) or (1, 1)
    assert low == pytest.approx(0, abs=1e-12)
    assert difference_chance(DealSums.of(np.full(9, 30)), of_rates=False) is None
    assert difference_chance(DealSums.of(np.zeros(9, np.int64)), of_rates=False) == 1


def test_where_all_pairs_are_there_the_order_is_that_of_mean_leads():
    rng = np.random.default_rng(4)
    for _ in range(20):
        leads = {pair: rng.normal() for pair in itertools.combinations("abcde", 2)}
        means = {e: sum(d * ((a == e) - (b == e)) for (a, b), d in leads.items()) for e in "abcde"}
        assert ordered_by_leads("abcde", leads) == sorted("abcde", key=lambda e: -means[e])
    # By way of c: a lies 1 above it, and b 2.
    assert ordered_by_leads("abcd", {("a", "c"): 1.0, ("c", "b"): -2.0, ("a", "d"): 0.0}) == list("badc")


def test_linked_is_who_can_be_reached_by_a_chain():
    assert are_linked("abcd", [("a", "b"), ("d", "c"), ("b", "d")])
    assert not are_linked("abcd", [("a", "b"), ("d", "c")])
    assert not are_linked("ab", [])


def test_ranks_are_those_that_some_order_gives_an_entry():
    entries = "abcde"
    shown = {("a", "c"), ("a", "d"), ("c", "d"), ("b", "d")}
    places: dict[str, set[int]] = {entry: set() for entry in entries}
    for order in itertools.permutations(entries):
        if all(order.index(one) < order.index(other) for one, other in shown):
            for entry in entries:
                places[entry].add(order.index(entry) + 1)
    assert rank_bounds(entries, shown) == {e: (min(own), max(own)) for e, own in places.items()}


def test_every_difference_in_a_circle_is_in_a_cycle_told_and_no_other():
    entries = "abcdef"
    rng = np.random.default_rng(1)
    for _ in range(30):
        shown = {
            tuple(rng.permutation(pair).tolist())
            for pair in itertools.combinations(entries, 2)
            if rng.random() < 0.5
        }
        told = cycles_among(entries, shown)
        circled = set()
        for size in range(3, len(entries) + 1):
            for cycle in itertools.permutations(entries, size):
                steps = set(zip(cycle, cycle[1:] + cycle[:1], strict=True))
                circled |= steps if steps <= shown else set()
        steps_told = [set(zip(cycle, cycle[1:] + cycle[:1], strict=True)) for cycle in told]
        assert all(steps <= shown for steps in steps_told)
        assert set().union(*steps_told) == circled
        assert len({frozenset(steps) for steps in steps_told}) == len(told)
    assert cycles_among("abc", {("b", "c"), ("c", "a"), ("a", "b")}) == [["a", "b", "c"]]
