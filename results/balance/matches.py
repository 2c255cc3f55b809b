"""Which match of a run is what to a balance report: for each ruleset a mirror of each strategy, and all pairs."""

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from results.errors import RunError
from results.joint import leading_deals
from results.store import Match, Run

Pair = tuple[str, str]

_ASIDE = ("name", "title", "source", "players")
"""What a ruleset says that is no rule of the games in hand."""


@dataclass(frozen=True)
class RulesetMatches:
    """The matches of one ruleset: `mirrors` by strategy, which sits in every seat, and `pairs` by two strategies."""

    name: str
    mirrors: Mapping[str, Match]
    pairs: Mapping[Pair, Match]

    @property
    def match(self) -> Match:
        """A match that tells the rules."""
        return next(iter(self.mirrors.values()))

    @property
    def is_level(self) -> bool:
        """Whether nobody is asked anything, so that all strategies are one."""
        return "ante" in self.match.ruleset.rules


@dataclass(frozen=True)
class BalanceMatches:
    """All matches of a run by ruleset, the base first; `deals` is how many all of them have, from the first on."""

    rulesets: tuple[RulesetMatches, ...]
    strategies: tuple[str, ...]
    deals: int
    games: int

    @property
    def base(self) -> RulesetMatches:
        """The ruleset that the others are held against."""
        return self.rulesets[0]


def balance_matches(run: Run) -> BalanceMatches:
    """Return the matches of a run by ruleset; RunError says all that keeps it from a balance report."""
    by_digest: dict[str, list[Match]] = {}
    for match in run.matches:
        by_digest.setdefault(match.ruleset.digest, []).append(match)
    lines = [line for match in run.matches for line in _faults(match)]
    seats = {match.seats for match in run.matches}
    if len(seats) > 1:
        lines.append(f"matches have {_listed(sorted(seats))} seats; all have to have as many")
    strategies = tuple(dict.fromkeys(name for match in run.matches for name in match.lineup))
    names = _names(by_digest)
    found = [_of_ruleset(names[digest], own) for digest, own in by_digest.items()]
    if not lines:
        lines = [line for matches in found for line in _gaps(matches, strategies)]
    if lines:
        raise RunError(
            "\n  ".join([f"{run.path} is no run of a balance report; dicecup balance plays one.", *lines])
        )
    used = [match for own in found for match in (*own.mirrors.values(), *own.pairs.values())]
    deals = min(leading_deals(run, match) for match in used)
    if not deals:
        raise RunError(
            f"{run.path} has no deal yet that all its matches have played; resume the run to play them."
        )
    return BalanceMatches(tuple(found), strategies, deals, sum(deals * match.seatings for match in used))


def differing_rules(base: Match, other: Match) -> list[str]:
    """Return how the rules of a match differ from those of the base, as `bonus.points: 35 -> 25`."""
    return list(_differences(_plain(base.ruleset.rules), _plain(other.ruleset.rules), ""))


def _faults(match: Match) -> list[str]:
    where = f"match {match.number} ({match.ruleset.name} {','.join(match.lineup)})"
    if match.is_solitaire:
        return [f"{where}: nobody plays against anybody; two sides or more are needed"]
    lines = []
    if len(set(match.lineup)) > 2:
        lines.append(f"{where}: one strategy in every seat is needed, or two")
    if any(len(names) > 1 for names in _sides(match)):
        lines.append(f"{where}: partners have to play the same strategy")
    return lines


def _sides(match: Match) -> list[set[str]]:
    """Return the strategies of each side in each seating."""
    return [
        {match.strategy_at(seating, seat) for seat in range(match.seats) if match.sides[seat] == side}
        for seating in range(match.seatings)
        for side in set(match.sides)
    ]


def _of_ruleset(name: str, matches: Iterable[Match]) -> RulesetMatches:
    mirrors: dict[str, Match] = {}
    pairs: dict[Pair, Match] = {}
    for match in matches:
        first, *others = dict.fromkeys(match.lineup)
        if others:
            pairs.setdefault((first, others[0]), match)
        else:
            mirrors.setdefault(first, match)
    return RulesetMatches(name, mirrors, pairs)


def _gaps(matches: RulesetMatches, strategies: tuple[str, ...]) -> list[str]:
    lines = [
        f"{matches.name}: a match is missing in which {name} sits in every seat"
        for name in strategies
        if name not in matches.mirrors
    ]
    return lines + [
        f"{matches.name}: a match of {one} and {other} is missing"
        for one, other in itertools.combinations(strategies, 2)
        if not {(one, other), (other, one)} & matches.pairs.keys()
    ]


def _names(by_digest: Mapping[str, list[Match]]) -> dict[str, str]:
    """Return a name for each ruleset; those that share one are told apart by their digests."""
    plain = {digest: own[0].ruleset.name for digest, own in by_digest.items()}
    shared = [name for name in plain.values() if list(plain.values()).count(name) > 1]
    return {digest: f"{name} {digest}" if name in shared else name for digest, name in plain.items()}


def _plain(rules: Any) -> Any:
    """Return rules as tables within tables, categories by their ids."""
    if isinstance(rules, Mapping):
        return {key: _plain(value) for key, value in rules.items() if key not in _ASIDE}
    if isinstance(rules, list) and rules and all(isinstance(r, Mapping) and "id" in r for r in rules):
        return {rule["id"]: _plain({key: v for key, v in rule.items() if key != "id"}) for rule in rules}
    return rules


def _differences(old: Any, new: Any, key: str) -> Iterable[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        for name in (*old, *(name for name in new if name not in old)):
            yield from _differences(old.get(name), new.get(name), f"{key}.{name}" if key else name)
    elif isinstance(old, dict) or isinstance(new, dict):
        yield f"{key}: {'changed' if old and new else 'left out' if old else 'added'}"
    elif old != new:
        yield f"{key}: {_shown(old)} -> {_shown(new)}"


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    return _listed(value) if isinstance(value, list) else str(value)


def _listed(values: Iterable[Any]) -> str:
    return ", ".join(map(str, values))
