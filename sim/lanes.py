"""What the kernel works on: the rules and decision tables as arrays, and the state of many games at once.

What a variant adds is of types of its own, in sim.steal, sim.clock and sim.joker. The kernel takes None for a variant
that is not in play, and is compiled without it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sim.standings import Lead, build_lead

#: A row of decisions has this many places for each throw; 252 are used.
COLUMN = 256
#: What stands in a sheet for a category that is not filled.
EMPTY = -1
#: The category of a turn that enters nothing, and the row of a rival that nobody is.
NO_CATEGORY = 16
NOBODY = -1
#: An offer's gains and losses are shifted by OFFER to be positive in a context.
OFFER = 2048
#: A threshold that no steal reaches.
NEVER = 32767
#: In place of an answer: it has to be asked for.
LACKING = -1
#: Losses, and the luck that comes of them, are in units of 1/LUCK_UNITS point; what is kept of luck is in thousandths.
LUCK_UNITS = 1 << 16
#: What contexts are missing: rows of decisions, or answers to the two questions of a steal.
ROW, STEAL, FORFEIT = range(3)
#: The mask that keeps all five dice and so ends the turn.
STOP = 31


class Rules(NamedTuple):
    """What all games share, as the kernel reads it; points are flat, COLUMN places a category, `upper` is a mask.

    `worth` and `pace_par` have a place for NO_CATEGORY, too. `turns` fill a sheet, `rounds` are played at most.
    """

    points: npt.NDArray[np.int16]
    upper: int
    pace_par: npt.NDArray[np.int16]
    worth: npt.NDArray[np.int16]
    throws: int
    turns: int
    threshold: int
    bonus: int
    cap: int
    start_roll: bool
    roll_off: bool
    team: int
    rounds: int


class Luck(NamedTuple):
    """What luck is reckoned by, where it is `kept`; empty arrays where it isn't.

    `losses` and `mixed_losses` hold what each decision of `rows` and `mixed_rows` gives away against the best play that
    the values of sheets know of, in units. By seat: `faultless` tells who gives nothing away, so that none are held;
    `start` is the value of the empty sheet, in units; `bonus` tells whether the values count the bonus, and `uncounted`
    is what they leave out of each joker, in points.
    """

    kept: bool
    any_faultless: bool
    losses: npt.NDArray[np.int32]
    mixed_losses: npt.NDArray[np.int32]
    faultless: npt.NDArray[np.uint8]
    start: npt.NDArray[np.int64]
    bonus: npt.NDArray[np.uint8]
    uncounted: npt.NDArray[np.int64]


class Decisions(NamedTuple):
    """The decision tables of a lineup, by seat; `strategies.tables` documents and fills them.

    `rows` holds masks and categories; `mixed_rows` holds, for strategies that mix, first << 6 | count into `pool`.
    A context's row is row_of[base + context] where `direct`, else found by probing keys for base + context. Answers
    are found in the same way, in place of a row: whether to steal, where `asks_steal` (else whoever gains and destroys
    `steal_from` points steals), and the category to forfeit, where `asks_forfeit`. `pace` is in thousandths.
    """

    rows: npt.NDArray[np.uint8]
    mixed_rows: npt.NDArray[np.uint32]
    pool: npt.NDArray[np.uint8]
    row_of: npt.NDArray[np.int32]
    keys: npt.NDArray[np.uint64]
    key_rows: npt.NDArray[np.int32]
    base: npt.NDArray[np.uint64]
    direct: npt.NDArray[np.uint8]
    mixed: npt.NDArray[np.uint8]
    any_mixed: bool
    strides: npt.NDArray[np.uint64]
    wide: bool
    in_order: bool
    steal_from: npt.NDArray[np.int16]
    asks_steal: npt.NDArray[np.uint8]
    asks_forfeit: npt.NDArray[np.uint8]
    steal_base: npt.NDArray[np.uint64]
    forfeit_base: npt.NDArray[np.uint64]
    steal_strides: npt.NDArray[np.uint64]
    forfeit_strides: npt.NDArray[np.uint64]
    pace: npt.NDArray[np.int64]
    luck: Luck


class Lanes(NamedTuple):
    """The state of a block of games played at once.

    What a side has is of shape (sides, lanes), what a seat has of shape (seats, lanes), one row for each position in
    the order of play, so that all lanes of a step work on the same row; where the order of play does not matter, rows
    are seats. `entries` and `entered_by` (the seats, in teams) are of shape (sides, categories, lanes). The rest is of
    shape (lanes,): who sits there, and how the turn at hand goes. Against the clock rows are sides and seats; behind
    the sides' own follow as many with what their turns at hand will make of them, and one that the turn of a step
    works on. `row` is each lane's own side, for whose turn it is. `lost` is what a side's decisions have given away,
    in units of luck.
    """

    open: npt.NDArray[np.uint16]
    points: npt.NDArray[np.int16]
    upper: npt.NDArray[np.int16]
    totals: npt.NDArray[np.int16]
    par: npt.NDArray[np.int16]
    worth: npt.NDArray[np.int16]
    held: npt.NDArray[np.uint8]
    jokers: npt.NDArray[np.uint8]
    lost: npt.NDArray[np.int64]
    throws: npt.NDArray[np.uint16]
    hashes: npt.NDArray[np.uint32]
    turns: npt.NDArray[np.uint8]
    entries: npt.NDArray[np.int16]
    entered_by: npt.NDArray[np.uint8]
    start: npt.NDArray[np.uint8]
    seat: npt.NDArray[np.uint8]
    turn: npt.NDArray[np.uint8]
    rounds: npt.NDArray[np.uint8]
    words: npt.NDArray[np.uint16]
    wide: npt.NDArray[np.uint64]
    place: npt.NDArray[np.uint32]
    masks: npt.NDArray[np.uint8]
    category: npt.NDArray[np.uint8]
    gained: npt.NDArray[np.int16]
    missing: npt.NDArray[np.uint64]
    missing_seat: npt.NDArray[np.uint8]
    missing_kind: npt.NDArray[np.uint8]
    row: npt.NDArray[np.uint8]
    sides: int
    lead: Lead


def build_lanes(rules: Rules, seats: int, lanes: int, clocked: bool = False) -> Lanes:
    """Builds the room for one block of lanes; `clocked` for a game against the clock."""
    sides = seats // rules.team
    by_side = (sides + clocked * (sides + 1), lanes)
    by_seat = (seats + clocked, lanes)
    entries = (by_side[0], rules.turns, lanes)
    return Lanes(
        open=np.zeros(by_side, np.uint16),
        points=np.zeros(by_side, np.int16),
        upper=np.zeros(by_side, np.int16),
        totals=np.zeros(by_side, np.int16),
        par=np.zeros(by_side, np.int16),
        worth=np.zeros(by_side, np.int16),
        held=np.zeros(by_side, np.uint8),
        jokers=np.zeros(by_side, np.uint8),
        lost=np.zeros(by_side, np.int64),
        throws=np.zeros(by_seat, np.uint16),
        hashes=np.zeros(by_seat, np.uint32),
        turns=np.zeros(by_seat, np.uint8),
        entries=np.zeros(entries, np.int16),
        entered_by=np.zeros(entries if rules.team > 1 else (0, 0, 0), np.uint8),
        start=np.zeros(lanes, np.uint8),
        seat=np.zeros(lanes, np.uint8),
        turn=np.zeros(lanes, np.uint8),
        rounds=np.zeros(lanes, np.uint8),
        words=np.zeros((8, lanes), np.uint16),
        wide=np.zeros(lanes, np.uint64),
        place=np.zeros(lanes, np.uint32),
        masks=np.zeros((5, lanes), np.uint8),
        category=np.zeros(lanes, np.uint8),
        gained=np.zeros(lanes, np.int16),
        missing=np.zeros(lanes, np.uint64),
        missing_seat=np.zeros(lanes, np.uint8),
        missing_kind=np.zeros(lanes, np.uint8),
        row=np.zeros(lanes, np.uint8),
        sides=sides,
        lead=build_lead(sides, lanes),
    )
