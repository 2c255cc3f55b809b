"""Simulated games against exact values, at 5 standard errors with fixed seeds."""

from fractions import Fraction
from functools import lru_cache
from itertools import cycle
from math import sqrt

import numpy as np
import pytest

from sim.cheerio import Course, build_rules, play_deals
from sim.cheerio_ruleset import CheerioRuleset, load_cheerio, validate_cheerio
from sim.ruleset import shipped_rulesets
from strategies.lineup import get_lineup, get_player, shipped_strategies
from strategies.tables import LineupTables, RowMaker, Rows, make_rows

SHIPPED = shipped_strategies("cheerio")
GAMES = 10_000_000
PIECE = 1_000_000

ONE_TURN = {
    "three-of-a-kind": Fraction(234053, 314928),
    "four-of-a-kind": Fraction(2197897, 7558272),
    "full-house": Fraction(5485535, 15116544),
    "low-straight": Fraction(3856086575, 19591041024),
    "high-straight": Fraction(3856086575, 19591041024),
    "cheerio": Fraction(347897, 7558272),
}


@lru_cache(maxsize=32)
def rows_of(words: str, ruleset: CheerioRuleset) -> Rows:
    player = get_player(words)
    return make_rows(player, ruleset, RowMaker(player, ruleset).whole_contexts())


def play(ruleset: CheerioRuleset, words: list[str], seed: int, first: int, deals: int) -> Course:
    tables = LineupTables(get_lineup(words), ruleset, {word: rows_of(word, ruleset) for word in words})
    return play_deals(build_rules(ruleset), tables, len(words), 0, seed, first, deals)


def only(category: str) -> CheerioRuleset:
    """Builds the game of one turn that has this category alone, paying 1 so that nothing but hitting it counts."""
    rules = load_cheerio("cheerio").model_dump(mode="json", exclude_none=True)
    kept = rules["categories"][category] | {"pays": {"points": 1}}
    return validate_cheerio(rules | {"name": "one", "categories": {category: kept}}, "one")


@pytest.mark.parametrize("category", ONE_TURN)
def test_one_turn_probabilities(category: str) -> None:
    deals = 1_000_000
    course = play(only(category), ["greedy"], 2026, 0, deals)
    exact = float(ONE_TURN[category])
    assert abs((course.score > 0).mean() - exact) < 5 * sqrt(exact * (1 - exact) / deals)


@pytest.mark.slow
@pytest.mark.parametrize("category", ONE_TURN)
def test_one_turn_probabilities_over_ten_million_games(category: str) -> None:
    ruleset, exact = only(category), float(ONE_TURN[category])
    pieces = [play(ruleset, ["greedy"], 11, first, PIECE) for first in range(0, GAMES, PIECE)]
    hits = sum(int((piece.score > 0).sum()) for piece in pieces)
    assert abs(hits / GAMES - exact) < 5 * sqrt(exact * (1 - exact) / GAMES)


@pytest.mark.slow
def test_greedy_mean_with_the_bonus_over_ten_million_games() -> None:
    ruleset = load_cheerio("cheerio-bonus")
    scores = np.concatenate(
        [play(ruleset, ["greedy"], 12, first, PIECE).score[0] for first in range(0, GAMES, PIECE)]
    )
    error = scores.std() / sqrt(GAMES)
    # How ties between keeps are broken moves the exact mean between these two.
    assert 185.12 - 5 * error < scores.mean() < 185.16 + 5 * error


def assert_every_side_wins_its_share(
    ruleset: CheerioRuleset, strategy: str, seats: int, seed: int, deals: int
) -> None:
    course = play(ruleset, [strategy] * seats, seed, 0, deals)
    sides = ruleset.sides(seats)
    assert (course.credit[:sides].sum(axis=0, dtype=int) == 60).all(), "the credit of a game is one win"
    share = course.credit / 60
    errors = share.std(axis=1) / sqrt(deals)
    assert (np.abs(share.mean(axis=1) - 1 / sides) < 5 * errors).all()


@pytest.mark.parametrize(
    ("name", "strategy"),
    [
        ("cheerio", "greedy"),
        ("cheerio-cutthroat", "par"),
        ("cheerio-cutthroat-take", "greedy"),
        ("cheerio-speed", "brisk"),
        ("cheerio-team", "par"),
        ("cheerio-web", "random"),
        ("cheerio-web-short", "greedy"),
        ("cheerio-web-short", "par"),
    ],
)
def test_every_side_of_a_mirror_wins_its_share(name: str, strategy: str) -> None:
    ruleset = load_cheerio(name)
    for seats in {2, 3, 6}.intersection(ruleset.players):
        assert_every_side_wins_its_share(ruleset, strategy, seats, 31 + seats, 10_000)


#: `win` is asked sheet by sheet as play goes, and the tips play much as their base: the short game tries them as well.
FAST = tuple(name for name in SHIPPED if name != "win" and not name.startswith("tip-"))
#: Every strategy under one ruleset or two, and every ruleset with one or more.
MIRRORS = [("cheerio-web-short", strategy) for strategy in SHIPPED]
MIRRORS += [
    (name, strategy)
    for name, strategy in zip(shipped_rulesets("cheerio"), cycle(FAST), strict=False)
    if name != "cheerio-web-short"
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "strategy"), MIRRORS)
def test_every_side_of_every_mirror_wins_its_share(name: str, strategy: str) -> None:
    ruleset = load_cheerio(name)
    for seats in {2, 3, 4, 5, 6}.intersection(ruleset.players):
        assert_every_side_wins_its_share(ruleset, strategy, seats, 61 + seats, 10_000)


@pytest.mark.parametrize("name", ["cheerio", "cheerio-bonus", "cheerio-web", "cheerio-web-short"])
def test_the_first_to_play_has_no_edge_without_watching(name: str) -> None:
    ruleset = load_cheerio(name)
    deals = 100_000
    course = play(ruleset, ["par", "par"], 5, 0, deals)
    first = np.where(course.position == 0, course.credit, 0).sum(axis=0) / 60
    assert abs(first.mean() - 0.5) < 5 * first.std() / sqrt(deals)


def test_starting_dice_tie_as_often_as_they_must() -> None:
    deals = 40_000
    for seats, exact in ((2, 1 / 6), (3, 17 / 72)):
        course = play(load_cheerio("cheerio"), ["random"] * seats, 8, 0, deals)
        tied = (course.start_rounds > 1).mean()
        assert abs(tied - exact) < 5 * sqrt(exact * (1 - exact) / deals)


def test_a_roll_off_of_two_is_tied_again_as_often_as_it_must() -> None:
    course = play(load_cheerio("cheerio"), ["greedy", "greedy"], 9, 0, 2_000_000)
    rounds = course.tiebreak_rounds[course.tiebreak_rounds > 0]
    exact = 7631 / 104976
    assert rounds.size > 10_000
    assert abs((rounds > 1).mean() - exact) < 5 * sqrt(exact * (1 - exact) / rounds.size)
