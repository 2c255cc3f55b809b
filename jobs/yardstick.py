"""The best mean score of a ruleset: solved once on a machine, and kept."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path

from jobs.table_cache import cache_folder, engine_digest
from results.files import make_folder, write_atomically
from sim.cheerio_ruleset import CheerioRuleset
from sim.ruleset import Ruleset
from strategies.files import read_shipped

#: Decimals to which a best mean is kept: machines may differ in the last digits of a double.
DECIMALS = 9
#: Rulesets of more sheets, by open categories, upper subtotal and joker, take too long to be solved for a note: 16
#: categories with a bonus at 63 have as many, and take some ten seconds.
MOST_SHEETS = 1 << 22


def best_mean(ruleset: Ruleset) -> float | None:
    """Returns the mean score of perfect play; None with steals or a clock, and where sheets are too many."""
    if not isinstance(ruleset, CheerioRuleset) or ruleset.steal != "none" or ruleset.clock is not None:
        return None
    if _sheets(ruleset) > MOST_SHEETS:
        return None
    place = _place(ruleset)
    try:
        return float(json.loads(place.read_text(encoding="utf-8"))["best_mean"])
    except (OSError, ValueError, KeyError, TypeError):
        # A file that can't be read or is not what was written counts as absent.
        pass
    # Imported here, as it takes time and is seldom needed.
    from strategies.valuation import build_valuation

    found = round(build_valuation(ruleset).start, DECIMALS)
    with suppress(OSError):
        make_folder(place.parent)
        write_atomically(place, json.dumps({"ruleset": ruleset.name, "best_mean": found}).encode())
    return found


def _sheets(ruleset: CheerioRuleset) -> int:
    subtotals = ruleset.bonus.threshold + 1 if ruleset.bonus.points else 1
    jokers = 2 if ruleset.joker is not None and ruleset.joker.points else 1
    return (1 << ruleset.turns) * subtotals * jokers


def _place(ruleset: Ruleset) -> Path:
    solver = read_shipped(["strategies.valuation"])
    key = hashlib.sha256(json.dumps([ruleset.digest, engine_digest(), solver]).encode()).hexdigest()[:32]
    return cache_folder() / "best" / f"{key}.json"
