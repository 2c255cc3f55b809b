"""How the views that a strategy has of a situation become one number, its context, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt


def context_strides(sizes: Mapping[str, int], sees: Sequence[str]) -> tuple[npt.NDArray[np.uint64], int]:
    """Returns the weight of each view in a context (0 where it isn't seen), and the number of contexts."""
    strides = np.zeros(len(sizes), np.uint64)
    contexts = 1
    for place, (view, size) in enumerate(sizes.items()):
        if view in sees:
            strides[place] = contexts
            contexts *= size
    return strides, contexts


def read_context(
    sizes: Mapping[str, int], shifts: Mapping[str, int], sees: Sequence[str], context: int
) -> dict[str, int]:
    """Returns the value of each seen view in a context; `shifts` are taken off those that can be negative."""
    values: dict[str, int] = {}
    for view, size in sizes.items():
        if view in sees:
            context, value = divmod(context, size)
            values[view] = value - shifts.get(view, 0)
    return values


def read_contexts(
    sizes: Mapping[str, int],
    shifts: Mapping[str, int],
    sees: Sequence[str],
    contexts: npt.NDArray[np.uint64],
) -> dict[str, npt.NDArray[np.int64]]:
    """Returns the values of each seen view in many contexts, as read_context does for one."""
    numbers = contexts.astype(np.int64)
    strides = dict(zip(sizes, context_strides(sizes, sees)[0].tolist(), strict=True))
    shown = {
        view: numbers // strides[view] % size - shifts.get(view, 0)
        for view, size in sizes.items()
        if view in sees
    }
    for values in shown.values():
        # Views that are changed in place would be wrong when they are read again.
        values.flags.writeable = False
    return shown


def write_context(
    sizes: Mapping[str, int], shifts: Mapping[str, int], sees: Sequence[str], views: Mapping[str, int]
) -> int:
    """Returns the context that shows these views; the inverse of read_context."""
    strides, _ = context_strides(sizes, sees)
    return sum(
        (views[view] + shifts.get(view, 0)) * int(stride)
        for view, stride in zip(sizes, strides, strict=True)
        if view in sees
    )


def write_contexts(
    sizes: Mapping[str, int],
    shifts: Mapping[str, int],
    sees: Sequence[str],
    views: Mapping[str, npt.NDArray[np.int64]],
) -> npt.NDArray[np.uint64]:
    """Returns the contexts that show these views; the inverse of read_contexts."""
    strides = dict(zip(sizes, context_strides(sizes, sees)[0].tolist(), strict=True))
    numbers = sum((views[view] + shifts.get(view, 0)) * strides[view] for view in sizes if view in sees)
    return np.asarray(numbers, np.uint64)
