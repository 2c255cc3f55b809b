"""The manifest of a run: everything that a reader must know, as typed values."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from results.errors import RunError
from results.location import Location
from results.schema import GAME_TABLES, SCHEMA_VERSION, Column, games_columns
from results.until.questions import Question

# So many digits are a number yet, and no more are needed.
_FRACTION = re.compile(r"-?\d{1,200}(/[1-9]\d{0,200})?", re.ASCII)

MOST_SEATS = 6
"""Credit is told in parts that so many sides can share."""
MOST_GAMES = 10**13
MOST_CHUNKS = 2_000_000
MOST_PART_ROWS = 1 << 25
"""Rows of a part's games, which are held in memory at once."""
LONGEST_LABEL = 400
_MOST_TOLD = 20
_LONGEST_TOLD = 200

RESTORE = (
    "Restore it; or remove it and give its job to dicecup run again, which keeps the parts that are there."
)
"""What to do about a manifest that can't be read."""

Label = Annotated[str, Field(max_length=LONGEST_LABEL)]


class _Stored(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="allow")


class Category(_Stored):
    """A line of the scoresheet, or a result of the dice, as the manifest names it."""

    id: Label
    name: Label
    upper: bool = False


class RulesetLabel(_Stored):
    """A ruleset with all its fields under `rules`."""

    name: Label
    title: Label
    digest: Label
    game: Label
    rules: dict[str, Any] = Field(default_factory=dict)


class StrategyLabel(_Stored):
    """A strategy: its rule in words, what it sees, its parameters and the digest of its source."""

    rule: str = ""
    sees: tuple[str, ...] = ()
    parameters: dict[str, Any] = Field(default_factory=dict)
    source_digest: str = ""


class Match(_Stored):
    """One ruleset, one lineup and the number of games, as stored in the manifest.

    The strategy at lineup index i sits in seat (i + seating) % seats. `categories` are what the second table's sums are
    kept by, and `exact` has chances that the rules fix, as fractions such as 1/108, by name. `luck` tells whether the
    luck of the dice is kept. `until` asks what is to be known; a match whose questions were answered before all
    its deals were played has the deals that it was stopped after, and those planned in `most_deals`, which no manifest
    holds.
    """

    number: int = Field(ge=0)
    ruleset: RulesetLabel
    categories: tuple[Category, ...] = Field(default=(), max_length=100)
    turns: int = Field(default=0, ge=0, le=1000)
    throws: int = Field(default=0, ge=0, le=100)
    tiebreak: Literal["roll-off", "shared"] = "shared"
    bonus_points: int = Field(default=0, ge=0, le=10_000)
    exact: dict[str, str] = Field(default_factory=dict)
    best_mean: float | None = Field(default=None, ge=-1e6, le=1e6)
    lineup: tuple[Label, ...] = Field(min_length=1, max_length=MOST_SEATS)
    strategies: dict[str, StrategyLabel]
    sides: tuple[int, ...]
    seats: int = Field(ge=1)
    seatings: int = Field(ge=1)
    deals: int = Field(ge=1, le=MOST_GAMES)
    games: int = Field(ge=1, le=MOST_GAMES)
    chunk_deals: int = Field(ge=1)
    chunks: int = Field(ge=1, le=MOST_CHUNKS)
    luck: bool = False
    until: tuple[Question, ...] = Field(default=(), max_length=1000)
    most_deals: int | None = None

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> "Match":
        rotations = {self.lineup[k:] + self.lineup[:k] for k in range(len(self.lineup))}
        expected = {
            "seats": (self.seats, len(self.lineup)),
            "sides": (len(self.sides), len(self.lineup)),
            "seatings": (self.seatings, len(rotations)),
            "games": (self.games, self.deals * self.seatings),
            "chunks": (self.chunks, -(-self.deals // self.chunk_deals)),
        }
        wrong = [f"{key} is {got}, {want} expected" for key, (got, want) in expected.items() if got != want]
        wrong += [
            f"strategies lacks {name!r} of the lineup" for name in self.lineup if name not in self.strategies
        ]
        wrong += [
            f"exact {name[:40]!r} is {text[:40]!r}, a fraction such as 1/108 is expected"
            for name, text in self.exact.items()
            if not _FRACTION.fullmatch(text)
        ]
        if not wrong:
            wrong += self._out_of_bounds()
        if self.until and not wrong:
            asked = dict.fromkeys(
                name for question in self.until for name in (question.first, question.second)
            )
            wrong += [
                f"until asks about {name!r}, which is no entry" for name in asked if name not in self.entries
            ]
        if self.ruleset.game not in GAME_TABLES:
            wrong.append(
                f"game is {self.ruleset.game!r}, which this dicecup does not read; update it, or give a run of "
                f"{' or '.join(GAME_TABLES)}"
            )
        if wrong:
            raise ValueError("; ".join(wrong))
        return self

    def _out_of_bounds(self) -> Iterator[str]:
        """Yield what is more than can be read, or of another kind than a reader takes it for."""
        rows = self.chunk_deals * self.seatings * self.seats
        if rows > MOST_PART_ROWS:
            yield f"a part has {rows} rows, at most {MOST_PART_ROWS} can be read at once"
        if not set(self.sides) <= set(range(self.seats)):
            yield f"sides are {list(self.sides)}, each is from 0 to {self.seats - 1}"
        if len({category.id for category in self.categories}) < len(self.categories):
            yield "categories have an id twice"
        asked = (self.model_extra or {}).get("games_asked", self.games)
        if type(asked) is not int or not 1 <= asked <= self.games:
            yield f"games_asked is {asked!r}, 1 to {self.games} expected"
        if self.ruleset.game == "ceelo" and not self.turns:
            yield "turns is 0, the most rounds of a game are expected"
        yield from _rule_faults(self.ruleset)

    @property
    def side_count(self) -> int:
        """The number of sides that compete in a game; 1 in solitaire."""
        return len(set(self.sides))

    @property
    def first_seats(self) -> list[int]:
        """The first seat of each side, which stands for it."""
        return [seat for seat, side in enumerate(self.sides) if self.sides.index(side) == seat]

    @property
    def chips(self) -> int:
        """The chips that there are in a game, which only pass from one to another; 0 where points are scored."""
        return int(self.ruleset.rules.get("chips", 0)) * self.seats

    @property
    def is_solitaire(self) -> bool:
        """Whether there is nobody to win against."""
        return self.side_count == 1

    @property
    def parts(self) -> frozenset[str]:
        """What may bring columns and figures: the parts of the rules, luck where it is kept, and what is asked."""
        added = {"luck": self.luck, "until": bool(self.until)}
        return frozenset(self.ruleset.rules) | {part for part, there in added.items() if there}

    @property
    def planned_deals(self) -> int:
        """The deals that the match has at most; all of them are played but where it was stopped before."""
        return self.deals if self.most_deals is None else self.most_deals

    def stopped_after(self, chunks: int) -> "Match":
        """Return the match as it is when it was stopped after so many chunks, fewer than all."""
        deals = chunks * self.chunk_deals
        games, most = deals * self.seatings, self.planned_deals
        return self.model_copy(update={"chunks": chunks, "deals": deals, "games": games, "most_deals": most})

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the match's games, with those that its variant adds."""
        return games_columns(self.ruleset.game, self.parts)

    def has_column(self, name: str) -> bool:
        """Return whether the match's games have a column."""
        return any(column.name == name for column in self.columns)

    @property
    def entries(self) -> tuple[str, ...]:
        """The names under which sides are listed, in the order of the seats they take first."""
        cells = ((seating, seat) for seating in range(self.seatings) for seat in range(self.seats))
        return tuple(dict.fromkeys(self.entry_at(*cell) for cell in cells))

    @property
    def side_names(self) -> tuple[str, ...]:
        """The names of the sides in the first seating, as `entry_at` gives them."""
        return tuple(self.entry_at(0, self.sides.index(side)) for side in sorted(set(self.sides)))

    def strategy_at(self, seating: int, seat: int) -> str:
        """Return the name of the strategy that sits in a seat in a seating."""
        return self.lineup[(seat - seating) % self.seats]

    def entry_at(self, seating: int, seat: int) -> str:
        """Return the name under which a seat's side is listed: the strategy, or `par+greedy` for a team."""
        side = self.sides[seat]
        partners = (self.strategy_at(seating, k) for k in range(self.seats) if self.sides[k] == side)
        return side_name(partners, self.lineup)

    def side_cells(self, entry: str) -> list[tuple[int, int]]:
        """Return the (seating, seat) pairs that stand for an entry's sides, one seat for each side."""
        return [
            (seating, seat)
            for seating in range(self.seatings)
            for seat in self.first_seats
            if self.entry_at(seating, seat) == entry
        ]

    def chunk_deals_of(self, chunk: int) -> range:
        """Return the deals of a chunk; the last chunk may be shorter."""
        if not 0 <= chunk < self.chunks:
            raise RunError(f"match {self.number} has no chunk {chunk}; it has chunks 0 to {self.chunks - 1}.")
        return range(chunk * self.chunk_deals, min(self.deals, (chunk + 1) * self.chunk_deals))


class _Job(_Stored):
    name: Label
    digest: Label
    seed: int = Field(ge=0, lt=2**64)
    chunk: int | None = Field(default=None, ge=1)


class Manifest(_Stored):
    """What manifest.json holds."""

    schema_version: int
    engine_version: int
    versions: dict[str, str]
    job: _Job
    matches: tuple[Match, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _is_numbered(self) -> "Manifest":
        numbers = [match.number for match in self.matches]
        if numbers != list(range(len(numbers))):
            raise ValueError(f"matches are numbered {numbers}; 0, 1, 2 ... expected")
        return self


def side_name(partners: Iterable[str], lineup: Sequence[str]) -> str:
    """Return the name of a side, its partners joined in the order in which the lineup names them first."""
    return "+".join(sorted(partners, key=lineup.index))


def manifest_text(manifest: Mapping[str, Any]) -> str:
    """Return the manifest as the bytes on disk spell it: sorted keys, indent 2, trailing newline."""
    return json.dumps(manifest, sort_keys=True, indent=2, allow_nan=False, ensure_ascii=False) + "\n"


def parse_manifest(text: str, path: Location) -> Manifest:
    """Return the manifest in a text; `path` is named in the RunError that lists all its mistakes."""
    try:
        raw = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise RunError(f"{path} is not JSON ({error}). {RESTORE}") from error
    version = raw.get("schema_version") if isinstance(raw, dict) else None
    if not isinstance(version, int) or version < 1:
        raise RunError(f"{path} has no schema_version, so it is no manifest of a run. {RESTORE}")
    if version > SCHEMA_VERSION:
        raise RunError(
            f"{path} has schema version {version}; this dicecup reads up to {SCHEMA_VERSION}. Update dicecup."
        )
    try:
        return Manifest.model_validate_json(text)
    except ValidationError as error:
        found = error.errors(include_input=False, include_context=False)
        mistakes = [f"{'.'.join(map(str, one['loc'])) or 'manifest'}: {one['msg']}" for one in found]
        told = [one[:_LONGEST_TOLD] for one in mistakes[:_MOST_TOLD]]
        more = len(mistakes) - len(told)
        told += [f"and {more} more"] if more else []
        raise RunError(f"{path} is not a valid manifest: {'; '.join(told)}. {RESTORE}") from error


def _rule_faults(ruleset: RulesetLabel) -> Iterator[str]:
    """Yield what is wrong with the few rules whose values a reader takes; of others it asks whether they are there."""
    rules = ruleset.rules
    if ruleset.game == "ceelo" and not isinstance(rules.get("bank"), str):
        yield "rule bank is no text"
    needed = ["chips"] if ruleset.game == "ceelo" else []
    needed += ["minutes", "throw_seconds"] if rules.get("minutes") else []
    foreign = {"bank", "chips", "ante", "minutes"} & rules.keys() if ruleset.game != "ceelo" else set()
    for key in sorted(foreign):
        yield f"rule {key} is none of {ruleset.game}"
    for key in needed:
        rule = rules.get(key)
        if isinstance(rule, bool) or not isinstance(rule, (int, float)) or not 0 < rule <= 10_000:
            yield f"rule {key} is {rule!r}, a number to 10000 is expected"


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")
