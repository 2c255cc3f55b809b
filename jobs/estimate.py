"""About how long a job takes and how much it stores, from measured figures, within a factor of two or so."""

from __future__ import annotations

from jobs.plan import JobPlan, MatchPlan
from sim.ruleset import Ruleset
from strategies.rows import RowMaker

#: Seconds of one core for each turn of a side: alone, in teams, and where sides rob each other or play at once.
TURN_SECONDS = 2.5e-8
TEAM_TURN_SECONDS = 4e-8
BOUND_TURN_SECONDS = 1e-7
#: Seconds for each row that is made, hashed, encoded and written.
ROW_SECONDS = 2.5e-7
#: Seconds for each part: files, folders and their syncs.
PART_SECONDS = 0.02
#: Seconds to ask for one decision, or for the plan of a whole turn, where a table fills as contexts come up.
DECISION_SECONDS = 2e-6
PLAN_SECONDS = 1.5e-4
#: Play meets about this share of the contexts that a strategy may see; this share of turns brings a new one.
MET_SHARE, NEW_SHARE = 0.25, 0.1
#: Bytes of one row on disk, and those of what steals or a clock add; partners share most of theirs.
ROW_BYTES = 5.5
ADDED_BYTES = 1.7


def estimated_seconds(plan: JobPlan) -> float:
    """Estimates the seconds of one core that a job takes."""
    return sum(_match_seconds(match) for match in plan.matches)


def estimated_bytes(plan: JobPlan) -> int:
    """Estimates the bytes that a job stores."""
    return round(sum(plan.match.games * plan.match.seats * _row_bytes(plan.ruleset) for plan in plan.matches))


def _match_seconds(plan: MatchPlan) -> float:
    match, ruleset = plan.match, plan.ruleset
    # Where there are steals, each side's games are played once more without its own.
    plays = 1 + match.side_count if ruleset.steal != "none" else 1
    turns = match.games * match.side_count * ruleset.turns * plays
    rows = match.games * match.seats
    seconds = turns * _turn_seconds(ruleset) + rows * ROW_SECONDS + match.chunks * PART_SECONDS
    for player in {player.label: player for player in plan.players}.values():
        maker = RowMaker(player, ruleset)
        if not maker.whole:
            met = min(maker.size * MET_SHARE, turns * NEW_SHARE)
            decisions = maker.decisions_per_row
            seconds += met * (PLAN_SECONDS if decisions == 1 else decisions * DECISION_SECONDS)
    return seconds


def _turn_seconds(ruleset: Ruleset) -> float:
    if ruleset.interacts:
        return BOUND_TURN_SECONDS
    return TURN_SECONDS if ruleset.team == 1 else TEAM_TURN_SECONDS


def _row_bytes(ruleset: Ruleset) -> float:
    return (ROW_BYTES + ADDED_BYTES * ruleset.interacts) / ruleset.team
