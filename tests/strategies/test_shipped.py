"""Every shipped strategy of Cheerio: situations and the decisions that its rule asks for, worked out by hand."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from sim.cheerio_ruleset import CheerioRuleset, load_cheerio, validate_cheerio
from sim.dice import ROLL_INDEX, ROLL_MASKS, ROLLS, masked_dice
from sim.ruleset import shipped_rulesets
from sim.scoring import build_points
from sim.views import open_mask
from strategies.lineup import get_player, shipped_strategies
from strategies.rows import RowMaker
from strategies.strategy import Plan

SHIPPED = shipped_strategies("cheerio")
ALL = tuple(load_cheerio("cheerio").categories)
UPPER = ("ones", "twos", "threes", "fours", "fives", "sixes")


def changed(name: str, **changes: object) -> CheerioRuleset:
    rules = load_cheerio(name).model_dump(mode="json")
    return validate_cheerio({**rules, "name": "changed", **changes}, "changed")


@lru_cache(maxsize=256)
def plan_of(words: str, opened: tuple[str, ...], ruleset: CheerioRuleset) -> Plan:
    keys = list(ruleset.categories)
    return RowMaker(get_player(words), ruleset).make([open_mask([keys.index(key) for key in opened])])[0]


def kept(words: str, dice: tuple[int, ...], rolls_left: int, opened: tuple[str, ...]) -> tuple[int, ...]:
    ruleset = load_cheerio("cheerio")
    roll = ROLL_INDEX[tuple(sorted(dice))]
    mask = plan_of(words, opened, ruleset).keeps[ruleset.throws - 1 - rolls_left, roll]
    return masked_dice(roll, int(mask))


def filled(words: str, dice: tuple[int, ...], opened: tuple[str, ...]) -> str:
    ruleset = load_cheerio("cheerio")
    choice = plan_of(words, opened, ruleset).choices[ROLL_INDEX[tuple(sorted(dice))]]
    return list(ruleset.categories)[int(choice)]


KEEPS: list[tuple[str, tuple[int, ...], int, tuple[str, ...], tuple[int, ...]]] = [
    # The face that shows most, the higher of equals; all five of a kind.
    ("sets", (5, 1, 6, 1, 5), 2, ALL, (5, 5)),
    ("sets", (1, 1, 1, 6, 6), 1, ALL, (1, 1, 1)),
    ("sets", (1, 2, 3, 4, 6), 2, ("ones",), (6,)),
    ("sets", (4, 4, 4, 4, 4), 2, ("ones",), (4, 4, 4, 4, 4)),
    # The one open category decides.
    ("greedy", (1, 1, 3, 4, 5), 1, ("ones",), (1, 1)),
    ("greedy", (1, 3, 3, 4, 5), 2, ("low-straight",), (1, 3, 4, 5)),
    ("greedy", (1, 2, 4, 5, 6), 1, ("chance",), (4, 5, 6)),  # a die is rerolled below 3.5
    ("greedy", (3, 3, 4, 5, 6), 2, ("chance",), (5, 6)),  # below 4.25 with two throws to come
    ("greedy", (2, 2, 3, 3, 6), 1, ("full-house",), (2, 2, 3, 3)),
    ("par", (2, 2, 3, 3, 6), 1, ("full-house",), (2, 2, 3, 3)),
    ("nets", (1, 2, 4, 5, 6), 1, ("chance",), (4, 5, 6)),
    # The lower categories count for nothing while an upper one is open.
    ("upper-first", (1, 2, 5, 5, 6), 1, ("fives", "cheerio"), (5, 5)),
    ("upper-first", (2, 3, 4, 5, 5), 1, ("fives", "high-straight"), (5, 5)),
    ("upper-first", (2, 3, 4, 5, 5), 1, ("high-straight",), (2, 3, 4, 5)),
    ("upper-first", (2, 3, 4, 5, 6), 2, ("ones", "high-straight"), ()),  # no one is there to be kept
    # From 2-3-4-5-5 Fives promise 12.5 - 10.5, High Straight 5 - 5.9.
    ("commit", (2, 3, 4, 5, 5), 1, ("fives", "high-straight"), (5, 5)),
    # From 1-2-2-5-5 Fives promise 12.5 - 10.5, Full House 8.3 - 9.1: Fives alone, or both with two pairs.
    ("commit", (1, 2, 2, 5, 5), 1, ("fives", "full-house"), (5, 5)),
    ("split", (1, 2, 2, 5, 5), 1, ("fives", "full-house"), (2, 2, 5, 5)),
    ("split", (6, 6, 6, 2, 1), 1, ("sixes", "four-of-a-kind"), (6, 6, 6)),
    # A full house promises 25 - 9.1.
    ("commit", (2, 2, 2, 3, 3), 2, ("twos", "full-house"), (2, 2, 2, 3, 3)),
    ("split", (2, 2, 2, 3, 3), 2, ("twos", "full-house"), (2, 2, 2, 3, 3)),
    # A throw of one die for Chance brings 3.5 less what it shows; brisk wants more than 0.75 of each throw.
    ("par", (3, 4, 5, 6, 6), 1, ("chance",), (4, 5, 6, 6)),
    ("brisk", (3, 4, 5, 6, 6), 1, ("chance",), (3, 4, 5, 6, 6)),
    ("brisk", (2, 4, 5, 6, 6), 1, ("chance",), (4, 5, 6, 6)),
    ("brisk", (3, 3, 5, 6, 6), 1, ("chance",), (5, 6, 6)),
    ("brisk:throw=1.5", (2, 4, 5, 6, 6), 1, ("chance",), (2, 4, 5, 6, 6)),
    ("brisk:throw=1.4", (2, 4, 5, 6, 6), 1, ("chance",), (4, 5, 6, 6)),
    # Each die thrown for Sixes brings one point on average.
    ("brisk", (1, 6, 6, 6, 6), 1, ("sixes",), (6, 6, 6, 6)),
    ("brisk:throw=1.1", (1, 6, 6, 6, 6), 1, ("sixes",), (1, 6, 6, 6, 6)),
    ("brisk:throw=1.1", (1, 6, 6, 6, 6), 2, ("sixes",), (1, 6, 6, 6, 6)),
    ("brisk:throw=1.1", (1, 2, 6, 6, 6), 1, ("sixes",), (6, 6, 6)),
    ("brisk:throw=2.1", (1, 2, 6, 6, 6), 1, ("sixes",), (1, 2, 6, 6, 6)),
    ("brisk:throw=2.9", (1, 2, 3, 6, 6), 2, ("sixes",), (6, 6)),
    ("brisk:throw=3.1", (1, 2, 3, 6, 6), 2, ("sixes",), (1, 2, 3, 6, 6)),
    # Advice changes par where it has something to say; see also test_tips.py.
    ("tip-low", (2, 2, 3, 3, 6), 1, ("full-house",), (2, 2, 3, 3)),
    ("tip-bonus", (2, 2, 3, 3, 6), 1, ("full-house",), (2, 2, 3, 3)),
    ("tip-nets", (2, 2, 3, 3, 6), 1, ("full-house",), (2, 2, 3, 3)),
    ("tip-rival", (2, 2, 3, 3, 6), 1, ("full-house",), (2, 2, 3, 3)),
    ("tip-commit", (2, 3, 4, 5, 5), 2, ("high-straight", "cheerio"), (5, 5)),
    # With one category open there is but one aim.
    ("optimal", (1, 3, 3, 4, 5), 2, ("low-straight",), (1, 3, 4, 5)),
    ("optimal", (3, 3, 4, 5, 6), 2, ("chance",), (5, 6)),  # below 4.25 with two throws to come
    ("lookahead", (2, 2, 3, 3, 6), 1, ("full-house",), (2, 2, 3, 3)),
    ("win", (2, 2, 3, 3, 6), 1, ("full-house",), (2, 2, 3, 3)),  # 400 behind: the mean decides, as far ahead
    # Two pairs are a full house in one of three cases, 25 + 4.2, and else 4 + 9.1: 18.5. Two Twos grow by one: 6 + 9.1.
    ("optimal", (2, 2, 3, 3, 6), 1, ("twos", "full-house"), (2, 2, 3, 3)),
    ("lookahead", (2, 2, 3, 3, 6), 1, ("twos", "full-house"), (2, 2, 3, 3)),
    ("split", (1, 3, 3, 4, 5), 1, ("low-straight",), (1, 3, 4, 5)),
    ("commit", (1, 3, 3, 4, 5), 1, ("low-straight",), (1, 3, 4, 5)),
]

CHOICES: list[tuple[str, tuple[int, ...], tuple[str, ...], str]] = [
    # What pays most, the later of equals.
    ("sets", (2, 2, 2, 3, 3), ("twos", "full-house"), "full-house"),
    ("sets", (2, 2, 2, 3, 4), ("full-house", "cheerio"), "cheerio"),
    ("greedy", (6, 6, 6, 6, 1), ("sixes", "four-of-a-kind"), "four-of-a-kind"),
    ("greedy", (6, 6, 6, 6, 6), ("sixes", "chance"), "chance"),
    ("greedy", (1, 2, 3, 5, 6), ("ones", "full-house", "cheerio"), "ones"),
    # 1.5 times 18 is more than 25.
    ("greedy:upper=0.5", (6, 6, 6, 2, 2), ("sixes", "full-house"), "sixes"),
    ("greedy", (6, 6, 6, 2, 2), ("sixes", "full-house"), "full-house"),
    # An upper category as long as one is open, then what pays most.
    ("upper-first", (5, 5, 5, 5, 5), ALL, "fives"),
    ("upper-first", (5, 5, 5, 5, 5), ("ones", "cheerio"), "ones"),
    ("upper-first", (5, 5, 5, 5, 5), ("chance", "cheerio"), "cheerio"),
    # Ones and Twos count 8 at least; of the two, the one that is less short of 2.1 and 4.2.
    ("bank-low", (1, 2, 3, 4, 6), ("ones", "twos", "cheerio"), "ones"),
    ("bank-low", (2, 2, 3, 4, 6), ("ones", "twos", "sixes", "cheerio"), "twos"),
    ("bank-low", (3, 3, 4, 4, 6), ("ones", "twos"), "ones"),
    ("bank-low", (1, 2, 3, 4, 6), ("ones", "twos", "sixes", "chance"), "chance"),
    ("bank-low", (6, 6, 4, 4, 3), ("ones", "sixes"), "sixes"),
    ("bank-low", (6, 3, 4, 4, 3), ("ones", "sixes"), "ones"),
    ("bank-low:poor=5", (6, 3, 4, 4, 3), ("ones", "sixes"), "sixes"),
    # Chance and Three of a Kind cost 12.
    ("nets", (2, 3, 4, 6, 6), ("sixes", "chance"), "sixes"),
    ("nets", (1, 3, 4, 6, 6), ("ones", "chance"), "chance"),
    ("nets", (3, 3, 3, 1, 1), ("threes", "chance"), "threes"),
    ("nets", (4, 4, 4, 6, 6), ("threes", "three-of-a-kind"), "three-of-a-kind"),
    ("nets:price=30", (4, 4, 4, 6, 6), ("threes", "three-of-a-kind"), "threes"),
    ("nets:price=30", (4, 4, 4, 6, 6), ("three-of-a-kind",), "three-of-a-kind"),
    # Points above the usual: 1 - 2.1 against 19 - 23.3.
    ("par", (1, 2, 5, 5, 6), ("ones", "chance"), "ones"),
    ("par", (4, 5, 5, 6, 6), ("ones", "chance"), "chance"),
    ("par:scale=0", (1, 2, 5, 5, 6), ("ones", "chance"), "chance"),
    ("brisk", (1, 2, 5, 5, 6), ("ones", "chance"), "ones"),
    ("brisk", (4, 5, 5, 6, 6), ("ones", "chance"), "chance"),
    ("brisk:scale=0", (1, 2, 5, 5, 6), ("ones", "chance"), "chance"),
    # Ones bring 2.1 on average, Chance 23.3.
    ("optimal", (1, 2, 5, 5, 6), ("ones", "chance"), "ones"),
    ("optimal", (4, 5, 5, 6, 6), ("ones", "chance"), "chance"),
    ("lookahead", (1, 2, 5, 5, 6), ("ones", "chance"), "ones"),
    ("win", (1, 2, 5, 5, 6), ("ones", "chance"), "ones"),
    ("lookahead", (4, 5, 5, 6, 6), ("ones", "chance"), "chance"),
    ("commit", (1, 2, 5, 5, 6), ("ones", "chance"), "ones"),
    ("split", (1, 2, 5, 5, 6), ("ones", "chance"), "ones"),
    # Poor rolls go low; Fours pay 8 - 8.4 and Chance 24 - 23.3, less the price of a net.
    ("tip-low", (1, 3, 4, 5, 6), ("twos", "threes"), "twos"),
    ("tip-nets", (4, 4, 5, 5, 6), ("fours", "chance"), "fours"),
    ("tip-bonus", (4, 4, 5, 5, 6), ("fours", "chance"), "chance"),
    ("tip-commit", (4, 4, 5, 5, 6), ("fours", "chance"), "chance"),
    ("tip-rival", (4, 4, 5, 5, 6), ("fours", "chance"), "chance"),
]


@pytest.mark.parametrize(("words", "dice", "rolls_left", "opened", "expected"), KEEPS)
def test_keeps(
    words: str,
    dice: tuple[int, ...],
    rolls_left: int,
    opened: tuple[str, ...],
    expected: tuple[int, ...],
) -> None:
    assert kept(words, dice, rolls_left, opened) == expected


@pytest.mark.parametrize(("words", "dice", "opened", "expected"), CHOICES)
def test_choices(words: str, dice: tuple[int, ...], opened: tuple[str, ...], expected: str) -> None:
    assert filled(words, dice, opened) == expected


def test_every_shipped_strategy_but_random_has_situations_of_both_kinds() -> None:
    pure = set(SHIPPED) - {"random"}
    assert pure <= {case[0] for case in CHOICES}
    assert pure - {"bank-low"} <= {case[0] for case in KEEPS}


def test_bank_low_keeps_as_greedy_does_once_ones_and_twos_are_filled() -> None:
    opened = ALL[2:]
    ruleset = load_cheerio("cheerio")
    banked, greedy = plan_of("bank-low", opened, ruleset), plan_of("greedy", opened, ruleset)
    assert np.array_equal(banked.keeps, greedy.keeps)
    assert np.array_equal(banked.choices, greedy.choices)


def test_random_mixes_every_keep_and_every_open_category_once() -> None:
    ruleset = load_cheerio("cheerio")
    plan = plan_of("random", ("twos", "sixes", "chance"), ruleset)
    assert plan.keep_options is not None
    assert plan.choice_options is not None
    for roll in range(len(ROLLS)):
        for throw in range(2):
            assert sorted(plan.keep_options[plan.keeps[throw, roll]]) == sorted(ROLL_MASKS[roll])
        assert tuple(plan.choice_options[plan.choices[roll]]) == (1, 5, 12)
    all_alike = plan.keep_options[plan.keeps[0, ROLL_INDEX[2, 2, 2, 2, 2]]]
    assert len(all_alike) == 6  # none to five of them


def test_random_mixes_the_paying_categories_where_a_scratch_is_forced() -> None:
    ruleset = changed("cheerio", scratch="forced")
    plan = plan_of("random", ("twos", "sixes", "full-house", "cheerio"), ruleset)
    assert plan.choice_options is not None
    for dice, expected in {
        (2, 2, 3, 4, 6): (1, 5),
        (2, 2, 2, 6, 6): (1, 5, 8),
        (1, 3, 4, 4, 5): (1, 5, 8, 11),
        (6, 6, 6, 6, 6): (5, 11),
    }.items():
        assert tuple(plan.choice_options[plan.choices[ROLL_INDEX[dice]]]) == expected


def test_upper_first_takes_a_lower_category_where_it_is_forced_to() -> None:
    ruleset = changed("cheerio", scratch="forced")
    plan = plan_of("upper-first", ("ones", "full-house", "chance"), ruleset)
    keys = list(ruleset.categories)
    assert keys[plan.choices[ROLL_INDEX[2, 2, 2, 3, 3]]] == "full-house"
    assert keys[plan.choices[ROLL_INDEX[1, 2, 2, 3, 3]]] == "ones"


@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.parametrize("throws", [1, 2, 4, 5])
def test_every_strategy_plays_any_number_of_throws(name: str, throws: int) -> None:
    ruleset = changed("cheerio", throws=throws)
    plan = plan_of(name, ("fours", "full-house", "chance"), ruleset)
    assert np.asarray(plan.keeps).shape == (throws - 1, len(ROLLS))


@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.parametrize("kinds", ["lower", "upper", "one", "forced"])
def test_every_strategy_plays_any_categories(name: str, kinds: str) -> None:
    rules = load_cheerio("cheerio").model_dump(mode="json")["categories"]
    keys = {"lower": ALL[7:9], "upper": UPPER[:1], "one": ("cheerio",), "forced": ALL[4:10]}[kinds]
    ruleset = changed(
        "cheerio",
        categories={key: rules[key] for key in keys},
        scratch="forced" if kinds == "forced" else "free",
    )
    maker = RowMaker(get_player(name), ruleset)
    plans = maker.make(maker.whole_contexts().tolist())
    assert len(plans) == 2 ** len(keys) - 1


def test_brisk_that_asks_for_nothing_plays_as_par_does() -> None:
    for opened in (ALL, ("fives", "full-house", "cheerio")):
        brisk, par = (plan_of(words, opened, load_cheerio("cheerio")) for words in ("brisk:throw=0", "par"))
        assert np.array_equal(brisk.keeps, par.keeps)
        assert np.array_equal(brisk.choices, par.choices)


@pytest.mark.parametrize("ruleset", shipped_rulesets("cheerio"))
def test_equal_keeps_are_decided_for_more_dice(ruleset: str) -> None:
    # Once nothing can change the points, the whole roll is kept and the turn ends.
    rules = load_cheerio(ruleset)
    for dice in ((2, 2, 2, 2, 2), (1, 2, 3, 4, 5)):
        roll = ROLL_INDEX[dice]
        best = [
            key
            for key, points in zip(rules.categories, build_points(rules), strict=True)
            if points[roll] == 50
        ]
        for key in best:
            assert plan_of("greedy", (key,), rules).keeps[0, roll] == 31
