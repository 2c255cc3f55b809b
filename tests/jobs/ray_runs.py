"""Runs on Ray as commands of their own, the processes that they start, and clusters that stand while tests play."""

import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

SHORT = ("--ruleset", "cheerio-web-short", "--lineup", "greedy,par", "--seed", "5", "--format", "json")

#: Ray's waits, shortened: a lost machine is missed after two seconds, and a lost head after some more.
IMPATIENT = {
    "RAY_health_check_initial_delay_ms": "1000",
    "RAY_health_check_period_ms": "500",
    "RAY_health_check_timeout_ms": "1000",
    "RAY_health_check_failure_threshold": "2",
    "RAY_USAGE_STATS_ENABLED": "0",
}
#: Starts a cluster of one machine, and more machines on this one as they are asked for, until its input ends.
STANDING = """
import json, os, sys, tempfile
from ray.cluster_utils import Cluster
own = {"num_cpus": 1, "include_dashboard": False}
cluster = Cluster(initialize_head=True, head_node_args=own)
nodes = {"head": cluster.head_node}
def say():
    pids = {name: {kind: started[0].process.pid for kind, started in node.all_processes.items()}
            for name, node in nodes.items()}
    print(json.dumps({"address": cluster.address, "pids": pids}), flush=True)
say()
for line in sys.stdin:
    os.chdir(tempfile.mkdtemp())
    nodes[line.strip()] = cluster.add_node(num_cpus=1)
    say()
cluster.shutdown()
"""


def start(*words, program="from jobs.cli import main; main(sys.argv[1:])", env=None):
    return subprocess.Popen(
        [sys.executable, "-c", f"import sys; {program}", *map(str, words)], env=env,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip


def finish(process, code=0):
    out, err = process.communicate(timeout=120)
    assert process.returncode == code, err
    return (json.loads(out) if code == 0 else out), err


def processes(driver):
    """The processes of the Ray that a driver started, by their id, with their command lines."""
    parents, lines = {}, {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                stat = (folder / "stat").read_text()
                lines[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                parents[int(folder.name)] = int(stat.rpartition(")")[2].split()[1])
            except (OSError, ValueError):
                continue
    found, waiting = {}, [driver]
    while waiting:
        parent = waiting.pop()
        for pid in (pid for pid, its in parents.items() if its == parent and pid not in found):
            found[pid] = lines[pid]
            waiting.append(pid)
    return found


def wait_for_parts(root, count, seconds=90):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if len(list(Path(root).rglob("games/part-*.parquet"))) >= count:
            return
        time.sleep(0.01)
    raise AssertionError("no parts came")


def wait_until_gone(pids, seconds=30):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        left = [pid for pid in pids if Path(f"/proc/{pid}").exists() and "zombie" not in state(pid)]
        if not left:
            return
        time.sleep(0.1)
    raise AssertionError(f"processes {left} are left")


def state(pid):
    try:
        return next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if "State" in line)
    except OSError:
        return "zombie"


class Cluster:
    """A cluster on this machine that stands until it is left; its processes by the machine and kind."""

    def __enter__(self):
        self._process = subprocess.Popen(
            [sys.executable, "-c", STANDING], env=os.environ | IMPATIENT, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        self._hear()
        return self

    def __exit__(self, *_error):
        self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(30)
        ours = processes(self._process.pid)
        for pid in (*ours, self._process.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, 9)
        self._process.stdout.close()
        self._process.stderr.close()
        self._process.wait()

    def add(self, name):
        self._process.stdin.write(f"{name}\n")
        self._process.stdin.flush()
        self._hear()

    def kill(self, node, kind):
        os.kill(self.pids[node][kind], 9)

    def _hear(self):
        told = json.loads(self._process.stdout.readline())
        self.address, self.pids = told["address"], told["pids"]


class Head:
    """A head with Ray's job API on loopback, with a token, a home and a folder of its own; Python is not on its path.

    `given` is the environment of whoever may ask it.
    """

    def __enter__(self):
        self._home = tempfile.TemporaryDirectory(prefix="head-")
        ports = free_ports(5)
        self.address, self.token = f"http://127.0.0.1:{ports[1]}", secrets.token_hex(32)
        own = {"HOME": self._home.name, "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": self.token}
        self.given = os.environ | IMPATIENT | own
        options = ("port", "dashboard-port", "dashboard-agent-listen-port", "ray-client-server-port",
                   "metrics-export-port")  # fmt: skip
        words = ["start", "--head", "--block", "--num-cpus=2", "--dashboard-host=127.0.0.1",
                 f"--temp-dir={self._home.name}/ray",
                 *(f"--{option}={port}" for option, port in zip(options, ports, strict=True))]  # fmt: skip
        self._process = subprocess.Popen(
            [sys.executable, "-c", "import sys; from ray.scripts.scripts import main; sys.exit(main())", *words],
            env=self.given | {"PATH": "/usr/bin:/bin"}, cwd=self._home.name, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        end = time.monotonic() + 60
        while time.monotonic() < end:
            with suppress(OSError):
                socket.create_connection(("127.0.0.1", ports[1]), 1).close()
                return self
            time.sleep(0.1)
        self.__exit__()
        raise AssertionError("no head came up")

    def __exit__(self, *_error):
        ours = processes(self._process.pid)
        self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(10)
        for pid in (*ours, self._process.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, 9)
        self._process.wait()
        wait_until_gone(ours)
        self._home.cleanup()


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports
