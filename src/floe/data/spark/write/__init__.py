"""The gates' staging and commit, one file per table format."""

from collections.abc import Mapping
from types import ModuleType

from pyspark.sql import DataFrame, SparkSession

from floe.data.spark.write import delta, iceberg, parquet
from floe.model.table import Target

TABLES: dict[str, ModuleType] = {"delta": delta, "iceberg": iceberg, "parquet": parquet}


def read_all(spark: SparkSession, targets: Mapping[str, Target]) -> dict[str, DataFrame]:
    """The rows of each table that is there."""
    return {
        name: TABLES[target.format].read(spark, target)
        for name, target in targets.items()
        if TABLES[target.format].exists(spark, target)
    }
