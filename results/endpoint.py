"""Where the object store is that the environment names."""

import os
import re

from results.errors import StoreError

_NAMES = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
_URL = re.compile(r"https?://[^/\s]+/?")


def endpoint() -> str | None:
    """Return the URL of the store, None for Amazon's; StoreError where it is no URL."""
    name, url = _stated()
    if url is not None and not _URL.fullmatch(url):
        raise StoreError(
            f"{name} is {_bare(url)}, which is no address of a store; give it as http://host:9000."
        )
    return url


def endpoint_words() -> str:
    """Return which store is asked, for people, without what its URL may hold of credentials."""
    _, url = _stated()
    return f"the store at {_bare(url)}" if url else "Amazon's store (AWS_ENDPOINT_URL is not set)"


def _stated() -> tuple[str, str | None]:
    """Return the variable that says where the store is, and what it says."""
    stated = ((name, os.environ[name]) for name in _NAMES if os.environ.get(name))
    return next(stated, ("", None))


def _bare(url: str) -> str:
    scheme, mark, rest = url.rpartition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{mark}{host.rpartition('@')[2]}{slash}{path}"
