"""Parquet files, by their footers."""

import datetime
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow
from pyarrow import fs, parquet as pq

from floe.model import TableError
from floe.model.plan import FileStatistics, bounded
from floe.model.types import Array, Atomic, Decimal, MapOf, Member, Struct, Type, accepts
from floe.tables import storage
from floe.tables.boundary import cause_of

_WHOLE = {
    "bool": "boolean",
    "int8": "tinyint",
    "uint8": "smallint",
    "int16": "smallint",
    "uint16": "int",
    "int32": "int",
    "uint32": "bigint",
    "int64": "bigint",
    "float": "float",
    "double": "double",
    "string": "string",
    "large_string": "string",
    "string_view": "string",
    "binary": "binary",
    "large_binary": "binary",
    "binary_view": "binary",
    "date32[day]": "date",
    "date64[ms]": "date",
}

# frequent values are looked for among at most so many, at most so long
_MOST, _LONGEST = 8, 64
_AT_ONCE = 16  # footers that are read from an object store


def file_statistics(read: Iterable[pq.FileMetaData], schema: Struct) -> tuple[FileStatistics, ...]:
    """The statistics of footers for the columns of a schema; uncertain ones are left out."""
    return tuple(_statistics(footer, schema) for footer in read)


def footers(paths: Iterable[str | Path], files: fs.FileSystem | None = None) -> Iterator[pq.FileMetaData]:
    """The files' footers; TableError where there is none to read. Those in an object store are read side by side."""
    if files is not None:
        places = [(files, str(path)) for path in paths]
    else:
        places = [storage.system_of(str(path)) for path in paths]
    if len(places) < 2 or isinstance(places[0][0], fs.LocalFileSystem):
        yield from (_footer(system, path) for system, path in places)
        return
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        yield from pool.map(_footer, *zip(*places, strict=True))


def _footer(system: fs.FileSystem, path: str) -> pq.FileMetaData:
    try:
        with system.open_input_file(path) as stream:
            return pq.read_metadata(stream)
    except (OSError, pyarrow.ArrowException) as error:
        raise TableError(
            f"{path} cannot be read: {str(error).splitlines()[0]}",
            "Write it again as Parquet, or remove it",
            cause=cause_of(error),
        ) from None


def struct_of(footer: pq.FileMetaData) -> Struct:
    """The columns of a file as Spark reads them."""
    return Struct(tuple(Member(name, type_) for name, type_, _ in _columns(footer)))


def _statistics(footer: pq.FileMetaData, schema: Struct) -> FileStatistics:
    """The statistics of one footer; none for a column of another type; a missing column is null in every row.

    None for a column with another spelling either: sessions differ on whether it is the same column.
    """
    leaves = {name: (type_, leaf) for name, type_, leaf in _columns(footer)}
    folded = Counter(name.casefold() for name in leaves)
    legacy = b"org.apache.spark.legacyDateTime" in (footer.metadata or {})
    groups = [footer.row_group(index) for index in range(footer.num_row_groups)]
    nulls: dict[str, int] = {}
    least: dict[str, Any] = {}
    most: dict[str, Any] = {}
    for member in schema.members:
        type_, leaf = leaves.get(member.name, (None, None))
        if folded[member.name.casefold()] != (member.name in leaves):
            continue
        if type_ is None:
            nulls[member.name] = footer.num_rows
        elif leaf is not None and accepts(member.type, type_):
            found = _column([group.column(leaf) for group in groups], type_)
            if found is not None:
                nulls[member.name], low, high = found
                if low is not None and not (legacy and isinstance(low, datetime.date)):
                    least[member.name], most[member.name] = low, high
    return FileStatistics(footer.num_rows, nulls, least, most, exact=True)


def _column(chunks: list[Any], type_: Type) -> tuple[int, Any, Any] | None:
    """Null count and bounds over all row groups; None where one of them keeps no count."""
    nulls, edges = 0, []
    for chunk in chunks:
        found = chunk.statistics if chunk.is_stats_set else None
        if found is None or not found.has_null_count:
            return None
        nulls += found.null_count
        if found.null_count < chunk.num_values:
            edges.append(_bounds(chunk, found, type_))
    if not edges or None in edges:
        return nulls, None, None
    known = [edge for edge in edges if edge]
    return nulls, min(low for low, _ in known), max(high for _, high in known)


def _bounds(chunk: Any, found: Any, type_: Type) -> tuple[Any, Any] | None:
    if not bounded(type_) or not found.has_min_max or chunk.physical_type == "INT96":
        return None
    try:
        low, high = found.min, found.max
    except (ValueError, OverflowError, pyarrow.ArrowException):  # days that Python does not have
        return None
    return None if low is None or high is None or low > high else (_plain(low), _plain(high))


def _plain(value: Any) -> Any:
    """A bound as claims compare it: instants in UTC."""
    return value.astimezone(datetime.UTC) if isinstance(value, datetime.datetime) and value.tzinfo else value


def _columns(footer: pq.FileMetaData) -> Iterator[tuple[str, Type, int | None]]:
    """Each top-level column: its name, its type as Spark reads it, and the place of its values where it is no nest."""
    leaf = 0
    for field in footer.schema.to_arrow_schema():
        width = _width(field.type)
        plain = not pyarrow.types.is_nested(field.type)
        timestamp = plain and footer.schema.column(leaf).physical_type == "INT96"
        yield field.name, Atomic("timestamp") if timestamp else _type(field.type), leaf if plain else None
        leaf += width


def _width(type_: pyarrow.DataType) -> int:
    """How many leaves a type has in a file."""
    if pyarrow.types.is_map(type_):
        return _width(type_.key_type) + _width(type_.item_type)
    if not pyarrow.types.is_nested(type_):
        return 1
    return sum(_width(type_.field(index).type) for index in range(type_.num_fields))


def _type(type_: pyarrow.DataType) -> Type:
    """An Arrow type as Spark reads it from a file."""
    types = pyarrow.types
    if types.is_map(type_):
        return MapOf(_type(type_.key_type), _type(type_.item_type))
    if types.is_list(type_) or types.is_large_list(type_) or types.is_fixed_size_list(type_):
        return Array(_type(type_.value_type))
    if types.is_struct(type_):
        return Struct(tuple(Member(part.name, _type(part.type)) for part in type_))
    return _leaf(type_)


def _leaf(type_: pyarrow.DataType) -> Type:
    types = pyarrow.types
    if types.is_dictionary(type_):
        return _leaf(type_.value_type)
    if types.is_decimal(type_):
        return Decimal(type_.precision, type_.scale)
    if types.is_timestamp(type_) and type_.unit == "ns":
        return Atomic("timestamp(9)")  # which Spark does not read
    if types.is_timestamp(type_):
        return Atomic("timestamp" if type_.tz else "timestamp_ntz")
    if types.is_fixed_size_binary(type_):
        return Atomic("binary")
    return Decimal(20, 0) if types.is_uint64(type_) else Atomic(_WHOLE.get(str(type_), str(type_)))


def frequent_in_file(path: str | Path, names: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Some values of columns that have few, by the dictionaries of one file."""
    try:
        system, place = storage.system_of(str(path))
        footer = _footer(system, place)
        wanted = _repeating(footer, names)
        with pq.ParquetFile(system.open_input_file(place), metadata=footer, read_dictionary=wanted) as file:
            rows = file.read_row_group(0, columns=wanted) if wanted else pyarrow.table({})
        found = {name: _few_values(rows[name]) for name in wanted}
    except (
        OSError,
        ValueError,
        pyarrow.ArrowException,
        TableError,
    ):  # of files that are cut, and of text that is no UTF-8
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


def _few_values(column: pyarrow.ChunkedArray) -> tuple[str, ...]:
    if not pyarrow.types.is_dictionary(column.type) or not column.num_chunks:
        return ()
    values = column.chunk(0).dictionary.to_pylist()
    short = all(isinstance(value, str) and len(value) <= _LONGEST for value in values)
    return tuple(sorted(values)) if short and len(values) <= _MOST else ()
