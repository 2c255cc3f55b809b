"""The courtesy lock of a run: one writer at a time, readers never ask.

Each writer has a lock of its own name, lock-<random>, in the run's folder, so that folders and object stores are
treated alike: who finds no other lock both before and after writing its own holds the run, and of two who come at once
both give way and try again. The lock says who holds the run, and beats while its holder lives, so that a holder
elsewhere that has gone is told from one that plays without comparing the clocks of two machines.

Correctness does not rest on it: two writers of one run make the same bytes.
"""

import getpass
import json
import os
import random
import secrets
import shlex
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from results.errors import RunLocked, StoreError
from results.files import remove_temporary_files, write_atomically
from results.location import Location, ObjectPath, modified
from results.patience import has_given_up

LOCK_PREFIX = "lock-"
#: What asks the holder of a run to stop, beside its lock.
STOP_REQUEST = "stop-request"

#: Seconds from beat to beat of a lock, and between looks at whether the holder is asked to stop.
BEAT_SECONDS = 5.0
LOOK_SECONDS = 0.5
#: How long the lock of a process elsewhere is watched for a beat before its holder counts as gone.
SILENT_SECONDS = 6 * BEAT_SECONDS

_TRIES = 8

#: The names of the locks that this process holds.
_held: set[str] = set()


class Lock:
    """A lock that is held: where it is, what it says, and whether its holder was asked to stop."""

    def __init__(self, path: Location) -> None:
        self.path = path
        self._says: dict[str, Any] = _identity()
        self._beats = 0
        self._over = threading.Event()
        _held.add(path.name)
        self._beating = threading.Lock()

    @property
    def says(self) -> Mapping[str, Any]:
        """Who holds the run, and what else the lock says."""
        return self._says

    def tell(self, **facts: Any) -> None:
        """Let the lock say this, too, from the next beat on: numbers and texts, such as games=1000."""
        self._says = self._says | facts

    def write(self) -> None:
        """Write the lock with one beat more."""
        with self._beating:
            if not self._over.is_set():
                self._beats += 1
                write_atomically(self.path, (json.dumps({**self._says, "beat": self._beats}) + "\n").encode())

    def release(self) -> None:
        """Remove the lock, and let its beat end."""
        self._over.set()
        _held.discard(self.path.name)
        # A beat may be waiting for a store that is away; a lock that it leaves falls silent.
        with suppress(OSError, StoreError):
            if self._beating.acquire(timeout=0 if has_given_up() else 2 * BEAT_SECONDS):
                self._beating.release()
            self.path.unlink(missing_ok=True)

    def beat(self, asked_to_stop: Callable[[str], None] | None) -> None:
        """Beat until released; `asked_to_stop` hears, once for each request, who wants the run to stop."""
        request = self.path.with_name(STOP_REQUEST)
        pause = BEAT_SECONDS if isinstance(self.path, ObjectPath) else LOOK_SECONDS
        beaten = time.monotonic()
        while not self._over.wait(pause):
            with suppress(OSError, StoreError):
                if time.monotonic() - beaten >= BEAT_SECONDS:
                    self.write()
                    beaten = time.monotonic()
                if asked_to_stop and request.exists():
                    asker = request.read_text(errors="replace").strip()
                    request.unlink(missing_ok=True)
                    asked_to_stop(asker)


@contextmanager
def lock_run(
    folder: Location,
    asked_to_stop: Callable[[str], None] | None = None,
    waiting: Callable[[str], None] | None = None,
) -> Iterator[Lock]:
    """Hold a run for writing, and remove what killed writers left in it, before or meanwhile.

    A lock of a process that is gone is removed: at once where it ran on this host, else after SILENT_SECONDS without
    a beat, of which `waiting` hears. RunLocked says who holds the run otherwise. `asked_to_stop` hears who asks this
    writer to stop, from a thread of the lock's own.
    """
    lock = _acquired(folder, waiting)
    beating = threading.Thread(target=lock.beat, args=(asked_to_stop,), daemon=True)
    try:
        beating.start()
        remove_temporary_files(folder)
        yield lock
        # A run goes on without a worker that is killed in the middle of a write.
        remove_temporary_files(folder)
    finally:
        lock.release()


def players(folder: Location) -> list[dict[str, Any]]:
    """Return the holders of a run that have beaten within the last minute, as far as the clocks of machines agree."""
    return [said for said in holders(folder) if said["age"] < 2 * SILENT_SECONDS]


def holders(folder: Location) -> list[dict[str, Any]]:
    """Return what the locks in a run's folder say, those of processes of this host that are gone left out.

    `age` is the seconds since the last beat, as far as the clocks of two machines agree.
    """
    found = []
    for path in _locks(folder):
        said = _read(path)
        with suppress(FileNotFoundError):
            age = max(0.0, time.time() - modified(path))
            if said is not None and not _is_gone(path, said):
                found.append({**said, "age": age})
    return found


class Heartbeat:
    """Whether anybody holds a run, told by its lock's beats alone and by no clock but this machine's."""

    def __init__(self, folder: Location) -> None:
        self._folder = folder
        self._seen: Any = None
        self._since = time.monotonic()
        #: Who held the run when it was last looked at, for people.
        self.owner = ""

    def is_there(self) -> bool:
        """Return whether a lock is there whose holder is not gone, and which has beaten while it was looked at.

        Of a lock that is new here a beat is waited for, so that it counts as one for SILENT_SECONDS.
        """
        now = [{key: value for key, value in said.items() if key != "age"} for said in holders(self._folder)]
        if now != self._seen:
            self._seen, self._since = now, time.monotonic()
        if now:
            self.owner = holder_name(now[0])
        return bool(now) and time.monotonic() - self._since < SILENT_SECONDS


def request_stop(folder: Location, asker: str) -> None:
    """Ask whoever holds a run to stop after the chunks under way."""
    write_atomically(folder / STOP_REQUEST, f"{asker}\n".encode())


def is_of_lock(name: str) -> bool:
    """Return whether a file in a run's folder is a lock, or what asks its holder to stop."""
    return name.startswith(LOCK_PREFIX) or name == STOP_REQUEST


def this_user() -> str:
    """Return whose process this is, for people: ada@host."""
    return owner_name(_identity())


def this_process() -> str:
    """Return who this is, for people: ada@host, process 123."""
    return holder_name(_identity())


def holder_name(said: Mapping[str, Any]) -> str:
    """Return who holds a run by what its lock says: ada@host, process 123."""
    if not {"pid", "host"} <= said.keys():
        return "a writer that does not say who it is"
    return f"{owner_name(said)}, process {said['pid']}"


def owner_name(said: Mapping[str, Any]) -> str:
    """Return whose lock it is by what it says: ada@host."""
    user = f"{said['user']}@" if said.get("user") else ""
    return f"{user}{said.get('host', '')}"


def _acquired(folder: Location, waiting: Callable[[str], None] | None) -> Lock:
    for attempt in range(_TRIES):
        _clear_or_refuse(folder, waiting)
        # A request that its holder did not live to see is not for us; one that sees our lock is.
        (folder / STOP_REQUEST).unlink(missing_ok=True)
        lock = Lock(folder / f"{LOCK_PREFIX}{secrets.token_hex(8)}")
        try:
            lock.write()
            if not [path for path in _locks(folder) if path != lock.path]:
                return lock
        except BaseException:
            lock.release()
            raise
        # Another came at the same time, and sees ours as we see its own.
        lock.release()
        time.sleep(random.uniform(0.02, 0.2) * (attempt + 1))
    raise RunLocked(
        f"{folder} changes hands all the time; wait until the other writers of this run are done."
    )


def _clear_or_refuse(folder: Location, waiting: Callable[[str], None] | None) -> None:
    """Remove the locks of holders that are gone; RunLocked where one lives."""
    for path in _locks(folder):
        said = _read(path)
        if said is None:
            # Gone by now, or a link that leads nowhere.
            path.unlink(missing_ok=True)
            continue
        if not _is_gone(path, said):
            if _is_near(said) and "ticks" in said:
                raise RunLocked(_refusal(path, said))
            _watch(path, said, waiting)
        with suppress(FileNotFoundError):
            path.unlink()


def _watch(path: Location, said: dict[str, Any], waiting: Callable[[str], None] | None) -> None:
    """Watch a lock for a beat; RunLocked if there is one, none if its holder is silent or has released it."""
    if waiting:
        waiting(
            f"{path.parent} is held by {holder_name(said)}; waiting for at most {SILENT_SECONDS:.0f} s to see "
            "whether it still plays"
        )
    # By a clock that nobody sets, and by no other machine's.
    end = time.monotonic() + SILENT_SECONDS
    while time.monotonic() < end:
        time.sleep(LOOK_SECONDS)
        now = _read(path)
        if now is None:
            return
        if now != said:
            raise RunLocked(_refusal(path, now))


def _locks(folder: Location) -> list[Location]:
    return sorted(path for path in folder.iterdir() if path.name.startswith(LOCK_PREFIX))


def _read(path: Location) -> dict[str, Any] | None:
    """Return what a lock says, nothing where it is no JSON object, and None where it is gone.

    One that may not be read still shows by the time of its last write whether it beats.
    """
    try:
        said = json.loads(path.read_text(encoding="utf-8", errors="replace"))
    except FileNotFoundError:
        return None
    except (PermissionError, IsADirectoryError):
        with suppress(FileNotFoundError):
            return {"beat": modified(path)}
        return None
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _is_gone(path: Location, said: Mapping[str, Any]) -> bool:
    """Return whether the holder ran here and runs no more, or is this process, which could not remove it."""
    pid = said.get("pid")
    if not _is_near(said) or not isinstance(pid, int) or pid <= 0:
        return False
    if pid == os.getpid() and path.name not in _held:
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        pass
    # One that was killed is a zombie until its parent asks for it, which nobody does in a container without an init.
    with suppress(OSError, IndexError):
        if _stat_of(pid)[0] in "ZX":
            return True
    birth = _birth(pid)
    return "ticks" in birth and "ticks" in said and birth["ticks"] != said["ticks"]


def _is_near(said: Mapping[str, Any]) -> bool:
    """Return whether the holder's process has its number where this one has: same machine, boot and container."""
    return said.get("host") == socket.gethostname() and said.get("place") == _place()


@lru_cache(maxsize=1)
def _place() -> str | None:
    """Return what tells apart machines of one name, boots of a machine, and its containers; None where nothing does."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except (OSError, ValueError):
        return None


def _refusal(path: Location, said: Mapping[str, Any]) -> str:
    return (
        f"{path.parent} is being written by {holder_name(said)}, started "
        f"{said.get('started', 'at an unknown time')}. Wait until it is done or stop it with "
        f"dicecup jobs cancel {shlex.quote(str(path.parent))}; "
        f"if it is surely gone, delete {path} and try again."
    )


def _identity() -> dict[str, Any]:
    pid = os.getpid()
    try:
        user = {"user": getpass.getuser()}
    except (KeyError, OSError):
        user = {}
    place = {} if _place() is None else {"place": _place()}
    return {"host": socket.gethostname(), **place, "pid": pid, **user, **_birth(pid)}


def _birth(pid: int) -> dict[str, str]:
    """Return when a process started: for people, and exactly (clock ticks since boot) where /proc tells."""
    try:
        ticks = _stat_of(pid)[19]
        uptime = float(Path("/proc/uptime").read_text(encoding="utf-8").split()[0])
        moment = time.time() - uptime + int(ticks) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return {"started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())} if pid == os.getpid() else {}
    return {"started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment)), "ticks": ticks}


def _stat_of(pid: int) -> list[str]:
    """Return the words that /proc has for a process, from its state on; OSError where there are none."""
    # The command's name may hold spaces and brackets; what follows its last bracket is regular.
    text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    return text.rpartition(")")[2].split()
