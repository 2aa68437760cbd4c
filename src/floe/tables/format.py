"""The interface of a table format: a reader that needs no Spark, and what gates and scans do with Spark.

A format is a package below `floe.tables`. Its module `reader` has the functions of `TableReader`, its module `table` those
of `ReadableFormat`, and of `TableFormat` where floe can commit to its tables. mypy checks the modules against these
Protocols where `floe.tables.reader_of` and `floe.tables.formats` return them. Nothing outside `floe.tables` compares the
name of a format.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from floe.model.contract import Target
from floe.model.plan import Expectation, FileStatistics, Plan
from floe.model.types import Struct, Type
from floe.settings import Settings

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import Column, DataFrame, SparkSession

    from floe.tables.facts import FilesWithoutIds, Rewrite, TableFacts
    from floe.tables.rows import TableRows
    from floe.tables.spark.schema import FieldIds, Protection
    from floe.tables.state import Commit, State, Tag
    from floe.tables.storage import StoredFile


class TableReader(Protocol):
    """What is known of a table without Spark: its log, its statistics, its rows read by Python's own libraries."""

    def needs_spark(self, target: Target) -> bool:
        """Whether only a Spark session knows the table."""
        ...

    def can_commit(self, target: Target) -> bool:
        """Whether floe can write to the table."""
        ...

    def descriptions(self, target: Target) -> dict[str, str]:
        """The comments of columns, by name."""
        ...

    def probe(self, target: Target, settings: Settings) -> "TableFacts | None":
        """The state in the table's log; None if there is no table yet, TableError if it is unreachable."""
        ...

    def schema(self, target: Target, settings: Settings) -> Struct | None:
        """The columns alone, without reading statistics; None where there is no table yet."""
        ...

    def version_name(self, target: Target, settings: Settings) -> str | None:
        """A text that changes with every commit, read without statistics; None where there is no table."""
        ...

    def rewrites(self, target: Target, settings: Settings, since: str, now: str) -> "list[Rewrite]":
        """Files whose rows only moved between two snapshots, oldest first; what is not certain is left out."""
        ...

    def changed(self, target: Target, facts: "TableFacts", settings: Settings) -> bool:
        """Whether a table that has no snapshot to read at has changed since it was probed."""
        ...

    def tracks_files(self) -> bool:
        """Whether the log names every file, so that results can be kept by file."""
        ...

    def spark_target(self, target: Target, facts: "TableFacts", settings: Settings) -> Target:
        """The table as floe's own Spark session reaches it."""
        ...

    def file_paths(self, facts: "TableFacts", files: Iterable[FileStatistics]) -> list[str]:
        """The full paths of data files."""
        ...

    def first_path(self, facts: "TableFacts") -> str | None:
        """The path of one data file; None where the table has none."""
        ...

    def base_path(self, facts: "TableFacts") -> str | None:
        """The folder below which the paths of data files name partitions; None where partitions are not in paths."""
        ...

    def columns_match(
        self, facts: "TableFacts", files: Sequence[FileStatistics], paths: Sequence[str], columns: Collection[str]
    ) -> bool:
        """Whether these columns in the files are the table's columns of now, and no others of the same names."""
        ...

    def read_first(self, target: Target, settings: Settings) -> None:
        """Read one row group; any error where the files cannot be read."""
        ...

    def batches(self, target: Target, schema: Struct, settings: Settings) -> "Iterator[pyarrow.RecordBatch]":
        """The rows in batches of Arrow; NotReadHereError where only Spark can read them."""
        ...

    def open_rows(self, target: Target, settings: Settings) -> "TableRows | None":
        """The table at its newest snapshot, to look up rows by key; None if there is no table."""
        ...

    def files_without_ids(self, target: Target, settings: Settings) -> "FilesWithoutIds | None":
        """How many files lack the field ids that the format finds columns by; None where it has no such ids."""
        ...


class ReadableFormat(Protocol):
    """A table format whose tables Spark can read."""

    def exists(self, spark: "SparkSession", target: Target) -> bool:
        """Whether the table exists; TableError if something else is at its path."""
        ...

    def read(self, spark: "SparkSession", target: Target, snapshot: str | None = None) -> "DataFrame":
        """The rows of the table now, or at a snapshot."""
        ...

    def snapshot(self, spark: "SparkSession", target: Target) -> str | None:
        """The snapshot that readers see now; None where the table has none yet."""
        ...


class TableFormat(ReadableFormat, Protocol):
    """A table format that a gate can commit to."""

    def stored(self, type_: Type, /) -> Type:
        """The type that the format stores for a type of a contract."""
        ...

    def partition_value(self, column: "Column") -> "Column":
        """Text as the format keeps it in a partition column."""
        ...

    def read_state(self, spark: "SparkSession", target: Target, state: "State") -> "DataFrame":
        """The rows that the keys of a batch are compared with, with the current columns of the table."""
        ...

    def state(self, spark: "SparkSession", target: Target) -> "State":
        """Everything that a batch is checked against; if any of it changes before the commit, the batch is checked again."""
        ...

    def location(self, spark: "SparkSession", target: Target, settings: Settings) -> str:
        """The folder of the table, existing or to be created."""
        ...

    def data_folder(self, spark: "SparkSession", target: Target, location: str) -> str | None:
        """The folder of the table whose files can become its own where they lie; None where they must be moved."""
        ...

    def data_files(self, target: Target, location: str, run_id: str, settings: Settings) -> Iterable[str] | None:
        """The files that the table has now, and those that commits of a run added, undone ones too; None if not known."""
        ...

    def create(
        self,
        spark: "SparkSession",
        target: Target,
        schema: Struct,
        partition: tuple[str, ...],
        properties: dict[str, str],
    ) -> None:
        """Create the table, empty."""
        ...

    def field_ids(self, target: Target, schema: Struct, created: bool, settings: Settings) -> "FieldIds | None":
        """The ids that the columns of staged files must carry, where the format has ids."""
        ...

    def commit_files(
        self, target: Target, files: "Sequence[StoredFile]", plan: Plan, tag: "Tag", state: "State", settings: Settings
    ) -> str | None:
        """Commit staged files as they are, onto this state; else the reason why Spark must write the rows."""
        ...

    def append(
        self, rows: "DataFrame", target: Target, tag: "Tag", keys: Sequence[tuple[str, ...]], state: "State"
    ) -> None:
        """Add rows in one commit, which fails where other writers brought one of their keys meanwhile."""
        ...

    def merge(self, rows: "DataFrame", target: Target, keys: tuple[str, ...], tag: "Tag", state: "State") -> None:
        """Update rows by key and insert the others, in one commit."""
        ...

    def overwrite_partitions(self, rows: "DataFrame", target: Target, tag: "Tag", state: "State") -> None:
        """Replace everything in the partitions that the rows have, in one commit."""
        ...

    def next_attempt(self, spark: "SparkSession", target: Target, tag: "Tag") -> int:
        """The number of the batch's next transaction, where the format numbers transactions."""
        ...

    def commit_of_run(self, spark: "SparkSession", target: Target, tag: "Tag", mode: str) -> "Commit | None":
        """The commit that this run has just made, with the rows that the format counted in it."""
        ...

    def committed(self, spark: "SparkSession", target: Target, tag: "Tag") -> "Commit | None":
        """The commit of a batch, else of a run, where the table still holds it."""
        ...

    def forgotten_before(self, spark: "SparkSession", target: Target) -> datetime | None:
        """The moment before which the history no longer shows batches; None where it shows all of them."""
        ...

    def is_new(self, state: "State") -> bool:
        """Whether no writer has committed since the table was created."""
        ...

    def advanced(self, before: "State", after: "State", statements: int) -> bool:
        """Whether only statements of floe are between two states."""
        ...

    def follows(self, commit: "Commit", state: "State") -> bool:
        """Whether a commit was made onto a state, with no other commit between them."""
        ...

    def protect(
        self, spark: "SparkSession", target: Target, rules: Sequence[Expectation], settings: Settings
    ) -> "list[Protection]":
        """Make the table itself enforce rules, and remove those of floe that the contract no longer has."""
        ...

    def unprotect(self, spark: "SparkSession", target: Target, settings: Settings) -> list[str]:
        """Remove what `protect` added; the names of what was removed."""
        ...
