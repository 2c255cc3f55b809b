"""What identifies a run: its manifest, but for what is merely noted in it beside."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

#: The keys of notes: of the whole manifest, of a match, and of a strategy in a match.
_NOTES, _OF_MATCH, _OF_STRATEGY = "versions", "best_mean", "file"


def identifying(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return a manifest without what two builds of the same run may note otherwise."""
    stated: dict[str, Any] = _as_json({key: value for key, value in manifest.items() if key != _NOTES})
    for match in stated["matches"]:
        match.pop(_OF_MATCH, None)
        for strategy in match["strategies"].values():
            strategy.pop(_OF_STRATEGY, None)
    return stated


def run_identity(manifest: Mapping[str, Any]) -> str:
    """Return the digest, 16 hexadecimal digits, that each part of a run holds of the run that it belongs to.

    The name of the job, which may be chosen freely, is no part of it.
    """
    stated = identifying(manifest)
    stated["job"].pop("name", None)
    return hashlib.sha256(json.dumps(stated, sort_keys=True).encode()).hexdigest()[:16]


def differing_keys(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return the dotted keys at which two manifests differ, such as `job.seed` or `matches.0.lineup.1`."""
    return sorted(set(_differences(_as_json(old), _as_json(new), "")))


def _as_json(manifest: Mapping[str, Any]) -> Any:
    """Spell tuples as lists and keys as text, so that what was read equals what was written."""
    return json.loads(json.dumps(manifest))


def _differences(old: Any, new: Any, key: str) -> list[str]:
    if isinstance(old, list) and isinstance(new, list):
        old, new = ({str(k): value for k, value in enumerate(values)} for values in (old, new))
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return [] if old == new and type(old) is type(new) else [key]
    found: list[str] = []
    for name in old.keys() | new.keys():
        dotted = f"{key}.{name}" if key else str(name)
        both = name in old and name in new
        found += _differences(old[name], new[name], dotted) if both else [dotted]
    return found
