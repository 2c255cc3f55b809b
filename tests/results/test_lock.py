"""One writer at a time, and what is left of a writer that was killed."""

import errno
import json
import os
import pickle
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from results.files import is_temporary, remove_temporary_files
from results.lock import UNREADABLE_SECONDS, lock_run
from results.store import DamagedPart, RunLocked

HOLD = """
import sys, pathlib
from results.lock import lock_run
with lock_run(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_writer_is_told_who_holds_the_run(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    assert holder.stdin is not None
    assert holder.stdout is not None
    with holder:
        assert holder.stdout.readline() == b"held\n"
        with (
            pytest.raises(RunLocked, match=rf"process {holder.pid} on {socket.gethostname()}, started 2"),
            lock_run(tmp_path),
        ):
            pass
        holder.kill()
    # Killed, it left its lock behind; nobody needs to clear it away.
    assert (tmp_path / "lock").exists()
    with lock_run(tmp_path) as path:
        assert json.loads(path.read_text())["pid"] == os.getpid()
    assert list(tmp_path.iterdir()) == []


def test_the_same_process_can_not_hold_it_twice(tmp_path: Path) -> None:
    with lock_run(tmp_path), pytest.raises(RunLocked, match="is being written by"), lock_run(tmp_path):
        pass
    assert not (tmp_path / "lock").exists()


def test_a_process_number_that_was_given_again_is_not_the_holder(tmp_path: Path) -> None:
    old = {"host": socket.gethostname(), "pid": os.getpid(), "started": "2020-01-01T00:00:00Z", "ticks": "1"}
    (tmp_path / "lock").write_text(json.dumps(old))
    with lock_run(tmp_path) as path:
        assert json.loads(path.read_text())["ticks"] != "1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"host": "elsewhere", "pid": 1, "started": "2020-01-01T00:00:00Z"}', "process 1 on elsewhere"),
        ("", "a writer that has not said who it is"),
        ("[1]", "a writer that has not said who it is"),
    ],
)
def test_a_lock_that_can_not_be_judged_is_kept(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "lock").write_text(text)
    if "elsewhere" in text:
        os.utime(tmp_path / "lock", (0, 0))
    with pytest.raises(RunLocked, match=rf"{message}.*delete {tmp_path}/lock"), lock_run(tmp_path):
        pass
    assert (tmp_path / "lock").read_text() == text


@pytest.mark.parametrize("text", ["", "[1]", '{"host": "else', "\0" * 80])
def test_an_old_lock_that_names_nobody_is_taken_over(tmp_path: Path, text: str) -> None:
    (tmp_path / "lock").write_text(text)
    moment = time.time() - UNREADABLE_SECONDS - 1
    os.utime(tmp_path / "lock", (moment, moment))
    with lock_run(tmp_path) as path:
        assert json.loads(path.read_text())["pid"] == os.getpid()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("step", "lock_is_there"),
    [("fsync", False), ("link", False), ("unlink", True)],
)
def test_a_writer_killed_while_it_locks_stops_nobody(tmp_path: Path, step: str, lock_is_there: bool) -> None:
    """It is killed with the temporary file written, before the lock is there, and with both there."""
    program = (
        "import os, pathlib, signal, sys\n"
        "from results.lock import lock_run\n"
        f"os.{step} = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "pathlib.Path.unlink = lambda path, **_: os.unlink(path)\n"
        "with lock_run(pathlib.Path(sys.argv[1])): print('held')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, b"")
    left = list(tmp_path.iterdir())
    assert [path.name for path in left if not is_temporary(path)] == ["lock"] * lock_is_there
    assert sum(map(is_temporary, left)) == 1
    with lock_run(tmp_path) as path:
        assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("step", ["fsync", "link"])
def test_a_full_disk_leaves_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    def full_disk(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, step, full_disk)
        with pytest.raises(OSError, match="No space left"), lock_run(tmp_path):
            pass
    assert list(tmp_path.iterdir()) == []
    with lock_run(tmp_path) as path:
        assert path.exists()


def test_a_file_system_without_links_has_locks_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    with lock_run(tmp_path) as path:
        assert json.loads(path.read_text())["pid"] == os.getpid()
        with pytest.raises(RunLocked, match=f"process {os.getpid()} "), lock_run(tmp_path):
            pass
    assert list(tmp_path.iterdir()) == []


def test_a_writer_whose_temporary_file_is_removed_tries_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_link, calls = os.link, []

    def link(source: Path, target: Path) -> None:
        calls.append(source)
        if len(calls) == 1:
            source.unlink()
        real_link(source, target)

    monkeypatch.setattr(os, "link", link)
    with lock_run(tmp_path) as path:
        assert json.loads(path.read_text())["pid"] == os.getpid()
    assert len(calls) == 2
    with pytest.raises(FileNotFoundError), lock_run(tmp_path / "nowhere"):
        pass


def test_the_lock_goes_when_the_work_fails_but_never_anothers(tmp_path: Path) -> None:
    with pytest.raises(KeyError), lock_run(tmp_path):
        raise KeyError
    assert not (tmp_path / "lock").exists()
    with lock_run(tmp_path) as path:
        path.write_text("another")
    assert path.read_text() == "another"


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
    assert "Resuming the run" in str(error)


def test_what_a_writer_leaves_that_is_killed_meanwhile_is_removed_at_the_end(tmp_path: Path) -> None:
    with lock_run(tmp_path):
        left = tmp_path / ".part-00006.parquet.6531-ee89e497.tmp"
        left.write_bytes(b"half")
    assert list(tmp_path.iterdir()) == []
