"""Regret: where the points are lost that a strategy falls short of perfect play, decision by decision."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.cheerio_ruleset import CheerioRuleset
from sim.compiled import compiled
from sim.dice import DICE, ROLL_KEEPS, ROLLS, masked_dice
from sim.lanes import STOP
from sim.views import masked_categories
from strategies.following import Numbers, Played, follow_turn, option_at, options_of, spread_keeps
from strategies.solving import (
    Lines,
    Problem,
    Reals,
    build_lines,
    fill_allowed,
    fill_worths,
    layer_of,
)
from strategies.turn_values import entry_loss, fill_turn_values, keep_loss, valued_turn
from strategies.valuation import Valuation, build_valuation

#: Decisions that give away less than this are as good as the best: rounding must not make mistakes of them.
NOTHING = 1e-9
#: How many of the costliest decisions are told.
MOST_TOLD = 10


@dataclass(frozen=True)
class CostlyDecision:
    """A decision that loses points: what it is in words, how often a game it is taken wrongly, and the mean loss.

    `cost` is their product, the points of a game that are lost by it.
    """

    words: str
    times: float
    loss: float
    cost: float


@dataclass(frozen=True)
class Regret:
    """The points of a game that a strategy gives away: `best_mean`, perfect play's mean, less its own is `total`.

    `by_decision` splits them by what was decided (keep 1 is that after the first throw), `by_turn` by the turn, and
    `by_category` by the category that was filled at the end of the turn.
    """

    best_mean: float
    total: float
    by_decision: dict[str, float]
    by_turn: tuple[float, ...]
    by_category: dict[str, float]
    costly: tuple[CostlyDecision, ...]


class RegretSums:
    """Adds up regret, turn by turn, over the sheets that a strategy comes to."""

    def __init__(self, ruleset: CheerioRuleset) -> None:
        self._ruleset = ruleset
        self._valuation = build_valuation(ruleset)
        throws, rolls = ruleset.throws, len(ROLLS)
        self._by_turn = np.zeros((ruleset.turns, throws))
        self._by_category = np.zeros(ruleset.turns)
        options = max(1 << DICE, ruleset.turns)
        shape = (throws, rolls, options)
        self._cost, self._times, self._worst = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self._where = np.zeros((*shape, 3), np.int64)
        self._open_cost = np.zeros((*shape, ruleset.turns))
        self._open_seen = np.zeros((throws, rolls, ruleset.turns + 1))

    def add(
        self,
        turn: int,
        played: Played,
        sheets: tuple[Numbers, Numbers, Numbers],
        weights: Reals,
    ) -> None:
        """Adds a turn of some sheets, given by open categories, upper subtotals and jokers held, with their chances."""
        valuation = self._valuation
        _add_regret(
            build_lines(),
            valuation.problem,
            valuation.values,
            played,
            *sheets,
            weights,
            self._by_turn[turn],
            self._by_category,
            self._cost,
            self._times,
            self._worst,
            self._where,
            self._open_cost,
            self._open_seen,
        )

    def total(self) -> Regret:
        """Returns what has been added up."""
        by_throw = self._by_turn.sum(axis=0).tolist()
        names = [f"keep {throw + 1}" for throw in range(self._ruleset.throws - 1)]
        return Regret(
            best_mean=self._valuation.start,
            total=float(self._by_turn.sum()),
            by_decision=dict(zip([*names, "category"], by_throw, strict=True)),
            by_turn=tuple(self._by_turn.sum(axis=1).tolist()),
            by_category=dict(zip(self._ruleset.categories, self._by_category.tolist(), strict=True)),
            costly=tuple(self._costly()),
        )

    def _costly(self) -> list[CostlyDecision]:
        order = np.argsort(self._cost, axis=None, kind="stable")[::-1][:MOST_TOLD]
        found = []
        for throw, roll, option in zip(*np.unravel_index(order, self._cost.shape), strict=True):
            place = int(throw), int(roll), int(option)
            cost, times = float(self._cost[place]), float(self._times[place])
            if cost > 0:
                found.append(CostlyDecision(self._words(*place), times, cost / times, cost))
        return found

    def _words(self, throw: int, roll: int, option: int) -> str:
        """Tells a decision, what would be better where it costs most, and the open category that makes it costly."""
        place = throw, roll, option
        opened, upper, joker = (int(number) for number in self._where[place])
        categories = list(self._ruleset.categories.values())
        shares = self._open_cost[place] / self._cost[place]
        seen = self._open_seen[throw, roll]
        telling = shares - seen[:-1] / seen[-1]
        dice = "-".join(map(str, ROLLS[roll]))
        better = better_option(self._valuation, (opened, upper, joker), throw, roll)
        if throw == self._ruleset.throws - 1:
            # The categories themselves say what was open.
            return f"filled {categories[option].name} with {dice}; better {categories[better].name}"
        key = int(telling.argmax())
        told = f" with {categories[key].name} open" if telling[key] > 0 else ""
        return (
            f"kept {keep_words(roll, option)} from {dice} after throw {throw + 1}{told}; "
            f"better {keep_words(roll, better)}"
        )


def keep_words(roll: int, mask: int) -> str:
    """Returns the dice that a mask keeps of a roll as people write them."""
    return "all five" if mask == STOP else "-".join(map(str, masked_dice(roll, mask))) or "nothing"


def better_option(valuation: Valuation, sheet: tuple[int, int, int], throw: int, roll: int) -> int:
    """Returns the best mask to keep of a roll after a throw, or after the last the best category to fill.

    The sheet is given by open categories, upper subtotal and joker held.
    """
    opened, upper, joker = sheet
    values, throws = valued_turn(valuation, opened, upper, joker), valuation.ruleset.throws
    if throw < throws - 1:
        return int(values.kept[throw, ROLL_KEEPS[roll]].argmax())
    fit = masked_categories(int(values.allowed[roll]))
    return max(fit, key=lambda category: float(values.worths[category, roll]))


@compiled
def _add_regret(
    lines: Lines,
    problem: Problem,
    values: Reals,
    played: Played,
    opened: Numbers,
    upper: Numbers,
    held: Numbers,
    weights: Reals,
    by_throw: Reals,
    by_category: Reals,
    cost: Reals,
    times: Reals,
    worst: Reals,
    where: Numbers,
    open_cost: Reals,
    open_seen: Reals,
) -> None:
    throws, rolls = played.rows.shape[1], cost.shape[1]
    pool, mixed = played.pool, played.mixed
    short = lines.grown.shape[0]
    worths = np.zeros(problem.kinds.of.shape[1:])
    allowed = np.empty(rolls, np.uint32)
    rolled = np.empty((throws, rolls))
    kept = np.empty((throws, short + rolls))
    thrown = np.empty((throws, rolls))
    ended = np.empty(rolls)
    mass = np.empty(short + rolls)
    lost = np.empty(short + rolls)
    lost_ended = np.empty(rolls)
    is_open = np.empty(problem.kinds.of.shape[1])
    for sheet in range(opened.size):
        row = played.rows[played.row_of[sheet]]
        fill_worths(problem, values, 0.0, opened[sheet], upper[sheet], held[sheet], worths)
        fill_allowed(problem.legal, layer_of(problem, opened[sheet], held[sheet]), opened[sheet], allowed)
        fill_turn_values(lines, worths, allowed, rolled, kept)
        follow_turn(lines.grown, played, sheet, thrown, ended, mass)
        lost[:] = 0.0
        lost_ended[:] = 0.0
        for category in range(is_open.size):
            is_open[category] = opened[sheet] >> category & 1
        for throw in range(throws):
            # What is lost in a turn goes with the dice to the category that is filled in the end.
            spread_keeps(lines.grown, lost)
            last = throw == throws - 1
            if last:
                lost_ended += lost[short:]
            arrived = lost[short:].copy()
            lost[:] = 0.0
            for roll in range(rolls):
                chance = ended[roll] if last else thrown[throw, roll]
                if chance == 0.0:
                    continue
                visited = chance * weights[sheet]
                for category in range(is_open.size):
                    open_seen[throw, roll, category] += visited * is_open[category]
                open_seen[throw, roll, is_open.size] += visited
                first, count = options_of(np.int64(row[throw, roll]), mixed)
                for number in range(count):
                    option = option_at(pool, first, number, mixed)
                    if last:
                        loss = entry_loss(rolled, worths, roll, option)
                    else:
                        loss = keep_loss(rolled, kept, throw, roll, option)
                    share = chance / count
                    mass_lost = share * loss
                    if not last:
                        carried = arrived[roll] / count + mass_lost
                        if option == STOP:
                            lost_ended[roll] += carried
                        else:
                            lost[ROLL_KEEPS[roll, option]] += carried
                    else:
                        by_category[option] += weights[sheet] * (lost_ended[roll] / count + mass_lost)
                    if loss > NOTHING:
                        paid = weights[sheet] * mass_lost
                        by_throw[throw] += paid
                        cost[throw, roll, option] += paid
                        times[throw, roll, option] += weights[sheet] * share
                        for category in range(is_open.size):
                            open_cost[throw, roll, option, category] += paid * is_open[category]
                        if paid > worst[throw, roll, option]:
                            worst[throw, roll, option] = paid
                            where[throw, roll, option, 0] = opened[sheet]
                            where[throw, roll, option, 1] = upper[sheet]
                            where[throw, roll, option, 2] = held[sheet]
