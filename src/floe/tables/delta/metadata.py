"""Delta's log, read by deltalake."""

import datetime
import hashlib
import json
import os
import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal as Number
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import pyarrow
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError, TableNotFoundError
from deltalake.fs import DeltaStorageHandler
from pyarrow import compute
from pyarrow.fs import PyFileSystem

from floe.lang.type_text import from_spark_json
from floe.model import TableCause, TableError
from floe.model.contract import Target
from floe.model.plan import FileStatistics, bounded
from floe.model.types import Decimal, Struct, Type
from floe.tables.boundary import cause_of
from floe.tables.delta.log import is_absent, open_log, was_never_created
from floe.tables.facts import TableFacts, check_present
from floe.tables.storage import STAGED, is_remote, is_s3

_MILLISECOND = datetime.timedelta(milliseconds=1)
# deltalake writes decimals' bounds through a double, which keeps this many digits
_DIGITS = 15


def probe(target: Target) -> TableFacts | None:
    """The state in the log at a path."""
    if not target.path:
        raise TableError(
            f"{target.name} is in Spark's catalog, which needs a Spark session",
            "Pass its path with --table",
        )
    try:
        if _is_absent(target.path):
            return None
    except PermissionError as error:
        raise _unreadable(target.path, error) from None
    table = _open(target.path)
    try:
        return _facts(target.path, table)
    except (DeltaError, OSError, pyarrow.ArrowException, ValueError) as error:
        raise _unreadable(target.path, error) from None


def _facts(path: str, table: DeltaTable) -> TableFacts:
    written = json.loads(table.schema().to_json())
    schema = _struct(table)
    rows = _add_actions(table)
    return TableFacts(
        path,
        str(table.version()),
        f"{path}/_delta_log/{table.version():020}.json",
        tuple(member.name for member in schema.members),
        table.metadata().configuration,
        schema,
        _committed(table),
        _files(path, table, rows, {field["name"]: field.get("metadata") or {} for field in written["fields"]}),
        loose=_loose(schema, rows),
        partition=tuple(table.metadata().partition_columns),
        uid=str(table.metadata().id),
        identities={field["name"]: column_identity(field) for field in written["fields"]},
    )


def delta_mark(size: Any, changed: Any) -> str:
    """The identity of a file, for files that were written to the same path."""
    return f"{size} {changed}"


def column_identity(column: Mapping[str, Any]) -> str:
    """The identity of a column: its type and metadata, without its comment."""
    notes = {key: value for key, value in (column.get("metadata") or {}).items() if key != "comment"}
    return json.dumps([column["type"], notes], sort_keys=True)


def descriptions(path: str) -> dict[str, str]:
    """The comments of columns."""
    fields = json.loads(_open(path).schema().to_json())["fields"]
    comments = {field["name"]: (field.get("metadata") or {}).get("comment") for field in fields}
    return {name: comment for name, comment in comments.items() if comment}


def schema(path: str) -> Struct | None:
    """The columns, without reading statistics; None where there is no table."""
    return None if _is_absent(path) else _struct(_open(path))


def _struct(table: DeltaTable) -> Struct:
    schema = from_spark_json(json.loads(table.schema().to_json()))
    assert isinstance(schema, Struct)
    return schema


def _committed(table: DeltaTable) -> int | None:
    """When rows last came or went: compaction and changes of the table's own settings make no data fresh."""
    log = PyFileSystem(DeltaStorageHandler.from_table(table._table))
    for version in range(table.version(), -1, -1):
        name = f"_delta_log/{version:020}.json"
        info = log.get_file_info(name)
        if not info.is_file:
            return None  # cleaned up: its content is unknown
        with log.open_input_file(name) as stream:
            text = stream.read()
        if not text.strip():
            raise ValueError(f"{name} is empty: its commit was truncated")
        changed, stamp = _commit(text.splitlines())
        if changed:
            return stamp if stamp is not None else info.mtime_ns // 1_000_000_000
    return None


def _commit(lines: list[bytes]) -> tuple[bool, int | None]:
    """Whether a commit changed data, and its timestamp."""
    stamp, changed = None, False
    for line in lines:
        action = json.loads(line) if line else {}
        if said := action.get("commitInfo"):
            stamp = said.get("inCommitTimestamp") or said.get("timestamp")
        changed = changed or bool((action.get("add") or action.get("remove") or {}).get("dataChange"))
        if changed and stamp is not None:
            break
    return changed, None if stamp is None else int(stamp) // 1000


def _add_actions(table: DeltaTable) -> list[dict[str, Any]] | None:
    """The files in the log; None if their statistics cannot be read, or are about other names."""
    if table.metadata().configuration.get("delta.columnMapping.mode", "none") != "none":
        return None
    try:
        # pyarrow.table would import pandas, to see whether it is a frame of that
        found: list[dict[str, Any]] = (
            pyarrow.RecordBatchReader.from_stream(table.get_add_actions()).read_all().to_pylist()
        )
    except (ValueError, OverflowError):  # days that Python does not have
        return None
    return found


def _loose(schema: Struct, rows: list[dict[str, Any]] | None) -> frozenset[str]:
    """Columns with decimals whose bounds may have been rounded: delta-rs writes them as doubles, Spark with all digits.

    Which of them wrote a file is not known. A double keeps every decimal of 15 digits as it is.
    """
    types = {member.name: member.type for member in schema.members if _may_round(member.type)}
    if rows is None:
        return frozenset(types)
    edges = [edge for row in rows for edge in (row.get("min") or {}, row.get("max") or {})] if types else []
    return frozenset(name for name, type_ in types.items() if any(_rounded(type_, edge.get(name)) for edge in edges))


def _may_round(type_: Type) -> bool:
    match type_:
        case Decimal(precision):
            return precision > _DIGITS
        case Struct(members):
            return any(_may_round(member.type) for member in members)
    return False


def _rounded(type_: Type, bound: Any) -> bool:
    """Whether a bound in the log, or one of a part of a struct, has more digits than a double keeps."""
    match type_:
        case Decimal(precision, scale) if precision > _DIGITS:
            return isinstance(bound, Number) and abs(bound) >= Number(10) ** (_DIGITS - scale)
        case Struct(members) if isinstance(bound, Mapping):
            return any(_rounded(member.type, bound.get(member.name)) for member in members)
    return False


def _files(
    place: str, table: DeltaTable, rows: list[dict[str, Any]] | None, notes: Mapping[str, Any]
) -> tuple[FileStatistics, ...] | None:
    """The log's statistics per file, by column; None where they are not known."""
    if rows is None:
        return None
    check_present(place, [row["path"] for row in rows])
    deleted = _deleted(table, [row["path"] for row in rows])
    if deleted is None:
        return None
    schema = _struct(table)
    types = {member.name: member.type for member in schema.members}
    edged = {name: type_ for name, type_ in types.items() if _edged(type_) and "delta.typeChanges" not in notes[name]}
    kept = not any("delta.typeChanges" in note for note in notes.values())
    return tuple(
        _named(_statistics(row, deleted.get(row["path"], _NONE).rows, edged), row, deleted.get(row["path"]), kept)
        for row in rows
    )


class _Deleted(NamedTuple):
    """The number and identity of the rows that a deletion vector removes from a file, in one word."""

    rows: int
    which: str


_NONE = _Deleted(0, "")


def _named(file: FileStatistics, row: Mapping[str, Any], deleted: _Deleted | None, kept: bool) -> FileStatistics:
    """A file's statistics with its name, and whether it can be read by itself."""
    plain = kept and not deleted and _by_path(row["path"], row.get("partition") or {})
    return replace(
        file,
        path=unquote(row["path"]),
        mark=delta_mark(row.get("size_bytes"), row.get("modification_time")),
        written=row.get("num_records"),
        deleted=deleted.which if deleted else None,
        plain=plain,
    )


def _by_path(path: str, partition: Mapping[str, Any]) -> bool:
    """Whether a file's folders say its partition as the log does; a path of another place, or with signs, is not trusted."""
    if path.startswith("/") or ":" in path or "%" in path:
        return False
    folders = path.split("/")[:-1]
    if folders and folders[0].startswith(STAGED):
        folders = folders[1:]
    said = dict(part.split("=", 1) for part in folders if "=" in part)
    known = {name: _folder(value) for name, value in partition.items()}
    return said == known and len(said) == len(folders)


def _folder(value: Any) -> str | None:
    """A value as a folder's name, where every reader takes it for that value."""
    match value:
        case bool() | datetime.datetime():
            return None
        case None:
            return "__HIVE_DEFAULT_PARTITION__"
        case int() | str():
            return str(value)
        case datetime.date():
            return value.isoformat()
    return None


def _edged(type_: Type) -> bool:
    return bounded(type_) and not (isinstance(type_, Decimal) and type_.precision > _DIGITS)


def _deleted(table: DeltaTable, paths: list[str]) -> dict[str, _Deleted] | None:
    """What deletion vectors take from each file that has one; None where a vector's file is not found.

    None also where deltalake cannot read the vectors of a table with a feature that it does not know, such as typeWidening,
    although it reads the rest of the log: Spark then reads the rows.
    """
    if "deletionVectors" not in (table.protocol().reader_features or ()):
        return {}
    try:
        vectors = list(pyarrow.RecordBatchReader.from_stream(table.deletion_vectors()))
    except DeltaError:
        return None
    root = unquote(table.table_uri).rstrip("/")
    known = {unquote(path): path for path in paths}
    found = {}
    for batch in vectors:
        for uri, mask in zip(batch["filepath"], batch["selection_vector"], strict=True):
            path = known.get(posixpath.relpath(unquote(uri.as_py()).removeprefix(root), "/"))
            if path is None:
                return None
            rows = len(mask.values) - (compute.sum(mask.values).as_py() or 0)
            found[path] = _Deleted(rows, hashlib.sha256(bytes(mask.values.to_numpy(zero_copy_only=False))).hexdigest())
    return found


def _statistics(row: dict[str, Any], deleted: int, edged: Mapping[str, Type]) -> FileStatistics:
    written = row.get("num_records")
    rows = None if written is None else written - deleted
    nulls = _nulls(row, written, deleted)
    least = {name: _lower(value) for name, value in _edges(row, "min", edged)}
    most = {name: _upper(value) for name, value in _edges(row, "max", edged)}
    for name, value in (row.get("partition") or {}).items():
        if value is None and rows is not None:
            nulls[name] = rows
        elif value not in (None, ""):  # readers differ on empty text
            nulls[name] = 0
            if name in edged and not getattr(value, "tzinfo", None):  # instants are written in a zone that is not given
                least[name] = most[name] = value
    return FileStatistics(rows, nulls, least, most, row.get("size_bytes"), exact=not deleted)


def _nulls(row: dict[str, Any], written: int | None, deleted: int) -> dict[str, int]:
    """How many nulls each column has; where rows are deleted, only none or all of them null stays sure."""
    nulls = {name: count for name, count in (row.get("null_count") or {}).items() if isinstance(count, int)}
    if not deleted:
        return nulls
    sure = {name: count for name, count in nulls.items() if count in (0, written)}
    return {name: max(0, count - deleted) for name, count in sure.items()}


def _edges(row: dict[str, Any], side: str, edged: Mapping[str, Type]) -> Iterator[tuple[str, Any]]:
    """The least or greatest values of the columns whose bounds can be compared."""
    for name, value in (row.get(side) or {}).items():
        if name in edged and value is not None:
            yield name, value


def _lower(value: Any) -> Any:
    """Instants in the log are cut to milliseconds."""
    return value - _MILLISECOND if isinstance(value, datetime.datetime) else value


def _upper(value: Any) -> Any:
    return value + _MILLISECOND if isinstance(value, datetime.datetime) else value


def _is_absent(path: str) -> bool:
    """Whether there is no table; a local folder that is something else is for deltalake to say."""
    if is_remote(path):
        return is_s3(path) and is_absent(path)
    return not Path(path).exists() or was_never_created(path)


def _open(path: str) -> DeltaTable:
    try:
        return open_log(path)
    except TableNotFoundError:
        raise TableError(
            f"{path} exists, but it is not a Delta table",
            "Pass another table with --table, or move these files",
        ) from None
    except (DeltaError, OSError) as error:
        raise _unreadable(path, error) from None


def _denied(path: str) -> bool:
    """Whether listing the log is not permitted, which the first line of deltalake's error does not show."""
    try:
        os.listdir(f"{path}/_delta_log")
    except OSError as error:
        return isinstance(error, PermissionError)
    return False


def _unreadable(path: str, error: Exception) -> TableError:
    remedy = "Check the table's log, its path and its permissions"
    if _denied(path):
        return TableError(f"{path} cannot be read: Permission denied", remedy, cause=TableCause.PERMISSION)
    said = (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
    return TableError(f"{path} cannot be read: {said}", remedy, cause=cause_of(error))
