"""A table as its own log describes it."""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import unquote

from floe.model import TableCause, TableError
from floe.model.plan import FileStatistics
from floe.model.types import Struct


@dataclass(frozen=True, slots=True)
class TableFacts:
    """The facts in a table's log now."""

    location: str
    snapshot: str | None
    metadata: str
    columns: tuple[str, ...]
    properties: Mapping[str, str] = field(default_factory=dict)
    schema: Struct | None = None
    committed: int | None = None  # when data last changed, in seconds since 1970
    files: tuple[FileStatistics, ...] | None = None  # None: the log's statistics cannot be had without Spark
    partition: tuple[str, ...] = ()
    key: tuple[str, ...] = ()
    uid: str | None = None  # another table at the same place has another
    identities: Mapping[str, str] = field(default_factory=dict)  # of columns: another of the same name has another
    loose: frozenset[str] = frozenset()  # columns whose statistics may be wrong: readers that filter by them skip rows
    altered: bool = False  # the columns are others than those of the snapshot, which a reader of the snapshot would get


class FilesWithoutIds(NamedTuple):
    """How many of the files that were looked into carry no field ids, and how many files the table has."""

    lacking: int
    seen: int
    files: int


class Rewrite(NamedTuple):
    """files whose rows are now in others; a removed file may be named by its path only.

    `rows` is how many the removed files must hold for that to be true: what came out, and what was deleted before.
    """

    removed: frozenset[str]
    added: frozenset[str]
    rows: int | None = None


def check_present(folder: str, paths: Iterable[str]) -> None:
    """Raise TableError if a local file of a log is missing: the statistics of the log are then useless."""
    if "://" in folder and not folder.startswith("file://"):
        return
    root = folder.removeprefix("file://")
    for path in paths:
        local = re.sub("^file:/+", "/", path)
        if not any(os.path.exists(os.path.join(root, name)) for name in (local, unquote(local))):
            raise TableError(
                f"{folder} lists the file {path}, which is missing",
                "Restore the file, or remove it from the table's log",
                cause=TableCause.MISSING,
            )
