"""The questions of a steal: who is asked them, what a context of each shows, and answers that change."""

from __future__ import annotations

import re
from typing import Any, ClassVar

import pytest

from sim.cheerio_ruleset import CheerioRuleset, load_cheerio, validate_cheerio
from sim.lanes import FORFEIT, NEVER, OFFER, STEAL
from sim.views import views_context
from strategies.answers import AnswerMaker, offer_context
from strategies.lineup import Player, Source
from strategies.manner import Manner
from strategies.strategy import Category, Offer, Sheet, Strategy, StrategyError

OVERWRITE = load_cheerio("cheerio-cutthroat")
TAKE = load_cheerio("cheerio-cutthroat-take")
PLAIN = load_cheerio("cheerio")


class Thief(Strategy):
    """Steals when behind and it pays by as many points as there are turns left, and forfeits the last open one."""

    steal_sees: ClassVar[tuple[str, ...]] = ("standing", "turns_left")
    forfeit_sees: ClassVar[tuple[str, ...]] = ("open", "rival_open")

    def keep(self, dice: Any, sheet: Sheet, rolls_left: int) -> Any:
        return dice

    def choose(self, dice: Any, sheet: Sheet) -> Category:
        first: Category = sheet.open[0]
        return first

    def steal(self, offer: Offer, sheet: Sheet) -> bool:
        return bool(sheet.standing < 0 and offer.swing >= sheet.turns_left)

    def forfeit(self, sheet: Sheet) -> Category | str:
        last: Category = sheet.open[-1]
        return last if sheet.rival_open else "ones"


class Silent(Thief):
    """Is asked nothing of its own."""

    steal_sees = Strategy.steal_sees
    steal = None  # type: ignore[assignment]


def maker(
    kind: type[Strategy] = Thief, ruleset: CheerioRuleset = OVERWRITE, manner: Manner | None = None
) -> AnswerMaker:
    source = Source("thief", "", (), (), "thief", manner or Manner())
    return AnswerMaker(Player("thief", kind(), "Steals.", source), ruleset)


class Bare(Strategy):
    """Has neither."""


@pytest.mark.parametrize(
    ("kind", "ruleset", "manner", "asks_steal", "asks_forfeit", "threshold"),
    [
        (Thief, OVERWRITE, Manner(), True, True, 25),
        (Thief, TAKE, Manner(pace=700), True, True, 25),
        (Thief, PLAIN, Manner(), False, False, 25),
        # What the lineup says wins over what the strategy would answer.
        (Thief, TAKE, Manner(steal=NEVER), False, True, NEVER),
        (Thief, OVERWRITE, Manner(steal=-4), False, True, -4),
        (Bare, OVERWRITE, Manner(), False, False, 25),
        (Bare, OVERWRITE, Manner(steal=30), False, False, 30),
        (Silent, TAKE, Manner(), False, True, 25),
    ],
)
def test_who_is_asked(
    kind: type[Strategy],
    ruleset: CheerioRuleset,
    manner: Manner,
    asks_steal: bool,
    asks_forfeit: bool,
    threshold: int,
) -> None:
    questions = maker(kind, ruleset, manner)
    assert (questions.asks_steal, questions.asks_forfeit) == (asks_steal, asks_forfeit)
    assert questions.threshold == threshold
    assert (questions.steal_size > 0, questions.forfeit_size > 0) == (asks_steal, asks_forfeit)


def test_a_context_of_an_offer_holds_all_that_is_seen() -> None:
    questions = maker()
    assert questions.steal_sees == ("turns_left", "standing")
    assert questions.steal_strides.tolist() == [0, 0, 0, 1, 14, 0, 0, 0, 0]
    seen = []
    for category, gains, loses, turns_left, standing in (
        (0, -OFFER, OFFER - 1, 1, -2),
        (12, OFFER - 1, -OFFER, 13, 2),
        (5, -24, 18, 6, 0),
        (5, 0, 0, 6, -1),
    ):
        views = views_context(
            OVERWRITE, questions.steal_sees, {"turns_left": turns_left, "standing": standing}
        )
        context = offer_context(category, gains, loses, views)
        # As the kernel puts it together.
        assert context == (gains + 2048) + 4096 * (loses + 2048) + 4096**2 * category + 4096**2 * 16 * views
        assert 0 <= context < questions.steal_size
        offer, sheet = questions.offer(context)
        assert (offer.category.index, offer.gains, offer.loses) == (category, gains, loses)
        assert (sheet.turns_left, sheet.standing, offer.swing) == (turns_left, standing, gains + loses)
        seen.append(context)
    assert len(set(seen)) == 4


def test_answers_are_those_of_the_strategy() -> None:
    questions = maker()

    def asked(swing: int, turns_left: int, standing: int) -> int:
        views = views_context(
            OVERWRITE, questions.steal_sees, {"turns_left": turns_left, "standing": standing}
        )
        return offer_context(3, -10, swing + 10, views)

    contexts = [asked(5, 5, -1), asked(4, 5, -1), asked(40, 5, 0), asked(-3, 5, -2), asked(13, 13, -2)]
    assert questions.make(STEAL, contexts) == [1, 0, 0, 0, 1]
    robbed = [
        views_context(OVERWRITE, questions.forfeit_sees, {"open": mask, "rival_open": rival})
        for mask, rival in ((0b1, 1), (0b1001, 5), (0b1001, 0), ((1 << 13) - 1, 2))
    ]
    assert max(robbed) < questions.forfeit_size
    assert questions.make(FORFEIT, robbed) == [0, 3, 0, 12]
    assert questions.make(STEAL, []) == questions.make(FORFEIT, []) == []


@pytest.mark.parametrize("kind", [STEAL, FORFEIT])
def test_a_question_with_two_answers_is_refused(kind: int) -> None:
    class Fickle(Thief):
        """Answers in turn."""

        asked = 0

        def steal(self, offer: Offer, sheet: Sheet) -> bool:
            self.asked += 1
            return self.asked % 2 == 0

        def forfeit(self, sheet: Sheet) -> Category:
            self.asked += 1
            chosen: Category = sheet.open[self.asked % 2]
            return chosen

    questions = maker(Fickle)
    context = offer_context(12, 0, 7, 3) if kind == STEAL else 0b11
    known, asked = ("the offer and the sheet", "steal(Offer(Chance, gains=0, loses=7), sheet)")
    if kind == FORFEIT:
        known, asked = ("the sheet", "forfeit(sheet)")
    told = (
        f"strategy thief: answers the same question in different ways; its answers may depend on {known} alone\n"
        f"  asked {asked}, where the sheet shows "
    )
    with pytest.raises(StrategyError, match=re.escape(told)):
        questions.make(kind, [context], again=[0])


def test_what_is_printed_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    class Loud(Thief):
        """Says so."""

        def steal(self, offer: Offer, sheet: Sheet) -> bool:
            print("mine!")
            return True

    maker(Loud).make(STEAL, [offer_context(0, 0, 0, 0)])
    assert capsys.readouterr() == ("", "mine!\n")


@pytest.mark.parametrize("declaration", ["steal_sees", "forfeit_sees"])
def test_a_strategy_that_sees_too_much_for_an_answer_is_refused(declaration: str) -> None:
    rules = TAKE.model_dump(mode="json", exclude_none=True)
    rules["bonus"] = {"threshold": 1000, "points": 35}
    rules["categories"] |= {
        f"chance-{number}": rules["categories"]["chance"] | {"name": f"Chance {number}"}
        for number in range(3)
    }
    big = validate_cheerio(rules | {"name": "big"}, "big")
    views = ("open", "upper", "difference", "standing", "pace", "turns_left", "rival_open", "rival_upper")
    kind = type("Watching", (Thief,), {declaration: views})
    with pytest.raises(StrategyError, match=f"sees too much at once for big: {declaration} ="):
        maker(kind, big)
    with pytest.raises(StrategyError, match="sees too much"):
        maker(kind, big, Manner(pace=900))
    if declaration == "steal_sees":
        maker(kind, big, Manner(steal=1))
    # Where nobody can steal, nothing is asked.
    maker(kind, validate_cheerio(rules | {"name": "peace", "steal": "none"}, "peace"))
