"""How long a store is waited for, and what is told of it."""

import pickle
import threading
import time

import pytest

from results import patience as waiting
from results.errors import StoreError, StoreUnreachable
from results.patience import patience, patiently


class Away:
    """An operation that a store answers only after some tries."""

    def __init__(self, tries, text="AWS Error NETWORK_CONNECTION during PutObject operation: curlCode: 7"):
        self.left, self.text = tries, text
        self.tried = 0

    def __call__(self):
        self.tried += 1
        self.left -= 1
        if self.left >= 0:
            raise OSError(self.text)
        return "answer"


@pytest.fixture
def clock(monkeypatch):
    """A clock that only sleeping moves."""
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])

    def wait(event, seconds):
        now[0] += seconds
        return event.is_set()

    monkeypatch.setattr(threading.Event, "wait", wait)
    return now


@pytest.mark.usefixtures("clock")
def test_a_store_that_comes_back_is_waited_for_and_that_is_told_once(monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://ada:secret@127.0.0.1:9000")
    told: list[str] = []
    away = Away(9)
    with patience(300, told.append):
        assert patiently("s3://bucket/a", away) == "answer"
    assert away.tried == 10
    (line,) = told
    assert line.startswith("s3://bucket/a: the store at http://127.0.0.1:9000 can't be reached; trying")


def test_patience_has_an_end_and_less_where_a_user_looks_on(clock):
    with pytest.raises(StoreUnreachable, match="can't be reached") as error, patience(300):
        patiently("s3://bucket/a", Away(10**6))
    assert 300 <= clock[0] < 312
    assert (error.value.filename, error.value.errno) == ("s3://bucket/a", 113)
    again = pickle.loads(pickle.dumps(error.value))
    assert str(again) == str(error.value)
    clock[0] = 0.0
    with pytest.raises(StoreUnreachable):
        patiently("s3://bucket/a", Away(10**6))
    assert clock[0] < waiting.LOOKING_SECONDS + 1


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("AWS Error ACCESS_DENIED during PutObject operation", "ACCESS_DENIED"),
        ("AWS Error INVALID_ACCESS_KEY_ID during PutObject operation", "INVALID_ACCESS_KEY_ID"),
        ("AWS Error SIGNATURE_DOES_NOT_MATCH during PutObject operation", "SIGNATURE_DOES_NOT_MATCH"),
        ("AWS Error NO_SUCH_BUCKET during PutObject operation", "NO_SUCH_BUCKET"),
        ("AWS Error REQUEST_TIME_TOO_SKEWED during PutObject operation", "REQUEST_TIME_TOO_SKEWED"),
        # Credentials that expire in the middle are told by name where there is a body, else by the status alone.
        (
            "AWS Error UNKNOWN (HTTP status 400) during PutObject operation: ExceptionName: ExpiredToken Message",
            "ExpiredToken",
        ),
        ("AWS Error UNKNOWN (HTTP status 400) during HeadObject operation", "HTTP status 400"),
        ("AWS Error UNKNOWN (HTTP status 403) during ListObjectsV2 operation", "HTTP status 403"),
        ("AWS Error UNKNOWN (HTTP status 301) during HeadObject operation", "HTTP status 301"),
        ("Credentials: ExpiredToken", "ExpiredToken"),
    ],
)
def test_a_store_that_refuses_is_not_asked_again(answer, kind):
    away = Away(5, f"When writing key 'a' in bucket 'bucket': {answer}: the key AKIAEXAMPLE may not")
    with pytest.raises(StoreError, match=rf"refuses \({kind}\)") as error, patience(300):
        patiently("s3://bucket/a", away)
    assert away.tried == 1
    assert "AKIAEXAMPLE" not in str(error.value)


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("AWS Error NETWORK_CONNECTION during PutObject operation: curlCode: 7", ""),
        ("AWS Error SLOW_DOWN during PutObject operation: AKIAEXAMPLE", " (SLOW_DOWN)"),
        ("AWS Error UNKNOWN (HTTP status 503) during HeadObject operation", " (HTTP status 503)"),
        ("AWS Error [code 100] during HeadObject operation", " ([code 100])"),
        ("AKIAEXAMPLE could not be sent", ""),
    ],
)
def test_a_name_that_sounds_like_a_refusal_is_none(answer, kind):
    """The name of a run stands in the words of every error."""
    told: list[str] = []
    away = Away(5, f"When writing key 'VALIDATION-AccessDenied' in bucket 'NoSuchBucket': {answer}")
    if not kind:
        away.text = answer
    with patience(300, told.append):
        assert patiently("s3://bucket/a", away) == "answer"
    (line,) = told
    there = "Amazon's store (AWS_ENDPOINT_URL is not set)"
    assert line.startswith(f"s3://bucket/a: {there} can't be reached{kind}; trying again for up to 300 s")
    assert "AKIAEXAMPLE" not in line


def test_how_long_a_store_is_waited_for_is_as_it_was_in_the_end():
    with patience(300):
        with pytest.raises(KeyError), patience(7):
            raise KeyError
        assert waiting._patience.seconds == 300
    assert waiting._patience.seconds == waiting.LOOKING_SECONDS


def test_what_is_not_there_is_no_fault_of_the_store():
    def missing():
        raise FileNotFoundError(2, "no such object")

    with pytest.raises(FileNotFoundError), patience(300):
        patiently("s3://bucket/a", missing)


def test_a_store_that_is_away_is_given_up_in_every_thread_until_the_end_of_that_patience():
    away = Away(10**6)
    ended: list[float] = []

    def ask():
        with pytest.raises(StoreUnreachable):
            patiently("s3://bucket/a", away)
        ended.append(time.monotonic())

    with patience(300):
        waiting.give_up_where_away()
        # It is not away: nothing is waited for.
        assert not waiting.has_given_up()
        threads = [threading.Thread(target=ask) for _ in range(3)]
        for thread in threads:
            thread.start()
        while away.tried < 6:
            time.sleep(0.01)
        assert waiting.store_is_away()
        began = time.monotonic()
        waiting.give_up_where_away()
        for thread in threads:
            thread.join()
        assert max(ended) - began < 0.5
        with pytest.raises(StoreUnreachable), patience(5):
            patiently("s3://bucket/a", Away(0))
    assert patiently("s3://bucket/a", Away(0)) == "answer"
    assert not waiting.store_is_away()


@pytest.mark.usefixtures("clock")
def test_what_a_store_is_at_for_long_counts_as_held_up(clock):
    def at_it():
        found.append(waiting.store_is_away())
        clock[0] += waiting.HURRIED_SECONDS
        found.extend((waiting.store_is_away(), waiting.store_is_away(waiting.HURRIED_SECONDS)))
        clock[0] += waiting.HELD_UP_SECONDS
        found.append(waiting.store_is_away())

    found: list[bool] = []
    patiently("s3://bucket/a", at_it)
    assert found == [False, False, True, True]
    assert not waiting.store_is_away()
