"""What can go wrong with a run folder.

Exception
└── RunError            the folder, its manifest or a request about it is at fault
    ├── DamagedPart     a part on disk is not what was committed
    ├── RunLocked       another process writes to the folder
    └── StoreError      the object store refuses what is asked of it
OSError
└── StoreUnreachable    the object store was waited for in vain
"""

import errno
import os


class RunError(Exception):
    """A run folder can't be used as asked; the message says why and what to do."""


class DamagedPart(RunError):  # noqa: N818 - it names what was found, as its message does
    """A file of a part is cut short, altered or not the one that belongs there."""

    def __init__(self, path: os.PathLike[str], reason: str) -> None:
        """Name the file, and what is wrong with it."""
        self.path = path
        self.reason = reason
        super().__init__(
            f"{os.fspath(path)} is damaged: {reason}. dicecup jobs repair sets it aside and plays its chunk again."
        )

    def __reduce__(self) -> tuple[type["DamagedPart"], tuple[os.PathLike[str], str]]:
        """Pickle by the two arguments, so that a worker's error reaches its caller."""
        return DamagedPart, (self.path, self.reason)


class RunLocked(RunError):  # noqa: N818 - the state of the run, in the design's words
    """Another process holds the folder for writing; the message says which."""


class StoreError(RunError):
    """An object store refuses what is asked of it; the message says what to look at."""


class StoreUnreachable(OSError):  # noqa: N818 - the state of the store, in the design's words
    """An object store was waited for in vain."""

    def __init__(self, place: str, reason: str) -> None:
        """Name the place, and what happened to the last try."""
        super().__init__(errno.EHOSTUNREACH, reason, place)

    def __reduce__(self) -> tuple[type["StoreUnreachable"], tuple[str, str]]:
        """Pickle by the two arguments, so that a worker's error reaches its caller."""
        return StoreUnreachable, (str(self.filename), str(self.strerror))
