"""Whether a run is whole: every byte of its parts is read, their rows are counted and hashed again."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

from jobs.digest import categories_digest, digest_text, games_digest, run_digest
from jobs.errors import error_message, error_reason
from jobs.plan import rebuild_ruleset
from jobs.progress import note
from jobs.until import Remaining
from jobs.yardstick import best_mean
from results.damage import keep_damage
from results.errors import DamagedPart, RunError, StoreError, StoreUnreachable
from results.files import read_together
from results.location import Location, file_size
from results.lock import players
from results.manifest import RESTORE
from results.store import MANIFEST_NAME, Match, Run, read_part
from results.until.stops import stop_path
from sim.ruleset import RulesetError

#: Points on average by which two machines may differ about perfect play.
_MEANS_DIFFER = 1e-6


@dataclass
class Verified:
    """What a run comes to: chunks and games that are whole, bytes read, what is wrong, and the digest if all is there.

    `damage` has what is wrong by match and chunk, `wrong` the reasons of other files. `digest` is None while anything
    is missing or wrong.
    """

    run: Run
    chunks: int = 0
    games: int = 0
    size: int = 0
    damage: dict[tuple[int, int], DamagedPart] = field(default_factory=dict)
    wrong: dict[str, str] = field(default_factory=dict)
    digest: str | None = None

    @property
    def chunks_planned(self) -> int:
        """Counts the chunks of all matches."""
        return sum(match.chunks for match in self.run.matches)

    @property
    def is_whole(self) -> bool:
        """Tells whether nothing is wrong with what is there; chunks may be missing."""
        return not self.damage and not self.wrong

    def document(self) -> dict[str, Any]:
        """Returns what all formats show."""
        damaged = [
            {
                "match": match,
                "chunk": chunk,
                "file": str(error.path).removeprefix(f"{self.run.path}/"),
                "reason": damage_text(error),
            }
            for (match, chunk), error in self.damage.items()
        ]
        others = [
            {"match": None, "chunk": None, "file": file, "reason": reason}
            for file, reason in self.wrong.items()
        ]
        return {
            "run": str(self.run.path),
            "whole": self.is_whole,
            "chunks": self.chunks,
            "chunks_planned": self.chunks_planned,
            "games": self.games,
            "games_planned": sum(match.games for match in self.run.matches),
            "bytes": self.size,
            "rows": self.digest,
            "wrong": damaged + others,
        }


def verified_document(place: Location) -> dict[str, Any]:
    """Returns what all formats show of the run at a place; where it can't be read, why is what is wrong with it.

    Raises RunError where there is none, and StoreError or StoreUnreachable where a store does not answer.
    """
    try:
        return verify_run(Run.open(place)).document()
    except (StoreError, StoreUnreachable):
        raise
    except (RunError, OSError) as error:
        if not (place / MANIFEST_NAME).exists():
            raise
        reason = error_reason(error) if isinstance(error, OSError) else str(error)
        unread: dict[str, Any] = dict.fromkeys(
            ("chunks", "chunks_planned", "games", "games_planned", "bytes"), 0
        )
        fault = {
            "match": None,
            "chunk": None,
            "file": MANIFEST_NAME if isinstance(error, RunError) else str(place),
            "reason": reason,
        }
        return {"run": str(place), "whole": False, **unread, "rows": None, "wrong": [fault]}


def verify_run(run: Run, alone: bool = False) -> Verified:
    """Returns what reading every byte of a run shows, and keeps what is damaged for dicecup jobs to tell.

    `alone` tells that whoever asks holds the run, so that nobody else is about to write anything.
    """
    found = Verified(run)
    digests: list[list[int]] = []
    # A stop that is wrong would hide the parts behind it.
    for match, planned in zip(run.matches, run.as_planned().matches, strict=True):
        there = run.committed_chunks(planned)
        checked = read_together(run.path, partial(check_chunk, run, planned), there)
        digests.append([])
        for chunk, (digest, size, error) in zip(there, checked, strict=True):
            found.size += size
            if error is not None:
                found.damage[match.number, chunk] = error
                continue
            if chunk >= match.chunks:
                continue
            found.chunks += 1
            found.games += len(match.chunk_deals_of(chunk)) * match.seatings
            digests[-1].append(digest)
    if not found.damage:
        _check_stops(found, alone)
    _check_notes(found)
    if found.is_whole and found.chunks == found.chunks_planned:
        found.digest = digest_text(run_digest(digests))
    try:
        keep_damage(
            run, {f"{match}/{chunk}": damage_text(error) for (match, chunk), error in found.damage.items()}
        )
    except (OSError, StoreError) as error:
        # Who may only read is told all the same.
        note(f"what was found is not kept for dicecup jobs: {error_message(error)}")
    return found


def check_chunk(run: Run, match: Match, chunk: int) -> tuple[int, int, DamagedPart | None]:
    """Returns the digest of a chunk's rows, the bytes of its files, and what is wrong with them if anything is."""
    parts = run.games_part(match, chunk), run.categories_part(match, chunk)
    try:
        footer, games, categories = read_part(run, match, chunk)
        digest = (games_digest(games) + categories_digest(categories)) % 2**64
        size = sum(map(file_size, parts))
        if digest_text(digest) != footer.rows_digest:
            reason = f"its rows have the digest {digest_text(digest)}, {footer.rows_digest} was committed"
            raise DamagedPart(parts[0], reason)
    except DamagedPart as error:
        return 0, 0, error
    except FileNotFoundError:
        return 0, 0, DamagedPart(parts[0], "it went away while it was read")
    return digest, size, None


def damage_text(error: DamagedPart) -> str:
    """Returns which file of a chunk is damaged, and why."""
    return f"{'/'.join(str(error.path).rsplit('/', 2)[1:])}: {error.reason}"


def _check_notes(found: Verified) -> None:
    """Holds what perfect play is said to score, which no part says, against what it does score."""
    for match in found.run.matches:
        if match.best_mean is None:
            continue
        try:
            best = best_mean(rebuild_ruleset(match.ruleset.rules, match.ruleset.name))
        except RulesetError:
            best = None
        if best is None or abs(best - match.best_mean) > _MEANS_DIFFER:
            score = "is not known" if best is None else f"scores {best:.9f}"
            found.wrong[MANIFEST_NAME] = (
                f"best_mean of match {match.number} is {match.best_mean:.9f}, perfect play {score}. {RESTORE}"
            )


def _check_stops(found: Verified, alone: bool) -> None:
    """Holds what is written down of stopped matches against their parts."""
    run = found.run
    # Who plays writes a stop a moment after the last part. Asked first: whoever leaves has written it by then.
    played = not alone and bool(players(run.path))
    try:
        unsettled = Remaining(run.as_planned()).unsettled()
    except RunError as error:
        found.wrong[str(run.path)] = str(error)
        return
    for number in unsettled:
        there = stop_path(run.path, number).exists()
        if there or not played:
            fault = "it is not what the parts show" if there else "it is missing"
            found.wrong[f"matches/{number:02d}/stop.json"] = f"{fault}; resuming makes it again"
