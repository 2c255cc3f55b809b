"""What holds in every game of the slow reference, over many rulesets, tables and stakes."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sim.ceelo.reference import Game, Round, Turn, View, play_game
from sim.ceelo.ruleset import CeeloRuleset
from tests.sim.ceelo.conftest import bank

Rank = tuple[int, int]
STRAIGHT, LOST = (3, 0), (0, 0)


@dataclass(frozen=True)
class Scattered:
    """Stakes a number that depends on all it sees; often the least or the most that is allowed."""

    ruleset: CeeloRuleset
    salt: int

    def stake(self, view: View) -> int:
        number = zlib.crc32(repr((self.salt, view)).encode()) >> 8
        least, most = self.ruleset.stake.minimum, self.ruleset.stake.maximum
        return (least, most, least + number // 4 % (most - least + 1))[number % 4 % 3]


@st.composite
def rulesets(draw: st.DrawFn) -> CeeloRuleset:
    rules: dict[str, Any] = {"chips": draw(st.sampled_from([30, 100, 10, 100, 2, 1]))}
    rules["bank"] = draw(st.sampled_from(["none", "pass", "rotate", "fixed"]))
    if rules["bank"] == "none":
        rules["ante"] = max(1, rules["chips"] // draw(st.sampled_from([30, 30, 7, 1])))
        rules["outright"] = draw(st.booleans())
    else:
        minimum = draw(st.sampled_from([1, 1, 3, 40]))
        rules["stake"] = {"minimum": minimum, "maximum": minimum + draw(st.sampled_from([0, 1, 4, 30]))}
    if draw(st.booleans()):
        rules |= {"minutes": 1, "throw_seconds": draw(st.sampled_from([0.6, 1.1, 5.0, 20.0]))}
    return bank(draw(st.sampled_from([30, 30, 10, 2, 1])), **rules)


@st.composite
def games(draw: st.DrawFn) -> tuple[CeeloRuleset, Game]:
    ruleset = draw(rulesets())
    deciders = [
        Scattered(ruleset, draw(st.integers(0, 9))) for _ in range(draw(st.sampled_from([6, 2, 5, 3, 4])))
    ]
    number = st.integers(0, 2**64 - 1)
    seed, deal = draw(number), draw(number)
    game = play_game(ruleset, deciders, seed, deal)
    assert game == play_game(ruleset, deciders, seed, deal)
    return ruleset, game


def rank_of(dice: Sequence[int]) -> Rank | None:
    """The worth of a throw: its kind, then its face; the higher the better."""
    low, middle, high = sorted(dice)
    if low == high:
        return 2, low
    if middle in (low, high):
        return 1, low + high - middle
    return {(4, 5, 6): STRAIGHT, (1, 2, 3): LOST}.get((low, middle, high))


def rank_of_turn(turn: Turn) -> Rank:
    *thrown_again, last = [rank_of(dice) for dice in turn.throws]
    assert set(thrown_again) <= {None}
    assert last is not None
    return last


def net_of(bank_rank: Rank, player: Rank | None, stake: int) -> int:
    """What a bet brings a player, written as what it is to beat a bank."""
    if bank_rank[0] != 1:
        return stake if bank_rank == LOST else -stake
    assert player is not None
    if player[0] == 1:
        return stake if player > bank_rank else 0 if player == bank_rank else -stake
    return stake if player > bank_rank else -stake


def left_of(seat: int, seats: int) -> list[int]:
    return [*range(seat + 1, seats), *range(seat)]


class BankBook:
    """The rounds at a bank, followed with chips on a table: only the stakes asked for and the throws are taken."""

    def __init__(self, ruleset: CeeloRuleset, seats: int) -> None:
        self.ruleset = ruleset
        self.chips = [ruleset.chips] * seats
        self.banker = 0

    def check(self, played: Round) -> None:
        seats = len(self.chips)
        bettors = [seat for seat in left_of(self.banker, seats) if self.chips[seat] > 0]
        assert played.banker == played.first == self.banker
        assert [seat for seat in range(seats) if played.asked[seat] is not None] == sorted(bettors)
        limits = range(self.ruleset.stake.minimum, self.ruleset.stake.maximum + 1)
        held = self.chips[self.banker]
        staked = dict.fromkeys(range(seats), 0)
        for seat in bettors:
            asked = played.asked[seat]
            assert asked in limits
            staked[seat] = min(asked or 0, self.chips[seat], held - sum(staked.values()))
        assert played.staked == tuple(staked.values())
        bank_turn, *turns = played.turns
        bank_rank = rank_of_turn(bank_turn)
        throwing = [seat for seat in bettors if staked[seat]] if bank_rank[0] == 1 else []
        assert [turn.seat for turn in turns] == throwing
        ranks = {turn.seat: rank_of_turn(turn) for turn in turns}
        net = {seat: net_of(bank_rank, ranks.get(seat), stake) for seat, stake in staked.items() if stake}
        assert sum(won for won in net.values() if won > 0) <= held
        for seat, won in net.items():
            self.chips[seat] += won
            self.chips[self.banker] -= won
        assert played.chips == tuple(self.chips)
        straights = [seat for seat in throwing if ranks[seat] == STRAIGHT]
        due = self.banker
        if self.ruleset.bank == "pass" and straights:
            due = straights[0]
        elif self.ruleset.bank == "rotate":
            due = next(seat for seat in [*left_of(due, seats), due] if self.chips[seat])
        if not self.chips[due]:
            due = next(seat for seat in left_of(due, seats) if self.chips[seat])
        self.banker = due
        assert played.next_banker == due


class PotBook:
    """The rounds for a pot, followed with chips on a table: only the throws are taken."""

    def __init__(self, ruleset: CeeloRuleset, seats: int) -> None:
        self.ruleset = ruleset
        self.chips = [ruleset.chips] * seats
        self.first = seats - 1

    def check(self, played: Round) -> None:
        seats, ante = len(self.chips), self.ruleset.ante
        able = [seat for seat in [*left_of(self.first, seats), self.first] if self.chips[seat] >= ante]
        self.first = able[0]
        assert played.first == able[0]
        assert played.banker is None
        assert played.staked == tuple(ante if seat in able else 0 for seat in range(seats))
        tied = able
        for turns in (played.turns, *played.deciders):
            assert len(tied) > 1
            throwing = [turn.seat for turn in turns]
            ranks = [rank_of_turn(turn) for turn in turns]
            assert throwing == tied[: len(throwing)]
            if self.ruleset.outright and STRAIGHT in ranks:
                assert ranks.index(STRAIGHT) == len(ranks) - 1
            else:
                assert throwing == tied
            tied = [seat for seat, rank in zip(throwing, ranks, strict=True) if rank == max(ranks)]
        assert tied == [played.taken_by]
        for seat in able:
            self.chips[seat] -= ante
        self.chips[tied[0]] += ante * len(able)
        assert played.chips == tuple(self.chips)


@settings(max_examples=250)
@given(games())
def test_every_round_follows_from_its_throws_and_stakes(drawn: tuple[CeeloRuleset, Game]) -> None:
    ruleset, game = drawn
    seats = len(game.seats)
    book = PotBook(ruleset, seats) if ruleset.bank == "none" else BankBook(ruleset, seats)
    for number, played in enumerate(game.course):
        assert played.number == number
        book.check(played)
        assert sum(played.chips) == seats * ruleset.chips
        assert min(played.chips) >= 0


@settings(max_examples=250)
@given(games())
def test_games_end_when_they_should(drawn: tuple[CeeloRuleset, Game]) -> None:
    ruleset, game = drawn
    least = ruleset.ante if ruleset.bank == "none" else 1
    thrown = 0
    for number, played in enumerate(game.course, start=1):
        thrown += sum(len(turn.throws) for turns in (played.turns, *played.deciders) for turn in turns)
        over = (
            number == (250 if ruleset.minutes else ruleset.rounds)
            or sum(chips >= least for chips in played.chips) < 2
            or (ruleset.minutes is not None and thrown * round(1000 * ruleset.throw_seconds) >= 60_000)
        )
        assert over == (number == game.rounds)
    assert game.rounds == len(game.course)
    assert thrown == sum(seat.throws for seat in game.seats)


@settings(max_examples=250)
@given(games())
def test_columns_add_up(drawn: tuple[CeeloRuleset, Game]) -> None:
    ruleset, game = drawn
    seats = game.seats
    as_bettors = [
        sum(played.net[number] for played in game.course if played.banker != number)
        for number in range(len(seats))
    ]
    assert sum(seat.score for seat in seats) == len(seats) * ruleset.chips
    assert sum(seat.bank_net for seat in seats) == -sum(as_bettors)
    assert sum(seat.credit for seat in seats) == 60
    assert sum(seat.won for seat in seats) == (not any(seat.tied for seat in seats))
    turns = [turn for played in game.course for turn in played.turns]
    assert sum(len(seat.settled) for seat in seats) == len(turns)
    deciders = [decider for played in game.course for decider in played.deciders]
    assert sum(seat.results for seat in seats) == len(turns) + sum(map(len, deciders))
    assert sum((game.tied_2, game.tied_3, game.tied_4, game.tied_5, game.tied_6)) == len(deciders)
    decided = sum((game.decided_1, game.decided_2, game.decided_3, game.decided_4))
    assert decided == sum(bool(played.deciders) for played in game.course)
    for number, seat in enumerate(seats):
        assert seat.score == ruleset.chips + seat.bank_net + as_bettors[number]
        assert seat.bets_won + seat.pushes <= seat.bets <= game.rounds
        assert seat.bets <= seat.staked
        assert 0 <= seat.survived <= game.rounds
        alive = [
            played.chips[number] >= (ruleset.ante if ruleset.bank == "none" else 1) for played in game.course
        ]
        # Who is ruined once is ruined for good.
        assert alive == sorted(alive, reverse=True)
        assert seat.survived == sum(alive)
        assert 0 <= seat.decisions < 2**16
    if ruleset.bank == "none":
        assert sum(seat.bets_won for seat in seats) == game.rounds
        assert {seat.staked - ruleset.ante * seat.bets for seat in seats} == {0}
        assert not any(seat.bank_rounds or seat.covered or seat.pushes or seat.bank_passes for seat in seats)
    else:
        assert not deciders
        assert sum(seat.bank_rounds for seat in seats) == game.rounds
        assert sum(seat.covered for seat in seats) == sum(seat.staked for seat in seats)
        assert all(seat.instant_wins + seat.instant_losses <= seat.bank_rounds for seat in seats)
        passes = sum(seat.bank_passes for seat in seats)
        assert passes <= (game.rounds if ruleset.bank == "pass" else 0)
        moved = sum(played.banker != played.next_banker for played in game.course)
        if ruleset.bank == "pass":
            assert passes <= moved


@settings(max_examples=150)
@given(games())
def test_views_tell_what_they_should(drawn: tuple[CeeloRuleset, Game]) -> None:
    """A bettor that is asked again for a game's stakes sees what can be read off the rounds before."""
    ruleset, game = drawn
    recorded: list[list[View]] = [[] for _ in game.seats]
    answers = [
        [asked for played in game.course if (asked := played.asked[n]) is not None]
        for n in range(len(game.seats))
    ]

    class Again:
        def __init__(self, seat: int) -> None:
            self.seat = seat

        def stake(self, view: View) -> int:
            views = recorded[self.seat]
            views.append(view)
            return answers[self.seat][len(views) - 1]

    assert play_game(ruleset, [Again(n) for n in range(len(game.seats))], game.seed, game.deal) == game
    chips = (ruleset.chips,) * len(game.seats)
    thrown = 0
    for played in game.course:
        for seat in range(len(game.seats)):
            if played.asked[seat] is None:
                continue
            view = recorded[seat].pop(0)
            assert played.banker is not None
            assert (view.chips, view.bank) == (chips[seat], chips[played.banker])
            assert (played.banker + view.order) % len(game.seats) == seat
            assert view.order > 0
            assert view.rank == sorted(chips, reverse=True).index(chips[seat]) + 1
            bets = [before for before in game.course[: played.number] if before.staked[seat]]
            assert view.last_stake == (bets[-1].staked[seat] if bets else 0)
            assert view.streak == streak_of([before.net[seat] for before in bets])
            ahead = chips[seat] - max(chips[:seat] + chips[seat + 1 :])
            steps = [limit for limit in (0, ruleset.chips // 10, ruleset.chips // 2) if abs(ahead) > limit]
            assert view.lead == (len(steps) if ahead > 0 else -len(steps))
            assert view.rounds_left == rounds_left(ruleset, len(chips), played.number, thrown)
        chips = played.chips
        thrown += sum(len(turn.throws) for turn in played.turns)
    assert not any(recorded)


def rounds_left(ruleset: CeeloRuleset, seats: int, number: int, thrown: int) -> int:
    """How many rounds there is time for, of 2 throws for the bank, and for each other 2 in five rounds of six."""
    if ruleset.minutes is None:
        return ruleset.rounds - number
    most_throws = ceil(Fraction(60_000, round(1000 * ruleset.throw_seconds)))
    return min(250 - number, max(1, ceil((most_throws - thrown) / (2 + Fraction(10, 6) * (seats - 1)))))


def streak_of(nets: Sequence[int]) -> int:
    """How many of the last bets in a row were won, or lost, pushes left out."""
    settled = "".join("w" if net > 0 else "l" for net in nets if net)
    if not settled:
        return 0
    same = len(settled) - len(settled.rstrip(settled[-1]))
    return min(same, 10) if settled[-1] == "w" else -min(same, 10)
