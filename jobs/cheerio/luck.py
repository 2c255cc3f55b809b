"""The luck of a game that is played again by the slow reference, decision by decision."""

from __future__ import annotations

from collections.abc import Sequence

from sim.cheerio_ruleset import CheerioRuleset
from sim.dice import KEEP_INDEX, ROLL_INDEX
from sim.reference import Decider, Game, Offer, View, play_game
from sim.views import open_mask
from strategies.lineup import Player
from strategies.luck import Yardstick, build_yardsticks, luck_units
from strategies.rows import RowMaker


class Noting:
    """Decides as another does, and notes in `lost` what that gives away, in units of luck."""

    def __init__(self, decider: Decider, yardstick: Yardstick, throws: int) -> None:
        self._decider = decider
        self._yardstick = yardstick
        self._throws = throws
        self.lost = 0

    @property
    def pace(self) -> int:
        """Returns the pace of the other."""
        return self._decider.pace

    def keeps(self, view: View, dice: tuple[int, ...], rolls_left: int) -> Sequence[tuple[int, ...]]:
        """Returns the dice to keep, and notes what that gives away."""
        options = self._decider.keeps(view, dice, rolls_left)
        values = self._yardstick.turn_values(open_mask(view.open), view.upper, int(view.joker))
        throw = self._throws - 1 - rolls_left
        best = float(values.rolled[throw, ROLL_INDEX[dice]])
        self._note([best - float(values.kept[throw, KEEP_INDEX[tuple(sorted(keep))]]) for keep in options])
        return options

    def categories(self, view: View, dice: tuple[int, ...]) -> Sequence[int]:
        """Returns the category to fill, and notes what that gives away."""
        options = self._decider.categories(view, dice)
        values = self._yardstick.turn_values(open_mask(view.open), view.upper, int(view.joker))
        roll = ROLL_INDEX[dice]
        best = float(values.rolled[-1, roll])
        self._note([best - float(values.worths[category, roll]) for category in options])
        return options

    def steals(self, view: View, offer: Offer) -> bool:
        """Tells whether the other would rob."""
        return self._decider.steals(view, offer)

    def forfeits(self, view: View) -> int:
        """Returns what the other would give up."""
        return self._decider.forfeits(view)

    def _note(self, losses: Sequence[float]) -> None:
        self.lost += luck_units(sum(losses) / len(losses))


def play_with_luck(
    ruleset: CheerioRuleset,
    players: Sequence[Player],
    deciders: Sequence[Decider],
    seed: int,
    deal: int,
    worth: Sequence[int],
) -> tuple[Game, tuple[int, ...]]:
    """Plays a game, players and deciders by seat; returns it and the luck of each side, in thousandths of a point."""
    sees = {player.label: RowMaker(player, ruleset).sees for player in players}
    yardsticks = build_yardsticks(ruleset, sees)
    noting = [
        Noting(decider, yardsticks[player.label], ruleset.throws)
        for player, decider in zip(players, deciders, strict=True)
    ]
    game = play_game(ruleset, noting, seed, deal, worth)
    sides = ruleset.sides(len(players))
    extra = ruleset.joker.points if ruleset.joker is not None else 0
    luck = []
    for side in range(sides):
        result = game.seats[side]
        points = sum(entry or 0 for entry in result.entries) + extra * result.jokers
        lost = sum(seat.lost for seat in noting[side::sides])
        luck.append(yardsticks[players[side].label].luck(points, result.bonus, result.jokers, lost))
    return game, tuple(luck)
