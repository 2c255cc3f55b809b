"""What games of the slow reference come to: columns, views, the clock, the lead, and how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import ceil, sqrt

import numpy as np
import pytest

from sim.ceelo.odds import bank_pass_chance, bet_chances, decider_chance, result_chances
from sim.ceelo.reference import Game, View, _lead_course, play_game, result_of_dice, throw_dice
from sim.ceelo.reference_table import Table
from sim.ceelo.results import THROWS
from sim.ceelo.ruleset import CeeloRuleset, load_ceelo
from sim.ceelo.views import MOST_STREAK, VIEWS, lead_limits
from sim.hashes import mixed_hash
from sim.ruleset import shipped_rulesets
from sim.streams import DICE, uniform
from tests.sim.ceelo.conftest import PlayOut, Staking, bank, columns, pot

ONE_THROW_EACH = [next(dice for dice in THROWS if result_of_dice(dice) == result) for result in range(14)]


def hash_of(*stakes: int) -> int:
    mixed = np.uint32(0)
    for stake in stakes:
        mixed = mixed_hash(mixed, np.uint32(stake))
    return int(mixed >> np.uint32(16)) ^ int(mixed & np.uint32(0xFFFF))


def near(count: int, trials: int, chance: Fraction) -> bool:
    """Within 5 standard errors; the seeds are fixed."""
    return abs(count - trials * chance) < 5 * sqrt(trials * chance * (1 - chance))


# Columns


def test_columns_of_bettors(play_out: PlayOut) -> None:
    rounds = ["0:441 1:551 2:123", "0:442 1:235/443 2:446", "0:123", "0:666"]
    game = play_out(bank(4), [1, [2, 3, 1, 5], [9, 9, 4, 20]], rounds)
    assert [played.staked for played in game.course] == [(0, 2, 8), (0, 3, 2), (0, 1, 4), (0, 5, 3)]
    assert columns(game, "staked", "bets", "bets_won", "pushes") == [
        (0, 0, 0, 0),
        (11, 4, 2, 1),
        (17, 4, 2, 0),
    ]
    assert columns(game, "throws", "results", "survived") == [(4, 4, 4), (3, 2, 4), (2, 2, 4)]
    assert [seat.score for seat in game.seats] == [16, 9, 5]
    assert [seat.decisions for seat in game.seats] == [0, hash_of(2, 3, 1, 5), hash_of(8, 2, 4, 3)]
    # What was asked for, 9 and 20, is not in the hash: two games differ by what was staked.
    assert game.seats[2].decisions != hash_of(9, 9, 4, 20)


def test_columns_of_bankers(play_out: PlayOut) -> None:
    rounds = ["0:441 1:456 2:442", "1:666", "1:123", "1:552 2:456 0:552", "2:553 0:123 1:456"]
    game = play_out(bank(5), [[1, 2, 3, 4], [5, 1], [1, 1, 1, 1]], rounds)
    assert [played.banker for played in game.course] == [0, 1, 1, 1, 2]
    assert columns(game, "covered", "bank_net", "bank_rounds", "instant_wins", "instant_losses") == [
        (6, -6, 1, 0, 0),
        (2 + 3 + 4, 2 - 3 - 1, 3, 1, 1),
        (5, 3, 1, 0, 0),
    ]
    # The rounds at the bank are no bets.
    assert [seat.decisions for seat in game.seats] == [
        hash_of(1, 2, 3, 4),
        hash_of(5, 1),
        hash_of(1, 1, 1, 1),
    ]
    assert columns(game, "bets", "bets_won", "pushes") == [(4, 1, 1), (2, 2, 0), (4, 3, 0)]
    # Seat 1 beats the bank in the last round too, and would hold it in the next.
    assert columns(game, "bank_passes") == [(0,), (2,), (1,)]
    assert game.course[-1].next_banker == 1


INSTANT = [("456", (1, 0)), ("666", (1, 0)), ("111", (1, 0)), ("116 1:226", (0, 0)), ("123", (0, 1))]


@pytest.mark.parametrize(("line", "expected"), INSTANT)
def test_rounds_that_the_bank_decides_alone(play_out: PlayOut, line: str, expected: tuple[int, int]) -> None:
    game = play_out(bank(1), [1, 1], [f"0:{line}"])
    assert columns(game, "instant_wins", "instant_losses") == [expected, (0, 0)]


def test_bank_round_without_gain_is_no_push(play_out: PlayOut) -> None:
    game = play_out(bank(1), [1, 1, 1], ["0:442 1:446 2:551"])
    assert columns(game, "bank_net", "pushes", "bets_won") == [(0, 0, 0), (0, 0, 1), (0, 0, 0)]


def test_stake_of_nothing_is_no_bet(play_out: PlayOut) -> None:
    game = play_out(
        bank(3), [1, [10, 1, 1], [4, 4, 4]], ["0:441 1:551", "0:661 1:551 2:551", "0:661 1:551 2:551"]
    )
    assert columns(game, "bets", "staked", "pushes", "results") == [(0, 0, 0, 3), (3, 12, 3, 3), (2, 8, 2, 2)]
    assert game.seats[2].decisions == hash_of(4, 4)
    assert [len(seat.settled) for seat in game.seats] == [3, 3, 2]


@pytest.mark.parametrize("rule", ["rotate", "fixed"])
def test_bank_that_does_not_pass_counts_no_passes(play_out: PlayOut, rule: str) -> None:
    game = play_out(bank(1, bank=rule), [1, 1], ["0:441 1:456"])
    assert columns(game, "bank_passes") == [(0,), (0,)]


def test_what_each_round_was_settled_with(play_out: PlayOut) -> None:
    rounds = ["0:441 1:551 2:551", "0:456", "0:446 1:235/661 2:111"]
    game = play_out(bank(3), [1, 2, [3, 4, 5]], rounds)
    point_1, point_6, triple_1 = 12, 7, 6
    assert [seat.settled for seat in game.seats] == [
        ((point_1, 0), (0, 6), (point_6, 2 - 5)),
        ((point_1, 0), (12, -2)),
        ((point_1, 0), (triple_1, 5)),
    ]


def test_columns_of_a_pot(play_out: PlayOut) -> None:
    rounds = [
        "0:446 1:446 2:446 3:331 | 0:221 1:221 2:123 | 0:551 1:235/553",
        "1:331 2:332 3:551 0:334",
        "2:331 3:331 0:123 1:123 | 2:551 3:551 | 2:551 3:551 | 2:551 3:551 | 2:551 3:551 | 2:552 3:551",
    ]
    game = play_out(pot(3), [1] * 4, rounds)
    assert [(game.tied_2, game.tied_3, game.tied_4, game.tied_5, game.tied_6)] == [(6, 1, 0, 0, 0)]
    assert (game.decided_1, game.decided_2, game.decided_3, game.decided_4) == (0, 1, 0, 1)
    assert columns(game, "staked", "bets", "bets_won") == [(6, 3, 1), (6, 3, 1), (6, 3, 1), (6, 3, 0)]
    assert columns(game, "throws", "results", "survived") == [(5, 5, 3), (6, 5, 3), (9, 9, 3), (8, 8, 3)]
    assert columns(game, "score", "decisions", "pushes") == [(12, 0, 0), (12, 0, 0), (12, 0, 0), (4, 0, 0)]
    assert columns(game, "covered", "bank_net", "bank_rounds", "bank_passes") == [(0, 0, 0, 0)] * 4
    assert columns(game, "instant_wins", "instant_losses") == [(0, 0)] * 4
    assert game.seats[2].settled == ((7, -2), (11, -2), (12, 6))


DECIDERS = [(1, (1, 0, 0, 0)), (2, (0, 1, 0, 0)), (3, (0, 0, 1, 0)), (4, (0, 0, 0, 1)), (7, (0, 0, 0, 1))]


@pytest.mark.parametrize(("deciders", "decided"), DECIDERS)
def test_rounds_by_the_decider_that_settled_them(
    play_out: PlayOut, deciders: int, decided: tuple[int, ...]
) -> None:
    line = " | ".join(["0:441 1:441"] * deciders + ["0:441 1:442"])
    game = play_out(pot(1), [1, 1], [line])
    assert (game.decided_1, game.decided_2, game.decided_3, game.decided_4) == decided
    assert game.tied_2 == deciders


def test_deciders_of_up_to_six(play_out: PlayOut) -> None:
    # Each time one of those tied falls out.
    falls_out = [
        " ".join(f"{seat}:{'123' if seat == tied - 1 else '441'}" for seat in range(tied))
        for tied in (6, 5, 4, 3, 2)
    ]
    lines = ["0:441 1:441 2:441 3:441 4:441 5:441", *falls_out]
    game = play_out(pot(1), [1] * 6, [" | ".join(lines)])
    assert (game.tied_2, game.tied_3, game.tied_4, game.tied_5, game.tied_6) == (1, 1, 1, 1, 1)
    assert (game.decided_1, game.decided_2, game.decided_3, game.decided_4) == (0, 0, 0, 1)


def test_decider_that_is_cut_short_counts_all_who_are_tied(play_out: PlayOut) -> None:
    game = play_out(pot(1, outright=True), [1] * 3, ["0:666 1:666 2:666 | 0:555 1:456"])
    assert (game.tied_2, game.tied_3, game.decided_1) == (0, 1, 1)
    assert columns(game, "results") == [(2,), (2,), (1,)]


def test_who_never_comes_to_throw_has_no_result(play_out: PlayOut) -> None:
    game = play_out(pot(1, outright=True), [1] * 3, ["0:666 1:456"])
    assert [seat.settled for seat in game.seats] == [((1, -2),), ((0, 4),), ()]
    assert columns(game, "bets", "staked", "throws") == [(1, 2, 1), (1, 2, 1), (1, 2, 0)]


def test_survival_in_a_pot_is_to_have_an_ante(play_out: PlayOut) -> None:
    game = play_out(pot(2, ante=4), [1] * 3, ["0:441 1:442 2:443", "1:441 2:442 0:443"])
    assert columns(game, "score", "survived") == [(14, 2), (2, 1), (14, 2)]
    all_of_it = play_out(pot(1, ante=5), [1, 1], ["0:442 1:441"])
    assert columns(all_of_it, "score", "survived") == [(15, 1), (5, 1)]


# Chips at the end, and the places, credit and whether the top is shared.
ENDS = [
    ((3, 13, 14), [3, 2, 1], [0, 0, 60], [False] * 3),
    ((17, 7, 6), [1, 2, 3], [60, 0, 0], [False] * 3),
    ((10, 10, 10), [1, 1, 1], [20, 20, 20], [True] * 3),
    ((6, 12, 12), [3, 1, 1], [0, 30, 30], [False, True, True]),
    ((12, 9, 9), [1, 2, 2], [60, 0, 0], [False] * 3),
]


@pytest.mark.parametrize(("chips", "places", "credit", "tied"), ENDS)
def test_most_chips_win_and_a_shared_top_is_shared(
    play_out: PlayOut, chips: Sequence[int], places: list[int], credit: list[int], tied: list[bool]
) -> None:
    stakes = [max(1, abs(has - 10)) for has in chips[1:]]
    throws = [{1: "446", -1: "551", 0: "552"}[(has > 10) - (has < 10)] for has in chips[1:]]
    game = play_out(bank(1), [1, *stakes], [f"0:442 1:{throws[0]} 2:{throws[1]}"])
    assert game.course[0].chips == tuple(chips)
    assert [seat.place for seat in game.seats] == places
    assert [seat.credit for seat in game.seats] == credit
    assert [seat.tied for seat in game.seats] == tied
    assert [seat.won for seat in game.seats] == [of_seat == 60 for of_seat in credit]


LEADS = [
    ([(10, 10)], (0, 2, 0)),
    ([(11, 9)], (0, 1, 0)),
    ([(9, 11), (9, 11)], (0, 1, 0)),
    ([(9, 11), (12, 8)], (1, 2, 2)),
    ([(9, 11), (10, 10), (12, 8)], (1, 3, 2)),
    ([(11, 9), (10, 10), (12, 8)], (0, 3, 0)),
    ([(11, 9), (8, 12), (12, 8), (13, 7)], (2, 3, 4)),
    ([(11, 9), (8, 12), (10, 10)], (1, 4, 0)),
    ([(14, 8, 8), (14, 2, 14), (4, 12, 14), (6, 15, 9)], (2, 4, 12)),
]


@pytest.mark.parametrize(("chips", "expected"), LEADS)
def test_course_of_the_lead(chips: list[tuple[int, ...]], expected: tuple[int, int, int]) -> None:
    assert _lead_course(chips) == expected


def test_course_is_taken_at_the_ends_of_rounds(play_out: PlayOut) -> None:
    game = play_out(bank(3), [1, [3, 1, 5], [1, 1, 6]], ["0:123", "0:441 1:123 2:331", "0:666"])
    assert [played.chips for played in game.course] == [(6, 13, 11), (7, 12, 11), (14, 7, 9)]
    assert (game.rounds, game.lead_changes, game.decided_turn, game.worst_deficit) == (3, 1, 3, 7)


# Views


def test_views_show_what_stands_at_the_start_of_the_round(play_out: PlayOut) -> None:
    seats = [Staking([20, 1]), Staking([5]), Staking([30, 4])]
    rounds = ["0:441 1:123 2:456", "2:441 0:551 1:441"]
    seats[1].stakes = [5, 6]
    game = play_out(bank(2, chips=40, stake={"maximum": 50}), seats, rounds)
    assert [played.chips for played in game.course] == [(15, 35, 70), (15, 35, 70)]
    first = View(chips=40, bank=40, rounds_left=2, order=1, rank=1, lead=0, last_stake=0, streak=0)
    assert seats[1].views[0] == first
    # Nobody sees another's stake of the round.
    assert seats[2].views[0] == View(40, 40, 2, order=2, rank=1, lead=0, last_stake=0, streak=0)
    assert seats[0].views == [View(15, 70, 1, order=1, rank=3, lead=-3, last_stake=0, streak=0)]
    assert seats[1].views[1] == View(35, 70, 1, order=2, rank=2, lead=-3, last_stake=5, streak=-1)


def test_views_are_those_that_bettors_may_declare() -> None:
    assert list(View.__dataclass_fields__) == list(VIEWS)


def test_order_counts_seats_without_chips(play_out: PlayOut) -> None:
    seats = [Staking(1), Staking([10]), Staking([5, 1])]
    play_out(bank(2), seats, ["0:441 1:123", "0:111"])
    assert [view.order for view in seats[2].views] == [2, 2]


def test_order_and_bank_follow_the_banker(play_out: PlayOut) -> None:
    seats = [Staking(1), Staking(2), Staking(3), Staking(4)]
    rounds = ["0:123", "1:111", "2:111", "3:111"]
    game = play_out(bank(4, bank="rotate", chips=40), seats, rounds)
    assert [played.chips for played in game.course[:3]] == [
        (31, 42, 43, 44),
        (30, 50, 40, 40),
        (29, 48, 47, 36),
    ]
    seen_by = [[(view.order, view.bank, view.chips) for view in seat.views] for seat in seats]
    assert seen_by == [
        [(3, 42, 31), (2, 40, 30), (1, 36, 29)],
        [(1, 40, 40), (3, 40, 50), (2, 36, 48)],
        [(2, 40, 40), (1, 42, 43), (3, 36, 47)],
        [(3, 40, 40), (2, 42, 44), (1, 40, 40)],
    ]


def seen(chips: Sequence[int], seat: int, start: int) -> View:
    table = Table(bank(1, chips=start), [Staking(1) for _ in chips], 0, 0)
    table.chips = list(chips)
    return table.view(seat)


# Chips with 100 at the start: the steps are 10 and 50.
LEAD_STEPS = [
    (0, 0),
    (1, 1),
    (10, 1),
    (11, 2),
    (50, 2),
    (51, 3),
    (200, 3),
]


@pytest.mark.parametrize(("ahead", "step"), LEAD_STEPS)
def test_lead_in_steps(ahead: int, step: int) -> None:
    chips = (20, 100 + ahead, 100)
    assert seen(chips, 1, 100).lead == step
    assert seen(chips, 2, 100).lead == -step


@pytest.mark.parametrize("start", [1, 2, 5, 9, 10, 19, 100, 105])
def test_lead_by_limits(start: int) -> None:
    low, high = lead_limits(bank(1, chips=start))
    for ahead in range(2 * start + 1):
        step = 0 if ahead == 0 else 1 if ahead <= low else 2 if ahead <= high else 3
        assert seen((start + ahead, start), 0, start).lead == step
        assert seen((start + ahead, start), 1, start).lead == -step


@pytest.mark.parametrize(
    ("chips", "ranks"),
    [((10, 10, 10), (1, 1, 1)), ((12, 9, 9), (1, 2, 2)), ((9, 12, 9), (2, 1, 2)), ((0, 10, 20), (3, 2, 1))],
)
def test_rank_shares_places(chips: tuple[int, ...], ranks: tuple[int, ...]) -> None:
    assert tuple(seen(chips, seat, 10).rank for seat in range(3)) == ranks


# How seat 1's bets go against a bank with point 2: won, lost or pushed; and the streak at the start of the next round.
STREAKS = [
    ("wwlwl", [0, 1, 2, -1, 1, -1]),
    ("ppwpplp", [0, 0, 0, 1, 1, 1, -1, -1]),
    ("lllpl", [0, -1, -2, -3, -3, -4]),
    ("w" * 12 + "l", [*range(11), 10, 10, -1]),
    ("l" * 12 + "pw", [*range(0, -11, -1), -10, -10, -10, 1]),
]


@pytest.mark.parametrize(("course", "streaks"), STREAKS)
def test_streak(play_out: PlayOut, course: str, streaks: list[int]) -> None:
    throws = {"w": "446", "l": "551", "p": "552"}
    seat = Staking(1)
    # The last round is there to be seen at its start.
    rounds = [*(f"0:442 1:{throws[outcome]}" for outcome in course), "0:111"]
    play_out(bank(len(rounds), chips=30), [1, seat], rounds)
    assert [view.streak for view in seat.views] == streaks
    assert max(map(abs, streaks)) <= MOST_STREAK


def test_streak_and_last_stake_are_of_bets_as_they_were_covered(play_out: PlayOut) -> None:
    seat = Staking([9, 8, 7, 6])
    other = Staking([8, 1, 1])
    rounds = ["0:441 1:442 2:331", "1:666", "2:666", "1:123", "2:666", "1:111"]
    game = play_out(bank(6, bank="rotate"), [1, other, seat], rounds)
    # Covered with 2 of 9, with 8, then its turn at the bank, then a purse of 4.
    assert [played.staked[2] for played in game.course[:4]] == [2, 8, 0, 4]
    assert [view.last_stake for view in seat.views] == [0, 2, 8, 4]
    assert [view.streak for view in seat.views] == [0, 0, -1, 1]


def test_stake_of_nothing_changes_neither_streak_nor_last_stake(play_out: PlayOut) -> None:
    seat = Staking(3)
    game = play_out(bank(3, bank="fixed"), [1, [1, 6, 1], seat], ["0:123", "0:441 1:551", "0:111"])
    assert [played.staked[2] for played in game.course] == [3, 0, 3]
    assert [(view.last_stake, view.streak) for view in seat.views] == [(0, 0), (3, 1), (3, 1)]


# The clock


def test_no_round_begins_once_time_is_up(play_out: PlayOut) -> None:
    timed = {"minutes": 1, "throw_seconds": 12.0}
    three = "0:235/442 1:446"
    assert play_out(bank(1, **timed), [1, 1], [three, "0:111", "0:111"]).rounds == 3
    assert play_out(bank(1, **timed), [1, 1], [three, three]).rounds == 2
    assert play_out(bank(1, **timed), [1, 1], ["0:235/235/235/235/235/235/442 1:446"]).rounds == 1
    assert (
        play_out(pot(1, ante=1, **timed), [1, 1], ["0:441 1:442", "1:441 0:442", "0:441 1:442"]).rounds == 3
    )


def test_clock_ends_a_game_at_last(play_out: PlayOut) -> None:
    lasting = bank(1, chips=1000, minutes=600, throw_seconds=0.1)
    assert play_out(lasting, [1, 1], ["0:552 1:662"] * 250).rounds == 250


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_rounds_left_on_a_clock(play_out: PlayOut, seats: int) -> None:
    timed = bank(1, chips=1000, minutes=1, throw_seconds=0.7)
    most_throws = 86
    last = Staking(1)
    line = " ".join(["0:235/442", *(f"{seat}:552" for seat in range(1, seats))])
    rounds = [line] * ceil(most_throws / (seats + 1))
    play_out(timed, [1] * (seats - 1) + [last], rounds)
    a_round = 2 * (1 + Fraction(5, 6) * (seats - 1))
    expected = [ceil((most_throws - (seats + 1) * number) / a_round) for number in range(len(rounds))]
    assert [view.rounds_left for view in last.views] == expected
    assert min(expected) == 1


def test_rounds_left_are_no_more_than_there_may_be(play_out: PlayOut) -> None:
    last = Staking(1)
    play_out(bank(1, chips=1000, minutes=600, throw_seconds=0.1), [1, last], ["0:552 1:662"] * 250)
    assert [view.rounds_left for view in last.views] == list(range(250, 0, -1))


def test_rounds_left_without_a_clock(play_out: PlayOut) -> None:
    last = Staking(1)
    play_out(bank(3), [1, last], ["0:552 1:662"] * 3)
    assert [view.rounds_left for view in last.views] == [3, 2, 1]


# Requests


class Fixed:
    """Answers with anything."""

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def stake(self, view: View) -> int:
        return self.answer  # type: ignore[return-value]


@pytest.mark.parametrize("answer", [0, -1, 2, 21, 2.5, None, "5", 10**30])
def test_illegal_stake_is_refused(answer: object) -> None:
    ruleset = bank(3, stake={"minimum": 3, "maximum": 20})
    with pytest.raises(ValueError, match=rf"^seat 2 stakes {answer!r} in round 0; .* 3 to 20 is allowed$"):
        play_game(ruleset, [Fixed(3), Fixed(3), Fixed(answer)], 0, 0)


@pytest.mark.parametrize("answer", [3, 20, np.int64(7), np.uint8(20)])
def test_legal_stakes_may_be_more_than_the_purse(answer: int) -> None:
    ruleset = bank(1, chips=4, stake={"minimum": 3, "maximum": 20})
    game = play_game(ruleset, [Fixed(3), Fixed(answer)], 0, 0)
    assert game.course[0].staked == (0, min(4, answer))
    assert type(game.course[0].asked[1]) is int


def test_wrong_requests_are_refused() -> None:
    ruleset = bank(1, players=[2, 3])
    for count in (0, 1, 4):
        with pytest.raises(ValueError, match=rf"^{count} deciders given; small is for \[2, 3\] players$"):
            play_game(ruleset, [Fixed(1)] * count, 0, 0)
    for seed, deal, named in ((-1, 0, "seed -1"), (0, 2**64, f"deal {2**64}")):
        with pytest.raises(ValueError, match=rf"^{named} given; 0 to 2\*\*64 - 1 is allowed$"):
            play_game(ruleset, [Fixed(1)] * 2, seed, deal)


def test_nobody_is_asked_in_a_game_for_the_pot() -> None:
    game = play_game(pot(5), [Fixed("nothing")] * 3, 2**64 - 1, 2**64 - 1)
    assert game.rounds == 5


# Dice and chances


def test_throws_come_from_their_streams() -> None:
    for round_number, seat, throw in product((0, 1, 49, 249), (0, 5), range(20)):
        block, place = divmod(throw, 8)
        numbers = (9, 2**63 + 5, seat, round_number + 256 * block, DICE, place // 2, 46656)
        pair = int(uniform(*map(np.uint64, numbers)))
        assert throw_dice(9, 2**63 + 5, seat, round_number, throw) == THROWS[divmod(pair, 216)[throw % 2]]


def test_throws_of_a_game_are_its_seats_own() -> None:
    ruleset = load_ceelo("ceelo-pot")
    game = play_game(ruleset, [Staking(1)] * 3, 1, 2)
    for played in game.course:
        for seat in range(3):
            turns = [
                turn for turns in (played.turns, *played.deciders) for turn in turns if turn.seat == seat
            ]
            dice = [throw for turn in turns for throw in turn.throws]
            assert dice == [throw_dice(1, 2, seat, played.number, number) for number in range(len(dice))]


@pytest.mark.parametrize("name", shipped_rulesets("ceelo"))
def test_games_are_functions_of_seed_and_deal(name: str) -> None:
    ruleset = load_ceelo(name)
    games = [
        play_game(ruleset, [Staking(5)] * 3, seed, deal) for seed, deal in ((1, 1), (1, 1), (1, 2), (2, 1))
    ]
    assert games[0] == games[1]
    assert len({game.course for game in games}) == 3


@pytest.mark.parametrize(
    ("rule", "chips", "stakes", "staked"),
    [
        ("pass", (10, 10, 10), (2, 3), 5),
        ("pass", (20, 4, 6), (9, 2), 6),
        ("rotate", (3, 17, 10), (2, 20), 3),
        ("fixed", (10, 10, 10), (2, 7), 9),
    ],
)
def test_edge_of_the_bank_is_exact_whatever_the_rule_and_the_state(
    monkeypatch: pytest.MonkeyPatch, rule: str, chips: tuple[int, ...], stakes: tuple[int, ...], staked: int
) -> None:
    falls = [0, 0, 0]

    def throw_dice(seed: int, deal: int, seat: int, round_number: int, throw: int) -> tuple[int, ...]:
        return ONE_THROW_EACH[falls[seat]]

    monkeypatch.setattr("sim.ceelo.reference_table.throw_dice", throw_dice)
    chances = result_chances()
    edge, all_chances = Fraction(0), Fraction(0)
    for results in product(range(14), repeat=3):
        falls[:] = results
        table = Table(bank(1, bank=rule), [Staking(1), *map(Staking, stakes)], 0, 0)
        table.chips = list(chips)
        table.play()
        (played,) = table.rounds
        assert sum(played.staked) == staked
        chance = chances[results[0]] * chances[results[1]] * chances[results[2]]
        edge += chance * played.net[0]
        all_chances += chance
    assert all_chances == 1
    assert edge == Fraction(staked, 108)


def rounds_of(ruleset: CeeloRuleset, seats: int, deals: int) -> list[Game]:
    return [play_game(ruleset, [Staking(1)] * seats, 20260701, deal) for deal in range(deals)]


def test_bets_come_out_as_often_as_they_should() -> None:
    games = rounds_of(bank(4, chips=100), 3, 5000)
    rounds = [played for game in games for played in game.course]
    assert len(rounds) == 20_000
    chances = result_chances()
    banks = Counter(played.turns[0].result for played in rounds)
    bettors = Counter(turn.result for played in rounds for turn in played.turns[1:])
    for result, chance in enumerate(chances):
        assert near(banks[result], len(rounds), chance)
        assert near(bettors[result], bettors.total(), chance)
    for place in (1, 2):
        nets = Counter(
            played.net[(played.banker + place) % 3] for played in rounds if played.banker is not None
        )
        for outcome, chance in bet_chances().items():
            assert near(nets[outcome], len(rounds), chance)
    assert near(sum(played.taken_by is not None for played in rounds), len(rounds), bank_pass_chance(2))
    throws = [len(turn.throws) for played in rounds for turn in played.turns]
    # How many throws a result takes is geometric with chance 1/2: the mean is 2, and so is the variance.
    assert abs(sum(throws) - 2 * len(throws)) < 5 * sqrt(2 * len(throws))
    assert near(throws.count(1), len(throws), Fraction(1, 2))
    assert near(throws.count(4), len(throws), Fraction(1, 16))


@pytest.mark.parametrize(
    ("seats", "outright", "first_takes"), [(3, False, Fraction(1, 3)), (2, True, Fraction(859, 1712))]
)
def test_pots_are_taken_as_often_as_they_should(seats: int, outright: bool, first_takes: Fraction) -> None:
    games = rounds_of(pot(4, chips=100, ante=1, outright=outright), seats, 2500)
    rounds = [played for game in games for played in game.course]
    assert near(sum(played.taken_by == played.first for played in rounds), len(rounds), first_takes)
    needed = sum(bool(played.deciders) for played in rounds)
    assert near(needed, len(rounds), decider_chance(seats, outright))
    assert needed == sum(game.decided_1 + game.decided_2 + game.decided_3 + game.decided_4 for game in games)
    if seats == 2:
        again = sum(len(played.deciders) > 1 for played in rounds)
        assert near(again, needed, decider_chance(2, outright))
    else:
        of_three = sum(len(played.deciders[0]) == 3 for played in rounds if played.deciders)
        assert near(of_three, len(rounds), sum((chance**3 for chance in result_chances()), Fraction(0)))
