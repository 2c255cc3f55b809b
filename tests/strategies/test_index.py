from __future__ import annotations

import numpy as np

from strategies.index import SMALLEST, KeyIndex


def probed(index: KeyIndex, key: int) -> int:
    """Looks for a key from the place that its bits name, as kernels do, to the first empty one."""
    last = index.keys.size - 1
    place = (key * 0x9E3779B97F4A7C15 % 2**64 >> 32) & last
    while index.keys[place]:
        if int(index.keys[place]) == key + 1:
            return int(index.numbers[place])
        place = (place + 1) & last
    return -1


def test_every_key_is_found_with_its_number_and_no_other() -> None:
    draw = np.random.default_rng(9)
    # Small keys that lie together, and some as large as a lineup's can be.
    keys = np.concatenate([np.arange(3000), draw.integers(1 << 62, 1 << 63, 2000)]).astype(np.uint64)
    keys = draw.permutation(np.unique(keys))
    index = KeyIndex()
    for first in range(0, keys.size, 700):
        piece = keys[first : first + 700]
        index.hold(piece, np.arange(first, first + piece.size, dtype=np.int32))
        assert len(index) == min(first + 700, keys.size) <= index.keys.size // 2
    found = [probed(index, key) for key in keys.tolist()]
    assert found == list(range(keys.size))
    assert (index.keys != 0).sum() == keys.size
    for absent in (3000, 1 << 61, (1 << 64) - 2):
        assert probed(index, absent) == -1


def test_what_is_forgotten_gives_its_room_back() -> None:
    index = KeyIndex()
    assert index.nbytes == SMALLEST * 12
    index.hold(np.arange(9000, dtype=np.uint64), np.zeros(9000, np.int32))
    assert index.nbytes == 32 * SMALLEST * 12
    index.clear()
    assert (len(index), index.nbytes) == (0, SMALLEST * 12)
    assert probed(index, 5) == -1
    index.hold(np.array([5], np.uint64), np.array([7], np.int32))
    assert probed(index, 5) == 7
