"""How long a store that can't be reached is waited for: moments where a user looks on, minutes while a run plays."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from results.errors import StoreError, StoreUnreachable

#: Seconds that a store is waited for while a run is played; nothing is lost meanwhile.
PLAYING_SECONDS = 300.0
#: Seconds that it is waited for otherwise.
LOOKING_SECONDS = 5.0
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


_patience = _Patience()


@contextmanager
def patience(seconds: float, told: Callable[[str], None] | None = None) -> Iterator[None]:
    """Wait so long for a store within; `told` hears once of each time that it can't be reached."""
    before = _patience.seconds, _patience.told
    _patience.seconds, _patience.told = seconds, told
    try:
        yield
    finally:
        _patience.seconds, _patience.told = before


def set_patience(seconds: float) -> None:
    """Wait so long for a store from now on, until the end of what patience is asked for within, if anything is."""
    _patience.seconds = seconds


def patiently(place: str, operation: Callable[[], _T]) -> _T:
    """Return what an operation on a store returns, which is tried again while the store can't be reached.

    StoreError where the store refuses it, StoreUnreachable where patience is at its end.
    """
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
            left = began + _patience.seconds - time.monotonic()
            if left <= 0:
                raise StoreUnreachable(place, _reason(text)) from error
            if not told and _patience.told and pause >= 1:
                told = True
                _patience.told(
                    f"{place}: {_reason(text)}; trying again for up to {_patience.seconds:.0f} s, nothing is lost"
                )
        time.sleep(min(pause, max(left, 0.05)))
        pause = min(2 * pause, _LONGEST_PAUSE)


def _answer(error: OSError) -> str:
    """Return what a store answered, without the name of the object, which may hold any word."""
    said = str(error)
    return said[max(0, said.find("AWS Error ")) :]


def _refusal(place: str, kind: str) -> str:
    return (
        f"{place}: the store refuses ({kind}); look at the name of the bucket, "
        "AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and what they may do there."
    )


def _reason(text: str) -> str:
    kind = _kind(text)
    return f"the store can't be reached ({kind})" if kind else "the store can't be reached"


def _kind(text: str) -> str | None:
    """Return what happened, without what differs from try to try and what a store quotes of a request."""
    return next((found[1] for kind in _KINDS if (found := kind.match(text))), None)
