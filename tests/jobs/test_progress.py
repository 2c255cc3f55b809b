"""What is told while games are played, by a clock that the tests turn."""

import pytest

from jobs.progress import Progress, duration_text, note, notes_heard


@pytest.fixture
def clock(monkeypatch):
    """Stands for the seconds since some start; a list of one number."""
    seconds = [100.0]
    monkeypatch.setattr("jobs.progress.time.monotonic", lambda: seconds[0])
    return seconds


def told(clock, capsys, *chunks, done=0, quiet=False):
    """The lines that are told of a million games, where each (seconds, games) has passed since the one before."""
    with Progress(1_000_000, done, quiet) as shown:
        for seconds, games in chunks:
            clock[0] += seconds
            shown.advance(games)
    out, err = capsys.readouterr()
    assert out == ""
    return err.splitlines()


def test_the_time_left_is_estimated_from_the_games_after_the_first_chunk(clock, capsys):
    # Half a minute of compiling, then 1,000 games a second.
    assert told(clock, capsys, (30, 10_000), (4, 4_000), (8, 8_000), (5, 5_000), (5, 5_000)) == [
        "10,000 of 1,000,000 games",
        "22,000 of 1,000,000 games, 1,000 games/s, about 16 min 18 s left",
        "32,000 of 1,000,000 games, 1,000 games/s, about 16 min 8 s left",
    ]


def test_two_chunks_at_once_after_compiling_tell_no_speed(clock, capsys):
    assert told(clock, capsys, (30, 10_000), (0.01, 10_000), (10, 10_000)) == [
        "10,000 of 1,000,000 games",
        "30,000 of 1,000,000 games, 1,998 games/s, about 8 min 5 s left",
    ]


def test_games_that_were_there_before_do_not_count_towards_the_speed(clock, capsys):
    assert told(clock, capsys, (1, 50_000), (20, 50_000), done=800_000) == [
        "900,000 of 1,000,000 games, 2,500 games/s, about 40 s left"
    ]


def test_nothing_is_told_where_it_is_quiet_or_soon_over(clock, capsys):
    assert told(clock, capsys, (9, 500_000), (0.9, 500_000)) == []
    assert told(clock, capsys, (30, 500_000), (30, 500_000), quiet=True) == []


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (59.4, "59 s"), (59.6, "1 min 0 s"), (250, "4 min 10 s"), (7500, "2 h 5 min")],
)
def test_durations_are_told_for_people(seconds, text):
    assert duration_text(seconds) == text


def test_a_remark_that_nobody_can_read_is_heard_all_the_same(monkeypatch):
    def broken(*_given, **_named):
        raise BrokenPipeError(32, "Broken pipe")

    heard: list[str] = []
    monkeypatch.setattr("jobs.progress.print_lines", broken)
    with notes_heard(heard.append):
        note("stopping\nsoon")
    assert heard == ["stopping", "soon"]
