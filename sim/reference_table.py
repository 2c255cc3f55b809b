"""The table of the slow reference: all turns of a game, one after another or all at once, and what they write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sim.cheerio_ruleset import CheerioRuleset
from sim.reference_dice import roll_for_start
from sim.reference_sheet import (
    Entries,
    View,
    clockwise_from,
    holds_joker,
    is_joker,
    open_on,
    pays_on,
    points_of,
    prospect_of,
    total_of,
    view_of,
)
from sim.reference_turn import (
    Decider,
    Offer,
    Steal,
    Stopwatch,
    Stream,
    Throw,
    Turn,
    mix,
    take_turn,
    turn_value,
)


@dataclass
class Sheet:
    """One side's scoresheet: its entries, which seat entered each, and how many jokers brought extra points.

    `tally` is a second account of the total without the bonus, kept by what each change adds or takes away.
    """

    ruleset: CheerioRuleset
    entries: Entries = field(default_factory=dict)
    entered_by: dict[int, int] = field(default_factory=dict)
    jokers: int = 0
    tally: int = 0

    def enter(self, category: int, points: int, seat: int) -> None:
        """Fills an open category."""
        assert category not in self.entries
        self.entries[category] = points
        self.entered_by[category] = seat
        self.tally += points

    def pay_extra(self) -> int:
        """Adds the extra points of a joker, and returns them."""
        assert self.ruleset.joker is not None
        self.jokers += 1
        self.tally += self.ruleset.joker.points
        return self.ruleset.joker.points

    def overwrite(self, category: int, points: int) -> None:
        """Puts other points in a filled category; it stays the entry of who filled it."""
        self.tally += points - self.entries[category]
        self.entries[category] = points

    def erase(self, category: int) -> None:
        """Opens a filled category again."""
        self.tally -= self.entries.pop(category)
        del self.entered_by[category]

    @property
    def full(self) -> bool:
        """Tells whether no category is open."""
        return len(self.entries) == len(self.ruleset.categories)

    @property
    def total(self) -> int:
        """Returns the running total, with bonus and extra points."""
        extra = self.ruleset.joker.points * self.jokers if self.ruleset.joker is not None else 0
        assert self.tally == sum(self.entries.values()) + extra
        return total_of(self.ruleset, self.entries, self.jokers)


class Table:
    """A game being played: who sits there, the sheets by side, and the turns that have been taken.

    `hashes` and `steals` are by seat, `robbed` by side.
    """

    def __init__(
        self,
        ruleset: CheerioRuleset,
        deciders: Sequence[Decider],
        seed: int,
        deal: int,
        worth: Sequence[int],
        barred: int | None,
    ) -> None:
        self.ruleset = ruleset
        self.deciders = deciders
        self.seed, self.deal = seed, deal
        self.worth = worth
        self.barred = barred
        self.seats = len(deciders)
        self.sides = ruleset.sides(self.seats)
        rolls = ruleset.start == "highest-die"
        self.start_dice = roll_for_start(seed, deal, self.seats) if rolls else []
        self.start = max(self.start_dice[-1], key=lambda rolled: rolled[1])[0] if self.start_dice else 0
        self.sheets = [Sheet(ruleset) for _ in range(self.sides)]
        self.hashes = [0] * self.seats
        self.steals = [0] * self.seats
        self.robbed = [0] * self.sides
        self.turns: list[Turn] = []
        self.round_totals: list[list[int]] = []

    def side_of(self, seat: int) -> int:
        """Returns the side whose sheet the seat writes on."""
        return seat % self.sides

    def seat_at(self, step: int) -> int:
        """Returns the seat whose turn a step of the play around the table is, steps counted from the start."""
        return (self.start + step) % self.seats

    def view(self, side: int) -> View:
        """Returns what a side sees now."""
        entries = [sheet.entries for sheet in self.sheets]
        return view_of(self.ruleset, entries, side, self.worth, [sheet.jokers for sheet in self.sheets])

    def totals(self) -> list[int]:
        """Returns the running totals by side."""
        return [sheet.total for sheet in self.sheets]

    def stream(self, seat: int, turn: int) -> Stream:
        """Returns what names the dice of a turn."""
        return self.seed, self.deal, seat, turn

    def play(self) -> None:
        """Plays all turns."""
        if self.ruleset.clock is None:
            play_in_turn(self)
        else:
            play_by_the_clock(self)

    def write_entry(self, seat: int, throws: tuple[Throw, ...], category: int) -> tuple[int, int]:
        """Enters the last roll on the own sheet; returns its points and the extra ones of a joker."""
        sheet = self.sheets[self.side_of(seat)]
        roll = throws[-1].roll
        still_open = open_on(self.ruleset, sheet.entries)
        points = pays_on(self.ruleset, still_open, category, roll)
        joker = is_joker(self.ruleset, still_open, roll) and holds_joker(self.ruleset, sheet.entries)
        extra = sheet.pay_extra() if joker else 0
        sheet.enter(category, points, seat)
        self.note_decisions(seat, turn_value(self.ruleset.throws, throws, category))
        return points, extra

    def note_decisions(self, seat: int, value: int) -> None:
        """Mixes a number into the hash of a seat's decisions."""
        self.hashes[seat] = mix(self.hashes[seat], value)


def play_in_turn(table: Table) -> None:
    """Plays round by round, one side after the other, until every sheet is full; a full one is passed over."""
    number = 0
    while not all(sheet.full for sheet in table.sheets):
        for step in range(number * table.sides, (number + 1) * table.sides):
            seat = table.seat_at(step)
            side = table.side_of(seat)
            if not table.sheets[side].full:
                _play_step(table, step, seat, side, number)
        table.round_totals.append(table.totals())
        number += 1


def _play_step(table: Table, step: int, seat: int, side: int, number: int) -> None:
    decider, view = table.deciders[seat], table.view(side)
    throws, category = take_turn(table.ruleset, decider, view, table.stream(seat, number))
    offer = find_offer(table, side, category, throws[-1].roll)
    if offer is not None and decider.steals(view, offer):
        steal = rob(table, step, seat, throws, offer)
        category, points, extra = steal.category, steal.pays, 0
    else:
        steal = None
        points, extra = table.write_entry(seat, throws, category)
    table.turns.append(
        Turn(seat, number, throws, category, points, tuple(table.totals()), extra=extra, steal=steal)
    )


def find_offer(table: Table, side: int, chosen: int, roll: tuple[int, ...]) -> Offer | None:
    """Returns what a side could steal with this roll instead of entering it in the chosen category, if anything.

    The rival is the one with the best prospects of those that can be robbed, the category the one that makes the most
    difference between the two.
    """
    ruleset, sheets = table.ruleset, table.sheets
    stolen = any(table.steals[seat] for seat in range(table.seats) if table.side_of(seat) == side)
    if ruleset.steal == "none" or stolen or side == table.barred:
        return None
    own = sheets[side].entries

    def prizes(rival: int) -> list[int]:
        filled = [c for c in range(len(ruleset.categories)) if c in sheets[rival].entries]
        if ruleset.steal == "take":
            return [c for c in filled if c not in own]
        return [] if sheets[rival].full else filled

    rivals = [rival for rival in clockwise_from(side, table.sides) if prizes(rival)]
    if not rivals:
        return None
    # max() finds the first of several equals, here and below.
    rival = max(rivals, key=lambda r: prospect_of(ruleset, sheets[r].entries, table.worth, sheets[r].jokers))
    instead = points_of(ruleset, chosen, roll)

    def offer(category: int) -> Offer:
        pays, entry = points_of(ruleset, category, roll), sheets[rival].entries[category]
        if ruleset.steal == "take":
            return Offer(rival, category, gains=pays - instead, loses=entry)
        return Offer(rival, category, gains=-instead, loses=entry - pays)

    return max((offer(category) for category in prizes(rival)), key=lambda offer: offer.swing)


def rob(table: Table, step: int, seat: int, throws: tuple[Throw, ...], offer: Offer) -> Steal:
    """Carries out a steal, with the zero that the robbed side enters at once."""
    victim = table.sheets[offer.side]
    entry = victim.entries[offer.category]
    pays = points_of(table.ruleset, offer.category, throws[-1].roll)
    if table.ruleset.steal == "take":
        table.sheets[table.side_of(seat)].enter(offer.category, pays, seat)
        victim.erase(offer.category)
    else:
        victim.overwrite(offer.category, pays)
    table.steals[seat] += 1
    table.robbed[offer.side] += 1
    value = turn_value(table.ruleset.throws, throws, offer.category)
    table.note_decisions(seat, value + (1 + offer.side) * 2**24)
    # The partner who would take the robbed side's next turn decides.
    following = range(step + 1, step + 1 + table.seats)
    forfeiting = next(
        table.seat_at(later) for later in following if table.side_of(table.seat_at(later)) == offer.side
    )
    forfeited = table.deciders[forfeiting].forfeits(table.view(offer.side))
    if forfeited not in open_on(table.ruleset, victim.entries):
        raise ValueError(
            f"category {forfeited} given to forfeit; open are {open_on(table.ruleset, victim.entries)}"
        )
    victim.enter(forfeited, 0, forfeiting)
    table.note_decisions(forfeiting, 7 * 2**24 + forfeited * 2**20)
    return Steal(offer.side, offer.category, entry, pays, forfeited, forfeiting)


@dataclass(frozen=True)
class Running:
    """A turn that has been started by the clock, with all that is decided in it; it is entered when it ends."""

    seat: int
    number: int
    throws: tuple[Throw, ...]
    category: int
    started: int
    ended: int
    sand_out: bool

    def as_entered(self, points: int, extra: int, totals: list[int]) -> Turn:
        """Returns the turn as it is told once it has been entered."""
        return Turn(
            self.seat, self.number, self.throws, self.category, points, tuple(totals), extra=extra,
            started=self.started, ended=self.ended, sand_out=self.sand_out,
        )  # fmt: skip


def play_by_the_clock(table: Table) -> None:
    """Plays all at once, from one end of a turn to the next, until the first full sheet calls time."""
    turns = len(table.ruleset.categories)
    order = [table.side_of(table.seat_at(step)) for step in range(table.sides)]
    running = {side: _begin_turn(table, side, 0, 0) for side in order}
    full_at: list[int] = []  # when the turns end that fill a sheet; the first of them calls time
    while running:
        side = min(running, key=lambda side: (running[side].ended, order.index(side)))
        turn = running.pop(side)
        now, done = turn.ended, turn.number + 1
        points, extra = table.write_entry(turn.seat, turn.throws, turn.category)
        table.turns.append(turn.as_entered(points, extra, table.totals()))
        if min(len(sheet.entries) for sheet in table.sheets) > len(table.round_totals):
            table.round_totals.append(table.totals())
        if done < turns and not any(end <= now for end in full_at):
            running[side] = _begin_turn(table, side, done, now)
            if done == turns - 1:
                full_at.append(running[side].ended)
    while len(table.round_totals) < turns:
        table.round_totals.append(table.totals())
    table.turns.sort(key=lambda turn: (turn.started, order.index(table.side_of(turn.seat))))


def _begin_turn(table: Table, side: int, number: int, now: int) -> Running:
    clock = table.ruleset.clock
    assert clock is not None
    seat = table.seat_at((side - table.start) % table.sides + number * table.sides)
    stream = table.stream(seat, number)
    watch = Stopwatch(clock, table.deciders[seat].pace, stream)
    throws, category = take_turn(table.ruleset, table.deciders[seat], table.view(side), stream, watch)
    return Running(seat, number, throws, category, now, now + max(1, watch.elapsed), watch.sand_out)
