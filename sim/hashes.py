"""The hash of a course: every decision of a seat, mixed in one after another."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sim.compiled import compiled, inlined

#: Where the category stands in a turn's choices, above the masks of up to four keeps.
CATEGORY_SHIFT = 20


@inlined
def mixed_hash(before: np.uint32, choices: np.uint32) -> np.uint32:
    """Mixes the choices of a turn into the hash of those before."""
    mixed = np.uint32((before ^ choices) * np.uint32(0x9E3779B1))
    return np.uint32(mixed ^ mixed >> np.uint32(15))


@compiled
def hash_turns(
    masks: npt.NDArray[np.uint8], throws: int, category: npt.NDArray[np.uint8], hashes: npt.NDArray[np.uint32]
) -> None:
    """Mixes the turn of every lane into its hash: the masks kept and the category."""
    for throw in range(1, throws):
        shift = np.uint32(5 * throw - 5)
        kept = masks[throw]
        for lane in range(category.size):
            hashes[lane] ^= np.uint32(kept[lane]) << shift
    for lane in range(category.size):
        hashes[lane] = mixed_hash(hashes[lane], np.uint32(category[lane]) << np.uint32(CATEGORY_SHIFT))
