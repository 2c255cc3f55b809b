"""What the kernel does for parents and children: orphans are adopted, and who loses its parent is told."""

from __future__ import annotations

import os
import signal
import sys
import time

# From the kernel's header prctl.h.
_SET_PARENT_DEATH_SIGNAL = 1
_SET_CHILD_SUBREAPER = 36

#: Seconds between looks at whether processes are gone.
LOOK_SECONDS = 0.02


def can_adopt() -> bool:
    """Tells whether this system lets a process adopt the orphans among its descendants."""
    return sys.platform.startswith("linux") and hasattr(os, "fork")


def adopt_orphans() -> bool:
    """Makes this process the parent of its descendants whose own parent ends; tells whether that can be had."""
    return can_adopt() and _prctl(_SET_CHILD_SUBREAPER, 1)


def end_with_parent(number: int, parent: int) -> None:
    """Has a signal sent to this process when its parent, which has this id, ends; at once where it has."""
    if can_adopt() and _prctl(_SET_PARENT_DEATH_SIGNAL, number) and os.getppid() != parent:
        os.kill(os.getpid(), number)


def end_children(grace: float, most: float) -> None:
    """Waits for the children of this process to end, kills them after a grace of seconds, and so their orphans.

    Returns when there are none, or after the most seconds.
    """
    begun = time.monotonic()
    while reap_children() and (waited := time.monotonic() - begun) < most:
        if waited >= grace:
            for child in children():
                os.kill(child, signal.SIGKILL)
        time.sleep(LOOK_SECONDS)


def reap_children() -> bool:
    """Takes note of children that have ended; tells whether others are there."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def children() -> list[int]:
    """Returns the ids of this process's children."""
    from pathlib import Path

    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                stat = (folder / "stat").read_text(errors="replace")
            except OSError:
                continue
            # The name of the program, in brackets, may hold anything.
            if int(stat.rpartition(")")[2].split()[1]) == os.getpid():
                found.append(int(folder.name))
    return found


def _prctl(option: int, value: int) -> bool:
    import ctypes

    call = getattr(ctypes.CDLL(None), "prctl", None)
    return call is not None and call(option, value, 0, 0, 0) == 0
