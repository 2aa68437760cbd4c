"""Delta's log, read by deltalake."""

from pathlib import Path

from deltalake import DeltaTable
from deltalake.exceptions import DeltaError, TableNotFoundError

from floe.data.tables.facts import TableFacts
from floe.model import TableError
from floe.model.table import Target


def probe(target: Target) -> TableFacts | None:
    """What the log at a path says."""
    if not target.path:
        raise TableError(
            f"{target.name} is a name in Spark's catalog, which only a Spark session can ask",
            "Name its path with --table",
        )
    if "://" not in target.path and not Path(target.path).exists():
        return None
    try:
        table = DeltaTable(target.path)
    except TableNotFoundError:
        raise TableError(
            f"{target.path} is there, but it is no Delta table",
            "Name another table with --table, or move what stands there",
        ) from None
    except (DeltaError, OSError) as error:
        raise TableError(
            f"{target.path} cannot be read: {str(error).splitlines()[0]}", "Check the path and its permissions"
        ) from None
    columns = tuple(column.name for column in table.schema().fields)
    log = f"{target.path}/_delta_log/{table.version():020}.json"
    return TableFacts(target.path, str(table.version()), log, columns, table.metadata().configuration)
