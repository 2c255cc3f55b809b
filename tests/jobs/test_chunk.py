import pytest

from jobs.chunk import play_chunk
from jobs.filling import fill_tables
from jobs.job import Overrides, build_job
from jobs.plan import plan_job
from results.schema import CATEGORIES, GAMES
from results.store import commit_part, create_run
from sim.reference import play_game
from sim.worth import build_worth
from strategies.deciding import build_decider
from strategies.tables import LineupTables


def seated(lineup, ruleset="cheerio-web-short", games=60, chunk=None):
    plan = plan_job(build_job([ruleset], [lineup], Overrides(seed=11, games=games, chunk=chunk)))
    tables = fill_tables(plan, 1, lambda *_: None)
    match_plan = plan.matches[0]
    whole = {label: rows for (label, _), rows in tables.items()}
    return plan, match_plan, LineupTables(match_plan.players, match_plan.ruleset, whole)


def slow_rows(plan, chunk):
    """The rows of a chunk and its sums by category, from the slow reference, one game at a time."""
    match, ruleset = plan.match, plan.ruleset
    deciders = {player.label: build_decider(player, ruleset) for player in plan.players}
    worth = build_worth(ruleset).tolist()
    rows: list[dict[str, object]] = []
    sums: dict[tuple[int, int, str, str], tuple[int, ...]] = {}
    for seating in range(match.seatings):
        games = []
        for deal in match.chunk_deals_of(chunk):
            labels = [match.lineup[(seat - seating) % match.seats] for seat in range(match.seats)]
            game = play_game(ruleset, [deciders[label] for label in labels], plan.seed, deal, worth)
            games.append((deal, labels, game))
        for seat in range(match.seats):
            for deal, labels, game in games:
                result = game.seats[seat]
                rows.append({
                    "deal": deal, "game": deal * match.seatings + seating, "seating": seating, "seat": seat,
                    "side": seat, "strategy": labels[seat],
                    **{c.name: getattr(result, c.name) for c in GAMES if hasattr(result, c.name)},
                    **{c.name: getattr(game, c.name) for c in GAMES if hasattr(game, c.name) and c.name != "deal"},
                })  # fmt: skip
                for category, points in zip(ruleset.categories, result.entries, strict=True):
                    key = (deal // 1000, seat, labels[seat], category)
                    before = sums.get(key, (0, 0, 0, 0))
                    more = (1, points, points * points, points == 0)
                    sums[key] = tuple(a + b for a, b in zip(before, more, strict=True))
    return rows, sums


@pytest.mark.parametrize(
    ("lineup", "ruleset"),
    [
        (["greedy", "par"], "cheerio-web-short"),
        (["greedy"], "cheerio-web-short"),
        (["par", "par"], "cheerio-bonus"),
        (["greedy", "greedy", "par"], "cheerio"),
    ],
)
def test_a_chunk_holds_the_games_of_the_slow_reference(lineup, ruleset):
    _, plan, tables = seated(lineup, ruleset, games=24 * len(lineup))
    games, categories, _ = play_chunk(plan, tables, 0)
    rows, sums = slow_rows(plan, 0)
    assert games.column_names == [column.name for column in GAMES]
    assert games.to_pylist() == [{name: row[name] for name in games.column_names} for row in rows]
    found = {tuple(list(row.values())[:4]): tuple(list(row.values())[4:]) for row in categories.to_pylist()}
    assert categories.column_names == [column.name for column in CATEGORIES]
    assert found == sums


def test_category_rows_name_each_block_seat_strategy_and_category_once():
    _, plan, tables = seated(["greedy", "greedy", "par"], "cheerio", games=9000, chunk=1700)
    _, categories, _ = play_chunk(plan, tables, 1)
    keys = [tuple(list(row.values())[:4]) for row in categories.to_pylist()]
    assert len(set(keys)) == len(keys)
    assert sorted({key[0] for key in keys}) == [1, 2]
    counts = [row["count"] for row in categories.to_pylist() if row["category"] == "ones"]
    assert sum(counts) == 1300 * 3 * 3


def test_chunks_add_up_to_the_same_digest_and_rows():
    digests = []
    for chunk in (400, 150, 77):
        _, plan, tables = seated(["greedy", "par"], games=800, chunk=chunk)
        parts = [play_chunk(plan, tables, number) for number in range(plan.match.chunks)]
        digests.append(sum(digest for _, _, digest in parts) % 2**64)
    assert len(set(digests)) == 1


def test_the_rows_of_this_engine_version_are_known():
    """Raise ENGINE_VERSION with this digest, unless it is greedy or par that plays otherwise."""
    _, plan, tables = seated(["greedy", "par"], games=2000)
    assert f"{play_chunk(plan, tables, 0)[2]:016x}" == "9f1b4dadf9e8763e"


def test_a_chunk_fits_the_store(tmp_path):
    plan, match_plan, tables = seated(["greedy", "par"], games=2500, chunk=1000)
    run = create_run(tmp_path / "run", plan.manifest)
    for chunk in range(match_plan.match.chunks):
        games, categories, digest = play_chunk(match_plan, tables, chunk)
        commit_part(run, run.matches[0], chunk, games, categories, f"{digest:016x}")
    assert run.state == "complete"
