"""A sheet as its player describes it, against the sheets that the slow reference keeps."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from sim.cheerio_ruleset import load_cheerio
from sim.dice import ROLLS
from sim.reference import view_of
from sim.reference_sheet import holds_joker, points_of, total_of, upper_subtotal
from sim.views import open_mask
from sim.worth import build_worth
from strategies.deciding import shown_views
from strategies.exact import paces
from strategies.situation import Situation, possible_points, possible_uppers


def sheet(ruleset, draw):
    """A sheet filled with what chance brings, and how many further five alike brought extra points."""
    categories = draw.sample(range(ruleset.turns), draw.randrange(ruleset.turns))
    entries = {c: points_of(ruleset, c, draw.choice(ROLLS)) for c in categories}
    further = draw.randrange(2) if holds_joker(ruleset, entries) and len(entries) > 1 else 0
    return entries, further


def test_the_pace_of_many_sheets_is_that_of_each():
    ruleset = load_cheerio("cheerio-bonus")
    sheets = [(open_mask(filled), upper) for filled in ((), (5,), (0, 3)) for upper in range(3, 32)]
    opened = [(1 << ruleset.turns) - 1 & ~filled for filled, _ in sheets]
    uppers = [upper for _, upper in sheets]
    described = [
        Situation(ruleset=ruleset, opened=mask, upper=upper).views()["pace"]
        for mask, upper in zip(opened, uppers, strict=True)
    ]
    assert paces(ruleset, np.array(opened), np.array(uppers)).tolist() == described
    assert set(described) == {-2, -1, 0, 1, 2}


@pytest.mark.parametrize("name", ["cheerio-bonus", "cheerio-web", "yahtzee", "yatzy"])
def test_views_are_those_of_the_sheets_described(name):
    ruleset = load_cheerio(name)
    worth = build_worth(ruleset).tolist()
    draw = random.Random(f"situation {name}")
    everything = (1 << ruleset.turns) - 1
    for _ in range(150):
        (own, own_jokers), (rival, rival_jokers) = sheet(ruleset, draw), sheet(ruleset, draw)
        jokers = (own_jokers, rival_jokers)
        view = view_of(ruleset, [own, rival], 0, worth, jokers)
        known = Situation(
            ruleset=ruleset,
            opened=everything & ~open_mask(list(own)),
            upper=upper_subtotal(ruleset, own),
            joker=holds_joker(ruleset, own) if ruleset.joker else None,
            difference=total_of(ruleset, own, own_jokers) - total_of(ruleset, rival, rival_jokers),
            rival_open=everything & ~open_mask(list(rival)),
            rival_upper=upper_subtotal(ruleset, rival),
        )
        shown = known.views()
        assert shown == shown_views(view, tuple(shown))
        assert len(shown) == 9
        assert known.upper in possible_uppers(ruleset, known.opened)
        extra = ruleset.joker.points * own_jokers if ruleset.joker else 0
        assert sum(own.values()) + extra in possible_points(known)


def test_what_is_not_known_and_does_not_follow_is_no_view():
    ruleset = load_cheerio("yahtzee")
    start = Situation(ruleset=ruleset, opened=(1 << 13) - 1)
    assert start.views() == {"open": 8191, "upper": 0, "pace": 0, "turns_left": 13, "joker": 0}
    assert Situation(ruleset=ruleset, opened=0b1).views() == {"open": 1, "turns_left": 1}
    watching = Situation(
        ruleset=ruleset, opened=1, upper=40, joker=True, difference=-999, standing=2, rival_open=2
    )
    assert watching.views() == {
        "open": 1, "upper": 40, "pace": -2, "turns_left": 1, "standing": 2, "difference": -400, "rival_open": 2,
        "joker": 1,
    }  # fmt: skip


def test_sums_are_those_of_all_entries():
    ruleset = load_cheerio("yahtzee")
    keys = list(ruleset.categories)
    filled = open_mask([keys.index(key) for key in ("fours", "sixes", "full-house", "yahtzee")])
    opened = (1 << 13) - 1 & ~filled
    uppers = {4 * a + 6 * b for a, b in product(range(6), repeat=2)}
    assert possible_uppers(ruleset, opened) == uppers
    known = Situation(ruleset=ruleset, opened=opened)
    assert possible_points(replace(known, upper=26, joker=False)) == {26, 51}
    # Five alike after Yahtzee: up to three more on such a sheet.
    held = {26 + 50 + house + 100 * more for house in (0, 25) for more in range(4)}
    assert possible_points(replace(known, upper=26, joker=True)) == held
    unknown = {upper + house + five for upper in uppers for house in (0, 25) for five in (0, 50)}
    assert possible_points(known) == unknown
