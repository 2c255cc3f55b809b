import hashlib

import numpy as np
import pyarrow as pa
import pytest

from jobs.digest import categories_digest, digest_text, games_digest, run_digest

M = 2**64


def word(name):
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")


def mix(x):
    y = x * 0x9FB21C651E98DF25 % M
    return y ^ (y >> 32)


def slow_games_digest(rows):
    total = 0
    for row in rows:
        state = 0
        for name, value in row.items():
            number = word(value) if isinstance(value, str) else int(value)
            state = mix(state ^ (number + word(name)) % M)
        total += mix(state)
    return total % M


def slow_categories_digest(rows):
    total = 0
    for row in rows:
        key = 0
        for name in ("block", "seat", "strategy", "category"):
            value = row[name]
            key = mix(key ^ ((word(value) if isinstance(value, str) else value) + word(name)) % M)
        for name in ("count", "sum", "zeros"):
            total += row[name] * mix(key ^ word(name))
    return total % M


def table(rows):
    columns = {}
    for name in rows[0]:
        values = [row[name] for row in rows]
        array = pa.array(values)
        columns[name] = array.dictionary_encode() if isinstance(values[0], str) else array
    return pa.table(columns)


def some_games(count=20_000):
    draw = np.random.default_rng(3)
    scores = draw.integers(-400, 400, count)
    return [
        {
            "deal": k,
            "seat": k % 2,
            "strategy": ("greedy", "par")[k // 3 % 2],
            "score": int(scores[k]),
            "won": bool(k % 7),
        }
        for k in range(count)
    ]


def test_rows_are_hashed_as_documented():
    rows = some_games()
    assert games_digest(table(rows)) == slow_games_digest(rows)


def test_order_and_cuts_do_not_matter():
    rows = some_games(5000)
    whole = games_digest(table(rows))
    assert games_digest(table(rows[::-1])) == whole
    assert (games_digest(table(rows[:1234])) + games_digest(table(rows[1234:]))) % M == whole


def test_every_value_of_every_column_matters():
    rows = some_games(50)
    seen = {games_digest(table(rows))}
    for name, value in {"deal": 999, "seat": 7, "strategy": "sets", "score": 12345, "won": False}.items():
        changed = [dict(row) for row in rows]
        changed[17][name] = value if rows[17][name] != value else not value
        seen.add(games_digest(table(changed)))
    assert len(seen) == 6


def test_values_of_two_rows_or_columns_are_not_exchangeable():
    rows = some_games(50)
    swapped = [dict(row) for row in rows]
    swapped[3]["score"], swapped[4]["score"] = rows[4]["score"], rows[3]["score"]
    assert rows[3]["score"] != rows[4]["score"]
    assert games_digest(table(swapped)) != games_digest(table(rows))
    moved = [row | {"deal": row["score"], "score": row["deal"]} for row in rows]
    assert games_digest(table(moved)) != games_digest(table(rows))


def category_rows():
    return [
        {"block": b, "seat": s, "strategy": n, "category": c, "count": 1000, "sum": b + 31 * s, "zeros": 5}
        for b in range(3)
        for s in range(2)
        for n in ("greedy", "par")
        for c in ("ones", "chance")
    ]


def test_categories_are_hashed_as_documented_and_partial_blocks_add_up():
    rows = category_rows()
    whole = categories_digest(table(rows))
    assert whole == slow_categories_digest(rows)
    first = [row | {"count": 300, "sum": row["sum"] // 3, "zeros": 1} for row in rows]
    second = [row | {"count": 700, "sum": row["sum"] - row["sum"] // 3, "zeros": 4} for row in rows]
    assert (categories_digest(table(first)) + categories_digest(table(second))) % M == whole


@pytest.mark.parametrize("name", ["block", "seat", "strategy", "category", "count", "sum", "zeros"])
def test_every_figure_of_a_category_matters(name):
    rows = category_rows()
    changed = [dict(row) for row in rows]
    changed[5][name] = "sets" if isinstance(rows[5][name], str) else rows[5][name] + 100
    assert categories_digest(table(changed)) != categories_digest(table(rows))


def test_a_run_tells_its_matches_apart():
    assert run_digest([[1, 2], [3]]) == run_digest([[2, 1], [3]]) == run_digest([[3], [3]])
    assert run_digest([[1], [2]]) != run_digest([[2], [1]])
    assert digest_text(255) == "00000000000000ff"
