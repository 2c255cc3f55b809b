"""One place for the settings under which numba compiles the kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compiles a function to machine code at its first call and keeps the code on disk.

    The code runs without the interpreter's lock. Indices are not checked, so a kernel is tested against
    slow reference code and run once with NUMBA_BOUNDSCHECK=1.
    """
    result: F = numba.njit(nogil=True, cache=True, error_model="numpy")(function)
    return result


def inlined(function: F) -> F:
    """Compiles a small function that kernels call in their inner loops."""
    result: F = numba.njit(nogil=True, cache=True, error_model="numpy", inline="always")(function)
    return result
