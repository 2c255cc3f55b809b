"""Rulesets that differ from another in one rule, as `bonus.points=0,25` asks for."""

from __future__ import annotations

import copy
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jobs.job import mistaken
from sim.mistakes import near_hint, shown
from sim.ruleset import LONGEST_NAME, LONGEST_TITLE, Ruleset, RulesetError, validate_ruleset

#: What a ruleset says that is no rule of its game.
LABELS = ("name", "title", "source", "game")
WRITTEN_SO = "write KEY=VALUE,VALUE, as bonus.points=0,25,50"
_CLOSING = {"[": "]", "{": "}"}


def varied_rulesets(base: Ruleset, asked: Sequence[str]) -> list[Ruleset]:
    """Builds a ruleset for each value asked for, with that one rule changed; the base's own values are left out.

    Each entry of `asked` is a dotted key of a ruleset file, an equals sign, and values as TOML has them, with commas
    between them; text needs no quotes. Raises JobError with every mistake of them.
    """
    lines: list[str] = []
    found: dict[str, Ruleset] = {}
    for words in asked:
        key, equals, text = (piece.strip() for piece in words.partition("="))
        if not (key and equals and all(_split(text))):
            lines.append(f"--vary {words}: a {'value' if key else 'key'} is missing; {WRITTEN_SO}")
            continue
        if fault := _key_fault(base, key):
            lines.append(f"--vary {words}: {fault}")
            continue
        for value in _split(text):
            try:
                ruleset = changed_ruleset(base, key, _read_value(value))
            except RulesetError as error:
                _, *mistakes = str(error).split("\n")
                given = value if value.isprintable() else shown(value)
                lines += [
                    f"--vary {key}={given}: {line.strip().removeprefix(f'{key}: ')}" for line in mistakes
                ]
            else:
                found.setdefault(ruleset.digest, ruleset)
    if lines:
        raise mistaken("", list(dict.fromkeys(lines)))
    found.pop(base.digest, None)
    return list(found.values())


def changed_ruleset(base: Ruleset, key: str, value: Any) -> Ruleset:
    """Builds a ruleset with one rule changed; counts of players that the changed rules don't allow are left out.

    Raises RulesetError with every mistake of it.
    """
    is_plain = isinstance(value, str) and value.isprintable() and value == value.strip() != ""
    words = value if is_plain else json.dumps(value, ensure_ascii=isinstance(value, str), default=str)
    labels = {"name": f"{base.name} {key}={words}", "title": f"{base.title}, {key} = {words}"}
    place = labels["name"]
    if len(place) > LONGEST_NAME or len(labels["title"]) > LONGEST_TITLE:
        raise _mistake(
            place, f"{key}: {shown(value)} is too long for a name; write a ruleset file with extends"
        )
    rules = _with_rule(base, key, value, place) | labels
    idle = type(base).idle_keys(rules)
    top = key.partition(".")[0]
    if top in idle:
        raise _mistake(place, f"{key}: {idle[top]}, so that nothing would change. Leave it out")
    try:
        return validate_ruleset(rules, place)
    except RulesetError:
        allowed = [count for count in base.players if _allows(rules, count, place)]
        if not allowed or top == "players":
            raise
        return validate_ruleset(rules | {"players": allowed}, place)


def _allows(rules: Mapping[str, Any], players: int, place: str) -> bool:
    try:
        validate_ruleset({**rules, "players": [players]}, place)
    except RulesetError:
        return False
    return True


def _with_rule(base: Ruleset, key: str, value: Any, place: str) -> dict[str, Any]:
    """Returns the rules of a ruleset as a file may have them, with one of them set."""
    rules: dict[str, Any] = copy.deepcopy(base.model_dump(mode="json", exclude_none=True))
    *above, last = key.split(".")
    table = rules
    for depth, name in enumerate(above, 1):
        table = table.setdefault(name, {})
        if not isinstance(table, dict):
            parent = ".".join(above[:depth])
            raise _mistake(
                place, f"{key}: {parent} is {shown(table)}, which has no parts; vary {parent} itself"
            )
    table[last] = value
    return rules


def _key_fault(base: Ruleset, key: str) -> str | None:
    """Says why a key can't be varied, or returns None where a value decides."""
    top, *below = parts = key.split(".")
    if not all(parts):
        return f"{shown(key)} is no key; {WRITTEN_SO}"
    if top in LABELS:
        return f"{top} is no rule of the game; vary a rule, or name another file with --ruleset"
    if top == "players":
        return "players says how many may sit down; how many play is said by --players"
    rules = base.model_dump(mode="json")
    allowed = [name for name in type(base).model_fields if name not in (*LABELS, "players")]
    if top not in allowed:
        return f"unknown key{near_hint(key, _dotted_keys(rules))}; allowed: {', '.join(allowed)}, and their parts"
    categories = rules.get("categories", {})
    if top == "categories" and below and below[0] not in categories:
        return (
            f"no category has the id {shown(below[0])}{near_hint(below[0], categories)}; "
            f"allowed: {', '.join(categories)}"
        )
    return None


def _dotted_keys(rules: Mapping[str, Any], above: str = "") -> Iterator[str]:
    for name, rule in rules.items():
        yield f"{above}{name}"
        if isinstance(rule, dict):
            yield from _dotted_keys(rule, f"{above}{name}.")


def _split(text: str) -> list[str]:
    """Splits values at the commas outside of quotes and brackets."""
    values, begun, open_until, quote = [], 0, "", ""
    for place, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign in _CLOSING:
            open_until += _CLOSING[sign]
        elif open_until and sign == open_until[-1]:
            open_until = open_until[:-1]
        elif sign == "," and not open_until:
            values.append(text[begun:place])
            begun = place + 1
    return [value.strip() for value in [*values, text[begun:]]]


def _read_value(text: str) -> Any:
    """Reads a value of TOML; what is none is text."""
    try:
        read = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    return read["value"] if len(read) == 1 else text


def _mistake(place: str, line: str) -> RulesetError:
    return RulesetError(f"ruleset {place}: 1 mistake\n  {line}")
