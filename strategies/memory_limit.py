"""The limit on memory while a user's strategy is asked: it gets a MemoryError before the system ends the process."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

try:
    import resource
except ImportError:  # A system without limits.
    resource = None  # type: ignore[assignment]

#: The share of the memory that is available which this process and those that ask beside it may take.
SHARE = 0.9

_sharers = 1


def share_memory(processes: int) -> None:
    """Says that so many processes ask for decisions on this machine at a time."""
    global _sharers
    _sharers = max(1, processes)
    most_bytes.cache_clear()


@contextmanager
def memory_limited() -> Iterator[None]:
    """Limits the memory of this process inside this block to what it holds and its share of what is available.

    Memory that is shared with other processes doesn't count. Where the system can't tell or limit, nothing is.
    """
    most = most_bytes()
    if most is None:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    least = min(limit for limit in (most, soft, hard) if limit != resource.RLIM_INFINITY)
    resource.setrlimit(resource.RLIMIT_DATA, (least, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def lift_memory_limit() -> None:
    """Takes the limit back inside such a block, so that there is memory to tell in that there was none."""
    if most_bytes() is not None:
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))


@lru_cache(maxsize=1)
def most_bytes() -> int | None:
    """Returns the bytes that this process may hold, or None where the system doesn't tell; looks once.

    A later look would allow a strategy that grows slowly more each time.
    """
    if resource is None or not sys.platform.startswith("linux"):
        return None
    held, free = _status("/proc/self/status", "VmData"), available_bytes()
    if held is None or free is None:
        return None
    return held + int(SHARE * free / _sharers)


def available_bytes(proc: Path = Path("/proc"), groups: Path = Path("/sys/fs/cgroup")) -> int | None:
    """Returns the bytes that can still be had: of the machine, and of the control groups that this process is in."""
    found = [_status(proc / "meminfo", "MemAvailable")]
    with suppress(OSError, ValueError):
        for line in (proc / "self" / "cgroup").read_text().splitlines():
            _, kinds, path = line.split(":", 2)
            if kinds in ("", "memory"):
                found += _free_in_groups(groups / kinds, path, _FILES[kinds])
    known = [count for count in found if count is not None]
    return min(known) if known else None


#: Of both versions of control groups: the limit, what is used, and what of that are files that can be dropped.
_FILES = {
    "": ("memory.max", "memory.current", "inactive_file"),
    "memory": ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}


def _free_in_groups(root: Path, path: str, files: tuple[str, str, str]) -> list[int | None]:
    """Returns what is free in a group and those it lies in; in a container its own may stand at the root."""
    own = root / path.strip("/")
    places = [place for place in (own, *own.parents) if place.is_relative_to(root)]
    return [_free_in_group(place, *files) for place in places]


def _free_in_group(place: Path, limit: str, used: str, dropped: str) -> int | None:
    try:
        most, taken = (int((place / name).read_text()) for name in (limit, used))
        lines = (place / "memory.stat").read_text().splitlines()
        files = next((int(line.split()[1]) for line in lines if line.split()[0] == dropped), 0)
    except (OSError, ValueError):
        # No such group, or one without a limit.
        return None
    return max(0, most - taken + files)


def _status(path: str | Path, name: str) -> int | None:
    with suppress(OSError, ValueError, StopIteration):
        lines = Path(path).read_text().splitlines()
        return int(next(line for line in lines if line.startswith(f"{name}:")).split()[1]) * 1024
    return None
