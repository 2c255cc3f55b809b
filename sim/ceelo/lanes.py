"""What the kernel of Cee-lo works on, as arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt


class StakeTables(NamedTuple):
    """The stakes of a lineup, by seat; `strategies.stake_tables` documents and fills them.

    A context's stake is stake_of[base + context] where `direct` (-1: not asked yet), else found by probing `keys` for
    base + context. `strides` has the weight of each view in a context, shape (seats, views), 0 where it isn't seen.
    """

    stake_of: npt.NDArray[np.int16]
    keys: npt.NDArray[np.uint64]
    key_stakes: npt.NDArray[np.int32]
    base: npt.NDArray[np.uint64]
    direct: npt.NDArray[np.uint8]
    strides: npt.NDArray[np.uint64]
