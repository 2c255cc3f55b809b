"""The time limit of single decisions: one that loops for ever is stopped, however many quick ones are asked."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from sim.recording import recording
from strategies.processor_limit import LAST_SECONDS, end_after, end_now

#: A decision that holds back what ends it so many times is ended with its process, where somebody keeps watch over it.
MOST_HELD_BACK = 3


class TimeLimitError(BaseException):
    """Ends a decision that takes too long; no `except Exception` of a strategy can hold it back."""


class TimeLimit:
    """Raises TimeLimitError from a decision that is still the one at hand at two looks in a row.

    `asked` counts the decisions, and is raised by whoever asks them.
    """

    def __init__(self) -> None:
        self.asked = 0
        self._asked_before = -1
        self._late = 0

    def check(self) -> None:
        """Ends a decision that held the exception back and then answered."""
        if self._late:
            raise TimeLimitError

    @contextmanager
    def running(self, seconds: float) -> Iterator[None]:
        """Looks at the decision at hand every so many seconds inside this block.

        The compiling of what a decision calls, at the first call on a machine, doesn't count. Works in the main
        thread of a process, where workers run their tasks; elsewhere there is no limit. A process that somebody keeps
        watch over is ended where the decision goes on all the same.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        watched = recording().ends_process

        def look(_signal: int, frame: FrameType | None) -> None:
            if watched:
                end_after(LAST_SECONDS)
            if _is_compiling(frame):
                self._asked_before = -1
                return
            if self.asked == self._asked_before:
                self._late += 1
                if watched and self._late > MOST_HELD_BACK:
                    end_now()
                raise TimeLimitError
            self._asked_before = self.asked

        self._asked_before = -1
        self._late = 0
        if watched:
            end_after(LAST_SECONDS)
        before = signal.signal(signal.SIGALRM, look)
        signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            if watched:
                end_after(0)
            signal.signal(signal.SIGALRM, before)


def _is_compiling(frame: FrameType | None) -> bool:
    """Tells whether numba is at work on what a decision calls."""
    while frame is not None:
        if str(frame.f_globals.get("__name__")).startswith(("numba.", "llvmlite.")):
            return True
        frame = frame.f_back
    return False
