import pytest

from jobs.job import Overrides, build_job
from jobs.plan import count_seatings, plan_job, rebuild_ruleset, stored_rules, usual_chunk_deals
from jobs.reporting import planning_lines
from results.identity import differing_keys
from results.manifest import manifest_text, parse_manifest
from sim.ruleset import load_ruleset, shipped_rulesets


@pytest.mark.parametrize(
    ("games", "seatings", "seats", "deals"),
    [
        (1, 1, 1, 50_000),  # a short match is one chunk of whole blocks of 1,000 deals
        (1_000_000, 2, 2, 25_000),  # at least 50,000 games
        (10_000_000, 2, 2, 79_000),  # 64 chunks: 156,250 games are 78,125 deals, rounded up
        (100_000_000, 2, 2, 250_000),  # at most 500,000 games
        (100_000_000, 6, 6, 84_000),
        (5_000_000_000, 2, 2, 500_000),  # at most 5,000 chunks
        (10**12, 2, 2, 1_000_000),  # at most 4 million rows, however many chunks that makes
    ],
)
def test_chunks_follow_from_the_match_alone(games, seatings, seats, deals):
    assert usual_chunk_deals(games, seatings, seats) == deals


@pytest.mark.parametrize(
    ("lineup", "seatings"),
    [("a", 1), ("ab", 2), ("aa", 1), ("aab", 3), ("abab", 2), ("abcabc", 3), ("abcdef", 6)],
)
def test_only_distinct_seatings_count(lineup, seatings):
    assert count_seatings(tuple(lineup)) == seatings


@pytest.mark.parametrize("name", shipped_rulesets())
def test_a_ruleset_survives_the_manifest(name, tmp_path):
    ruleset = load_ruleset(name)
    players = min(count for count in ruleset.players if count > 1)
    plan = plan_job(
        build_job([name], [[{"cheerio": "par", "ceelo": "flat"}[ruleset.game]] * players], Overrides(seed=1))
    )
    text = manifest_text(plan.manifest)
    match = parse_manifest(text, tmp_path).matches[0]
    stored = match.ruleset.rules
    assert match.exact == ruleset.labels(players).get("exact", {})
    assert (match.side_count, match.seats) == (ruleset.sides(players), players)
    again = rebuild_ruleset(stored, "test")
    assert again == ruleset
    assert again.digest == ruleset.digest
    assert again.lines == ruleset.lines
    assert rebuild_ruleset(stored_rules(ruleset), "test") == ruleset


def test_games_are_rounded_up_to_whole_deals():
    plan = plan_job(build_job(["cheerio"], [["greedy", "par", "sets"]], Overrides(seed=1, games=1000)))
    match = plan.matches[0].match
    assert (match.seatings, match.deals, match.games, plan.games) == (3, 334, 1002, 1002)


def test_the_same_job_gives_the_same_manifest_and_others_differ_by_name():
    def manifest(**rest):
        return plan_job(build_job(["cheerio"], [["greedy", "par"]], Overrides(**{"seed": 1} | rest))).manifest

    assert manifest_text(manifest()) == manifest_text(manifest())
    assert set(differing_keys(manifest(), manifest(seed=2))) == {"job.seed", "job.digest"}
    assert "matches.0.chunk_deals" in differing_keys(manifest(), manifest(chunk=1000))


def test_partners_sit_opposite_each_other():
    plan = plan_job(build_job(["cheerio-team"], [["par+greedy", "nets+nets", "sets+par"]], Overrides(seed=1)))
    match = plan.matches[0].match
    assert match.sides == (0, 1, 2, 0, 1, 2)
    assert match.side_names == ("par+greedy", "nets+nets", "par+sets")
    assert match.seatings == 6
    # Around the table partners stay partners, three seats apart.
    assert {match.entry_at(seating, seat) for seating in range(6) for seat in range(6)} == {
        "par+greedy", "nets+nets", "par+sets",
    }  # fmt: skip


def test_what_changes_nothing_under_a_ruleset_is_told() -> None:
    job = build_job(
        ["cheerio", "cheerio-cutthroat"], [["par:steal=30", "greedy:pace=0.8"]], Overrides(seed=1)
    )
    assert planning_lines(plan_job(job)) == [
        "cheerio has no steals: steal= of par:steal=30 changes nothing there",
        "cheerio has no clock: pace= of greedy:pace=0.8 changes nothing there",
        "cheerio-cutthroat has no clock: pace= of greedy:pace=0.8 changes nothing there",
    ]
