"""Exact values of a run's strategies, kept in derived/exact.json: how they are written, and when they are believed.

The file is outside the run proper: it is made of the rules and the strategies alone, and can always be made again. It
names what it was made of, and is left aside where any of that is not what the run has.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from results.files import make_folder, write_atomically
from results.location import Location
from results.store import Match, Run

FORMAT = "dicecup exact 1"
EXACT_NAME = "derived/exact.json"
#: Where the packages are installed; their names are those of the folders there.
_INSTALLED = Path(__file__).resolve().parent.parent
#: A sum of chances is short of a share by no more than rounding.
_SLACK = 1e-12
_ATTEMPTS = 5
#: More than any score; what lies beyond such bounds was not computed by anyone.
_MOST_SCORE = 100_000
Share = Annotated[float, Field(ge=-_SLACK, le=1 + 1e-6)]
Amount = Annotated[float, Field(ge=-1e9, le=1e9)]


class _Exact(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)


class CategoryValues(_Exact):
    """What a category brings: its mean points, and how often it is filled with none."""

    id: str
    mean: Amount
    zero_rate: Share


class CostlyDecision(_Exact):
    """A decision in words, how often a game has it, and the points that it gives away each time and in a game."""

    words: str
    times: Amount
    loss: Amount
    cost: Amount


class Regret(_Exact):
    """The points of a game that are given away against perfect play, in all and by what is decided, when and where."""

    total: Amount
    by_decision: dict[str, Amount]
    by_turn: tuple[Amount, ...]
    by_category: dict[str, Amount]
    costly: tuple[CostlyDecision, ...]


class StrategyValues(_Exact):
    """What one strategy comes to under one ruleset: `chances[k]` is the chance of the score `low + k`."""

    low: int = Field(ge=-_MOST_SCORE, le=_MOST_SCORE)
    chances: tuple[Share, ...] = Field(min_length=1, max_length=_MOST_SCORE)
    bonus_rate: Share | None
    jokers_mean: Amount | None
    throws_mean: Amount
    situations: int = Field(ge=0, le=10**15)
    categories: tuple[CategoryValues, ...]
    regret: Regret | None = None

    @cached_property
    def law(self) -> npt.NDArray[np.float64]:
        """The chances of all scores from `low` on."""
        return np.array(self.chances)

    @property
    def mean(self) -> float:
        """The mean score."""
        return self.low + float(self.law @ np.arange(self.law.size))

    @property
    def variance(self) -> float:
        """The variance of the score."""
        return self.second_moment(self.mean)

    @property
    def sd(self) -> float:
        """The standard deviation of the score."""
        return math.sqrt(self.variance)

    def second_moment(self, centre: float) -> float:
        """Return the mean square of the distance of the score from a centre."""
        return float(self.law @ (self.low + np.arange(self.law.size) - centre) ** 2)

    def quantile(self, share: float) -> int:
        """Return the smallest score that is not exceeded with at least this chance."""
        place = int(np.searchsorted(np.cumsum(self.law), share - _SLACK))
        return self.low + min(place, self.law.size - 1)


class Outcome(_Exact):
    """How the games of a lineup end: rates by side, and of all games those with a tie for the top.

    `by_tied` is by the number of sides that tie, `by_rounds` by the rounds of the roll-off.
    """

    win_rates: tuple[Share, ...]
    shared_rates: tuple[Share, ...]
    credit_rates: tuple[Share, ...]
    tie_rate: Share
    by_tied: dict[str, Share]
    by_rounds: dict[str, Share]


class MatchValues(_Exact):
    """What is known exactly of one match, and of what it was made: the rules and the strategies' sources by digest.

    `best_mean` is the mean score of perfect play, None where nothing could be evaluated. `not_exact` says of the other
    strategies why they are not among `strategies`, and `why_no_outcome` why there is none although sides compete.
    """

    ruleset: str
    sources: dict[str, str]
    best_mean: Amount | None
    strategies: dict[str, StrategyValues]
    not_exact: dict[str, str]
    outcome: Outcome | None
    why_no_outcome: str = ""

    @property
    def has_regret(self) -> bool:
        """Whether every strategy that is evaluated comes with where it loses points."""
        return all(values.regret is not None for values in self.strategies.values())


class _File(_Exact):
    format: str
    job: str
    engine_version: int
    code: dict[str, str]
    checksum: str
    matches: dict[str, MatchValues]


def code_digests(names: Iterable[str]) -> dict[str, str]:
    """Return the digests of files of the installed packages, by their place such as `strategies/exact.py`.

    One that is not there has an empty digest.
    """
    return {name: _digest(_INSTALLED / name) for name in names}


def load_exact(run: Run) -> tuple[dict[int, MatchValues], list[str]]:
    """Return the exact values of a run that are fresh, by match, and remarks on what had to be left aside.

    A file that is damaged, or made of other rules, strategies or code than there are, is not believed.
    """
    path = run.path / EXACT_NAME
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return {}, []
    except OSError as error:
        return {}, [f"{path} can't be read: {error.strerror or error}; exact values are left out"]
    try:
        file = _File.model_validate_json(text)
        damaged = file.checksum != _checksum(file.matches)
    except ValidationError:
        damaged = True
    if damaged:
        return {}, [f"{path} is damaged and left aside; {_remedy(run)}"]
    if changed := _changed(run, file):
        return {}, [f"{path} is out of date and left aside: {changed} since; {_remedy(run)}"]
    return _fresh_matches(run, file)


def keep_exact(run: Run, matches: Mapping[int, MatchValues], code: Mapping[str, str]) -> Location:
    """Write the exact values of matches of a run, whole or not at all; `code` has the digests of what made them."""
    found = {str(number): values for number, values in sorted(matches.items())}
    file = _File(
        format=FORMAT,
        job=run.digest,
        engine_version=run.manifest["engine_version"],
        code=dict(code),
        checksum=_checksum(found),
        matches=found,
    )
    path = run.path / EXACT_NAME
    content = file.model_dump_json(indent=1).encode() + b"\n"
    for attempt in range(_ATTEMPTS):
        make_folder(path.parent)
        try:
            write_atomically(path, content)
        except FileNotFoundError:
            # Whoever plays the run clears temporary files away, or all of derived/ for a new run.
            if attempt == _ATTEMPTS - 1 or not run.path.is_dir():
                raise
        else:
            break
    return path


def entry_strategies(match: Match, entry: str) -> set[str]:
    """Return the strategies that play for an entry: one, or in a team those of its partners."""
    return {
        match.strategy_at(seating, seat)
        for seating in range(match.seatings)
        for seat in range(match.seats)
        if match.entry_at(seating, seat) == entry
    }


def not_exact_lines(entries: Sequence[Mapping[str, str]]) -> list[str]:
    """Return a sentence for each reason why strategies have no exact values, naming them all."""
    reasons: dict[str, list[str]] = {}
    for entry in entries:
        own, reason = f"{entry['strategy']} ", entry["reason"]
        plain = f"it {reason.removeprefix(own)}" if reason.startswith(own) else reason
        reasons.setdefault(plain, []).append(entry["strategy"])
    return [f"Not exact: {', '.join(names)}; {reason}." for reason, names in reasons.items()]


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    except OSError:
        return ""


def _checksum(matches: Mapping[str, MatchValues]) -> str:
    content = {number: values.model_dump(mode="json") for number, values in matches.items()}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _changed(run: Run, file: _File) -> str:
    """Return what makes a whole file out of date, or nothing."""
    if file.format != FORMAT:
        return "the form of the file has changed"
    if file.job != run.digest:
        return "the job has changed"
    if file.engine_version != run.manifest["engine_version"]:
        return "the engine has changed"
    # Where the simulator is not installed, there is no other code to be out of date against.
    there = {name: own for name, own in file.code.items() if (_INSTALLED / name).parent.is_dir()}
    return "" if code_digests(there) == there else "dicecup itself has changed"


def _fresh_matches(run: Run, file: _File) -> tuple[dict[int, MatchValues], list[str]]:
    fresh: dict[int, MatchValues] = {}
    stale: list[str] = []
    for match in run.matches:
        values = file.matches.get(str(match.number))
        if values is None:
            continue
        played = {label: match.strategies[label].source_digest for label in match.lineup}
        sources = {label: played.get(label) for label in values.strategies}
        if values.ruleset == match.ruleset.digest and values.sources == sources and _fits(values, match):
            fresh[match.number] = values
        else:
            stale.append(str(match.number))
    named = f"match {stale[0]}" if len(stale) == 1 else f"matches {', '.join(stale)}"
    remark = f"{run.path / EXACT_NAME} is out of date for {named} and left aside there; {_remedy(run)}"
    return fresh, [remark] if stale else []


def _fits(values: MatchValues, match: Match) -> bool:
    """Return whether values are of what the match has: its sides, categories and jokers, with chances of all scores."""
    ids, outcome = {category.id for category in match.categories}, values.outcome
    rates = [] if outcome is None else [outcome.win_rates, outcome.shared_rates, outcome.credit_rates]
    return all(len(own) == match.side_count for own in rates) and all(
        abs(sum(law.chances) - 1) < 1e-6
        and {category.id for category in law.categories} <= ids
        and (law.jokers_mean is None or match.has_column("jokers"))
        for law in values.strategies.values()
    )


def _remedy(run: Run) -> str:
    return f"dicecup exact {run.path} makes it again"
