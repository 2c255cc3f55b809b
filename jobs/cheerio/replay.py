"""Plays a game of Cheerio again by the slow reference, and tells it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from jobs.cheerio.luck import play_with_luck
from results.schema import VARIANT_COLUMNS
from results.store import Match
from sim.cheerio_ruleset import CheerioRuleset
from sim.luck import THOUSAND
from sim.reference import Game, play_game
from sim.replay import build_names, replay_lines
from sim.worth import build_worth
from strategies.deciding import build_decider
from strategies.lineup import Player

#: The part that brings the column of luck; it changes no rules, as the others do.
LUCK = "luck"
#: Fields of a replayed turn that say nothing but under rules with these parts.
TURN_PARTS = {"extra": "joker", "steal": "steal", "started": "clock", "ended": "clock", "sand_out": "clock"}


@dataclass(frozen=True)
class Replayed:
    """A game played again.

    `without` are, by side and where steals are in play, the games in which it never steals. `luck` is by side where it
    is kept, in thousandths of a point.
    """

    ruleset: CheerioRuleset
    game: Game
    without: tuple[Game, ...] = ()
    luck: tuple[int, ...] = ()

    def values(self, match: Match, seat: int) -> dict[str, Any]:
        """Returns what the game came to for a seat, by name."""
        own = vars(self.game.seats[seat])
        return vars(self.game) | own | self._values_without(match, seat) | self._luck_of(match, seat)

    def lines(self, labels: Sequence[str]) -> list[str]:
        """Tells the game line by line; `labels` name the strategies by seat."""
        lines = replay_lines(self.ruleset, labels, self.game)
        if self.luck:
            sides = build_names(labels, len(self.luck)).sides
            told = (f"{name} {luck / THOUSAND:+.3f}" for name, luck in zip(sides, self.luck, strict=True))
            lines.append(f"Luck of the dice, in points: {', '.join(told)}")
        return lines

    def document(self, match: Match, labels: Sequence[str]) -> dict[str, Any]:
        """Returns the game as JSON has it: its seats, and every turn with its throws.

        What variants add is there where it is in play.
        """
        document = asdict(self.game)
        for seat, told in enumerate(document["seats"]):
            self._name_entries(match, seat, told, labels[seat])
        for turn in document["turns"]:
            self._name_categories(match, turn)
        return document

    def _values_without(self, match: Match, seat: int) -> dict[str, int]:
        """Returns what the side of a seat comes to where it never steals, by column."""
        if not self.without:
            return {}
        own = match.sides[seat]
        seats = self.without[own].seats
        best = max(other.score for other, side in zip(seats, match.sides, strict=True) if side != own)
        return {"margin_without": seats[seat].score - best, "credit_without": seats[seat].credit}

    def _luck_of(self, match: Match, seat: int) -> dict[str, int]:
        return {"luck": self.luck[match.sides[seat]]} if self.luck else {}

    def _name_entries(self, match: Match, seat: int, told: dict[str, Any], label: str) -> None:
        categories = list(self.ruleset.categories)
        columns = {column.name for column in match.columns}
        added = {column.name for column in VARIANT_COLUMNS if column.parts != (LUCK,)}
        told["strategy"] = label
        told["entries"] = dict(zip(categories, told["entries"], strict=True))
        entered_by = dict(zip(categories, told.pop("entered_by"), strict=True))
        for name in added - columns:
            told.pop(name, None)
        told |= self._values_without(match, seat) | self._luck_of(match, seat)
        told |= {"side": match.sides[seat], "entered_by": entered_by} if added & columns else {}

    def _name_categories(self, match: Match, turn: dict[str, Any]) -> None:
        categories = list(self.ruleset.categories)
        turn["category"] = categories[turn["category"]]
        for field, part in TURN_PARTS.items():
            if part not in match.ruleset.rules:
                del turn[field]
        if turn.get("steal"):
            turn["steal"] |= {key: categories[turn["steal"][key]] for key in ("category", "forfeited")}


def play_again(
    match: Match, ruleset: CheerioRuleset, players: Sequence[Player], seed: int, deal: int
) -> Replayed:
    """Plays one game of a match; `players` by seat."""
    deciders = {player.label: build_decider(player, ruleset) for player in players}
    seated = [deciders[player.label] for player in players]
    worth = build_worth(ruleset).tolist()
    if match.luck:
        game, luck = play_with_luck(ruleset, players, seated, seed, deal, worth)
        return Replayed(ruleset, game, luck=luck)
    barred = range(match.side_count) if ruleset.steal != "none" else ()
    return Replayed(
        ruleset,
        play_game(ruleset, seated, seed, deal, worth),
        tuple(play_game(ruleset, seated, seed, deal, worth, barred=side) for side in barred),
    )
