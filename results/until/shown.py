"""What a summary shows of a match that was played until something is known: what is asked, and what deals answer.

Other intervals are those of a number of games that was fixed before; after a stop that the games themselves brought
about they are a little narrower than they should be. The intervals here are those of the confidence sequence, whose
level holds at all looks together.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from results.figures import Document, bracketed, csv_row, percent_cell
from results.scan import GameArrays
from results.tables import Heading, Table, Value, value_text
from results.tally import MatchTally
from results.until.questions import Differences, deal_differences, new_differences
from results.until.stops import answer_document, answers_of, stop_line

KEY = PART = "until"
COLUMNS: tuple[str, ...] = ("credit", "score")

NOTE = (
    "These intervals, of a confidence sequence, hold at all looks together, so that a stop by what was seen leaves "
    "them true; all other intervals are those of a number of games that is fixed before, and after such a stop a "
    "little too narrow. They are asymptotic: right where many deals differ."
)


def count(tally: MatchTally, arrays: GameArrays) -> None:
    """Count the differences of one chunk for each question."""
    for question in tally.match.until:
        differences = new_differences(question, tally.match)
        differences.add(deal_differences(question, tally.match, arrays))
        tally.numbers.setdefault((KEY, question.text), Counter()).update(differences.counts)


def document(tally: MatchTally, level: float) -> Any:
    """Return what the deals answer to each question, and how the match ended; nothing of one that is being played.

    The level of an answer is its own, whatever the summary's: the match was stopped by it.
    """
    del level
    match = tally.match
    if tally.of("score", tally.entries[0]).deals < match.deals:
        return {"most_games": match.planned_deals * match.seatings, "ended": None, "answers": []}
    counted = []
    for question in match.until:
        differences: Differences = new_differences(question, match)
        differences.counts.update(tally.numbers_of(KEY, question.text))
        counted.append(differences)
    answers = [answer_document(match, answer) for answer in answers_of(match, counted)]
    ended = stop_line(match, answers)
    if match.most_deals is not None and not all(answer["answer"] for answer in answers):
        ended += " Its stop.json is not what the parts show: resume the run, which makes it again."
    return {"most_games": match.planned_deals * match.seatings, "ended": ended, "answers": answers}


def tables(match: Document) -> list[Table]:
    """Return the table of the questions, if the match has ended."""
    rows = tuple(
        (
            answer["question"],
            difference_cell(answer),
            value_text(answer["games"]),
            f"{answer['level'] * 100:.12g}",
            answer["answer"] or "not answered",
        )
        for answer in match[KEY]["answers"]
    )
    heads = (
        Heading("until", "words"),
        Heading("difference"),
        Heading("n"),
        Heading("level %"),
        Heading("answer", "words"),
    )
    return [Table("Until known", heads, rows, NOTE)] if rows else []


def difference_cell(answer: Document) -> str:
    """Return the difference of an answer with the interval of its sequence, of credit in per cent."""
    if answer["measure"] == "credit":
        return f"{percent_cell(answer, 'difference')} %"
    return bracketed(value_text(answer["difference"]), answer["difference_interval"])


def rows(match: Document) -> Iterator[tuple[Value, ...]]:
    """Yield the rows of CSV: each difference with its sequence's interval."""
    for answer in match[KEY]["answers"]:
        yield csv_row(
            match,
            f"until_{answer['measure']}_difference",
            answer["difference"],
            answer["games"],
            answer["difference_interval"],
            strategy=answer["question"],
        )
