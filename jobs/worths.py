"""Perfect play of each ruleset of a run, as the figures of balance take it."""

from __future__ import annotations

from collections.abc import Iterable

from jobs.yardstick import best_play, obstacle
from results.balance.document import BestPlay
from sim.ruleset import Ruleset


def best_plays(rulesets: Iterable[Ruleset]) -> dict[str, BestPlay]:
    """Returns by the name of a ruleset what perfect play makes of it, or why that is not known."""
    return {ruleset.name: _best_play(ruleset) for ruleset in rulesets}


def _best_play(ruleset: Ruleset) -> BestPlay:
    found = best_play(ruleset)
    if found is None:
        return BestPlay(mean=None, worths={}, why_none=obstacle(ruleset) or "")
    return BestPlay(mean=found.mean, worths=found.worths, why_none="")
