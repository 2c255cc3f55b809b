"""Memory, loading and what no exception stops: each limit holds, and the process can tell of it."""

import contextlib
import resource
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from sim.cheerio_ruleset import load_cheerio
from strategies import loading, memory_limit
from strategies.asking import Asker
from strategies.lineup import get_player
from strategies.rows import RowMaker
from strategies.strategy import StrategyError

MEGABYTE = 1 << 20
FILE = '''
from strategies import Strategy
eaten = []
class Bold(Strategy):
    """Fills the first open category."""
    def keep(self, dice, sheet, rolls_left):
        return dice
    def choose(self, dice, sheet):
        return sheet.open[0]
'''


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def call(old="", new=""):
        assert old in FILE
        Path("mine.py").write_text(FILE.replace(old, new) if old else FILE)
        return "mine.py:Bold"

    return call


@pytest.fixture
def little_memory(monkeypatch):
    """Allow 200 megabytes more than there are."""
    held = memory_limit._status("/proc/self/status", "VmData")
    assert held is not None
    monkeypatch.setattr(memory_limit, "most_bytes", lambda: held + 200 * MEGABYTE)


@pytest.mark.parametrize(
    "eating", [f"eaten.append(bytearray({MEGABYTE}))", "eaten.append(bytearray(10 ** 10))"]
)
def test_memory_that_is_not_there_is_a_fault_of_the_strategy(little_memory, write, eating):
    words = write("        return dice", f"        {eating}\n        return dice")
    before = resource.getrlimit(resource.RLIMIT_DATA)
    maker = RowMaker(get_player(words), load_cheerio("cheerio-web-short"))
    with pytest.raises(StrategyError) as caught:
        maker.make([5, 6, 7])
    assert "strategy mine.py:Bold: keep((" in str(caught.value)
    assert "takes more memory than there is: raises MemoryError (mine.py, line 7)" in str(caught.value)
    assert "the sheet shows open: " in str(caught.value)
    assert resource.getrlimit(resource.RLIMIT_DATA) == before
    sys.modules[type(maker.strategy).__module__].eaten.clear()


def test_shipped_strategies_have_no_limit(little_memory):
    def keep(*seen):
        return bytearray(300 * MEGABYTE) and ()

    strategy = SimpleNamespace(keep=keep, sees=("open",))
    sheet = RowMaker(get_player("greedy"), load_cheerio("cheerio")).sheet(1)
    for label, expected in (("greedy", contextlib.nullcontext()), ("a.py:A", pytest.raises(StrategyError))):
        asker = Asker(strategy, label)  # type: ignore[arg-type]
        with expected, asker.limited():
            assert asker.keep(sheet, 0, 1) == (0,)


@pytest.mark.parametrize(
    ("line", "files", "free"),
    [
        ("0::/a/b", {}, 4000 * 1024),
        ("0::/a/b", {"a/memory.max": 900, "a/memory.current": 800, "a/memory.stat": "inactive_file 50"}, 150),
        ("0::/a/b", {"a/memory.max": "max", "a/memory.current": 700_000, "a/memory.stat": ""}, 4000 * 1024),
        (
            "4:memory:/a",
            {
                "memory/memory.limit_in_bytes": 900, "memory/memory.usage_in_bytes": 800,
                "memory/memory.stat": "inactive_file 7\ntotal_inactive_file 9",
            },
            109,
        ),
        ("4:cpu:/a", {"cpu/memory.limit_in_bytes": 1}, 4000 * 1024),
    ],
)  # fmt: skip
def test_what_is_available_is_the_least_of_the_machine_and_its_groups(tmp_path, line, files, free):
    proc, groups = tmp_path / "proc", tmp_path / "groups"
    texts = {
        proc / "meminfo": "MemTotal: 9000 kB\nMemAvailable: 4000 kB\n",
        proc / "self/cgroup": f"{line}\n",
    }
    for path, text in (texts | {groups / name: text for name, text in files.items()}).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(text))
    assert memory_limit.available_bytes(proc, groups) == free


def test_processes_that_ask_beside_each_other_share_what_is_available():
    try:
        memory_limit.share_memory(1)
        alone, held = memory_limit.most_bytes(), memory_limit._status("/proc/self/status", "VmData")
        memory_limit.share_memory(4)
        shared = memory_limit.most_bytes()
    finally:
        memory_limit.share_memory(1)
    assert alone is not None
    assert shared is not None
    assert held is not None
    # What is available changes from one look to the next.
    assert (shared - held) * 4 == pytest.approx(alone - held, rel=0.2)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("eaten = []", "while True: pass", "mine.py can't be loaded: it takes longer than 0.1 s; it may loop"),
        (
            "eaten = []",
            "try:\n    while True: pass\nexcept BaseException: pass",
            "mine.py can't be loaded: it takes longer than 0.1 s; it may loop for ever",
        ),
        (
            "    def keep",
            "    def __init__(self):\n        while True: pass\n    def keep",
            "can't be built: it takes longer than 0.1 s; it may loop for ever",
        ),
        ("eaten = []", "eaten = bytearray(10 ** 10)", "mine.py can't be loaded: it takes more memory than there is"),
        ("eaten = []", "raise type('Stop', (BaseException,), {})", "mine.py can't be loaded: Stop"),
    ],
)  # fmt: skip
def test_a_file_that_does_not_come_to_an_end_is_told(little_memory, monkeypatch, write, old, new, told):
    monkeypatch.setattr(loading, "LOADING_SECONDS", 0.1)
    with pytest.raises(StrategyError, match=r"strategy mine\.py:Bold: ") as caught:
        get_player(write(old, new))
    assert told in str(caught.value)


#: A decision in a process that somebody keeps watch over.
STUCK = """
from sim.recording import end_when_stuck
from strategies import time_limit
end_when_stuck()
time_limit.LAST_SECONDS = {seconds}
def hold_back():
    while True:
        try:
            hold_back_once()
        except BaseException:
            pass
def hold_back_once():
    try:
        while True: pass
    except BaseException:
        hold_back_once()
with time_limit.TimeLimit().running(0.05):
    {decision}
"""


@pytest.mark.slow
@pytest.mark.parametrize(("decision", "seconds"), [("hold_back()", 60), ("sum(range(10 ** 13))", 0.3)])
def test_a_decision_that_no_exception_stops_ends_its_process(decision, seconds):
    program = STUCK.format(decision=decision, seconds=seconds)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=30
    )
    assert (done.returncode, done.stderr) == (-signal.SIGVTALRM, "")
