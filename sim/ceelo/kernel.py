"""Cee-lo in lockstep: many games at once, round by round, with every stake looked up in a table."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from sim.ceelo.banking import play_bank_round
from sim.ceelo.lanes import (
    FIXED,
    LANES,
    NONE,
    PASS,
    ROTATE,
    Lanes,
    Rules,
    StakeTables,
    build_lanes,
)
from sim.ceelo.ledger import Course, Ledger, build_ledger, end_block, read_ledger
from sim.ceelo.potting import play_pot_round
from sim.ceelo.ruleset import CeeloRuleset
from sim.ceelo.staking import want_stakes
from sim.ceelo.throwing import throw_results
from sim.ceelo.views import lead_limits
from sim.compiled import Integer, compiled, inner
from sim.game import BLOCK
from sim.standings import follow_leads, start_leads

__all__ = ["BLOCK", "LANES", "Course", "LineupStakes", "Rules", "build_rules", "play_deals"]


class LineupStakes(Protocol):
    """Stakes that grow: the kernel names the contexts that it lacks, the tables fill them."""

    def decisions(self, seating: int) -> StakeTables:
        """Returns the stakes by seat for one seating."""

    def fill(self, seating: int, seats: npt.NDArray[np.uint8], contexts: npt.NDArray[np.uint64]) -> None:
        """Fills what strategies in these seats stake in contexts, of which some may be named twice."""


def build_rules(ruleset: CeeloRuleset) -> Rules:
    """Builds what the kernel reads of a ruleset."""
    near, far = lead_limits(ruleset)
    return Rules(
        chips=ruleset.chips,
        most_rounds=ruleset.most_rounds,
        most_throws=ruleset.most_throws or 0,
        bank={"none": NONE, "pass": PASS, "rotate": ROTATE, "fixed": FIXED}[ruleset.bank],
        ante=ruleset.ante,
        outright=ruleset.outright,
        near=near,
        far=far,
    )


def play_deals(
    rules: Rules,
    tables: LineupStakes,
    seats: int,
    seating: int,
    seed: int,
    first_deal: int,
    deals: int,
    barred: int = -1,
) -> Course:
    """Plays a range of deals in one seating and returns what is kept of each game.

    The result of a game depends on the seed, the deal, the seating and the tables' strategies alone. Raises what the
    tables raise where a strategy fails.
    """
    del barred
    ledger = build_ledger(seats, first_deal, deals)
    lanes = build_lanes(seats, min(deals, LANES))
    key, first = np.uint64(seed), np.uint64(first_deal)
    done = played = 0
    while True:
        # For the pot nobody is asked for a stake; the kernel is compiled without what only a bank has, or only a pot.
        stakes = None if rules.bank == NONE else tables.decisions(seating)
        done, played, missing = _play_blocks(rules, stakes, lanes, ledger, key, first, deals, done, played)
        if not missing:
            return read_ledger(rules, ledger)
        tables.fill(seating, lanes.missing_seat[:missing], lanes.missing[:missing])


@compiled
def _play_blocks(
    rules: Rules,
    stakes: StakeTables | None,
    lanes: Lanes,
    ledger: Ledger,
    seed: np.uint64,
    first_deal: np.uint64,
    deals: int,
    done: int,
    played: int,
) -> tuple[int, int, int]:
    """Plays block after block, from a round of the block that begins at deal `done`.

    Returns (done, played, missing): with missing contexts it wants to be called again from there once they are
    filled, with none it has played all deals.
    """
    seats = lanes.chips.shape[0]
    while done < deals:
        first, count, block = _next_block(lanes, first_deal, deals, done)
        if played == 0:
            _start_block(rules, lanes)
        while played < rules.most_rounds and not lanes.over[:count].all():
            if stakes is not None:
                missing = want_stakes(rules, stakes, lanes, played, count)
                if missing:
                    # A block that lacks its very first contexts is started afresh, which changes nothing.
                    return done, played, missing
            for seat in range(seats):
                throw_results(lanes, seat, seed, first, played, count)
            if stakes is not None:
                play_bank_round(rules, lanes, ledger, block, done, played, count)
            else:
                play_pot_round(rules, lanes, ledger, block, done, seed, first, played, count)
            played += 1
            follow_leads(lanes.lead, lanes.chips, count, played)
        end_block(lanes, ledger, done, count, played)
        done += count
        played = 0
    return done, 0, 0


@inner
def _next_block(lanes: Lanes, first_deal: np.uint64, deals: int, done: int) -> tuple[np.uint64, int, int]:
    """Returns the first deal of the next lanes, how many there are, and the block of deals that all of them lie in."""
    first = first_deal + np.uint64(done)
    start = np.int64(first_deal % np.uint64(BLOCK)) + done
    count: Integer = min(lanes.over.size, deals - done, BLOCK - start % BLOCK)
    block: Integer = start // BLOCK
    return first, count, block


@inner
def _start_block(rules: Rules, lanes: Lanes) -> None:
    lanes.chips[:] = rules.chips
    lanes.last_stake[:] = 0
    lanes.streak[:] = 0
    lanes.holder[:] = 0
    lanes.over[:] = 0
    lanes.all_throws[:] = 0
    start_leads(lanes.lead)
