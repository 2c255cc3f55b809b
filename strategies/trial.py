"""What a check asks of a strategy: the protocol that each game fulfils in a module of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

from strategies.lineup import Player

#: What stands for an answer where it is compared with that of another process.
Digest = str | int


class Trial(Protocol):
    """The questions that one player is tried with under one ruleset, of one kind or more.

    The first kind is what all strategies are asked; `kinds` names for each the field of a StrategyCheck that counts
    those asked. `advice` says what answers may depend on.
    """

    kinds: ClassVar[tuple[str, ...]]
    advice: ClassVar[str]

    def __init__(self, player: Player, ruleset: Any) -> None: ...

    @property
    def whole(self) -> bool:
        """Tells whether the player is asked for everything before the first game."""

    @property
    def contexts(self) -> int:
        """Counts the situations of the first kind that the player may tell apart."""

    @property
    def table_bytes(self) -> int:
        """Returns the bytes that a table of all of them takes up."""

    @property
    def decisions_per_context(self) -> int:
        """Counts the decisions that an answer of the first kind is made of."""

    @property
    def asked(self) -> int:
        """Counts the situations that the player has been asked about, one that failed included."""

    def sample(self) -> Sequence[Sequence[int]]:
        """Returns contexts to ask about, by kind; they are always the same."""

    def ask(self, kind: int, contexts: Sequence[int]) -> list[Any]:
        """Asks about some contexts; raises StrategyError for the first that fails."""

    def ask_backwards(self, kind: int, contexts: Sequence[int]) -> list[Any]:
        """Asks in another order, and returns the answers in that of the contexts; raises StrategyError."""

    def difference(self, kind: int, context: int, own: Any, other: Any) -> str:
        """Says in words how an answer differs from another; None stands for one that is known by its digest alone."""

    @staticmethod
    def digest(answer: Any) -> Digest:
        """Identifies an answer."""
