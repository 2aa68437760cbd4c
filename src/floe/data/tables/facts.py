"""A table as its own log describes it."""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

from floe.data.remembered import Rewrite
from floe.model import TableError
from floe.model.claim import FileStatistics
from floe.model.settings import Settings
from floe.model.table import Target
from floe.model.types import Struct


@dataclass(frozen=True, slots=True)
class TableFacts:
    """What a table's log says of itself now."""

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


def check_present(folder: str, paths: Iterable[str]) -> None:
    """Raise TableError where a local file that a log lists is gone: what the log says of it is then of no use."""
    if "://" in folder and not folder.startswith("file://"):
        return
    root = folder.removeprefix("file://")
    for path in paths:
        local = re.sub("^file:/+", "/", path)
        if not any(os.path.exists(os.path.join(root, one)) for one in (local, unquote(local))):
            raise TableError(
                f"{folder} lists the file {path}, which is missing", "Restore the file, or take it from the table's log"
            )


def rewrites(target: Target, settings: Settings, since: str, now: str) -> list[Rewrite]:
    """Files whose rows only moved between two snapshots, oldest first; what is not sure is left out."""
    if target.format == "iceberg":
        from floe.data.tables import iceberg_changes  # noqa: PLC0415  (heavy)

        return iceberg_changes.rewrites(target, settings, since, now)
    if target.format == "delta" and target.path:
        from floe.data.tables import delta_changes  # noqa: PLC0415  (heavy)

        return delta_changes.rewrites(target.path, int(since), int(now))
    return []


def probe(target: Target, settings: Settings) -> TableFacts | None:
    """What the table's log says; None where there is no table yet, TableError where it is out of reach."""
    if target.format == "iceberg":
        from floe.data.tables import iceberg  # noqa: PLC0415  (0.3 s that a Delta table does not need)

        return iceberg.probe(target, settings)
    if target.format == "parquet":
        from floe.data.tables import folder  # noqa: PLC0415  (as heavy as the others)

        return folder.probe(str(target.path))
    from floe.data.tables import delta  # noqa: PLC0415  (deltalake is heavy too)

    return delta.probe(target)
