"""Where a run lies: a folder of this machine, or a place in an S3-compatible object store.

An `ObjectPath` answers to what is asked of a `Path` here, so that what reads and writes runs needs no second form.
"""

import io
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Self, TypeVar

from results.endpoint import endpoint, endpoint_words
from results.errors import RunError, StoreError
from results.patience import patiently

SCHEME = "s3://"

#: The environment variables that say where a store is and who asks; what they hold is told to nobody.
SETTINGS = (
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_ENDPOINT_URL_S3",
    "AWS_ENDPOINT_URL",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_PROFILE",
    "AWS_CA_BUNDLE",
)
#: The region where none is said and the store is at an endpoint of its own, which mostly have none.
USUAL_REGION = "us-east-1"

#: How much of an object's end is read at once: the footers of most parts fit in.
_END_BYTES = 1 << 16

_T = TypeVar("_T")


@dataclass(frozen=True, order=True)
class ObjectPath:
    """A place in an object store, `bucket/name/of/it`; folders are there as soon as anything is in them.

    Every operation waits for a store that can't be reached, as long as patience says. StoreError where the store
    refuses; OSError where it can't be reached any longer.
    """

    key: str

    def __str__(self) -> str:
        return f"{SCHEME}{self.key}"

    def __fspath__(self) -> str:
        return str(self)

    def __truediv__(self, below: "str | os.PathLike[str]") -> "ObjectPath":
        return ObjectPath(f"{self.key}/{os.fspath(below).strip('/')}")

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.key.rpartition("/")[2]

    @property
    def bucket(self) -> str:
        """The bucket, or container, that the path begins with."""
        return self.key.partition("/")[0]

    @property
    def parent(self) -> "ObjectPath":
        """The folder that holds it; a bucket's is itself."""
        return ObjectPath(self.key.rpartition("/")[0] or self.key)

    def with_name(self, name: str) -> "ObjectPath":
        """Return the path of another name beside it."""
        return self.parent / name

    def resolve(self) -> Self:
        """Return the path itself, which hangs on no working directory."""
        return self

    def relative_to(self, folder: "ObjectPath") -> Path:
        """Return the path from a folder above it."""
        return Path(self.key).relative_to(folder.key)

    def exists(self) -> bool:
        """Return whether an object or a folder is there."""
        return self._kind() != "NotFound"

    def is_dir(self) -> bool:
        """Return whether it is a folder that holds anything, or a bucket."""
        return self._kind() == "Directory"

    def is_file(self) -> bool:
        """Return whether it is an object."""
        return self._kind() == "File"

    def iterdir(self) -> Iterator["ObjectPath"]:
        """Yield what is directly in a folder, none where the folder is not there."""
        yield from (self / info.base_name for info in self._infos(recursive=False))

    def rglob_files(self) -> Iterator["ObjectPath"]:
        """Yield all objects below a folder."""
        yield from (ObjectPath(info.path) for info in self._infos(recursive=True) if info.is_file)

    def sizes_below(self) -> dict["ObjectPath", int]:
        """Return the bytes of all objects below a folder, which a store tells with their names."""
        return {ObjectPath(info.path): int(info.size) for info in self._infos(recursive=True) if info.is_file}

    def read_bytes(self) -> bytes:
        """Return what an object holds; FileNotFoundError where there is none."""

        def read() -> bytes:
            with store().open_input_file(self.key) as file:
                content: bytes = file.read()
            return content

        return self._asked(read)

    def read_text(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        """Return what an object holds as text."""
        return self.read_bytes().decode(encoding, errors)

    def read_end(self, length: int) -> tuple[bytes, int]:
        """Return the last bytes of an object, at least `length` of them where there are so many, and its size."""

        def read() -> tuple[bytes, int]:
            with store().open_input_file(self.key) as file:
                size: int = file.size()
                file.seek(max(0, size - max(length, _END_BYTES)))
                return file.read(), size

        return self._asked(read)

    def write_bytes(self, content: bytes | bytearray) -> None:
        """Write an object whole or not at all, in one request unless it is very large."""

        def write() -> None:
            stream = store().open_output_stream(self.key)
            # Closing commits, so nothing that may fail stands between opening and closing.
            stream.write(content)
            stream.close()

        self._asked(write)

    def unlink(self, missing_ok: bool = False) -> None:
        """Remove an object."""
        try:
            self._asked(lambda: store().delete_file(self.key))
        except FileNotFoundError:
            if not missing_ok:
                raise

    def remove_tree(self) -> None:
        """Remove all that is below a folder, with what a store may keep of the folder itself."""
        self._asked(lambda: store().delete_dir(self.key))

    def rename(self, target: "ObjectPath") -> "ObjectPath":
        """Copy an object to another name, then remove it: a store has no other way."""
        self._asked(lambda: store().copy_file(self.key, target.key))
        self.unlink(missing_ok=True)
        return target

    def stat_size(self) -> int:
        """Return the bytes that an object holds; FileNotFoundError where there is none."""
        info = self._asked(lambda: store().get_file_info(self.key))
        if not info.is_file:
            raise FileNotFoundError(2, "No such object", str(self))
        return int(info.size)

    def stat_modified(self) -> float:
        """Return when an object was written, by the store's clock; FileNotFoundError where there is none."""
        info = self._asked(lambda: store().get_file_info(self.key))
        if not info.is_file:
            raise FileNotFoundError(2, "No such object", str(self))
        return float(info.mtime_ns) / 1e9

    def _kind(self) -> str:
        return str(self._asked(lambda: store().get_file_info(self.key)).type.name)

    def _infos(self, recursive: bool) -> list[Any]:
        from pyarrow.fs import FileSelector

        selector = FileSelector(self.key, recursive=recursive, allow_not_found=True)
        infos: list[Any] = self._asked(lambda: store().get_file_info(selector))
        return infos

    def _asked(self, operation: Callable[[], _T]) -> _T:
        return patiently(str(self), operation)


Location = Path | ObjectPath


def read_location(text: str | os.PathLike[str]) -> Location:
    """Return the location that a text names: a path, or s3://bucket/name.

    RunError where a store's address is malformed, names another kind of store, or holds credentials.
    """
    words = os.fspath(text)
    scheme, colon, _ = words.partition("://")
    if not words.startswith("s3:"):
        if colon:
            raise RunError(
                f"{scheme}:// is no place for runs; give a folder, or s3://bucket/name in a store."
            )
        return Path(words)
    key = words.removeprefix("s3:").strip("/")
    if "@" in key.partition("/")[0]:
        raise RunError(
            "s3:// with a user or a key in it is refused, as addresses are printed and stored; give "
            "s3://bucket/name, and the credentials as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."
        )
    if not words.startswith(SCHEME) or not key or any(part in ("", ".", "..") for part in key.split("/")):
        raise RunError(f"{words} is no place in a store; give s3://bucket/name.")
    return ObjectPath(key)


def require_bucket(location: Location) -> None:
    """Raise StoreError unless the bucket of a place in a store is there."""
    if isinstance(location, ObjectPath) and not ObjectPath(location.bucket).is_dir():
        raise StoreError(
            f"{SCHEME}{location.bucket} is no bucket of {endpoint_words()}; make it first, or "
            "look at its name and at AWS_ENDPOINT_URL."
        )


def store_settings() -> dict[str, str]:
    """Return the settings of the store in this environment, for processes of the same user elsewhere."""
    return {name: os.environ[name] for name in SETTINGS if os.environ.get(name)}


def adopt_settings(settings: Mapping[str, str]) -> None:
    """Take over the settings of the store from another process of the same user."""
    if any(os.environ.get(name) != value for name, value in settings.items()):
        os.environ.update(settings)
        store.cache_clear()


@lru_cache(maxsize=1)
def store() -> Any:
    """Return the store that the environment names, as a pyarrow filesystem; one for the process."""
    # Older S3-compatible stores know no checksums of requests in trailers.
    os.environ.setdefault("AWS_REQUEST_CHECKSUM_CALCULATION", "when_required")
    os.environ.setdefault("AWS_RESPONSE_CHECKSUM_VALIDATION", "when_required")
    # A machine outside a cloud has no metadata service that could know credentials: asking takes seconds.
    url = endpoint()
    os.environ.setdefault("AWS_EC2_METADATA_DISABLED", "true" if url else "false")
    from pyarrow.fs import AwsStandardS3RetryStrategy, S3FileSystem

    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    return S3FileSystem(
        endpoint_override=url,
        region=region or (USUAL_REGION if url else None),
        # Patience of our own is longer, and ends when the user says so.
        retry_strategy=AwsStandardS3RetryStrategy(max_attempts=2),
        connect_timeout=5.0,
        request_timeout=10.0,
        allow_delayed_open=True,
        background_writes=False,
        tls_ca_file_path=os.environ.get("AWS_CA_BUNDLE"),
    )


def read_end(location: Location, length: int) -> tuple[bytes, int]:
    """Return the last bytes of a file, at least `length` where there are so many, and its size."""
    if isinstance(location, ObjectPath):
        return location.read_end(length)
    with location.open("rb") as file:
        size = file.seek(0, io.SEEK_END)
        file.seek(max(0, size - length))
        return file.read(), size


def file_size(location: Location) -> int:
    """Return the bytes of a file."""
    return location.stat_size() if isinstance(location, ObjectPath) else location.stat().st_size


def modified(location: Location) -> float:
    """Return when a file was last written, in seconds since 1970; FileNotFoundError where there is none."""
    return location.stat_modified() if isinstance(location, ObjectPath) else location.stat().st_mtime
