"""Asks a strategy, rebuilt from its source, in a process of its own."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sim.ruleset import Ruleset, validate_ruleset
from strategies.lineup import Source, rebuild_player
from strategies.rows import RowMaker
from strategies.strategy import Plan, StrategyError


def answer_elsewhere(source: Source, ruleset: Ruleset, contexts: Sequence[int]) -> list[str]:
    """Returns the digest of the plan for each context, as another process decides; raises StrategyError."""
    asked = {
        "label": source.label,
        "place": source.place,
        "parameters": source.parameters,
        "files": source.files,
        "digest": source.digest,
        "ruleset": ruleset.model_dump(mode="json"),
        "contexts": list(contexts),
        "path": sys.path,
    }
    # Sets of strings have another order in every process that hashes with another seed.
    environment = os.environ | {"PYTHONHASHSEED": "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"}
    program = "import json, sys; asked = json.load(sys.stdin); sys.path[:] = asked.pop('path'); "
    program += "from strategies.elsewhere import answer; answer(asked)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or ["it says nothing"]
        raise StrategyError(f"strategy {source.label}: another process fails: {last[0]}")
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    if "fault" in answer:
        raise StrategyError(answer["fault"])
    return list(answer["digests"])


def answer(asked: dict[str, Any]) -> None:
    """Prints the digests of the plans that were asked for, or the fault of the first that fails, as JSON."""
    source = Source(
        asked["label"],
        asked["place"],
        tuple((name, value) for name, value in asked["parameters"]),
        tuple((name, text) for name, text in asked["files"]),
        asked["digest"],
    )
    try:
        with tempfile.TemporaryDirectory() as folder:
            player = rebuild_player(source, Path(folder))
            ruleset = validate_ruleset(asked["ruleset"], asked["ruleset"]["name"])
            plans = RowMaker(player, ruleset).make(asked["contexts"])
    except StrategyError as error:
        print("\n" + json.dumps({"fault": str(error)}))
    else:
        print("\n" + json.dumps({"digests": [plan_digest(plan) for plan in plans]}))


def plan_digest(plan: Plan) -> str:
    """Identifies the decisions of a plan."""
    text = json.dumps([plan.keep_options, plan.choice_options], default=list)
    places = [np.ascontiguousarray(places, np.int64).tobytes() for places in (plan.keeps, plan.choices)]
    return hashlib.sha256(b"".join((text.encode(), *places))).hexdigest()[:16]
