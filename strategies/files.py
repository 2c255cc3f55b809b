"""Strategies in a user's own files: reads them and the modules beside them, and loads their classes."""

from __future__ import annotations

import ast
import difflib
import hashlib
import importlib.util
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from types import ModuleType

from sim.recording import LOADING
from strategies.building import BASES
from strategies.loading import load_fault, load_limited
from strategies.strategy import GameStrategy, StrategyError

#: The packages of dicecup, which a file may import wherever it lies.
OURS = ("sim", "strategies", "jobs", "results")
#: The text of files by name, the strategy's own first.
Texts = tuple[tuple[str, str], ...]


def read_sources(path: Path, words: str) -> Texts:
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
        except (SyntaxError, ValueError) as error:
            raise StrategyError(f"strategy {words}: {file} is not valid Python: {error}") from None
        texts[file.name] = text
        waiting += _neighbours(file, tree, words)
    return tuple(texts.items())


def write_sources(files: Texts, home: Path) -> Path:
    """Writes a strategy's files into a folder, those that aren't there, and returns the path of its own."""
    home.mkdir(parents=True, exist_ok=True)
    for name, text in files:
        target = home / name
        if not target.is_file() or target.read_text(encoding="utf-8") != text:
            # Another process may write the same file at the same time.
            beside = target.with_name(f"{name}.{os.getpid()}")
            beside.write_text(text, encoding="utf-8")
            beside.replace(target)
    return (home / files[0][0]).resolve()


def read_shipped(modules: Sequence[str]) -> list[tuple[str, str]]:
    """Reads modules of this package and those of it that they are built on, by module name."""
    texts: dict[str, str] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop(0)
        spec = importlib.util.find_spec(name)
        if name in texts or spec is None or spec.origin is None:
            continue
        texts[name] = Path(spec.origin).read_text(encoding="utf-8")
        waiting += shipped_imports(texts[name])
    return sorted(texts.items())


@lru_cache(maxsize=1 << 8)
def shipped_imports(text: str) -> tuple[str, ...]:
    """Names the modules of this package that some code imports."""
    named = _imported(ast.parse(text))
    return tuple(name for name in named if name.startswith("strategies.") and _is_module(name))


def load_class(path: Path, files: Texts, name: str, words: str) -> type[GameStrategy]:
    """Loads a strategy's class from a file; `files` names the modules beside it that it imports."""
    module = _load_module(path, [Path(file).stem for file, _ in files[1:]], words)
    kind = getattr(module, name, None)
    if isinstance(kind, type) and issubclass(kind, BASES):
        return kind
    classes = _classes_of(module)
    if kind is not None and not classes:
        raise StrategyError(
            f"strategy {words}: {name} of {path.name} is no Strategy; write class {name}(Strategy), "
            f"or class {name}(Bettor) for Cee-lo"
        )
    near = difflib.get_close_matches(name, classes, n=1)
    hint = f"did you mean {near[0]}?" if near else f"its strategies are {', '.join(classes) or 'none'}"
    raise StrategyError(f"strategy {words}: {path.name} has no strategy {name!r}: {hint}")


def class_names(files: Texts) -> list[str]:
    """Names the classes of a file, the first of the texts, that look like strategies; none of it is run for that."""
    tree = ast.parse(files[0][1])
    ours = {"strategies", *(Path(file).stem for file, _ in files[1:])}
    bases = {base.__name__ for base in BASES}
    for node in tree.body:
        if isinstance(node, ast.Import):
            named = [alias for alias in node.names if alias.name.split(".")[0] in ours]
            bases |= {alias.asname or alias.name.split(".")[0] for alias in named}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ours:
            bases |= {alias.asname or alias.name for alias in node.names}
    found: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            roots = [ast.unparse(base).split(".")[0] for base in node.bases]
            if (bases | {*found}) & {*roots}:
                found.append(node.name)
    return found


def _classes_of(module: ModuleType) -> list[str]:
    return [
        key
        for key, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, BASES) and value.__module__ == module.__name__
    ]


def _load_module(path: Path, neighbours: Sequence[str], words: str) -> ModuleType:
    name = f"dicecup_user_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise StrategyError(f"strategy {words}: {path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up by name while it runs.
    sys.modules[name] = module
    try:
        with load_limited(words, LOADING), _beside(path.parent, neighbours):
            spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        del sys.modules[name]
        raise StrategyError(f"strategy {words}: {path.name} can't be loaded: {load_fault(error)}") from error
    return module


@contextmanager
def _beside(folder: Path, neighbours: Sequence[str]) -> Iterator[None]:
    """Lets a file import the modules beside it, as when Python runs it, and forgets them afterwards.

    Another file may have a different module of the same name beside it.
    """
    before = {name: sys.modules.pop(name) for name in neighbours if name in sys.modules}
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    # Compiled code in a user's folder may be older than a text that is changed within the second.
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = writes
        sys.path.remove(str(folder))
        for name in neighbours:
            sys.modules.pop(name, None)
        sys.modules.update(before)


def _neighbours(file: Path, tree: ast.Module, words: str) -> list[Path]:
    found = []
    for name in dict.fromkeys(name.split(".")[0] for name in _imported(tree)):
        if name in sys.stdlib_module_names:
            continue
        if (file.parent / f"{name}.py").is_file():
            found.append(file.parent / f"{name}.py")
        elif name not in OURS and any((file.parent / name).glob("*.py")):
            raise StrategyError(
                f"strategy {words}: {file.name} imports the folder {name}; "
                f"only single files beside it are taken along, so put what is needed into {name}.py"
            )
    return found


def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def _imported(tree: ast.Module) -> list[str]:
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.append(node.module)
            if node.module == "strategies":
                names += [f"strategies.{alias.name}" for alias in node.names]
    return names
