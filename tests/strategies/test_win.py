"""`win` and the laws that it reckons with, against slow code and exact evaluation."""

from __future__ import annotations

from functools import lru_cache
from math import sqrt

import numpy as np
import pytest

from sim.cheerio import build_rules, play_deals
from sim.cheerio_ruleset import CheerioRuleset, load_cheerio
from sim.dice import ROLL_INDEX, ROLLS, masked_dice
from sim.lanes import COLUMN
from sim.views import open_mask, views_context
from strategies.beating import WIN, fill_win_worths
from strategies.exact import evaluate
from strategies.laws import build_laws
from strategies.lineup import get_lineup, get_player
from strategies.rows import RowMaker
from strategies.strategy import Plan
from strategies.tables import LineupTables
from strategies.win import Win, build_beating, build_standings
from tests.strategies.slow_play import Dice, SlowPlay, State, followed, small, turn

BONUS = small("cheerio", "twos", "fives", "full-house", throws=2, bonus={"threshold": 14, "points": 20})
JOKER = small("yahtzee", "sixes", "full-house", "yahtzee", throws=2, bonus={"threshold": 24, "points": 9})
ALL = tuple(load_cheerio("cheerio").categories)


@lru_cache(maxsize=16)
def maker_of(words: str, ruleset: CheerioRuleset) -> RowMaker:
    return RowMaker(get_player(words), ruleset)


def planned(words: str, ruleset: CheerioRuleset, **views: int) -> Plan:
    maker = maker_of(words, ruleset)
    seen = {view: views.get(view, 0) for view in maker.sees}
    return maker.make([views_context(ruleset, maker.sees, seen)])[0]


def mask(ruleset: CheerioRuleset, *opened: str) -> int:
    keys = list(ruleset.categories)
    return open_mask([keys.index(key) for key in opened])


class SlowLaws:
    """What `optimal` still scores, by following its plans through every sheet; the bonus counts at the end."""

    def __init__(self, ruleset: CheerioRuleset) -> None:
        self.play = SlowPlay(ruleset)
        self.known: dict[State, dict[int, float]] = {}

    def law(self, state: State) -> dict[int, float]:
        if state not in self.known:
            self.known[state] = self.follow(state)
        return self.known[state]

    def follow(self, state: State) -> dict[int, float]:
        ruleset, (opened, upper, held) = self.play.ruleset, state
        if not opened:
            return {int(self.play.value(state)): 1.0}
        cap = min(upper, ruleset.bonus.threshold)
        plan = planned("optimal", ruleset, open=open_mask(opened), upper=cap, joker=int(held))
        law: dict[int, float] = {}
        for roll, chance in followed(plan, ruleset.throws)[1].items():
            if chance:
                gain, following = self.play.enter(state, int(plan.choices[ROLL_INDEX[roll]]), roll)
                for points, share in self.law(following).items():
                    law[gain + points] = law.get(gain + points, 0.0) + chance * share
        return law


@lru_cache(maxsize=4)
def slow(ruleset: CheerioRuleset) -> SlowLaws:
    laws = SlowLaws(ruleset)
    for state in list(laws.play.known):
        laws.law(state)
    return laws


@pytest.mark.parametrize("ruleset", [BONUS, JOKER], ids=["bonus", "joker"])
def test_every_law_is_what_slow_code_finds(ruleset: CheerioRuleset) -> None:
    laws = build_laws(ruleset)
    assert laws.levels == ruleset.turns
    for (opened, upper, held), slow_law in slow(ruleset).known.items():
        law = laws.law(open_mask(opened), upper, int(held))
        assert law.sum() == pytest.approx(1, abs=1e-12)
        assert {int(points) for points in np.flatnonzero(law)} == set(slow_law)
        for points, chance in slow_law.items():
            assert law[points] == pytest.approx(chance, abs=1e-12)


def test_the_law_of_an_empty_sheet_is_that_of_exact_evaluation() -> None:
    ruleset = load_cheerio("cheerio-web-short")
    law = build_laws(ruleset).law(mask(ruleset, *ruleset.categories))
    scores = evaluate(get_player("optimal"), ruleset).scores
    assert dict(scores.items()) == pytest.approx(
        {int(points): float(law[points]) for points in np.flatnonzero(law)}, abs=1e-12
    )


def test_sheets_beyond_the_most_have_a_variance_in_place_of_a_law() -> None:
    some, whole = build_laws(BONUS, 1), build_laws(BONUS)
    assert some.levels == 1
    with pytest.raises(KeyError):
        some.law(7)
    for opened, upper, held in slow(BONUS).known:
        law = whole.law(open_mask(opened), upper, int(held))
        points = np.arange(law.size)
        variance = law @ points**2 - (law @ points) ** 2
        found = some.variances[0, open_mask(opened), min(upper, BONUS.bonus.threshold)]
        assert found == pytest.approx(variance, rel=0.02, abs=1e-4)


def win_chance(points: int, difference: int, rival: dict[int, float]) -> float:
    """The chance to win with these points to come, half of a tie counted."""
    ahead = difference + points
    return sum(chance * ((ahead > other) + (ahead == other) / 2) for other, chance in rival.items())


def total_of(ruleset: CheerioRuleset, state: State, points: int) -> int:
    """A running total, with the bonus from when it is reached."""
    reached = state[1] >= ruleset.bonus.threshold
    return points + (ruleset.bonus.points if reached else 0)


#: Own sheet, the rival's, and by how much its points without the bonus are ahead of the rival's.
LAST = [
    (BONUS, ((1,), 8, False), ((2,), 14, False), 0),
    (BONUS, ((1,), 8, False), ((0,), 10, False), -7),
    (BONUS, ((2,), 14, False), ((0,), 10, False), -9),
    (BONUS, ((0,), 10, False), ((), 20, False), -5),
    (JOKER, ((0,), 0, True), ((1,), 6, False), 3),
    (JOKER, ((1,), 18, True), ((0,), 0, False), 10),
]


@pytest.mark.parametrize(("ruleset", "own", "rival", "ahead"), LAST)
def test_in_the_last_turn_every_decision_is_the_best_there_is(
    ruleset: CheerioRuleset, own: State, rival: State, ahead: int
) -> None:
    laws, play = slow(ruleset), slow(ruleset).play
    # In the law of what is to come the bonus counts even where the total has it already.
    theirs = laws.law(rival)
    difference = total_of(ruleset, own, ahead) - total_of(ruleset, rival, 0)
    cap = ruleset.bonus.threshold
    plan = planned(
        "win",
        ruleset,
        open=open_mask(own[0]),
        upper=min(own[1], cap),
        joker=int(own[2]),
        difference=difference,
        rival_open=open_mask(rival[0]),
        rival_upper=min(rival[1], cap),
    )
    entered: dict[Dice, float] = {}
    for roll in ROLLS:
        gain, after = play.enter(own, own[0][0], roll)
        entered[roll] = win_chance(gain + int(play.value(after)), ahead, theirs)
    rolled, kept = turn(entered, ruleset.throws)
    assert 0.05 < kept[0][()] < 0.95
    # A point of the mean decides between equal chances, and is worth a millionth.
    for throw in range(ruleset.throws - 1):
        for index, roll in enumerate(ROLLS):
            keep = masked_dice(index, int(plan.keeps[throw, index]))
            chance = entered[keep] if len(keep) == 5 else kept[throw + 1][keep]
            assert chance == pytest.approx(rolled[throw][roll], abs=1e-4)


def test_before_that_an_entry_is_worth_the_chance_that_optimal_goes_on_to_win() -> None:
    laws, play = slow(BONUS), slow(BONUS).play
    own, rival = ((0, 1, 2), 0, False), ((0, 2), 10, False)
    views = {"open": 7, "difference": -12, "rival_open": 5, "rival_upper": 10}
    worths = np.zeros((3, len(ROLLS)))
    standings = build_standings({view: np.array([value]) for view, value in views.items()})
    fill_win_worths(build_beating(build_laws(BONUS)), standings, 0, worths)
    for index, roll in enumerate(ROLLS):
        for category in own[0]:
            gain, after = play.enter(own, category, roll)
            chance = sum(
                share * win_chance(gain + points, -12, laws.law(rival))
                for points, share in laws.law(after).items()
            )
            assert worths[category, index] / WIN == pytest.approx(chance, abs=1e-4)


def test_normal_laws_come_near_exact_ones_while_much_is_open() -> None:
    ruleset = load_cheerio("cheerio")
    exact = build_laws(ruleset)
    assert exact.levels == ruleset.turns
    rough = build_laws(ruleset, 1)
    views = {
        "open": [mask(ruleset, *ALL[:9])],
        "difference": [40],
        "rival_open": [mask(ruleset, *ALL[4:])],
    }
    standings = build_standings({view: np.array(value) for view, value in views.items()})
    chances = []
    for laws in (exact, rough):
        worths = np.zeros((len(ALL), len(ROLLS)))
        fill_win_worths(build_beating(laws), standings, 0, worths)
        chances.append(worths[:9])
    assert np.abs(chances[0] - chances[1]).max() < 0.03 * WIN
    assert chances[0].min() < 0.4 * WIN
    assert chances[0].max() > 0.6 * WIN


@pytest.mark.parametrize("ruleset", [BONUS, JOKER], ids=["bonus", "joker"])
def test_alone_it_plays_as_optimal(ruleset: CheerioRuleset) -> None:
    for opened, upper, held in slow(ruleset).known:
        if opened:
            own = {
                "open": open_mask(opened),
                "upper": min(upper, ruleset.bonus.threshold),
                "joker": int(held),
            }
            win, optimal = (planned(words, ruleset, **own) for words in ("win", "optimal"))
            assert np.array_equal(win.choices, optimal.choices)
            assert np.array_equal(win.keeps, optimal.keeps)


#: Own open categories, dice, throws left, points ahead of a rival whose sheet is full, dice that are kept.
KEEPS = [
    # 27 in hand: a tie at 27 behind, and nothing at 28, where 23 with a six wins and with a five ties.
    (("chance",), (6, 6, 6, 5, 4), 1, -26, (6, 6, 6, 5, 4)),
    (("chance",), (6, 6, 6, 5, 4), 1, -27, (6, 6, 6, 5, 4)),
    (("chance",), (6, 6, 6, 5, 4), 1, -28, (6, 6, 6, 5)),
    # Far ahead the mean decides, as it does where nothing is to be won.
    (("chance",), (1, 2, 4, 5, 6), 1, 100, (4, 5, 6)),
    (("chance",), (1, 2, 4, 5, 6), 1, -100, (4, 5, 6)),
    # 10 behind, a pair of ones is as good as nothing with Sixes open; two more sixes win.
    (("sixes",), (1, 1, 6, 2, 3), 1, -10, (6,)),
]


@pytest.mark.parametrize(("opened", "dice", "rolls_left", "difference", "expected"), KEEPS)
def test_keeps(opened: tuple[str, ...], dice: Dice, rolls_left: int, difference: int, expected: Dice) -> None:
    ruleset = load_cheerio("cheerio")
    plan = planned("win", ruleset, open=mask(ruleset, *opened), difference=difference)
    roll = ROLL_INDEX[tuple(sorted(dice))]
    assert masked_dice(roll, int(plan.keeps[2 - rolls_left, roll])) == tuple(sorted(expected))


#: The same for the category that is filled after the last throw.
CHOICES = [
    # 29 for two categories: 25 and the rest by Chance nearly always, while Full House after 28 comes in one of three.
    (("full-house", "chance"), (6, 6, 6, 5, 5), -29, "full-house"),
    # 23 in Chance and 2.1 to come are more than 1 and 23.3. But 27 behind five ones would have to follow, or 27 by
    # Chance, which comes more often; 22 behind Chance wins at once.
    (("ones", "chance"), (1, 5, 5, 6, 6), 100, "chance"),
    (("ones", "chance"), (1, 5, 5, 6, 6), -27, "ones"),
    (("ones", "chance"), (1, 5, 5, 6, 6), -22, "chance"),
]


@pytest.mark.parametrize(("opened", "dice", "difference", "expected"), CHOICES)
def test_choices(opened: tuple[str, ...], dice: Dice, difference: int, expected: str) -> None:
    ruleset = load_cheerio("cheerio")
    plan = planned("win", ruleset, open=mask(ruleset, *opened), difference=difference)
    assert list(ruleset.categories)[plan.choices[ROLL_INDEX[tuple(sorted(dice))]]] == expected


@pytest.mark.parametrize("ruleset", [BONUS, JOKER], ids=["bonus", "joker"])
def test_many_plans_at_once_are_those_of_one_after_another(ruleset: CheerioRuleset) -> None:
    maker = maker_of("win", ruleset)
    states = [state for state in slow(ruleset).known if state[0]]
    contexts = [
        views_context(
            ruleset,
            maker.sees,
            {
                "open": open_mask(own[0]),
                "upper": min(own[1], ruleset.bonus.threshold),
                "joker": int(own[2]),
                "difference": difference,
                "rival_open": open_mask(rival[0]),
                "rival_upper": min(rival[1], ruleset.bonus.threshold),
            },
        )
        for own, rival, difference in zip(states[::3], states[-3::-3], range(-20, 100, 2), strict=False)
    ]
    rows = maker.rows(np.array(contexts, np.uint64), None).reshape(len(contexts), -1, COLUMN)
    for number, plan in enumerate(maker.make(contexts)):
        assert np.array_equal(rows[number, :-1, : len(ROLLS)], plan.keeps)
        assert np.array_equal(rows[number, -1, : len(ROLLS)], plan.choices)


def test_it_sees_what_bears_on_the_ruleset() -> None:
    seen = {ruleset: set(Win().sees_under(ruleset)) for ruleset in (load_cheerio("cheerio"), BONUS, JOKER)}
    assert list(seen.values()) == [
        {"open", "difference", "rival_open"},
        {"open", "difference", "rival_open", "upper", "rival_upper"},
        {"open", "difference", "rival_open", "upper", "rival_upper", "joker"},
    ]


def credit_lead(name: str, deals: int) -> tuple[float, float]:
    """The mean by which the credit of `win` exceeds that of `optimal` in both seats of each deal, and its error."""
    ruleset = load_cheerio(name)
    tables = LineupTables(get_lineup(["win", "optimal"]), ruleset, {})
    lead = np.zeros(deals)
    for seating in range(2):
        credit = play_deals(build_rules(ruleset), tables, 2, seating, 77, 0, deals).credit.astype(float)
        lead += (credit[seating] - credit[1 - seating]) / 60
    return float(lead.mean() / 2), float(lead.std() / 2 / sqrt(deals))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "deals"), [("cheerio-web-short", 10_000), ("cheerio", 5_000)])
def test_it_wins_more_than_optimal(name: str, deals: int) -> None:
    lead, error = credit_lead(name, deals)
    assert lead > 5 * error
