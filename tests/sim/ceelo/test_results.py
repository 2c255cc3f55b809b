from __future__ import annotations

from collections import Counter
from itertools import product

from sim.ceelo.reference import result_of_dice
from sim.ceelo.results import (
    LOSS,
    LOWEST_POINT,
    LOWEST_TRIPLE,
    NOTHING,
    RESULTS,
    STRAIGHT,
    THROW_RESULTS,
    THROWS,
    is_point,
    result_of,
)


def name_of(dice: tuple[int, ...]) -> str | None:
    """What people call a throw, by how often its faces fell."""
    counts = Counter(dice)
    if len(counts) == 1:
        return "-".join(str(face) for face in dice)
    if len(counts) == 2:
        ((odd, _),) = counts.most_common()[1:]
        return f"point {odd}"
    low = min(dice)
    in_a_row = max(dice) == low + 2
    return f"{low}-{low + 1}-{low + 2}" if in_a_row and low in (1, 4) else None


def test_results_stand_from_the_best_to_the_worst() -> None:
    assert [result.name for result in RESULTS] == [
        "4-5-6",
        "6-6-6",
        "5-5-5",
        "4-4-4",
        "3-3-3",
        "2-2-2",
        "1-1-1",
        "point 6",
        "point 5",
        "point 4",
        "point 3",
        "point 2",
        "point 1",
        "1-2-3",
    ]
    assert [result.id for result in RESULTS] == [
        "456",
        "666",
        "555",
        "444",
        "333",
        "222",
        "111",
        "point-6",
        "point-5",
        "point-4",
        "point-3",
        "point-2",
        "point-1",
        "123",
    ]


def test_places_are_those_of_the_results() -> None:
    assert RESULTS[STRAIGHT].id == "456"
    assert RESULTS[LOWEST_TRIPLE].id == "111"
    assert RESULTS[LOWEST_POINT].id == "point-1"
    assert RESULTS[LOSS].id == "123"
    assert len(RESULTS) == NOTHING
    assert [RESULTS[result].id for result in range(len(RESULTS)) if is_point(result)] == [
        f"point-{face}" for face in (6, 5, 4, 3, 2, 1)
    ]
    assert not is_point(NOTHING)


def test_throws_are_numbered_as_digits_in_base_six() -> None:
    assert len(THROWS) == 216
    for number, dice in enumerate(THROWS):
        assert number == int("".join(str(die - 1) for die in dice), 6)


def test_every_throw_comes_to_what_people_call_it() -> None:
    for number, dice in enumerate(product(range(1, 7), repeat=3)):
        found = result_of(dice)
        assert (RESULTS[found].name if found != NOTHING else None) == name_of(dice)
        assert THROW_RESULTS[number] == found
        assert result_of_dice(dice) == (found if found != NOTHING else None)


def test_ways_to_throw_each_result() -> None:
    counts = Counter(THROW_RESULTS)
    straights = 3 * 2 * 1
    of_a_point = 3 * 5  # where the odd die lies, and what the pair shows
    expected = [straights, *[1] * 6, *[of_a_point] * 6, straights]
    assert [counts[result] for result in range(len(RESULTS))] == expected
    # All three differ in 6 * 5 * 4 throws, 12 of which are 4-5-6 or 1-2-3.
    assert counts[NOTHING] == 6 * 5 * 4 - 12 == 108
