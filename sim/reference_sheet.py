"""The scoresheet of the slow reference: what dice pay, where they may be entered, and what is seen of sheets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, combinations_with_replacement

from sim.category import Pattern
from sim.cheerio_ruleset import CheerioRuleset

DIFFERENCE_LIMIT = 400

Entries = dict[int, int]  # category index -> points, for the filled lines of one sheet


@dataclass(frozen=True)
class View:
    """Holds all that a strategy may be shown at the start of a turn.

    `open` and `rival_open` are category indices in sheet order; `upper` and `rival_upper` are capped
    subtotals; `pace` and `standing` are steps from -2 to 2; `difference` is in points, within 400; `joker` tells
    that further five alike bring extra points.
    """

    open: tuple[int, ...]
    upper: int
    pace: int
    turns_left: int
    standing: int
    difference: int
    rival_open: tuple[int, ...]
    rival_upper: int
    joker: bool = False


def matched_choices(pattern: Pattern, dice: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Lists the choices of dice, each sorted, that are what the pattern asks for."""
    if pattern.face is not None:
        of_that_face = tuple(die for die in dice if die == pattern.face)
        return [of_that_face] if of_that_face else []
    choices = [choice for size in range(1, 6) for choice in combinations(sorted(dice), size)]
    if pattern.alike is not None:
        return [choice for choice in choices if len(choice) == pattern.alike and len(set(choice)) == 1]
    if pattern.groups is not None:
        # The choice is made of distinct faces with exactly these counts.
        matched = [c for c in choices if sorted(Counter(c).values()) == sorted(pattern.groups)]
        if pattern.five_alike and len(set(dice)) == 1:
            matched.append(dice[: sum(pattern.groups)])
        return matched
    if pattern.faces is not None:
        return [choice for choice in choices if list(choice) == sorted(pattern.faces)]
    if pattern.run is not None:
        return [
            c for c in choices if len(c) == pattern.run and list(c) == list(range(c[0], c[0] + pattern.run))
        ]
    return [tuple(dice)]


@cache
def points_of(ruleset: CheerioRuleset, category: int, dice: tuple[int, ...]) -> int:
    """Returns what the category of that index pays without jokers; of several choices of dice the best counts."""
    rule = list(ruleset.categories.values())[category]
    choices = matched_choices(rule.pattern, dice)
    if not choices:
        return 0
    if rule.pays.plus == "all dice":
        return rule.pays.points + sum(dice)
    if rule.pays.plus == "matched dice":
        return rule.pays.points + max(sum(choice) for choice in choices)
    return rule.pays.points


def is_joker(ruleset: CheerioRuleset, still_open: Sequence[int], dice: tuple[int, ...]) -> bool:
    """Tells whether these are five alike, thrown after the joker's category has been filled."""
    if ruleset.joker is None or len(set(dice)) > 1:
        return False
    return _joker_category(ruleset) not in still_open


def holds_joker(ruleset: CheerioRuleset, entries: Entries) -> bool:
    """Tells whether further five alike bring extra points: the joker's category holds points, not a zero."""
    return ruleset.joker is not None and entries.get(_joker_category(ruleset), 0) > 0


def pays_on(ruleset: CheerioRuleset, still_open: Sequence[int], category: int, dice: tuple[int, ...]) -> int:
    """Returns what the category pays on a sheet with these categories open, where five alike may be a joker."""
    if ruleset.joker is not None and is_joker(ruleset, still_open, dice):
        key, rule = list(ruleset.categories.items())[category]
        if key in ruleset.joker.fits:
            return rule.pays.points if rule.pays.plus is None else rule.pays.points + sum(dice)
    return points_of(ruleset, category, dice)


def allowed_on(ruleset: CheerioRuleset, still_open: Sequence[int], dice: tuple[int, ...]) -> tuple[int, ...]:
    """Lists which of the open categories these dice may be entered in, in sheet order."""
    allowed = tuple(still_open)
    if ruleset.joker is not None and ruleset.joker.forced and is_joker(ruleset, still_open, dice):
        rules = list(ruleset.categories.values())
        of_that_face = tuple(c for c in allowed if rules[c].upper and rules[c].pattern.face == dice[0])
        not_upper = tuple(c for c in allowed if not rules[c].upper)
        allowed = of_that_face or not_upper or allowed
    if ruleset.scratch == "forced":
        paying = tuple(c for c in allowed if pays_on(ruleset, still_open, c, dice) > 0)
        allowed = paying or allowed
    return allowed


def open_on(ruleset: CheerioRuleset, entries: Entries) -> tuple[int, ...]:
    """Lists the open categories of a sheet, in sheet order."""
    return tuple(category for category in range(len(ruleset.categories)) if category not in entries)


def upper_subtotal(ruleset: CheerioRuleset, entries: Entries) -> int:
    """Sums the entries that count towards the bonus."""
    rules = list(ruleset.categories.values())
    return sum(points for category, points in entries.items() if rules[category].upper)


def bonus_of(ruleset: CheerioRuleset, entries: Entries) -> int:
    """Returns the bonus points that a sheet has earned."""
    return ruleset.bonus.points if upper_subtotal(ruleset, entries) >= ruleset.bonus.threshold else 0


def total_of(ruleset: CheerioRuleset, entries: Entries, jokers: int = 0) -> int:
    """Returns a sheet's running total, with the bonus from the moment it is earned.

    `jokers` counts the five alike that brought extra points.
    """
    extra = ruleset.joker.points * jokers if ruleset.joker is not None else 0
    return sum(entries.values()) + bonus_of(ruleset, entries) + extra


@cache
def upper_cap(ruleset: CheerioRuleset) -> int:
    """Returns the upper subtotal beyond which no strategy is shown a difference."""
    if ruleset.bonus.points > 0:
        return ruleset.bonus.threshold
    rolls = list(combinations_with_replacement(range(1, 7), 5))
    rules = list(ruleset.categories.values())
    return sum(
        max(max(points_of(ruleset, category, roll), pays_on(ruleset, (), category, roll)) for roll in rolls)
        for category in range(len(rules))
        if rules[category].upper
    )


def prospect_of(ruleset: CheerioRuleset, entries: Entries, worth: Sequence[int], jokers: int = 0) -> int:
    """Returns a sheet's total with the usual worth of its open categories added."""
    open_worth = sum(worth[category] for category in open_on(ruleset, entries))
    return total_of(ruleset, entries, jokers) + open_worth


def clockwise_from(side: int, sides: int) -> list[int]:
    """Lists the rivals of a side, the next clockwise first."""
    return [(side + step) % sides for step in range(1, sides)]


def view_of(
    ruleset: CheerioRuleset,
    sheets: Sequence[Entries],
    side: int,
    worth: Sequence[int],
    jokers: Sequence[int] | None = None,
) -> View:
    """Returns what a side sees as its turn starts, given all sheets by side.

    `worth` is each category's usual worth in points, `jokers` counts by side the five alike that brought extra
    points: none where not given.
    """
    jokers = [0] * len(sheets) if jokers is None else jokers
    own = sheets[side]
    own_open = open_on(ruleset, own)
    cap = upper_cap(ruleset)
    standing, difference, rival_upper = 0, 0, 0
    rival_open: tuple[int, ...] = ()
    # Clockwise from the side, so that max() finds the first of several equals.
    rivals = clockwise_from(side, len(sheets))
    if rivals:
        totals = [total_of(ruleset, *sheet) for sheet in zip(sheets, jokers, strict=True)]
        prospects = [prospect_of(ruleset, sheets[s], worth, jokers[s]) for s in range(len(sheets))]
        best = max(rivals, key=lambda rival: prospects[rival])
        standing = _standing(prospects[side] - prospects[best])
        difference = totals[side] - max(totals[rival] for rival in rivals)
        difference = max(-DIFFERENCE_LIMIT, min(DIFFERENCE_LIMIT, difference))
        rival_open = open_on(ruleset, sheets[best])
        rival_upper = min(upper_subtotal(ruleset, sheets[best]), cap)
    return View(
        open=own_open,
        upper=min(upper_subtotal(ruleset, own), cap),
        pace=_pace(ruleset, own),
        turns_left=len(own_open),
        standing=standing,
        difference=difference,
        rival_open=rival_open,
        rival_upper=rival_upper,
        joker=holds_joker(ruleset, own),
    )


def _joker_category(ruleset: CheerioRuleset) -> int:
    assert ruleset.joker is not None
    return list(ruleset.categories).index(ruleset.joker.category)


def _pace(ruleset: CheerioRuleset, entries: Entries) -> int:
    ahead = upper_subtotal(ruleset, entries)
    for category, rule in enumerate(ruleset.categories.values()):
        if category in entries and rule.upper and rule.pattern.face is not None:
            ahead -= 3 * rule.pattern.face
    if ahead <= -6:
        return -2
    if ahead <= -1:
        return -1
    if ahead == 0:
        return 0
    return 1 if ahead <= 5 else 2


def _standing(ahead: int) -> int:
    if ahead <= -25:
        return -2
    if ahead <= -8:
        return -1
    if ahead < 8:
        return 0
    return 1 if ahead < 25 else 2
