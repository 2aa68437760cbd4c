"""A batch from files, on floe's own session."""

from pathlib import Path

from pyspark.sql import DataFrame

from floe.engine.spark.session import own_session
from floe.model import TableError
from floe.settings import Settings
from floe.tables.parquet.folder import list_files
from floe.tables.parquet.table import rows_of
from floe.tables.spark.errors import ENGINE_ERRORS, conditions, first_line
from floe.tables.spark.schema import by_name

# Spark's conditions, and what then helps
_ADVICE = {
    "PARQUET_TYPE_ILLEGAL": "Write its timestamps in microseconds, e.g. to_parquet(…, coerce_timestamps='us') in pandas",
    "COLUMN_ALREADY_EXISTS": "Rename one of the two columns; Spark does not distinguish names by case",
    "CANNOT_MERGE_SCHEMAS": "Write its files again, so that each column has one type in all of them",
}


def parquet(path: str, settings: Settings) -> DataFrame:
    """The rows of a Parquet file or folder, with the columns of all its files: Spark by itself looks into one of them."""
    reader = by_name(own_session(settings)).option("mergeSchema", "true")
    try:
        # Spark's own folder is where its JVM was started, which is not always ours
        whole = path if "://" in path else str(Path(path).absolute())
        folder = list_files(whole) if Path(whole).is_dir() else None
        return rows_of(reader, folder) if folder else reader.parquet(whole)
    except ENGINE_ERRORS as error:
        known = (_ADVICE.get(condition.name) for condition in conditions(error))
        advice = next(filter(None, known), "Write it again as Parquet")
        raise TableError(f"The batch {path} cannot be read as Parquet: {first_line(error)}", advice) from None
