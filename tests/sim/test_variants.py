"""The variants: the kernel agrees with the slow reference, and with what the rules say of every single game."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sim.cheerio import Course
from sim.cheerio_ruleset import CheerioRuleset, load_cheerio
from sim.dice import ROLL_MASKS, ROLLS, masked_dice
from strategies.lineup import Player, get_player
from strategies.strategy import Plan, Sheet
from strategies.tables import LineupTables
from tests.sim.agreement import (
    BY_GAME,
    BY_SEAT,
    Case,
    Leaning,
    Mixing,
    Scattered,
    Thieving,
    assert_agreement,
    changed,
    only,
    played,
    seat,
    shipped,
)

EXTENDED = load_cheerio("cheerio-extended").model_dump(mode="json")["categories"]
THROW = {"seconds": 4.0, "spread": 1.0}
ENTRY = {"seconds": 6.0, "spread": 2.0}


def clock(timer: float = 0.0) -> dict[str, Any]:
    return {"throw": THROW, "entry": ENTRY, "timer": timer}


def few_with_joker(**changes: Any) -> CheerioRuleset:
    """A ruleset of five throws and few categories, in which further five alike are common."""
    rules = load_cheerio("yahtzee").model_dump(mode="json")
    keys = ("fives", "sixes", "full-house", "yahtzee", "chance")
    categories = {key: rules["categories"][key] for key in keys}
    joker = {"category": "yahtzee", "points": 70, "fits": ["full-house"], "forced": True}
    bonus = {"threshold": 30, "points": 20}
    return changed("yahtzee", categories=categories, joker=joker, throws=5, bonus=bonus, **changes)


class Chasing(Leaning):
    """Keeps the commonest face, and fills by a number that depends on all it sees."""

    def plan(self, sheet: Sheet) -> Plan:
        plan = super().plan(sheet)
        for roll, dice in enumerate(ROLLS):
            face = max(dice, key=lambda die: (dice.count(die), die))
            wanted = tuple(die for die in dice if die == face)
            mask = next(mask for mask in ROLL_MASKS[roll] if masked_dice(roll, mask) == wanted)
            plan.keeps[:, roll] = mask
        return plan


def thieves(*views: str) -> list[Player]:
    return [
        seat(Thieving, *views, steal_sees=("turns_left", *views)),
        *shipped("par:steal=30", "greedy"),
    ]


CUTTHROAT = {"overwrite": "cheerio-cutthroat", "take": "cheerio-cutthroat-take"}
FEW = ("sixes", "full-house", "chance")

CASES: dict[str, Case] = {
    "team-of-strangers": Case(
        partial(load_cheerio, "cheerio-team"),
        lambda: [seat(Leaning, "standing"), *shipped("random", "greedy"), seat(Scattered, "rival_open")],
        30,
        seatings=(0, 1, 3),
    ),
    "teams-of-six": Case(
        partial(changed, "cheerio-team", bonus={"threshold": 50, "points": 35}),
        lambda: [*shipped("par", "sets", "nets", "random"), seat(Mixing, "coin", "upper"), *shipped("par")],
        20,
        seatings=(0, 5),
    ),
    "teams-of-three": Case(
        partial(changed, "cheerio-team", team=3, players=[6]),
        lambda: [*shipped("par", "sets", "nets", "greedy"), seat(Leaning, "difference"), *shipped("par")],
        20,
    ),
    "teams-that-tie": Case(
        lambda: only("full-house", "cheerio", team=2, players=[4, 6]), partial(shipped, *["par"] * 6), 120
    ),
    **{
        f"{reading}-{name}": case
        for reading, ruleset in CUTTHROAT.items()
        for name, case in {
            "thieves": Case(partial(load_cheerio, ruleset), thieves, 30, seatings=(0, 2)),
            "thieves-who-watch": Case(
                partial(changed, ruleset, bonus={"threshold": 40, "points": 35}),
                partial(thieves, "standing", "upper", "rival_open", "pace"),
                20,
            ),
            "six": Case(
                partial(load_cheerio, ruleset),
                lambda: [
                    *shipped("par", "random", "greedy:steal=never", "nets:steal=25"),
                    seat(Thieving, "coin", "difference"),
                    *shipped("sets"),
                ],
                20,
                seatings=(0, 4),
            ),
            "few-categories": Case(
                lambda ruleset=ruleset: changed(  # type: ignore[misc]
                    ruleset,
                    categories={
                        key: rule
                        for key, rule in load_cheerio(ruleset).model_dump(mode="json")["categories"].items()
                        if key in FEW
                    },
                ),
                lambda: [*shipped("par", "random"), seat(Thieving)],
                80,
            ),
            "teams": Case(
                partial(changed, ruleset, team=2, players=[4]),
                lambda: [seat(Thieving, "standing"), *shipped("par", "greedy", "nets:steal=10")],
                30,
                seatings=(0, 1),
            ),
            "scratch-forced-extended": Case(
                partial(
                    changed,
                    ruleset,
                    scratch="forced",
                    throws=1,
                    categories=load_cheerio("cheerio-extended").model_dump(mode="json")["categories"],
                ),
                lambda: [*shipped("par:steal=1"), seat(Thieving)],
                40,
            ),
        }.items()
    },
    "speed-paces": Case(
        partial(load_cheerio, "cheerio-speed"),
        lambda: shipped("par:pace=0.8", "greedy", "random:pace=1.25"),
        30,
        seatings=(0, 1),
    ),
    "speed-watchers": Case(
        partial(changed, "cheerio-speed", bonus={"threshold": 40, "points": 35}),
        lambda: [
            seat(Leaning, "standing", "rival_open"),
            seat(Scattered, "difference", "rival_upper", "turns_left"),
            seat(Mixing, "coin", "pace"),
        ],
        30,
        seatings=(0, 2),
    ),
    "speed-sand": Case(
        partial(changed, "cheerio-speed", clock=clock(timer=11.5), throws=5),
        lambda: [*shipped("par:pace=0.7"), seat(Scattered, "upper"), *shipped("split:pace=2")],
        40,
    ),
    "speed-teams": Case(
        partial(changed, "cheerio-speed", team=2, players=[4, 6]),
        lambda: [
            *shipped("par:pace=0.5", "sets", "nets", "greedy"),
            seat(Leaning, "standing"),
            *shipped("par"),
        ],
        20,
        seatings=(0, 1),
    ),
    "speed-teams-of-three": Case(
        partial(changed, "cheerio-speed", team=3, players=[6]), partial(shipped, *["par", "greedy"] * 3), 20
    ),
    "speed-at-the-same-instant": Case(
        partial(
            changed,
            "cheerio-speed",
            clock={"throw": {"seconds": 1.0}, "entry": {"seconds": 2.0}},
        ),
        lambda: [*shipped("par", "greedy"), seat(Scattered), seat(Leaning, "standing")],
        30,
    ),
    "speed-alone": Case(partial(load_cheerio, "cheerio-speed"), lambda: shipped("par"), 40),
    "jokers": Case(
        few_with_joker,
        lambda: [seat(Chasing, "joker"), seat(Chasing), *shipped("par", "random")],
        60,
        seatings=(0, 1),
    ),
    "jokers-scratch-forced": Case(
        partial(few_with_joker, scratch="forced"),
        lambda: [seat(Chasing, "joker", "standing"), seat(Chasing), *shipped("greedy")],
        60,
    ),
    "jokers-in-teams": Case(
        partial(few_with_joker, team=2, players=[4]),
        lambda: [seat(Chasing, "joker"), seat(Chasing), *shipped("greedy", "par")],
        60,
    ),
    "jokers-at-speed": Case(
        partial(few_with_joker, clock=clock(timer=20.0)),
        lambda: [seat(Chasing, "joker"), seat(Chasing), *shipped("greedy")],
        60,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_kernel_agrees_with_the_reference(name: str) -> None:
    assert_agreement(CASES[name], CASES[name].deals // 4)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name for name in CASES if name.endswith(("watch", "teams", "sand", "jokers"))]
)
def test_the_kernel_agrees_with_the_reference_in_many_games(name: str) -> None:
    assert_agreement(CASES[name], CASES[name].deals)


@pytest.mark.parametrize("reading", CUTTHROAT)
def test_a_barred_side_of_three_never_steals(reading: str) -> None:
    (expected,) = assert_agreement(replace(CASES[f"{reading}-thieves"], seatings=(1,)), 10, barred=2)
    steals = np.array(expected.by_seat("steals"))
    assert steals[2].sum() == 0
    assert steals.sum() > 0


@pytest.mark.parametrize("reading", CUTTHROAT)
def test_a_barred_team_never_steals(reading: str) -> None:
    for barred in (0, 1):
        (expected,) = assert_agreement(replace(CASES[f"{reading}-teams"], seatings=(1,)), 10, barred)
        steals = np.array(expected.by_seat("steals"))
        assert steals[[barred, barred + 2]].sum() == 0
        assert steals.sum() > 0


@pytest.mark.slow
def test_what_the_cases_are_for_does_occur() -> None:
    def most(name: str, column: str) -> int:
        return max(int(np.max(expected.by_seat(column))) for expected in assert_agreement(CASES[name], 20))

    assert most("jokers", "jokers") > 1
    assert most("take-six", "robbed") > 1
    assert most("overwrite-few-categories", "turns") == 4
    assert most("speed-sand", "empty") > 0
    assert most("speed-teams", "turns") == 7


def whole_course(name: str, lineup: list[str], deals: int, **changes: Any) -> Course:
    ruleset = changed(name, **changes) if changes else load_cheerio(name)
    players = {words: get_player(words) for words in lineup}
    return played(ruleset, LineupTables([players[words] for words in lineup], ruleset, {}), 0, 11, 0, deals)


def assert_all_the_same(course: Course, other: Course) -> None:
    for name in (*BY_SEAT, *BY_GAME, "sums"):
        np.testing.assert_array_equal(getattr(course, name), getattr(other, name), name)


@pytest.mark.parametrize("reading", CUTTHROAT)
def test_cutthroat_in_which_nobody_steals_is_the_standard_game(reading: str) -> None:
    honest = whole_course(CUTTHROAT[reading], ["par:steal=never", "greedy:steal=never"], 5000)
    assert_all_the_same(honest, whole_course("cheerio", ["par", "greedy"], 5000))
    assert (honest.turns == 13).all()
    assert not honest.steals.any()


def test_speed_without_time_for_throws_is_the_standard_game() -> None:
    times = {"throw": {"seconds": 0.0}, "entry": {"seconds": 5.0}}
    speed = whole_course("cheerio-speed", ["par", "greedy", "random"], 4000, clock=times)
    assert_all_the_same(speed, whole_course("cheerio", ["par", "greedy", "random"], 4000))
    assert (speed.milliseconds == 13 * 5000).all()
    assert not speed.empty.any()


@pytest.mark.parametrize("reading", CUTTHROAT)
@pytest.mark.parametrize("seats", [2, 3, 6])
def test_turns_in_every_game_are_what_the_reading_says(reading: str, seats: int) -> None:
    lineup = ["par", "greedy:steal=25", "nets", "sets:steal=60", "par:steal=40", "greedy"][:seats]
    course = whole_course(CUTTHROAT[reading], lineup, 1500)
    turns, steals, robbed = (array.astype(int) for array in (course.turns, course.steals, course.robbed))
    assert (turns == (13 + steals - robbed if reading == "overwrite" else 13)).all()
    assert steals.max() == 1
    assert (steals.sum(axis=0) == robbed.sum(axis=0)).all()
    # Every sheet is full at the end, and is worth what its entries are.
    assert (course.sums[:, :, :, 0].sum(axis=0) == 1500).all()
    assert (course.sums[..., 1].sum(axis=(0, 2)) == course.score.sum(axis=1)).all()


def test_a_team_of_equals_scores_as_one_player() -> None:
    """A chi-square over the score, cells merged to 50 games or more; fixed seed, p above that of 5 standard errors."""
    deals = 20_000
    team = whole_course("cheerio-team", ["greedy"] * 4, deals)
    alone = whole_course("cheerio", ["greedy"], 2 * deals, start="first-seat")
    together, single = np.bincount(team.score[:2].ravel()), np.bincount(alone.score.ravel())
    cells = np.zeros((2, max(together.size, single.size)))
    cells[0, : together.size], cells[1, : single.size] = together, single
    edges = [0]
    for score in range(cells.shape[1]):
        if cells[:, edges[-1] : score].sum(axis=1).min() >= 50:
            edges.append(score)
    merged = np.add.reduceat(cells, edges, axis=1)
    merged[:, -2] += merged[:, -1]
    assert stats.chi2_contingency(merged[:, :-1]).pvalue > 2 * stats.norm.sf(5)
    assert set(np.unique(team.turns).tolist()) == {6, 7}
    assert (team.turns[:2].astype(int) + team.turns[2:] == 13).all()


@st.composite
def games(draw: st.DrawFn) -> Case:
    """Any variant, any lineup of strategies that see little, any deal."""
    kind = draw(st.sampled_from(["cheerio", "overwrite", "take", "speed", "jokers"]))
    team = draw(st.sampled_from([1, 1, 2, 3]))
    sides = draw(st.integers(2, 6 // team))
    keys = draw(st.lists(st.sampled_from(sorted(EXTENDED)), min_size=2, max_size=6, unique=True))
    changes: dict[str, Any] = {
        "team": team,
        "players": [team * sides],
        "categories": {key: EXTENDED[key] for key in keys},
        "throws": draw(st.integers(1, 4)),
        "scratch": draw(st.sampled_from(["free", "forced"])),
        "start": draw(st.sampled_from(["highest-die", "first-seat"])),
        "tiebreak": draw(st.sampled_from(["roll-off", "shared"])),
        "bonus": {"threshold": draw(st.integers(1, 60)), "points": 0},
    }
    if any(EXTENDED[key]["upper"] for key in keys):
        changes["bonus"]["points"] = draw(st.sampled_from([0, 35]))
    if kind in CUTTHROAT:
        changes["steal"] = kind
    if kind == "speed":
        times = [
            {"seconds": draw(st.floats(0.5, 5.0)), "spread": draw(st.floats(0.0, 0.4))} for _ in range(2)
        ]
        timer = draw(st.sampled_from([0.0, 4.0, 9.0]))
        changes["clock"] = {"throw": times[0], "entry": times[1], "timer": timer}
    if kind == "jokers":
        changes["categories"]["cheerio"] = EXTENDED["cheerio"]
        changes["joker"] = {"category": "cheerio", "points": 30, "fits": keys[:1]}
    manners = ["", ":steal=never", ":steal=12", ":pace=0.6", ":pace=1.7"]
    words = st.builds(
        lambda name, manner: name + manner,
        st.sampled_from(["par", "greedy", "random", "sets"]),
        st.sampled_from(manners),
    )
    views = ["upper", "pace", "turns_left", "standing", "difference", "rival_open", "rival_upper", "joker"]
    watchers = st.builds(
        lambda kind, view, other: seat(kind, view, steal_sees=(other,)),
        st.sampled_from([Scattered, Thieving]),
        st.sampled_from(views),
        st.sampled_from(views),
    )
    players = st.one_of(words.map(get_player), watchers)
    lineup = draw(st.lists(players, min_size=team * sides, max_size=team * sides))
    return Case(
        lambda: changed("cheerio", **changes),
        # Players of one label are one.
        lambda: [{player.label: player for player in lineup}[player.label] for player in lineup],
        deals=2,
        first=draw(st.integers(0, 2**63)),
        seed=draw(st.integers(0, 2**64 - 1)),
    )


@settings(max_examples=25)
@given(games())
def test_the_kernel_agrees_with_the_reference_in_any_variant(case: Case) -> None:
    assert_agreement(case, case.deals)


def test_the_slowest_game_fits_the_kernels_integers() -> None:
    slowest = {"seconds": 600.0, "spread": 599.0}
    case = Case(
        partial(changed, "cheerio-speed", clock={"throw": slowest, "entry": slowest}, throws=5),
        lambda: [seat(Scattered), *shipped("par:pace=10", "sets:pace=10")],
        20,
    )
    (expected,) = assert_agreement(case, 20)
    assert max(map(max, expected.by_seat("milliseconds"))) > 2**26
