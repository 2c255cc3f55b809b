"""The strategy `optimal`: perfect play, by the exact value of every sheet."""

from __future__ import annotations

from dataclasses import dataclass

from sim.cheerio_ruleset import CheerioRuleset
from strategies.exact_play import ExactPlay
from strategies.valuation import Goal


@dataclass(frozen=True)
class Optimal(ExactPlay):
    """Plays for the highest mean score, exactly: every decision is worth the points and what the sheet still brings.

    With `risk` it maximises the mean of exp(risk x score) instead (below 0: it minimises that), which is about the mean
    score plus risk / 2 x its variance: above 0 it gambles, below 0 it plays safe.
    """

    risk: float = 0.0

    def goal(self, ruleset: CheerioRuleset) -> Goal:
        """Returns the mean score, or with a risk its utility."""
        del ruleset
        return Goal(risk=self.risk)
