"""About how long the rounds of Cee-lo take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.ceelo.ruleset import CeeloRuleset
from strategies.stakes import StakeMaker
from strategies.strategy import is_planned

if TYPE_CHECKING:
    from jobs.plan import MatchPlan

#: Seconds of one core for each seat and round.
ROUND_SECONDS = 2.5e-8
#: Seconds to ask for one stake, alone or among many that are planned at once, where stakes are asked as play goes.
STAKE_SECONDS, PLANNED_SECONDS = 4e-6, 2e-7
#: Play meets about this share of the situations that a bettor may tell apart; this share of rounds brings a new one.
MET_SHARE, NEW_SHARE = 0.25, 0.1
#: Bytes of one row on disk, with a bank and for a pot.
BANK_BYTES, POT_BYTES = 12, 2


def play_seconds(plan: MatchPlan) -> float:
    """Estimates the seconds of one core that the games of a match take; those that end sooner count whole."""
    match, ruleset = plan.match, plan.ruleset
    assert isinstance(ruleset, CeeloRuleset)
    rounds = match.games * match.seats * _rounds(ruleset, match.seats)
    seconds = rounds * ROUND_SECONDS
    for player in {player.label: player for player in plan.players}.values():
        maker = StakeMaker(player, ruleset)
        if not maker.whole:
            each = PLANNED_SECONDS if is_planned(maker.bettor) else STAKE_SECONDS
            seconds += min(_situations(maker, match.seats) * MET_SHARE, rounds * NEW_SHARE) * each
    return seconds


def row_bytes(ruleset: CeeloRuleset) -> float:
    """Estimates the bytes of one row on disk."""
    return POT_BYTES if ruleset.bank == "none" else BANK_BYTES


def _situations(maker: StakeMaker, seats: int) -> float:
    """Counts the situations that a bettor may tell apart at a table of so many seats, not the fullest there is."""
    purses = [view for view in ("chips", "bank") if view in maker.sees]
    share = seats / maker.ruleset.players[-1]
    # Of two players, who knows one purse knows the other.
    told_twice = seats * maker.ruleset.chips + 1 if seats == len(purses) == 2 else 1
    return maker.size * share ** len(purses) / told_twice


def _rounds(ruleset: CeeloRuleset, seats: int) -> float:
    if ruleset.most_throws is None:
        return ruleset.rounds
    # Two throws a result; bettors throw unless the bank's result decides at once, which is in one round of six.
    throws = 2 * (1 + (seats - 1) * (1 if ruleset.bank == "none" else 5 / 6))
    return min(ruleset.most_rounds, ruleset.most_throws / throws)
