"""Reads a sheet and dice as the options of dicecup advise give them, and refuses what can't be."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from jobs.errors import JobError
from sim.cheerio_ruleset import CheerioRuleset
from sim.dice import DICE, ROLL_INDEX
from sim.mistakes import near_hint, shown
from sim.ruleset import load_ruleset, shipped_rulesets
from sim.views import open_mask
from strategies.situation import Situation, filled_categories, possible_points, possible_uppers

ALL, NONE, BUT = "all", "none", "all but "
#: What to do about a view that isn't known.
ADVICE = {
    "upper": "give --upper, the points in the filled categories that count towards the bonus",
    "joker": "give --joker held where its category holds points, or --joker zero where it holds a zero",
    "standing": "give --standing, or --difference and --rival-open",
    "difference": "give --difference, the points ahead of the best rival (0 alone)",
    "rival_open": "give --rival-open, the best rival's open categories (none alone)",
    "rival_upper": "give --rival-open and --rival-upper, the best rival's (none and 0 alone)",
}
ADVICE["pace"] = ADVICE["upper"]


def read_ruleset(name: str) -> CheerioRuleset:
    """Loads a ruleset; JobError for one without keeps and categories."""
    ruleset = load_ruleset(name)
    if isinstance(ruleset, CheerioRuleset):
        return ruleset
    raise JobError(
        f"{name} is a ruleset of {ruleset.game}, in which nothing is kept and nothing entered, so there are no "
        f"options to rank. Allowed are rulesets of cheerio: {', '.join(shipped_rulesets('cheerio'))}"
    )


def read_categories(words: str, ruleset: CheerioRuleset, option: str) -> int:
    """Reads a list of categories, by ids or names, `all`, `none` or `all but` some; returns their mask."""
    everything = (1 << ruleset.turns) - 1
    text = " ".join(words.split()).casefold()
    if text in (ALL, NONE):
        return everything if text == ALL else 0
    if text.startswith(BUT):
        return everything & ~_read_list(text.removeprefix(BUT), ruleset, option)
    return _read_list(text, ruleset, option)


def _read_list(text: str, ruleset: CheerioRuleset, option: str) -> int:
    # Ids last, so that none is hidden by another category's name.
    names = {_plain(rule.name): index for index, rule in enumerate(ruleset.categories.values())}
    names |= {key: index for index, key in enumerate(ruleset.categories)}
    found: list[int] = []
    for word in text.split(","):
        name = _plain(word)
        if name not in names:
            raise JobError(
                f"{option}: {shown(word.strip())} given{near_hint(name, ruleset.categories)}; allowed: a list of "
                f"{', '.join(ruleset.categories)}, with commas between; or all, none, or all but some of them"
            )
        if names[name] in found:
            raise JobError(f"{option}: {shown(word.strip())} given twice; name each category once")
        found.append(names[name])
    return open_mask(found)


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+", "-", name.strip().casefold())


def read_open(opened: str | None, filled: str | None, ruleset: CheerioRuleset) -> int:
    """Returns the mask of the open categories, given those or the filled ones; all where neither is given."""
    if opened is not None and filled is not None:
        raise JobError("--open and --filled given; one tells the other, so leave one of them out")
    everything = (1 << ruleset.turns) - 1
    mask = everything
    if opened is not None:
        mask = read_categories(opened, ruleset, "--open")
    elif filled is not None:
        mask = everything & ~read_categories(filled, ruleset, "--filled")
    if not mask:
        raise JobError(
            "no category is open: the sheet is full and the game over; at least one has to be open"
        )
    return mask


def read_dice(words: str) -> int:
    """Reads five dice, as 2,3,4,5,5 or 23455; returns the roll's index."""
    faces = re.findall(r"\d", words)
    if len(faces) != DICE or not re.fullmatch(r"\s*([1-6][\s,-]*)+", words):
        raise JobError(
            f"--dice: {shown(words)} given; five dice from 1 to 6 are needed, as 2,3,4,5,5 or 23455"
        )
    return ROLL_INDEX[tuple(sorted(map(int, faces)))]


def read_throws_left(given: int | None, ruleset: CheerioRuleset, thrown: bool) -> int | None:
    """Returns the throws that may follow the dice, None where none are thrown."""
    if not thrown:
        if given is not None:
            raise JobError(
                "--throws-left given without --dice; give the dice that lie there, or leave it out"
            )
        return None
    most = ruleset.throws - 1
    if given is None and most:
        raise JobError(f"--dice given without --throws-left; give how many throws may follow: 0 to {most}")
    if given is not None and not 0 <= given <= most:
        raise JobError(f"--throws-left {given} given; under {ruleset.name} 0 to {most} may follow a throw")
    return given or 0


def build_situation(ruleset: CheerioRuleset, opened: int, **known: Any) -> Situation:
    """Builds a sheet of what is known of it; JobError for what can't be."""
    joker = ruleset.joker
    if known["joker"] is not None:
        if joker is None:
            raise JobError(f"--joker given; {ruleset.name} has no joker, leave it out")
        if opened >> list(ruleset.categories).index(joker.category) & 1:
            name = ruleset.categories[joker.category].name
            raise JobError(
                f"--joker given; {name} is open, so no joker is held. Leave it out, or fill {name}"
            )
    if known["rival_upper"] is not None and known["rival_open"] is None:
        raise JobError(
            "--rival-upper given without --rival-open; give the best rival's open categories as well"
        )
    situation = Situation(ruleset=ruleset, opened=opened, **known)
    _check_upper(ruleset, "--upper", situation.upper, opened)
    if situation.rival_open is not None:
        _check_upper(ruleset, "--rival-upper", situation.rival_upper, situation.rival_open)
    return situation


def check_points(situation: Situation, points: int | None) -> None:
    """Raises JobError where a sheet can't have so many points, the bonus apart."""
    if points is None:
        return
    possible = possible_points(situation)
    if points not in possible:
        names = _names(situation.ruleset, situation.filled)
        raise JobError(
            f"--points {points} given; {names}, it may be {_near(points, possible)}, the bonus apart"
        )


def check_known(situation: Situation, needed: Collection[tuple[str, str]]) -> None:
    """Raises JobError for all views that are needed and not known, given in pairs: by whom, and the view."""
    views = situation.views()
    lines: dict[str, None] = {}
    for who, view in needed:
        if view not in views:
            possible = ""
            if view in ("upper", "pace"):
                numbers = possible_uppers(situation.ruleset, situation.opened)
                possible = f": {_range(numbers)}"
            lines[f"{who} depends on {view}, which isn't known; {ADVICE[view]}{possible}"] = None
    if lines:
        raise JobError("\n".join(lines))


def _check_upper(ruleset: CheerioRuleset, option: str, given: int | None, opened: int) -> None:
    possible = possible_uppers(ruleset, opened)
    if given is not None and given not in possible:
        rules = list(ruleset.categories.values())
        counted = [index for index in filled_categories(ruleset, opened) if rules[index].upper]
        raise JobError(
            f"{option} {given} given; {_names(ruleset, counted)}, it may be {_near(given, possible)}"
        )


def _names(ruleset: CheerioRuleset, indices: Sequence[int]) -> str:
    names = [rule.name for rule in ruleset.categories.values()]
    filled = ", ".join(names[index] for index in indices)
    return f"with {filled} filled" if filled else "with nothing filled that counts"


def _range(numbers: Collection[int]) -> str:
    least, most = min(numbers), max(numbers)
    return f"{least} to {most}" if most > least else f"{least}"


def _near(given: int, possible: Collection[int]) -> str:
    """Names the nearest numbers on either side, and the range of all."""
    nearest = [
        *sorted(number for number in possible if number < given)[-1:],
        *sorted(number for number in possible if number > given)[:1],
    ]
    if len(possible) == 1:
        return f"{nearest[0]} alone"
    return f"{' or '.join(map(str, nearest))}, of all from {_range(possible)}"
