"""What the rulesets of all games share, and how they are loaded: one TOML file has the whole rules of one variant."""

from __future__ import annotations

import difflib
import hashlib
import importlib
import json
import re
import tomllib
from abc import ABC, abstractmethod
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar

from pydantic import AfterValidator, Field, ValidationError, field_validator

from sim.category import Rules, printable
from sim.game import GAMES
from sim.mistakes import mistake_lines, near_hint, shown
from sim.texts import TooLargeError, read_small

MOST_SEATS = 6
SHIPPED = resources.files("sim") / "rulesets"
PLAIN_NAME = r"[a-z0-9]+(-[a-z0-9]+)*"
PLAIN_NAME_RULE = "small letters, digits and single hyphens are allowed, as in low-straight"
#: What follows the plain name of a ruleset of which one rule is changed, as in `cheerio-bonus bonus.points=25`.
CHANGED_RULE = r"[a-z0-9_-]+(\.[a-z0-9_-]+)*=\S.*"
LONGEST_NAME, LONGEST_TITLE = 120, 160


#: What a file without `game` is a ruleset of.
USUAL_GAME = "cheerio"


class RulesetError(ValueError):
    """Says every mistake of a ruleset file at once, each with its place and what is allowed."""


class Line(NamedTuple):
    """What a game's sums are kept by: a line of the scoresheet, or a result of the dice."""

    id: str
    name: str
    upper: bool = False


class Ruleset(Rules, ABC):
    """What the rules of every game have; each game's own model adds the rest.

    `players` counts those who may sit down. `digest` covers all that can change a game and leaves out titles and
    sources.
    """

    name: Annotated[str, Field(max_length=LONGEST_NAME), AfterValidator(printable)]
    title: Annotated[str, Field(max_length=LONGEST_TITLE), AfterValidator(printable)]
    source: str = ""
    game: str
    players: Annotated[tuple[Annotated[int, Field(ge=1, le=MOST_SEATS)], ...], Field(min_length=1)] = Field(
        strict=False
    )

    @field_validator("name")
    @classmethod
    def _name_is_plain(cls, name: str) -> str:
        if not re.fullmatch(f"{PLAIN_NAME}( {CHANGED_RULE})?", name):
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

    @cached_property
    def digest(self) -> str:
        """Identifies the rules: 12 hex digits of a SHA-256."""
        rules = self.stated()
        for label in ("name", "title", "source"):
            del rules[label]
        if "categories" in rules:
            rules["categories"] = list(rules["categories"].items())
        return hashlib.sha256(json.dumps(rules, sort_keys=True).encode()).hexdigest()[:12]

    @abstractmethod
    def stated(self) -> dict[str, Any]:
        """Returns the rules as JSON has them, of the parts that not every ruleset has those that are in play."""

    @property
    def side_size(self) -> int:
        """Counts the players who form a side."""
        return 1

    def sides(self, players: int) -> int:
        """Counts the sides of a table: partners share one, and seat s belongs to side s % sides."""
        return players // self.side_size

    @property
    @abstractmethod
    def lines(self) -> tuple[Line, ...]:
        """Names what the sums of a run are kept by, in their order."""

    @abstractmethod
    def labels(self, seats: int) -> dict[str, Any]:
        """Returns what a run's manifest says of a table under these rules, for readers that know no rules."""

    @classmethod
    @abstractmethod
    def allowed_keys(cls, location: list[str]) -> list[str]:
        """Names the keys that a table of a file may have, given its place as a list of keys."""

    @classmethod
    def idle_keys(cls, rules: dict[str, Any]) -> dict[str, str]:
        """Says of each key that counts for nothing beside the other rules why; a file may inherit such a key."""
        del rules
        return {}

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


Model = TypeVar("Model", bound=Ruleset)


def shipped_rulesets(game: str | None = None) -> tuple[str, ...]:
    """Names the rulesets that come with dicecup, of one game or of all, in alphabetical order."""
    names = sorted(
        entry.name.removesuffix(".toml") for entry in SHIPPED.iterdir() if entry.name.endswith(".toml")
    )
    return tuple(name for name in names if game is None or load_ruleset(name).game == game)


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


def of_game(model: type[Model], ruleset: Ruleset, place: str) -> Model:
    """Returns a ruleset as one of a game's; RulesetError where it is one of another's."""
    if not isinstance(ruleset, model):
        needed = model.model_fields["game"].default
        raise RulesetError(f"ruleset {place}: is one of {ruleset.game}; one of {needed} is needed")
    return ruleset


def _validated(rules: dict[str, Any], place: str, mistakes: list[str]) -> Ruleset:
    lines = list(mistakes)
    game = rules.get("game", USUAL_GAME)
    if not isinstance(game, str) or game not in GAMES:
        allowed = ", ".join(f"'{name}'" for name in GAMES)
        lines.append(f"game: {shown(game)} given{near_hint(game, GAMES)}; allowed: {allowed}")
    else:
        model = _model_of(game)
        try:
            ruleset = model.model_validate(rules)
        except ValidationError as error:
            lines += mistake_lines(error, model.allowed_keys)
    if lines:
        count = "1 mistake" if len(lines) == 1 else f"{len(lines)} mistakes"
        raise RulesetError(f"ruleset {place}: {count}\n" + "\n".join(f"  {line}" for line in lines))
    return ruleset


def _model_of(game: str) -> type[Ruleset]:
    module, _, name = GAMES[game].ruleset.partition(":")
    model: type[Ruleset] = getattr(importlib.import_module(module), name)
    return model


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
    own = dict(rules)
    rules.setdefault("name", Path(name).stem)
    parent = rules.pop("extends", None)
    drop = rules.pop("drop", [])
    if parent is None:
        mistakes = [f"drop: {shown(drop)} given; it goes with extends only"] if drop else []
        return rules, [place], mistakes + ([] if seen else _idle_mistakes(own, rules))
    if not isinstance(parent, str):
        raise RulesetError(
            f"ruleset {place}: extends: {shown(parent)} given; a ruleset's name or file is needed"
        )
    inherited, places, mistakes = _read_rules(parent, path.parent if path else None, (*seen, place))
    kept, wrong_drops = _dropped(inherited, drop)
    mistakes += wrong_drops
    merged = _merged(kept, rules)
    return merged, [place, *places], mistakes + ([] if seen else _idle_mistakes(own, merged))


def _idle_mistakes(own: dict[str, Any], rules: dict[str, Any]) -> list[str]:
    """Says which keys a file states itself although they count for nothing."""
    game = rules.get("game", USUAL_GAME)
    known = isinstance(game, str) and game in GAMES
    idle = _model_of(game).idle_keys(rules) if known else {}
    return [f"{key}: {shown(own[key])} given; {why}. Leave it out" for key, why in idle.items() if key in own]


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
        return read_small(path), path.resolve()
    except TooLargeError as error:
        raise RulesetError(f"ruleset {place}: can't be read: {error}") from None
    except UnicodeDecodeError:
        raise RulesetError(f"ruleset {place}: not a text file in UTF-8; save it as UTF-8") from None
    except OSError as error:
        named = path.name.removesuffix(".toml")
        hint = f"; the shipped one is named {named}, without .toml" if named in shipped_rulesets() else ""
        raise RulesetError(f"ruleset {place}: can't be read: {error.strerror}{hint}") from None
    except ValueError:
        raise RulesetError(f"ruleset {place}: no file can have this name") from None


def _dropped(rules: dict[str, Any], drop: Any) -> tuple[dict[str, Any], list[str]]:
    if drop == []:
        return rules, []
    if "categories" not in rules:
        return rules, [
            f"drop: {shown(drop)} given; it leaves out categories, and there are none to leave out"
        ]
    categories = rules["categories"]
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
