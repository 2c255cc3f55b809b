"""What can go wrong with a run folder.

Exception
└── RunError            the folder, its manifest or a request about it is at fault
    ├── DamagedPart     a part on disk is not what was committed
    └── RunLocked       another process writes to the folder
"""

from pathlib import Path


class RunError(Exception):
    """A run folder can't be used as asked; the message says why and what to do."""


class DamagedPart(RunError):  # noqa: N818 - it names what was found, as its message does
    """A file of a part is cut short, altered or not the one that belongs there."""

    def __init__(self, path: Path, reason: str) -> None:
        """Name the file, and what is wrong with it."""
        self.path = path
        self.reason = reason
        super().__init__(
            f"{path} is damaged: {reason}. Resuming the run sets the file aside and plays its chunk again."
        )

    def __reduce__(self) -> tuple[type["DamagedPart"], tuple[Path, str]]:
        """Pickle by the two arguments, so that a worker's error reaches its caller."""
        return DamagedPart, (self.path, self.reason)


class RunLocked(RunError):  # noqa: N818 - the state of the run, in the design's words
    """Another process holds the folder for writing; the message says which."""
