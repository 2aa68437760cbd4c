"""A few rows of a table, read without Spark: whether its files can be read at all."""

from typing import Any

import pyarrow
from pyarrow import parquet as pq

from floe.model import TableError
from floe.model.settings import Settings
from floe.model.table import Target


def read_first(target: Target, settings: Settings) -> None:
    """Read one row group of a table that its metadata describes; TableError where that cannot be done."""
    try:
        if target.format == "iceberg":
            _iceberg(target, settings)
        elif target.format == "parquet":
            _parquet(str(target.path))
        else:
            _delta(str(target.path))
    except TableError:
        raise
    except Exception as error:  # noqa: BLE001  (each reader of files has errors of its own, and they may hold values)
        cause = error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
        raise TableError(f"The rows of {target} cannot be read: {cause}", "Check the table's files") from None


def _delta(path: str) -> None:
    from deltalake import DeltaTable  # noqa: PLC0415  (heavy)
    from deltalake.fs import DeltaStorageHandler  # noqa: PLC0415
    from pyarrow.fs import PyFileSystem  # noqa: PLC0415

    table = DeltaTable(path)
    names = pyarrow.table(table.get_add_actions())["path"].to_pylist()
    if names:
        system = PyFileSystem(DeltaStorageHandler.from_table(table._table))
        _row_group(system.open_input_file(names[0]))


def _iceberg(target: Target, settings: Settings) -> None:
    from pyiceberg.manifest import FileFormat  # noqa: PLC0415  (heavy)

    from floe.data.tables import iceberg  # noqa: PLC0415

    table = iceberg.open_table(target, settings)
    file = iceberg.first_file(table) if table else None
    if table is None or file is None:
        return
    with table.io.new_input(file.file_path).open() as stream:
        if file.file_format is FileFormat.PARQUET:
            _row_group(stream)
        else:
            stream.read(1)


def _parquet(path: str) -> None:
    from floe.data.tables.folder import list_files  # noqa: PLC0415  (heavy)

    folder = list_files(path)
    if folder:
        _row_group(folder.system.open_input_file(folder.files[0]))


def _row_group(stream: Any) -> None:
    with stream:
        file = pq.ParquetFile(stream)
        if file.num_row_groups:
            file.read_row_group(0)
