"""Asks a strategy directly, decision by decision, as the slow reference and a replay need it."""

from __future__ import annotations

from sim import reference
from sim.ceelo.reference_table import Decider as StakeDecider
from sim.ceelo.reference_table import View as TableView
from sim.ceelo.ruleset import CeeloRuleset
from sim.cheerio_ruleset import CheerioRuleset
from sim.dice import ROLL_INDEX, masked_dice
from sim.reference import Decider, View
from sim.views import VIEWS, open_mask
from sim.worth import build_worth
from strategies.answers import AnswerMaker
from strategies.asking import Asker
from strategies.bettor import Table
from strategies.lineup import Player, strategy_of
from strategies.plans import Options, plan_options
from strategies.stakes import StakeMaker
from strategies.strategy import Dice, Offer, Plan, Sheet, Strategy, build_scoresheet, is_planned


def build_decider(player: Player, ruleset: CheerioRuleset) -> Decider:
    """Builds what decides for a player in sim.reference; raises StrategyError where a decision fails."""
    return _Deciding(player, ruleset)


def build_bettor(player: Player, ruleset: CeeloRuleset) -> StakeDecider:
    """Builds what stakes for a player in sim.ceelo.reference; raises StrategyError where a stake fails."""
    return _Staking(player, ruleset)


class _Staking:
    """Shows a bettor what it declares of each view."""

    def __init__(self, player: Player, ruleset: CeeloRuleset) -> None:
        self._maker = StakeMaker(player, ruleset)

    def stake(self, view: TableView) -> int:
        """Returns the stake at a table, within the limits and not yet cut to any purse."""
        maker = self._maker
        shown: dict[str, int] = {name: getattr(view, name) for name in maker.sees}
        with maker.asker.limited():
            return maker.asker.stake(Table(maker.ruleset, maker.bettor.sees, shown))


class _Deciding:
    """Shows a strategy what it declares of each view, and turns its answers into dice and indices."""

    def __init__(self, player: Player, ruleset: CheerioRuleset) -> None:
        self._scoresheet = build_scoresheet(ruleset)
        self._strategy = strategy_of(player, Strategy, ruleset)
        self._sees = self._strategy.sees_under(ruleset)
        self._asker = Asker(self._strategy, player.label, ruleset.name)
        self._answers = AnswerMaker(player, ruleset)
        self._worth = build_worth(ruleset).tolist()
        self._planned = is_planned(self._strategy)
        self._plans: dict[tuple[int, ...], Plan] = {}
        self.pace = player.manner.pace

    def keeps(self, view: View, dice: Dice, rolls_left: int) -> tuple[Dice, ...]:
        """Returns the equally likely keeps, each as sorted dice."""
        roll = ROLL_INDEX[dice]
        if self._planned:
            throw = self._scoresheet.ruleset.throws - 1 - rolls_left
            plan = self._plan(view)
            masks = plan_options(plan.keeps[throw, roll], plan.keep_options)
        else:
            with self._asker.limited():
                masks = self._asker.keep(self._sheet(view), roll, rolls_left)
        return tuple(masked_dice(roll, mask) for mask in masks)

    def categories(self, view: View, dice: Dice) -> Options:
        """Returns the indices of the equally likely categories."""
        roll = ROLL_INDEX[dice]
        if self._planned:
            plan = self._plan(view)
            return plan_options(plan.choices[roll], plan.choice_options)
        with self._asker.limited():
            return self._asker.choose(self._sheet(view), roll)

    def steals(self, view: View, offer: reference.Offer) -> bool:
        """Tells whether it steals what it is offered: as it answers, or as its manner has it."""
        if not self._answers.asks_steal:
            return offer.gains + offer.loses >= self._answers.threshold
        category = self._scoresheet.categories[offer.category]
        sees = self._strategy.steal_sees
        sheet = Sheet(self._scoresheet, sees, shown_views(view, sees), "steal_sees")
        with self._asker.limited():
            return self._asker.steal(Offer(category, offer.gains, offer.loses), sheet)

    def forfeits(self, view: View) -> int:
        """Returns the index of the category that it gives up: as it answers, or the one usually worth least."""
        if not self._answers.asks_forfeit:
            return min(view.open, key=lambda category: self._worth[category])
        sees = self._strategy.forfeit_sees
        sheet = Sheet(self._scoresheet, sees, shown_views(view, sees), "forfeit_sees")
        with self._asker.limited():
            return self._asker.forfeit(sheet)

    def _plan(self, view: View) -> Plan:
        shown = tuple(shown_views(view, self._sees).values())
        if shown not in self._plans:
            with self._asker.limited():
                self._plans[shown] = self._asker.turn(self._sheet(view))
        return self._plans[shown]

    def _sheet(self, view: View) -> Sheet:
        return Sheet(self._scoresheet, self._sees, shown_views(view, self._sees))


def shown_views(view: View, sees: tuple[str, ...]) -> dict[str, int]:
    """Returns the number of each view that a strategy declares, open categories as masks."""
    numbers = {
        "open": open_mask(view.open),
        "upper": view.upper,
        "pace": view.pace,
        "turns_left": view.turns_left,
        "standing": view.standing,
        "difference": view.difference,
        "rival_open": open_mask(view.rival_open),
        "rival_upper": view.rival_upper,
        "joker": int(view.joker),
    }
    return {name: numbers[name] for name in VIEWS if name in sees}
