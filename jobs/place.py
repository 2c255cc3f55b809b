"""The place of a run: made where there is none, and cleared for a new run where nothing else would be lost."""

from __future__ import annotations

import re

from jobs.errors import JobError
from results.files import files_below, is_temporary, make_folder, remove_folder
from results.location import Location, require_bucket
from results.lock import is_of_lock
from results.store import DERIVED, MANIFEST_NAME, MATCHES
from results.until.stops import STOP_NAME

_RUN_FOLDERS = (MATCHES, DERIVED)
_PART_OF_RUN = re.compile(rf"part-\d+\.parquet(\.damaged(-\d+)?)?|{re.escape(STOP_NAME)}")


def make_place(folder: Location) -> None:
    """Makes the folder of a run, so that it can be locked."""
    if folder.exists() and not folder.is_dir():
        raise JobError(f"{folder} is a file; remove it, or choose another place with --root")
    require_bucket(folder)
    make_folder(folder)


def clear_run(folder: Location) -> None:
    """Removes the run that a folder holds, whose lock is held; the manifest goes last.

    Raises JobError, with nothing removed, where the folder holds anything else.
    """
    refuse_other_content(folder)
    for part in _RUN_FOLDERS:
        if (folder / part).exists():
            remove_folder(folder / part)
    (folder / MANIFEST_NAME).unlink(missing_ok=True)


def refuse_other_content(folder: Location) -> None:
    """Raises JobError where the folder of a run holds what is no part of the run."""
    if not folder.is_dir():
        return
    others = [
        path
        for path in folder.iterdir()
        if path.name not in (*_RUN_FOLDERS, MANIFEST_NAME)
        and not is_of_lock(path.name)
        and not is_temporary(path)
    ]
    others += [
        path
        for path in files_below(folder / MATCHES)
        if not _PART_OF_RUN.fullmatch(path.name) and not is_temporary(path)
    ]
    if others:
        named = ", ".join(str(path).removeprefix(f"{folder}/") for path in sorted(others)[:3])
        raise JobError(
            f"{folder} holds other things beside its run ({named}), so it is not replaced and nothing is lost; "
            "move them elsewhere, then give --force again"
        )
