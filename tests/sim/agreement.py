"""Plays games in the kernel and in the slow reference, and holds every field of one against the other."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from sim.cheerio import BLOCK, Course, build_rules, play_deals
from sim.cheerio_ruleset import CheerioRuleset, load_cheerio, validate_cheerio
from sim.dice import ROLL_MASKS, ROLLS
from sim.reference import Decider, Game, play_game
from sim.worth import build_aim_worth, build_worth
from strategies.deciding import build_decider
from strategies.lineup import Player, Source, get_player
from strategies.lookahead import LookaheadStrategy, Worths
from strategies.strategy import Offer, Plan, Sheet, Strategy, allowed_masks
from strategies.tables import LineupTables

BY_SEAT = ("position", "score", "place", "won", "credit", "tied", "throws", "upper", "bonus", "decisions")
#: What is 0 in a Course where no variant is in play.
BY_VARIANT = ("turns", "jokers", "steals", "robbed", "milliseconds", "empty")
BY_GAME = ("start_rounds", "tiebreak_rounds", "lead_changes", "decided_turn", "worst_deficit")


#: The kinds of rolls by the masks that keep different dice.
KINDS = sorted(set(ROLL_MASKS))
KIND_OF_ROLL = np.array([KINDS.index(masks) for masks in ROLL_MASKS])


def scattered(sheet: Sheet, shape: tuple[int, ...]) -> npt.NDArray[np.uint64]:
    """Numbers that depend on all that the sheet shows, and on nothing else."""
    number = zlib.crc32(sheet.words().encode()) * 0xD1342543DE82EF95 % 2**64
    places = np.arange(np.prod(shape), dtype=np.uint64).reshape(shape)
    numbers = (places + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(number)
    return (numbers ^ numbers >> np.uint64(31)) * np.uint64(0xBF58476D1CE4E5B9) >> np.uint64(33)


def legal_orders(sheet: Sheet) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """The categories that each roll may be entered in, in a scattered order and first in a row, and their number."""
    allowed = allowed_masks(sheet)[:, None] >> np.arange(len(sheet.categories), dtype=np.uint32) & 1 == 1
    ranks = np.where(allowed, scattered(sheet, allowed.shape).astype(np.float64), np.inf)
    return ranks.argsort(axis=1), allowed.sum(axis=1)


class Scattered(Strategy):
    """Keeps and fills by a number that depends on all it sees."""

    def plan(self, sheet: Sheet) -> Plan:
        keeps = scattered(sheet, (sheet.ruleset.throws - 1, len(ROLLS))) % np.uint64(32)
        return Plan(keeps.astype(np.uint8), legal_orders(sheet)[0][:, 0])


class Leaning(LookaheadStrategy):
    """Plays for points above the usual, with likings for categories that depend on all it sees."""

    def worths(self, sheet: Sheet) -> Worths:
        likings = scattered(sheet, (len(sheet.categories),)) % np.uint64(12)
        usual = build_aim_worth(sheet.ruleset)
        return np.asarray(sheet.scoresheet.points - (usual + likings)[:, None], np.float64)


class Mixing(Strategy):
    """Mixes one to six keeps, and one to three categories."""

    def plan(self, sheet: Sheet) -> Plan:
        # Rolls with equal dice in the same places have the same masks: each such kind of roll has four groups.
        ranks = scattered(sheet, (len(KINDS), 4, 6)).tolist()
        keep_options = [
            [masks[rank % len(masks)] for rank in group[: 1 + group[0] % 6]]
            for masks, groups in zip(KINDS, ranks, strict=True)
            for group in groups
        ]
        variant = scattered(sheet, (sheet.ruleset.throws - 1, len(ROLLS))).astype(np.int64) % 4
        orders, counts = legal_orders(sheet)
        groups = [
            tuple(order[: min(count, 1 + roll % 3)])
            for roll, (order, count) in enumerate(zip(orders.tolist(), counts.tolist(), strict=True))
        ]
        return Plan(KIND_OF_ROLL * 4 + variant, np.arange(len(ROLLS)), keep_options, groups)


class Thieving(Leaning):
    """Robs and gives up by a number that depends on all it sees, besides."""

    def steal(self, offer: Offer, sheet: Sheet) -> bool:
        words = f"{offer.category.id} {offer.gains} {offer.loses} {sheet.words()}"
        return zlib.crc32(words.encode()) % 7 < 3

    def forfeit(self, sheet: Sheet) -> str:
        return str(sheet.open[zlib.crc32(sheet.words().encode()) % len(sheet.open)].id)


class Recording(Leaning):
    """Writes down what it is shown, besides."""

    def __init__(self) -> None:
        self.shown: list[dict[str, int]] = []

    def plan(self, sheet: Sheet) -> Plan:
        self.shown.append(dict(sheet._views))
        return super().plan(sheet)


def seat(kind: type[Strategy], *views: str, steal_sees: Sequence[str] = ("turns_left",)) -> Player:
    """A player of a strategy that sees the open categories and some views, also of what it gives up."""
    sees = ("open", *views)
    forfeit_sees = tuple(view for view in sees if view != "coin")
    shown = {"sees": sees, "steal_sees": tuple(steal_sees), "forfeit_sees": forfeit_sees}
    strategy = type(kind.__name__, (kind,), shown)()
    label = f"{kind.__name__}({','.join(sees)};{','.join(steal_sees)})"
    return Player(label, strategy, kind.__doc__ or "", Source(label, "", (), (), label))


def watchers(view: str) -> list[Player]:
    return [seat(Leaning, view), seat(Scattered, view), get_player("par")]


def shipped(*names: str) -> list[Player]:
    return [get_player(name) for name in names]


def changed(name: str, **changes: Any) -> CheerioRuleset:
    """A shipped ruleset with other rules."""
    rules = load_cheerio(name).model_dump(mode="json")
    return validate_cheerio({**rules, "name": "changed", **changes}, "changed")


def only(*categories: str, **changes: Any) -> CheerioRuleset:
    """Cheerio with some of its categories."""
    rules = load_cheerio("cheerio").model_dump(mode="json")
    return changed("cheerio", categories={key: rules["categories"][key] for key in categories}, **changes)


def sixteen_categories() -> CheerioRuleset:
    rules = load_cheerio("cheerio-bonus").model_dump(mode="json")
    more: dict[str, Any] = {
        "pair": {"name": "Pair", "pattern": {"alike": 2}, "pays": "matched dice"},
        "two-pairs": {"name": "Two Pairs", "pattern": {"groups": [2, 2]}, "pays": "all dice"},
        "run": {"name": "Run", "pattern": {"run": 4}, "pays": {"points": 1000}, "upper": True},
    }
    return changed("cheerio-bonus", categories=rules["categories"] | more)


@dataclass(frozen=True)
class Case:
    """Games to play in both ways."""

    ruleset: Callable[[], CheerioRuleset]
    lineup: Callable[[], list[Player]]
    deals: int
    first: int = 0
    seed: int = 20
    seatings: tuple[int, ...] = (0,)


def played(
    ruleset: CheerioRuleset, tables: LineupTables, seating: int, seed: int, first: int, deals: int
) -> Course:
    return play_deals(build_rules(ruleset), tables, tables.seats, seating, seed, first, deals)


@dataclass
class Expected:
    """The results of the reference in the shapes of a Course."""

    games: list[Game] = field(default_factory=list)

    def by_seat(self, name: str) -> list[list[int]]:
        seats = range(len(self.games[0].seats))
        return [[int(getattr(game.seats[seat], name)) for game in self.games] for seat in seats]

    def by_game(self, name: str) -> list[int]:
        return [getattr(game, name) for game in self.games]

    def sums(self, first: int) -> npt.NDArray[np.int64]:
        blocks: dict[int, list[Game]] = {}
        for game in self.games:
            blocks.setdefault(game.deal // BLOCK - first // BLOCK, []).append(game)
        shape = (len(blocks), len(self.games[0].seats), len(self.games[0].seats[0].entries), 4)
        sums = np.zeros(shape, np.int64)
        for block, games in blocks.items():
            for game in games:
                for place, result in enumerate(game.seats):
                    own = zip(result.entries, result.entered_by, strict=True)
                    for category, (points, owner) in enumerate(own):
                        if owner == place and points is not None:
                            sums[block, place, category] += (1, points, points**2, points == 0)
        return sums


def assert_agreement(case: Case, deals: int, barred: int | None = None) -> list[Expected]:
    """Plays the first deals of a case in both ways, and finds the same in every field of every game."""
    ruleset = case.ruleset()
    tables = LineupTables(case.lineup(), ruleset, {})
    worth = build_worth(ruleset).tolist()
    found = []
    for seating in case.seatings:
        deciders: Sequence[Decider] = [
            build_decider(tables.player(seating, place), ruleset) for place in range(tables.seats)
        ]
        course = play_deals(
            build_rules(ruleset),
            tables,
            tables.seats,
            seating,
            case.seed,
            case.first,
            deals,
            -1 if barred is None else barred,
        )
        numbers = range(case.first, case.first + deals)
        expected = Expected(
            [play_game(ruleset, deciders, case.seed, deal, worth, barred) for deal in numbers]
        )
        varied = ruleset.team > 1 or ruleset.steal != "none" or ruleset.clock is not None
        for name in (*BY_SEAT, *(BY_VARIANT if varied else ("jokers",))):
            np.testing.assert_array_equal(getattr(course, name), expected.by_seat(name), name)
        for name in BY_GAME:
            np.testing.assert_array_equal(getattr(course, name), expected.by_game(name), name)
        np.testing.assert_array_equal(course.sums, expected.sums(case.first))
        found.append(expected)
    return found
