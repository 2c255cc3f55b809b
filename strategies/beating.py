"""The chance that one sheet comes to beat another, after every entry of a turn, in compiled loops."""

from __future__ import annotations

from math import erfc, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sim.compiled import Integer, compiled, inner
from strategies.laws import Tables
from strategies.lookahead import TOGETHER, Lattice, Worths, build_room, fill_plans
from strategies.solving import Problem, Reals, fill_allowed, layer_of

Numbers = npt.NDArray[np.int64]
#: Worths are in hundredths of a win: averages that differ by less than TIE of these are alike for any purpose.
WIN = 100.0
#: What a point of the mean is worth, in wins: so little that it decides between chances that are alike and no others.
POINT = 1e-6


class Beating(NamedTuple):
    """What perfect play brings from every sheet: a valuation's problem and values, and what strategies.laws builds."""

    problem: Problem
    values: Reals
    variances: Reals
    tables: Tables
    levels: int


class Standings(NamedTuple):
    """What sheets show of themselves and their rivals, one place for each, by view."""

    open: Numbers
    upper: Numbers
    joker: Numbers
    difference: Numbers
    rival_open: Numbers
    rival_upper: Numbers


@compiled
def fill_win_plans(
    lattice: Lattice,
    beating: Beating,
    standings: Standings,
    keeps: npt.NDArray[np.uint8],
    choices: npt.NDArray[np.uint8],
) -> None:
    """Fills the plans that win most, into keeps of shape (sheets, throws - 1, 252) and choices of (sheets, 252)."""
    problem = beating.problem
    room = build_room(lattice, problem.kinds.of.shape[1], keeps.shape[1])
    for begin in range(0, choices.shape[0], TOGETHER):
        end = min(begin + TOGETHER, choices.shape[0])
        for sheet in range(begin, end):
            opened = standings.open[sheet]
            layer = layer_of(problem, opened, standings.joker[sheet])
            fill_win_worths(beating, standings, sheet, room.worths[sheet - begin])
            fill_allowed(problem.legal, layer, opened, room.allowed[sheet - begin])
        fill_plans(lattice, room, keeps[begin:end], choices[begin:end])


@compiled
def fill_win_worths(beating: Beating, standings: Standings, sheet: int, worths: Worths) -> None:
    """Fills the chance to win after each entry of a sheet's turn in hundredths, shape (categories, 252).

    What is filled already stays as it is. Without a rival worths are points; one whose sheet can't be is none, and
    neither is one whose sheet is full at a difference of 0, which is also what is seen where nobody else plays.
    """
    kinds = beating.problem.kinds
    opened = standings.open[sheet]
    held = min(standings.joker[sheet], beating.values.shape[0] - 1)
    layer = layer_of(beating.problem, opened, held)
    chances = np.zeros(kinds.gains.size)
    rival = min(standings.rival_upper[sheet], beating.values.shape[2] - 1)
    rival_open, difference = standings.rival_open[sheet], standings.difference[sheet]
    alone = (rival_open == 0 and difference == 0) or np.isnan(beating.values[0, rival_open, rival])
    point = 1.0 if alone else WIN * POINT
    if not alone:
        _fill_chances(beating, standings, sheet, held, layer, chances)
    last = beating.values.shape[2] - 1
    subtotal = min(standings.upper[sheet], last)
    for category in range(worths.shape[0]):
        if opened >> category & 1:
            following = opened ^ 1 << category
            for roll in range(worths.shape[1]):
                kind = kinds.of[layer, category, roll]
                after = min(max(held, kinds.held[kind]), beating.values.shape[0] - 1)
                value = beating.values[after, following, min(subtotal + kinds.steps[kind], last)]
                worths[category, roll] = WIN * chances[kind] + point * (kinds.gains[kind] + value)


@inner
def _fill_chances(
    beating: Beating, standings: Standings, sheet: int, held: int, layer: int, chances: Reals
) -> None:
    """Fills the chance to win after each kind of entry that is open, shape (kinds,)."""
    problem, tables = beating.problem, beating.tables
    kinds, last = problem.kinds, beating.values.shape[2] - 1
    opened, rival_open = standings.open[sheet], standings.rival_open[sheet]
    subtotal = min(standings.upper[sheet], last)
    rival = min(standings.rival_upper[sheet], last)
    # A total has the bonus once it is reached, while values count it at the end.
    ahead = standings.difference[sheet] + np.int64(problem.ending[rival] - problem.ending[subtotal])
    number: Integer = np.int64(tables.place[0, rival_open, rival])
    exact = number >= 0 and _count(opened) <= beating.levels + 1
    beats = np.empty(0)
    if exact:
        beats = np.empty(np.int64(kinds.gains.max()) + tables.sizes.max())
        _fill_beats(_law(tables, number), ahead, beats)
    for category in range(kinds.of.shape[1]):
        if opened >> category & 1 == 0:
            continue
        following = opened ^ 1 << category
        first = kinds.least[layer, category]
        for kind in range(first, first + kinds.sizes[layer, category]):
            after = min(max(held, kinds.held[kind]), beating.values.shape[0] - 1)
            reached = min(subtotal + kinds.steps[kind], last)
            gain = np.int64(kinds.gains[kind])
            own: Integer = np.int64(-1)
            if exact:
                own = np.int64(tables.place[after, following, reached])
            if own >= 0:
                chances[kind] = _mean_beaten(_law(tables, own), beats[gain:])
            elif not exact:
                margin = ahead + gain + beating.values[after, following, reached]
                margin -= beating.values[0, rival_open, rival]
                variance = beating.variances[after, following, reached]
                variance += beating.variances[0, rival_open, rival]
                # The normal law with half of a tie counted needs no correction for whole points.
                chances[kind] = 0.5 * erfc(-margin / sqrt(2.0 * max(variance, 1e-9)))


@inner
def _count(opened: Integer) -> int:
    count = 0
    while opened:
        opened &= opened - 1
        count += 1
    return count


@inner
def _law(tables: Tables, number: Integer) -> Reals:
    return tables.chances[tables.begins[number] : tables.begins[number] + tables.sizes[number]]


@inner
def _fill_beats(rival: Reals, ahead: Integer, beats: Reals) -> None:
    """Fills the chance that the rival ends with less than ahead + k points, half a tie counted, for each place k."""
    below = rival[: max(ahead, 0)].sum()
    for place in range(beats.size):
        points = ahead + place
        if points < 0:
            beats[place] = 0.0
        elif points < rival.size:
            beats[place] = below + 0.5 * rival[points]
            below += rival[points]
        else:
            beats[place] = 1.0


@inner
def _mean_beaten(law: Reals, beats: Reals) -> float:
    """Returns the chance to win with these points to come, given that of each number of points."""
    # Four sums at once: one would wait for itself.
    first = second = third = fourth = 0.0
    whole = law.size - law.size % 4
    for place in range(0, whole, 4):
        first += law[place] * beats[place]
        second += law[place + 1] * beats[place + 1]
        third += law[place + 2] * beats[place + 2]
        fourth += law[place + 3] * beats[place + 3]
    for place in range(whole, law.size):
        first += law[place] * beats[place]
    return first + second + (third + fourth)
