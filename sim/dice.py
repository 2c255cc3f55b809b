"""The 252 rolls and 462 keeps of five dice, and where each reroll can lead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations_with_replacement, product

import numpy as np
import numpy.typing as npt

DICE = 5
WORDS = 6**DICE

#: Every roll as sorted faces, in lexicographic order; a roll's index stands for it everywhere.
ROLLS: tuple[tuple[int, ...], ...] = tuple(combinations_with_replacement(range(1, 7), DICE))
#: Every keep as sorted faces, the fewest dice first; keep 0 holds nothing.
KEEPS: tuple[tuple[int, ...], ...] = tuple(
    keep for size in range(DICE + 1) for keep in combinations_with_replacement(range(1, 7), size)
)
ROLL_INDEX: dict[tuple[int, ...], int] = {roll: index for index, roll in enumerate(ROLLS)}
KEEP_INDEX: dict[tuple[int, ...], int] = {keep: index for index, keep in enumerate(KEEPS)}
#: Chance of each roll from five fresh dice, as numerators over 7776.
ROLL_WAYS: tuple[int, ...] = tuple(
    np.bincount([ROLL_INDEX[tuple(sorted(dice))] for dice in product(range(1, 7), repeat=DICE)]).tolist()
)


def masked_dice(roll: int, mask: int) -> tuple[int, ...]:
    """Returns the dice of a roll that a five-bit mask holds, bit 0 for the lowest die."""
    return tuple(die for position, die in enumerate(ROLLS[roll]) if mask >> position & 1)


def keep_mask(roll: int, dice: Iterable[int]) -> int | None:
    """Returns the one mask that stands for keeping these dice of a roll, or None where the roll lacks them.

    Of equal dice the lowest positions are held, so each keep of a roll has exactly one mask.
    """
    wanted = Counter(dice)
    mask = 0
    for position, die in enumerate(ROLLS[roll]):
        if wanted[die] > 0:
            wanted[die] -= 1
            mask |= 1 << position
    return None if any(wanted.values()) else mask


def _build_outcomes() -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint32]]:
    outcomes: list[int] = []
    offsets: list[int] = []
    for keep in KEEPS:
        offsets.append(len(outcomes))
        outcomes += [
            ROLL_INDEX[tuple(sorted(keep + rerolled))]
            for rerolled in product(range(1, 7), repeat=DICE - len(keep))
        ]
    return np.array(outcomes, np.uint8), np.array(offsets, np.uint32)


def _build_keeps_of_rolls() -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint8]]:
    keeps = np.zeros((len(ROLLS), 1 << DICE), np.uint16)
    canonical = np.zeros((len(ROLLS), 1 << DICE), np.uint8)
    for roll in range(len(ROLLS)):
        for mask in range(1 << DICE):
            held = masked_dice(roll, mask)
            keeps[roll, mask] = KEEP_INDEX[held]
            canonical[roll, mask] = keep_mask(roll, held) or 0
    return keeps, canonical


#: Where rerolls lead: outcome v of keep k is the roll OUTCOMES[OFFSETS[k] + v]; the rerolled dice are the
#: base-6 digits of v, most significant first. 23,112 entries.
OUTCOMES, OFFSETS = _build_outcomes()
#: JUMPS[keep] packs the keep's offset into OUTCOMES (low 16 bits) and the number of dice to roll.
JUMPS: npt.NDArray[np.uint32] = np.array(
    [int(offset) | (DICE - len(keep)) << 16 for offset, keep in zip(OFFSETS, KEEPS, strict=True)], np.uint32
)
#: ROLL_KEEPS[roll, mask] is the keep that a mask holds of a roll; CANONICAL_MASKS[roll, mask] is the one mask that
#: stands for the same keep.
ROLL_KEEPS, CANONICAL_MASKS = _build_keeps_of_rolls()
#: (word * LEADING[m]) >> 24 is the number that the first m dice of a word make, exact for words below 7776.
LEADING: npt.NDArray[np.uint64] = np.array(
    [0] + [-(-(1 << 24) // 6 ** (DICE - m)) for m in range(1, DICE + 1)], np.uint64
)
#: The distinct masks of each roll, fewest dice first.
ROLL_MASKS: tuple[tuple[int, ...], ...] = tuple(
    tuple(sorted({int(mask) for mask in CANONICAL_MASKS[roll]}, key=lambda mask: (mask.bit_count(), mask)))
    for roll in range(len(ROLLS))
)


def word_dice(word: int) -> tuple[int, ...]:
    """Returns the five dice, in the order thrown, that a word in [0, 7776) stands for."""
    return tuple(word // 6 ** (DICE - 1 - position) % 6 + 1 for position in range(DICE))
