import json
from typing import Any

from results.identity import differing_keys, identifying, run_identity

Manifest = dict[str, Any]


def copied(manifest: Manifest) -> Manifest:
    return json.loads(json.dumps(manifest))  # type: ignore[no-any-return]


def test_differing_keys_are_dotted(manifest: Manifest) -> None:
    other = copied(manifest)
    assert differing_keys(manifest, other) == []
    other["job"]["seed"] = 8
    other["matches"][0]["ruleset"]["rules"]["scratch"] = "free"
    other["matches"][0]["categories"].pop()
    del other["versions"]["dicecup"]
    other["engine_version"] = True
    assert differing_keys(manifest, other) == [
        "engine_version",
        "job.seed",
        "matches.0.categories.1",
        "matches.0.ruleset.rules.scratch",
        "versions.dicecup",
    ]


def test_notes_are_no_part_of_what_a_run_is(manifest: Manifest) -> None:
    other = copied(manifest)
    other["versions"]["numpy"] = "0"
    other["matches"][0]["best_mean"] = 1.5
    other["matches"][0]["strategies"]["par"]["file"] = "../mine.py"
    assert identifying(other) == identifying(manifest)
    assert run_identity(other) == run_identity(manifest)
    # They are notes in their places alone.
    other["matches"][0]["strategies"]["par"]["parameters"]["file"] = 1
    assert differing_keys(identifying(manifest), identifying(other)) == [
        "matches.0.strategies.par.parameters.file"
    ]


def test_all_but_notes_and_the_name_of_the_job_identifies_a_run(manifest: Manifest) -> None:
    found = {run_identity(manifest)}
    for change in (
        lambda one: one.update(engine_version=2),
        lambda one: one["job"].update(seed=8),
        lambda one: one["matches"][0].update(lineup=["par", "greedy"]),
        lambda one: one["matches"][0]["ruleset"]["rules"].update(dice=6),
        lambda one: one["matches"][0]["strategies"]["par"].update(source_digest="t"),
    ):
        other = copied(manifest)
        change(other)
        found.add(run_identity(other))
    assert len(found) == 6
    assert all(len(one) == 16 and int(one, 16) >= 0 for one in found)
    other = copied(manifest)
    other["job"]["name"] = "another"
    assert run_identity(other) == run_identity(manifest)
    # Written down: parts of earlier runs hold it.
    assert run_identity(manifest) == "550ac5ff0fa7f7ce"
