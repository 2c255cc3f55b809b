"""Answers to the two questions of a steal: whether to take what is offered, and what to give up when robbed.

A lineup may say of a strategy when it steals; one that has a `steal` or a `forfeit` of its own is asked, once for
each situation that play meets.
"""

from __future__ import annotations

from collections.abc import Sequence

from sim.cheerio_ruleset import MOST_CATEGORIES, CheerioRuleset
from sim.lanes import OFFER, STEAL
from sim.views import VIEWS, context_views, view_strides
from strategies.asking import Asker
from strategies.lineup import Player, strategy_of
from strategies.manner import WHEN_IT_PAYS
from strategies.rows import MOST_CONTEXTS
from strategies.strategy import Offer, Sheet, Strategy, StrategyError, answers_question, build_scoresheet

#: An offer's gains and losses, each shifted by OFFER, take this many places, and all that is offered this many.
SWINGS = 2 * OFFER
OFFERS = SWINGS * SWINGS * MOST_CATEGORIES


class AnswerMaker:
    """Asks one player, under one ruleset, the questions of a steal; raises StrategyError where it sees too much."""

    def __init__(self, player: Player, ruleset: CheerioRuleset) -> None:
        self.player = player
        self.ruleset = ruleset
        strategy, manner = strategy_of(player, Strategy, ruleset), player.manner
        self._strategy = strategy
        self._scoresheet = build_scoresheet(ruleset)
        wanted = WHEN_IT_PAYS if manner.steal is None else manner.steal
        # A steal comes once a game: whoever takes the first small one has none left for a big one.
        dearest = int(self._scoresheet.points.max())
        self.threshold = -(-dearest // 2) if wanted == WHEN_IT_PAYS else wanted
        steals = ruleset.steal != "none"
        self.asks_steal = steals and manner.steal is None and answers_question(strategy, "steal")
        self.asks_forfeit = steals and answers_question(strategy, "forfeit")
        self.steal_sees = tuple(view for view in VIEWS if view in strategy.steal_sees)
        self.forfeit_sees = tuple(view for view in VIEWS if view in strategy.forfeit_sees)
        self.steal_strides, steal_views = view_strides(ruleset, self.steal_sees)
        self.forfeit_strides, forfeit_views = view_strides(ruleset, self.forfeit_sees)
        self.steal_size = OFFERS * steal_views if self.asks_steal else 0
        self.forfeit_size = forfeit_views if self.asks_forfeit else 0
        self.asker = Asker(strategy, player.label, ruleset.name)
        for size, declaration in ((self.steal_size, "steal_sees"), (self.forfeit_size, "forfeit_sees")):
            if size >= MOST_CONTEXTS:
                raise StrategyError(
                    f"strategy {player.label}: sees too much at once for {ruleset.name}: "
                    f"{declaration} = {getattr(strategy, declaration)}; leave some of it out"
                )

    def make(self, kind: int, contexts: Sequence[int], again: Sequence[int] = ()) -> list[int]:
        """Asks about some contexts: of STEAL, 1 to steal and 0 not to; of FORFEIT, the category's index.

        Those at the places `again` are asked about a second time, the last first. Raises StrategyError for the first
        that fails.
        """
        with self.asker.limited():
            answers = [self._answer(kind, context) for context in contexts]
            for place in reversed(again):
                if self._answer(kind, contexts[place]) != answers[place]:
                    raise self._two_answers(kind, contexts[place])
            return answers

    def _two_answers(self, kind: int, context: int) -> StrategyError:
        sheet = self.offer(context)[1] if kind == STEAL else self.robbed(context)
        known = "the offer and the sheet" if kind == STEAL else "the sheet"
        return self.asker.two_answers(sheet, f"its answers may depend on {known} alone", self.asker.question)

    def asked_words(self, kind: int, context: int) -> str:
        """Describes a question, for messages."""
        if kind == STEAL:
            offer, sheet = self.offer(context)
            return f"steal({offer}, sheet), where the sheet shows {sheet.words()},"
        return f"forfeit(sheet), where the sheet shows {self.robbed(context).words()},"

    def offer(self, context: int) -> tuple[Offer, Sheet]:
        """Returns the offer that a context of STEAL holds, and the sheet that it shows."""
        views, offered = divmod(context, OFFERS)
        category, points = divmod(offered, SWINGS * SWINGS)
        loses, gains = divmod(points, SWINGS)
        shown = context_views(self.ruleset, self.steal_sees, views)
        sheet = Sheet(self._scoresheet, self._strategy.steal_sees, shown, "steal_sees")
        return Offer(sheet.categories[category], gains - OFFER, loses - OFFER), sheet

    def robbed(self, context: int) -> Sheet:
        """Returns the sheet that a context of FORFEIT shows."""
        shown = context_views(self.ruleset, self.forfeit_sees, context)
        return Sheet(self._scoresheet, self._strategy.forfeit_sees, shown, "forfeit_sees")

    def _answer(self, kind: int, context: int) -> int:
        if kind == STEAL:
            return int(self.asker.steal(*self.offer(context)))
        return self.asker.forfeit(self.robbed(context))


def offer_context(category: int, gains: int, loses: int, views: int) -> int:
    """Returns the context of an offer, as the kernel makes it of what the thief sees."""
    return gains + OFFER + SWINGS * (loses + OFFER + SWINGS * (category + MOST_CATEGORIES * views))
