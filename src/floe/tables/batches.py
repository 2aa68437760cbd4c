"""The rows of a table as batches of Arrow, read without Spark."""

from collections.abc import Iterator
from typing import Any

import pyarrow
from pyarrow import parquet as pq

from floe.model import TableError
from floe.model.contract import Target
from floe.model.types import Struct
from floe.settings import Settings
from floe.tables import reader_of
from floe.tables.boundary import library_errors

BATCH_ROWS = 65_536


class NotReadHereError(TableError):
    """The rows are there, but only Spark reads them."""


def batches(target: Target, schema: Struct, settings: Settings) -> Iterator[pyarrow.RecordBatch]:
    """The rows of a table; NotReadHereError where only Spark reads them, TableError where they cannot be read."""
    with library_errors(f"The rows of {target} cannot be read", "Check its files"):
        yield from reader_of(target).batches(target, schema, settings)


def read_first(target: Target, settings: Settings) -> None:
    """Read one row group of a table that its metadata describes; TableError where that cannot be done."""
    with library_errors(f"The rows of {target} cannot be read", "Check the table's files", may_hold_values=True):
        reader_of(target).read_first(target, settings)


def read_row_group(stream: Any) -> None:
    """Read the first row group of an open Parquet file, and close it."""
    with stream:
        file = pq.ParquetFile(stream)
        if file.num_row_groups:
            file.read_row_group(0)
