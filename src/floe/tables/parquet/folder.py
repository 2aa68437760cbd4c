"""A folder of Parquet files as one table: its files, its columns, its hive partitions."""

import datetime
import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from urllib.parse import unquote

import pyarrow
from pyarrow import fs, parquet as pq

from floe.model import TableCause, TableError
from floe.model.plan import FileStatistics
from floe.model.types import Atomic, Member, Struct, Type
from floe.tables.boundary import cause_of
from floe.tables.facts import TableFacts
from floe.tables.parquet.footers import file_statistics, footers, struct_of
from floe.tables.storage import system_of

_ENDINGS = (".parquet", ".parq", ".pq")
_NOTHING = "__HIVE_DEFAULT_PARTITION__"
_LOG = re.compile(r"(?:(.*)/)?(?:_delta_log/[0-9]{20}\.json|metadata/[^/]*\.metadata\.json)")
_WHOLE = re.compile(r"-?[0-9]{1,18}")


class ParquetFolder(NamedTuple):
    """The Parquet files below a path, at one moment."""

    path: str
    files: tuple[str, ...]
    partitions: tuple[dict[str, str | None], ...]  # of each file
    sizes: tuple[int | None, ...]
    snapshot: str
    changed: int | None  # the newest file's time, in seconds since 1970
    system: fs.FileSystem
    others: tuple[str, ...]  # files among them that are not named as Parquet


def probe(path: str) -> TableFacts | None:
    """The footers of the files below a path; None if there are none."""
    folder = list_files(path)
    if folder is None:
        return None
    read = list(footers(folder.files, folder.system))
    schema = _schema(folder, read)
    files = zip(file_statistics(read, schema), folder.partitions, folder.sizes, strict=True)
    types = {member.name: member.type for member in schema.members}
    return TableFacts(
        path,
        folder.snapshot,
        path,
        tuple(types),
        {},
        schema,
        folder.changed,
        tuple(_with(file, part, types, size) for file, part, size in files),
        partition=tuple(folder.partitions[0]),
    )


def list_files(path: str) -> ParquetFolder | None:
    """The files of a table by their names, sizes and times, which are its snapshot."""
    system, root = system_of(path)
    found = _files_below(system, root, path)
    if found is None:
        return None
    _refuse_tables(path, root, [file.path for file in found])
    shown = [file for file in found if _shown(file.path, root)]
    kept = sorted((file for file in shown if file.path.endswith(_ENDINGS)), key=lambda file: str(file.path))
    if not kept:
        raise TableError(
            f"{path} contains no Parquet file",
            "Pass a Parquet file or a folder of Parquet files",
            cause=TableCause.MISSING,
        )
    partitions = tuple(_partition(file.path, root) for file in kept)
    _refuse_two_partitionings(path, root, [file.path for file in kept], partitions)
    return ParquetFolder(
        root,
        tuple(file.path for file in kept),
        partitions,
        tuple(file.size for file in kept),
        _snapshot(kept),
        _newest(kept),
        system,
        tuple(file.path for file in shown if not file.path.endswith(_ENDINGS)),
    )


def _snapshot(files: Iterable[fs.FileInfo]) -> str:
    listing = "\n".join(f"{file.path} {file.size} {file.mtime_ns}" for file in files)
    return hashlib.sha256(listing.encode()).hexdigest()[:16]


def _newest(files: Iterable[fs.FileInfo]) -> int | None:
    times = [file.mtime_ns for file in files if file.mtime_ns is not None]
    return max(times) // 1_000_000_000 if times else None


def _files_below(system: fs.FileSystem, root: str, path: str) -> list[fs.FileInfo] | None:
    """Every file below a path, or the file itself; None if there is none."""
    try:
        info = system.get_file_info(root)
        if info.type is fs.FileType.NotFound:
            return None
        found = [info] if info.is_file else system.get_file_info(fs.FileSelector(root, recursive=True))
    except (OSError, pyarrow.ArrowException) as error:
        raise TableError(
            f"{path} cannot be read: {str(error).splitlines()[0]}", "Check its permissions", cause=cause_of(error)
        ) from None
    return [file for file in found if file.is_file]


def _refuse_two_partitionings(
    path: str, root: str, files: Sequence[str], partitions: Sequence[dict[str, str | None]]
) -> None:
    """TableError if files are below folders of different columns: Spark would skip some of them."""
    for file, partition in zip(files, partitions, strict=True):
        if tuple(partition) != tuple(partitions[0]):
            ways = [name.removeprefix(root).strip("/") for name in (files[0], file)]
            raise TableError(
                f"{path} contains files with different partition columns: {ways[0]} and {ways[1]}",
                "Move them below folders with the same columns, or pass one part of them",
            )


def readable(folder: ParquetFolder) -> Struct:
    """The common columns of all files."""
    return Struct(
        tuple(
            member for member in _schema(folder, footers(folder.files, folder.system)).members if _certain(member.type)
        )
    )


def _refuse_tables(path: str, root: str, files: Iterable[str]) -> None:
    """TableError for Delta or Iceberg tables below a folder: read as one table, all their files would be current rows."""
    tables = {found[1] or path for file in files if (found := _LOG.fullmatch(file.removeprefix(root).strip("/")))}
    if tables:
        listed = ", ".join(sorted(tables)[:3]) + (", …" if len(tables) > 3 else "")
        raise TableError(
            f"{path} is not a table of Parquet files: it contains {len(tables)} Delta or Iceberg tables, {listed}",
            "Pass one of them",
        )


def _shown(path: str, root: str) -> bool:
    """Whether a file is hidden by no name on its way, as Spark hides it."""
    parts = path.removeprefix(root).strip("/").split("/") if path != root else [path.rsplit("/", 1)[-1]]
    return not any(part.startswith(".") or (part.startswith("_") and "=" not in part) for part in parts)


def _partition(path: str, root: str) -> dict[str, str | None]:
    """The values that a file's folders name: `a=1/b=2`."""
    pairs = [part.split("=", 1) for part in path.removeprefix(root).split("/")[:-1] if "=" in part]
    return {unquote(key): None if value == _NOTHING else unquote(value) for key, value in pairs}


def _certain(type_: Type) -> bool:
    return not (isinstance(type_, Atomic) and (" or " in type_.name or type_.name == "timestamp(9)"))


def _schema(folder: ParquetFolder, read: Iterable[pq.FileMetaData]) -> Struct:
    """The columns of all files by name; a column of two types has none that a contract can have."""
    types: dict[str, list[Type]] = {}
    for footer in read:
        for member in struct_of(footer).members:
            known = types.setdefault(member.name, [])
            known += [] if member.type in known else [member.type]
    for name in dict.fromkeys(name for part in folder.partitions for name in part):
        types[name] = [_inferred([part.get(name) for part in folder.partitions])]
    _refuse_two_spellings(folder, types)
    return Struct(tuple(Member(name, _one(found)) for name, found in types.items()))


def _refuse_two_spellings(folder: ParquetFolder, names: Iterable[str]) -> None:
    """Spark reads such columns as one or as two, by its setting spark.sql.caseSensitive; other readers by their own ways."""
    known: dict[str, str] = {}
    for name in names:
        other = known.setdefault(name.casefold(), name)
        if other != name:
            raise TableError(
                f"{folder.path} has two spellings of a column: {other} and {name}. Not all readers treat them as one column",
                "Rewrite the files, or rename their folders, with one spelling",
            )


def _one(types: Sequence[Type]) -> Type:
    return types[0] if len(types) == 1 else Atomic(" or ".join(map(str, types)))


def _inferred(values: Iterable[str | None]) -> Type:
    """The type of a partition column, as Spark infers it from its folders' names."""
    known = [name for name in values if name is not None]
    if known and all(_WHOLE.fullmatch(name) for name in known):
        return Atomic("int" if all(-(2**31) <= int(name) < 2**31 for name in known) else "bigint")
    return Atomic("date" if known and all(map(_day, known)) else "string")


def _day(text: str) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(text) if len(text) == 10 else None
    except ValueError:
        return None


def _with(
    file: FileStatistics, partition: dict[str, str | None], types: dict[str, Type], size: int | None
) -> FileStatistics:
    """A file's statistics with its folders' values, which are exact."""
    nulls, least, most = dict(file.nulls), dict(file.least), dict(file.most)
    for name, text in partition.items():
        nulls[name] = (file.rows or 0) if text is None else 0
        value = _value(text, types[name])
        for bounds in (least, most):
            bounds.pop(name, None)
            if value is not None:
                bounds[name] = value
    return FileStatistics(file.rows, nulls, least, most, size, file.exact)


def _value(text: str | None, type_: Type) -> Any:
    if text is None or type_ == Atomic("string"):
        return None
    return _day(text) if type_ == Atomic("date") else int(text)
