"""The job behind dicecup balance: every ruleset with the same strategies, each against its equals and each other."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TypeVar

from jobs.errors import JobError
from jobs.games import other_game_fault, rules_text_of
from jobs.job import DRAWN_SEED_BITS, Job, JobMatch, luck_faults, mistaken, read_player, ruled
from jobs.orders import MOST_MATCHES
from jobs.plan import count_seatings
from jobs.vary import varied_rulesets
from sim.ruleset import Ruleset, RulesetError, load_ruleset
from strategies.lineup import Player
from strategies.strategy import StrategyError

Found = TypeVar("Found")


@dataclass(frozen=True)
class BalanceOrder:
    """What is asked for: rulesets of which the first is the base, what to vary in it, and who plays.

    None stands for the usual: strategies of the base's game, the fewest players that all rulesets allow, a drawn seed,
    luck where every ruleset allows it.
    """

    rulesets: Sequence[str]
    vary: Sequence[str] = ()
    strategies: Sequence[str] | None = None
    players: int | None = None
    games: int = 100_000
    seed: int | None = None
    luck: bool | None = None


def build_balance_job(order: BalanceOrder) -> Job:
    """Builds the job that plays every ruleset with the same lineups; raises JobError with its mistakes.

    A lineup is a strategy against its equals, or two by turns over the sides. `games` are those of two strategies, or
    of one if there is no other, rounded up to whole deals; all matches have the same deals.
    """
    rulesets = read_rulesets(order.rulesets, order.vary)
    base = rulesets[0]
    seats = _player_count(rulesets, order.players)
    words = rules_text_of(base.game).usual_strategies(base) if order.strategies is None else order.strategies
    players = _read_players(words, base)
    sets = [*((player,) for player in players), *combinations(players, 2)]
    _check_size(rulesets, players, len(sets))
    faults = [fault for ruleset in rulesets for fault in luck_faults(ruleset)]
    if order.luck and faults:
        raise mistaken("", faults)
    lineups = [(ruleset, _lineup(ruleset, opponents, seats)) for ruleset in rulesets for opponents in sets]
    seatings = [count_seatings(tuple(player.label for player in lineup)) for _, lineup in lineups]
    # All matches have the same deals, so that whatever is compared is paired.
    deals = -(-order.games // max(seatings))
    matches = tuple(
        JobMatch(ruleset, lineup, deals * count)
        for (ruleset, lineup), count in zip(lineups, seatings, strict=True)
    )
    seed = secrets.randbits(DRAWN_SEED_BITS) if order.seed is None else order.seed
    luck = not faults if order.luck is None else order.luck
    return Job("balance", seed, matches, None, order.seed is None, luck)


def read_rulesets(names: Sequence[str], vary: Sequence[str]) -> list[Ruleset]:
    """Reads the rulesets of one game, the base first, then those that differ from it in one rule.

    Of rulesets with the same rules only the first is kept where the others are varied; two given ones are refused.
    """
    given = _each(load_ruleset, names, RulesetError)
    base = given[0]
    for place, ruleset in enumerate(given):
        if ruleset.game != base.game:
            raise JobError(
                f"{base.name} is a ruleset of {base.game} and {ruleset.name} one of {ruleset.game}, whose games have "
                "nothing to be compared by; give rulesets of one game"
            )
        for other in given[:place]:
            _refuse_twin(other, ruleset)
    kept: dict[str, Ruleset] = {}
    for ruleset in (*given, *varied_rulesets(base, vary)):
        kept.setdefault(ruleset.digest, ruleset)
    return list(kept.values())


def _refuse_twin(first: Ruleset, second: Ruleset) -> None:
    if first.digest == second.digest:
        same = f"{first.name} and {second.name} have the same rules" if first.name != second.name else ""
        raise JobError(f"{same or f'ruleset {first.name} is given twice'}; once is enough")
    if first.name == second.name:
        raise JobError(
            f"two rulesets with different rules are named {first.name}, which would be told as one; rename one of them "
            "with name = in its file"
        )


def _player_count(rulesets: Sequence[Ruleset], asked: int | None) -> int:
    """Returns how many sit down: as asked, or the fewest that make sides under every ruleset."""
    allowed = {
        ruleset.name: [count for count in ruleset.players if ruleset.sides(count) > 1] for ruleset in rulesets
    }
    common = set.intersection(*map(set, allowed.values()))
    if asked is None and common:
        return min(common)
    if asked in common and asked is not None:
        return asked
    told = "; ".join(
        f"{name} is for {', '.join(map(str, counts)) or 'one side alone'}"
        for name, counts in allowed.items()
        if asked is None or asked not in counts
    )
    if asked is not None:
        raise JobError(f"--players {asked} given; with somebody to win against, {told}")
    raise JobError(f"no number of players suits all rulesets: {told}; leave out those that don't go together")


def _read_players(words: Sequence[str], base: Ruleset) -> list[Player]:
    players = _each(lambda entry: ruled(read_player(entry, Path())), words, StrategyError)
    labels = [player.label for player in players]
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice:
        raise JobError(f"--strategies names {', '.join(twice)} twice; once is enough")
    if fault := other_game_fault(players, base):
        raise JobError(fault)
    return players


def _check_size(rulesets: Sequence[Ruleset], players: Sequence[Player], sets: int) -> None:
    matches = sets * len(rulesets)
    if matches > MOST_MATCHES:
        raise JobError(
            f"{len(rulesets)} rulesets with {len(players)} strategies are {matches:,} matches; at most "
            f"{MOST_MATCHES:,} are allowed, so name fewer"
        )


def _lineup(ruleset: Ruleset, opponents: Sequence[Player], seats: int) -> tuple[Player, ...]:
    """Seats opponents by turns over the sides; partners play the same strategy."""
    sides = ruleset.sides(seats)
    return tuple(opponents[seat % sides % len(opponents)] for seat in range(seats))


def _each(read: Callable[[str], Found], names: Sequence[str], kind: type[Exception]) -> list[Found]:
    """Reads what names stand for; JobError with all that is wrong."""
    found, lines = [], []
    for name in names:
        try:
            found.append(read(name))
        except kind as error:
            lines.append(str(error))
    if lines:
        raise mistaken("", list(dict.fromkeys(lines)))
    return found
