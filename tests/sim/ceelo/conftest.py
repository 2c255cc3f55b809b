"""What tests of the slow reference of Cee-lo share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from sim.ceelo.reference import Game, Round, Turn, View, play_game
from sim.ceelo.ruleset import CeeloRuleset, validate_ceelo

#: What a seat answers: always the same, or one after another.
Stakes = int | Sequence[int]


def bank(rounds: int, **rules: Any) -> CeeloRuleset:
    """A small ruleset with a bank, passing as usual."""
    base = {"name": "small", "title": "Small", "game": "ceelo", "players": [2, 3, 4, 5, 6], "chips": 10}
    return validate_ceelo(base | {"rounds": rounds} | rules, "small")


def pot(rounds: int, **rules: Any) -> CeeloRuleset:
    """A small ruleset for a pot."""
    return bank(rounds, **({"bank": "none", "ante": 2} | rules))


def columns(game: Game, *names: str) -> list[tuple[Any, ...]]:
    """What a game came to by seat."""
    return [tuple(getattr(seat, name) for name in names) for seat in game.seats]


@dataclass
class Staking:
    """Answers with what it was given, and writes down what it was shown."""

    stakes: Stakes
    views: list[View] = field(default_factory=list)

    def stake(self, view: View) -> int:
        self.views.append(view)
        return self.stakes if isinstance(self.stakes, int) else self.stakes[len(self.views) - 1]


PlayOut = Callable[[CeeloRuleset, Sequence[Stakes | Staking], Sequence[str]], Game]


def told(played: Round) -> str:
    """The throws of a round in a line: "0:235/442 1:456 2:446", deciders after a bar."""
    return " | ".join(" ".join(map(_told_turn, turns)) for turns in (played.turns, *played.deciders))


def _told_turn(turn: Turn) -> str:
    return f"{turn.seat}:{'/'.join(''.join(map(str, dice)) for dice in turn.throws)}"


def _throws_of(line: str, seat: int) -> list[str]:
    turns = [turn for turn in line.replace("|", " ").split() if turn.startswith(f"{seat}:")]
    return [dice for turn in turns for dice in turn[2:].split("/")]


@pytest.fixture
def play_out(monkeypatch: pytest.MonkeyPatch) -> PlayOut:
    """Plays a game whose throws are written out, and fails where others are asked for or some are left."""

    def play(ruleset: CeeloRuleset, stakes: Sequence[Stakes | Staking], rounds: Sequence[str]) -> Game:
        def throw_dice(seed: int, deal: int, seat: int, round_number: int, throw: int) -> tuple[int, ...]:
            return tuple(map(int, _throws_of(rounds[round_number], seat)[throw]))

        monkeypatch.setattr("sim.ceelo.reference_table.throw_dice", throw_dice)
        deciders = [stake if isinstance(stake, Staking) else Staking(stake) for stake in stakes]
        game = play_game(ruleset, deciders, 0, 0)
        assert [told(played) for played in game.course] == list(rounds)
        return game

    return play
