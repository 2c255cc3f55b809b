"""Tables of stakes: whole, filled as met, hashed, forgotten, and the same as asking bettor by bettor."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sim.ceelo.kernel import Course, build_rules, play_deals
from sim.ceelo.lanes import LACKING, StakeTables
from sim.ceelo.reference import play_game
from sim.ceelo.ruleset import CeeloRuleset, load_ceelo
from sim.ceelo.views import VIEWS
from strategies.bettor import Bettor, Table
from strategies.deciding import build_bettor
from strategies.games import ASKING, asking_of
from strategies.lineup import Player, Source, get_player
from strategies.rows import Rows
from strategies.stake_tables import BetTables
from strategies.stakes import StakeMaker, make_stakes
from strategies.strategy import StrategyError

BANK = load_ceelo("ceelo-bank")
EVERYTHING = tuple(VIEWS)


class Scattered(Bettor):
    """Stakes by the sum of what it sees."""

    def stake(self, table: Table) -> int:
        number: int = sum(getattr(table, view) for view in self.sees)
        return table.minimum + number % table.maximum


class Planned(Bettor):
    """Stakes by the product of what it sees, many tables at once."""

    def plan(self, table: Table) -> Any:
        seen = [getattr(table, view) + place for place, view in enumerate(self.sees)]
        return table.minimum + np.prod(seen, axis=0, dtype=np.int64) % table.maximum


def seat(kind: type[Bettor], *sees: str) -> Player:
    bettor = type(kind.__name__, (kind,), {"sees": sees})()
    label = f"{kind.__name__}({','.join(sees)})"
    return Player(label, bettor, "Bets.", Source(label, "", (), (), label))


def whole_rows(lineup: list[Player], ruleset: CeeloRuleset = BANK) -> dict[str, Rows]:
    makers = [StakeMaker(player, ruleset) for player in lineup]
    return {
        maker.player.label: make_stakes(maker.player, ruleset, maker.whole_contexts())
        for maker in makers
        if maker.whole
    }


def seated(lineup: list[Player], ruleset: CeeloRuleset = BANK) -> BetTables:
    return BetTables(lineup, ruleset, whole_rows(lineup, ruleset))


def play(tables: BetTables, seating: int = 0, deals: int = 60) -> Course:
    return play_deals(build_rules(tables.ruleset), tables, tables.seats, seating, 11, 0, deals)


def assert_same(course: Course, other: Course) -> None:
    for name, values in course._asdict().items():
        np.testing.assert_array_equal(values, getattr(other, name), name)


def held(tables: BetTables, seating: int, place: int, context: int) -> int:
    stakes: StakeTables = tables.decisions(seating)
    key = int(stakes.base[place]) + context
    if stakes.direct[place]:
        return int(stakes.stake_of[key])
    found = np.flatnonzero(stakes.keys == key + 1)
    return int(stakes.key_stakes[found[0]]) if found.size else LACKING


def mixed_lineup() -> list[Player]:
    """Of every kind: asked whole, filled as met and found by place, found by hashing; planned and not."""
    return [
        seat(Scattered, "chips"),
        seat(Planned, *EVERYTHING),
        seat(Scattered, "chips", "bank", "order"),
        seat(Scattered, "chips", "rounds_left", "lead", "streak", "last_stake"),
    ]


def test_the_entry_of_the_game_has_all_of_it() -> None:
    asking = asking_of(BANK)
    assert asking is ASKING["ceelo"]
    player = seat(Scattered, "streak")
    maker = asking.maker(player, BANK)
    assert isinstance(maker, StakeMaker)
    rows = asking.rows(player, BANK, maker.whole_contexts())
    tables = asking.tables([player, player], BANK, {player.label: rows})
    assert tables.decisions(0).stake_of.tolist() == rows.rows[:, 0].tolist()
    assert not asking.asks_in_play(player, BANK)
    assert asking.check(get_player("flat"), BANK, None).problems == ()


def test_what_is_asked_whole_is_found_by_each_seat_in_each_seating() -> None:
    lineup = [seat(Scattered, "chips"), seat(Planned, "streak"), seat(Scattered), seat(Scattered, "chips")]
    tables = seated(lineup)
    assert tables.decisions(0).base.tolist() == [0, 601, 622, 0]
    assert tables.decisions(0).stake_of.size == 623
    assert tables.decisions(0).direct.tolist() == [1, 1, 1, 1]
    for seating in range(4):
        for place in range(4):
            player = lineup[(place - seating) % 4]
            assert tables.player(seating, place) is player
            maker = StakeMaker(player, BANK)
            assert tables.decisions(seating).strides[place].tolist() == maker.strides.tolist()
            contexts = maker.whole_contexts()
            found = [held(tables, seating, place, context) for context in contexts.tolist()]
            assert found == maker.make(contexts).tolist()
            assert tables.decisions(seating) is tables.decisions(seating)
    # No one ever has no chips, or all of them, where there is a bank.
    assert (held(tables, 0, 0, 0), held(tables, 0, 0, 600)) == (LACKING, LACKING)


def test_what_is_met_is_filled_for_the_player_in_the_seat() -> None:
    lineup = mixed_lineup()
    tables = seated(lineup)
    assert tables.decisions(0).direct.tolist() == [1, 0, 1, 0]
    base = tables.decisions(0).base.tolist()
    assert base == [0, 0, 601, StakeMaker(lineup[1], BANK).size]
    # In seating 2 the players at index 1 and 3 sit in seats 3 and 1; each context is named twice.
    asked = {3: (1, [5, 10**9, 10**12]), 1: (3, [5, 77_777]), 0: (2, [5, 361_200])}
    seats = np.array([place for place, (_, met) in asked.items() for _ in met] * 2, np.uint8)
    contexts = np.array([context for _, met in asked.values() for context in met] * 2, np.uint64)
    before = tables.decisions(2)
    tables.fill(2, seats, contexts)
    assert tables.decisions(2) is not before
    assert tables.decisions(2).base.tolist() == [base[2], base[3], base[0], base[1]]
    for place, (index, met) in asked.items():
        maker = StakeMaker(lineup[index], BANK)
        expected = maker.make(np.array(met, np.uint64)).tolist()
        for seating, shown in ((2, place), (0, index)):
            assert [held(tables, seating, shown, context) for context in met] == expected
    assert held(tables, 0, 1, 6) == held(tables, 0, 3, 10**9) == LACKING


def test_many_keys_are_found_again() -> None:
    tables = seated([seat(Planned, *EVERYTHING), seat(Scattered, "chips")])
    contexts = np.random.default_rng(3).integers(0, StakeMaker(tables.lineup[0], BANK).size, 5000, np.uint64)
    tables.fill(0, np.zeros(5000, np.uint8), contexts)
    maker = StakeMaker(tables.lineup[0], BANK)
    found = [held(tables, 0, 0, context) for context in contexts[:300].tolist()]
    assert found == maker.make(contexts[:300]).tolist()


@pytest.mark.parametrize("seating", [0, 1])
def test_the_kernel_plays_the_stakes_that_the_bettors_say(seating: int) -> None:
    lineup = mixed_lineup()
    course = play(seated(lineup), seating, deals=25)
    deciders = [build_bettor(lineup[(place - seating) % 4], BANK) for place in range(4)]
    for deal in range(25):
        game = play_game(BANK, deciders, 11, deal)
        for place, result in enumerate(game.seats):
            for name in ("decisions", "score", "staked", "bets", "bank_net"):
                assert getattr(course, name)[place, deal] == getattr(result, name), (deal, place, name)


def test_shipped_bettors_play_as_the_reference_asks_them() -> None:
    names = ["martingale", "paroli", "fraction", "protect-lead", "catch-up", "flat"]
    lineup = [get_player(name) for name in names]
    course = play(seated(lineup), deals=15)
    deciders = [build_bettor(player, BANK) for player in lineup]
    for deal in range(15):
        game = play_game(BANK, deciders, 11, deal)
        assert course.decisions[:, deal].tolist() == [result.decisions for result in game.seats]
        assert course.score[:, deal].tolist() == [result.score for result in game.seats]


def test_stakes_found_by_hashing_play_as_those_found_by_place(monkeypatch: pytest.MonkeyPatch) -> None:
    lineup = mixed_lineup()
    expected = play(seated(lineup))
    monkeypatch.setattr("strategies.stakes.MOST_DIRECT", 0)
    tables = seated(lineup)
    assert tables.decisions(0).direct.tolist() == [0, 0, 0, 0]
    assert_same(play(tables), expected)
    # Who is asked whole needs no asking twice.
    assert_same(play(tables), expected)


def test_forgetting_changes_no_game(monkeypatch: pytest.MonkeyPatch) -> None:
    lineup = mixed_lineup()
    expected = play(seated(lineup), deals=300)
    for module in ("strategies.stake_tables", "sim.ceelo.kernel"):
        monkeypatch.setattr(f"{module}.LANES", 50)
    monkeypatch.setattr("strategies.stake_tables.MOST_BYTES", 1)
    tables = seated(lineup)
    forgotten = []
    clear = tables._index.clear

    def noted() -> None:
        forgotten.append(len(tables._index))
        clear()

    monkeypatch.setattr(tables._index, "clear", noted)
    assert_same(play(tables, deals=300), expected)
    assert len(forgotten) > 5
    assert max(forgotten) <= 4 * 50
    assert len(tables._index) <= 4 * 50


def test_little_is_not_forgotten() -> None:
    tables = seated([seat(Planned, *EVERYTHING), seat(Planned, *EVERYTHING)])
    play(tables, deals=100)
    before = len(tables._index)
    assert before > 1000
    play(tables, deals=100)
    assert len(tables._index) == before


def test_the_room_that_more_keys_take_is_known_before() -> None:
    tables = seated([seat(Planned, *EVERYTHING), seat(Scattered)])
    index = tables._index
    for more in (1, 511, 1, 1, 5000, 100_000):
        expected = index.nbytes_with(more)
        first = len(index)
        index.hold(np.arange(first, first + more, dtype=np.uint64), np.zeros(more, np.int32))
        assert index.nbytes == expected


def test_a_pot_is_played_by_any_bettors_and_nobody_is_asked() -> None:
    class Refusing(Bettor):
        """Never stakes."""

        sees = EVERYTHING

        def stake(self, table: Table) -> int:
            raise AssertionError

    pot = load_ceelo("ceelo-pot")
    lineup = [seat(Refusing, *EVERYTHING), get_player("bold"), seat(Refusing, "chips")]
    tables = seated(lineup, pot)
    assert tables.decisions(1).strides.tolist() == [[0] * len(VIEWS)] * 3
    assert (play(tables, 1).score.sum(axis=0) == 300).all()
    assert asking_of(pot).check(lineup[0], pot, None).asked == 0
    decider = build_bettor(lineup[0], pot)
    assert play_game(pot, [decider] * 3, 1, 2).seats[0].staked > 0


def test_a_bettor_that_fails_at_play_is_told() -> None:
    class Failing(Scattered):
        """Fails with ten chips or fewer."""

        def stake(self, table: Table) -> int:
            return 20 if table.chips > 10 else 0

    lineup = [seat(Failing, "chips", "bank", "order", "rank", "lead", "streak"), get_player("flat")]
    with pytest.raises(
        StrategyError, match=r"stake\(table\) returns 0; allowed: a whole number from 1 to 20"
    ):
        play(seated(lineup), deals=300)


@pytest.mark.parametrize(
    ("player", "ruleset", "expected"),
    [
        (
            "greedy",
            "ceelo-bank",
            "strategy greedy: plays cheerio, and ceelo-bank is a ruleset of ceelo; strategies of ceelo are flat, timid",
        ),
        (
            "flat",
            "cheerio-bonus",
            "strategy flat: plays ceelo, and cheerio-bonus is a ruleset of cheerio; strat",
        ),
    ],
)
def test_a_strategy_of_another_game_is_refused(player: str, ruleset: str, expected: str) -> None:
    from sim.ruleset import load_ruleset

    rules, lineup = load_ruleset(ruleset), [get_player(player)] * 2
    asking = asking_of(rules)
    for ask in (
        lambda: asking.maker(lineup[0], rules),
        lambda: asking.rows(lineup[0], rules, np.zeros(1, np.uint64)),
        lambda: asking.tables(lineup, rules, {}),
        lambda: asking.asks_in_play(lineup[0], rules),
        lambda: asking.check(lineup[0], rules, None),
    ):
        with pytest.raises(StrategyError) as raised:
            ask()
        assert str(raised.value).startswith(expected)
