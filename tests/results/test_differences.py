"""The paired differences of two entries against slow counting of the rows, deal by deal, in exact fractions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from typing import Any

import pyarrow.parquet as pq
import pytest

from results.store import Run
from results.tally import MatchTally, tally_match

LINEUPS: dict[str, dict[str, Any]] = {
    "two": {"lineup": ["greedy", "par"]},
    "uneven": {"lineup": ["greedy", "par", "greedy"], "tiebreak": "shared"},
    "four": {"lineup": ["a", "b", "c", "d"], "tiebreak": "shared"},
    "teams": {"lineup": ["par", "greedy", "greedy", "greedy"], "sides": [0, 1, 0, 1]},
}


def entry_of(row: dict[str, Any], rows: list[dict[str, Any]], teams: bool) -> str:
    if not teams:
        return str(row["strategy"])
    partners = [other for other in rows if other["game"] == row["game"] and other["side"] == row["side"]]
    # Partners are named from the one who comes first in the lineup.
    return "+".join(sorted((other["strategy"] for other in partners), key=["par", "greedy", "nets"].index))


@pytest.mark.parametrize("lineup", LINEUPS)
@pytest.mark.parametrize(("measure", "unit"), [("score", 1), ("credit", 60)])
def test_differences_are_those_of_the_deals(
    play: Callable[..., Run], lineup: str, measure: str, unit: int
) -> None:
    run = play(deals=23, chunk_deals=10, **LINEUPS[lineup])
    match = run.matches[0]
    tally: MatchTally = tally_match(run, match, range(match.chunks))
    parts = sorted((run.match_folder(match) / "games").glob("*.parquet"))
    rows = [row for part in parts for row in pq.read_table(part, partitioning=None).to_pylist()]
    by_deal: dict[tuple[str, int], list[Fraction]] = {}
    for row in rows:
        entry = entry_of(row, rows, teams=lineup == "teams")
        by_deal.setdefault((entry, row["deal"]), []).append(Fraction(row[measure], unit))
    assert {entry for entry, _ in by_deal} == set(tally.entries)
    means = {key: sum(values) / len(values) for key, values in by_deal.items()}
    for first, second in permutations(tally.entries, 2):
        differences = [means[first, deal] - means[second, deal] for deal in range(23)]
        mean = sum(differences) / 23
        variance = sum((one - mean) ** 2 for one in differences) / 22 / 23
        sums = getattr(tally, f"{measure}_difference")(first, second)
        assert sums.mean == pytest.approx(float(mean), rel=1e-12, abs=1e-12)
        assert sums.variance_of_mean == pytest.approx(float(variance), rel=1e-12)
