"""Reads a small text file that somebody may have sent: what is larger than any of its kind is refused unread."""

from __future__ import annotations

from pathlib import Path

MOST_BYTES = 4_000_000


class TooLargeError(ValueError):
    """A file is larger than any of its kind would be, or has no end."""


def read_small(path: Path) -> str:
    """Reads a text file in UTF-8, with or without a byte order mark before the text.

    Raises TooLargeError where it has more than MOST_BYTES, OSError and UnicodeDecodeError as reading does.
    """
    with path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise TooLargeError(f"it has more than {MOST_BYTES:,} bytes")
    return content.decode("utf-8-sig")
