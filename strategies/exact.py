"""Exact evaluation: the whole law of a strategy's score, without playing a game.

All sheets that a strategy can come to are followed turn by turn, each with the chance of every total. What a
strategy decides must hang on its own sheet alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sim.cheerio_ruleset import CheerioRuleset
from sim.numbering import write_contexts
from sim.ruleset import Ruleset
from sim.views import PACE_FAR, SHIFTS, STEPS, WATCHING, upper_cap, view_sizes
from strategies.again import Again
from strategies.following import (
    Numbers,
    Played,
    bound_scores,
    fill_entries,
    list_steps,
    pass_on,
    played_by,
)
from strategies.lineup import Player
from strategies.outcome import ScoreLaw
from strategies.regret import Regret, RegretSums
from strategies.rows import Pool, RowMaker, Rows, make_rows
from strategies.sheet import StrategyError, build_scoresheet
from strategies.solving import Reals, build_lines
from strategies.valuation import build_kinds, build_layers, layers_of

#: Sheets whose turns are followed at a time.
BATCH = 4096
#: Hears how many of the sheet's turns are followed, of how many.
Told = Callable[[int, int], None]


@dataclass(frozen=True)
class CategoryLaw:
    """What a category comes to: the mean of what is entered, a joker's extra points aside, and how often it is 0."""

    id: str
    mean: float
    zero_rate: float


@dataclass(frozen=True)
class Evaluation:
    """A strategy's game, exactly: means are per game, `situations` counts the sheets that it can come to.

    `bonus_rate` is None where the ruleset has no bonus; `jokers_mean` where it has no joker.
    """

    label: str
    scores: ScoreLaw
    bonus_rate: float | None
    jokers_mean: float | None
    throws_mean: float
    categories: tuple[CategoryLaw, ...]
    situations: int
    regret: Regret | None


def why_not_exact(player: Player, ruleset: Ruleset) -> str | None:
    """Says why a player's score has no exact law under a ruleset, or returns None where it has."""
    if not isinstance(ruleset, CheerioRuleset):
        return f"{ruleset.name} is a ruleset of {ruleset.game}, and scoresheets alone are evaluated exactly"
    if player.game != ruleset.game:
        return f"{player.label} plays {player.game}, and {ruleset.name} is a ruleset of {ruleset.game}"
    if ruleset.steal != "none":
        return f"{ruleset.name} has steals, by which a sheet depends on the others"
    if ruleset.clock is not None:
        return f"{ruleset.name} is played against the clock, which ends a sheet when another's is full"
    watched = [view for view in RowMaker(player, ruleset).sees if view in WATCHING]
    if watched:
        depends = "depends" if len(watched) == 1 else "depend"
        return f"{player.label} sees {', '.join(watched)}, which {depends} on the rival's dice"
    return None


def evaluate(
    player: Player,
    ruleset: CheerioRuleset,
    regret: bool = False,
    whole: Rows | None = None,
    told: Told | None = None,
) -> Evaluation:
    """Evaluates a player exactly; with `regret` also what its decisions give away.

    `whole` brings the rows of a player whose table is filled already. Raises StrategyError where there is no exact law,
    and for a decision that fails.
    """
    fault = why_not_exact(player, ruleset)
    if fault:
        raise StrategyError(f"{fault}; it can be simulated")
    course = _Course(player, ruleset, regret, whole)
    for turn in range(ruleset.turns):
        if told:
            told(turn, ruleset.turns)
        course.follow(turn)
    return course.evaluation()


@dataclass
class _Sheets:
    """The sheets of one turn, and of each the chances of all totals, law[begins[s]:begins[s + 1]] from low[s] on."""

    opened: Numbers
    upper: Numbers
    held: Numbers
    low: Numbers
    begins: Numbers
    law: Reals

    @property
    def chances(self) -> Reals:
        """Returns the chance that each sheet is come to."""
        return np.add.reduceat(self.law, self.begins[:-1])


class _Decided:
    """The rows of a player: made for the contexts that are asked for, unless all are there already."""

    def __init__(self, maker: RowMaker, whole: Rows | None) -> None:
        self._maker = maker
        self._again = Again(maker.player.label, turns=True)
        if whole is None and maker.whole:
            whole = make_rows(maker.player, maker.ruleset, maker.whole_contexts())
        self._whole = whole
        if whole is not None:
            order = np.argsort(whole.contexts)
            self._sorted, self._order = whole.contexts[order], order

    def played(self, contexts: npt.NDArray[np.uint64]) -> Played:
        """Returns by which decisions sheets with these contexts are played."""
        distinct, row_of = np.unique(contexts, return_inverse=True)
        if self._whole is not None:
            found = self._order[np.searchsorted(self._sorted, distinct)]
            rows, pool = self._whole.rows[found], self._whole.pool
        else:
            options = Pool()
            again = self._again.places(distinct.size)
            rows = self._maker.rows(distinct, options if self._maker.mixes else None, again)
            pool = options.array()
        return played_by(rows, self._maker.ruleset.throws, pool, row_of.reshape(-1).astype(np.int64))


class _Course:
    """A player's game as it is followed from turn to turn."""

    def __init__(self, player: Player, ruleset: CheerioRuleset, regret: bool, whole: Rows | None) -> None:
        self._label = player.label
        self._ruleset = ruleset
        self._maker = RowMaker(player, ruleset)
        self._decided = _Decided(self._maker, whole)
        self._layers = build_layers(build_scoresheet(ruleset))
        # Without a bonus the subtotal counts for nothing but what is seen of it.
        paced = "pace" in self._maker.sees
        tracked = bool(ruleset.bonus.points) or paced or "upper" in self._maker.sees
        self._kinds, _ = build_kinds(self._layers, tracked)
        kinds = self._kinds
        self._category_of = np.zeros(kinds.gains.size, np.int64)
        for layer, category in np.ndindex(kinds.least.shape):
            first = kinds.least[layer, category]
            self._category_of[first : first + kinds.sizes[layer, category]] = category
        most = sum(int(kinds.steps[self._category_of == category].max()) for category in range(ruleset.turns))
        self._subtotals = (most if paced else upper_cap(ruleset)) + 1 if tracked else 1
        # A held joker brings its extra points beside what is entered.
        self._extras = np.zeros(kinds.gains.size)
        self._zeros = np.zeros(kinds.gains.size)
        for (layer, category, roll), kind in np.ndenumerate(kinds.of):
            self._extras[kind] = self._layers.extra[layer, roll]
            self._zeros[kind] = self._layers.points[layer, category, roll] == 0
        self._sums = np.zeros((3, ruleset.turns))
        self._throws = self._jokers = 0.0
        self._situations = 0
        self._regret = RegretSums(ruleset) if regret else None
        nothing = np.zeros(1, np.int64)
        self._sheets = _Sheets(
            np.array([(1 << ruleset.turns) - 1]), nothing, nothing, nothing, np.array([0, 1]), np.ones(1)
        )

    def follow(self, turn: int) -> None:
        """Follows one turn of all sheets that are come to."""
        sheets = self._sheets
        weights = sheets.chances
        size = (self._ruleset.joker is not None) + 1, 1 << self._ruleset.turns, self._subtotals
        place_of = np.full(size, -1, np.int32)
        found = taken = 0
        first, last = np.zeros_like(sheets.opened), np.zeros_like(sheets.opened)
        steps: list[tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], Reals]] = []
        self._situations += sheets.opened.size
        for batch, played in self._batches(sheets):
            opened, upper, held = sheets.opened[batch], sheets.upper[batch], sheets.held[batch]
            chances, made = self._entries(played, opened, held)
            self._count(chances, made, weights[batch])
            if self._regret is not None:
                self._regret.add(turn, played, (opened, upper, held), weights[batch])
            ends = np.zeros_like(opened)
            own = _empty_steps(int(np.count_nonzero(chances)))
            found = list_steps(
                self._kinds, self._category_of, chances, opened, upper, held, place_of, found, ends, *own
            )
            first[batch], last[batch] = taken + np.concatenate([[0], ends[:-1]]), taken + ends
            taken += int(ends[-1])
            steps.append(own)
        place, gain, chance = (np.concatenate(parts) for parts in zip(*steps, strict=True))
        self._sheets = _passed_on(sheets, place_of, found, first, last, place, gain, chance)

    def evaluation(self) -> Evaluation:
        """Returns what has been found, once all turns are followed."""
        sheets, bonus = self._sheets, self._ruleset.bonus
        reached = np.where((sheets.upper >= bonus.threshold) & (bonus.points > 0), bonus.points, 0)
        low = int(sheets.low.min())
        sizes = np.diff(sheets.begins)
        scores = np.zeros(int((sheets.low + sizes + reached).max()) - low)
        for sheet in range(sheets.opened.size):
            begin = int(sheets.low[sheet] + reached[sheet]) - low
            scores[begin : begin + sizes[sheet]] += sheets.law[
                sheets.begins[sheet] : sheets.begins[sheet + 1]
            ]
        occurring = np.flatnonzero(scores)
        law = ScoreLaw(low + int(occurring[0]), scores[occurring[0] : occurring[-1] + 1])
        filled, gained, zeros = self._sums
        keys = self._ruleset.categories
        return Evaluation(
            label=self._label,
            scores=law,
            bonus_rate=float(sheets.chances[reached > 0].sum()) if bonus.points else None,
            jokers_mean=self._jokers if self._ruleset.joker is not None else None,
            throws_mean=self._throws,
            categories=tuple(
                CategoryLaw(key, float(gained[k] / filled[k]), float(zeros[k] / filled[k]))
                for k, key in enumerate(keys)
            ),
            situations=self._situations,
            regret=None if self._regret is None else self._regret.total(),
        )

    def _batches(self, sheets: _Sheets) -> Iterator[tuple[Numbers, Played]]:
        """Yields some sheets at a time: which, and by which decisions they are played."""
        contexts = self._contexts(sheets)
        # Sheets that a player can't tell apart lie together, so that it is asked about them once.
        order = np.argsort(contexts, kind="stable")
        for begin in range(0, order.size, BATCH):
            batch = order[begin : begin + BATCH]
            yield batch, self._decided.played(contexts[batch])

    def _contexts(self, sheets: _Sheets) -> npt.NDArray[np.uint64]:
        """Returns what the player sees of each sheet, as contexts."""
        sees = self._maker.sees
        views = {
            "open": sheets.opened,
            "upper": np.minimum(sheets.upper, upper_cap(self._ruleset)),
            "turns_left": np.bitwise_count(sheets.opened).astype(np.int64),
            "joker": sheets.held,
        }
        if "pace" in sees:
            views["pace"] = paces(self._ruleset, sheets.opened, sheets.upper)
        return write_contexts(view_sizes(self._ruleset), SHIFTS, sees, views)

    def _entries(self, played: Played, opened: Numbers, held: Numbers) -> tuple[Reals, Reals]:
        """Returns the chance of each kind of entry by sheet, and the mean throws of the turn."""
        layers = layers_of(self._layers.joker, opened, held)
        chances = np.empty((opened.size, self._kinds.gains.size))
        made = np.empty(opened.size)
        fill_entries(build_lines().grown, self._kinds, played, layers, chances, made)
        return chances, made

    def _count(self, chances: Reals, made: Reals, weights: Reals) -> None:
        """Adds up what the turns of some sheets, come to with these chances, enter."""
        self._throws += float(made @ weights)
        of_kind = weights @ chances
        self._jokers += float(of_kind @ (self._extras > 0))
        entered = self._kinds.gains - self._extras
        for sums, worth in zip(self._sums, (np.ones_like(of_kind), entered, self._zeros), strict=True):
            sums += np.bincount(self._category_of, of_kind * worth, minlength=self._ruleset.turns)


def paces(ruleset: CheerioRuleset, opened: Numbers, upper: Numbers) -> Numbers:
    """Returns the view `pace` of sheets: their upper subtotals against three of each filled face, in steps."""
    ahead = upper.copy()
    for index, category in enumerate(ruleset.categories.values()):
        if category.upper:
            ahead -= np.where(opened >> index & 1, 0, 3 * (category.pattern.face or 0))
    return np.sign(ahead) * np.where(np.abs(ahead) >= PACE_FAR, STEPS, (ahead != 0).astype(np.int64))


def _empty_steps(count: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], Reals]:
    """Returns room for steps: the sheet that each leads to, what it gains, its chance."""
    return np.empty(count, np.int32), np.empty(count, np.int32), np.empty(count)


def _passed_on(
    sheets: _Sheets,
    place_of: npt.NDArray[np.int32],
    found: int,
    first: Numbers,
    last: Numbers,
    place: npt.NDArray[np.int32],
    gain: npt.NDArray[np.int32],
    chance: Reals,
) -> _Sheets:
    """Returns the sheets of the next turn with the chances of their totals."""
    low = np.full(found, np.iinfo(np.int64).max)
    high = np.full(found, np.iinfo(np.int64).min)
    own_high = sheets.low + np.diff(sheets.begins) - 1
    bound_scores(first, last, place, gain, sheets.low, own_high, low, high)
    begins = np.concatenate([[0], np.cumsum(high - low + 1)])
    law = np.zeros(int(begins[-1]))
    pass_on(first, last, place, gain, chance, sheets.low, sheets.begins, sheets.law, low, begins, law)
    numbered = np.argwhere(place_of >= 0)
    held, opened, upper = numbered[np.argsort(place_of[place_of >= 0])].astype(np.int64).T.copy()
    return _Sheets(opened, upper, held, low, begins, law)
