"""Settings of all tests."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Every run of the tests tries the same examples, so that a failure is the change's and not the draw's.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keeps the tables that tests fill away from the user's."""
    if "DICECUP_CACHE" not in os.environ:
        os.environ["DICECUP_CACHE"] = str(Path(tmp_path_factory.mktemp("cache")))
