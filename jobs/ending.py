"""Tells of a process that ended without a word: who was asked what, how it ended, and what is stored."""

from __future__ import annotations

import signal
from contextlib import suppress
from pathlib import Path

from jobs.errors import FAILED, INCOMPLETE
from jobs.kept import Watch, recorded_beside
from sim.recording import BUILDING, LOADING, STAKE, STAKES, Asked
from strategies.processor_limit import LAST_SIGNAL


def ending_words(watch: Watch, code: int) -> tuple[str, int]:
    """Returns what to tell of a command that ended with a code, below 0 by a signal, and the exit code for it."""
    asked, run = watch.asked, watch.run
    stored = _stored(run) if run else "Nothing was stored"
    if asked is not None:
        return strategy_words(asked, code, watch.trace, stored), FAILED
    return f"the process that plays ended in the middle of it ({_ended(code)}). {stored}", INCOMPLETE


def strategy_ending(folder: Path, process: int, code: int | None, stored: str) -> str | None:
    """Returns what to tell of a process that noted in a folder what it asked, or None where no strategy was at work."""
    asked, trace = recorded_beside(folder, process)
    return strategy_words(asked, code, trace, stored) if asked is not None and code is not None else None


def strategy_words(asked: Asked, code: int, trace: str, stored: str) -> str:
    """Returns what to tell of a strategy that ended the process in which it was asked, with a code as above.

    `trace` is that of a crash or nothing, `stored` says what there is of the run.
    """
    under = f" under {asked.under}" if asked.under else ""
    how = _ended(code) + _line_of(trace, asked.label.partition(":")[0])
    if -code == LAST_SIGNAL:
        fault = "goes on for ever, and nothing but its end stops it"
    else:
        fault = f"ends its process ({how})"
    kind = "table" if asked.code >> 16 << 16 in (STAKE, STAKES) else "sheet"
    shown = f"\n  the {kind} shows {asked.shown}" if asked.shown else ""
    return f"strategy {asked.label}: {_question(asked)}{under} {fault}. {stored}{shown}"


def _question(asked: Asked) -> str:
    kind = asked.code >> 16 << 16
    words = {
        LOADING: "loading its file",
        BUILDING: "making it",
        STAKE: "stake(table)",
        STAKES: "plan(table)",
    }
    if kind in words:
        return words[kind]
    from strategies.asking import question_words

    return question_words(asked.code)


def _ended(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    if -code == signal.SIGKILL:
        return "SIGKILL, as where no memory is left"
    with suppress(ValueError):
        return signal.Signals(-code).name
    return f"signal {-code}"


def _line_of(trace: str, file: str) -> str:
    """Names the line of a strategy's file that a trace of a crash, the innermost first, tells of."""
    name = Path(file).name
    for line in trace.splitlines():
        place, _, number = line.strip().partition('", line ')
        if place.startswith('File "') and Path(place.removeprefix('File "')).name == name and number:
            return f", {name}, line {number.split()[0]}"
    return ""


def _stored(place: str) -> str:
    from jobs.stored import stored_words
    from results.location import read_location

    return stored_words(read_location(place))
