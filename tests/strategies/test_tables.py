"""Rows and tables: whole, filled as met, hashed, forgotten, pure and mixed together."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pytest

from sim.cheerio import Course, build_rules, play_deals
from sim.cheerio_ruleset import CheerioRuleset, load_cheerio
from sim.dice import ROLLS
from sim.lanes import COLUMN, FORFEIT, NEVER, STEAL, Decisions
from sim.reference import play_game
from sim.views import views_context
from sim.worth import build_worth
from strategies.answers import AnswerMaker, offer_context
from strategies.deciding import build_decider
from strategies.lineup import Player, Source, get_player
from strategies.manner import Manner
from strategies.rows import Pool, RowMaker, Rows, join_rows, make_rows, pack_plans
from strategies.strategy import Category, Offer, Plan, Sheet, Strategy, StrategyError, is_planned
from strategies.tables import LineupTables

RULESET = load_cheerio("cheerio-bonus")
SHORT = load_cheerio("cheerio-web-short")
CUTTHROAT = load_cheerio("cheerio-cutthroat")


class Stepping(Strategy):
    """Keeps and fills by the sum of what it sees."""

    def plan(self, sheet: Sheet) -> Plan:
        number = sum(sheet._views.values())
        rolls = np.arange(len(ROLLS))
        keeps = np.array([(rolls + number + throw) % 32 for throw in range(sheet.ruleset.throws - 1)])
        opened = np.array(sheet.open_indices)
        return Plan(keeps, opened[(rolls + number) % len(opened)])


class Thief(Stepping):
    """Steals and forfeits by the sum of what it sees."""

    steal_sees: ClassVar[tuple[str, ...]] = ("turns_left", "standing")
    forfeit_sees: ClassVar[tuple[str, ...]] = ("open", "upper")

    def steal(self, offer: Offer, sheet: Sheet) -> bool:
        number: int = offer.category.index + offer.swing + sheet.turns_left + sheet.standing
        return number % 2 == 0

    def forfeit(self, sheet: Sheet) -> Category:
        forfeited: Category = sheet.open[sheet.upper % len(sheet.open)]
        return forfeited


class Forgiving(Thief):
    """Never steals; forfeits the first open category."""

    forfeit_sees = ("open",)

    def steal(self, offer: Offer, sheet: Sheet) -> bool:
        return False

    def forfeit(self, sheet: Sheet) -> Category:
        forfeited: Category = sheet.open[0]
        return forfeited


class Tossing(Strategy):
    """Stops or rerolls everything by the coin where turns_left is odd, and else stops."""

    sees = ("open", "turns_left", "coin")

    def plan(self, sheet: Sheet) -> Plan:
        shape = (sheet.ruleset.throws - 1, len(ROLLS))
        first = np.full(len(ROLLS), sheet.open_indices[0])
        if sheet.turns_left % 2 == 0:
            return Plan(np.full(shape, 31), first)
        last = sheet.open_indices[-1]
        return Plan(np.zeros(shape, int), first * 0, [[31, 0]], [[int(first[0]), last]])


def seat(kind: type[Strategy], *views: str, manner: Manner | None = None) -> Player:
    sees = ("open", *views) if views else kind.sees
    strategy = type(kind.__name__, (kind,), {"sees": sees})()
    label = f"{kind.__name__}({','.join(sees)}){manner or ''}"
    return Player(label, strategy, kind.__doc__ or "", Source(label, "", (), (), label, manner or Manner()))


def whole_rows(player: Player, ruleset: CheerioRuleset) -> Rows:
    return make_rows(player, ruleset, RowMaker(player, ruleset).whole_contexts())


def play(tables: LineupTables, deals: int = 300, seating: int = 0) -> Course:
    return play_deals(build_rules(tables.ruleset), tables, tables.seats, seating, 11, 0, deals)


def assert_same(course: Course, other: Course) -> None:
    for name, values in course._asdict().items():
        np.testing.assert_array_equal(values, getattr(other, name), name)


def held_row(tables: LineupTables, place: int, context: int) -> npt.NDArray[Any]:
    decisions: Decisions = tables.decisions(0)
    key = int(decisions.base[place]) + context
    if decisions.direct[place]:
        row = int(decisions.row_of[key])
    else:
        (found,) = np.flatnonzero(decisions.keys == key + 1)
        row = int(decisions.key_rows[found])
    assert row >= 0
    rows = decisions.mixed_rows if decisions.mixed[place] else decisions.rows
    width = tables.ruleset.throws * COLUMN
    return np.asarray(rows[row * width : (row + 1) * width].reshape(-1, COLUMN)[:, : len(ROLLS)])


def held_answer(tables: LineupTables, seating: int, place: int, kind: int, context: int) -> int | None:
    decisions: Decisions = tables.decisions(seating)
    base = decisions.steal_base if kind == STEAL else decisions.forfeit_base
    found = np.flatnonzero(decisions.keys == int(base[place]) + context + 1)
    return int(decisions.key_rows[found[0]]) if found.size else None


def test_whole_contexts_are_every_sheet_that_is_not_full_those_of_a_round_together() -> None:
    maker = RowMaker(get_player("greedy"), SHORT)
    contexts = maker.whole_contexts().tolist()
    assert sorted(contexts) == list(range(1, 128))
    assert [context.bit_count() for context in contexts] == sorted(
        context.bit_count() for context in contexts
    )
    assert maker.whole


def test_whole_contexts_with_turns_left_are_those_that_play_can_meet() -> None:
    maker = RowMaker(seat(Tossing), SHORT)
    expected = {
        views_context(SHORT, maker.sees, {"open": mask, "turns_left": mask.bit_count()})
        for mask in range(1, 128)
    }
    assert set(maker.whole_contexts().tolist()) == expected


@pytest.mark.parametrize("view", ["upper", "pace", "standing", "difference", "rival_open", "rival_upper"])
def test_what_depends_on_points_is_not_filled_whole(view: str) -> None:
    assert not RowMaker(seat(Stepping, view), RULESET).whole


def test_a_row_asks_once_for_a_plan_or_once_for_each_roll_and_throw() -> None:
    class Single(Strategy):
        """Decides one by one."""

        keep = choose = lambda *seen: ()

    assert is_planned(get_player("par").strategy)
    assert RowMaker(get_player("par"), RULESET).decisions_per_row == 1
    assert RowMaker(seat(Single), RULESET).decisions_per_row == 3 * 252


def test_a_strategy_that_sees_too_much_is_refused() -> None:
    sees = ("upper", "difference", "standing", "pace", "turns_left", "rival_open", "rival_upper")
    RowMaker(seat(Stepping, *sees), RULESET)
    rules = RULESET.model_dump(mode="json")
    rules["bonus"] = {"threshold": 1000, "points": 35}
    rules["categories"] |= {
        f"chance-{number}": rules["categories"]["chance"] | {"name": f"Chance {number}"}
        for number in range(3)
    }
    with pytest.raises(StrategyError, match="sees too much at once for cheerio-bonus"):
        RowMaker(seat(Stepping, *sees), CheerioRuleset.model_validate(rules))


@pytest.mark.parametrize("name", ["greedy", "random"])
def test_rows_hold_the_decisions_that_were_made(name: str) -> None:
    player = get_player(name)
    maker = RowMaker(player, SHORT)
    contexts = maker.whole_contexts()
    rows = make_rows(player, SHORT, contexts)
    assert rows.mixed == maker.mixes == (name == "random")
    for context, row in list(zip(contexts.tolist(), rows.rows, strict=True))[::9]:
        plan = maker.make([context])[0]
        shaped = row.reshape(3, COLUMN)[:, : len(ROLLS)]
        for throw in range(3):
            places = plan.keeps[throw] if throw < 2 else plan.choices
            options = plan.keep_options if throw < 2 else plan.choice_options
            for entry, place in zip(shaped[throw].tolist(), np.asarray(places).tolist(), strict=True):
                if options is None:
                    assert entry == place
                else:
                    first, count = divmod(entry, 64)
                    assert rows.pool[first : first + count].tolist() == list(options[place])


def test_a_pool_holds_each_list_of_options_once() -> None:
    pool = Pool()
    first = pool.entry((3, 1))
    assert (pool.entry([5]), pool.entry((3, 1)), len(pool)) == (2 << 6 | 1, first, 3)
    assert pool.array().tolist() == [3, 1, 5]
    assert pool.extend(np.array([7, 8], np.uint8)) == 3
    assert pool.entry((9,)) == 5 << 6 | 1
    pool.cut(3)
    assert pool.array().tolist() == [3, 1, 5]
    assert pool.entry((9,)) == 3 << 6 | 1
    assert Pool().array().tolist() == [0]


def test_a_pool_that_would_outgrow_its_entries_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("strategies.rows.MOST_POOLED", 3)
    pool = Pool()
    pool.entry((1, 2))
    with pytest.raises(StrategyError, match="too many different ways"):
        pool.entry((3, 4))


def test_equal_options_of_many_rows_share_a_place() -> None:
    rows = whole_rows(get_player("random"), SHORT)
    # The 16 kinds of rolls by equal dice, and 127 sets of open categories.
    kinds = {len(set(dice)) for dice in ROLLS}
    assert kinds == {1, 2, 3, 4, 5}
    assert len(np.unique(rows.rows.reshape(-1, 3, COLUMN)[:, :2, : len(ROLLS)])) == 16
    assert len(np.unique(rows.rows.reshape(-1, 3, COLUMN)[:, 2, : len(ROLLS)])) == 127


@pytest.mark.parametrize("player", [get_player("greedy"), get_player("random"), seat(Tossing)])
def test_rows_made_in_pieces_play_as_those_made_at_once(player: Player) -> None:
    contexts = RowMaker(player, SHORT).whole_contexts()
    pieces = [make_rows(player, SHORT, piece) for piece in np.array_split(contexts, 5)]
    joined = join_rows(pieces)
    assert joined.contexts.tolist() == contexts.tolist()
    lineup = [player, get_player("sets")]
    assert_same(
        play(LineupTables(lineup, SHORT, {player.label: joined})),
        play(LineupTables(lineup, SHORT, {player.label: whole_rows(player, SHORT)})),
    )


def test_pure_plans_of_a_mixing_strategy_are_entries_too() -> None:
    pool = Pool()
    plan = Plan(np.full((2, 252), 31), np.full(252, 4))
    rows = pack_plans([plan], 3, pool).reshape(3, COLUMN)
    assert {pool.array()[entry >> 6] for entry in rows[:2, :252].ravel().tolist()} == {31}
    assert {pool.array()[entry >> 6] for entry in rows[2, :252].tolist()} == {4}
    assert set((rows[:, :252] & 63).ravel().tolist()) == {1}


def test_a_strategy_that_mixes_only_later_plays_the_same_whole_or_as_met() -> None:
    lineup = [seat(Tossing), get_player("par"), get_player("random")]
    whole = {player.label: whole_rows(player, SHORT) for player in lineup}
    for seating in range(3):
        assert_same(
            play(LineupTables(lineup, SHORT, whole), seating=seating),
            play(LineupTables(lineup, SHORT, {}), seating=seating),
        )


def test_contexts_found_by_hashing_play_as_those_found_by_place(monkeypatch: pytest.MonkeyPatch) -> None:
    lineup = [seat(Stepping, "upper"), get_player("random"), seat(Stepping, "difference"), get_player("par")]
    by_place = LineupTables(lineup, RULESET, {})
    expected = play(by_place)
    assert list(by_place.decisions(0).direct) == [1, 1, 0, 1]
    monkeypatch.setattr("strategies.tables.MOST_DIRECT", 0)
    hashed = LineupTables(lineup, RULESET, {})
    assert_same(play(hashed), expected)
    assert list(hashed.decisions(0).direct) == [0, 0, 0, 0]
    # Every key is met once, however many seats and fills.
    keys = hashed._index.keys[hashed._index.keys != 0]
    assert len(np.unique(keys)) == len(keys) > 2048


def test_hashed_rows_are_those_of_their_contexts() -> None:
    player = seat(Stepping, "upper", "difference")
    tables = LineupTables([player, get_player("par")], RULESET, {})
    play(tables, 50)
    maker = RowMaker(player, RULESET)
    keys = tables._index.keys[tables._index.keys != 0] - np.uint64(1)
    for context in keys.tolist()[::17]:
        plan = maker.make([context])[0]
        np.testing.assert_array_equal(held_row(tables, 0, context)[:2], plan.keeps)
        np.testing.assert_array_equal(held_row(tables, 0, context)[2], plan.choices)


@pytest.mark.parametrize("direct", [0, 1 << 22])
def test_forgetting_changes_no_game(direct: int, monkeypatch: pytest.MonkeyPatch) -> None:
    lineup = [
        seat(Stepping, "upper"),
        get_player("random"),
        get_player("sets"),
        seat(Tossing, "upper", "turns_left", "coin"),
    ]
    whole = {"random": whole_rows(get_player("random"), SHORT)}
    expected = play(LineupTables(lineup, SHORT, whole), 200)
    monkeypatch.setattr("strategies.tables.MOST_DIRECT", direct)
    monkeypatch.setattr("strategies.tables.MOST_BYTES", 1)
    monkeypatch.setattr("strategies.tables.LANES", 32)
    monkeypatch.setattr("sim.cheerio.LANES", 32)
    if direct == 0:
        whole = {}
    forgetful = LineupTables(lineup, SHORT, whole)
    forgotten: list[int] = []
    forget = forgetful._forget

    def noted() -> None:
        forgotten.append(forgetful._used)
        forget()

    monkeypatch.setattr(forgetful, "_forget", noted)
    assert_same(play(forgetful, 200), expected)
    assert len(forgotten) > 5
    assert max(forgotten) <= 2 * 32 + 1
    if whole:
        assert (forgetful._row_of >= 0).sum() >= 127


def test_little_room_is_enough_even_for_the_step_that_needs_most(monkeypatch: pytest.MonkeyPatch) -> None:
    # All 200 lanes can need rows of their own at once: what a step needs must stay.
    monkeypatch.setattr("strategies.tables.MOST_BYTES", 1)
    tables = LineupTables([seat(Stepping, "upper", "difference"), get_player("sets")], RULESET, {})
    assert play(tables, 200).score.min() >= 0


def test_players_of_one_label_share_their_rows() -> None:
    lineup = [get_player("greedy"), get_player("par"), get_player("greedy")]
    decisions = LineupTables(lineup, SHORT, {}).decisions(1)
    # Seat 0 has the last of the lineup, seats 1 and 2 the first and second.
    assert decisions.base[0] == decisions.base[1] != decisions.base[2]


def test_a_fault_names_the_strategy_when_its_context_is_met() -> None:
    class Failing(Stepping):
        """Fails late in the game."""

        def plan(self, sheet: Sheet) -> Plan:
            if len(sheet.open) == 2:
                raise ValueError("no idea")
            return super().plan(sheet)

    tables = LineupTables([seat(Failing, "upper"), get_player("par")], SHORT, {})
    with pytest.raises(StrategyError, match=r"strategy Failing\(open,upper\): .*raises ValueError: no idea"):
        play(tables)


FICKLE = '''
import itertools
from strategies import Strategy

calls = itertools.count()

class Fickle(Strategy):
    """Keeps another die each time, and talks."""

    def keep(self, dice, sheet, rolls_left):
        print("deciding")
        return [dice[next(calls) % 5]]

    def choose(self, dice, sheet):
        return sheet.open[0]
'''


def test_a_strategy_with_several_answers_to_one_question_is_refused_and_stdout_stays_clean(tmp_path, capsys):
    file = tmp_path / "fickle.py"
    file.write_text(FICKLE)
    player, ruleset = get_player(f"{file}:Fickle"), load_cheerio("cheerio-web-short")
    with pytest.raises(StrategyError, match="answers the same question in different ways"):
        make_rows(player, ruleset, np.array([127], np.uint64))
    heard = capsys.readouterr()
    assert heard.out == ""
    assert "deciding" in heard.err


def test_manners_and_questions_are_told_by_seat() -> None:
    lineup = [
        get_player("par:steal=never"),
        seat(Thief),
        seat(Thief, manner=Manner(steal=7, pace=450)),
        get_player("par:pace=2"),
    ]
    tables = LineupTables(lineup, CUTTHROAT, {})
    for seating in range(4):
        decisions = tables.decisions(seating)
        order = np.roll(np.arange(4), seating)
        assert decisions.steal_from.tolist() == np.array([NEVER, 25, 7, 25])[order].tolist()
        assert decisions.asks_steal.tolist() == np.array([0, 1, 0, 0])[order].tolist()
        assert decisions.asks_forfeit.tolist() == np.array([0, 1, 1, 0])[order].tolist()
        assert decisions.pace.tolist() == np.array([1000, 1000, 450, 2000])[order].tolist()
        thief = order.tolist().index(1)
        assert decisions.steal_strides[thief].tolist() == [0, 0, 0, 1, 14, 0, 0, 0, 0]
        assert decisions.forfeit_strides[thief].tolist() == [1, 8192, 0, 0, 0, 0, 0, 0, 0]
    peaceful = LineupTables(lineup, RULESET, {}).decisions(0)
    assert not peaceful.asks_steal.any()
    assert not peaceful.asks_forfeit.any()


@pytest.mark.parametrize(
    ("ruleset", "views", "in_order"),
    [
        ("cheerio", (), False),
        ("cheerio", ("upper", "pace"), False),
        ("cheerio", ("standing",), True),
        ("cheerio-team", (), True),
        ("cheerio-cutthroat", (), True),
        ("cheerio-cutthroat-take", ("rival_open",), True),
        ("cheerio-speed", (), False),
        ("cheerio-speed", ("difference",), False),
    ],
)
def test_the_order_of_play_matters_where_seats_bear_on_each_other(
    ruleset: str, views: tuple[str, ...], in_order: bool
) -> None:
    lineup = [get_player("par")] * 3 + [seat(Stepping, *views)]
    assert LineupTables(lineup, load_cheerio(ruleset), {}).decisions(0).in_order == in_order


def offers(tables: LineupTables, count: int) -> npt.NDArray[np.uint64]:
    draw = np.random.default_rng(3)
    views = draw.integers(0, 14 * 5, count).tolist()
    return np.array(
        [offer_context(number % 13, -(number % 31), number % 51, view) for number, view in enumerate(views)],
        np.uint64,
    )


def test_answers_are_held_for_whom_they_are_asked_of() -> None:
    thief, meek = seat(Thief), seat(Forgiving)
    tables = LineupTables([thief, meek, thief], CUTTHROAT, {})
    contexts = offers(tables, 60)
    seats = np.arange(60).astype(np.uint8) % 3
    tables.fill(1, seats, contexts, STEAL)
    # The meek one sits in seat 2 of this seating, and sees no more than the open categories.
    subtotals = np.where(seats == 2, 0, np.arange(60) % 40)
    robbed = (8192 * subtotals + 1 + 37 * np.arange(60)).astype(np.uint64)
    tables.fill(1, seats, robbed, FORFEIT)
    for place, offer, own in zip(seats.tolist(), contexts.tolist(), robbed.tolist(), strict=True):
        asked = AnswerMaker(meek if place == 2 else thief, CUTTHROAT)
        assert held_answer(tables, 1, place, STEAL, offer) == asked.make(STEAL, [offer])[0]
        assert held_answer(tables, 1, place, FORFEIT, own) == asked.make(FORFEIT, [own])[0]
        if place == 2:
            # In another seating, its answers are where it sits.
            assert held_answer(tables, 0, 1, STEAL, offer) == 0
    decided = {held_answer(tables, 1, 0, STEAL, int(context)) for context in contexts[seats == 0]}
    assert decided == {0, 1}
    bases = tables.decisions(1)
    assert len({*bases.steal_base[1:].tolist(), *bases.forfeit_base[1:].tolist()}) == 4


def test_forgetting_answers_changes_no_game(monkeypatch: pytest.MonkeyPatch) -> None:
    ruleset = load_cheerio("cheerio-cutthroat-take")
    lineup = [seat(Thief, "upper"), get_player("par:steal=20"), seat(Forgiving)]
    whole = {"par:steal=20": whole_rows(lineup[1], ruleset)}
    expected = play(LineupTables(lineup, ruleset, whole), 80)
    assert (expected.steals[:2] > 0).any(axis=1).all()
    assert not expected.steals[2].any()
    monkeypatch.setattr("strategies.tables.MOST_BYTES", 1)
    for target in ("strategies.tables.LANES", "sim.cheerio.LANES"):
        monkeypatch.setattr(target, 16)
    forgetful = LineupTables(lineup, ruleset, whole)
    forgotten: list[int] = []
    forget = forgetful._forget

    def noted() -> None:
        forgotten.append(forgetful._answered)
        forget()

    monkeypatch.setattr(forgetful, "_forget", noted)
    assert_same(play(forgetful, 80), expected)
    assert len(forgotten) > 5
    assert max(forgotten) > 0


@pytest.mark.parametrize("name", ["cheerio-cutthroat", "cheerio-cutthroat-take"])
def test_what_is_answered_is_what_is_played(name: str) -> None:
    ruleset = load_cheerio(name)
    lineup = [seat(Thief, "upper"), get_player("par:steal=20"), seat(Forgiving)]
    tables = LineupTables(lineup, ruleset, {})
    worth = build_worth(ruleset).tolist()
    for seating in range(3):
        course = play(tables, 8, seating)
        deciders = [build_decider(tables.player(seating, place), ruleset) for place in range(3)]
        for deal in range(8):
            game = play_game(ruleset, deciders, 11, deal, worth)
            assert [result.score for result in game.seats] == course.score[:, deal].tolist()
            assert [result.steals for result in game.seats] == course.steals[:, deal].tolist()
            assert [result.decisions for result in game.seats] == course.decisions[:, deal].tolist()


def test_answers_are_forgotten_with_the_rows_and_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("strategies.tables.MOST_BYTES", 1)
    monkeypatch.setattr("strategies.tables.LANES", 20)
    whole = {"par": whole_rows(get_player("par"), CUTTHROAT)}
    tables = LineupTables([seat(Thief), get_player("par")], CUTTHROAT, whole)
    contexts = offers(tables, 90)
    held = []
    for first in range(0, 90, 15):
        piece = contexts[first : first + 15]
        tables.fill(0, np.zeros(15, np.uint8), piece, STEAL)
        assert all(held_answer(tables, 0, 0, STEAL, context) is not None for context in piece.tolist())
        held.append(tables._answered)
    # What a step of the game needs stays: a row and two answers for each of 20 lanes.
    assert held == [15, 30, 45, 60, 15, 30]
    assert held_answer(tables, 0, 0, STEAL, int(contexts[0])) is None
    tables.fill(0, np.zeros(31, np.uint8), np.arange(1, 32, dtype=np.uint64))
    assert tables._answered == len(tables._index) == 0
    assert (tables._row_of >= 0).sum() == len(whole["par"].contexts) + 31
