"""How many games the questions of a job need, and how long that takes here: from a few deals that are played first.

What is played is kept in memory alone, and its deals are the first of the run.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scipy import special

from jobs.chunk import play_chunk
from jobs.digest import digest_text
from jobs.estimate import PART_SECONDS
from jobs.filling import fill_tables, is_asked_in_play
from jobs.means import THREAD_SHARE
from jobs.plan import JobPlan, MatchPlan, plan_job
from jobs.progress import Filling
from results.figures import rounded_rates, rounded_values
from results.identity import run_identity
from results.manifest import Match
from results.parts import encode_part
from results.schema import SCHEMA_VERSION
from results.statistics import difference_interval, mean_interval
from results.tables import rounded_rate, rounded_value
from results.until.questions import (
    LEVEL,
    Arrays,
    Differences,
    Question,
    deal_differences,
    new_differences,
    question_level,
    smallest_shown,
    tuned_deals,
)
from results.until.sequences import LEAST_UNLIKE, needed_deals, needed_once
from results.until.stops import looks
from strategies import games

#: Deals that are played of each match, in chunks of so many; the last chunk's time counts.
PILOT_DEALS, PILOT_CHUNK = 10_000, 5000
#: With this chance a difference is told from a margin by a number of games that is looked at once.
TOLD_CHANCE = 0.9
#: From fewer deals that differ from what most show, no spread is told.
FEWEST_UNLIKE = 30

Document = dict[str, Any]


@dataclass(frozen=True)
class Pilot:
    """What the first deals of a match show: the differences of each question, and how fast it is played.

    `seconds` are those of one game on all workers here, and `part_seconds` those of a part beside its games.
    """

    match: Match
    differences: tuple[Differences, ...]
    seconds: float
    part_seconds: float

    def seconds_of(self, deals: int) -> float:
        """Tells about how long so many deals take."""
        parts = -(-deals // self.match.chunk_deals)
        return deals * self.match.seatings * self.seconds + parts * self.part_seconds


def pilot_document(plan: JobPlan, workers: int, quiet: bool) -> Document:
    """Plays the first deals of each match with questions, and returns what those need, as JSON has it."""
    tables = fill_tables(plan, workers, Filling(quiet))
    told = []
    for match_plan in plan.matches:
        match = match_plan.match
        if match.until:
            whole = {
                player.label: tables[player.label, match_plan.ruleset]
                for player in match_plan.players
                if (player.label, match_plan.ruleset) in tables
            }
            pilot = play_pilot(plan, match_plan, whole, workers)
            told += [
                question_plan(pilot, question, differences)
                for question, differences in zip(match.until, pilot.differences, strict=True)
            ]
    return {"schema_version": SCHEMA_VERSION, "seed": plan.job.seed, "workers": workers, "questions": told}


def play_pilot(plan: JobPlan, match_plan: MatchPlan, whole: dict[str, Any], workers: int) -> Pilot:
    """Plays the first deals of a match in memory."""
    match, ruleset = match_plan.match, match_plan.ruleset
    deals = min(match.deals, PILOT_DEALS)
    asked = replace(plan.job.matches[match.number], games=deals * match.seatings)
    small = plan_job(replace(plan.job, matches=(asked,), chunk=min(deals, PILOT_CHUNK))).matches[0]
    tables = games.asking_of(ruleset).tables(match_plan.players, ruleset, whole, match.luck)
    differences = tuple(new_differences(question, match) for question in match.until)
    identity, seconds = run_identity(plan.manifest), 0.0
    # A lone chunk is played twice: before the first, kernels may be compiled and situations not have come up.
    chunks = [*range(small.match.chunks)] if small.match.chunks > 1 else [0, 0]
    for turn, chunk in enumerate(chunks):
        began = time.perf_counter()
        rows, sums, digest = play_chunk(small, tables, chunk)
        for table in (sums, rows):
            encode_part(identity, small.match, chunk, table, digest_text(digest))
        seconds = (time.perf_counter() - began) / (len(small.match.chunk_deals_of(chunk)) * match.seatings)
        if turn < small.match.chunks:
            shape = (match.seatings, match.seats, -1)
            for question, own in zip(match.until, differences, strict=True):
                column: Arrays = {question.measure: rows[question.measure].to_numpy().reshape(shape)}
                own.add(deal_differences(question, match, column))
    asks = any(is_asked_in_play(player, ruleset) for player in match_plan.players)
    threads = 1.0 if asks or workers == 1 else workers * THREAD_SHARE
    return Pilot(match, differences, seconds / threads, PART_SECONDS / threads)


def question_plan(pilot: Pilot, question: Question, differences: Differences) -> Document:
    """Returns what a question needs: games with an interval by the pilot's own error, and whether those allowed do.

    Figures that too few differing deals can't tell are None; so is the upper end of games where the pilot can't tell
    the difference from the margin.
    """
    match, sums = pilot.match, differences.sums
    is_credit = question.measure == "credit"
    rounded, bounds = (rounded_rate, rounded_rates) if is_credit else (rounded_value, rounded_values)
    interval = difference_interval(sums, LEVEL) if is_credit else mean_interval(sums, LEVEL)
    head = {
        "match": match.number,
        "ruleset": match.ruleset.name,
        "lineup": list(match.lineup),
        "question": question.text,
        "measure": question.measure,
        "pilot_deals": sums.deals,
        "unlike_deals": differences.unlike,
        "difference": rounded(sums.mean),
        "difference_interval": bounds(interval),
    }
    return head | _needs(pilot, question, differences, rounded)


def _needs(
    pilot: Pilot,
    question: Question,
    differences: Differences,
    rounded: Callable[[float | None], float | None],
) -> Document:
    match, seatings = pilot.match, pilot.match.seatings
    level = question_level(len(match.until))
    most = {
        "level": rounded_rate(level),
        "most_games": match.games,
        "most_seconds": _seconds(pilot, match.deals),
    }
    names = (
        "deviation",
        "games",
        "games_interval",
        "seconds",
        "games_once",
        "seconds_once",
        "half_width_at_most",
    )
    spread = spread_interval(differences)
    if spread is None:
        return most | dict.fromkeys(names) | {"enough": None}
    # Before the sequence begins, so many deals must differ from what most show.
    least = math.ceil(LEAST_UNLIKE * differences.sums.deals / differences.unlike)
    tuned = tuned_deals(question, match.deals)

    def deals_for(half: float, deviation: float) -> int | None:
        needed = needed_deals(half, deviation, tuned, level)
        return None if needed is None else _look_from(match, max(needed, least))

    low, deviation, high = spread
    half, nearest, farthest = _halves(question, differences, deviation)
    usual = deals_for(half, deviation)
    if question.kind == "within":
        ends = (deals_for(half, low), deals_for(half, high))
    else:
        ends = (deals_for(farthest, deviation), deals_for(nearest, deviation))
    once = needed_once(half, deviation, level, 0.5 if question.kind == "within" else TOLD_CHANCE)
    return {
        **most,
        "deviation": rounded(deviation),
        "games": None if usual is None else usual * seatings,
        "games_interval": [None if end is None else end * seatings for end in ends],
        "seconds": None if usual is None else _seconds(pilot, usual),
        "games_once": None if once is None else once * seatings,
        "seconds_once": None if once is None else _seconds(pilot, once),
        "half_width_at_most": rounded(smallest_shown(question, deviation, match.deals, level)),
        "enough": _enough(ends, match.deals),
    }


def _look_from(match: Match, deals: int) -> int:
    """Returns the deals of the first look at so many or more; more than a match may have are returned as they are."""
    ends = (min(match.deals, chunks * match.chunk_deals) for chunks in looks(match))
    return next((end for end in ends if end >= deals), deals)


def spread_interval(differences: Differences) -> tuple[float, float, float] | None:
    """Returns the standard deviation of the differences between the ends of its interval; None where few differ.

    The error of a variance is that of the mean of squared deviations, by the fourth moment; the interval is one of the
    logarithm. Source: Cramer (1946), Mathematical Methods of Statistics, section 27.4.
    """
    counts, weight = differences.counts, differences.weight
    deals = counts.total()
    if differences.unlike < FEWEST_UNLIKE:
        return None
    mean = sum(value * count for value, count in counts.items()) / deals
    second, fourth = (
        sum(((value - mean) / weight) ** power * count for value, count in counts.items()) / deals
        for power in (2, 4)
    )
    error = math.sqrt(max(0.0, fourth / second**2 - 1) / deals)
    # Half of it for the root.
    reach = math.exp(float(special.ndtri((1 + LEVEL) / 2)) * error / 2)
    deviation = math.sqrt(second)
    return deviation / reach, deviation, deviation * reach


def _halves(question: Question, differences: Differences, deviation: float) -> tuple[float, float, float]:
    """Returns how narrow the interval must be, and for a comparison how narrow at the ends of the pilot's interval."""
    if question.kind == "within":
        return (question.bound,) * 3
    distance = abs((differences.sums.mean or 0.0) - question.bound)
    reach = float(special.ndtri((1 + LEVEL) / 2)) * deviation / math.sqrt(differences.sums.deals)
    return distance, max(0.0, distance - reach), distance + reach


def _enough(ends: Sequence[int | None], most: int) -> str:
    low, high = ends
    if high is not None and high <= most:
        return "yes"
    return "no" if low is None or low > most else "perhaps"


def _seconds(pilot: Pilot, deals: int) -> float:
    return round(pilot.seconds_of(deals), 1)
