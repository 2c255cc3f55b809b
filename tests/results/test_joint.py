import numpy as np
import pytest

from results.joint import joint_deals, leading_deals
from results.scan import game_arrays
from results.store import DamagedPart


def test_matches_of_other_chunks_are_read_deal_by_deal(play):
    one, other = (
        play(["a", "b"], deals=11, chunk_deals=4),
        play(["a", "c"], name="other", deals=13, chunk_deals=3),
    )
    places = [(run, run.matches[0]) for run in (one, other)]
    got = list(joint_deals(places, [("score", "credit"), ("score",)], 11))
    assert [deal for deals, _ in got for deal in deals] == list(range(11))
    for k, (run, match) in enumerate(places):
        whole = [game_arrays(run, match, chunk, ["score"])["score"] for chunk in range(match.chunks)]
        joined = np.concatenate([arrays[k]["score"] for _, arrays in got], axis=-1)
        assert (joined == np.concatenate(whole, axis=-1)[..., :11]).all()
    assert set(got[0][1][0]) == {"score", "credit"}
    assert set(got[0][1][1]) == {"score"}


def test_only_deals_without_a_gap_lead(play):
    run = play(["a", "b"], deals=11, chunk_deals=4, chunks=[0, 2])
    assert leading_deals(run, run.matches[0]) == 4
    run = play(["a", "b"], name="whole", deals=11, chunk_deals=4)
    assert leading_deals(run, run.matches[0]) == 11
    assert leading_deals(play(["a", "b"], name="none", chunks=[]), run.matches[0]) == 0


def test_a_part_that_is_damaged_is_named(play):
    run = play(["a", "b"], deals=8, chunk_deals=4)
    part = run.games_part(run.matches[0], 1)
    part.write_bytes(part.read_bytes()[:-20])
    with pytest.raises(DamagedPart, match="part-00001"):
        list(joint_deals([(run, run.matches[0])], [("score",)], 8))
