"""What perfect play still scores from every sheet: the whole law where sheets are few, else its mean and variance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sim.cheerio_ruleset import CheerioRuleset
from sim.compiled import compiled
from strategies.following import fill_entries, played_by
from strategies.optimal import Optimal
from strategies.solving import Problem, Reals, build_lines, layer_of
from strategies.valuation import POINTS, Goal, Valuation, build_valuation, layers_of

#: Whole laws are built level by level, by the number of open categories, while all their sheets are at most so many,
#: and so many places of eight bytes hold them: two or three seconds and 134 MB. Without a bonus these are all sheets
#: of the shipped rulesets; in cheerio-bonus they are those of up to four open categories.
MOST_SHEETS, MOST_PLACES = 70_000, 1 << 24
#: Sheets whose turns are followed at a time.
BATCH = 4096
#: The risk by which variances are measured, a point: so small that it decides between decisions of equal means alone,
#: and large enough for double precision to leave an error of some thousandths of a point squared.
RISK = 3e-6

Numbers = npt.NDArray[np.int64]


class Tables(NamedTuple):
    """Laws as arrays for compiled loops.

    `place[held, open, upper]` numbers the sheets that have one, -1 for others; law k has sizes[k] places, and
    chances[begins[k] + x] is the chance of x points, a bonus that is reached by the end counted among them.
    """

    place: npt.NDArray[np.int32]
    begins: Numbers
    sizes: Numbers
    chances: Reals


@dataclass(frozen=True, eq=False)
class Laws:
    """What perfect play still scores from every sheet of a ruleset.

    `levels` is the number of open categories up to which sheets have their whole law. `variances` has the shape of the
    valuation's values, in points squared; it is empty where all sheets have their law.
    """

    valuation: Valuation
    levels: int
    tables: Tables
    variances: Reals

    def law(self, opened: int, upper: int = 0, joker: int = 0) -> Reals:
        """Returns the chance of each number of points from 0 on; raises KeyError for a sheet that has no law."""
        held, _, subtotals = self.tables.place.shape
        number = int(self.tables.place[min(joker, held - 1), opened, min(upper, subtotals - 1)])
        if number < 0:
            raise KeyError((opened, upper, joker))
        begin = int(self.tables.begins[number])
        return self.tables.chances[begin : begin + int(self.tables.sizes[number])]


@lru_cache(maxsize=4)
def build_laws(ruleset: CheerioRuleset, most: int = MOST_SHEETS) -> Laws:
    """Builds the laws of what perfect play scores, with whole ones for at most so many sheets (a level at least).

    A law is the mixture of those of the sheets that the turn may lead to, under the plan of `optimal`.
    """
    valuation = build_valuation(ruleset, POINTS)
    known = ~np.isnan(valuation.values)
    counts = np.bitwise_count(np.arange(known.shape[1])).astype(np.int64)
    room = _room(valuation)
    sheets = known.sum(axis=(0, 2))
    numbers, places = (np.cumsum(np.bincount(counts, weights)) for weights in (sheets, sheets * room))
    levels = max(1, int(((numbers <= most) & (places <= MOST_PLACES)).sum()) - 1)
    held, opened, upper = np.nonzero(known & (counts <= levels)[:, None])
    order = np.argsort(counts[opened], kind="stable")
    held, opened, upper = held[order], opened[order], upper[order]
    begins = np.cumsum(room[opened]) - room[opened]
    place = np.full(known.shape, -1, np.int32)
    place[held, opened, upper] = np.arange(opened.size)
    tables = Tables(place, begins, np.zeros_like(begins), np.zeros(int(room[opened].sum())))
    ending = np.flatnonzero(opened == 0)
    tables.sizes[ending] = valuation.problem.ending[upper[ending]].astype(np.int64) + 1
    tables.chances[tables.begins[ending] + tables.sizes[ending] - 1] = 1.0
    for batch in _batches(counts[opened]):
        chances = _entry_chances(valuation, opened[batch], upper[batch], held[batch])
        _fill_laws(valuation.problem, chances, opened[batch], upper[batch], held[batch], batch.start, tables)
    variances = np.empty((0, 0, 0)) if levels == ruleset.turns else _build_variances(valuation)
    return Laws(valuation, levels, tables, variances)


def _room(valuation: Valuation) -> Numbers:
    """Returns how many places a law has at most, by the open categories."""
    kinds = valuation.problem.kinds
    opened = np.arange(valuation.values.shape[1])
    room = np.full(opened.size, int(valuation.problem.ending[-1]) + 1, np.int64)
    for category in range(kinds.of.shape[1]):
        room += np.where(opened >> category & 1, int(kinds.gains[kinds.of[:, category]].max()), 0)
    return room


def _batches(counts: Numbers) -> Iterator[slice]:
    """Yields sheets of equally many open categories at a time, given these numbers in ascending order."""
    for level in range(1, int(counts[-1]) + 1):
        first, last = np.searchsorted(counts, [level, level + 1]).tolist()
        for begin in range(first, last, BATCH):
            yield slice(begin, min(begin + BATCH, last))


def _entry_chances(valuation: Valuation, opened: Numbers, upper: Numbers, held: Numbers) -> Reals:
    """Returns the chance of each kind of entry in the next turn of `optimal`, shape (sheets, kinds)."""
    problem = valuation.problem
    plan = Optimal().plans(valuation.ruleset, {"open": opened, "upper": upper, "joker": held})
    rows = np.concatenate([plan.keeps, plan.choices[:, None]], axis=1)
    layers = layers_of(problem.joker, opened, held)
    chances, throws = np.empty((opened.size, problem.kinds.gains.size)), np.empty(opened.size)
    played = played_by(rows, valuation.ruleset.throws, np.zeros(1, np.uint8))
    fill_entries(build_lines().grown, problem.kinds, played, layers, chances, throws)
    return chances


@compiled
def _fill_laws(
    problem: Problem,
    entered: Reals,
    opened: Numbers,
    upper: Numbers,
    held: Numbers,
    first: int,
    tables: Tables,
) -> None:
    kinds, last = problem.kinds, tables.place.shape[2] - 1
    for sheet in range(opened.size):
        begin, size = tables.begins[first + sheet], np.int64(0)
        layer = layer_of(problem, opened[sheet], held[sheet])
        for category in range(kinds.of.shape[1]):
            if opened[sheet] >> category & 1 == 0:
                continue
            least = kinds.least[layer, category]
            for kind in range(least, least + kinds.sizes[layer, category]):
                chance = entered[sheet, kind]
                if chance == 0.0:
                    continue
                after = min(max(held[sheet], kinds.held[kind]), tables.place.shape[0] - 1)
                subtotal = min(upper[sheet] + kinds.steps[kind], last)
                number = tables.place[after, opened[sheet] ^ 1 << category, subtotal]
                gain = np.int64(kinds.gains[kind])
                following = tables.chances[tables.begins[number] :]
                law = tables.chances[begin + gain :]
                for points in range(tables.sizes[number]):
                    law[points] += chance * following[points]
                size = max(size, gain + tables.sizes[number])
        tables.sizes[first + sheet] = size


def _build_variances(valuation: Valuation) -> Reals:
    """Builds the variance of what perfect play still scores from every sheet.

    The certainty equivalent under a small risk r is mean + variance x r / 2 + ..., and to this order it doesn't matter
    that it is maximised.
    """
    # Not kept beside the valuation, for it is of no other use.
    utilities = build_valuation.__wrapped__(valuation.ruleset, Goal(risk=RISK)).values
    variances: Reals = np.maximum(2.0 / RISK * (np.log(utilities) / RISK - valuation.values), 0.0)
    return variances
