"""Steals in the slow reference, by games that are worked out by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from sim.cheerio_ruleset import CheerioRuleset, validate_cheerio
from sim.reference import Game, Offer, Steal, View, play_game
from sim.reference_dice import DICE

Dice = tuple[int, ...]
Rolls = dict[tuple[int, int], str]  # by seat and round
SetRolls = Callable[[Rolls], None]

SIXES = {"name": "Sixes", "pattern": {"face": 6}, "pays": "matched dice", "upper": True}
ONES = {"name": "Ones", "pattern": {"face": 1}, "pays": "matched dice", "upper": True}
CHANCE = {"name": "Chance", "pattern": {"any": True}, "pays": "all dice"}
ALIKE = {"name": "Alike", "pattern": {"alike": 5}, "pays": 50}
LINES = {"sixes": SIXES, "ones": ONES, "chance": CHANCE, "alike": ALIKE}


def ruleset_of(steal: str, *lines: str, players: int = 2, **rules: Any) -> CheerioRuleset:
    """One throw a turn, seat 0 starts: all that is decided is the category and the steal."""
    base = {
        "name": "small",
        "title": "Small",
        "players": [players],
        "throws": 1,
        "start": "first-seat",
        "tiebreak": "shared",
        "steal": steal,
        "categories": {line: LINES[line] for line in lines},
    }
    return validate_cheerio(base | rules, "small")


@dataclass
class Script:
    """Fills, robs and forfeits as it is told, and writes down what it was asked."""

    fills: list[int] = field(default_factory=list)
    robs: bool | list[bool] = False
    gives: list[int] = field(default_factory=list)
    offers: list[Offer] = field(default_factory=list)
    views: list[View] = field(default_factory=list)
    robbed: list[View] = field(default_factory=list)
    pace: int = 1000

    def keeps(self, view: View, dice: Dice, rolls_left: int) -> Sequence[Dice]:
        return [dice]

    def categories(self, view: View, dice: Dice) -> Sequence[int]:
        self.views.append(view)
        return [self.fills.pop(0)]

    def steals(self, view: View, offer: Offer) -> bool:
        assert view == self.views[-1]
        self.offers.append(offer)
        return self.robs if isinstance(self.robs, bool) else self.robs.pop(0)

    def forfeits(self, view: View) -> int:
        self.robbed.append(view)
        return self.gives.pop(0)


@pytest.fixture
def set_rolls(monkeypatch: pytest.MonkeyPatch) -> SetRolls:
    """Lets a test say which dice fall, by seat and round."""

    def use(rolls: Rolls) -> None:
        def scripted(
            _seed: int, _deal: int, seat: int, turn: int, purpose: int, slot: int, below: int
        ) -> int:
            assert (purpose, slot, below) == (DICE, 0, 7776)
            return int("".join(str(int(die) - 1) for die in rolls[seat, turn]), 6)

        monkeypatch.setattr("sim.reference_turn.uniform", scripted)

    return use


def hashed(*values: int) -> int:
    number = 0
    for value in values:
        number = ((number ^ value) * 0x9E3779B1) & 0xFFFFFFFF
        number ^= number >> 15
    return number >> 16 ^ number & 0xFFFF


def entries(game: Game) -> list[tuple[int | None, ...]]:
    return [result.entries for result in game.seats]


def test_overwriting_gives_the_thief_a_turn_more_and_the_robbed_one_fewer(set_rolls: SetRolls) -> None:
    set_rolls(
        {(0, 0): "66612", (1, 0): "11234", (0, 1): "55555", (1, 1): "66666", (1, 2): "11111", (1, 3): "22222"}
    )
    robbed = Script([0, 2], robs=True, gives=[1])
    thief = Script([1, 0, 1, 2], robs=True)
    game = play_game(ruleset_of("overwrite", "sixes", "ones", "chance"), [robbed, thief], 0, 0, [10, 2, 18])
    # Instead of two points for Ones, the 18 of Sixes become nothing.
    assert thief.offers == [Offer(side=0, category=0, gains=-2, loses=18)]
    assert thief.offers[0].swing == 16
    assert robbed.offers == []  # at its second turn the thief's sheet is still empty
    (view,) = robbed.robbed
    assert (view.open, view.upper, view.difference) == ((1, 2), 0, 0)
    assert entries(game) == [(0, 0, 25), (30, 5, 10)]
    assert [result.entered_by for result in game.seats] == [(0, 0, 0), (1, 1, 1)]
    assert [(turn.seat, turn.turn) for turn in game.turns] == [(0, 0), (1, 0), (0, 1), (1, 1), (1, 2), (1, 3)]
    assert [turn.totals for turn in game.turns] == [(18, 0), (0, 0), (25, 0), (25, 30), (25, 35), (25, 45)]
    assert game.turns[1].steal == Steal(0, 0, entry=18, pays=0, forfeited=1, forfeiting_seat=0)
    assert (game.turns[1].category, game.turns[1].points) == (0, 0)
    first, second = game.seats
    assert (first.turns, first.steals, first.robbed, first.throws) == (2, 0, 1, 2)
    assert (second.turns, second.steals, second.robbed, second.throws) == (4, 1, 0, 4)
    assert first.decisions == hashed(0 << 20, 7 << 24 | 1 << 20, 2 << 20)
    assert second.decisions == hashed(1 << 24 | 0 << 20, 0 << 20, 1 << 20, 2 << 20)
    # Four rounds: 0-0, 25-30, 25-35, 25-45.
    assert (game.lead_changes, game.decided_turn, game.worst_deficit) == (0, 2, 0)
    assert (second.won, second.credit, first.place) == (True, 60, 2)


def test_nobody_leads_after_an_extra_round_that_ends_in_a_tie(set_rolls: SetRolls) -> None:
    set_rolls({(0, 0): "66666", (1, 0): "66655", (1, 1): "66655", (1, 2): "11123"})
    players = [Script([0], gives=[1]), Script([0, 0, 1], robs=True)]
    game = play_game(ruleset_of("overwrite", "chance", "alike"), players, 0, 0, [18, 2])
    assert players[1].offers == [Offer(0, 0, gains=-28, loses=2)]
    assert entries(game) == [(28, 0), (28, 0)]
    assert (game.lead_changes, game.decided_turn) == (0, 3 + 1)
    assert [result.credit for result in game.seats] == [30, 30]


def test_a_forfeit_is_not_bound_by_a_forced_scratch(set_rolls: SetRolls) -> None:
    set_rolls({(0, 0): "66666", (1, 0): "11111", (1, 1): "22222", (1, 2): "66666"})
    players = [Script([0], gives=[1]), Script([0, 0, 1], robs=True)]
    game = play_game(ruleset_of("overwrite", "chance", "alike", scratch="forced"), players, 0, 0, [18, 2])
    # Five ones leave 5 of five sixes; Alike is given up although no dice made it a scratch.
    assert entries(game) == [(5, 0), (10, 50)]
    assert [result.turns for result in game.seats] == [1, 3]


def test_a_full_sheet_is_not_robbed_by_overwriting_and_its_side_is_passed_over(set_rolls: SetRolls) -> None:
    set_rolls({(0, 0): "66666", (1, 0): "11111", (0, 1): "66666", (1, 1): "11111"})
    players = [Script([1, 0]), Script([1, 0], robs=[False])]
    game = play_game(ruleset_of("overwrite", "sixes", "chance"), players, 0, 0, [0, 0])
    # Asked once, in the first round; in the second the rival has no open category.
    assert players[1].offers == [Offer(0, 1, gains=-5, loses=30 - 5)]
    assert players[0].offers == [Offer(1, 1, gains=-30, loses=5 - 30)]
    assert [turn.seat for turn in game.turns] == [0, 1, 0, 1]
    assert [result.robbed for result in game.seats] == [0, 0]


def test_a_refused_offer_comes_again_and_an_accepted_one_was_the_last(set_rolls: SetRolls) -> None:
    rolls = {(seat, turn): "66666" if seat == 0 else "11111" for seat in range(2) for turn in range(5)}
    set_rolls(rolls)
    players = [Script([0, 1, 2], gives=[3]), Script([1, 0, 2, 3, 0], robs=[False, True])]
    ruleset = ruleset_of("overwrite", "sixes", "chance", "ones", "alike")
    game = play_game(ruleset, players, 0, 0, [0] * 4, barred=0)
    assert len(players[1].offers) == 2
    assert players[0].offers == []
    assert game.seats[0].turns == 3


def test_a_barred_side_never_steals(set_rolls: SetRolls) -> None:
    set_rolls({(0, 0): "66666", (1, 0): "11111", (0, 1): "66666", (1, 1): "11111"})
    for barred in (None, 0, 1):
        players = [Script([0, 1], gives=[0, 1]), Script([0, 1], robs=True)]
        game = play_game(ruleset_of("take", "sixes", "ones"), players, 0, 0, [0, 0], barred)
        assert [result.steals for result in game.seats] == [0, int(barred != 1)]
    with pytest.raises(ValueError, match="barred side 2 given; there are sides 0 to 1"):
        play_game(ruleset_of("take", "sixes", "ones"), players, 0, 0, [0, 0], barred=2)


def test_taking_moves_the_category_and_the_zero_may_go_there(set_rolls: SetRolls) -> None:
    set_rolls({(0, 0): "66661", (1, 0): "61111", (0, 1): "22222", (1, 1): "33333"})
    robbed, thief = Script([0, 1], robs=True, gives=[0]), Script([1, 1], robs=True)
    game = play_game(ruleset_of("take", "sixes", "chance"), [robbed, thief], 0, 0, [8, 18])
    assert thief.offers == [Offer(0, 0, gains=6 - 10, loses=24)]
    (view,) = robbed.robbed
    # The thief has 6 and its Chance open, 18; the robbed has both open, 26.
    assert (view.open, view.upper, view.difference, view.standing) == ((0, 1), 0, -6, 0)
    assert (view.rival_open, view.rival_upper) == ((1,), 6)
    assert robbed.offers == []  # the only category that the thief has is filled on the own sheet too
    assert entries(game) == [(0, 10), (6, 15)]
    assert game.turns[1].steal == Steal(0, 0, entry=24, pays=6, forfeited=0, forfeiting_seat=0)
    assert (game.turns[1].category, game.turns[1].points, game.turns[1].totals) == (0, 6, (0, 6))
    assert [result.turns for result in game.seats] == [2, 2]
    assert game.seats[0].decisions == hashed(0, 7 << 24, 1 << 20)
    assert game.seats[1].decisions == hashed(1 << 24, 1 << 20)


def test_taking_robs_a_full_sheet_too(set_rolls: SetRolls) -> None:
    set_rolls({(0, 0): "66666", (1, 0): "66666", (0, 1): "55554", (1, 1): "11112"})
    robbed, thief = Script([0, 1], gives=[1]), Script([0, 1], robs=[False, True])
    game = play_game(ruleset_of("take", "sixes", "chance"), [robbed, thief], 0, 0, [8, 18])
    assert robbed.offers == []  # no category of the rival's is open on the own sheet
    assert thief.offers == [Offer(0, 0, gains=0, loses=30), Offer(0, 1, gains=0, loses=24)]
    assert [view.open for view in robbed.robbed] == [(1,)]
    assert entries(game) == [(30, 0), (30, 6)]
    assert [(turn.seat, turn.turn) for turn in game.turns] == [(0, 0), (1, 0), (0, 1), (1, 1)]
    assert game.seats[0].entered_by == (0, 0)


@pytest.mark.parametrize(
    ("steal", "offer", "sheets"),
    [
        ("overwrite", Offer(0, 0, gains=-30, loses=0 - 30), [(30, 0), (30, 6)]),
        ("take", Offer(0, 0, gains=30 - 30, loses=0), [(0, 30), (30, 6)]),
    ],
)
def test_a_zero_may_be_stolen(
    set_rolls: SetRolls, steal: str, offer: Offer, sheets: list[tuple[int, ...]]
) -> None:
    set_rolls({(0, 0): "11111", (1, 0): "66666", (0, 1): "66666", (1, 1): "11112", (1, 2): "66666"})
    fills = [1, 1] if steal == "take" else [1, 1, 0]
    players = [Script([0, 1], gives=[1 if steal == "overwrite" else 0]), Script(fills, robs=True)]
    game = play_game(ruleset_of(steal, "sixes", "chance"), players, 0, 0, [0, 0])
    assert players[1].offers == [offer]
    assert entries(game) == sheets


def test_a_category_may_be_overwritten_again_by_another(set_rolls: SetRolls) -> None:
    rolls = {(seat, turn): "22222" for seat in range(3) for turn in range(5)}
    set_rolls(rolls | {(0, 0): "66666", (1, 0): "61111", (2, 0): "11111"})
    players = [
        Script([0, 2], gives=[1, 3]),
        Script([1, 0, 1, 2, 3], robs=[True]),
        Script([1, 0, 1, 2, 3], robs=True),
    ]
    ruleset = ruleset_of("overwrite", "sixes", "ones", "chance", "alike", players=3)
    game = play_game(ruleset, players, 0, 0, [8, 2, 18, 1])
    assert [turn.steal for turn in game.turns[1:3]] == [
        Steal(0, 0, entry=30, pays=6, forfeited=1, forfeiting_seat=0),
        Steal(0, 0, entry=6, pays=0, forfeited=3, forfeiting_seat=0),
    ]
    assert entries(game) == [(0, 0, 10, 0), (0, 0, 10, 50), (0, 0, 10, 50)]
    assert [result.turns for result in game.seats] == [2, 5, 5]
    assert [(result.steals, result.robbed) for result in game.seats] == [(0, 2), (1, 0), (1, 0)]


def test_a_category_may_be_taken_again_by_another(set_rolls: SetRolls) -> None:
    set_rolls(
        {(0, 0): "66666", (1, 0): "66611", (2, 0): "66111", (0, 1): "22222", (1, 1): "33333", (2, 1): "44444"}
    )
    players = [
        Script([0, 1], robs=False, gives=[0]),
        Script([1, 1], robs=True, gives=[0]),
        Script([1, 1], robs=True),
    ]
    game = play_game(ruleset_of("take", "sixes", "chance", players=3), players, 0, 0, [0, 0])
    assert [turn.steal for turn in game.turns[1:3]] == [
        Steal(0, 0, entry=30, pays=18, forfeited=0, forfeiting_seat=0),
        Steal(1, 0, entry=18, pays=12, forfeited=0, forfeiting_seat=1),
    ]
    assert entries(game) == [(0, 10), (0, 15), (12, 20)]
    assert [result.turns for result in game.seats] == [2, 2, 2]


def test_of_equal_swings_the_first_category_is_offered(set_rolls: SetRolls) -> None:
    rolls = {(seat, turn): "11111" for seat in range(2) for turn in range(3)}
    set_rolls(rolls)
    players = [Script([2, 1, 0]), Script([2, 1, 0], robs=False)]
    play_game(ruleset_of("overwrite", "sixes", "ones", "chance"), players, 0, 0, [0, 0, 0])
    # Overwriting a five by a five: no difference, in Ones as in Chance.
    assert players[1].offers == [Offer(0, 2, gains=-5, loses=0), Offer(0, 1, gains=-5, loses=0)]
    assert players[0].offers == [Offer(1, 2, gains=-5, loses=0), Offer(1, 1, gains=0, loses=0)]


def test_the_category_with_the_highest_swing_is_offered(set_rolls: SetRolls) -> None:
    set_rolls({(seat, turn): "11112" if turn else "66666" for seat in range(2) for turn in range(4)})
    players = [Script([1, 0, 2, 3]), Script([3, 2, 0, 1], robs=False)]
    play_game(ruleset_of("take", "ones", "sixes", "chance", "alike"), players, 0, 0, [0] * 4)
    # The rival fills Sixes with 30, Ones with 4, Chance with 6, Alike with 0.
    assert players[1].offers == [
        Offer(0, 1, gains=30 - 50, loses=30),
        Offer(0, 1, gains=0 - 6, loses=30),
        Offer(0, 1, gains=0 - 4, loses=30),
        Offer(0, 1, gains=0 - 0, loses=30),
    ]


def three_at_a_table(set_rolls: SetRolls, first: str, second: str, worth: list[int]) -> Offer:
    """Lets seats 0 and 1 fill Chance, and returns what seat 2 is offered."""
    set_rolls({(0, 0): first, (1, 0): second, (2, 0): "11111"} | {(s, 1): "22222" for s in range(3)})
    players = [Script([1, 0]), Script([1, 0]), Script([1, 0], robs=False)]
    play_game(ruleset_of("overwrite", "sixes", "chance", players=3), players, 0, 0, worth)
    return players[2].offers[0]


def test_the_best_rival_is_robbed_and_of_equals_the_first_clockwise(set_rolls: SetRolls) -> None:
    assert three_at_a_table(set_rolls, "22222", "33333", [0, 0]).side == 1
    assert three_at_a_table(set_rolls, "33333", "22222", [0, 0]).side == 0
    assert three_at_a_table(set_rolls, "33333", "33333", [0, 0]).side == 0


def test_clockwise_is_counted_from_the_thief(set_rolls: SetRolls) -> None:
    set_rolls({(seat, turn): "22222" for seat in range(3) for turn in range(3)})
    players = [Script([1, 0, 2]), Script([1, 0, 2], robs=False), Script([1, 0, 2])]
    play_game(ruleset_of("overwrite", "sixes", "chance", "ones", players=3), players, 0, 0, [0, 0, 0])
    # In the second round all rivals have 10 points: from seat 1 the next is seat 2, from seat 2 it is seat 0.
    assert [offer.side for offer in players[1].offers] == [0, 2, 2]
    assert [offer.side for offer in players[2].offers] == [0, 0]


def test_open_categories_count_for_the_best_rival(set_rolls: SetRolls) -> None:
    # Seat 0 fills Sixes with 6, seat 1 Chance with 10; the other category of each is open.
    for worth, side in (([8, 18], 0), ([18, 8], 1), ([4, 8], 0), ([5, 8], 1)):
        set_rolls({(0, 0): "61111", (1, 0): "22222", (2, 0): "11111"} | {(s, 1): "22222" for s in range(3)})
        players = [Script([0, 1]), Script([1, 0]), Script([1, 0], robs=False)]
        play_game(ruleset_of("overwrite", "sixes", "chance", players=3), players, 0, 0, worth)
        assert players[2].offers[0].side == side


def test_who_cannot_be_robbed_is_left_out_for_the_next_best(set_rolls: SetRolls) -> None:
    # Taking: the best rival has filled nothing that is open on the thief's own sheet.
    set_rolls({(0, 0): "66666", (1, 0): "11111", (2, 0): "66666"} | {(s, 1): "22222" for s in range(3)})
    players = [Script([0, 1]), Script([1, 0]), Script([0, 1], robs=False)]
    play_game(ruleset_of("take", "sixes", "chance", players=3), players, 0, 0, [0, 0])
    assert [offer.side for offer in players[2].offers] == [0, 0]
    assert players[2].offers[0] == Offer(0, 0, gains=30 - 30, loses=30)
    # In the second round seat 0 can take Chance only, of which seat 2, the best, has nothing.
    assert players[0].offers == [Offer(1, 1, gains=10 - 10, loses=5)]


def test_robbing_can_undo_a_bonus_and_bring_it_back(set_rolls: SetRolls) -> None:
    set_rolls(
        {(0, 0): "66666", (1, 0): "11111", (0, 1): "33333", (1, 1): "66666", (1, 2): "22222", (1, 3): "11111"}
    )
    ruleset = ruleset_of("overwrite", "sixes", "ones", "chance", bonus={"threshold": 20, "points": 35})
    players = [Script([0, 2], gives=[1]), Script([1, 0, 2, 1], robs=True)]
    game = play_game(ruleset, players, 0, 0, [0, 0, 0])
    totals = [turn.totals for turn in game.turns]
    assert totals == [(65, 0), (0, 0), (15, 0), (15, 65), (15, 75), (15, 80)]
    assert [(result.upper, result.bonus) for result in game.seats] == [(0, 0), (35, 35)]


def test_an_illegal_forfeit_is_refused(set_rolls: SetRolls) -> None:
    set_rolls({(0, 0): "66666", (1, 0): "11111"})
    players = [Script([0], gives=[0]), Script([0], robs=True)]
    with pytest.raises(ValueError, match=r"category 0 given to forfeit; open are \(1,\)"):
        play_game(ruleset_of("overwrite", "sixes", "chance"), players, 0, 0, [0, 0])


class Top(Script):
    """Fills its sheet from the top."""

    def categories(self, view: View, dice: Dice) -> Sequence[int]:
        self.views.append(view)
        return [view.open[0]]

    def forfeits(self, view: View) -> int:
        self.robbed.append(view)
        return view.open[-1]


def test_the_partner_with_the_sides_next_turn_forfeits_and_a_side_steals_once(set_rolls: SetRolls) -> None:
    rolls = {(seat, turn): "11111" for seat in range(6) for turn in range(6)}
    set_rolls(rolls | {(0, 0): "66666"})
    players: list[Script] = [Top(robs=seat == 1) for seat in range(6)]
    players[4].robs = True
    ruleset = ruleset_of("overwrite", "sixes", "ones", "chance", "alike", players=6, team=2)
    game = play_game(ruleset, players, 0, 0, [0] * 4)
    # Seat 1 plays for side 1; the next turn of side 0 would be seat 3's.
    assert game.turns[1].steal == Steal(0, 0, entry=30, pays=0, forfeited=3, forfeiting_seat=3)
    assert [len(player.robbed) for player in players] == [0, 0, 0, 1, 0, 0]
    assert players[4].offers == []  # the partner of the thief
    assert game.seats[0].entered_by == (0, 3, 0, 3)
    assert [result.steals for result in game.seats] == [0, 1, 0, 0, 0, 0]
    assert [result.robbed for result in game.seats] == [1, 0, 0, 1, 0, 0]
    # Side 0 is full after three turns, side 2 after four, and side 1 plays a fifth round alone.
    assert [result.turns for result in game.seats] == [2, 3, 2, 1, 2, 2]
    assert [(turn.seat, turn.turn) for turn in game.turns[-3:]] == [(4, 3), (5, 3), (1, 4)]
    assert game.seats[3].decisions == hashed(7 << 24 | 3 << 20, 1 << 20)


def test_a_partner_who_has_just_played_is_not_asked_to_forfeit(set_rolls: SetRolls) -> None:
    rolls = {(seat, turn): "11111" for seat in range(4) for turn in range(5)}
    set_rolls(rolls | {(2, 1): "66666"})
    players = [Top(), Top(), Top(), Top(robs=True)]
    ruleset = ruleset_of("take", "ones", "sixes", "chance", players=4, team=2)
    game = play_game(ruleset, players, 0, 0, [0] * 3)
    # In round 1 seat 3 takes the Sixes that seat 2 has just entered; side 0 plays on by seat 0.
    assert game.turns[3].steal == Steal(0, 1, entry=30, pays=0, forfeited=2, forfeiting_seat=0)
    assert entries(game)[0] == (5, 0, 0)
    assert game.seats[0].entered_by == (0, 0, 0)
    assert [result.turns for result in game.seats] == [2, 2, 1, 1]
