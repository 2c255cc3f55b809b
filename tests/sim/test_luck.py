"""The luck that the kernel keeps is what the dice of each single throw bring, summed up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest

from sim.cheerio_ruleset import CheerioRuleset, load_cheerio
from sim.reference import play_game
from sim.worth import build_worth
from strategies.deciding import build_decider
from strategies.lineup import Player
from strategies.luck import build_yardsticks
from strategies.tables import LineupTables, RowMaker
from tests.sim.agreement import Leaning, Mixing, Scattered, changed, only, played, seat, shipped
from tests.sim.luck import Luck, Remembering

BONUS = {"threshold": 20, "points": 35}


def few(**changes: object) -> CheerioRuleset:
    """A ruleset of few categories, in which the bonus comes up often."""
    return only("fives", "sixes", "full-house", "chance", **{"bonus": BONUS, **changes})


def few_with_joker(points: int = 70, **changes: object) -> CheerioRuleset:
    """A ruleset of five throws and few categories, in which further five alike are common."""
    rules = load_cheerio("yahtzee").model_dump(mode="json")
    keys = ("sixes", "full-house", "yahtzee", "chance")
    categories = {key: rules["categories"][key] for key in keys}
    joker = {"category": "yahtzee", "points": points, "fits": ["full-house"], "forced": True}
    return changed("yahtzee", categories=categories, joker=joker, throws=5, bonus=BONUS, **changes)


@dataclass(frozen=True)
class Case:
    ruleset: Callable[[], CheerioRuleset]
    lineup: Callable[[], list[Player]]
    seating: int = 0


CASES: dict[str, Case] = {
    "sees-all-or-less": Case(few, lambda: [seat(Leaning), seat(Leaning, "upper"), *shipped("optimal")]),
    "mixes": Case(few, lambda: [seat(Mixing, "coin"), seat(Scattered, "upper"), seat(Mixing, "upper", "coin")], 1),
    "watches": Case(few, lambda: [seat(Leaning, "difference"), *shipped("random"), seat(Scattered, "rival_open")], 2),
    "alone": Case(few, lambda: [seat(Scattered, "pace")]),
    "no-bonus": Case(partial(few, bonus={"points": 0}), lambda: [seat(Scattered), *shipped("optimal")]),
    "one-throw": Case(partial(few, throws=1), lambda: [seat(Scattered), seat(Mixing, "coin")]),
    "forced": Case(partial(few, scratch="forced"), lambda: [seat(Leaning), seat(Scattered, "upper")]),
    "team": Case(
        partial(few, team=2, players=[4]),
        lambda: [seat(Leaning, "upper"), *shipped("optimal"), seat(Scattered), *shipped("random")],
        3,
    ),
    "joker": Case(
        few_with_joker,
        lambda: [seat(Leaning), seat(Scattered, "upper"), seat(Leaning, "joker"), seat(Leaning, "upper", "joker")],
    ),
    "joker-without-extra": Case(partial(few_with_joker, points=0), lambda: [seat(Leaning), *shipped("optimal")]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_luck_is_what_each_throw_brings(name: str) -> None:
    deals = 6
    ruleset, lineup = CASES[name].ruleset(), CASES[name].lineup()
    seating = CASES[name].seating
    tables = LineupTables(lineup, ruleset, {}, lucky=True)
    course = played(ruleset, tables, seating, 4, 10, deals)
    players = [tables.player(seating, place) for place in range(tables.seats)]
    sticks = build_yardsticks(ruleset, {player.label: RowMaker(player, ruleset).sees for player in players})
    worth, sides = build_worth(ruleset).tolist(), ruleset.sides(len(players))
    for number in range(deals):
        deciders = [Remembering(build_decider(player, ruleset)) for player in players]
        game = play_game(ruleset, deciders, 4, 10 + number, worth)
        expected = np.zeros(sides)
        for place, (player, decider) in enumerate(zip(players, deciders, strict=True)):
            stick = sticks[player.label]
            luck = Luck(ruleset, stick.valuation.value, extra=not stick.uncounted)
            turns = [turn for turn in game.turns if turn.seat == place]
            expected[place % sides] += luck.of_game(decider, turns)
        for place in range(len(players)):
            assert course.luck[place, number] == pytest.approx(1000 * expected[place % sides], abs=1)


def test_nothing_but_luck_changes_where_it_is_kept() -> None:
    ruleset = few()
    lineup = [seat(Leaning, "standing"), *shipped("random", "par")]
    without = played(ruleset, LineupTables(lineup, ruleset, {}), 1, 3, 970, 60)
    lucky = played(ruleset, LineupTables(lineup, ruleset, {}, lucky=True), 1, 3, 970, 60)
    assert not without.luck.any()
    assert lucky.luck.all(axis=1).any()
    for name in set(without._fields) - {"luck"}:
        np.testing.assert_array_equal(getattr(lucky, name), getattr(without, name), name)


@pytest.mark.parametrize("lanes", [1, 7, 100_000])
def test_luck_is_the_same_however_many_games_are_played_at_once(
    lanes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ruleset = few()
    lineup = [seat(Leaning, "standing"), *shipped("random", "par")]
    whole = played(ruleset, LineupTables(lineup, ruleset, {}, lucky=True), 1, 3, 0, 60)
    monkeypatch.setattr("sim.cheerio.LANES", lanes)
    other = played(ruleset, LineupTables(lineup, ruleset, {}, lucky=True), 1, 3, 0, 60)
    np.testing.assert_array_equal(whole.luck, other.luck)


def test_luck_has_mean_zero_and_of_perfect_play_explains_everything() -> None:
    """Within 5 standard errors."""
    ruleset, deals = load_cheerio("cheerio-web-short"), 20_000
    lineup = shipped("optimal", "random", "greedy")
    tables = LineupTables(lineup, ruleset, {}, lucky=True)
    course = played(ruleset, tables, 0, 8, 0, deals)
    for luck in course.luck:
        assert abs(luck.mean()) < 5 * luck.std() / np.sqrt(deals)
    rest = 1000 * course.score.astype(np.int64) - course.luck
    assert len(np.unique(rest[0])) == 1
    (stick,) = set(build_yardsticks(ruleset, {"optimal": ("open",)}).values())
    assert rest[0, 0] == round(1000 * stick.valuation.start)
    assert rest[1].std() > rest[2].std() > 0
