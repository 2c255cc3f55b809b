"""The sessions of a run: each time that it is played, who does so, where, what is said, and how it ends.

<run>/derived/sessions/<started>-<random>.json

They are outside the bytes that a job determines, and no run ends because one can't be written.
"""

from __future__ import annotations

import os
import secrets
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import metadata
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from jobs.errors import RunIncomplete, RunInterrupted
from jobs.progress import notes_heard
from results.errors import RunError, StoreError
from results.files import make_folder, read_together, write_atomically
from results.location import Location
from results.lock import Lock
from results.patience import LOOKING_SECONDS, set_patience

if TYPE_CHECKING:
    from jobs.stopping import StopSign

SESSIONS = "derived/sessions"
#: Lines of a session that are kept, the last ones, and characters of each.
MOST_LINES, MOST_SIGNS = 200, 2000
#: Games of a session that are believed; what is written down may come from anybody.
MOST_PLAYED = 10**15
#: Seconds between writes of a session while its run is played.
WRITE_SECONDS = 15.0

#: What Ray calls the id of a submission, in the environment of its driver.
_SUBMISSION = "DICECUP_SUBMISSION"

_Text = Annotated[str, Field(max_length=MOST_SIGNS)]


class Session(BaseModel):
    """What is written down of a session; times are ISO 8601 in UTC, `outcome` is empty until it ends."""

    model_config = ConfigDict(extra="ignore")

    user: _Text = ""
    host: _Text = ""
    pid: int = Field(default=0, ge=0)
    dicecup: _Text = ""
    plays: _Text = ""
    submission: _Text = ""
    started: _Text = ""
    ended: _Text = ""
    outcome: _Text = ""
    played: int = Field(default=0, ge=0, le=MOST_PLAYED)
    seconds: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    lines: tuple[_Text, ...] = Field(default=(), max_length=MOST_LINES)

    @property
    def owner(self) -> str:
        """Returns who played, as ada@host."""
        return f"{self.user}@{self.host}" if self.user else self.host

    @property
    def speed(self) -> float:
        """Returns the games played a second."""
        return speed_of(self.played, self.seconds)


class Recorder:
    """Writes a session down while it goes on."""

    def __init__(self, folder: Location, lock: Lock, plays: str) -> None:
        said = lock.says
        moment = time.time_ns() // 1000
        started = time.gmtime(moment // 1_000_000)
        name = (
            f"{time.strftime('%Y%m%dT%H%M%S', started)}.{moment % 1_000_000:06d}Z-{secrets.token_hex(4)}.json"
        )
        self._path = folder / SESSIONS / name
        self._lock = lock
        self._lines: deque[str] = deque(maxlen=MOST_LINES)
        self._began = self._written = time.monotonic()
        self._session = Session(
            user=said.get("user", ""),
            host=said["host"],
            pid=said["pid"],
            dicecup=metadata.version("dicecup"),
            plays=plays,
            submission=os.environ.get(_SUBMISSION, "")[:MOST_SIGNS],
            started=utc_text(started),
        )
        self._write()

    def hear(self, line: str) -> None:
        """Keeps a line that was said."""
        self._lines.append(f"{utc_text(time.gmtime())} {line}"[:MOST_SIGNS])

    def advance(self, games: int) -> None:
        """Counts games whose part is committed, and lets the lock tell of them."""
        now = time.monotonic()
        self._session.played += games
        self._session.seconds = round(now - self._began, 1)
        self._lock.tell(played=self._session.played, seconds=self._session.seconds)
        if now - self._written >= WRITE_SECONDS:
            self._write()

    def end(self, outcome: str) -> None:
        """Writes down how it ended."""
        # No game hangs on the store any more: one that was waited for in vain is not waited for again.
        set_patience(LOOKING_SECONDS)
        self._session.seconds = round(time.monotonic() - self._began, 1)
        self._session.ended = utc_text(time.gmtime())
        self._session.outcome = outcome[:MOST_SIGNS]
        self._write()

    def _write(self) -> None:
        self._written = time.monotonic()
        self._session.lines = tuple(self._lines)
        with suppress(OSError, StoreError):
            make_folder(self._path.parent)
            write_atomically(self._path, self._session.model_dump_json(indent=1).encode() + b"\n")


@contextmanager
def recorded(folder: Location, lock: Lock, plays: str, stop: StopSign) -> Iterator[Recorder]:
    """Writes down a session of a run whose lock is held, with what is noted within, and how it ends."""
    recorder = Recorder(folder, lock, plays)
    with notes_heard(recorder.hear):
        try:
            yield recorder
        except (RunInterrupted, KeyboardInterrupt):
            recorder.end(f"cancelled by {stop.asker}" if stop.asker else "interrupted")
            raise
        except RunIncomplete as error:
            recorder.end(f"incomplete: {error}")
            raise
        except BaseException as error:
            recorder.end(f"failed: {error}")
            raise
        recorder.end("complete")


def load_sessions(folder: Location) -> list[Session]:
    """Returns the sessions of a run, the oldest first; what is no session is left out."""
    place = folder / SESSIONS
    if not place.is_dir():
        return []
    paths = sorted(path for path in place.iterdir() if path.name.endswith(".json"))
    found = read_together(folder, _load, paths)
    return [session for session in found if session is not None]


def speed_of(played: float, seconds: float) -> float:
    """Returns the games played a second, 0 where that can't be told."""
    return played / seconds if seconds >= 0.001 else 0.0


def utc_text(moment: time.struct_time) -> str:
    """Returns a moment in UTC as ISO 8601."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", moment)


def _load(path: Location) -> Session | None:
    try:
        return Session.model_validate_json(path.read_bytes())
    except (ValidationError, OSError, RunError):
        return None
