"""Values that a column of text has again and again: the dictionary of one file tells, and it is small."""

from collections.abc import Collection
from pathlib import Path

import pyarrow
from pyarrow import parquet as pq

from floe.data.tables.facts import TableFacts
from floe.data.tables.fitting import paths_of
from floe.data.tables.folder import list_files
from floe.model import TableError

_MOST, _LONGEST = 16, 64


def common_values(format_: str, table: TableFacts, names: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Some values of columns, by one file of a table that is on this machine; nothing where nobody can tell cheaply."""
    try:
        if not names or "://" in table.location.removeprefix("file://"):
            return {}
        if format_ == "parquet":
            folder = list_files(table.location)
            return of_file(folder.files[0], names) if folder else {}
        paths = paths_of(format_, table, (table.files or ())[:1])
    except TableError:
        return {}
    return of_file(paths[0].removeprefix("file://").removeprefix("file:"), names) if paths else {}


def of_file(path: str | Path, names: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The same, by one file."""
    try:
        with pq.ParquetFile(path, read_dictionary=list(names)) as file:
            wanted = _repeating(file.metadata, names)
            rows = file.read_row_group(0, columns=wanted) if wanted else pyarrow.table({})
    except (OSError, ValueError, pyarrow.ArrowException):
        return {}
    found = {name: _values(rows[name]) for name in wanted}
    return {name: values for name, values in found.items() if values}


def _repeating(footer: pq.FileMetaData, names: Collection[str]) -> list[str]:
    """The columns whose values take less than a byte each: there are few, and a dictionary holds them."""
    if not footer.num_row_groups:
        return []
    group = footer.row_group(0)
    chunks = [group.column(index) for index in range(group.num_columns)]
    return [
        one.path_in_schema
        for one in chunks
        if one.path_in_schema in names and one.has_dictionary_page and one.total_uncompressed_size < one.num_values
    ]


def _values(column: pyarrow.ChunkedArray) -> tuple[str, ...]:
    if not pyarrow.types.is_dictionary(column.type) or not column.num_chunks:
        return ()
    values = column.chunk(0).dictionary.to_pylist()
    return tuple(sorted(one for one in values if isinstance(one, str) and len(one) <= _LONGEST)[:_MOST])
