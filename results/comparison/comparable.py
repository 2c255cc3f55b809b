"""Which matches of some runs can be compared: those of one seed, one ruleset, and rivals or none."""

import difflib
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

from results.errors import RunError
from results.store import Match, Run

_Key = TypeVar("_Key", bound=Hashable)
_Item = TypeVar("_Item")


def comparable_matches(
    runs: Sequence[Run], ruleset: str | None = None, seats: int | None = None
) -> list[tuple[Run, Match]]:
    """Return the matches that are asked for; RunError says why they can't be compared, or that there is none."""
    _refuse_differing(runs, "seed", lambda run: run.seed, "other seeds mean other dice; compare each apart")
    _refuse_differing(
        runs,
        "engine version",
        lambda run: int(run.manifest["engine_version"]),
        "the same job gave other rows; play the older again",
    )
    return _of_seats(_of_ruleset([(run, match) for run in runs for match in run.matches], ruleset), seats)


def _refuse_differing(runs: Sequence[Run], what: str, of: Callable[[Run], int], why: str) -> None:
    found = grouped(runs, of)
    if len(found) > 1:
        told = "; ".join(f"{value} in {listed(run.path for run in own)}" for value, own in found.items())
        raise RunError(f"The runs differ in their {what}, {told}: {why}.")


def _of_ruleset(places: Sequence[tuple[Run, Match]], name: str | None) -> list[tuple[Run, Match]]:
    names = list(dict.fromkeys(match.ruleset.name for _, match in places))
    if name is None and len(names) > 1:
        raise RunError(
            f"The games are of {len(names)} rulesets: {listed(names)}. Choose one, as --ruleset {names[0]}."
        )
    if name is not None and name not in names:
        raise RunError(f"No match is of the ruleset {name!r}; {near_names(name, names)}")
    taken = [place for place in places if name is None or place[1].ruleset.name == name]
    digests = grouped(taken, lambda place: place[1].ruleset.digest)
    if len(digests) > 1:
        told = "; ".join(
            f"{digest} in {listed(dict.fromkeys(run.path for run, _ in own))}"
            for digest, own in digests.items()
        )
        raise RunError(
            f"The ruleset {taken[0][1].ruleset.name} is not the same in all runs, by its digest: {told}. Rules that "
            "differ give other games; play one of them again under the rules of the other."
        )
    return taken


def _of_seats(places: Sequence[tuple[Run, Match]], seats: int | None) -> list[tuple[Run, Match]]:
    there = sorted({match.seats for _, match in places})
    if seats is not None and seats not in there:
        raise RunError(f"No match has {seats} seats; there are matches of {listed(there)}.")
    taken = [place for place in places if seats is None or place[1].seats == seats]
    if len({match.is_solitaire for _, match in taken}) > 1:
        raise RunError(
            "Some games are solitaire and others have rivals, which can't be compared; choose by --seats, as "
            f"--seats {there[0]} or --seats {there[-1]}."
        )
    return taken


def near_names(name: str, names: Sequence[str]) -> str:
    """Return which of some names are near one that is none of them, or all there are."""
    near = difflib.get_close_matches(name, names, n=2)
    return f"did you mean {' or '.join(near)}?" if near else f"there are: {listed(names)}."


def listed(items: Iterable[object]) -> str:
    """Return items with commas between."""
    return ", ".join(map(str, items))


def grouped(items: Sequence[_Item], of: Callable[[_Item], _Key]) -> dict[_Key, list[_Item]]:
    """Return items by a key, in their order."""
    groups: dict[_Key, list[_Item]] = {}
    for item in items:
        groups.setdefault(of(item), []).append(item)
    return groups
