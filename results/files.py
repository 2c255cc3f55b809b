"""The few operations on files that a run folder needs."""

import contextlib
import os
import re
import secrets
from pathlib import Path

_TEMPORARY = re.compile(r"\..+\.[0-9]+-[0-9a-f]{8}\.tmp")


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that it is there whole or not at all, even after a loss of power.

    The content goes to a temporary file beside its place, which is removed if anything fails.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
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


def make_folder(folder: Path) -> None:
    """Create a folder with its parents, each of them durable."""
    missing = [step for step in (folder, *folder.parents) if not step.exists()]
    for step in reversed(missing):
        step.mkdir(exist_ok=True)
        sync_folder(step.parent)


def is_temporary(path: Path) -> bool:
    """Return whether a file is what a killed write left behind."""
    return _TEMPORARY.fullmatch(path.name) is not None


def remove_temporary_files(folder: Path) -> list[Path]:
    """Remove what killed writes left anywhere under a folder, and return what was removed."""
    found = sorted(path for path in folder.rglob(".*.tmp") if is_temporary(path))
    for path in found:
        path.unlink(missing_ok=True)
    return found
