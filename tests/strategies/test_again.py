"""Asking again in play: which situations, that nothing well-behaved changes by it, and that two answers are refused."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sim.ceelo.ruleset import load_ceelo
from sim.cheerio_ruleset import load_cheerio, validate_cheerio
from sim.game import kernel_of
from sim.ruleset import Ruleset
from strategies.again import Again, places_of_table
from strategies.bettor import Bettor
from strategies.exact import evaluate
from strategies.games import asking_of
from strategies.lineup import Player, Source, get_player
from strategies.strategy import GameStrategy, Plan, Strategy, StrategyError

SHORT = load_cheerio("cheerio-web-short")
CUTTHROAT = validate_cheerio(
    SHORT.model_dump(mode="json", exclude_none=True)
    | {"name": "short-cutthroat", "players": [2], "steal": "overwrite"},
    "short-cutthroat",
)
BANK = load_ceelo("ceelo-bank")
EVERY_TURN = {*range(16), *range(16, 1024, 16), *range(1024, 3000, 64)}
EVERY_QUESTION = {*range(1024), *range(1024, 3000, 64)}


@pytest.mark.parametrize(("turns", "expected"), [(True, EVERY_TURN), (False, EVERY_QUESTION)])
@pytest.mark.parametrize("size", [1, 7, 64, 1000, 3000])
def test_those_asked_again_are_the_same_however_situations_come_in(
    turns: bool, expected: set[int], size: int
) -> None:
    again, asked = Again("mine.py:Bold", turns), set()
    for first in range(0, 3000, size):
        count = min(size, 3000 - first)
        places = again.places(count)
        assert all(0 <= place < count for place in places)
        asked |= {first + place for place in places}
    assert asked == expected
    assert Again("par", turns).places(3000) == []


def test_of_a_table_the_last_is_asked_again_and_every_64th_before_it() -> None:
    assert places_of_table("mine.py:Bold", 130) == [1, 65, 129]
    assert places_of_table("mine.py:Bold", 0) == places_of_table("par", 130) == []


def player_of(strategy: GameStrategy) -> Player:
    return Player("mine.py:Mine", strategy, "Plays.", Source("mine.py:Mine", "", (), (), "mine"))


def played(strategy: GameStrategy, ruleset: Ruleset) -> tuple[int, Any]:
    """Plays a few games; returns how many situations the strategy was asked about, and the course."""
    lineup = [player_of(strategy), get_player("flat" if ruleset is BANK else "greedy:steal=1")]
    asking, kernel = asking_of(ruleset), kernel_of(ruleset.game)
    whole = {
        player.label: asking.rows(player, ruleset, asking.maker(player, ruleset).whole_contexts())
        for player in lineup
        if asking.maker(player, ruleset).whole
    }
    tables: Any = asking.tables(lineup, ruleset, whole)
    course = kernel.play_deals(kernel.build_rules(ruleset), tables, 2, 0, 5, 0, 4)
    return tables._places["mine.py:Mine"].maker.asker.asked, course


class Coin(Strategy):
    """Keeps by what it sees, and fills by the coin."""

    sees = ("open", "upper", "coin")

    def keep(self, dice: Any, sheet: Any, rolls_left: int) -> Any:
        return dice[sheet.upper % 6 :]

    def choose(self, dice: Any, sheet: Any) -> Any:
        return sheet.coin(sheet.open[:2])


class Chips(Bettor):
    """Stakes by what it sees."""

    sees = ("chips", "rounds_left", "lead", "bank")

    def stake(self, table: Any) -> Any:
        return table.nearest(table.chips / 20)


class Batch(Bettor):
    """Stakes by what it sees, many tables at once."""

    sees = Chips.sees

    def plan(self, table: Any) -> Any:
        return table.nearest(table.chips / 20)


@pytest.mark.parametrize(("kind", "ruleset"), [(Coin, SHORT), (Chips, BANK), (Batch, BANK)])
def test_asking_again_changes_no_game(
    kind: type[GameStrategy], ruleset: Ruleset, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, course = played(kind(), ruleset)
    monkeypatch.setattr(Again, "places", lambda again, count: [])
    once, expected = played(kind(), ruleset)
    assert asked > once
    for name, values in expected._asdict().items():
        np.testing.assert_array_equal(values, getattr(course, name), name)


def counting(period: int) -> Callable[..., Any]:
    """Returns what answers with one of the options by the number of questions before it."""
    count = itertools.count()
    return lambda options: options[next(count) % period]


def keeping(**changes: Any) -> Strategy:
    body = {
        "sees": ("open", "upper"),
        "keep": lambda self, dice, sheet, rolls_left: dice,
        "choose": lambda self, dice, sheet: sheet.open[0],
    }
    mine: Strategy = type("Mine", (Strategy,), body | changes)()
    return mine


def many_plans(pick: Callable[..., Any]) -> Strategy:
    def plans(self: Strategy, ruleset: Any, views: Any) -> Plan:
        first = np.log2(views["open"] & -views["open"]).astype(int)[:, None]
        return Plan(np.full((first.size, ruleset.throws - 1, 252), pick((0, 31))), np.repeat(first, 252, 1))

    return keeping(batched=True, plans=plans)


ONE_OF = "answers the same question in different ways; its "
FLAWED: dict[str, tuple[Callable[[Any], GameStrategy], Ruleset, str]] = {
    "choose": (
        lambda pick: keeping(choose=lambda self, dice, sheet: pick((sheet.open[0], sheet.open[-1]))),
        SHORT,
        "decisions may depend on the dice and the sheet alone .*\n  the sheet shows open: ",
    ),
    "keep": (
        lambda pick: keeping(keep=lambda self, dice, sheet, rolls_left: pick(((), dice))),
        SHORT,
        "decisions may depend on the dice and the sheet alone .*\n  the sheet shows open: ",
    ),
    "plans": (
        many_plans,
        SHORT,
        "decisions may depend on the dice and the sheet alone .*\n  the sheet shows open: ",
    ),
    "steal": (
        lambda pick: keeping(sees=("open",), steal=lambda self, offer, sheet: pick((True, False))),
        CUTTHROAT,
        r"answers may depend on the offer and the sheet alone\n  asked steal\(Offer\(.*\), sheet\), where the sheet",
    ),
    "forfeit": (
        lambda pick: keeping(
            sees=("open",),
            forfeit_sees=("open", "difference"),
            forfeit=lambda self, sheet: pick((sheet.open[0], sheet.open[-1])),
        ),
        CUTTHROAT,
        r"answers may depend on the sheet alone\n  asked forfeit\(sheet\), where the sheet shows open: ",
    ),
    "stake": (
        lambda pick: type("Mine", (Chips,), {"stake": lambda self, table: pick((1, 2))})(),
        BANK,
        "stakes may depend on the table alone\n  the table shows chips: ",
    ),
    "plan that looks at other tables": (
        lambda pick: type(
            "Mine", (Batch,), {"plan": lambda self, table: table.nearest(1 + np.ptp(table.chips))}
        )(),
        BANK,
        "stakes may depend on the table alone\n  the table shows chips: ",
    ),
    "plan of stakes": (
        lambda pick: type("Mine", (Batch,), {"plan": lambda self, table: pick((1, 2))})(),
        BANK,
        "stakes may depend on the table alone\n  the table shows chips: ",
    ),
}


@pytest.mark.parametrize("flaw", FLAWED)
def test_who_answers_in_two_ways_in_play_is_refused(flaw: str) -> None:
    build, ruleset, told = FLAWED[flaw]
    with pytest.raises(StrategyError, match=f"strategy mine.py:Mine: {ONE_OF}{told}"):
        played(build(counting(2)), ruleset)


def test_who_answers_in_two_ways_has_no_exact_value() -> None:
    build, _, told = FLAWED["choose"]
    with pytest.raises(StrategyError, match=f"{ONE_OF}{told}"):
        evaluate(player_of(build(counting(2))), SHORT)
