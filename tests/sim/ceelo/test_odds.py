"""Every chance by two routes: as sim/ceelo/odds.py has it, and by enumeration with fractions here."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from math import prod

import pytest

from sim.ceelo.odds import (
    bank_edge,
    bank_pass_chance,
    bet_chances,
    bet_outcome,
    decider_chance,
    exact_odds,
    result_chances,
    throws_per_result,
)
from sim.ceelo.reference import bet_result
from sim.ceelo.results import RESULTS
from sim.ceelo.ruleset import load_ceelo

Rank = tuple[int, int]
ONE_THROW = Fraction(1, 216)


def rank_of(dice: Sequence[int]) -> Rank | None:
    """The worth of a throw: its kind, then its face; the higher the better."""
    shown = sorted(dice)
    if shown == [4, 5, 6]:
        return 3, 0
    if shown == [1, 2, 3]:
        return 0, 0
    if shown[0] == shown[2]:
        return 2, shown[0]
    if shown[1] in (shown[0], shown[2]):
        return 1, shown[0] + shown[2] - shown[1]
    return None


THROWN = [rank for dice in product(range(1, 7), repeat=3) if (rank := rank_of(dice)) is not None]
WAYS = {rank: THROWN.count(rank) for rank in sorted(THROWN, reverse=True)}
CHANCES = {rank: Fraction(ways, len(THROWN)) for rank, ways in WAYS.items()}


def bet_of(bank: Rank, player: Rank) -> int:
    if bank[0] >= 2:
        return -1
    if bank[0] == 0 or player[0] >= 2:
        return 1
    if player[0] == 0:
        return -1
    return (player[1] > bank[1]) - (player[1] < bank[1])


def test_chances_of_one_throw() -> None:
    per_throw = {rank: ways * ONE_THROW for rank, ways in WAYS.items()}
    assert per_throw[3, 0] == per_throw[0, 0] == Fraction(1, 36)
    assert {per_throw[2, face] for face in range(1, 7)} == {Fraction(1, 216)}
    assert {per_throw[1, face] for face in range(1, 7)} == {Fraction(5, 72)}
    assert 1 - sum(per_throw.values()) == Fraction(1, 2)
    assert throws_per_result() == 1 / sum(per_throw.values()) == 2


def test_chances_after_as_many_throws_as_it_takes() -> None:
    assert CHANCES[3, 0] == CHANCES[0, 0] == Fraction(1, 18)
    assert {CHANCES[2, face] for face in range(1, 7)} == {Fraction(1, 108)}
    assert {CHANCES[1, face] for face in range(1, 7)} == {Fraction(5, 36)}
    assert result_chances() == tuple(CHANCES.values())
    assert sum(result_chances()) == 1


def test_bet_by_every_pair_of_throws() -> None:
    counts = {1: 0, 0: 0, -1: 0}
    for bank, player in product(THROWN, repeat=2):
        counts[bet_of(bank, player)] += 1
    all_pairs = len(THROWN) ** 2
    chances = {outcome: Fraction(count, all_pairs) for outcome, count in counts.items()}
    assert chances == bet_chances()
    assert chances[-1] == Fraction(193, 432)
    assert chances[1] == Fraction(7, 16)
    assert chances[0] == Fraction(25, 216)
    assert chances[-1] - chances[1] == bank_edge() == Fraction(1, 108)
    assert chances[-1] + chances[1] - bank_edge() ** 2 == Fraction(10313, 11664)


def test_outcome_of_every_pair_of_results() -> None:
    ranks = list(CHANCES)
    for (bank, bank_rank), (player, player_rank) in product(enumerate(ranks), repeat=2):
        expected = bet_of(bank_rank, player_rank)
        assert bet_outcome(bank, player) == bet_result(bank, player) == expected


def test_bank_passes() -> None:
    assert bank_pass_chance(1) == Fraction(5, 108)
    assert bank_pass_chance(2) == Fraction(175, 1944)
    assert bank_pass_chance(0) == 0
    for bettors in (1, 2, 3):
        passed = 0
        for (bank, of_bank), *others in product(WAYS.items(), repeat=1 + bettors):
            if bank[0] == 1 and any(player == (3, 0) for player, _ in others):
                passed += of_bank * prod(of_player for _, of_player in others)
        assert bank_pass_chance(bettors) == Fraction(passed, len(THROWN) ** (1 + bettors))


@cache
def pot_chances(throwing: tuple[int, ...], outright: bool) -> tuple[dict[int, Fraction], Fraction]:
    """The chance of each of those who throw, in that order, to take the pot, and that they need a decider."""
    taken = dict.fromkeys(throwing, Fraction(0))
    again = Fraction(0)
    shared = Fraction(0)
    for results in product(WAYS.items(), repeat=len(throwing)):
        chance = Fraction(prod(ways for _, ways in results), len(THROWN) ** len(throwing))
        ranks = [rank for rank, _ in results]
        best = tuple(seat for seat, rank in zip(throwing, ranks, strict=True) if rank == max(ranks))
        if outright and max(ranks) == (3, 0):
            # Those after the first 4-5-6 don't throw, so it does not matter what they would have thrown.
            best = best[:1]
        if len(best) == 1:
            taken[best[0]] += chance
            continue
        shared += chance
        if best == throwing:
            again += chance
            continue
        for seat, of_seat in pot_chances(best, outright)[0].items():
            taken[seat] += chance * of_seat
    # Where all tie they begin anew, as often as it takes.
    return {seat: of_seat / (1 - again) for seat, of_seat in taken.items()}, shared


@pytest.mark.parametrize("players", [2, 3])
def test_every_seat_takes_the_pot_as_often(players: int) -> None:
    taken, shared = pot_chances(tuple(range(players)), False)
    assert set(taken.values()) == {Fraction(1, players)}
    assert shared == decider_chance(players)


@pytest.mark.parametrize("players", [2, 3])
def test_outright_who_throws_first_takes_the_pot_more_often(players: int) -> None:
    taken, shared = pot_chances(tuple(range(players)), True)
    assert sum(taken.values()) == 1
    assert list(taken.values()) == sorted(taken.values(), reverse=True)
    assert shared == decider_chance(players, outright=True)
    assert shared < decider_chance(players)


def test_deciders() -> None:
    assert decider_chance(2) == Fraction(119, 972)
    assert decider_chance(3) == Fraction(17471, 104976)
    assert decider_chance(2, outright=True) == Fraction(29, 243)
    assert decider_chance(1) == decider_chance(1, outright=True) == 0
    assert pot_chances((0, 1), True)[0] == {0: Fraction(859, 1712), 1: Fraction(853, 1712)}


STAKES = [(1,), (1, 1), (2, 7), (1, 20), (3, 1, 13)]


@pytest.mark.parametrize("stakes", STAKES)
def test_bank_net_of_a_round_has_the_edge_of_every_stake_and_more_spread(stakes: tuple[int, ...]) -> None:
    nets, squares = 0, 0
    for (bank, of_bank), *others in product(WAYS.items(), repeat=1 + len(stakes)):
        ways = of_bank * prod(of_player for _, of_player in others)
        net = -sum(stake * bet_of(bank, player) for stake, (player, _) in zip(stakes, others, strict=True))
        nets += ways * net
        squares += ways * net**2
    all_ways = len(THROWN) ** (1 + len(stakes))
    mean, square = Fraction(nets, all_ways), Fraction(squares, all_ways)
    assert mean == bank_edge() * sum(stakes)
    # The bets of a round share the bank's throw: they are won and lost together.
    variance, covariance = Fraction(10313, 11664), two_bets_covariance()
    pairs = sum(stakes) ** 2 - sum(stake**2 for stake in stakes)
    assert square - mean**2 == variance * sum(stake**2 for stake in stakes) + covariance * pairs


def two_bets_covariance() -> Fraction:
    """The covariance of two bets of a round, by what a bet brings on average once the bank has thrown."""
    given_bank = {
        bank: sum(chance * bet_of(bank, player) for player, chance in CHANCES.items()) for bank in CHANCES
    }
    return sum(CHANCES[bank] * mean**2 for bank, mean in given_bank.items()) - bank_edge() ** 2


def test_bets_of_one_round_are_not_independent() -> None:
    products = 0
    for (bank, of_bank), (one, of_one), (other, of_other) in product(WAYS.items(), repeat=3):
        products += of_bank * of_one * of_other * bet_of(bank, one) * bet_of(bank, other)
    covariance = Fraction(products, len(THROWN) ** 3) - bank_edge() ** 2
    assert covariance == two_bets_covariance() == Fraction(8321, 23328)
    one_bet = Fraction(10313, 11664)
    for bettors in range(2, 6):
        together = bettors * one_bet + bettors * (bettors - 1) * covariance
        assert together > bettors * one_bet


@pytest.mark.parametrize("name", ["ceelo-bank", "ceelo-bank-timed"])
def test_manifest_of_a_bank_game_has_all_that_holds_in_every_round(name: str) -> None:
    odds = {key: Fraction(chance) for key, chance in exact_odds(load_ceelo(name), 3).items()}
    assert list(odds)[:14] == [f"result {result.id}" for result in RESULTS]
    assert list(odds.values())[:14] == list(CHANCES.values())
    assert dict(list(odds.items())[14:]) == {
        "throws per result": Fraction(2),
        "bank edge": Fraction(1, 108),
        "bet won": Fraction(7, 16),
        "bet pushed": Fraction(25, 216),
        "bet lost": Fraction(193, 432),
        "instant win": sum(chance for rank, chance in CHANCES.items() if rank[0] >= 2),
        "instant loss": Fraction(1, 18),
    }


@pytest.mark.parametrize("name", ["ceelo-pot", "ceelo-pot-outright"])
def test_manifest_of_a_pot_game_says_nothing_of_bets(name: str) -> None:
    odds = exact_odds(load_ceelo(name), 3)
    assert list(odds) == [*(f"result {result.id}" for result in RESULTS), "throws per result"]
    assert odds["throws per result"] == "2"


@pytest.mark.parametrize(
    ("name", "key", "chance"),
    [
        ("ceelo-bank", "bank pass", "5/108"),
        ("ceelo-pot", "decider", "119/972"),
        ("ceelo-pot-outright", "decider", "29/243"),
        ("ceelo-bank-rotate", "bank pass", None),
    ],
)
def test_manifest_of_two_seats_has_what_hangs_on_how_many_play(
    name: str, key: str, chance: str | None
) -> None:
    assert exact_odds(load_ceelo(name), 2).get(key) == chance
    assert key not in exact_odds(load_ceelo(name), 3)
