"""What a file of another's making may do: rules, jobs and runs are data, and only a strategy that is named is run."""

import ast
import csv
import io
import json
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from results.parts import encode_part, read_footer
from results.store import Run

PACKAGES = Path(__file__).parent.parent.parent
FILES = [
    path for name in ("sim", "strategies", "jobs", "results") for path in (PACKAGES / name).rglob("*.py")
]
#: What makes code or objects of bytes.
MAKES_CODE = {
    "pickle",
    "cPickle",
    "cloudpickle",
    "dill",
    "marshal",
    "shelve",
    "joblib",
    "yaml",
    "code",
    "runpy",
}
CALLS = {"eval", "exec", "compile", "__import__"}
#: Who prints without results.printing: the printer, the version, click's own help, pages that are harmless as they are
#: made, what one process of ours tells another, and what runs where no dicecup may be.
PRINTS = {
    "results/printing.py",
    "jobs/cli.py",
    "jobs/page_files.py",
    "jobs/start_on_cluster.py",
    "strategies/elsewhere.py",
}
#: What a file without any of these words needs no closer look for.
SUSPECT = re.compile(
    rf"\b({'|'.join([*sorted(MAKES_CODE | CALLS), 'load', 'print', 'echo', 'secho', 'write'])})\b"
)
MARK = "from pathlib import Path\nPath('was-run').touch()\n"
ODD = '=1+1|"q",🎲\x1b[31m\u202e<script>&`*\n# x'
SHORT = ("-r", "cheerio-web-short", "--seed", 3, "--on", "here")


def calls_of(tree):
    return [ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)]


def test_no_code_or_object_is_made_of_what_is_read_and_all_that_is_printed_goes_through_one_place():
    for path in FILES:
        text, place = path.read_text(encoding="utf-8"), str(path.relative_to(PACKAGES))
        assert "allow_pickle" not in text, place
        if not SUSPECT.search(text):
            continue
        tree = ast.parse(text)
        imported = {
            name.split(".")[0]
            for node in ast.walk(tree)
            for name in (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
        }
        assert not imported & MAKES_CODE, place
        calls = calls_of(tree)
        assert not set(calls) & CALLS, place
        assert "np.load" not in calls, place
        if place not in PRINTS:
            assert not {"print", "click.echo", "sys.stdout.write", "sys.stderr.write"} & set(calls), place


@pytest.fixture
def played(dicecup, write_strategy):
    """Play a game with a user's strategy; returns the run and the manifest as it is."""
    words = write_strategy()
    assert dicecup("run", *SHORT, "-l", words, "-n", 40, "--chunk", 20).code == 0
    run = next(Path("runs").iterdir())
    (run / "matches/00/games/part-00001.parquet").unlink()
    return run, json.loads((run / "manifest.json").read_text())


def note(run, manifest, label, file):
    changed = json.loads(json.dumps(manifest).replace("mine.py:Bold", json.dumps(label)[1:-1]))
    strategy = changed["matches"][0]["strategies"][label]
    strategy.pop("file", None)
    if file is not None:
        strategy["file"] = file
    (run / "manifest.json").write_text(json.dumps(changed))


def seal_again(path):
    """Write parts anew so that they belong to the manifest as it is now, as one who makes up a run would."""
    run = Run.open(path)
    (match,) = run.matches
    for chunk in run.committed_chunks(match):
        for part in (run.games_part(match, chunk), run.categories_part(match, chunk)):
            rows, digest = pq.read_table(part, partitioning=None), read_footer(part).rows_digest
            part.write_bytes(encode_part(run.identity, match, chunk, rows, digest))


def test_a_run_brings_no_code_that_runs(dicecup, played):
    run, manifest = played
    mine = Path("mine.py")
    own = mine.read_text()
    commands = [("resume", run), ("replay", run, "--game", 1), ("exact", run)]

    def refused(told):
        for command in commands:
            answer = dicecup(*command)
            assert answer.code in (1, 2), command
            assert told in " ".join(answer.err.split()), (command, answer.err)
            assert not Path("was-run").exists(), command

    mine.write_text(MARK + own)
    refused("changed since")
    mine.write_text(own)
    (run / "mine.py").write_text(own)
    for inside in ("mine.py", f"../{run.name}/mine.py", str((run / "mine.py").resolve())):
        note(run, manifest, "mine.py:Bold", inside)
        refused("whose file is within the folder of the run")
    mine.unlink()
    mine.symlink_to(run / "mine.py")
    note(run, manifest, "mine.py:Bold", "../../mine.py")
    refused("whose file is within the folder of the run")
    mine.unlink()
    mine.write_text(MARK + own)
    for label, file, told in (
        ("mine.py:Bold", None, "does not note where that file is"),
        ("mine.py:Bold", 7, "does not note where that file is"),
        ("mine.py:Bold", "../../other.py", "does not note where that file is"),
        ("mine.py:Bold", "../\x00/mine.py", "notes a place where no file can be"),
        ("greedy", "../../mine.py", "only one named as mine.py:Bold has a file"),
        ("mine", None, "no strategy is named 'mine', but there is mine.py; write mine.py:Bold"),
        ("mine.py", "../../mine.py", "names no class; write mine.py:Bold"),
    ):
        note(run, manifest, label, file)
        refused(told)
    assert dicecup("run", *SHORT, "-l", "mine,par", "-n", 2).code != 0
    assert not Path("was-run").exists()


def test_odd_names_do_nothing_in_any_output(dicecup, played):
    run, manifest = played
    for command in (("summary", run, "--format"), ("compare", run, "--format")):
        note(run, manifest, f"{ODD}.py:Bold", "../../mine.py")
        found = json.loads((run / "manifest.json").read_text())
        found["job"]["name"] = found["matches"][0]["ruleset"]["title"] = ODD
        (run / "manifest.json").write_text(json.dumps(found))
        seal_again(run)
        for form in ("table", "json", "csv", "markdown"):
            answer = dicecup(*command, form)
            told = answer.out + answer.err
            assert not any(sign != "\n" and not sign.isprintable() for sign in told), (command, form)
            assert not any(line.startswith("# x") for line in told.splitlines()), (command, form)
            if form == "csv" and answer.code == 0:
                cells = [cell for row in csv.reader(io.StringIO(answer.out)) for cell in row]
                assert any(cell.startswith('\'=1+1|"q",🎲') for cell in cells)
                assert not any(cell.startswith(("=", "+", "@")) for cell in cells)
    told = dicecup("resume", run).err.splitlines()
    assert told[0].startswith("dicecup: ")
    assert all(line.startswith("  ") for line in told[1:])
    parts = Path("parts")
    page = dicecup("report", run, "-o", "page.html", "--parts", parts)
    assert page.code == 0, page.err
    assert "<script>&" not in Path("page.html").read_text()
    assert {path.parent for path in parts.rglob("*")} == {parts}
    # A job's name makes the run's folder, and nothing but a plain one is taken.
    for name in ("../x", "a/b", "..", "x ", "x.", "%2e", "con:", ODD, "-x", "x" * 61):
        answer = dicecup("run", *SHORT, "-l", "par", "-n", 2, f"--name={name}")
        assert answer.code == 2
        assert answer.err.isprintable() or answer.err.removesuffix("\n").isprintable()
    assert [path.name for path in Path("runs").iterdir()] == [run.name]


def test_files_without_an_end_or_with_odd_contents_are_refused(dicecup):
    Path("endless.toml").symlink_to("/dev/zero")
    Path("deep.toml").write_text("a = " + "[" * 100_000)
    Path("long.toml").write_text("seed = " + "9" * 5000)
    for name, told in (
        ("endless.toml", "more than 4,000,000 bytes"),
        ("deep.toml", ""),
        ("long.toml", ""),
        ("no\x1b[2J.toml", "no\\x1b[2J.toml"),
    ):
        for command in (("run", name), ("rulesets", f"./{name}")):
            answer = dicecup(*command)
            assert answer.code == 2, answer.err
            assert told in answer.err
            assert "\x1b" not in answer.err
