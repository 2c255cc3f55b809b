"""Asks a strategy, rebuilt from its source, in a process of its own."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sim.cheerio_ruleset import CheerioRuleset, validate_cheerio
from sim.lanes import FORFEIT, STEAL
from strategies.answers import AnswerMaker
from strategies.lineup import Manner, Source, rebuild_player
from strategies.rows import RowMaker
from strategies.strategy import Plan, StrategyError


class Contexts(NamedTuple):
    """What a player is asked about: rows of decisions, offers to steal, and forfeits."""

    rows: Sequence[int]
    offers: Sequence[int] = ()
    forfeits: Sequence[int] = ()


class Answers(NamedTuple):
    """What a player answers to contexts: the digests of its plans, and its answers as they are."""

    rows: list[str]
    offers: list[int]
    forfeits: list[int]


def answer_elsewhere(source: Source, ruleset: CheerioRuleset, contexts: Contexts) -> Answers:
    """Returns what a player answers in another process; raises StrategyError."""
    asked = {
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
    return Answers(*answer["answers"])


def answer(asked: dict[str, Any]) -> None:
    """Prints the answers to what was asked for, or the fault of the first that fails, as JSON."""
    held = asked["source"]
    pairs = {name: tuple(map(tuple, held[name])) for name in ("parameters", "files")}
    source = Source(**held | pairs | {"manner": Manner(**held["manner"])})
    rows, offers, forfeits = asked["contexts"]
    try:
        with tempfile.TemporaryDirectory() as folder:
            player = rebuild_player(source, Path(folder))
            ruleset = validate_cheerio(asked["ruleset"], asked["ruleset"]["name"])
            digests = [plan_digest(plan) for plan in RowMaker(player, ruleset).make(rows)]
            maker = AnswerMaker(player, ruleset)
            answers = [digests, maker.make(STEAL, offers), maker.make(FORFEIT, forfeits)]
    except StrategyError as error:
        print("\n" + json.dumps({"fault": str(error)}))
    else:
        print("\n" + json.dumps({"answers": answers}))


def plan_digest(plan: Plan) -> str:
    """Identifies the decisions of a plan."""
    text = json.dumps([plan.keep_options, plan.choice_options], default=list)
    places = [np.ascontiguousarray(places, np.int64).tobytes() for places in (plan.keeps, plan.choices)]
    return hashlib.sha256(b"".join((text.encode(), *places))).hexdigest()[:16]
