"""From the manifest of a run back to the job that it holds, so that it can be resumed or replayed."""

from __future__ import annotations

from pathlib import Path

from jobs.errors import JobError
from jobs.job import Job, JobMatch, player_at
from jobs.plan import rebuild_ruleset
from results.store import Match, Run
from strategies.lineup import Player, get_player
from strategies.strategy import StrategyError


def rebuild_job(run: Run) -> Job:
    """Builds the job of a run again: rulesets from the manifest, strategies from where they were found."""
    asked = run.manifest["job"]
    matches = tuple(
        JobMatch(
            rebuild_ruleset(match.ruleset.rules, f"of {run.path}"),
            rebuild_lineup(run, match),
            _games(match),
            match.until,
        )
        for match in run.matches
    )
    # A job keeps the luck of all its matches or of none.
    luck = any(match.luck for match in run.matches)
    return Job(run.name, run.seed, matches, asked.get("chunk"), luck=luck)


def rebuild_lineup(run: Run, match: Match) -> tuple[Player, ...]:
    """Builds the players of a match; raises JobError where one is not there any more."""
    players = {label: _rebuild_player(run, match, label) for label in dict.fromkeys(match.lineup)}
    return tuple(players[label] for label in match.lineup)


def changed_strategies(match: Match, players: tuple[Player, ...]) -> list[str]:
    """Names the strategies of a match whose source is not what its games were played with."""
    changed = [
        player.label
        for player in players
        if player.source.digest != match.strategies[player.label].source_digest
    ]
    return list(dict.fromkeys(changed))


def _rebuild_player(run: Run, match: Match, label: str) -> Player:
    noted = (match.strategies[label].model_extra or {}).get("file")
    try:
        return get_player(label) if noted is None else player_at(label, (run.path / Path(noted)).resolve())
    except StrategyError as error:
        place = f" It was found at {noted} from {run.path}; bring it back there." if noted else ""
        raise JobError(
            f"{run.path} was played with {label}, which is not there any more: {error}.{place}"
        ) from None


def _games(match: Match) -> int:
    asked = (match.model_extra or {}).get("games_asked")
    return asked if isinstance(asked, int) else match.planned_deals * match.seatings
