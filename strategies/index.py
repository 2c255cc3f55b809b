"""An index of numbers by 64-bit keys, found by open addressing, that grows as it fills."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sim.compiled import compiled

SMALLEST = 1 << 10


class KeyIndex:
    """Holds a number for each key; sim.contexts finds them in `keys` and `numbers`.

    A key is stored plus one, for 0 marks an empty place; at most half of the places are filled.
    """

    keys: npt.NDArray[np.uint64]
    numbers: npt.NDArray[np.int32]
    _held: int

    def __init__(self) -> None:
        self.clear()

    def __len__(self) -> int:
        return self._held

    @property
    def nbytes(self) -> int:
        """Returns the bytes that the index takes up."""
        return self.keys.nbytes + self.numbers.nbytes

    def nbytes_with(self, more: int) -> int:
        """Returns the bytes that the index takes up once so many more keys are held."""
        size = self.keys.size
        while 2 * (self._held + more) > size:
            size *= 2
        return self.nbytes // self.keys.size * size

    def hold(self, keys: npt.NDArray[np.uint64], numbers: npt.NDArray[np.int32]) -> None:
        """Adds keys that are not held yet, each with its number."""
        while 2 * (self._held + len(keys)) > self.keys.size:
            held = self.keys != 0
            before, their_numbers = self.keys[held] - np.uint64(1), self.numbers[held]
            self.keys = np.zeros(2 * self.keys.size, np.uint64)
            self.numbers = np.zeros(self.keys.size, np.int32)
            _insert(self.keys, self.numbers, before, their_numbers)
        _insert(self.keys, self.numbers, keys, numbers)
        self._held += len(keys)

    def clear(self) -> None:
        """Forgets all keys."""
        self.keys = np.zeros(SMALLEST, np.uint64)
        self.numbers = np.zeros(SMALLEST, np.int32)
        self._held = 0


@compiled
def _insert(
    keys: npt.NDArray[np.uint64],
    numbers: npt.NDArray[np.int32],
    new_keys: npt.NDArray[np.uint64],
    new_numbers: npt.NDArray[np.int32],
) -> None:
    last = np.uint64(keys.size - 1)
    for item in range(new_keys.size):
        key = new_keys[item]
        place = (key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32) & last
        while keys[place] != np.uint64(0):
            place = (place + np.uint64(1)) & last
        keys[place] = key + np.uint64(1)
        numbers[place] = new_numbers[item]
