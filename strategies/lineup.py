"""From the words of a lineup (`greedy:upper=0.5`, `mine.py:Bold`) to strategies and their sources."""

from __future__ import annotations

import ast
import dataclasses
import difflib
import hashlib
import importlib
import importlib.util
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from sim.views import SEES
from strategies.registry import STRATEGIES
from strategies.strategy import Strategy, StrategyError, is_planned, strategy_parameters, strategy_rule


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
    name, *rest = words.split(":")
    if name.endswith(".py"):
        if not rest or "=" in rest[0] or not rest[0].isidentifier():
            raise StrategyError(f"strategy {words!r} names no class; write {name}:ClassName")
        path = Path(name)
        files = _read_sources(path, words)
        kind = _load_class(path.resolve(), rest[0], words)
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
    home = folder / source.digest
    for name, text in source.files:
        target = home / name
        if not target.is_file() or target.read_text(encoding="utf-8") != text:
            home.mkdir(parents=True, exist_ok=True)
            beside = target.with_name(f"{name}.{id(source):x}")
            beside.write_text(text, encoding="utf-8")
            beside.replace(target)
    kind = _load_class((home / source.files[0][0]).resolve(), source.place.rpartition(":")[2], source.label)
    return Player(
        source.label, _built(source.label, kind, dict(source.parameters)), strategy_rule(kind), source
    )


def _build(
    words: str, kind: type[Strategy], place: str, settings: Sequence[str], files: tuple[tuple[str, str], ...]
) -> Player:
    parameters = _read_parameters(words, kind, settings)
    strategy = _built(words, kind, parameters)
    texts = files or _shipped_sources(kind.__module__)
    content = json.dumps([place.rpartition(":")[2], sorted(parameters.items()), texts])
    digest = hashlib.sha256(content.encode()).hexdigest()[:16]
    source = Source(words, place, tuple(sorted(parameters.items())), files, digest)
    return Player(words, strategy, strategy_rule(kind), source)


def _built(words: str, kind: type[Strategy], parameters: dict[str, Any]) -> Strategy:
    try:
        strategy = kind(**parameters)
    except Exception as error:
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
        if not equals or name not in defaults:
            raise StrategyError(f"strategy {words}: {setting!r} sets no parameter of it; {allowed}")
        try:
            parameters[name] = _read_value(text, defaults[name])
        except ValueError:
            kind_name = type(defaults[name]).__name__
            raise StrategyError(
                f"strategy {words}: {name} is {text!r}; a value of type {kind_name} is needed"
            ) from None
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
        if value != value or value in (float("inf"), float("-inf")):
            raise ValueError(text)
        return value
    return text


def _load_class(path: Path, name: str, words: str) -> type[Strategy]:
    module = _load_module(path, words)
    kind = getattr(module, name, None)
    classes = [
        key
        for key, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Strategy) and value.__module__ == module.__name__
    ]
    if not isinstance(kind, type) or not issubclass(kind, Strategy):
        near = difflib.get_close_matches(name, classes, n=1)
        hint = f"did you mean {near[0]}?" if near else f"its strategies are {', '.join(classes) or 'none'}"
        raise StrategyError(f"strategy {words}: {path.name} has no strategy {name!r}: {hint}")
    return kind


def _load_module(path: Path, words: str) -> ModuleType:
    name = f"dicecup_user_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}_{path.stem}"
    # A file's neighbours can be imported by it, as they can when Python runs the file.
    folder = str(path.parent)
    sys.path.insert(0, folder)
    try:
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise StrategyError(f"strategy {words}: {path} is no Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    except StrategyError:
        raise
    except Exception as error:
        sys.modules.pop(name, None)
        raise StrategyError(
            f"strategy {words}: {path.name} can't be loaded: {type(error).__name__}: {error}"
        ) from error
    finally:
        sys.path.remove(folder)
    return module


def _read_sources(path: Path, words: str) -> tuple[tuple[str, str], ...]:
    """Reads a user's file and the modules beside it that it imports, itself first."""
    texts: dict[str, str] = {}
    waiting = [path]
    while waiting:
        file = waiting.pop(0)
        if file.name in texts:
            continue
        try:
            text = file.read_text(encoding="utf-8")
            tree = ast.parse(text)
        except OSError as error:
            raise StrategyError(f"strategy {words}: {file} can't be read: {error.strerror}") from None
        except (SyntaxError, UnicodeDecodeError) as error:
            raise StrategyError(f"strategy {words}: {file} is not valid Python: {error}") from None
        texts[file.name] = text
        beside = [file.parent / f"{name.split('.')[0]}.py" for name in _imported(tree)]
        waiting += [neighbour for neighbour in beside if neighbour.is_file()]
    return tuple(texts.items())


def _shipped_sources(module: str) -> list[tuple[str, str]]:
    """Reads a shipped strategy and the modules of this package that it is built on."""
    texts: dict[str, str] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop(0)
        spec = importlib.util.find_spec(name)
        if name in texts or spec is None or spec.origin is None:
            continue
        texts[name] = Path(spec.origin).read_text(encoding="utf-8")
        waiting += [found for found in _imported(ast.parse(texts[name])) if found.startswith("strategies.")]
    return sorted(texts.items())


def _imported(tree: ast.Module) -> list[str]:
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.append(node.module)
    return names
