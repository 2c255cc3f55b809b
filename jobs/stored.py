"""How much of a run is stored, and the command that plays the rest."""

from __future__ import annotations

import shlex

from results.errors import RunError, StoreError
from results.location import Location
from results.patience import LOOKING_SECONDS, patience
from results.printing import counted
from results.store import Run


def resume_command(folder: Location) -> str:
    """Returns the command that plays what a run lacks."""
    return f"dicecup resume {shlex.quote(str(folder))}"


def stored_words(folder: Location) -> str:
    """Says how much of a run is stored, and how to play the rest; also where the run is out of reach now."""
    rest = f"for the rest: {resume_command(folder)}"
    try:
        with patience(LOOKING_SECONDS):
            if not folder.is_dir():
                return f"{folder} is gone: give its job to dicecup run again"
            run = Run.open(folder)
            there = sum(len(run.committed_chunks(match)) for match in run.matches)
    except (OSError, StoreError):
        return f"What is stored is whole; {rest}"
    except RunError as error:
        return str(error)
    chunks = sum(match.chunks for match in run.matches)
    if there == chunks:
        return f"All {counted(chunks, 'chunk')} had been stored by then; see dicecup summary {shlex.quote(str(folder))}"
    return (
        f"{there:,} of {counted(chunks, 'chunk')} {'is' if chunks == 1 else 'are'} stored and whole; {rest}"
    )
