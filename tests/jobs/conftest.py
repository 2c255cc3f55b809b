"""Runs the real command in this process, with a cache of tables that the whole session shares."""

import json
from dataclasses import dataclass

import pytest

from jobs.cli import main


@dataclass
class Answer:
    code: int
    out: str
    err: str

    @property
    def document(self):
        return json.loads(self.out)


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def apart(monkeypatch, tmp_path, cache):
    """Each test has a working folder of its own; tables are filled once for all."""
    monkeypatch.setenv("DICECUP_CACHE", str(cache))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def dicecup(capfd):
    def call(*words):
        capfd.readouterr()
        with pytest.raises(SystemExit) as leaving:
            main([str(word) for word in words])
        out, err = capfd.readouterr()
        return Answer(leaving.value.code or 0, out, err)

    return call


@pytest.fixture
def play(dicecup):
    """Play the short game between two shipped strategies; returns the document of the command."""

    def call(*words, games="20k", code=0):
        short = ("--ruleset", "cheerio-web-short", "--lineup", "greedy,par", "--seed", 5)
        answer = dicecup("run", *short, "--games", games, "--format", "json", "--on", "here", *words)
        assert answer.code == code, answer.err
        return answer.document if code == 0 else answer

    return call


@pytest.fixture
def parts():
    """Return the bytes of all parts of a run by their place."""

    def read(run):
        return {str(path.relative_to(run)): path.read_bytes() for path in sorted(run.rglob("*.parquet"))}

    return read


CLOCK = """
[clock]
throw = { seconds = 4, spread = 1 }
entry = { seconds = 6, spread = 2 }
timer = 13
"""
#: Variants of the short game, whose tables fill in no time: what each adds to it, and a lineup.
VARIANTS = {
    "team": ("players = [4, 6]\nteam = 2\n", "par+greedy,greedy+greedy"),
    "overwrite": ('players = [2, 3]\nsteal = "overwrite"\n', "greedy,par:steal=9,par:steal=never"),
    "take": ('players = [2, 3]\nsteal = "take"\n', "greedy:steal=5,par"),
    "team-take": ('players = [4]\nteam = 2\nsteal = "take"\n', "par+greedy,greedy+greedy"),
    "speed": (CLOCK, "greedy,par:pace=0.8"),
    "team-speed": (f"players = [4]\nteam = 2\n{CLOCK}", "par+greedy,greedy+greedy:pace=1.3"),
    "joker": (
        (
            "[joker]\ncategory = 'five'\npoints = 30\nfits = ['cheerio']\n"
            "[categories.five]\nname = 'Five Alike'\npattern = { alike = 5 }\npays = 50\n"
        ),
        "greedy,par",
    ),
}


@pytest.fixture
def variant(tmp_path):
    """Write the file of a variant of the short game; returns its name and a lineup for it, as words of a command."""

    def write(name):
        rules, lineup = VARIANTS[name]
        (tmp_path / f"short-{name}.toml").write_text(f'extends = "cheerio-web-short"\n{rules}')
        return f"./short-{name}.toml", lineup

    return write


BOLD = '''
from strategies import Strategy

class Bold(Strategy):
    """Keeps what shows most often and fills the first open category that pays most."""
    sees = ("open",)
    def keep(self, dice, sheet, rolls_left):
        face = max(dice, key=dice.count)
        return [die for die in dice if die == face]
    def choose(self, dice, sheet):
        return max(sheet.open, key=lambda category: category.points(dice))
'''


@pytest.fixture
def write_strategy(tmp_path):
    """Write mine.py with the ten-line strategy Bold, with some of its text replaced; returns `mine.py:Bold`."""

    def write(old="", new="", name="mine.py"):
        assert old in BOLD
        (tmp_path / name).write_text(BOLD.replace(old, new) if old else BOLD)
        return f"{name}:Bold"

    return write
