"""Perfect play by slow, obvious code: the rules of the reference, plain numbers, one die after another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from itertools import combinations_with_replacement, product
from math import exp

from sim import reference_sheet as rules_of
from sim.cheerio_ruleset import CheerioRuleset, load_cheerio, validate_cheerio
from sim.dice import ROLLS, masked_dice
from strategies.strategy import Plan

Dice = tuple[int, ...]
Values = dict[Dice, float]
#: Open categories, upper subtotal, whether a joker is held.
State = tuple[tuple[int, ...], int, bool]

WAYS = Counter(tuple(sorted(dice)) for dice in product(range(1, 7), repeat=5))
SHORT = [kept for size in range(4, -1, -1) for kept in combinations_with_replacement(range(1, 7), size)]
GROWN = {kept: [tuple(sorted((*kept, face))) for face in range(1, 7)] for kept in SHORT}
KEPT = {roll: [kept for kept in SHORT if not Counter(kept) - Counter(roll)] for roll in WAYS}


def small(parent: str, *categories: str, **changes: object) -> CheerioRuleset:
    rules = load_cheerio(parent).model_dump(mode="json", exclude_none=True)
    kept = {key: rules["categories"][key] for key in categories}
    if parent == "yahtzee" and "joker" not in changes:
        kept_joker = {**rules["joker"], "fits": [key for key in rules["joker"]["fits"] if key in kept]}
        changes = {**changes, "joker": kept_joker}
    return validate_cheerio(rules | {"name": "small", "categories": kept} | changes, "small")


def thrown(values: Mapping[Dice, float]) -> Values:
    """The mean of each keep of fewer than five dice once it is filled up, one die after another."""
    means = dict(values)
    for kept in SHORT:
        means[kept] = sum(means[grown] for grown in GROWN[kept]) / 6
    return means


def turn(entered: Values, throws: int) -> tuple[list[Values], list[Values]]:
    """The values of rolls after each throw, and of keeps before each throw, given those of rolls that are entered."""
    rolled, kept = [entered], [thrown(entered)]
    for _ in range(throws - 1):
        rolled.insert(
            0, {roll: max(entered[roll], *(kept[0][keep] for keep in KEPT[roll])) for roll in ROLLS}
        )
        kept.insert(0, thrown(rolled[0]))
    return rolled, kept


class SlowPlay:
    """The best play of a ruleset, for points or for the utility sign(risk) x exp(risk x points)."""

    def __init__(self, ruleset: CheerioRuleset, risk: float = 0.0) -> None:
        self.ruleset = ruleset
        self.risk = risk
        self.known: dict[State, float] = {}
        self.start = self.value((tuple(range(ruleset.turns)), 0, False))

    def value(self, state: State) -> float:
        if state not in self.known:
            self.known[state] = self.solve(state)
        return self.known[state]

    def solve(self, state: State) -> float:
        opened, upper, _ = state
        if not opened:
            bonus = self.ruleset.bonus.points if upper >= self.ruleset.bonus.threshold else 0
            return exp(self.risk * bonus) * (1 if self.risk > 0 else -1) if self.risk else float(bonus)
        _, kept = turn(self.entered(state), self.ruleset.throws)
        return kept[0][()]

    def entered(self, state: State) -> Values:
        return {roll: max(self.worths(state, roll).values()) for roll in ROLLS}

    def worths(self, state: State, roll: Dice) -> dict[int, float]:
        """What each entry that is allowed is worth with all that follows it."""
        return {
            category: self.worth(*self.enter(state, category, roll))
            for category in rules_of.allowed_on(self.ruleset, state[0], roll)
        }

    def worth(self, gain: int, following: State) -> float:
        value = self.value(following)
        return exp(self.risk * gain) * value if self.risk else gain + value

    def enter(self, state: State, category: int, roll: Dice) -> tuple[int, State]:
        """What an entry brings, and the sheet after it."""
        opened, upper, held = state
        points = rules_of.pays_on(self.ruleset, opened, category, roll)
        key, rule = list(self.ruleset.categories.items())[category]
        gain, joker = points, self.ruleset.joker
        if joker is not None and held and rules_of.is_joker(self.ruleset, opened, roll):
            gain += joker.points
        if joker is not None and key == joker.category:
            held = points > 0
        rest = tuple(index for index in opened if index != category)
        return gain, (rest, upper + points * rule.upper, held)


def followed(plan: Plan, throws: int) -> tuple[list[Values], Values]:
    """The chance of each roll after each throw under a plan where the turn goes on, and of each that is entered."""
    going = {roll: WAYS[roll] / 7776 for roll in ROLLS}
    visited, ended = [], dict.fromkeys(ROLLS, 0.0)
    for throw in range(throws):
        visited.append(going)
        following = dict.fromkeys(ROLLS, 0.0)
        for index, roll in enumerate(ROLLS):
            kept = roll if throw == throws - 1 else masked_dice(index, int(plan.keeps[throw, index]))
            if len(kept) == 5:
                ended[roll] += going[roll]
                continue
            for after, chance in outcomes(kept).items():
                following[after] += going[roll] * chance
        going = following
    return visited, ended


@cache
def outcomes(kept: Dice) -> Values:
    dice = list(product(range(1, 7), repeat=5 - len(kept)))
    counted = Counter(tuple(sorted(kept + more)) for more in dice)
    return {roll: ways / len(dice) for roll, ways in counted.items()}


def mean(chances: Values, value: Callable[[Dice], float]) -> float:
    return sum(chance * value(roll) for roll, chance in chances.items() if chance)


def mask_of(opened: tuple[int, ...]) -> int:
    return sum(1 << category for category in opened)
