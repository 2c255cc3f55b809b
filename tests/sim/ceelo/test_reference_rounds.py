"""The rounds of the slow reference, one table of situations for each rule."""

from __future__ import annotations

from typing import Any

import pytest

from sim.ceelo.reference import Game
from tests.sim.ceelo.conftest import PlayOut, Stakes, bank, columns, pot

Chips = tuple[int, ...]


def chips_of(game: Game) -> list[tuple[int, ...]]:
    return [played.chips for played in game.course]


# The banker's throws, those of seat 1 and 2 where they throw, and what 3 and 4 chips staked leave to all.
ONE_ROUND = [
    ("0:456", (17, 7, 6)),
    ("0:546", (17, 7, 6)),
    ("0:666", (17, 7, 6)),
    ("0:111", (17, 7, 6)),
    ("0:123", (3, 13, 14)),
    ("0:321", (3, 13, 14)),
    ("0:443 1:456 2:666", (3, 13, 14)),
    ("0:443 1:111 2:222", (3, 13, 14)),
    ("0:443 1:123 2:231", (17, 7, 6)),
    ("0:443 1:114 2:661", (11, 13, 6)),
    ("0:443 1:552 2:336", (9, 7, 14)),
    ("0:443 1:553 2:366", (10, 10, 10)),
    ("0:443 1:663 2:123", (14, 10, 6)),
    ("0:116 1:226 2:556", (10, 10, 10)),
    ("0:166 1:226 2:661", (7, 13, 10)),
    ("0:661 1:551 2:222", (6, 10, 14)),
    ("0:235/146/124/443 1:641/666 2:235/125/336", (3, 13, 14)),
]


@pytest.mark.parametrize(("line", "chips"), ONE_ROUND)
def test_one_round_at_the_bank(play_out: PlayOut, line: str, chips: tuple[int, ...]) -> None:
    game = play_out(bank(1), [19, 3, 4], [line])
    assert chips_of(game) == [chips]
    (played,) = game.course
    assert played.asked == (None, 3, 4)
    assert played.staked == (0, 3, 4)
    assert played.net == tuple(has - 10 for has in chips)


# Ruleset, stakes, throws; then what was staked and what all have after each round.
CUTS: dict[str, tuple[dict[str, Any], list[Stakes], list[str], list[Chips], list[Chips]]] = {
    "to what is left of the bank, in throwing order": (
        {},
        [1, 7, 7, 7],
        ["0:441 1:552 2:442"],
        [(0, 7, 3, 0)],
        [(0, 17, 13, 10)],
    ),
    "to nothing, which does not throw": (
        {},
        [1, 10, 1, 1],
        ["0:441 1:123"],
        [(0, 10, 0, 0)],
        [(20, 0, 10, 10)],
    ),
    "the throwing order begins at the banker's left": (
        {"bank": "rotate"},
        [[9, 9], 5, [3, 9], [8, 9]],
        ["0:441 1:551 2:331 3:551", "1:442 2:441 3:552"],
        [(0, 5, 3, 2), (0, 0, 9, 1)],
        [(10, 10, 10, 10), (10, 19, 1, 10)],
    ),
    "by the own purse before the bank's": (
        {},
        [1, [8, 9], [1, 20]],
        ["0:666", "0:441 1:442 2:443"],
        [(0, 8, 1), (0, 2, 9)],
        [(19, 2, 9), (8, 4, 18)],
    ),
    "below the minimum a purse stakes all it has": (
        {"stake": {"minimum": 6, "maximum": 6}},
        [6, 6, 6],
        ["0:441 1:123 2:551", "0:442 1:444 2:445", "0:553 1:123", "0:111"],
        [(0, 6, 4), (0, 4, 6), (0, 6, 0), (0, 2, 6)],
        [(16, 4, 10), (6, 8, 16), (12, 2, 16), (20, 0, 10)],
    ),
    "below the minimum the bank covers what it has": (
        {"stake": {"minimum": 8, "maximum": 8}},
        [8, 8],
        ["0:441 1:442", "0:441 1:441", "0:555", "0:123"],
        [(0, 8), (0, 2), (0, 2), (0, 4)],
        [(2, 18), (2, 18), (4, 16), (0, 20)],
    ),
    "a bet that is cut loses no more": (
        {},
        [1, 10, 9],
        ["0:555", "0:441 2:123"],
        [(0, 10, 0), (0, 0, 9)],
        [(20, 0, 10), (29, 0, 1)],
    ),
}


@pytest.mark.parametrize("case", CUTS)
def test_stakes_are_cut(play_out: PlayOut, case: str) -> None:
    rules, stakes, rounds, staked, chips = CUTS[case]
    game = play_out(bank(len(rounds), **rules), stakes, rounds)
    assert [played.staked for played in game.course] == staked
    assert chips_of(game) == chips


def test_what_was_asked_for_is_kept_beside_what_was_staked(play_out: PlayOut) -> None:
    game = play_out(bank(2), [1, 7, 8, 9], ["0:441 1:123 2:123", "0:111"])
    assert [played.asked for played in game.course] == [(None, 7, 8, 9)] * 2
    assert [played.staked for played in game.course] == [(0, 7, 3, 0), (0, 3, 7, 9)]


# Rule of the bank, chips, stakes, throws, who held it in each round and would hold it next.
BANKERS: dict[str, tuple[str, list[Stakes], list[str], list[int]]] = {
    "4-5-6 takes it from the next round": ("pass", [1, 1, 1], ["0:441 1:222 2:456", "2:111"], [0, 2, 2]),
    "the first 4-5-6 in throwing order": ("pass", [1, 1, 1], ["0:441 1:456 2:456", "1:111"], [0, 1, 1]),
    "throwing order goes around": (
        "pass",
        [1, 1, 1, 1],
        ["0:441 1:222 2:456 3:456", "2:662 3:441 0:456 1:456", "0:111"],
        [0, 2, 0, 0],
    ),
    "4-5-6 after several throws": ("pass", [1, 1], ["0:441 1:235/641/465", "1:111"], [0, 1, 1]),
    "a triple is not enough": ("pass", [1, 1, 1], ["0:441 1:666 2:665", "0:111"], [0, 0, 0]),
    "not against a bank that loses at once": ("pass", [1, 1], ["0:123", "0:111"], [0, 0, 0]),
    "the bank's own 4-5-6 keeps it": ("pass", [1, 1], ["0:456", "0:111"], [0, 0, 0]),
    "a push keeps it": ("pass", [1, 1], ["0:116 1:226", "0:111"], [0, 0, 0]),
    "a stake of nothing can't take it": ("pass", [1, 10, 9], ["0:441 1:551", "0:111"], [0, 0, 0]),
    "a broke banker hands it to the left": ("pass", [1, 5, 5], ["0:123", "1:111"], [0, 1, 1]),
    "of a broke banker the first 4-5-6 takes it": (
        "pass",
        [1, 5, 5],
        ["0:441 1:442 2:456", "2:111"],
        [0, 2, 2],
    ),
    "rotating to the left": ("rotate", [1, 1, 1], ["0:111", "1:111", "2:111", "0:111"], [0, 1, 2, 0, 1]),
    "rotating, a 4-5-6 takes nothing": (
        "rotate",
        [1, 1, 1],
        ["0:441 1:111 2:456", "1:111"],
        [0, 1, 2],
    ),
    "rotating over those without chips": (
        "rotate",
        [1, [10], 1],
        ["0:441 1:123", "2:111", "0:111", "2:111"],
        [0, 2, 0, 2, 0],
    ),
    "rotating from a banker who is broke": ("rotate", [1, 5, 5], ["0:123", "1:111", "2:111"], [0, 1, 2, 1]),
    "fixed through a 4-5-6": ("fixed", [1, 1, 1], ["0:441 1:456 2:456", "0:111", "0:111"], [0, 0, 0, 0]),
    "fixed until it is broke, then fixed again": (
        "fixed",
        [1, 5, 5],
        ["0:123", "1:111", "1:441 2:456", "1:666"],
        [0, 1, 1, 1, 1],
    ),
    "fixed, over a neighbour without chips": (
        "fixed",
        [1, [10], [1, 10], [9, 10, 1]],
        ["0:441 1:123", "0:123", "2:111"],
        [0, 0, 2, 2],
    ),
}


@pytest.mark.parametrize("case", BANKERS)
def test_who_holds_the_bank(play_out: PlayOut, case: str) -> None:
    rule, stakes, rounds, holders = BANKERS[case]
    game = play_out(bank(len(rounds), bank=rule), stakes, rounds)
    bankers = [played.banker for played in game.course]
    assert bankers == holders[:-1]
    assert [played.next_banker for played in game.course] == holders[1:]
    assert [played.first for played in game.course] == bankers
    for played in game.course:
        passes = rule == "pass" and any(turn.result == 0 for turn in played.turns[1:])
        assert (played.taken_by is not None) == passes
        assert played.taken_by in (None, played.next_banker)


def test_all_chips_with_one_seat_end_the_game(play_out: PlayOut) -> None:
    game = play_out(bank(9), [1, 5, 5], ["0:111", "0:555"])
    assert chips_of(game) == [(20, 5, 5), (30, 0, 0)]
    assert game.rounds == 2
    assert columns(game, "won", "place", "credit", "survived") == [
        (True, 1, 60, 2),
        (False, 2, 0, 1),
        (False, 2, 0, 1),
    ]
    assert game.course[-1].next_banker == 0


def test_all_chips_with_a_bettor_end_the_game(play_out: PlayOut) -> None:
    game = play_out(bank(9), [1, 10], ["0:441 1:456"])
    assert chips_of(game) == [(0, 20)]
    assert game.course[-1].next_banker == 1
    assert columns(game, "survived", "bank_passes") == [(0, 0), (1, 1)]


def test_who_has_no_chips_is_neither_asked_nor_throws(play_out: PlayOut) -> None:
    game = play_out(bank(3), [1, [10], 1], ["0:441 1:123", "0:555", "0:112 2:442"])
    assert [played.asked for played in game.course] == [(None, 10, 1), (None, None, 1), (None, None, 1)]
    assert columns(game, "survived", "bets", "results") == [(3, 0, 3), (0, 1, 1), (3, 2, 1)]


# Throws of rounds for the pot of 10 chips each, an ante of 2; who took each, and what all then have.
POTS: dict[str, tuple[dict[str, Any], int, list[str], list[int], list[Chips]]] = {
    "the best takes it": ({}, 3, ["0:441 1:112 2:123"], [1], [(8, 14, 8)]),
    "4-5-6 before triples": ({}, 3, ["0:666 1:111 2:456"], [2], [(8, 8, 14)]),
    "triples by their face, before points": ({}, 3, ["0:222 1:111 2:116"], [0], [(14, 8, 8)]),
    "1-2-3 is the worst": ({}, 2, ["0:661 1:123"], [0], [(12, 8)]),
    "until each has a result": ({}, 2, ["0:235/641/442 1:125/553"], [1], [(8, 12)]),
    "those tied throw until one is best": (
        {},
        3,
        ["0:446 1:445 2:226 | 0:221 2:331 | 0:235/456 2:465 | 0:123 2:331"],
        [2],
        [(8, 8, 14)],
    ),
    "three tied, then two of them": (
        {},
        4,
        ["0:222 1:445 2:222 3:222 | 0:221 2:551 3:123 | 0:446 2:335"],
        [0],
        [(16, 8, 8, 8)],
    ),
    "a decider among worse results than others had": (
        {},
        3,
        ["0:661 1:123 2:551 | 0:123 2:123 | 0:441 2:123"],
        [0],
        [(14, 8, 8)],
    ),
    "all tied at the worst": ({}, 2, ["0:123 1:123 | 0:123 1:331"], [1], [(8, 12)]),
    "two 4-5-6 need a decider": ({}, 2, ["0:456 1:456 | 0:441 1:661 | 0:441 1:666"], [1], [(8, 12)]),
    "outright, nobody throws after a 4-5-6": (
        {"outright": True},
        3,
        ["0:666 1:456", "1:456"],
        [1, 1],
        [(8, 14, 8), (6, 18, 6)],
    ),
    "outright, the last may still take it": (
        {"outright": True},
        3,
        ["0:666 1:441 2:645"],
        [2],
        [(8, 8, 14)],
    ),
    "outright in a decider": (
        {"outright": True},
        3,
        ["0:666 1:666 2:666 | 0:555 1:456"],
        [1],
        [(8, 14, 8)],
    ),
    "outright, triples are thrown against": ({"outright": True}, 2, ["0:111 1:222"], [1], [(8, 12)]),
    "the first thrower moves to the left": (
        {},
        3,
        ["0:441 1:442 2:443", "1:441 2:442 0:443", "2:441 0:442 1:443", "0:441 1:442 2:443"],
        [2, 0, 1, 2],
        [(8, 8, 14), (12, 6, 12), (10, 10, 10), (8, 8, 14)],
    ),
    "a decider keeps the throwing order": (
        {},
        3,
        ["0:441 1:442 2:443", "1:441 2:551 0:661 | 1:442 2:443 0:444"],
        [2, 0],
        [(8, 8, 14), (12, 6, 12)],
    ),
    "who can't pay sits out, and is passed over": (
        {"ante": 4},
        3,
        ["0:441 1:442 2:443", "1:441 2:442 0:443", "2:443 0:442", "0:441 2:442", "2:441 0:442"],
        [2, 0, 2, 2, 0],
        [(6, 6, 18), (14, 2, 14), (10, 2, 18), (6, 2, 22), (10, 2, 18)],
    ),
    "the ante may be all one has": (
        {"ante": 5},
        2,
        ["0:441 1:442", "1:441 0:441 | 1:442 0:443"],
        [1, 0],
        [(5, 15), (10, 10)],
    ),
    "fewer than two can pay": ({"ante": 6, "rounds": 9}, 3, ["0:444 1:442 2:443"], [0], [(22, 4, 4)]),
}


@pytest.mark.parametrize("case", POTS)
def test_pots(play_out: PlayOut, case: str) -> None:
    rules, seats, rounds, takers, chips = POTS[case]
    game = play_out(pot(**({"rounds": len(rounds)} | rules)), [1] * seats, rounds)
    assert [played.taken_by for played in game.course] == takers
    assert chips_of(game) == chips
    assert [played.first for played in game.course] == [int(line[0]) for line in rounds]
    assert {played.banker for played in game.course} == {None}
    assert {stake for played in game.course for stake in played.asked} == {None}
