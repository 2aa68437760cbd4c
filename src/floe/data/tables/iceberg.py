"""Iceberg's catalogs, asked by pyiceberg."""

from typing import Any

from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.exceptions import NoSuchNamespaceError, NoSuchTableError
from pyiceberg.table import Table
from pyiceberg.types import IcebergType, ListType, MapType, StructType

from floe.data.tables.facts import TableFacts
from floe.model import TableError
from floe.model.claim import FileStatistics
from floe.model.settings import Settings
from floe.model.table import Target
from floe.model.type_text import parse_type
from floe.model.types import Array, MapOf, Member, Struct, Type

_SPARK = {
    "timestamptz": "timestamp",
    "timestamp": "timestamp_ntz",
    "timestamptz_ns": "timestamp",
    "timestamp_ns": "timestamp_ntz",
    "uuid": "string",
}


def probe(target: Target, settings: Settings) -> TableFacts | None:
    """What the catalog says of a table."""
    if not target.name:
        raise TableError(
            f"{target.path} is an Iceberg table without its catalog", "Name it as catalog.namespace.table with --table"
        )
    catalog, *identifier = target.name.split(".")
    try:
        table = _catalog(catalog, settings).load_table(tuple(identifier))
    except (NoSuchTableError, NoSuchNamespaceError):
        return None
    except Exception as error:  # noqa: BLE001  (each catalog has errors of its own, all meaning out of reach)
        cause = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise TableError(
            f"The catalog '{catalog}' cannot be asked: {cause}", "Check catalogs in the settings (`floe doctor`)"
        ) from None
    newest = table.current_snapshot()
    columns = tuple(field.name for field in table.schema().fields)
    snapshot = str(newest.snapshot_id) if newest else None
    schema = _struct(table.schema().as_struct())
    return TableFacts(
        table.location(),
        snapshot,
        table.metadata_location,
        columns,
        table.properties,
        schema,
        newest.timestamp_ms // 1000 if newest else None,
        tuple(table.schema().find_column_name(part.source_id) or part.name for part in table.spec().fields),
        _files(table),
    )


def _struct(struct: StructType) -> Struct:
    return Struct(tuple(Member(part.name, _type(part.field_type), not part.required) for part in struct.fields))


def _type(type_: IcebergType) -> Type:
    """An Iceberg type as Spark shows it."""
    match type_:
        case StructType():
            return _struct(type_)
        case ListType():
            return Array(_type(type_.element_type), not type_.element_required)
        case MapType():
            return MapOf(_type(type_.key_type), _type(type_.value_type), not type_.value_required)
    return parse_type(_SPARK.get(str(type_)) or ("binary" if str(type_).startswith("fixed") else str(type_)))


def _files(table: Table) -> tuple[FileStatistics, ...] | None:
    """The manifests' statistics per data file; None where they cannot be read here."""
    if table.current_snapshot() is None:
        return ()
    try:
        rows = table.inspect.files().to_pylist()
    except (OSError, ValueError, NotImplementedError):
        return None
    widened = _widened(table)
    whole = all(row["content"] == 0 for row in rows)
    return tuple(_statistics(row, widened, whole) for row in rows if row["content"] == 0)


def _widened(table: Table) -> set[str]:
    """Columns whose type was once another: bounds of older files were written in that one."""
    types: dict[int, set[str]] = {}
    for schema in table.schemas().values():
        for part in schema.fields:
            types.setdefault(part.field_id, set()).add(str(part.field_type))
    return {part.name for part in table.schema().fields if len(types[part.field_id]) > 1}


def _statistics(row: dict[str, Any], widened: set[str], whole: bool) -> FileStatistics:
    metrics = {name: metric for name, metric in row["readable_metrics"].items() if name not in widened and metric}

    def of(key: str) -> dict[str, Any]:
        return {name: metric[key] for name, metric in metrics.items() if metric[key] is not None}

    return FileStatistics(row["record_count"], of("null_value_count"), of("lower_bound"), of("upper_bound"), whole)


def _catalog(name: str, settings: Settings) -> Catalog:
    """A catalog of the settings, as pyiceberg opens it."""
    options = {key: str(value) for key, value in settings["catalogs"][name].items()}
    if options.get("uri", "").startswith("sqlite:///"):
        options["uri"] = f"sqlite:///{settings.root / options['uri'].removeprefix('sqlite:///')}"
    return load_catalog(name, **options)
