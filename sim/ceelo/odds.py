"""Exact chances of Cee-lo, by counting all 216 throws; fractions as texts, for a run's manifest."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from sim.ceelo.results import LOSS, LOWEST_TRIPLE, NOTHING, RESULTS, STRAIGHT, THROW_RESULTS, is_point

if TYPE_CHECKING:
    from sim.ceelo.ruleset import CeeloRuleset


@lru_cache(maxsize=1)
def result_chances() -> tuple[Fraction, ...]:
    """Returns the chance of each result after as many throws as it takes, in the order of RESULTS."""
    ways = Counter(THROW_RESULTS)
    all_ways = len(THROW_RESULTS) - ways[NOTHING]
    return tuple(Fraction(ways[result], all_ways) for result in range(len(RESULTS)))


def throws_per_result() -> Fraction:
    """Returns the mean number of throws until there is a result."""
    ways = Counter(THROW_RESULTS)
    return Fraction(len(THROW_RESULTS), len(THROW_RESULTS) - ways[NOTHING])


def bet_outcome(bank: int, player: int) -> int:
    """Returns what a stake of one brings a player: 1, 0 or -1, given both results."""
    if not is_point(bank):
        return 1 if bank == LOSS else -1
    return (player < bank) - (player > bank)


@lru_cache(maxsize=1)
def bet_chances() -> dict[int, Fraction]:
    """Returns the chances that a bet against the bank is won (1), pushed (0) and lost (-1)."""
    chances = result_chances()
    found = dict.fromkeys((1, 0, -1), Fraction(0))
    for bank, of_bank in enumerate(chances):
        for player, of_player in enumerate(chances):
            found[bet_outcome(bank, player)] += of_bank * of_player
    return found


def bank_edge() -> Fraction:
    """Returns what the bank gains on average for each unit staked against it."""
    return bet_chances()[-1] - bet_chances()[1]


def bank_pass_chance(bettors: int) -> Fraction:
    """Returns the chance that one of some bettors beats the bank with 4-5-6 in a round."""
    chances = result_chances()
    point = sum(chances[LOWEST_TRIPLE + 1 : LOSS])
    return point * (1 - (1 - chances[STRAIGHT]) ** bettors)


def decider_chance(players: int, outright: bool = False) -> Fraction:
    """Returns the chance that the best result of a round for the pot is shared; `outright` as in the rules."""
    chances = result_chances()
    shared = Fraction(0)
    for result, chance in enumerate(chances):
        if result == STRAIGHT and outright:
            continue
        worse = sum(chances[result + 1 :], Fraction(0))
        # All are at this result or worse, less nobody and less just one at it.
        shared += (worse + chance) ** players - worse**players - players * chance * worse ** (players - 1)
    return shared


def exact_odds(ruleset: CeeloRuleset, seats: int) -> dict[str, str]:
    """Returns the chances that hold in every round at a table, whoever sits there, as texts like 1/108.

    What hangs on how many play the round holds with two seats only: of more, some may be ruined.
    """
    chances = result_chances()
    odds = {f"result {result.id}": chance for result, chance in zip(RESULTS, chances, strict=True)}
    odds["throws per result"] = throws_per_result()
    if ruleset.bank != "none":
        bets = bet_chances()
        odds |= {"bank edge": bank_edge(), "bet won": bets[1], "bet pushed": bets[0], "bet lost": bets[-1]}
        odds["instant win"] = sum(chances[: LOWEST_TRIPLE + 1], Fraction(0))
        odds["instant loss"] = chances[LOSS]
        if ruleset.bank == "pass" and seats == 2:
            odds["bank pass"] = bank_pass_chance(1)
    elif seats == 2:
        odds["decider"] = decider_chance(2, ruleset.outright)
    return {name: str(chance) for name, chance in odds.items()}
