"""Parquet files by path: read, never written, for they have no log to commit to."""

from posixpath import dirname

from pyspark.sql import DataFrame, SparkSession

from floe.data.spark.schema import by_name, struct_type
from floe.data.tables.folder import ENDINGS, Folder, list_files, readable
from floe.model import TableError
from floe.model.table import Target

_NAMED = f"*{{{','.join(ENDINGS)}}}"


def exists(spark: SparkSession, target: Target) -> bool:
    """Whether Parquet files are there."""
    return list_files(str(target.path)) is not None


def read(spark: SparkSession, target: Target, snapshot: str | None = None) -> DataFrame:
    """The rows of just the files that are there now; TableError where they are not those of the snapshot."""
    folder = list_files(str(target.path))
    if folder is None or snapshot not in (None, folder.snapshot):
        raise TableError(f"The files of {target} changed while it was judged", "Judge it again when nobody writes")
    reader = by_name(spark).schema(struct_type(readable(folder)))
    scheme = target.path.split("://", maxsplit=1)[0] + "://" if target.path and "://" in target.path else ""
    if _listed_by_spark(folder):
        return reader.option("pathGlobFilter", _NAMED).parquet(scheme + folder.path)
    return reader.option("basePath", scheme + folder.path).parquet(*(scheme + file for file in folder.files))


def _listed_by_spark(folder: Folder) -> bool:
    """Whether Spark finds just these files below the path itself, at less cost than one by one."""
    return folder.files == (folder.path,) or all(
        dirname(file).removeprefix(folder.path).count("/") == len(partition)
        for file, partition in zip(folder.files, folder.partitions, strict=True)
    )


def snapshot(spark: SparkSession, target: Target) -> str | None:
    """The files there are now, in one word."""
    folder = list_files(str(target.path))
    return folder.snapshot if folder else None
