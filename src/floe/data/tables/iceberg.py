"""Iceberg's catalogs, asked by pyiceberg."""

from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.exceptions import NoSuchNamespaceError, NoSuchTableError

from floe.data.tables.facts import TableFacts
from floe.model import TableError
from floe.model.settings import Settings
from floe.model.table import Target


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
    return TableFacts(table.location(), snapshot, table.metadata_location, columns, table.properties)


def _catalog(name: str, settings: Settings) -> Catalog:
    """A catalog of the settings, as pyiceberg opens it."""
    options = {key: str(value) for key, value in settings["catalogs"][name].items()}
    if options.get("uri", "").startswith("sqlite:///"):
        options["uri"] = f"sqlite:///{settings.root / options['uri'].removeprefix('sqlite:///')}"
    return load_catalog(name, **options)
