"""Cee-lo in slow, obvious Python, from the rules alone: the oracle that the fast kernel is tested against.

Nothing here is shared with the kernel: what a throw comes to, the bets and the bank are written a second time, in
plain integers. Only the ruleset is read. The rounds are in sim/ceelo/reference_table.py; here they are added up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sim.ceelo.reference_table import (
    BEST,
    LAST_TRIPLE,
    WORST,
    Decider,
    Dice,
    Round,
    Table,
    Turn,
    View,
    bet_result,
    result_of_dice,
    throw_dice,
    tied_for_best,
)
from sim.ceelo.ruleset import CeeloRuleset

__all__ = [
    "BEST",
    "LAST_TRIPLE",
    "WORST",
    "Decider",
    "Dice",
    "Game",
    "Round",
    "SeatResult",
    "Turn",
    "View",
    "bet_result",
    "play_game",
    "result_of_dice",
    "throw_dice",
    "tied_for_best",
]


@dataclass(frozen=True)
class SeatResult:
    """What a game came to for one seat; `credit` is in sixtieths, all amounts are in chips.

    `throws` counts castings of three dice and `results` what they came to, deciders too. `staked`, `bets`, `bets_won`
    and `pushes` are the seat's as a bettor, for the pot its antes; `covered` to `bank_passes` are its as bank.
    `survived` counts the rounds at whose end it could go on. `decisions` is the hash of its stakes. `settled` holds
    for each round that was settled by a result of the seat that result and the chips won or lost in the round.
    """

    score: int
    place: int
    won: bool
    credit: int
    tied: bool
    throws: int
    decisions: int
    results: int
    staked: int
    bets: int
    bets_won: int
    survived: int
    pushes: int
    covered: int
    bank_net: int
    bank_rounds: int
    instant_wins: int
    instant_losses: int
    bank_passes: int
    settled: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Game:
    """A whole game: the results by seat, its course, and every die of it.

    `tied_2` to `tied_6` count the deciders between so many seats, `decided_1` to `decided_4` the rounds that the
    first, second, third, fourth or later decider settled.
    """

    seed: int
    deal: int
    seats: tuple[SeatResult, ...]
    rounds: int
    lead_changes: int
    decided_turn: int
    worst_deficit: int
    tied_2: int
    tied_3: int
    tied_4: int
    tied_5: int
    tied_6: int
    decided_1: int
    decided_2: int
    decided_3: int
    decided_4: int
    course: tuple[Round, ...]


def play_game(ruleset: CeeloRuleset, deciders: Sequence[Decider], seed: int, deal: int) -> Game:
    """Plays one game of Cee-lo, deciders by seat, and returns all of it; for the pot they are not asked.

    Raises ValueError for a number of deciders that the ruleset is not for, and for an illegal stake.
    """
    if len(deciders) not in ruleset.players:
        raise ValueError(
            f"{len(deciders)} deciders given; {ruleset.name} is for {list(ruleset.players)} players"
        )
    for name, number in (("seed", seed), ("deal", deal)):
        if not 0 <= number < 2**64:
            raise ValueError(f"{name} {number} given; 0 to 2**64 - 1 is allowed")
    table = Table(ruleset, deciders, seed, deal)
    table.play()
    course = tuple(table.rounds)
    lead_changes, decided_turn, worst_deficit = _lead_course([played.chips for played in course])
    # Outright, not all of those tied may come to throw in a decider; it is one of so many all the same.
    sizes = [
        len(tied_for_best(turns)) for played in course for turns in (played.turns, *played.deciders)[:-1]
    ]
    repetitions = [min(len(played.deciders), 4) for played in course]
    return Game(
        seed=seed,
        deal=deal,
        seats=tuple(_seat_result(ruleset, course, seat) for seat in table.seats),
        rounds=len(course),
        lead_changes=lead_changes,
        decided_turn=decided_turn,
        worst_deficit=worst_deficit,
        tied_2=sizes.count(2),
        tied_3=sizes.count(3),
        tied_4=sizes.count(4),
        tied_5=sizes.count(5),
        tied_6=sizes.count(6),
        decided_1=repetitions.count(1),
        decided_2=repetitions.count(2),
        decided_3=repetitions.count(3),
        decided_4=repetitions.count(4),
        course=course,
    )


def _seat_result(ruleset: CeeloRuleset, course: Sequence[Round], seat: int) -> SeatResult:
    scores = course[-1].chips
    top = [other for other, score in enumerate(scores) if score == max(scores)]
    turns = [turn for played in course for turn in _turns_of(played, seat)]
    bets = [played for played in course if played.staked[seat] > 0]
    banked = [played for played in course if played.banker == seat]
    least = ruleset.ante if ruleset.bank == "none" else 1
    return SeatResult(
        score=scores[seat],
        place=1 + sum(score > scores[seat] for score in scores),
        won=top == [seat],
        credit=60 // len(top) if seat in top else 0,
        tied=seat in top and len(top) > 1,
        throws=sum(len(turn.throws) for turn in turns),
        decisions=0 if ruleset.bank == "none" else _hash_of([played.staked[seat] for played in bets]),
        results=len(turns),
        staked=sum(played.staked[seat] for played in bets),
        bets=len(bets),
        bets_won=sum(played.net[seat] > 0 for played in bets),
        survived=sum(played.chips[seat] >= least for played in course),
        pushes=sum(played.net[seat] == 0 for played in bets),
        covered=sum(sum(played.staked) for played in banked),
        bank_net=sum(played.net[seat] for played in banked),
        bank_rounds=len(banked),
        instant_wins=sum(played.turns[0].result <= LAST_TRIPLE for played in banked),
        instant_losses=sum(played.turns[0].result == WORST for played in banked),
        bank_passes=sum(played.banker is not None and played.taken_by == seat for played in course),
        settled=tuple(
            (turn.result, played.net[seat]) for played in course for turn in played.turns if turn.seat == seat
        ),
    )


def _turns_of(played: Round, seat: int) -> Iterator[Turn]:
    for turns in (played.turns, *played.deciders):
        yield from (turn for turn in turns if turn.seat == seat)


def _hash_of(stakes: Sequence[int]) -> int:
    """Hashes the stakes of a seat into 16 bits."""
    mixed = 0
    for stake in stakes:
        mixed = (mixed ^ stake) * 0x9E3779B1 % 2**32
        mixed ^= mixed >> 15
    return (mixed >> 16) ^ (mixed & 0xFFFF)


def _lead_course(chips_by_round: Sequence[tuple[int, ...]]) -> tuple[int, int, int]:
    """Returns the lead changes, the round after which the winner leads for good, and the winner's worst deficit."""
    leaders = [chips.index(max(chips)) if chips.count(max(chips)) == 1 else None for chips in chips_by_round]
    sole = [leader for leader in leaders if leader is not None]
    lead_changes = sum(before != after for before, after in pairwise(sole))
    winner = leaders[-1]
    if winner is None:
        return lead_changes, len(leaders) + 1, 0
    decided_turn = len(leaders)
    while decided_turn > 1 and leaders[decided_turn - 2] == winner:
        decided_turn -= 1
    return lead_changes, decided_turn, max(max(chips) - chips[winner] for chips in chips_by_round)
