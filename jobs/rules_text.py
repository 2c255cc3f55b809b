"""A ruleset in plain words."""

from __future__ import annotations

from sim.ruleset import Category, Pattern, Pay, Ruleset

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
TIMES = ("no", "one", "two", "three", "four", "five")
FACES = ("", "ones", "twos", "threes", "fours", "fives", "sixes")


def rules_lines(ruleset: Ruleset) -> list[str]:
    """Returns the rules beside the scoresheet, a sentence or two a line."""
    players = ", ".join(map(str, ruleset.players))
    solitaire = " One player alone plays for the score." if 1 in ruleset.players else ""
    throws = "One throw" if ruleset.throws == 1 else f"Up to {TIMES[ruleset.throws]} throws"
    lines = [
        f"Players: {players}.{solitaire}",
        f"Turns: {ruleset.turns} each, one for each category. {throws} of five dice a turn; any dice may be kept.",
        f"Entries: {SCRATCHES[ruleset.scratch]}",
        f"Start: {STARTS[ruleset.start]} Play goes on by seat.",
        f"Bonus: {bonus_text(ruleset)}",
        f"Ties: {TIE_BREAKS[ruleset.tiebreak]}",
    ]
    return [*lines, f"Source: {ruleset.source}."] if ruleset.source else lines


def bonus_text(ruleset: Ruleset) -> str:
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
