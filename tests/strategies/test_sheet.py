"""What a sheet shows once a joker is at hand, against the slow reference."""

from __future__ import annotations

import random

import pytest

from sim.cheerio_ruleset import CheerioRuleset, load_cheerio, validate_cheerio
from sim.dice import ROLLS
from sim.reference_sheet import allowed_on, pays_on
from sim.views import masked_categories
from strategies.sheet import Sheet, UndeclaredViewError, allowed_masks, build_scoresheet, legal_mask

YAHTZEE = load_cheerio("yahtzee")
KEYS = list(YAHTZEE.categories)


def changed(**changes: object) -> CheerioRuleset:
    rules = YAHTZEE.model_dump(mode="json", exclude_none=True)
    return validate_cheerio(rules | {"name": "changed", **changes}, "changed")


FREE = changed(joker={"category": "yahtzee", "fits": ["chance", "aces", "large-straight"], "forced": False})


def sheet_of(ruleset: CheerioRuleset, mask: int) -> Sheet:
    return Sheet(build_scoresheet(ruleset), ("open",), {"open": mask})


@pytest.mark.parametrize(
    "ruleset", [YAHTZEE, changed(scratch="forced"), FREE, load_cheerio("yatzy")], ids=lambda rules: rules.name
)
def test_points_and_legal_categories_are_those_of_the_slow_reference(ruleset: CheerioRuleset) -> None:
    draw = random.Random(4)
    masks = [draw.randrange(1, 1 << ruleset.turns) for _ in range(40)] + [1 << 4, (1 << ruleset.turns) - 1]
    for mask in masks:
        sheet, opened = sheet_of(ruleset, mask), masked_categories(mask)
        allowed = allowed_masks(sheet).tolist()
        for roll, dice in enumerate(ROLLS):
            expected = allowed_on(ruleset, opened, dice)
            assert tuple(category.index for category in sheet.legal(dice)) == expected
            assert masked_categories(allowed[roll]) == expected
            assert masked_categories(legal_mask(sheet, roll)) == expected
            for category in sheet.open:
                points = pays_on(ruleset, opened, category.index, dice)
                assert category.points(dice) == sheet.scoresheet.points[category.index, roll] == points


def test_a_sheet_has_a_joker_once_its_category_is_filled() -> None:
    place = KEYS.index("yahtzee")
    whole = (1 << YAHTZEE.turns) - 1
    before, after = sheet_of(YAHTZEE, whole), sheet_of(YAHTZEE, whole ^ 1 << place)
    house = KEYS.index("full-house")
    assert (before.scoresheet.has_joker, after.scoresheet.has_joker) == (False, True)
    assert (before.categories[house].points((4, 4, 4, 4, 4)), after.open[house].points([4] * 5)) == (0, 25)
    assert [category.id for category in after.legal((4, 4, 4, 4, 4))] == ["fours"]
    assert len(before.legal((4, 4, 4, 4, 4))) == YAHTZEE.turns
    lower = sheet_of(YAHTZEE, whole ^ 1 << place ^ 1 << KEYS.index("fours")).legal((4, 4, 4, 4, 4))
    assert [category.id for category in lower] == [
        "three-of-a-kind",
        "four-of-a-kind",
        "full-house",
        "small-straight",
        "large-straight",
        "chance",
    ]
    assert [category.id for category in sheet_of(YAHTZEE, 0b11).legal((4, 4, 4, 4, 4))] == ["aces", "twos"]


def test_whether_a_joker_brings_extra_points_is_seen_where_it_is_declared() -> None:
    scoresheet = build_scoresheet(YAHTZEE)
    shown = Sheet(scoresheet, ("open", "joker"), {"open": 0b11, "joker": 1})
    assert (shown.joker, shown.words()) == (1, "open: Aces, Twos; joker: 1")
    with pytest.raises(
        UndeclaredViewError, match="add 'joker' to sees to be shown 1 while further five alike"
    ):
        _ = sheet_of(YAHTZEE, 0b11).joker


def test_a_sheet_that_does_not_show_the_open_categories_has_none_to_allow() -> None:
    sheet = Sheet(build_scoresheet(YAHTZEE), ("upper",), {"upper": 20}, "steal_sees")
    assert not sheet.scoresheet.has_joker
    for read in (lambda: sheet.open, lambda: sheet.legal((1, 2, 3, 4, 5)), lambda: sheet.open_indices):
        with pytest.raises(UndeclaredViewError, match=r"steal_sees = \('upper',\); add 'open' to steal_sees"):
            read()
