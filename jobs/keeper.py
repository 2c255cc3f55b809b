"""Keeps watch over a command that asks strategies: however it ends, that is told, and no process is left.

The command is played by a child. A strategy may end its process, and Ray ends a driver that has lost its head.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence

from jobs.errors import FAILED
from jobs.kept import Watch, be_kept
from jobs.kinship import adopt_orphans, can_adopt, end_children, end_with_parent

#: The commands that play or ask a user's strategy.
KEPT = ("run", "resume", "submit", "report", "replay", "advise", "balance", "exact", "tips", "strategies")
#: Seconds that what a command leaves behind has to end by itself, and then to be gone.
GRACE_SECONDS, MOST_SECONDS = 2.0, 8.0
#: Seconds that a command has to leave after it has come to an end.
LEAVING_SECONDS = 5.0
#: Seconds between looks at whether it has left.
LOOK_SECONDS = 1.0

#: Signals to the keeper that are meant for the command.
PASSED_ON = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name)
]

Say = Callable[[str], None]


def is_kept(given: Sequence[str]) -> bool:
    """Tells whether the words of a command line are a command that is played under watch."""
    command = next((word for word in given if not word.startswith("-")), None)
    plays = command in KEPT or (command == "jobs" and "repair" in given)
    return can_adopt() and plays and not {"-h", "--help"}.intersection(given)


def play_as_child(say: Say) -> None:
    """Returns in a child of this process, which plays the command; this process ends when that has ended.

    To be called before there are threads, and before anything large is imported.
    """
    if not adopt_orphans():
        return
    passed = {number for number in PASSED_ON if signal.getsignal(number) != signal.SIG_IGN}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {*passed, signal.SIGCHLD})
    watch = Watch()
    child = os.fork()
    if child == 0:
        end_with_parent(signal.SIGTERM, watch.keeper)
        be_kept(watch)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return
    code = FAILED
    try:
        code = _keep(child, watch, passed, say)
    except Exception:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _keep(child: int, watch: Watch, passed: set[signal.Signals], say: Say) -> int:
    """Waits for the command to end, and for what it leaves behind; tells what it didn't, and returns the exit code."""
    status = _wait(child, watch, passed)
    end_children(GRACE_SECONDS, MOST_SECONDS)
    code = os.waitstatus_to_exitcode(status)
    if watch.code is not None:
        # It has said how it ended; what happens after that costs nothing.
        return code if code >= 0 else watch.code
    if -code in passed:
        _end_alike(-code)
    from jobs.ending import ending_words

    words, code = ending_words(watch, code)
    say(words)
    return code


def _wait(child: int, watch: Watch, passed: set[signal.Signals]) -> int:
    """Waits for the command, passing signals on to it; returns its status."""
    leaving = 0.0
    while True:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == child:
            return status
        if pid:
            continue
        come = signal.sigtimedwait({*passed, signal.SIGCHLD}, LOOK_SECONDS)
        # The terminal sends its signals to the command, too; a stop and its end interrupt the wait with no signal.
        if come is not None and come.si_signo in passed and come.si_code <= 0:
            watch.passed_on()
            os.kill(child, come.si_signo)
        if watch.code is not None:
            leaving = leaving or time.monotonic()
            if time.monotonic() - leaving > LEAVING_SECONDS:
                os.kill(child, signal.SIGKILL)


def _end_alike(number: int) -> None:
    """Ends this process by the signal that ended the command."""
    sys.stderr.flush()
    signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    os.kill(os.getpid(), number)
