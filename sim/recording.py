"""Notes which user's strategy is asked what in memory that outlives the process, so that a crash can be told.

A strategy may end its process without a word. Whoever keeps watch over the process holds the memory, and reads in
it what was asked last.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from mmap import mmap
from typing import Protocol

#: Bytes of the memory that are used: a code, then texts of a stated length each.
RECORD_BYTES = 2048
_SUBJECT = 8
_SHOWN = 1024
_LENGTH = 2

#: What is under way, as the high half of a code; the low half says more of it.
LOADING, BUILDING, KEEP, CHOOSE, PLAN, STEAL, FORFEIT, STAKE, STAKES = (kind << 16 for kind in range(1, 10))


@dataclass(frozen=True)
class Asked:
    """What was under way when a process ended: whose label, under which ruleset, the code, and what was shown."""

    label: str
    under: str
    code: int
    shown: str


class Codes(Protocol):
    """Where a code is written."""

    def __setitem__(self, place: int, code: int, /) -> None: ...


class Recording:
    """One process's notes: `codes[0]` is what is under way, 0 where no user's strategy is at work.

    A code is written for every decision, so that it is one number; a text is written for a whole turn. Where it
    `ends_process`, a decision that nothing else stops is ended with the process.
    """

    def __init__(self, memory: mmap | None = None, ends_process: bool = False) -> None:
        self._memory = memory
        self.codes: Codes = [0]
        self.ends_process = ends_process
        if memory is not None:
            self.codes = memoryview(memory)[:_SUBJECT].cast("Q")

    def show(self, text: str) -> None:
        """Notes what the strategy is shown with the questions that follow."""
        if self._memory is not None:
            _write(self._memory, _SHOWN, RECORD_BYTES, text)

    @contextmanager
    def of(self, label: str, under: str = "", code: int = 0) -> Iterator[None]:
        """Notes whose work is under way inside this block."""
        if self._memory is None:
            yield
            return
        _write(self._memory, _SUBJECT, _SHOWN, f"{under}\0{label}")
        _write(self._memory, _SHOWN, RECORD_BYTES, "")
        self.codes[0] = code
        try:
            yield
        finally:
            self.codes[0] = 0


def _write(memory: mmap, start: int, end: int, text: str) -> None:
    content = text.encode(errors="backslashreplace")[: end - start - _LENGTH]
    memory[start : start + _LENGTH + len(content)] = len(content).to_bytes(_LENGTH, "little") + content


def _read(memory: mmap, start: int) -> str:
    length = int.from_bytes(memory[start : start + _LENGTH], "little")
    return memory[start + _LENGTH : start + _LENGTH + length].decode(errors="replace")


def asked_last(memory: mmap) -> Asked | None:
    """Returns what is noted in some memory, or None where no user's strategy was at work."""
    code = int.from_bytes(memory[:_SUBJECT], "little")
    if not code:
        return None
    under, _, label = _read(memory, _SUBJECT).partition("\0")
    return Asked(label, under, code, _read(memory, _SHOWN))


#: What is noted where nobody keeps watch.
UNWATCHED = Recording()
_recording = UNWATCHED


def recording() -> Recording:
    """Returns the notes of this process, which go nowhere where nobody keeps watch."""
    return _recording


def record_in(memory: mmap) -> None:
    """Has the notes of this process written into some memory that others read, too; its end is told by them."""
    global _recording
    _recording = Recording(memory, ends_process=True)


def end_when_stuck() -> None:
    """Has this process ended where a decision can't be stopped otherwise; somebody else notices."""
    global _recording
    _recording = Recording(ends_process=True)
