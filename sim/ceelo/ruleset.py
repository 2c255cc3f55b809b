"""The rulesets of Cee-lo: chips and stakes, who holds the bank, and when a game ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from sim.category import Rules
from sim.ceelo.odds import exact_odds
from sim.ceelo.results import RESULTS
from sim.ruleset import Line, Ruleset, load_ruleset, of_game, validate_ruleset

#: The chips of a whole table stay below 2**15, which scores are stored in.
MOST_CHIPS = 5000
#: Rounds of a game at most, also of one on a clock.
MOST_ROUNDS = 250

Chips = Annotated[int, Field(ge=1, le=MOST_CHIPS)]


class Limits(Rules):
    """The least and the most that may be staked in a round; a smaller purse stakes all it has."""

    minimum: Chips = 1
    maximum: Chips = 20


class CeeloRuleset(Ruleset):
    """The whole rules of one variant of Cee-lo.

    Without a bank (`"none"`) all throw for a pot of equal antes. `minutes` take the place of `rounds`: none begins once
    the throws so far, each of `throw_seconds`, have lasted that long.
    """

    game: Literal["ceelo"] = "ceelo"
    chips: Chips = 100
    rounds: Annotated[int, Field(ge=1, le=MOST_ROUNDS)] = 50
    minutes: Annotated[int, Field(ge=1, le=600)] | None = None
    throw_seconds: Annotated[float, Field(ge=0.1, le=600)] = 4.0
    bank: Literal["none", "pass", "rotate", "fixed"] = "pass"
    stake: Limits = Limits()
    ante: Chips = 1
    outright: bool = False

    @model_validator(mode="after")
    def _parts_go_together(self) -> Self:
        faults = list(self._faults())
        if faults:
            raise ValueError("\n".join(faults))
        return self

    def _faults(self) -> Iterator[str]:
        if self.players[0] < 2:
            yield "players: 1 given; Cee-lo is played against others, so at least 2 are needed"
        if self.stake.minimum > self.stake.maximum:
            yield (
                f"stake: minimum {self.stake.minimum} given with maximum {self.stake.maximum}; "
                "the maximum may not be less"
            )
        if self.bank == "none" and self.ante > self.chips:
            yield (
                f"ante: {self.ante} given with {self.chips} chips; nobody could pay it. Lower the ante or give more "
                "chips"
            )

    @property
    def most_rounds(self) -> int:
        """Counts the rounds of a game at most."""
        return self.rounds if self.minutes is None else MOST_ROUNDS

    @property
    def most_throws(self) -> int | None:
        """Counts the throws after which no round begins, or None where there is no clock."""
        if self.minutes is None:
            return None
        return -(-60_000 * self.minutes // round(1000 * self.throw_seconds))

    @property
    def lines(self) -> tuple[Line, ...]:
        """Names the results of the dice, the best first."""
        return tuple(Line(result.id, result.name) for result in RESULTS)

    def labels(self, seats: int) -> dict[str, Any]:
        """Returns what a run's manifest says of a table under these rules, for readers that know no rules."""
        return {"turns": self.most_rounds, "tiebreak": "shared", "exact": exact_odds(self, seats)}

    def stated(self) -> dict[str, Any]:
        """Returns the rules as JSON has them, of bank, pot and clock those that are in play."""
        rules = self.model_dump(mode="json")
        idle = {*self.idle_keys(rules), *(["minutes"] if self.minutes is None else [])}
        return {key: rule for key, rule in rules.items() if key not in idle}

    @classmethod
    def idle_keys(cls, rules: dict[str, Any]) -> dict[str, str]:
        """Says of each key that counts for nothing beside the other rules why; a file may inherit such a key."""
        bank = rules.get("bank", cls.model_fields["bank"].default)
        if bank == "none":
            idle = {"stake": 'with bank = "none" all pay the ante, and nobody stakes'}
        else:
            only = f'with bank = "{bank}" there is no pot; it goes with bank = "none" only'
            idle = {"ante": only, "outright": only}
        if rules.get("minutes") is None:
            return idle | {"throw_seconds": "without minutes no clock runs; it goes with minutes only"}
        return idle | {"rounds": "with minutes the game ends by the clock"}

    @classmethod
    def allowed_keys(cls, location: list[str]) -> list[str]:
        """Names the keys that a table of a file may have, given its place as a list of keys."""
        return list(Limits.model_fields) if location else [*cls.model_fields, "extends"]


def load_ceelo(name: str) -> CeeloRuleset:
    """Loads a ruleset as load_ruleset does; RulesetError where it is one of another game."""
    return of_game(CeeloRuleset, load_ruleset(name), name)


def validate_ceelo(rules: dict[str, Any], place: str) -> CeeloRuleset:
    """Builds a ruleset from plain rules as validate_ruleset does; RulesetError where it is one of another game."""
    return of_game(CeeloRuleset, validate_ruleset(rules, place), place)
