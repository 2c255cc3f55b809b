from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sim.cheerio_ruleset import load_cheerio
from sim.lanes import NEVER
from sim.reference import Offer, View, view_of
from sim.worth import build_worth
from strategies.deciding import build_decider, shown_views
from strategies.lineup import Player, Source, get_player
from strategies.manner import Manner
from strategies.strategy import Category, Sheet, Strategy, StrategyError

RULESET = load_cheerio("cheerio-bonus")
WORTH = build_worth(RULESET).tolist()
VIEW = view_of(RULESET, [{0: 3, 5: 24}, {1: 6, 12: 20}], 0, WORTH)


def player(strategy: Strategy, manner: Manner | None = None) -> Player:
    return Player("mine", strategy, "A rule.", Source("mine", "", (), (), "mine", manner or Manner()))


class High(Strategy):
    """Keeps dice above the rolls left, mixes the last two open categories when behind."""

    sees = ("open", "difference", "coin")

    def keep(self, dice: tuple[int, ...], sheet: Sheet, rolls_left: int) -> Any:
        return [die for die in dice if die > rolls_left + 2]

    def choose(self, dice: tuple[int, ...], sheet: Sheet) -> Category:
        chosen: Category = sheet.coin(sheet.open[-2:]) if sheet.difference < 0 else sheet.open[0]
        return chosen


def test_single_decisions_become_dice_and_indices() -> None:
    decider = build_decider(player(High()), RULESET)
    assert list(decider.keeps(VIEW, (1, 3, 4, 5, 6), 2)) == [(5, 6)]
    assert list(decider.keeps(VIEW, (1, 3, 4, 5, 6), 1)) == [(4, 5, 6)]
    assert list(decider.categories(VIEW, (1, 3, 4, 5, 6))) == [1]
    assert list(decider.categories(replace(VIEW, difference=-1), (1, 3, 4, 5, 6))) == [11, 12]


def test_plans_become_dice_and_indices() -> None:
    decider = build_decider(get_player("sets"), RULESET)
    assert list(decider.keeps(VIEW, (1, 3, 3, 5, 6), 2)) == [(3, 3)]
    assert list(decider.categories(VIEW, (2, 3, 4, 5, 6))) == [10]
    random = build_decider(get_player("random"), RULESET)
    assert sorted(random.keeps(VIEW, (4, 4, 4, 4, 4), 1)) == [(4,) * size for size in range(6)]
    assert list(random.categories(VIEW, (4, 4, 4, 4, 4))) == list(VIEW.open)


def test_a_plan_is_asked_once_for_what_it_sees() -> None:
    asked: list[int] = []

    class Counting(Strategy):
        """Counts."""

        sees = ("open", "upper")

        def plan(self, sheet: Sheet) -> Any:
            asked.append(sheet.upper)
            return get_player("sets").strategy.plan(sheet)  # type: ignore[attr-defined]

    decider = build_decider(player(Counting()), RULESET)
    for view in (VIEW, replace(VIEW, difference=99), VIEW, replace(VIEW, upper=40)):
        decider.keeps(view, (1, 2, 3, 4, 5), 1)
        decider.categories(view, (1, 2, 3, 4, 5))
    assert asked == [27, 40]


def test_each_view_is_shown_as_the_number_that_a_context_holds() -> None:
    view = View((0, 2), 63, -2, 2, 1, -400, (1, 12), 5)
    assert shown_views(view, ("open", "upper", "pace", "turns_left", "standing", "difference")) == {
        "open": 0b101,
        "upper": 63,
        "pace": -2,
        "turns_left": 2,
        "standing": 1,
        "difference": -400,
    }
    assert shown_views(view, ("coin", "rival_upper", "rival_open")) == {
        "rival_open": 0x1002,
        "rival_upper": 5,
    }
    assert shown_views(replace(view, joker=True), ("joker", "upper")) == {"upper": 63, "joker": 1}
    assert shown_views(view, ("joker",)) == {"joker": 0}


def test_a_fault_is_told() -> None:
    class Wrong(High):
        """Fills what is filled."""

        def choose(self, dice: tuple[int, ...], sheet: Sheet) -> Any:
            return "ones"

    with pytest.raises(StrategyError, match=r"strategy mine: .*fills Ones .* which is filled"):
        build_decider(player(Wrong()), RULESET).categories(VIEW, (1, 2, 3, 4, 5))


CUTTHROAT = load_cheerio("cheerio-cutthroat")
ROBBED = view_of(CUTTHROAT, [{0: 3, 5: 24, 2: 0}, {1: 6, 12: 20}], 0, build_worth(CUTTHROAT).tolist())


class Thief(High):
    """Steals when far behind, and gives up the last open category."""

    steal_sees = ("difference",)
    forfeit_sees = ("open", "upper")

    def steal(self, offer: Any, sheet: Sheet) -> bool:
        return bool(offer.category.id == "chance" and offer.gains == -5 and offer.swing > sheet.difference)

    def forfeit(self, sheet: Sheet) -> Any:
        return sheet.open[-1] if sheet.upper else "ones"


def test_a_steal_follows_the_manner_and_else_pays() -> None:
    offers = [Offer(1, 12, -5, 5 + swing) for swing in (-3, 0, 1, 24, 25, 500)]
    for words, expected in (
        ("par", (0, 0, 0, 0, 1, 1)),
        ("par:steal=when-it-pays", (0, 0, 0, 0, 1, 1)),
        ("par:steal=1", (0, 0, 1, 1, 1, 1)),
        ("par:steal=never", (0, 0, 0, 0, 0, 0)),
        ("par:steal=25", (0, 0, 0, 0, 1, 1)),
        ("par:steal=-3", (1, 1, 1, 1, 1, 1)),
    ):
        decider = build_decider(get_player(words), CUTTHROAT)
        assert [decider.steals(ROBBED, offer) for offer in offers] == [bool(steals) for steals in expected]


def test_a_steal_and_a_forfeit_are_asked_for() -> None:
    decider = build_decider(player(Thief()), CUTTHROAT)
    behind = replace(ROBBED, difference=-20)
    assert decider.steals(behind, Offer(1, 12, -5, -14))
    assert not decider.steals(behind, Offer(1, 12, -5, -15))
    assert not decider.steals(behind, Offer(1, 11, -5, 90))
    assert not decider.steals(behind, Offer(1, 12, -4, 90))
    assert decider.forfeits(ROBBED) == 12
    barred = build_decider(player(Thief(), Manner(steal=NEVER)), CUTTHROAT)
    assert not barred.steals(behind, Offer(1, 12, -5, 90))
    assert barred.forfeits(ROBBED) == 12
    with pytest.raises(StrategyError, match=r"forfeit\(sheet\): forfeits Ones, which is filled"):
        decider.forfeits(replace(ROBBED, upper=0))


def test_without_a_forfeit_the_open_category_usually_worth_least_is_given_up() -> None:
    decider = build_decider(get_player("par"), CUTTHROAT)
    assert build_worth(CUTTHROAT).tolist() == [2, 4, 6, 8, 11, 13, 15, 6, 9, 6, 6, 2, 23]
    # Of those that are worth the same, the first on the sheet.
    for opened, expected in (
        ((1, 3, 12), 1),
        ((3, 12), 3),
        ((4, 6, 7, 9, 10, 12), 7),
        ((10, 12), 10),
        ((2, 0, 11), 0),
    ):
        assert decider.forfeits(replace(ROBBED, open=opened)) == expected


def test_a_decider_has_the_pace_of_its_player() -> None:
    assert build_decider(get_player("par"), RULESET).pace == 1000
    assert build_decider(get_player("brisk:pace=0.75"), RULESET).pace == 750


def test_a_joker_is_decided_by_what_it_pays_then() -> None:
    yahtzee = load_cheerio("yahtzee")
    keys, worth = list(yahtzee.categories), build_worth(yahtzee).tolist()
    place = {key: keys.index(key) for key in keys}
    decider = build_decider(get_player("greedy"), yahtzee)
    sheet = {place["threes"]: 9, place["large-straight"]: 0}
    before = view_of(yahtzee, [sheet], 0, worth)
    after = view_of(yahtzee, [sheet | {place["yahtzee"]: 50}], 0, worth)
    assert list(decider.categories(before, (3, 3, 3, 3, 3))) == [place["yahtzee"]]
    assert list(decider.categories(after, (3, 3, 3, 3, 3))) == [place["small-straight"]]
    assert list(decider.categories(after, (4, 4, 4, 4, 4))) == [place["fours"]]
