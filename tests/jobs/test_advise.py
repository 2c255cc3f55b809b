"""dicecup advise: what it answers, in every format, and what it refuses."""

import csv
import io
import re

import pytest

from jobs.advice_words import read_categories, read_dice
from sim.cheerio_ruleset import load_cheerio
from sim.dice import ROLL_INDEX
from strategies.valuation import build_valuation

SHEET = ("--ruleset", "cheerio-bonus", "--open", "ones,twos,high-straight,chance", "--upper", 30)
DICE = ("--dice", "2,3,4,5,5", "--throws-left", 1)
SHORT = ("advise", "-r", "cheerio-web-short")
WATCHING = '''
from strategies import Strategy

class Watcher(Strategy):
    """Keeps all while ahead of a rival."""
    sees = ("open", "pace", "standing", "rival_upper")
    def keep(self, dice, sheet, rolls_left):
        assert sheet.pace == -2 and sheet.rival_upper == 12
        return dice if sheet.standing > 0 else ()
    def choose(self, dice, sheet):
        return sheet.open[0]
'''


@pytest.fixture
def watcher(tmp_path):
    (tmp_path / "watcher.py").write_text(WATCHING)
    return "watcher.py:Watcher"


def test_keeps_are_ranked_by_what_is_still_to_come(dicecup):
    asked = ("advise", *SHEET, *DICE, "--points", 100, "--strategy", "par", "-s", "greedy", "-s", "optimal")
    document = dicecup(*asked, "--format", "json").document
    assert document["dice"] == [2, 3, 4, 5, 5]
    assert document["sheet"]["open"] == ["ones", "twos", "high-straight", "chance"]
    options = document["options"]
    assert document["options_allowed"] == len(options) == 24
    assert len({tuple(option["keep"]) for option in options}) == 24
    assert options[0]["keep"] == [2, 3, 4, 5]
    # One six in six makes the straight; else what is thrown is entered where it costs least.
    assert (options[0]["aim"], options[0]["entries"][0]["category"]) == ("high-straight", "ones")
    rates = {entry["category"]: entry["rate"] for entry in options[0]["entries"]}
    assert rates["high-straight"] == pytest.approx(1 / 6, abs=1e-6)
    assert [option["loss"] for option in options] == sorted(option["loss"] for option in options)
    assert options[0]["loss"] == 0
    for option in options:
        assert option["rest_mean"] + option["loss"] == pytest.approx(options[0]["rest_mean"], abs=2e-4)
        assert option["turn_mean"] + option["left_mean"] == pytest.approx(option["rest_mean"], abs=2e-4)
        assert option["score_mean"] == pytest.approx(100 + option["rest_mean"], abs=2e-4)
        assert sum(entry["rate"] for entry in option["entries"]) == pytest.approx(1, abs=1e-5)
    par, greedy, optimal = document["strategies"]
    assert optimal["options"] == [options[0] | {"chance": 1}]
    assert [chosen["keep"] for chosen in greedy["options"]] == [[4, 5, 5]]
    assert par["loss"] < greedy["loss"] == greedy["options"][0]["loss"]


def test_what_a_sheet_is_worth_is_the_solver_s_value(dicecup):
    valuation = build_valuation(load_cheerio("cheerio-bonus"))
    start = dicecup("advise", "-r", "cheerio-bonus", "--format", "json").document
    assert start["start_mean"] == start["before_mean"] == round(valuation.start, 4)
    document = dicecup("advise", *SHEET, "--format", "json").document
    ids = list(load_cheerio("cheerio-bonus").categories)
    mask = sum(1 << ids.index(key) for key in document["sheet"]["open"])
    assert document["before_mean"] == round(valuation.value(mask, 30), 4)
    assert [option["keep"] for option in document["options"]] == [[]]
    assert document["options"][0]["rest_mean"] == document["before_mean"]


def test_with_no_throw_left_categories_are_ranked(dicecup, variant):
    ruleset, _ = variant("joker")
    asked = ("advise", "-r", ruleset, "--open", "all but five,sixes,threes", "--throws-left", 0)
    unknown = dicecup(*asked, "--dice", 55555)
    assert unknown.code == 2
    assert "depends on joker, which isn't known; give --joker held" in unknown.err
    held = (*asked, "--joker", "held", "--points", 50)
    fives = dicecup(*held, "--dice", 55555, "--format", "json").document
    # Five alike are a joker that belongs into its own upper category: 25, and 30 more.
    assert [(o["category"], o["turn_mean"]) for o in fives["options"]] == [("fives", 55)]
    assert {item["category"] for item in fives["barred"]} == {"ones", "twos", "fours", "cheerio"}
    assert "has to be entered in Fives" in fives["barred"][0]["reason"]
    shown = dicecup(*held, "--dice", 55555).out
    assert "the joker held; 50 points so far" in shown
    assert "Barred: Ones, Twos, Fours, Cheerio, as five alike are a joker, which" in shown
    for joker, points in (("held", 80), ("zero", 50)):
        sixes = dicecup(*asked, "--joker", joker, "--dice", 66666, "--format", "json").document
        assert [(o["category"], o["turn_mean"]) for o in sixes["options"]] == [("cheerio", points)]


def numbers(text):
    return [float(word.replace(",", "")) for word in re.findall(r"(?<![\w-])\d[\d,]*\.\d+(?!\w)", text)]


def test_all_formats_have_the_same_digits(dicecup):
    asked = ("advise", *SHEET, *DICE, "--points", 100, "-s", "random", "--top", 3)
    document = dicecup(*asked, "--format", "json").document
    assert (document["options_allowed"], len(document["options"])) == (24, 3)
    assert document["strategies"][0]["options_allowed"] == 24
    figures = ("rest_mean", "loss", "turn_mean", "left_mean", "score_mean")
    wanted, ends, told = [], [], []
    for option in document["options"]:
        rates = {entry["category"]: entry["rate"] for entry in option["entries"]}
        pair = [rates[option["aim"]], option["entries"][0]["rate"]]
        told.append([option[key] for key in figures] + pair)
        wanted += told[-1][:5]
        ends += [round(rate * 100, 4) for rate in pair]
    wanted += ends
    for option in document["strategies"][0]["options"]:
        wanted += [round(option["chance"] * 100, 4), option["rest_mean"], option["loss"]]
        wanted.append(document["strategies"][0]["loss"])
    # Above the tables are the best option, the sheet before the turn, and an empty one.
    head = [document["options"][0]["rest_mean"], document["before_mean"], document["start_mean"]]
    for form in ("table", "markdown"):
        assert numbers(dicecup(*asked, "--format", form).out) == head + wanted
    rows = list(csv.DictReader(io.StringIO(dicecup(*asked, "--format", "csv").out)))
    assert [row["strategy"] for row in rows] == ["", "", "", "random", "random", "random"]
    assert [[float(row[key]) for key in (*figures, "aim_rate", "entry_rate")] for row in rows[:3]] == told
    assert [row["option"] for row in rows] == ["2-3-4-5", "2-4-5", "2"] * 2


def test_a_strategy_is_shown_what_follows_and_asks_for_the_rest(dicecup, watcher):
    asked = (*SHORT, "--open", "cheerio,sixes", "--upper", 39, *DICE, "-s", watcher)
    missing = dicecup(*asked)
    assert missing.code == 2
    assert (
        "depends on standing, which isn't known; give --standing, or --difference and --rival-open"
        in missing.err
    )
    assert "depends on rival_upper, which isn't known; give --rival-open and --rival-upper" in missing.err
    rival = ("--rival-open", "all but sixes", "--rival-upper", 12)
    for told, keep in ((("--standing", 1), [2, 3, 4, 5, 5]), (("--difference", -30), [])):
        shown = dicecup(*asked, *rival, *told, "--format", "json").document
        assert shown["strategies"][0]["options"][0]["keep"] == keep


def test_a_strategy_that_fails_is_told_with_exit_code_1(dicecup, write_strategy):
    broken = write_strategy("max(dice, key=dice.count)", "1 / 0")
    answer = dicecup(*SHORT, *DICE, "-s", broken)
    assert (answer.code, answer.out) == (1, "")
    assert "keep((2, 3, 4, 5, 5), sheet, rolls_left=1) raises ZeroDivisionError" in answer.err


def test_what_a_ruleset_has_beyond_the_sheet_is_left_out_with_a_remark(dicecup, variant):
    for name, told in (("overwrite", "steals left out"), ("speed", "the clock left out")):
        ruleset, _ = variant(name)
        answer = dicecup("advise", "-r", ruleset, "--dice", 11111, "--throws-left", 0)
        assert told in answer.err
        plain = dicecup(*SHORT, "--dice", 11111, "--throws-left", 0)
        assert answer.out.splitlines()[1:] == plain.out.splitlines()[1:]
        assert plain.err == ""
        document = dicecup("advise", "-r", ruleset, "--format", "json").document
        assert told in document["remarks"][0]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["-r", "ceelo-bank"], "nothing is kept and nothing entered, so there are no options to rank"),
        (["-r", "cheeri"], "did you mean cheerio"),
        (["--open", "ones,chnce", "-r", "cheerio"], "--open: 'chnce' given (did you mean chance?); allowed: a list of"),
        (["--open", "ones,Ones"], "--open: 'ones' given twice"),
        (["--open", "none"], "the sheet is full and the game over"),
        (["--filled", "all"], "the sheet is full and the game over"),
        (["--open", "ones", "--filled", "twos"], "--open and --filled given"),
        (["--dice", "2345", "--throws-left", "1"], "--dice: '2345' given; five dice from 1 to 6 are needed"),
        (["--dice", "1,2,3,4,7", "--throws-left", "1"], "five dice from 1 to 6 are needed"),
        (["--dice", "12345"], "--dice given without --throws-left; give how many throws may follow: 0 to 2"),
        (["--dice", "12345", "--throws-left", "3"], "--throws-left 3 given; under cheerio-web-short 0 to 2"),
        (["--throws-left", "1"], "--throws-left given without --dice"),
        (["--strategy", "par"], "--strategy given without --dice"),
        (["--strategy", "parr", *map(str, DICE)], "did you mean par"),
        (["--strategy", "flat", *map(str, DICE)], "flat plays ceelo"),
        (["--upper", "1"], "--upper 1 given; with nothing filled that counts, it may be 0 alone"),
        (["--filled", "sixes,fives", "--upper", "13"], "it may be 12 or 15, of all from 0 to 55"),
        (["-r", "cheerio-bonus", "--filled", "sixes"], "depends on upper, which isn't known; give --upper, the points"),
        (["-r", "cheerio-bonus", "--filled", "sixes"], "towards the bonus: 0 to 30"),
        (["--filled", "sixes", "--points", "7"], "--points 7 given; with Sixes filled, it may be 6 or 12"),
        (["--joker", "held"], "--joker given; cheerio-web-short has no joker"),
        (["-r", "yahtzee", "--joker", "held"], "--joker given; Yahtzee is open, so no joker is held"),
        (["--rival-upper", "3"], "--rival-upper given without --rival-open"),
        (["--rival-open", "all but ones", "--rival-upper", "9"], "9 given; with Ones filled, it may be 5"),
    ],
)  # fmt: skip
def test_mistakes_are_told_in_words(dicecup, words, told):
    given = words if "-r" in words else ["-r", "cheerio-web-short", *words]
    answer = dicecup("advise", *given)
    assert told in answer.err
    assert (answer.code, answer.out) == (2, "")


@pytest.mark.parametrize(
    ("words", "indices"),
    [
        ("all", range(13)), ("None", ()),
       ("ones, TWOS", (0, 1)), ("Low Straight", (9,)), ("low_straight,chance", (9, 12)),
        ("all  but chance", range(12)), ("all but Ones, full-house", (1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12)),
    ],
)  # fmt: skip
def test_categories_are_read_by_id_or_name(words, indices):
    assert read_categories(words, load_cheerio("cheerio"), "--open") == sum(1 << index for index in indices)


@pytest.mark.parametrize("words", ["2,3,4,5,5", "55432", "5 4 3 2 5", "2-3-4-5-5", " 2, 3,4,5 ,5 "])
def test_dice_are_read_in_any_order(words):
    assert read_dice(words) == ROLL_INDEX[(2, 3, 4, 5, 5)]
