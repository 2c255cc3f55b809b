"""Each piece of advice on either base: what it decides in a situation, and that it changes nothing else."""

from __future__ import annotations

import itertools
import math
from functools import lru_cache

import numpy as np
import pytest

from sim.cheerio_ruleset import CheerioRuleset, load_cheerio
from sim.dice import DICE, ROLL_INDEX, ROLL_MASKS, ROLLS, masked_dice
from sim.views import open_mask, views_context
from strategies.advice import BASES, base_strategy
from strategies.lineup import get_player
from strategies.lookahead import Worths
from strategies.rows import RowMaker, pack_plans
from strategies.samples import sample_contexts
from strategies.strategy import Plan, Scoresheet, Sheet, StrategyError, build_scoresheet
from strategies.tip_commit import WHOLE_ROLL

TIPS = ("tip-low", "tip-bonus", "tip-nets", "tip-commit", "tip-rival")
CHEERIO, BONUS = load_cheerio("cheerio"), load_cheerio("cheerio-bonus")
ALL = tuple(CHEERIO.categories)
LOW, NETS, ALIKE = {0, 1}, {6, 12}, {6, 7, 11}
HARD = ("four-of-a-kind", "full-house", "low-straight", "high-straight", "cheerio")
#: Sheets of every kind, by the indices of their open categories.
SHEETS = (
    tuple(range(13)),
    (0, 3, 6, 8, 12),
    (1, 4, 9, 11),
    (2, 5, 7, 10),
    (0, 1),
    (6, 12),
    (8, 9, 10),
)
either_base = pytest.mark.parametrize("base", BASES)


def indices(opened: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(ALL.index(key) for key in opened)


@lru_cache(maxsize=64)
def maker_of(words: str, ruleset: CheerioRuleset) -> RowMaker:
    return RowMaker(get_player(words), ruleset)


@lru_cache(maxsize=256)
def plan_of(words: str, opened: tuple[int, ...], ruleset: CheerioRuleset, **views: int) -> Plan:
    maker = maker_of(words, ruleset)
    shown = {"open": open_mask(opened), "upper": 0, "standing": 0, "rival_open": 0, **views}
    context = views_context(ruleset, maker.sees, {view: shown[view] for view in maker.sees})
    return maker.make([context])[0]


def same(one: Plan, other: Plan) -> bool:
    return np.array_equal(one.keeps, other.keeps) and np.array_equal(one.choices, other.choices)


CHOICES: list[tuple[str, tuple[int, ...], tuple[str, ...], str, str]] = [
    # A zero in Cheerio costs both bases less than one in Twos; advice, the dice, what is open, without, with.
    ("tip-low", (3, 3, 4, 4, 6), ("twos", "cheerio"), "cheerio", "twos"),
    ("tip-low", (1, 3, 4, 5, 6), ("twos", "threes"), "threes", "twos"),
    ("tip-low:poor=3", (1, 3, 4, 5, 6), ("twos", "threes"), "threes", "threes"),
    ("tip-low", (1, 3, 3, 5, 6), ("twos", "threes"), "threes", "threes"),
    ("tip-nets", (4, 4, 4, 6, 6), ("threes", "three-of-a-kind"), "three-of-a-kind", "three-of-a-kind"),
    ("tip-nets", (2, 3, 4, 6, 6), ("sixes", "chance"), "sixes", "sixes"),
    ("tip-nets", (2, 5, 5, 6, 6), ("fours", "chance"), "chance", "chance"),
    ("tip-nets", (4, 4, 5, 5, 6), ("fours", "chance"), "chance", "fours"),
    ("tip-commit", (2, 3, 4, 5, 6), ("fives", "high-straight"), "high-straight", "high-straight"),
]
KEEPS: list[tuple[str, tuple[int, ...], int, tuple[str, ...], tuple[int, ...], tuple[int, ...]]] = [
    # Four in a row with a pair: the advice gives them up for the pair; so it does with two pairs.
    ("tip-commit", (2, 3, 4, 5, 5), 2, ("high-straight", "cheerio"), (2, 3, 4, 5), (5, 5)),
    ("tip-commit", (2, 2, 5, 5, 6), 1, ("full-house", "four-of-a-kind"), (2, 2, 5, 5), (5, 5)),
    ("tip-commit", (2, 3, 4, 5, 6), 2, ("high-straight", "cheerio"), (2, 3, 4, 5, 6), (2, 3, 4, 5, 6)),
    ("tip-commit", (3, 3, 3, 5, 5), 2, ("full-house", "cheerio"), (3, 3, 3, 5, 5), (3, 3, 3, 5, 5)),
    ("tip-commit", (1, 3, 4, 5, 6), 2, ("high-straight", "cheerio"), (3, 4, 5, 6), (3, 4, 5, 6)),
    ("tip-commit:most=0", (2, 3, 4, 5, 5), 2, ("high-straight", "cheerio"), (2, 3, 4, 5), (2, 3, 4, 5)),
]


@either_base
@pytest.mark.parametrize(("words", "dice", "opened", "without", "advised"), CHOICES)
def test_what_is_filled(
    base: str, words: str, dice: tuple[int, ...], opened: tuple[str, ...], without: str, advised: str
) -> None:
    for player, expected in ((base, without), (f"{words}:base={base}", advised)):
        choice = plan_of(player, indices(opened), CHEERIO).choices[ROLL_INDEX[dice]]
        assert ALL[int(choice)] == expected, player


@either_base
@pytest.mark.parametrize(("words", "dice", "left", "opened", "without", "advised"), KEEPS)
def test_what_is_kept(
    base: str,
    words: str,
    dice: tuple[int, ...],
    left: int,
    opened: tuple[str, ...],
    without: tuple[int, ...],
    advised: tuple[int, ...],
) -> None:
    roll = ROLL_INDEX[dice]
    for player, expected in ((base, without), (f"{words}:base={base}", advised)):
        mask = plan_of(player, indices(opened), CHEERIO).keeps[CHEERIO.throws - 1 - left, roll]
        assert masked_dice(roll, int(mask)) == expected, player


@either_base
@pytest.mark.parametrize("opened", SHEETS)
def test_a_poor_roll_goes_low_and_no_other_entry_changes(base: str, opened: tuple[int, ...]) -> None:
    without, advised = plan_of(base, opened, CHEERIO), plan_of(f"tip-low:base={base}", opened, CHEERIO)
    points = build_scoresheet(CHEERIO).points
    if not LOW & set(opened):
        assert same(without, advised)
        return
    for roll in range(len(ROLLS)):
        before, after = int(without.choices[roll]), int(advised.choices[roll])
        assert after in LOW or points[after, roll] >= 5
        assert after == before or (before not in LOW and points[before, roll] < 5)


@either_base
@pytest.mark.parametrize("opened", SHEETS)
def test_nets_are_kept_open_and_no_other_entry_changes(base: str, opened: tuple[int, ...]) -> None:
    without, advised = plan_of(base, opened, CHEERIO), plan_of(f"tip-nets:base={base}", opened, CHEERIO)
    if not NETS & set(opened) or NETS.issuperset(opened):
        assert same(without, advised)
        return
    changed = without.choices != advised.choices
    assert changed.any()
    assert np.isin(without.choices[changed], list(NETS)).all()
    assert not np.isin(advised.choices[changed], list(NETS)).any()


@either_base
@pytest.mark.parametrize("opened", SHEETS)
def test_a_pair_chases_one_category_of_dice_alike(base: str, opened: tuple[int, ...]) -> None:
    without, advised = plan_of(base, opened, CHEERIO), plan_of(f"tip-commit:base={base}", opened, CHEERIO)
    assert np.array_equal(without.choices, advised.choices)
    # Whoever has but one category open plays for it alone.
    alone = [plan_of("greedy", (index,), CHEERIO).keeps for index in sorted(ALIKE & set(opened))]
    for throw, roll in np.ndindex(advised.keeps.shape):
        before, after = without.keeps[throw, roll], advised.keeps[throw, roll]
        if not alone or len(set(ROLLS[roll])) == DICE or before == WHOLE_ROLL:
            assert after == before
        else:
            assert any(after == keeps[throw, roll] for keeps in alone)


@either_base
@pytest.mark.parametrize(
    ("opened", "upper", "goes"),
    [
        (("ones", "sixes", "chance"), 63, False),
        (("ones", "sixes", "chance"), 62, True),
        # Four Ones and four Sixes make 28.
        (("ones", "sixes", "chance"), 35, True),
        (("ones", "sixes", "chance"), 34, False),
        (("chance", "cheerio"), 62, False),
    ],
)
def test_the_bonus_is_gone_for_while_it_is_in_sight(
    base: str, opened: tuple[str, ...], upper: int, goes: bool
) -> None:
    words = f"tip-bonus:pull=9:base={base}"
    without, advised = (plan_of(name, indices(opened), BONUS, upper=upper) for name in (base, words))
    assert same(without, advised) is not goes
    if goes:
        # Nine times 35/63 of a point for each above three Sixes, 18.
        roll = ROLL_INDEX[1, 6, 6, 6, 6]
        assert ALL[int(advised.choices[roll])] == "sixes"
        worths, sheet = base_worths(base, indices(opened))
        raised = worths.copy()
        raised[0] += 5 * (sheet.points[0] - 3)
        raised[5] += 5 * (sheet.points[5] - 18)
        best = raised[list(indices(opened))].max(axis=0)
        chosen = raised[advised.choices, np.arange(len(ROLLS))]
        assert chosen == pytest.approx(best, abs=1e-9)


@either_base
def test_without_a_bonus_there_is_nothing_to_go_for(base: str) -> None:
    assert all(
        same(plan_of(base, opened, CHEERIO), plan_of(f"tip-bonus:base={base}", opened, CHEERIO))
        for opened in SHEETS
    )


def base_worths(base: str, opened: tuple[int, ...]) -> tuple[Worths, Scoresheet]:
    scoresheet = build_scoresheet(BONUS)
    sheet = Sheet(scoresheet, ("open",), {"open": open_mask(opened)})
    return base_strategy(base).worths(sheet), scoresheet


def rolls_after(roll: int, mask: int) -> list[int]:
    """The rolls that one throw of the other dice can bring, in all cases."""
    kept = masked_dice(roll, mask)
    thrown = itertools.product(range(1, 7), repeat=DICE - len(kept))
    return [ROLL_INDEX[tuple(sorted((*kept, *dice)))] for dice in thrown]


@either_base
@pytest.mark.parametrize("words", ["tip-rival", "tip-rival:caution=0.2", "tip-rival:daring=0.1"])
@pytest.mark.parametrize("dice", [(2, 3, 4, 5, 5), (1, 1, 6, 6, 6), (2, 2, 3, 5, 6)])
def test_the_rival_decides_how_much_is_ventured(base: str, words: str, dice: tuple[int, ...]) -> None:
    opened, roll = indices(("fives", "high-straight", "chance")), ROLL_INDEX[dice]
    player = f"{words}:base={base}"
    parameters = maker_of(player, BONUS).player.parameters
    for standing in (1, -1):
        views = {"standing": standing, "rival_open": open_mask(indices(HARD[-1:]))}
        risk = -parameters["caution"] if standing > 0 else parameters["daring"]
        kept = int(plan_of(player, opened, BONUS, **views).keeps[-1, roll])
        if risk == 0:
            assert kept == plan_of(base, opened, BONUS).keeps[-1, roll]
            continue
        # The mean of -exp(-caution x points), or of exp(daring x points), over all that the throw can bring.
        gains = base_worths(base, opened)[0][list(opened)].max(axis=0).tolist()
        utility = {
            mask: math.copysign(1, risk) * sum(math.exp(risk * gains[after]) for after in found) / len(found)
            for mask in ROLL_MASKS[roll]
            for found in [rolls_after(roll, mask)]
        }
        assert utility[kept] == pytest.approx(max(utility.values()), rel=1e-9)


@either_base
@pytest.mark.parametrize("opened", SHEETS)
def test_without_a_rival_who_needs_something_hard_all_is_as_before(
    base: str, opened: tuple[int, ...]
) -> None:
    player = f"tip-rival:base={base}"
    without = plan_of(base, opened, BONUS)
    anything = open_mask(range(13))
    soft = anything - open_mask(indices(HARD))
    for standing, rival in [(2, soft), (1, soft), (0, anything), (-1, anything), (-2, anything), (2, 0)]:
        assert same(without, plan_of(player, opened, BONUS, standing=standing, rival_open=rival))
    for key in HARD:
        views = {"standing": 2, "rival_open": open_mask(indices((key,)))}
        advised = plan_of(player, opened, BONUS, **views)
        assert np.array_equal(without.choices, advised.choices)
        assert not np.array_equal(without.keeps, advised.keeps)


@either_base
@pytest.mark.parametrize(
    "words",
    ["tip-low:poor=0", "tip-bonus:pull=0", "tip-nets:price=0", "tip-commit:most=0", "tip-rival:caution=0"],
)
def test_advice_of_no_strength_is_the_base(base: str, words: str) -> None:
    views = {"upper": 30, "standing": 2, "rival_open": (1 << 13) - 1}
    for opened in SHEETS:
        assert same(plan_of(base, opened, BONUS), plan_of(f"{words}:base={base}", opened, BONUS, **views))


@either_base
@pytest.mark.parametrize("tip", TIPS)
def test_many_sheets_at_once_are_planned_as_one_by_one(base: str, tip: str) -> None:
    # With a bonus, and a joker whose category may hold points or a zero.
    ruleset = load_cheerio("yahtzee")
    maker = maker_of(f"{tip}:base={base}", ruleset)
    contexts = np.array(sample_contexts(maker.player, ruleset), np.uint64)
    together = maker.rows(contexts, None)
    some = slice(None, None, 5)
    assert np.array_equal(together[some], pack_plans(maker.make(contexts[some].tolist()), 3, None))


@pytest.mark.parametrize("tip", TIPS)
def test_a_wrong_base_or_strength_is_told(tip: str) -> None:
    with pytest.raises(
        StrategyError, match=r"base is 'lokahead' \(did you mean lookahead\?\); allowed: par, look"
    ):
        get_player(f"{tip}:base=lokahead")
    strengths = set(get_player(tip).parameters) - {"base"}
    for strength in strengths:
        with pytest.raises(
            StrategyError, match=f"{strength} is -1; 0 or more is needed, and 0 plays as the base"
        ):
            get_player(f"{tip}:{strength}=-1")
    assert strengths
