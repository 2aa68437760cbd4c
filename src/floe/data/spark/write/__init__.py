"""The gates' staging and commit, one file per table format."""

from types import ModuleType

from floe.data.spark.write import delta, iceberg

TABLES: dict[str, ModuleType] = {"delta": delta, "iceberg": iceberg}
