from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from math import sqrt
from typing import Any

import pytest

from sim.cheerio_ruleset import CheerioRuleset, load_cheerio, validate_cheerio
from sim.dice import ROLL_INDEX, keep_mask
from sim.reference import (
    COIN,
    DICE,
    START,
    TIEBREAK,
    Game,
    Offer,
    View,
    _course,
    _place,
    allowed_on,
    play_game,
    total_of,
    uniform,
    upper_cap,
    view_of,
    word_dice,
)
from sim.ruleset import shipped_rulesets

Dice = tuple[int, ...]
GOLDEN = 0x9E3779B1


@dataclass
class Scattered:
    """Decides by a number that depends on all it sees, and writes down what it was asked."""

    ruleset: CheerioRuleset
    salt: int = 0
    asked: list[tuple[str, View, Dice, int]] = field(default_factory=list)

    def number(self, *seen: object) -> int:
        return zlib.crc32(repr((self.salt, seen)).encode())

    def keeps(self, view: View, dice: Dice, rolls_left: int) -> Sequence[Dice]:
        self.asked.append(("keep", view, dice, rolls_left))
        number = self.number(view, dice, rolls_left)
        options = [
            tuple(die for place, die in enumerate(dice) if (number + i) >> place & 1) for i in range(3)
        ]
        return options[: 1 + number % 3]

    def categories(self, view: View, dice: Dice) -> Sequence[int]:
        self.asked.append(("category", view, dice, 0))
        number = self.number(view, dice)
        allowed = allowed_on(self.ruleset, view.open, dice)
        return [allowed[(number + i) % len(allowed)] for i in range(1 + number % 2)]

    @property
    def pace(self) -> int:
        return 500 + 300 * self.salt

    def steals(self, view: View, offer: Offer) -> bool:
        return self.number(view, offer) % 4 == 0

    def forfeits(self, view: View) -> int:
        return view.open[self.number(view, "forfeit") % len(view.open)]


class FirstOpen:
    """Rerolls nothing, fills the sheet from the top, steals whenever it may and forfeits the last category."""

    pace = 1000

    def keeps(self, view: View, dice: Dice, rolls_left: int) -> Sequence[Dice]:
        return [dice]

    def categories(self, view: View, dice: Dice) -> Sequence[int]:
        return [view.open[0]]

    def steals(self, view: View, offer: Offer) -> bool:
        return True

    def forfeits(self, view: View) -> int:
        return view.open[-1]


class MostAlike(FirstOpen):
    """Keeps the face it has most of, of several the highest, which is the best for five alike."""

    def keeps(self, view: View, dice: Dice, rolls_left: int) -> Sequence[Dice]:
        face = max(dice, key=lambda die: (dice.count(die), die))
        return [tuple(die for die in dice if die == face)]


@dataclass
class Script(FirstOpen):
    """Answers with what it was given, in order."""

    kept: list[Sequence[Dice]]
    filled: list[Sequence[int]]

    def keeps(self, view: View, dice: Dice, rolls_left: int) -> Sequence[Dice]:
        return self.kept.pop(0)

    def categories(self, view: View, dice: Dice) -> Sequence[int]:
        return self.filled.pop(0)


def ruleset_of(*categories: tuple[dict[str, Any], Any], **rules: Any) -> CheerioRuleset:
    lines = {
        f"c{n}": {"name": f"C{n}", "pattern": pattern, "pays": pays, "upper": "face" in pattern}
        for n, (pattern, pays) in enumerate(categories)
    }
    base = {"name": "small", "title": "Small", "players": [1, 2, 3, 4, 5, 6], "categories": lines}
    return validate_cheerio(base | rules, "small")


ANY = ({"any": True}, 1)  # with this alone, every game is a tie
CHANCE = ({"any": True}, "all dice")


def flat(ruleset: CheerioRuleset) -> list[int]:
    return [5 + index for index in range(ruleset.turns)]


def games(ruleset: CheerioRuleset, players: int, deals: int, seed: int = 1) -> list[Game]:
    return [play_game(ruleset, [FirstOpen()] * players, seed, deal, flat(ruleset)) for deal in range(deals)]


def near(count: int, trials: int, chance: Fraction) -> bool:
    """Within 5 standard errors; the seeds are fixed."""
    return abs(count - trials * chance) < 5 * sqrt(trials * chance * (1 - chance))


@pytest.mark.parametrize("name", shipped_rulesets("cheerio"))
def test_games_hold_together(name: str) -> None:
    ruleset = load_cheerio(name)
    for players in ruleset.players:
        for deal in range(2):
            deciders = [Scattered(ruleset, salt) for salt in range(players)]
            game = play_game(ruleset, deciders, 2**64 - 1, 2**64 - 1 - deal, flat(ruleset))
            check_sheets(ruleset, game)
            check_dice(ruleset, game)
            check_result(game, ruleset.sides(players))
            again = play_game(
                ruleset, [Scattered(ruleset, s) for s in range(players)], 2**64 - 1, game.deal, flat(ruleset)
            )
            assert again == game


def check_sheets(ruleset: CheerioRuleset, game: Game) -> None:
    rules = list(ruleset.categories.values())
    players = len(game.seats)
    sides = ruleset.sides(players)
    order = sorted(range(players), key=lambda seat: game.seats[seat].position)
    assert all((second - first) % players == 1 % players for first, second in pairwise(order))
    for seat, result in enumerate(game.seats):
        entries = [points or 0 for points in result.entries]
        assert result.entries.count(None) == result.entered_by.count(None) == result.empty
        assert all(who is None or who % sides == seat % sides for who in result.entered_by)
        upper = sum(points for points, rule in zip(entries, rules, strict=True) if rule.upper)
        assert result.upper == upper
        assert result.bonus == (ruleset.bonus.points if upper >= ruleset.bonus.threshold else 0)
        extra = ruleset.joker.points * result.jokers if ruleset.joker else 0
        assert result.score == sum(entries) + result.bonus + extra
        turns = [turn for turn in game.turns if turn.seat == seat]
        assert result.turns == len(turns)
        assert result.throws == sum(len(turn.throws) for turn in turns)


def check_dice(ruleset: CheerioRuleset, game: Game) -> None:
    for turn in game.turns:
        kept: Dice = ()
        for number, throw in enumerate(turn.throws):
            word = uniform(game.seed, game.deal, turn.seat, turn.turn, DICE, number, 7776)
            assert throw.cast == word_dice(word)[: 5 - len(kept)]
            assert throw.cast
            assert throw.roll == tuple(sorted(kept + throw.cast))
            ended = number == ruleset.throws - 1 or (turn.sand_out and number == len(turn.throws) - 1)
            assert (throw.kept is None) == ended
            if throw.kept is not None:
                assert not Counter(throw.kept) - Counter(throw.roll)
                kept = throw.kept
        stopped = turn.sand_out or turn.throws[-1].kept == turn.throws[-1].roll
        assert len(turn.throws) == ruleset.throws or stopped


def check_result(game: Game, sides: int) -> None:
    scores = [result.score for result in game.seats[:sides]]
    assert all(result.score == scores[seat % sides] for seat, result in enumerate(game.seats))
    top = max(scores)
    for result in game.seats:
        if len(scores) == 1:
            assert (result.won, result.credit, result.place, result.tied) == (False, 0, 1, False)
            continue
        assert result.tied == (result.score == top and scores.count(top) > 1)
        if result.score < top:
            assert result.place == 1 + sum(score > result.score for score in scores)
            assert (result.won, result.credit) == (False, 0)
    if len(scores) > 1:
        assert sum(result.credit for result in game.seats[:sides]) == 60
        assert sum(result.won for result in game.seats[:sides]) <= 1
        assert (game.tiebreak_rounds > 0) == (scores.count(top) > 1 and any(r.won for r in game.seats))


def test_deciders_are_asked_in_order_with_sorted_dice() -> None:
    ruleset = load_cheerio("cheerio")
    decider = Scattered(ruleset)
    game = play_game(ruleset, [decider], 5, 6, flat(ruleset))
    expected: list[tuple[str, Dice, int]] = []
    for turn in game.turns:
        asked = [throw for throw in turn.throws if throw.kept is not None]
        expected += [("keep", throw.roll, 2 - number) for number, throw in enumerate(asked)]
        expected.append(("category", turn.throws[-1].roll, 0))
    assert [(kind, dice, left) for kind, _, dice, left in decider.asked] == expected
    views = [view for kind, view, _, _ in decider.asked if kind == "category"]
    assert [view.turns_left for view in views] == list(range(13, 0, -1))


def test_strategies_in_one_seat_are_offered_the_same_dice() -> None:
    ruleset = load_cheerio("cheerio")
    first = play_game(ruleset, [FirstOpen(), FirstOpen()], 3, 4, flat(ruleset))
    other = play_game(ruleset, [MostAlike(), Scattered(ruleset)], 3, 4, flat(ruleset))
    assert first.start_dice == other.start_dice
    for one, two in zip(first.turns, other.turns, strict=True):
        assert (one.seat, one.turn, one.throws[0].cast) == (two.seat, two.turn, two.throws[0].cast)
        assert len(one.throws) == 1
    assert any(len(turn.throws) == 3 for turn in other.turns)


def test_options_are_picked_by_the_coin_of_their_decision() -> None:
    ruleset = ruleset_of(CHANCE, ANY, start="first-seat")
    for deal in range(20):
        keeps: list[Sequence[Dice]] = [[(), (), ()], [(), ()], [()], [(), (), (), ()]]
        script = Script(keeps, [[0, 1], [0, 1]])
        first = uniform(9, deal, 0, 0, COIN, 2, 2)
        script.filled[1] = [1 - first]
        game = play_game(ruleset, [script], 9, deal, [0, 0])
        assert game.turns[0].category == first
    for deal in range(40):
        top = word_dice(uniform(9, deal, 0, 0, DICE, 0, 7776))
        options: list[Dice] = [tuple(sorted(top[:size])) for size in range(5)]
        script = Script([options, [()]], [[0]])
        game = play_game(ruleset_of(CHANCE), [script], 9, deal, [0])
        assert game.turns[0].throws[0].kept == options[uniform(9, deal, 0, 0, COIN, 0, 5)]


def test_decisions_hash() -> None:
    ruleset = ruleset_of(CHANCE, ANY, start="first-seat")
    rolls = [tuple(sorted(word_dice(uniform(1, 2, 0, turn, DICE, 0, 7776)))) for turn in range(2)]
    first_kept = rolls[0][1:3]
    script = Script([[first_kept], [()], [rolls[1]]], [[1], [0]])
    game = play_game(ruleset, [script], 1, 2, [0, 0])
    mask = keep_mask(ROLL_INDEX[rolls[0]], first_kept)
    assert mask is not None
    value = 0
    for turn in (mask | 0 << 5 | 1 << 20, 31 | 31 << 5 | 0 << 20):
        value = ((value ^ turn) * GOLDEN) & 0xFFFFFFFF
        value ^= value >> 15
    assert game.seats[0].decisions == (value >> 16) ^ (value & 0xFFFF)
    assert game.seats[0].throws == 3 + 1


def test_one_throw_asks_for_no_keep() -> None:
    ruleset = ruleset_of(CHANCE, throws=1)
    game = play_game(ruleset, [Script([], [[0]])], 4, 4, [0])
    assert len(game.turns[0].throws) == 1
    assert game.turns[0].throws[0].kept is None


@pytest.mark.parametrize("throws", [2, 4, 5])
def test_other_numbers_of_throws(throws: int) -> None:
    ruleset = ruleset_of(CHANCE, ANY, throws=throws)
    decider = Scattered(ruleset)
    game = play_game(ruleset, [decider, decider], 4, 4, [0, 0])
    check_dice(ruleset, game)
    assert max(left for _, _, _, left in decider.asked) == throws - 1


ILLEGAL: list[tuple[list[Sequence[Dice]], list[Sequence[int]], str]] = [
    ([[(7,)]], [[0]], "only dice of the roll"),
    ([[(1, 2, 3, 4, 5, 6)]], [[0]], "only dice of the roll"),
    ([[]], [[0]], "no option given"),
    ([[(), (9,)]], [[0]], "only dice of the roll"),
    ([[()], [()]], [[2]], "category 2 given; open are"),
    ([[()], [()]], [[-1]], "category -1 given; open are"),
    ([[()], [()]], [[]], "no option given"),
    ([[()], [()]], [[0, 5]], "category 5 given; open are"),
    ([[()], [()], [()], [()]], [[0], [0]], r"category 0 given; open are \(1,\)"),
]


@pytest.mark.parametrize(("kept", "filled", "message"), ILLEGAL)
def test_illegal_decision_is_refused(
    kept: list[Sequence[Dice]], filled: list[Sequence[int]], message: str
) -> None:
    ruleset = ruleset_of(CHANCE, ANY)
    with pytest.raises(ValueError, match=message):
        play_game(ruleset, [Script(list(kept), list(filled))], 1, 1, [0, 0])


def test_forced_scratch_is_enforced_only_while_something_pays() -> None:
    categories: list[tuple[dict[str, Any], Any]] = [
        ({"alike": 5}, 50),
        ({"faces": [1, 1, 1, 1, 2]}, 50),
        CHANCE,
    ]
    ruleset = ruleset_of(*categories, scratch="forced", throws=1)
    with pytest.raises(ValueError, match="allow \\(2,\\)"):
        play_game(ruleset, [Script([], [[0]])], 1, 1, [0] * 3)
    game = play_game(ruleset, [Script([], [[2], [0], [1]])], 1, 1, [0] * 3)
    assert game.seats[0].entries[:2] == (0, 0)
    free = ruleset_of(*categories, throws=1)
    assert play_game(free, [Script([], [[0], [1], [2]])], 1, 1, [0] * 3).seats[0].score > 0


@pytest.mark.parametrize(
    ("players", "seed", "deal", "worths", "message"),
    [
        (3, 0, 0, 13, r"3 deciders given; pair is for \[2\] players"),
        (2, -1, 0, 13, "seed -1 given"),
        (2, 0, 2**64, 13, "deal 18446744073709551616 given"),
        (2, 0, 0, 12, "12 worths given; pair has 13 categories"),
    ],
)
def test_unfit_request_is_refused(players: int, seed: int, deal: int, worths: int, message: str) -> None:
    rules = load_cheerio("cheerio").model_dump() | {"name": "pair", "players": [2]}
    with pytest.raises(ValueError, match=message):
        play_game(validate_cheerio(rules, "pair"), [FirstOpen()] * players, seed, deal, [0] * worths)


def test_start_roll_and_roll_off_take_their_own_streams() -> None:
    ruleset = ruleset_of(ANY)
    for game in games(ruleset, 4, 60):
        rolling = list(range(4))
        for number, rolled in enumerate(game.start_dice):
            dice = [uniform(1, game.deal, seat, number, START, 0, 6) + 1 for seat in rolling]
            assert rolled == tuple(zip(rolling, dice, strict=True))
            rolling = [seat for seat, die in rolled if die == max(dice)]
        assert [game.seats[seat].position for seat in rolling] == [0]
        assert game.start_rounds == len(game.start_dice)
        rolling = list(range(4))
        for number, thrown in enumerate(game.tiebreak_dice):
            words = [word_dice(uniform(1, game.deal, seat, number, TIEBREAK, 0, 7776)) for seat in rolling]
            assert thrown == tuple(zip(rolling, words, strict=True))
            rolling = [seat for seat, five in thrown if sum(five) == max(map(sum, words))]
        assert [result.won for result in game.seats] == [seat in rolling for seat in range(4)]
        assert [result.place for result in game.seats] == [1 if seat in rolling else 2 for seat in range(4)]
        assert [result.credit for result in game.seats] == [60 * (seat in rolling) for seat in range(4)]
        assert all(result.tied for result in game.seats)
        assert game.tiebreak_rounds == len(game.tiebreak_dice) >= 1


def test_first_seat_starts_without_a_roll_where_the_rules_say_so() -> None:
    for game in games(ruleset_of(CHANCE, start="first-seat"), 3, 20):
        assert [result.position for result in game.seats] == [0, 1, 2]
        assert (game.start_rounds, game.start_dice) == (0, ())


@pytest.mark.parametrize(("players", "chance"), [(2, Fraction(1, 6)), (3, Fraction(17, 72))])
def test_starting_dice_tie_as_often_as_they_should(players: int, chance: Fraction) -> None:
    played = games(ruleset_of(ANY), players, 2000)
    assert near(sum(game.start_rounds > 1 for game in played), 2000, chance)
    for seat in range(players):
        assert near(sum(game.seats[seat].position == 0 for game in played), 2000, Fraction(1, players))


def test_roll_offs_tie_as_often_as_they_should() -> None:
    played = games(ruleset_of(ANY), 2, 4000, seed=2)
    assert near(sum(game.tiebreak_rounds > 1 for game in played), 4000, Fraction(7631, 104976))
    assert near(sum(game.seats[0].won for game in played), 4000, Fraction(1, 2))


def test_five_alike_comes_as_often_as_it_should() -> None:
    ruleset = ruleset_of(({"alike": 5}, 50))
    hits = sum(play_game(ruleset, [MostAlike()], 8, deal, [0]).seats[0].score == 50 for deal in range(8000))
    assert near(hits, 8000, Fraction(347897, 7558272))


@pytest.mark.parametrize(("players", "credit"), [(1, 0), (2, 30), (3, 20), (4, 15), (5, 12), (6, 10)])
def test_shared_ties_split_the_credit(players: int, credit: int) -> None:
    for game in games(ruleset_of(ANY, tiebreak="shared"), players, 3):
        for result in game.seats:
            assert (result.won, result.credit, result.place) == (False, credit, 1)
            assert result.tied == (players > 1)
        assert (game.tiebreak_rounds, game.tiebreak_dice) == (0, ())
        assert game.decided_turn == (2 if players > 1 else 0)
        assert (game.lead_changes, game.worst_deficit) == (0, 0)


PLACES = [
    ([5, 9, 7], 1, [3, 1, 2]),
    ([9, 7, 7, 5], 0, [1, 2, 2, 4]),
    ([9, 9, 7, 5], 1, [2, 1, 3, 4]),
    ([9, 9, 9, 7, 7], 2, [2, 2, 1, 4, 4]),
    ([9, 9, 7], None, [1, 1, 3]),
    ([0], None, [1]),
]


@pytest.mark.parametrize(("scores", "winner", "places"), PLACES)
def test_places_share_rank(scores: list[int], winner: int | None, places: list[int]) -> None:
    assert [_place(scores, seat, winner) for seat in range(len(scores))] == places


# Totals after each round, winner, how many share the top; lead changes, decided turn, worst deficit.
COURSES: list[tuple[list[list[int]], int | None, int, tuple[int, int, int]]] = [
    ([[5, 3], [9, 8], [20, 11]], 0, 1, (0, 1, 0)),
    ([[5, 3], [9, 19], [30, 25]], 0, 1, (2, 3, 10)),
    ([[5, 5], [9, 9], [12, 10]], 0, 1, (0, 3, 0)),
    ([[5, 3], [9, 9], [12, 10]], 0, 1, (0, 3, 0)),
    ([[3, 5], [9, 9], [12, 10]], 0, 1, (1, 3, 2)),
    ([[5, 3, 0], [5, 9, 9], [9, 10, 20]], 2, 1, (1, 3, 5)),
    ([[5, 3], [9, 9]], 1, 2, (0, 3, 2)),
    ([[5, 3], [9, 9]], None, 2, (0, 3, 0)),
    ([[0, 0], [0, 0]], 0, 2, (0, 3, 0)),
    ([[5, 3], [9, 12], [14, 13], [15, 20]], 1, 1, (3, 4, 2)),
    ([[7], [9]], None, 0, (0, 0, 0)),
]


@pytest.mark.parametrize(("totals", "winner", "sharing", "expected"), COURSES)
def test_course_of_the_lead(
    totals: list[list[int]], winner: int | None, sharing: int, expected: tuple[int, int, int]
) -> None:
    assert _course(totals, winner, sharing) == expected


def test_course_is_taken_from_whole_rounds() -> None:
    ruleset = load_cheerio("cheerio-bonus")
    for deal in range(30):
        game = play_game(ruleset, [MostAlike(), FirstOpen(), MostAlike()], 6, deal, flat(ruleset))
        totals = [game.turns[last].totals for last in range(2, 39, 3)]
        winner = next(seat for seat, result in enumerate(game.seats) if result.won)
        deficits = [max(row) - row[winner] for row in totals]
        assert game.worst_deficit == max(deficits)
        leads = [row[winner] > max(row[:winner] + row[winner + 1 :]) for row in totals]
        if leads[-1]:
            assert game.decided_turn == 14 - [*leads[::-1], False].index(False)
        else:
            assert (game.decided_turn, game.tiebreak_rounds > 0) == (14, True)


def test_running_totals_have_the_bonus_once_it_is_earned() -> None:
    ruleset = load_cheerio("cheerio-bonus")
    sixty_two = {0: 2, 1: 6, 2: 9, 3: 12, 4: 15, 5: 18}
    assert total_of(ruleset, sixty_two) == 62
    assert total_of(ruleset, sixty_two | {0: 3}) == 63 + 35
    assert total_of(ruleset, sixty_two | {0: 3, 6: 20}) == 83 + 35
    assert total_of(ruleset, sixty_two | {6: 20}) == 82
    assert total_of(load_cheerio("cheerio"), sixty_two | {0: 3}) == 63


def test_upper_subtotal_is_capped_where_it_stops_mattering() -> None:
    bonus, plain = load_cheerio("cheerio-bonus"), load_cheerio("cheerio")
    assert upper_cap(bonus) == 63
    assert upper_cap(plain) == 5 * (1 + 2 + 3 + 4 + 5 + 6)
    assert upper_cap(ruleset_of(CHANCE)) == 0
    sheet = {3: 20, 4: 25, 5: 30}
    assert view_of(bonus, [sheet], 0, [0] * 13).upper == 63
    assert view_of(plain, [sheet], 0, [0] * 13).upper == 75


def test_view_alone() -> None:
    view = view_of(load_cheerio("cheerio-bonus"), [{0: 3, 12: 20}], 0, [0] * 13)
    assert view == View(tuple(range(1, 12)), 3, 0, 11, 0, 0, (), 0, joker=False)


# Entries of the upper categories, and the pace they make.
PACES = [
    ({}, 0),
    ({0: 3}, 0),
    ({0: 2}, -1),
    ({1: 2, 0: 2}, -1),
    ({1: 0}, -2),
    ({2: 6, 0: 1}, -1),
    ({2: 6, 1: 4}, -1),
    ({2: 6, 1: 4, 0: 2}, -2),
    ({3: 16}, 1),
    ({4: 20}, 1),
    ({5: 24}, 2),
    ({5: 24, 0: 2}, 1),
    ({5: 18, 12: 30, 6: 0}, 0),
]


@pytest.mark.parametrize(("sheet", "pace"), PACES)
def test_pace(sheet: dict[int, int], pace: int) -> None:
    assert view_of(load_cheerio("cheerio"), [sheet], 0, [0] * 13).pace == pace


@pytest.mark.parametrize(
    ("ahead", "standing"),
    [(-26, -2), (-25, -2), (-24, -1), (-8, -1), (-7, 0), (0, 0), (7, 0), (8, 1), (24, 1), (25, 2), (99, 2)],
)
def test_standing_allows_for_the_open_categories(ahead: int, standing: int) -> None:
    ruleset = load_cheerio("cheerio")
    worth = [1] * 12 + [100]
    # The rival has filled Chance, worth 100; the seat has filled Ones, worth 1.
    sheets = [{0: 201 + ahead}, {12: 300}]
    view = view_of(ruleset, sheets, 0, worth)
    assert view.standing == standing
    assert view.difference == max(-400, min(400, 201 + ahead - 300))


def test_rival_is_the_best_by_adjusted_total_and_of_several_the_next_clockwise() -> None:
    ruleset = load_cheerio("cheerio-bonus")
    worth = [10] * 13
    sheets = [{0: 5, 1: 7}, {0: 4, 12: 16}, {12: 10}, {5: 30, 4: 25, 3: 20, 12: 25}]
    # Adjusted totals: 12 + 110, 20 + 110, 10 + 120, 100 + 35 + 90.
    assert view_of(ruleset, sheets, 0, worth).rival_open == (0, 1, 2, *range(6, 12))
    assert view_of(ruleset, sheets, 0, worth).rival_upper == 63
    assert view_of(ruleset, sheets[:3], 0, worth).rival_open == tuple(range(1, 12))
    assert view_of(ruleset, sheets[:3], 0, worth).rival_upper == 4
    assert view_of(ruleset, sheets[:3], 1, worth).rival_open == tuple(range(12))
    assert view_of(ruleset, sheets[:3], 2, worth).rival_open == tuple(range(1, 12))
    assert view_of(ruleset, [sheets[1], sheets[0], sheets[2]], 1, worth).rival_open == tuple(range(12))
    # The difference is to the highest total as it stands, whoever holds it.
    assert view_of(ruleset, sheets[:3], 0, worth).difference == 12 - 20
    assert view_of(ruleset, sheets[:3], 1, worth).difference == 20 - 12
    assert view_of(ruleset, sheets, 0, worth).difference == 12 - 135


def test_difference_is_clipped() -> None:
    ruleset = load_cheerio("cheerio")
    assert view_of(ruleset, [{0: 900}, {}], 0, [0] * 13).difference == 400
    assert view_of(ruleset, [{0: 900}, {}], 1, [0] * 13).difference == -400


def test_later_seats_see_the_turns_of_the_same_round() -> None:
    ruleset = load_cheerio("cheerio")
    deciders = [Scattered(ruleset, salt) for salt in range(3)]
    game = play_game(ruleset, deciders, 12, 13, flat(ruleset))
    for seat, decider in enumerate(deciders):
        position = game.seats[seat].position
        views = [view for kind, view, _, _ in decider.asked if kind == "category"]
        for number, view in enumerate(views):
            sheets: list[dict[int, int]] = [{}, {}, {}]
            for turn in game.turns[: 3 * number + position]:
                sheets[turn.seat][turn.category] = turn.points
            assert view == view_of(ruleset, sheets, seat, flat(ruleset))
