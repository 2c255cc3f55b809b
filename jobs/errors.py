"""What can go wrong with a command, and the exit code that says so.

0  done
1  failed: a strategy fails, a replay disagrees
2  usage: the request can't be met as it stands
3  incomplete but resumable: the storage gave way, workers were lost, or another process is writing the run
130  interrupted

Exception
├── JobError                      2
│   └── JobFailed                 1
├── RunIncomplete                 3
├── RunInterrupted                130
├── sim.ruleset.RulesetError      2
├── strategies.StrategyError      1
├── results.errors.RunError       2
│   ├── DamagedPart               3
│   ├── RunLocked                 3
│   └── StoreError                2
└── OSError                       3 where storage is full, closed or broken, else 1
"""

from __future__ import annotations

import errno
import os

FAILED, USAGE, INCOMPLETE, INTERRUPTED = 1, 2, 3, 130

#: What to do about storage that gives way, by errno.
STORAGE_ADVICE = {
    errno.ENOSPC: "free some space",
    errno.EDQUOT: "free some of your quota",
    errno.EFBIG: "raise the limit on the size of files",
    errno.EROFS: "make the file system writable, or choose another place with --root",
    errno.EACCES: "give yourself the right to write there, or choose another place with --root",
    errno.EPERM: "give yourself the right to write there, or choose another place with --root",
    errno.ENOTDIR: "remove the file that stands in the place of a folder, or choose another place with --root",
    errno.EEXIST: "remove the file that stands in the place of a folder, or choose another place with --root",
    errno.ENOENT: "bring its folder back, or choose another place with --root",
    errno.EIO: "look at the disk",
    errno.ESTALE: "mount the file system again",
    errno.EHOSTUNREACH: "look at AWS_ENDPOINT_URL, the network and the store",
}


class JobError(Exception):
    """A job can't be played as it is asked for; the message says what is allowed."""


class JobFailed(JobError):  # noqa: N818 - the state of the job, in the design's words
    """What was asked was tried, and the answer is that it fails."""


class RunIncomplete(Exception):  # noqa: N818 - the state of the run, in the design's words
    """Some chunks are not played; what is there is whole, and resuming plays the rest."""


class RunInterrupted(Exception):  # noqa: N818 - the state of the run, in the design's words
    """The user stopped a run; what is there is whole, and resuming plays the rest."""


def exit_code(error: BaseException) -> int | None:
    """Returns the exit code that an error stands for, or None where it is a fault of dicecup itself."""
    for kind in type(error).__mro__:
        code = _CODES.get(f"{kind.__module__}.{kind.__qualname__}")
        if code is not None:
            return code
    if isinstance(error, OSError):
        return INCOMPLETE if is_storage_fault(error) else FAILED
    return None


def error_message(error: BaseException) -> str:
    """Returns what to tell about an error: what happened, and what to do."""
    if not isinstance(error, OSError):
        return str(error)
    advice = STORAGE_ADVICE.get(error.errno or 0)
    if advice is None:
        return error_reason(error)
    return (
        f"{error_reason(error)}. What is stored so far is whole: {advice}, then give the same command again"
    )


def error_reason(error: OSError) -> str:
    """Returns what happened and where, without advice: for a run that is begun, that is to resume it."""
    place = f"{os.fspath(error.filename)!s}: " if error.filename is not None else ""
    return f"{place}{error.strerror or error}"


def is_storage_fault(error: OSError) -> bool:
    """Tells whether the place that a run is written to gave way, which trying again at once won't mend."""
    return error.errno in STORAGE_ADVICE


# By name, so that the exit code of a mistyped option needs none of these modules.
_CODES = {
    "jobs.errors.JobFailed": FAILED,
    "jobs.errors.JobError": USAGE,
    "jobs.errors.RunIncomplete": INCOMPLETE,
    "jobs.errors.RunInterrupted": INTERRUPTED,
    "sim.ruleset.RulesetError": USAGE,
    "strategies.sheet.StrategyError": FAILED,
    "results.errors.DamagedPart": INCOMPLETE,
    "results.errors.RunLocked": INCOMPLETE,
    "results.errors.RunError": USAGE,
}
