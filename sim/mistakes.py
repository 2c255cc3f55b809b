"""The words for mistakes in a file: where, what was given, what is allowed."""

from __future__ import annotations

import datetime
import difflib
import re
from collections.abc import Callable, Iterable
from typing import Any

from pydantic import ValidationError

#: What is needed, in a file writer's words, for each type of mistake that pydantic tells apart.
NEEDED = {
    "int_type": "a whole number is needed",
    "float_type": "a number is needed",
    "bool_type": "true or false is needed",
    "string_type": "text in quotes is needed",
    "tuple_type": "a list in square brackets is needed",
    "list_type": "a list in square brackets is needed",
    "dict_type": "a table is needed",
    "model_type": "a table is needed",
    "greater_than_equal": "at least {ge} is allowed",
    "greater_than": "more than {gt} is needed",
    "less_than_equal": "at most {le} is allowed",
    "less_than": "less than {lt} is needed",
    "string_too_short": "at least {min_length} characters are needed",
    "string_too_long": "at most {max_length} characters are allowed",
}


def mistake_lines(error: ValidationError, allowed_keys: Callable[[list[str]], list[str]]) -> list[str]:
    """Puts every mistake of a validation on a line of its own.

    `allowed_keys` names the keys that a table may have, given the table's place as a list of keys.
    """
    found = [dict(mistake) for mistake in error.errors(include_url=False)]
    told = [_mistake_line(mistake, allowed_keys) for mistake in found if not _is_echo(mistake, found)]
    # A check of a whole file may find several mistakes, each on a line of its own.
    return [line for mistake in told for line in mistake.split("\n")]


def near_hint(given: object, allowed: Iterable[str]) -> str:
    """Returns ` (did you mean ...?)` where an allowed name is close to what was given, else nothing."""
    near = difflib.get_close_matches(given, list(allowed), n=1) if isinstance(given, str) else []
    return f" (did you mean {near[0]}?)" if near else ""


def shown(given: object) -> str:
    """Returns a value as a file would have it, without control characters and at most 80 characters long."""
    text = repr(given)
    if isinstance(given, bool):
        text = str(given).lower()
    elif isinstance(given, (datetime.date, datetime.time)):
        text = str(given)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _is_echo(mistake: dict[str, Any], found: list[dict[str, Any]]) -> bool:
    # A list whose items are wrong is also called too short.
    place = mistake["loc"]
    deeper = any(len(other["loc"]) > len(place) and other["loc"][: len(place)] == place for other in found)
    return mistake["type"] == "too_short" and deeper


def _mistake_line(mistake: dict[str, Any], allowed_keys: Callable[[list[str]], list[str]]) -> str:
    location = [str(part) for part in mistake["loc"]]
    place = ".".join(part if re.fullmatch(r"[\w-]{1,60}", part) else shown(part) for part in location)
    given = shown(mistake["input"])
    kind = mistake["type"]
    context = mistake.get("ctx", {})
    if kind == "missing":
        return f"{place}: missing; it has to be given"
    if kind == "extra_forbidden":
        allowed = allowed_keys(location[:-1])
        return f"{place}: unknown key{near_hint(location[-1], allowed)}; allowed: {', '.join(allowed)}"
    if kind == "literal_error":
        allowed = re.findall(r"'([^']*)'", context["expected"])
        return f"{place}: {given} given{near_hint(mistake['input'], allowed)}; allowed: {context['expected']}"
    if kind == "too_short":
        return f"{place}: {context['actual_length']} given; at least {context['min_length']} is needed"
    if kind == "too_long":
        return f"{place}: {len(mistake['input'])} given; at most {context['max_length']} are allowed"
    if kind == "value_error":
        message = str(mistake["msg"]).removeprefix("Value error, ")
        return f"{place}: {message}" if place else message
    needed = NEEDED[kind].format_map(context) if kind in NEEDED else str(mistake["msg"])
    return f"{place}: {given} given; {needed}" if place else f"{given} given; {needed}"
