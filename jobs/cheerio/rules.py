"""A ruleset of Cheerio in plain words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from jobs.games import WordTable
from sim.category import Category, Pattern, Pay
from sim.cheerio_ruleset import VARIANT_PARTS, CheerioRuleset
from sim.variant import Clock, Joker, Times
from sim.views import VIEWS
from strategies.lineup import Player
from strategies.strategy import answers_question

__all__ = [
    "EXAMPLE",
    "QUESTIONS",
    "USUAL",
    "VIEWS",
    "asks_text",
    "bonus_text",
    "categories",
    "luck_obstacle",
    "parts",
    "pays_text",
    "rules_lines",
    "rules_table",
    "untried_lines",
    "usual_strategies",
    "vain_lines",
]

USUAL = "cheerio"
EXAMPLE = "greedy,par"
QUESTIONS = ("offers", "forfeits")

STARTS = {
    "highest-die": "Each rolls one die and the highest starts; those tied for the highest roll again.",
    "first-seat": "Seat 0 starts.",
}
TIE_BREAKS = {
    "roll-off": "Those tied for the top roll five dice once and the highest sum wins; those still tied repeat.",
    "shared": "Those tied for the top share the win.",
}
SCRATCHES = {
    "free": "Any open category may be filled, with a zero where the dice do not fit.",
    "forced": "A category that pays must be filled while one is open; else any, with a zero.",
}
STEALS = {
    "overwrite": "a filled category of a rival gets what the dice pay there, and the own sheet stays as it is. A rival "
    "without an open category can't be robbed",
    "take": "the dice are entered in a category that is open on the own sheet and filled on a rival's, whose entry is "
    "erased and the category open again",
}
TIMES = ("no", "one", "two", "three", "four", "five")
FACES = ("", "ones", "twos", "threes", "fours", "fives", "sixes")


def categories(ruleset: CheerioRuleset) -> list[str]:
    """Names the categories of the scoresheet."""
    return list(ruleset.categories)


def parts(ruleset: CheerioRuleset) -> dict[str, Any]:
    """Returns the parts of a variant that are in play."""
    return {part: rule for part, rule in ruleset.stated().items() if part in VARIANT_PARTS}


def rules_table(ruleset: CheerioRuleset) -> WordTable:
    """Returns the scoresheet as a table."""
    rows = [
        (key, rule.name, asks_text(rule.pattern), pays_text(rule), "yes" if rule.upper else "")
        for key, rule in ruleset.categories.items()
    ]
    return WordTable("Scoresheet", ("category", "name", "asks for", "pays", "for the bonus"), rows)


def vain_lines(ruleset: CheerioRuleset, players: Sequence[Player]) -> Iterator[str]:
    """Yields what a lineup says of players that a ruleset has no use for."""
    for player in players:
        for name, there in (("steal", ruleset.steal != "none"), ("pace", ruleset.clock is not None)):
            if name in player.manner.said and not there:
                lack = "steals" if name == "steal" else "clock"
                yield f"{ruleset.name} has no {lack}: {name}= of {player.label} changes nothing there"


def luck_obstacle(ruleset: CheerioRuleset) -> str | None:
    """Says why the luck of the dice can't be told under a ruleset, or returns None where it can."""
    if ruleset.steal != "none":
        return "steals change a sheet by what rivals throw and decide, so that its points are not its own dice's alone"
    if ruleset.clock is not None:
        return "time is called by whoever is first, so that what a sheet still brings hangs on rivals, too"
    return None


def usual_strategies(ruleset: CheerioRuleset) -> tuple[str, ...]:
    """Names strategies from the simplest to the best; against a clock one that saves throws is among them."""
    return ("greedy", "par", "lookahead" if ruleset.clock is None else "brisk", "optimal")


def untried_lines(ruleset: CheerioRuleset, player: Player) -> Iterator[str]:
    """Yields what a check of a player could not try under a ruleset without steals."""
    untried = [name for name in ("steal", "forfeit") if answers_question(player.strategy, name)]
    if untried and ruleset.steal == "none":
        yield (
            f"{ruleset.name} has no steals: {' and '.join(untried)} not tried; try --ruleset cheerio-cutthroat"
        )


def rules_lines(ruleset: CheerioRuleset) -> list[str]:
    """Returns the rules beside the scoresheet, a sentence or two a line."""
    players = ", ".join(map(str, ruleset.players))
    solitaire = " One player alone plays for the score." if 1 in ruleset.players else ""
    goes_on = (
        "Of turns that end at once, the starter's comes first" if ruleset.clock else "Play goes on by seat"
    )
    lines = [
        f"Players: {players}.{solitaire}",
        *([f"Teams: {_team_text(ruleset)}"] if ruleset.team > 1 else []),
        f"Turns: {_turns_text(ruleset)}",
        f"Entries: {SCRATCHES[ruleset.scratch]}",
        *([f"Joker: {_joker_text(ruleset, ruleset.joker)}"] if ruleset.joker else []),
        *([f"Steals: {_steal_text(ruleset)}"] if ruleset.steal != "none" else []),
        *([f"Clock: {_clock_text(ruleset.clock)}"] if ruleset.clock else []),
        f"Start: {STARTS[ruleset.start]} {goes_on}.",
        f"Bonus: {bonus_text(ruleset)}",
        f"Ties: {TIE_BREAKS[ruleset.tiebreak]}",
    ]
    return [*lines, f"Source: {ruleset.source}."] if ruleset.source else lines


def _team_text(ruleset: CheerioRuleset) -> str:
    tables = (
        " ".join("ABCDEF"[: ruleset.sides(players)] * ruleset.team) + f" with {players} players"
        for players in ruleset.players
    )
    return (
        f"{TIMES[ruleset.team].capitalize()} players share a sheet and take its turns one after another; around the "
        f"table they sit {', '.join(tables)}."
    )


def _turns_text(ruleset: CheerioRuleset) -> str:
    throws = "One throw" if ruleset.throws == 1 else f"Up to {TIMES[ruleset.throws]} throws"
    each = "a sheet" if ruleset.team > 1 else "each"
    stolen = "; one more after a steal, one fewer after being robbed" if ruleset.steal == "overwrite" else ""
    return f"{ruleset.turns} {each}, one for each category{stolen}. {throws} of five dice a turn; any dice may be kept."


def _steal_text(ruleset: CheerioRuleset) -> str:
    who = "a team" if ruleset.team > 1 else "each player"
    return (
        f"Once a game {who} may, after the last throw of a turn, steal instead of scoring: {STEALS[ruleset.steal]}. "
        "The rival at once enters a zero in an open category. The rival is the one who stands best of those who can "
        "be robbed, the category the one where most is gained and destroyed."
    )


def _clock_text(clock: Clock) -> str:
    sand = (
        f" A timer of {clock.timer:g} s ends the throws of a turn, and the dice are scored as they lie."
        if clock.sand
        else ""
    )
    return (
        f"All play at once, each at their own pace. A throw takes {_seconds(clock.throw)}, an entry "
        f"{_seconds(clock.entry)}.{sand} The first full sheet calls time: turns under way are finished, no other is "
        "begun, and what is left empty counts 0."
    )


def _seconds(times: Times) -> str:
    if not times.reach:
        return f"{times.seconds:g} s"
    return f"{times.seconds - times.spread:g} to {times.seconds + times.spread:g} s"


def _joker_text(ruleset: CheerioRuleset, joker: Joker) -> str:
    rules = ruleset.categories
    name = rules[joker.category].name
    extra = f" bring {joker.points} points more each while {name} holds points" if joker.points else ""
    names = ", ".join(rules[key].name for key in joker.fits)
    fits = f" pay in full in {names}" if joker.fits else ""
    forced = (
        " have to be entered in the category of their face while it is open, then in one that does not count towards "
        "a bonus, and only then anywhere"
        if joker.forced
        else ""
    )
    told = [part for part in (extra, fits, forced) if part]
    return f"Once {name} is filled, further five alike{','.join(told) or ' are nothing special'}."


def bonus_text(ruleset: CheerioRuleset) -> str:
    """Returns what the bonus is, in words."""
    if not ruleset.bonus.points:
        return "none."
    names = [rule.name for rule in ruleset.categories.values() if rule.upper]
    return (
        f"{ruleset.bonus.points} points where the categories that count towards it ({', '.join(names)}) "
        f"come to {ruleset.bonus.threshold} or more."
    )


def asks_text(pattern: Pattern) -> str:
    """Returns what a category asks of five dice, in words."""
    if pattern.face is not None:
        return f"one or more {FACES[pattern.face]}"
    if pattern.alike is not None:
        return "five alike" if pattern.alike == 5 else f"at least {TIMES[pattern.alike]} alike"
    if pattern.groups is not None:
        groups = " and ".join(TIMES[count] for count in pattern.groups)
        return f"{groups} alike" + (", or five alike" if pattern.five_alike else ", of different faces")
    if pattern.faces is not None:
        return "-".join(map(str, pattern.faces))
    if pattern.run is not None:
        return f"{TIMES[pattern.run]} consecutive faces"
    return "any roll"


def pays_text(category: Category) -> str:
    """Returns what a category pays, in words."""
    pay: Pay = category.pays
    parts = [str(pay.points)] if pay.points or pay.plus is None else []
    if pay.plus == "all dice":
        parts.append("the sum of all dice")
    elif pay.plus == "matched dice":
        face = category.pattern.face
        parts.append(f"the sum of the {FACES[face]}" if face else "the sum of the dice that match")
    return " and ".join(parts)
