"""By what values of sheets the luck of a player's dice is reckoned, and what its decisions give away by them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sim.cheerio_ruleset import CheerioRuleset, validate_cheerio
from sim.dice import ROLLS
from sim.lanes import COLUMN, LUCK_UNITS
from sim.luck import THOUSAND
from strategies.exact_play import ExactPlay
from strategies.losses import build_losses
from strategies.rows import Entries
from strategies.turn_values import TurnValues, valued_turn
from strategies.valuation import Goal, Valuation, build_valuation

#: Rows whose losses are reckoned at once, in double precision, before they are rounded.
ROWS_AT_ONCE = 2048


@dataclass(frozen=True)
class Yardstick:
    """The values that luck is reckoned by: those of the best play under a ruleset, or under a simpler one.

    Any values will do, as long as they are the same for all who write on a sheet and depend on what they see. Where
    that doesn't tell whether a bonus or a joker's extra points will be paid, the values are of the rules without them:
    `counts_bonus` tells whether the bonus counts, and `uncounted` is what each joker brings that doesn't, in points.
    """

    valuation: Valuation
    counts_bonus: bool
    uncounted: int

    @property
    def start(self) -> int:
        """Returns what the empty sheet is worth, in units of luck."""
        return luck_units(self.valuation.start)

    def luck(self, points: int, bonus: int, jokers: int, lost: int) -> int:
        """Returns the luck of a side in thousandths of a point, as the kernel does.

        `points` are those of its sheet without the bonus, `lost` what its decisions have given away, in units of luck.
        """
        gained = points + bonus * self.counts_bonus - self.uncounted * jokers
        units = gained * LUCK_UNITS - self.start + lost
        return (units * THOUSAND + LUCK_UNITS // 2) // LUCK_UNITS

    def turn_values(self, opened: int, upper: int, joker: int) -> TurnValues:
        """Returns the values of a turn that begins with such a sheet."""
        return valued_turn(self.valuation, opened, upper, joker)

    def losses(
        self,
        rows: Entries,
        pool: npt.NDArray[np.uint8],
        views: Mapping[str, npt.NDArray[np.int64]],
    ) -> npt.NDArray[np.int32]:
        """Returns what each place of some rows gives away on the sheets that these views show, in units of luck.

        The shape is that of the rows; a mixed decision gives away the mean of its options. A sheet of at most 16
        categories of at most 1,000 points is worth less than 2**15 points, so that losses fit 32 bits.
        """
        throws = self.valuation.ruleset.throws
        losses = np.zeros((len(rows), throws, COLUMN), np.int32)
        for first in range(0, len(rows), ROWS_AT_ONCE):
            own = slice(first, first + ROWS_AT_ONCE)
            shown = {view: numbers[own] for view, numbers in views.items()}
            exact = build_losses(self.valuation, rows[own], pool, shown)
            losses[own, :, : len(ROLLS)] = np.rint(exact * LUCK_UNITS)
        return losses.reshape(len(rows), throws * COLUMN)


def luck_units(points: float) -> int:
    """Returns points in units of luck, halves to the even one."""
    return round(points * LUCK_UNITS)


def build_yardstick(ruleset: CheerioRuleset, sees: Collection[str]) -> Yardstick:
    """Builds the fullest yardstick whose values depend on nothing but these views."""
    joker = ruleset.joker
    counts_bonus = not ruleset.bonus.points or "upper" in sees
    uncounted = 0 if joker is None or "joker" in sees else joker.points
    if uncounted:
        rules = ruleset.model_dump(mode="json")
        # Built anew, not copied: a copy would keep the digest, by which rulesets are told apart.
        ruleset = validate_cheerio(rules | {"joker": rules["joker"] | {"points": 0}}, ruleset.name)
    return Yardstick(build_valuation(ruleset, Goal(bonus=counts_bonus)), counts_bonus, uncounted)


def is_faultless(strategy: object, ruleset: CheerioRuleset, yardstick: Yardstick) -> bool:
    """Tells whether a strategy is known to play by these very values, and so to give nothing away by them."""
    if (
        not isinstance(strategy, ExactPlay)
        or not strategy.batched
        or type(strategy).plans is not ExactPlay.plans
    ):
        return False
    return strategy.valuation(ruleset) is yardstick.valuation


def build_yardsticks(ruleset: CheerioRuleset, sees: Mapping[str, Collection[str]]) -> dict[str, Yardstick]:
    """Builds the yardstick of each player of a lineup by label, given what each sees.

    Partners share a sheet, and who sits with whom differs: in teams all have one yardstick, by what all of them see.
    """
    shared = set.intersection(*map(set, sees.values()))
    return {
        label: build_yardstick(ruleset, own if ruleset.team == 1 else shared) for label, own in sees.items()
    }
