"""One turn of the slow reference: who decides, the throws, the category, and what is written down of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sim.cheerio_ruleset import CheerioRuleset
from sim.reference_dice import CLOCK, COIN, DICE, uniform, word_dice
from sim.reference_sheet import View, allowed_on
from sim.variant import Clock, Times

Stream = tuple[int, int, int, int]  # seed, deal, seat, turn


@dataclass(frozen=True)
class Offer:
    """A chance to rob: whose category, what the thief gains by it over the own entry, and what the rival loses.

    `gains` and `loses` are points and may be negative.
    """

    side: int
    category: int
    gains: int
    loses: int

    @property
    def swing(self) -> int:
        """Returns by how much the thief comes nearer to the rival, in points."""
        return self.gains + self.loses


class Decider(Protocol):
    """Decides for one seat; where several keeps or categories are returned, a fair draw picks one.

    `pace` is asked for with a clock only, `steals` and `forfeits` only where the rules let players steal.
    """

    @property
    def pace(self) -> int:
        """Returns how long throws and entries take, in thousandths of what the clock of the rules says."""
        ...

    def keeps(self, view: View, dice: tuple[int, ...], rolls_left: int) -> Sequence[tuple[int, ...]]:
        """Returns the dice to keep; `rolls_left` counts the throws still allowed after this keep."""
        ...

    def categories(self, view: View, dice: tuple[int, ...]) -> Sequence[int]:
        """Returns the index of the category to fill."""
        ...

    def steals(self, view: View, offer: Offer) -> bool:
        """Tells whether to rob; the view is that of the turn's start."""
        ...

    def forfeits(self, view: View) -> int:
        """Returns the index of the open category to enter a zero in, after having been robbed."""
        ...


@dataclass(frozen=True)
class Throw:
    """One casting of dice: those cast in their order, the sorted roll they make, and what was kept of it.

    `kept` is None where nothing could be thrown any more: after the last throw that is allowed, and when the sand
    has run out.
    """

    cast: tuple[int, ...]
    roll: tuple[int, ...]
    kept: tuple[int, ...] | None


@dataclass(frozen=True)
class Steal:
    """What a turn took from a rival side: its `entry` in `category`, where the thief's dice make `pays`.

    `forfeited` is the category in which `forfeiting_seat` had to enter a zero for the robbed side.
    """

    side: int
    category: int
    entry: int
    pays: int
    forfeited: int
    forfeiting_seat: int


@dataclass(frozen=True)
class Turn:
    """One turn of a game; `totals` are all sides' after it.

    `turn` is the number in the dice's stream, from 0: the round, with a clock the side's own count. `points` are
    what `category` holds by it: on the own sheet, or where the entry of a rival was overwritten, on the rival's.
    `extra` are the points that a joker brought besides. `started` and `ended` are in milliseconds, None without a
    clock; `sand_out` tells that the timer stopped the throws.
    """

    seat: int
    turn: int
    throws: tuple[Throw, ...]
    category: int
    points: int
    totals: tuple[int, ...]
    extra: int = 0
    steal: Steal | None = None
    started: int | None = None
    ended: int | None = None
    sand_out: bool = False


@dataclass
class Stopwatch:
    """Measures one turn in milliseconds: each throw and the entry take as long as chance and the pace say."""

    clock: Clock
    pace: int
    stream: Stream
    elapsed: int = 0
    sand_out: bool = False

    def throw(self, number: int) -> None:
        """Lets a throw's time pass; throws are numbered from 0."""
        self.elapsed += self._duration(self.clock.throw, 1 + number)

    def enter(self) -> None:
        """Lets the entry's time pass."""
        self.elapsed += self._duration(self.clock.entry, 0)

    def stops(self, number: int) -> bool:
        """Tells whether the sand runs out before this throw would end, and if so waits until it has."""
        sand = self.clock.sand
        if sand > 0 and self.elapsed + self._duration(self.clock.throw, 1 + number) > sand:
            self.sand_out = True
            self.elapsed = max(self.elapsed, sand)
        return self.sand_out

    def _duration(self, times: Times, slot: int) -> int:
        drawn = uniform(*self.stream, CLOCK, slot, 2 * times.reach + 1)
        return ((times.mean - times.reach + drawn) * self.pace + 500) // 1000


def take_turn(
    ruleset: CheerioRuleset,
    decider: Decider,
    view: View,
    stream: Stream,
    watch: Stopwatch | None = None,
) -> tuple[tuple[Throw, ...], int]:
    """Throws and decides with this in view; returns the throws and the category chosen."""
    throws: list[Throw] = []
    kept: tuple[int, ...] = ()
    for number in range(ruleset.throws):
        offered = word_dice(uniform(*stream, DICE, number, 7776))
        cast = offered[: 5 - len(kept)]
        roll = tuple(sorted(kept + cast))
        if watch is not None:
            watch.throw(number)
        rolls_left = ruleset.throws - 1 - number
        if rolls_left == 0:
            throws.append(Throw(cast, roll, None))
            break
        options = [_legal_keep(keep, roll) for keep in decider.keeps(view, roll, rolls_left)]
        kept = options[_pick(len(options), stream, number)]
        if len(kept) < 5 and watch is not None and watch.stops(number + 1):
            throws.append(Throw(cast, roll, None))
            break
        throws.append(Throw(cast, roll, kept))
        if len(kept) == 5:
            break
    if watch is not None:
        watch.enter()
    roll = throws[-1].roll
    allowed = allowed_on(ruleset, view.open, roll)
    categories = [
        _legal_category(category, view, roll, allowed) for category in decider.categories(view, roll)
    ]
    return tuple(throws), categories[_pick(len(categories), stream, ruleset.throws - 1)]


def _pick(options: int, stream: Stream, decision: int) -> int:
    if options == 0:
        raise ValueError(
            f"no option given for decision {decision} of turn {stream[3]}; at least one is needed"
        )
    return uniform(*stream, COIN, decision, options) if options > 1 else 0


def _legal_keep(keep: tuple[int, ...], roll: tuple[int, ...]) -> tuple[int, ...]:
    if Counter(keep) - Counter(roll):
        raise ValueError(f"keep {keep} given; only dice of the roll {roll} can be kept")
    return tuple(sorted(keep))


def _legal_category(category: int, view: View, roll: tuple[int, ...], allowed: tuple[int, ...]) -> int:
    if category not in view.open:
        raise ValueError(f"category {category} given; open are {view.open}")
    if category not in allowed:
        raise ValueError(
            f"category {category} given for {roll}; the rules of scratches and jokers allow {allowed}"
        )
    return category


def turn_value(allowed: int, throws: tuple[Throw, ...], category: int) -> int:
    """Returns the number of a turn's decisions: 5 bits for each keep of the throws allowed, then the category."""
    value = category << 20
    for decision in range(allowed - 1):
        mask = (
            31  # stands for every keep that was not asked, or came to nothing, because the throws had ended
        )
        if decision < len(throws):
            mask = _mask(throws[decision])
        value += mask << (5 * decision)
    return value


def mix(before: int, value: int) -> int:
    """Mixes a number into a hash of 32 bits."""
    mixed = (before ^ value) * 0x9E3779B1 % 2**32
    return mixed ^ (mixed >> 15)


def _mask(throw: Throw) -> int:
    if throw.kept is None:
        return 31
    left = list(throw.kept)
    mask = 0
    for position, die in enumerate(throw.roll):
        if die in left:
            left.remove(die)
            mask += 2**position
    return mask
