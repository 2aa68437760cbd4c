"""Frequent values of a text column: the dictionary of one file has them, and it is small."""

from collections.abc import Collection
from pathlib import Path

import pyarrow
from pyarrow import parquet as pq

from floe.model import TableError
from floe.model.table import Target
from floe.tables import reader_of
from floe.tables.facts import TableFacts
from floe.tables.file_schema import fits

_MOST, _LONGEST = 8, 64


def frequent_values(target: Target, facts: TableFacts, names: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Some values of columns, from one local file of a table; nothing if they are not cheap to get."""
    try:
        if not names or "://" in facts.location.removeprefix("file://"):
            return {}
        reader = reader_of(target)
        if reader.tracks_files() and not fits(target, facts, (facts.files or ())[:1], names):
            return {}
        path = reader.first_path(facts)
    except (TableError, OSError):
        return {}
    return of_file(path.removeprefix("file://").removeprefix("file:"), names) if path else {}


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
        chunk.path_in_schema
        for chunk in chunks
        if chunk.path_in_schema in names
        and chunk.has_dictionary_page
        and chunk.total_uncompressed_size < chunk.num_values
    ]


def _values(column: pyarrow.ChunkedArray) -> tuple[str, ...]:
    if not pyarrow.types.is_dictionary(column.type) or not column.num_chunks:
        return ()
    values = column.chunk(0).dictionary.to_pylist()
    short = all(isinstance(value, str) and len(value) <= _LONGEST for value in values)
    return tuple(sorted(values)) if short and len(values) <= _MOST else ()
