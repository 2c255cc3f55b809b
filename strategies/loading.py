"""The limits under which a user's file is run and its strategies are made, as those of a decision."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sim.recording import recording
from strategies.memory_limit import memory_limited
from strategies.time_limit import TimeLimit, TimeLimitError

#: A file may take this many seconds to run, as may the making of a strategy; what it imports may be large.
LOADING_SECONDS = 30.0
#: What is found at work at so many looks in a row takes too long.
LOOKS = 2


def is_users(words: str) -> bool:
    """Tells whether words, or a label, name a strategy in a user's own file."""
    return words.partition(":")[0].endswith(".py")


@contextmanager
def load_limited(words: str, code: int) -> Iterator[None]:
    """Limits the time and memory of what a user's file does inside this block, and notes it for who keeps watch.

    `words` name the strategy, `code` is one of sim.recording. What is shipped has no limit. Raises
    TimeLimitError.
    """
    if not is_users(words):
        yield
        return
    limit = TimeLimit()
    with recording().of(words, code=code), memory_limited(), limit.running(LOADING_SECONDS / LOOKS):
        yield
        limit.check()


def load_fault(error: BaseException) -> str:
    """Says what is wrong where a file fails to run, or a strategy to be made."""
    if isinstance(error, TimeLimitError):
        return f"it takes longer than {LOADING_SECONDS:g} s; it may loop for ever"
    told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"it takes more memory than there is: {told}" if isinstance(error, MemoryError) else told
