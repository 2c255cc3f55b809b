"""What a command tells the keeper that it is a child of, in memory that both see; nothing where it has none."""

from __future__ import annotations

import faulthandler
import os
import signal
import time
from mmap import ACCESS_READ, mmap
from types import FrameType
from typing import TYPE_CHECKING

from sim.recording import RECORD_BYTES, Asked, asked_last, record_in

if TYPE_CHECKING:
    from pathlib import Path

#: Signals within so many seconds of the last are the same one, where the keeper has passed one on.
ECHO_SECONDS = 0.5

# Behind what strategies note: the exit code and one, the signals passed on, and the run's place with its length.
_CODE, _PASSED, _LENGTH, _RUN = (RECORD_BYTES + 4 * place for place in range(4))
_BYTES = 2 * RECORD_BYTES
_MOST_TRACE = 1 << 16


class Watch:
    """The memory that a command and its keeper share, and a file in memory for the trace of a crash."""

    def __init__(self) -> None:
        self.keeper = os.getpid()
        self._memory = mmap(-1, _BYTES)
        self._trace = os.memfd_create("trace")
        self._passed_seen = 0
        self._answered = -ECHO_SECONDS
        self._has_twin = False

    @property
    def code(self) -> int | None:
        """Returns the exit code that the command has come to, or None where it has come to no end."""
        held = self._number(_CODE)
        return held - 1 if held else None

    @code.setter
    def code(self, code: int) -> None:
        self._set_number(_CODE, code + 1)

    @property
    def run(self) -> str:
        """Returns the place of the run that is played, or nothing."""
        return self._memory[_RUN : _RUN + self._number(_LENGTH)].decode(errors="surrogateescape")

    @run.setter
    def run(self, place: str) -> None:
        content = place.encode(errors="surrogateescape")[: _BYTES - _RUN]
        self._memory[_RUN : _RUN + len(content)] = content
        self._set_number(_LENGTH, len(content))

    @property
    def asked(self) -> Asked | None:
        """Returns what a user's strategy was asked last, or None where none was at work."""
        return asked_last(self._memory)

    @property
    def trace(self) -> str:
        """Returns where the process was when it crashed, or nothing."""
        return os.pread(self._trace, _MOST_TRACE, 0).decode(errors="replace")

    def record(self) -> None:
        """Has this process note what it asks, and where it crashes."""
        record_in(self._memory)
        faulthandler.enable(self._trace, all_threads=False)

    def passed_on(self) -> None:
        """Counts a signal that the keeper passes on."""
        self._set_number(_PASSED, self._number(_PASSED) + 1)

    def is_echo(self) -> bool:
        """Tells whether a signal is one that has come already: to this process, and passed on by the keeper.

        Either may be the first, and the keeper may have counted it before this process hears of its own.
        """
        passed, now = self._number(_PASSED), time.monotonic()
        is_new = passed != self._passed_seen
        echo = now - self._answered < ECHO_SECONDS and (is_new or self._has_twin)
        self._passed_seen = passed
        self._has_twin = is_new and not echo
        if not echo:
            self._answered = now
        return echo

    def _number(self, place: int) -> int:
        return int.from_bytes(self._memory[place : place + 4], "little")

    def _set_number(self, place: int, number: int) -> None:
        self._memory[place : place + 4] = number.to_bytes(4, "little")


def record_beside(folder: Path) -> None:
    """Has this process note what it asks, and where it crashes, in files of a folder that its parent reads."""
    notes, trace = (folder / f"{os.getpid()}.{kind}" for kind in ("notes", "trace"))
    notes.write_bytes(bytes(RECORD_BYTES))
    with notes.open("r+b") as file:
        record_in(mmap(file.fileno(), RECORD_BYTES))
    faulthandler.enable(os.open(trace, os.O_WRONLY | os.O_CREAT), all_threads=False)


def recorded_beside(folder: Path, process: int) -> tuple[Asked | None, str]:
    """Returns what a process noted there that it asked last, and where it crashed."""
    notes, trace = (folder / f"{process}.{kind}" for kind in ("notes", "trace"))
    if not trace.exists():
        return None, ""
    with notes.open("rb") as file, mmap(file.fileno(), RECORD_BYTES, access=ACCESS_READ) as memory:
        return asked_last(memory), trace.read_text(errors="replace")


_watch: Watch | None = None


def be_kept(watch: Watch) -> None:
    """Has this process tell its keeper what it does from now on."""
    global _watch
    _watch = watch
    watch.record()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)


def note_run(place: str | os.PathLike[str]) -> None:
    """Tells the keeper which run is played."""
    if _watch:
        _watch.run = os.fspath(place)


def note_end(code: int) -> None:
    """Tells the keeper that the command has come to an end of its own."""
    if _watch:
        _watch.code = code


def is_echo() -> bool:
    """Tells whether a signal is one that has come already, before the keeper passed it on."""
    return _watch is not None and _watch.is_echo()


def is_left_alone() -> bool:
    """Tells whether the keeper has gone, so that nobody is there to see that what is under way is finished."""
    return _watch is not None and os.getppid() != _watch.keeper


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    if not is_echo():
        raise KeyboardInterrupt
