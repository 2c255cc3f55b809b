"""From the manifest of a run back to the job that it holds, so that it can be resumed or replayed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jobs.errors import JobError
from jobs.job import Job, JobMatch
from jobs.plan import rebuild_ruleset
from results.store import Match, Run
from sim.ruleset import Ruleset
from strategies.lineup import Player, file_player, foretold_digest, get_player, tidied
from strategies.strategy import StrategyError

#: What to do where strategies are not what a run was made with.
BRING_BACK = (
    "Bring back the strategies as they were, or replace the run: give its job to dicecup run with --force"
)


def rebuild_job(run: Run) -> Job:
    """Builds the job of a run again: rulesets from the manifest, strategies from where they were found."""
    asked = run.manifest["job"]
    matches = tuple(
        JobMatch(
            rebuild_rules(run, match),
            rebuild_lineup(run, match),
            _games(match),
            match.until,
        )
        for match in run.matches
    )
    # A job keeps the luck of all its matches or of none.
    luck = any(match.luck for match in run.matches)
    return Job(run.name, run.seed, matches, asked.get("chunk"), luck=luck)


def rebuild_rules(run: Run, match: Match) -> Ruleset:
    """Returns the ruleset of a match; raises JobError where the manifest does not agree with itself about it."""
    ruleset = rebuild_ruleset(match.ruleset.rules, f"of {run.path}")
    lines = [(line.id, line.name, line.upper) for line in ruleset.lines]
    told = [(line.id, line.name, line.upper) for line in match.categories]
    if (ruleset.digest, lines) != (match.ruleset.digest, told):
        raise JobError(
            f"the rules of match {match.number} of {run.path} are not those that its manifest is about; restore it, or "
            "play the job again"
        )
    return ruleset


def rebuild_lineup(run: Run, match: Match) -> tuple[Player, ...]:
    """Returns the players of a match; raises JobError where one is not there any more, or is not what it was."""
    players, changed = rebuild_players(run, match)
    if changed:
        raise JobError(f"{run.path} was made otherwise: {since_changed(changed)}. {BRING_BACK}")
    return tuple(players[label] for label in match.lineup)


def rebuild_players(run: Run, match: Match) -> tuple[dict[str, Player], list[str]]:
    """Returns the players that are what a match was played with, by label, and the labels of the others.

    Nothing of a user's file is run before its text is known to be what the match was played with, and nothing at all
    of one within the run's folder: a run is data, whoever made it. Raises JobError where a strategy is not there any
    more.
    """
    players: dict[str, Player] = {}
    changed: list[str] = []
    for label in dict.fromkeys(match.lineup):
        path = _file_of(run, match, label)
        try:
            player = None if _is_changed(match, label, path) else _player(label, path)
        except StrategyError as error:
            place = f" It was found at {path}; bring it back there." if path else ""
            raise JobError(
                f"{run.path} was played with {label}, which is not there any more: {error}.{place}"
            ) from None
        if player is None or changed_strategies(match, (player,)):
            changed.append(label)
        else:
            players[label] = player
    return players, changed


def changed_strategies(match: Match, players: tuple[Player, ...]) -> list[str]:
    """Names the strategies of a match whose source is not what its games were played with."""
    changed = [
        player.label
        for player in players
        if player.source.digest != match.strategies[player.label].source_digest
    ]
    return list(dict.fromkeys(changed))


def since_changed(labels: Sequence[str]) -> str:
    """Says which strategies have another source than when the run was begun."""
    return f"{', '.join(labels)} {'has' if len(labels) == 1 else 'have'} changed since"


def _player(label: str, path: Path | None) -> Player:
    return get_player(label) if path is None else file_player(label, path)


def _is_changed(match: Match, label: str, path: Path | None) -> bool:
    """Tells whether a user's file is not what the games were played with; of a shipped one that is told later."""
    if path is None:
        return False
    strategy = match.strategies[label]
    digest = foretold_digest(label, path, match.ruleset.game, strategy.parameters)
    return digest != strategy.source_digest


def _file_of(run: Run, match: Match, label: str) -> Path | None:
    """Returns the file of a user's strategy by the manifest's note; JobError where no file may be noted so."""
    name = label.partition(":")[0]
    noted = (match.strategies[label].model_extra or {}).get("file")
    played = f"{run.path} was played with {label}"
    if not name.endswith(".py"):
        if noted is not None:
            raise JobError(
                f"{played}, of which its manifest notes a file; only one named as mine.py:Bold has a file"
            )
        return None
    if label != tidied(label) or not isinstance(noted, str) or Path(noted).name != Path(name).name:
        raise JobError(
            f"{played}, and its manifest does not note where that file is; give its job to dicecup run with --force"
        )
    folder = run.path.resolve()
    if not isinstance(folder, Path) and not Path(noted).is_absolute():
        raise JobError(
            f"{played}, and its manifest notes {noted}, which leads nowhere from a store; give its job to dicecup run"
        )
    try:
        # From a store no path leads to a file of this machine: the note has a whole one.
        path = (folder / noted if isinstance(folder, Path) else Path(noted)).resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise JobError(f"{played}, and its manifest notes a place where no file can be: {error}") from None
    if isinstance(folder, Path) and path.is_relative_to(folder):
        raise JobError(
            f"{played}, whose file is within the folder of the run; a run is data, and nothing in it is run. If you "
            f"trust {path}, move it elsewhere and give its job to dicecup run"
        )
    return path


def _games(match: Match) -> int:
    asked = (match.model_extra or {}).get("games_asked")
    return asked if isinstance(asked, int) else match.planned_deals * match.seatings
