"""What categories are worth, held against perfect play by slow, obvious code."""

from __future__ import annotations

import pytest

from sim.cheerio_ruleset import CheerioRuleset, load_cheerio, validate_cheerio
from strategies.valuation import build_valuation
from strategies.worths import category_worths
from tests.strategies.slow_play import SlowPlay, small

#: An upper category that never comes to nothing in play, but does when it is struck out.
SUM = {"name": "Sum", "upper": True, "pattern": {"any": True}, "pays": "all dice"}
TWOS = {"name": "Twos", "upper": True, "pattern": {"face": 2}, "pays": "matched dice"}
CASES = {
    "always-paid": small(
        "cheerio",
        "twos",
        throws=2,
        categories={"twos": TWOS, "sum": SUM},
        bonus={"threshold": 9, "points": 20},
    ),
    "forced-scratch": small(
        "cheerio", "low-straight", "three-of-a-kind", "chance", scratch="forced", throws=2
    ),
    "joker": small("yahtzee", "aces", "full-house", "yahtzee", throws=1, bonus={"threshold": 3, "points": 9}),
}


@pytest.mark.parametrize("ruleset", CASES.values(), ids=CASES)
def test_a_category_is_worth_what_is_lost_with_it(ruleset: CheerioRuleset) -> None:
    slow = SlowPlay(ruleset)
    opened = range(ruleset.turns)
    lost = [
        slow.start - slow.value((tuple(kept for kept in opened if kept != place), 0, False))
        for place in opened
    ]
    worths = category_worths(build_valuation(ruleset))
    assert list(worths) == list(ruleset.categories)
    assert list(worths.values()) == pytest.approx(lost, abs=1e-9)


def test_a_sheet_with_a_category_struck_out_is_one_that_never_had_it() -> None:
    short = load_cheerio("cheerio-web-short")
    rules = short.model_dump(mode="json", exclude_none=True)
    worths = category_worths(build_valuation(short))
    for key in ("ones", "cheerio"):
        left = {other: rule for other, rule in rules["categories"].items() if other != key}
        without = build_valuation(validate_cheerio(rules | {"categories": left}, "shorter"))
        assert worths[key] == pytest.approx(build_valuation(short).start - without.start)
