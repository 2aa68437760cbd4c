"""The rows of a table as batches of Arrow, one way per table format."""

from collections.abc import Iterator
from typing import Any

import pyarrow
from pyarrow import parquet as pq

from floe.model import TableError
from floe.model.settings import Settings
from floe.model.table import Target
from floe.model.types import Struct

_ROWS = 65_536


class NotReadHereError(TableError):
    """The rows are there, but only Spark reads them."""


def batches(target: Target, schema: Struct, settings: Settings) -> Iterator[pyarrow.RecordBatch]:
    """The rows of a table; NotReadHereError where only Spark reads them, TableError where they cannot be read."""
    read = {"delta": _delta, "iceberg": _iceberg, "parquet": _parquet}[target.format]
    try:
        yield from read(target, schema, settings)
    except TableError:
        raise
    except Exception as error:  # noqa: BLE001  (each reader has errors of its own, all meaning unreadable)
        cause = (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
        raise TableError(f"The rows of {target} cannot be read: {cause}", "Check its files") from None


def _delta(target: Target, schema: Struct, settings: Settings) -> Iterator[pyarrow.RecordBatch]:
    from deltalake import DeltaTable, QueryBuilder  # noqa: PLC0415  (heavy, and not every table is Delta's)
    from deltalake.exceptions import DeltaError, DeltaProtocolError  # noqa: PLC0415

    table = DeltaTable(str(target.path))
    if table.metadata().configuration.get("delta.columnMapping.mode", "none") != "none":
        raise NotReadHereError("its columns have other names in its files", "Read it with Spark")
    try:
        scanner = table.to_pyarrow_dataset().scanner(batch_size=_ROWS, batch_readahead=2, fragment_readahead=1)
        yield from scanner.to_batches()
        return
    except DeltaProtocolError:  # features that Arrow's own reader does not know, deletion vectors among them
        pass
    try:
        yield from pyarrow.RecordBatchReader.from_stream(QueryBuilder().register("t", table).execute("SELECT * FROM t"))
    except DeltaError as error:
        raise NotReadHereError(str(error).splitlines()[0], "Read it with Spark") from None


def _iceberg(target: Target, schema: Struct, settings: Settings) -> Iterator[pyarrow.RecordBatch]:
    from floe.data.tables.iceberg import open_table  # noqa: PLC0415  (heavy, and not every table is Iceberg's)

    table = open_table(target, settings)
    if table:
        yield from table.scan().to_arrow_batch_reader()


def _parquet(target: Target, schema: Struct, settings: Settings) -> Iterator[pyarrow.RecordBatch]:
    from floe.data.tables.folder import list_files  # noqa: PLC0415  (as the others)

    folder = list_files(str(target.path))
    assert folder
    for path, partition in zip(folder.files, folder.partitions, strict=True):
        with folder.system.open_input_file(path) as stream:
            for batch in pq.ParquetFile(stream).iter_batches(_ROWS):
                yield _with(batch, partition, schema)


def _with(batch: pyarrow.RecordBatch, partition: dict[str, str | None], schema: Struct) -> pyarrow.RecordBatch:
    """A batch with the values that its file's folders name."""
    for name, text in partition.items():
        value: Any = pyarrow.scalar(text, pyarrow.string())
        if str(schema[name].type) != "string":
            value = value.cast(
                {"int": pyarrow.int32(), "bigint": pyarrow.int64()}.get(str(schema[name].type), pyarrow.date32())
            )
        column = (
            pyarrow.repeat(value, batch.num_rows) if text is not None else pyarrow.nulls(batch.num_rows, value.type)
        )
        index = batch.schema.get_field_index(name)
        batch = batch.append_column(name, column) if index < 0 else batch.set_column(index, name, column)
    return batch
