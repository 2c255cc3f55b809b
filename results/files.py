"""The few operations on files that a run needs, in a folder or in an object store."""

import contextlib
import os
import re
import secrets
import shutil
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from results.location import Location, ObjectPath
from results.patience import give_up_where_away, has_given_up

_TEMPORARY = re.compile(r"\..+\.[0-9]+-[0-9a-f]{8}\.tmp")

#: How often a file is written whose temporary file another writer removes.
_TRIES = 5

#: Files that are read at a time: of a disk as CPUs can check, of a store as it is far away.
_READERS, _STORE_READERS = 4, 32
_AHEAD = 256

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def write_atomically(path: Location, content: bytes) -> None:
    """Write a file so that it is there whole or not at all, even after a loss of power.

    The content goes to a temporary file beside its place, which is removed if anything fails; a store does that itself.
    """
    if isinstance(path, ObjectPath):
        path.write_bytes(content)
        return
    tries = _TRIES
    while True:
        tries -= 1
        temporary = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")
        try:
            with temporary.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
            break
        except FileNotFoundError:
            # Who comes to hold the run takes it for what a killed writer left, where this one has lost its lock.
            if not tries or not path.parent.is_dir():
                raise
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_folder(folder: Location) -> None:
    """Create a folder with its parents, each of them durable; in a store there is nothing to create."""
    if isinstance(folder, ObjectPath):
        return
    missing = [step for step in (folder, *folder.parents) if not step.exists()]
    for step in reversed(missing):
        step.mkdir(exist_ok=True)
        sync_folder(step.parent)


def move_aside(path: Location, target: Location) -> None:
    """Give a file another name in its folder, durably."""
    if isinstance(path, ObjectPath) and isinstance(target, ObjectPath):
        path.rename(target)
    elif isinstance(path, Path) and isinstance(target, Path):
        path.rename(target)
        sync_folder(path.parent)


def files_below(folder: Location) -> Iterator[Location]:
    """Yield all files anywhere below a folder, none where it is not there."""
    if isinstance(folder, ObjectPath):
        yield from folder.rglob_files()
    else:
        yield from (path for path in folder.rglob("*") if not path.is_dir())


def sizes_below(folder: Location) -> dict[Path, int]:
    """Return the bytes of all files anywhere below a folder, by their paths from there; none where it is not there."""
    if isinstance(folder, ObjectPath):
        return {path.relative_to(folder): size for path, size in folder.sizes_below().items()}
    sizes = {}
    for path in (path for path in folder.rglob("*") if not path.is_dir()):
        # A file may go while others are looked at.
        with contextlib.suppress(FileNotFoundError):
            sizes[path.relative_to(folder)] = path.stat().st_size
    return sizes


def names_in(folder: Location) -> set[str]:
    """Return the names in a folder; in a store those that lead to an object, as an empty folder may be kept there."""
    if isinstance(folder, Path):
        return {path.name for path in folder.iterdir()}
    return {path.relative_to(folder).parts[0] for path in folder.rglob_files()}


def remove_folder(folder: Location) -> None:
    """Remove a folder with all that is in it."""
    if isinstance(folder, Path):
        shutil.rmtree(folder)
    else:
        folder.remove_tree()


def is_temporary(path: Location) -> bool:
    """Return whether a file is what a killed write left behind."""
    return _TEMPORARY.fullmatch(path.name) is not None


def remove_temporary_files(folder: Location) -> list[Path]:
    """Remove what killed writes left anywhere under a folder, and return what was removed; stores keep none."""
    if isinstance(folder, ObjectPath):
        return []
    found = sorted(path for path in folder.rglob(".*.tmp") if is_temporary(path))
    for path in found:
        path.unlink(missing_ok=True)
    return found


def read_together(
    folder: Location, read: Callable[[_Item], _Result], items: Iterable[_Item], ahead: int = _AHEAD
) -> Iterator[_Result]:
    """Yield what reading each item of a folder gives, in their order, several of them read at a time.

    No more than `ahead` are held beside the one that is given out.
    """
    readers = _STORE_READERS if isinstance(folder, ObjectPath) else _READERS
    pool = ThreadPoolExecutor(min(readers, ahead))
    begun: deque[Future[_Result]] = deque()
    try:
        for item in items:
            begun.append(pool.submit(read, item))
            if len(begun) > ahead:
                yield begun.popleft().result()
        while begun:
            yield begun.popleft().result()
    except KeyboardInterrupt:
        give_up_where_away()
        raise
    finally:
        pool.shutdown(wait=not has_given_up(), cancel_futures=True)
