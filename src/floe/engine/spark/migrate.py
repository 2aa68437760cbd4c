"""A migration's rows and its view, on Spark."""

from collections.abc import Sequence

from pyspark.sql import DataFrame

from floe.engine.spark.session import own_session
from floe.lang.sql.literals import quote
from floe.model import TableError
from floe.model.contract import Target
from floe.settings import Settings
from floe.tables.formats import readable
from floe.tables.spark.errors import ENGINE_ERRORS, first_line


def rows_of(source: Target, columns: Sequence[str], settings: Settings) -> DataFrame:
    """A table's rows as columns written in SQL; TableError if Spark cannot read it."""
    try:
        rows: DataFrame = readable(source).read(own_session(settings), source)
        return rows.selectExpr(*columns)
    except ENGINE_ERRORS as error:
        raise TableError(
            f"The old rows cannot be read: {first_line(error)}", "Check the table, or pass another one with --table"
        ) from None


def make_view(name: str | None, query: str, settings: Settings) -> str | None:
    """Make a view, where there is a catalog to keep it; else why there is none."""
    if name is None:
        return "a table given by path has no catalog for a view: use the SELECT of the view instead"
    view = ".".join(map(quote, name.split(".")))
    try:
        own_session(settings).sql(f"CREATE OR REPLACE VIEW {view} AS {query}")
    except ENGINE_ERRORS as error:
        return f"the view {name} was not created: {first_line(error)}"
    return None
