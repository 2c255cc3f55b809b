import multiprocessing

import numpy as np
import pytest

from jobs import filling
from jobs.filling import fill_tables
from jobs.job import build_job
from jobs.plan import plan_job
from jobs.table_cache import cache_folder, keep_rows, load_rows, table_key
from sim.cheerio_ruleset import CheerioRuleset
from strategies.lineup import get_player
from strategies.rows import RowMaker, Rows, make_rows
from strategies.strategy import StrategyError


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("DICECUP_CACHE", str(tmp_path / "cache"))


def same(one, two):
    pairs = zip(vars(one).values(), vars(two).values(), strict=True)
    return all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in pairs)


def filled(words, told=lambda *_: None):
    plan = plan_job(build_job(["cheerio-web-short"], [[words]]))
    player, ruleset = next(plan.distinct_players())
    assert isinstance(ruleset, CheerioRuleset)
    rows = fill_tables(plan, 2, told)[player.label, ruleset]
    expected = make_rows(player, ruleset, RowMaker(player, ruleset).whole_contexts())
    return rows, expected, player, ruleset


@pytest.mark.parametrize("words", ["greedy", "random"])
def test_a_table_comes_from_the_cache_as_it_was_filled(words):
    rows, expected, player, ruleset = filled(words)
    assert same(rows, expected)
    cached = load_rows(table_key(player, ruleset))
    assert cached is not None
    assert same(cached, expected)
    assert cached.mixed is (words == "random")


def test_processes_give_the_table_that_one_process_gives(monkeypatch, write_strategy):
    monkeypatch.setattr(filling, "FEW_DECISIONS", 0)
    monkeypatch.setattr(filling, "PIECE", 20)
    told = []
    rows, expected, *_ = filled(write_strategy(), lambda *line: told.append(line))
    assert same(rows, expected)
    assert told[0] == ("mine.py:Bold", 0, 127)
    assert told[-1] == ("mine.py:Bold", 127, 127)
    assert not multiprocessing.active_children()


def test_a_failing_decision_in_another_process_is_told_and_leaves_none(monkeypatch, write_strategy):
    monkeypatch.setattr(filling, "FEW_DECISIONS", 0)
    words = write_strategy("face = max(dice, key=dice.count)", "face = 1 // (len(sheet.open) - 3)")
    with pytest.raises(StrategyError, match=r"mine\.py:Bold: keep.*ZeroDivisionError") as caught:
        filled(words)
    assert "the sheet shows open: " in str(caught.value)
    assert not multiprocessing.active_children()
    assert not list(cache_folder().rglob("*.table"))


@pytest.mark.parametrize("damage", ["cut", "flip", "head", "empty", "folder"])
def test_a_damaged_table_is_filled_again(damage):
    rows, _, player, ruleset = filled("greedy")
    key = table_key(player, ruleset)
    path = cache_folder() / "tables" / f"{key}.table"
    content = bytearray(path.read_bytes())
    if damage == "cut":
        path.write_bytes(content[:-100])
    elif damage == "flip":
        content[-3] ^= 1
        path.write_bytes(content)
    elif damage == "head":
        path.write_bytes(b"x" * 50 + content[50:])
    elif damage == "empty":
        path.write_bytes(b"")
    else:
        path.unlink()
        path.mkdir()
    assert load_rows(key) is None
    assert same(filled("greedy")[0], rows)


def test_a_cache_that_can_not_be_written_is_done_without(tmp_path):
    (tmp_path / "cache").write_text("a file stands in its place")
    rows, expected, *_ = filled("greedy")
    assert same(rows, expected)


def test_the_key_follows_what_a_table_hangs_on(write_strategy, tmp_path):
    from sim.cheerio_ruleset import load_cheerio

    def key(words, ruleset="cheerio"):
        return table_key(get_player(words), load_cheerio(ruleset))

    own = key(write_strategy())
    assert own == key(write_strategy())
    others = {key("greedy"), key("greedy:upper=0.5"), key("greedy", "cheerio-bonus"), own}
    others.add(key(write_strategy("key=dice.count", "key=lambda die: (dice.count(die), die)")))
    assert len(others) == 5


def test_where_the_cache_is(monkeypatch, tmp_path):
    assert cache_folder() == tmp_path / "cache"
    monkeypatch.delenv("DICECUP_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert str(cache_folder()) == "/x/dicecup"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/h")
    assert str(cache_folder()) == "/h/.cache/dicecup"


def test_arrays_of_any_shape_are_kept():
    rows = Rows(
        np.arange(5, dtype=np.uint64), np.arange(35, dtype=np.uint8).reshape(5, 7), np.zeros(1, np.uint8)
    )
    keep_rows("k", rows)
    found = load_rows("k")
    assert found is not None
    assert same(found, rows)
