"""Iceberg's own rewriting of data files, which gives them field ids."""

from floe.engine.spark.session import own_session
from floe.lang.sql.literals import quote, text
from floe.model import TableError
from floe.model.contract import Target
from floe.settings import Settings
from floe.tables.formats import readable
from floe.tables.spark.errors import ENGINE_ERRORS, first_line


def rewrite(target: Target, settings: Settings) -> str | None:
    """Rewrite all files of a table as readers see their rows now; returns the snapshot."""
    spark = own_session(settings)
    catalog = quote(str(target.name).split(".", 1)[0])
    options = "map('rewrite-all', 'true')"
    try:
        spark.sql(f"REFRESH TABLE {target.sql}")
        spark.sql(
            f"CALL {catalog}.system.rewrite_data_files(table => {text(target.sql)}, options => {options})"
        ).collect()
        found: str | None = readable(target).snapshot(spark, target)
    except ENGINE_ERRORS as error:
        raise TableError(
            f"The files of {target} could not be rewritten: {first_line(error)}",
            "Run it again when no other writer changes the table",
        ) from None
    return found
