"""How long a store that can't be reached is waited for: moments where a user looks on, minutes while a run plays."""

import math
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from results.endpoint import endpoint_words
from results.errors import StoreError, StoreUnreachable

#: Seconds that a store is waited for while a run is played; nothing is lost meanwhile.
PLAYING_SECONDS = 300.0
#: Seconds that it is waited for otherwise.
LOOKING_SECONDS = 5.0
#: Seconds after which what a store is asked for counts as held up, and where the user wants to stop at once.
HELD_UP_SECONDS, HURRIED_SECONDS = 10.0, 2.0
#: Seconds between tries at first, and at most.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.25, 10.0

#: What a store answers where asking again won't help, by the names of its errors or the statuses of those without one.
_REFUSALS = re.compile(
    r"ACCESS_DENIED|INVALID_ACCESS_KEY_ID|SIGNATURE_DOES_NOT_MATCH|NO_SUCH_BUCKET|INVALID_CLIENT_TOKEN_ID|"
    r"MISSING_AUTHENTICATION_TOKEN|UNRECOGNIZED_CLIENT|INVALID_SIGNATURE|VALIDATION|REQUEST_EXPIRED|"
    r"REQUEST_TIME_TOO_SKEWED|EXPIRED_TOKEN|ExpiredToken|NoSuchBucket|AccessDenied|InvalidBucketName|"
    r"HTTP status (?:30[17]|40[13])|HTTP status 400(?=\) during Head)"
)
#: The name of an error in what a store answers, the best first.
_KINDS = (
    re.compile(r"AWS Error .*ExceptionName: (\w+)"),
    re.compile(r"AWS Error UNKNOWN \((HTTP status \d+)\)"),
    re.compile(r"AWS Error (\w+|\[code \d+\])"),
)

_T = TypeVar("_T")


@dataclass
class _Patience:
    seconds: float = LOOKING_SECONDS
    told: Callable[[str], None] | None = None
    over: threading.Event = field(default_factory=threading.Event)


_usual = _patience = _Patience()
#: When each thing that the store is asked for now was begun, before all time where it has failed once.
_asked: dict[object, float] = {}


@contextmanager
def patience(seconds: float, told: Callable[[str], None] | None = None) -> Iterator[None]:
    """Wait so long for a store within; `told` hears once of each time that it can't be reached."""
    global _patience
    before = _patience
    # Who has given up within another's patience has given up there, too, and no longer.
    _patience = _Patience(seconds, told, threading.Event() if before is _usual else before.over)
    try:
        yield
    finally:
        _patience = before


def set_patience(seconds: float) -> None:
    """Wait so long for a store from now on, until the end of what patience is asked for within, if anything is."""
    _patience.seconds = seconds


def store_is_away(held_up: float = HELD_UP_SECONDS) -> bool:
    """Return whether anything is waited for that the store did not do, or has been at for so many seconds."""
    now = time.monotonic()
    return any(now - began >= held_up for began in list(_asked.values()))


def give_up_where_away() -> None:
    """Wait no longer for a store that is away, in any thread, until the end of what patience is asked for within.

    What it is asked for ends in StoreUnreachable.
    """
    if store_is_away(HURRIED_SECONDS) and _patience is not _usual:
        _patience.over.set()


def has_given_up() -> bool:
    """Return whether the store is waited for no longer."""
    return _patience.over.is_set()


def patiently(place: str, operation: Callable[[], _T]) -> _T:
    """Return what an operation on a store returns, which is tried again while the store can't be reached.

    StoreError where the store refuses it, StoreUnreachable where patience is at its end.
    """
    if has_given_up():
        raise StoreUnreachable(place, _reason(""))
    asked = object()
    _asked[asked] = time.monotonic()
    try:
        return _tried(place, operation, asked)
    finally:
        del _asked[asked]


def _tried(place: str, operation: Callable[[], _T], asked: object) -> _T:
    mine = _patience
    began, pause, told = time.monotonic(), _FIRST_PAUSE, False
    while True:
        try:
            return operation()
        except FileNotFoundError:
            raise
        except OSError as error:
            text = _answer(error)
            if refusal := _REFUSALS.search(text):
                raise StoreError(_refusal(place, _kind(text) or refusal[0])) from error
            _asked[asked] = -math.inf
            waited = time.monotonic() - began
            left = mine.seconds - waited
            if left <= 0 or mine.over.is_set():
                raise StoreUnreachable(place, _reason(text)) from error
            if not told and mine.told and (pause >= 1 or waited >= 1):
                told = True
                mine.told(
                    f"{place}: {_reason(text)}; trying again for up to {mine.seconds:.0f} s, nothing is lost"
                )
        mine.over.wait(min(pause, max(left, 0.05)))
        pause = min(2 * pause, _LONGEST_PAUSE)


def _answer(error: OSError) -> str:
    """Return what a store answered, without the name of the object, which may hold any word."""
    said = str(error)
    return said[max(0, said.find("AWS Error ")) :]


def _refusal(place: str, kind: str) -> str:
    return (
        f"{place}: {endpoint_words()} refuses ({kind}); look at the name of the bucket, "
        "AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and what they may do there."
    )


def _reason(text: str) -> str:
    kind = _kind(text)
    why = f" ({kind})" if kind and kind != "NETWORK_CONNECTION" else ""
    return f"{endpoint_words()} can't be reached{why}"


def _kind(text: str) -> str | None:
    """Return what happened, without what differs from try to try and what a store quotes of a request."""
    return next((found[1] for kind in _KINDS if (found := kind.match(text))), None)
