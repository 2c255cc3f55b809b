"""A job: what is to be played, from a TOML file or from the command line."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from jobs.errors import JobError
from jobs.games import other_game_fault, rules_text_of
from jobs.orders import LONGEST_NAME, GridOrder, JobOrder, MatchOrder, allowed_keys
from jobs.question import Questions
from jobs.teams import join_sides, seat_lineup, split_side
from results.until.questions import Question
from sim.mistakes import mistake_lines
from sim.ruleset import PLAIN_NAME, Ruleset, RulesetError, load_ruleset
from sim.texts import TooLargeError, read_small
from strategies.lineup import Player, file_player, get_player, tidied
from strategies.strategy import NO_RULE, StrategyError

#: Games of a match that are played where a job doesn't say.
USUAL_GAMES = 100_000
#: The most games of a match that is played until something is known, where a job doesn't say.
USUAL_MOST_GAMES = 10_000_000
#: A drawn seed stays below this, so that every reader of JSON holds it exactly.
DRAWN_SEED_BITS = 53


@dataclass(frozen=True)
class JobMatch:
    """One match as asked for: a ruleset, the players by lineup index, the games not yet in whole deals.

    With questions in `until` the games are the most that are played; the match stops once all are answered.
    """

    ruleset: Ruleset
    players: tuple[Player, ...]
    games: int
    until: tuple[Question, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """Names the strategies of the lineup by seat."""
        return tuple(player.label for player in self.players)


@dataclass(frozen=True)
class Job:
    """A list of matches with a seed; `chunk` is the deals of a chunk, or None for the usual.

    With `luck` the luck of the dice is kept beside every score. `digest` identifies what is asked for, by rulesets and
    labels: 12 hex digits of a SHA-256. The sources of strategies are left to the manifest.
    """

    name: str
    seed: int
    matches: tuple[JobMatch, ...]
    chunk: int | None = None
    seed_drawn: bool = False
    luck: bool = False

    @property
    def has_questions(self) -> bool:
        """Tells whether any match is played until something is known."""
        return any(match.until for match in self.matches)

    @cached_property
    def digest(self) -> str:
        """Identifies what is asked for."""
        matches = [
            [match.ruleset.name, match.ruleset.digest, match.labels, match.games] for match in self.matches
        ]
        until = [[question.text for question in match.until] for match in self.matches]
        added = [*(["luck"] if self.luck else []), *([["until", until]] if self.has_questions else [])]
        asked = json.dumps([self.seed, self.chunk, matches, *added])
        return hashlib.sha256(asked.encode()).hexdigest()[:12]


@dataclass(frozen=True)
class Overrides:
    """What the command line says in place of a job file."""

    name: str | None = None
    seed: int | None = None
    games: int | None = None
    chunk: int | None = None
    luck: bool | None = None
    until: tuple[str, ...] | None = None


def load_job(path: Path, overrides: Overrides = Overrides()) -> Job:
    """Loads a job file; raises JobError with every mistake of it.

    Rulesets and strategies that are named by paths are looked for from the folder of the file.
    """
    try:
        content = tomllib.loads(read_small(path))
    except IsADirectoryError:
        raise JobError(f"job {path}: a folder, and one job file is needed here") from None
    except OSError as error:
        raise JobError(f"job {path}: can't be read: {error.strerror}") from None
    except TooLargeError as error:
        raise JobError(f"job {path}: can't be read: {error}") from None
    except (ValueError, RecursionError) as error:
        raise JobError(f"job {path}: not valid TOML: {error}") from None
    if "jobs" in content:
        beside = ", ".join(key for key in content if key != "jobs")
        raise JobError(
            f"queue {path}: it lists jobs, and holds {beside} beside; move that to the job files"
            if beside
            else f"queue {path}: one job is needed here; dicecup run plays those that it lists"
        )
    content.setdefault("name", path.stem)
    given = {key: value for key, value in vars(overrides).items() if value is not None}
    order = _checked(content | given, f"job {path}")
    return _build(order, f"job {path}", path.parent, overrides)


def build_job(
    rulesets: Sequence[str], lineups: Sequence[Sequence[str]], overrides: Overrides = Overrides()
) -> Job:
    """Builds a job of every ruleset with every lineup; raises JobError with every mistake of it."""
    usual = Path(rulesets[0]).stem if len(rulesets) == 1 else "quick"
    name = overrides.name or (
        usual if re.fullmatch(PLAIN_NAME, usual) and len(usual) <= LONGEST_NAME else "quick"
    )
    grid = {"rulesets": list(rulesets), "lineups": [list(lineup) for lineup in lineups]}
    content = {key: value for key, value in vars(overrides).items() if value is not None}
    try:
        order = JobOrder.model_validate(content | {"name": name, "grids": [grid]})
    except ValidationError as error:
        lines = mistake_lines(error, allowed_keys)
        raise mistaken("", [_asked_words(line, rulesets, lineups) for line in lines]) from None
    return _build(order, "", Path(), overrides)


def read_player(words: str, folder: Path) -> Player:
    """Builds a player; a user's file is looked for from a folder."""
    words = tidied(words)
    name = words.partition(":")[0]
    return file_player(words, folder / name) if name.endswith(".py") else get_player(words)


def ruled(player: Player) -> Player:
    """Returns a player; raises StrategyError where it has no rule that could be told."""
    if not player.rule:
        raise StrategyError(f"strategy {player.label}: {NO_RULE}")
    return player


def _checked(content: dict[str, Any], place: str) -> JobOrder:
    try:
        return JobOrder.model_validate(content)
    except ValidationError as error:
        raise mistaken(place, mistake_lines(error, allowed_keys)) from None


def _asked_words(line: str, rulesets: Sequence[str], lineups: Sequence[Sequence[str]]) -> str:
    """Puts a mistake of a grid that nobody wrote in the words of the command line."""
    line = re.sub(r"^grids\.0(: |\.)", "", line)
    line = re.sub(
        r"^lineups\.(\d+)(\.\d+)?", lambda found: f"lineup {','.join(lineups[int(found[1])])}", line
    )
    return re.sub(r"^rulesets\.(\d+)", lambda found: f"ruleset {rulesets[int(found[1])]}", line)


def mistaken(place: str, lines: list[str]) -> JobError:
    """Puts mistakes into one error, after the place where they are; a command line has none to name."""
    before = f"{place}: " if place else ""
    if len(lines) == 1:
        return JobError(f"{before}{lines[0]}")
    return JobError(f"{before}{len(lines)} mistakes\n" + "\n".join(f"  {line}" for line in lines))


def _build(order: JobOrder, place: str, folder: Path, overrides: Overrides) -> Job:
    lines: list[str] = []
    seats = _Seats(order, place, folder, lines)
    questions = Questions(order.until, "", lines)
    matches: list[JobMatch] = []
    asked = [(f"matches.{number}", match.until, [match]) for number, match in enumerate(order.matches)]
    asked += [(f"grids.{n}", grid.until, _grid_orders(grid)) for n, grid in enumerate(order.grids)]
    lacking = 0
    for where, until, match_orders in asked:
        # What the command line asks stands in place of all that a file asks.
        own = Questions(() if overrides.until else until, where, lines)
        built = [(match, seats.match(match, where)) for match in match_orders]
        matches += [
            _asked_match(found, overrides.games or match.games or order.games, own, questions)
            for match, found in built
            if found
        ]
        lost = sum(found is None for _, found in built)
        lacking += lost
        # Before all matches are right, nobody can tell what is asked of none.
        if not lost:
            own.note_lost()
    if not lacking:
        questions.note_lost()
    if lines:
        # A grid names the same fault once for every match that it touches.
        raise mistaken(place, list(dict.fromkeys(lines)))
    drawn = order.seed is None
    seed = secrets.randbits(DRAWN_SEED_BITS) if order.seed is None else order.seed
    return Job(order.name, seed, tuple(matches), order.chunk, drawn, order.luck)


class _Seats:
    """Builds the matches of an order, rulesets and players read once each; mistakes go to `lines`."""

    def __init__(self, order: JobOrder, place: str, folder: Path, lines: list[str]) -> None:
        self._order, self._place, self._lines = order, place, lines
        self._rulesets = _Named(lambda name: load_ruleset(_placed(name, folder)), lines)
        self._players = _Named(lambda words: ruled(read_player(words, folder)), lines)
        self._seen: set[tuple[Ruleset, tuple[str, ...]]] = set()

    def match(self, match: MatchOrder, where: str) -> JobMatch | None:
        """Builds a match, its games yet to be told; None where there is a mistake in it."""
        in_ruleset, in_lineup = (
            (where, where)
            if self._place
            else (f"ruleset {match.ruleset}", f"lineup {','.join(match.lineup)}")
        )
        ruleset = self._rulesets.get(match.ruleset, in_ruleset)
        try:
            seated = _seated(ruleset, match.lineup)
        except JobError as error:
            self._lines.append(f"{where}: {error}" if self._place else str(error))
            return None
        lineup = [self._players.get(words, in_lineup) for words in seated]
        if ruleset is None or None in lineup:
            return None
        built = JobMatch(ruleset, tuple(player for player in lineup if player), 0)
        faults = [*_faults(built, self._seen), *(luck_faults(ruleset) if self._order.luck else ())]
        self._lines += [f"{where}: {fault}" if self._place else fault for fault in faults]
        return None if faults else built


def _asked_match(match: JobMatch, games: int | None, own: Questions, all_matches: Questions) -> JobMatch:
    """Returns a match with its games and with the questions that belong to it."""
    until = tuple(dict.fromkeys((*all_matches.of(match), *own.of(match))))
    return replace(match, games=games or (USUAL_MOST_GAMES if until else USUAL_GAMES), until=until)


def _placed(name: str, folder: Path) -> str:
    is_path = "/" in name or name.endswith(".toml")
    return str(folder / name) if is_path else name


def _grid_orders(grid: GridOrder) -> list[MatchOrder]:
    return [
        MatchOrder(ruleset=ruleset, lineup=lineup, games=grid.games)
        for ruleset in grid.rulesets
        for lineup in grid.all_lineups()
    ]


def _seated(ruleset: Ruleset | None, lineup: tuple[str, ...]) -> tuple[str, ...]:
    if ruleset is not None:
        return seat_lineup(ruleset, lineup)
    # Whether partners are joined hangs on a ruleset that is not known; of the others mistakes are told at once.
    return tuple(words for words in lineup if len(split_side(words)) == 1)


def _faults(match: JobMatch, seen: set[tuple[Ruleset, tuple[str, ...]]]) -> list[str]:
    """Says what is wrong with a match, and notes it among those seen, by the first of its lineup's rotations."""
    ruleset, labels = match.ruleset, match.labels
    fault = other_game_fault(match.players, ruleset)
    faults = [fault] if fault else []
    if len(labels) not in ruleset.players:
        allowed = ", ".join(map(str, ruleset.players))
        faults.append(
            f"lineup {','.join(labels)} has {len(labels)} {'seat' if len(labels) == 1 else 'seats'}; "
            f"{ruleset.name} is for {allowed} "
            f"{'player' if ruleset.players == (1,) else 'players'}"
        )
        return faults
    key = ruleset, min(labels[place:] + labels[:place] for place in range(len(labels)))
    if key in seen:
        faults.append(
            f"{ruleset.name} with {join_sides(labels, ruleset)} is asked for twice (a rotation of a lineup plays "
            "the same games); leave one out, or raise its games"
        )
    seen.add(key)
    return faults


def luck_faults(ruleset: Ruleset) -> list[str]:
    """Says why no luck can be kept under a ruleset."""
    reason = rules_text_of(ruleset.game).luck_obstacle(ruleset)
    return (
        [f"no luck can be kept under {ruleset.name}: {reason}; leave luck out for this match"]
        if reason
        else []
    )


class _Named:
    """What names stand for, each read once; one that stands for nothing adds one line to the mistakes."""

    def __init__(self, read: Callable[[str], Any], lines: list[str]) -> None:
        self._read = read
        self._lines = lines
        self._found: dict[str, Any] = {}

    def get(self, name: str, where: str) -> Any:
        if name not in self._found:
            try:
                self._found[name] = self._read(name)
            except (RulesetError, StrategyError) as error:
                self._found[name] = None
                self._lines.append(f"{where}: {error}")
        return self._found[name]
