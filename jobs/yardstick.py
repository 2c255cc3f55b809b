"""What perfect play makes of a ruleset: solved once on a machine, and kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from jobs.table_cache import cache_folder, engine_digest
from results.files import make_folder, write_atomically
from sim.cheerio_ruleset import CheerioRuleset
from sim.ruleset import Ruleset
from strategies.files import read_shipped

#: Decimals to which values are kept: machines may differ in the last digits of a double.
DECIMALS = 9
#: Rulesets of more sheets, by open categories, upper subtotal and joker, take too long to be solved for a note: 16
#: categories with a bonus at 63 have as many, and take some ten seconds.
MOST_SHEETS = 1 << 22


@dataclass(frozen=True)
class Yardstick:
    """The mean score of perfect play, and by category what it loses where that is struck out before the game."""

    mean: float
    worths: Mapping[str, float]


def obstacle(ruleset: Ruleset) -> str | None:
    """Says why perfect play of a ruleset is not known: steals, a clock, too many sheets; None where it is."""
    if not isinstance(ruleset, CheerioRuleset):
        return "there is no scoresheet to fill"
    if ruleset.steal != "none":
        return "with steals the best play hangs on the rivals"
    if ruleset.clock is not None:
        return "with a clock the best play hangs on the rivals"
    if (sheets := _sheets(ruleset)) > MOST_SHEETS:
        return f"{sheets:,} different sheets are too many to be solved here; at most {MOST_SHEETS:,} are"
    return None


def best_mean(ruleset: Ruleset) -> float | None:
    """Returns the mean score of perfect play; None where that is not known."""
    found = best_play(ruleset)
    return None if found is None else found.mean


def best_play(ruleset: Ruleset) -> Yardstick | None:
    """Returns what perfect play makes of a ruleset; None where that is not known."""
    if not isinstance(ruleset, CheerioRuleset) or obstacle(ruleset):
        return None
    place = _place(ruleset)
    # A file that can't be read or is not what was written counts as absent.
    with suppress(OSError, ValueError, KeyError, TypeError):
        return _read(place, ruleset)
    # Imported here, as it takes time and is seldom needed.
    from strategies.valuation import build_valuation
    from strategies.worths import category_worths

    valuation = build_valuation(ruleset)
    worths = {key: round(worth, DECIMALS) for key, worth in category_worths(valuation).items()}
    found = Yardstick(round(valuation.start, DECIMALS), worths)
    content = {"ruleset": ruleset.name, "best_mean": found.mean, "worths": found.worths}
    with suppress(OSError):
        make_folder(place.parent)
        write_atomically(place, json.dumps(content).encode())
    return found


def _read(place: Path, ruleset: CheerioRuleset) -> Yardstick:
    kept = json.loads(place.read_text(encoding="utf-8"))
    worths = kept["worths"]
    return Yardstick(float(kept["best_mean"]), {key: float(worths[key]) for key in ruleset.categories})


def _sheets(ruleset: CheerioRuleset) -> int:
    subtotals = ruleset.bonus.threshold + 1 if ruleset.bonus.points else 1
    jokers = 2 if ruleset.joker is not None and ruleset.joker.points else 1
    return (1 << ruleset.turns) * subtotals * jokers


def _place(ruleset: Ruleset) -> Path:
    solver = read_shipped(["strategies.worths"])
    key = hashlib.sha256(json.dumps([ruleset.digest, engine_digest(), solver]).encode()).hexdigest()[:32]
    return cache_folder() / "best" / f"{key}.json"
