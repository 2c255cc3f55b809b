"""The command: four formats with the same digits, and what can't be compared refused with the reason."""

import csv
import io
import json
import re
from typing import Any

import click
import pytest
from click.testing import CliRunner

from jobs.cli import COMMANDS
from results.commands import FORMATS
from results.comparison.command import compare, print_comparison
from results.comparison.document import compare_runs
from results.comparison.words import conclusion_of
from results.store import RunError, create_run

FIELD: list[Any] = [["a", "b"], ["c", "b"], ["c", "a"], ["d", "b"]]


@pytest.fixture
def play_matches(tmp_path, make_manifest, play_chunk):
    """Return a function that plays several matches, all chunks or the leading ones."""

    def play(lineups, name="run", seed=7, chunks=None, deals=12, engine=1, **more):
        manifests = [make_manifest(lineup, deals=deals, **more) for lineup in lineups]
        whole = manifests[0] | {"engine_version": engine, "job": manifests[0]["job"] | {"seed": seed}}
        whole["matches"] = [m["matches"][0] | {"number": number} for number, m in enumerate(manifests)]
        run = create_run(tmp_path / name, whole)
        for match in run.matches:
            for chunk in range(match.chunks)[:chunks]:
                play_chunk(run, match, chunk)
        return run

    return play


def ask(*arguments):
    return CliRunner().invoke(compare, [str(a) for a in arguments], catch_exceptions=False)


def named(name, **rules):
    """What make_manifest takes for another ruleset."""
    rest = {"title": name, "game": "cheerio", "rules": {"dice": 5}}
    return {"ruleset": {"name": name, "digest": name} | rest | rules}


def test_the_command_has_help_examples_and_its_place_among_the_commands() -> None:
    assert COMMANDS["compare"] == (
        "results.comparison.command:compare",
        (compare.help or "").splitlines()[0],
    )
    assert (compare.epilog or "").startswith("Examples: dicecup compare ")
    for parameter in compare.params:
        assert isinstance(parameter, click.Argument) or (
            isinstance(parameter, click.Option) and parameter.help
        )


@pytest.mark.parametrize("lineups", [FIELD, FIELD[:1], [["a"], ["b"], ["c"]]], ids=["many", "two", "alone"])
def test_all_formats_show_the_same_digits(play_matches, lineups, capsys) -> None:
    run = play_matches(lineups, luck=True, deals=25)
    asked = ask(run.path, "--format", "json")
    document, told = json.loads(asked.stdout), {}
    assert not asked.exit_code
    assert not asked.stderr
    for form in FORMATS:
        print_comparison(document, form)
        told[form] = capsys.readouterr().out
    assert told["json"] == asked.stdout
    assert told["table"].startswith(document["conclusion"])
    assert not re.search(r"\b(nan|inf)\b", told["json"] + told["csv"])
    rows = list(csv.DictReader(io.StringIO(told["csv"])))
    values = {(row["first"], row["second"], row["measure"]): row for row in rows}
    for pair in document["pairs"]:
        names = (pair["first"], pair["second"])
        for key in ("credit_difference", "score_difference", "divergent_rate", "p_adjusted"):
            if pair[key] is not None:
                assert float(values[*names, key]["value"]) == pair[key]
        low, high = pair["score_interval"]
        spelled = f"{pair['score_difference']:,.4f} [{low:,.4f}, {high:,.4f}]"
        assert float(values[*names, "score_difference"]["low"]) == low
        for form in ("table", "markdown"):
            assert spelled in told[form].replace("\\", "")
    if lineups is FIELD:
        check_square(document, told["markdown"])
        for row in document["ratings"]:
            assert float(values[row["strategy"], "", "elo"]["value"]) == row["elo"]
            assert f"{row['strength']:.4f} [" in told["table"]


def check_square(document, told):
    """The square has every pair both ways, and nothing else."""
    lines = told.splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("## The row less the column"))
    cells = [
        [cell.strip().replace("\\", "") for cell in line.strip("|").split("|")] for line in lines[start + 2 :]
    ]
    head, square = cells[0][1:], {row[0]: row[1:] for row in cells[2 : 2 + 4]}
    assert head == [row["strategy"] for row in document["strategies"]] == list(square)
    found = {}
    for pair in document["pairs"]:
        mark = "*" if pair["verdict"] == "first is better" else ""
        found[pair["first"], pair["second"]] = f"{pair['credit_difference'] * 100:.4f}{mark}"
        found[pair["second"], pair["first"]] = f"{0 - pair['credit_difference'] * 100 + 0.0:.4f}{mark}"
    for row, texts in square.items():
        for column, text in zip(head, texts, strict=True):
            assert text == found.get((row, column), "-").replace("-0.0000", "0.0000")


def test_leading_deals_count_and_a_gap_ends_them(play_matches) -> None:
    run = play_matches(FIELD[:1], chunks=2)
    assert ask(run.path).stderr == (
        f"{run.path} is incomplete; a match counts for its leading deals without a gap: match 0 (8 of 12). Resume the "
        "run for the rest.\n"
    )
    document = compare_runs([run])
    assert document["remarks"] == [ask(run.path).stderr.rstrip("\n")]
    assert not document["complete"]
    run.games_part(run.matches[0], 0).unlink()
    with pytest.raises(RunError, match="no games of what was asked yet; resume"):
        compare_runs([run])


def test_what_cannot_be_compared_is_refused_with_the_reason(play_matches) -> None:
    one = play_matches(FIELD[:1])

    def refused(*runs, **asked):
        with pytest.raises(RunError) as error:
            compare_runs([one, *runs], **asked)
        return str(error.value)

    other_seed = refused(play_matches(FIELD[:1], "two", seed=8))
    assert "differ in their seed, 7 in" in other_seed
    assert "8 in" in other_seed
    assert "engine version, 1 in" in refused(play_matches(FIELD[:1], "three", engine=2))
    bonus = play_matches(FIELD[:1], "four", **named("bonus"))
    assert "of 2 rulesets: cheerio, bonus. Choose one, as --ruleset cheerio" in refused(bonus)
    assert "No match is of the ruleset 'cherio'; did you mean cheerio?" in refused(bonus, ruleset="cherio")
    changed = play_matches(FIELD[:1], "five", **named("cheerio", digest="r2"))
    assert "is not the same in all runs, by its digest: r in" in refused(changed)
    assert "choose by --seats, as --seats 1 or --seats 2" in refused(play_matches([["a"]], "six"))
    assert "No match has 5 seats; there are matches of 2." in refused(seats=5)
    assert "No strategy is named 'z'; there are: a, b." in refused(strategies=["z"])
    assert "There is one strategy only, a, and nothing to compare it with" in refused(strategies=["a"])
    assert compare_runs([one, bonus], ruleset="cheerio")["ruleset"] == "cheerio"


def test_one_deal_has_no_interval_and_shows_nothing(play_matches) -> None:
    run = play_matches(FIELD, deals=1)
    document = compare_runs([run])
    assert all(pair["p"] is None and pair["credit_interval"] is None for pair in document["pairs"])
    assert {tuple(row["rank_interval"]) for row in document["strategies"]} == {(1, 4)}
    assert all(row["strength_interval"] is None for row in document["ratings"])
    assert not ask(run.path).exit_code


def test_circles_are_told_with_their_members() -> None:
    rows = [{"strategy": name, "rank_interval": [2, 2]} for name in "abc"]
    pairs = [
        {
            "first": one,
            "second": two,
            "verdict": "first is better",
            "credit_difference": 0.1,
            "credit_interval": [0.05, 0.15],
            "score_difference": -1.5,
            "score_interval": [-2.0, -1.0],
        }
        for one, two in ("ab", "bc", "ca")
    ]
    document = {"strategies": rows, "pairs": pairs, "cycles": [["a", "b", "c"]], "absent": [], "linked": True}
    told = conclusion_of(document | {"level": 0.95, "solitaire": False, "game": "cheerio"})
    assert "Differences shown that go in a circle: a beats b beats c beats a." in told
    assert (
        "10.0000 [5.0000, 15.0000] percentage points of credit, though -1.5000 [-2.0000, -1.0000] points"
        in told
    )
