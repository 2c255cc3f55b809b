import csv
import importlib
import io
import json
import subprocess
import sys

import click
import pytest

from jobs.cli import COMMANDS
from jobs.errors import RunIncomplete, error_message, exit_code


def commands():
    for name, (place, short) in COMMANDS.items():
        module, _, attribute = place.partition(":")
        yield name, short, getattr(importlib.import_module(module), attribute)


def all_commands(command):
    yield command
    for inner in getattr(command, "commands", {}).values():
        yield from all_commands(inner)


def test_the_table_of_contents_says_what_the_commands_say():
    for name, short, command in commands():
        assert command.name == name
        assert command.help.split("\n\n")[0].replace("\n", " ") == short


def test_every_option_has_help_and_every_command_an_example():
    for _, _, outer in commands():
        assert "Example" in outer.epilog
        for command in all_commands(outer):
            assert command.help
            for parameter in command.params:
                if isinstance(parameter, click.Option):
                    assert parameter.help, f"{command.name} {parameter.name}"
                    assert parameter.help.endswith((".", "]")), f"{command.name} {parameter.name}"


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["run", "--help"], ["nonsense"]])
def test_help_imports_nothing_heavy(words):
    program = (
        "import atexit, sys; from jobs.cli import main\n"
        "heavy = {'ray', 'numba', 'polars', 'pyarrow', 'numpy', 'pydantic', 'rich', 'scipy'}\n"
        "atexit.register(lambda: print('HEAVY', sorted(heavy & set(sys.modules))))\n"
        "main(sys.argv[1:])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *words], capture_output=True, text=True, check=False
    )
    assert "HEAVY []" in done.stdout


def test_help_lists_every_command(dicecup):
    answer = dicecup("--help")
    assert answer.code == 0
    for name in COMMANDS:
        assert f"\n  {name} " in answer.out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["rnu"], "did you mean run"),
        (["xyz"], "allowed: run, resume"),
        (["run", "--gaems", "5"], "--games"),
        (["run"], "nothing is given to play: give a job file"),
        (["run", "--ruleset", "cheerio"], "no --lineup is given"),
        (["run", "-r", "yatzy"], "dicecup run --ruleset yatzy --lineup greedy,par --games 1M"),
        (["run", "-r", "cheerio-team"], "dicecup run --ruleset cheerio --lineup greedy,par --games 1M"),
        (["run", "-r", "ceelo-pot"], "dicecup run --ruleset ceelo-pot --lineup flat,bold --games 1M"),
        (["run", "-r", "ceelo-bnk"], "did you mean ceelo-bank"),
        (["run", "--lineup", "greedy"], "no --ruleset is given"),
        (["run", "job.toml", "--lineup", "greedy"], "give one or the other"),
        (["run", "job.toml"], "job job.toml: can't be read: No such file"),
        (["run", "-r", "cheerio", "-l", "greedy,,par"], "leaves a seat empty"),
        (["run", "-r", "cheerio", "-l", "greedy,par", "-n", "0"], "0' games given; 1 to 1e12 are allowed"),
        (
            ["run", "-r", "cheerio", "-l", "par,par,par,par,par,par,par"],
            "has 7 seats; cheerio is for 1, 2, 3, 4, 5, 6",
        ),
        (["run", "-r", "cheeri", "-l", "greedi"], "did you mean cheerio"),
        (["run", "-r", "cheerio", "-l", "greedy:uper=1"], "sets no parameter of it"),
        (["run", "-r", "cheerio", "-l", "par", "--workers", "0"], "--workers"),
        (["run", "-r", "cheerio", "-l", "par", "--seed", "-1"], "--seed"),
        (["run", "-r", "cheerio", "-l", "par", "--name", "No Good"], "name: 'No Good' given"),
        (["run", "-r", "cheerio", "-l", "par", "--on", "here", "--address", "a:1"], "goes with --on ray"),
        (["resume", "nowhere"], "nowhere does not exist"),
        (["summary", "nowhere"], "nowhere does not exist"),
        (["rulesets", "cherio"], "did you mean cheerio"),
        (["strategies", "show", "greedi"], "did you mean greedy"),
        (["strategies", "greedi"], "did you mean greedy"),
        (["strategies", "chek", "late.py:Late"], "named 'chek'; did you mean check?"),
        (["strategies", "check.py:Late"], "check.py can't be read: No such file"),
    ],
)
def test_mistakes_are_told_in_words_with_exit_code_2(dicecup, words, told):
    answer = dicecup(*words)
    assert told in answer.err
    assert answer.err.count("dicecup: ") == 1
    assert "Traceback" not in answer.err
    assert answer.out == ""
    assert answer.code == 2


def test_debug_shows_the_traceback(dicecup):
    assert "Traceback" in dicecup("--debug", "resume", "nowhere").err


def test_a_closed_pipe_is_quiet():
    command = f"{sys.executable} -m jobs.cli rulesets cheerio --format json | head -1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "{\n", "")


def test_what_a_terminal_can_not_show_is_escaped():
    program = "import sys; from jobs.cli import main; main(['rulesets'])"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, env={"PYTHONIOENCODING": "ascii"}, check=False
    )
    assert done.returncode == 0
    assert b"cheerio-web-short" in done.stdout


def test_exit_codes_are_those_of_the_tree():
    from results.errors import RunError, RunLocked
    from sim.ruleset import RulesetError
    from strategies.strategy import StrategyError, UndeclaredViewError

    found = [
        exit_code(kind("x"))
        for kind in (RulesetError, StrategyError, UndeclaredViewError, RunError, RunLocked)
    ]
    assert found == [2, 1, 1, 2, 3]
    assert exit_code(RunIncomplete("x")) == 3
    assert [exit_code(OSError(number, "x")) for number in (28, 30, 13, 99999)] == [3, 3, 3, 1]
    assert exit_code(KeyError("x")) is None
    assert "free some space" in error_message(OSError(28, "No space left on device", "part"))


def test_rulesets_are_listed_and_shown(dicecup):
    listed = dicecup("rulesets", "--format", "json").document
    names = [entry["name"] for entry in listed]
    assert {"cheerio", "cheerio-bonus", "cheerio-web", "cheerio-web-short"} <= set(names)
    assert {"name", "game", "categories", "players", "digest"} <= set(listed[0])
    table = dicecup("rulesets").out
    assert all(name in table for name in names)
    for name in ("cheerio-bonus", "cheerio-team", "yahtzee"):
        shown = dicecup("rulesets", name).out
        assert "Scoresheet" in shown
        document = dicecup("rulesets", name, "--format", "json").document
        assert document["digest"] == next(entry["digest"] for entry in listed if entry["name"] == name)
        for form in ("csv", "markdown"):
            assert "ones" in dicecup("rulesets", name, "--format", form).out
    bonus = dicecup("rulesets", "cheerio-bonus").out
    assert "35 points where the categories that count towards it" in bonus
    assert "three and two alike, of different faces" in bonus


@pytest.mark.parametrize(("name", "part", "words"), [
    ("cheerio-team", "team", "around the table they sit A B A B with 4 players, A B C A B C with 6 players."),
    ("cheerio-cutthroat", "steal", "one more after a steal, one fewer after being robbed"),
    ("cheerio-cutthroat", "steal", "a filled category of a rival gets what the dice pay there"),
    ("cheerio-cutthroat-take", "steal", "whose entry is erased and the category open again"),
    ("cheerio-speed", "clock", "A throw takes 3 to 5 s, an entry 4 to 8 s."),
    ("yahtzee", "joker", "further five alike bring 100 points more each while Yahtzee holds points, pay in full in"),
])  # fmt: skip
def test_a_variant_is_told_in_plain_words(dicecup, name, part, words):
    assert words in " ".join(dicecup("rulesets", name).out.split())
    listed = {entry["name"]: entry for entry in dicecup("rulesets", "--format", "json").document}
    assert part in listed[name]
    assert part not in listed["cheerio"]


def test_strategies_are_listed_and_shown(dicecup, write_strategy):
    listed = dicecup("strategies", "--format", "json").document
    assert {"greedy", "par"} <= {entry["name"] for entry in listed}
    assert {"name", "game", "sees", "parameters", "rule"} <= set(listed[0])
    assert all(entry["rule"] for entry in listed)
    assert "the open categories" in dicecup("strategies", "greedy").out
    own = dicecup("strategies", write_strategy(), "--format", "json").document
    assert own["rule"].startswith("Keeps what shows most often")


def test_a_strategy_is_checked(dicecup, write_strategy):
    asked = ("--ruleset", "cheerio-web-short", "--format", "json")
    good = dicecup("strategies", "check", write_strategy(), *asked)
    assert (good.code, good.document["problems"]) == (0, [])
    bad = dicecup(
        "strategies", "check", write_strategy("[die for die in dice if die == face]", "[7]"), *asked
    )
    assert bad.code == 1
    assert len(json.loads(bad.out)["problems"]) == 1
    assert "can't play cheerio-web-short: 1 problem" in bad.err


@pytest.mark.usefixtures("asked_here")
def test_a_check_tells_the_size_of_what_is_asked_before_play_alone(dicecup, write_strategy):
    def found(words, form):
        return dicecup("strategies", "check", words, "--ruleset", "cheerio-web-short", "--format", form)

    told = dict(csv.reader(io.StringIO(found(write_strategy(), "csv").out)))
    assert told["situations"] == "127"
    assert int(told["table bytes"].replace(",", "")) > 127 * 3 * 252
    assert float(told["seconds to fill"]) > 0
    document = found(write_strategy('("open",)', '("open", "upper")'), "json").document
    assert document["table_bytes"] is document["seconds_to_fill"] is None
    assert document["seconds_per_decision"] > 0
    assert document["asked"] > 1


@pytest.mark.usefixtures("asked_here")
def test_a_strategy_without_a_rule_is_refused_by_run_and_by_check_alike(dicecup, write_strategy):
    words = write_strategy(
        '    """Keeps what shows most often and fills the first open category that pays most."""', ""
    )
    no_rule = "it has no rule: write its rule in plain words as the docstring of its class"
    checked = dicecup("strategies", "check", words, "--ruleset", "cheerio-web-short")
    assert checked.code == 1
    assert checked.err.endswith(f"1 problem\n  {no_rule}\n")
    refused = dicecup("run", "-r", "cheerio-web-short", "-l", f"{words},par", "--seed", 1)
    assert refused.code == 2
    assert refused.err == f"dicecup: lineup {words},par: strategy {words}: {no_rule}\n"
