"""How far a run is, on stderr: a bar on a terminal, else a plain line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, Self

from results.printing import print_lines, set_in

PLAIN_SECONDS = 10.0

_hearing: list[Callable[[str], None]] = []


class Progress:
    """Shows games played of all games; nothing where it is quiet.

    `done` games of `games` are there already. Nor do those of the first chunk count towards the speed, before which
    kernels may be compiled.
    """

    def __init__(self, games: int, done: int, quiet: bool) -> None:
        self._games = games
        self._before = self._done = done
        self._told = time.monotonic()
        self._began: float | None = None
        self._quiet = quiet
        self._bar: Any = None
        self._task: Any = None
        if not quiet and sys.stderr.isatty():
            self._draw_bar()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def advance(self, games: int) -> None:
        """Counts games whose part is committed."""
        self._done += games
        now = time.monotonic()
        if self._began is None:
            self._began, self._before = now, self._done
        speed = self._speed(now)
        if self._bar is not None:
            self._bar.update(self._task, completed=self._done, speed=f"{speed:,.0f} games/s" if speed else "")
        elif not self._quiet and now - self._told >= PLAIN_SECONDS:
            self._told = now
            left = (
                f", {speed:,.0f} games/s, about {duration_text((self._games - self._done) / speed)} left"
                if speed
                else ""
            )
            note(f"{self._done:,} of {self._games:,} games{left}")

    def _speed(self, now: float) -> float:
        """Returns games a second since the first chunk, or 0 until it can be told."""
        elapsed = now - self._began if self._began is not None else 0.0
        return (self._done - self._before) / elapsed if elapsed >= PLAIN_SECONDS else 0.0

    def _draw_bar(self) -> None:
        from rich import progress
        from rich.console import Console

        self._bar = progress.Progress(
            progress.TextColumn("games"),
            progress.BarColumn(),
            progress.TaskProgressColumn(),
            progress.TextColumn("{task.fields[speed]}"),
            progress.TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task("games", total=self._games, completed=self._before, speed="")
        self._bar.start()


class Filling:
    """Tells how far the tables of strategies are filled, in plain lines on stderr, unless it is quiet."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._told = 0.0

    def __call__(self, label: str, done: int, contexts: int) -> None:
        """Hears how many contexts of a strategy are asked for."""
        now = time.monotonic()
        if not self._quiet and (done == 0 or now - self._told >= PLAIN_SECONDS / 2):
            self._told = now
            note(f"asking {label} for all its decisions: {done:,} of {contexts:,} situations")


def note(text: str) -> None:
    """Prints a line for the user beside the answer, on stderr; what follows it in lines of its own is set in."""
    # A remark that nobody can read any more is no reason to end.
    with suppress(OSError, ValueError):
        print_lines(set_in(text), aside=True)
    for hear in _hearing:
        for line in text.split("\n"):
            hear(line)


@contextmanager
def notes_heard(hear: Callable[[str], None]) -> Iterator[None]:
    """Lets another hear what is noted within, too."""
    _hearing.append(hear)
    try:
        yield
    finally:
        _hearing.remove(hear)


def duration_text(seconds: float) -> str:
    """Returns a duration for people: `3 s`, `4 min 10 s`, `2 h 5 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
