"""Starts dicecup on the head of a cluster, with the Python that the cluster runs on; travels with a submitted job.

The first word is the version of dicecup that the job is of, the others are those of a command line.
"""

import os
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

STARTED = "DICECUP_STARTED"
INCOMPLETE = 3


def cluster_python() -> str:
    """Returns the Python that the cluster's workers run on, or nothing where that can't be told."""
    process = os.getppid()
    try:
        while process > 1:
            words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
            for word in words:
                name, _, value = word.partition(b"=")
                if name == b"--python_worker_command" and value.split():
                    return os.fsdecode(value.split()[0])
            process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        pass
    return ""


def main() -> None:
    """Becomes dicecup; exits with a line where it is not installed, or is of another version."""
    wanted, *words = sys.argv[1:]
    other = cluster_python()
    if other and other != sys.executable and STARTED not in os.environ and os.access(other, os.X_OK):
        os.environ[STARTED] = other
        os.execv(other, [other, *sys.argv])
    os.environ.pop(STARTED, None)
    try:
        found = version("dicecup")
    except PackageNotFoundError:
        found = "none"
    if found != wanted:
        print(
            f"dicecup: the head of the cluster has dicecup {found} for {sys.executable}, and the job was submitted by "
            f"{wanted}; install that version there",
            file=sys.stderr,
        )
        sys.exit(INCOMPLETE)
    os.execv(sys.executable, [sys.executable, "-m", "jobs", *words])


if __name__ == "__main__":
    main()
