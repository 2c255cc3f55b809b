"""Cheerio in slow, obvious Python, from the rules alone: the oracle that the fast kernel is tested against.

Nothing here is shared with the kernel: the generator, the scoring and the turn are written a second time,
in plain integers, with no tables. Only the Ruleset is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, combinations_with_replacement, pairwise
from typing import Protocol

from sim.ruleset import Pattern, Ruleset

DICE, START, TIEBREAK, COIN = range(4)
DIFFERENCE_LIMIT = 400

Entries = dict[int, int]  # category index -> points, for the filled lines of one sheet


@dataclass(frozen=True)
class View:
    """Holds all that a strategy may be shown at the start of a turn.

    `open` and `rival_open` are category indices in sheet order; `upper` and `rival_upper` are capped
    subtotals; `pace` and `standing` are steps from -2 to 2; `difference` is in points, within 400.
    """

    open: tuple[int, ...]
    upper: int
    pace: int
    turns_left: int
    standing: int
    difference: int
    rival_open: tuple[int, ...]
    rival_upper: int


class Decider(Protocol):
    """Decides for one seat; where several options are returned, a fair draw picks one."""

    def keeps(self, view: View, dice: tuple[int, ...], rolls_left: int) -> Sequence[tuple[int, ...]]:
        """Returns the dice to keep; `rolls_left` counts the throws still allowed after this keep."""
        ...

    def categories(self, view: View, dice: tuple[int, ...]) -> Sequence[int]:
        """Returns the index of the category to fill."""
        ...


@dataclass(frozen=True)
class Throw:
    """One casting of dice: those cast in their order, the sorted roll they make, and what was kept of it.

    `kept` is None where no decision was asked, after the last throw that is allowed.
    """

    cast: tuple[int, ...]
    roll: tuple[int, ...]
    kept: tuple[int, ...] | None


@dataclass(frozen=True)
class Turn:
    """One turn of a game; `turn` counts the seat's own turns from 0, `totals` are all seats' after it."""

    seat: int
    turn: int
    throws: tuple[Throw, ...]
    category: int
    points: int
    totals: tuple[int, ...]


@dataclass(frozen=True)
class SeatResult:
    """What a game came to for one seat; `credit` is in sixtieths, `bonus` and `entries` in points."""

    position: int
    score: int
    place: int
    won: bool
    credit: int
    tied: bool
    throws: int
    upper: int
    bonus: int
    decisions: int
    entries: tuple[int, ...]


@dataclass(frozen=True)
class Game:
    """A whole game: the results by seat, its course, and every die of it.

    `start_dice` holds for each round of the start roll the (seat, die) pairs, `tiebreak_dice` for each round
    of the roll-off the (seat, five dice) pairs.
    """

    seed: int
    deal: int
    seats: tuple[SeatResult, ...]
    start_rounds: int
    start_dice: tuple[tuple[tuple[int, int], ...], ...]
    tiebreak_rounds: int
    tiebreak_dice: tuple[tuple[tuple[int, tuple[int, ...]], ...], ...]
    lead_changes: int
    decided_turn: int
    worst_deficit: int
    turns: tuple[Turn, ...]


def philox(counter: tuple[int, int, int, int], key: tuple[int, int]) -> tuple[int, int, int, int]:
    """Returns the four 32-bit words of Philox4x32-10 (Salmon, Moraes, Dror and Shaw, SC 2011)."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        high_0, low_0 = divmod(0xD2511F53 * c0, 2**32)
        high_1, low_1 = divmod(0xCD9E8D57 * c2, 2**32)
        c0, c1, c2, c3 = high_1 ^ c1 ^ k0, low_1, high_0 ^ c3 ^ k1, low_0
        k0, k1 = (k0 + 0x9E3779B9) % 2**32, (k1 + 0xBB67AE85) % 2**32
    return c0, c1, c2, c3


def uniform(seed: int, deal: int, seat: int, turn: int, purpose: int, slot: int, below: int) -> int:
    """Draws uniformly from [0, below), as sim/streams.py describes the streams."""
    block = slot // 4
    while True:
        counter = (deal % 2**32, deal // 2**32, purpose * 2**24 + seat * 2**16 + turn, block)
        word = philox(counter, (seed % 2**32, seed // 2**32))[slot % 4]
        number, rest = divmod(word * below, 2**32)
        if rest >= 2**32 % below:
            return number
        block += 2


def word_dice(word: int) -> tuple[int, ...]:
    """Returns the five dice of a number in [0, 7776): its base-6 digits, most significant first, plus one."""
    dice: list[int] = []
    for _ in range(5):
        word, digit = divmod(word, 6)
        dice.insert(0, digit + 1)
    return tuple(dice)


def matched_choices(pattern: Pattern, dice: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Lists the choices of dice, each sorted, that are what the pattern asks for."""
    if pattern.face is not None:
        of_that_face = tuple(die for die in dice if die == pattern.face)
        return [of_that_face] if of_that_face else []
    choices = [choice for size in range(1, 6) for choice in combinations(sorted(dice), size)]
    if pattern.alike is not None:
        return [choice for choice in choices if len(choice) == pattern.alike and len(set(choice)) == 1]
    if pattern.groups is not None:
        # The choice is made of distinct faces with exactly these counts.
        matched = [c for c in choices if sorted(Counter(c).values()) == sorted(pattern.groups)]
        if pattern.five_alike and len(set(dice)) == 1:
            matched.append(dice[: sum(pattern.groups)])
        return matched
    if pattern.faces is not None:
        return [choice for choice in choices if list(choice) == sorted(pattern.faces)]
    if pattern.run is not None:
        return [
            c for c in choices if len(c) == pattern.run and list(c) == list(range(c[0], c[0] + pattern.run))
        ]
    return [tuple(dice)]


@cache
def points_of(ruleset: Ruleset, category: int, dice: tuple[int, ...]) -> int:
    """Returns what the category of that index pays; of several choices of dice the best counts."""
    rule = list(ruleset.categories.values())[category]
    choices = matched_choices(rule.pattern, dice)
    if not choices:
        return 0
    if rule.pays.plus == "all dice":
        return rule.pays.points + sum(dice)
    if rule.pays.plus == "matched dice":
        return rule.pays.points + max(sum(choice) for choice in choices)
    return rule.pays.points


def upper_subtotal(ruleset: Ruleset, entries: Entries) -> int:
    """Sums the entries that count towards the bonus."""
    rules = list(ruleset.categories.values())
    return sum(points for category, points in entries.items() if rules[category].upper)


def bonus_of(ruleset: Ruleset, entries: Entries) -> int:
    """Returns the bonus points that a sheet has earned."""
    return ruleset.bonus.points if upper_subtotal(ruleset, entries) >= ruleset.bonus.threshold else 0


def total_of(ruleset: Ruleset, entries: Entries) -> int:
    """Returns a sheet's running total, with the bonus from the moment it is earned."""
    return sum(entries.values()) + bonus_of(ruleset, entries)


@cache
def upper_cap(ruleset: Ruleset) -> int:
    """Returns the upper subtotal beyond which no strategy is shown a difference."""
    if ruleset.bonus.points > 0:
        return ruleset.bonus.threshold
    rolls = list(combinations_with_replacement(range(1, 7), 5))
    rules = list(ruleset.categories.values())
    return sum(
        max(points_of(ruleset, category, roll) for roll in rolls)
        for category in range(len(rules))
        if rules[category].upper
    )


def view_of(ruleset: Ruleset, sheets: Sequence[Entries], seat: int, worth: Sequence[int]) -> View:
    """Returns what the seat sees as its turn starts; `worth` is each category's usual worth in points."""
    own = sheets[seat]
    cap = upper_cap(ruleset)
    standing, difference, rival_upper = 0, 0, 0
    rival_open: tuple[int, ...] = ()
    # Clockwise from the seat, so that max() finds the first of several equals.
    rivals = [(seat + step) % len(sheets) for step in range(1, len(sheets))]
    if rivals:
        adjusted = [
            total_of(ruleset, sheet) + sum(worth[category] for category in _open(ruleset, sheet))
            for sheet in sheets
        ]
        best = max(rivals, key=lambda rival: adjusted[rival])
        standing = _standing(adjusted[seat] - adjusted[best])
        difference = total_of(ruleset, own) - max(total_of(ruleset, sheets[rival]) for rival in rivals)
        difference = max(-DIFFERENCE_LIMIT, min(DIFFERENCE_LIMIT, difference))
        rival_open = _open(ruleset, sheets[best])
        rival_upper = min(upper_subtotal(ruleset, sheets[best]), cap)
    return View(
        open=_open(ruleset, own),
        upper=min(upper_subtotal(ruleset, own), cap),
        pace=_pace(ruleset, own),
        turns_left=len(_open(ruleset, own)),
        standing=standing,
        difference=difference,
        rival_open=rival_open,
        rival_upper=rival_upper,
    )


def _open(ruleset: Ruleset, entries: Entries) -> tuple[int, ...]:
    return tuple(category for category in range(len(ruleset.categories)) if category not in entries)


def _pace(ruleset: Ruleset, entries: Entries) -> int:
    ahead = 0
    for category, rule in enumerate(ruleset.categories.values()):
        if category in entries and rule.upper and rule.pattern.face is not None:
            ahead += entries[category] - 3 * rule.pattern.face
    if ahead <= -6:
        return -2
    if ahead <= -1:
        return -1
    if ahead == 0:
        return 0
    return 1 if ahead <= 5 else 2


def _standing(ahead: int) -> int:
    if ahead <= -25:
        return -2
    if ahead <= -8:
        return -1
    if ahead < 8:
        return 0
    return 1 if ahead < 25 else 2


def play_game(
    ruleset: Ruleset, deciders: Sequence[Decider], seed: int, deal: int, worth: Sequence[int]
) -> Game:
    """Plays one game of Cheerio and returns all of it.

    `deciders` are by seat, `worth` by category (for `standing` alone). Raises ValueError on an illegal
    decision, and where a number does not suit the ruleset.
    """
    count = len(deciders)
    _check_request(ruleset, count, seed, deal, worth)
    start_dice = _roll_for_start(seed, deal, count) if ruleset.start == "highest-die" and count > 1 else []
    starter = max(start_dice[-1], key=lambda rolled: rolled[1])[0] if start_dice else 0
    sheets: list[Entries] = [{} for _ in range(count)]
    turns: list[Turn] = []
    round_totals: list[list[int]] = []
    hashes = [0] * count
    for turn in range(len(ruleset.categories)):
        for position in range(count):
            seat = (starter + position) % count
            view = view_of(ruleset, sheets, seat, worth)
            throws, category = _play_turn(ruleset, deciders[seat], view, (seed, deal, seat, turn))
            sheets[seat][category] = points_of(ruleset, category, throws[-1].roll)
            hashes[seat] = _hash_turn(hashes[seat], ruleset.throws, throws, category)
            totals = tuple(total_of(ruleset, sheet) for sheet in sheets)
            turns.append(Turn(seat, turn, throws, category, sheets[seat][category], totals))
        round_totals.append([total_of(ruleset, sheet) for sheet in sheets])
    scores = round_totals[-1]
    tied = [seat for seat in range(count) if count > 1 and scores[seat] == max(scores)]
    rolls_off = ruleset.tiebreak == "roll-off" and len(tied) > 1
    tiebreak_dice = _roll_off(seed, deal, tied) if rolls_off else []
    winner = _winner(tied, tiebreak_dice)
    lead_changes, decided_turn, worst_deficit = _course(round_totals, winner, len(tied))
    return Game(
        seed=seed,
        deal=deal,
        seats=tuple(
            SeatResult(
                position=(seat - starter) % count,
                score=scores[seat],
                place=_place(scores, seat, winner),
                won=seat == winner,
                credit=_credit(seat, tied, winner),
                tied=len(tied) > 1 and seat in tied,
                throws=sum(len(turn.throws) for turn in turns if turn.seat == seat),
                upper=upper_subtotal(ruleset, sheets[seat]),
                bonus=bonus_of(ruleset, sheets[seat]),
                decisions=(hashes[seat] >> 16) ^ (hashes[seat] & 0xFFFF),
                entries=tuple(sheets[seat][category] for category in range(len(ruleset.categories))),
            )
            for seat in range(count)
        ),
        start_rounds=len(start_dice),
        start_dice=tuple(start_dice),
        tiebreak_rounds=len(tiebreak_dice),
        tiebreak_dice=tuple(tiebreak_dice),
        lead_changes=lead_changes,
        decided_turn=decided_turn,
        worst_deficit=worst_deficit,
        turns=tuple(turns),
    )


def _check_request(ruleset: Ruleset, count: int, seed: int, deal: int, worth: Sequence[int]) -> None:
    if count not in ruleset.players:
        raise ValueError(f"{count} deciders given; {ruleset.name} is for {list(ruleset.players)} players")
    if len(worth) != len(ruleset.categories):
        raise ValueError(
            f"{len(worth)} worths given; {ruleset.name} has {len(ruleset.categories)} categories"
        )
    for name, number in (("seed", seed), ("deal", deal)):
        if not 0 <= number < 2**64:
            raise ValueError(f"{name} {number} given; 0 to 2**64 - 1 is allowed")


def _roll_for_start(seed: int, deal: int, count: int) -> list[tuple[tuple[int, int], ...]]:
    rounds: list[tuple[tuple[int, int], ...]] = []
    rolling = list(range(count))
    while len(rolling) > 1:
        rolled = tuple((seat, uniform(seed, deal, seat, len(rounds), START, 0, 6) + 1) for seat in rolling)
        rounds.append(rolled)
        highest = max(die for _, die in rolled)
        rolling = [seat for seat, die in rolled if die == highest]
    return rounds


def _roll_off(seed: int, deal: int, tied: list[int]) -> list[tuple[tuple[int, tuple[int, ...]], ...]]:
    rounds: list[tuple[tuple[int, tuple[int, ...]], ...]] = []
    rolling = tied
    while len(rolling) > 1:
        rolled = tuple(
            (seat, word_dice(uniform(seed, deal, seat, len(rounds), TIEBREAK, 0, 7776))) for seat in rolling
        )
        rounds.append(rolled)
        highest = max(sum(dice) for _, dice in rolled)
        rolling = [seat for seat, dice in rolled if sum(dice) == highest]
    return rounds


def _play_turn(
    ruleset: Ruleset, decider: Decider, view: View, stream: tuple[int, int, int, int]
) -> tuple[tuple[Throw, ...], int]:
    throws: list[Throw] = []
    kept: tuple[int, ...] = ()
    for throw in range(ruleset.throws):
        offered = word_dice(uniform(*stream, DICE, throw, 7776))
        cast = offered[: 5 - len(kept)]
        roll = tuple(sorted(kept + cast))
        rolls_left = ruleset.throws - 1 - throw
        if rolls_left == 0:
            throws.append(Throw(cast, roll, None))
            break
        options = [_legal_keep(keep, roll) for keep in decider.keeps(view, roll, rolls_left)]
        kept = options[_pick(len(options), stream, throw)]
        throws.append(Throw(cast, roll, kept))
        if len(kept) == 5:
            break
    roll = throws[-1].roll
    categories = [
        _legal_category(ruleset, category, view, roll) for category in decider.categories(view, roll)
    ]
    return tuple(throws), categories[_pick(len(categories), stream, ruleset.throws - 1)]


def _pick(options: int, stream: tuple[int, int, int, int], decision: int) -> int:
    if options == 0:
        raise ValueError(
            f"no option given for decision {decision} of turn {stream[3]}; at least one is needed"
        )
    return uniform(*stream, COIN, decision, options) if options > 1 else 0


def _legal_keep(keep: tuple[int, ...], roll: tuple[int, ...]) -> tuple[int, ...]:
    if Counter(keep) - Counter(roll):
        raise ValueError(f"keep {keep} given; only dice of the roll {roll} can be kept")
    return tuple(sorted(keep))


def _legal_category(ruleset: Ruleset, category: int, view: View, roll: tuple[int, ...]) -> int:
    if category not in view.open:
        raise ValueError(f"category {category} given; open are {view.open}")
    paying = [choice for choice in view.open if points_of(ruleset, choice, roll) > 0]
    if ruleset.scratch == "forced" and paying and category not in paying:
        raise ValueError(
            f"category {category} pays nothing for {roll}; one that pays must be taken: {paying}"
        )
    return category


def _hash_turn(before: int, allowed: int, throws: tuple[Throw, ...], category: int) -> int:
    value = category << 20
    for decision in range(allowed - 1):
        mask = 31  # stands for every keep that was not asked because the turn had ended
        if decision < len(throws):
            mask = _mask(throws[decision])
        value += mask << (5 * decision)
    mixed = (before ^ value) * 0x9E3779B1 % 2**32
    return mixed ^ (mixed >> 15)


def _mask(throw: Throw) -> int:
    left = list(throw.kept or ())
    mask = 0
    for position, die in enumerate(throw.roll):
        if die in left:
            left.remove(die)
            mask += 2**position
    return mask


def _winner(tied: list[int], tiebreak_dice: list[tuple[tuple[int, tuple[int, ...]], ...]]) -> int | None:
    if len(tied) == 1:
        return tied[0]
    if not tiebreak_dice:
        return None
    return max(tiebreak_dice[-1], key=lambda rolled: sum(rolled[1]))[0]


def _place(scores: list[int], seat: int, winner: int | None) -> int:
    if seat == winner:
        return 1
    better = sum(score > scores[seat] for score in scores)
    beaten_in_roll_off = winner is not None and scores[seat] == scores[winner]
    return better + 1 + beaten_in_roll_off


def _credit(seat: int, tied: list[int], winner: int | None) -> int:
    if winner is not None:
        return 60 if seat == winner else 0
    return 60 // len(tied) if seat in tied else 0


def _course(round_totals: list[list[int]], winner: int | None, sharing_top: int) -> tuple[int, int, int]:
    if len(round_totals[0]) == 1:
        return 0, 0, 0
    leaders = [
        totals.index(max(totals)) if totals.count(max(totals)) == 1 else None for totals in round_totals
    ]
    sole = [leader for leader in leaders if leader is not None]
    lead_changes = sum(before != after for before, after in pairwise(sole))
    decided_turn = len(leaders) + 1
    if winner is not None and sharing_top == 1:
        decided_turn = next(
            turn for turn in range(1, len(leaders) + 1) if all(who == winner for who in leaders[turn - 1 :])
        )
    worst_deficit = 0
    if winner is not None:
        worst_deficit = max(max(totals) - totals[winner] for totals in round_totals)
    return lead_changes, decided_turn, worst_deficit
