"""Cheerio in slow, obvious Python, from the rules alone: the oracle that the fast kernel is tested against.

Nothing here is shared with the kernel: the generator, the scoring and the turn are written a second time,
in plain integers, with no tables. Only the ruleset is read. The dice are in sim/reference_dice.py, the scoresheet in
sim/reference_sheet.py, a turn in sim/reference_turn.py, and the order of turns in sim/reference_table.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from sim.cheerio_ruleset import CheerioRuleset
from sim.reference_dice import CLOCK, COIN, DICE, START, TIEBREAK, philox, roll_off, uniform, word_dice
from sim.reference_sheet import (
    Entries,
    View,
    allowed_on,
    bonus_of,
    is_joker,
    pays_on,
    points_of,
    total_of,
    upper_cap,
    upper_subtotal,
    view_of,
)
from sim.reference_table import Table
from sim.reference_turn import Decider, Offer, Steal, Throw, Turn

__all__ = [
    "CLOCK",
    "COIN",
    "DICE",
    "START",
    "TIEBREAK",
    "Decider",
    "Entries",
    "Game",
    "Offer",
    "SeatResult",
    "Steal",
    "Throw",
    "Turn",
    "View",
    "allowed_on",
    "bonus_of",
    "is_joker",
    "pays_on",
    "philox",
    "play_game",
    "points_of",
    "total_of",
    "uniform",
    "upper_cap",
    "upper_subtotal",
    "view_of",
    "word_dice",
]


@dataclass(frozen=True)
class SeatResult:
    """What a game came to for one seat; `credit` is in sixtieths, `bonus` and `entries` in points.

    `position`, `throws`, `decisions`, `turns` and `steals` are the seat's own; all else is of its side, and the same
    for partners. `jokers` counts the five alike that brought extra points, `robbed` how often the side was robbed.
    `milliseconds` is the end of the side's last turn. `entries` are None where a category is empty, and
    `entered_by` holds the seats that made them.
    """

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
    entries: tuple[int | None, ...]
    entered_by: tuple[int | None, ...]
    turns: int
    jokers: int
    steals: int
    robbed: int
    milliseconds: int
    empty: int


@dataclass(frozen=True)
class Game:
    """A whole game: the results by seat, its course, and every die of it.

    `start_dice` holds for each round of the start roll the (seat, die) pairs, `tiebreak_dice` for each round
    of the roll-off the (side, five dice) pairs. `turns` are in the order in which they were begun.
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


def play_game(
    ruleset: CheerioRuleset,
    deciders: Sequence[Decider],
    seed: int,
    deal: int,
    worth: Sequence[int],
    barred: int | None = None,
) -> Game:
    """Plays one game of Cheerio, deciders by seat, and returns all of it.

    `worth` holds each category's usual worth in points, as standings and offers are judged by it; `barred` is a side
    that never steals. Raises ValueError for a number of deciders that the ruleset is not for, and for an illegal
    decision.
    """
    _check_request(ruleset, len(deciders), seed, deal, worth, barred)
    table = Table(ruleset, deciders, seed, deal, worth, barred)
    table.play()
    scores = table.totals()
    tied = [side for side in range(table.sides) if table.sides > 1 and scores[side] == max(scores)]
    rolls_off = ruleset.tiebreak == "roll-off" and len(tied) > 1
    tiebreak_dice = roll_off(seed, deal, tied) if rolls_off else []
    winner = _winner(tied, tiebreak_dice)
    lead_changes, decided_turn, worst_deficit = _course(table.round_totals, winner, len(tied))
    return Game(
        seed=seed,
        deal=deal,
        seats=tuple(_seat_result(table, seat, scores, tied, winner) for seat in range(table.seats)),
        start_rounds=len(table.start_dice),
        start_dice=tuple(table.start_dice),
        tiebreak_rounds=len(tiebreak_dice),
        tiebreak_dice=tuple(tiebreak_dice),
        lead_changes=lead_changes,
        decided_turn=decided_turn,
        worst_deficit=worst_deficit,
        turns=tuple(table.turns),
    )


def _check_request(
    ruleset: CheerioRuleset, count: int, seed: int, deal: int, worth: Sequence[int], barred: int | None
) -> None:
    if count not in ruleset.players:
        raise ValueError(f"{count} deciders given; {ruleset.name} is for {list(ruleset.players)} players")
    if len(worth) != len(ruleset.categories):
        raise ValueError(
            f"{len(worth)} worths given; {ruleset.name} has {len(ruleset.categories)} categories"
        )
    for name, number in (("seed", seed), ("deal", deal)):
        if not 0 <= number < 2**64:
            raise ValueError(f"{name} {number} given; 0 to 2**64 - 1 is allowed")
    sides = ruleset.sides(count)
    if barred is not None and not 0 <= barred < sides:
        raise ValueError(f"barred side {barred} given; there are sides 0 to {sides - 1}")


def _seat_result(
    table: Table, seat: int, scores: list[int], tied: list[int], winner: int | None
) -> SeatResult:
    ruleset = table.ruleset
    side = table.side_of(seat)
    sheet = table.sheets[side]
    own_turns = [turn for turn in table.turns if turn.seat == seat]
    ends = [turn.ended or 0 for turn in table.turns if table.side_of(turn.seat) == side]
    lines = range(len(ruleset.categories))
    return SeatResult(
        position=(seat - table.start) % table.seats,
        score=scores[side],
        place=_place(scores, side, winner),
        won=side == winner,
        credit=_credit(side, tied, winner),
        tied=len(tied) > 1 and side in tied,
        throws=sum(len(turn.throws) for turn in own_turns),
        upper=upper_subtotal(ruleset, sheet.entries),
        bonus=bonus_of(ruleset, sheet.entries),
        decisions=(table.hashes[seat] >> 16) ^ (table.hashes[seat] & 0xFFFF),
        entries=tuple(sheet.entries.get(category) for category in lines),
        entered_by=tuple(sheet.entered_by.get(category) for category in lines),
        turns=len(own_turns),
        jokers=sheet.jokers,
        steals=table.steals[seat],
        robbed=table.robbed[side],
        milliseconds=max(ends, default=0),
        empty=len(ruleset.categories) - len(sheet.entries),
    )


def _winner(tied: list[int], tiebreak_dice: list[tuple[tuple[int, tuple[int, ...]], ...]]) -> int | None:
    if len(tied) == 1:
        return tied[0]
    if not tiebreak_dice:
        return None
    return max(tiebreak_dice[-1], key=lambda rolled: sum(rolled[1]))[0]


def _place(scores: list[int], side: int, winner: int | None) -> int:
    if side == winner:
        return 1
    better = sum(score > scores[side] for score in scores)
    beaten_in_roll_off = winner is not None and scores[side] == scores[winner]
    return better + 1 + beaten_in_roll_off


def _credit(side: int, tied: list[int], winner: int | None) -> int:
    if winner is not None:
        return 60 if side == winner else 0
    return 60 // len(tied) if side in tied else 0


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
