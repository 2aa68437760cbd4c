"""Delta's log, read by deltalake."""

from pathlib import Path

from deltalake import DeltaTable
from deltalake.exceptions import DeltaError, TableNotFoundError

from floe.data.tables.facts import TableFacts
from floe.model import TableError
from floe.model.table import Target


def spark_schema(path: str) -> str:
    """The table's schema as Spark's JSON."""
    return str(_open(path).schema().to_json())


def probe(target: Target) -> TableFacts | None:
    """What the log at a path says."""
    if not target.path:
        raise TableError(
            f"{target.name} is a name in Spark's catalog, which only a Spark session can ask",
            "Name its path with --table",
        )
    if "://" not in target.path and not Path(target.path).exists():
        return None
    table = _open(target.path)
    columns = tuple(column.name for column in table.schema().fields)
    log = f"{target.path}/_delta_log/{table.version():020}.json"
    return TableFacts(target.path, str(table.version()), log, columns, table.metadata().configuration)


def _open(path: str) -> DeltaTable:
    try:
        return DeltaTable(path)
    except TableNotFoundError:
        raise TableError(
            f"{path} is there, but it is no Delta table",
            "Name another table with --table, or move what stands there",
        ) from None
    except (DeltaError, OSError) as error:
        raise TableError(
            f"{path} cannot be read: {str(error).splitlines()[0]}", "Check the path and its permissions"
        ) from None
