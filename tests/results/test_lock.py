"""One writer at a time, and what is left of a writer that was killed."""

import errno
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from results import lock
from results.files import is_temporary, remove_temporary_files
from results.lock import LOCK_PREFIX, Heartbeat, holder_name, holders, lock_run, request_stop
from results.store import DamagedPart, RunLocked

ROOT = Path(__file__).parents[2]
HOLD = """
import sys, pathlib
from results.lock import lock_run
with lock_run(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""
#: What a process does that holds a run for moments, again and again: two that hold it at once are noted.
TAKE_TURNS = """
import os, pathlib, sys, time
from results.errors import RunLocked
from results.lock import lock_run
folder, mark = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
held = 0
end = time.monotonic() + 20
while held < 5 and time.monotonic() < end:
    try:
        with lock_run(folder):
            descriptor = os.open(mark, os.O_CREAT | os.O_EXCL)
            time.sleep(0.005)
            os.close(descriptor)
            mark.unlink()
            held += 1
    except RunLocked:
        time.sleep(0.002)
print(held)
"""


def locks(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"{LOCK_PREFIX}*"))


def leave(folder: Path, said: Any, name: str = "left") -> Path:
    """Leave a lock, as a writer does that is killed."""
    path = folder / f"{LOCK_PREFIX}{name}"
    path.write_text(said if isinstance(said, str) else json.dumps(said))
    return path


def test_a_second_writer_is_told_who_holds_the_run(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    )
    assert holder.stdout is not None
    with holder:
        assert holder.stdout.readline() == b"held\n"
        told = rf"{socket.gethostname()}, process {holder.pid}, started 2.*dicecup jobs cancel"
        with pytest.raises(RunLocked, match=told), lock_run(tmp_path):
            pass
        (said,) = holders(tmp_path)
        assert (said["pid"], said["host"]) == (holder.pid, socket.gethostname())
        holder.kill()
    # Killed, it left its lock behind; nobody needs to clear it away.
    assert len(locks(tmp_path)) == 1
    assert holders(tmp_path) == []
    with lock_run(tmp_path) as held:
        assert json.loads(held.path.read_text())["pid"] == os.getpid()
    assert list(tmp_path.iterdir()) == []


def test_a_killed_writer_that_its_parent_has_not_asked_for_is_gone(tmp_path: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLD, tmp_path], cwd=ROOT, stdin=-1, stdout=-1)
    assert holder.stdin is not None
    assert holder.stdout is not None
    with holder.stdin, holder.stdout:
        assert holder.stdout.readline() == b"held\n"
        holder.kill()
        # Dead, and still there to be asked for.
        os.waitid(os.P_PID, holder.pid, os.WEXITED | os.WNOWAIT)
        os.kill(holder.pid, 0)
        with lock_run(tmp_path):
            assert len(locks(tmp_path)) == 1
        holder.wait()


def test_the_same_process_can_not_hold_it_twice(tmp_path: Path) -> None:
    with lock_run(tmp_path), pytest.raises(RunLocked, match="is being written by"), lock_run(tmp_path):
        pass
    assert locks(tmp_path) == []


def test_two_never_hold_it_and_none_waits_for_ever(tmp_path: Path) -> None:
    folder, mark = tmp_path / "run", tmp_path / "mark"
    folder.mkdir()
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", TAKE_TURNS, str(folder), str(mark)], stdout=subprocess.PIPE, cwd=ROOT
        )
        for _ in range(3)
    ]
    # Two that hold it at once would meet at the mark, and one of them would end with an error.
    assert [(writer.communicate(timeout=60)[0], writer.returncode) for writer in writers] == 3 * [(b"5\n", 0)]
    assert locks(folder) == []


def test_of_threads_of_a_process_one_holds_it_at_a_time_and_all_do_in_the_end(tmp_path: Path) -> None:
    alone = threading.Lock()
    faults: list[BaseException] = []

    def take_turns() -> None:
        held = 0
        end = time.monotonic() + 20
        while held < 5 and time.monotonic() < end:
            try:
                with lock_run(tmp_path):
                    assert alone.acquire(blocking=False)
                    time.sleep(0.002)
                    alone.release()
                    held += 1
            except RunLocked:
                time.sleep(0.001)
            except BaseException as error:
                faults.append(error)
                raise
        if held < 5:
            faults.append(TimeoutError(f"held {held} times"))

    threads = [threading.Thread(target=take_turns) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert faults == []
    assert list(tmp_path.iterdir()) == []


def test_a_process_number_that_was_given_again_is_not_the_holder(tmp_path: Path) -> None:
    leave(tmp_path, {"host": socket.gethostname(), "place": lock._place(), "pid": os.getppid(), "ticks": "1"})
    with lock_run(tmp_path) as held:
        assert locks(tmp_path) == [held.path]
        own = dict(held.says)
    # One that started when the lock says so is the holder.
    left = leave(tmp_path, own | {"pid": os.getppid(), "ticks": lock._birth(os.getppid())["ticks"]})
    with pytest.raises(RunLocked, match=f"process {os.getppid()}"), lock_run(tmp_path):
        pass
    assert locks(tmp_path) == [left]
    # A lock of this very process that it does not hold is one that it could not remove.
    left.write_text(json.dumps(own))
    with lock_run(tmp_path) as held:
        assert locks(tmp_path) == [held.path]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "SILENT_SECONDS", 0.3)
    monkeypatch.setattr(lock, "LOOK_SECONDS", 0.02)
    monkeypatch.setattr(lock, "BEAT_SECONDS", 0.05)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("said", "named"),
    [
        ({"host": "elsewhere", "pid": 1, "user": "ada", "beat": 3}, "ada@elsewhere, process 1"),
        ("", "a writer that does not say who it is"),
        ("[1]", "a writer that does not say who it is"),
        ('{"host": "else', "a writer that does not say who it is"),
        ("\0" * 80, "a writer that does not say who it is"),
    ],
)
def test_a_lock_that_is_silent_gives_way_and_is_told(tmp_path: Path, said: Any, named: str) -> None:
    leave(tmp_path, said)
    waiting: list[str] = []
    began = time.monotonic()
    with lock_run(tmp_path, waiting=waiting.append) as held:
        assert locks(tmp_path) == [held.path]
    assert time.monotonic() - began >= 0.3
    assert [named in line for line in waiting] == [True]


@pytest.mark.usefixtures("quick")
def test_a_holder_elsewhere_that_beats_keeps_the_run_whatever_the_clocks_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = iter([1e9, 2e9, 0.0] * 1000)
    monkeypatch.setattr(time, "time", lambda: next(moments))
    with lock_run(tmp_path) as held:
        # As another machine sees it: of a host that is not its own, with a beat that goes on.
        held.tell(host="elsewhere")
        held.write()
        os.utime(held.path, (0, 0))
        with pytest.raises(RunLocked, match="elsewhere, process"), lock_run(tmp_path):
            pass
        assert locks(tmp_path) == [held.path]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("beats", [True, False])
def test_a_lock_that_may_not_be_read_is_watched_by_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, beats: bool
) -> None:
    left, real = leave(tmp_path, {"host": "elsewhere", "pid": 1}), Path.read_text
    looks: list[Path] = []

    def read_text(path: Path, *words: Any, **options: Any) -> str:
        if path != left or not path.exists():
            return real(path, *words, **options)
        looks.append(path)
        if beats:
            os.utime(left, (0, len(looks)))
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_text", read_text)
    assert [said.keys() for said in holders(tmp_path)] == [{"beat", "age"}]
    if beats:
        with pytest.raises(RunLocked, match="a writer that does not say who it is"), lock_run(tmp_path):
            pass
        assert locks(tmp_path) == [left]
    else:
        with lock_run(tmp_path) as held:
            assert locks(tmp_path) == [held.path]


def test_what_is_no_file_in_the_place_of_a_lock_is_shown_as_a_holder_without_a_name(tmp_path: Path) -> None:
    (tmp_path / f"{LOCK_PREFIX}folder").mkdir()
    (said,) = holders(tmp_path)
    assert holder_name(said) == "a writer that does not say who it is"


def test_a_lock_tells_what_its_holder_says(tmp_path: Path) -> None:
    with lock_run(tmp_path) as held:
        held.tell(played=7)
        held.write()
        (said,) = holders(tmp_path)
        assert (said["played"], said["beat"], said["age"] < 60) == (7, 2, True)


@pytest.mark.usefixtures("quick")
def test_a_holder_hears_who_asks_it_to_stop_once(tmp_path: Path) -> None:
    heard: list[str] = []
    came = threading.Event()
    request_stop(tmp_path, "nobody who is there")

    def asked(asker: str) -> None:
        heard.append(asker)
        came.set()

    with lock_run(tmp_path, asked):
        # A request that was there before is for another.
        assert not came.wait(0.1)
        request_stop(tmp_path, "ada@host, process 3")
        assert came.wait(10)
    assert heard == ["ada@host, process 3"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("step", "lock_is_there"), [("fsync", False), ("replace", False), ("unlink", True)])
def test_a_writer_killed_while_it_locks_stops_nobody(tmp_path: Path, step: str, lock_is_there: bool) -> None:
    """It is killed with the temporary file written, before the lock is there, and as the lock goes."""
    program = (
        "import os, pathlib, signal, sys\n"
        "from results.lock import lock_run\n"
        "kill = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)\n"
        "os.fsync = kill if sys.argv[2] == 'fsync' else os.fsync\n"
        "pathlib.Path.replace = kill if sys.argv[2] == 'replace' else pathlib.Path.replace\n"
        "with lock_run(pathlib.Path(sys.argv[1])):\n"
        "    pathlib.Path.unlink = kill if sys.argv[2] == 'unlink' else pathlib.Path.unlink\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path), step], cwd=ROOT, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, b"")
    left = list(tmp_path.iterdir())
    assert (len(locks(tmp_path)), sum(map(is_temporary, left))) == (lock_is_there, not lock_is_there)
    with lock_run(tmp_path) as held:
        assert list(tmp_path.iterdir()) == [held.path]
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full_disk(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full_disk)
        with pytest.raises(OSError, match="No space left"), lock_run(tmp_path):
            pass
    assert list(tmp_path.iterdir()) == []
    with lock_run(tmp_path) as held:
        assert held.path.exists()


def test_a_writer_whose_temporary_file_is_removed_tries_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = Path.replace, []

    def replace(source: Path, target: Path) -> Path:
        calls.append(source)
        if len(calls) == 1:
            source.unlink()
        return real(source, target)

    monkeypatch.setattr(Path, "replace", replace)
    with lock_run(tmp_path) as held:
        assert json.loads(held.path.read_text())["pid"] == os.getpid()
    assert len(calls) == 2
    with pytest.raises(FileNotFoundError), lock_run(tmp_path / "nowhere"):
        pass


def test_the_lock_goes_when_the_work_fails_but_never_anothers(tmp_path: Path) -> None:
    with pytest.raises(KeyError), lock_run(tmp_path):
        raise KeyError
    assert locks(tmp_path) == []
    with lock_run(tmp_path):
        other = leave(tmp_path, "another")
    assert locks(tmp_path) == [other]


def test_a_lock_that_was_released_is_not_written_again(tmp_path: Path) -> None:
    with lock_run(tmp_path) as held:
        pass
    held.write()
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_write_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "matches" / "00" / "games"
    folder.mkdir(parents=True)
    left = folder / ".part-00000.parquet.123-0123abcd.tmp"
    kept = [folder / "part-00000.parquet", folder / ".notes.tmp", tmp_path / "x.tmp"]
    for path in (left, *kept):
        path.touch()
    with lock_run(tmp_path):
        assert not left.exists()
    assert all(path.exists() for path in kept)
    assert remove_temporary_files(tmp_path) == []


def test_a_damaged_part_comes_back_from_another_process_as_it_went() -> None:
    error = pickle.loads(pickle.dumps(DamagedPart(Path("a/part"), "it is cut short")))
    assert (error.path, error.reason) == (Path("a/part"), "it is cut short")
    assert "dicecup jobs repair" in str(error)


def test_what_a_writer_leaves_that_is_killed_meanwhile_is_removed_at_the_end(tmp_path: Path) -> None:
    with lock_run(tmp_path):
        left = tmp_path / ".part-00006.parquet.6531-ee89e497.tmp"
        left.write_bytes(b"half")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("quick")
def test_a_process_of_this_number_in_another_container_is_watched_for_a_beat(tmp_path: Path) -> None:
    with lock_run(tmp_path) as held:
        own = dict(held.says)
    waiting: list[str] = []
    # Here the number is given to nobody, there the holder may live.
    left = leave(tmp_path, own | {"place": "another", "pid": 2**22 + 1})
    assert [said["pid"] for said in holders(tmp_path)] == [2**22 + 1]
    with lock_run(tmp_path, waiting=waiting.append):
        assert not left.exists()
    assert len(waiting) == 1


@pytest.mark.usefixtures("quick")
def test_a_heartbeat_is_seen_whatever_the_clocks_say_and_missed_when_it_ends(tmp_path: Path) -> None:
    left = leave(tmp_path, {"host": "elsewhere", "pid": 1, "beat": 0})
    alive = Heartbeat(tmp_path)
    for beat in range(1, 6):
        leave(tmp_path, {"host": "elsewhere", "pid": 1, "beat": beat})
        os.utime(left, (0, 0))
        time.sleep(0.1)
        assert alive.is_there(), beat
    assert alive.owner == "elsewhere, process 1"
    os.utime(left, (2e9, 2e9))
    time.sleep(0.4)
    assert not alive.is_there()


def test_a_link_that_leads_nowhere_holds_no_run(tmp_path: Path) -> None:
    (tmp_path / f"{LOCK_PREFIX}link").symlink_to("nowhere")
    with lock_run(tmp_path) as held:
        assert locks(tmp_path) == [held.path]
