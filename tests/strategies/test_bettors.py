"""Every shipped bettor: situations and the stakes that its rule asks for, worked out by hand."""

from __future__ import annotations

import math
from decimal import ROUND_FLOOR, Decimal

import numpy as np
import pytest

from sim.ceelo.ruleset import CeeloRuleset, load_ceelo, validate_ceelo
from sim.ceelo.views import VIEWS
from sim.ruleset import shipped_rulesets
from strategies.contract import check_strategy
from strategies.lineup import get_player, shipped_strategies
from strategies.stake_trial import StakeTrial
from strategies.stakes import StakeMaker
from strategies.strategy import StrategyError

BANK = load_ceelo("ceelo-bank")
SHIPPED = shipped_strategies("ceelo")


def changed(**changes: object) -> CeeloRuleset:
    return validate_ceelo(BANK.model_dump(mode="json") | {"name": "changed", **changes}, "changed")


#: Nothing that is a round number, stakes that are nearly fixed, few chips, and the most of everything.
ODD = changed(chips=37, stake={"minimum": 3, "maximum": 11}, rounds=9)
NARROW = changed(stake={"minimum": 6, "maximum": 7})
POOR = changed(chips=1, stake={"minimum": 1, "maximum": 2}, players=[2])
RICH = changed(chips=5000, stake={"minimum": 1, "maximum": 5000}, rounds=250)

STAKES: list[tuple[str, dict[str, int], int]] = [
    ("flat", {}, 5),
    ("flat:stake=12", {}, 12),
    ("flat:stake=21", {}, 20),
    ("timid", {}, 1),
    ("bold", {}, 20),
    # Doubled for each lost bet in a row; a push changes neither streak nor stake.
    ("martingale", {"streak": 0}, 1),
    ("martingale", {"streak": -1}, 2),
    ("martingale", {"streak": -4}, 16),
    ("martingale", {"streak": -5}, 20),
    ("martingale", {"streak": -10}, 20),
    ("martingale", {"streak": 1}, 1),
    ("martingale", {"streak": 10}, 1),
    ("martingale:stake=3", {"streak": -2}, 12),
    ("martingale:stake=99", {"streak": 3}, 20),
    # 5, 10, 20 and again from the start.
    ("paroli", {"streak": 0}, 5),
    ("paroli", {"streak": 1}, 10),
    ("paroli", {"streak": 2}, 20),
    ("paroli", {"streak": 3}, 5),
    ("paroli", {"streak": 4}, 10),
    ("paroli", {"streak": 9}, 5),
    ("paroli", {"streak": 10}, 10),
    ("paroli", {"streak": -1}, 5),
    ("paroli:wins=2:stake=4", {"streak": 1}, 8),
    ("paroli:wins=2:stake=4", {"streak": 2}, 4),
    ("paroli:wins=1", {"streak": 1}, 5),
    ("paroli:wins=5:stake=1", {"streak": 4}, 16),
    ("paroli:wins=99:stake=1", {"streak": 10}, 20),
    # A share of the chips, parts of a chip left out.
    ("fraction", {"chips": 100}, 5),
    ("fraction", {"chips": 119}, 5),
    ("fraction", {"chips": 120}, 6),
    ("fraction", {"chips": 7}, 1),
    ("fraction", {"chips": 599}, 20),
    ("fraction:share=0.29", {"chips": 50}, 14),
    ("fraction:share=0.07", {"chips": 100}, 7),
    ("fraction:share=1", {"chips": 13}, 13),
    ("fraction:share=1e-9", {"chips": 599}, 1),
    # Behind or level it stakes 5, with a lead of each size 1 from some round on.
    ("protect-lead", {"lead": -3, "rounds_left": 1}, 5),
    ("protect-lead", {"lead": 0, "rounds_left": 1}, 5),
    ("protect-lead", {"lead": 1, "rounds_left": 16}, 5),
    ("protect-lead", {"lead": 1, "rounds_left": 15}, 1),
    ("protect-lead", {"lead": 2, "rounds_left": 31}, 5),
    ("protect-lead", {"lead": 2, "rounds_left": 30}, 1),
    ("protect-lead", {"lead": 3, "rounds_left": 50}, 1),
    ("protect-lead:last=0", {"lead": 2, "rounds_left": 1}, 5),
    ("protect-lead:last=0", {"lead": 3, "rounds_left": 50}, 1),
    ("protect-lead:stake=8:last=5", {"lead": 2, "rounds_left": 11}, 8),
    ("protect-lead:stake=8:last=5", {"lead": 2, "rounds_left": 10}, 1),
    # It lacks up to 10, 50 or 100 chips.
    ("catch-up", {"lead": 0, "rounds_left": 1}, 1),
    ("catch-up", {"lead": 3, "rounds_left": 1}, 1),
    ("catch-up:stake=4", {"lead": 0, "rounds_left": 9}, 4),
    ("catch-up", {"lead": -1, "rounds_left": 50}, 2),  # 10 / 7.07
    ("catch-up:stake=4", {"lead": -1, "rounds_left": 50}, 4),
    ("catch-up", {"lead": -1, "rounds_left": 4}, 5),  # 10 / 2
    ("catch-up", {"lead": -1, "rounds_left": 1}, 10),
    ("catch-up", {"lead": -2, "rounds_left": 50}, 8),  # 50 / 7.07
    ("catch-up", {"lead": -2, "rounds_left": 25}, 10),
    ("catch-up", {"lead": -2, "rounds_left": 5}, 20),  # 22.4
    ("catch-up", {"lead": -3, "rounds_left": 49}, 15),  # 14.3
    ("catch-up", {"lead": -3, "rounds_left": 25}, 20),
]


def stake_of(words: str, views: dict[str, int], ruleset: CeeloRuleset = BANK) -> int:
    maker = StakeMaker(get_player(words), ruleset)
    shown = {view: np.array([value]) for view, value in views.items()}
    assert set(views) == set(maker.sees)
    return int(maker.make(maker.contexts(shown) if views else np.zeros(1, np.uint64))[0])


@pytest.mark.parametrize(("words", "views", "stake"), STAKES)
def test_a_bettor_stakes_as_its_rule_says(words: str, views: dict[str, int], stake: int) -> None:
    assert stake_of(words, views) == stake


def test_every_shipped_bettor_has_situations() -> None:
    assert set(SHIPPED) == {words.partition(":")[0] for words, _, _ in STAKES}
    assert len(SHIPPED) == 8


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_bettor_is_asked_whole_and_keeps_the_contract(
    name: str, request: pytest.FixtureRequest
) -> None:
    if name != "catch-up":
        request.getfixturevalue("asked_here")
    check = check_strategy(StakeTrial, get_player(name), BANK)
    assert check.problems == ()
    assert check.whole
    assert check.rule == get_player(name).rule
    assert 1 <= check.asked == min(check.contexts, 200)
    assert (check.offers, check.forfeits) == (0, 0)


@pytest.mark.parametrize("name", SHIPPED)
@pytest.mark.parametrize("ruleset", [*map(load_ceelo, shipped_rulesets("ceelo")), ODD, NARROW, POOR, RICH])
def test_every_shipped_bettor_stakes_what_is_allowed_under_all_rules(
    name: str, ruleset: CeeloRuleset
) -> None:
    maker = StakeMaker(get_player(name), ruleset)
    assert maker.whole
    contexts = maker.whole_contexts()
    stakes = maker.make(contexts, range(contexts.size)[-16:])
    if ruleset.bank == "none":
        assert stakes.size == 0
        return
    assert stakes.size
    assert stakes.min() >= ruleset.stake.minimum
    assert stakes.max() <= ruleset.stake.maximum


def test_the_doubled_stakes_of_a_long_streak_are_whole_numbers_still() -> None:
    assert stake_of("martingale", {"streak": -10}, RICH) == 1024
    assert stake_of("martingale:stake=9999999999999999999", {"streak": -10}, RICH) == 5000
    assert stake_of("paroli:stake=1:wins=99", {"streak": 10}, RICH) == 1024
    assert stake_of("paroli:wins=9999999999999999999:stake=7", {"streak": 2}, RICH) == 28


@pytest.mark.parametrize("share", ["0.05", "0.07", "0.1", "0.29", "0.333", "0.99", "1.0"])
def test_a_share_is_taken_as_it_is_written(share: str) -> None:
    maker = StakeMaker(get_player(f"fraction:share={share}"), RICH)
    chips = np.array([1, 3, 19, 20, 21, 50, 99, 100, 101, 700, 1000, 4999, 5000, 5001, 29_999])
    expected = [int((Decimal(share) * count).to_integral_value(ROUND_FLOOR)) for count in map(int, chips)]
    assert maker.make(maker.contexts({"chips": chips})).tolist() == [
        min(5000, max(1, stake)) for stake in expected
    ]


@pytest.mark.parametrize("ruleset", [BANK, ODD, RICH])
def test_to_catch_up_takes_the_least_stake_that_carries_so_far(ruleset: CeeloRuleset) -> None:
    lacking = {-1: ruleset.chips // 10, -2: ruleset.chips // 2, -3: ruleset.chips}
    maker = StakeMaker(get_player("catch-up"), ruleset)
    for lead, chips in lacking.items():
        left = np.arange(1, ruleset.rounds + 1)
        stakes = maker.make(maker.contexts({"lead": np.full(left.size, lead), "rounds_left": left}))
        for rounds, stake in zip(left.tolist(), stakes.tolist(), strict=True):
            # The least whole number whose square, times the rounds, is the square of the chips or more.
            least = math.isqrt((chips * chips - 1) // rounds) + 1
            assert stake == min(ruleset.stake.maximum, max(ruleset.stake.minimum, least))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("flat:stake=0", "strategy flat:stake=0: stake is 0; a whole number of 1 or more is needed"),
        ("martingale:stake=-1", "stake is -1; a whole number of 1 or more is needed"),
        ("paroli:stake=0", "stake is 0;"),
        ("paroli:wins=0", "wins is 0; a whole number of 1 or more is needed"),
        ("protect-lead:stake=0", "stake is 0;"),
        ("protect-lead:last=-1", "last is -1; a whole number of 0 or more is needed"),
        ("catch-up:stake=0", "stake is 0;"),
        ("fraction:share=0", "share is 0; a number above 0 and up to 1 is needed: 0.05 is 5 in 100"),
        ("fraction:share=1.01", "share is 1.01; a number above 0"),
        ("fraction:share=-0.5", "share is -0.5; a number above 0"),
        ("fraction:share=nan", "share is 'nan'; a finite number is needed"),
        ("flat:stake=2.5", "stake is '2.5'; a whole number is needed"),
        ("flat:steak=5", "'steak=5' sets no parameter of it; did you mean stake=...?"),
        ("timid:stake=5", "'stake=5' sets no parameter of it; it has no parameters"),
        ("flat:zzz=5", "'zzz=5' sets no parameter of it; its parameters are stake"),
        (
            "flat:steal=never",
            "its parameters are stake; steal is said of strategies of Cheerio alone",
        ),
        ("bold:pace=2", "it has no parameters; pace is said of strategies of Cheerio alone"),
        ("bold:pace", "it has no parameters; pace is said of strategies of Cheerio alone"),
        ("flatt", "no strategy is named 'flatt': did you mean flat?"),
        ("catchup", "did you mean catch-up?"),
    ],
)
def test_words_that_name_no_bettor_are_refused(words: str, expected: str) -> None:
    with pytest.raises(StrategyError) as raised:
        get_player(words)
    assert expected in str(raised.value)
    assert "every strategy takes" not in str(raised.value)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_bettor_says_what_it_is(name: str) -> None:
    player = get_player(name)
    assert player.game == "ceelo"
    assert set(player.sees) <= set(VIEWS)
    assert player.manner.said == {}
    assert player.rule[0].isupper()


def test_the_strategies_of_each_game_are_told_apart() -> None:
    assert (
        *("flat", "timid", "bold", "martingale", "paroli", "fraction", "protect-lead", "catch-up"),
    ) == SHIPPED
    assert "greedy" in shipped_strategies("cheerio")
    assert set(SHIPPED).isdisjoint(shipped_strategies("cheerio"))


def test_the_digest_tells_bettors_and_their_parameters_apart() -> None:
    words = ("flat", "flat:stake=6", "timid", "bold", "catch-up")
    assert len({get_player(entry).source.digest for entry in words}) == len(words)
    assert get_player("flat:stake=6").source.digest == get_player("flat: stake = 6").source.digest
