"""Samples of what play can meet, over which a strategy is checked."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from sim.cheerio_ruleset import CheerioRuleset
from sim.dice import ROLLS
from sim.reference import Entries, View, view_of
from sim.views import views_context
from sim.worth import build_worth
from strategies.answers import AnswerMaker, offer_context
from strategies.deciding import shown_views
from strategies.lineup import Player
from strategies.rows import RowMaker
from strategies.strategy import build_scoresheet

#: The most contexts of a kind that a check asks about.
MOST_ASKED = 200

#: How the sheets of a sample are filled: from the points that each roll pays, with none, the most, or any.
Filling = Callable[[Sequence[int], random.Random], int]
FILLINGS: tuple[Filling, ...] = (
    lambda _points, _draw: 0,
    lambda points, _draw: max(points),
    lambda points, draw: draw.choice(points),
)


def sample_contexts(player: Player, ruleset: CheerioRuleset) -> list[int]:
    """Returns contexts that play can meet: all where few, else some of every round and of every extreme."""
    maker = RowMaker(player, ruleset)
    if maker.whole and ruleset.turns < MOST_ASKED.bit_length():
        return [int(context) for context in maker.whole_contexts()]
    views = _sample_views(ruleset)
    return _some([views_context(ruleset, maker.sees, shown_views(view, maker.sees)) for view in views])


def sample_offers(maker: AnswerMaker) -> list[int]:
    """Returns contexts of offers that play can make, each of another roll; none where nobody is asked."""
    if not maker.asks_steal:
        return []
    ruleset, sees = maker.ruleset, maker.steal_sees
    points = build_scoresheet(ruleset).points
    draw = random.Random(ruleset.digest)
    offers = []
    for view in _sample_views(ruleset):
        views = views_context(ruleset, sees, shown_views(view, sees))
        takes = ruleset.steal == "take"
        category = draw.choice(view.open if takes else range(ruleset.turns))
        roll = draw.randrange(len(ROLLS))
        pays, instead = int(points[category, roll]), int(points[draw.choice(view.open), roll])
        entry = draw.choice(points[category].tolist())
        gains, loses = (pays - instead, entry) if takes else (-instead, entry - pays)
        offers.append(offer_context(category, gains, loses, views))
    return _some(offers)


def sample_forfeits(maker: AnswerMaker) -> list[int]:
    """Returns contexts in which a robbed side gives something up; none where nobody is asked."""
    if not maker.asks_forfeit:
        return []
    ruleset, sees = maker.ruleset, maker.forfeit_sees
    return _some([views_context(ruleset, sees, shown_views(view, sees)) for view in _sample_views(ruleset)])


def _some(contexts: list[int]) -> list[int]:
    """Returns the distinct ones, evenly thinned out where they are too many."""
    distinct = list(dict.fromkeys(contexts))
    return distinct[:: -(-len(distinct) // MOST_ASKED)]


def _sample_views(ruleset: CheerioRuleset) -> Iterator[View]:
    """Yields views of sheets filled with zeros, with the most points, or with what chance brings."""
    draw = random.Random(ruleset.digest)
    worth = build_worth(ruleset).tolist()
    points = build_scoresheet(ruleset).points
    seats = min(max(ruleset.players), 3)
    for filled in range(ruleset.turns):
        for own in FILLINGS:
            for rivals in FILLINGS:
                # A rival may have had its turn of this round or not.
                others = [_sheet(ruleset, filled + draw.randrange(2), rivals, draw) for _ in range(seats - 1)]
                yield view_of(ruleset, [_sheet(ruleset, filled, own, draw), *others], 0, worth)
        # The filled categories from either end of the sheet.
        order = range(ruleset.turns)
        for categories in (order[:filled], order[ruleset.turns - filled :]):
            sheet = {category: FILLINGS[-1](points[category].tolist(), draw) for category in categories}
            yield view_of(ruleset, [sheet] * seats, 0, worth)


def _sheet(ruleset: CheerioRuleset, filled: int, filling: Filling, draw: random.Random) -> Entries:
    points = build_scoresheet(ruleset).points
    return {
        category: filling(points[category].tolist(), draw)
        for category in draw.sample(range(ruleset.turns), filled)
    }
