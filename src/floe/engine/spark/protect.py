"""Rules that a table enforces itself, so that a writer who does not use floe is refused too."""

from collections.abc import Sequence

from pyspark.sql import SparkSession

from floe.model import TableError
from floe.model.contract import Target
from floe.model.plan import Expectation
from floe.settings import Settings
from floe.tables.format import TableFormat
from floe.tables.formats import writable
from floe.tables.spark.schema import Protection


def protect(spark: SparkSession, target: Target, rules: Sequence[Expectation], settings: Settings) -> list[Protection]:
    """Write rules into a table, and remove those of floe that the contract no longer has."""
    return _existing(spark, target).protect(spark, target, rules, settings)


def unprotect(spark: SparkSession, target: Target, settings: Settings) -> list[str]:
    """Remove what floe wrote; the names of what was removed."""
    return _existing(spark, target).unprotect(spark, target, settings)


def _existing(spark: SparkSession, target: Target) -> TableFormat:
    table = writable(target)
    if not table.exists(spark, target):
        raise TableError(f"The table {target} does not exist", "Write it first, or pass another table with --table")
    return table
