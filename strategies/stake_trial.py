"""What a check asks of a bettor: its stakes over a sample of what play can meet."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from sim.ceelo.ruleset import CeeloRuleset
from sim.ceelo.views import SHIFTS, view_sizes
from strategies.lineup import Player
from strategies.samples import MOST_ASKED
from strategies.stakes import StakeMaker, possible_tables
from strategies.trial import Digest

#: Tables that are drawn for a sample; those that play can't meet are left out.
DRAWN = 20 * MOST_ASKED
#: The bytes of a stake that is found by its place, and of one that is found by hashing.
DIRECT_BYTES, HASHED_BYTES = 2, 24


class StakeTrial:
    """Tries a player with tables to stake at; there are none where nobody is asked."""

    kinds: ClassVar[tuple[str, ...]] = ("asked",)
    advice: ClassVar[str] = (
        "a stake may depend on nothing but the table: not on chance, time, the order of a set, "
        "the other tables of a plan, or what was asked before"
    )

    def __init__(self, player: Player, ruleset: CeeloRuleset) -> None:
        self._maker = StakeMaker(player, ruleset)

    @property
    def whole(self) -> bool:
        """Tells whether the player is asked for everything before the first game."""
        return self._maker.whole

    @property
    def contexts(self) -> int:
        """Counts the tables that the player may tell apart."""
        return self._maker.whole_contexts().size if self.whole else self._maker.size

    @property
    def table_bytes(self) -> int:
        """Returns the bytes that the stakes of all of them take up."""
        return self._maker.size * (DIRECT_BYTES if self._maker.direct else HASHED_BYTES)

    @property
    def decisions_per_context(self) -> int:
        """Counts the decisions at one table."""
        return self._maker.decisions_per_row

    @property
    def asked(self) -> int:
        """Counts the tables that the player has been asked about."""
        return self._maker.asker.asked

    def sample(self) -> tuple[list[int]]:
        """Returns contexts to ask about: all where few, else some that play can meet."""
        return (sample_stakes(self._maker),)

    def ask(self, kind: int, contexts: Sequence[int]) -> list[int]:
        """Asks for the stakes of some contexts."""
        del kind
        stakes: list[int] = self._maker.make(np.array(contexts, np.uint64)).tolist()
        return stakes

    def ask_backwards(self, kind: int, contexts: Sequence[int]) -> list[int]:
        """Asks for them in the opposite order, each alone, so that a plan that looks at others falls out of step."""
        return [self.ask(kind, [context])[0] for context in contexts[::-1]][::-1]

    def difference(self, kind: int, context: int, own: int, other: int | None) -> str:
        """Says in words that a stake differs from another."""
        del kind, own, other
        table = self._maker.table(context)
        return f"{self._maker.asker.question} returns another stake, where the table shows {table.words()}"

    @staticmethod
    def digest(answer: int) -> Digest:
        """Returns a stake as it is."""
        return answer


def sample_stakes(maker: StakeMaker) -> list[int]:
    """Returns contexts that play can meet: all where few, else some with each view often at its ends or nought."""
    if maker.whole:
        contexts: list[int] = maker.whole_contexts().tolist()
        if len(contexts) <= MOST_ASKED:
            return contexts
    draw = random.Random(maker.ruleset.digest)
    views = {view: np.array(_drawn(draw, view, maker.ruleset)) for view in maker.sees}
    possible = maker.contexts(views)[possible_tables(maker.ruleset, views)]
    return list(dict.fromkeys(possible.tolist()))[:MOST_ASKED]


def _drawn(draw: random.Random, view: str, ruleset: CeeloRuleset) -> list[int]:
    """Draws values of a view: its least, its most, the nearest to nought, or any; each is possible by itself."""
    all_values = np.arange(view_sizes(ruleset)[view]) - SHIFTS.get(view, 0)
    values: list[int] = all_values[possible_tables(ruleset, {view: all_values})].tolist()
    ends = (values[0], values[-1], min(values, key=abs))
    return [draw.choice((*ends, *draw.choices(values, k=3))) for _ in range(DRAWN)]
