"""The last resort against a decision that nothing stops: the kernel ends the process that asks.

A loop in compiled code runs no handler of a signal, and one in Python may hold every exception back. A timer on the
processor time of the asking thread, which a process that is stopped or waits does not use up, sends a signal that
nobody handles.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

#: Seconds of processor time that a decision may take when nothing else stops it.
LAST_SECONDS = 60.0
#: Ends a process that no exception stops.
LAST_SIGNAL = signal.SIGVTALRM if hasattr(signal, "SIGVTALRM") else signal.SIGTERM

# From the kernel's headers, time.h and siginfo.h.
_CLOCK_THREAD_CPUTIME_ID = 3
_EVENT_BYTES = 64

SetSeconds = Callable[[float], None]
#: The timer of each thread.
_own = threading.local()


def end_after(seconds: float) -> None:
    """Has this process ended once this thread has used so many more seconds of a processor; 0 takes it back.

    Does nothing where the system has no such timer.
    """
    # A thread that begins may get the number of one that has ended, and its timer with it, were they kept by number.
    if not hasattr(_own, "set_seconds"):
        _own.set_seconds = _new_timer()
    _own.set_seconds(seconds)


def end_now() -> None:
    """Ends this process as the timer does."""
    signal.signal(LAST_SIGNAL, signal.SIG_DFL)
    signal.raise_signal(LAST_SIGNAL)


def _new_timer() -> SetSeconds:
    """Makes a timer of the thread that calls."""
    if not sys.platform.startswith("linux"):
        return _unlimited
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    create, settime = (getattr(library, name, None) for name in ("timer_create", "timer_settime"))
    timer = ctypes.c_void_p()
    # A value of 8 bytes, the signal, and how it is sent: 0 stands for a signal to the process.
    event = (ctypes.c_int * (_EVENT_BYTES // 4))(0, 0, LAST_SIGNAL, 0)
    if not create or not settime or create(_CLOCK_THREAD_CPUTIME_ID, event, ctypes.byref(timer)):
        return _unlimited
    times: Any = ctypes.c_long * 4

    def set_seconds(seconds: float) -> None:
        whole, part = divmod(seconds, 1)
        settime(timer, 0, times(0, 0, int(whole), int(part * 1e9)), None)

    return set_seconds


def _unlimited(_seconds: float) -> None:
    return
