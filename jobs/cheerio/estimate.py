"""About how long the turns of Cheerio take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.cheerio_ruleset import CheerioRuleset
from strategies.rows import RowMaker

if TYPE_CHECKING:
    from jobs.plan import MatchPlan

#: Seconds of one core for each turn of a side: alone, in teams, and where sides rob each other or play at once.
TURN_SECONDS = 2.5e-8
TEAM_TURN_SECONDS = 4e-8
BOUND_TURN_SECONDS = 1e-7
#: Seconds to ask for one decision, for the plan of a whole turn, or for one of many plans that are asked for at once,
#: where a table fills as contexts come up.
DECISION_SECONDS = 2e-6
PLAN_SECONDS = 1.5e-4
BATCHED_PLAN_SECONDS = 2e-5
#: Play meets about this share of the contexts that a strategy may see; this share of turns brings a new one.
MET_SHARE, NEW_SHARE = 0.25, 0.1
#: Bytes of one row on disk, and those of what steals or a clock add; partners share most of theirs.
ROW_BYTES = 5.5
ADDED_BYTES = 1.7


def play_seconds(plan: MatchPlan) -> float:
    """Estimates the seconds of one core that the games of a match take, and what is asked as they go."""
    match, ruleset = plan.match, plan.ruleset
    assert isinstance(ruleset, CheerioRuleset)
    # Where there are steals, each side's games are played once more without its own.
    plays = 1 + match.side_count if ruleset.steal != "none" else 1
    turns = match.games * match.side_count * ruleset.turns * plays
    seconds = turns * _turn_seconds(ruleset)
    for player in {player.label: player for player in plan.players}.values():
        maker = RowMaker(player, ruleset)
        if not maker.whole:
            met = min(maker.size * MET_SHARE, turns * NEW_SHARE)
            seconds += met * _row_seconds(maker)
    return seconds


def row_bytes(ruleset: CheerioRuleset) -> float:
    """Estimates the bytes of one row on disk."""
    return (ROW_BYTES + ADDED_BYTES * ruleset.interacts) / ruleset.team


def _row_seconds(maker: RowMaker) -> float:
    if maker.strategy.batched:
        return BATCHED_PLAN_SECONDS
    decisions = maker.decisions_per_row
    return PLAN_SECONDS if decisions == 1 else decisions * DECISION_SECONDS


def _turn_seconds(ruleset: CheerioRuleset) -> float:
    if ruleset.interacts:
        return BOUND_TURN_SECONDS
    return TURN_SECONDS if ruleset.team == 1 else TEAM_TURN_SECONDS
