"""A headless Chromium over its debugging pipe, for tests that look at pages as a reader's browser does."""

import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-extensions", "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=127.0.0.1:9", "--remote-debugging-pipe",
)  # fmt: skip
_PATIENCE = 60.0


class Browser:
    """Chromium with one tab and no network; every event that it sends is kept in `events`."""

    def __init__(self) -> None:
        assert CHROMIUM, "no Chromium is installed"
        self._home = tempfile.mkdtemp(prefix="dicecup-browser-")
        down, self._to = os.pipe()
        self._from, up = os.pipe()

        def connect() -> None:
            # Chromium reads what it is told at 3 and answers at 4; copies first, as either may be taken.
            read, write = os.dup(down), os.dup(up)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self._process = subprocess.Popen(
            [CHROMIUM, *_FLAGS, f"--user-data-dir={self._home}"],
            preexec_fn=connect,
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(down)
        os.close(up)
        self.events: list[dict[str, Any]] = []
        self._rest, self._count, self._session = b"", 0, ""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._to)
        os.close(self._from)
        shutil.rmtree(self._home, ignore_errors=True)

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Asks for something and returns the answer."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._count:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def value(self, expression: str) -> Any:
        """Returns what an expression of the page comes to, once it is settled."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def show(self, path: Path, width: int, dark: bool = False) -> None:
        """Loads a file as a phone or a desk of this width would, in light or in dark surroundings."""
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        self.scheme(dark)
        self.ask("Page.navigate", url=path.resolve().as_uri())
        self.wait_for("document.readyState === 'complete'")

    def scheme(self, dark: bool) -> None:
        """Turns the surroundings dark or light."""
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.ask("Emulation.setEmulatedMedia", features=features)

    def wait_for(self, expression: str) -> None:
        """Waits until an expression of the page is true."""
        end = time.monotonic() + _PATIENCE
        while not self.value(expression):
            assert time.monotonic() < end, f"{expression} never came true"
            time.sleep(0.02)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            more = os.read(self._from, 1 << 20)
            assert more, "Chromium has gone"
            self._rest += more
        text, _, self._rest = self._rest.partition(b"\0")
        found: dict[str, Any] = json.loads(text)
        return found
