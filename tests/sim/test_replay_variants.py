"""Games of the variants, told."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from sim.cheerio_ruleset import CheerioRuleset, load_cheerio, validate_cheerio
from sim.reference import Game, Offer, View, allowed_on, pays_on, play_game
from sim.replay import replay_lines
from tests.sim.conftest import SetRolls

Dice = tuple[int, ...]

LINES = {
    "fives": {"name": "Fives", "pattern": {"face": 5}, "pays": "matched dice", "upper": True},
    "chance": {"name": "Chance", "pattern": {"any": True}, "pays": "all dice"},
    "five": {"name": "Five Alike", "pattern": {"alike": 5}, "pays": 50},
    "run": {"name": "Run", "pattern": {"run": 5}, "pays": 40},
}


def ruleset_of(*lines: str, **rules: Any) -> CheerioRuleset:
    base = {
        "name": "small",
        "title": "Small",
        "players": [1, 2, 4],
        "throws": 1,
        "start": "first-seat",
        "tiebreak": "shared",
        "categories": {line: LINES[line] for line in lines},
    }
    return validate_cheerio(base | rules, "small")


@dataclass
class Script:
    """Keeps what is alike, fills and forfeits in order, and steals when it may."""

    fills: list[int]
    gives: list[int] = field(default_factory=list)
    pace: int = 1000

    def keeps(self, view: View, dice: Dice, rolls_left: int) -> Sequence[Dice]:
        return [tuple(die for die in dice if dice.count(die) > 1)]

    def categories(self, view: View, dice: Dice) -> Sequence[int]:
        return [self.fills.pop(0)]

    def steals(self, view: View, offer: Offer) -> bool:
        return True

    def forfeits(self, view: View) -> int:
        return self.gives.pop(0)


def told(ruleset: CheerioRuleset, labels: Sequence[str], *players: Script) -> str:
    game = play_game(ruleset, players, 7, 6, [0] * ruleset.turns)
    return "\n".join(replay_lines(ruleset, labels, game))


def test_overwriting_is_told(set_rolls: SetRolls) -> None:
    set_rolls({(0, 0): "55512", (1, 0): "11234", (1, 1): "11112", (1, 2): "55555"})
    ruleset = ruleset_of(
        "fives", "chance", players=[2], steal="overwrite", bonus={"threshold": 15, "points": 7}
    )
    assert told(ruleset, ["par", "bold"], Script([0], [1]), Script([1, 1, 0])) == OVERWRITTEN


OVERWRITTEN = """\
Small (small), seed 7, deal 6

Seat 0: par
Seat 1: bold

Round 1
  par
    throws   5 5 5 1 2
    Fives: 15 points, and the bonus of 7
    total  par 22  bold 0
  bold
    throws   1 1 2 3 4
    steals Fives from par: 15 becomes 0 there; par gives up Chance
    par loses the bonus of 7
    par has a full sheet, and no turn left
    total  par 0  bold 0

Round 2
  bold
    throws   1 1 1 1 2
    Chance: 6 points
    total  par 0  bold 6

Round 3
  bold
    throws   5 5 5 5 5
    Fives: 25 points, and the bonus of 7
    total  par 0  bold 38

Final sheets

                  par   bold
--------------  -----  -----
Fives               0     25
Chance              0      6
--------------  -----  -----
Upper subtotal      0     25
Bonus               0      7
Total               0     38

1. bold  38 points
2. par   0 points

bold wins by 38 points"""


def test_taking_by_a_team_is_told(set_rolls: SetRolls) -> None:
    set_rolls({(0, 0): "55551", (1, 0): "55123", (2, 1): "11111", (3, 1): "22223"})
    ruleset = ruleset_of("fives", "chance", steal="take", team=2, players=[4])
    players = [Script([0]), Script([0]), Script([1], [0]), Script([1])]
    assert told(ruleset, ["par", "bold", "greedy", "bold"], *players) == TAKEN


TAKEN = """\
Small (small), seed 7, deal 6

Seat 0: par
Seat 1: bold
Seat 2: greedy
Seat 3: bold
Side 0: par+greedy, seats 0 and 2
Side 1: bold+bold, seats 1 and 3

Round 1
  par for par+greedy
    throws   5 5 5 5 1
    Fives: 20 points
    total  par+greedy 20  bold+bold 0
  bold (seat 1) for bold+bold
    throws   5 5 1 2 3
    steals Fives from par+greedy: 10 points here; 20 is erased there; greedy gives up Fives
    total  par+greedy 0  bold+bold 10

Round 2
  greedy for par+greedy
    throws   1 1 1 1 1
    Chance: 5 points
    total  par+greedy 5  bold+bold 10
  bold (seat 3) for bold+bold
    throws   2 2 2 2 3
    Chance: 11 points
    total  par+greedy 5  bold+bold 21

Final sheets

        par+greedy  bold+bold
------  ----------  ---------
Fives            0         10
Chance           5         11
------  ----------  ---------
Total            5         21

1. bold+bold   21 points
2. par+greedy  5 points

bold+bold wins by 16 points"""


def test_the_clock_is_told(set_rolls: SetRolls) -> None:
    set_rolls({(0, 0): "55123", (1, 0): "55555", (0, 1): "55555", (1, 1): "66666", (1, 2): "11111"})
    clock = {"throw": {"seconds": 20}, "entry": {"seconds": 10.5}, "timer": 70}
    ruleset = ruleset_of("fives", "chance", "five", throws=3, clock=clock)
    slow, quick = Script([0, 1], pace=1250), Script([0, 1, 2])
    assert told(ruleset, ["slow", "quick"], slow, quick) == TIMED


TIMED = """\
Small (small), seed 7, deal 6

Seat 0: slow
Seat 1: quick

Turns in the order in which they begin, with the totals when they end
  slow, turn 1, 0:00.000 to 1:23.125
    throws   5 5 1 2 3  keeps 5 5
    rethrows 5 5 1      making 1 5 5 5 5
    the sand runs out
    Fives: 20 points
    total  slow 20  quick 55
  quick, turn 1, 0:00.000 to 0:30.500
    throws   5 5 5 5 5  keeps all five
    Fives: 25 points
    total  slow 0  quick 25
  quick, turn 2, 0:30.500 to 1:01.000
    throws   6 6 6 6 6  keeps all five
    Chance: 30 points
    total  slow 0  quick 55
  quick, turn 3, 1:01.000 to 1:31.500
    throws   1 1 1 1 1  keeps all five
    Five Alike: 50 points
    total  slow 20  quick 105
  slow, turn 2, 1:23.125 to 2:01.250
    throws   5 5 5 5 5  keeps all five
    Chance: 25 points
    total  slow 45  quick 105

Time is called at 1:31.500 by quick
  slow is cut short with 1 empty category

Final sheets

             slow  quick
----------  -----  -----
Fives          20     25
Chance         25     30
Five Alike      -     50
----------  -----  -----
Total          45    105

1. quick  105 points
2. slow   45 points

quick wins by 60 points"""


def test_jokers_are_told(set_rolls: SetRolls) -> None:
    set_rolls({(0, turn): "55555" for turn in range(4)})
    joker = {"category": "five", "points": 100, "fits": ["run"], "forced": True}
    ruleset = ruleset_of("fives", "chance", "five", "run", joker=joker, bonus={"threshold": 20, "points": 7})
    text = told(ruleset, ["solo"], Script([2, 0, 3, 1]))
    for line in (
        "    Five Alike: 50 points",
        "    Fives: 25 points, and the bonus of 7, and 100 extra for five alike again",
        "    Run: 40 points as a joker, and 100 extra for five alike again",
        "    Chance: 25 points, and 100 extra for five alike again",
        "Bonus               7",
        "Extra points      300",
        "Total             447",
    ):
        assert line in text.splitlines()
    # Where no extra points came, the sheets have no line for them.
    set_rolls({(0, 0): "11111"} | {(0, turn): "55556" for turn in range(1, 4)})
    assert "Extra points" not in told(ruleset, ["solo"], Script([2, 0, 3, 1]))


def test_those_who_call_time_together_are_all_named(set_rolls: SetRolls) -> None:
    set_rolls({(seat, turn): "12345" for seat in range(4) for turn in range(3)})
    clock = {"throw": {"seconds": 0}, "entry": {"seconds": 60}}
    ruleset = ruleset_of("fives", "chance", "five", clock=clock)
    paces = (1000, 1000, 3000, 1500)
    players = [Script([0, 1, 2], pace=pace) for pace in paces]
    lines = told(ruleset, ["a", "b", "a", "c"], *players).splitlines()
    start = lines.index("Time is called at 3:00.000 by a (seat 0) and b")
    assert lines[start + 1 : start + 4] == [
        "  a (seat 2) is cut short with 2 empty categories",
        "  c is cut short with 1 empty category",
        "",
    ]


def test_a_bonus_that_a_steal_brings_the_robbed_is_told(set_rolls: SetRolls) -> None:
    set_rolls({(0, 0): "11111", (1, 0): "55555", (1, 1): "11111", (1, 2): "11111"})
    ruleset = ruleset_of(
        "fives", "chance", players=[2], steal="overwrite", bonus={"threshold": 15, "points": 7}
    )
    lines = told(ruleset, ["par", "bold"], Script([0], [1]), Script([1, 1, 0])).splitlines()
    start = lines.index("    steals Fives from par: 0 becomes 25 there; par gives up Chance")
    assert lines[start + 1] == "    par earns the bonus of 7"
    assert lines[start + 3] == "    total  par 32  bold 0"


@dataclass
class Greedy:
    """Keeps its pairs, takes what pays most, robs when that brings 20 and forfeits from the top."""

    ruleset: CheerioRuleset
    pace: int = 1000

    def keeps(self, view: View, dice: Dice, rolls_left: int) -> Sequence[Dice]:
        return [tuple(die for die in dice if dice.count(die) > 1)]

    def categories(self, view: View, dice: Dice) -> Sequence[int]:
        allowed = allowed_on(self.ruleset, view.open, dice)
        return [max(allowed, key=lambda category: pays_on(self.ruleset, view.open, category, dice))]

    def steals(self, view: View, offer: Offer) -> bool:
        return offer.swing >= 20

    def forfeits(self, view: View) -> int:
        return view.open[0]


def played(ruleset: CheerioRuleset, players: int, deal: int) -> Game:
    deciders = [Greedy(ruleset, 1000 + 200 * seat) for seat in range(players)]
    return play_game(ruleset, deciders, 7, deal, [9] * ruleset.turns)


VARIANTS = [
    ("cheerio-team", 4), ("cheerio-team", 6), ("cheerio-cutthroat", 3), ("cheerio-cutthroat-take", 2),
    ("cheerio-speed", 3), ("yahtzee", 2),
]  # fmt: skip


@pytest.mark.parametrize(("name", "players"), VARIANTS)
def test_every_turn_and_entry_is_told(name: str, players: int) -> None:
    ruleset = load_cheerio(name)
    sides = ruleset.sides(players)
    labels = ["alpha", "beta", "gamma", "delta", "eps", "zeta"][:players]
    names = ["+".join(labels[side::sides]) for side in range(sides)]
    for deal in range(3):
        game = played(ruleset, players, deal)
        lines = replay_lines(ruleset, labels, game)
        assert all(line == line.rstrip() for line in lines)
        throws = [line for line in lines if re.match(r"    (re)?throws ", line)]
        assert len(throws) == sum(len(turn.throws) for turn in game.turns)
        headers = [line.strip() for line in lines if re.match(r"  [a-z]+( for [a-z+]+)?(, turn .*)?$", line)]
        assert [header.split()[0].rstrip(",") for header in headers] == [
            labels[turn.seat] for turn in game.turns
        ]
        if ruleset.team > 1:
            assert [header.split(" for ")[1] for header in headers] == [
                names[turn.seat % sides] for turn in game.turns
            ]
        totals = [line for line in lines if line.startswith("    total  ")]
        for line, turn in zip(totals, game.turns, strict=True):
            assert [int(number) for number in re.findall(r"[a-z] (\d+)", line)] == list(turn.totals)
        steals = [line for line in lines if line.startswith("    steals ")]
        assert len(steals) == sum(result.steals for result in game.seats)
        assert sum(line == "    the sand runs out" for line in lines) == sum(t.sand_out for t in game.turns)
        sheet = lines[lines.index("Final sheets") :]
        for index, category in enumerate(ruleset.categories.values()):
            row = next(line for line in sheet if line.startswith(f"{category.name} "))
            entries = [result.entries[index] for result in game.seats[:sides]]
            assert row.split()[-sides:] == ["-" if entry is None else str(entry) for entry in entries]
        ranks = [line.split() for line in sheet if re.match(r"\d\. ", line)]
        assert sorted(name for _, name, *_ in ranks) == sorted(names)


def test_some_of_these_games_have_steals_and_cut_sheets() -> None:
    for name, players in VARIANTS[2:4]:
        assert any(r.steals for deal in range(3) for r in played(load_cheerio(name), players, deal).seats)
    assert any(result.empty for result in played(load_cheerio("cheerio-speed"), 3, 0).seats)


def test_teams_of_the_same_names_are_told_apart() -> None:
    ruleset = load_cheerio("cheerio-team")
    game = played(ruleset, 4, 0)
    lines = replay_lines(ruleset, ["par", "par", "bold", "bold"], game)
    assert "Side 0: par+bold (side 0), seats 0 and 2" in lines
    assert "  par (seat 1) for par+bold (side 1)" in lines
    assert any(re.fullmatch(r"1\. par\+bold \(side [01]\)  \d+ points", line) for line in lines)


def test_a_roll_off_of_teams_is_told_by_side() -> None:
    rules = load_cheerio("cheerio-team").model_dump(mode="json") | {"name": "tied"}
    only = {"all": {"name": "All", "pattern": {"any": True}, "pays": 1}}
    ruleset = validate_cheerio(rules | {"categories": only}, "tied")
    game = played(ruleset, 6, 0)
    lines = replay_lines(ruleset, list("abcdef"), game)
    start = lines.index("Roll-off of those tied")
    assert [line.split()[0] for line in lines[start + 2 : start + 5]] == ["a+d", "b+e", "c+f"]
    winner = next(side for side in range(3) if game.seats[side].won)
    assert lines[-1] == f"{['a+d', 'b+e', 'c+f'][winner]} wins the roll-off"
