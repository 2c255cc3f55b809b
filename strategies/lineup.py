"""From the words of a lineup (`greedy:upper=0.5`, `mine.py:Bold`) to strategies and their sources."""

from __future__ import annotations

import dataclasses
import difflib
import hashlib
import importlib
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sim.views import SEES
from strategies.files import load_class, read_shipped, read_sources, shipped_imports, write_sources
from strategies.registry import STRATEGIES
from strategies.strategy import Strategy, StrategyError, is_planned, strategy_parameters, strategy_rule

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
    files: tuple[tuple[str, str], ...]
    digest: str


@dataclasses.dataclass(frozen=True)
class Player:
    """A strategy in a lineup: its label, itself, its rule and its source."""

    label: str
    strategy: Strategy
    rule: str
    source: Source

    @property
    def sees(self) -> tuple[str, ...]:
        """Names what the strategy's decisions depend on."""
        return self.strategy.sees

    @property
    def parameters(self) -> dict[str, Any]:
        """Returns the values of its parameters."""
        return strategy_parameters(self.strategy)


def get_strategy(words: str) -> Strategy:
    """Builds the strategy that some words name; raises StrategyError where they name none."""
    return get_player(words).strategy


def get_lineup(words: Sequence[str]) -> tuple[Player, ...]:
    """Builds the players of a lineup; the same words give the same player."""
    players = {entry: get_player(entry) for entry in dict.fromkeys(words)}
    return tuple(players[entry] for entry in words)


def get_player(words: str) -> Player:
    """Builds one player from `name`, `name:parameter=value` or `file.py:Class:parameter=value`."""
    name, *rest = (piece.strip() for piece in words.split(":"))
    words = ":".join((name, *rest))
    if name.endswith(".py"):
        if not rest or "=" in rest[0] or not rest[0].isidentifier():
            raise StrategyError(f"strategy {words!r} names no class; write {name}:ClassName")
        path = Path(name)
        files = read_sources(path, words)
        kind = load_class(path.resolve(), files, rest[0], words)
        return _build(words, kind, f"{path.resolve()}:{rest[0]}", rest[1:], files)
    if name not in STRATEGIES:
        near = difflib.get_close_matches(name, STRATEGIES, n=2, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"shipped are {', '.join(STRATEGIES)}."
        raise StrategyError(f"no strategy is named {name!r}: {hint} One of your own is named as mine.py:Bold")
    module, _, attribute = STRATEGIES[name].partition(":")
    kind = getattr(importlib.import_module(module), attribute)
    return _build(words, kind, STRATEGIES[name], rest, ())


def rebuild_player(source: Source, folder: Path) -> Player:
    """Builds a player from its source in another process.

    Files are written into `folder`, once, under their digest.
    """
    if not source.files:
        return get_player(source.label)
    path = write_sources(source.files, folder / source.digest)
    kind = load_class(path, source.files, source.place.rpartition(":")[2], source.label)
    return Player(
        source.label, _built(source.label, kind, dict(source.parameters)), strategy_rule(kind), source
    )


def _build(
    words: str, kind: type[Strategy], place: str, settings: Sequence[str], files: tuple[tuple[str, str], ...]
) -> Player:
    parameters = _read_parameters(words, kind, settings)
    strategy = _built(words, kind, parameters)
    own = [name for _, text in files for name in shipped_imports(text)] if files else [kind.__module__]
    content = json.dumps([place.rpartition(":")[2], sorted(parameters.items()), files, read_shipped(own)])
    digest = hashlib.sha256(content.encode()).hexdigest()[:16]
    source = Source(words, place, tuple(sorted(parameters.items())), files, digest)
    return Player(words, strategy, strategy_rule(kind), source)


def _built(words: str, kind: type[Strategy], parameters: dict[str, Any]) -> Strategy:
    try:
        strategy = kind(**parameters)
    except (Exception, SystemExit) as error:
        raise StrategyError(f"strategy {words}: can't be built: {type(error).__name__}: {error}") from error
    sees = getattr(strategy, "sees", None)
    if not isinstance(sees, tuple) or not all(isinstance(view, str) for view in sees):
        raise StrategyError(
            f"strategy {words}: sees is {sees!r}; a tuple of names is needed, as sees = ('open',)"
        )
    unknown = [view for view in sees if view not in SEES]
    if unknown:
        raise StrategyError(f"strategy {words}: sees names {', '.join(unknown)}; allowed: {', '.join(SEES)}")
    if "open" not in sees:
        raise StrategyError(
            f"strategy {words}: sees is {sees!r}; add 'open', "
            "for what may be filled depends on the open categories"
        )
    if not is_planned(strategy):
        lacking = [method for method in ("keep", "choose") if not callable(getattr(strategy, method, None))]
        if lacking:
            raise StrategyError(
                f"strategy {words}: has no {' and no '.join(lacking)}; "
                "give keep(dice, sheet, rolls_left) and choose(dice, sheet), or plan(sheet)"
            )
    return strategy


def _read_parameters(words: str, kind: type[Strategy], settings: Sequence[str]) -> dict[str, Any]:
    defaults = strategy_parameters(kind)
    parameters: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        allowed = f"its parameters are {', '.join(defaults)}" if defaults else "it has no parameters"
        name = name.strip()
        if not equals or name not in defaults:
            near = difflib.get_close_matches(name, defaults, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]}=...?" if near else allowed
            raise StrategyError(f"strategy {words}: {setting!r} sets no parameter of it; {hint}")
        if name in parameters:
            raise StrategyError(f"strategy {words}: {name} is given twice; give it once")
        try:
            parameters[name] = _read_value(text.strip(), defaults[name])
        except ValueError:
            needed = NEEDED[type(defaults[name])]
            raise StrategyError(f"strategy {words}: {name} is {text!r}; {needed} is needed") from None
    return parameters


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
