"""Kernel and reference play the same games of Cee-lo."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.ceelo.kernel import LANES, build_rules, play_deals
from sim.ceelo.ledger import Course
from sim.ceelo.ruleset import load_ceelo
from sim.ceelo.views import VIEWS
from sim.game import BLOCK
from sim.ruleset import shipped_rulesets
from tests.sim.ceelo.agreement import Guest, Guests, changed, differences, play_both

ALL = tuple(VIEWS)
#: A short run of deals across the end of a block of sums.
FIRST = BLOCK - 20

CASES: dict[str, tuple[str, dict[str, Any], list[tuple[str, ...]], int]] = {
    "who sees nothing": ("ceelo-bank", {}, [(), ()], 60),
    "six who see nothing": ("ceelo-bank", {"chips": 30}, [()] * 6, 60),
    "purses and bank": ("ceelo-bank", {"chips": 20}, [("chips",), ("bank",), ("chips", "bank")], 80),
    "ranks and leads": ("ceelo-bank", {"chips": 25}, [("rank",), ("lead",), ("rank", "lead"), ()], 80),
    "what went before": ("ceelo-bank-rotate", {"chips": 40}, [("last_stake",), ("streak",), ("order",)], 80),
    "long streaks": ("ceelo-bank-fixed", {"chips": 2000, "rounds": 250}, [("streak",), ("streak",)], 20),
    "all views": ("ceelo-bank-rotate", {"chips": 15}, [ALL] * 4, 60),
    "a fixed bank": ("ceelo-bank-fixed", {"chips": 10}, [ALL] * 6, 60),
    "stakes above the purse": ("ceelo-bank", {"chips": 3, "stake": {"minimum": 7, "maximum": 9}}, [("chips",)] * 4, 80),
    "a clock": ("ceelo-bank-timed", {"minutes": 5, "chips": 30}, [("rounds_left",), ALL, ()], 60),
    "a clock that outlasts": ("ceelo-bank-timed", {"minutes": 600}, [("rounds_left",)] * 2, 20),
    "one round": ("ceelo-bank", {"rounds": 1}, [(), ("chips",)], 40),
    "many chips": ("ceelo-bank", {"chips": 5000, "stake": {"minimum": 1, "maximum": 5000}}, [(), ("chips",)], 40),
    "a pot": ("ceelo-pot", {}, [(), ()], 60),
    "a poor pot": ("ceelo-pot", {"chips": 10, "ante": 3}, [()] * 5, 60),
    "an outright pot": ("ceelo-pot-outright", {"chips": 7, "ante": 2}, [()] * 4, 80),
    "a pot against the clock": ("ceelo-pot-outright", {"minutes": 3}, [()] * 6, 60),
    "many deciders": ("ceelo-pot", {"chips": 5000, "ante": 5, "rounds": 250}, [()] * 6, 20),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_the_kernel_plays_what_the_reference_plays(case: str) -> None:
    name, changes, sees, deals = CASES[case]
    course, games = play_both(changed(name, **changes), sees, deals, first=FIRST)
    assert differences(course, games, FIRST) == []


@pytest.mark.parametrize("name", shipped_rulesets("ceelo"))
@pytest.mark.parametrize("seats", [2, 3, 6])
def test_every_shipped_ruleset_agrees_in_every_seating(name: str, seats: int) -> None:
    views = [("chips", "rank"), (), ("lead", "streak"), ("order",), ("last_stake",), ("rounds_left",)]
    for seating in range(seats):
        course, games = play_both(load_ceelo(name), views[:seats], 4, seed=5, seating=seating)
        assert differences(course, games) == []


@pytest.mark.parametrize(("seed", "first"), [(0, 0), (2**64 - 1, 2**32 - 8), (7, 2**64 - 16)])
def test_seeds_and_deals_at_the_edges_agree(seed: int, first: int) -> None:
    course, games = play_both(changed("ceelo-bank", chips=20), [("chips",), ("streak",)], 16, seed, first)
    assert differences(course, games, first) == []


rules = st.fixed_dictionaries(
    {
        "chips": st.integers(1, 40),
        "rounds": st.integers(1, 30),
        "bank": st.sampled_from(["none", "pass", "rotate", "fixed"]),
        "stake": st.tuples(st.integers(1, 12), st.integers(0, 12)).map(
            lambda pair: {"minimum": pair[0], "maximum": sum(pair)}
        ),
        "minutes": st.sampled_from([None, None, 1, 4]),
        "outright": st.booleans(),
        "ante": st.integers(1, 12),
    }
)
sights = st.lists(st.sets(st.sampled_from(ALL)).map(tuple), min_size=2, max_size=6)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(rules, sights, st.integers(0, 2**64 - 1), st.integers(0, 2**63))
def test_any_rules_and_any_lineup_agree(changes: dict[str, Any], sees: Any, seed: int, first: int) -> None:
    changes["ante"] = min(changes["ante"], changes["chips"])
    changes["outright"] &= changes["bank"] == "none"
    course, games = play_both(changed("ceelo-bank", **changes), sees, 5, seed, first)
    assert differences(course, games, first) == []


def played(name: str, seats: int, deals: int, first: int = 0, **changes: Any) -> Course:
    ruleset = changed(name, **changes)
    guests = [Guest(f"guest {seat}", ("chips", "streak"), ruleset) for seat in range(seats)]
    return play_deals(build_rules(ruleset), Guests(guests, ruleset), seats, 0, 3, first, deals)


@pytest.mark.parametrize("name", ["ceelo-bank", "ceelo-pot-outright"])
def test_games_do_not_depend_on_what_is_played_beside_them(name: str) -> None:
    whole = played(name, 3, 2 * LANES + 300, first=BLOCK - 100)
    for begin, deals in ((0, 1), (95, 10), (LANES, LANES + 1)):
        part = played(name, 3, deals, first=BLOCK - 100 + begin)
        for column in Course._fields[:-1]:
            assert np.array_equal(getattr(part, column), getattr(whole, column)[..., begin : begin + deals])


@pytest.mark.parametrize("bank", ["pass", "rotate", "fixed", "none"])
def test_chips_neither_appear_nor_vanish(bank: str) -> None:
    course = played("ceelo-bank", 4, 20_000, bank=bank, chips=30)
    assert (course.score.sum(axis=0) == 120).all()
    assert course.score.min() == 0
    assert (course.credit.sum(axis=0) == 60).all()
    if bank == "none":
        # Each round's pot is won and paid by those who throw for it.
        assert course.sums[..., 1].sum() == 0
        return
    assert (course.covered.sum(axis=0) == course.staked.sum(axis=0)).all()
    assert (np.abs(course.bank_net) <= course.covered).all()
    as_bettors = course.score - 30 - course.bank_net
    assert (np.abs(as_bettors) <= course.staked).all()
    assert course.sums[..., 0].sum() == course.results.sum(dtype=np.int64)
