from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sim.reference import View, view_of
from sim.ruleset import load_ruleset
from sim.worth import build_worth
from strategies.deciding import build_decider, shown_views
from strategies.lineup import Player, Source, get_player
from strategies.strategy import Category, Sheet, Strategy, StrategyError

RULESET = load_ruleset("cheerio-bonus")
WORTH = build_worth(RULESET).tolist()
VIEW = view_of(RULESET, [{0: 3, 5: 24}, {1: 6, 12: 20}], 0, WORTH)


def player(strategy: Strategy) -> Player:
    return Player("mine", strategy, "A rule.", Source("mine", "", (), (), "mine"))


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


def test_a_fault_is_told() -> None:
    class Wrong(High):
        """Fills what is filled."""

        def choose(self, dice: tuple[int, ...], sheet: Sheet) -> Any:
            return "ones"

    with pytest.raises(StrategyError, match=r"strategy mine: .*fills Ones .* which is filled"):
        build_decider(player(Wrong()), RULESET).categories(VIEW, (1, 2, 3, 4, 5))
