import time
from pathlib import Path

import pytest

from jobs.errors import JobError
from jobs.job import Overrides, build_job, load_job
from jobs.orders import GridOrder, read_games


@pytest.mark.parametrize(
    ("given", "games"),
    [
        ("1_000_000", 10**6), ("1,000", 1000), ("1e6", 10**6), ("1M", 10**6), ("10k", 10_000), ("1.5M", 1_500_000),
        ("2 m", 2 * 10**6), (1e6, 10**6), (7, 7), ("1e12", 10**12),
    ],
)  # fmt: skip
def test_games_are_read(given, games):
    assert read_games(given) == games


@pytest.mark.parametrize(
    "given",
    ["0", "-5", "ten", "", "1.5", "1e13", "1e99", "inf", "nan", 0, -1, 2.5, True, "k", "1kk", float("inf")],
)
def test_games_that_make_no_sense_are_refused(given):
    with pytest.raises(ValueError, match=r"games given; 1 to 1e12 are allowed"):
        read_games(given)


def write_job(folder, text):
    path = folder / "opening.toml"
    path.write_text(text)
    return path


def test_a_job_file_is_read(tmp_path):
    path = write_job(
        tmp_path,
        """
        seed = 7
        games = "10k"
        [[matches]]
        ruleset = "cheerio"
        lineup = ["greedy", "par:"]
        """.replace('"par:"', '"par"'),
    )
    job = load_job(path)
    assert (job.name, job.seed, job.chunk, job.seed_drawn) == ("opening", 7, None, False)
    assert [(m.ruleset.name, m.labels, m.games) for m in job.matches] == [
        ("cheerio", ("greedy", "par"), 10_000)
    ]


@pytest.mark.parametrize(
    ("keys", "lineups"),
    [
        ('strategies = ["greedy", "par", "sets"]', ["greedy,par", "greedy,sets", "par,sets"]),
        ('strategies = ["greedy", "par"]\nmirrors = true', ["greedy,greedy", "greedy,par", "par,par"]),
        ('strategies = ["greedy", "par"]\nseats = 1', ["greedy", "par"]),
        ('lineups = [["greedy", "par", "par"], ["par"]]', ["greedy,par,par", "par"]),
    ],
)
def test_a_grid_is_every_ruleset_with_every_lineup(tmp_path, keys, lineups):
    text = f'seed = 1\n[[grids]]\nrulesets = ["cheerio", "cheerio-bonus"]\n{keys}\n'
    job = load_job(write_job(tmp_path, text))
    asked = [(m.ruleset.name, ",".join(m.labels)) for m in job.matches]
    assert asked == [(r, lineup) for r in ("cheerio", "cheerio-bonus") for lineup in lineups]


def test_all_mistakes_are_told_at_once(tmp_path):
    path = write_job(
        tmp_path,
        """
        sead = 7
        games = 0
        chunk = 0
        [[matches]]
        ruleset = "cheerio"
        lineup = []
        [[grids]]
        rulesets = ["cheerio", "cheerio"]
        strategies = ["greedy", "par"]
        """,
    )
    with pytest.raises(JobError) as caught:
        load_job(path)
    told = str(caught.value)
    for words in ("5 mistakes", "sead: unknown key (did you mean seed?)", "games: 0 games given", "chunk: 0 given",
                  "matches.0.lineup: 0 given", "grids.0: rulesets names cheerio twice"):  # fmt: skip
        assert words in told


def test_unknown_names_are_told_with_near_ones(tmp_path):
    with pytest.raises(JobError) as caught:
        build_job(["cherio"], [["greddy", "par"]])
    told = str(caught.value)
    assert "did you mean cheerio" in told
    assert "did you mean greedy" in told


@pytest.mark.parametrize(
    ("lineups", "words"),
    [
        ([["par"] * 7], "has 7 seats; cheerio is for 1, 2, 3, 4, 5, 6 players"),
        ([["greedy", "par"], ["par", "greedy"]], "asked for twice"),
        ([["greedy", "par"], ["greedy", "par"]], "asked for twice"),
    ],
)
def test_matches_that_make_no_sense_are_refused(lineups, words):
    with pytest.raises(JobError, match=words):
        build_job(["cheerio"], lineups)


@pytest.mark.parametrize("text", ["", "name = 'a'", "[[matches]\n", "[[grids]]\nrulesets=['cheerio']\n"])
def test_files_that_hold_no_job_are_refused(tmp_path, text):
    with pytest.raises(JobError, match=r"job .*opening\.toml: "):
        load_job(write_job(tmp_path, text))


def test_paths_are_looked_for_from_the_job_file(tmp_path, monkeypatch, write_strategy):
    words = write_strategy()
    (tmp_path / "my-rules.toml").write_text('extends = "cheerio-web-short"\ntitle = "Mine"\n')
    path = write_job(
        tmp_path, f'seed = 1\n[[matches]]\nruleset = "my-rules.toml"\nlineup = ["{words}", "par"]\n'
    )
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    from_here, from_there = load_job(Path("../opening.toml")), load_job(path)
    assert from_here.matches[0].labels == (words, "par")
    assert from_here.matches[0].ruleset.title == "Mine"
    assert from_here.digest == from_there.digest


def test_the_digest_tells_jobs_apart_and_nothing_else():
    def digest(rulesets=("cheerio",), lineup=("greedy", "par"), **rest):
        return build_job(rulesets, [lineup], Overrides(**{"seed": 7, "games": 1000} | rest)).digest

    same = {digest(), digest(name="another")}
    others = {digest(seed=8), digest(games=1001), digest(chunk=5), digest(lineup=("par", "greedy")),
              digest(lineup=("greedy:upper=0.0", "par")), digest(rulesets=("cheerio-bonus",))}  # fmt: skip
    assert len(same) == 1
    assert len(others | same) == 7


def test_a_seed_that_is_not_given_is_drawn_below_2_to_the_53():
    jobs = [build_job(["cheerio"], [["par"]]) for _ in range(5)]
    assert len({job.seed for job in jobs}) == 5
    assert all(job.seed_drawn and 0 <= job.seed < 2**53 for job in jobs)


@pytest.mark.parametrize("mirrors", ["true", "false"])
@pytest.mark.parametrize("seats", [1, 2, 3, 6])
@pytest.mark.parametrize("strategies", [1, 2, 6, 7])
def test_a_grid_is_counted_as_it_is_made(mirrors, seats, strategies):
    words = {"rulesets": ["a", "b"], "strategies": [f"s{i}" for i in range(strategies)], "seats": seats}
    if mirrors == "false" and strategies < seats:
        return
    grid = GridOrder(**words, mirrors=mirrors == "true")
    assert grid.count == 2 * len(grid.all_lineups())


@pytest.mark.parametrize(("count", "seats", "told"), [
    (200, 6, "82,408,626,300 matches given; 1 to 10,000 are needed"),
    (2000, 2, "1,999,000 matches given"),
    (50, 25, "grids.0.seats: 25 given"),
    (3, 10**18, "grids.0.seats"),
])  # fmt: skip
def test_absurd_grids_are_refused_at_once(tmp_path, dicecup, count, seats, told):
    names = ", ".join(f"'greedy:upper={i}'" for i in range(count))
    path = write_job(
        tmp_path, f"seed = 1\n[[grids]]\nrulesets = ['cheerio']\nstrategies = [{names}]\nseats = {seats}\n"
    )
    started = time.process_time()
    answer = dicecup("run", path)
    assert (answer.code, told in answer.err) == (2, True), answer.err
    assert time.process_time() - started < 2


def test_many_matches_are_compared_quickly(tmp_path):
    """9,870 matches; comparing each with all before it would take some fifty million comparisons."""
    names = ", ".join(f"'greedy:upper={i}.0'" for i in range(140))
    path = write_job(
        tmp_path, f"seed = 1\n[[grids]]\nrulesets = ['cheerio']\nstrategies = [{names}]\nmirrors = true\n"
    )
    started = time.process_time()
    assert len(load_job(path).matches) == 9870
    assert time.process_time() - started < 3


@pytest.mark.parametrize(("rulesets", "lineups", "told"), [
    (["cherio"], [["par"]], "ruleset cherio: no ruleset is named 'cherio'"),
    (["cheerio"], [["par"], ["greddy", "par"]], "lineup greddy,par: no strategy is named 'greddy'"),
    (["cheerio"], [["par"] * 7], "lineup par,par,par,par,par,par,par has 7 seats"),
    (["cheerio", "cheerio"], [["par"]], "rulesets names cheerio twice"),
    (["cheerio"], [["par"], ["p" * 301]], "lineup ppp"),
    (["c" * 301, "cheerio"], [["par"]], "ruleset ccc"),
])  # fmt: skip
def test_mistakes_of_a_command_line_are_told_in_its_words(rulesets, lineups, told):
    with pytest.raises(JobError) as caught:
        build_job(rulesets, lineups)
    assert str(caught.value).startswith(told)


@pytest.mark.parametrize(("lineup", "seated"), [
    (["par+greedy", "nets+sets"], "par nets greedy sets"),
    (["par + greedy", "nets+sets", "random+par"], "par nets random greedy sets par"),
    (["par", "greedy", "nets", "sets"], "par greedy nets sets"),
    (["greedy:upper=1e+3+par", "par+greedy:upper=1e+2"], "greedy:upper=1e+3 par par greedy:upper=1e+2"),
])  # fmt: skip
def test_sides_of_a_team_are_spread_over_the_seats(lineup, seated):
    (match,) = build_job(["cheerio-team"], [lineup]).matches
    assert match.labels == tuple(seated.split())


def test_partners_from_a_file_are_joined_too(tmp_path, write_strategy):
    words, other = write_strategy(), write_strategy(name="_other.py")
    text = f'seed = 1\n[[grids]]\nrulesets = ["cheerio-team"]\nstrategies = ["par+{words}", "{other}+par"]\n'
    (match,) = load_job(write_job(tmp_path, text)).matches
    assert match.labels == ("par", other, words, "par")


@pytest.mark.parametrize(("ruleset", "lineup", "told"), [
    ("cheerio-team", "par,greedy", "lineup par,greedy: cheerio-team has teams of 2, but par names 1; write "),
    ("cheerio-team", "par,greedy", "write 2 or 3 sides, as par+par,greedy+greedy, or 4 or 6 strategies by seat"),
    ("cheerio-team", "par+par+par,par+par", "has teams of 2, but par+par+par names 3; write 2 or 3 sides"),
    ("cheerio-team", "par+par", "lineup par+par has 1 side of 2; write 2 or 3 sides"),
    ("cheerio-team", "par+par,par+par,par+par,par+par", "4 entries, which is one for each player, but par+par"),
    ("cheerio-team", "par,par,par,par,par", "has teams of 2, but par names 1; write 2 or 3 sides"),
    ("cheerio-team", "par+gredy,par+par", "did you mean greedy"),
    ("cheerio-team", "par+greedy,nets+nets;nets+nets,par+greedy", "with nets+nets,par+greedy is asked for twice"),
    ("cheerio", "par+greedy,par", "cheerio has no teams, but par+greedy joins partners by +; name one strategy a seat"),
])  # fmt: skip
def test_sides_that_make_no_sense_are_told_what_to_write(ruleset, lineup, told):
    with pytest.raises(JobError) as caught:
        build_job([ruleset], [words.split(",") for words in lineup.split(";")])
    assert told in str(caught.value)


def test_of_a_ruleset_that_is_not_known_no_partners_are_told(tmp_path):
    with pytest.raises(JobError) as caught:
        build_job(["cherio"], [["par+gredy", "greddy"]])
    assert str(caught.value).count("\n") == 2
    assert "'gredy'" not in str(caught.value)
    text = "seed = 1\n[[matches]]\nruleset = 'cheerio-team'\nlineup = ['par+par']\n"
    with pytest.raises(JobError, match=r"opening\.toml: matches\.0: lineup par\+par has 1 side of 2"):
        load_job(write_job(tmp_path, text))
