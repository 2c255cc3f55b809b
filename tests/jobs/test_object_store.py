"""Runs in a real S3-compatible store: the same bytes as in a folder, whatever happens to the store meanwhile."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jobs import execute, running
from jobs import stored as stored_parts
from jobs.service import sessions
from results import patience
from results import store as store_of_runs
from results.location import ObjectPath, store
from results.lock import lock_run
from tests.jobs.store_server import SECRET, StoreServer

pytestmark = pytest.mark.slow
JOB = ("--ruleset", "cheerio-web-short", "--lineup", "greedy,par", "--seed", "5", "--format", "json")
RUN = "cheerio-web-short-"


@pytest.fixture
def server(tmp_path):
    (tmp_path / "store").mkdir()
    started = StoreServer(tmp_path / "store")
    yield started
    started.kill()


@pytest.fixture
def settings(server, monkeypatch):
    """The environment that names the store, of this process and of those that it starts."""
    for name in ("AWS_ENDPOINT_URL_S3", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in server.settings.items():
        monkeypatch.setenv(name, value)
    store.cache_clear()
    yield monkeypatch
    store.cache_clear()


@pytest.fixture
def stored(settings):
    """The parts and stops of a run in the store, as they are named and what they hold."""

    def call(run):
        folder = ObjectPath(run.removeprefix("s3://"))
        found = {str(path.relative_to(folder)): path for path in folder.rglob_files()}
        kept = {
            name: path.read_bytes()
            for name, path in found.items()
            if name.endswith((".parquet", "stop.json"))
        }
        return kept, set(found)

    return call


def local(dicecup, *words):
    """The digest of rows of the same job in a folder, and its parts and stops."""
    told = dicecup("run", *JOB, "--on", "here", "--root", "undisturbed", *words).document
    run = Path(told["run"])
    files = [path for kind in ("*.parquet", "stop.json") for path in run.rglob(kind)]
    return told["rows"], {str(path.relative_to(run)): path.read_bytes() for path in files}


def test_a_store_is_as_good_as_a_folder_and_is_waited_for(dicecup, stored, server, settings):
    every_command_works(dicecup, stored)
    with settings.context() as own:
        refusals_are_told_at_once_and_no_secret_is(dicecup, own)
    store.cache_clear()
    a_store_that_is_away_is_waited_for(dicecup, stored, server)
    a_stop_is_heard_while_the_store_is_away(dicecup, stored, server)
    a_store_that_stays_away_ends_a_run_that_is_resumed(dicecup, stored, server, settings)


def every_command_works(dicecup, stored):
    words = ("--games", 20_000, "--chunk", 1000)
    rows, parts = local(dicecup, *words)
    place = ("--root", "s3://runs/all")
    told = dicecup("run", *JOB, *words, *place).document
    run = told["run"]
    assert (told["rows"], run.startswith("s3://runs/all/")) == (rows, True)
    kept, names = stored(run)
    assert kept == parts
    # Nothing else is there: no lock, no half object.
    others = {name for name in names - set(parts) if not name.startswith("derived/sessions/")}
    assert others == {"manifest.json"}
    again = dicecup("run", *JOB, *words, *place)
    assert (again.document["played"], "nothing is played" in again.err) == (0, True)
    here = next(Path("undisturbed").iterdir())
    for command in (("summary",), ("compare",)):
        there, near = (dicecup(*command, where, "--format", "json").out for where in (run, here))
        assert there.replace(run, str(here)) == near
    assert dicecup("replay", run, "--game", 17).out == dicecup("replay", here, "--game", 17).out
    exact = dicecup("exact", run)
    assert (exact.code, "derived/exact.json" in exact.err) == (0, True)
    assert "exact" in json.loads(dicecup("summary", run, "--format", "json").out)["matches"][0]
    assert dicecup("report", run, "--format", "markdown", "-o", "report.md").code == 0
    assert Path("report.md").stat().st_size > 1000
    (listed,) = dicecup("jobs", *place, "--format", "json").document["runs"]
    assert (listed["run"], listed["state"], listed["games"]) == (run, "complete", 20_000)
    (found,) = dicecup("jobs", "verify", *place, "--format", "json").document["runs"]
    assert (found["whole"], found["rows"]) == (True, rows)
    # Damage: cut short, and altered in the midst, which only reading all of it finds.
    folder = ObjectPath(run.removeprefix("s3://")) / "matches/00"
    cut, changed = folder / "games/part-00003.parquet", folder / "categories/part-00001.parquet"
    cut.write_bytes(cut.read_bytes()[:-9])
    content = bytearray(changed.read_bytes())
    content[100] ^= 1
    changed.write_bytes(content)
    # To resume is to look at the ends alone, as a store keeps checksums of its own; whoever reads the rows sees it.
    resumed = dicecup("resume", run)
    assert (resumed.code, "chunk 3 is damaged: games/part-00003.parquet: " in resumed.err) == (3, True)
    assert "part-00001.parquet is damaged" in resumed.err
    assert "dicecup jobs repair sets it aside" in resumed.err
    assert dicecup("jobs", "verify", run).code == 3
    assert dicecup("jobs", *place, "--format", "json").document["runs"][0]["state"] == "damaged"
    assert dicecup("jobs", "repair", run).code == 0
    kept, names = stored(run)
    assert kept == parts
    assert sum(".damaged" in name for name in names) == 4
    assert dicecup("run", *JOB, *words, *place, "--force").document["played"] == 20_000
    kept, names = stored(run)
    assert (kept, any(".damaged" in name for name in names)) == (parts, False)
    with lock_run(ObjectPath(run.removeprefix("s3://"))):
        (folder / "games/part-00000.parquet").unlink()
        refused = dicecup("resume", run)
        assert (refused.code, f"process {os.getpid()}, started" in refused.err) == (3, True)
    question = ("--games", "200k", "--chunk", 1000, "--until", "par - greedy: +-2%")
    rows, parts = local(dicecup, *question)
    told = dicecup("run", *JOB, *question, *place).document
    assert (told["rows"], stored(told["run"])[0]) == (rows, parts)
    balance = ("--ruleset", "cheerio-web-short", "--strategies", "greedy,par", "--games", 400, "--seed", 1)
    there, near = (dicecup("balance", *balance, "--root", root) for root in ("s3://runs/balance", "near"))
    assert (there.code, near.code) == (0, 0)


def refusals_are_told_at_once_and_no_secret_is(dicecup, settings):
    words = ("run", *JOB, "--games", 2000)
    told = []

    def refused(expected, root="s3://runs/refused", **changed):
        store.cache_clear()
        with settings.context() as now:
            for name, value in changed.items():
                now.setenv(name, value)
            began = time.monotonic()
            answer = dicecup(*words, "--root", root)
        store.cache_clear()
        assert (answer.code, expected in answer.err) == (2, True), answer.err
        assert time.monotonic() - began < 8
        told.append(answer.err)

    refused("refuses (ACCESS_DENIED)", AWS_SECRET_ACCESS_KEY="wrong-and-secret")
    refused("refuses (ACCESS_DENIED)", AWS_ACCESS_KEY_ID="READER")
    refused("s3://nobucket is no bucket of the store", root="s3://nobucket/x")
    assert not [line for line in told if "Traceback" in line or SECRET in line or "wrong-and-secret" in line]
    store.cache_clear()
    settings.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    away = dicecup(*words, "--root", "s3://runs/away")
    assert (away.code, "can't be reached" in away.err, "AWS_ENDPOINT_URL" in away.err) == (3, True, True)


def begun(name, *words):
    """A process that plays into a folder of the store, when three parts of it are there."""
    process = subprocess.Popen(
        [
            sys.executable, "-m", "jobs", "run", *map(str, (*JOB, *words)), "--root", f"s3://runs/{name}",
        ],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    folder = ObjectPath(f"runs/{name}")
    end = time.monotonic() + 90
    while process.poll() is None and time.monotonic() < end:
        if sum("/games/part-" in path.key for path in folder.rglob_files()) >= 3:
            break
        time.sleep(0.1)
    return process


def a_stop_is_heard_while_the_store_is_away(dicecup, stored, server):
    words = ("--games", "200k", "--chunk", 1000)
    process = begun("stopped", *words, "--on", "here", "--workers", "2")
    server.process.send_signal(signal.SIGSTOP)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    out, err = process.communicate(timeout=60)
    seconds = time.monotonic() - began
    server.process.send_signal(signal.SIGCONT)
    assert (process.returncode, seconds < 8) == (130, True), err
    assert err.splitlines()[-1].startswith("dicecup: interrupted. What is stored is whole; for the rest: ")
    assert SECRET not in out + err
    resumed = dicecup("resume", err.split()[-1], "--on", "here", "--format", "json")
    assert (resumed.code, 0 < resumed.document["played"] < 200_000) == (0, True), resumed.err
    rows, parts = local(dicecup, *words)
    assert (resumed.document["rows"], stored(resumed.document["run"])[0]) == (rows, parts)


def a_store_that_is_away_is_waited_for(dicecup, stored, server):
    words = ("--games", "200k", "--chunk", 2000)
    process = begun("away", *words, "--on", "ray", "--workers", "1")
    rows, parts = local(dicecup, *words)
    server.pause(3)
    server.kill()
    time.sleep(2)
    server.start()
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    told = json.loads(out)
    assert (told["rows"], stored(told["run"])[0]) == (rows, parts)
    assert SECRET not in out + err


def a_store_that_stays_away_ends_a_run_that_is_resumed(dicecup, stored, server, monkeypatch):
    words = ("--games", 20_000, "--chunk", 1000)
    rows, parts = local(dicecup, *words)
    monkeypatch.setattr(running, "PLAYING_SECONDS", 1.0)
    for place in (stored_parts, sessions, patience):
        monkeypatch.setattr(place, "LOOKING_SECONDS", 1.0)
    real = store_of_runs.commit_part

    def commit(run, match, chunk, *rest):
        if chunk == 2:
            server.kill()
        real(run, match, chunk, *rest)

    with monkeypatch.context() as patched:
        patched.setattr(execute, "commit_part", commit)
        answer = dicecup("run", *JOB, *words, "--root", "s3://runs/gone", "--on", "here", "--workers", 1)
    assert answer.code == 3
    assert "can't be reached" in answer.err
    assert "dicecup resume s3://runs/gone/" in answer.err
    server.start()
    run = next(iter(ObjectPath("runs/gone").iterdir()))
    assert sum("/games/part-" in path.key for path in run.rglob_files()) == 2
    resumed = dicecup("resume", run, "--format", "json")
    assert resumed.code == 0, resumed.err
    told = resumed.document
    assert (told["rows"], told["played"]) == (rows, 16_000)
    assert stored(str(run))[0] == parts
