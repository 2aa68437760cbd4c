"""Values that a column of text has again and again: the dictionary of one file tells, and it is small."""

from collections.abc import Collection
from pathlib import Path

import pyarrow
from pyarrow import parquet as pq

from floe.data.tables.facts import TableFacts
from floe.data.tables.fitting import fits, paths_of
from floe.data.tables.folder import list_files
from floe.model import TableError

_MOST, _LONGEST = 8, 64


def common_values(format_: str, table: TableFacts, names: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Some values of columns, by one file of a table that is on this machine; nothing where nobody can tell cheaply."""
    try:
        if not names or "://" in table.location.removeprefix("file://"):
            return {}
        if format_ == "parquet":
            folder = list_files(table.location)
            return of_file(folder.files[0], names) if folder else {}
        first = (table.files or ())[:1]
        if not first or not fits(format_, table, first, names):
            return {}
        (path,) = paths_of(format_, table, first)
    except (TableError, OSError):
        return {}
    return of_file(path.removeprefix("file://").removeprefix("file:"), names)


def of_file(path: str | Path, names: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The same, by one file."""
    try:
        footer = pq.read_metadata(path)
        wanted = _repeating(footer, names)
        with pq.ParquetFile(path, metadata=footer, read_dictionary=wanted) as file:
            rows = file.read_row_group(0, columns=wanted) if wanted else pyarrow.table({})
        found = {name: _values(rows[name]) for name in wanted}
    except (OSError, ValueError, pyarrow.ArrowException):  # of files that are cut, and of text that is no UTF-8
        return {}
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
    short = all(isinstance(one, str) and len(one) <= _LONGEST for one in values)
    return tuple(sorted(values)) if short and len(values) <= _MOST else ()
