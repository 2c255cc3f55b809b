"""From the words of a lineup (`greedy:upper=0.5`, `mine.py:Bold`) to strategies and their sources."""

from __future__ import annotations

import dataclasses
import difflib
import hashlib
import importlib
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from sim.ruleset import Ruleset
from strategies.building import build_strategy, check_parameter_names, manners_of
from strategies.files import (
    Texts,
    class_names,
    load_class,
    read_shipped,
    read_sources,
    shipped_imports,
    write_sources,
)
from strategies.manner import MANNERS, USUAL_MANNER, Manner, read_pace, read_steal
from strategies.registry import STRATEGIES
from strategies.strategy import GameStrategy, Strategy, StrategyError, strategy_parameters, strategy_rule

#: What a parameter is set to, by the type of its default.
NEEDED = {bool: "true or false", int: "a whole number", float: "a finite number"}


@dataclasses.dataclass(frozen=True)
class Source:
    """Where a strategy comes from, so that it can be built again in another process or on another machine.

    `files` holds the text of its file (first) and of the local modules that the file imports, by file name;
    it is empty for a shipped strategy.
    """

    label: str
    place: str
    parameters: tuple[tuple[str, Any], ...]
    files: Texts
    digest: str
    manner: Manner = USUAL_MANNER


@dataclasses.dataclass(frozen=True)
class Player:
    """A strategy in a lineup: its label, itself, its rule and its source."""

    label: str
    strategy: GameStrategy
    rule: str
    source: Source

    @property
    def game(self) -> str:
        """Names the game that the strategy plays."""
        return self.strategy.game

    @property
    def sees(self) -> tuple[str, ...]:
        """Names what the strategy's decisions depend on."""
        return self.strategy.sees

    @property
    def manner(self) -> Manner:
        """Returns what the lineup says of it beside its own parameters."""
        return self.source.manner

    @property
    def parameters(self) -> dict[str, Any]:
        """Returns the values of its parameters, and of its manner what is not the usual."""
        return strategy_parameters(self.strategy) | self.manner.said


Kind = TypeVar("Kind", bound=GameStrategy)


def get_strategy(words: str) -> GameStrategy:
    """Builds the strategy that some words name; raises StrategyError where they name none."""
    return get_player(words).strategy


def get_lineup(words: Sequence[str]) -> tuple[Player, ...]:
    """Builds the players of a lineup; the same words give the same player."""
    players = {entry: get_player(entry) for entry in dict.fromkeys(words)}
    return tuple(players[entry] for entry in words)


def get_player(words: str) -> Player:
    """Builds one player from `name`, `name:parameter=value` or `file.py:Class:parameter=value`.

    Beside its own parameters every strategy of Cheerio takes `steal` (never, when-it-pays or the least swing in points)
    and `pace` (a factor of the usual time).
    """
    words = tidied(words)
    name, *rest = words.split(":")
    if name.endswith(".py"):
        return file_player(words, Path(name))
    if name not in STRATEGIES and _is_file(f"{name}.py"):
        file = f"{name}.py"
        if rest and rest[0].isidentifier():
            raise StrategyError(f"no strategy is named {name!r}: did you mean {file}:{rest[0]}?")
        raise StrategyError(
            f"no strategy is named {name!r}, but there is {file}; {_advice(file, read_sources(Path(file), words))}"
        )
    if name not in STRATEGIES:
        near = difflib.get_close_matches(name, STRATEGIES, n=2, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"shipped are {', '.join(STRATEGIES)}."
        raise StrategyError(f"no strategy is named {name!r}: {hint} One of your own is named as mine.py:Bold")
    return _build(words, _shipped_class(name), STRATEGIES[name], rest, ())


def file_player(words: str, path: Path) -> Player:
    """Builds a player of a user's file, wherever it is now; `words` name a file, its class and parameters."""
    files = read_sources(path, words)
    name, settings = _class_words(words, files)
    kind = load_class(path.resolve(), files, name, words)
    return _build(words, kind, f"{path.resolve()}:{name}", settings, files)


def foretold_digest(words: str, path: Path, game: str, parameters: Mapping[str, Any]) -> str:
    """Returns the digest that the source of a user's player would have; nothing of the file is run.

    `parameters` has their values, which only a class that is loaded could read from the words. Raises StrategyError
    where the file can't be read, or the words set what has no value.
    """
    files = read_sources(path, words)
    name, settings = _class_words(words, files)
    manner: dict[str, int] = {}
    given: dict[str, Any] = {}
    for key, _, text in (setting.partition("=") for setting in settings):
        own = key.strip()
        if game == Strategy.game and own in MANNERS:
            manner[own] = _read_manner(words, own, text.strip())
        elif own in parameters:
            given[own] = parameters[own]
        else:
            raise StrategyError(f"strategy {words}: {own} has no value that is known")
    return _digest(name, given, files, _shipped_modules(files), Manner(**manner))


def tidied(words: str) -> str:
    """Returns the words of a strategy without spaces around their pieces."""
    return ":".join(piece.strip() for piece in words.split(":"))


def strategy_of(player: Player, kind: type[Kind], ruleset: Ruleset) -> Kind:
    """Returns a player's strategy as one of a ruleset's game; raises StrategyError where it plays another."""
    if isinstance(player.strategy, kind):
        return player.strategy
    raise StrategyError(
        f"strategy {player.label}: plays {player.game}, and {ruleset.name} is a ruleset of {ruleset.game}; "
        f"strategies of {ruleset.game} are {', '.join(shipped_strategies(ruleset.game))}"
    )


def shipped_strategies(game: str) -> tuple[str, ...]:
    """Names the strategies of a game that come with dicecup, in the order of the registry."""
    return tuple(name for name in STRATEGIES if _shipped_class(name).game == game)


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except OSError:
        # Such as a name that is longer than any file's.
        return False


def _class_words(words: str, files: Texts) -> tuple[str, list[str]]:
    """Returns the class that words name, and its settings; raises StrategyError where they name none."""
    file, *rest = words.split(":")
    if not rest or "=" in rest[0] or not rest[0].isidentifier():
        raise StrategyError(f"strategy {words!r} names no class; {_advice(file, files)}")
    return rest[0], rest[1:]


def _advice(name: str, files: Texts) -> str:
    """Says how the strategies of a file are named in a lineup."""
    classes = class_names(files)
    if not classes:
        return f"{name} has no strategy yet: write class Mine(Strategy), or class Mine(Bettor) for Cee-lo"
    return f"write {' or '.join(f'{name}:{found}' for found in classes)}"


def _shipped_class(name: str) -> type[GameStrategy]:
    module, _, attribute = STRATEGIES[name].partition(":")
    kind: type[GameStrategy] = getattr(importlib.import_module(module), attribute)
    return kind


def rebuild_player(source: Source, folder: Path) -> Player:
    """Builds a player from its source in another process.

    Files are written into `folder`, once, under their digest.
    """
    if not source.files:
        return get_player(source.label)
    path = write_sources(source.files, folder / source.digest)
    kind = load_class(path, source.files, source.place.rpartition(":")[2], source.label)
    strategy = build_strategy(source.label, kind, dict(source.parameters))
    return Player(source.label, strategy, strategy_rule(kind), source)


def _build(
    words: str,
    kind: type[GameStrategy],
    place: str,
    settings: Sequence[str],
    files: Texts,
) -> Player:
    check_parameter_names(words, kind)
    parameters, manner = _read_settings(words, kind, settings)
    strategy = build_strategy(words, kind, parameters)
    modules = _shipped_modules(files) if files else [kind.__module__]
    digest = _digest(place.rpartition(":")[2], parameters, files, modules, manner)
    source = Source(words, place, tuple(sorted(parameters.items())), files, digest, manner)
    return Player(words, strategy, strategy_rule(kind), source)


def _shipped_modules(files: Texts) -> list[str]:
    return [name for _, text in files for name in shipped_imports(text)]


def _digest(
    name: str, parameters: Mapping[str, Any], files: Texts, modules: Sequence[str], manner: Manner
) -> str:
    content: list[Any] = [name, sorted(parameters.items()), files, read_shipped(modules)]
    if manner != USUAL_MANNER:
        content.append(dataclasses.astuple(manner))
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]


def _read_manner(words: str, name: str, text: str) -> int:
    return read_steal(words, text) if name == "steal" else read_pace(words, text)


def _read_settings(
    words: str, kind: type[GameStrategy], settings: Sequence[str]
) -> tuple[dict[str, Any], Manner]:
    defaults, manners = strategy_parameters(kind), manners_of(kind)
    parameters: dict[str, Any] = {}
    manner: dict[str, int] = {}
    for setting in settings:
        name, equals, text = (piece.strip() for piece in setting.partition("="))
        if not equals and name in (*defaults, *manners):
            raise StrategyError(f"strategy {words}: {name} is given no value; write {name}=...")
        if not equals or name not in (*defaults, *manners):
            raise StrategyError(
                f"strategy {words}: {setting!r} sets no parameter of it; {_setting_hint(name, defaults, manners)}"
            )
        if name in parameters or name in manner:
            raise StrategyError(f"strategy {words}: {name} is given twice; give it once")
        if name in defaults:
            parameters[name] = _read_parameter(words, name, text, defaults[name])
        else:
            manner[name] = _read_manner(words, name, text)
    return parameters, Manner(**manner)


def _setting_hint(name: str, defaults: dict[str, Any], manners: Sequence[str]) -> str:
    own = f"its parameters are {', '.join(defaults)}" if defaults else "it has no parameters"
    if name in MANNERS and not manners:
        return f"{own}; {name} is said of strategies of Cheerio alone"
    near = difflib.get_close_matches(name, [*defaults, *manners], n=1, cutoff=0.5)
    if near:
        return f"did you mean {near[0]}=...?"
    return f"{own}; every strategy takes {' and '.join(manners)}" if manners else own


def _read_parameter(words: str, name: str, text: str, default: Any) -> Any:
    try:
        return _read_value(text, default)
    except ValueError:
        needed = NEEDED[type(default)]
        raise StrategyError(f"strategy {words}: {name} is {text!r}; {needed} is needed") from None


def _read_value(text: str, default: Any) -> Any:
    if isinstance(default, bool):
        if text.lower() not in ("true", "false"):
            raise ValueError(text)
        return text.lower() == "true"
    if isinstance(default, int):
        return int(text)
    if isinstance(default, float):
        value = float(text)
        if not math.isfinite(value):
            raise ValueError(text)
        return value
    return text
