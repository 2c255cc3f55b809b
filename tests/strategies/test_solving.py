"""Perfect play and what is built on it, held against slow code that knows the rules alone."""

from __future__ import annotations

from functools import lru_cache
from math import log

import numpy as np
import pytest

from sim.cheerio_ruleset import CheerioRuleset, load_cheerio
from sim.dice import KEEP_INDEX, ROLL_INDEX, ROLLS, masked_dice
from sim.lanes import COLUMN
from sim.views import upper_cap, views_context
from strategies.exact import evaluate
from strategies.lineup import get_player
from strategies.losses import build_losses
from strategies.optimal import Optimal
from strategies.rows import Pool, RowMaker
from strategies.strategy import Plan, StrategyError
from strategies.turn_values import sheet_turn_values
from strategies.valuation import Goal, build_valuation
from tests.strategies.slow_play import SlowPlay, State, followed, mask_of, mean, small, turn

FREE = {"category": "yahtzee", "points": 100, "fits": ["full-house"], "forced": False}
PAIRS = {"name": "Two Pairs", "upper": True, "pattern": {"groups": [2, 2]}, "pays": "matched dice"}
ONES = {"name": "Ones", "upper": True, "pattern": {"face": 1}, "pays": "matched dice"}
CASES: dict[str, CheerioRuleset] = {
    "bonus": small("cheerio", "twos", "fives", "cheerio", throws=2, bonus={"threshold": 9, "points": 20}),
    "uppers-that-are-no-faces": small(
        "cheerio", "ones", categories={"pairs": PAIRS, "ones": ONES}, bonus={"threshold": 21, "points": 30}
    ),
    "forced-scratch": small("cheerio", "low-straight", "three-of-a-kind", "high-straight", scratch="forced"),
    "forced-joker": small(
        "yahtzee", "aces", "full-house", "yahtzee", throws=2, bonus={"threshold": 3, "points": 9}
    ),
    "forced-joker-and-scratch": small("yahtzee", "aces", "twos", "yahtzee", scratch="forced", throws=2),
    "free-joker": small("yahtzee", "sixes", "full-house", "yahtzee", joker=FREE, throws=4),
    "joker-without-points": small(
        "yahtzee", "sixes", "full-house", "yahtzee", joker=FREE | {"points": 0}, throws=1
    ),
}


@lru_cache(maxsize=16)
def slow(name: str, risk: float = 0.0) -> SlowPlay:
    return SlowPlay(CASES[name], risk)


def views_of(states: list[State]) -> dict[str, np.ndarray]:
    return {
        "open": np.array([mask_of(opened) for opened, _, _ in states]),
        "upper": np.array([upper for _, upper, _ in states]),
        "joker": np.array([int(held) for _, _, held in states]),
    }


def turns_of(play: SlowPlay, most: int = 1000) -> list[State]:
    """Sheets with something open, from the empty one on, evenly thinned out where they are more."""
    states = sorted((state for state in play.known if state[0]), key=lambda state: -len(state[0]))
    return states[:: -(-len(states) // most)]


def context_of(maker: RowMaker, state: State) -> int:
    """What a player sees of a sheet, as a number."""
    ruleset, (opened, upper, held) = maker.ruleset, state
    views = {
        "open": mask_of(opened),
        "upper": min(upper, upper_cap(ruleset)),
        "joker": int(held),
        "turns_left": len(opened),
    }
    return views_context(ruleset, maker.sees, {view: views[view] for view in maker.sees})


@pytest.mark.parametrize("name", CASES)
def test_every_sheet_is_worth_what_slow_code_finds(name: str) -> None:
    play, valuation = slow(name), build_valuation(CASES[name])
    assert valuation.start == pytest.approx(play.start, abs=1e-9)
    for (opened, upper, held), value in play.known.items():
        assert valuation.value(mask_of(opened), upper, int(held)) == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_every_entry_is_worth_what_slow_code_finds(name: str) -> None:
    play, valuation = slow(name), build_valuation(CASES[name])
    for state in turns_of(play, 12):
        opened, upper, held = state
        worths = valuation.worths(mask_of(opened), upper, held)
        for index, roll in enumerate(ROLLS):
            for category, worth in play.worths(state, roll).items():
                assert worths[category, index] == pytest.approx(worth, abs=1e-9)


@pytest.mark.parametrize("risk", [0.05, -0.03])
@pytest.mark.parametrize("name", ["bonus", "forced-joker"])
def test_a_utility_is_worth_what_slow_code_finds(name: str, risk: float) -> None:
    play, valuation = slow(name, risk), build_valuation(CASES[name], Goal(risk=risk))
    assert valuation.start == pytest.approx(log(abs(play.start)) / risk, abs=1e-9)
    for (opened, upper, held), value in play.known.items():
        assert valuation.value(mask_of(opened), upper, int(held)) == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize(("name", "best"), [("cheerio", 200.0629492384), ("cheerio-bonus", 213.7110401060)])
def test_the_best_means_are_the_known_ones(name: str, best: float) -> None:
    assert build_valuation(load_cheerio(name)).start == pytest.approx(best, abs=1e-9)


@pytest.mark.slow
def test_the_best_mean_of_yahtzee_is_the_published_one() -> None:
    # Verhoeff, "Optimal solitaire Yahtzee strategies", 1999.
    assert build_valuation(load_cheerio("yahtzee")).start == pytest.approx(254.5877, abs=5e-5)


def test_a_goal_without_the_bonus_is_that_of_the_ruleset_without_it() -> None:
    with_bonus, without = load_cheerio("cheerio-bonus"), load_cheerio("cheerio")
    assert build_valuation(with_bonus, Goal(bonus=False)).start == build_valuation(without).start


def test_points_that_count_more_are_those_of_categories_that_pay_more() -> None:
    ruleset = small("cheerio", "twos", throws=2)
    assert build_valuation(ruleset, Goal(upper=0.5)).start == pytest.approx(1.5 * SlowPlay(ruleset).start)


def test_a_risk_of_next_to_nothing_is_none() -> None:
    ruleset = load_cheerio("cheerio-web-short")
    best = build_valuation(ruleset).start
    for risk in (1e-6, -1e-6):
        # The certainty equivalent is about mean + risk / 2 x variance.
        assert build_valuation(ruleset, Goal(risk=risk)).start == pytest.approx(best, abs=1e-3)
        assert evaluate(get_player(f"optimal:risk={risk}"), ruleset).scores.mean == pytest.approx(
            best, abs=1e-6
        )


def test_a_risk_pays_of_the_mean_for_more_or_less_spread() -> None:
    ruleset = load_cheerio("cheerio-web-short")
    laws = [
        evaluate(get_player(f"optimal:risk={risk}"), ruleset).scores for risk in (-0.02, -0.01, 0, 0.01, 0.02)
    ]
    spreads = [law.sd for law in laws]
    assert spreads == sorted(spreads)
    assert [law.mean for law in laws[:3]] == sorted(law.mean for law in laws[:3])
    assert [law.mean for law in laws[2:]] == sorted((law.mean for law in laws[2:]), reverse=True)
    assert spreads[4] - spreads[0] > 0.5


def test_a_risk_beyond_all_bounds_is_refused() -> None:
    with pytest.raises(StrategyError, match=r"risk is 9; under cheerio-web-short, .*, at most \d"):
        build_valuation(load_cheerio("cheerio-web-short"), Goal(risk=9))


@pytest.mark.parametrize("words", ["optimal", "optimal:risk=0.02", "lookahead"])
@pytest.mark.parametrize("name", ["bonus", "forced-joker"])
def test_many_plans_at_once_are_those_of_one_after_another(name: str, words: str) -> None:
    maker = RowMaker(get_player(words), CASES[name])
    contexts = sorted({context_of(maker, state) for state in turns_of(slow(name))})
    few = maker.rows(np.array(contexts[:3], np.uint64), None)
    rows = maker.rows(np.array(contexts, np.uint64), None).reshape(len(contexts), -1, COLUMN)
    for number, plan in enumerate(maker.make(contexts)):
        assert np.array_equal(rows[number, :-1, : len(ROLLS)], plan.keeps)
        assert np.array_equal(rows[number, -1, : len(ROLLS)], plan.choices)
    assert np.array_equal(few, rows[:3].reshape(3, -1))


@pytest.mark.parametrize("name", ["bonus", "free-joker"])
def test_what_decisions_are_worth_is_what_slow_code_finds(name: str) -> None:
    play, valuation, throws = slow(name), build_valuation(CASES[name]), CASES[name].throws
    maker = RowMaker(get_player("optimal"), CASES[name])
    for state in turns_of(play, 6):
        opened, upper, held = state
        sheet = maker.sheet(context_of(maker, state))
        values = sheet_turn_values(valuation.worths(mask_of(opened), upper, held), sheet)
        entered = play.entered(state)
        rolled, kept = turn(entered, throws)
        assert values.before == pytest.approx(play.known[state], abs=1e-9)
        for throw in range(throws):
            for index, roll in enumerate(ROLLS):
                assert values.rolled[throw, index] == pytest.approx(rolled[throw][roll], abs=1e-9)
        for throw in range(1, throws):
            for keep, index in KEEP_INDEX.items():
                value = entered[keep] if len(keep) == 5 else kept[throw][keep]
                assert values.kept[throw - 1, index] == pytest.approx(value, abs=1e-9)
        # Following the best plan brings that mean.
        plan = maker.make([context_of(maker, state)])[0]
        _, ended = followed(plan, throws)
        chosen = {roll: int(plan.choices[index]) for index, roll in enumerate(ROLLS)}
        worths = {roll: play.worths(state, roll)[chosen[roll]] for roll in ROLLS}
        assert mean(ended, worths.__getitem__) == pytest.approx(values.before, abs=1e-9)


@pytest.mark.parametrize("name", ["bonus", "forced-joker"])
def test_perfect_play_gives_nothing_away(name: str) -> None:
    states = turns_of(slow(name))
    views = views_of(states)
    plan = Optimal().plans(CASES[name], views)
    rows = np.concatenate([plan.keeps, plan.choices[:, None]], axis=1)
    losses = build_losses(build_valuation(CASES[name]), padded(rows), np.zeros(1, np.uint8), views)
    assert np.abs(losses).max() < 1e-8


def padded(rows: np.ndarray) -> np.ndarray:
    padding = COLUMN - len(ROLLS)
    return np.pad(rows, ((0, 0), (0, 0), (0, padding))).reshape(len(rows), -1)


@pytest.mark.parametrize("words", ["greedy", "random"])
@pytest.mark.parametrize("name", ["bonus", "free-joker"])
def test_each_loss_is_that_of_slow_code(name: str, words: str) -> None:
    play, throws = slow(name), CASES[name].throws
    maker = RowMaker(get_player(words), CASES[name])
    states = turns_of(play, 6)
    contexts = [context_of(maker, state) for state in states]
    pool = Pool()
    rows = maker.rows(np.array(contexts, np.uint64), pool if maker.mixes else None)
    losses = build_losses(build_valuation(CASES[name]), rows, pool.array(), views_of(states))
    assert losses.min() > -1e-9
    assert losses.max() > 1
    for number, (state, plan) in enumerate(zip(states, maker.make(contexts), strict=True)):
        rolled, kept = turn(play.entered(state), throws)
        for index in range(0, len(ROLLS), 11):
            roll = ROLLS[index]
            for throw in range(throws):
                last = throw == throws - 1
                if last:
                    worths = play.worths(state, roll)
                    got = [worths[category] for category in options(plan, plan.choices[index], last)]
                else:
                    keeps = [
                        masked_dice(index, mask) for mask in options(plan, plan.keeps[throw, index], last)
                    ]
                    got = [rolled[-1][keep] if len(keep) == 5 else kept[throw + 1][keep] for keep in keeps]
                lost = rolled[throw][roll] - sum(got) / len(got)
                assert losses[number, throw, index] == pytest.approx(lost, abs=1e-9)


def options(plan: Plan, place: int, last: bool) -> tuple[int, ...]:
    listed = plan.choice_options if last else plan.keep_options
    return (int(place),) if listed is None else tuple(listed[place])


def test_what_a_turn_gives_away_on_its_way_is_what_it_brings_too_little() -> None:
    name = "bonus"
    play, throws = slow(name), CASES[name].throws
    maker = RowMaker(get_player("greedy"), CASES[name])
    for state in turns_of(play, 8):
        context = np.array([context_of(maker, state)], np.uint64)
        plan = maker.make(context.tolist())[0]
        losses = build_losses(
            build_valuation(CASES[name]), maker.rows(context, None), np.zeros(1, np.uint8), views_of([state])
        )[0]
        visited, ended = followed(plan, throws)
        lost = sum(
            visited[throw][roll] * losses[throw, index]
            for throw in range(throws - 1)
            for index, roll in enumerate(ROLLS)
        )
        lost += sum(ended[roll] * losses[throws - 1, index] for index, roll in enumerate(ROLLS))
        worths = {
            roll: play.worths(state, roll)[int(plan.choices[index])] for index, roll in enumerate(ROLLS)
        }
        assert play.known[state] - lost == pytest.approx(mean(ended, worths.__getitem__), abs=1e-9)


#: On sheets of cheerio-bonus, after the last throw: categories open, upper subtotal, dice, what is filled.
TURNS = [
    # 24 in Sixes make 63 of 39, and the bonus; of 20 they don't: 26 and 12.6 to come are more than 24 and 5.6.
    ("optimal", ("sixes", "four-of-a-kind"), 39, (6, 6, 6, 6, 2), "sixes"),
    ("optimal", ("sixes", "four-of-a-kind"), 20, (6, 6, 6, 6, 2), "four-of-a-kind"),
    # With an upper point worth 1 + 3.5 x 35 / 63 = 2.94 it is 71 and 5.6 against 26 and 37, whatever the subtotal.
    ("lookahead", ("sixes", "four-of-a-kind"), 20, (6, 6, 6, 6, 2), "sixes"),
    ("lookahead:bonus=0", ("sixes", "four-of-a-kind"), 39, (6, 6, 6, 6, 2), "four-of-a-kind"),
]


@pytest.mark.parametrize(("words", "opened", "upper", "dice", "filled"), TURNS)
def test_turns_with_a_bonus(
    words: str, opened: tuple[str, ...], upper: int, dice: tuple[int, ...], filled: str
) -> None:
    ruleset = load_cheerio("cheerio-bonus")
    keys = list(ruleset.categories)
    maker = RowMaker(get_player(words), ruleset)
    state = (tuple(keys.index(key) for key in opened), upper, False)
    plan = maker.make([context_of(maker, state)])[0]
    assert keys[plan.choices[ROLL_INDEX[tuple(sorted(dice))]]] == filled


def test_lookahead_is_perfect_where_there_is_no_bonus() -> None:
    ruleset = load_cheerio("cheerio-web-short")
    makers = [RowMaker(get_player(words), ruleset) for words in ("lookahead", "optimal")]
    contexts = makers[0].whole_contexts()
    lookahead, optimal = (maker.rows(contexts, None) for maker in makers)
    assert np.array_equal(lookahead, optimal)


@pytest.mark.parametrize("bonus", ["-0.1", "101", "nan"])
def test_a_share_of_the_bonus_out_of_bounds_is_refused(bonus: str) -> None:
    with pytest.raises(StrategyError, match=r"a share from 0 to 100 is allowed|finite"):
        get_player(f"lookahead:bonus={bonus}")


@pytest.mark.slow
def test_the_default_share_of_the_bonus_is_the_best_in_cheerio_bonus() -> None:
    ruleset = load_cheerio("cheerio-bonus")
    means = {
        share: evaluate(get_player(f"lookahead:bonus={share}"), ruleset).scores.mean for share in (3.4, 3.5)
    }
    assert max(means, key=means.__getitem__) == 3.5
    assert round(means[3.5], 2) == 210.46
