"""Folders of Parquet files without Spark, read by pyarrow."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import pyarrow
from pyarrow import parquet as pq

from floe.model import TableError
from floe.model.contract import Target
from floe.model.plan import FileStatistics
from floe.model.types import Struct
from floe.settings import Settings
from floe.tables.batches import BATCH_ROWS, read_row_group
from floe.tables.facts import Rewrite, TableFacts
from floe.tables.parquet import columns as parquet_columns, folder


def needs_spark(target: Target) -> bool:
    """Never."""
    del target
    return False


def can_commit(target: Target) -> bool:
    """Never: a folder has no log."""
    del target
    return False


def descriptions(target: Target) -> dict[str, str]:
    """Files hold none."""
    del target
    return {}


def probe(target: Target, settings: Settings) -> TableFacts | None:
    """The footers of the files below a path."""
    del settings
    return folder.probe(str(target.path))


def schema(target: Target, settings: Settings) -> Struct | None:
    """The columns, from the footers."""
    facts = probe(target, settings)
    return facts.schema if facts else None


def version_name(target: Target, settings: Settings) -> str | None:
    """A hash of the files and their times."""
    del settings
    found = folder.list_files(str(target.path))
    return found.snapshot if found else None


def rewrites(target: Target, settings: Settings, since: str, now: str) -> list[Rewrite]:
    """None are known: there is no log."""
    del target, settings, since, now
    return []


def changed(target: Target, facts: TableFacts, settings: Settings) -> bool:
    """Whether the files changed: a folder cannot be read at an earlier time."""
    return version_name(target, settings) != facts.snapshot


def tracks_files() -> bool:
    """There is no log."""
    return False


def spark_target(target: Target, facts: TableFacts, settings: Settings) -> Target:
    """The folder itself."""
    del facts, settings
    return target


def file_paths(facts: TableFacts, files: Iterable[FileStatistics]) -> list[str]:
    """Paths below the folder."""
    return [f"{facts.location.rstrip('/')}/{file.path}" for file in files]


def first_path(facts: TableFacts) -> str | None:
    """The first file below the folder."""
    found = folder.list_files(facts.location)
    return found.files[0] if found else None


def base_path(facts: TableFacts) -> str | None:
    """The folder: folders below it are partitions."""
    return facts.location


def columns_match(
    facts: TableFacts, files: Sequence[FileStatistics], paths: Sequence[str], columns: Collection[str]
) -> bool:
    """Whether the files have the columns with the folder's types."""
    del files
    return parquet_columns.columns_match(facts, paths, columns)


def read_first(target: Target, settings: Settings) -> None:
    """Read one row group of the first file."""
    del settings
    found = folder.list_files(str(target.path))
    if found:
        read_row_group(found.system.open_input_file(found.files[0]))


def batches(target: Target, schema: Struct, settings: Settings) -> Iterator[pyarrow.RecordBatch]:
    """The rows of every file, with the values that its folders name."""
    del settings
    found = folder.list_files(str(target.path))
    assert found
    for path, partition in zip(found.files, found.partitions, strict=True):
        with found.system.open_input_file(path) as stream:
            for batch in pq.ParquetFile(stream).iter_batches(BATCH_ROWS):
                yield _with_partition(batch, partition, schema)


_PARTITION_TYPES = {"int": pyarrow.int32(), "bigint": pyarrow.int64()}


def _with_partition(
    batch: pyarrow.RecordBatch, partition: dict[str, str | None], schema: Struct
) -> pyarrow.RecordBatch:
    """A batch with the values that its file's folders name."""
    for name, text in partition.items():
        value: Any = pyarrow.scalar(text, pyarrow.string())
        type_name = str(schema[name].type)
        if type_name != "string":
            value = value.cast(_PARTITION_TYPES.get(type_name, pyarrow.date32()))
        if text is None:
            column = pyarrow.nulls(batch.num_rows, value.type)
        else:
            column = pyarrow.repeat(value, batch.num_rows)
        index = batch.schema.get_field_index(name)
        batch = batch.append_column(name, column) if index < 0 else batch.set_column(index, name, column)
    return batch


def open_rows(target: Target, settings: Settings) -> None:
    """Never: rows are looked up at a snapshot, which a folder has none of."""
    del settings
    raise TableError(f"{target} is a folder of Parquet files, which has no snapshots", "Use a Delta or Iceberg table")


def files_without_ids(target: Target, settings: Settings) -> None:
    """Files of a folder need no ids."""
    del target, settings
