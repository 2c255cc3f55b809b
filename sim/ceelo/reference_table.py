"""A table of Cee-lo for the slow reference: its rounds, one after another, for the bank or for a pot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sim.ceelo.ruleset import CeeloRuleset
from sim.reference_dice import DICE, uniform

Dice = tuple[int, ...]
#: Results are numbered from the best, 4-5-6, over triples and points, each from sixes to ones, to the worst, 1-2-3.
BEST, LAST_TRIPLE, WORST = 0, 6, 13
LONGEST_STREAK = 10


@dataclass(frozen=True)
class View:
    """What a bettor sees when it is asked for a stake, as sim/ceelo/views.py describes it."""

    chips: int
    bank: int
    rounds_left: int
    order: int
    rank: int
    lead: int
    last_stake: int
    streak: int


class Decider(Protocol):
    """Decides what a seat stakes."""

    def stake(self, view: View) -> int:
        """Returns the stake of a round, within the ruleset's limits whatever the purse."""


@dataclass(frozen=True)
class Turn:
    """One seat throws its dice until there is a result; `result` counts from 0, the best, to 13."""

    seat: int
    throws: tuple[Dice, ...]
    result: int


@dataclass(frozen=True)
class Round:
    """A whole round; tuples are by seat, but for the turns, which are in the order of throwing.

    `banker` and `next_banker` are None in a game for the pot, `first` is the seat that throws first. `asked` are the
    stakes as they were answered, None where nobody asked, and `staked` what they were cut to; for the pot it holds
    the antes. `net` is what each seat won or lost, `chips` what it then has. `taken_by` is who took the pot, or who
    beat the bank with 4-5-6 and takes it from the next round.
    """

    number: int
    banker: int | None
    first: int
    asked: tuple[int | None, ...]
    staked: tuple[int, ...]
    turns: tuple[Turn, ...]
    deciders: tuple[tuple[Turn, ...], ...]
    net: tuple[int, ...]
    chips: tuple[int, ...]
    taken_by: int | None
    next_banker: int | None


def throw_dice(seed: int, deal: int, seat: int, round_number: int, throw: int) -> Dice:
    """Returns the dice of a seat's throw in a round, deciders numbered on with the rest."""
    pair = uniform(seed, deal, seat, round_number + 256 * (throw // 8), DICE, throw % 8 // 2, 216 * 216)
    number = pair % 216 if throw % 2 else pair // 216
    return number // 36 + 1, number // 6 % 6 + 1, number % 6 + 1


def result_of_dice(dice: Dice) -> int | None:
    """Returns the number of what three dice come to, or None where they have to be thrown again."""
    if set(dice) == {4, 5, 6}:
        return BEST
    if set(dice) == {1, 2, 3}:
        return WORST
    for face in dice:
        if dice.count(face) == 3:
            return 1 + 6 - face
        if dice.count(face) == 2:
            odd = sum(dice) - 2 * face
            return 7 + 6 - odd
    return None


def bet_result(bank: int, player: int | None) -> int:
    """Returns 1 where a bet is won, 0 pushed, -1 lost, given the results; None for a player who didn't throw."""
    if bank <= LAST_TRIPLE:
        return -1
    if bank == WORST:
        return 1
    assert player is not None
    if player <= LAST_TRIPLE:
        return 1
    if player == WORST or player > bank:
        return -1
    return 1 if player < bank else 0


class Table:
    """The seats with their chips, and the rounds that they have played."""

    def __init__(self, ruleset: CeeloRuleset, deciders: Sequence[Decider], seed: int, deal: int) -> None:
        self.ruleset = ruleset
        self.seats = range(len(deciders))
        self.chips = [ruleset.chips for _ in self.seats]
        self.rounds: list[Round] = []
        self._deciders = deciders
        self._seed = seed
        self._deal = deal
        self._holder = 0
        self._last_stakes = [0 for _ in self.seats]
        self._streaks = [0 for _ in self.seats]
        self._thrown = [0 for _ in self.seats]
        self._all_throws = 0

    def play(self) -> None:
        """Plays round after round until the game is over."""
        while not self._is_over():
            before = tuple(self.chips)
            self._thrown = [0 for _ in self.seats]
            played = self._pot_round() if self.ruleset.bank == "none" else self._bank_round()
            self.rounds.append(played)
            self._all_throws += sum(self._thrown)
            assert sum(played.net) == 0
            assert played.chips == tuple(had + won for had, won in zip(before, played.net, strict=True))
            assert sum(self.chips) == len(self.seats) * self.ruleset.chips
            assert min(self.chips) >= 0
            if played.banker is not None:
                assert sum(played.staked) <= before[played.banker]

    def _is_over(self) -> bool:
        if len(self.rounds) == self.ruleset.most_rounds:
            return True
        if self.ruleset.most_throws is not None and self._all_throws >= self.ruleset.most_throws:
            return True
        return sum(self._may_play(seat) for seat in self.seats) < 2

    def _may_play(self, seat: int) -> bool:
        return self.chips[seat] >= (self.ruleset.ante if self.ruleset.bank == "none" else 1)

    def _clockwise(self, start: int) -> list[int]:
        """Lists the seats that may play, from one seat on around the table."""
        around = [(start + step) % len(self.seats) for step in self.seats]
        return [seat for seat in around if self._may_play(seat)]

    def _turn(self, seat: int) -> Turn:
        throws: list[Dice] = []
        while True:
            dice = throw_dice(self._seed, self._deal, seat, len(self.rounds), self._thrown[seat])
            self._thrown[seat] += 1
            throws.append(dice)
            result = result_of_dice(dice)
            if result is not None:
                return Turn(seat, tuple(throws), result)

    def _bank_round(self) -> Round:
        banker = self._holder
        bettors = [seat for seat in self._clockwise(banker + 1) if seat != banker]
        asked = {seat: self._ask(seat) for seat in bettors}
        staked = [0 for _ in self.seats]
        uncovered = self.chips[banker]
        for seat in bettors:
            staked[seat] = min(asked[seat], self.chips[seat], uncovered)
            uncovered -= staked[seat]
        bank = self._turn(banker)
        turns = [bank]
        if LAST_TRIPLE < bank.result < WORST:
            turns += [self._turn(seat) for seat in bettors if staked[seat] > 0]
        results = {turn.seat: turn.result for turn in turns}
        net = [0 for _ in self.seats]
        for seat in bettors:
            if staked[seat] > 0:
                outcome = bet_result(bank.result, results.get(seat))
                net[seat] += outcome * staked[seat]
                net[banker] -= outcome * staked[seat]
                self._note_bet(seat, staked[seat], outcome)
        self.chips = [had + won for had, won in zip(self.chips, net, strict=True)]
        taken_by = None
        if self.ruleset.bank == "pass":
            taken_by = next((turn.seat for turn in turns[1:] if turn.result == BEST), None)
        self._holder = self._next_banker(banker, taken_by)
        return Round(
            number=len(self.rounds),
            banker=banker,
            first=banker,
            asked=tuple(asked.get(seat) for seat in self.seats),
            staked=tuple(staked),
            turns=tuple(turns),
            deciders=(),
            net=tuple(net),
            chips=tuple(self.chips),
            taken_by=taken_by,
            next_banker=self._holder,
        )

    def _ask(self, seat: int) -> int:
        stake = self._deciders[seat].stake(self.view(seat))
        limits = self.ruleset.stake
        if stake not in range(limits.minimum, limits.maximum + 1):
            raise ValueError(
                f"seat {seat} stakes {stake!r} in round {len(self.rounds)}; a whole number from {limits.minimum} "
                f"to {limits.maximum} is allowed"
            )
        return int(stake)

    def view(self, seat: int) -> View:
        """Returns what a bettor sees at the start of the round."""
        others = [self.chips[other] for other in self.seats if other != seat]
        return View(
            chips=self.chips[seat],
            bank=self.chips[self._holder],
            rounds_left=self._rounds_left(),
            order=(seat - self._holder) % len(self.seats),
            rank=1 + sum(chips > self.chips[seat] for chips in others),
            lead=self._lead_step(self.chips[seat] - max(others)),
            last_stake=self._last_stakes[seat],
            streak=self._streaks[seat],
        )

    def _rounds_left(self) -> int:
        left = self.ruleset.most_rounds - len(self.rounds)
        if self.ruleset.most_throws is None:
            return left
        # Two throws make a result on average, and five rounds of six go beyond the banker's.
        throws_left = self.ruleset.most_throws - self._all_throws
        sixths_of_a_round = 2 * 6 + 2 * 5 * (len(self.seats) - 1)
        time_for = -(-6 * throws_left // sixths_of_a_round)
        return min(left, max(1, time_for))

    def _lead_step(self, ahead: int) -> int:
        steps = [0, self.ruleset.chips // 10, self.ruleset.chips // 2]
        size = sum(abs(ahead) > limit for limit in steps)
        return size if ahead > 0 else -size

    def _note_bet(self, seat: int, stake: int, outcome: int) -> None:
        self._last_stakes[seat] = stake
        streak = self._streaks[seat]
        if outcome > 0:
            self._streaks[seat] = min(streak + 1, LONGEST_STREAK) if streak > 0 else 1
        elif outcome < 0:
            self._streaks[seat] = max(streak - 1, -LONGEST_STREAK) if streak < 0 else -1

    def _next_banker(self, banker: int, taken_by: int | None) -> int:
        due = banker if taken_by is None else taken_by
        if self.ruleset.bank == "rotate":
            due = banker + 1
        return self._clockwise(due)[0]

    def _pot_round(self) -> Round:
        payers = self._clockwise(self._holder)
        staked = [self.ruleset.ante if seat in payers else 0 for seat in self.seats]
        turns = self._throw_in_order(payers)
        best = tied_for_best(turns)
        deciders = []
        while len(best) > 1:
            decider = self._throw_in_order(best)
            deciders.append(decider)
            best = tied_for_best(decider)
        net = [-ante for ante in staked]
        net[best[0]] += sum(staked)
        self.chips = [had + won for had, won in zip(self.chips, net, strict=True)]
        # Where nobody but the taker can pay any more the game is over, and nobody is next.
        self._holder = self._clockwise(payers[0] + 1)[0]
        return Round(
            number=len(self.rounds),
            banker=None,
            first=payers[0],
            asked=tuple(None for _ in self.seats),
            staked=tuple(staked),
            turns=turns,
            deciders=tuple(deciders),
            net=tuple(net),
            chips=tuple(self.chips),
            taken_by=best[0],
            next_banker=None,
        )

    def _throw_in_order(self, seats: Sequence[int]) -> tuple[Turn, ...]:
        turns: list[Turn] = []
        for seat in seats:
            turns.append(self._turn(seat))
            if self.ruleset.outright and turns[-1].result == BEST:
                break
        return tuple(turns)


def tied_for_best(turns: Sequence[Turn]) -> list[int]:
    """Lists the seats with the best result, in their order of throwing."""
    best = min(turn.result for turn in turns)
    return [turn.seat for turn in turns if turn.result == best]
