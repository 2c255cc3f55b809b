"""About how long a job takes and how much it stores, from measured figures, within a factor of two or so."""

from __future__ import annotations

from jobs.plan import JobPlan, MatchPlan
from strategies.rows import RowMaker

#: Seconds of one core for each turn of a seat, and for each row that is made, hashed, encoded and written.
TURN_SECONDS = 2.5e-8
ROW_SECONDS = 2.5e-7
#: Seconds for each part: files, folders and their syncs.
PART_SECONDS = 0.02
#: Seconds to ask for one decision, or for the plan of a whole turn, where a table fills as contexts come up.
DECISION_SECONDS = 2e-6
PLAN_SECONDS = 1.5e-4
#: Play meets about this share of the contexts that a strategy may see; this share of turns brings a new one.
MET_SHARE, NEW_SHARE = 0.25, 0.1
#: Bytes of one row on disk.
ROW_BYTES = 5.5


def estimated_seconds(plan: JobPlan) -> float:
    """Estimates the seconds of one core that a job takes."""
    return sum(_match_seconds(match) for match in plan.matches)


def estimated_bytes(plan: JobPlan) -> int:
    """Estimates the bytes that a job stores."""
    return round(sum(plan.match.games * plan.match.seats * ROW_BYTES for plan in plan.matches))


def _match_seconds(plan: MatchPlan) -> float:
    match = plan.match
    rows = match.games * match.seats
    seconds = rows * (plan.ruleset.turns * TURN_SECONDS + ROW_SECONDS) + match.chunks * PART_SECONDS
    for player in {player.label: player for player in plan.players}.values():
        maker = RowMaker(player, plan.ruleset)
        if not maker.whole:
            met = min(maker.size * MET_SHARE, rows * plan.ruleset.turns * NEW_SHARE)
            decisions = maker.decisions_per_row
            seconds += met * (PLAN_SECONDS if decisions == 1 else decisions * DECISION_SECONDS)
    return seconds
