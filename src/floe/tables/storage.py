"""The one door to storage: where a place leads, how it is reached, and what is there.

A place is a local path or a URL (`s3://`, `s3a://`, `gs://`, `abfss://`, `hdfs://`). pyarrow, deltalake, pyiceberg and Spark each
have their own names for endpoints, regions and keys; they all get them here, from `Settings.stores`.

The stores of a process are kept in one place, as SDKs keep their credentials, because a place is often all that is at hand:
`use` adds those of the settings, by the beginning of the URLs that they are for.
"""

import posixpath
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, unquote, urlsplit

from floe.model import TableCause, TableError
from floe.settings import ObjectStore, Settings
from floe.tables.boundary import cause_of

if TYPE_CHECKING:
    from pyarrow import fs

STAGED = "floe-"  # the beginning of a folder below a table in an object store where a run staged files
_S3 = re.compile("^s3[an]?://")
_GCS_RETRIES = timedelta(seconds=5)
_ATTEMPTS = 5  # of one request, where a store is throttled or a connection is lost
_COMMITTERS = "org.apache.hadoop.fs.s3a.commit.S3ACommitterFactory"
_CONNECT, _ANSWER = 5, 60  # seconds
_stores: dict[str, ObjectStore] = {}
_unread: list[Callable[[], tuple[ObjectStore, ...]]] = []
_named_s3: list[str] = []  # one S3 URL that a command named, if any did


class StoredFile(NamedTuple):
    """A file, its size in bytes, and when it was written, as the store says."""

    place: str
    size: int
    changed: datetime | None


def use(stores: Callable[[], tuple[ObjectStore, ...]]) -> None:
    """Reach the URLs below the prefixes of these stores as they say; they are read when the first such URL is met."""
    _unread[:] = [stores]


def _known() -> dict[str, ObjectStore]:
    while _unread:
        _stores.update({store.prefix: store for store in _unread[0]()})
        _unread.pop()
    return _stores


def note(place: str | None) -> None:
    """Remember that this process works with a place, so that a session that is started for it can reach it."""
    if place and is_s3(place) and not _named_s3:
        _named_s3.append(place)


def needs_s3(settings: Settings) -> bool:
    """Whether a Spark session of these settings must reach S3: a setting or a command named a URL of it."""
    warehouses = [str(catalog.get("warehouse", "")) for catalog in settings.catalogs.values()]
    places = [settings.tables.warehouse, settings.tables.staging, *warehouses]
    return bool(settings.storage or _named_s3 or any(map(is_s3, places)))


def is_remote(place: str) -> bool:
    """Whether a place is a URL of other storage than this machine's.

    >>> is_remote("s3://lake/orders"), is_remote("file:///lake/orders"), is_remote("/lake/orders")
    (True, False, False)
    """
    return "://" in place and not place.startswith("file://")


def is_s3(place: str) -> bool:
    """Whether a place is in an object store that speaks S3."""
    return _S3.match(place) is not None


def is_bucket(place: str) -> bool:
    """Whether a URL is the root of a bucket.

    >>> is_bucket("s3://lake"), is_bucket("s3://lake/tables"), is_bucket("/lake")
    (True, False, False)
    """
    return is_s3(place) and "/" not in place.split("://", 1)[1].rstrip("/")


def local_path(place: str) -> str:
    """A local place as a plain path.

    >>> local_path("file:///lake/a"), local_path("file:/lake/a"), local_path("/lake/a")
    ('/lake/a', '/lake/a', '/lake/a')
    """
    return re.sub("^file:/+", "/", place)


def join(folder: str, *names: str) -> str:
    """A place below a folder."""
    return "/".join([folder.rstrip("/"), *names])


def parent(place: str) -> str:
    """The folder of a place.

    >>> parent("s3://lake/silver/orders/"), parent("/lake/orders")
    ('s3://lake/silver', '/lake')
    """
    return place.rstrip("/").rpartition("/")[0]


def name_below(folder: str, place: str) -> str | None:
    """A place relative to a folder; None where it is not below it.

    >>> name_below("s3://lake/orders", "s3a://lake/orders/part-1.parquet"), name_below("/lake/orders", "/lake/orders_2/a")
    ('part-1.parquet', None)
    """
    head, whole = (_S3.sub("s3://", local_path(text)).rstrip("/") for text in (folder, place))
    return whole[len(head) + 1 :] if whole.startswith(head + "/") else None


def store_of(place: str) -> ObjectStore | None:
    """How the store of an S3 URL is reached; None where no settings tell."""
    url = _S3.sub("s3://", place).rstrip("/")
    fitting = [store for prefix, store in _known().items() if prefix == "s3://" or f"{url}/".startswith(f"{prefix}/")]
    return max(fitting, key=lambda store: len(store.prefix), default=None)


def _arrow() -> Any:
    """Pyarrow with its file systems: 0.1 s that commands without tables do not need."""
    import pyarrow.fs  # noqa: PLC0415

    return pyarrow


def system_of(place: str) -> "tuple[fs.FileSystem, str]":
    """Where a place leads: a file system, and the path in it; TableError where it cannot be reached."""
    arrow = _arrow()

    if not is_remote(place):
        return arrow.fs.LocalFileSystem(), local_path(place).rstrip("/")
    try:
        system, root = _system_of_url(place)
        # where credentials are missing, Azure's client raises here; a listing as the first request would end the process
        if not isinstance(system, arrow.fs.S3FileSystem):
            system.get_file_info(root)
    except (OSError, ValueError, arrow.ArrowException) as error:
        raise unreachable(place, error) from None
    return system, root.rstrip("/")


def _system_of_url(place: str) -> "tuple[fs.FileSystem, str]":
    arrow = _arrow()

    store = store_of(place) if is_s3(place) else None
    if store and (store.endpoint or store.region):
        return _s3_system(store), _S3.sub("", place)
    if place.startswith("gs://"):  # without a limit it tries for a quarter of an hour
        return arrow.fs.GcsFileSystem(retry_time_limit=_GCS_RETRIES), place.removeprefix("gs://")
    system, root = arrow.fs.FileSystem.from_uri(_S3.sub("s3://", place))
    return system, str(root)


@lru_cache(maxsize=16)
def _s3_system(store: ObjectStore) -> "fs.FileSystem":
    arrow = _arrow()

    endpoint = urlsplit(store.endpoint)
    return arrow.fs.S3FileSystem(
        access_key=store.key_id or None,
        secret_key=store.secret or None,
        session_token=store.token or None,
        region=store.region or "us-east-1",
        scheme=endpoint.scheme or "https",
        endpoint_override=endpoint.netloc or None,
        force_virtual_addressing=not store.path_style,
        connect_timeout=_CONNECT,
        request_timeout=_ANSWER,
        allow_delayed_open=True,  # a small file is one request
        retry_strategy=arrow.fs.AwsStandardS3RetryStrategy(max_attempts=_ATTEMPTS),
    )


def unreachable(place: str, error: Exception) -> TableError:
    """A place whose store does not answer, does not know us, or does not have it."""
    text = (str(error).splitlines() or [type(error).__name__])[0][:300]
    return TableError(f"{place} cannot be reached: {text}", "Check its address and permissions", cause=cause_of(error))


@contextmanager
def errors_of(place: str) -> Iterator[None]:
    """Errors of a store as TableError."""
    arrow = _arrow()

    try:
        yield
    except (OSError, arrow.ArrowException) as error:
        raise unreachable(place, error) from None


def check_bucket(place: str) -> None:
    """TableError where the bucket of an S3 URL is not there: what is below it then only seems to be absent."""
    arrow = _arrow()

    if not is_s3(place):
        return
    bucket = _S3.sub("s3://", place).removeprefix("s3://").split("/", 1)[0]
    system, _ = system_of(place)
    with errors_of(place):
        if system.get_file_info(bucket).type is arrow.fs.FileType.NotFound:
            raise TableError(
                f"{place} cannot be reached: there is no bucket '{bucket}'",
                "Correct the URL, or create the bucket",
                cause=TableCause.MISSING,
            )


def files_below(place: str) -> list[StoredFile]:
    """Every file below a folder, at any depth, by one listing; nothing where the folder is not there."""
    arrow = _arrow()

    system, root = system_of(place)
    with errors_of(place):
        found = system.get_file_info(arrow.fs.FileSelector(root, recursive=True, allow_not_found=True))
    return [
        StoredFile(join(place, file.path[len(root) + 1 :]), file.size, _time(file.mtime_ns))
        for file in sorted(found, key=lambda file: str(file.path))
        if file.is_file
    ]


def _time(nanoseconds: int | None) -> datetime | None:
    return None if nanoseconds is None else datetime.fromtimestamp(nanoseconds / 1e9, UTC)


def is_file(place: str) -> bool:
    """Whether there is a file at a place."""
    system, path = system_of(place)
    with errors_of(place):
        return bool(system.get_file_info(path).is_file)


def read_text(place: str) -> str | None:
    """The text of a file; None where it is not there."""
    if not is_remote(place):
        try:
            return Path(local_path(place)).read_text("utf-8")
        except FileNotFoundError:
            return None
    system, path = system_of(place)
    with errors_of(place):
        if not system.get_file_info(path).is_file:
            return None
        with system.open_input_file(path) as stream:
            return bytes(stream.read()).decode("utf-8")


def write_text(place: str, text: str) -> None:
    """Write a small file."""
    system, path = system_of(place)
    with errors_of(place), system.open_output_stream(path) as stream:
        stream.write(text.encode())


def remove_files(places: Iterable[str]) -> None:
    """Remove files; those that are gone already are no error."""
    for place in places:
        system, path = system_of(place)
        with errors_of(place), suppress(FileNotFoundError):
            system.delete_file(path)


def remove_folder(place: str) -> None:
    """Remove a folder and all that is in it; one that is not there is no error."""
    if not is_remote(place):
        shutil.rmtree(local_path(place), ignore_errors=True)
        return
    system, path = system_of(place)
    with errors_of(place), suppress(FileNotFoundError):
        system.delete_dir(path)


def move(source: str, target: str) -> None:
    """Move a file within one store. Object stores cannot rename: they copy it on their side, and the source is removed."""
    if not is_remote(source):
        Path(local_path(source)).rename(local_path(target))
        return
    system, path = system_of(source)
    _, there = system_of(target)
    system.move(path, there)


def delta_options(place: str) -> dict[str, str]:
    """How deltalake reaches a place: only a commit that finds no file of its version succeeds."""
    if not is_s3(place):
        return {}
    options = {
        "aws_conditional_put": "etag",
        "connect_timeout": f"{_CONNECT}s",
        "timeout": f"{_ANSWER}s",
        "max_retries": str(_ATTEMPTS),
        "retry_timeout": f"{_ANSWER}s",
    }
    store = store_of(place)
    if store is None:
        return options
    named = {
        "aws_endpoint_url": store.endpoint,
        "aws_region": store.region or ("us-east-1" if store.endpoint else ""),
        "aws_access_key_id": store.key_id,
        "aws_secret_access_key": store.secret,
        "aws_session_token": store.token,
        "aws_allow_http": "true" if store.endpoint.startswith("http://") else "",
        "aws_virtual_hosted_style_request": "false" if store.endpoint and store.path_style else "",
    }
    return options | {key: value for key, value in named.items() if value}


def iceberg_options(place: str) -> dict[str, str]:
    """How pyiceberg reaches the files of tables below a place."""
    store = store_of(place) if is_s3(place) else None
    if store is None:
        return {}
    named = {
        "s3.endpoint": store.endpoint,
        "s3.region": store.region or ("us-east-1" if store.endpoint else ""),
        "s3.access-key-id": store.key_id,
        "s3.secret-access-key": store.secret,
        "s3.session-token": store.token,
        "s3.connect-timeout": str(_CONNECT),
        "s3.request-timeout": str(_ANSWER),
    }
    return {key: value for key, value in named.items() if value}


def spark_options(stores: Iterable[ObjectStore]) -> Mapping[str, str]:
    """How Spark reaches S3: `s3://` and `s3a://` are one, and a commit of Delta that finds a file of its version fails."""
    found = {
        "spark.hadoop.fs.s3.impl": "org.apache.hadoop.fs.s3a.S3AFileSystem",
        "spark.delta.logStore.s3.impl": "floe.ConditionalLogStore",
        "spark.delta.logStore.s3a.impl": "floe.ConditionalLogStore",
        # files of tasks are uploads that the job completes: without it each file is copied twice
        "spark.sql.sources.commitProtocolClass": "org.apache.spark.internal.io.cloud.PathOutputCommitProtocol",
        "spark.sql.parquet.output.committer.class": "org.apache.spark.internal.io.cloud.BindingParquetOutputCommitter",
        "spark.hadoop.fs.s3a.committer.name": "magic",
        "spark.hadoop.mapreduce.outputcommitter.factory.scheme.s3": _COMMITTERS,
        "spark.hadoop.mapreduce.outputcommitter.factory.scheme.s3a": _COMMITTERS,
        "spark.hadoop.fs.s3a.attempts.maximum": str(_ATTEMPTS),
        "spark.hadoop.fs.s3a.connection.establish.timeout": f"{_CONNECT}s",
    }
    for store in stores:
        bucket = store.prefix.removeprefix("s3://").split("/", 1)[0]
        head = f"spark.hadoop.fs.s3a.bucket.{bucket}." if bucket else "spark.hadoop.fs.s3a."
        named = {
            "endpoint": store.endpoint,
            "endpoint.region": store.region or ("us-east-1" if store.endpoint else ""),
            "access.key": store.key_id,
            "secret.key": store.secret,
            "session.token": store.token,
            "path.style.access": "true" if store.endpoint and store.path_style else "",
            "connection.ssl.enabled": "false" if store.endpoint.startswith("http://") else "",
            "aws.credentials.provider": "org.apache.hadoop.fs.s3a.TemporaryAWSCredentialsProvider"
            if store.token
            else "",
        }
        found |= {head + key: value for key, value in named.items() if value}
    return found


def normalized(place: str) -> str:
    """A URL without `.` and `//`; TableError where it has `..`."""
    scheme, _, rest = place.partition("://")
    bucket, _, key = rest.partition("/")
    path = posixpath.normpath(f"/{key}")
    if ".." in key.split("/"):
        raise TableError(
            f"{place} leads out of its folder", "Write the URL without ..", "E507", cause=TableCause.UNREADABLE
        )
    return f"{scheme}://{bucket}{'' if path == '/' else path}"


def as_log_path(name: str) -> str:
    """A file's name below its table, as Delta's log spells it."""
    return quote(name, safe="/=-_.~!$&'()*+,;:@")


def from_log_path(name: str) -> str:
    """A file's name below its table, from Delta's log."""
    return unquote(name)
