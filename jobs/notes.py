"""What a run's manifest notes beside what identifies the run: two builds of the same run may differ in it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from jobs.plan import JobPlan
from jobs.yardstick import best_mean
from results.location import Location


def noted_manifest(plan: JobPlan, folder: Location) -> dict[str, Any]:
    """Returns the manifest with notes: where users' files are, from the folder of the run, and what is best."""
    manifest: dict[str, Any] = json.loads(json.dumps(plan.manifest))
    for entry, match in zip(manifest["matches"], plan.matches, strict=True):
        if (best := best_mean(match.ruleset)) is not None:
            entry["best_mean"] = best
        for player in match.players:
            if player.source.files:
                path = Path(player.source.place.rpartition(":")[0])
                # From a store no path leads to a file of this machine.
                near = isinstance(folder, Path)
                noted = os.path.relpath(path, folder.resolve()) if near else str(path.resolve())
                entry["strategies"][player.label]["file"] = noted
    return manifest
