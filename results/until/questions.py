"""What a match is to be played until: questions about two of its entries, and what deals so far answer."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, model_validator

from results.schema import CREDIT_UNITS
from results.statistics import DealSums, Interval
from results.until.sequences import (
    LEAST_UNLIKE,
    deal_deviation,
    half_width,
    needed_deals,
    sequence_interval,
)

if TYPE_CHECKING:
    from results.manifest import Match

LEVEL = 0.95
"""The level at which all answers of a match hold together, at all looks."""

USUAL_DEVIATION = 0.6
"""About the standard deviation of a deal's difference in credit; a poor guess costs deals, not truth."""
WIDTHS = 3.03
"""Half the width of a sequence at 95 %, in standard errors, where it is narrowest."""
TUNED_SHARE = 10
"""Where nothing tells when an answer may come, a sequence is narrowest at this part of the deals that are allowed."""

MOST_MARGIN, LEAST_WITHIN = 1e9, 1e-9

Arrays = Mapping[str, npt.NDArray[Any]]


class Question(BaseModel):
    """What is asked about the difference of two entries: how much it is, or whether it is more than a margin.

    The difference is of credit where the unit is "%", of which margins are percentage points, and else of scores.
    `within` asks until the difference is known to plus or minus the margin, `better` until it is known to be more than
    the margin, or less.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    first: str
    second: str
    kind: Literal["within", "better"]
    margin: float = Field(ge=0, le=MOST_MARGIN, allow_inf_nan=False)
    unit: Literal["%", "points", "chips"]

    @model_validator(mode="after")
    def _has_an_answer(self) -> "Question":
        if self.kind == "within" and self.margin < LEAST_WITHIN:
            raise ValueError(
                f"a difference is never known to +-{self.margin:g}, {LEAST_WITHIN:g} is the least"
            )
        return self

    @property
    def measure(self) -> Literal["credit", "score"]:
        """The column whose difference is asked about."""
        return "credit" if self.unit == "%" else "score"

    @property
    def bound(self) -> float:
        """The margin, of credit as a share of a game."""
        return self.margin / 100 if self.unit == "%" else self.margin

    @property
    def pair(self) -> str:
        """The difference in words."""
        return f"{self.first} - {self.second}"

    @property
    def margin_text(self) -> str:
        """The margin with its unit."""
        return amount_text(self.margin, self.unit)

    @property
    def text(self) -> str:
        """The question as a command line has it."""
        if self.kind == "within":
            return f"{self.pair}: +-{self.margin_text}"
        by = f" by {self.margin_text}" if self.margin or self.unit != "%" else ""
        return f"{self.pair}: better or not{by}"


class Differences:
    """How often each difference of two entries occurs among deals: exact, and small however many deals there are.

    A difference is a deal's mean over the sides of the first entry less that of the second, times `weight`.
    """

    def __init__(self, weight: int) -> None:
        self.weight = weight
        self.counts: Counter[int] = Counter()

    def add(self, differences: npt.NDArray[np.int64]) -> None:
        """Count the differences of deals, one for each deal."""
        low = int(differences.min(initial=0))
        counts = np.bincount(differences - low)
        self.counts.update({low + int(k): int(counts[k]) for k in np.flatnonzero(counts)})

    @property
    def unlike(self) -> int:
        """How many deals differ from what most deals show."""
        return self.counts.total() - max(self.counts.values(), default=0)

    @property
    def sums(self) -> DealSums:
        """The exact sums of the differences."""
        items = self.counts.items()
        total, squares = (sum(value**power * count for value, count in items) for power in (1, 2))
        return DealSums(self.counts.total(), total, squares, self.weight)


@dataclass(frozen=True)
class Answer:
    """What the deals so far say to a question; `interval` is None until there are enough deals that differ.

    `verdict` is the answer in words, or None where there is none yet. `deviation` is that of single deals.
    """

    question: Question
    deals: int
    unlike: int
    level: float
    difference: float | None
    deviation: float | None
    interval: Interval | None
    verdict: str | None


def amount_text(amount: float, unit: str) -> str:
    """Return an amount with its unit: `0.1 %`, `1 point`, `2 points`."""
    return f"{amount:.12g} {unit.removesuffix('s') if amount == 1 else unit}"


def new_differences(question: Question, match: "Match") -> Differences:
    """Return the differences of no deals, with the weight that those of a match have."""
    sides = [len(match.side_cells(entry)) for entry in (question.first, question.second)]
    return Differences(sides[0] * sides[1] * (CREDIT_UNITS if question.measure == "credit" else 1))


def deal_differences(question: Question, match: "Match", arrays: Arrays) -> npt.NDArray[np.int64]:
    """Return the difference of each deal, times the weight, from arrays of shape (seatings, seats, deals)."""
    values = arrays[question.measure]
    first, second = (match.side_cells(entry) for entry in (question.first, question.second))
    difference = np.zeros(values.shape[-1], np.int64)
    # Each entry's total is scaled by the other's number of sides, so that the difference is an integer.
    for cell in first:
        difference += values[cell].astype(np.int64) * len(second)
    for cell in second:
        difference -= values[cell].astype(np.int64) * len(first)
    return difference


def question_level(questions: int) -> float:
    """Return the level of each of several questions of a match, so that all answers hold together (Bonferroni)."""
    return 1 - (1 - LEVEL) / questions


def tuned_deals(question: Question, most_deals: int) -> float:
    """Return the number of deals at which a question's sequence is narrowest, a function of the job alone."""
    if question.kind == "within" and question.measure == "credit":
        return max(1.0, min(most_deals, (WIDTHS * USUAL_DEVIATION / question.bound) ** 2))
    return max(1.0, most_deals / TUNED_SHARE)


def answer_of(question: Question, differences: Differences, most_deals: int, level: float) -> Answer:
    """Return what deals answer; `most_deals` is how many the match may have at most."""
    sums, unlike = differences.sums, differences.unlike
    interval = None
    if unlike >= LEAST_UNLIKE:
        interval = sequence_interval(sums, tuned_deals(question, most_deals), level)
    verdict = None if interval is None else _verdict(question, interval)
    return Answer(question, sums.deals, unlike, level, sums.mean, deal_deviation(sums), interval, verdict)


def still_needed(answer: Answer, most_deals: int) -> int | None:
    """Return about how many deals an answer needs in all, if all goes on as so far; None where none can be told."""
    question, deviation = answer.question, answer.deviation
    if answer.interval is None or not deviation or answer.difference is None:
        return None
    half = question.bound if question.kind == "within" else abs(answer.difference - question.bound)
    return needed_deals(half, deviation, tuned_deals(question, most_deals), answer.level)


def smallest_shown(question: Question, deviation: float, most_deals: int, level: float) -> float:
    """Return how far from the margin a difference must be for all deals that are allowed to show it."""
    return half_width(most_deals, deviation, tuned_deals(question, most_deals), level)


def _verdict(question: Question, interval: Interval) -> str | None:
    low, high = interval
    first, second = question.first, question.second
    if question.kind == "within":
        known = (high - low) / 2 <= question.bound
        return f"{question.pair} is known to +-{question.margin_text}" if known else None
    if low > question.bound:
        by = f" by more than {question.margin_text}" if question.margin else ""
        return f"{first} is better than {second}{by}"
    if high < question.bound:
        return (
            f"{first} is not better than {second} by {question.margin_text}"
            if question.margin
            else f"{first} is worse than {second}"
        )
    return None
