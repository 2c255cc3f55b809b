"""One place for the settings under which numba compiles the kernels."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from llvmlite import ir
from numba.core import cgutils, event
from numba.extending import intrinsic

_settings: Any = numba.config

#: How the names of the functions begin that Python calls to play, one or more in the module of a kernel.
KERNEL = "_play_"


_OWN = Path(__file__).resolve().parent
_BASE = Path(_settings.CACHE_DIR) if _settings.CACHE_DIR else _OWN / "__pycache__"


@lru_cache(maxsize=64)
def _kernel_folder(package: Path) -> Path:
    """Names the folder for the compiled functions of a package by what they may hang on.

    numba compiles a function anew when its own file has changed, but not when one that it calls from another file has;
    under a folder of their own, functions of other sources are never taken. They hang on all files of this package,
    and on those of their own that compile anything.
    """
    texts = [file.read_bytes() for file in sorted(_OWN.rglob("*.py"))]
    if not package.is_relative_to(_OWN):
        beside = [file.read_bytes() for file in sorted(package.glob("*.py"))]
        texts += [text for text in beside if __name__.encode() in text]
    return _BASE / f"kernels-{hashlib.sha256(b''.join(texts)).hexdigest()[:16]}"


_settings.CACHE_DIR = str(_kernel_folder(_OWN))


def kernel_is_compiled(module: str) -> bool:
    """Tells whether a kernel of these sources, by its module, has been compiled on this machine before."""
    return any(Path(_settings.CACHE_DIR).rglob(f"{module.rpartition('.')[2]}.{KERNEL}*.nbi"))


class _Listener(event.Listener):
    """Calls `hear` the first time that a kernel is compiled."""

    def __init__(self, hear: Callable[[], None]) -> None:
        self._hear: Callable[[], None] | None = hear

    def on_start(self, event: Any) -> None:
        """Hears that a function is being compiled, with those that it calls."""
        if self._hear is not None and event.data["dispatcher"].py_func.__name__.startswith(KERNEL):
            hear, self._hear = self._hear, None
            hear()

    def on_end(self, event: Any) -> None:
        """Hears that a function is compiled."""


def compiling_heard(hear: Callable[[], None]) -> AbstractContextManager[Any]:
    """Calls `hear` once where this process has to compile a kernel inside this block, for want of its code on disk."""
    heard: AbstractContextManager[Any] = event.install_listener("numba:compile", _Listener(hear))
    return heard


#: A machine integer inside a kernel, where the kind that comes of an operation is the compiler's to know.
Integer = Any

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compiles a function to machine code at its first call and keeps the code on disk.

    The code runs without the interpreter's lock. Indices are not checked, so a kernel is tested against
    slow reference code and run once with NUMBA_BOUNDSCHECK=1.
    """
    return _kept(function)


#: Options of numba that its types leave out.
_WITHOUT_PYTHON: Any = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def inner(function: F) -> F:
    """Compiles a function that only kernels call, without what Python would need to call it.

    A kernel's state is some sixty arrays; to take them from Python is more code than most functions are.
    """
    return _kept(function, **_WITHOUT_PYTHON)


def inlined(function: F) -> F:
    """Compiles a small function that kernels call in their inner loops."""
    return _kept(function, inline="always")


def _kept(function: F, **options: Any) -> F:
    """Compiles a function whose code is kept on disk in the folder of its package."""
    _settings.CACHE_DIR = str(_kernel_folder(Path(function.__code__.co_filename).resolve().parent))
    try:
        return cast("F", numba.njit(nogil=True, cache=True, error_model="numpy", **options)(function))
    finally:
        _settings.CACHE_DIR = str(_kernel_folder(_OWN))


def _prefetch(_typing_context: Any, array: Any, index: Any) -> Any:
    signature = numba.types.void(array, index)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        new_proxy: Any = cgutils.create_struct_proxy
        declared: Any = cgutils.get_or_insert_function
        data = new_proxy(signature.args[0])(context, builder, value=arguments[0]).data
        byte = ir.IntType(8).as_pointer()
        flag = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, flag, flag, flag])
        function = declared(builder.module, kind, "llvm.prefetch.p0")
        # For reading, to be kept in the second-level cache, data rather than code.
        address = builder.bitcast(builder.gep(data, [arguments[1]]), byte)
        builder.call(function, [address, flag(0), flag(2), flag(1)])
        return context.get_dummy_value()

    return signature, generate


#: prefetch(array, index) asks the processor to bring a place of a flat array near before it is read; a kernel's word.
prefetch: Any = intrinsic(_prefetch)
