"""A game of Cee-lo told throw by throw, as plain text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sim.ceelo.reference import BEST, LAST_TRIPLE, WORST, Game, Round, Turn, bet_result, tied_for_best
from sim.ceelo.results import RESULTS
from sim.ceelo.ruleset import CeeloRuleset
from sim.replay import GAP, build_names, escaped

BANK_RULES = {
    "pass": "The first who beats the bank with 4-5-6 takes it over.",
    "rotate": "The bank goes on to the left after each round.",
    "fixed": "The bank stays where it is.",
}


def replay_lines(ruleset: CeeloRuleset, labels: Sequence[str], game: Game) -> list[str]:
    """Tells a game line by line: stakes, every throw, who wins how much, and where the bank goes.

    `labels` name the strategies by seat; control characters in them are escaped, and seats of the same name are told
    apart by their number.
    """
    if len(labels) != len(game.seats):
        raise ValueError(f"{len(labels)} labels given; the game has {len(game.seats)} seats, one label each")
    names = build_names(labels, len(labels)).seats
    lines = [f"{escaped(ruleset.title)} ({ruleset.name}), seed {game.seed}, deal {game.deal}", ""]
    lines += [f"Seat {seat}: {escaped(label)}" for seat, label in enumerate(labels)]
    lines += ["", *_rules_lines(ruleset)]
    before: Sequence[int] = [ruleset.chips] * len(names)
    for played in game.course:
        told = _Told(ruleset, names, played, before, is_last=played is game.course[-1])
        heading, *rest = _pot_lines(told) if played.banker is None else _bank_lines(told)
        lines += ["", f"Round {played.number + 1}: {heading}", *(f"  {line}" for line in rest)]
        before = played.chips
    return [*lines, "", *_end_lines(ruleset, names, game)]


@dataclass(frozen=True)
class _Told:
    """A round as it is told; `before` are the chips by seat when it began."""

    ruleset: CeeloRuleset
    names: Sequence[str]
    played: Round
    before: Sequence[int]
    is_last: bool


def _rules_lines(ruleset: CeeloRuleset) -> list[str]:
    if ruleset.bank == "none":
        how = f"pays an ante of {_chips(ruleset.ante)} a round"
        whose = "A 4-5-6 takes the pot at once." if ruleset.outright else "The best result takes the pot."
    else:
        stake = ruleset.stake
        least = "" if stake.minimum == stake.maximum else f"{stake.minimum} to "
        how = f"stakes {least}{_chips(stake.maximum)} a round against the bank"
        whose = BANK_RULES[ruleset.bank]
    end = f"Whoever has the most chips after {_rounds(ruleset.rounds)} wins."
    if ruleset.most_throws is not None:
        minutes = "1 minute" if ruleset.minutes == 1 else f"{ruleset.minutes} minutes"
        time = f"{minutes}, the time of {_throws(ruleset.most_throws)}"
        end = f"No round begins after {time}; whoever has the most chips then wins."
    return [f"Everybody starts with {_chips(ruleset.chips)} and {how}.", whose, end]


def _bank_lines(told: _Told) -> list[str]:
    played, seats = told.played, len(told.names)
    bank, *turns = played.turns
    around = [(bank.seat + step) % seats for step in range(1, seats)]
    stakes = [_stake(told, seat) for seat in around if played.asked[seat] is not None]
    outcome = ""
    if bank.result <= LAST_TRIPLE:
        outcome = f", wins all {sum(played.staked)} at once"
    elif bank.result == WORST:
        outcome = f", loses all {sum(played.staked)} at once"
    return [
        f"{told.names[bank.seat]} holds the bank, with {_chips(told.before[bank.seat])}",
        "; ".join(stakes),
        _turn(told, bank, outcome),
        *(_turn(told, turn, _bet(told, bank, turn)) for turn in turns),
        *_chips_lines(told),
        *_handing_on(told),
    ]


def _stake(told: _Told, seat: int) -> str:
    asked, staked = told.played.asked[seat], told.played.staked[seat]
    line = f"{told.names[seat]} stakes {asked}"
    if staked == asked:
        return line
    if staked == told.before[seat]:
        return f"{line} but has only {staked}"
    return f"{line} but the bank covers {f'only {staked}' if staked else 'no more, so there is no bet'}"


def _turn(told: _Told, turn: Turn, outcome: str) -> str:
    *nothing, last = [" ".join(map(str, dice)) for dice in turn.throws]
    before = f"{_listed(nothing)}: nothing; " if nothing else ""
    return f"{told.names[turn.seat]} throws {before}{last}: {RESULTS[turn.result].name}{outcome}"


def _bet(told: _Told, bank: Turn, turn: Turn) -> str:
    won = bet_result(bank.result, turn.result)
    if won == 0:
        return " too, a push"
    return f", {'wins' if won > 0 else 'loses'} {told.played.staked[turn.seat]}"


def _handing_on(told: _Told) -> list[str]:
    played = told.played
    assert played.next_banker is not None
    if played.taken_by is not None:
        takes = "would take it over" if told.is_last else "takes it over"
        return [f"{told.names[played.taken_by]} has beaten the bank with 4-5-6 and {takes}"]
    if told.is_last or played.next_banker == played.banker:
        return []
    return [f"the bank goes on to {told.names[played.next_banker]}"]


def _pot_lines(told: _Told) -> list[str]:
    played, pot = told.played, sum(told.played.staked)
    payers = sum(paid > 0 for paid in played.staked)
    lines = [
        f"{payers} pay {_chips(told.ruleset.ante)} each, {pot} in the pot; {told.names[played.first]} throws first",
        *(_turn(told, turn, _end_of_throwing(told, turn)) for turn in played.turns),
    ]
    tied, again = tied_for_best(played.turns), ""
    for decider in played.deciders:
        lines.append(f"{_listed([told.names[seat] for seat in tied])} are tied{again}, and throw a decider")
        lines += [_turn(told, turn, _end_of_throwing(told, turn)) for turn in decider]
        tied, again = tied_for_best(decider), " again"
    return [*lines, f"{told.names[tied[0]]} takes the pot of {pot}", *_chips_lines(told)]


def _end_of_throwing(told: _Told, turn: Turn) -> str:
    return ", and nobody throws after it" if told.ruleset.outright and turn.result == BEST else ""


def _chips_lines(told: _Told) -> list[str]:
    played = told.played
    cells = [
        f"{name} {chips} ({net:+})" if net else f"{name} {chips}"
        for name, chips, net in zip(told.names, played.chips, played.net, strict=True)
    ]
    least, why = 1, "has no chips left and is out"
    if told.ruleset.bank == "none":
        least, why = told.ruleset.ante, "can't pay the ante again and is out"
    pairs = zip(told.names, told.before, played.chips, strict=True)
    ruined = [f"{name} {why}" for name, before, chips in pairs if chips < least <= before]
    return [GAP.join(["chips", *cells]), *ruined]


def _end_lines(ruleset: CeeloRuleset, names: Sequence[str], game: Game) -> list[str]:
    scores = [seat.score for seat in game.seats]
    ranking = sorted(range(len(scores)), key=lambda seat: (game.seats[seat].place, seat))
    width, digits = max(map(len, names)), len(str(max(scores)))
    places = [
        f"{game.seats[seat].place}. {names[seat]:<{width}}{GAP}{scores[seat]:>{digits}} {_chip_word(scores[seat])}"
        for seat in ranking
    ]
    return [_ending(ruleset, names, game), "", *places, "", _verdict(names, game)]


def _ending(ruleset: CeeloRuleset, names: Sequence[str], game: Game) -> str:
    after = f"After {_rounds(game.rounds)}"
    chips = game.course[-1].chips
    richest = names[chips.index(max(chips))]
    if chips.count(0) == len(chips) - 1:
        return f"{after} {richest} has all the chips"
    if ruleset.bank == "none" and sum(has >= ruleset.ante for has in chips) < 2:
        return f"{after} nobody but {richest} can pay the ante"
    if game.rounds == ruleset.most_rounds:
        return f"{after} the game is over"
    return f"{after} time is up, with {_throws(sum(seat.throws for seat in game.seats))}"


def _verdict(names: Sequence[str], game: Game) -> str:
    sharing = [name for name, seat in zip(names, game.seats, strict=True) if seat.tied]
    if sharing:
        return f"{', '.join(sharing)} share the win"
    most, second = sorted((seat.score for seat in game.seats), reverse=True)[:2]
    winner = next(name for name, seat in zip(names, game.seats, strict=True) if seat.won)
    return f"{winner} wins by {_chips(most - second)}"


def _chips(chips: int) -> str:
    return f"{chips} {_chip_word(chips)}"


def _chip_word(chips: int) -> str:
    return "chip" if chips == 1 else "chips"


def _throws(throws: int) -> str:
    return "1 throw" if throws == 1 else f"{throws} throws"


def _rounds(rounds: int) -> str:
    return "1 round" if rounds == 1 else f"{rounds} rounds"


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
