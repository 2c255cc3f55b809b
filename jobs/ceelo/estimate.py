"""About how long the rounds of Cee-lo take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.ceelo.ruleset import CeeloRuleset

if TYPE_CHECKING:
    from jobs.plan import MatchPlan

#: Seconds of one core for each seat and round.
ROUND_SECONDS = 2.5e-8
#: Bytes of one row on disk.
ROW_BYTES = 8


def play_seconds(plan: MatchPlan) -> float:
    """Estimates the seconds of one core that the games of a match take; those that end sooner count whole."""
    match, ruleset = plan.match, plan.ruleset
    assert isinstance(ruleset, CeeloRuleset)
    return match.games * match.seats * _rounds(ruleset, match.seats) * ROUND_SECONDS


def row_bytes(ruleset: CeeloRuleset) -> float:
    """Estimates the bytes of one row on disk."""
    del ruleset
    return ROW_BYTES


def _rounds(ruleset: CeeloRuleset, seats: int) -> float:
    if ruleset.most_throws is None:
        return ruleset.rounds
    # Two throws a result; bettors throw unless the bank's result decides at once, which is in one round of six.
    throws = 2 * (1 + (seats - 1) * (1 if ruleset.bank == "none" else 5 / 6))
    return min(ruleset.most_rounds, ruleset.most_throws / throws)
