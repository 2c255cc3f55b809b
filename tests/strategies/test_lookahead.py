"""Lookahead and aims against brute force: every outcome of every keep, in exact fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from sim.cheerio_ruleset import CheerioRuleset, load_cheerio, validate_cheerio
from sim.dice import KEEP_INDEX, KEEPS, ROLL_INDEX, ROLLS, masked_dice
from sim.views import open_mask
from strategies.aims import MASKS, build_aims, build_pair_masks, two_best_aims
from strategies.lineup import get_player
from strategies.lookahead import Worths, best_choices, best_plan
from strategies.rows import RowMaker
from strategies.strategy import Sheet, StrategyError, build_scoresheet

Dice = tuple[int, ...]
Number = Fraction | float


def sheet_of(ruleset: CheerioRuleset, *opened: str) -> Sheet:
    keys = list(ruleset.categories)
    maker = RowMaker(get_player("greedy"), ruleset)
    return maker.sheet(open_mask([keys.index(key) for key in opened]))


def keep_values(values: dict[Dice, Number]) -> dict[Dice, Number]:
    """The mean value of each keep once it is filled up with every outcome of the other dice."""
    means: dict[Dice, Number] = {}
    for keep in KEEPS:
        outcomes = list(product(range(1, 7), repeat=5 - len(keep)))
        means[keep] = sum((values[tuple(sorted(keep + dice))] for dice in outcomes), Fraction(0)) / len(
            outcomes
        )
    return means


def keeps_of(roll: Dice) -> set[Dice]:
    return {
        tuple(die for die, held in zip(roll, mask, strict=True) if held) for mask in product((0, 1), repeat=5)
    }


def expectimax(values: dict[Dice, Number], throws: int) -> list[dict[Dice, Number]]:
    """The mean value of each keep, by the number of throws that follow it: 1, 2 ..."""
    found = []
    for _ in range(throws - 1):
        means = keep_values(values)
        found.append(means)
        values = {roll: max(means[keep] for keep in keeps_of(roll)) for roll in ROLLS}
    return found


def entry_values(sheet: Sheet, worths: Worths) -> tuple[dict[Dice, Number], dict[Dice, int]]:
    values: dict[Dice, Number] = {}
    choices: dict[Dice, int] = {}
    for roll, dice in enumerate(ROLLS):
        legal = [category.index for category in sheet.legal(dice)]
        best = max(Fraction(float(worths[index, roll])) for index in legal)
        values[dice] = best
        choices[dice] = max(index for index in legal if Fraction(float(worths[index, roll])) == best)
    return values, choices


FORCED = validate_cheerio(
    load_cheerio("cheerio").model_dump(mode="json") | {"name": "forced", "scratch": "forced", "throws": 2},
    "forced",
)
FIVE = validate_cheerio(
    load_cheerio("cheerio").model_dump(mode="json") | {"name": "five", "throws": 5}, "five"
)


@pytest.mark.parametrize(
    ("ruleset", "opened"),
    [
        (load_cheerio("cheerio"), ("ones", "fours", "full-house", "high-straight", "chance")),
        (load_cheerio("cheerio"), ("three-of-a-kind", "cheerio")),
        (FORCED, ("twos", "sixes", "full-house", "low-straight")),
    ],
)
def test_lookahead_is_the_best_that_brute_force_finds(
    ruleset: CheerioRuleset, opened: tuple[str, ...]
) -> None:
    sheet = sheet_of(ruleset, *opened)
    # Halves and quarters are exact in floating point, so that ties are ties.
    worths = (
        sheet.scoresheet.points * np.linspace(1, 1.5, len(sheet.categories))[:, None].round(2) // 0.25 * 0.25
    )
    plan = best_plan(worths, sheet)
    values, choices = entry_values(sheet, worths)
    assert plan.choices.tolist() == [choices[dice] for dice in ROLLS]
    assert best_choices(worths, sheet).tolist() == plan.choices.tolist()
    means = expectimax(values, ruleset.throws)
    for throw in range(ruleset.throws - 1):
        following = means[ruleset.throws - 2 - throw]
        for roll, dice in enumerate(ROLLS):
            best = max(following[keep] for keep in keeps_of(dice))
            equal = [keep for keep in keeps_of(dice) if following[keep] == best]
            chosen = masked_dice(roll, int(plan.keeps[throw, roll]))
            assert following[chosen] == best
            assert len(chosen) == max(map(len, equal))


@pytest.mark.parametrize("cost", [0.0, 0.75, 4.5])
@pytest.mark.parametrize("ruleset", [load_cheerio("cheerio"), FORCED])
def test_a_cost_of_throws_is_paid_for_each_that_follows_the_first(
    ruleset: CheerioRuleset, cost: float
) -> None:
    sheet = sheet_of(ruleset, "fours", "full-house", "chance")
    worths = sheet.scoresheet.points.astype(np.float64)
    plan = best_plan(worths, sheet, cost)
    entered, choices = entry_values(sheet, worths)
    assert plan.choices.tolist() == [choices[dice] for dice in ROLLS]
    following = entered
    for throw in reversed(range(ruleset.throws - 1)):
        means = keep_values(following)
        found: dict[Dice, Number] = {}
        for roll, dice in enumerate(ROLLS):
            # All five end the turn, and cost nothing whatever throws are left.
            options = {keep: means[keep] - Fraction(cost) for keep in keeps_of(dice) if len(keep) < 5}
            options[dice] = entered[dice]
            found[dice] = max(options.values())
            equal = [keep for keep in options if options[keep] == found[dice]]
            chosen = masked_dice(roll, int(plan.keeps[throw, roll]))
            assert options[chosen] == found[dice]
            assert len(chosen) == max(map(len, equal))
        following = found
    stops = (plan.keeps == 31).mean()
    assert (0.01 < stops < 0.2) if cost == 0 else (stops > 0.1)


def test_aims_are_what_brute_force_finds() -> None:
    ruleset = load_cheerio("cheerio")
    aims = build_aims(build_scoresheet(ruleset))
    keys = list(ruleset.categories)
    for key in ("threes", "full-house", "low-straight", "chance"):
        category = keys.index(key)
        sheet = sheet_of(ruleset, key)
        points = sheet.categories[category].points
        means = expectimax({dice: float(points(dice)) for dice in ROLLS}, ruleset.throws)
        # One throw more, from nothing.
        last = {dice: max(means[-1][keep] for keep in keeps_of(dice)) for dice in ROLLS}
        assert aims.usual[category] == pytest.approx(float(keep_values(last)[()]))
        for throw in range(2):
            for roll in range(0, len(ROLLS), 5):
                following = means[1 - throw]
                best = max(following[keep] for keep in keeps_of(ROLLS[roll]))
                assert aims.net[throw, roll, category] + aims.usual[category] == pytest.approx(float(best))
                chosen = masked_dice(roll, int(aims.masks[throw, roll, category]))
                assert following[chosen] == pytest.approx(float(best))
                for place, mask in enumerate(MASKS.tolist()):
                    if np.isfinite(aims.kept[throw, roll, place, category]):
                        keep = masked_dice(roll, mask)
                        assert aims.kept[throw, roll, place, category] == pytest.approx(
                            float(following[keep])
                        )


def test_each_keep_of_a_roll_stands_once_among_the_aims() -> None:
    aims = build_aims(build_scoresheet(load_cheerio("cheerio-web-short")))
    for roll, dice in enumerate(ROLLS):
        held = [
            KEEP_INDEX[masked_dice(roll, mask)]
            for place, mask in enumerate(MASKS.tolist())
            if np.isfinite(aims.kept[0, roll, place, 0])
        ]
        assert sorted(held) == sorted(KEEP_INDEX[keep] for keep in keeps_of(dice))


@pytest.mark.parametrize("ruleset", [load_cheerio("cheerio"), FIVE])
def test_two_best_aims_and_the_keeps_for_both(ruleset: CheerioRuleset) -> None:
    aims = build_aims(build_scoresheet(ruleset))
    opened = (0, 3, 8, 9, 12)
    first, second = two_best_aims(aims, opened)
    pairs = build_pair_masks(build_scoresheet(ruleset))
    for throw in range(ruleset.throws - 1):
        for roll in range(0, len(ROLLS), 7):
            net = aims.net[throw, roll]
            order = sorted(opened, key=lambda category: (round(float(net[category]), 8), category))
            assert (first[throw, roll], second[throw, roll]) == (order[-1], order[-2])
            both = aims.kept[throw, roll, :, order[-1]] + aims.kept[throw, roll, :, order[-2]]
            chosen = pairs[throw, roll, order[-1], order[-2]]
            assert both[MASKS.tolist().index(chosen)] == pytest.approx(both.max())


def test_a_single_open_category_is_both_aims() -> None:
    first, second = two_best_aims(build_aims(build_scoresheet(load_cheerio("cheerio"))), (4,))
    assert (first == 4).all()
    assert (second == 4).all()


@pytest.mark.parametrize(
    "wrong", [np.full((13, 252), np.nan), np.full((13, 252), -np.inf), np.zeros((12, 252)), None]
)
def test_worths_that_are_no_numbers_are_refused(wrong: Worths) -> None:
    sheet = sheet_of(load_cheerio("cheerio"), "ones")
    with pytest.raises(StrategyError, match=r"finite numbers of shape \(13, 252\)"):
        best_plan(wrong, sheet)


def test_a_roll_is_found_by_its_sorted_dice() -> None:
    sheet = sheet_of(load_cheerio("cheerio"), "chance")
    category = sheet.open[0]
    assert category.points((6, 1, 5, 2, 3)) == 17 == sheet.scoresheet.points[12, ROLL_INDEX[1, 2, 3, 5, 6]]
