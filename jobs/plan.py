"""From a job to chunks and the manifest of its run; pure."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from typing import Any

from jobs.errors import JobError
from jobs.job import Job, JobMatch
from results.manifest import MOST_CHUNKS as MOST_CHUNKS_KEPT
from results.manifest import MOST_PART_ROWS, Match
from results.schema import BLOCK_DEALS, SCHEMA_VERSION
from sim.ruleset import Ruleset, validate_ruleset
from strategies.lineup import Player

#: Raised whenever the same job would give other rows.
ENGINE_VERSION = 1

#: A match is cut into about this many chunks, within the limits on a chunk's games below.
USUAL_CHUNKS = 64
FEWEST_GAMES, MOST_GAMES = 50_000, 500_000
#: A giant match has at most this many chunks, as long as a chunk stays below so many rows.
MOST_CHUNKS = 5000
MOST_ROWS = 4_000_000


@dataclass(frozen=True)
class MatchPlan:
    """One match, ready to be played: the manifest's entry with the rules and players behind it."""

    match: Match
    ruleset: Ruleset
    players: tuple[Player, ...]
    seed: int


@dataclass(frozen=True)
class JobPlan:
    """A whole job, ready to be played, with the manifest of its run."""

    job: Job
    matches: tuple[MatchPlan, ...]
    manifest: dict[str, Any]

    @cached_property
    def games(self) -> int:
        """Counts the games of all matches, in whole deals."""
        return sum(plan.match.games for plan in self.matches)

    @cached_property
    def chunks(self) -> int:
        """Counts the chunks of all matches."""
        return sum(plan.match.chunks for plan in self.matches)

    def distinct_players(self) -> Iterator[tuple[Player, Ruleset]]:
        """Yields each player once for each ruleset that it plays under."""
        seen = set()
        for plan in self.matches:
            for player in plan.players:
                key = (player.label, plan.ruleset)
                if key not in seen:
                    seen.add(key)
                    yield player, plan.ruleset


def plan_job(job: Job) -> JobPlan:
    """Plans the chunks of a job; the same job gives the same plan, on any machine."""
    entries = [_manifest_match(number, match, job) for number, match in enumerate(job.matches)]
    for entry in entries:
        _require_playable(entry)
    manifest = {
        "schema_version": SCHEMA_VERSION,
        "engine_version": ENGINE_VERSION,
        "versions": versions(),
        "job": {"name": job.name, "digest": job.digest, "seed": job.seed, "chunk": job.chunk},
        "matches": entries,
    }
    plans = tuple(
        MatchPlan(Match.model_validate_json(json.dumps(entry)), match.ruleset, match.players, job.seed)
        for entry, match in zip(entries, job.matches, strict=True)
    )
    return JobPlan(job, plans, manifest)


def count_seatings(lineup: tuple[str, ...]) -> int:
    """Counts the distinct rotations of a lineup."""
    return len({lineup[place:] + lineup[:place] for place in range(len(lineup))})


def usual_chunk_deals(games: int, seatings: int, seats: int, until: bool = False) -> int:
    """Returns the deals of a chunk where the job doesn't say: whole blocks, a function of the match alone.

    A match that is played until something is known has small chunks, so that it can stop soon.
    """
    wanted = FEWEST_GAMES if until else min(max(games // USUAL_CHUNKS, FEWEST_GAMES), MOST_GAMES)
    wanted = max(wanted, min(-(-games // MOST_CHUNKS), MOST_ROWS // seats))
    deals = -(-wanted // seatings)
    return -(-deals // BLOCK_DEALS) * BLOCK_DEALS


def versions() -> dict[str, str]:
    """Returns the versions that the bytes of a run may hang on."""
    packages = ("dicecup", "numba", "numpy", "pyarrow")
    return {"python": platform.python_version()} | {name: metadata.version(name) for name in packages}


def stored_rules(ruleset: Ruleset) -> dict[str, Any]:
    """Returns a ruleset as the manifest holds it: categories as a list, for JSON objects have no order."""
    rules = ruleset.stated()
    if "categories" in rules:
        rules["categories"] = [{"id": key, **rule} for key, rule in rules["categories"].items()]
    return rules


def rebuild_ruleset(rules: dict[str, Any], place: str) -> Ruleset:
    """Builds a ruleset again from what `stored_rules` returned."""
    lines = rules.get("categories")
    if isinstance(lines, list) and all(
        isinstance(line, dict) and isinstance(line.get("id"), str) for line in lines
    ):
        categories = {line["id"]: {key: rule for key, rule in line.items() if key != "id"} for line in lines}
        rules = rules | {"categories": categories}
    return validate_ruleset(rules, place)


def _manifest_match(number: int, match: JobMatch, job: Job) -> dict[str, Any]:
    ruleset = match.ruleset
    lineup = match.labels
    seatings = count_seatings(lineup)
    deals = -(-match.games // seatings)
    usual = usual_chunk_deals(deals * seatings, seatings, len(lineup), bool(match.until))
    chunk_deals = min(deals, job.chunk or usual)
    return {
        "number": number,
        "ruleset": {
            "name": ruleset.name,
            "title": ruleset.title,
            "digest": ruleset.digest,
            "game": ruleset.game,
            "rules": stored_rules(ruleset),
        },
        "categories": [line._asdict() for line in ruleset.lines],
        **ruleset.labels(len(lineup)),
        "lineup": list(lineup),
        "strategies": {player.label: _manifest_strategy(player) for player in match.players},
        "sides": [seat % ruleset.sides(len(lineup)) for seat in range(len(lineup))],
        "seats": len(lineup),
        "seatings": seatings,
        "deals": deals,
        "games": deals * seatings,
        "games_asked": match.games,
        "chunk_deals": chunk_deals,
        "chunks": -(-deals // chunk_deals),
        **({"luck": True} if job.luck else {}),
        **({"until": [question.model_dump() for question in match.until]} if match.until else {}),
    }


def _require_playable(entry: Mapping[str, Any]) -> None:
    """Raises JobError where a match has more parts than can be kept, or larger ones than can be read at once."""
    cells = entry["seatings"] * entry["seats"]
    if entry["chunks"] <= MOST_CHUNKS_KEPT and entry["chunk_deals"] * cells <= MOST_PART_ROWS:
        return
    least, most = -(-entry["deals"] // MOST_CHUNKS_KEPT), MOST_PART_ROWS // cells
    raise JobError(
        f"chunk: {entry['chunk_deals']:,} deals given, which makes {entry['chunks']:,} chunks of "
        f"{entry['ruleset']['name']} {','.join(entry['lineup'])}; {least:,} to {most:,} deals are allowed for so many "
        "games; leave it out for the usual"
    )


def _manifest_strategy(player: Player) -> dict[str, Any]:
    return {
        "rule": player.rule,
        "sees": list(player.sees),
        "parameters": player.parameters,
        "source_digest": player.source.digest,
    }
