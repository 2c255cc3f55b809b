"""The Ruleset model: the whole rules of one game variant as data, loaded from a TOML file."""

from __future__ import annotations

import difflib
import hashlib
import json
import re
import tomllib
from collections.abc import Iterator
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, ValidationError, field_validator, model_validator

from sim.category import Category, Pattern, Pay, Points, Rules, printable
from sim.mistakes import mistake_lines, near_hint, shown
from sim.variant import Clock, Joker, Times

MOST_CATEGORIES = 16
MOST_SEATS = 6
#: The parts that a variant adds, with what they are where it does not.
VARIANT_PARTS = {"team": 1, "steal": "none", "clock": None, "joker": None}
SHIPPED = resources.files("sim") / "rulesets"
PLAIN_NAME = r"[a-z0-9]+(-[a-z0-9]+)*"
PLAIN_NAME_RULE = "small letters, digits and single hyphens are allowed, as in low-straight"


class RulesetError(ValueError):
    """Says every mistake of a ruleset file at once, each with its place and what is allowed."""


class Bonus(Rules):
    """Points for an upper subtotal that reaches a threshold; 0 points is no bonus."""

    threshold: Annotated[int, Field(ge=1, le=1000)] = 63
    points: Points = 0


class Ruleset(Rules):
    """The whole rules of one variant.

    `categories` is ordered as the scoresheet is. `team` players share a sheet. `steal` is the reading by which each
    side may rob another once a game. With a `clock` all play at once. `digest` covers all that can change a
    game and leaves out titles and sources.
    """

    name: Annotated[str, Field(max_length=60)]
    title: Annotated[str, Field(max_length=80), AfterValidator(printable)]
    source: str = ""
    game: Literal["cheerio"] = "cheerio"
    players: Annotated[tuple[Annotated[int, Field(ge=1, le=MOST_SEATS)], ...], Field(min_length=1)] = Field(
        strict=False
    )
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

    @field_validator("name")
    @classmethod
    def _name_is_plain(cls, name: str) -> str:
        if not re.fullmatch(PLAIN_NAME, name):
            raise ValueError(
                f"{shown(name)} given; {PLAIN_NAME_RULE}. Where no name is given, the file's name is taken"
            )
        return name

    @field_validator("players")
    @classmethod
    def _players_are_distinct(cls, players: tuple[int, ...]) -> tuple[int, ...]:
        if len(set(players)) != len(players):
            raise ValueError(f"{list(players)} given; each count of players is named once")
        return tuple(sorted(players))

    @field_validator("categories")
    @classmethod
    def _categories_are_named(cls, categories: dict[str, Category]) -> dict[str, Category]:
        wrong = [key for key in categories if not re.fullmatch(PLAIN_NAME, key)]
        if wrong:
            raise ValueError(f"{', '.join(map(shown, wrong))} given; {PLAIN_NAME_RULE}")
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

    @cached_property
    def digest(self) -> str:
        """Identifies the rules: 12 hex digits of a SHA-256."""
        rules = self.stated()
        for label in ("name", "title", "source"):
            del rules[label]
        rules["categories"] = list(rules["categories"].items())
        return hashlib.sha256(json.dumps(rules, sort_keys=True).encode()).hexdigest()[:12]

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

    def sides(self, players: int) -> int:
        """Counts the sides of a table: partners share one, and seat s belongs to side s % sides."""
        return players // self.team

    def stated(self) -> dict[str, Any]:
        """Returns the rules as JSON has them, of a variant's own parts those that are in play."""
        rules = self.model_dump(mode="json")
        return {
            key: rule for key, rule in rules.items() if key not in VARIANT_PARTS or rule != VARIANT_PARTS[key]
        }

    def __hash__(self) -> int:
        return hash((self.name, self.digest))

    def __eq__(self, other: object) -> bool:
        # Caches compare rulesets all the time; the digest stands for all that the other fields can differ in.
        if not isinstance(other, Ruleset):
            return NotImplemented
        return self is other or self._identity == other._identity

    @property
    def _identity(self) -> tuple[str, str, str, str]:
        return self.name, self.digest, self.title, self.source


def shipped_rulesets() -> tuple[str, ...]:
    """Names the rulesets that come with dicecup, in alphabetical order."""
    return tuple(
        sorted(
            entry.name.removesuffix(".toml") for entry in SHIPPED.iterdir() if entry.name.endswith(".toml")
        )
    )


def load_ruleset(name: str) -> Ruleset:
    """Loads a shipped ruleset by its name, or a user's own by the path of its TOML file.

    Raises RulesetError with every mistake of the file.
    """
    rules, places, mistakes = _read_rules(name, beside=None, seen=())
    place = name if len(places) == 1 else f"{name} (extends {', '.join(places[1:])})"
    return _validated(rules, place, mistakes)


def validate_ruleset(rules: dict[str, Any], place: str) -> Ruleset:
    """Builds a Ruleset from plain rules, as a manifest holds them; `place` names their origin in errors."""
    return _validated(rules, place, [])


def _validated(rules: dict[str, Any], place: str, mistakes: list[str]) -> Ruleset:
    lines = list(mistakes)
    try:
        ruleset = Ruleset.model_validate(rules)
    except ValidationError as error:
        lines += mistake_lines(error, _allowed_keys)
    if lines:
        count = "1 mistake" if len(lines) == 1 else f"{len(lines)} mistakes"
        raise RulesetError(f"ruleset {place}: {count}\n" + "\n".join(f"  {line}" for line in lines))
    return ruleset


def _read_rules(
    name: str, beside: Path | None, seen: tuple[str, ...]
) -> tuple[dict[str, Any], list[str], list[str]]:
    text, path = _read_text(name, beside)
    place = str(path) if path else name
    if place in seen:
        raise RulesetError(
            f"ruleset {seen[0]}: extends itself through {' -> '.join((*seen, place))}; "
            "name another ruleset in extends, or leave it out"
        )
    try:
        rules = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RulesetError(f"ruleset {place}: not valid TOML: {error}") from None
    except RecursionError:
        raise RulesetError(f"ruleset {place}: lists or tables are nested too deeply") from None
    except ValueError:
        raise RulesetError(f"ruleset {place}: a number has more digits than can be read") from None
    rules.setdefault("name", Path(name).stem)
    parent = rules.pop("extends", None)
    drop = rules.pop("drop", [])
    if parent is None:
        mistakes = [f"drop: {shown(drop)} given; it goes with extends only"] if drop else []
        return rules, [place], mistakes
    if not isinstance(parent, str):
        raise RulesetError(
            f"ruleset {place}: extends: {shown(parent)} given; a ruleset's name or file is needed"
        )
    inherited, places, mistakes = _read_rules(parent, path.parent if path else None, (*seen, place))
    kept, wrong_drops = _dropped(inherited, drop)
    return _merged(kept, rules), [place, *places], mistakes + wrong_drops


def _read_text(name: str, beside: Path | None) -> tuple[str, Path | None]:
    if "/" not in name and not name.endswith(".toml"):
        shipped = SHIPPED / f"{name}.toml"
        if re.fullmatch(PLAIN_NAME, name) and shipped.is_file():
            return shipped.read_text(encoding="utf-8"), None
        near = difflib.get_close_matches(name, shipped_rulesets(), n=2, cutoff=0.5)
        hint = (
            f"did you mean {' or '.join(near)}?" if near else f"shipped are {', '.join(shipped_rulesets())}."
        )
        raise RulesetError(
            f"no ruleset is named {shown(name)}: {hint} Your own file is named by its path, as ./mine.toml"
        )
    path = Path(name) if beside is None else beside / name
    place = shown(str(path)) if not str(path).isprintable() else str(path)
    try:
        # utf-8-sig, for editors that put a byte order mark before the text.
        return path.read_text(encoding="utf-8-sig"), path.resolve()
    except UnicodeDecodeError:
        raise RulesetError(f"ruleset {place}: not a text file in UTF-8; save it as UTF-8") from None
    except OSError as error:
        named = path.name.removesuffix(".toml")
        hint = f"; the shipped one is named {named}, without .toml" if named in shipped_rulesets() else ""
        raise RulesetError(f"ruleset {place}: can't be read: {error.strerror}{hint}") from None
    except ValueError:
        raise RulesetError(f"ruleset {place}: no file can have this name") from None


def _dropped(rules: dict[str, Any], drop: Any) -> tuple[dict[str, Any], list[str]]:
    categories = rules.get("categories", {})
    if not isinstance(categories, dict):
        return rules, []
    if not isinstance(drop, list) or not all(isinstance(key, str) for key in drop):
        return rules, [f'drop: {shown(drop)} given; a list of categories is needed, as ["chance"]']
    mistakes = [
        f"drop: {shown(key)} given{near_hint(key, categories)}; allowed: {', '.join(categories)}"
        for key in drop
        if key not in categories
    ]
    return rules | {
        "categories": {key: rule for key, rule in categories.items() if key not in drop}
    }, mistakes


def _merged(inherited: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    merged = dict(inherited)
    for key, value in own.items():
        before = merged.get(key)
        # A category's pattern is replaced whole: half of another pattern would be a contradiction.
        deep = isinstance(value, dict) and isinstance(before, dict) and key not in ("pattern", "pays")
        merged[key] = _merged(before, value) if deep and isinstance(before, dict) else value
    return merged


def _allowed_keys(location: list[str]) -> list[str]:
    if not location:
        return [*Ruleset.model_fields, "extends", "drop"]
    tables: dict[str, type[Rules]] = {"bonus": Bonus, "clock": Clock, "joker": Joker}
    if location[0] in tables:
        return list((tables[location[0]] if len(location) == 1 else Times).model_fields)
    owners: dict[str, type[Rules]] = {"pattern": Pattern, "pays": Pay}
    return list((owners[location[2]] if len(location) == 3 else Category).model_fields)
