"""One place for the settings under which numba compiles the kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from llvmlite import ir
from numba.core import cgutils
from numba.extending import intrinsic

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


@intrinsic  # type: ignore[untyped-decorator]
def prefetch(typing_context: Any, array: Any, index: Any) -> Any:
    """Asks the processor to bring array[index], of a flat array, near before it is read; callable from kernels only."""
    signature = numba.types.void(array, index)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array_type, _ = signature.args
        data = cgutils.create_struct_proxy(array_type)(context, builder, value=arguments[0]).data
        address = builder.bitcast(builder.gep(data, [arguments[1]]), ir.IntType(8).as_pointer())
        flag = ir.IntType(32)
        function = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.VoidType(), [ir.IntType(8).as_pointer(), flag, flag, flag]),
            "llvm.prefetch.p0",
        )
        # For reading, to be kept in the second-level cache, data rather than code.
        builder.call(function, [address, flag(0), flag(2), flag(1)])
        return context.get_dummy_value()

    return signature, generate
