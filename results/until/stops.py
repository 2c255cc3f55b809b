"""When a match with questions is looked at, and the file that says after which look it was stopped.

<run>/matches/<nn>/stop.json, made of the parts before it alone: whoever plays the match makes the same bytes, and
whoever resumes it makes them again and compares.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from results.files import make_folder, write_atomically
from results.location import Location
from results.manifest import Match
from results.tables import percent_text, rounded_rate, rounded_value, value_text
from results.until.questions import (
    Answer,
    Differences,
    answer_of,
    new_differences,
    question_level,
    still_needed,
)
from results.until.sequences import LEAST_UNLIKE

STOP_NAME = "stop.json"
STOP_FORMAT = 1
"""Raised whenever a reader of the old form would misread the new one."""

# Looks are part of what a job gives: whoever changes them raises the engine's version.
FEWEST_BETWEEN = 4
"""Chunks from one look to the next, once there were as many: so many workers are seldom without one to play."""
GROWTH = 8
"""Later looks are an eighth of the chunks so far apart."""


class Stop(BaseModel):
    """What stop.json holds: after how many chunks, deals and games, and what was answered."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    format: int
    job: str
    match: int
    chunks: int
    deals: int
    games: int
    answers: list[dict[str, Any]]


def looks(match: Match) -> Iterator[int]:
    """Yield the numbers of chunks after which a match is looked at, the last of them all its chunks.

    They hang on the match alone. The first has deals enough for an answer, if hardly any are alike.
    """
    most = -(-match.planned_deals // match.chunk_deals)
    chunks = -(-LEAST_UNLIKE // match.chunk_deals)
    while chunks < most:
        yield chunks
        chunks += max(min(chunks, FEWEST_BETWEEN), chunks // GROWTH)
    yield most


def all_differences(match: Match) -> list[Differences]:
    """Return the differences of no deals for each question of a match."""
    return [new_differences(question, match) for question in match.until]


def answers_of(match: Match, differences: Sequence[Differences]) -> list[Answer]:
    """Return what deals answer to each question of a match."""
    level = question_level(len(match.until))
    return [
        answer_of(question, own, match.planned_deals, level)
        for question, own in zip(match.until, differences, strict=True)
    ]


def answer_document(match: Match, answer: Answer) -> dict[str, Any]:
    """Return an answer as every format shows it; `games_needed` is about how many would give one that is not there."""
    question = answer.question
    rounded = rounded_rate if question.measure == "credit" else rounded_value
    needed = None if answer.verdict else still_needed(answer, match.planned_deals)
    return {
        "question": question.text,
        "first": question.first,
        "second": question.second,
        "measure": question.measure,
        "difference": rounded(answer.difference),
        "difference_interval": None if answer.interval is None else [rounded(b) for b in answer.interval],
        "level": rounded_rate(answer.level),
        "deals": answer.deals,
        "games": answer.deals * match.seatings,
        "unlike_deals": answer.unlike,
        "answer": answer.verdict,
        "games_needed": None if needed is None else needed * match.seatings,
    }


def answer_line(document: dict[str, Any]) -> str:
    """Return an answer in words, or why there is none."""
    unit = " percentage points" if document["measure"] == "credit" else ""
    spell = percent_text if unit else value_text
    known = f"{spell(document['difference'])}{unit}"
    if document["difference_interval"] is not None:
        low, high = (spell(bound) for bound in document["difference_interval"])
        known += f" [{low}, {high}]"
    if document["answer"] is not None:
        # The interval of a fixed number of games, which stands beside it, is narrower.
        return f"{document['answer']}: {known}, however often looked at"
    if document["difference_interval"] is None:
        unlike = f"{document['unlike_deals']:,} deals differ from what most show"
        unlike = unlike if document["unlike_deals"] else "all deals show the same"
        why = f"{unlike}; an interval needs {LEAST_UNLIKE:,} that differ"
    elif document["games_needed"] is None:
        why = "no number of games can be told that would answer it"
    else:
        why = f"about {document['games_needed']:,} games would answer it if all goes on so"
    return f"{document['question']} is not answered: {known} so far; {why}"


def stop_line(match: Match, documents: Sequence[dict[str, Any]]) -> str:
    """Return how a match with questions ended, which is not being played any more."""
    told = "; ".join(map(answer_line, documents))
    most = match.planned_deals * match.seatings
    if match.deals < match.planned_deals:
        return f"Stopped after {match.games:,} of at most {most:,} games: {told}."
    return f"Played all {most:,} games that were allowed: {told}."


def stop_path(run: Location, number: int) -> Location:
    """Return where the stop of a match is, or would be."""
    return run / "matches" / f"{number:02d}" / STOP_NAME


def stop_content(job: str, match: Match, chunks: int, answers: Sequence[Answer]) -> bytes:
    """Return the bytes of stop.json for a match that is stopped after so many chunks."""
    stopped = match.stopped_after(chunks)
    stop = Stop(
        format=STOP_FORMAT,
        job=job,
        match=match.number,
        chunks=chunks,
        deals=stopped.deals,
        games=stopped.games,
        answers=[answer_document(match, answer) for answer in answers],
    )
    return (json.dumps(stop.model_dump(), indent=2, allow_nan=False, ensure_ascii=False) + "\n").encode()


def write_stop(run: Location, number: int, content: bytes) -> None:
    """Write the stop of a match durably."""
    path = stop_path(run, number)
    make_folder(path.parent)
    write_atomically(path, content)


def as_stopped(run: Location, match: Match, job: str) -> Match:
    """Return a match with the deals that it was stopped after, or as it is where no stop of this job is there.

    A file that is damaged, or of another job, counts as none: the match is incomplete then, and resuming it makes the
    file again from the parts.
    """
    if not match.until:
        return match
    try:
        stop = Stop.model_validate_json(stop_path(run, match.number).read_bytes())
    except (FileNotFoundError, ValidationError):
        return match
    if (stop.format, stop.job, stop.match) != (STOP_FORMAT, job, match.number) or stop.chunks >= match.chunks:
        return match
    stopped = match.stopped_after(stop.chunks)
    agrees = (stop.deals, stop.games) == (stopped.deals, stopped.games) and stop.chunks in looks(match)
    return stopped if agrees else match
