"""What may be done with a roll, against a solver in plain Python that knows no table of ours but the rules."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache
from itertools import product

import pytest

from sim.cheerio_ruleset import CheerioRuleset, load_cheerio, validate_cheerio
from sim.dice import KEEPS, ROLL_INDEX, ROLLS, masked_dice
from sim.reference_sheet import allowed_on, pays_on
from sim.views import masked_categories, open_mask
from strategies.lineup import get_player
from strategies.options import Entry, Option, barred_reasons, build_turn_options, decided_options
from strategies.strategy import StrategyError
from strategies.valuation import build_valuation

Dice = tuple[int, ...]
Sheet = tuple[tuple[int, ...], int, int]
OUTCOMES = {
    keep: Counter(tuple(sorted(keep + dice)) for dice in product(range(1, 7), repeat=5 - len(keep)))
    for keep in KEEPS
}
KEEPS_OF = {dice: {masked_dice(roll, mask) for mask in range(32)} for roll, dice in enumerate(ROLLS)}
TIE = 1e-9
SIXES = {"name": "Sixes", "pattern": {"face": 6}, "pays": "matched dice", "upper": True}
FIVE = {"name": "Five Alike", "pattern": {"alike": 5}, "pays": 50}
PAIRS = {"name": "House", "pattern": {"groups": [3, 2]}, "pays": 25}
TWOS = {"name": "Twos", "pattern": {"face": 2}, "pays": "matched dice", "upper": True}


def tiny(**rules) -> CheerioRuleset:
    shared = {"name": "tiny", "title": "Tiny", "game": "cheerio", "players": [1, 2]}
    return validate_cheerio(shared | rules, "tiny")


RULESETS = {
    "bonus": tiny(categories={"twos": TWOS, "sixes": SIXES}, bonus={"threshold": 16, "points": 35}),
    "joker": tiny(
        throws=2,
        scratch="forced",
        categories={"sixes": SIXES, "five": FIVE, "house": PAIRS},
        joker={"category": "five", "points": 100, "fits": ["house"]},
        bonus={"threshold": 12, "points": 20},
    ),
}


class Slow:
    """Plays perfectly by trying everything; a sheet is its open categories, its upper subtotal and the joker held."""

    def __init__(self, ruleset: CheerioRuleset) -> None:
        self.ruleset = ruleset
        self.rules = list(ruleset.categories.values())
        self.value = cache(self._value)
        self.kept = cache(self._kept)
        self.entered = cache(self._entered)
        self.best = cache(self._best)
        self.ends = cache(self._ends)

    def points(self, sheet: Sheet, category: int, dice: Dice) -> int:
        opened, _, held = sheet
        extra = self.ruleset.joker.points if self.ruleset.joker and held and len(set(dice)) == 1 else 0
        return pays_on(self.ruleset, opened, category, dice) + extra

    def _entered(self, sheet: Sheet, category: int, dice: Dice) -> float:
        opened, upper, held = sheet
        pays = pays_on(self.ruleset, opened, category, dice)
        upper += pays if self.rules[category].upper else 0
        joker = self.ruleset.joker
        if joker and list(self.ruleset.categories)[category] == joker.category:
            held = int(pays > 0)
        rest = tuple(other for other in opened if other != category)
        return self.points(sheet, category, dice) + self.value((rest, upper, held))

    def choice(self, sheet: Sheet, dice: Dice) -> int:
        worths = {c: self.entered(sheet, c, dice) for c in allowed_on(self.ruleset, sheet[0], dice)}
        return max(c for c, worth in worths.items() if worth > max(worths.values()) - TIE)

    def _best(self, sheet: Sheet, dice: Dice, left: int) -> Dice:
        """What is kept while throws are left: of equals the most dice."""
        means = {keep: self.kept(sheet, keep, left) for keep in KEEPS_OF[dice]}
        least = max(means.values()) - TIE
        return max((keep for keep, mean in means.items() if mean > least), key=len)

    def rolled(self, sheet: Sheet, dice: Dice, left: int) -> float:
        if left:
            return self.kept(sheet, self.best(sheet, dice, left), left)
        return self.entered(sheet, self.choice(sheet, dice), dice)

    def _kept(self, sheet: Sheet, keep: Dice, left: int) -> float:
        """The mean after a keep with so many throws left, of which the next is made at once."""
        if len(keep) == 5:
            return self.entered(sheet, self.choice(sheet, keep), keep)
        ways = OUTCOMES[keep]
        return sum(n * self.rolled(sheet, dice, left - 1) for dice, n in ways.items()) / ways.total()

    def _value(self, sheet: Sheet) -> float:
        if sheet[0]:
            return self.kept(sheet, (), self.ruleset.throws)
        bonus = self.ruleset.bonus
        return bonus.points if sheet[1] >= bonus.threshold else 0

    def _ends(self, sheet: Sheet, keep: Dice, left: int) -> dict[Dice, float]:
        """How likely each last roll is after a keep."""
        if len(keep) == 5:
            return {keep: 1.0}
        ends: dict[Dice, float] = defaultdict(float)
        ways = OUTCOMES[keep]
        for dice, n in ways.items():
            following = self.best(sheet, dice, left - 1) if left > 1 else dice
            for last, chance in self.ends(sheet, following, left - 1).items():
                ends[last] += chance * n / ways.total()
        return ends


SLOW = {name: Slow(ruleset) for name, ruleset in RULESETS.items()}


@pytest.mark.parametrize(
    ("name", "sheet"),
    [
        ("bonus", ((0, 1), 0, 0)),
        ("bonus", ((0,), 12, 0)),
        ("joker", ((0, 2), 0, 1)),
        ("joker", ((0, 1), 0, 0)),
    ],
)
def test_options_are_those_of_a_player_who_tries_everything(name, sheet):
    ruleset = RULESETS[name]
    slow = SLOW[name]
    views = {"open": open_mask(sheet[0]), "upper": sheet[1], "joker": sheet[2]}
    turn = build_turn_options(build_valuation(ruleset), views)
    assert turn.start().rest == pytest.approx(slow.value(sheet), abs=1e-9)
    for roll in (*range(0, len(ROLLS), 41), 251):
        dice = ROLLS[roll]
        for left in range(ruleset.throws):
            ranked = turn.ranked(roll, left)
            answers = {option.answer for option in ranked}
            assert len(answers) == len(ranked)
            if left:
                means = {masked_dice(roll, o.answer): o.rest for o in ranked}
                assert means.keys() == KEEPS_OF[dice]
                assert means == pytest.approx(
                    {keep: slow.kept(sheet, keep, left) for keep in means}, abs=1e-9
                )
                assert masked_dice(roll, ranked[0].answer) == slow.best(sheet, dice, left)
            else:
                assert answers == set(allowed_on(ruleset, sheet[0], dice))
                assert ranked[0].answer == slow.choice(sheet, dice)
                for option in ranked:
                    assert option.rest == pytest.approx(slow.entered(sheet, option.answer, dice), abs=1e-9)
                    assert option.turn == slow.points(sheet, option.answer, dice)
            rests = [option.rest for option in ranked]
            assert rests == pytest.approx(sorted(rests, reverse=True), abs=TIE)
            assert [o.loss for o in ranked] == pytest.approx([max(rests) - rest for rest in rests], abs=1e-12)


@pytest.mark.parametrize(("name", "sheet"), [("bonus", ((0, 1), 0, 0)), ("joker", ((0, 2), 0, 1))])
def test_what_a_turn_comes_to_is_what_following_the_best_play_leads_to(name, sheet):
    ruleset = RULESETS[name]
    slow = SLOW[name]
    views = {"open": open_mask(sheet[0]), "upper": sheet[1], "joker": sheet[2]}
    turn = build_turn_options(build_valuation(ruleset), views)
    roll = ROLL_INDEX[(2, 2, 6, 6, 6)]
    cases: list[tuple[Option, Dice, int]] = [(turn.start(), (), ruleset.throws)]
    for left in range(1, ruleset.throws):
        cases += [(option, masked_dice(roll, option.answer), left) for option in turn.ranked(roll, left)]
    for option, keep, left in cases:
        chances, points = defaultdict[int, float](float), defaultdict[int, float](float)
        for dice, chance in slow.ends(sheet, keep, left).items():
            category = slow.choice(sheet, dice)
            chances[category] += chance
            points[category] += chance * slow.points(sheet, category, dice)
        assert option.turn == pytest.approx(sum(points.values()), abs=1e-9)
        assert {entry.category: entry.chance for entry in option.entries} == pytest.approx(
            dict(chances), abs=1e-9
        )
        for entry in option.entries:
            assert entry.points * entry.chance == pytest.approx(points[entry.category], abs=1e-9)
        assert option.aim is not None
        assert points[option.aim.category] == pytest.approx(max(points.values()))
        assert [e.chance for e in option.entries] == sorted((e.chance for e in option.entries), reverse=True)


def test_nothing_is_aimed_at_where_no_points_are_to_be_had():
    paid = Entry(3, 1.0, 2.0)
    assert Option(0, 1.0, 0.0, 0.0, (Entry(3, 1.0, 0.0),)).aim is None
    assert Option(0, 1.0, 0.0, 2.0, (paid,)).aim is paid


def test_what_the_rules_forbid_is_told_with_the_rule():
    ruleset = RULESETS["joker"]
    valuation = build_valuation(ruleset)
    sheet = build_turn_options(valuation, {"open": 0b101, "upper": 0, "joker": 1}).sheet
    assert barred_reasons(sheet, ROLL_INDEX[(6, 6, 6, 6, 6)]) == {
        2: "five alike are a joker, which has to be entered in Sixes"
    }
    assert barred_reasons(sheet, ROLL_INDEX[(1, 2, 3, 4, 6)])[2].startswith("a category that pays has")
    assert barred_reasons(sheet, ROLL_INDEX[(1, 1, 2, 3, 4)]) == {}


@pytest.mark.parametrize("label", ["par", "greedy:upper=0.5", "optimal"])
@pytest.mark.parametrize("left", [0, 1, 2])
def test_a_strategy_s_decision_is_that_of_its_plan(label, left):
    ruleset = load_cheerio("cheerio-bonus")
    player = get_player(label)
    views = {"open": 0b1010100101010, "upper": 21}
    roll = ROLL_INDEX[(2, 3, 4, 5, 5)]
    decided = decided_options(player, ruleset, views, roll, left)
    assert list(decided.values()) == [1.0]
    best = build_turn_options(build_valuation(ruleset), views).ranked(roll, left)[0]
    if label == "optimal":
        assert list(decided) == [best.answer]
    elif not left:
        assert next(iter(decided)) in masked_categories(views["open"])


def test_a_strategy_that_mixes_has_a_chance_for_each_option():
    ruleset = load_cheerio("cheerio")
    views = {"open": 0b10100000001}
    decided = decided_options(get_player("random"), ruleset, views, 17, 0)
    assert decided == pytest.approx(dict.fromkeys((0, 8, 10), 1 / 3))
    kept = decided_options(get_player("random"), ruleset, views, ROLL_INDEX[(1, 1, 1, 1, 2)], 1)
    assert kept == pytest.approx(dict.fromkeys(kept, 1 / 10))
    assert len(kept) == 10


def test_a_strategy_that_answers_in_two_ways_is_told(tmp_path):
    file = tmp_path / "torn.py"
    file.write_text(
        "from strategies import Strategy\n\n"
        "class Torn(Strategy):\n"
        '    """Keeps more each time."""\n'
        "    asked = 0\n"
        "    def keep(self, dice, sheet, rolls_left):\n"
        "        type(self).asked += 1\n"
        "        return dice[: type(self).asked % 5]\n"
        "    def choose(self, dice, sheet):\n"
        "        return sheet.open[0]\n"
    )
    with pytest.raises(StrategyError, match="same question in different ways"):
        decided_options(get_player(f"{file}:Torn"), load_cheerio("cheerio"), {"open": 3}, 9, 1)
