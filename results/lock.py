"""The courtesy lock of a run folder: one writer at a time, readers never ask.

Correctness does not rest on it: two writers of one run make the same bytes.
"""

import errno
import json
import os
import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from results.errors import RunLocked
from results.files import remove_temporary_files

LOCK_NAME = "lock"

UNREADABLE_SECONDS = 5.0
"""How long a lock that names no holder is respected: whoever makes one writes its text at once."""

_NO_LINKS = {errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}


@contextmanager
def lock_run(folder: Path) -> Iterator[Path]:
    """Hold a run folder for writing, and remove what killed writers left in it, before or meanwhile.

    A lock left by a process of this host that is gone is taken over. RunLocked says who holds it otherwise.
    """
    path = folder / LOCK_NAME
    own = json.dumps({"host": socket.gethostname(), "pid": os.getpid(), **_birth(os.getpid())}) + "\n"
    _acquire(path, own)
    try:
        remove_temporary_files(folder)
        yield path
        # A run goes on without a worker that is killed in the middle of a write.
        remove_temporary_files(folder)
    finally:
        with suppress(OSError):
            if path.read_text(encoding="utf-8") == own:
                path.unlink()


def _acquire(path: Path, own: str) -> None:
    for _ in range(10):
        try:
            _place(path, own)
        except FileExistsError:
            _clear_if_stale(path)
        except FileNotFoundError:
            # The writer that holds the run has removed our temporary file; it is there to be met above.
            path.parent.stat()
        else:
            return
    raise RunLocked(f"{path} changes hands all the time; wait until the other writers of this run are done.")


def _place(path: Path, own: str) -> None:
    """Make the lock with its text in it, so that none is ever seen without; FileExistsError if there is one."""
    temporary = _temporary(path)
    try:
        with temporary.open("x", encoding="utf-8") as file:
            file.write(own)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(temporary, path)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            with path.open("x", encoding="utf-8") as file:
                file.write(own)
    finally:
        with suppress(OSError):
            temporary.unlink()


def _temporary(path: Path) -> Path:
    return path.with_name(f".{LOCK_NAME}.{os.getpid()}-{secrets.token_hex(4)}.tmp")


def _clear_if_stale(path: Path) -> None:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
        age = time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return
    if not _is_stale(text, age):
        raise RunLocked(_refusal(path, text))
    aside = _temporary(path)
    with suppress(FileNotFoundError):
        path.rename(aside)
        if aside.read_text(encoding="utf-8", errors="replace") != text:
            # Someone else took the stale lock over between our look and our move: theirs goes back.
            with suppress(FileExistsError):
                os.link(aside, path)
        aside.unlink()


def _is_stale(text: str, age: float) -> bool:
    holder = _parse(text)
    if not _names_holder(holder):
        return age > UNREADABLE_SECONDS
    pid = holder.get("pid")
    if holder.get("host") != socket.gethostname() or not isinstance(pid, int) or pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    birth = _birth(pid)
    return "ticks" in birth and "ticks" in holder and birth["ticks"] != holder["ticks"]


def _refusal(path: Path, text: str) -> str:
    holder = _parse(text)
    who = (
        f"process {holder['pid']} on {holder['host']}, started {holder.get('started', 'at an unknown time')}"
        if _names_holder(holder)
        else "a writer that has not said who it is"
    )
    return (
        f"{path.parent} is being written by {who}. Wait until it is done or stop it; "
        f"if it is surely gone, delete {path} and try again."
    )


def _names_holder(holder: dict[str, object]) -> bool:
    return {"pid", "host"} <= holder.keys()


def _parse(text: str) -> dict[str, object]:
    try:
        holder = json.loads(text)
    except ValueError:
        return {}
    return holder if isinstance(holder, dict) else {}


def _birth(pid: int) -> dict[str, str]:
    """Return when a process started: for people, and exactly (clock ticks since boot) where /proc tells."""
    try:
        # The command's name may hold spaces and brackets; what follows its last bracket is regular.
        ticks = (
            Path(f"/proc/{pid}/stat")
            .read_text(encoding="utf-8", errors="replace")
            .rpartition(")")[2]
            .split()[19]
        )
        uptime = float(Path("/proc/uptime").read_text(encoding="utf-8").split()[0])
        moment = time.time() - uptime + int(ticks) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return {"started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())} if pid == os.getpid() else {}
    return {"started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment)), "ticks": ticks}
