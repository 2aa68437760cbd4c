"""Where tables stand as the registry keeps it: below the contract root by the path from there, so that a copied project is its own.

A copy of a project's folder has the registry and the catalog of the original, and with them the way to its tables. What
stands below the root is found from the root; a table that stands below another root is refused, until `--table` names it.
"""

from pathlib import Path

from floe.lang.secret import with_variables_hidden
from floe.model import TableError
from floe.settings import Settings
from floe.system.private_files import OWN


def kept(location: str, root: Path) -> str:
    """A location as the registry keeps it: from the root where it lies below it, with no value of a variable.

    >>> kept("/shop/.floe/warehouse/orders", Path("/shop")), kept("/lake/orders", Path("/shop")), kept("s3://lake/o", Path("/"))
    ('.floe/warehouse/orders', '/lake/orders', 's3://lake/o')
    """
    if "://" not in location and Path(location).is_absolute() and Path(location).is_relative_to(root):
        location = str(Path(location).relative_to(root))
    return str(with_variables_hidden(location))


def place_of(kept_: str, root: Path) -> str:
    """The location that the registry means.

    >>> place_of(".floe/warehouse/orders", Path("/shop")), place_of("/lake/orders", Path("/shop"))
    ('/shop/.floe/warehouse/orders', '/lake/orders')
    """
    return kept_ if "://" in kept_ or not kept_ else str(root / kept_)


def refuse_other_root(table: str, location: str, settings: Settings) -> None:
    """TableError where a table that nobody named stands below the root of another project."""
    other = _other_root(location, settings)
    if other:
        raise TableError(
            f"The table {table} belongs to another project: {with_variables_hidden(location)} is in {other}, the current root is {settings.root}. "
            "A copied folder refers to the tables of the original",
            f"Pass it with --table to use it; otherwise remove {settings.root / OWN}, and a new table is created here",
            "E541",
        )


def _other_root(location: str, settings: Settings) -> Path | None:
    """The root of another project that a folder stands below, where the settings do not lead there."""
    if "://" in location:
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
    """The folders of tables that the settings name."""
    named = [catalog.get("warehouse") for catalog in settings.catalogs.values() if isinstance(catalog, dict)]
    return [
        settings.path(settings.tables.warehouse),
        *(settings.root / str(value) for value in named if value and "://" not in str(value)),
    ]
