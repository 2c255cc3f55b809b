import numpy as np
import pytest

from jobs.chunk import play_chunk
from jobs.filling import fill_tables
from jobs.job import Overrides, build_job
from jobs.plan import plan_job
from results.schema import CATEGORIES
from results.store import commit_part, create_run
from sim.cheerio import play_deals
from sim.cheerio_ruleset import CheerioRuleset
from sim.reference import play_game
from sim.worth import build_worth
from strategies.deciding import build_decider
from strategies.tables import LineupTables

#: Columns that are a game's, not a seat's.
COURSE_COLUMNS = ("tiebreak_rounds", "start_rounds", "lead_changes", "decided_turn", "worst_deficit")


def seated(lineup, ruleset="cheerio-web-short", games=60, chunk_deals=None):
    plan = plan_job(build_job([ruleset], [lineup], Overrides(seed=11, games=games, chunk=chunk_deals)))
    tables = fill_tables(plan, 1, lambda *_: None)
    match_plan = plan.matches[0]
    assert isinstance(match_plan.ruleset, CheerioRuleset)
    whole = {label: rows for (label, _), rows in tables.items()}
    return plan, match_plan, LineupTables(match_plan.players, match_plan.ruleset, whole)


def slow_games(plan, seating, deal, deciders):
    """A game by the slow reference, and by side the same game where that side never steals."""
    ruleset, worth = plan.ruleset, build_worth(plan.ruleset).tolist()
    labels = [plan.match.strategy_at(seating, seat) for seat in range(plan.match.seats)]
    seated = [deciders[label] for label in labels]
    barred = range(plan.match.side_count) if ruleset.steal != "none" else ()
    without = [play_game(ruleset, seated, plan.seed, deal, worth, barred=side) for side in barred]
    return labels, play_game(ruleset, seated, plan.seed, deal, worth), without


def slow_without(match, without, seat):
    if not without:
        return {}
    side = match.sides[seat]
    seats = without[side].seats
    best = max(other.score for other, own in zip(seats, match.sides, strict=True) if own != side)
    return {"margin_without": seats[seat].score - best, "credit_without": seats[seat].credit}


def slow_rows(plan, chunk):
    """The rows of a chunk and its sums by category, from the slow reference, one game at a time."""
    match, ruleset = plan.match, plan.ruleset
    deciders = {player.label: build_decider(player, ruleset) for player in plan.players}
    rows: list[dict[str, object]] = []
    sums: dict[tuple[int, int, str, str], tuple[int, ...]] = {}
    for seating in range(match.seatings):
        games = [(deal, *slow_games(plan, seating, deal, deciders)) for deal in match.chunk_deals_of(chunk)]
        for seat in range(match.seats):
            for deal, labels, game, without in games:
                result = game.seats[seat]
                names = [column.name for column in match.columns]
                rows.append({
                    "deal": deal, "game": deal * match.seatings + seating, "seating": seating, "seat": seat,
                    "side": match.sides[seat], "strategy": labels[seat],
                    **{name: getattr(result, name) for name in names if hasattr(result, name)},
                    **{name: getattr(game, name) for name in COURSE_COLUMNS},
                    **slow_without(match, without, seat),
                })  # fmt: skip
                for category, points, by in zip(
                    ruleset.categories, result.entries, result.entered_by, strict=True
                ):
                    if by == seat:
                        key = (deal // 1000, seat, labels[seat], category)
                        before = sums.get(key, (0, 0, 0, 0))
                        more = (1, points, points * points, points == 0)
                        sums[key] = tuple(a + b for a, b in zip(before, more, strict=True))
    return rows, sums


def check_chunk(plan, tables):
    """Compare a chunk with the slow reference, row by row; returns the rows."""
    games, categories, _ = play_chunk(plan, tables, 0)
    rows, sums = slow_rows(plan, 0)
    assert games.column_names == [column.name for column in plan.match.columns]
    assert games.to_pylist() == [{name: row[name] for name in games.column_names} for row in rows]
    found = {tuple(list(row.values())[:4]): tuple(list(row.values())[4:]) for row in categories.to_pylist()}
    assert categories.column_names == [column.name for column in CATEGORIES]
    assert found == sums
    return rows


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
    check_chunk(plan, tables)


@pytest.mark.parametrize("name", ["team", "overwrite", "take", "team-take", "speed", "team-speed", "joker"])
def test_a_chunk_of_a_variant_holds_the_games_of_the_slow_reference(variant, name):
    ruleset, lineup = variant(name)
    _, plan, tables = seated(lineup.split(","), ruleset, games=48)
    rows = check_chunk(plan, tables)
    # What the variant is about comes up in these games.
    for column in {"overwrite": ["steals", "robbed"], "take": ["steals"], "speed": ["empty"]}.get(name, []):
        assert {row[column] for row in rows} > {0}, column


@pytest.mark.parametrize("name", ["overwrite", "team-take"])
def test_who_has_not_stolen_comes_to_the_same_without_stealing(variant, name):
    ruleset, lineup = variant(name)
    _, plan, tables = seated(lineup.split(","), ruleset, games=4000)
    games = play_chunk(plan, tables, 0)[0].to_pydict()
    table = {key: np.array(games[key]) for key in ("game", "side", "score", "credit", "steals", "margin_without",
                                                   "credit_without")}  # fmt: skip
    differing = 0
    for game in np.split(np.argsort(table["game"], kind="stable"), plan.match.games):
        for side in range(plan.match.side_count):
            own = game[table["side"][game] == side]
            others = game[table["side"][game] != side]
            margin = table["score"][own[0]] - table["score"][others].max()
            same = (table["margin_without"][own] == margin) & (
                table["credit_without"][own] == table["credit"][own[0]]
            )
            assert same.all() or table["steals"][own].sum() == 1
            differing += not same.all()
    assert differing > 0


@pytest.mark.parametrize("name", ["overwrite", "take"])
def test_a_side_barred_from_stealing_is_one_that_never_steals(variant, name):
    ruleset, _ = variant(name)

    def played(lineup):
        _, plan, tables = seated(lineup, ruleset, games=600)
        rows = play_chunk(plan, tables, 0)[0].to_pylist()
        return {(row["game"], row["strategy"] == "par"): row for row in rows}

    usual, never = played(["greedy", "par"]), played(["greedy:steal=never", "par"])
    for game in range(600):
        without, own, rival = usual[game, False], never[game, False], never[game, True]
        assert without["margin_without"] == own["score"] - rival["score"]
        assert without["credit_without"] == own["credit"]
    assert any(usual[game, False]["score"] != never[game, False]["score"] for game in range(600))


def test_a_side_that_steals_in_no_game_is_not_played_again(variant, monkeypatch):
    ruleset, _ = variant("take")
    _, plan, tables = seated(["par:steal=never", "greedy"], ruleset, games=300)
    barred = []

    def counted(*given, **more):
        barred.append(more["barred"])
        return play_deals(*given, **more)

    monkeypatch.setattr("sim.cheerio.play_deals", counted)
    play_chunk(plan, tables, 0)
    # In each seating the games as they are, then once more without the steals of greedy, whose side it is.
    assert barred == [-1, -1, 1, 0]


def test_category_rows_name_each_block_seat_strategy_and_category_once():
    _, plan, tables = seated(["greedy", "greedy", "par"], "cheerio", games=9000, chunk_deals=1700)
    _, categories, _ = play_chunk(plan, tables, 1)
    keys = [tuple(list(row.values())[:4]) for row in categories.to_pylist()]
    assert len(set(keys)) == len(keys)
    assert sorted({key[0] for key in keys}) == [1, 2]
    counts = [row["count"] for row in categories.to_pylist() if row["category"] == "ones"]
    assert sum(counts) == 1300 * 3 * 3


def test_chunks_add_up_to_the_same_digest_and_rows():
    digests = []
    for deals in (400, 150, 77):
        _, plan, tables = seated(["greedy", "par"], games=800, chunk_deals=deals)
        parts = [play_chunk(plan, tables, number) for number in range(plan.match.chunks)]
        digests.append(sum(digest for _, _, digest in parts) % 2**64)
    assert len(set(digests)) == 1


def test_the_rows_of_this_engine_version_are_known():
    """Raise ENGINE_VERSION with this digest, unless it is greedy or par that plays otherwise."""
    _, plan, tables = seated(["greedy", "par"], games=2000)
    assert f"{play_chunk(plan, tables, 0)[2]:016x}" == "9f1b4dadf9e8763e"


def test_a_chunk_fits_the_store(tmp_path):
    plan, match_plan, tables = seated(["greedy", "par"], games=2500, chunk_deals=1000)
    run = create_run(tmp_path / "run", plan.manifest)
    for number in range(match_plan.match.chunks):
        games, categories, digest = play_chunk(match_plan, tables, number)
        commit_part(run, run.matches[0], number, games, categories, f"{digest:016x}")
    assert run.state == "complete"
