"""A table as Spark sees it at one moment, and the signal that it has changed since."""

from collections.abc import Mapping
from dataclasses import dataclass

from floe.model import TableError
from floe.model.types import Struct


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The state of a table for a gate: if any of it changes before the commit, the batch is checked again."""

    schema: Struct
    snapshot: str | None
    identity: str  # another one under the same name is another table
    properties: Mapping[str, str]
    partition: tuple[str, ...]
    location: str


def rows_lost(expected: int, found: int, what: str) -> TableError:
    """The error of a count that must not differ: every row of a batch is accounted for, or nothing is committed."""
    return TableError(
        f"The batch has {expected} rows, but {what} has {found}: rows would be lost or duplicated, so nothing was committed",
        "Executors and driver must share the storage of the table and of its staging folder: set tables.staging to a folder "
        "on S3, HDFS or a shared mount, and check that nothing removes files there",
    )


class TableMovedError(Exception):
    """Another writer changed the table after the batch was checked: nothing was committed, and it must be checked again."""
