"""Settings of all tests."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

#: What takes longest begins first, for no core to wait for it at the end.
LONGEST = (
    "test_docs.py",
    "test_cluster.py",
    "test_object_store.py",
    "test_ray.py",
    "test_submit.py",
    "test_keeper.py",
    "test_compiled.py",
    "test_memory.py",
    "test_running.py",
)

# Every run of the tests tries the same examples, so that a failure is the change's and not the draw's.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keeps the tables that tests fill away from the user's."""
    if "DICECUP_CACHE" not in os.environ:
        os.environ["DICECUP_CACHE"] = str(Path(tmp_path_factory.mktemp("cache")))


@pytest.fixture(autouse=True, scope="session")
def _unsynced() -> Iterator[None]:
    """Has nobody wait for the disk: no test outlives the machine, and what is synced when is tested by itself."""
    with pytest.MonkeyPatch.context() as patched:
        # A descriptor that is not open is an error as before.
        patched.setattr(os, "fsync", os.fstat)
        yield


@pytest.fixture
def asked_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Has a check ask in this process in place of another, which takes a second to start."""
    from strategies.lineup import rebuild_player

    def answer(kind, source, ruleset, contexts):
        trial = kind(rebuild_player(source, tmp_path / "rebuilt"), ruleset)
        return [
            [trial.digest(answer) for answer in trial.ask(place, asked)]
            for place, asked in enumerate(contexts)
        ]

    monkeypatch.setattr("strategies.contract.answer_elsewhere", answer)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Keeps what is imported and collected, which is there to the end, from being gone through again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the longest first; the others stay in their order."""
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.name, len(LONGEST)))
