"""A file is written whole or not at all, whoever else is in its folder."""

import threading
import time
from pathlib import Path

import pytest

from results.files import read_together, remove_temporary_files, write_atomically
from results.patience import patience, patiently


def test_a_writer_outlives_that_another_removes_its_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where two hold a run, since the lock of one was taken for that of a dead writer."""
    real = Path.replace
    removed: list[Path] = []

    def replace(source: Path, target: Path) -> Path:
        if len(removed) < 3:
            removed.extend(remove_temporary_files(tmp_path))
        return real(source, target)

    monkeypatch.setattr(Path, "replace", replace)
    write_atomically(tmp_path / "file", b"content")
    assert len(set(removed)) == 3
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"content"]


def test_a_writer_whose_files_are_always_removed_or_whose_folder_is_gone_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(FileNotFoundError):
        write_atomically(tmp_path / "gone" / "file", b"")
    tried: list[Path] = []

    def replace(source: Path, _target: Path) -> Path:
        tried.append(source)
        source.unlink()
        raise FileNotFoundError(2, "No such file or directory", str(source))

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(FileNotFoundError):
        write_atomically(tmp_path / "file", b"content")
    assert len(set(tried)) == 5
    assert list(tmp_path.iterdir()) == []


def test_a_stop_ends_reading_while_a_store_is_away() -> None:
    """Readers that wait for a store in vain hold nobody up."""
    away = threading.Event()

    def read(item: int) -> None:
        def asked() -> None:
            away.set()
            raise OSError("AWS Error NETWORK_CONNECTION during GetObject operation: curlCode: 7")

        if item:
            patiently("s3://bucket/a", asked)
        away.wait(10)
        raise KeyboardInterrupt

    began = time.monotonic()
    with patience(300), pytest.raises(KeyboardInterrupt):
        list(read_together(Path(), read, range(4)))
    assert time.monotonic() - began < 20
