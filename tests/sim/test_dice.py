from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from math import comb, factorial, prod

import numpy as np
import numpy.typing as npt
import pytest

from sim.dice import (
    CANONICAL_MASKS,
    JUMPS,
    KEEP_INDEX,
    KEEPS,
    LEADING,
    OFFSETS,
    OUTCOMES,
    ROLL_INDEX,
    ROLL_KEEPS,
    ROLL_MASKS,
    ROLL_WAYS,
    ROLLS,
    keep_mask,
    masked_dice,
    word_dice,
)

ALL_WORDS = list(product(range(1, 7), repeat=5))  # a word's number is its place in this list


def test_rolls_are_all_sorted_multisets_of_five() -> None:
    assert len(ROLLS) == comb(10, 5) == 252
    assert set(ROLLS) == {tuple(sorted(word)) for word in ALL_WORDS}
    assert [ROLL_INDEX[roll] for roll in ROLLS] == list(range(252))
    assert list(ROLLS) == sorted(ROLLS)


def test_keeps_are_all_sorted_multisets_of_up_to_five() -> None:
    assert len(KEEPS) == sum(comb(5 + size, size) for size in range(6)) == 462
    held = {tuple(sorted(word[:size])) for word in ALL_WORDS for size in range(6)}
    assert set(KEEPS) == held
    assert KEEPS[0] == ()
    assert [KEEP_INDEX[keep] for keep in KEEPS] == list(range(462))
    assert [len(keep) for keep in KEEPS] == sorted(len(keep) for keep in KEEPS)


def test_roll_chances_are_multinomial() -> None:
    for roll, ways in zip(ROLLS, ROLL_WAYS, strict=True):
        assert ways == factorial(5) // prod(factorial(count) for count in Counter(roll).values())
    assert sum(ROLL_WAYS) == 7776


def test_word_dice_are_base_six_digits_most_significant_first() -> None:
    assert [word_dice(word) for word in range(7776)] == ALL_WORDS


def test_every_keep_and_every_word_lead_to_the_right_roll() -> None:
    assert len(OUTCOMES) == sum(6 ** (5 - len(keep)) for keep in KEEPS) == 23_112
    words = np.arange(7776, dtype=np.uint64)
    thrown = np.array(ALL_WORDS)
    for index, keep in enumerate(KEEPS):
        rerolled = 5 - len(keep)
        dice = np.concatenate([np.tile(keep, (7776, 1)).astype(int), thrown[:, :rerolled]], axis=1)
        expected = index_of_rolls(np.sort(dice, axis=1))
        number = (words * LEADING[rerolled]) >> np.uint64(24)
        np.testing.assert_array_equal(OUTCOMES[int(OFFSETS[index]) + number.astype(int)], expected)


def index_of_rolls(dice: npt.NDArray[np.int_]) -> npt.NDArray[np.int_]:
    places = 6 ** np.arange(5)[::-1]
    index = np.full(7776, -1)
    index[(np.array(ROLLS) - 1) @ places] = np.arange(252)
    found: npt.NDArray[np.int_] = index[(dice - 1) @ places]
    assert found.min() >= 0
    return found


def test_masks_are_canonical() -> None:
    for roll, dice in enumerate(ROLLS):
        choices = {
            tuple(dice[position] for position in positions)
            for size in range(6)
            for positions in combinations(range(5), size)
        }
        assert {masked_dice(roll, mask) for mask in ROLL_MASKS[roll]} == choices
        assert len(ROLL_MASKS[roll]) == len(choices)
        for mask in range(32):
            canonical = int(CANONICAL_MASKS[roll, mask])
            assert masked_dice(roll, canonical) == masked_dice(roll, mask)
            assert canonical in ROLL_MASKS[roll]
            # Of equal dice the lowest are held: no die is held while an equal one below it is not.
            for low, high in combinations(range(5), 2):
                if dice[low] == dice[high]:
                    assert canonical >> low & 1 >= canonical >> high & 1


def test_moves_pack_offset_and_count() -> None:
    for roll in range(252):
        for mask in range(32):
            held = masked_dice(roll, mask)
            assert JUMPS[ROLL_KEEPS[roll, mask]] & 0xFFFF == OFFSETS[KEEP_INDEX[held]]
            assert JUMPS[ROLL_KEEPS[roll, mask]] >> 16 == 5 - len(held)


def test_keep_mask_finds_dice_in_any_order_and_refuses_others() -> None:
    roll = ROLL_INDEX[1, 2, 2, 2, 6]
    assert keep_mask(roll, ()) == 0
    assert keep_mask(roll, (6, 2, 1)) == 0b10011
    assert keep_mask(roll, (2, 2)) == 0b00110
    assert keep_mask(roll, (1, 2, 2, 2, 6)) == 31
    assert keep_mask(roll, (3,)) is None
    assert keep_mask(roll, (1, 1)) is None
    assert keep_mask(roll, (1, 2, 2, 2, 2, 6)) is None


def alike(dice: tuple[int, ...], least: int) -> bool:
    return max(Counter(dice).values()) >= least


ONE_TURN = {
    "three alike": ([alike(roll, 3) for roll in ROLLS], Fraction(234053, 314928)),
    "four alike": ([alike(roll, 4) for roll in ROLLS], Fraction(2197897, 7558272)),
    "three and two": (
        [sorted(Counter(roll).values()) == [2, 3] for roll in ROLLS],
        Fraction(5485535, 15116544),
    ),
    "one to five": ([roll == (1, 2, 3, 4, 5) for roll in ROLLS], Fraction(3856086575, 19591041024)),
    "two to six": ([roll == (2, 3, 4, 5, 6) for roll in ROLLS], Fraction(3856086575, 19591041024)),
    "five alike": ([alike(roll, 5) for roll in ROLLS], Fraction(347897, 7558272)),
}


@pytest.mark.parametrize("aim", ONE_TURN)
def test_best_chance_of_one_turn_is_exact(aim: str) -> None:
    reached, expected = ONE_TURN[aim]
    chances = np.array(reached, np.int64)
    rerolled = np.array([5 - len(keep) for keep in KEEPS])
    for _ in range(2):
        # Whole numbers throughout: every pass multiplies the denominator by 7776.
        keeps = np.add.reduceat(chances[OUTCOMES], OFFSETS) * 6 ** (5 - rerolled)
        chances = np.array(
            [
                max(keeps[KEEP_INDEX[masked_dice(roll, mask)]] for mask in masks)
                for roll, masks in enumerate(ROLL_MASKS)
            ]
        )
    total = sum(ways * int(chance) for ways, chance in zip(ROLL_WAYS, chances, strict=True))
    assert Fraction(total, 7776**3) == expected


def test_chance_that_a_roll_off_is_tied() -> None:
    sums = Counter(sum(word_dice(word)) for word in range(7776))
    assert Fraction(sum(ways**2 for ways in sums.values()), 7776**2) == Fraction(7631, 104976)


@pytest.mark.parametrize(("players", "expected"), [(2, Fraction(1, 6)), (3, Fraction(17, 72))])
def test_chance_that_the_highest_starting_die_is_tied(players: int, expected: Fraction) -> None:
    rolls = list(product(range(1, 7), repeat=players))
    assert Fraction(sum(roll.count(max(roll)) > 1 for roll in rolls), len(rolls)) == expected
