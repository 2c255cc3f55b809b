import pytest

from jobs.errors import JobError
from jobs.job import Overrides, build_job, load_job


def asked(*texts, lineups=(["greedy", "par"],), rulesets=("cheerio",), **more):
    return build_job(rulesets, lineups, Overrides(seed=1, until=texts, **more))


@pytest.mark.parametrize(("text", "told"), [
    ("par - greedy: +-0.1%", "par - greedy: +-0.1 %"),
    (" par  -  greedy :± .10 %", "par - greedy: +-0.1 %"),
    ("par \N{MINUS SIGN} greedy: +/- 0.5 points", "par - greedy: +-0.5 points"),
    ("par - greedy: +-1 point", "par - greedy: +-1 point"),
    ("greedy - par: better or not", "greedy - par: better or not"),
    ("greedy - par: better or not by 0%", "greedy - par: better or not"),
    ("greedy - par: better or not by 0.2 %", "greedy - par: better or not by 0.2 %"),
    ("greedy - par: better  or not by 12 points", "greedy - par: better or not by 12 points"),
    ("greedy - par: better or not by 0 points", "greedy - par: better or not by 0 points"),
])  # fmt: skip
def test_questions_are_read(text, told):
    (match,) = asked(text).matches
    assert [question.text for question in match.until] == [told]
    assert match.games == 10_000_000
    # What is told is read as the same.
    assert asked(told).digest == asked(text).digest


def test_labels_with_colons_and_teams_are_entries(write_strategy):
    own = f"{write_strategy()}"
    lineup = ["greedy:upper=0.5", own]
    (match,) = asked(f"greedy: upper=0.5 - {own}: +-1%", lineups=[lineup]).matches
    assert (match.until[0].first, match.until[0].second) == tuple(lineup)
    teams = [["par+greedy:upper=0.5", "nets+nets"]]
    (match,) = asked(
        "greedy:upper=0.5+par - nets+nets: +-1 points", lineups=teams, rulesets=["cheerio-team"]
    ).matches
    assert (match.until[0].first, match.until[0].second) == ("par+greedy:upper=0.5", "nets+nets")


@pytest.mark.parametrize(("text", "told"), [
    ("par is best", "is no question; write two entries and what to know"),
    ("par - greedy: soon", "is no question"),
    ("par-greedy: +-1%", "names no two entries with a minus between spaces"),
    ("par - greedy: +-1", "'+-1' given; allowed: +-0.1%"),
    ("par - greedy: better than 1%", "'better than 1%' given; allowed: "),
    ("par - greedy: +-0%", "0 % given; at least 1e-09 and below 100 are allowed"),
    ("par - greedy: better or not by 100%", "100 % given; at least 0 and below 100 are allowed"),
    ("par - gredy: +-1%", "no lineup has gredy (did you mean greedy?); the entries are greedy, par"),
    ("par - par: +-1%", "par is compared with itself"),
    ("par - greedy: +-2 chips", "scores of cheerio are points, chips given; write 2 points"),
])  # fmt: skip
def test_questions_that_make_no_sense_are_refused(text, told):
    with pytest.raises(JobError) as caught:
        asked(text)
    assert told in str(caught.value)


@pytest.mark.parametrize(("rulesets", "lineups", "text", "told"), [
    (["cheerio"], [["greedy"], ["par"]], "par - greedy: +-1%", "needs two entries of one match, and each has one"),
    (["cheerio"], [["greedy", "greedy"]], "par - greedy: +-1%", "no lineup has par"),
    (["cheerio"], [["greedy", "par"], ["par", "nets"]], "nets - greedy: +-1%", "no match has both nets and greedy"),
    (["ceelo-pot"], [["flat", "bold"]], "flat - bold: +-1%", "nobody decides anything"),
    (["ceelo-bank"], [["flat", "bold"]], "flat - bold: +-1 points", "are chips, points given; write 1 chip"),
])  # fmt: skip
def test_questions_that_belong_to_no_match_are_refused(rulesets, lineups, text, told):
    with pytest.raises(JobError) as caught:
        asked(text, rulesets=rulesets, lineups=lineups)
    assert told in str(caught.value)


def test_a_question_belongs_to_every_match_that_has_both_entries():
    lineups = [["greedy", "par"], ["par", "nets"], ["nets", "greedy", "par"]]
    job = asked("par - greedy: +-1%", "par - greedy: +-1 %", "nets - par: better or not", lineups=lineups)
    assert [[q.text for q in match.until] for match in job.matches] == [
        ["par - greedy: +-1 %"], ["nets - par: better or not"], ["par - greedy: +-1 %", "nets - par: better or not"],
    ]  # fmt: skip
    job = asked("par - nets: +-1%", lineups=lineups[:2])
    assert [match.games for match in job.matches] == [100_000, 10_000_000]
    assert [match.games for match in asked("par - nets: +-1%", lineups=lineups[:2], games=70).matches] == [
        70,
        70,
    ]


JOB = """
seed = 1
until = ["par - greedy: +-1%"]
[[matches]]
ruleset = "cheerio"
lineup = ["greedy", "par"]
until = ["par - greedy: better or not"]
[[grids]]
rulesets = ["cheerio-bonus"]
strategies = ["greedy", "par", "nets"]
until = ["nets - par: +-2%"]
"""


def test_job_files_ask_of_all_matches_and_of_some(tmp_path):
    path = tmp_path / "asks.toml"
    path.write_text(JOB)
    job = load_job(path)
    assert [[q.text for q in match.until] for match in job.matches] == [
        ["par - greedy: +-1 %", "par - greedy: better or not"], ["par - greedy: +-1 %"], [], ["nets - par: +-2 %"],
    ]  # fmt: skip
    # The command line's stand in place of all of the file's.
    told = load_job(path, Overrides(until=("par - greedy: +-3%",)))
    assert [len(match.until) for match in told.matches] == [1, 1, 0, 0]
    assert len({job.digest, told.digest, load_job(path, Overrides(until=("nets - par: +-3%",))).digest}) == 3


def test_mistakes_of_several_questions_are_told_at_once():
    with pytest.raises(JobError) as caught:
        asked("par - nets: +-1%", "par, greedy", "par - greedy: +-1%", "par - greedy: +-1 chips")
    assert str(caught.value).startswith("3 mistakes")


def test_mistakes_of_questions_are_told_with_the_rest(tmp_path):
    path = tmp_path / "asks.toml"
    path.write_text(
        JOB.replace('"nets - par: +-2%"', '"sets - par: +-2%", "nets, par"')
        + '[[matches]]\nruleset="chear"\nlineup=["par"]'
    )
    with pytest.raises(JobError) as caught:
        load_job(path)
    told = str(caught.value)
    for words in ("3 mistakes", "grids.0: until 'sets - par: +-2%': no lineup has sets", "chear",
                  "grids.0: until 'nets, par' is no"):  # fmt: skip
        assert words in told
