"""A table as Spark sees it at one moment, the signal that it has changed since, and what a commit carries to be found again."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from pyspark.sql import DataFrame, SparkSession

from floe.lang.sql.literals import quote
from floe.model import TableError
from floe.model.types import Struct


class Tag(NamedTuple):
    """The run and the batch a commit belongs to, and how many rows it brings."""

    run_id: str
    batch_id: str | None
    rows: int
    schema: Mapping[str, str] = MappingProxyType({})  # the contract, schema_version and schema_hash of the snapshot
    attempt: int = (
        1  # Delta skips a transaction whose number it has seen, so a batch that RESTORE undid needs the next one
    )

    @property
    def marks(self) -> dict[str, str]:
        """The tag as names and values."""
        batch = {"floe.batch_id": self.batch_id} if self.batch_id else {}
        return {"floe.run_id": self.run_id, "floe.rows": str(self.rows), **batch, **self.schema}

    @property
    def text(self) -> str:
        """The tag as one line."""
        return json.dumps(self.marks, sort_keys=True)

    @property
    def app(self) -> str | None:
        """The writer of a batch as Delta's transactions know it."""
        return f"floe:{self.batch_id}" if self.batch_id else None

    def fits(self, marks: Mapping[str, str]) -> bool:
        """Whether marks in a table's log are this batch's, else this run's."""
        key = "floe.batch_id" if self.batch_id else "floe.run_id"
        return marks.get(key) == self.marks[key]


class Commit(NamedTuple):
    """A commit that is in the table: its snapshot, and the run and rows it names.

    The run is empty where only Delta's transaction record is left of it, because the log was cleaned up.
    """

    snapshot: str
    run_id: str
    rows: int


def commit_of(snapshot: object, marks: Mapping[str, str]) -> Commit:
    """The content of floe's tags in a log."""
    return Commit(str(snapshot), marks.get("floe.run_id", ""), int(marks.get("floe.rows", 0)))


@contextmanager
def conf(spark: SparkSession, values: Mapping[str, str]) -> Iterator[None]:
    """Settings of the session for one statement, put back afterwards."""
    before = {key: spark.conf.get(key, None) for key in values}
    try:
        for key, value in values.items():
            spark.conf.set(key, value)
        yield
    finally:
        for key, old in before.items():
            if old is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, old)


@contextmanager
def view(rows: DataFrame, tag: Tag) -> Iterator[str]:
    """Rows under a name that SQL can use, for one statement."""
    name = f"floe_{tag.run_id}"
    rows.createOrReplaceTempView(name)
    try:
        yield name
    finally:
        rows.sparkSession.catalog.dropTempView(name)


def merge_statement(target: str, source: str, keys: tuple[str, ...]) -> str:
    """Rows of the source take the place of those with their key, and are added where there are none."""
    return (
        f"MERGE INTO {target} AS floe_old USING {source} AS floe_new ON {_same(keys)} "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )


def insert_new_statement(target: str, source: str, column: str, keys: Sequence[tuple[str, ...]]) -> str:
    """Rows of the source are added; the statement fails where one of their keys is in the table already.

    A plain INSERT is not compared with rows that others commit meanwhile. A MERGE reads the table in the same transaction
    that it commits, so a key that another writer brought after the check fails it, and nothing is written.
    """
    same = " OR ".join(f"({_same(key)})" for key in keys)
    fail = "raise_error('floe: another writer wrote a key of this batch')"
    return (
        f"MERGE INTO {target} AS floe_old USING {source} AS floe_new ON {same} "
        f"WHEN MATCHED THEN UPDATE SET {quote(column)} = if({fail} IS NULL, NULL, floe_old.{quote(column)}) "
        "WHEN NOT MATCHED THEN INSERT *"
    )


def _same(keys: Sequence[str]) -> str:
    return " AND ".join(f"floe_old.{quote(key)} = floe_new.{quote(key)}" for key in keys)


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
