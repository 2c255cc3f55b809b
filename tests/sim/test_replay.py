from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from sim.cheerio_ruleset import CheerioRuleset, load_cheerio, validate_cheerio
from sim.reference import Game, Offer, View, play_game, points_of
from sim.replay import escaped, replay_lines

Dice = tuple[int, ...]


class Greedy:
    """Keeps its pairs, then takes what pays most."""

    pace = 1000

    def __init__(self, ruleset: CheerioRuleset) -> None:
        self.ruleset = ruleset

    def keeps(self, view: View, dice: Dice, rolls_left: int) -> Sequence[Dice]:
        return [tuple(die for die in dice if dice.count(die) > 1)]

    def categories(self, view: View, dice: Dice) -> Sequence[int]:
        return [max(view.open, key=lambda category: points_of(self.ruleset, category, dice))]

    def steals(self, view: View, offer: Offer) -> bool:
        raise AssertionError

    def forfeits(self, view: View) -> int:
        raise AssertionError


def played(ruleset: CheerioRuleset, players: int, deal: int = 3) -> Game:
    return play_game(ruleset, [Greedy(ruleset)] * players, 7, deal, [0] * ruleset.turns)


def always_tied(**rules: object) -> CheerioRuleset:
    only = {"name": "All", "pattern": {"any": True}, "pays": 1}
    base = {"name": "tied", "title": "Tied", "players": [1, 2, 3], "categories": {"all": only}}
    return validate_cheerio(base | rules, "tied")


def test_whole_text_of_a_small_game() -> None:
    ruleset = validate_cheerio(
        {
            "name": "small",
            "title": "Small",
            "players": [2],
            "bonus": {"threshold": 1, "points": 7},
            "categories": {
                "fives": {"name": "Fives", "pattern": {"face": 5}, "pays": "matched dice", "upper": True},
                "chance": {"name": "Chance", "pattern": {"any": True}, "pays": "all dice"},
            },
        },
        "small",
    )
    text = "\n".join(replay_lines(ruleset, ["bold", "shy"], played(ruleset, 2, 6)))
    assert text == EXPECTED


EXPECTED = """\
Small (small), seed 7, deal 6

Seat 0: bold
Seat 1: shy

Start roll
  round 1: bold 1, shy 1
  round 2: bold 4, shy 5
  shy starts

Round 1
  shy
    throws   1 5 5 4 2  keeps 5 5
    rethrows 4 1 3      making 1 3 4 5 5  keeps 5 5
    rethrows 2 2 5      making 2 2 5 5 5
    Chance: 19 points
    total  bold 0  shy 19
  bold
    throws   5 5 6 3 2  keeps 5 5
    rethrows 3 5 6      making 3 5 5 5 6  keeps 5 5 5
    rethrows 1 6        making 1 5 5 5 6
    Chance: 22 points
    total  bold 22  shy 19

Round 2
  shy
    throws   3 5 5 2 2  keeps 2 2 5 5
    rethrows 3          making 2 2 3 5 5  keeps 2 2 5 5
    rethrows 1          making 1 2 2 5 5
    Fives: 10 points, and the bonus of 7
    total  bold 22  shy 36
  bold
    throws   4 1 5 1 6  keeps 1 1
    rethrows 1 1 1      making 1 1 1 1 1  keeps all five
    Fives: 0 points
    total  bold 22  shy 36

Final sheets

                 bold    shy
--------------  -----  -----
Fives               0     10
Chance             22     19
--------------  -----  -----
Upper subtotal      0     10
Bonus               0      7
Total              22     36

1. shy   36 points
2. bold  22 points

shy wins by 14 points"""


@pytest.mark.parametrize("name", ["cheerio-bonus", "cheerio-web"])
def test_every_die_and_point_is_told(name: str) -> None:
    ruleset = load_cheerio(name)
    for players in (1, 2):
        game = played(ruleset, players)
        labels = ["alpha", "beta"][:players]
        lines = replay_lines(ruleset, labels, game)
        turns = [line for line in lines if re.match(r"    (re)?throws ", line)]
        throws = [throw for turn in game.turns for throw in turn.throws]
        assert len(turns) == len(throws)
        for line, throw in zip(turns, throws, strict=True):
            assert line.split("  making")[0].split("  keeps")[0].split("throws")[1].strip() == " ".join(
                map(str, throw.cast)
            )
            assert ("keeps" in line) == (throw.kept is not None)
        totals = [line for line in lines if line.startswith("    total  ")]
        for line, turn in zip(totals, game.turns, strict=True):
            assert [int(number) for number in re.findall(r"[a-z] (\d+)", line)] == list(turn.totals)
        sheet = lines[lines.index("Final sheets") :]
        for index, category in enumerate(ruleset.categories.values()):
            row = next(line for line in sheet if line.startswith(f"{category.name} "))
            assert row.split()[-players:] == [str(result.entries[index]) for result in game.seats]
        assert all(line == line.rstrip() for line in lines)


def test_columns_are_aligned() -> None:
    ruleset = load_cheerio("cheerio")
    lines = replay_lines(ruleset, ["a", "a much longer name"], played(ruleset, 2))
    start = lines.index("Final sheets") + 2
    sheet = lines[start : lines.index("", start)]
    assert len({len(line) for line in sheet}) == 1
    assert sheet[0].split("  ")[-1] == "a much longer name"


def test_alone_there_is_no_winner() -> None:
    ruleset = load_cheerio("cheerio")
    game = played(ruleset, 1)
    lines = replay_lines(ruleset, ["solo"], game)
    assert lines[-1] == f"solo scores {game.seats[0].score} points"
    assert "Start roll" not in lines


def test_roll_off_is_told() -> None:
    ruleset = always_tied()
    game = next(game for deal in range(100) if (game := played(ruleset, 2, deal)).tiebreak_rounds > 1)
    lines = replay_lines(ruleset, ["bold", "shy"], game)
    told = lines[lines.index("Roll-off of those tied") + 1 : lines.index("Final sheets") - 1]
    expected = []
    for number, rolled in enumerate(game.tiebreak_dice, start=1):
        expected.append(f"  round {number}")
        expected += [
            f"    {['bold', 'shy '][seat]}  {' '.join(map(str, dice))}  sum {sum(dice)}"
            for seat, dice in rolled
        ]
    assert told == expected
    winner = "bold" if game.seats[0].won else "shy"
    assert lines[-1] == f"{winner} wins the roll-off"


def test_shared_win_is_told() -> None:
    ruleset = always_tied(tiebreak="shared")
    lines = replay_lines(ruleset, ["a", "b", "c"], played(ruleset, 3))
    assert lines[-1] == "a, b, c share the win"
    assert [line for line in lines if line.startswith("1. ")] == [
        "1. a  1 point",
        "1. b  1 point",
        "1. c  1 point",
    ]


def test_labels_cannot_write_to_the_terminal() -> None:
    ruleset = load_cheerio("cheerio")
    lines = replay_lines(ruleset, ["\x1b[31mred\n\u202e", "caf\u00e9" * 30], played(ruleset, 2))
    assert all(line.isascii() and line.isprintable() for line in lines)
    assert "Seat 0: \\x1b[31mred\\n\\u202e" in lines
    assert escaped("plain (1.5), x=2") == "plain (1.5), x=2"


def test_equal_labels_are_told_apart() -> None:
    ruleset = load_cheerio("cheerio")
    lines = replay_lines(ruleset, ["same", "same", "other"], played(ruleset, 3))
    assert "  same (seat 0)" in lines
    assert "  same (seat 1)" in lines
    assert "  other" in lines


def test_labels_have_to_match_the_seats() -> None:
    ruleset = load_cheerio("cheerio")
    with pytest.raises(ValueError, match="1 labels given; the game has 2 seats"):
        replay_lines(ruleset, ["only"], played(ruleset, 2))
