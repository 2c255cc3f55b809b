"""Exact evaluation and regret against slow, obvious code: every sheet, every outcome of every throw."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cache
from itertools import combinations_with_replacement, product
from math import sqrt

import numpy as np
import pytest

from sim import reference_sheet as rules_of
from sim.cheerio import build_rules, play_deals
from sim.cheerio_ruleset import CheerioRuleset, load_cheerio, validate_cheerio
from sim.reference import Decider
from sim.ruleset import load_ruleset
from strategies.deciding import build_decider
from strategies.exact import evaluate, why_not_exact
from strategies.lineup import Player, Source, get_lineup, get_player
from strategies.outcome import ScoreLaw
from strategies.rows import RowMaker, make_rows
from strategies.strategy import Category, Dice, Sheet, Strategy, StrategyError
from strategies.tables import LineupTables
from strategies.valuation import build_valuation

Entries = tuple[tuple[int, int], ...]
State = tuple[Entries, int]
Turn = tuple[dict[tuple[Dice, int], float], dict[str, float], float]
ROLLS = dict(Counter(tuple(sorted(dice)) for dice in product(range(1, 7), repeat=5)))


SHORT = [kept for size in range(5) for kept in combinations_with_replacement(range(1, 7), size)]
KEEPS = {roll: [kept for kept in SHORT if not Counter(kept) - Counter(roll)] for roll in ROLLS}


def small(name: str, parent: str, *categories: str, **changes: object) -> CheerioRuleset:
    rules = load_cheerio(parent).model_dump(mode="json", exclude_none=True)
    kept = {key: rules["categories"][key] for key in categories}
    return validate_cheerio(rules | {"name": name, "categories": kept, "throws": 2} | changes, name)


BONUS = small("bonus", "cheerio", "twos", "fives", "cheerio", bonus={"threshold": 9, "points": 20})
FORCED = small("forced", "cheerio", "low-straight", "three-of-a-kind", scratch="forced", throws=3)
JOKER = small(
    "joker",
    "yahtzee",
    "aces",
    "full-house",
    "yahtzee",
    joker={"category": "yahtzee", "points": 100, "fits": ["full-house"], "forced": True},
)
SINGLE = small("single", "cheerio", "sixes", "full-house", throws=1)


class Climbing(Strategy):
    """Keeps what is high, the more so the fewer its upper points; fills the last category that pays."""

    def keep(self, dice: Dice, sheet: Sheet, rolls_left: int) -> Iterable[int]:
        low = sum(getattr(sheet, view) for view in self.sees if view != "open") % 6
        return [die for die in dice if die > low]

    def choose(self, dice: Dice, sheet: Sheet) -> Category:
        paying = [category for category in sheet.legal(dice) if category.points(dice)]
        return (paying or sheet.legal(dice))[-1]


class Tossing(Strategy):
    """Leaves all to the coin."""

    sees = ("open", "coin")

    def keep(self, dice: Dice, sheet: Sheet, rolls_left: int) -> Iterable[int]:
        return sheet.coin([dice, dice[:2], dice[3:], ()])

    def choose(self, dice: Dice, sheet: Sheet) -> Category:
        return sheet.coin(sheet.legal(dice))


def player(kind: type[Strategy], *views: str) -> Player:
    strategy = type(kind.__name__, (kind,), {"sees": ("open", *views) if views else kind.sees})()
    return Player(
        kind.__name__,
        strategy,
        "A rule.",
        Source(
            kind.__name__,
            "",
            (),
            (),
            "",
        ),
    )


@cache
def outcomes(kept: Dice) -> dict[Dice, float]:
    dice = list(product(range(1, 7), repeat=5 - len(kept)))
    counted = Counter(tuple(sorted(kept + thrown)) for thrown in dice)
    return {roll: ways / len(dice) for roll, ways in counted.items()}


class Slow:
    """A strategy followed through its game by the rules alone, with chances in place of dice."""

    def __init__(self, ruleset: CheerioRuleset, decider: Decider) -> None:
        self.ruleset = ruleset
        self.decider = decider
        self.law: dict[State, float] = {((), 0): 1.0}
        self.lost: dict[str, float] = defaultdict(float)
        self.lost_in_turn: list[float] = []
        self.throws = 0.0
        self.known: dict[tuple[rules_of.View, bool], Turn] = {}

    def play(self) -> None:
        for _ in range(self.ruleset.turns):
            law: dict[State, float] = defaultdict(float)
            before = sum(self.lost.values())
            for state, chance in self.law.items():
                for following, share in self.turn(state, chance):
                    law[following] += chance * share
            self.law = law
            self.lost_in_turn.append(sum(self.lost.values()) - before)

    def turn(self, state: State, weight: float) -> list[tuple[State, float]]:
        entries = dict(state[0])
        view = rules_of.view_of(self.ruleset, [entries], 0, [0] * self.ruleset.turns)
        key = view, rules_of.holds_joker(self.ruleset, entries)
        if key not in self.known:
            self.known[key] = self.follow(view, state)
        filled, lost, throws = self.known[key]
        for decision, loss in lost.items():
            self.lost[decision] += weight * loss
        self.throws += weight * throws
        found: dict[State, float] = defaultdict(float)
        for (roll, category), share in filled.items():
            found[entered(self.ruleset, state, category, roll)[0]] += share
        return list(found.items())

    def follow(self, view: rules_of.View, state: State) -> Turn:
        ruleset, values = self.ruleset, best_values(self.ruleset, state)
        going = {roll: ways / 7776 for roll, ways in ROLLS.items()}
        ended: dict[Dice, float] = defaultdict(float)
        lost: dict[str, float] = defaultdict(float)
        throws = 1.0
        for throw in range(ruleset.throws - 1):
            held: dict[Dice, float] = defaultdict(float)
            for roll, chance in going.items():
                keeps = self.decider.keeps(view, roll, ruleset.throws - 1 - throw)
                for kept in keeps:
                    share = chance / len(keeps)
                    stays = len(kept) == 5
                    reached = values[-1][roll] if stays else mean(values[throw + 1], kept)
                    lost[f"keep {throw + 1}"] += share * (values[throw][roll] - reached)
                    (ended if stays else held)[kept] += share
            throws += sum(held.values())
            going = defaultdict(float)
            for kept, chance in held.items():
                for roll, likely in outcomes(kept).items():
                    going[roll] += chance * likely
        for roll, chance in going.items():
            ended[roll] += chance
        filled: dict[tuple[Dice, int], float] = defaultdict(float)
        for roll, chance in ended.items():
            chosen = self.decider.categories(view, roll)
            for category in chosen:
                sheet, gained = entered(ruleset, state, category, roll)
                lost["category"] += (
                    chance / len(chosen) * (values[-1][roll] - gained - best_mean(ruleset, sheet))
                )
                filled[roll, category] += chance / len(chosen)
        return filled, lost, throws

    def scores(self) -> dict[int, float]:
        found: dict[int, float] = defaultdict(float)
        for (entries, jokers), chance in self.law.items():
            found[rules_of.total_of(self.ruleset, dict(entries), jokers)] += chance
        return found

    def category(self, index: int) -> tuple[float, float]:
        points = [(dict(entries)[index], chance) for (entries, _), chance in self.law.items()]
        return sum(p * c for p, c in points), sum(c for p, c in points if p == 0)


def entered(ruleset: CheerioRuleset, state: State, category: int, roll: Dice) -> tuple[State, int]:
    entries, jokers = dict(state[0]), state[1]
    still_open = rules_of.open_on(ruleset, entries)
    extra = rules_of.is_joker(ruleset, still_open, roll) and rules_of.holds_joker(ruleset, entries)
    before = rules_of.total_of(ruleset, entries, jokers)
    entries[category] = rules_of.pays_on(ruleset, still_open, category, roll)
    following = tuple(sorted(entries.items())), jokers + int(extra)
    return following, rules_of.total_of(ruleset, entries, following[1]) - before


def mean(values: dict[Dice, float], kept: Dice) -> float:
    return sum(chance * values[roll] for roll, chance in outcomes(kept).items())


def best_values(ruleset: CheerioRuleset, state: State) -> list[dict[Dice, float]]:
    """The value of each roll after each throw, that after the last being the best entry."""
    # A sheet's total is no part of what it still brings.
    entries, _ = state
    upper = min(rules_of.upper_subtotal(ruleset, dict(entries)), ruleset.bonus.threshold)
    still_open = rules_of.open_on(ruleset, dict(entries))
    return _best_values(ruleset, still_open, upper, rules_of.holds_joker(ruleset, dict(entries)), state)


_known: dict[tuple[object, ...], list[dict[Dice, float]]] = {}
_means: dict[int, float] = {}


def _best_values(
    ruleset: CheerioRuleset, still_open: tuple[int, ...], upper: int, held: bool, state: State
) -> list[dict[Dice, float]]:
    key = ruleset.name, still_open, upper, held
    if key not in _known:
        last = {}
        for roll in ROLLS:
            allowed = rules_of.allowed_on(ruleset, still_open, roll)
            ends = [entered(ruleset, state, category, roll) for category in allowed]
            last[roll] = max(gained + best_mean(ruleset, following) for following, gained in ends)
        values = [last]
        for _ in range(ruleset.throws - 1):
            means = {kept: mean(values[0], kept) for kept in SHORT}
            values.insert(0, {roll: max(last[roll], *(means[k] for k in KEEPS[roll])) for roll in ROLLS})
        _known[key] = values
    return _known[key]


def best_mean(ruleset: CheerioRuleset, state: State) -> float:
    if len(state[0]) == ruleset.turns:
        return 0.0
    first = best_values(ruleset, state)[0]
    if id(first) not in _means:
        _means[id(first)] = sum(ways / 7776 * first[roll] for roll, ways in ROLLS.items())
    return _means[id(first)]


@pytest.mark.parametrize(
    ("ruleset", "played"),
    [
        (BONUS, player(Climbing, "upper")),
        (BONUS, player(Climbing, "pace", "turns_left")),
        (FORCED, player(Tossing)),
        (JOKER, player(Climbing, "joker")),
        (JOKER, get_player("optimal")),
        (SINGLE, player(Climbing, "upper")),
    ],
    ids=lambda case: getattr(case, "name", None) or case.label,
)
def test_law_and_regret_are_those_of_the_slow_way(ruleset: CheerioRuleset, played: Player) -> None:
    slow = Slow(ruleset, build_decider(played, ruleset))
    slow.play()
    found = evaluate(played, ruleset, regret=True)
    scores = {score: chance for score, chance in slow.scores().items() if chance}
    assert dict(found.scores.items()) == pytest.approx(scores, abs=1e-13)
    assert found.throws_mean == pytest.approx(slow.throws, abs=1e-12)
    for index, category in enumerate(found.categories):
        assert (category.mean, category.zero_rate) == pytest.approx(slow.category(index), abs=1e-12)
    if ruleset is BONUS:
        reached = [c for (e, _), c in slow.law.items() if rules_of.bonus_of(ruleset, dict(e))]
        assert found.bonus_rate == pytest.approx(sum(reached), abs=1e-13)
    if ruleset is JOKER:
        jokers = sum(jokers * chance for (_, jokers), chance in slow.law.items())
        assert jokers > 0
        assert found.jokers_mean == pytest.approx(jokers, abs=1e-15)
    regret = found.regret
    assert regret is not None
    assert regret.best_mean == pytest.approx(best_mean(ruleset, ((), 0)), abs=1e-11)
    names = [*(f"keep {throw}" for throw in range(1, ruleset.throws)), "category"]
    assert regret.by_decision == pytest.approx({name: slow.lost[name] for name in names}, abs=1e-10)
    assert regret.by_turn == pytest.approx(slow.lost_in_turn, abs=1e-10)
    assert sum(regret.by_category.values()) == pytest.approx(regret.total, abs=1e-10)
    assert regret.best_mean - found.scores.mean == pytest.approx(regret.total, abs=1e-10)


@pytest.mark.parametrize("words", ["optimal", "par", "upper-first", "nets"])
def test_what_is_given_away_is_what_the_mean_falls_short_by(words: str) -> None:
    ruleset = load_cheerio("cheerio")
    found = evaluate(get_player(words), ruleset, regret=True)
    regret = found.regret
    assert regret is not None
    assert regret.best_mean == build_valuation(ruleset).start == pytest.approx(200.0629492384, abs=1e-9)
    assert found.scores.mean == pytest.approx(regret.best_mean - regret.total, abs=1e-9)
    assert found.scores.chances.sum() == pytest.approx(1, abs=1e-12)
    if words == "optimal":
        assert regret.total == pytest.approx(0, abs=1e-9)
        assert not regret.costly
    else:
        assert len(regret.costly) == 10
        assert [told.cost for told in regret.costly] == sorted((t.cost for t in regret.costly), reverse=True)
        assert all(told.cost == pytest.approx(told.times * told.loss) for told in regret.costly)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "name", "low", "high"),
    [
        ("greedy", "cheerio-bonus", 185.12, 185.16),
        ("optimal", "cheerio-bonus", 213.7110401060 - 1e-9, 213.7110401061 + 1e-9),
    ],
)
def test_known_means(words: str, name: str, low: float, high: float) -> None:
    found = evaluate(get_player(words), load_cheerio(name))
    assert low <= found.scores.mean <= high


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("greedy", "cheerio-bonus"),
        ("par", "cheerio-web"),
        pytest.param("par", "yahtzee", marks=pytest.mark.slow),
    ],
)
def test_played_games_agree_with_the_law(words: str, name: str) -> None:
    """By the kernel, with a fixed seed: mean, sd and three places of the law within 5 standard errors."""
    ruleset, deals = load_cheerio(name), 200_000
    played = get_player(words)
    rows = make_rows(played, ruleset, RowMaker(played, ruleset).whole_contexts())
    found = evaluate(played, ruleset, whole=rows)
    tables = LineupTables(get_lineup([words]), ruleset, {words: rows})
    scores = play_deals(build_rules(ruleset), tables, 1, 0, 3, 0, deals).score[0].astype(float)
    law = found.scores
    assert abs(scores.mean() - law.mean) < 5 * law.sd / sqrt(deals)
    fourth = sum(chance * (score - law.mean) ** 4 for score, chance in law.items())
    assert abs(scores.var() - law.sd**2) < 5 * sqrt((fourth - law.sd**4) / deals)
    for score in (law.mean - 1.6 * law.sd, law.mean, law.mean + 1.6 * law.sd):
        chance = sum(c for s, c in law.items() if s <= score)
        assert abs((scores <= score).mean() - chance) < 5 * sqrt(chance * (1 - chance) / deals)


@pytest.mark.parametrize(
    ("words", "name", "why"),
    [
        ("flat", "ceelo-bank", "ceelo-bank is a ruleset of ceelo, and scoresheets alone"),
        ("flat", "cheerio", "flat plays ceelo, and cheerio is a ruleset of cheerio"),
        ("greedy", "cheerio-cutthroat", "has steals, by which a sheet depends on the others"),
        ("greedy", "cheerio-speed", "against the clock"),
    ],
)
def test_what_has_no_exact_law_says_why(words: str, name: str, why: str) -> None:
    ruleset = load_ruleset(name)
    assert why in str(why_not_exact(get_player(words), ruleset))


def test_a_strategy_that_watches_its_rival_has_no_exact_law() -> None:
    watching = player(Climbing, "upper", "standing", "rival_open")
    assert str(why_not_exact(watching, BONUS)).startswith(
        "Climbing sees standing, rival_open, which depend on"
    )
    with pytest.raises(StrategyError, match="it can be simulated"):
        evaluate(watching, BONUS)
    assert why_not_exact(player(Climbing, "upper"), BONUS) is None


def test_mistakes_are_told_with_what_would_be_better() -> None:
    regret = evaluate(get_player("greedy"), load_cheerio("cheerio"), regret=True).regret
    assert regret is not None
    told = [mistake.words for mistake in regret.costly]
    assert "filled Chance with 5-6-6-6-6; better Four of a Kind" in told
    assert any(words.startswith("kept 6 from 1-2-3-4-6 after throw 1 with") for words in told)


def test_the_open_category_that_makes_a_mistake_costly_is_told() -> None:
    regret = evaluate(get_player("sets"), load_cheerio("cheerio"), regret=True).regret
    assert regret is not None
    told = [mistake.words for mistake in regret.costly]
    # It breaks up what a straight is made of.
    assert "kept 6 from 2-3-4-5-6 after throw 1 with High Straight open; better all five" in told
    assert "kept 5-5 from 2-3-4-5-5 after throw 1 with High Straight open; better 2-3-4-5" in told
    assert "kept 6 from 1-3-4-5-6 after throw 1 with Low Straight open; better 1-3-4-5" in told


def test_a_law_has_moments() -> None:
    law = ScoreLaw(10, np.array([0.25, 0.0, 0.5, 0.25]))
    assert list(law.items()) == [(10, 0.25), (12, 0.5), (13, 0.25)]
    assert (law.mean, law.sd) == (11.75, pytest.approx(sqrt(1.1875)))
