"""The table formats as Spark reads and writes them."""

from collections.abc import Mapping
from functools import lru_cache

from pyspark.sql import DataFrame, SparkSession

from floe.model import TableError
from floe.model.contract import Target
from floe.tables import reader_of
from floe.tables.delta import table as delta
from floe.tables.format import ReadableFormat, TableFormat
from floe.tables.iceberg import table as iceberg
from floe.tables.parquet import table as parquet

FORMATS: Mapping[str, ReadableFormat] = {"delta": delta, "iceberg": iceberg, "parquet": parquet}
WRITABLE: Mapping[str, TableFormat] = {"delta": delta, "iceberg": iceberg}


def readable(target: Target) -> ReadableFormat:
    """The format of a table, to read it."""
    return FORMATS[target.format]


@lru_cache(maxsize=256)
def writable(target: Target) -> TableFormat:
    """The format of a table, to commit to it; TableError where floe cannot."""
    if not reader_of(target).can_commit(target):
        raise TableError(f"floe cannot write {target}, a {target.format} table given by path", "Pass another table")
    return WRITABLE[target.format]


def read_all(spark: SparkSession, targets: Mapping[str, Target]) -> dict[str, DataFrame]:
    """The rows of each table that exists."""
    found = {}
    for name, target in targets.items():
        table = readable(target)
        if table.exists(spark, target):
            found[name] = table.read(spark, target)
    return found
