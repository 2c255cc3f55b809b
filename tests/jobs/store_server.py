"""An S3-compatible store that tests start for themselves: SeaweedFS, on free ports of this machine."""

import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

KEY, SECRET = "TESTKEY7", "nobody-prints-this-secret"


class StoreServer:
    """A store with the bucket `runs`, which can be stopped, killed, and started again with what it holds."""

    def __init__(self, folder):
        self.folder = Path(folder)
        (self.folder / "data").mkdir()
        identity = {
            "name": "tests",
            "credentials": [{"accessKey": KEY, "secretKey": SECRET}],
            "actions": ["Admin", "Read", "List", "Tagging", "Write"],
        }
        reader = {
            "name": "reader",
            "credentials": [{"accessKey": "READER", "secretKey": SECRET}],
            "actions": ["Read", "List"],
        }
        (self.folder / "identities.json").write_text(json.dumps({"identities": [identity, reader]}))
        self._ports = dict(zip(("master", "volume", "filer", "s3"), free_ports(4), strict=True))
        self.process = None
        self.start()

    @property
    def endpoint(self):
        return f"http://127.0.0.1:{self._ports['s3']}"

    @property
    def settings(self):
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
        }

    def start(self):
        weed = (
            shutil.which("weed", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
            or "weed"
        )
        words = [f"-{name}.port={port}" for name, port in self._ports.items()]
        words += [f"-{name}.port.grpc={port + 10000}" for name, port in self._ports.items()]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [
                    weed, "server", f"-dir={self.folder / 'data'}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-s3",
                    f"-s3.config={self.folder / 'identities.json'}", "-volume.max=20",
                    "-master.volumeSizeLimitMB=64", "-master.telemetry=false", "-s3.port.iceberg=0", "-s3.port.lance=0",
                    # One that is started again waits so long before it leads itself.
                    "-master.electionTimeout=1s",
                    *words,
                ],
                stdout=log, stderr=log,
            )  # fmt: skip
        self._wait_until_ready()

    def _wait_until_ready(self):
        from pyarrow.fs import AwsStandardS3RetryStrategy, S3FileSystem

        client = S3FileSystem(
            access_key=KEY, secret_key=SECRET, endpoint_override=self.endpoint, region="us-east-1",
            allow_bucket_creation=True, retry_strategy=AwsStandardS3RetryStrategy(max_attempts=1),
        )  # fmt: skip
        end = time.monotonic() + 60
        while True:
            try:
                client.create_dir("runs", recursive=False)
                with client.open_output_stream("runs/.ready") as stream:
                    stream.write(b"ready")
                client.delete_file("runs/.ready")
            except OSError:
                if time.monotonic() > end or self.process.poll() is not None:
                    raise
                time.sleep(0.3)
            else:
                return

    def pause(self, seconds):
        self.process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        self.process.send_signal(signal.SIGCONT)

    def kill(self):
        self.process.kill()
        self.process.wait(20)


def free_ports(count):
    """Ports that nobody listens at, and neither 10,000 above them, where the server's parts speak to each other."""
    found: list[int] = []
    while len(found) < count:
        port = random.randint(20_000, 50_000)
        if port not in found and all(map(is_free, (port, port + 10_000))):
            found.append(port)
    return found


def is_free(port):
    with socket.socket() as tried:
        try:
            tried.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
