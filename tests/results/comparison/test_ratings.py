"""Ratings against a fit written plainly, and against strengths that are known."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

from results.comparison.contests import Blocks, Contests, Kind
from results.comparison.ratings import LEAST_BLOCKS, Chair, fit_ratings, is_connected, settled_entries

NAMES = ("a", "b", "c", "d")
STRENGTHS = (0.6, 0.1, -0.2, -0.5)
ORDERS = (0.25, 0.05, -0.3)
TIE = 0.4


def simulated(blocks, games, seed, sides=3, entries=NAMES):
    """Contests of known strengths, effects of the order and ties: so many games by block, pair and pair of chairs."""
    rng = np.random.default_rng(seed)
    contests = Contests(entries, Blocks((0, blocks * 10), (blocks,)))
    for first in range(len(entries)):
        for second in range(first + 1, len(entries)):
            for chair in range(sides):
                for other in range(sides):
                    if chair != other:
                        lead = STRENGTHS[first] - STRENGTHS[second] + ORDERS[chair] - ORDERS[other]
                        weights = np.array([math.exp(lead / 2), TIE, math.exp(-lead / 2)])
                        kind = Kind(first, second, sides, "position", chair, other)
                        contests.counts[kind] = rng.multinomial(games, weights / weights.sum(), blocks)
    return contests


def plain_fit(contests, sides):
    """Strengths, effects and the tie parameter, from the likelihood as it is defined, maximised by rote."""
    entries = len(contests.entries)
    met: Any = {}
    for kind in contests.counts:
        met.setdefault((kind.first, kind.second), []).append(kind)

    def centred(values):
        return np.array(values) - np.mean(values)

    def unlikelihood(given):
        strengths, orders = centred(given[:entries]), centred(given[entries : entries + sides])
        total = 0.0
        for kinds in met.values():
            for kind in kinds:
                ahead, level, behind = contests.counts[kind].sum(axis=0) + np.array([0.5, 0, 0.5]) / len(
                    kinds
                )
                one = math.exp(strengths[kind.first] + orders[kind.chair])
                two = math.exp(strengths[kind.second] + orders[kind.other])
                tie = math.exp(given[-1]) * math.sqrt(one * two)
                whole = one + two + tie
                total -= ahead * math.log(one / whole) + behind * math.log(two / whole)
                total -= level * math.log(tie / whole)
        # The means are free, so they are held at 0.
        return total + np.mean(given[:entries]) ** 2 + np.mean(given[entries:-1]) ** 2

    start = np.zeros(entries + sides + 1)
    found = optimize.minimize(unlikelihood, start, method="BFGS", options={"gtol": 1e-7}).x
    return centred(found[:entries]), centred(found[entries:-1]), math.exp(found[-1])


def test_the_fit_is_that_of_the_plain_likelihood():
    contests = simulated(blocks=5, games=3, seed=4)
    del contests.counts[Kind(0, 3, 3, "position", 0, 1)]
    ratings: Any = fit_ratings(contests, seed=1)
    strengths, orders, tie = plain_fit(contests, 3)
    assert [rated.value for rated in ratings.strengths] == pytest.approx(strengths, abs=1e-5)
    chairs = [ratings.chairs[Chair(3, "position", number)].value for number in range(3)]
    assert chairs == pytest.approx(orders, abs=1e-5)
    assert ratings.tie.value == pytest.approx(tie, abs=1e-5)
    assert ratings.contests == 35 * 5 * 3
    # So few blocks say nothing of the error.
    assert all(rated.interval(0.95) is None for rated in ratings.strengths)


def test_the_misfit_is_of_the_pair_whose_credit_is_farthest_from_what_is_predicted():
    contests = simulated(blocks=5, games=3, seed=4)
    ratings: Any = fit_ratings(contests, seed=1)
    values = [rated.value for rated in ratings.strengths]
    orders = [ratings.chairs[Chair(3, "position", number)].value for number in range(3)]
    shares: Any = {}
    for kind, counts in contests.counts.items():
        ahead, level, behind = counts.sum(axis=0)
        lead = values[kind.first] - values[kind.second] + orders[kind.chair] - orders[kind.other]
        win, tie, loss = math.exp(lead / 2), ratings.tie.value, math.exp(-lead / 2)
        games, credit, predicted = shares.get((kind.first, kind.second), (0, 0, 0))
        share = (win + tie / 2) / (win + tie + loss)
        own = ahead + level + behind
        shares[kind.first, kind.second] = (games + own, credit + ahead + level / 2, predicted + own * share)
    gaps = {pair: (credit - predicted) / games for pair, (games, credit, predicted) in shares.items()}
    misfit = ratings.misfit
    assert abs(misfit.observed - misfit.predicted) == pytest.approx(max(map(abs, gaps.values())))
    assert misfit.observed - misfit.predicted == pytest.approx(gaps[misfit.first, misfit.second])


def test_known_strengths_are_found_again():
    ratings: Any = fit_ratings(simulated(blocks=200, games=20, seed=8), seed=1)
    found = [*ratings.strengths, *ratings.chairs.values(), ratings.tie]
    for rated, value in zip(found, (*STRENGTHS, *ORDERS, TIE), strict=True):
        # Within 5 standard errors, by the bootstrap.
        assert abs(rated.value - value) < 5 * rated.drawn.std()
        low, high = rated.interval(0.95)
        assert low < rated.value < high


def test_resamples_spread_as_the_strength_does():
    contests = Contests(NAMES[:2], Blocks((0, 900, 1000), (400, 100)))
    wins = np.random.default_rng(3).binomial(10, 0.7, 500)
    nothing = np.zeros(500, np.int64)
    contests.counts[Kind(0, 1, 2, "seat", 0, 1)] = np.stack([wins, nothing, 10 - wins], axis=1)
    contests.counts[Kind(0, 1, 2, "seat", 1, 0)] = np.stack([10 - wins, nothing, wins], axis=1)
    ratings: Any = fit_ratings(contests, seed=1)
    # What the one seat gains is all: the strengths are level, and the effect is half of the log odds.
    assert ratings.strengths[0].value == pytest.approx(0, abs=1e-9)
    share = (wins.sum() + 0.25) / (5000 + 0.5)
    effect = ratings.chairs[Chair(2, "seat", 0)]
    assert effect.value == pytest.approx(math.log(share / (1 - share)) / 2)
    error = wins.std() / 10 / math.sqrt(500) / (share * (1 - share)) / 2
    # A spread of 1,000 values has a relative error of 1 in the square root of 2,000; 5 of them are allowed.
    assert effect.drawn.std() == pytest.approx(error, rel=5 / math.sqrt(2000))
    assert ratings.tie is None
    effect_bounds = effect.interval(0.9)
    assert effect_bounds == pytest.approx(
        effect.value + error * stats.norm.ppf([0.05, 0.95]), abs=0.3 * error
    )


def test_who_always_wins_has_a_strength_but_no_distance_that_games_settle():
    contests = simulated(blocks=LEAST_BLOCKS, games=2, seed=2)
    for kind, counts in contests.counts.items():
        if kind.first == 0:
            counts[:] = [2, 0, 0]
    ratings: Any = fit_ratings(contests, seed=1)
    assert ratings.settled == [False, True, True, True]
    assert all(math.isfinite(rated.value) for rated in ratings.strengths)
    assert ratings.strengths[0].value > 2


def test_a_tie_links_both_ways_and_a_chain_is_enough():
    kinds = [Kind(a, b, 2, "seat", 0, 1) for a, b in ((0, 1), (1, 2), (0, 2))]
    circle = np.array([[1, 0, 0], [1, 0, 0], [0, 0, 1]])
    assert settled_entries(kinds, circle, 3) == [True] * 3
    assert settled_entries(kinds, np.array([[1, 0, 0], [0, 1, 0], [1, 0, 0]]), 3) == [False, True, True]
    assert settled_entries(kinds, np.array([[1, 0, 0], [1, 0, 0], [1, 0, 0]]), 3) == [False] * 3


def test_entries_that_nothing_links_have_no_common_scale():
    contests = Contests(NAMES, Blocks((0, 10), (10,)))
    contests.counts = {Kind(a, b, 2, "seat", 0, 1): np.ones((10, 3), np.int64) for a, b in ((0, 1), (2, 3))}
    assert not is_connected(contests)
    contests.counts[Kind(1, 2, 2, "seat", 0, 1)] = np.ones((10, 3), np.int64)
    assert is_connected(contests)


def test_blocks_are_the_same_in_all_matches_and_strata_are_where_matches_end():
    blocks = Blocks.of([5000, 130, 5000])
    assert blocks.cuts == (0, 130, 5000)
    assert blocks.sizes == (130, 500)
    numbers = blocks.of_deals(range(5000))
    assert numbers[:131].tolist() == list(range(131))
    assert numbers[-1] == blocks.count - 1 == 629
    counted = np.bincount(numbers)[130:]
    assert counted.max() - counted.min() <= 1
    assert numbers[100:300].tolist() == blocks.of_deals(range(100, 300)).tolist()
    assert Blocks.of([7]).sizes == (7,)
