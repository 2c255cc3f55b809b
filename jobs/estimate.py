"""About how long a job takes and how much it stores, from measured figures, within a factor of two or so."""

from __future__ import annotations

from jobs.games import estimates_of
from jobs.plan import JobPlan, MatchPlan

#: Seconds for each row that is made, hashed, encoded and written.
ROW_SECONDS = 2.5e-7
#: What the luck of the dice adds to each row, in seconds and in bytes.
LUCK_ROW_SECONDS, LUCK_ROW_BYTES = 1.1e-7, 2.5
#: Seconds for each part: files, folders and their syncs; and bytes of what is in its files beside the rows.
PART_SECONDS, PART_BYTES = 0.02, 6500


def estimated_seconds(plan: JobPlan) -> float:
    """Estimates the seconds of one core that a job takes."""
    return sum(_match_seconds(match) for match in plan.matches)


def estimated_bytes(plan: JobPlan) -> int:
    """Estimates the bytes that a job stores."""
    rows = sum(_rows(match) * _row_bytes(match) for match in plan.matches)
    return round(rows + PART_BYTES * plan.chunks)


def _match_seconds(plan: MatchPlan) -> float:
    played = estimates_of(plan.ruleset.game).play_seconds(plan)
    row = ROW_SECONDS + plan.match.luck * LUCK_ROW_SECONDS
    return played + _rows(plan) * row + plan.match.chunks * PART_SECONDS


def _row_bytes(plan: MatchPlan) -> float:
    return estimates_of(plan.ruleset.game).row_bytes(plan.ruleset) + plan.match.luck * LUCK_ROW_BYTES


def _rows(plan: MatchPlan) -> int:
    return plan.match.games * plan.match.seats
