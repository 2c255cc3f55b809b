"""Jokers in the slow reference: what five alike are worth once their category is filled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from sim.cheerio_ruleset import CheerioRuleset, load_cheerio, validate_cheerio
from sim.reference import (
    Entries,
    Game,
    Offer,
    View,
    allowed_on,
    is_joker,
    pays_on,
    play_game,
    points_of,
    total_of,
    view_of,
)

Dice = tuple[int, ...]
YAHTZEE = load_cheerio("yahtzee")
PLACES = {key: place for place, key in enumerate(YAHTZEE.categories)}
UPPER = ("aces", "twos", "threes", "fours", "fives", "sixes")
LOWER = (
    "three-of-a-kind", "four-of-a-kind", "full-house", "small-straight", "large-straight", "yahtzee", "chance",
)  # fmt: skip
FIVES, SIXES, ORDINARY = (5,) * 5, (6,) * 5, (5, 5, 5, 5, 6)


def changed(**rules: Any) -> CheerioRuleset:
    return validate_cheerio(YAHTZEE.model_dump(mode="json") | {"name": "changed"} | rules, "changed")


def joker(**rules: Any) -> dict[str, Any]:
    """The joker of Yahtzee with other rules."""
    assert YAHTZEE.joker is not None
    return YAHTZEE.joker.model_dump(mode="json") | rules


def opened(*filled: str) -> list[int]:
    """The open categories of a sheet on which these are filled."""
    return [place for key, place in PLACES.items() if key not in filled]


def allowed(ruleset: CheerioRuleset, dice: Dice, *filled: str) -> list[str]:
    keys = list(ruleset.categories)
    return [keys[place] for place in allowed_on(ruleset, opened(*filled), dice)]


def pays(ruleset: CheerioRuleset, dice: Dice, *filled: str) -> dict[str, int]:
    return {key: pays_on(ruleset, opened(*filled), place, dice) for key, place in PLACES.items()}


def test_before_the_category_is_filled_five_alike_pay_and_go_as_always() -> None:
    assert not is_joker(YAHTZEE, opened("fives"), FIVES)
    assert pays(YAHTZEE, FIVES) == {key: points_of(YAHTZEE, place, FIVES) for key, place in PLACES.items()}
    assert pays(YAHTZEE, FIVES)["full-house"] == 0
    assert allowed(YAHTZEE, FIVES, "chance") == [*UPPER, *LOWER[:-1]]


def test_a_joker_pays_in_full_where_it_fits_and_elsewhere_as_always() -> None:
    assert is_joker(YAHTZEE, opened("yahtzee"), FIVES)
    expected = dict.fromkeys(PLACES, 0) | {
        "fives": 25, "three-of-a-kind": 25, "four-of-a-kind": 25, "full-house": 25, "small-straight": 30,
        "large-straight": 40, "yahtzee": 50, "chance": 25,
    }  # fmt: skip
    assert pays(YAHTZEE, FIVES, "yahtzee") == expected


def test_other_rolls_are_never_jokers() -> None:
    assert not is_joker(YAHTZEE, opened("yahtzee"), ORDINARY)
    assert pays(YAHTZEE, ORDINARY, "yahtzee") == pays(YAHTZEE, ORDINARY)
    assert allowed(YAHTZEE, ORDINARY, "yahtzee") == [*UPPER, *LOWER[:-2], "chance"]


def test_a_forced_joker_goes_to_its_face_then_below_and_only_then_anywhere() -> None:
    assert allowed(YAHTZEE, FIVES, "yahtzee") == ["fives"]
    assert allowed(YAHTZEE, SIXES, "yahtzee", "fives") == ["sixes"]
    below = [key for key in LOWER if key != "yahtzee"]
    assert allowed(YAHTZEE, FIVES, "yahtzee", "fives") == below
    assert allowed(YAHTZEE, FIVES, "yahtzee", "fives", *below[:-1]) == ["chance"]
    assert allowed(YAHTZEE, FIVES, "fives", *LOWER) == ["aces", "twos", "threes", "fours", "sixes"]


def test_only_an_upper_category_of_the_face_is_forced() -> None:
    rules = YAHTZEE.model_dump(mode="json")["categories"]
    rules["fives"]["upper"] = False
    below = ["fives", *[key for key in LOWER if key != "yahtzee"]]
    assert allowed(changed(categories=rules), FIVES, "yahtzee") == below


def test_a_free_joker_goes_anywhere() -> None:
    free = changed(joker=joker(forced=False))
    assert allowed(free, FIVES, "yahtzee") == [*UPPER, *LOWER[:-2], "chance"]
    assert pays(free, FIVES, "yahtzee") == pays(YAHTZEE, FIVES, "yahtzee")


def test_a_forced_scratch_chooses_among_what_the_joker_leaves() -> None:
    strict = changed(scratch="forced", joker=joker(fits=["small-straight"]))
    assert allowed(strict, FIVES, "yahtzee") == ["fives"]
    paying = ["three-of-a-kind", "four-of-a-kind", "small-straight", "chance"]
    assert allowed(strict, FIVES, "yahtzee", "fives") == paying
    # Of those below none pays: any of them, although nothing above would pay either.
    assert allowed(strict, FIVES, "yahtzee", "fives", *paying) == ["full-house", "large-straight"]
    free = changed(scratch="forced", joker=joker(fits=["small-straight"], forced=False))
    assert allowed(free, FIVES, "yahtzee") == ["fives", *paying]


def test_what_fits_pays_its_points_and_all_five_dice_where_it_pays_dice() -> None:
    straights = YAHTZEE.model_dump(mode="json")["categories"]
    for plus in ("all dice", "matched dice"):
        straights["small-straight"]["pays"] = {"points": 7, "plus": plus}
        assert pays(changed(categories=straights), FIVES, "yahtzee")["small-straight"] == 7 + 25
    straights["small-straight"]["pays"] = {"points": 7, "plus": None}
    assert pays(changed(categories=straights), FIVES, "yahtzee")["small-straight"] == 7


def test_a_ruleset_without_a_joker_has_none() -> None:
    plain = load_cheerio("yahtzee-plain")
    assert not is_joker(plain, opened("yahtzee"), FIVES)
    assert pays(plain, FIVES, "yahtzee")["full-house"] == 0
    assert not view_of(plain, [{PLACES["yahtzee"]: 50}], 0, [0] * 13).joker


def test_the_view_shows_whether_extra_points_are_to_come() -> None:
    place = PLACES["yahtzee"]
    sheets: list[tuple[Entries, bool]] = [
        ({}, False),
        ({place: 50}, True),
        ({place: 0}, False),
        ({0: 3}, False),
    ]
    for sheet, shown in sheets:
        assert view_of(YAHTZEE, [sheet, {place: 50}], 0, [0] * 13).joker == shown


def test_extra_points_count_in_totals_differences_and_standings_and_not_above() -> None:
    place = PLACES["yahtzee"]
    upper = {4: 25, 5: 30}
    assert total_of(YAHTZEE, upper | {place: 50}, 2) == 55 + 50 + 200
    assert total_of(YAHTZEE, upper | {place: 50, 3: 8}, 1) == 63 + 35 + 50 + 100
    sheets: list[Entries] = [{place: 50, 4: 25}, {place: 50, 5: 30}, {12: 20}]
    view = view_of(YAHTZEE, sheets, 0, [0] * 13, [1, 0, 0])
    assert (view.difference, view.standing, view.upper) == (175 - 80, 2, 25)
    view = view_of(YAHTZEE, sheets, 2, [0] * 13, [1, 0, 0])
    assert (view.difference, view.standing) == (20 - 175, -2)
    assert (view.rival_open, view.rival_upper) == (tuple(opened("fives", "yahtzee")), 25)
    # Without the extra points the other is the best.
    assert view_of(YAHTZEE, sheets, 2, [0] * 13).rival_upper == 30


@dataclass
class Filler:
    """Keeps what falls, fills as it is told, and writes down what it saw."""

    fills: list[str]
    views: list[View] = field(default_factory=list)
    pace: int = 1000

    def keeps(self, view: View, dice: Dice, rolls_left: int) -> Sequence[Dice]:
        return [dice]

    def categories(self, view: View, dice: Dice) -> Sequence[int]:
        self.views.append(view)
        return [PLACES[self.fills.pop(0)]]

    def steals(self, view: View, offer: Offer) -> bool:
        raise AssertionError

    def forfeits(self, view: View) -> int:
        raise AssertionError


Play = Callable[..., Game]


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Play:
    """Plays a game in which all throws of a seat show five of one face, by seat."""

    def use(ruleset: CheerioRuleset, faces: str, *fillers: Filler) -> Game:
        def scripted(_seed: int, _deal: int, seat: int, *_rest: int) -> int:
            return int(str(int(faces[seat]) - 1) * 5, 6)

        monkeypatch.setattr("sim.reference_turn.uniform", scripted)
        return play_game(ruleset, fillers, 0, 0, [0] * 13)

    return use


ORDER = [
    "yahtzee", "fives", "full-house", "small-straight", "large-straight", "three-of-a-kind", "four-of-a-kind", "chance",
    "aces", "twos", "threes", "fours", "sixes",
]  # fmt: skip


def test_a_game_of_nothing_but_fives(play: Play) -> None:
    filler = Filler(list(ORDER))
    game = play(YAHTZEE, "5", filler)
    points = [50, 25, 25, 30, 40, 25, 25, 25, 0, 0, 0, 0, 0]
    assert [turn.points for turn in game.turns] == points
    assert [turn.extra for turn in game.turns] == [0] + [100] * 12
    assert [turn.totals for turn in game.turns] == [
        (sum(points[: turn + 1]) + 100 * turn,) for turn in range(13)
    ]
    (result,) = game.seats
    assert (result.score, result.jokers, result.upper, result.bonus) == (245 + 1200, 12, 25, 0)
    assert [view.joker for view in filler.views] == [False] + [True] * 12


def test_a_zero_in_the_category_brings_no_extra_points_but_jokers_all_the_same(play: Play) -> None:
    rules = YAHTZEE.model_dump(mode="json")["categories"]
    # A category of five alike that pays nothing: what is entered there is a zero.
    rules["yahtzee"]["pays"] = 0
    filler = Filler(list(ORDER))
    game = play(changed(categories=rules), "5", filler)
    assert [turn.points for turn in game.turns] == [0, 25, 25, 30, 40, 25, 25, 25, 0, 0, 0, 0, 0]
    assert {turn.extra for turn in game.turns} == {0}
    assert (game.seats[0].score, game.seats[0].jokers) == (195, 0)
    assert not any(view.joker for view in filler.views)


def test_jokers_are_counted_by_side(play: Play) -> None:
    late = [*ORDER[1:], "yahtzee"]
    game = play(
        YAHTZEE, "56", Filler(list(ORDER)), Filler(["sixes", *[key for key in late if key != "sixes"]])
    )
    assert [result.jokers for result in game.seats] == [12, 0]
    # Without a joker six sixes fill no straight and no full house.
    assert game.seats[1].score == 30 + 3 * 30 + 50
    assert game.seats[0].score == 245 + 1200


@pytest.mark.parametrize(
    ("fills", "message"),
    [
        (["yahtzee", "full-house"], r"category 8 given for \(5, 5, 5, 5, 5\); .* allow \(4,\)"),
        (["yahtzee", "fives", "aces"], r"category 0 given for .* allow \(6, 7, 8, 9, 10, 12\)"),
        (["yahtzee", "fives", "yahtzee"], "category 11 given; open are"),
    ],
)
def test_a_joker_in_the_wrong_place_is_refused(play: Play, fills: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        play(YAHTZEE, "5", Filler(list(fills)))


def test_a_free_joker_is_refused_nowhere(play: Play) -> None:
    order = [
        "yahtzee",
        "full-house",
        "aces",
        *[key for key in ORDER[1:] if key not in ("full-house", "aces")],
    ]
    assert play(changed(joker=joker(forced=False)), "5", Filler(order)).seats[0].jokers == 12
