"""A run's job as the text of a TOML file, with the rulesets that don't come with dicecup, and as a command line."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from results.manifest import Match
from results.pages.page import Listing
from results.store import Run
from sim.ruleset import RulesetError, load_ruleset, shipped_rulesets

#: With more matches, a command line is longer than the job file.
_MOST_IN_COMMAND = 6
_LONGEST_STEM = 120
#: What names a device on Windows, whatever follows behind a dot.
_DEVICE = re.compile(r"con|prn|aux|nul|(com|lpt)[0-9]")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def job_listings(run: Run) -> list[Listing]:
    """Returns how to play a run again: the command, its job file, and every ruleset that is not a shipped one."""
    files = _ruleset_files(run.matches)
    name = f"{file_stem(run.name)}-job.toml"
    command = command_text(run, files) or f"dicecup run {name}"
    return [
        Listing("The command", f"{command}\n"),
        Listing(f"The job file, {name}", job_text(run, files), name),
        *(
            Listing(f"The ruleset {match.ruleset.name}, {file}", ruleset_text(match.ruleset.rules), file)
            for file, match in _own_rulesets(run.matches, files).items()
        ),
    ]


def job_text(run: Run, files: Mapping[str, str]) -> str:
    """Returns the job of a run as a TOML file; `files` has, by digest and name, how each ruleset is named there."""
    head: dict[str, Any] = {"name": run.name, "seed": run.seed}
    if run.manifest["job"].get("chunk") is not None:
        head["chunk"] = run.manifest["job"]["chunk"]
    if any(match.luck for match in run.matches):
        head["luck"] = True
    lines = [f"{key} = {_value(value)}" for key, value in head.items()]
    for match in run.matches:
        table = {"ruleset": files[_key(match)], "lineup": list(match.lineup), "games": games_asked(match)}
        if match.until:
            table["until"] = [question.text for question in match.until]
        lines += ["", "[[matches]]", *(f"{key} = {_value(value)}" for key, value in table.items())]
    return "\n".join([*_strategy_lines(run.matches), *lines]) + "\n"


def command_text(run: Run, files: Mapping[str, str]) -> str:
    """Returns the command that plays the matches of a run again; nothing where a job file says it better."""
    matches = run.matches
    rulesets = list(dict.fromkeys(files[_key(match)] for match in matches))
    lineups = list(dict.fromkeys(match.lineup for match in matches))
    every = [(ruleset, lineup) for ruleset in rulesets for lineup in lineups]
    asked = [(files[_key(match)], match.lineup) for match in matches]
    games = {games_asked(match) for match in matches}
    questions = {match.until for match in matches}
    simple = every == asked and len(games) == 1 and len(asked) <= _MOST_IN_COMMAND
    # A comma parts the seats of a lineup, and a question is asked of every match.
    if (
        not simple
        or any("," in label for lineup in lineups for label in lineup)
        or (asked[1:] and any(questions))
    ):
        return ""
    words = ["dicecup", "run"]
    for ruleset in rulesets:
        words += ["--ruleset", ruleset]
    for lineup in lineups:
        words += ["--lineup", ",".join(lineup)]
    words += ["--games", f"{games.pop():_}", "--seed", str(run.seed), "--name", run.name]
    if run.manifest["job"].get("chunk") is not None:
        words += ["--chunk", str(run.manifest["job"]["chunk"])]
    words += ["--luck"] if any(match.luck for match in matches) else []
    for question in questions.pop():
        words += ["--until", question.text]
    return shlex.join(words)


def ruleset_text(rules: Mapping[str, Any]) -> str:
    """Returns the rules of a manifest as a TOML file that stands for itself, without what is not said."""
    said = _said(rules)
    if "categories" in said:
        said["categories"] = {rule.pop("id"): rule for rule in said["categories"]}
    lines = [
        f"{_quoted_key(key)} = {_value(value)}" for key, value in said.items() if not isinstance(value, dict)
    ]
    for key, table in said.items():
        if key == "categories":
            for name, rule in table.items():
                lines += ["", f"[categories.{_quoted_key(name)}]", *_pairs(rule)]
        elif isinstance(table, dict):
            lines += ["", f"[{_quoted_key(key)}]", *_pairs(table)]
    return "\n".join(lines) + "\n"


def file_stem(name: str) -> str:
    """Returns a name as the stem of a file that every file system takes, and that is in no other folder."""
    plain = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")
    stem = plain[:_LONGEST_STEM].strip("-") or "unnamed"
    return f"{stem}-named" if _DEVICE.fullmatch(stem) else stem


def games_asked(match: Match) -> int:
    """Returns the games that were asked for, before they were rounded up to whole deals."""
    asked = (match.model_extra or {}).get("games_asked")
    return asked if isinstance(asked, int) else match.games


def _key(match: Match) -> str:
    return f"{match.ruleset.name} {match.ruleset.digest}"


def _ruleset_files(matches: Sequence[Match]) -> dict[str, str]:
    """Names each ruleset as a job file does: a shipped one by its name, another by a file for its rules."""
    files: dict[str, str] = {}
    for match in matches:
        if _key(match) in files:
            continue
        name = match.ruleset.name
        if _is_shipped(match):
            files[_key(match)] = name
            continue
        plain = file_stem(name)
        file, count = f"{plain}.toml", 1
        while file in files.values():
            count += 1
            file = f"{plain}-{count}.toml"
        files[_key(match)] = file
    return files


def _is_shipped(match: Match) -> bool:
    if match.ruleset.name not in shipped_rulesets():
        return False
    try:
        return load_ruleset(match.ruleset.name).digest == match.ruleset.digest
    except RulesetError:
        return False


def _own_rulesets(matches: Sequence[Match], files: Mapping[str, str]) -> dict[str, Match]:
    return {files[_key(match)]: match for match in reversed(matches) if files[_key(match)].endswith(".toml")}


def _strategy_lines(matches: Sequence[Match]) -> list[str]:
    """Says which strategies are files of their own, that have to be where the job looks for them."""
    files: dict[str, str] = {}
    for match in matches:
        for label in match.lineup:
            strategy = match.strategies[label]
            if label.partition(":")[0].endswith(".py"):
                place = label.partition(".py")[0] + ".py"
                files.setdefault(
                    place,
                    f"# {_value(place)[1:-1]} belongs beside this file; source {strategy.source_digest}.",
                )
    return list(files.values())


def _said(rules: Any) -> Any:
    """Leaves out what is None, which TOML can't say."""
    if isinstance(rules, Mapping):
        return {key: _said(value) for key, value in rules.items() if value is not None}
    return [_said(value) for value in rules] if isinstance(rules, (list, tuple)) else rules


def _pairs(table: Mapping[str, Any]) -> list[str]:
    return [f"{_quoted_key(key)} = {_value(value)}" for key, value in table.items()]


def _value(value: Any) -> str:
    """Spells a value as TOML: JSON's spelling but for tables, and for DEL, which TOML wants escaped."""
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_quoted_key(key)} = {_value(own)}' for key, own in value.items())} }}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False).replace("\x7f", "\\u007f")


def _quoted_key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _value(key)
