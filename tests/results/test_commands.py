"""The command: four formats, the same digits, and harmless names."""

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from results.commands import FORMATS, summary
from results.store import Run, RunError, create_run

Play = Callable[..., Run]


def ask(run: Run, *arguments: str) -> Result:
    return CliRunner().invoke(summary, [str(run.path), *arguments], catch_exceptions=False)


def test_every_option_has_help_and_the_help_has_an_example() -> None:
    assert summary.help
    assert summary.epilog
    assert summary.epilog.startswith("Example: dicecup summary ")
    for parameter in summary.params:
        assert isinstance(parameter, click.Argument) or (
            isinstance(parameter, click.Option) and parameter.help
        )


def test_json_has_the_documented_keys(play: Play) -> None:
    document = json.loads(ask(play(["greedy", "par"]), "--format", "json").output)
    assert {"schema_version", "run", "matches"} <= document.keys()
    (match,) = document["matches"]
    assert {
        "ruleset",
        "lineup",
        "deals",
        "games",
        "strategies",
        "ties",
        "seats",
        "categories",
    } <= match.keys()
    assert match["strategies"][0].keys() >= {
        "strategy", "games", "win_rate", "win_rate_interval", "credit_rate", "score_mean",
        "score_mean_interval", "score_sd", "score_quantiles", "bonus_rate",
    }  # fmt: skip
    assert match["ties"].keys() >= {"rate", "interval", "by_tied_seats", "by_rounds"}
    assert match["seats"][0].keys() >= {"seat", "win_rate", "win_rate_interval"}
    assert match["categories"][0].keys() >= {"strategy", "category", "mean", "zero_rate"}


def test_tables_are_chosen_by_their_titles(play: Play) -> None:
    run = play(["greedy", "par"])
    shown = ask(run, "--table", "SEATS", "--table", "quantiles").output
    assert re.findall(r"^(Seats|Quantiles of the score|Scores|Winning|Ties)\b", shown, re.MULTILINE) == [
        "Quantiles of the score",
        "Seats",
    ]
    assert "### Ties" in ask(run, "--table", "ties", "--format", "markdown").output
    with pytest.raises(RunError, match=r"No table has 'bank' in its title; there are: 'Winning', 'Scores', "):
        ask(run, "--table", "ties", "--table", "bank")
    refused = ask(run, "--table", "ties", "--format", "csv")
    assert refused.exit_code == 2
    assert "--table goes with --format table or markdown" in refused.output


@pytest.mark.parametrize("form", ["table", "markdown"])
def test_a_table_is_shown_of_the_matches_that_have_it(
    tmp_path: Path,
    make_manifest: Callable[..., Any],
    ceelo: Callable[..., Any],
    play_chunk: Callable[..., None],
    form: str,
) -> None:
    manifest = make_manifest(["greedy", "par"])
    others: list[tuple[list[str], dict[str, Any]]] = [
        (["flat", "bold"], ceelo()),
        (["a", "b"], ceelo("none")),
        (["greedy", "par"], {}),
    ]
    manifest["matches"] += [
        make_manifest(lineup, **rules)["matches"][0] | {"number": number}
        for number, (lineup, rules) in enumerate(others, 1)
    ]
    run = create_run(tmp_path / "run", manifest)
    for match in run.matches[:3]:
        for chunk in range(match.chunks):
            play_chunk(run, match, chunk)

    def shown(*titles: str) -> list[str]:
        chosen = [word for title in titles for word in ("--table", title)]
        return re.findall(r"Match (\d)", ask(run, "--format", form, *chosen).output)

    assert shown() == ["0", "1", "2", "3"]
    assert shown("the bank") == ["1"]
    assert shown("the bank", "order of play") == ["0", "1"]
    assert shown("pots") == ["2"]
    assert shown("seats") == ["0", "1", "2"]
    known = r"'Order of play, 0 begins', .*'As banker, by strategy', .*'Pots'\.$"
    with pytest.raises(RunError, match=rf"No table has 'gold' in its title; there are: 'Winning', .*{known}"):
        shown("pots", "gold")
    with pytest.raises(RunError, match="No table has 'pots'"):
        ask(run, "--match", "0", "--table", "pots")


def test_all_formats_show_the_same_digits(play: Play) -> None:
    run = play(["greedy", "par", "first"], deals=30, tiebreak="shared", bonus_points=35)
    document = json.loads(ask(run, "--format", "json").output)
    tidy = list(csv.DictReader(io.StringIO(ask(run, "--format", "csv").output)))
    table = ask(run).output
    markdown = ask(run, "--format", "markdown").output.replace("\\", "")
    (match,) = document["matches"]
    for entry in match["strategies"]:
        for name in ("win_rate", "shared_rate", "credit_rate", "bonus_rate", "score_mean", "throws_mean"):
            (row,) = [r for r in tidy if (r["measure"], r["strategy"]) == (name, entry["strategy"])]
            low, high = entry[f"{name}_interval"]
            assert [float(row[key]) for key in ("value", "low", "high")] == [entry[name], low, high]
            assert int(row["n"]) == entry["games"]
            scale = 100 if name.endswith("rate") else 1
            shown = f"{entry[name] * scale:.4f} [{low * scale:.4f}, {high * scale:.4f}]"
            assert shown in table
            assert shown in markdown
    for text in (table, markdown):
        assert match["conclusion"] in text
        assert f"{match['ties']['rate'] * 100:.4f}" in text
        for row in match["categories"]:
            assert f"{row['mean']:.4f}" in text


def test_the_course_says_which_games_it_is_of(play: Play) -> None:
    note = "n counts games; of what the winner did, those that somebody won."
    roll_off = " A game that a roll-off decided counts as decided after its last round."
    for tiebreak, more in (("roll-off", roll_off), ("shared", "")):
        run = play(["greedy", "par"], deals=30, tiebreak=tiebreak, name=tiebreak)
        course = json.loads(ask(run, "--format", "json").output)["matches"][0]["course"]
        assert (course["won_games"] < course["games"] == 60) == (tiebreak == "shared")
        shown = " ".join(ask(run, "--table", "course").output.split())
        assert f"{note}{more} Run " in shown
        assert f"round from whose end on the winner led │ {course['won_games']} │" in shown


def test_the_conclusion_comes_first(play: Play) -> None:
    lines = ask(play(["greedy", "par"])).output.splitlines()
    assert lines[0] == "Match 0: Cheerio (cheerio), greedy, par"
    assert " percentage points more [" in lines[1]


@pytest.mark.parametrize("form", FORMATS)
def test_no_output_holds_inf_or_nan_even_for_one_deal(play: Play, form: str) -> None:
    for number, lineup in enumerate((["greedy"], ["greedy", "par"])):
        output = ask(play(lineup, deals=1, name=f"run{number}"), "--format", form).output
        assert not re.search(r"\b(nan|inf|None)\b", output, re.IGNORECASE)


def test_solitaire_has_no_winning_in_tables_and_null_in_json(play: Play) -> None:
    run = play(["greedy"])
    tables = ask(run).output.partition("\nRun ")[0].lower()
    assert "scores" in tables
    assert not re.search("win|credit|tie|seat", tables)
    assert "win_rate" not in ask(run, "--format", "csv").output
    (entry,) = json.loads(ask(run, "--format", "json").output)["matches"][0]["strategies"]
    assert (entry["win_rate"], entry["credit_rate"]) == (None, None)


def test_an_incomplete_run_says_so(play: Play) -> None:
    run = play(["greedy", "par"], deals=12, chunks=[1])
    assert "Incomplete: 4 of 12 deals are played" in ask(run).output
    assert "Incomplete: 4 of 12 deals are played" in ask(run, "--format", "markdown").output
    assert "deals,4,,,12" in ask(run, "--format", "csv").output


@pytest.mark.parametrize("form", FORMATS)
def test_names_with_signs_and_control_characters_are_harmless(play: Play, form: str) -> None:
    name = '=x,"y"|z\n\x1b[31m'
    output = ask(play([name, "par"]), "--format", form).output
    assert "\x1b" not in output
    if form == "csv":
        rows = list(csv.reader(io.StringIO(output)))
        assert {len(row) for row in rows} == {10}
        assert '\'=x,"y"|z\\n\\x1b[31m' in {row[2] for row in rows}
    if form == "json":
        assert json.loads(output)["matches"][0]["lineup"][0] == name


def test_one_match_may_be_asked_for(play: Play) -> None:
    run = play(["greedy", "par"])
    assert ask(run, "--match", "0").output == ask(run).output
    with pytest.raises(RunError, match="no match 3; it has matches 0 to 0"):
        ask(run, "--match", "3")


def test_a_level_and_a_format_that_are_none_are_usage_errors(play: Play) -> None:
    run = play(["greedy", "par"])
    assert ask(run, "--level", "1").exit_code == 2
    assert ask(run, "--format", "xml").exit_code == 2
    wide, narrow = (
        json.loads(ask(run, "--level", level, "--format", "json").output)["matches"][0]
        for level in ("0.99", "0.5")
    )
    for one, other in zip(wide["strategies"], narrow["strategies"], strict=True):
        assert one["score_mean_interval"][0] < other["score_mean_interval"][0]
