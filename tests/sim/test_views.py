from __future__ import annotations

import random

import pytest

from sim.cheerio_ruleset import CheerioRuleset, load_cheerio, validate_cheerio
from sim.views import (
    VIEWS,
    context_views,
    masked_categories,
    open_mask,
    upper_cap,
    view_sizes,
    view_strides,
    views_context,
)

LOWEST = {"pace": -2, "standing": -2, "difference": -400}


def test_every_view_has_the_size_that_is_worked_out_by_hand() -> None:
    assert view_sizes(load_cheerio("cheerio-bonus")) == {
        "open": 8192,
        "upper": 64,
        "pace": 5,
        "turns_left": 14,
        "standing": 5,
        "difference": 801,
        "rival_open": 8192,
        "rival_upper": 64,
        "joker": 1,
    }
    jokers = view_sizes(load_cheerio("yahtzee"))
    assert jokers == view_sizes(load_cheerio("yahtzee-plain")) | {"joker": 2}
    assert list(jokers) == list(VIEWS)


def test_the_upper_subtotal_is_capped_at_the_threshold_or_at_the_most_there_is() -> None:
    assert upper_cap(load_cheerio("cheerio-bonus")) == 63
    assert upper_cap(load_cheerio("cheerio")) == 5 * 21
    rules = load_cheerio("cheerio").model_dump(mode="json")
    lower = {"name": "lower", "categories": {"chance": rules["categories"]["chance"]}}
    assert upper_cap(validate_cheerio(rules | lower, "lower")) == 0
    # Where no bonus caps it and a joker pays in Ones and Twos: thirty points each, in place of five and ten.
    yahtzee = load_cheerio("yahtzee").model_dump(mode="json")
    yahtzee |= {"bonus": {"points": 0}, "joker": {"category": "yahtzee", "fits": ["aces", "twos", "chance"]}}
    assert upper_cap(validate_cheerio(yahtzee, "jokers")) == 5 * 21 + 25 + 20


def seen_views(ruleset: CheerioRuleset, sees: list[str], draw: random.Random) -> dict[str, int]:
    sizes = view_sizes(ruleset)
    return {view: draw.randrange(sizes[view]) + LOWEST.get(view, 0) for view in VIEWS if view in sees}


@pytest.mark.parametrize("name", ["cheerio", "cheerio-bonus", "cheerio-web-short", "yahtzee", "yatzy"])
def test_a_context_shows_the_views_that_it_was_made_of(name: str) -> None:
    ruleset = load_cheerio(name)
    draw = random.Random(5)
    for _ in range(500):
        sees = draw.sample(list(VIEWS), draw.randrange(1, 6))
        views = seen_views(ruleset, sees, draw)
        context = views_context(ruleset, sees, views)
        assert 0 <= context < view_strides(ruleset, sees)[1]
        assert context_views(ruleset, sees, context) == views


def test_contexts_are_all_different_and_fill_the_range() -> None:
    ruleset = load_cheerio("cheerio-web-short")
    sees = ["open", "pace", "standing"]
    _, size = view_strides(ruleset, sees)
    assert size == 128 * 5 * 5
    shown = [context_views(ruleset, sees, context) for context in range(size)]
    assert [views_context(ruleset, sees, views) for views in shown] == list(range(size))


def test_the_order_in_which_views_are_declared_does_not_matter() -> None:
    ruleset = load_cheerio("cheerio")
    views = {"open": 77, "upper": 12, "difference": -3}
    contexts = {
        views_context(ruleset, sees, views)
        for sees in (["open", "upper", "difference"], ["difference", "upper", "open"])
    }
    assert len(contexts) == 1


def test_a_joker_is_told_apart_only_where_there_is_one() -> None:
    yahtzee, plain = load_cheerio("yahtzee"), load_cheerio("yahtzee-plain")
    assert view_strides(yahtzee, ["open", "joker"])[0].tolist() == [1, 0, 0, 0, 0, 0, 0, 0, 8192]
    assert (
        view_strides(yahtzee, ["open", "joker"])[1] == 2 * view_strides(plain, ["open", "joker"])[1] == 16384
    )
    assert context_views(yahtzee, ["open", "joker"], 8192 + 5) == {"open": 5, "joker": 1}
    assert context_views(plain, ["open", "joker"], 5) == {"open": 5, "joker": 0}


def test_a_view_that_is_not_seen_weighs_nothing() -> None:
    strides, size = view_strides(load_cheerio("cheerio-bonus"), ["upper", "pace"])
    assert strides.tolist() == [0, 1, 64, 0, 0, 0, 0, 0, 0]
    assert size == 320


def test_masks_and_categories_are_each_others_inverse() -> None:
    assert masked_categories(0) == ()
    assert masked_categories(0b1010) == (1, 3)
    for mask in range(1 << 10):
        assert open_mask(masked_categories(mask)) == mask
