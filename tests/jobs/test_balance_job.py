"""The job behind dicecup balance: who sits where under which rules, and what is refused."""

from __future__ import annotations

import pytest

from jobs.balance import BalanceOrder, build_balance_job
from jobs.errors import JobError
from jobs.games import rules_text_of
from jobs.plan import plan_job
from sim.ruleset import load_ruleset, shipped_rulesets
from strategies.lineup import get_player

TWO = ["greedy", "par"]


def test_every_ruleset_is_played_by_the_same_lineups_on_the_same_deals():
    order = BalanceOrder(
        ["cheerio-bonus", "cheerio"], ["bonus.points=0,35,50"], [*TWO, "sets"], games=99, seed=3
    )
    plan = plan_job(build_balance_job(order))
    rulesets = list(dict.fromkeys(match.ruleset.name for match in plan.matches))
    # 35 is the base's own value, and with 0 the rules are those of cheerio.
    assert rulesets == ["cheerio-bonus", "cheerio", "cheerio-bonus bonus.points=50"]
    lineups = [
        ("greedy", "greedy"), ("par", "par"), ("sets", "sets"),
        ("greedy", "par"), ("greedy", "sets"), ("par", "sets"),
    ]  # fmt: skip
    assert [(match.ruleset.name, match.match.lineup) for match in plan.matches] == [
        (ruleset, lineup) for ruleset in rulesets for lineup in lineups
    ]
    assert {match.match.deals for match in plan.matches} == {50}
    assert (plan.matches[0].match.games, plan.matches[3].match.games) == (50, 100)
    assert plan.job.luck


@pytest.mark.parametrize(
    ("rulesets", "vary", "players", "lineup", "deals"),
    [
        (["cheerio"], (), 3, "greedy,par,greedy", 4),
        (["cheerio"], (), 4, "greedy,par,greedy,par", 6),
        # Partners play alike: sides A and B, or A, B and A.
        (["cheerio-team"], (), None, "greedy,par,greedy,par", 6),
        (["cheerio-team"], (), 6, "greedy,par,greedy,greedy,par,greedy", 4),
        # The fewest that all rulesets allow.
        (["cheerio", "cheerio-team"], (), None, "greedy,par,greedy,par", 6),
        (["cheerio-web"], (), None, "greedy,par", 6),
        (["cheerio"], ["team=2"], None, "greedy,par,greedy,par", 6),
    ],
)
def test_two_strategies_take_turns_over_the_sides(rulesets, vary, players, lineup, deals):
    plan = plan_job(build_balance_job(BalanceOrder(rulesets, vary, TWO, players, 12, 3)))
    _, _, pair, *_ = plan.matches
    assert ",".join(pair.match.lineup) == lineup
    assert {match.match.deals for match in plan.matches} == {deals}
    for match in plan.matches:
        sides = {(side, name) for side, name in zip(match.match.sides, match.match.lineup, strict=True)}
        assert len(sides) == match.match.side_count


def test_luck_is_kept_where_every_ruleset_allows_it():
    def luck(*rulesets, asked=None):
        return build_balance_job(BalanceOrder(rulesets, (), TWO, luck=asked)).luck

    assert luck("cheerio", "cheerio-team") is True
    assert luck("cheerio", asked=False) is False
    assert luck("cheerio", "cheerio-cutthroat") is luck("cheerio-speed") is False
    with pytest.raises(JobError, match="no luck can be kept under cheerio-speed: time is called by"):
        luck("cheerio", "cheerio-speed", asked=True)


@pytest.mark.parametrize("name", shipped_rulesets())
def test_usual_strategies_play_every_shipped_ruleset(name):
    ruleset = load_ruleset(name)
    usual = rules_text_of(ruleset.game).usual_strategies(ruleset)
    assert [get_player(words).game for words in usual] == [ruleset.game] * len(usual)
    job = build_balance_job(BalanceOrder([name], seed=1))
    assert len(job.matches) == len(usual) * (len(usual) + 1) // 2
    assert job.digest == build_balance_job(BalanceOrder([name], (), usual, seed=1)).digest


@pytest.mark.parametrize(
    ("order", "told"),
    [
        (BalanceOrder(["cheerio", "cheerio"]), "ruleset cheerio is given twice; once is enough"),
        (BalanceOrder(["cheerio", "./same.toml"]), "cheerio and same have the same rules; once is enough"),
        (BalanceOrder(["cheerio", "./other/cheerio.toml"]), "with different rules are named cheerio"),
        (BalanceOrder(["cheerio", "ceelo-bank"]), "cheerio is a ruleset of cheerio and ceelo-bank one of ceelo"),
        (BalanceOrder(["cheerio", "cherio", "yatzi"]), "'cherio': did you mean cheerio"),
        (BalanceOrder(["cheerio", "cherio", "yatzi"]), "'yatzi': did you mean yatzy"),
        (BalanceOrder(["cheerio"], strategies=["par", "par"]), "--strategies names par twice"),
        (BalanceOrder(["cheerio"], strategies=["gredy", "pra"]), "'gredy': did you mean greedy"),
        (BalanceOrder(["cheerio"], strategies=["gredy", "pra"]), "'pra': did you mean par"),
        (BalanceOrder(["cheerio"], strategies=["par", "flat"]), "flat plays ceelo, and cheerio is a ruleset of"),
        (BalanceOrder(["cheerio-web"], players=3), "--players 3 given; with somebody to win against, cheerio-web"),
        (BalanceOrder(["cheerio-team"], players=2), "cheerio-team is for 4, 6"),
        (BalanceOrder(["cheerio-web", "cheerio-team"]), "cheerio-web is for 2; cheerio-team is for 4, 6"),
        (BalanceOrder(["./alone.toml"]), "no number of players suits all rulesets: alone is for one side alone"),
        (BalanceOrder(["cheerio"], ["throws=9"]), "--vary throws=9: 9 given; at most 5 is allowed"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_in_words(tmp_path, order, told):
    (tmp_path / "other").mkdir()
    for name, rules in {"same": "", "other/cheerio": "throws = 2", "alone": "players = [1]"}.items():
        (tmp_path / f"{name}.toml").write_text(f'extends = "cheerio"\n{rules}\n')
    with pytest.raises(JobError) as refused:
        build_balance_job(order)
    assert told in str(refused.value)
