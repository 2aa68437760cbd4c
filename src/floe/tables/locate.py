"""Find the table of a contract; a copied project never finds the original's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from floe.lang.secret import with_variables_hidden, with_variables_revealed
from floe.model import Contract, ContractError, Dataset, Server, SettingError, TableError, locate
from floe.model.contract import AIMS, Target, unsafe_in
from floe.model.plan import RowScope
from floe.settings import Settings
from floe.system.private_files import OWN
from floe.tables import storage
from floe.tables.boundary import cause_of

_FOLDERS = {"local": "path", "s3": "location", "azure": "location", "custom": "location"}
_PARQUET = (".parquet", ".parq", ".pq")
_BY_PATH = ("delta", "iceberg", "parquet")
_NAMES = {
    "databricks": ("catalog", "schema"),
    "hive": ("database",),
    "glue": ("database",),
    "iceberg": ("catalog", "namespace"),
}


@dataclass(frozen=True, slots=True)
class TableSelector:
    """How a caller points at tables: by name or path, by one of the contract's servers, a part of them; and those that keys refer to.

    `full` reads all that metadata does not prove, whatever earlier runs found.
    """

    table: str | None = None
    server: str | None = None
    references: Mapping[str, str] = field(default_factory=dict)
    scope: RowScope | None = None
    full: bool = False


def select_tables(way: TableSelector, datasets: Sequence[Dataset], tables: Sequence[str]) -> list[TableSelector]:
    """The way to each of several datasets, where tables are given as TABLE or as DATASET=TABLE.

    A table without the name of a dataset belongs to the only dataset; with several it is an error: checking the
    table of another, a dataset would pass unseen.
    """
    names = list(dict.fromkeys(dataset.name for dataset in datasets))
    given: dict[str, str] = {}
    for entry in tables or ([way.table] if way.table else ()):
        name, mark, table = entry.partition("=")
        if not mark or name not in names:
            name, table = (names[0] if len(names) == 1 else ""), entry
        if not name:
            raise SettingError(
                f"--table {entry} does not name one of the {len(names)} datasets: {', '.join(names)}",
                f"Write --table {names[0]}={entry}",
            )
        if name in given:
            raise SettingError(f"'{name}' has two tables: {given[name]} and {table}", "Pass one")
        given[name] = table
    return [replace(way, table=given.get(dataset.name)) for dataset in datasets]


def find_target(
    settings: Settings, contract: Contract, dataset: Dataset, way: TableSelector, known: Mapping[str, Any] | None
) -> Target:
    """The table: as named, else where the registry saw it, else on the contract's server, else by its table_id."""
    storage.use(settings.stores)
    target = _find(settings, contract, dataset, way, known)
    storage.note(target.path)
    return target


def _find(
    settings: Settings, contract: Contract, dataset: Dataset, way: TableSelector, known: Mapping[str, Any] | None
) -> Target:
    if way.table:
        return _named(settings, way.table)
    if known and known.get("format") and not way.server:
        name, location = (with_variables_revealed(str(known.get(key) or "")) for key in ("name", "location"))
        if "${" not in (name or location):  # otherwise a variable, whose value comes from the contract's server
            place = place_of(location, settings.root)
            if not name:
                refuse_other_root(str(known.get("table_id")), place, settings)
            return Target(str(known["format"]), name or None, None if name else place)
    server = find_server(contract, way.server)
    return (server and _on_server(settings, server, dataset)) or _by_id(settings, contract.table_id(dataset), dataset)


def find_server(contract: Contract, chosen: str | None) -> Server | None:
    """The server meant: the chosen one by name or environment, else the only one there is."""
    fitting = [server for server in contract.servers if chosen in (None, server.server, server.environment)]
    listed = ", ".join(server.server for server in contract.servers) or "none"
    if chosen and not fitting:
        raise ContractError(
            f"No server of {contract.identity} has the name '{chosen}'", f"Its servers: {listed}", "E500"
        )
    if len(fitting) > 1:
        raise ContractError(
            f"{contract.identity} has {len(fitting)} servers", f"Select one with --server: {listed}", "E500"
        )
    return fitting[0] if fitting else None


def _on_server(settings: Settings, server: Server, dataset: Dataset) -> Target | None:
    """The table on a server that Spark can write; None where the server is of another kind."""
    table = (dataset.physical_name or dataset.name).rsplit(".", 1)[-1]
    _refuse_unsafe(server, dataset)
    if server.type in _NAMES:
        parts = [str(server.values[key]) for key in _NAMES[server.type] if server.values.get(key)]
        return Target("iceberg" if server.type == "iceberg" else "delta", ".".join([*parts, table]))
    folder = server.values.get(_FOLDERS.get(server.type, "")) or server.values.get("path")
    if server.type not in _FOLDERS or not folder:
        return None
    form = str(server.values.get("format") or settings.tables.format).lower()
    if form not in _BY_PATH:
        raise TableError(
            f"Server '{server.server}' has {form} data at {folder}, which floe does not read by path",
            f"floe reads {', '.join(_BY_PATH)}; pass the table with --table",
        )
    path = str(folder).replace("{model}", table).replace("{table}", table)
    if storage.is_remote(path):
        return Target(form, path=storage.normalized(path))
    return Target(form, path=str((settings.root / storage.local_path(path)).resolve()))


def _refuse_unsafe(server: Server, dataset: Dataset) -> None:
    """Report the place in the contract of a path or name that is not valid for a table."""
    for noun, keys in ((server, AIMS), (dataset, ("physicalName", "name"))):
        for key in keys:
            value = noun.node.get(key)
            if isinstance(value, str) and (unsafe := unsafe_in(value)):
                place = locate(noun.node, key)
                raise TableError(
                    f"{place}: The {key} {value!a} contains {unsafe}", "Remove it; floe quotes names itself", "E507"
                )


def _by_id(settings: Settings, table_id: str | None, dataset: Dataset) -> Target:
    physical = dataset.physical_name or dataset.name
    if not table_id or physical.startswith("/"):
        return _named(settings, physical)
    layer, domain, name = table_id.split(".")
    for pattern, given in settings.tables.names.items():
        if fnmatchcase(table_id, pattern):
            return _named(settings, str(given).format(layer=layer, domain=domain, table=name))
    if settings.tables.format == "iceberg":
        catalog = next(iter(settings.catalogs), "ice")
        return Target("iceberg", f"{catalog}.{layer}_{domain}.{name}")
    return Target(settings.tables.format, path=_in_warehouse(settings, f"{layer}_{domain}", name))


def _in_warehouse(settings: Settings, folder: str, name: str) -> str:
    """The place of a table in the warehouse; TableError where its names lead elsewhere: contracts are written by others."""
    warehouse = settings.place(settings.tables.warehouse)
    parts = [folder, *name.split("/")]
    if "/" in folder or name.startswith("/") or any(part in ("", ".", "..") for part in parts):
        raise TableError(
            f"The domain and name '{folder}/{name}' of a table lead out of the folder {warehouse}/{folder}",
            "Use a domain and a physicalName without slashes, or pass the table with --table",
            "E507",
        )
    return storage.join(warehouse, *parts)


def tables_below(folder: Path) -> list[Path]:
    """The tables side by side in a folder that is no table itself."""
    if (folder / "_delta_log").is_dir() or (folder / "metadata").is_dir():
        return []
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise TableError(
            f"{folder} cannot be read: {error.strerror}", "Check its permissions", cause=cause_of(error)
        ) from None
    return [entry for entry in entries if _has_log(entry)]


def holds_table(folder: Path) -> bool:
    """Whether a folder is a table of some format."""
    return _has_log(folder) or next(folder.rglob("*.parquet"), None) is not None


def _has_log(folder: Path) -> bool:
    return (folder / "_delta_log").is_dir() or any((folder / "metadata").glob("*.metadata.json"))


def named_target(name: str, settings: Settings) -> Target:
    """A table by its catalog name: Iceberg's in a catalog of the settings, else Delta's in Spark's catalog."""
    return Target("iceberg" if name.split(".", maxsplit=1)[0] in settings.catalogs else "delta", name)


def _named(settings: Settings, table: str) -> Target:
    """A table as a user names it: a path, or a catalog name."""
    plain = "." not in table or table.endswith(_PARQUET)
    if "/" in table or table.startswith(".") or (plain and Path(table).exists()):
        path = table if storage.is_remote(table) else str(Path(storage.local_path(table)).resolve())
        return Target(_format(path, settings.tables.format), path=path)
    return named_target(table, settings)


def _format(path: str, default: str) -> str:
    """The format of a path, by the content of its folder; the default if that is unknown."""
    if path.endswith(".metadata.json"):
        return "iceberg"
    folder = Path(path)
    if storage.is_remote(path) or not folder.is_dir():
        return "parquet" if path.endswith(_PARQUET) else default
    if (folder / "_delta_log").is_dir():
        return "delta"
    if any((folder / "metadata").glob("*.metadata.json")):
        return "iceberg"
    return "parquet" if next(folder.rglob("*.parquet"), None) else default


def kept(location: str, root: Path) -> str:
    """A location as the registry keeps it: from the root where it lies below it, with no value of a variable.

    >>> kept("/shop/.floe/warehouse/orders", Path("/shop")), kept("/lake/orders", Path("/shop")), kept("s3://lake/o", Path("/"))
    ('.floe/warehouse/orders', '/lake/orders', 's3://lake/o')
    """
    if not storage.is_remote(location) and Path(location).is_absolute() and Path(location).is_relative_to(root):
        location = str(Path(location).relative_to(root))
    return str(with_variables_hidden(location))


def place_of(kept_: str, root: Path) -> str:
    """The location that the registry means.

    >>> place_of(".floe/warehouse/orders", Path("/shop")), place_of("/lake/orders", Path("/shop"))
    ('/shop/.floe/warehouse/orders', '/lake/orders')
    """
    return kept_ if storage.is_remote(kept_) or not kept_ else str(root / storage.local_path(kept_))


def refuse_other_root(table: str, location: str, settings: Settings) -> None:
    """TableError if a table that nobody selected is below the root of another project."""
    other = _other_root(location, settings)
    if other:
        raise TableError(
            f"The table {table} belongs to another project: {with_variables_hidden(location)} is in {other}, the current root is {settings.root}. "
            "A copied folder refers to the tables of the original",
            f"Pass it with --table to use it; otherwise remove {settings.root / OWN}, and a new table is created here",
            "E541",
        )


def _other_root(location: str, settings: Settings) -> Path | None:
    """The root of another project that contains a folder, unless the settings lead there."""
    if storage.is_remote(location):
        return None
    folder = Path(location).resolve()
    if any(folder.is_relative_to(path.resolve()) for path in (settings.root, *_warehouses(settings))):
        return None
    for above in folder.parents:
        if above.name == OWN:
            return above.parent
        if (above / "manifest.yaml").is_file():
            return above
    return None


def _warehouses(settings: Settings) -> list[Path]:
    """The folders of this machine that the settings name for tables."""
    named = [catalog.get("warehouse") for catalog in settings.catalogs.values() if isinstance(catalog, dict)]
    places = [settings.tables.warehouse, *(str(value) for value in named if value)]
    return [settings.path(place) for place in places if not storage.is_remote(place)]
