"""The newest day of the rows that are written."""

from collections.abc import Sequence
from datetime import date, timedelta

from pyspark.sql import DataFrame, functions as sql

from floe.engine.gate.staging import places
from floe.lang.sql.literals import quote
from floe.model.types import Atomic, Member, Struct
from floe.tables.parquet.footers import file_statistics, footers
from floe.tables.storage import StoredFile

# days since 1970, whatever zone the session has
_DAYS = {
    "date": "unix_date(max({0}))",
    "timestamp_ntz": "unix_date(CAST(max({0}) AS DATE))",
    "timestamp": "CAST(floor(unix_seconds(max({0})) / 86400) AS INT)",
}


def newest_day(rows: DataFrame, column: str, files: Sequence[StoredFile]) -> date | None:
    """From the footers of the files if they have the day for all rows, else by reading the column."""
    kind = rows.schema[column].dataType.simpleString()
    if kind == "date" and files:
        statistics = file_statistics(footers(places(files)), Struct((Member(column, Atomic("date")),)))
        days: list[date] = [file.most[column] for file in statistics if isinstance(file.most.get(column), date)]
        if days and len(days) == len(statistics):
            return max(days)
    if kind not in _DAYS:
        return None
    (number,) = rows.agg(sql.expr(_DAYS[kind].format(quote(column)))).collect()[0]
    return None if number is None else date(1970, 1, 1) + timedelta(days=number)
