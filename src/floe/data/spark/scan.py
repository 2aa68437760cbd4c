"""A plan on a whole table, at one snapshot."""

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from floe.data.spark.gate import first_line
from floe.data.spark.measure import Scene, measure
from floe.data.spark.schema import struct_of
from floe.data.spark.session import own_session
from floe.data.spark.write import TABLES, read_all
from floe.model import TableError
from floe.model.outcome import unmeasured
from floe.model.plan import Aids, Plan
from floe.model.result import Outcome
from floe.model.settings import Settings
from floe.model.table import Target
from floe.model.types import Struct


def scan(
    plan: Plan, target: Target, snapshot: str | None, aids: Aids, settings: Settings
) -> tuple[int | None, list[Outcome]]:
    """How many rows the table has, and what came of each expectation; what the engine could not do is not evaluated."""
    spark = own_session(settings)
    try:
        return scan_rows(TABLES[target.format].read(spark, target, snapshot), plan, aids)
    except (PySparkException, Py4JError) as error:
        return None, [unmeasured(expectation, f"Spark: {first_line(error)}") for expectation in plan.expectations]


def scan_rows(rows: DataFrame, plan: Plan, aids: Aids) -> tuple[int, list[Outcome]]:
    """The same on rows that are at hand."""
    others = read_all(rows.sparkSession, aids.references)
    return measure(Scene(rows=rows, plan=plan, salt=aids.salt, references=others, gate=False, now=aids.now))


def look(target: Target, settings: Settings) -> tuple[Struct, str | None] | None:
    """A table's schema and snapshot as Spark sees them; None where there is no such table."""
    spark: SparkSession = own_session(settings)
    table = TABLES[target.format]
    try:
        if not table.exists(spark, target):
            return None
        return struct_of(table.read(spark, target).schema), table.snapshot(spark, target)
    except (PySparkException, Py4JError) as error:
        raise TableError(
            f"{target} cannot be read: {first_line(error)}", "Check the table and its catalog (`floe doctor`)"
        ) from None
