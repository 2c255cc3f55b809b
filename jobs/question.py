"""What a job is played until, in words such as `par - greedy: +-0.1%`, and which matches a question belongs to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from jobs.errors import JobError
from jobs.teams import join_sides, split_side
from results.manifest import side_name
from results.until.questions import Question, amount_text
from results.words import WORDS
from sim.mistakes import near_hint, shown

if TYPE_CHECKING:
    from jobs.job import JobMatch

FORMS = "+-0.1%, +-0.5 points, better or not, better or not by 0.2%, better or not by 0.5 points"
ADVICE = f'write two entries and what to know, as "par - greedy: +-0.1%"; to know there are: {FORMS}'
MOST_MARGIN = {"%": 100.0, "points": 100_000.0, "chips": 100_000.0}
#: The smallest of `within`, in any unit.
LEAST_MARGIN = 1e-9
#: Lineups that a message names.
MOST_NAMED = 6

_NUMBER = r"(?P<margin>\d{1,12}(?:\.\d{0,12})?|\.\d{1,12})\s*(?P<unit>%|points?|chips?)"
_ASKED = re.compile(r"(?P<pair>.*\S)\s*:\s*(?P<rest>(?:\+-|\+/-|±|better\b).*)", re.DOTALL)
_WITHIN = re.compile(rf"(?:\+-|\+/-|±)\s*{_NUMBER}")
_BETTER = re.compile(rf"better\s+or\s+not(?:\s+by\s+{_NUMBER})?")
#: A hyphen, an en dash or a minus, as texts are copied from here and there.
_MINUS = re.compile(r"\s+[-\u2013\u2212]\s+")


@dataclass(frozen=True)
class Asked:
    """A question as it is written: what is to be known, and the pairs of entries that its words may name."""

    text: str
    pairs: tuple[tuple[str, str], ...]
    kind: Literal["within", "better"]
    margin: float
    unit: Literal["%", "points", "chips"]


def read_question(text: str) -> Asked:
    """Reads a question; raises JobError, which says what is allowed."""
    asked = _ASKED.fullmatch(text.strip())
    if asked is None:
        raise JobError(f"until {shown(text)} is no question; {ADVICE}")
    words = asked["pair"]
    # A file's name may have a minus between spaces, too.
    pairs = tuple(
        (_entry_words(words[: cut.start()]), _entry_words(words[cut.end() :]))
        for cut in _MINUS.finditer(words)
    )
    if not pairs:
        raise JobError(f"until {shown(text)} names no two entries with a minus between spaces; {ADVICE}")
    within, better = _WITHIN.fullmatch(asked["rest"]), _BETTER.fullmatch(asked["rest"])
    form = within or better
    if form is None:
        raise JobError(f"until {shown(text)}: {shown(asked['rest'])} given; allowed: {FORMS}")
    unit = _unit(form["unit"])
    margin = float(form["margin"] or 0)
    if not (0 if better else LEAST_MARGIN) <= margin < MOST_MARGIN[unit]:
        allowed = f"at least {'0' if better else f'{LEAST_MARGIN:g}'} and below {MOST_MARGIN[unit]:,.0f} are allowed"
        raise JobError(f"until {shown(text)}: {amount_text(margin, unit)} given; {allowed}")
    return Asked(text.strip(), pairs, "within" if within else "better", margin, unit)


def match_entries(match: JobMatch) -> tuple[str, ...]:
    """Names the entries of a match, as its run lists them."""
    labels = match.labels
    sides = match.ruleset.sides(len(labels)) or 1
    return tuple(dict.fromkeys(side_name(labels[side::sides], labels) for side in range(sides)))


class Questions:
    """The questions that are asked of some matches, and whether each belongs to one at least.

    Mistakes go to `lines`, each once.
    """

    def __init__(self, texts: Sequence[str], place: str, lines: list[str]) -> None:
        self._place = f"{place}: " if place else ""
        self._lines = lines
        self._met: list[JobMatch] = []
        self._asked: dict[Asked, bool] = {}
        for text in texts:
            try:
                self._asked[read_question(text)] = False
            except JobError as error:
                lines.append(f"{self._place}{error}")

    def of(self, match: JobMatch) -> tuple[Question, ...]:
        """Returns the questions that belong to a match: those whose two entries it has."""
        self._met.append(match)
        found = []
        for asked in self._asked:
            entries = [(_entry(match, one), _entry(match, other)) for one, other in asked.pairs]
            for first, second in entries:
                if first is None or second is None:
                    continue
                self._asked[asked] = True
                fault = _fault(asked, match, first, second)
                if fault is None:
                    found.append(
                        Question(
                            first=first, second=second, kind=asked.kind, margin=asked.margin, unit=asked.unit
                        )
                    )
                else:
                    self._lines.append(f"{self._place}until {shown(asked.text)}: {fault}")
                break
        return tuple(dict.fromkeys(found))

    def note_lost(self) -> None:
        """Adds the questions that belong to none of the matches to the mistakes."""
        self._lines += [
            f"{self._place}until {shown(asked.text)}: {self._loss(asked)}"
            for asked, belongs in self._asked.items()
            if not belongs
        ]

    def _loss(self, asked: Asked) -> str:
        entries = list(dict.fromkeys(entry for match in self._met for entry in match_entries(match)))
        pair = asked.pairs[0]
        unknown = [name for name in pair if not any(_entry(match, name) for match in self._met)]
        lineups = [f"{join_sides(match.labels, match.ruleset)} ({match.ruleset.name})" for match in self._met]
        named = f"{', '.join(lineups[:MOST_NAMED])}{' ...' if len(lineups) > MOST_NAMED else ''}"
        if unknown:
            told = " and ".join(f"{name}{near_hint(name, entries)}" for name in unknown)
            return f"no lineup has {told}; the entries are {', '.join(entries)}"
        if all(len(match_entries(match)) == 1 for match in self._met):
            return f"a question needs two entries of one match, and each has one alone: {named}"
        return f"no match has both {pair[0]} and {pair[1]}; the lineups are {named}"


def _fault(asked: Asked, match: JobMatch, first: str, second: str) -> str | None:
    """Says why a question can't be asked of a match that has both its entries."""
    ruleset = match.ruleset
    if first == second:
        return f"{first} is compared with itself, and the difference is 0; name two entries"
    if "ante" in ruleset.stated():
        return (
            f"under {ruleset.name} nobody decides anything and all play alike, so that the difference is 0 by the "
            "rules; leave the question out"
        )
    unit = WORDS[ruleset.game].unit
    if asked.unit not in ("%", unit):
        return f"scores of {ruleset.name} are {unit}, {asked.unit} given; write {amount_text(asked.margin, unit)}"
    return None


def _entry(match: JobMatch, words: str) -> str | None:
    """Returns the entry of a match that some words name, partners in any order, or None where there is none."""
    entries = match_entries(match)
    if words in entries:
        return words
    partners = sorted(split_side(words))
    return next((entry for entry in entries if sorted(split_side(entry)) == partners), None)


def _entry_words(words: str) -> str:
    return ":".join(piece.strip() for piece in words.split(":"))


def _unit(given: str | None) -> Literal["%", "points", "chips"]:
    if given is None or given == "%":
        return "%"
    return "points" if given.startswith("point") else "chips"
