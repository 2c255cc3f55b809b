"""What holds in every game of the slow reference, over many rulesets, lineups and seeds."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sim.cheerio_ruleset import CheerioRuleset, load_cheerio, validate_cheerio
from sim.reference import (
    Entries,
    Game,
    Offer,
    Turn,
    View,
    allowed_on,
    is_joker,
    pays_on,
    play_game,
    total_of,
)

Dice = tuple[int, ...]
CATEGORIES = load_cheerio("yahtzee").model_dump(mode="json")["categories"]


@dataclass(frozen=True)
class Scattered:
    """Decides by a number that depends on all it sees; `robs` and `alike` say how often in eight it does that."""

    ruleset: CheerioRuleset
    salt: int
    pace: int
    robs: int
    alike: int

    def number(self, *seen: object) -> int:
        return zlib.crc32(repr((self.salt, seen)).encode()) >> 8

    def keeps(self, view: View, dice: Dice, rolls_left: int) -> Sequence[Dice]:
        number = self.number(view, dice, rolls_left)
        if number % 8 < self.alike:
            face = max(dice, key=lambda die: (dice.count(die), die))
            return [tuple(die for die in dice if die == face)]
        return [tuple(die for place, die in enumerate(dice) if number >> place & 8)]

    def categories(self, view: View, dice: Dice) -> Sequence[int]:
        allowed = allowed_on(self.ruleset, view.open, dice)
        number = self.number(view, dice)
        return [allowed[(number + i) % len(allowed)] for i in range(1 + number % 2)]

    def steals(self, view: View, offer: Offer) -> bool:
        return self.number(view, offer) % 8 < self.robs

    def forfeits(self, view: View) -> int:
        return view.open[self.number(view) % len(view.open)]


@st.composite
def rulesets(draw: st.DrawFn) -> tuple[CheerioRuleset, int]:
    """A ruleset with some variant or none, and a number of seats."""
    keys = draw(st.lists(st.sampled_from(list(CATEGORIES)), min_size=2, max_size=6, unique=True))
    team = draw(st.sampled_from([1, 1, 2, 3]))
    variant = draw(st.sampled_from(["overwrite", "take", "clock", "joker", "clock and joker"]))
    least = 2 if team > 1 or variant in ("overwrite", "take") else 1
    seats = team * draw(st.integers(least, 6 // team))
    rules: dict[str, Any] = {
        "name": "drawn",
        "title": "Drawn",
        "players": [seats],
        "team": team,
        "throws": draw(st.integers(1, 4)),
        "scratch": draw(st.sampled_from(["free", "forced"])),
        "tiebreak": draw(st.sampled_from(["roll-off", "shared"])),
    }
    if variant in ("overwrite", "take"):
        rules["steal"] = variant
    if "clock" in variant:
        times = {
            "seconds": draw(st.sampled_from([0.1, 1, 4])),
            "spread": draw(st.sampled_from([0, 0.001, 0.1])),
        }
        timer = draw(st.sampled_from([0, 2, 9]))
        rules["clock"] = {"throw": times, "entry": {"seconds": 1}, "timer": timer}
    if "joker" in variant:
        keys = ["yahtzee", *[key for key in keys if key != "yahtzee"]]
        fits = draw(st.lists(st.sampled_from(keys), unique=True))
        forced = draw(st.booleans())
        rules["joker"] = {"category": "yahtzee", "points": 100, "fits": fits, "forced": forced}
    rules["categories"] = {key: CATEGORIES[key] for key in keys}
    if any(CATEGORIES[key]["upper"] for key in keys):
        rules["bonus"] = {"threshold": draw(st.integers(1, 12)), "points": draw(st.sampled_from([0, 35]))}
    return validate_cheerio(rules, "drawn"), seats


@st.composite
def games(draw: st.DrawFn) -> tuple[CheerioRuleset, Game]:
    """A ruleset, and a game by it."""
    ruleset, seats = draw(rulesets())
    players = [
        Scattered(
            ruleset,
            salt=draw(st.integers(0, 9)),
            pace=draw(st.sampled_from([1000, 1000, 500, 1900])),
            robs=draw(st.sampled_from([2, 8])),
            alike=draw(st.sampled_from([2, 8])),
        )
        for _ in range(seats)
    ]
    worth = [draw(st.integers(0, 30)) for _ in range(ruleset.turns)]
    number = st.integers(0, 2**64 - 1)
    seed, deal = draw(number), draw(number)
    game = play_game(ruleset, players, seed, deal, worth)
    assert game == play_game(ruleset, players, seed, deal, worth)
    return ruleset, game


class Ledger:
    """The sheets of a game, written once more from its turns alone."""

    def __init__(self, ruleset: CheerioRuleset, sides: int) -> None:
        self.ruleset = ruleset
        self.sheets: list[Entries] = [{} for _ in range(sides)]
        self.jokers = [0] * sides

    def write(self, turn: Turn) -> None:
        side = turn.seat % len(self.sheets)
        sheet, roll = self.sheets[side], turn.throws[-1].roll
        still_open = [place for place in range(self.ruleset.turns) if place not in sheet]
        assert turn.points == pays_on(self.ruleset, still_open, turn.category, roll)
        if turn.extra:
            assert self.ruleset.joker is not None
            assert is_joker(self.ruleset, still_open, roll)
            assert sheet[list(self.ruleset.categories).index("yahtzee")] == 50
            self.jokers[side] += 1
        if turn.steal is None or self.ruleset.steal == "take":
            assert turn.category in still_open
            sheet[turn.category] = turn.points
        if turn.steal is not None:
            self.rob(turn, self.sheets[turn.steal.side])

    def rob(self, turn: Turn, rival: Entries) -> None:
        steal = turn.steal
        assert steal is not None
        assert rival is not self.sheets[turn.seat % len(self.sheets)]
        assert rival[steal.category] == steal.entry
        assert (turn.category, turn.points) == (steal.category, steal.pays)
        if self.ruleset.steal == "take":
            del rival[steal.category]
        else:
            rival[steal.category] = steal.pays
        assert steal.forfeited not in rival
        assert steal.forfeiting_seat % len(self.sheets) == steal.side
        rival[steal.forfeited] = 0

    def totals(self) -> tuple[int, ...]:
        pairs = zip(self.sheets, self.jokers, strict=True)
        return tuple(total_of(self.ruleset, sheet, jokers) for sheet, jokers in pairs)


@settings(max_examples=120)
@given(games())
def test_every_total_is_what_the_sheets_add_up_to(drawn: tuple[CheerioRuleset, Game]) -> None:
    ruleset, game = drawn
    sides = ruleset.sides(len(game.seats))
    ledger = Ledger(ruleset, sides)
    order = [(game.seats[side].position % sides, side) for side in range(sides)]
    ranks = {side: rank for rank, side in order}
    for turn in sorted(
        game.turns, key=lambda turn: (turn.ended or 0, ranks[turn.seat % sides] * bool(turn.ended))
    ):
        ledger.write(turn)
        assert turn.totals == ledger.totals()
    for seat, result in enumerate(game.seats):
        assert result.entries == tuple(map(ledger.sheets[seat % sides].get, range(ruleset.turns)))
        assert result.jokers == ledger.jokers[seat % sides]
        assert result.score == ledger.totals()[seat % sides]


@settings(max_examples=120)
@given(games())
def test_turns_steals_and_credit_add_up(drawn: tuple[CheerioRuleset, Game]) -> None:
    ruleset, game = drawn
    seats = len(game.seats)
    sides = ruleset.sides(seats)
    for side in range(sides):
        partners = [game.seats[seat] for seat in range(side, seats, sides)]
        turns = sum(result.turns for result in partners)
        steals = sum(result.steals for result in partners)
        first = partners[0]
        assert steals <= 1
        if ruleset.clock is not None:
            assert turns == ruleset.turns - first.empty
        elif ruleset.steal == "overwrite":
            assert turns == ruleset.turns + steals - first.robbed
        else:
            assert turns == ruleset.turns
        told = [turn for turn in game.turns if turn.steal is not None and turn.steal.side == side]
        assert first.robbed == len(told)
        if ruleset.team > 1 and ruleset.steal == "none":
            counts = [result.turns for result in sorted(partners, key=lambda result: result.position)]
            assert counts == sorted(counts, reverse=True)
            assert max(counts) - min(counts) <= 1
    assert sum(result.steals for result in game.seats) == sum(result.robbed for result in game.seats[:sides])
    assert sum(result.credit for result in game.seats[:sides]) == (60 if sides > 1 else 0)
    assert [result.turns for result in game.seats] == [
        sum(turn.seat == seat for turn in game.turns) for seat in range(seats)
    ]


@settings(max_examples=60)
@given(games())
def test_entries_are_their_writers(drawn: tuple[CheerioRuleset, Game]) -> None:
    ruleset, game = drawn
    sides = ruleset.sides(len(game.seats))
    written: list[dict[int, int]] = [{} for _ in range(sides)]
    for turn in game.turns:
        steal = turn.steal
        if steal is not None:
            if ruleset.steal == "take":
                del written[steal.side][steal.category]
            written[steal.side][steal.forfeited] = steal.forfeiting_seat
        if steal is None or ruleset.steal == "take":
            written[turn.seat % sides][turn.category] = turn.seat
    for seat, result in enumerate(game.seats):
        assert result.entered_by == tuple(map(written[seat % sides].get, range(ruleset.turns)))
