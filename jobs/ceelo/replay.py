"""Plays a game of Cee-lo again by the slow reference, and tells it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from results.ceelo_columns import VARIANT_COLUMNS
from results.store import Match
from sim.ceelo.reference import Game, play_game
from sim.ceelo.replay import replay_lines
from sim.ceelo.results import RESULTS
from sim.ceelo.ruleset import CeeloRuleset
from strategies.deciding import build_bettor
from strategies.lineup import Player

#: Fields of a replayed round that say nothing in a game with a bank, or for a pot.
NOT_AT_BANK, NOT_FOR_POT = ("deciders",), ("banker", "asked", "next_banker")


@dataclass(frozen=True)
class Replayed:
    """A game played again."""

    ruleset: CeeloRuleset
    game: Game

    def values(self, match: Match, seat: int) -> dict[str, Any]:
        """Returns what the game came to for a seat, by name."""
        del match
        return vars(self.game) | vars(self.game.seats[seat])

    def lines(self, labels: Sequence[str]) -> list[str]:
        """Tells the game line by line; `labels` name the strategies by seat."""
        return replay_lines(self.ruleset, labels, self.game)

    def document(self, match: Match, labels: Sequence[str]) -> dict[str, Any]:
        """Returns the game as JSON has it: its seats, and every round with its throws; results by their ids."""
        document = asdict(self.game)
        absent = {column.name for column in VARIANT_COLUMNS if not match.has_column(column.name)}
        for seat, told in enumerate(document["seats"]):
            told["settled"] = [
                {"result": RESULTS[result].id, "chips": chips} for result, chips in told["settled"]
            ]
            told["strategy"] = labels[seat]
            _leave_out(told, absent)
        for told in document["course"]:
            for turn in (*told["turns"], *(turn for decider in told["deciders"] for turn in decider)):
                turn["result"] = RESULTS[turn["result"]].id
            _leave_out(told, NOT_FOR_POT if self.ruleset.bank == "none" else NOT_AT_BANK)
        _leave_out(document, absent)
        return document


def play_again(
    match: Match, ruleset: CeeloRuleset, players: Sequence[Player], seed: int, deal: int
) -> Replayed:
    """Plays one game of a match; `players` by seat."""
    del match
    bettors = {player.label: build_bettor(player, ruleset) for player in players}
    return Replayed(ruleset, play_game(ruleset, [bettors[player.label] for player in players], seed, deal))


def _leave_out(told: dict[str, Any], names: Iterable[str]) -> None:
    for name in names:
        told.pop(name, None)
