"""Plays the same games of Cee-lo by the kernel and by the reference, and compares all that is kept of them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sim.ceelo.kernel import BLOCK, build_rules, play_deals
from sim.ceelo.lanes import LACKING, StakeTables
from sim.ceelo.ledger import Course
from sim.ceelo.reference import Game, play_game
from sim.ceelo.ruleset import CeeloRuleset, load_ceelo, validate_ceelo
from sim.ceelo.views import SHIFTS, VIEWS, view_sizes, view_strides
from sim.numbering import read_context
from strategies.index import KeyIndex

Views = dict[str, int]


@dataclass(frozen=True)
class Guest:
    """Stakes by a number that depends on all that it sees, and on its name."""

    name: str
    sees: tuple[str, ...]
    ruleset: CeeloRuleset

    def wants(self, views: Views) -> int:
        limits = self.ruleset.stake
        spread = limits.maximum - limits.minimum + 1
        shown = " ".join(f"{view}={views[view]}" for view in self.sees)
        return limits.minimum + zlib.crc32(f"{self.name} {shown}".encode()) % spread

    def stake(self, view: Any) -> int:
        return self.wants({name: getattr(view, name) for name in self.sees})


class Guests:
    """The tables of a lineup of guests; some are looked up directly, some by their keys."""

    def __init__(self, lineup: Sequence[Guest], ruleset: CeeloRuleset, most_direct: int = 1 << 16) -> None:
        self.lineup = tuple(lineup)
        self.ruleset = ruleset
        self.sizes = view_sizes(ruleset)
        self.strides = [view_strides(ruleset, guest.sees) for guest in lineup]
        self.direct = [size <= most_direct for _, size in self.strides]
        self.bases = []
        direct = hashed = 0
        for small, (_, size) in zip(self.direct, self.strides, strict=True):
            self.bases.append(direct if small else hashed)
            direct, hashed = (direct + size, hashed) if small else (direct, hashed + size)
        self.stake_of = np.full(max(1, direct), LACKING, np.int16)
        self.index = KeyIndex()

    def order(self, seating: int) -> list[int]:
        seats = len(self.lineup)
        return [(seat - seating) % seats for seat in range(seats)]

    def decisions(self, seating: int) -> StakeTables:
        order = self.order(seating)
        return StakeTables(
            stake_of=self.stake_of,
            keys=self.index.keys,
            key_stakes=self.index.numbers,
            base=np.array([self.bases[place] for place in order], np.uint64),
            direct=np.array([self.direct[place] for place in order], np.uint8),
            strides=np.array([self.strides[place][0] for place in order], np.uint64),
        )

    def fill(self, seating: int, seats: npt.NDArray[np.uint8], contexts: npt.NDArray[np.uint64]) -> None:
        order = self.order(seating)
        for seat, context in sorted(set(zip(seats.tolist(), contexts.tolist(), strict=True))):
            place = order[seat]
            guest = self.lineup[place]
            views = read_context(self.sizes, SHIFTS, guest.sees, context)
            assert views.get("chips", 1) > 0
            assert views.get("order", 1) > 0
            key, stake = self.bases[place] + context, guest.wants(views)
            if self.direct[place]:
                self.stake_of[key] = stake
            else:
                self.index.hold(np.array([key], np.uint64), np.array([stake], np.int32))


def changed(name: str, **changes: Any) -> CeeloRuleset:
    """A shipped ruleset with other rules."""
    rules = load_ceelo(name).model_dump(mode="json")
    return validate_ceelo({**rules, "name": "changed", **changes}, "changed")


def play_both(
    ruleset: CeeloRuleset,
    sees: Sequence[Sequence[str]],
    deals: int,
    seed: int = 20,
    first: int = 0,
    seating: int = 0,
    play: Callable[..., Course] = play_deals,
) -> tuple[Course, list[Game]]:
    """Plays deals with guests that see these views, by seat of the first seating."""
    guests = [
        Guest(f"guest {place}", tuple(v for v in VIEWS if v in views), ruleset)
        for place, views in enumerate(sees)
    ]
    tables = Guests(guests, ruleset)
    course = play(build_rules(ruleset), tables, len(guests), seating, seed, first, deals)
    seated = [guests[place] for place in tables.order(seating)]
    games = [play_game(ruleset, seated, seed, deal) for deal in range(first, first + deals)]
    return course, games


def differences(course: Course, games: Sequence[Game], first: int = 0) -> list[str]:
    """Names the first place at which each column differs, and each block of sums."""
    found = []
    for name in Course._fields:
        if name == "sums":
            continue
        column = getattr(course, name)
        expected = np.array(
            [[getattr(seat, name) for seat in game.seats] for game in games]
            if column.ndim == 2
            else [getattr(game, name) for game in games]
        ).T
        if not np.array_equal(column, expected):
            place = tuple(np.argwhere(column != expected)[0].tolist())
            found.append(f"{name} at {place}: {column[place]} played, {expected[place]} expected")
    sums = np.zeros_like(course.sums)
    for number, game in enumerate(games, first):
        for seat, result in enumerate(game.seats):
            for line, net in result.settled:
                sums[number // BLOCK - first // BLOCK, seat, line] += [1, net, net * net, net == 0]
    if not np.array_equal(course.sums, sums):
        found.append(f"sums at {np.argwhere(course.sums != sums)[0].tolist()}")
    return found
