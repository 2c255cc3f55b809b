"""Lineups of teams: sides written as `par+greedy`, their partners spread over the seats."""

from __future__ import annotations

import re
from collections.abc import Sequence

from jobs.errors import JobError
from sim.ruleset import Ruleset

#: What joins partners; 1e+3 in a parameter is a number.
_JOINT = re.compile(r"\s*\+\s*(?=[^\W\d]|[./~])")


def split_side(words: str) -> list[str]:
    """Splits `par+greedy` into the words of its partners."""
    return _JOINT.split(words)


def join_sides(labels: Sequence[str], ruleset: Ruleset) -> str:
    """Returns a lineup by seats as it is written by sides: `par+greedy,nets+nets`."""
    sides = ruleset.sides(len(labels)) or 1
    return ",".join("+".join(labels[side::sides]) for side in range(sides))


def seat_lineup(ruleset: Ruleset, lineup: Sequence[str]) -> tuple[str, ...]:
    """Returns the words of a lineup by seat: seat s belongs to side s % sides.

    A lineup of teams that has as many entries as there are players is by seat already, and no entry is split. Raises
    JobError, which says what to write, where sides have too few or too many partners.
    """
    if ruleset.side_size == 1 or len(lineup) in ruleset.players:
        _refuse_joined(ruleset, lineup)
        return tuple(lineup)
    sides = [split_side(words) for words in lineup]
    wrong = [
        f"{words} names {len(partners)}"
        for words, partners in zip(lineup, sides, strict=True)
        if len(partners) != ruleset.side_size
    ]
    given = f"lineup {','.join(lineup)}"
    if wrong:
        raise JobError(
            f"{given}: {ruleset.name} has teams of {ruleset.side_size}, but {wrong[0]}; {_to_write(ruleset)}"
        )
    if len(sides) * ruleset.side_size not in ruleset.players:
        count = "1 side" if len(sides) == 1 else f"{len(sides)} sides"
        raise JobError(f"{given} has {count} of {ruleset.side_size}; {_to_write(ruleset)}")
    return tuple(partners[place] for place in range(ruleset.side_size) for partners in sides)


def _refuse_joined(ruleset: Ruleset, lineup: Sequence[str]) -> None:
    """Refuses partners where there are none; the name of a user's file may have a plus."""
    joined = [words for words in lineup if len(split_side(words)) > 1 and ".py" not in words]
    if not joined:
        return
    given = f"lineup {','.join(lineup)}"
    if ruleset.side_size == 1:
        raise JobError(
            f"{given}: {ruleset.name} has no teams, but {joined[0]} joins partners by +; name one strategy a seat"
        )
    raise JobError(
        f"{given} has {len(lineup)} entries, which is one for each player, but {joined[0]} names more; "
        f"{_to_write(ruleset)}"
    )


def _to_write(ruleset: Ruleset) -> str:
    sides = [str(ruleset.sides(players)) for players in ruleset.players]
    example = "+".join(["par"] * ruleset.side_size)
    return (
        f"write {' or '.join(sides)} sides, as {example},{example.replace('par', 'greedy')}, "
        f"or {' or '.join(map(str, ruleset.players))} strategies by seat"
    )
