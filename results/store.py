"""The run folder: its manifest, which parts are there, and how a part is committed.

<run>/manifest.json
<run>/lock-<random>                                    only while a process writes
<run>/matches/<nn>/games/part-<chunk>.parquet
<run>/matches/<nn>/categories/part-<chunk>.parquet
<run>/matches/<nn>/stop.json                           only where a match was stopped as its questions were answered
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa

from results.errors import DamagedPart, RunError, RunLocked, StoreUnreachable
from results.files import is_temporary, make_folder, move_aside, names_in, read_together, write_atomically
from results.identity import differing_keys, run_identity
from results.location import Location, ObjectPath, read_location, require_bucket
from results.lock import is_of_lock, lock_run
from results.manifest import Category, Manifest, Match, manifest_text, parse_manifest
from results.parts import (
    Footer,
    Kind,
    check_end,
    check_file,
    check_whole,
    encode_part,
    read_file,
    read_footer,
    require_shape,
)
from results.until.stops import as_stopped

__all__ = [
    "Category",
    "DamagedPart",
    "Footer",
    "Manifest",
    "Match",
    "Run",
    "RunError",
    "RunLocked",
    "check_part",
    "commit_part",
    "create_run",
    "cut_chunks",
    "damaged_chunks",
    "footers",
    "lock_run",
    "read_categories",
    "read_footer",
    "read_games",
    "read_part",
    "run_folders",
    "set_aside_damaged",
    "verify_part",
]

MANIFEST_NAME = "manifest.json"
MATCHES, DERIVED = "matches", "derived"
"""The folders of a run: what its job determines, and what is made of it or noted beside."""
_PART = re.compile(r"part-([0-9]{5}|[1-9][0-9]{5,8})\.parquet")

_KINDS: tuple[Kind, ...] = ("categories", "games")


@dataclass(frozen=True)
class Run:
    """A run folder that is open for reading: where it is, and what its manifest says.

    A match that was stopped, as its questions were answered, has no more deals than were played till then. `identity`
    is what each of its parts holds of the run that it belongs to.
    """

    path: Location
    manifest: dict[str, Any]
    matches: tuple[Match, ...]
    name: str
    digest: str
    seed: int
    identity: str

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> "Run":
        """Open a run folder; RunError says why it is none, or why it can't be read."""
        folder = path if isinstance(path, (Path, ObjectPath)) else read_location(path)
        if not folder.is_dir():
            require_bucket(folder)
            kind = "is a file" if folder.exists() else "does not exist"
            raise RunError(f"{folder} {kind}; give the folder of a run, such as runs/quick-ab12cd34ef56.")
        manifest_path = folder / MANIFEST_NAME
        try:
            text = manifest_path.read_text(encoding="utf-8")
        except StoreUnreachable:
            raise
        except (OSError, UnicodeDecodeError) as error:
            if not isinstance(error, FileNotFoundError):
                raise RunError(f"{manifest_path} can't be read: {error}.") from error
            if (folder / MATCHES).is_dir():
                raise RunError(
                    f"{folder} has lost its {MANIFEST_NAME}. Give its job to dicecup run again, which keeps the parts "
                    "that are there."
                ) from error
            raise RunError(
                f"{folder} is not a run folder: it holds no {MANIFEST_NAME}.{_runs_below(folder)}"
            ) from error
        typed = parse_manifest(text, manifest_path)
        job = typed.job
        matches = tuple(as_stopped(folder, match, job.digest) for match in typed.matches)
        manifest = json.loads(text)
        return cls(folder, manifest, matches, job.name, job.digest, job.seed, run_identity(manifest))

    def as_planned(self) -> "Run":
        """Return the run with all the deals that its matches may have, whether or not they were stopped before."""
        typed = parse_manifest(manifest_text(self.manifest), self.path / MANIFEST_NAME)
        return replace(self, matches=typed.matches)

    def match(self, number: int) -> Match:
        """Return a match by its number; RunError names the numbers there are."""
        if 0 <= number < len(self.matches):
            return self.matches[number]
        raise RunError(f"{self.path} has no match {number}; it has matches 0 to {len(self.matches) - 1}.")

    def match_folder(self, match: Match) -> Location:
        """Return the folder of a match."""
        return self.path / MATCHES / f"{match.number:02d}"

    def games_part(self, match: Match, chunk: int) -> Location:
        """Return where the games of a chunk are, or will be."""
        return self._part("games", match, chunk)

    def categories_part(self, match: Match, chunk: int) -> Location:
        """Return where the categories of a chunk are, or will be."""
        return self._part("categories", match, chunk)

    def committed_chunks(self, match: Match) -> list[int]:
        """Return the chunks whose games are there, in order; their content is not looked at."""
        try:
            names = [path.name for path in (self.match_folder(match) / "games").iterdir()]
        except FileNotFoundError:
            return []
        found = (int(part[1]) for part in map(_PART.fullmatch, names) if part)
        return sorted(chunk for chunk in found if chunk < match.chunks)

    def missing_chunks(self, match: Match) -> list[int]:
        """Return the chunks that are still to be played, in order."""
        there = set(self.committed_chunks(match))
        return [chunk for chunk in range(match.chunks) if chunk not in there]

    @property
    def state(self) -> Literal["empty", "partial", "complete"]:
        """How much of the run is there, judged by its committed chunks."""
        there = sum(len(self.committed_chunks(match)) for match in self.matches)
        if there == sum(match.chunks for match in self.matches):
            return "complete"
        return "partial" if there else "empty"

    def _part(self, kind: Kind, match: Match, chunk: int) -> Location:
        return self.match_folder(match) / kind / f"part-{chunk:05d}.parquet"


def create_run(path: str | os.PathLike[str], manifest: Mapping[str, Any]) -> Run:
    """Make a run folder with this manifest and return it open.

    A folder with the same manifest is opened as it is, and one that has lost its manifest gets it again: each part
    says which run it belongs to. RunError if the folder holds another run (the differing keys are named) or anything
    else.
    """
    folder = path if isinstance(path, (Path, ObjectPath)) else read_location(path)
    text = manifest_text(manifest)
    parse_manifest(text, folder / MANIFEST_NAME)
    if folder.exists():
        if (folder / MANIFEST_NAME).exists():
            run = Run.open(folder)
            if differing := differing_keys(run.manifest, manifest):
                raise RunError(f"{folder} holds another run, which differs in: {', '.join(differing)}.")
            return run
        _refuse_other_content(folder)
    make_folder(folder)
    write_atomically(folder / MANIFEST_NAME, text.encode())
    return Run.open(folder)


def commit_part(
    run: Run, match: Match, chunk: int, games: pa.Table, categories: pa.Table, rows_digest: str
) -> None:
    """Write both tables of a chunk durably, the games last, so that a games part marks its chunk done.

    `games` has the match's columns, and may have more behind them; its rows are ordered by (seating, seat, deal).
    `rows_digest` has 16 hexadecimal digits. ValueError if a table is not of that shape; OSError if a write
    fails, and nothing is left of it.
    """
    require_shape(match, chunk, games, categories, rows_digest)
    tables: dict[Kind, pa.Table] = {"categories": categories, "games": games}
    for kind in _KINDS:
        path = run._part(kind, match, chunk)
        make_folder(path.parent)
        write_atomically(path, encode_part(run.identity, match, chunk, tables[kind], rows_digest))


def check_part(run: Run, match: Match, chunk: int) -> Footer:
    """Return the footer of a chunk's games after looking at both its files, though not at their rows.

    DamagedPart names a file that is missing, cut short, of other columns or counts, or of another chunk or run.
    """
    return _footer_of_twins(run, match, chunk, check_file)


def verify_part(run: Run, match: Match, chunk: int) -> Footer:
    """Return the footer of a chunk's games after checking every byte of both its files."""
    return _footer_of_twins(run, match, chunk, check_whole)


def _footer_of_twins(run: Run, match: Match, chunk: int, check: Callable[..., Footer]) -> Footer:
    categories, games = (
        check(run._part(kind, match, chunk), kind, run.identity, match, chunk) for kind in _KINDS
    )
    _require_twins(run, match, chunk, games, categories)
    return games


def read_part(
    run: Run, match: Match, chunk: int, columns: Iterable[str] | None = None
) -> tuple[Footer, pa.Table, pa.Table]:
    """Return the footer of a chunk's games, the games (all columns or those named) and the category sums.

    Each file is read once and every byte of it checked. DamagedPart as of `check_part`, or if a byte is not what was
    committed.
    """
    games_path, categories_path = run.games_part(match, chunk), run.categories_part(match, chunk)
    categories, sums = read_file(categories_path, "categories", run.identity, match, chunk)
    footer, games = read_file(games_path, "games", run.identity, match, chunk, columns)
    _require_twins(run, match, chunk, footer, categories)
    return footer, games, sums


def read_games(run: Run, match: Match, chunk: int, columns: Iterable[str]) -> pa.Table:
    """Return columns of a chunk's games after checking every byte of them, and the end of the file beside."""
    categories = check_file(run.categories_part(match, chunk), "categories", run.identity, match, chunk)
    footer, games = read_file(run.games_part(match, chunk), "games", run.identity, match, chunk, columns)
    _require_twins(run, match, chunk, footer, categories)
    return games


def read_categories(run: Run, match: Match, chunk: int) -> pa.Table:
    """Return a chunk's category sums after checking every byte of them, and the end of the file beside."""
    categories, sums = read_file(run.categories_part(match, chunk), "categories", run.identity, match, chunk)
    footer = check_file(run.games_part(match, chunk), "games", run.identity, match, chunk)
    _require_twins(run, match, chunk, footer, categories)
    return sums


def _require_twins(run: Run, match: Match, chunk: int, games: Footer, categories: Footer) -> None:
    if games.rows_digest != categories.rows_digest:
        raise DamagedPart(run.categories_part(match, chunk), "it belongs to other games than those beside it")


def damaged_chunks(run: Run, match: Match, whole: bool = True) -> dict[int, DamagedPart]:
    """Return the committed chunks whose files are not what was committed, and why.

    Every byte is read, by `verify_part`, or where that is not wanted the ends of the files, by `check_part`.
    """

    def fault(chunk: int) -> DamagedPart | None:
        try:
            (verify_part if whole else check_part)(run, match, chunk)
        except DamagedPart as error:
            return error
        return None

    there = run.committed_chunks(match)
    faults = zip(there, read_together(run.path, fault, there), strict=True)
    return {chunk: error for chunk, error in faults if error is not None}


def cut_chunks(run: Run, match: Match) -> dict[int, DamagedPart]:
    """Return the committed chunks of which a file is missing or does not end as it was committed, and why.

    Neither rows nor counts are looked at, so that thousands of parts take a moment.
    """

    def fault(chunk: int) -> DamagedPart | None:
        try:
            for kind in _KINDS:
                check_end(run._part(kind, match, chunk), run.identity)
        except DamagedPart as error:
            return error
        return None

    there = run.committed_chunks(match)
    # What is read of a disk is so little that threads would stand in each other's way.
    faults = read_together(run.path, fault, there) if isinstance(run.path, ObjectPath) else map(fault, there)
    return {chunk: error for chunk, error in zip(there, faults, strict=True) if error is not None}


def footers(run: Run, match: Match) -> Iterator[Footer]:
    """Yield the footers of a match's committed chunks, in order; DamagedPart where one is not whole."""
    return read_together(run.path, lambda chunk: check_part(run, match, chunk), run.committed_chunks(match))


def run_folders(root: Location) -> list[Location]:
    """Return the folders directly below a root that hold a run, or what is left of one, in the order of their names."""
    if not root.is_dir():
        return []
    below: list[Location] = sorted(root.iterdir())
    there = read_together(root, _holds_run, below)
    return [folder for folder, is_run in zip(below, there, strict=True) if is_run]


def _holds_run(folder: Location) -> bool:
    return (folder / MANIFEST_NAME).is_file() or (folder / MATCHES).is_dir()


def set_aside_damaged(run: Run, match: Match, chunk: int) -> list[Location]:
    """Rename both files of a chunk to `....damaged`, so that it counts as missing; return the new names."""
    moved: list[Location] = []
    # Games first: without them the chunk is missing, whatever happens next.
    for kind in reversed(_KINDS):
        path = run._part(kind, match, chunk)
        if path.exists():
            target = path.with_name(f"{path.name}.damaged")
            count = 1
            while target.exists():
                count += 1
                target = path.with_name(f"{path.name}.damaged-{count}")
            move_aside(path, target)
            moved.append(target)
    return moved


def _runs_below(folder: Location) -> str:
    runs = sorted(path.name for path in run_folders(folder))
    return f" The runs in it are: {', '.join(runs[:10])}{' ...' if len(runs) > 10 else ''}." if runs else ""


def _refuse_other_content(folder: Location) -> None:
    if not folder.is_dir():
        raise RunError(f"{folder} is a file; give a new folder, or one that holds a run.")
    names = names_in(folder) - {MATCHES, DERIVED}
    others = sorted(name for name in names if not is_of_lock(name) and not is_temporary(folder / name))
    if others:
        raise RunError(
            f"{folder} holds other things ({', '.join(others[:3])}), no run; move them, or take another folder."
        )
