"""The strategy `tip-rival`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from sim.cheerio_ruleset import CheerioRuleset
from sim.worth import build_aim_worth
from strategies.advice import Advised, Numbers, check_not_negative
from strategies.lookahead import Worths
from strategies.strategy import Sheet, build_scoresheet

#: A category is hard where a turn spent on it alone brings less than this share of the most that it pays.
HARD = 0.4
SAFE, BOLD = 1, 2


@dataclass(frozen=True)
class TipRival(Advised):
    """Plays as `base` does, but watches the best rival: where it is ahead, and the rival has a hard category open to
    catch up by, as High Straight, it plays safe by `caution`; where it is behind it gambles by `daring`.

    It is ahead or behind by 8 points and more after both sides' open categories are allowed for. A category is hard
    where a turn spent on it alone brings less than two fifths of the most that it pays. To play safe is to value an
    entry by 1 - exp(-caution x points) in place of its points, to gamble by exp(daring x points).
    """  # noqa: D205 - the whole rule is the first paragraph

    advice: ClassVar[str] = "ahead of a rival who needs something hard, play safe"
    sees: ClassVar[tuple[str, ...]] = ("open", "joker", "standing", "rival_open")

    caution: float = 0.05
    daring: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_not_negative("caution", self.caution)
        check_not_negative("daring", self.daring)

    def watched(self, ruleset: CheerioRuleset) -> tuple[str, ...]:
        """Names the standing and what is open to the rival."""
        del ruleset
        return ("standing", "rival_open")

    def stances(self, ruleset: CheerioRuleset, views: Mapping[str, Numbers]) -> Numbers:
        """Returns SAFE for sheets that are ahead of a rival with a hard category open, BOLD for those behind."""
        safe = (views["standing"] > 0) & (views["rival_open"] & _hard_categories(ruleset) != 0)
        bold = views["standing"] < 0
        return np.where(safe & (self.caution > 0), SAFE, np.where(bold & (self.daring > 0), BOLD, 0))

    def advise(self, worths: Worths, sheet: Sheet, stance: int) -> Worths:
        """Returns the worths bent towards what is sure, or towards what is possible."""
        rate = -self.caution if stance == SAFE else self.daring
        # The best entry of all is left where it is, so that a point near it stays one point.
        bent: Worths = np.expm1(rate * (worths - worths[list(sheet.open_indices)].max())) / rate
        return bent


@lru_cache(maxsize=64)
def _hard_categories(ruleset: CheerioRuleset) -> int:
    """Returns the mask of the categories that are hard to fill well."""
    most = build_scoresheet(ruleset).points.max(axis=1)
    hard = build_aim_worth(ruleset) < HARD * most
    return sum(1 << index for index in np.flatnonzero(hard).tolist())
