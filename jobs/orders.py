"""What a job file may say, as it is written: the models that check it."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from results.printing import counted
from sim.mistakes import shown
from sim.ruleset import MOST_SEATS, PLAIN_NAME, PLAIN_NAME_RULE

MOST_GAMES_ASKED = 10**12
MOST_MATCHES = 10_000
LONGEST_NAME = 60
GAMES_FORMS = "1 to 1e12 are allowed, written as 1_000_000, 1e6, 1M or 10k"
_UNITS = {"": 1, "k": 1000, "m": 1_000_000, "g": 10**9, "b": 10**9}


def read_games(given: Any) -> int:
    """Reads a number of games from 1_000_000, 1e6, "1M" or "10k"; ValueError says what is allowed."""
    refusal = ValueError(f"{shown(given)} games given; {GAMES_FORMS}")
    number: float | int
    if isinstance(given, bool):
        raise refusal
    if isinstance(given, (int, float)):
        number = given
    else:
        form = re.fullmatch(
            r"([0-9][0-9_,]*(?:\.[0-9]+)?(?:[eE]\+?[0-9]{1,2})?)\s*([kKmMgGbB]?)", str(given).strip()
        )
        if form is None:
            raise refusal
        digits = form[1].replace("_", "").replace(",", "")
        whole = int(digits) if digits.isdigit() else float(digits)
        number = whole * _UNITS[form[2].lower()]
    if not 1 <= number <= MOST_GAMES_ASKED or number != int(number):
        raise refusal
    return int(number)


Games = Annotated[int, BeforeValidator(read_games)]
Words = Annotated[str, Field(min_length=1, max_length=300)]
Asked = Annotated[tuple[Words, ...], Field(strict=False)]
Lineup = Annotated[tuple[Words, ...], Field(strict=False, min_length=1)]


class Order(BaseModel):
    """Forbids unknown keys and changes after loading."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class MatchOrder(Order):
    """One match of a job file: a ruleset, a lineup and, where it differs from the job's, the games.

    What it is played until comes to what is asked of the whole job.
    """

    ruleset: Words
    lineup: Lineup
    games: Games | None = None
    until: Asked = ()


class GridOrder(Order):
    """Every ruleset with every lineup: those listed, or all of `seats` different strategies.

    With `mirrors` a strategy may also sit against itself.
    """

    rulesets: Lineup
    strategies: Lineup | None = None
    lineups: Annotated[tuple[Lineup, ...], Field(strict=False, min_length=1)] | None = None
    seats: Annotated[int, Field(ge=1, le=MOST_SEATS)] = 2
    mirrors: bool = False
    games: Games | None = None
    until: Asked = ()

    @model_validator(mode="after")
    def _says_who_plays(self) -> Self:
        if (self.strategies is None) == (self.lineups is None):
            given = "both" if self.strategies else "neither"
            raise ValueError(f"{given} of strategies and lineups given; exactly one is needed")
        for name in ("rulesets", "strategies"):
            items = getattr(self, name) or ()
            twice = sorted(item for item, count in Counter(items).items() if count > 1)
            if twice:
                raise ValueError(f"{name} names {', '.join(twice)} twice; once is enough")
        if self.strategies is not None and not self.mirrors and len(self.strategies) < self.seats:
            raise ValueError(
                f"{counted(len(self.strategies), 'strategy')} given for {self.seats} seats; name more, or let one sit "
                "against itself with mirrors = true"
            )
        if self.lineups is not None and {"seats", "mirrors"} & self.model_fields_set:
            raise ValueError("seats and mirrors go with strategies only; listed lineups say who sits where")
        return self

    @property
    def count(self) -> int:
        """Counts the matches of the grid, without making them."""
        if self.lineups is not None:
            return len(self.rulesets) * len(self.lineups)
        # Strategies that may repeat are chosen in as many ways as from seats - 1 more that may not.
        strategies = len(self.strategies or ()) + (self.seats - 1 if self.mirrors else 0)
        return len(self.rulesets) * comb(strategies, self.seats)

    def all_lineups(self) -> list[tuple[str, ...]]:
        """Returns the lineups of the grid."""
        if self.lineups is not None:
            return list(self.lineups)
        choose = combinations_with_replacement if self.mirrors else combinations
        return list(choose(self.strategies or (), self.seats))


class JobOrder(Order):
    """A job file."""

    name: Annotated[str, Field(max_length=LONGEST_NAME)]
    seed: Annotated[int, Field(ge=0, lt=2**64)] | None = None
    games: Games | None = None
    chunk: Annotated[int, Field(ge=1)] | None = None
    luck: bool = False
    until: Asked = ()
    matches: Annotated[tuple[MatchOrder, ...], Field(strict=False)] = ()
    grids: Annotated[tuple[GridOrder, ...], Field(strict=False)] = ()

    @field_validator("name")
    @classmethod
    def _name_is_plain(cls, name: str) -> str:
        if not re.fullmatch(PLAIN_NAME, name):
            raise ValueError(
                f"{shown(name)} given; {PLAIN_NAME_RULE}. Where no name is given, the file's is taken"
            )
        return name

    @model_validator(mode="after")
    def _has_matches(self) -> Self:
        count = len(self.matches) + sum(grid.count for grid in self.grids)
        if not 1 <= count <= MOST_MATCHES:
            raise ValueError(
                f"{counted(count, 'match')} given; 1 to {MOST_MATCHES:,} are needed, as [[matches]] or [[grids]] tables"
            )
        return self


def allowed_keys(place: list[str]) -> list[str]:
    """Names the keys that a table of a job file may have, given its place."""
    owners: dict[str, type[Order]] = {"matches": MatchOrder, "grids": GridOrder}
    return list((owners[place[0]] if place else JobOrder).model_fields)
