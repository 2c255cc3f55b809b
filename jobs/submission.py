"""Jobs that were submitted to a cluster, through Ray's own job API: submitting, what became of them, logs, stopping.

Ray's records end with the head of the cluster; what a job has played is read from its run.
"""

from __future__ import annotations

import asyncio
import importlib.util
import logging
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from typing import Any
from urllib.parse import urlsplit

from jobs.errors import JobError, JobFailed, RunIncomplete
from jobs.progress import note

#: What begins the ids of our submissions, and the key of their metadata that holds our version.
PREFIX, VERSION_KEY = "dicecup-", "dicecup"
#: States after which nothing happens any more.
SUCCEEDED = "succeeded"
ENDED = (SUCCEEDED, "failed", "stopped")
#: Seconds that a stopped job has for the chunks under way, and then to be gone; and between looks.
STOP_SECONDS, GONE_SECONDS, LOOK_SECONDS = 30, 15, 0.5
#: Settings of a store that travel with a job: where it is, not who asks. What travels is shown on Ray's dashboard.
TRAVELLING = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_REGION", "AWS_DEFAULT_REGION")

#: Characters of a message of Ray's that are told in a line, and where one submission is shown.
_LONGEST_MESSAGE, _LONGEST_QUOTE = 300, 20_000
_TALKATIVE = (
    "ray.dashboard.modules.dashboard_sdk",
    "ray.dashboard.modules.job.sdk",
    "ray._private.runtime_env.packaging",
)

TOKEN_ADVICE = (
    "give the cluster's token as RAY_AUTH_TOKEN, RAY_AUTH_TOKEN_PATH or ~/.ray/auth_token, with RAY_AUTH_MODE=token "
    "(ray get-auth-token prints it on the head, with --generate makes one)"
)


@dataclass(frozen=True)
class Submitted:
    """A job that was submitted: its id, its run, and what Ray says of it; times in seconds since 1970.

    `message` may have several lines.
    """

    submission: str
    run: str
    name: str
    digest: str
    games: int
    user: str
    dicecup: str
    state: str
    message: str
    started: float | None
    ended: float | None

    @property
    def has_ended(self) -> bool:
        """Tells whether nothing of it happens any more."""
        return self.state in ENDED

    @property
    def first_line(self) -> str:
        """Returns how the message begins."""
        return self.message.partition("\n")[0][:_LONGEST_MESSAGE]


def submit(address: str, bundle: str, entrypoint: str, wanted: dict[str, str], in_store: bool) -> str:
    """Submits a job whose files are in a folder; returns the id that it got.

    `wanted` is its metadata, with its run. RunIncomplete where that run is being played by a submission already.
    """
    with _asked(address) as client:
        there = _submissions(client)
        for job in there:
            if job.run == wanted["run"] and not job.has_ended:
                raise _running(address, job)
        submission = _next_id(
            f"{PREFIX}{wanted['name']}-{wanted['digest']}", {job.submission for job in there}
        )
        environment = {"RAY_JOB_STOP_WAIT_TIME_S": str(STOP_SECONDS), "DICECUP_SUBMISSION": submission}
        environment |= _travelling() if in_store else {}
        try:
            client.submit_job(
                entrypoint=entrypoint,
                submission_id=submission,
                metadata=wanted,
                runtime_env={"working_dir": bundle, "env_vars": environment},
            )
        except RuntimeError as error:
            # Another may have been quicker.
            for job in _submissions(client):
                if job.submission == submission:
                    raise _running(address, job) from error
            raise
    return submission


def submitted(address: str) -> list[Submitted]:
    """Returns the jobs of dicecup that a cluster knows of, the newest first."""
    with _asked(address) as client:
        return _submissions(client)


def find(address: str, words: str) -> Submitted:
    """Returns the newest submission of a run, by its place, its name, its digest, or the submission's id."""
    there = submitted(address)
    words = words.rstrip("/")
    for job in there:
        if words in (job.submission, job.run, job.run.rpartition("/")[2], job.name, job.digest):
            return job
    known = ", ".join(job.submission for job in there[:10]) or "none"
    raise JobError(f"the cluster at {address} knows no submission of {words}; those that it knows: {known}")


def logs(address: str, job: Submitted, follow: bool, said: Callable[[str], None]) -> None:
    """Tells what a job has written so far, and with `follow` what it writes until it ends."""
    with _asked(address) as client:
        if follow:
            asyncio.run(_tail(client, job.submission, said))
        else:
            said(client.get_job_logs(job.submission))


def stop(address: str, job: Submitted) -> Submitted:
    """Asks Ray to stop a job, and returns it when it has ended; RunIncomplete where it does not."""
    if job.has_ended:
        note(f"{job.submission} has ended already: nothing is left to cancel")
        return job
    with _asked(address) as client:
        client.stop_job(job.submission)
        end = time.monotonic() + STOP_SECONDS + GONE_SECONDS
        while time.monotonic() < end:
            now = next((one for one in _submissions(client) if one.submission == job.submission), None)
            if now is None or now.has_ended:
                return now or job
            time.sleep(LOOK_SECONDS)
    raise RunIncomplete(f"{job.submission} has not ended in {STOP_SECONDS + GONE_SECONDS} s; ask again")


def require_address(address: str) -> str:
    """Returns the address of a cluster's job API; JobError where it is none."""
    try:
        parts = urlsplit(address)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        sound = False
    if not sound:
        raise JobError(
            f"--address {address} is given; the address of the cluster's dashboard is needed, as http://host:8265"
        )
    if parts.username or parts.password:
        raise JobError(
            f"an --address with a user or a password in it is refused, as addresses are printed; {TOKEN_ADVICE}"
        )
    return address.rstrip("/")


@contextmanager
def _asked(address: str) -> Iterator[Any]:
    """Yields a client of a cluster's job API; what goes wrong is told in a line."""
    address = require_address(address)
    if importlib.util.find_spec("aiohttp") is None:
        raise JobFailed("submitted jobs need Ray's job API: pip install 'dicecup[service]'")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray
    from ray.job_submission import JobSubmissionClient

    # Ray tells of each package that it uploads, and of the end of each log.
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.ERROR)
    try:
        yield JobSubmissionClient(address)
    # Ray before 2.52 asks for no token.
    except getattr(ray.exceptions, "AuthenticationError", ()) as error:
        wrong = "refuses the token" if _has_token(error) else "asks for a token"
        raise JobFailed(f"the cluster at {address} {wrong}; {TOKEN_ADVICE}") from None
    except BrokenPipeError:
        # The reader of what is told, such as head, has seen enough.
        raise
    except OSError as error:
        raise JobFailed(
            f"the cluster at {address} can't be reached ({type(error).__name__}); look at the address, which is that "
            "of its dashboard, and at whether it runs with --dashboard-host and ray[default]"
        ) from error
    except RuntimeError as error:
        raise JobFailed(f"the cluster at {address} says: {_short(error)}") from error


def _has_token(error: Exception) -> bool:
    return re.search("invalid|incorrect", str(error), re.IGNORECASE) is not None


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:_LONGEST_MESSAGE].rstrip(".")


def _submissions(client: Any) -> list[Submitted]:
    found = [
        _read(job)
        for job in client.list_jobs()
        if (job.submission_id or "").startswith(PREFIX) and VERSION_KEY in (job.metadata or {})
    ]
    return sorted(found, key=lambda job: job.started or 0, reverse=True)


def _read(job: Any) -> Submitted:
    said = job.metadata
    games = said.get("games", "")
    return Submitted(
        job.submission_id,
        said.get("run", ""),
        said.get("name", ""),
        said.get("digest", ""),
        int(games) if games.isdecimal() else 0,
        said.get("user", ""),
        said[VERSION_KEY],
        job.status.value.lower(),
        _told(job.message or ""),
        job.start_time / 1000 if job.start_time else None,
        job.end_time / 1000 if job.end_time else None,
    )


def _told(message: str) -> str:
    """Returns what dicecup said last, with the lines set in below it, where Ray quotes that, else all."""
    lines = message.expandtabs().strip().splitlines()
    own = [k for k, line in enumerate(lines) if line.startswith(f"{VERSION_KEY}: ")]
    if own:
        behind = takewhile(lambda line: line.startswith("  "), lines[own[-1] + 1 :])
        lines = [lines[own[-1]], *behind]
    return "\n".join(lines)[:_LONGEST_QUOTE]


def _next_id(base: str, taken: set[str]) -> str:
    number = 1
    while (name := base if number == 1 else f"{base}-{number}") in taken:
        number += 1
    return name


def _running(address: str, job: Submitted) -> RunIncomplete:
    return RunIncomplete(
        f"{job.run} is being played already: {job.submission} is {job.state} at {address}. To look at it: dicecup jobs "
        f"logs {job.submission} --address {address}"
    )


def _travelling() -> dict[str, str]:
    settings = {name: os.environ[name] for name in TRAVELLING if os.environ.get(name)}
    for name in [name for name, value in settings.items() if "@" in value]:
        note(f"{name} holds a user or a password and does not travel; the head's environment must have it")
        del settings[name]
    return settings


async def _tail(client: Any, submission: str, said: Callable[[str], None]) -> None:
    async for text in client.tail_job_logs(submission):
        said(text)
