"""What the commands do otherwise for each game: its rules in words, its estimates, its replays. One entry a game."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

if TYPE_CHECKING:
    from jobs.plan import MatchPlan
    from results.store import Match
    from sim.ruleset import Ruleset
    from strategies.lineup import Player


class WordTable(NamedTuple):
    """A table of words: its title, its headings and its rows."""

    title: str
    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


class RulesText(Protocol):
    """Tells the rulesets of a game in plain words."""

    USUAL: str
    """The ruleset that a strategy is tried under where none is named."""
    EXAMPLE: str
    """A lineup to show as an example."""
    VIEWS: dict[str, str]
    """What a strategy may see, and what each view shows."""
    QUESTIONS: tuple[str, ...]
    """What a strategy may be asked beside its decisions, as a check of it counts them."""

    def categories(self, ruleset: Any) -> list[str]:
        """Names the categories of the scoresheet; none where there is no sheet."""

    def parts(self, ruleset: Any) -> dict[str, Any]:
        """Returns what tells a variant from the others in the list of rulesets, as JSON has it."""

    def rules_table(self, ruleset: Any) -> WordTable:
        """Returns what is thrown for as a table."""

    def rules_lines(self, ruleset: Any) -> list[str]:
        """Returns the rules beside the table, a sentence or two a line."""

    def vain_lines(self, ruleset: Any, players: Sequence[Player]) -> Iterator[str]:
        """Yields what a lineup says of players that a ruleset has no use for."""

    def luck_obstacle(self, ruleset: Any) -> str | None:
        """Says why the luck of the dice can't be told from that of others, or returns None where it can."""

    def usual_strategies(self, ruleset: Any) -> tuple[str, ...]:
        """Names strategies that differ in how well they play, to hold a ruleset against where none are named."""

    def untried_lines(self, ruleset: Any, player: Player) -> Iterator[str]:
        """Yields what a check of a player under a ruleset could not try, and what to try it with."""


class Estimates(Protocol):
    """Estimates what the games of a match take."""

    def play_seconds(self, plan: MatchPlan) -> float:
        """Estimates the seconds of one core that its games take, without what is made of their rows."""

    def row_bytes(self, ruleset: Any) -> float:
        """Estimates the bytes of one row on disk."""


class Replayed(Protocol):
    """A game played again by the slow reference."""

    def values(self, match: Match, seat: int) -> dict[str, Any]:
        """Returns what the game came to for a seat, by name: every column of its row, and more."""

    def lines(self, labels: Sequence[str]) -> list[str]:
        """Tells the game line by line; `labels` name the strategies by seat."""

    def document(self, match: Match, labels: Sequence[str]) -> dict[str, Any]:
        """Returns the game as JSON has it: its seats, and all that was thrown."""


class Replays(Protocol):
    """Plays games again, slowly and in the open."""

    def play_again(
        self, match: Match, ruleset: Any, players: Sequence[Player], seed: int, deal: int
    ) -> Replayed:
        """Plays one game of a match; `players` by seat."""


@dataclass(frozen=True)
class Commands:
    """Where a game's parts of the commands are; modules that are imported when they are asked for.

    `rules` is a RulesText, `estimate` an Estimates, `replay` a Replays.
    """

    rules: str
    estimate: str
    replay: str


COMMANDS: dict[str, Commands] = {
    "cheerio": Commands("jobs.cheerio.rules", "jobs.cheerio.estimate", "jobs.cheerio.replay"),
    "ceelo": Commands("jobs.ceelo.rules", "jobs.ceelo.estimate", "jobs.ceelo.replay"),
}


def rules_text_of(game: str) -> RulesText:
    """Returns what tells the rules of a game in words."""
    return cast("RulesText", importlib.import_module(COMMANDS[game].rules))


def estimates_of(game: str) -> Estimates:
    """Returns what estimates the games of a match."""
    return cast("Estimates", importlib.import_module(COMMANDS[game].estimate))


def replays_of(game: str) -> Replays:
    """Returns what plays a game again."""
    return cast("Replays", importlib.import_module(COMMANDS[game].replay))


def other_game_fault(players: Sequence[Player], ruleset: Ruleset) -> str | None:
    """Says which players don't play the game of a ruleset, or returns None where all do."""
    from strategies.lineup import shipped_strategies

    others = list(dict.fromkeys(player.label for player in players if player.game != ruleset.game))
    if not others:
        return None
    games = dict.fromkeys(player.game for player in players if player.game != ruleset.game)
    return (
        f"{', '.join(others)} {'plays' if len(others) == 1 else 'play'} {', '.join(games)}, and {ruleset.name} is a "
        f"ruleset of {ruleset.game}; its strategies are {', '.join(shipped_strategies(ruleset.game))}"
    )
