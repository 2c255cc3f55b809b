"""Asks a strategy, rebuilt from its source, in a process of its own."""

from __future__ import annotations

import dataclasses
import importlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sim.ruleset import Ruleset, validate_ruleset
from strategies.lineup import Source, rebuild_player
from strategies.manner import Manner
from strategies.strategy import StrategyError
from strategies.trial import Digest, Trial


def answer_elsewhere(
    kind: type[Trial], source: Source, ruleset: Ruleset, contexts: Sequence[Sequence[int]]
) -> list[list[Digest]]:
    """Returns the digests of what a player answers in another process, by kind of question; raises StrategyError."""
    asked = {
        "trial": [kind.__module__, kind.__qualname__],
        "source": dataclasses.asdict(source),
        "ruleset": ruleset.model_dump(mode="json"),
        "contexts": list(map(list, contexts)),
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
    digests: list[list[Digest]] = answer["answers"]
    return digests


def answer(asked: dict[str, Any]) -> None:
    """Prints the answers to what was asked for, or the fault of the first that fails, as JSON."""
    held = asked["source"]
    pairs = {name: tuple(map(tuple, held[name])) for name in ("parameters", "files")}
    source = Source(**held | pairs | {"manner": Manner(**held["manner"])})
    module, name = asked["trial"]
    kind: type[Trial] = getattr(importlib.import_module(module), name)
    try:
        with tempfile.TemporaryDirectory() as folder:
            ruleset = validate_ruleset(asked["ruleset"], asked["ruleset"]["name"])
            trial = kind(rebuild_player(source, Path(folder)), ruleset)
            answers = [
                [trial.digest(answer) for answer in trial.ask(place, contexts)]
                for place, contexts in enumerate(asked["contexts"])
            ]
    except StrategyError as error:
        print("\n" + json.dumps({"fault": str(error)}))
    else:
        print("\n" + json.dumps({"answers": answers}))
