"""What a check of every byte found damaged in a run, kept until it is mended: <run>/derived/damage.json."""

import json

from results.errors import StoreUnreachable
from results.files import make_folder, write_atomically
from results.store import Run

DAMAGE_NAME = "derived/damage.json"
_MOST_SIGNS = 2000


def load_damage(run: Run) -> dict[int, dict[int, str]]:
    """Return the reasons that were kept, by match and chunk; what is no such file, or no such chunk, counts as none."""
    try:
        kept = json.loads((run.path / DAMAGE_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        if isinstance(error, StoreUnreachable):
            raise
        return {}
    found: dict[int, dict[int, str]] = {}
    # A stop that is wrong would hide the parts behind it.
    for match in run.as_planned().matches if isinstance(kept, dict) else ():
        own = {chunk: kept.get(f"{match.number}/{chunk}") for chunk in run.committed_chunks(match)}
        if reasons := {chunk: str(why)[:_MOST_SIGNS] for chunk, why in own.items() if why is not None}:
            found[match.number] = reasons
    return found


def keep_damage(run: Run, damage: dict[str, str]) -> None:
    """Keep the reasons by "match/chunk" until the next check; nothing is kept of a run that is whole."""
    path = run.path / DAMAGE_NAME
    if damage:
        make_folder(path.parent)
        write_atomically(path, (json.dumps(damage, indent=1) + "\n").encode())
    else:
        path.unlink(missing_ok=True)
