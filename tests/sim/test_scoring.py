from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

from sim.cheerio_ruleset import CheerioRuleset, load_cheerio, validate_cheerio
from sim.dice import ROLL_INDEX, ROLLS
from sim.reference import points_of
from sim.ruleset import shipped_rulesets
from sim.scoring import build_legal, build_points, category_points

Rule = Callable[[tuple[int, ...]], int]


def most_alike(dice: tuple[int, ...]) -> int:
    return max(dice.count(face) for face in range(1, 7))


def has_run(dice: tuple[int, ...], length: int) -> bool:
    return any(set(range(low, low + length)) <= set(dice) for low in range(1, 8 - length))


NUMBERS: dict[str, Rule] = {
    "ones": lambda dice: sum(die for die in dice if die == 1),
    "twos": lambda dice: sum(die for die in dice if die == 2),
    "threes": lambda dice: sum(die for die in dice if die == 3),
    "fours": lambda dice: sum(die for die in dice if die == 4),
    "fives": lambda dice: sum(die for die in dice if die == 5),
    "sixes": lambda dice: sum(die for die in dice if die == 6),
}
# The rules of Cheerio and of the website's Cheerio, once more, straight from their words.
CHEERIO: dict[str, Rule] = NUMBERS | {
    "three-of-a-kind": lambda dice: sum(dice) if most_alike(dice) >= 3 else 0,
    "four-of-a-kind": lambda dice: sum(dice) if most_alike(dice) >= 4 else 0,
    "full-house": lambda dice: 25 if sorted(Counter(dice).values()) == [2, 3] else 0,
    "low-straight": lambda dice: 30 if set(dice) == {1, 2, 3, 4, 5} else 0,
    "high-straight": lambda dice: 30 if set(dice) == {2, 3, 4, 5, 6} else 0,
    "small-straight": lambda dice: 20 if has_run(dice, 4) else 0,
    "large-straight": lambda dice: 40 if has_run(dice, 5) else 0,
    "cheerio": lambda dice: 50 if most_alike(dice) == 5 else 0,
    "chance": sum,
}
BOOK: dict[str, Rule] = CHEERIO | {
    "little-straight": lambda dice: 20 if set(dice) == {1, 2, 3, 4, 5} else 0,
    "big-straight": lambda dice: 25 if set(dice) == {2, 3, 4, 5, 6} else 0,
    "full-house": lambda dice: sum(dice) if sorted(Counter(dice).values()) == [2, 3] else 0,
    "big-hand": sum,
}
YAHTZEE: dict[str, Rule] = CHEERIO | {
    "aces": lambda dice: dice.count(1),
    "small-straight": lambda dice: 30 if has_run(dice, 4) else 0,
    "yahtzee": lambda dice: 50 if most_alike(dice) == 5 else 0,
}
YATZY: dict[str, Rule] = CHEERIO | {
    "one-pair": lambda dice: 2 * best(*pair_faces(dice)),
    "two-pairs": lambda dice: two_pairs(dice),
    "three-of-a-kind": lambda dice: 3 * best(*pair_faces(dice, 3)),
    "four-of-a-kind": lambda dice: 4 * best(*pair_faces(dice, 4)),
    "small-straight": lambda dice: 15 if set(dice) == {1, 2, 3, 4, 5} else 0,
    "large-straight": lambda dice: 20 if set(dice) == {2, 3, 4, 5, 6} else 0,
    "full-house": lambda dice: sum(dice) if sorted(Counter(dice).values()) == [2, 3] else 0,
    "yatzy": lambda dice: 50 if most_alike(dice) == 5 else 0,
}
WEB: dict[str, Rule] = NUMBERS | {
    "three-of-a-kind": lambda dice: 30 if most_alike(dice) >= 3 else 0,
    "four-of-a-kind": lambda dice: 40 if most_alike(dice) >= 4 else 0,
    "five-of-a-kind": lambda dice: 50 if most_alike(dice) == 5 else 0,
    "run-of-four": lambda dice: 30 if has_run(dice, 4) else 0,
    "cheerio": lambda dice: 50 if has_run(dice, 5) else 0,
    "full-house": lambda dice: 40 if sorted(Counter(dice).values()) in ([2, 3], [5]) else 0,
    "sum": sum,
}


@pytest.mark.parametrize("name", shipped_rulesets("cheerio"))
def test_every_shipped_category_over_every_roll(name: str) -> None:
    ruleset = load_cheerio(name)
    own = {"cheerio-web": WEB, "cheerio-book": BOOK, "yahtzee": YAHTZEE, "yatzy": YATZY}
    rules = next((rules for start, rules in own.items() if name.startswith(start)), CHEERIO)
    expected = [[rules[key](roll) for roll in ROLLS] for key in ruleset.categories]
    table = build_points(ruleset)
    assert table.shape == (ruleset.turns, 252)
    np.testing.assert_array_equal(table, expected)
    by_reference = [[points_of(ruleset, index, roll) for roll in ROLLS] for index in range(ruleset.turns)]
    assert by_reference == expected


def ruleset_of(*categories: tuple[dict[str, Any], Any], **rules: Any) -> CheerioRuleset:
    lines = {
        f"c{n}": {"name": f"C{n}", "pattern": pattern, "pays": pays}
        for n, (pattern, pays) in enumerate(categories)
    }
    return validate_cheerio(
        {"name": "small", "title": "Small", "players": [1, 2], "categories": lines} | rules, "small"
    )


def best(*sums: int) -> int:
    return max(sums, default=0)


def pair_faces(dice: tuple[int, ...], least: int = 2) -> list[int]:
    return [face for face in range(1, 7) if dice.count(face) >= least]


def run_sums(dice: tuple[int, ...], length: int) -> list[int]:
    return [
        sum(range(low, low + length))
        for low in range(1, 8 - length)
        if all(face in dice for face in range(low, low + length))
    ]


def run_rule(length: int) -> Rule:
    return lambda dice: best(*run_sums(dice, length))


def two_pairs(dice: tuple[int, ...]) -> int:
    pairs = pair_faces(dice)
    return 2 * sum(pairs) if len(pairs) == 2 else 0


def house_dice(dice: tuple[int, ...]) -> int:
    return best(*(3 * a + 2 * b for a in pair_faces(dice, 3) for b in pair_faces(dice) if a != b))


def three_and_one(dice: tuple[int, ...]) -> int:
    return best(*(3 * a + b for a in pair_faces(dice, 3) for b in set(dice) if a != b))


PATTERNS: dict[str, tuple[dict[str, Any], Any, Rule]] = {
    "pair": ({"alike": 2}, "matched dice", lambda dice: 2 * best(*pair_faces(dice))),
    "three alike, those dice": ({"alike": 3}, "matched dice", lambda dice: 3 * best(*pair_faces(dice, 3))),
    "two pairs": ({"groups": [2, 2]}, "matched dice", two_pairs),
    "two pairs or five alike": (
        {"groups": [2, 2], "five_alike": True},
        "matched dice",
        lambda dice: 4 * dice[0] if most_alike(dice) == 5 else two_pairs(dice),
    ),
    "house dice": ({"groups": [3, 2]}, "matched dice", house_dice),
    "house dice, the other way round": ({"groups": [2, 3]}, "matched dice", house_dice),
    "house or five alike": (
        {"groups": [3, 2], "five_alike": True},
        "all dice",
        lambda dice: sum(dice) if house_dice(dice) or most_alike(dice) == 5 else 0,
    ),
    "three and another": ({"groups": [3, 1]}, "matched dice", three_and_one),
    "two pairs and another": (
        {"groups": [2, 2, 1]},
        "matched dice",
        lambda dice: sum(dice) if sorted(Counter(dice).values()) == [1, 2, 2] else 0,
    ),
    "five different": ({"groups": [1, 1, 1, 1, 1]}, 7, lambda dice: 7 if len(set(dice)) == 5 else 0),
    "twenty and the dice": (
        {"run": 4},
        {"points": 20, "plus": "all dice"},
        lambda dice: 20 + sum(dice) if has_run(dice, 4) else 0,
    ),
    "ten and the fours": (
        {"face": 4},
        {"points": 10, "plus": "matched dice"},
        lambda dice: 10 + 4 * dice.count(4) if 4 in dice else 0,
    ),
    "a four at all": ({"face": 4}, 9, lambda dice: 9 if 4 in dice else 0),
    "exact dice": (
        {"faces": [6, 1, 1, 6, 1]},
        "all dice",
        lambda dice: 15 if sorted(dice) == [1, 1, 1, 6, 6] else 0,
    ),
    "any, those dice": ({"any": True}, "matched dice", sum),
    "any, a constant": ({"any": True}, 12, lambda dice: 12),
}
for length in range(2, 6):
    PATTERNS[f"run of {length}"] = ({"run": length}, "matched dice", run_rule(length))


@pytest.mark.parametrize("name", PATTERNS)
def test_pattern_over_every_roll(name: str) -> None:
    pattern, pays, rule = PATTERNS[name]
    ruleset = ruleset_of((pattern, pays))
    expected = [rule(roll) for roll in ROLLS]
    assert build_points(ruleset)[0].tolist() == expected
    assert [points_of(ruleset, 0, roll) for roll in ROLLS] == expected
    assert any(expected)


def test_dice_count_in_any_order() -> None:
    categories = list(load_cheerio("cheerio").categories.values())
    for word in list(product(range(1, 7), repeat=5))[::7]:
        for category in categories:
            assert category_points(category, word) == category_points(category, sorted(word))


def test_legal_categories_under_a_free_scratch_are_all() -> None:
    ruleset = load_cheerio("cheerio")
    assert build_legal(ruleset, build_points(ruleset)).tolist() == [[2**13 - 1] * 252]


def test_legal_categories_under_a_forced_scratch_are_those_that_pay() -> None:
    ruleset = ruleset_of(
        ({"face": 1}, "matched dice"),
        ({"alike": 3}, 5),
        ({"alike": 5}, 50),
        ({"run": 5}, 40),
        scratch="forced",
    )
    paying, rest = build_legal(ruleset, build_points(ruleset)).tolist()
    assert rest == [0b1111] * 252
    legal = dict(zip(ROLLS, paying, strict=True))
    assert legal[2, 2, 3, 4, 6] == 0
    assert legal[1, 2, 3, 3, 6] == 0b0001
    assert legal[1, 1, 1, 3, 6] == 0b0011
    assert legal[2, 2, 2, 3, 6] == 0b0010
    assert legal[1, 1, 1, 1, 1] == 0b0111
    assert legal[4, 4, 4, 4, 4] == 0b0110
    assert legal[1, 2, 3, 4, 5] == 0b1001
    assert legal[2, 3, 4, 5, 6] == 0b1000


def test_a_joker_pays_in_full_where_it_fits_and_nowhere_else() -> None:
    ruleset = load_cheerio("yahtzee")
    plain, joker = build_points(ruleset), build_points(ruleset, joker=True)
    changed = {(int(place), ROLLS[roll]) for place, roll in np.argwhere(plain != joker)}
    keys = list(ruleset.categories)
    fits = [keys.index(key) for key in ("full-house", "small-straight", "large-straight")]
    alike = [(face,) * 5 for face in range(1, 7)]
    assert changed == set(product(fits, alike))
    for place, points in zip(fits, (25, 30, 40), strict=True):
        assert {int(joker[place, ROLL_INDEX[roll]]) for roll in alike} == {points}
    np.testing.assert_array_equal(
        build_points(load_cheerio("cheerio"), joker=True), build_points(load_cheerio("cheerio"))
    )


def test_a_joker_counts_all_five_dice_where_a_category_counts_some() -> None:
    ruleset = ruleset_of(
        ({"alike": 5}, 50),
        ({"alike": 3}, "matched dice"),
        ({"groups": [2, 2]}, {"points": 10, "plus": "matched dice"}),
        ({"run": 4}, {"points": 5, "plus": "all dice"}),
        ({"face": 2}, {"points": 3, "plus": "matched dice"}),
        joker={"category": "c0", "fits": ["c1", "c2", "c3", "c4"], "forced": False},
    )
    joker = build_points(ruleset, joker=True)
    for face in range(1, 7):
        five = ROLL_INDEX[(face,) * 5]
        assert joker[:, five].tolist() == [50, 5 * face, 10 + 5 * face, 5 + 5 * face, 3 + 5 * face]
    assert joker[1, ROLL_INDEX[2, 4, 4, 4, 4]] == 12


def may_be_filled(
    ruleset: CheerioRuleset, points: list[int], opened: set[int], dice: tuple[int, ...], joker: bool
) -> set[int]:
    """Tells in the words of the rules which categories may be filled."""
    rules = list(ruleset.categories.values())
    allowed = opened
    if joker and len(set(dice)) == 1 and ruleset.joker is not None and ruleset.joker.forced:
        of_face = {place for place in opened if rules[place].upper and rules[place].pattern.face == dice[0]}
        lower = {place for place in opened if not rules[place].upper}
        allowed = of_face or lower or opened
    if ruleset.scratch == "forced":
        return {place for place in allowed if points[place] > 0} or allowed
    return allowed


@pytest.mark.parametrize("forced", [True, False])
@pytest.mark.parametrize("scratch", ["free", "forced"])
@pytest.mark.parametrize("joker", [True, False])
def test_what_may_be_filled_over_every_sheet_and_roll(forced: bool, scratch: str, joker: bool) -> None:
    ruleset = ruleset_of(
        ({"face": 1}, "matched dice"),
        ({"face": 3}, "matched dice"),
        ({"run": 4}, 30),
        ({"alike": 3}, "all dice"),
        ({"groups": [3, 2]}, 25),
        ({"alike": 5}, 50),
        joker={"category": "c5", "fits": ["c2", "c4"], "forced": forced},
        scratch=scratch,
    ).model_dump(mode="json")
    for key in ("c0", "c1"):
        ruleset["categories"][key]["upper"] = True
    rules = validate_cheerio(ruleset, "joker")
    points = build_points(rules, joker)
    levels = build_legal(rules, points, joker)
    assert levels.shape == ((3 if joker and forced else 1) * (2 if scratch == "forced" else 1), 252)
    for mask in range(1, 1 << rules.turns):
        opened = {place for place in range(rules.turns) if mask >> place & 1}
        for roll, dice in enumerate(ROLLS):
            level = next((level & mask for level in levels[:, roll].tolist() if level & mask), mask)
            expected = may_be_filled(rules, points[:, roll].tolist(), opened, dice, joker)
            assert {place for place in range(rules.turns) if level >> place & 1} == expected
