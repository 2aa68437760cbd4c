"""Parquet files by path: read, never written, for they have no log to commit to."""

from posixpath import dirname

from pyspark.sql import DataFrame, DataFrameReader, SparkSession

from floe.model import TableError
from floe.model.contract import Target
from floe.tables.parquet.folder import ParquetFolder, list_files, readable
from floe.tables.spark.schema import by_name, struct_type


def exists(spark: SparkSession, target: Target) -> bool:
    """Whether Parquet files are there."""
    return list_files(str(target.path)) is not None


def read(spark: SparkSession, target: Target, snapshot: str | None = None) -> DataFrame:
    """The rows of the files that are there now; TableError where they are not those of the snapshot, or change meanwhile."""
    folder = _listed(target, snapshot)
    reader = by_name(spark).schema(struct_type(readable(folder)))
    scheme = target.path.split("://", maxsplit=1)[0] + "://" if target.path and "://" in target.path else ""
    rows = rows_of(reader, folder, scheme)
    _listed(target, folder.snapshot)  # Spark may have listed them by itself
    return rows


def rows_of(reader: DataFrameReader, folder: ParquetFolder, scheme: str = "") -> DataFrame:
    """The rows of all files of a folder; Spark itself would skip some in subfolders."""
    if _found_by_spark(folder):
        return reader.parquet(scheme + folder.path)
    return reader.option("basePath", scheme + folder.path).parquet(*(scheme + file for file in folder.files))


def _listed(target: Target, snapshot: str | None) -> ParquetFolder:
    folder = list_files(str(target.path))
    if folder is None or snapshot not in (None, folder.snapshot):
        raise TableError(f"The files of {target} changed during the check", "Check it again when nobody writes")
    return folder


def _found_by_spark(folder: ParquetFolder) -> bool:
    """Whether Spark finds just these files below the path itself, at less cost than one by one."""
    depths = (dirname(file).removeprefix(folder.path).count("/") for file in folder.files)
    return folder.files == (folder.path,) or (not folder.others and [*depths] == [*map(len, folder.partitions)])


def snapshot(spark: SparkSession, target: Target) -> str | None:
    """The files there are now, in one word."""
    folder = list_files(str(target.path))
    return folder.snapshot if folder else None
