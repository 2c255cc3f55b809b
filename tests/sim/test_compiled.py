"""Compiled kernels belong to the sources that they were compiled from."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from sim.compiled import compiling_heard

ROOT = Path(__file__).resolve().parent.parent.parent
ROLL = """
import numpy as np
from sim.start import roll_for_start
start, rounds = np.zeros(9, np.uint8), np.zeros(9, np.uint8)
seed, deal = np.uint64(1), np.uint64(0)
roll_for_start(seed, deal, 3, np.zeros(9, np.uint16), np.zeros((2, 9), np.uint8), start, rounds)
print(start.tolist())
"""


@pytest.mark.slow
def test_a_change_in_a_file_that_a_kernel_calls_is_compiled(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "sim", tmp_path / "sim", ignore=shutil.ignore_patterns("__pycache__"))

    def rolled() -> str:
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
        command = [sys.executable, "-c", ROLL]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True
        )
        return done.stdout

    before = rolled()
    assert rolled() == before
    streams = tmp_path / "sim" / "streams.py"
    streams.write_text(streams.read_text().replace("0xD2511F53", "0xD2511F55"))
    assert rolled() != before


CALLED = """
from sim.compiled import inner

@inner
def step(number):
    return number + 1
"""
CALLER = """
from called import step
from sim.compiled import compiled

@compiled
def twice(number):
    return step(step(number))

print(twice(1), sum(twice.stats.cache_hits.values()))
"""


@pytest.mark.slow
def test_a_change_in_a_file_beside_those_that_call_it_is_compiled(tmp_path: Path) -> None:
    (tmp_path / "caller.py").write_text(CALLER)

    def printed(called: str, beside: str) -> str:
        (tmp_path / "called.py").write_text(called)
        (tmp_path / "beside.py").write_text(beside)
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "kernels"), "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "caller.py"]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True
        )
        return done.stdout

    assert printed(CALLED, "1") == "3 0\n"
    assert printed(CALLED, "compiles = None") == "3 1\n"
    assert printed(CALLED.replace("number + 1", "number + 2"), "1") == "5 0\n"


def _play_nothing(number: int) -> int:
    return number + 1


def test_the_compiling_of_a_kernel_is_heard_once_and_of_nothing_else() -> None:
    # As a kernel, but never on disk.
    kernels = [numba.njit(cache=False)(_play_nothing) for _ in range(2)]
    other = numba.njit(cache=False)(lambda number: number)
    heard: list[int] = []
    with compiling_heard(lambda: heard.append(1)):
        other(1)
        assert heard == []
        assert [kernel(1) for kernel in kernels] == [2, 2]
        assert heard == [1]
    heard.clear()
    with compiling_heard(lambda: heard.append(1)):
        kernels[0](1)
    assert heard == []
    assert numba.njit(cache=False)(_play_nothing)(1) == 2
    assert heard == []
