"""The place of a run: made where there is none, and cleared for a new run where nothing else would be lost."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from jobs.errors import JobError
from results.files import is_temporary, make_folder
from results.lock import LOCK_NAME
from results.store import MANIFEST_NAME
from results.until.stops import STOP_NAME

_RUN_FOLDERS = ("matches", "derived")
_PART_OF_RUN = re.compile(rf"part-\d+\.parquet(\.damaged(-\d+)?)?|{re.escape(STOP_NAME)}")


def make_place(folder: Path) -> None:
    """Makes the folder of a run, so that it can be locked."""
    if folder.exists() and not folder.is_dir():
        raise JobError(f"{folder} is a file; remove it, or choose another place with --root")
    make_folder(folder)


def clear_run(folder: Path) -> None:
    """Removes the run that a folder holds, whose lock is held; the manifest goes last.

    Raises JobError, with nothing removed, where the folder holds anything else.
    """
    refuse_other_content(folder)
    if not (folder / MANIFEST_NAME).exists():
        return
    for part in _RUN_FOLDERS:
        if (folder / part).exists():
            shutil.rmtree(folder / part)
    (folder / MANIFEST_NAME).unlink()


def refuse_other_content(folder: Path) -> None:
    """Raises JobError where the folder of a run holds what is no part of the run."""
    if not (folder / MANIFEST_NAME).exists():
        return
    others = [
        path
        for path in folder.iterdir()
        if path.name not in (*_RUN_FOLDERS, MANIFEST_NAME, LOCK_NAME) and not is_temporary(path)
    ]
    others += [
        path
        for path in (folder / "matches").rglob("*")
        if not path.is_dir() and not _PART_OF_RUN.fullmatch(path.name) and not is_temporary(path)
    ]
    if others:
        named = ", ".join(str(path.relative_to(folder)) for path in sorted(others)[:3])
        raise JobError(
            f"{folder} holds other things beside its run ({named}), so it is not replaced and nothing is lost; "
            "move them elsewhere, then give --force again"
        )
