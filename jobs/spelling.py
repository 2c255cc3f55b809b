"""Commands that are misspelt, and what they may be."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Sequence

import click


def require_known(ctx: click.Context, words: Sequence[str], names: Collection[str]) -> None:
    """Raises UsageError, with names near it, where the first word of a line is no command."""
    if not words or words[0] in names or words[0].startswith("-"):
        return
    near = difflib.get_close_matches(words[0], names, n=2)
    hint = f"did you mean {' or '.join(near)}?" if near else f"allowed: {', '.join(names)}"
    raise click.UsageError(f"no command is named {words[0]!r}; {hint}", ctx)
