"""The luck of a game throw by throw: value after each throw less its mean before, in slow and obvious Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from sim.cheerio_ruleset import CheerioRuleset
from sim.dice import KEEPS, ROLLS
from sim.reference import Decider, Offer, Turn, View, allowed_on, is_joker, pays_on

#: The value of a sheet, given the mask of open categories, the upper subtotal, and whether jokers bring extra points.
Value = Callable[[int, int, int], float]
Reals = npt.NDArray[np.float64]

ROLL_PLACE = {roll: place for place, roll in enumerate(ROLLS)}
KEEP_PLACE = {keep: place for place, keep in enumerate(KEEPS)}


@cache
def chances() -> Reals:
    """The chance of each roll from each keep, all throws of the other dice counted."""
    table = np.zeros((len(KEEPS), len(ROLLS)))
    for place, keep in enumerate(KEEPS):
        for thrown in product(range(1, 7), repeat=5 - len(keep)):
            table[place, ROLL_PLACE[tuple(sorted(keep + thrown))]] += 6.0 ** -len(thrown)
    return table


@cache
def keeps_of_rolls() -> npt.NDArray[np.intp]:
    """The keeps of each roll, as many as those of five different dice: the last stands for all that are lacking."""
    own = [[place for place, keep in enumerate(KEEPS) if not Counter(keep) - Counter(roll)] for roll in ROLLS]
    most = max(map(len, own))
    return np.array([keeps + keeps[-1:] * (most - len(keeps)) for keeps in own])


@cache
def entries(
    ruleset: CheerioRuleset, still_open: tuple[int, ...], roll: tuple[int, ...]
) -> tuple[list[int], tuple[int, ...], bool]:
    """What each open category pays for a roll, which may be filled with it, and whether it is a joker."""
    pays = [pays_on(ruleset, still_open, category, roll) for category in still_open]
    return pays, allowed_on(ruleset, still_open, roll), is_joker(ruleset, still_open, roll)


@dataclass
class Remembering:
    """Decides as another does, and remembers what it saw and the options that it gave, turn by turn."""

    decider: Decider
    views: list[View] = field(default_factory=list)
    options: list[list[Sequence[Any]]] = field(default_factory=list)

    @property
    def pace(self) -> int:
        return self.decider.pace

    def keeps(self, view: View, dice: tuple[int, ...], rolls_left: int) -> Sequence[tuple[int, ...]]:
        return self._remembered(view, self.decider.keeps(view, dice, rolls_left))

    def categories(self, view: View, dice: tuple[int, ...]) -> Sequence[int]:
        return self._remembered(view, self.decider.categories(view, dice))

    def _remembered(self, view: View, options: Sequence[Any]) -> Sequence[Any]:
        # All decisions of a turn see the same view, and no other turn does.
        if not self.views or self.views[-1] is not view:
            self.views.append(view)
            self.options.append([])
        self.options[-1].append(options)
        return options

    def steals(self, view: View, offer: Offer) -> bool:
        return self.decider.steals(view, offer)

    def forfeits(self, view: View) -> int:
        return self.decider.forfeits(view)


@dataclass(frozen=True)
class Luck:
    """Reckons the luck of turns by a value of sheets, with a joker's extra points among what is gained or without."""

    ruleset: CheerioRuleset
    value: Value
    extra: bool

    def of_turn(self, view: View, options: list[Sequence[Any]], turn: Turn) -> float:
        """What the dice and the coins of a turn brought."""
        worths, rolled, kept = self._values(view)
        luck, before = 0.0, float(chances()[0] @ rolled[0])
        for number, (throw, chosen) in enumerate(zip(turn.throws, options, strict=False)):
            roll = ROLL_PLACE[throw.roll]
            luck += float(rolled[number][roll]) - before
            if throw.kept is not None:
                before = float(kept[number][KEEP_PLACE[throw.kept]])
                luck += before - _mean([kept[number][KEEP_PLACE[tuple(sorted(keep))]] for keep in chosen])
        last = ROLL_PLACE[turn.throws[-1].roll]
        return luck + float(worths[turn.category, last]) - _mean([worths[c, last] for c in options[-1]])

    def of_game(self, remembering: Remembering, turns: Sequence[Turn]) -> float:
        """What the dice and the coins of all of a seat's turns brought."""
        played = zip(remembering.views, remembering.options, turns, strict=True)
        return sum(self.of_turn(view, options, turn) for view, options, turn in played)

    def _values(self, view: View) -> tuple[Reals, list[Reals], list[Reals]]:
        """By category and roll what an entry is worth; after each throw what rolls, and what keeps are worth."""
        rules = list(self.ruleset.categories.values())
        joker = self.ruleset.joker
        own = -1 if joker is None else list(self.ruleset.categories).index(joker.category)
        worths = np.full((len(rules), len(ROLLS)), np.nan)
        entered = np.empty(len(ROLLS))
        for place, roll in enumerate(ROLLS):
            pays, allowed, is_paid_more = entries(self.ruleset, view.open, roll)
            extra = joker.points if joker is not None and is_paid_more and view.joker and self.extra else 0
            for category, points in zip(view.open, pays, strict=True):
                following = sum(1 << other for other in view.open if other != category)
                upper = view.upper + points * rules[category].upper
                holds = view.joker or (category == own and points > 0)
                worths[category, place] = points + extra + self.value(following, upper, int(holds))
            entered[place] = max(worths[category, place] for category in allowed)
        rolled: list[Reals] = [entered]
        kept: list[Reals] = []
        for _ in range(self.ruleset.throws - 1):
            held = chances() @ rolled[0]
            held[-len(ROLLS) :] = entered
            kept.insert(0, held)
            rolled.insert(0, held[keeps_of_rolls()].max(axis=1))
        return worths, rolled, kept


def _mean(values: Sequence[float]) -> float:
    return sum(map(float, values)) / len(values)
