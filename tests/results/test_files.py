"""A file is written whole or not at all, whoever else is in its folder."""

from pathlib import Path

import pytest

from results.files import remove_temporary_files, write_atomically


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
