"""The strategy `lookahead`: as far ahead as perfect play, with the bonus counted by the point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sim.cheerio_ruleset import CheerioRuleset
from strategies.exact_play import ExactPlay
from strategies.strategy import StrategyError
from strategies.valuation import Goal

MOST_BONUS = 100.0


@dataclass(frozen=True)
class Lookahead(ExactPlay):
    """Plays for the most points plus the exact value of what stays open, where an upper point counts a share of the
    bonus more, whatever the upper subtotal is.

    That share is `bonus` x the ruleset's bonus / its threshold. The default is the best in cheerio-bonus, where the
    mean is 210.46 (206.19 with a share of 1, 203.75 with none, 213.71 by perfect play): the last points before the
    threshold bring far more than their share. Without a bonus this is the best play there is.
    """  # noqa: D205 - the whole rule is the first paragraph

    bonus: float = 3.5
    sees: ClassVar[tuple[str, ...]] = ("open", "joker")

    def __post_init__(self) -> None:
        if not 0 <= self.bonus <= MOST_BONUS:
            raise StrategyError(f"bonus is {self.bonus}; a share from 0 to {MOST_BONUS:g} is allowed")

    def goal(self, ruleset: CheerioRuleset) -> Goal:
        """Returns the mean of the points, those of upper categories counted with their share of the bonus."""
        rule = ruleset.bonus
        return Goal(bonus=False, upper=self.bonus * rule.points / rule.threshold)
