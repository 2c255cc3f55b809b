"""Places in an object store, named and taken apart as paths are."""

import os
import pickle
from pathlib import Path

import pytest

from results.endpoint import endpoint, endpoint_words
from results.errors import RunError, StoreError
from results.location import ObjectPath, adopt_settings, read_location, store, store_settings


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("runs/a", Path("runs/a")),
        ("/runs", Path("/runs")),
        ("s3://bucket", ObjectPath("bucket")),
        ("s3://bucket/runs/a/", ObjectPath("bucket/runs/a")),
        ("s3://bucket/a b/=1", ObjectPath("bucket/a b/=1")),
        ("./s3:x", Path("s3:x")),
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
        ("s3:///key:secret@bucket", "is refused"),
        ("https://key:secret@host/bucket", "https:// is no place for runs"),
        # As a path would spell it, and a slip of the hand: no folder of that name is made.
        ("s3:/bucket/a", "is no place in a store; give s3://bucket/name"),
        ("s3:/key:secret@bucket/a", "is refused"),
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


def test_an_endpoint_that_is_no_address_is_refused_without_what_it_holds(monkeypatch):
    for url in ("127.0.0.1:9000", "ada:secret@host:9000", "http://"):
        monkeypatch.setenv("AWS_ENDPOINT_URL", url)
        with pytest.raises(StoreError, match=r"AWS_ENDPOINT_URL is .* give it as http://host:9000") as error:
            endpoint()
        assert "secret" not in str(error.value)
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://ada:secret@host:9000")
    assert endpoint() == "http://ada:secret@host:9000"
    assert endpoint_words() == "the store at http://host:9000"
