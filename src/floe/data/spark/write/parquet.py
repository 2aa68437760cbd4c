"""Parquet files by path: read, never written, for they have no log to commit to."""

from pyspark.sql import DataFrame, SparkSession

from floe.data.spark.schema import struct_type
from floe.data.tables.folder import list_files, readable
from floe.model import TableError
from floe.model.table import Target


def exists(spark: SparkSession, target: Target) -> bool:
    """Whether Parquet files are there."""
    return list_files(str(target.path)) is not None


def read(spark: SparkSession, target: Target, snapshot: str | None = None) -> DataFrame:
    """The rows of just the files that are there now; TableError where they are not those of the snapshot."""
    folder = list_files(str(target.path))
    if folder is None or snapshot not in (None, folder.snapshot):
        raise TableError(f"The files of {target} changed while it was judged", "Judge it again when nobody writes")
    reader = spark.read.schema(struct_type(readable(folder)))
    scheme = target.path.split("://", maxsplit=1)[0] + "://" if target.path and "://" in target.path else ""
    return reader.option("basePath", scheme + folder.path).parquet(*(scheme + file for file in folder.files))


def snapshot(spark: SparkSession, target: Target) -> str | None:
    """The files there are now, in one word."""
    folder = list_files(str(target.path))
    return folder.snapshot if folder else None
