"""Iceberg's catalogs and metadata files, asked by pyiceberg."""

import datetime
import hashlib
import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.conversions import from_bytes
from pyiceberg.exceptions import NoSuchNamespaceError, NoSuchTableError
from pyiceberg.manifest import DataFile, FileFormat, ManifestContent
from pyiceberg.table import StaticTable, Table
from pyiceberg.table.snapshots import Operation
from pyiceberg.types import (
    IcebergType,
    ListType,
    MapType,
    NestedField,
    PrimitiveType,
    StructType,
    TimestampNanoType,
    TimestamptzNanoType,
)

from floe.data.tables.facts import TableFacts, check_present
from floe.data.tables.manifests import data_files
from floe.model import TableError
from floe.model.claim import FileStatistics, bounded
from floe.model.in_time import in_time
from floe.model.settings import Settings
from floe.model.table import Target
from floe.model.type_text import parse_type
from floe.model.types import Array, Atomic, MapOf, Member, Struct, Text, Type

PATIENCE = 30
_EPOCH, _MICROSECOND = datetime.datetime(1970, 1, 1), datetime.timedelta(microseconds=1)
_Reader = Callable[[bytes], Any]
_SPARK = {
    "timestamptz": "timestamp",
    "timestamp": "timestamp_ntz",
    "timestamptz_ns": "timestamp",
    "timestamp_ns": "timestamp_ntz",
    "uuid": "string",
}
_LIGHT = {"py-io-impl": "pyiceberg.io.fsspec.FsspecFileIO"}
_NUMBERED = re.compile(r"v?(\d+)[-.].*metadata\.json")


def probe(target: Target, settings: Settings) -> TableFacts | None:
    """What the catalog, or a metadata file, says of a table."""
    try:
        table = _at_hand(target, settings) or open_table(target, settings)
        return _facts(table) if table else None
    except TableError:
        raise
    except Exception as error:  # noqa: BLE001  (manifests fail in as many ways as there are readers of files)
        raise TableError(
            f"{target} cannot be read: {_first_line(error)}", "Check the table's metadata and data files"
        ) from None


def _at_hand(target: Target, settings: Settings) -> Table | None:
    """A table whose metadata is on this machine, opened without what only catalogs and other places need."""
    file = _in_sqlite(target.name, settings) if target.name else metadata_file(str(target.path))
    if file is None or "://" in file.removeprefix("file://"):
        return None
    return StaticTable.from_metadata(file, {"py-io-impl": "floe.data.tables.local_files.LocalFiles"})


def _in_sqlite(name: str, settings: Settings) -> str | None:
    """The metadata file of a table in a catalog that is an SQLite file; None where that does not say."""
    catalog, _, rest = name.partition(".")
    namespace, _, table = rest.rpartition(".")
    uri = str((settings["catalogs"].get(catalog) or {}).get("uri", ""))
    file = settings.root / uri.removeprefix("sqlite:///")
    if not uri.startswith("sqlite:///") or not file.is_file():
        return None
    asked = (
        "SELECT metadata_location FROM iceberg_tables WHERE catalog_name = ? AND table_namespace = ? AND table_name = ?"
    )
    try:
        with closing(sqlite3.connect(file, timeout=PATIENCE)) as store:
            found = store.execute(asked, (catalog, namespace, table)).fetchone()
    except sqlite3.Error:
        return None
    return str(found[0]) if found and found[0] else None


def open_table(target: Target, settings: Settings) -> Table | None:
    """A table by its catalog name, its folder or its metadata file; None where it is not there."""
    if target.name:
        return by_name(target.name, settings)
    file = metadata_file(str(target.path))
    return StaticTable.from_metadata(file, _io(file)) if file else None


def tables_in(name: str, settings: Settings) -> list[str] | None:
    """The tables of a catalog's namespace by their full names, in order; None where there is no such namespace."""
    catalog, *namespace = name.split(".")

    def ask() -> list[str] | None:
        opened = _catalog(catalog, settings)
        if opened is None or not opened.namespace_exists(tuple(namespace)):
            return None
        return sorted(".".join((catalog, *identifier)) for identifier in opened.list_tables(tuple(namespace)))

    found: list[str] | None = _asked(catalog, ask)
    return found


def by_name(name: str, settings: Settings) -> Table | None:
    """A table of the settings' catalogs; None where it is not there, or in none of them."""
    catalog, *identifier = name.split(".")
    if catalog not in settings["catalogs"]:
        raise TableError(f"No catalog is called '{catalog}'", "Add it under catalogs in the settings (`floe doctor`)")
    found: Table | None = _asked(catalog, lambda: _load(catalog, tuple(identifier), settings))
    return found


def _asked(catalog: str, ask: Callable[[], Any]) -> Any:
    """What a catalog answers, in time; TableError where it is out of reach."""
    try:
        return in_time(ask, PATIENCE)
    except Exception as error:  # noqa: BLE001  (each catalog has errors of its own, all meaning out of reach)
        raise TableError(
            f"The catalog '{catalog}' cannot be asked: {_first_line(error)}",
            "Check catalogs in the settings (`floe doctor`)",
        ) from None


def _load(catalog: str, identifier: tuple[str, ...], settings: Settings) -> Table | None:
    found = _catalog(catalog, settings)
    try:
        return found.load_table(identifier) if found else None
    except (NoSuchTableError, NoSuchNamespaceError):
        return None


def metadata_file(path: str) -> str | None:
    """The metadata file that a path is, or the newest one of a table's folder; None where there is none."""
    if path.endswith("metadata.json"):
        return path if "://" in path or Path(path).is_file() else None
    if "://" in path:
        raise TableError(f"{path} is a folder, whose metadata file is not known", "Name its metadata.json with --table")
    newest = _newest(Path(path) / "metadata")
    return str(newest) if newest else None


def _newest(folder: Path) -> Path | None:
    """The metadata file that a hint names, else the one with the highest number."""
    hint = folder / "version-hint.text"
    files = [(int(match[1]), file) for file in folder.glob("*.metadata.json") if (match := _NUMBERED.match(file.name))]
    wanted = int(hint.read_text()) if hint.is_file() else max((number for number, _ in files), default=0)
    fitting = [file for number, file in files if number == wanted]
    if len(fitting) > 1:
        raise TableError(
            f"{folder} has {len(fitting)} metadata files of version {wanted}", "Name one of them with --table"
        )
    return fitting[0] if fitting else None


def _facts(table: Table) -> TableFacts:
    newest = table.current_snapshot()
    schema = struct_of(table.schema().as_struct())
    return TableFacts(
        table.location(),
        str(newest.snapshot_id) if newest else None,
        table.metadata_location,
        tuple(field.name for field in table.schema().fields),
        table.properties,
        schema,
        _committed(table),
        _files(table, schema),
        partition=tuple(str(table.schema().find_column_name(part.source_id)) for part in table.spec().fields),
        key=tuple(str(table.schema().find_column_name(field)) for field in table.schema().identifier_field_ids),
        uid=str(table.metadata.table_uuid),
        identities={field.name: f"{field.field_id} {field.field_type!r}" for field in table.schema().fields},
    )


def _committed(table: Table) -> int | None:
    """When rows last came or went: compaction makes no data fresh."""
    snapshot = table.current_snapshot()
    while snapshot:
        if not snapshot.summary or snapshot.summary.operation is not Operation.REPLACE:
            return snapshot.timestamp_ms // 1000
        parent = snapshot.parent_snapshot_id
        snapshot = table.snapshot_by_id(parent) if parent is not None else None
    return None


def struct_of(struct: StructType) -> Struct:
    """An Iceberg schema as Spark shows it."""
    return Struct(tuple(Member(part.name, _type(part.field_type), not part.required) for part in struct.fields))


def _type(type_: IcebergType) -> Type:
    """An Iceberg type as Spark shows it."""
    match type_:
        case StructType():
            return struct_of(type_)
        case ListType():
            return Array(_type(type_.element_type), not type_.element_required)
        case MapType():
            return MapOf(_type(type_.key_type), _type(type_.value_type), not type_.value_required)
    return parse_type(_SPARK.get(str(type_)) or ("binary" if str(type_).startswith("fixed") else str(type_)))


def stored(type_: Type) -> Type:
    """The type as Iceberg stores it: it knows no byte, short, char or varchar."""
    match type_:
        case Atomic("tinyint" | "smallint"):
            return Atomic("int")
        case Text():
            return Atomic("string")
        case Array(element, nullable):
            return Array(stored(element), nullable)
        case MapOf(key, value, nullable):
            return MapOf(stored(key), stored(value), nullable)
        case Struct(members):
            return Struct(tuple(Member(m.name, stored(m.type), m.nullable) for m in members))
    return type_


def _files(table: Table, schema: Struct) -> tuple[FileStatistics, ...]:
    """The manifests' statistics per data file."""
    columns = [field for field in table.schema().fields if isinstance(field.field_type, PrimitiveType)]
    widened = _widened(table)
    edged = {f.field_id for f in columns if bounded(schema[f.name].type) and f.field_id not in widened}
    bounds = [(field.field_id, field.name, _reader(field.field_type)) for field in columns if field.field_id in edged]
    found = _listed(table)
    check_present(table.location(), [file.file_path for file, _ in found])
    return tuple(_statistics(file, gone, columns, bounds) for file, gone in found)


def _listed(table: Table) -> list[tuple[DataFile, Sequence[DataFile]]]:
    """The data files of the table now, each with the files that delete rows of it."""
    snapshot = table.current_snapshot()
    manifests = snapshot.manifests(table.io) if snapshot else []
    if any(manifest.content is not ManifestContent.DATA for manifest in manifests):
        return [(task.file, tuple(task.delete_files)) for task in table.scan().plan_files()]
    # what a scan would ask beside of every file costs as much as reading the manifests
    return [(file, ()) for one in manifests for file in data_files(one, table.io)]


def _widened(table: Table) -> set[int]:
    """Columns whose type was once another: bounds of older files were written in that one."""
    types: dict[int, set[str]] = {}
    for schema in table.schemas().values():
        for part in schema.fields:
            types.setdefault(part.field_id, set()).add(str(part.field_type))
    return {field for field, known in types.items() if len(known) > 1}


def _statistics(
    file: DataFile, deletes: Sequence[DataFile], columns: list[NestedField], bounds: list[tuple[int, str, _Reader]]
) -> FileStatistics:
    counts = dict((file.null_value_counts or {}).items())
    # where rows may be deleted, only none of them null stays sure
    nulls = {f.name: counts[f.field_id] for f in columns if f.field_id in counts}
    if deletes:
        nulls = {name: count for name, count in nulls.items() if count == 0}
    gone = "\n".join(sorted(one.file_path for one in deletes))
    return FileStatistics(
        None if deletes else file.record_count,
        nulls,
        _values(bounds, file.lower_bounds or {}),
        _values(bounds, file.upper_bounds or {}),
        file.file_size_in_bytes,
        exact=not deletes,
        path=file.file_path,
        deleted=hashlib.sha256(gone.encode()).hexdigest() if deletes else None,
        plain=not deletes and file.file_format is FileFormat.PARQUET,
    )


def _values(columns: list[tuple[int, str, _Reader]], kept: Mapping[int, bytes]) -> dict[str, Any]:
    found = ((name, read(raw)) for id_, name, read in columns if (raw := kept.get(id_)))
    return {name: value for name, value in found if value is not None}


def _reader(type_: IcebergType) -> _Reader:
    """How a bound of a type is read as claims compare it; None where Python has no such day."""
    match str(type_):
        case "int" | "long":
            return partial(int.from_bytes, byteorder="little", signed=True)
        case "date":
            return lambda raw: _moment(datetime.timedelta(days=1), raw, lambda moment: moment.date())
        case "timestamp":
            return lambda raw: _moment(_MICROSECOND, raw, lambda moment: moment)
        case "timestamptz":
            return lambda raw: _moment(_MICROSECOND, raw, lambda moment: moment.replace(tzinfo=datetime.UTC))
    if isinstance(type_, TimestampNanoType | TimestamptzNanoType) or not isinstance(type_, PrimitiveType):
        return lambda raw: None
    return partial(from_bytes, type_)


def _moment(unit: datetime.timedelta, raw: bytes, as_: Callable[[datetime.datetime], Any]) -> Any:
    try:
        return as_(_EPOCH + unit * int.from_bytes(raw, "little", signed=True))
    except OverflowError:
        return None


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]


def _catalog(name: str, settings: Settings) -> Catalog | None:
    """A catalog of the settings, as pyiceberg opens it; None where it is a file that is not there yet."""
    options = {key: str(value) for key, value in settings["catalogs"][name].items()}
    if options.get("uri", "").startswith("sqlite:///"):
        file = settings.root / options["uri"].removeprefix("sqlite:///")
        if not file.is_file():
            return None
        options["uri"] = f"sqlite:///{file}"
    return load_catalog(name, **{**_io(options.get("warehouse", "://")), **options})


def _io(place: str) -> dict[str, str]:
    """How files are read: local ones without pyarrow, whose import takes as long as everything else here."""
    return {} if "://" in place and not place.startswith("file://") else _LIGHT
