"""How long ten million games take to be summarised, compared and made a page of, and the memory that it takes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

#: Peaks are told in units of 1,024 bytes on Linux.
KILOBYTE = 1024


def measure_reading(line: Callable[..., None], run: Path) -> None:
    """Prints seconds and peak memory of each command that reads a run."""
    page = run.parent / "page.html"
    for name, words in (("summary", []), ("compare", []), ("report", ["-o", str(page), "--force"])):
        start = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "jobs", name, str(run), *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        if status:
            raise RuntimeError(f"dicecup {name} {run} ended with {status}")
        peak = usage.ru_maxrss * KILOBYTE / 1e6
        line(f"  dicecup {name} of them", f"{seconds:.1f}", f"s, {peak:,.0f} MB (wanted: 10 s, 1,500 MB)")
