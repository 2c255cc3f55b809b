"""What a check of every byte found damaged in a run, kept until it is mended: <run>/derived/damage.json."""

import json

from results.files import make_folder, write_atomically
from results.store import Run

DAMAGE_NAME = "derived/damage.json"
_MOST_SIGNS = 2000


def load_damage(run: Run) -> dict[str, str]:
    """Return the reasons by "match/chunk" that were kept; what is no such file counts as none."""
    try:
        kept = json.loads((run.path / DAMAGE_NAME).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    chunks = {f"{match.number}/{chunk}" for match in run.matches for chunk in run.committed_chunks(match)}
    found = kept.items() if isinstance(kept, dict) else ()
    return {place: str(reason)[:_MOST_SIGNS] for place, reason in found if place in chunks}


def keep_damage(run: Run, damage: dict[str, str]) -> None:
    """Keep the reasons by "match/chunk" until the next check; nothing is kept of a run that is whole."""
    path = run.path / DAMAGE_NAME
    if damage:
        make_folder(path.parent)
        write_atomically(path, (json.dumps(damage, indent=1) + "\n").encode())
    else:
        path.unlink(missing_ok=True)
