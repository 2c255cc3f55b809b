"""Asks every machine of a cluster, before anything is played there, whether it can play, and looks after its head.

A machine can play that has the same dicecup, and that sees the folder of the run.
"""

from __future__ import annotations

import secrets
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jobs.errors import RunIncomplete
from jobs.plan import ENGINE_VERSION
from jobs.progress import note
from results.files import write_atomically
from results.location import Location
from results.store import MANIFEST_NAME

#: Packages of which another version may write the same rows into other bytes.
WRITERS = ("numpy", "numba", "pyarrow")
#: Seconds that a machine of the cluster has for its first answer: Ray starts a process there, which imports dicecup.
GREETING_SECONDS = 90.0
#: Seconds that the head of a cluster has to answer a look.
TRY_SECONDS = 2.0

SHARED = "give --root s3://bucket/name, or a folder that all machines of the cluster share"


@lru_cache(maxsize=1)
def own_versions() -> tuple[str, int]:
    """Returns the version of dicecup that plays here, and of its engine."""
    return version("dicecup"), ENGINE_VERSION


def require_alike(ray: Any, place: Location) -> None:
    """Raises RunIncomplete unless every machine of the cluster has this dicecup and sees the folder of the run."""
    nodes = [node for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU", 0) >= 1]
    with _probe(place) as probe:
        answers = _answers(ray, nodes, probe)
    faults = [fault for answer in answers for fault in _faults(answer, place)]
    if faults:
        more = f"; and {len(faults) - 1} more" if faults[1:] else ""
        raise RunIncomplete(f"the cluster can't play this: {faults[0]}{more}")
    others = sorted({other for answer in answers for other in _other_writers(answer)})
    if others:
        note(f"the cluster has other versions ({', '.join(others)}): the same rows, in other bytes")


def place_fault(versions: tuple[str, int], place: Location) -> str | None:
    """Returns why a process that joined later can't play a run, or None; `versions` are those of who asks it to."""
    here = socket.gethostname()
    if versions != own_versions():
        return _version_fault(here, own_versions(), versions)
    if isinstance(place, Path) and not (place / MANIFEST_NAME).is_file():
        return f"{here} does not see {place}; {SHARED}"
    return None


class Head:
    """The head of a cluster, which is looked for now and then; Ray itself would wait, then end the process."""

    def __init__(self, address: str, seconds: float) -> None:
        host, _, port = address.rpartition(":")
        self._seconds = seconds
        self._address, self._place = address, (host.strip("[]"), int(port))
        self._seen = time.monotonic()

    def is_there(self) -> bool:
        """Tells whether the head answers; raises RunIncomplete where it has not for long."""
        try:
            socket.create_connection(self._place, TRY_SECONDS).close()
        except OSError:
            silent = time.monotonic() - self._seen
            if silent >= self._seconds:
                raise RunIncomplete(
                    f"the head of the cluster, {self._address}, is gone: it has not answered for {silent:.0f} s"
                ) from None
            return False
        self._seen = time.monotonic()
        return True


@contextmanager
def _probe(place: Location) -> Iterator[str]:
    """Writes a file beside the run's manifest while others look for it; a store is alike for all."""
    if not isinstance(place, Path):
        yield ""
        return
    # As a temporary file: whoever holds the run next removes it, if this process is killed.
    probe = place.resolve() / f".probe.0-{secrets.token_hex(4)}.tmp"
    try:
        write_atomically(probe, b"")
        yield str(probe)
    finally:
        probe.unlink(missing_ok=True)


def _greeting() -> Callable[[str, tuple[str, ...]], dict[str, Any]]:
    # A function within a function travels whole, to machines where there may be no dicecup.
    def greet(probe: str, writers: tuple[str, ...]) -> dict[str, Any]:
        import os
        import socket
        import sys
        from importlib.metadata import PackageNotFoundError, version

        answer: dict[str, Any] = {"host": socket.gethostname(), "python": sys.executable, "sees": True}
        if probe:
            answer["sees"] = os.path.exists(probe)  # noqa: PTH110 - pathlib adds nothing here
        try:
            from jobs.plan import ENGINE_VERSION

            answer["versions"] = version("dicecup"), ENGINE_VERSION
            answer["writers"] = {name: version(name) for name in writers}
        except (ImportError, PackageNotFoundError) as error:
            answer["lacks"] = str(error)
        return answer

    return greet


def _answers(ray: Any, nodes: list[Mapping[str, Any]], probe: str) -> list[dict[str, Any]]:
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    greet = ray.remote(num_cpus=0, max_retries=2)(_greeting())
    asked = {
        greet.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)).remote(
            probe, WRITERS
        ): node
        for node in nodes
    }
    answered, silent = ray.wait(list(asked), num_returns=len(asked), timeout=GREETING_SECONDS)
    if silent:
        names = ", ".join(str(asked[reference]["NodeManagerHostname"]) for reference in silent)
        raise RunIncomplete(
            f"the cluster can't play this: {names} did not answer in {GREETING_SECONDS:.0f} s"
        )
    answers = []
    for reference in answered:
        try:
            answers.append(ray.get(reference))
        except ray.exceptions.RayTaskError as error:
            raise RunIncomplete(
                f"the cluster can't play this: {asked[reference]['NodeManagerHostname']}: {error.cause}"
            ) from error
        except ray.exceptions.RayError:
            # A machine that has left meanwhile plays nothing.
            continue
    return answers


def _faults(answer: Mapping[str, Any], place: Location) -> Iterator[str]:
    own = own_versions()
    if "lacks" in answer:
        yield (
            f"{answer['host']} has no dicecup for {answer['python']} ({answer['lacks']}); "
            f"install dicecup {own[0]} there"
        )
    elif tuple(answer["versions"]) != own:
        yield _version_fault(answer["host"], tuple(answer["versions"]), own)
    if not answer["sees"]:
        yield f"{answer['host']} does not see {place.resolve()}; {SHARED}"


def _version_fault(host: str, its: tuple[str, int], wanted: tuple[str, int]) -> str:
    engines = "" if its[1] == wanted[1] else f" with engine {its[1]} in place of {wanted[1]}"
    return f"{host} has dicecup {its[0]}{engines}, and this run is of {wanted[0]}; install the same version there"


def _other_writers(answer: Mapping[str, Any]) -> Iterator[str]:
    for name, its in answer.get("writers", {}).items():
        if its != version(name):
            yield f"{name} {its} on {answer['host']}, {version(name)} here"
