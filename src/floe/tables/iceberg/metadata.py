"""Iceberg's catalogs and metadata files, read with pyiceberg."""

import datetime
import decimal
import hashlib
import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.conversions import from_bytes
from pyiceberg.exceptions import NoSuchNamespaceError, NoSuchTableError
from pyiceberg.manifest import DataFile, FileFormat, ManifestContent, ManifestEntry
from pyiceberg.table import StaticTable, Table
from pyiceberg.table.snapshots import Operation
from pyiceberg.transforms import IdentityTransform
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

from floe.lang.type_text import parse_type
from floe.model import TableCause, TableError
from floe.model.contract import Target
from floe.model.plan import FileStatistics, bounded
from floe.model.types import Array, Atomic, MapOf, Member, Struct, Text, Type
from floe.settings import Settings
from floe.system.timeout import call_with_timeout
from floe.tables import storage
from floe.tables.boundary import library_errors
from floe.tables.facts import TableFacts, check_present
from floe.tables.iceberg.deletes import Deletes
from floe.tables.iceberg.manifests import entries
from floe.tables.iceberg.names import column_identities, steady_columns
from floe.tables.storage import is_remote

PATIENCE = 30
_EPOCH, _MICROSECOND = datetime.datetime(1970, 1, 1), datetime.timedelta(microseconds=1)
_T = TypeVar("_T")
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


class _Constant(NamedTuple):
    """A column whose value is in the partition of a file: its position, its name, and how a bound is made of it."""

    place: int
    name: str
    read: Callable[[Any], Any] | None


_Listed = tuple[ManifestEntry, Sequence[DataFile]]
_KnownColumns = tuple[list[NestedField], list[tuple[int, str, _Reader]], Mapping[int, list[_Constant]]]


def metadata_now(target: Target, settings: Settings) -> str | None:
    """The metadata file of a table now: another one after each change of any kind; None where there is no table."""
    found = _read_or_say(target, lambda: _at_hand(target, settings) or open_table(target, settings))
    return found.metadata_location if found else None


def data_files(target: Target, settings: Settings) -> list[DataFile] | None:
    """The data files of a table now; None where there is no table."""
    table = _read_or_say(target, lambda: _at_hand(target, settings) or open_table(target, settings))
    return [entry.data_file for entry, _ in _read_or_say(target, lambda: _listed(table))] if table else None


def first_file(table: Table) -> DataFile | None:
    """One data file of a table; None where it has none."""
    snapshot = table.current_snapshot()
    for manifest in snapshot.manifests(table.io) if snapshot else ():
        if manifest.content is ManifestContent.DATA and (found := entries(manifest, table.io)):
            return found[0].data_file
    return None


def probe(target: Target, settings: Settings) -> TableFacts | None:
    """The state of a table in the catalog or a metadata file."""
    table = _read_or_say(target, lambda: _at_hand(target, settings) or open_table(target, settings))
    return _read_or_say(target, lambda: _facts(table)) if table else None


def _read_or_say(target: Target, read: Callable[[], _T]) -> _T:
    """What reading metadata gives; TableError where it gives nothing."""
    with library_errors(f"{target} cannot be read", "Check the table's metadata and data files"):
        return read()


def _at_hand(target: Target, settings: Settings) -> Table | None:
    """A table whose metadata is on this machine, opened without what only catalogs and other places need."""
    file = _in_sqlite(target.name, settings) if target.name else metadata_file(str(target.path))
    if file is None or is_remote(file):
        return None
    return StaticTable.from_metadata(file, {"py-io-impl": "floe.tables.iceberg.local_files.LocalFiles"})


def _in_sqlite(name: str, settings: Settings) -> str | None:
    """The metadata file of a table in a catalog that is an SQLite file; None if it is not there."""
    catalog, _, rest = name.partition(".")
    namespace, _, table = rest.rpartition(".")
    uri = str((settings.catalogs.get(catalog) or {}).get("uri", ""))
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
    if catalog not in settings.catalogs:
        raise TableError(
            f"No catalog is called '{catalog}'",
            "Add it under catalogs in the settings (`floe doctor`)",
            cause=TableCause.CATALOG,
        )
    found: Table | None = _asked(catalog, lambda: _load(catalog, tuple(identifier), settings))
    return found


def _asked(catalog: str, ask: Callable[[], Any]) -> Any:
    """What a catalog answers, in time; TableError where it is out of reach."""
    remedy = "Check catalogs in the settings (`floe doctor`)"
    with library_errors(f"The catalog '{catalog}' cannot be reached", remedy, cause=TableCause.CATALOG):
        return call_with_timeout(ask, PATIENCE)


def _load(catalog: str, identifier: tuple[str, ...], settings: Settings) -> Table | None:
    found = _catalog(catalog, settings)
    try:
        return found.load_table(identifier) if found else None
    except (NoSuchTableError, NoSuchNamespaceError):
        return None


def metadata_file(path: str) -> str | None:
    """The metadata file that a path is, or the newest one of a table's folder; None where there is none."""
    if path.endswith("metadata.json"):
        return path if is_remote(path) or Path(storage.local_path(path)).is_file() else None
    if is_remote(path):
        raise TableError(f"{path} is a folder without a known metadata file", "Pass its metadata.json with --table")
    newest = _newest(Path(storage.local_path(path)) / "metadata")
    return str(newest) if newest else None


def _newest(folder: Path) -> Path | None:
    """The metadata file in a version hint, else the one with the highest number."""
    hint = folder / "version-hint.text"
    files = [(int(match[1]), file) for file in folder.glob("*.metadata.json") if (match := _NUMBERED.match(file.name))]
    wanted = int(hint.read_text()) if hint.is_file() else max((number for number, _ in files), default=0)
    fitting = [file for number, file in files if number == wanted]
    if len(fitting) > 1:
        raise TableError(
            f"{folder} has {len(fitting)} metadata files of version {wanted}", "Pass one of them with --table"
        )
    return fitting[0] if fitting else None


def _facts(table: Table) -> TableFacts:
    newest = table.current_snapshot()
    schema = struct_of(table.schema().as_struct())
    listed = _listed(table)
    return TableFacts(
        table.location(),
        str(newest.snapshot_id) if newest else None,
        table.metadata_location,
        tuple(field.name for field in table.schema().fields),
        table.properties,
        schema,
        _committed(table),
        _files(table, schema, listed),
        loose=_loose(table, listed),
        partition=tuple(str(table.schema().find_column_name(part.source_id)) for part in table.spec().fields),
        key=tuple(str(table.schema().find_column_name(field)) for field in table.schema().identifier_field_ids),
        uid=str(table.metadata.table_uuid),
        identities=column_identities(table),
        altered=newest is not None and newest.schema_id not in (None, table.metadata.current_schema_id),
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


def _files(table: Table, schema: Struct, found: list[_Listed]) -> tuple[FileStatistics, ...]:
    """The manifests' statistics per data file."""
    primitive = [field for field in table.schema().fields if isinstance(field.field_type, PrimitiveType)]
    widened = _widened(table)
    edged = {f.field_id for f in primitive if bounded(schema[f.name].type) and f.field_id not in widened}
    steady = {field.field_id for field in steady_columns(table)}
    columns = [field for field in primitive if field.field_id in steady]
    bounds = [(field.field_id, field.name, _reader(field.field_type)) for field in columns if field.field_id in edged]
    constants = _constants(table, primitive, edged)
    check_present(table.location(), [entry.data_file.file_path for entry, _ in found])
    return tuple(_statistics(entry, gone, (columns, bounds, constants)) for entry, gone in found)


def _listed(table: Table) -> list[_Listed]:
    """The data files of the table now, each with the files that delete rows of it."""
    snapshot = table.current_snapshot()
    data: list[ManifestEntry] = []
    gone: list[ManifestEntry] = []
    for manifest in snapshot.manifests(table.io) if snapshot else []:
        kept = data if manifest.content is ManifestContent.DATA else gone
        kept += entries(manifest, table.io)
    if not gone:
        return [(entry, ()) for entry in data]
    deletes = Deletes(gone, {id_ for id_, spec in table.specs().items() if spec.is_unpartitioned()})
    return [(entry, deletes.of(entry)) for entry in data]


def _loose(table: Table, listed: list[_Listed]) -> frozenset[str]:
    """Columns whose statistics in manifests are not those of the values that readers see."""
    steady = {field.name for field in steady_columns(table)}
    columns = [field for field in table.schema().fields if isinstance(field.field_type, PrimitiveType)]
    constants = _constants(table, columns, set())
    types = {field.name: field for field in columns}
    found = {field.name for field in table.schema().fields if field.name not in steady}
    for entry, _ in listed if any(constants.values()) else ():
        file = entry.data_file
        found |= {
            constant.name
            for constant in constants.get(file.spec_id, ())
            if not _fits_constant(file, types[constant.name], file.partition[constant.place])
        }
    return frozenset(found)


def _fits_constant(file: DataFile, field: NestedField, value: Any) -> bool:
    """Whether the statistics of a column in a file are valid for the value of its partition."""
    id_ = field.field_id
    nulls = (file.null_value_counts or {}).get(id_)
    if value is None:
        return nulls in (None, file.record_count)
    low, high = ((kept or {}).get(id_) for kept in (file.lower_bounds, file.upper_bounds))
    if nulls or (low is None) != (high is None):
        return False
    if low is None or high is None:
        return True
    if isinstance(value, str):
        return bool(low <= value.encode() <= high)
    read = _constant_reader(field.field_type)
    edges, known = _reader(field.field_type), read(value) if read else None
    return known is not None and edges(low) is not None and bool(edges(low) <= known <= edges(high))


def _constants(table: Table, columns: list[NestedField], edged: set[int]) -> dict[int, list[_Constant]]:
    """By spec, the columns that it is partitioned by as they are: readers take their values from there, not from files."""
    named = {field.field_id: field for field in columns}
    return {
        id_: [
            _Constant(place, field.name, _constant_reader(field.field_type) if field.field_id in edged else None)
            for place, part in enumerate(spec.fields)
            if isinstance(part.transform, IdentityTransform) and (field := named.get(part.source_id))
        ]
        for id_, spec in table.specs().items()
    }


def _widened(table: Table) -> set[int]:
    """Columns whose type was once another: bounds of older files were written in that one."""
    types: dict[int, set[str]] = {}
    for schema in table.schemas().values():
        for part in schema.fields:
            types.setdefault(part.field_id, set()).add(str(part.field_type))
    return {field for field, known in types.items() if len(known) > 1}


def _statistics(entry: ManifestEntry, deletes: Sequence[DataFile], known: _KnownColumns) -> FileStatistics:
    file = entry.data_file
    nulls, least, most = _bounds(file, known)
    if deletes:  # only none of them null stays sure
        nulls = {name: count for name, count in nulls.items() if count == 0}
    gone = "\n".join(sorted(delete.file_path for delete in deletes))
    return FileStatistics(
        None if deletes else file.record_count,
        nulls,
        least,
        most,
        file.file_size_in_bytes,
        exact=not deletes,
        path=file.file_path,
        mark=iceberg_mark(entry),
        written=file.record_count,
        deleted=hashlib.sha256(gone.encode()).hexdigest() if deletes else None,
        plain=not deletes and file.file_format is FileFormat.PARQUET,
    )


def _bounds(file: DataFile, known: _KnownColumns) -> tuple[dict[str, int], dict[str, Any], dict[str, Any]]:
    """Nulls, least and greatest values of a file's columns; of those it is partitioned by, the partition's value."""
    columns, bounds, constants = known
    counts = dict((file.null_value_counts or {}).items())
    nulls = {field.name: counts[field.field_id] for field in columns if field.field_id in counts}
    least, most = _values(bounds, file.lower_bounds or {}), _values(bounds, file.upper_bounds or {})
    for place, name, read in constants.get(file.spec_id, ()):
        raw = file.partition[place]
        nulls[name] = file.record_count if raw is None else 0
        value = read(raw) if read and raw is not None else None
        for edges in (least, most):
            edges.pop(name, None)
            if value is not None:
                edges[name] = value
    return nulls, least, most


def iceberg_mark(entry: ManifestEntry) -> str:
    """The identity of a file, for files that were added under the same path.

    Tables of version 1 have no sequence numbers, so that the snapshot that added the file takes their place.
    """
    return f"{entry.data_file.file_size_in_bytes} {entry.sequence_number or f's{entry.snapshot_id}'}"


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


def _constant_reader(type_: IcebergType) -> Callable[[Any], Any] | None:
    """How a partition's value is read as claims compare it; None where that is not sure."""
    match str(type_):
        case "int" | "long":
            return lambda raw: raw if isinstance(raw, int) else None
        case "date":
            return lambda raw: _since_epoch(datetime.timedelta(days=1), raw, lambda moment: moment.date())
        case "timestamp":
            return lambda raw: _since_epoch(_MICROSECOND, raw, lambda moment: moment)
        case "timestamptz":
            return lambda raw: _since_epoch(_MICROSECOND, raw, lambda moment: moment.replace(tzinfo=datetime.UTC))
        case text if text.startswith("decimal"):
            return lambda raw: raw if isinstance(raw, decimal.Decimal) else None
    return None


def _moment(unit: datetime.timedelta, raw: bytes, as_: Callable[[datetime.datetime], Any]) -> Any:
    return _since_epoch(unit, int.from_bytes(raw, "little", signed=True), as_)


def _since_epoch(unit: datetime.timedelta, number: Any, as_: Callable[[datetime.datetime], Any]) -> Any:
    try:
        return as_(_EPOCH + unit * number) if isinstance(number, int) else None
    except OverflowError:
        return None


def _catalog(name: str, settings: Settings) -> Catalog | None:
    """A catalog of the settings, as pyiceberg opens it; None where it is a file that is not there yet."""
    options = {key: str(value) for key, value in settings.catalogs[name].items()}
    if options.get("uri", "").startswith("sqlite:///"):
        file = settings.root / options["uri"].removeprefix("sqlite:///")
        if not file.is_file():
            return None
        options["uri"] = f"sqlite:///{file}"
    return load_catalog(name, **{**_io(options.get("warehouse", "://")), **options})


def _io(place: str) -> dict[str, str]:
    """How files are read: local ones without pyarrow, whose import takes as long as the rest here."""
    return storage.iceberg_options(place) if is_remote(place) else _LIGHT
