from __future__ import annotations

import re

import pytest

from sim.ceelo.reference import play_game
from sim.ceelo.replay import replay_lines
from sim.ceelo.results import RESULTS
from sim.ceelo.ruleset import CeeloRuleset, load_ceelo
from sim.ruleset import shipped_rulesets
from tests.sim.ceelo.conftest import PlayOut, Staking, bank, pot


def text_of(
    ruleset: CeeloRuleset, labels: list[str], play_out: PlayOut, stakes: list[int], *rounds: str
) -> str:
    return "\n".join(replay_lines(ruleset, labels, play_out(ruleset, stakes, rounds)))


def round_of(text: str, number: int) -> list[str]:
    """The lines of a round, its heading first."""
    return text.split(f"Round {number}: ")[1].split("\n\n")[0].splitlines()


AT_THE_BANK = """\
Small (small), seed 0, deal 0

Seat 0: flat
Seat 1: bold
Seat 2: shy
Seat 3: late

Everybody starts with 10 chips and stakes 1 to 20 chips a round against the bank.
The first who beats the bank with 4-5-6 takes it over.
Whoever has the most chips after 4 rounds wins.

Round 1: flat holds the bank, with 10 chips
  bold stakes 7; shy stakes 4 but the bank covers only 3; late stakes 1 but the bank covers no more, so there is no bet
  flat throws 2 3 5: nothing; 4 4 3: point 3
  bold throws 1 2 4, 6 4 1 and 2 4 6: nothing; 1 3 2: 1-2-3, loses 7
  shy throws 6 6 3: point 3 too, a push
  chips  flat 17 (+7)  bold 3 (-7)  shy 10  late 10

Round 2: flat holds the bank, with 17 chips
  bold stakes 7 but has only 3; shy stakes 4; late stakes 1
  flat throws 6 6 1: point 1
  bold throws 5 5 5: 5-5-5, wins 3
  shy throws 6 4 5: 4-5-6, wins 4
  late throws 4 5 6: 4-5-6, wins 1
  chips  flat 9 (-8)  bold 6 (+3)  shy 14 (+4)  late 11 (+1)
  shy has beaten the bank with 4-5-6 and takes it over

Round 3: shy holds the bank, with 14 chips
  late stakes 1; flat stakes 9; bold stakes 7 but the bank covers only 4
  shy throws 3 2 1: 1-2-3, loses all 14 at once
  chips  flat 18 (+9)  bold 10 (+4)  shy 0 (-14)  late 12 (+1)
  shy has no chips left and is out
  the bank goes on to late

Round 4: late holds the bank, with 12 chips
  flat stakes 9; bold stakes 7 but the bank covers only 3
  late throws 1 1 1: 1-1-1, wins all 12 at once
  chips  flat 9 (-9)  bold 7 (-3)  shy 0  late 24 (+12)

After 4 rounds the game is over

1. late  24 chips
2. flat   9 chips
3. bold   7 chips
4. shy    0 chips

late wins by 15 chips"""

AT_THE_BANK_ROUNDS = (
    "0:235/443 1:124/641/246/132 2:663",
    "0:661 1:555 2:645 3:456",
    "2:321",
    "3:111",
)


def test_whole_text_of_a_small_game_at_the_bank(play_out: PlayOut) -> None:
    labels = ["flat", "bold", "shy", "late"]
    assert text_of(bank(4), labels, play_out, [9, 7, 4, 1], *AT_THE_BANK_ROUNDS) == AT_THE_BANK


FOR_THE_POT = """\
Small (small), seed 0, deal 0

Seat 0: any
Seat 1: any
Seat 2: other

Everybody starts with 10 chips and pays an ante of 4 chips a round.
The best result takes the pot.
Whoever has the most chips after 9 rounds wins.

Round 1: 3 pay 4 chips each, 12 in the pot; any (seat 0) throws first
  any (seat 0) throws 2 3 5 and 1 4 6: nothing; 4 4 2: point 2
  any (seat 1) throws 6 6 2: point 2
  other throws 2 5 5: point 2
  any (seat 0), any (seat 1) and other are tied, and throw a decider
  any (seat 0) throws 1 2 3: 1-2-3
  any (seat 1) throws 6 6 6: 6-6-6
  other throws 6 6 6: 6-6-6
  any (seat 1) and other are tied again, and throw a decider
  any (seat 1) throws 4 5 6: 4-5-6
  other throws 6 6 1: point 1
  any (seat 1) takes the pot of 12
  chips  any (seat 0) 6 (-4)  any (seat 1) 18 (+8)  other 6 (-4)

Round 2: 3 pay 4 chips each, 12 in the pot; any (seat 1) throws first
  any (seat 1) throws 6 6 4: point 4
  other throws 6 6 2: point 2
  any (seat 0) throws 6 6 3: point 3
  any (seat 1) takes the pot of 12
  chips  any (seat 0) 2 (-4)  any (seat 1) 26 (+8)  other 2 (-4)
  any (seat 0) can't pay the ante again and is out
  other can't pay the ante again and is out

After 2 rounds nobody but any (seat 1) can pay the ante

1. any (seat 1)  26 chips
2. any (seat 0)   2 chips
2. other          2 chips

any (seat 1) wins by 24 chips"""


def test_whole_text_of_a_small_game_for_the_pot(play_out: PlayOut) -> None:
    rounds = (
        "0:235/146/442 1:662 2:255 | 0:123 1:666 2:666 | 1:456 2:661",
        "1:664 2:662 0:663",
    )
    assert text_of(pot(9, ante=4), ["any", "any", "other"], play_out, [1, 1, 1], *rounds) == FOR_THE_POT


def test_outright_is_told(play_out: PlayOut) -> None:
    rounds = ("0:666 1:666 2:666 | 0:112 1:456", "1:645")
    text = text_of(pot(2, outright=True), ["a", "b", "c"], play_out, [1, 1, 1], *rounds)
    assert "A 4-5-6 takes the pot at once." in text
    assert round_of(text, 1)[5:8] == [
        "  a throws 1 1 2: point 2",
        "  b throws 4 5 6: 4-5-6, and nobody throws after it",
        "  b takes the pot of 6",
    ]
    assert round_of(text, 2)[:2] == [
        "3 pay 2 chips each, 6 in the pot; b throws first",
        "  b throws 6 4 5: 4-5-6, and nobody throws after it",
    ]


def test_all_chips_with_one_seat_are_told(play_out: PlayOut) -> None:
    text = text_of(bank(9), ["a", "b", "c"], play_out, [1, 5, 5], "0:111", "0:555")
    assert text.splitlines()[-11:] == [
        "  chips  a 30 (+10)  b 0 (-5)  c 0 (-5)",
        "  b has no chips left and is out",
        "  c has no chips left and is out",
        "",
        "After 2 rounds a has all the chips",
        "",
        "1. a  30 chips",
        "2. b   0 chips",
        "2. c   0 chips",
        "",
        "a wins by 30 chips",
    ]


def test_time_that_is_up_is_told(play_out: PlayOut) -> None:
    timed = bank(1, minutes=1, throw_seconds=12.0)
    text = text_of(timed, ["a", "b"], play_out, [1, 1], "0:235/442 1:442", "0:235/442 1:442")
    assert (
        "No round begins after 1 minute, the time of 5 throws; whoever has the most chips then wins." in text
    )
    assert "After 2 rounds time is up, with 6 throws" in text
    assert text.endswith("a, b share the win")


# Rule of the bank, throws, and how each round ends.
ENDS = [
    ("pass", ("0:441 1:456", "1:441 0:456"), ["b has beaten the bank with 4-5-6 and takes it over",
     "a has beaten the bank with 4-5-6 and would take it over"]),
    ("rotate", ("0:441 1:456", "1:111"), ["the bank goes on to b", "chips  a 8 (-1)  b 12 (+1)"]),
    ("fixed", ("0:441 1:456", "0:111"), ["chips  a 9 (-1)  b 11 (+1)", "chips  a 10 (+1)  b 10 (-1)"]),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "rounds", "expected"), ENDS)
def test_where_the_bank_goes_is_told(
    play_out: PlayOut, rule: str, rounds: tuple[str, ...], expected: list[str]
) -> None:
    text = text_of(bank(2, bank=rule), ["a", "b"], play_out, [1, 1], *rounds)
    assert [round_of(text, number)[-1].strip() for number in (1, 2)] == expected


def test_one_chip_and_one_round_are_told_as_one(play_out: PlayOut) -> None:
    text = text_of(pot(1, ante=1, chips=1), ["a", "b"], play_out, [1, 1], "0:441 1:442")
    assert "Everybody starts with 1 chip and pays an ante of 1 chip a round." in text
    assert "Whoever has the most chips after 1 round wins." in text
    assert round_of(text, 1)[0] == "2 pay 1 chip each, 2 in the pot; a throws first"
    assert "After 1 round b has all the chips" in text
    text = text_of(
        bank(1, minutes=1, throw_seconds=60.0, chips=2, stake={"minimum": 1, "maximum": 1}),
        ["a", "b"],
        play_out,
        [1, 1],
        "0:456",
    )
    assert "Everybody starts with 2 chips and stakes 1 chip a round against the bank." in text
    assert "No round begins after 1 minute, the time of 1 throw; whoever" in text
    assert text.splitlines()[-6:] == [
        "After 1 round time is up, with 1 throw",
        "",
        "1. a  3 chips",
        "2. b  1 chip",
        "",
        "a wins by 2 chips",
    ]


@pytest.mark.parametrize("name", shipped_rulesets("ceelo"))
@pytest.mark.parametrize("seats", [2, 6])
def test_every_throw_stake_and_chip_is_told(name: str, seats: int) -> None:
    ruleset = load_ceelo(name)
    for deal in range(3):
        game = play_game(ruleset, [Staking(20)] * seats, 5, deal)
        labels = [f"player-{seat}" for seat in range(seats)]
        text = "\n".join(replay_lines(ruleset, labels, game))
        for played in game.course:
            lines = round_of(text, played.number + 1)
            turns = [turn for turns in (played.turns, *played.deciders) for turn in turns]
            thrown = [line for line in lines if re.search(r"^  \S+ throws \d", line)]
            assert len(thrown) == len(turns)
            for line, turn in zip(thrown, turns, strict=True):
                assert line.startswith(f"  player-{turn.seat} throws ")
                dice = [tuple(map(int, found)) for found in re.findall(r"\b(\d) (\d) (\d)\b", line)]
                assert tuple(dice) == turn.throws
                assert f": {RESULTS[turn.result].name}" in line
            for seat in range(seats):
                net = f" ({played.net[seat]:+})" if played.net[seat] else ""
                (chips,) = [line for line in lines if line.startswith("  chips  ")]
                assert f"  player-{seat} {played.chips[seat]}{net}" in chips
                if (asked := played.asked[seat]) is not None:
                    assert f"player-{seat} stakes {asked}" in lines[1]
        assert text.isascii()
        assert "  \n" not in text


def test_labels_are_escaped_shortened_and_told_apart() -> None:
    ruleset = load_ceelo("ceelo-bank")
    game = play_game(ruleset, [Staking(1)] * 3, 1, 1)
    text = "\n".join(replay_lines(ruleset, ["caf\xe9\n", "x" * 40, "caf\xe9\n"], game))
    assert "Seat 0: caf\\xe9\\n\n" in text
    assert f"Seat 1: {'x' * 40}\n" in text
    assert f"{'x' * 27}... stakes 1" in text
    assert "caf\\xe9\\n (seat 0) holds the bank" in text
    assert text.isascii()


def test_each_seat_needs_a_label() -> None:
    ruleset = load_ceelo("ceelo-pot")
    game = play_game(ruleset, [Staking(1)] * 3, 1, 1)
    with pytest.raises(ValueError, match=r"^2 labels given; the game has 3 seats, one label each$"):
        replay_lines(ruleset, ["a", "b"], game)
