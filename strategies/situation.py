"""A sheet as its player describes it: what can be on it, and what is known of each view."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sim.cheerio_ruleset import CheerioRuleset
from sim.views import (
    MOST_DIFFERENCE,
    PACE_FAR,
    STANDING_FAR,
    STANDING_NEAR,
    VIEWS,
    masked_categories,
    upper_cap,
)
from sim.worth import build_worth
from strategies.strategy import build_scoresheet


@dataclass(frozen=True, kw_only=True)
class Situation:
    """A sheet, by the mask of its open categories, and its rival's, as far as they are known; None is not known.

    `upper` is the whole subtotal, `joker` tells whether the joker's category holds points; the others are as
    sim.views has them.
    """

    ruleset: CheerioRuleset
    opened: int
    upper: int | None = None
    joker: bool | None = None
    standing: int | None = None
    difference: int | None = None
    rival_open: int | None = None
    rival_upper: int | None = None

    @property
    def filled(self) -> tuple[int, ...]:
        """Returns the indices of the filled categories."""
        return filled_categories(self.ruleset, self.opened)

    def views(self) -> dict[str, int]:
        """Returns the number of each view that is known or follows from what is known."""
        upper = self._upper(self.opened, self.upper)
        cap = upper_cap(self.ruleset)
        found: dict[str, int | None] = {
            "open": self.opened,
            "upper": None if upper is None else min(upper, cap),
            "pace": None if upper is None else self._pace(upper),
            "turns_left": self.opened.bit_count(),
            "standing": self._standing(),
            "joker": self._joker(),
        }
        if self.difference is not None:
            found["difference"] = min(max(self.difference, -MOST_DIFFERENCE), MOST_DIFFERENCE)
        if self.rival_open is not None:
            rival_upper = self._upper(self.rival_open, self.rival_upper)
            found["rival_open"] = self.rival_open
            found["rival_upper"] = None if rival_upper is None else min(rival_upper, cap)
        known = {view: found.get(view) for view in VIEWS}
        return {view: value for view, value in known.items() if value is not None}

    def _upper(self, opened: int, given: int | None) -> int | None:
        possible = possible_uppers(self.ruleset, opened)
        return next(iter(possible)) if given is None and len(possible) == 1 else given

    def _joker(self) -> int | None:
        rule = self.ruleset.joker
        if rule is None or self.opened >> list(self.ruleset.categories).index(rule.category) & 1:
            return 0
        return None if self.joker is None else int(self.joker)

    def _pace(self, upper: int) -> int:
        rules = list(self.ruleset.categories.values())
        par = sum(3 * (rules[index].pattern.face or 0) for index in self.filled if rules[index].upper)
        return _stepped(upper - par, 1, PACE_FAR)

    def _standing(self) -> int | None:
        if self.standing is not None or self.difference is None or self.rival_open is None:
            return self.standing
        worth = build_worth(self.ruleset).tolist()
        own, rival = (
            sum(worth[index] for index in masked_categories(mask)) for mask in (self.opened, self.rival_open)
        )
        return _stepped(self.difference + own - rival, STANDING_NEAR, STANDING_FAR)


def filled_categories(ruleset: CheerioRuleset, opened: int) -> tuple[int, ...]:
    """Returns the indices of the categories that are not open, in sheet order."""
    return masked_categories(((1 << ruleset.turns) - 1) & ~opened)


def possible_uppers(ruleset: CheerioRuleset, opened: int) -> frozenset[int]:
    """Returns the upper subtotals that a sheet with these open categories may have."""
    rules = list(ruleset.categories.values())
    return _sums(ruleset, (index for index in filled_categories(ruleset, opened) if rules[index].upper))


def possible_points(situation: Situation) -> frozenset[int]:
    """Returns the points that may have been scored on a sheet, extra points of jokers included and the bonus not."""
    ruleset, filled = situation.ruleset, situation.filled
    rules = list(ruleset.categories.values())
    upper = situation.upper
    counted = filled if upper is None else [index for index in filled if not rules[index].upper]
    rule = ruleset.joker
    own = None if rule is None else list(ruleset.categories).index(rule.category)
    held = situation.joker
    if rule is None or own not in filled or held is None:
        sums = _sums(ruleset, counted)
    else:
        paid = max(build_scoresheet(ruleset).points[own].tolist()) if held else 0
        others = _sums(ruleset, (index for index in counted if index != own))
        again = range(len(filled) if held else 1)
        sums = frozenset(other + paid + times * rule.points for other in others for times in again)
    return frozenset(upper + points for points in sums) if upper is not None else sums


def _sums(ruleset: CheerioRuleset, categories: Iterable[int]) -> frozenset[int]:
    """Returns all that the entries of some categories may add up to."""
    scoresheet = build_scoresheet(ruleset)
    sums = {0}
    for index in categories:
        entries = set(scoresheet.points[index].tolist())
        if scoresheet.joker is not None:
            entries |= set(scoresheet.joker.points[index].tolist())
        sums = {total + entry for total in sums for entry in entries}
    return frozenset(sums)


def _stepped(ahead: int, near: int, far: int) -> int:
    return (ahead >= near) + (ahead >= far) - (ahead <= -near) - (ahead <= -far)
