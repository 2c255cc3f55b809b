"""Places in an object store as paths, and how long a store is waited for."""

import os
import pickle
import time
from pathlib import Path

import pytest

from results import patience as waiting
from results.errors import RunError, StoreError, StoreUnreachable
from results.location import ObjectPath, adopt_settings, read_location, store, store_settings
from results.patience import patience, patiently


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("runs/a", Path("runs/a")),
        ("/runs", Path("/runs")),
        ("s3://bucket", ObjectPath("bucket")),
        ("s3://bucket/runs/a/", ObjectPath("bucket/runs/a")),
        ("s3://bucket/a b/=1", ObjectPath("bucket/a b/=1")),
    ],
)
def test_a_text_names_a_folder_or_a_place_in_a_store(text, expected):
    assert read_location(text) == expected


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("gs://bucket/a", "gs:// is no place for runs"),
        ("s3://", "is no place in a store"),
        ("s3://bucket//a", "is no place in a store"),
        ("s3://bucket/../other", "is no place in a store"),
        ("s3://key:secret@bucket/a", "is refused"),
    ],
)
def test_what_names_no_place_is_refused_and_credentials_are_not_repeated(text, told):
    with pytest.raises(RunError, match=told) as error:
        read_location(text)
    assert "secret" not in str(error.value)


def test_places_in_a_store_are_taken_apart_as_paths_are():
    place = ObjectPath("bucket/runs/a")
    below = place / "matches" / "00/"
    assert (str(below), below.name, below.parent.name) == ("s3://bucket/runs/a/matches/00", "00", "matches")
    assert below.with_name("01") == place / "matches/01"
    assert below.relative_to(place) == Path("matches/00")
    assert (place.bucket, ObjectPath("bucket").parent) == ("bucket", ObjectPath("bucket"))
    assert pickle.loads(pickle.dumps(place)) == place
    assert place.resolve() == place
    assert os.fspath(place) == str(place)


def test_settings_of_a_store_are_taken_over_whole(monkeypatch):
    for name in ("AWS_ENDPOINT_URL_S3", "AWS_PROFILE", "AWS_ACCESS_KEY_ID"):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    before = store()
    assert store_settings()["AWS_ENDPOINT_URL"] == "http://127.0.0.1:1"
    assert "AWS_ACCESS_KEY_ID" not in store_settings()
    adopt_settings({"AWS_ENDPOINT_URL": "http://127.0.0.1:1"})
    assert store() is before
    adopt_settings({"AWS_ENDPOINT_URL": "http://127.0.0.1:2"})
    assert store() is not before
    store.cache_clear()


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
    monkeypatch.setattr(time, "sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))
    return now


@pytest.mark.usefixtures("clock")
def test_a_store_that_comes_back_is_waited_for_and_that_is_told_once():
    told: list[str] = []
    away = Away(9)
    with patience(300, told.append):
        assert patiently("s3://bucket/a", away) == "answer"
    assert away.tried == 10
    (line,) = told
    assert line.startswith("s3://bucket/a: the store can't be reached (NETWORK_CONNECTION)")


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
    "kind", ["ACCESS_DENIED", "INVALID_ACCESS_KEY_ID", "SIGNATURE_DOES_NOT_MATCH", "NO_SUCH_BUCKET"]
)
def test_a_store_that_refuses_is_not_asked_again(kind):
    away = Away(5, f"AWS Error {kind} during PutObject operation: the key AKIAEXAMPLE may not")
    with pytest.raises(StoreError, match=kind) as error, patience(300):
        patiently("s3://bucket/a", away)
    assert away.tried == 1
    assert "AKIAEXAMPLE" not in str(error.value)


def test_what_is_not_there_is_no_fault_of_the_store():
    def missing():
        raise FileNotFoundError(2, "no such object")

    with pytest.raises(FileNotFoundError), patience(300):
        patiently("s3://bucket/a", missing)
