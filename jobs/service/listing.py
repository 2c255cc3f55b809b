"""What there is below a root: every run, how far it is, who plays it or did, and what is wrong with it."""

from __future__ import annotations

import calendar
import re
import shlex
import time
from dataclasses import dataclass, field
from typing import Any, Literal

from jobs.errors import JobError, error_reason
from jobs.service.sessions import MOST_PLAYED, Session, load_sessions, speed_of, utc_text
from results.damage import load_damage
from results.errors import RunError, StoreUnreachable
from results.files import read_together
from results.location import Location, ObjectPath, read_location
from results.lock import owner_name, players
from results.store import MANIFEST_NAME, Match, Run, cut_chunks, run_folders
from sim.mistakes import near_hint

State = Literal["planned", "running", "interrupted", "complete", "damaged", "unreadable"]

#: Damaged chunks that a line names.
_MOST_TOLD = 3


@dataclass(frozen=True)
class Found:
    """A run as it is found; `damage` has what is wrong by file or chunk, `speed` is in games a second.

    `playing` is what the locks say of those who play it.
    """

    place: Location
    run: Run | None
    state: State
    games: int = 0
    planned: int = 0
    speed: float = 0.0
    owner: str = ""
    when: str = ""
    reason: str = ""
    damage: dict[str, str] = field(default_factory=dict)
    sessions: tuple[Session, ...] = ()
    playing: tuple[dict[str, Any], ...] = ()

    def document(self) -> dict[str, Any]:
        """Returns what all formats show."""
        return {
            "run": str(self.place),
            "name": self.run.name if self.run else self.place.name,
            "digest": self.run.digest if self.run else None,
            "state": self.state,
            "games": self.games,
            "games_planned": self.planned,
            "games_per_second": round(self.speed, 1),
            "owner": self.owner or None,
            "when": self.when or None,
            **({"reason": self.reason} if self.reason else {}),
        }


def find_runs(root: Location) -> list[Found]:
    """Returns the runs directly below a root, by name."""
    folders = run_folders(root)
    # A store is far away, and answers many at a time; a disk is not.
    return list(
        read_together(root, look_at, folders) if isinstance(root, ObjectPath) else map(look_at, folders)
    )


def look_at(folder: Location, ends: bool = True) -> Found:
    """Returns what there is of the run in a folder, by the names of its files and, where asked for, the ends of them.

    A run that can't be read is found as unreadable. OSError where a store can't be reached.
    """
    try:
        return _look_at(Run.open(folder), ends)
    except StoreUnreachable:
        raise
    except RunError as error:
        return Found(folder, None, "unreadable", reason=str(error))
    except OSError as error:
        return Found(folder, None, "unreadable", reason=error_reason(error))


def _look_at(run: Run, ends: bool) -> Found:
    folder = run.path
    damage = _damage(run) if ends else {}
    games, planned = (sum(count(run, match) for match in run.matches) for count in (games_there, _games))
    sessions = tuple(load_sessions(folder))
    playing = tuple(players(folder))
    last = sessions[-1] if sessions else Session()
    state: State = (
        "running"
        if playing
        else "damaged"
        if damage
        else "complete"
        if games == planned
        else "interrupted"
        if games
        else "planned"
    )
    if playing:
        said = playing[0]
        owner, when = owner_name(said), utc_text(time.gmtime(time.time() - said["age"]))
        seconds, played = told_figure(said, "seconds"), told_figure(said, "played")
        speed = speed_of(played, seconds)
    else:
        owner, when, speed = last.owner, last.ended or last.started, last.speed
    told = [f"chunk {place}: {why}" for place, why in list(damage.items())[:_MOST_TOLD]]
    more = len(damage) - len(told)
    reason = "; ".join([*told, *([f"and {more:,} more"] if more else [])])
    return Found(folder, run, state, games, planned, speed, owner, when, reason, damage, sessions, playing)


def look_below(place: str, root: Location | None) -> Found | None:
    """Returns what there is of a run at a place below a root; None where it is elsewhere, or out of sight from here."""
    if root is None or not place.startswith(f"{root}/"):
        return None
    try:
        return look_at(read_location(place))
    except (RunError, OSError):
        return None


def games_there(run: Run, match: Match) -> int:
    """Returns the games of a match whose parts are there."""
    chunks = run.committed_chunks(match)
    return sum(len(match.chunk_deals_of(chunk)) for chunk in chunks) * match.seatings


def find_run(words: str, place: Location, root: Location) -> Location:
    """Returns the folder of a run by its place, its name below a root, or what its digest begins with.

    Raises JobError where there is none, or where several are meant.
    """
    if not words.strip():
        raise JobError("no run is named; give its folder, its name, or what its digest begins with")
    if "/" in words or (place / MANIFEST_NAME).exists():
        return place
    known = run_folders(root)
    # A name goes before what a digest may happen to begin with.
    meant = [folder for folder in known if folder.name == words]
    meant = meant or [folder for folder in known if folder.name.rpartition("-")[0] == words]
    meant = meant or [folder for folder in known if _means(folder.name, words)]
    if len(meant) == 1:
        return meant[0]
    if not meant and place.is_dir():
        return place
    if meant:
        named = ", ".join(folder.name for folder in meant[:5])
        more = f" and {len(meant) - 5:,} more" if len(meant) > 5 else ""
        raise JobError(f"{words} may be {named}{more} below {root}; give more of its name and digest")
    hint = near_hint(
        words, [name for folder in known for name in (folder.name, folder.name.rpartition("-")[0])]
    )
    listed = f"dicecup jobs --root {shlex.quote(str(root))}"
    raise JobError(
        f"{words} does not exist here, and no run below {root} has this name, or a digest that begins so (three digits "
        f"or more){hint}; {listed} lists what there is"
    )


def ago_text(when: str) -> str:
    """Returns how long ago a moment in UTC was, for people: `2 min ago`."""
    try:
        seconds = time.time() - calendar.timegm(time.strptime(when, "%Y-%m-%dT%H:%M:%SZ"))
    except ValueError:
        return when
    if seconds < 0:
        return when
    for unit, length in (("days", 86400), ("h", 3600), ("min", 60)):
        if seconds >= (2 * length if unit == "days" else length):
            return f"{int(seconds // length):,} {unit} ago"
    return f"{int(seconds)} s ago"


def _damage(run: Run) -> dict[str, str]:
    """Returns what is wrong by chunk: what reading all of them showed once, and what their ends show now."""
    known = load_damage(run)
    return {
        f"{match.number}/{chunk}": reason
        for match in run.matches
        for chunk, reason in (
            known.get(match.number, {})
            | {chunk: fault.reason for chunk, fault in cut_chunks(run, match).items()}
        ).items()
    }


def told_figure(said: dict[str, Any], key: str) -> float:
    """Returns a figure that a lock tells, 0 where it tells none that is one."""
    figure = said.get(key)
    return float(figure) if isinstance(figure, (int, float)) and 0 <= figure <= MOST_PLAYED else 0.0


def _games(_run: Run, match: Match) -> int:
    return match.games


def _means(name: str, words: str) -> bool:
    """Tells whether words are the beginning of a run's digest, or its name with such a beginning."""
    own, _, digest = name.rpartition("-")
    named = re.fullmatch(rf"{re.escape(own)}-([0-9a-f]+)|([0-9a-f]{{3,}})", words)
    return named is not None and digest.startswith(named[1] or named[2])
