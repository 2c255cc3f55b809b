"""dicecup report writes where it may, and what it says about playing again makes the same job."""

import json
import shlex
import tomllib
from pathlib import Path

import pytest

from jobs.balance_command import again_text
from jobs.cli import COMMANDS
from jobs.commands import run as run_command
from jobs.commands import split_lineup
from jobs.job import Overrides, build_job, load_job
from jobs.job_text import job_listings, ruleset_text
from jobs.plan import plan_job, stored_rules
from results.store import create_run
from sim.ruleset import load_ruleset, shipped_rulesets

OWN = 'extends = "cheerio-web-short"\n[bonus]\npoints = 7\nthreshold = 20\n'


def test_every_shipped_ruleset_is_the_same_when_written_in_full(tmp_path):
    for name in shipped_rulesets():
        ruleset = load_ruleset(name)
        path = tmp_path / f"{name}.toml"
        # As the manifest's JSON has it.
        path.write_text(ruleset_text(json.loads(json.dumps(stored_rules(ruleset)))))
        again = load_ruleset(str(path))
        assert (again, again.digest) == (ruleset, ruleset.digest)


def listings_of(job, folder):
    """What a report says of a job that is planned and not played yet, written to a folder."""
    told = job_listings(create_run(folder / "run", plan_job(job).manifest))
    for listing in told:
        if listing.name:
            (folder / listing.name).write_text(listing.text)
    return told


def rebuilt(command):
    """The job of a command line."""
    words = shlex.split(command)
    assert words[:2] == ["dicecup", "run"]
    given = run_command.make_context("run", words[2:]).params
    keys = ("name", "seed", "games", "chunk", "luck")
    until = tuple(given["questions"]) or None
    overrides = Overrides(**{key: given[key] for key in keys}, until=until)
    if given["jobs"]:
        return load_job(given["jobs"][0], overrides)
    return build_job(given["rulesets"], [split_lineup(text) for text in given["lineups"]], overrides)


JOBS = {
    "one match": 'seed = 1\n[[matches]]\nruleset = "cheerio-web-short"\nlineup = ["greedy", "par:scale=1.5"]\n',
    "chunks, luck and a large seed": (
        "seed = 18446744073709551615\nchunk = 300\nluck = true\ngames = 777\n"
        '[[grids]]\nrulesets = ["cheerio", "cheerio-bonus"]\nstrategies = ["greedy", "par"]\nmirrors = true\n'
    ),
    "other games for one": (
        'seed = 1\ngames = 10\n[[grids]]\nrulesets = ["cheerio"]\nstrategies = ["greedy", "par"]\nseats = 1\n'
        '[[matches]]\nruleset = "cheerio"\nlineup = ["nets"]\ngames = 30\n'
    ),
    "teams": 'seed = 1\n[[matches]]\nruleset = "cheerio-team"\nlineup = ["par+greedy", "nets+nets"]\n',
    "a question": (
        'seed = 1\nuntil = ["par - greedy: +-0.5%"]\n[[matches]]\nruleset = "cheerio"\nlineup = ["greedy", "par"]\n'
    ),
    "own rules, of a shipped name too": (
        'seed = 1\n[[grids]]\nrulesets = ["own/cheerio.toml", "cheerio"]\nlineups = [["par", "par"]]\n'
    ),
}


@pytest.mark.parametrize("name", JOBS)
def test_a_job_is_the_same_from_its_file_and_from_its_command(tmp_path, name):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "cheerio.toml").write_text(OWN)
    (tmp_path / "first.toml").write_text(JOBS[name])
    job = load_job(tmp_path / "first.toml")
    command, file, *rulesets = listings_of(job, tmp_path)
    assert rebuilt(command.text).digest == job.digest
    again = load_job(tmp_path / file.name)
    assert (again.digest, again.name, again.matches) == (job.digest, job.name, job.matches)
    assert tomllib.loads(file.text)["seed"] == job.seed
    # Short jobs need no file, but where questions or games differ; rulesets are written in full if they aren't shipped.
    assert (file.name in command.text) == (name == "other games for one")
    assert [listing.name for listing in rulesets] == (["cheerio.toml"] if name.startswith("own") else [])


def test_a_strategy_of_a_file_is_named_with_its_source(tmp_path, write_strategy):
    odd = write_strategy(name='a "b", c.py')
    path = tmp_path / "first.toml"
    path.write_text(f"seed = 1\n[[matches]]\nruleset = 'cheerio'\nlineup = [{json.dumps(odd)}]\n")
    job = load_job(path)
    command, file, *_ = listings_of(job, tmp_path)
    # A comma would part the seats of a lineup.
    assert command.text == "dicecup run first-job.toml\n"
    assert file.text.startswith('# a \\"b\\", c.py belongs beside this file; source ')
    assert load_job(tmp_path / file.name).digest == job.digest


@pytest.fixture
def played(dicecup):
    words = (
        "--ruleset",
        "cheerio-web-short",
        "--lineup",
        "greedy,par",
        "--seed",
        5,
        "--games",
        200,
        "--on",
        "here",
    )
    return dicecup("run", *words, "--format", "json").document["run"]


def test_a_report_is_written_and_other_files_are_kept(dicecup, played, tmp_path):
    answer = dicecup("report", played, "--format", "markdown")
    name = played.rpartition("/")[2]
    path = tmp_path / f"{name}.md"
    assert (answer.code, answer.out.partition(":")[0]) == (0, path.name)
    first = path.read_text()
    assert f"--name {name.rpartition('-')[0]}" in first
    assert dicecup("report", played, "--format", "markdown", "-o", "-").out == first
    assert dicecup("report", played, "--format", "markdown").code == 0
    assert path.read_text() == first
    path.write_text("my thesis")
    refused = dicecup("report", played, "--format", "markdown")
    assert refused.code == 2
    assert "is there and is no report; name another file with -o, or replace it with --force" in refused.err
    assert path.read_text() == "my thesis"
    below = dicecup("report", played, "--format", "markdown", "-o", path / "page.md")
    assert (below.code, below.out) == (1, "")
    assert f"{path / 'page.md'} can't be written: Not a directory; name another place with -o" in below.err
    assert dicecup("report", played, "--format", "markdown", "--force").code == 0
    assert path.read_text() == first


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--format", "markdown", "--interactive"), 2, "--interactive goes with --format html"),
        (("--parts", "parts", "--interactive"), 2, "no file; name one with -o"),
        (("-o", "."), 2, "is a folder; name a file with -o"),
        (("-o", "/dev/null", "--force"), 2, "is a device, which a page would replace; name a file"),
        (("-o", "same", "--parts", "same"), 2, "-o and --parts name one place"),
        (("--level", "nan"), 2, "nan is no number; a level lies between 0 and 1"),
        (("--match", "1"), 2, "has no match 1"),
    ],
)
def test_what_makes_no_sense_is_refused_before_any_work(dicecup, played, words, code, message):
    answer = dicecup("report", played, *words)
    assert (answer.code, answer.out) == (code, "")
    assert message in answer.err


def test_the_short_help_is_the_first_line():
    from jobs.report_command import report

    assert (report.help or "").partition("\n")[0] == COMMANDS["report"][1]


def test_a_page_of_balance_names_its_command_and_leaves_stdout_to_the_answer(dicecup):
    asked = {
        "--ruleset": ("cheerio", "own rules.toml"),
        "--vary": ("throws=2,3",),
        "--players": None,
        "--seed": 7,
    }
    text = (
        "dicecup balance --ruleset cheerio --ruleset 'own rules.toml' --vary throws=2,3 --seed 7 --no-luck\n"
    )
    assert again_text(asked, luck=False) == text
    answer = dicecup("balance", "--ruleset", "cheerio", "-o", "-")
    assert (answer.code, answer.out) == (2, "")
    assert "stdout has the answer; name a file, as -o balance.html" in answer.err
    Path("other").mkdir()
    Path("other/thesis.txt").write_text("mine")
    answer = dicecup("balance", "--ruleset", "cheerio", "--parts", "other")
    assert (answer.code, answer.out) == (2, "")
    assert "other holds other things (thesis.txt) and no parts of a report; name a new folder" in answer.err
    assert not Path("runs").exists()
