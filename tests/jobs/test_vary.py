"""Rulesets that differ in one rule, as the command line asks for them."""

from __future__ import annotations

import pytest

from jobs.errors import JobError
from jobs.plan import rebuild_ruleset, stored_rules
from jobs.vary import varied_rulesets
from sim.ruleset import load_ruleset


def test_each_value_makes_a_ruleset_that_a_file_could_make(tmp_path):
    bonus = load_ruleset("cheerio-bonus")
    varied = varied_rulesets(bonus, ["bonus.points=0, 35,50,50", "throws=2"])
    assert [(ruleset.name, ruleset.title) for ruleset in varied] == [
        (f"cheerio-bonus {key}={value}", f"Cheerio with the bonus, {key} = {value}")
        for key, value in (("bonus.points", 0), ("bonus.points", 50), ("throws", 2))
    ]
    file = tmp_path / "fifty.toml"
    file.write_text('extends = "cheerio-bonus"\ntitle = "Fifty"\nbonus.points = 50\n')
    assert varied[1].digest == load_ruleset(str(file)).digest
    assert varied[0].digest == load_ruleset("cheerio").digest
    # A manifest holds them in full, so that a run can be resumed.
    assert [rebuild_ruleset(stored_rules(ruleset), "kept") for ruleset in varied] == varied


@pytest.mark.parametrize(
    ("base", "asked", "rules"),
    [
        ("cheerio", "start=first-seat", {"start": "first-seat"}),
        ("cheerio", 'scratch="forced"', {"scratch": "forced"}),
        ("cheerio-speed", "clock.throw.seconds=2.5", {"clock.throw.seconds": 2.5}),
        ("yahtzee", "joker.forced=false", {"joker.forced": False}),
        ("yahtzee", 'joker.fits=["full-house", "chance"]', {"joker.fits": ["full-house", "chance"]}),
        ("cheerio", "categories.cheerio.pays=40", {"categories.cheerio.pays.points": 40}),
        ("cheerio", "categories.chance.pays={points=3,plus='all dice'}",
         {"categories.chance.pays.points": 3, "categories.chance.pays.plus": "all dice"}),
        ("cheerio", "categories.cheerio.pays.points=7", {"categories.cheerio.pays.points": 7}),
        ("ceelo-bank", "stake.maximum=7", {"stake.maximum": 7, "stake.minimum": 1}),
        # Counts of players that go with no steal or no team are left out.
        ("cheerio", "steal=take", {"steal": "take", "players": [2, 3, 4, 5, 6]}),
        ("cheerio", "team=2", {"team": 2, "players": [4, 6]}),
    ],
)  # fmt: skip
def test_a_value_is_read_as_a_file_would_have_it(base, asked, rules):
    (ruleset,) = varied_rulesets(load_ruleset(base), [asked])
    for key, rule in rules.items():
        found = ruleset.model_dump(mode="json")
        for name in key.split("."):
            found = found[name]
        assert found == rule
    assert ruleset.name.startswith(f"{base} {asked.partition('=')[0]}=")


@pytest.mark.parametrize(
    ("base", "asked", "told"),
    [
        ("cheerio-bonus", "bonus.points=-1", "--vary bonus.points=-1: -1 given; at least 0 is allowed"),
        ("cheerio-bonus", "bonus.pionts=3", "unknown key (did you mean points?); allowed: threshold, points"),
        ("cheerio-bonus", "points=3", "unknown key (did you mean bonus.points?); allowed: throws, scratch"),
        ("cheerio", "categories.cherio.pays=3", "the id 'cherio' (did you mean cheerio?); allowed: ones, twos"),
        ("cheerio", "throws.most=3", "throws is 3, which has no parts; vary throws itself"),
        ("cheerio", "throws=2,,4", "--vary throws=2,,4: a value is missing; write KEY=VALUE,VALUE"),
        ("cheerio", "=2", "--vary =2: a key is missing; write KEY=VALUE,VALUE"),
        ("cheerio", "throws", "--vary throws: a value is missing"),
        ("cheerio-bonus", "bonus.points=1\n2", r"--vary bonus.points='1\n2': '1\n2' given; a whole number"),
        ("cheerio-bonus", "bonus=''", "--vary bonus='': '' given; a table is needed"),
        ("cheerio", "bonus..points=2", "'bonus..points' is no key"),
        ("cheerio", "steal=tak", "'tak' given (did you mean take?); allowed: 'none', 'overwrite' or 'take'"),
        ("cheerio", "players=2", "how many play is said by --players"),
        ("cheerio", "title=Mine", "title is no rule of the game"),
        ("cheerio-web", "team=2", "a team needs another to play against"),
        ("cheerio", f"start={'x' * 200}", "is too long for a name; write a ruleset file with extends"),
        # What counts for nothing beside the other rules can't be varied.
        ("ceelo-bank", "ante=3", 'with bank = "pass" there is no pot'),
        ("ceelo-bank", "throw_seconds=3", "without minutes no clock runs"),
    ],
)  # fmt: skip
def test_what_cannot_be_varied_is_told_with_the_reason(base, asked, told):
    with pytest.raises(JobError, match=r"--vary ") as refused:
        varied_rulesets(load_ruleset(base), [asked])
    assert told in str(refused.value)


def test_all_mistakes_are_told_at_once():
    with pytest.raises(JobError) as refused:
        varied_rulesets(load_ruleset("cheerio-bonus"), ["throws=9,3,two", "bonus=3"])
    assert str(refused.value).split("\n") == [
        "3 mistakes",
        "  --vary throws=9: 9 given; at most 5 is allowed",
        "  --vary throws=two: 'two' given; a whole number is needed",
        "  --vary bonus=3: 3 given; a table is needed",
    ]
