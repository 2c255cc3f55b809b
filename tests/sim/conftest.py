"""What tests of the slow reference share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sim.reference_dice import DICE, uniform

SetRolls = Callable[[dict[tuple[int, int], str]], None]


@pytest.fixture
def set_rolls(monkeypatch: pytest.MonkeyPatch) -> SetRolls:
    """Lets a test say which five dice fall in every throw of a seat's turn; the clock runs as always."""

    def use(rolls: dict[tuple[int, int], str]) -> None:
        def scripted(seed: int, deal: int, seat: int, turn: int, purpose: int, slot: int, below: int) -> int:
            if purpose != DICE:
                return uniform(seed, deal, seat, turn, purpose, slot, below)
            return int("".join(str(int(die) - 1) for die in rolls[seat, turn]), 6)

        monkeypatch.setattr("sim.reference_turn.uniform", scripted)

    return use
