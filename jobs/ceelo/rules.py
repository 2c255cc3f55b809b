"""A ruleset of Cee-lo in plain words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from jobs.games import WordTable
from results.tables import percent_text, rounded_rate
from sim.ceelo.odds import bank_edge, bet_chances, result_chances, throws_per_result
from sim.ceelo.results import LOSS, LOWEST_POINT, LOWEST_TRIPLE, RESULTS, STRAIGHT, is_point
from sim.ceelo.ruleset import CeeloRuleset, Limits
from sim.ceelo.views import VIEWS
from strategies.lineup import Player

__all__ = [
    "EXAMPLE",
    "QUESTIONS",
    "USUAL",
    "VIEWS",
    "categories",
    "luck_obstacle",
    "parts",
    "rules_lines",
    "rules_table",
    "untried_lines",
    "usual_strategies",
    "vain_lines",
]

USUAL = "ceelo-bank"
EXAMPLE = "flat,bold"
QUESTIONS: tuple[str, ...] = ()
#: Fields of a ruleset that tell its variants apart, where they are in play.
PARTS = ("bank", "stake", "ante", "outright", "minutes")
PASSES = {
    "pass": "It passes to the first in throwing order who beats it with 4-5-6, from the next round on.",
    "rotate": "After each round it goes on to the left.",
    "fixed": "It stays there.",
}
THROWN = (
    "three dice, until they come to a result: 4-5-6; three alike, a triple; a pair with another die, whose pips are "
    "the point; 1-2-3. Anything else is thrown again."
)
PLAY = (
    "the bank throws first. 4-5-6 or a triple wins all stakes at once, 1-2-3 loses all at once. On a point the others "
    "throw in turn: 4-5-6, a triple or a higher point wins as much as is staked, 1-2-3 or a lower point loses it, an "
    "equal point is a push."
)


def categories(ruleset: CeeloRuleset) -> list[str]:
    """Names no categories: Cee-lo has no scoresheet."""
    del ruleset
    return []


def parts(ruleset: CeeloRuleset) -> dict[str, Any]:
    """Returns the fields that tell variants apart, of those in play."""
    return {part: rule for part, rule in ruleset.stated().items() if part in PARTS}


def rules_table(ruleset: CeeloRuleset) -> WordTable:
    """Returns the results of the dice, the best first, with their exact chances."""
    has_bank = ruleset.bank != "none"
    rows = [
        (
            result.name,
            _dice_text(place),
            *([_at_bank(place)] if has_bank else []),
            str(chance),
            _percent(chance),
        )
        for place, (result, chance) in enumerate(zip(RESULTS, result_chances(), strict=True))
    ]
    at_bank = ("thrown by the bank",) if has_bank else ()
    return WordTable("Results, the best first", ("result", "dice", *at_bank, "chance", "chance %"), rows)


def rules_lines(ruleset: CeeloRuleset) -> list[str]:
    """Returns the rules beside the results, a sentence or two a line."""
    told = _pot_lines(ruleset) if ruleset.bank == "none" else _bank_lines(ruleset)
    lines = [
        f"Players: {', '.join(map(str, ruleset.players))}.",
        f"Chips: {ruleset.chips} each at the start. The most at the end win; a shared top shares the win.",
        f"Rounds: {_length_text(ruleset)}",
        f"Throws: {THROWN} A result takes {throws_per_result()} throws on average.",
        *told,
    ]
    return [*lines, f"Source: {ruleset.source}."] if ruleset.source else lines


def vain_lines(ruleset: CeeloRuleset, players: Sequence[Player]) -> Iterator[str]:
    """Yields that nobody is asked for stakes where there is a pot."""
    del players
    if ruleset.bank == "none":
        yield f"{ruleset.name} has equal antes and asks nobody for stakes: all strategies play alike there"


def luck_obstacle(ruleset: CeeloRuleset) -> str | None:
    """Says why the luck of the dice can't be told from that of others: chips are won by the dice of all."""
    del ruleset
    return (
        "in Cee-lo chips pass from one to another by the dice of all, so that no dice are a player's own luck"
    )


def usual_strategies(ruleset: CeeloRuleset) -> tuple[str, ...]:
    """Names bettors from the even to the wild; one will do where nobody stakes."""
    return ("flat",) if ruleset.bank == "none" else ("flat", "timid", "bold", "catch-up")


def untried_lines(ruleset: CeeloRuleset, player: Player) -> Iterator[str]:
    """Yields that a player could not be tried where there is a pot."""
    if ruleset.bank == "none":
        yield f"{ruleset.name} asks nobody for stakes: {player.label} not tried; try --ruleset {USUAL}"


def _length_text(ruleset: CeeloRuleset) -> str:
    over = (
        "Fewer than two who can pay the ante end the game sooner."
        if ruleset.bank == "none"
        else "One player with all the chips ends the game sooner."
    )
    if ruleset.minutes is None:
        return f"{ruleset.rounds}. {over}"
    return (
        f"played by the clock. A throw takes {ruleset.throw_seconds:g} s, and no round begins once "
        f"{_time_text(ruleset.minutes, ruleset.most_throws or 0)} over, or after {ruleset.most_rounds} rounds. {over}"
    )


def _time_text(minutes: int, throws: int) -> str:
    lasting = "1 minute" if minutes == 1 else f"{minutes} minutes"
    thrown = "1 throw" if throws == 1 else f"{throws:,} throws"
    verb = "is" if minutes == 1 else "are"
    return f"{lasting}, the time of {thrown}, {verb}"


def _bank_lines(ruleset: CeeloRuleset) -> list[str]:
    return [
        f"Bank: seat 0 holds it first. {PASSES[ruleset.bank]} Who has no chips hands it on to the left.",
        f"Stakes: {_stakes_text(ruleset.stake)}",
        f"Play: {PLAY}",
        f"Exactly: {_odds_text()}",
    ]


def _stakes_text(stake: Limits) -> str:
    least = "" if stake.minimum == stake.maximum else f"{stake.minimum} to "
    return (
        f"the others each stake {least}{_chips_text(stake.maximum)}, all at once, so that nobody sees another's; "
        "a smaller purse stakes all it has. The bank has to cover them: in throwing order from its left they are cut "
        "to what it holds at the start of the round, and who is left without a stake doesn't throw and can't take the "
        "bank."
    )


def _odds_text() -> str:
    bets, edge = bet_chances(), bank_edge()
    return (
        f"a bet is won with chance {bets[1]}, pushed with {bets[0]} and lost with {bets[-1]}; the bank's edge is "
        f"{edge} ({_percent(edge)} %) of what is staked."
    )


def _pot_lines(ruleset: CeeloRuleset) -> list[str]:
    return [f"Pot: {_pot_text(ruleset)}", f"Play: {_pot_play_text(ruleset)}"]


def _pot_text(ruleset: CeeloRuleset) -> str:
    return (
        f"in each round everyone pays {_chips_text(ruleset.ante)}; who can't pay sits out. Seat 0 throws first, and in "
        "each later round the next to the left of those who can pay."
    )


def _chips_text(chips: int) -> str:
    return "1 chip" if chips == 1 else f"{chips} chips"


def _pot_play_text(ruleset: CeeloRuleset) -> str:
    best = (
        "4-5-6 takes the pot at once, and nobody throws after it, in deciders too; else the best result takes it."
        if ruleset.outright
        else "The best result takes the pot; after a 4-5-6 the others still throw."
    )
    return f"all throw in turn. {best} Those tied for the best throw a decider between themselves, again and again."


def _dice_text(result: int) -> str:
    if result == STRAIGHT:
        return "a 4, a 5 and a 6"
    if result == LOSS:
        return "a 1, a 2 and a 3"
    if is_point(result):
        return f"a pair and a {LOWEST_POINT + 1 - result}"
    return f"three {LOWEST_TRIPLE + 1 - result}s"


def _at_bank(result: int) -> str:
    if result <= LOWEST_TRIPLE:
        return "wins all stakes"
    return "loses all stakes" if result == LOSS else "the others throw"


def _percent(chance: Fraction) -> str:
    return percent_text(rounded_rate(float(chance)))
