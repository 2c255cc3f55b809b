from __future__ import annotations

from math import sqrt

import numpy as np
import numpy.typing as npt
import pytest

from sim import reference
from sim.dice import WORDS
from sim.streams import COIN, DICE, START, TIEBREAK, fill_words, philox, uniform

# Random123's kat_vectors for philox4x32, ten rounds: counter, key, block.
KNOWN_ANSWERS = [
    (
        (0, 0, 0, 0),
        (0, 0),
        (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8),
    ),
    (
        (0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF),
        (0xFFFFFFFF, 0xFFFFFFFF),
        (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD),
    ),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]
FAR_DEALS = [0, 2**32 - 20, 2**63 - 20, 2**64 - 40]


def drawn(seed: int, deal: int, seat: int, turn: int, purpose: int, slot: int, below: int) -> int:
    return int(uniform(*(np.uint64(number) for number in (seed, deal, seat, turn, purpose, slot, below))))


def filled(
    seed: int, first_deal: int, seats: npt.NDArray[np.uint8], turns: npt.NDArray[np.uint8], throws: int
) -> npt.NDArray[np.uint16]:
    words = np.full((8, seats.size), 9999, np.uint16)
    fill_words(np.uint64(seed), np.uint64(first_deal), seats, turns, throws, words)
    return words


@pytest.mark.parametrize(("counter", "key", "block"), KNOWN_ANSWERS)
def test_known_answers(
    counter: tuple[int, int, int, int], key: tuple[int, int], block: tuple[int, int, int, int]
) -> None:
    assert reference.philox(counter, key) == block
    assert tuple(map(int, philox(*(np.uint64(number) for number in (*counter, *key))))) == block


@pytest.mark.parametrize("first_deal", FAR_DEALS)
@pytest.mark.parametrize("throws", [1, 2, 3, 4, 5])
def test_filled_words_are_the_uniform_draws(first_deal: int, throws: int) -> None:
    lanes = 40
    seats = np.arange(lanes, dtype=np.uint8) % 6
    turns = np.arange(lanes, dtype=np.uint8) * 5 % 16
    for seed in (0, 2**64 - 1):
        words = filled(seed, first_deal, seats, turns, throws)[:throws]
        for throw in range(throws):
            for lane in range(lanes):
                place = (seed, first_deal + lane, int(seats[lane]), int(turns[lane]), DICE, throw, WORDS)
                assert words[throw, lane] == drawn(*place) == reference.uniform(*place)


@pytest.mark.parametrize("below", [1, 2, 6, 7776, 2**32 - 1, 2**32, 3 << 30])
def test_draws_are_those_of_the_slow_reference(below: int) -> None:
    for number in range(60):
        place = (number * 0x9E3779B97F4A7C15 % 2**64, number * 0x2545F4914F6CDD1D % 2**64)
        place_in_turn = (number % 6, number % 16, number % 4, number % 9)
        result = drawn(*place, *place_in_turn, below)
        assert result == reference.uniform(*place, *place_in_turn, below)
        assert 0 <= result < below


def test_a_rejected_word_takes_the_one_two_blocks_on() -> None:
    below = 3 << 30  # a quarter of all words is rejected
    rejected = 0
    for deal in range(200):
        for slot in (0, 3, 5):
            number = None
            for block in range(slot // 4, 100, 2):
                word = reference.philox((deal, 0, COIN << 24 | 2 << 16 | 7, block), (11, 0))[slot % 4]
                if word * below % 2**32 >= 2**32 % below:
                    number = word * below >> 32
                    break
                rejected += 1
            assert number == drawn(11, deal, 2, 7, COIN, slot, below)
            assert number == reference.uniform(11, deal, 2, 7, COIN, slot, below)
    # 600 draws reject 600 / 3 words on average, standard deviation sqrt(600 * 4 / 9): 5 of these allowed.
    assert abs(rejected - 200) < 5 * sqrt(600 * 4 / 9)


def numpy_philox(
    deals: npt.NDArray[np.uint64], stream: int, block: int, seed: int
) -> list[npt.NDArray[np.uint64]]:
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    counter = [deals & low, deals >> half, np.full_like(deals, stream), np.full_like(deals, block)]
    key = [seed % 2**32, seed >> 32]
    for _ in range(10):
        first, second = counter[0] * np.uint64(0xD2511F53), counter[2] * np.uint64(0xCD9E8D57)
        counter = [
            second >> half ^ counter[1] ^ np.uint64(key[0]),
            second & low,
            first >> half ^ counter[3] ^ np.uint64(key[1]),
            first & low,
        ]
        key = [(key[0] + 0x9E3779B9) % 2**32, (key[1] + 0xBB67AE85) % 2**32]
    return counter


def test_rejected_dice_words_shift_no_other_draw() -> None:
    seed, seat, turn = 20_260_101, 3, 8
    words = numpy_philox(np.arange(1 << 20, dtype=np.uint64), DICE << 24 | seat << 16 | turn, 0, seed)
    # One word in 1.7 million is rejected, so a million blocks of four hold two or three.
    places = [
        (int(deal), slot)
        for slot, word in enumerate(words)
        for deal in np.flatnonzero(
            (word * np.uint64(WORDS)) & np.uint64(0xFFFFFFFF) < np.uint64(2**32 % WORDS)
        )
    ]
    assert places
    for deal, rejected_slot in places:
        first = max(deal - 5, 0)
        table = filled(seed, first, np.full(11, seat, np.uint8), np.full(11, turn, np.uint8), 4)
        for lane in range(11):
            for slot in range(4):
                plain = int(words[slot][first + lane]) * WORDS >> 32
                expected = reference.uniform(seed, first + lane, seat, turn, DICE, slot, WORDS)
                assert table[slot, lane] == expected
                if (first + lane, slot) != (deal, rejected_slot):
                    assert table[slot, lane] == plain
        later = reference.philox((deal, 0, DICE << 24 | seat << 16 | turn, 2), (seed, 0))[rejected_slot]
        assert table[rejected_slot, deal - first] == later * WORDS >> 32


def chi_square_z(counts: npt.NDArray[np.int_]) -> float:
    """Standard errors by which a chi-square of equal classes is off its mean."""
    classes = counts.size
    expected = counts.sum() / classes
    statistic = float(((counts - expected) ** 2 / expected).sum())
    return (statistic - (classes - 1)) / sqrt(2 * (classes - 1))


def test_words_and_pairs_of_throws_are_uniform() -> None:
    # Seed fixed; 5 standard errors are allowed.
    lanes = 200_000
    seats, turns = np.zeros(lanes, np.uint8), np.full(lanes, 4, np.uint8)
    table = filled(7, 1 << 40, seats, turns, 3).astype(np.int64)
    for throw in range(3):
        assert table[throw].max() < WORDS
        assert abs(chi_square_z(np.bincount(table[throw], minlength=WORDS))) < 5
    leading = table[:3] // 216  # the first two dice of each throw
    for one, other in ((0, 1), (0, 2), (1, 2)):
        pairs = np.bincount(leading[one] * 36 + leading[other], minlength=36 * 36)
        assert abs(chi_square_z(pairs)) < 5
    # The same throw of neighbouring deals.
    assert abs(chi_square_z(np.bincount(leading[0, :-1] * 36 + leading[0, 1:], minlength=36 * 36))) < 5


@pytest.mark.parametrize("purpose", [START, TIEBREAK, COIN])
def test_small_draws_are_uniform(purpose: int) -> None:
    # Seed fixed; 5 standard errors are allowed.
    counts = np.bincount([drawn(3, deal, 1, 2, purpose, 0, 6) for deal in range(6000)], minlength=6)
    assert counts.size == 6
    assert abs(chi_square_z(counts)) < 5


def test_streams_of_seats_turns_and_purposes_differ() -> None:
    below = 2**32
    draws = {
        drawn(5, 6, seat, turn, purpose, slot, below)
        for seat in range(6)
        for turn in range(16)
        for purpose in (DICE, START, TIEBREAK, COIN)
        for slot in range(5)
    }
    # 1920 numbers below 2**32 are all different but with chance 0.0004, and the seed is fixed.
    assert len(draws) == 6 * 16 * 4 * 5
