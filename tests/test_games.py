"""What every game fulfils, whichever it is: its parts are all there, and its kernel is a pure function of the deal."""

from typing import Any

import numpy as np
import pytest

from jobs.games import COMMANDS, estimates_of, replays_of, rules_text_of
from results.schema import BLOCK_DEALS, CREDIT_UNITS, games_columns
from sim.game import GAMES, kernel_of
from sim.ruleset import Ruleset, load_ruleset, shipped_rulesets
from strategies.games import ASKING
from strategies.lineup import get_player, shipped_strategies
from strategies.registry import STRATEGIES
from tests.compile_kernels import seated

#: Columns that are told by the match and the deal, and those that hang on games played besides.
GIVEN = {"deal", "game", "seating", "seat", "side", "strategy", "margin_without", "credit_without"}
DEALS = 300
#: Of Cheerio the one with the shortest sheet: its variants are held against the reference, one by one, elsewhere.
RULESETS = [("cheerio", "cheerio-web-short"), *(("ceelo", name) for name in shipped_rulesets("ceelo"))]


def played(ruleset: Ruleset, first: int, deals: int, seed: int = 11) -> Any:
    names = shipped_strategies(ruleset.game)[:3]
    seats = min(count for count in ruleset.players if count > 1)
    kernel = kernel_of(ruleset.game)
    tables = seated(ruleset, [names[seat % len(names)] for seat in range(seats)])
    return kernel.play_deals(kernel.build_rules(ruleset), tables, seats, 1, seed, first, deals)


def test_every_game_has_all_its_parts() -> None:
    assert set(GAMES) == set(ASKING) == set(COMMANDS)
    for game in GAMES:
        assert shipped_rulesets(game)
        assert shipped_strategies(game)
        assert load_ruleset(rules_text_of(game).USUAL).game == game
        for part in (estimates_of(game), replays_of(game)):
            assert part.__doc__
    assert {get_player(name).game for name in STRATEGIES} == set(GAMES)


@pytest.mark.parametrize("game", GAMES)
def test_sums_are_kept_by_the_blocks_that_the_store_knows(game: str) -> None:
    assert kernel_of(game).BLOCK == BLOCK_DEALS  # type: ignore[attr-defined]


@pytest.mark.parametrize(("game", "name"), RULESETS)
def test_a_kernel_gives_every_column_and_splits_its_credit(game: str, name: str) -> None:
    ruleset = load_ruleset(name)
    assert ruleset.game == game
    course = played(ruleset, BLOCK_DEALS - 100, DEALS)
    columns = {column.name for column in games_columns(game, ruleset.stated())} - GIVEN
    assert columns <= set(course._fields)
    seats = course.score.shape[0]
    for column in columns:
        assert getattr(course, column).shape in ((seats, DEALS), (DEALS,))
    assert course.sums.shape == (2, seats, len(ruleset.lines), 4)
    first_seats = slice(0, ruleset.sides(seats))
    assert (course.credit[first_seats].sum(axis=0) == CREDIT_UNITS).all()
    assert (course.won[first_seats].sum(axis=0) <= 1).all()
    assert (course.place.min(axis=0) == 1).all()


@pytest.mark.parametrize(("game", "name"), RULESETS)
def test_a_deal_is_the_same_whatever_is_played_beside_it(game: str, name: str) -> None:
    ruleset = load_ruleset(name)
    whole = played(ruleset, 40, DEALS)
    part = played(ruleset, 40 + 150, 20)
    for column in set(whole._fields) - {"sums"}:
        assert np.array_equal(getattr(whole, column)[..., 150:170], getattr(part, column)), column
    other = played(ruleset, 40, DEALS, seed=12)
    assert not np.array_equal(whole.score, other.score)
