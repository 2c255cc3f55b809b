"""The clock in the slow reference, by games that are worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from sim.cheerio_ruleset import CheerioRuleset, load_cheerio, validate_cheerio
from sim.reference import CLOCK, DICE, Game, Offer, View, play_game, uniform, word_dice
from tests.sim.conftest import SetRolls

Dice = tuple[int, ...]

CHANCE = {"name": "Chance", "pattern": {"any": True}, "pays": "all dice"}
SIXES = {"name": "Sixes", "pattern": {"face": 6}, "pays": "matched dice", "upper": True}
ONES = {"name": "Ones", "pattern": {"face": 1}, "pays": "matched dice", "upper": True}


def ruleset_of(throw: float, entry: float, timer: float = 0, turns: int = 3, **rules: Any) -> CheerioRuleset:
    """Seconds for a throw and for an entry, none of them by chance; seat 0 starts, a throw of three a turn."""
    base = {
        "name": "small",
        "title": "Small",
        "players": [1, 2, 3],
        "start": "first-seat",
        "tiebreak": "shared",
        "clock": {"throw": {"seconds": throw}, "entry": {"seconds": entry}, "timer": timer},
        "categories": dict(list({"sixes": SIXES, "chance": CHANCE, "ones": ONES}.items())[:turns]),
    }
    return validate_cheerio(base | rules, "small")


@dataclass
class Thrower:
    """Throws so many times a turn, fills the sheet from the top, and writes down what it saw."""

    throws: int = 1
    pace: int = 1000
    views: list[View] = field(default_factory=list)

    def keeps(self, view: View, dice: Dice, rolls_left: int) -> Sequence[Dice]:
        return [dice if 3 - rolls_left >= self.throws else ()]

    def categories(self, view: View, dice: Dice) -> Sequence[int]:
        self.views.append(view)
        return [view.open[0]]

    def steals(self, view: View, offer: Offer) -> bool:
        raise AssertionError

    def forfeits(self, view: View) -> int:
        raise AssertionError


def told(game: Game) -> list[tuple[int, int, int | None, int | None]]:
    return [(turn.seat, turn.turn, turn.started, turn.ended) for turn in game.turns]


def played(ruleset: CheerioRuleset, *players: Thrower, deal: int = 0) -> Game:
    return play_game(ruleset, players, 1, deal, [0] * ruleset.turns)


def test_the_first_full_sheet_calls_time(set_rolls: SetRolls) -> None:
    set_rolls(
        {(0, 0): "66666", (1, 0): "66111", (0, 1): "55555", (1, 1): "44444", (0, 2): "11234", (1, 2): "11111"}
    )
    slow, quick = Thrower(throws=3), Thrower(throws=1)
    game = played(ruleset_of(2, 3), slow, quick)
    # A turn takes 3 x 2 + 3 seconds or 2 + 3; at 15 s the quick one is done, the slow one in its second turn.
    assert told(game) == [
        (0, 0, 0, 9000),
        (1, 0, 0, 5000),
        (1, 1, 5000, 10000),
        (0, 1, 9000, 18000),
        (1, 2, 10000, 15000),
    ]
    assert [turn.totals for turn in game.turns] == [(30, 12), (0, 12), (30, 32), (55, 37), (30, 37)]
    cut, full = game.seats
    assert (cut.entries, cut.entered_by) == ((30, 25, None), (0, 0, None))
    assert (cut.turns, cut.throws, cut.milliseconds, cut.empty, cut.score) == (2, 6, 18000, 1, 55)
    assert (full.turns, full.throws, full.milliseconds, full.empty, full.score) == (3, 3, 15000, 0, 37)
    assert (cut.won, cut.credit, full.place) == (True, 60, 2)
    # Rounds end at 9 s with 30-12, at 18 s with 55-37, and the third with the game.
    assert (game.lead_changes, game.decided_turn, game.worst_deficit) == (0, 1, 0)


def test_rivals_are_seen_as_they_are_when_a_turn_starts(set_rolls: SetRolls) -> None:
    set_rolls({(seat, turn): "66666" if turn == 0 else "11112" for seat in range(2) for turn in range(3)})
    slow, quick = Thrower(throws=3), Thrower(throws=1)
    played(ruleset_of(2, 3), slow, quick)
    assert [view.difference for view in quick.views] == [0, 30, 36 - 30]
    assert [view.rival_open for view in quick.views] == [(0, 1, 2), (0, 1, 2), (1, 2)]
    # At 9 s the quick one is in its second turn, which is not seen.
    assert [view.difference for view in slow.views] == [0, 30 - 30]


def test_turns_that_end_together_are_taken_in_the_order_of_play(set_rolls: SetRolls) -> None:
    set_rolls({(seat, turn): "66666" for seat in range(3) for turn in range(3)})
    players = [Thrower() for _ in range(3)]
    game = played(ruleset_of(2, 3), *players)
    assert [(turn.seat, turn.started) for turn in game.turns] == [
        (seat, 5000 * turn) for turn in range(3) for seat in range(3)
    ]
    # Who is later in the order of play sees the entry of the same instant.
    assert [[view.difference for view in player.views] for player in players] == [
        [0, 30, 30],
        [0, 0, 0],
        [0, 0, 0],
    ]
    assert [turn.totals for turn in game.turns[:4]] == [(30, 0, 0), (30, 30, 0), (30, 30, 30), (60, 30, 30)]
    # All sheets are full at the same instant, nobody is cut.
    assert [(result.empty, result.milliseconds) for result in game.seats] == [(0, 15000)] * 3
    assert [result.credit for result in game.seats] == [20, 20, 20]
    assert game.decided_turn == 4


def test_the_order_of_play_is_that_of_the_start_roll() -> None:
    ruleset = ruleset_of(2, 3, start="highest-die")
    starters = set()
    for deal in range(12):
        game = played(ruleset, *(Thrower() for _ in range(3)), deal=deal)
        start = next(seat for seat in range(3) if game.seats[seat].position == 0)
        starters.add(start)
        assert [turn.seat for turn in game.turns] == [(start + step) % 3 for step in range(9)]
    assert starters == {0, 1, 2}


@pytest.mark.parametrize("slow_first", [True, False])
@pytest.mark.parametrize(("pace", "turns"), [(1499, 3), (1500, 2), (1501, 2)])
def test_no_turn_starts_at_the_instant_at_which_time_is_called(
    slow_first: bool, pace: int, turns: int
) -> None:
    slow, quick = Thrower(pace=pace), Thrower()
    # The quick one is done at 15 s; the slow one ends its second turn about then. The order of play doesn't matter.
    players = (slow, quick) if slow_first else (quick, slow)
    game = played(ruleset_of(2, 3), *players)
    result = game.seats[0 if slow_first else 1]
    assert (result.turns, result.empty) == (turns, 3 - turns)
    assert result.milliseconds == turns * (2 * pace + 3 * pace)
    assert game.seats[1 if slow_first else 0].milliseconds == 15000


def test_a_sheet_of_one_turn_cannot_be_cut() -> None:
    game = played(ruleset_of(2, 3, turns=1), Thrower(throws=3), Thrower(), Thrower(pace=9000))
    assert [result.milliseconds for result in game.seats] == [9000, 5000, 45000]
    assert [result.empty for result in game.seats] == [0, 0, 0]


def test_rounds_that_nobody_else_ends_have_the_final_totals(set_rolls: SetRolls) -> None:
    set_rolls({(0, 0): "66666", (1, 0): "11111", (0, 1): "66666", (1, 1): "66666", (1, 2): "11111"})
    slow, quick = Thrower(pace=4000), Thrower()
    game = played(ruleset_of(2, 3), slow, quick)
    # 20 s for the slow one's only turn; the other is done at 15 s. All three rounds: 30 - (0 + 30 + 5).
    assert [result.score for result in game.seats] == [30, 35]
    assert (game.lead_changes, game.decided_turn, game.worst_deficit) == (0, 1, 0)
    set_rolls({(0, 0): "66666", (1, 0): "11111", (0, 1): "11111", (1, 1): "66666", (1, 2): "11111"})
    game = played(ruleset_of(2, 3), Thrower(pace=1600), Thrower())
    # Rounds: at 8 s 30-0, at 16 s 35-35 (the quick one has been done for a second), and no third for the slow one.
    assert [turn.totals for turn in game.turns] == [(30, 0), (0, 0), (30, 30), (35, 35), (30, 35)]
    assert (game.lead_changes, game.decided_turn) == (0, 4)


@pytest.mark.parametrize(
    ("throw", "timer", "throws", "takes", "sand_out"),
    [
        (2, 0, 3, 9000, False),
        (2, 6, 3, 9000, False),  # ends with the sand
        (2, 5.999, 2, 5999 + 3000, True),
        (2, 5, 2, 5000 + 3000, True),
        (2, 4, 2, 4000 + 3000, True),
        (2, 3.999, 1, 3999 + 3000, True),
        (2, 2, 1, 2000 + 3000, True),
        (2, 0.001, 1, 2000 + 3000, True),  # the first throw is made whatever it takes
        (70, 60, 1, 70_000 + 3000, True),
    ],
)
def test_sand_runs_out(throw: float, timer: float, throws: int, takes: int, sand_out: bool) -> None:
    thrower = Thrower(throws=3)
    game = played(ruleset_of(throw, 3, timer, turns=1), thrower)
    (turn,) = game.turns
    assert (len(turn.throws), turn.started, turn.ended, turn.sand_out) == (throws, 0, takes, sand_out)
    assert turn.throws[-1].kept is None
    assert [earlier.kept for earlier in turn.throws[:-1]] == [()] * (throws - 1)
    assert turn.points == turn.throws[-1].roll.count(6) * 6
    keeps = [0] * (throws - 1) + [31] * (3 - throws)
    value = (keeps[0] | keeps[1] << 5) * 0x9E3779B1 & 0xFFFFFFFF
    value ^= value >> 15
    assert game.seats[0].decisions == value >> 16 ^ value & 0xFFFF


def test_sand_does_not_stop_who_keeps_all_five() -> None:
    game = played(ruleset_of(7, 3, 5), Thrower(throws=1))
    assert [(turn.sand_out, turn.ended) for turn in game.turns] == [(False, 10_000 * n) for n in (1, 2, 3)]
    assert all(turn.throws[-1].kept == turn.throws[-1].roll for turn in game.turns)
    one_throw = played(ruleset_of(7, 3, 5, throws=1), Thrower(throws=3))
    assert [(turn.sand_out, turn.ended) for turn in one_throw.turns] == [
        (False, 10_000 * n) for n in (1, 2, 3)
    ]


@pytest.mark.parametrize(
    ("pace", "takes"),
    [(1000, 200), (1004, 200), (1005, 202), (500, 100), (100, 20), (10_000, 2000), (5, 2), (4, 1), (1, 1)],
)
def test_pace_makes_every_part_longer_and_a_turn_takes_a_millisecond_at_least(pace: int, takes: int) -> None:
    # A throw and an entry of 100 ms each, both rounded on their own, halves up.
    game = played(ruleset_of(0.1, 0.1), Thrower(pace=pace))
    assert [turn.ended for turn in game.turns] == [takes, 2 * takes, 3 * takes]


def test_times_are_drawn_from_streams_of_their_own() -> None:
    ruleset = load_cheerio("cheerio-speed")
    throwers = [Thrower(throws=3, pace=1234), Thrower(throws=2)]
    game = play_game(ruleset, throwers, 11, 12, [0] * 13)
    for turn in game.turns:
        pace = throwers[turn.seat].pace
        place = (11, 12, turn.seat, turn.turn, CLOCK)
        parts = [4000 - 1000 + uniform(*place, 1 + number, 2001) for number in range(len(turn.throws))]
        parts.append(6000 - 2000 + uniform(*place, 0, 4001))
        assert turn.started is not None
        assert turn.ended == turn.started + sum((part * pace + 500) // 1000 for part in parts)
        for number, throw in enumerate(turn.throws):
            assert throw.cast == word_dice(uniform(11, 12, turn.seat, turn.turn, DICE, number, 7776))
    takes = [(turn.ended or 0) - (turn.started or 0) for turn in game.turns if turn.seat == 1]
    assert 2 * 3000 + 4000 <= min(takes) < max(takes) <= 2 * 5000 + 8000


def test_each_turn_begins_when_the_one_before_ends_and_before_time_is_called() -> None:
    ruleset = load_cheerio("cheerio-speed")
    cut = 0
    for deal in range(10):
        throwers = [Thrower(throws=3), Thrower(throws=2), Thrower(throws=3, pace=800)]
        game = play_game(ruleset, throwers, 5, deal, [0] * 13)
        called = min(result.milliseconds for result in game.seats if result.empty == 0)
        for seat, result in enumerate(game.seats):
            own = [turn for turn in game.turns if turn.seat == seat]
            assert [turn.started for turn in own] == [0] + [turn.ended for turn in own[:-1]]
            assert all((turn.started or 0) < called for turn in own)
            assert result.milliseconds == own[-1].ended
            assert result.empty == 13 - len(own) == result.entries.count(None)
            assert result.milliseconds >= called
            cut += result.empty > 0
    assert cut > 5


@pytest.mark.parametrize(("name", "seats"), [("cheerio-bonus", 3), ("cheerio-team", 6), ("yahtzee", 2)])
def test_with_entries_alone_on_a_steady_clock_the_game_is_the_standard_one(name: str, seats: int) -> None:
    rules = load_cheerio(name).model_dump(mode="json")
    standard = validate_cheerio(rules, name)
    clock = {"throw": {"seconds": 0}, "entry": {"seconds": 10}}
    timed = validate_cheerio(rules | {"clock": clock}, name)
    for deal in range(4):
        # These decide by their own sheet, so that it doesn't matter what they see of others.
        players = [Thrower(throws=1 + seat % 3) for seat in range(seats)]
        one = play_game(standard, players, 2, deal, [0] * 13)
        other = play_game(timed, players, 2, deal, [0] * 13)
        assert [turn.ended for turn in other.turns] == [10_000 * (turn.turn + 1) for turn in other.turns]
        assert {result.milliseconds for result in other.seats} == {130_000}
        other = replace(
            other,
            turns=tuple(replace(turn, started=None, ended=None) for turn in other.turns),
            seats=tuple(replace(result, milliseconds=0) for result in other.seats),
        )
        assert one == other


def test_partners_take_turns_by_the_clock_too() -> None:
    rules = load_cheerio("cheerio-team").model_dump(mode="json")
    clock = {"throw": {"seconds": 4, "spread": 3}, "entry": {"seconds": 2}}
    ruleset = validate_cheerio(rules | {"clock": clock}, "timed")
    starters = set()
    for deal in range(20):
        players = [Thrower(throws=1 + seat % 2, pace=1000 + 100 * seat) for seat in range(6)]
        game = play_game(ruleset, players, 2, deal, [0] * 13)
        start = next(seat for seat, result in enumerate(game.seats) if result.position == 0)
        starters.add(start)
        for side in range(3):
            own = [turn for turn in game.turns if turn.seat % 3 == side]
            # The first turn is the partner's who comes first in the order of play.
            partners = sorted((side, side + 3), key=lambda seat: (seat - start) % 6)
            assert [turn.seat for turn in own] == (partners * 7)[: len(own)]
            assert [turn.turn for turn in own] == list(range(len(own)))
            for partner in partners:
                result = game.seats[partner]
                assert result.turns == sum(turn.seat == partner for turn in own)
                assert result.milliseconds == own[-1].ended
                assert result.empty == 13 - len(own)
    assert starters == set(range(6))
