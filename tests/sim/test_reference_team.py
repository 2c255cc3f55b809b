"""Teams in the slow reference: whose turn it is, and what partners share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import pytest

from sim.cheerio_ruleset import load_cheerio, validate_cheerio
from sim.reference import Offer, View, play_game

Dice = tuple[int, ...]


@dataclass
class Top:
    """Rerolls nothing, fills its sheet from the top, and writes down what it saw."""

    pace: int = 1000
    views: list[View] = field(default_factory=list)

    def keeps(self, view: View, dice: Dice, rolls_left: int) -> Sequence[Dice]:
        return [dice]

    def categories(self, view: View, dice: Dice) -> Sequence[int]:
        self.views.append(view)
        return [view.open[0]]

    def steals(self, view: View, offer: Offer) -> bool:
        return False

    def forfeits(self, view: View) -> int:
        return view.open[0]


@pytest.mark.parametrize("seats", [4, 6])
def test_partners_take_the_turns_of_their_side_alternately(seats: int) -> None:
    ruleset = load_cheerio("cheerio-team")
    sides = seats // 2
    starters = set()
    for deal in range(20):
        players = [Top() for _ in range(seats)]
        game = play_game(ruleset, players, 3, deal, [0] * 13)
        start = next(seat for seat, result in enumerate(game.seats) if result.position == 0)
        starters.add(start)
        assert [result.position for result in game.seats] == [(seat - start) % seats for seat in range(seats)]
        assert [turn.seat for turn in game.turns] == [(start + step) % seats for step in range(13 * sides)]
        assert [turn.turn for turn in game.turns] == [step // sides for step in range(13 * sides)]
        # The sides' first players take 7 turns, their partners 6.
        for result in game.seats:
            assert result.turns == result.throws == (7 if result.position < sides else 6)
        for side in range(sides):
            one, other = game.seats[side], game.seats[side + sides]
            assert (one.score, one.place, one.won, one.credit, one.tied, one.upper, one.bonus) == (
                other.score, other.place, other.won, other.credit, other.tied, other.upper, other.bonus,
            )  # fmt: skip
            assert one.entries == other.entries
            assert one.entered_by == other.entered_by
            first = side if one.position < sides else side + sides
            partner = (first + sides) % seats
            assert one.entered_by == (first, partner) * 6 + (first,)
            asked = [len(view.open) for view in players[first].views]
            assert asked == [13, 11, 9, 7, 5, 3, 1]
        assert sum(result.credit for result in game.seats[:sides]) == 60
    assert starters == set(range(seats))


def test_a_start_in_the_middle_of_a_team_table_step_by_step() -> None:
    ruleset = load_cheerio("cheerio-team")
    games = (play_game(ruleset, [Top() for _ in range(4)], 3, deal, [0] * 13) for deal in range(40))
    game = next(game for game in games if game.seats[3].position == 0)
    assert [turn.seat for turn in game.turns[:6]] == [3, 0, 1, 2, 3, 0]
    assert [turn.category for turn in game.turns[:6]] == [0, 0, 1, 1, 2, 2]
    assert [len(turn.totals) for turn in game.turns] == [2] * 26
    assert [result.turns for result in game.seats] == [7, 6, 6, 7]


def test_sides_roll_off_once_each_by_their_number() -> None:
    line = {"name": "All", "pattern": {"any": True}, "pays": 1}
    rules = {"name": "t", "title": "T", "players": [4, 6], "team": 2, "categories": {"all": line}}
    ruleset = validate_cheerio(rules, "t")
    for deal in range(10):
        game = play_game(ruleset, [Top() for _ in range(6)], 1, deal, [0])
        assert [side for side, _ in game.tiebreak_dice[0]] == [0, 1, 2]
        assert len(game.start_dice[0]) == 6
        winner = max(game.tiebreak_dice[-1], key=lambda rolled: sum(rolled[1]))[0]
        assert [result.won for result in game.seats] == [seat % 3 == winner for seat in range(6)]
        assert [result.turns for result in game.seats] == [int(r.position < 3) for r in game.seats]
        assert game.decided_turn == 2


def test_partners_see_their_sides_sheet_against_the_other_sides() -> None:
    ruleset = load_cheerio("cheerio-team")
    players = [Top() for _ in range(6)]
    game = play_game(ruleset, players, 3, 0, [0] * 13)
    for number, turn in enumerate(game.turns):
        before = game.turns[number - 1].totals if number else (0, 0, 0)
        side = turn.seat % 3
        view = players[turn.seat].views.pop(0)
        assert view.difference == before[side] - max(before[rival] for rival in range(3) if rival != side)
        assert len(view.open) == 13 - turn.turn
        assert view.turns_left == 13 - turn.turn


def test_places_and_leads_are_of_sides() -> None:
    ruleset = load_cheerio("cheerio-team")
    for deal in range(20):
        game = play_game(ruleset, [Top() for _ in range(6)], 4, deal, [0] * 13)
        scores = game.turns[-1].totals
        assert [result.score for result in game.seats] == [scores[seat % 3] for seat in range(6)]
        for result in game.seats:
            if result.score < max(scores):
                assert result.place == 1 + sum(score > result.score for score in scores)
        totals = [game.turns[last].totals for last in range(2, 39, 3)]
        winner = next(side for side in range(3) if game.seats[side].won)
        assert game.worst_deficit == max(max(row) - row[winner] for row in totals)
        leaders = [row.index(max(row)) for row in totals if row.count(max(row)) == 1]
        changes = sum(one != other for one, other in pairwise(leaders))
        assert game.lead_changes == changes
