"""The rulesets of Cheerio and its relatives: what is thrown for, what it pays, and what variants add."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from sim.category import Category, Pattern, Pay, Points, Rules
from sim.mistakes import near_hint, shown
from sim.ruleset import (
    PLAIN_NAME,
    PLAIN_NAME_RULE,
    Line,
    Ruleset,
    load_ruleset,
    of_game,
    validate_ruleset,
)
from sim.variant import Clock, Joker, Times

MOST_CATEGORIES, LONGEST_CATEGORY = 16, 60
#: The parts that a variant adds, with what they are where it does not.
VARIANT_PARTS = {"team": 1, "steal": "none", "clock": None, "joker": None}


class Bonus(Rules):
    """Points for an upper subtotal that reaches a threshold; 0 points is no bonus."""

    threshold: Annotated[int, Field(ge=1, le=1000)] = 63
    points: Points = 0


class CheerioRuleset(Ruleset):
    """The whole rules of one variant.

    `categories` is ordered as the scoresheet is. `team` players share a sheet. `steal` is the reading by which each
    side may rob another once a game. With a `clock` all play at once. `digest` covers all that can change a
    game and leaves out titles and sources.
    """

    game: Literal["cheerio"] = "cheerio"
    throws: Annotated[int, Field(ge=1, le=5)] = 3
    scratch: Literal["free", "forced"] = "free"
    start: Literal["highest-die", "first-seat"] = "highest-die"
    tiebreak: Literal["roll-off", "shared"] = "roll-off"
    team: Annotated[int, Field(ge=1, le=3)] = 1
    steal: Literal["none", "overwrite", "take"] = "none"
    clock: Clock | None = None
    joker: Joker | None = None
    bonus: Bonus = Bonus()
    categories: dict[str, Category] = Field(min_length=1, max_length=MOST_CATEGORIES)

    @field_validator("categories")
    @classmethod
    def _categories_are_named(cls, categories: dict[str, Category]) -> dict[str, Category]:
        wrong = [key for key in categories if not re.fullmatch(PLAIN_NAME, key)]
        if wrong:
            raise ValueError(f"{', '.join(map(shown, wrong))} given; {PLAIN_NAME_RULE}")
        long = [key for key in categories if len(key) > LONGEST_CATEGORY]
        if long:
            raise ValueError(f"{shown(long[0])} given; at most {LONGEST_CATEGORY} characters are allowed")
        names = [category.name for category in categories.values()]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"{', '.join(map(shown, twice))} given twice; each name stands for one category")
        return categories

    @model_validator(mode="after")
    def _parts_go_together(self) -> Self:
        faults = [*self._bonus_faults(), *self._side_faults(), *self._steal_faults(), *self._joker_faults()]
        if faults:
            raise ValueError("\n".join(faults))
        return self

    def _bonus_faults(self) -> Iterator[str]:
        if self.bonus.points and not any(category.upper for category in self.categories.values()):
            yield (
                f"bonus.points: {self.bonus.points} given, but no category counts towards a bonus; "
                "give upper = true to those that do, or 0 points"
            )

    def _side_faults(self) -> Iterator[str]:
        uneven = [count for count in self.players if count % self.team]
        if uneven:
            yield (
                f"players: {', '.join(map(str, uneven))} given with team = {self.team}; "
                f"teams of {self.team} need a multiple of {self.team} players"
            )
        if self.team in self.players and (self.team > 1 or self.steal != "none"):
            reason = (
                "a team needs another to play against" if self.team > 1 else "a steal needs somebody to rob"
            )
            yield f"players: {self.team} given; {reason}, so at least {2 * self.team} are needed"

    def _steal_faults(self) -> Iterator[str]:
        if self.steal != "none" and self.clock is not None:
            yield (
                f'steal: "{self.steal}" given with a clock; with a clock all play at once, and no rule says what '
                "becomes of the turn that a robbed player is in. Leave one of them out"
            )
        if self.steal != "none" and self.joker is not None:
            yield (
                f'steal: "{self.steal}" given with a joker; no rule says what a stolen joker pays. '
                "Leave one of them out"
            )

    def _joker_faults(self) -> Iterator[str]:
        if self.joker is None:
            return
        named = [("joker.category", self.joker.category), *(("joker.fits", key) for key in self.joker.fits)]
        for place, key in named:
            if key not in self.categories:
                yield (
                    f"{place}: {shown(key)} given{near_hint(key, self.categories)}; "
                    f"allowed: {', '.join(self.categories)}"
                )
        asked = self.categories.get(self.joker.category)
        if asked is not None and asked.pattern.alike != 5:
            yield (
                f"joker.category: {shown(self.joker.category)} given; a category of five alike is needed, "
                "as pattern = { alike = 5 }"
            )

    @property
    def turns(self) -> int:
        """Counts the turns that fill a sheet."""
        return len(self.categories)

    @property
    def most_turns(self) -> int:
        """Counts the turns that a side may take at most: who has stolen by overwriting has one more to take."""
        return self.turns + (self.steal == "overwrite")

    @property
    def interacts(self) -> bool:
        """Tells whether what one side does changes another's sheet or time to play."""
        return self.steal != "none" or self.clock is not None

    @property
    def side_size(self) -> int:
        """Counts the players who form a side."""
        return self.team

    @property
    def lines(self) -> tuple[Line, ...]:
        """Names the lines of the scoresheet."""
        return tuple(Line(key, rule.name, rule.upper) for key, rule in self.categories.items())

    def labels(self, seats: int) -> dict[str, Any]:
        """Returns what a run's manifest says of a table under these rules, for readers that know no rules."""
        del seats
        return {
            "turns": self.turns,
            "throws": self.throws,
            "tiebreak": self.tiebreak,
            "bonus_points": self.bonus.points,
        }

    @classmethod
    def allowed_keys(cls, location: list[str]) -> list[str]:
        """Names the keys that a table of a file may have, given its place as a list of keys."""
        if not location:
            return [*cls.model_fields, "extends", "drop"]
        tables: dict[str, type[Rules]] = {"bonus": Bonus, "clock": Clock, "joker": Joker}
        if location[0] in tables:
            return list((tables[location[0]] if len(location) == 1 else Times).model_fields)
        owners: dict[str, type[Rules]] = {"pattern": Pattern, "pays": Pay}
        return list((owners[location[2]] if len(location) == 3 else Category).model_fields)

    def stated(self) -> dict[str, Any]:
        """Returns the rules as JSON has them, of a variant's own parts those that are in play."""
        rules = self.model_dump(mode="json")
        return {
            key: rule for key, rule in rules.items() if key not in VARIANT_PARTS or rule != VARIANT_PARTS[key]
        }


def load_cheerio(name: str) -> CheerioRuleset:
    """Loads a ruleset as load_ruleset does; RulesetError where it is one of another game."""
    return of_game(CheerioRuleset, load_ruleset(name), name)


def validate_cheerio(rules: dict[str, Any], place: str) -> CheerioRuleset:
    """Builds a ruleset from plain rules as validate_ruleset does; RulesetError where it is one of another game."""
    return of_game(CheerioRuleset, validate_ruleset(rules, place), place)
