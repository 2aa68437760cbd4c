"""A plan on a whole table, at one snapshot."""

from collections.abc import Mapping
from typing import NamedTuple

from pyspark.sql import DataFrame, SparkSession

from floe.engine.spark.measure import UNKNOWN, Cost, MeasureRequest, measure, metered
from floe.engine.spark.session import own_session
from floe.model import FloeError, TableError
from floe.model.contract import Target
from floe.model.plan import Plan, RowScope, VerifyInputs
from floe.model.result import Outcome, not_evaluated
from floe.model.types import Struct
from floe.settings import Settings
from floe.tables.formats import read_all, readable
from floe.tables.spark.errors import ENGINE_ERRORS, cause_of, first_line
from floe.tables.spark.schema import struct_of
from floe.tables.spark.unskipped import uncertain_columns, without_loose_statistics, without_statistics

_SEED = 20_260_101


class ScanResult(NamedTuple):
    """The number of rows, the outcome of each expectation, and the cost."""

    rows: int | None
    outcomes: list[Outcome]
    cost: Cost


def scan(plan: Plan, target: Target, snapshot: str | None, aids: VerifyInputs, settings: Settings) -> ScanResult:
    """Check a table; if the engine fails, expectations are not evaluated."""
    spark = own_session(settings)
    try:
        rows = readable(target).read(spark, target, snapshot)
    except ENGINE_ERRORS as error:
        return _nothing(plan, error)
    return scan_rows(rows, plan, aids, settings)


def first_row(target: Target, snapshot: str | None, settings: Settings) -> None:
    """Read one row, where there is one; TableError where that cannot be done."""
    spark = own_session(settings)
    try:
        readable(target).read(spark, target, snapshot).limit(1).collect()
    except ENGINE_ERRORS as error:
        raise TableError(
            f"{target} cannot be read: {first_line(error)}",
            "Check its files and their permissions",
            cause=cause_of(error),
        ) from None


def scan_rows(rows: DataFrame, plan: Plan, aids: VerifyInputs, settings: Settings) -> ScanResult:
    """The same on rows that are at hand."""
    spark = rows.sparkSession
    others, unread = read_references(spark, aids.references, settings)
    try:
        part = _part(without_statistics(rows, aids.loose), aids.scope)
        scene = MeasureRequest(
            rows=part,
            plan=plan,
            salt=aids.salt,
            references=others,
            unread=unread,
            gate=False,
            now=aids.now,
            total=aids.rows,
            bounds=aids.bounds,
            clustered=aids.clustered,
            common=aids.common,
        )
        with metered(spark, plan.contract) as cost:
            total, outcomes = measure(scene)
    except ENGINE_ERRORS as error:
        return _nothing(plan, error)
    return ScanResult(total, outcomes, cost)


def _part(rows: DataFrame, scope: RowScope | None) -> DataFrame:
    """The rows in scope; the same ones on every read."""
    if scope and scope.where:
        rows = without_statistics(rows, uncertain_columns(rows)).where(scope.where)
    return rows.sample(fraction=scope.sample, seed=_SEED) if scope and scope.sample else rows


def _nothing(plan: Plan, error: Exception) -> ScanResult:
    cause = f"Spark: {first_line(error)}"
    return ScanResult(None, [not_evaluated(expectation, cause) for expectation in plan.expectations], dict(UNKNOWN))


def read_references(
    spark: SparkSession, targets: Mapping[str, Target], settings: Settings
) -> tuple[dict[str, DataFrame], dict[str, str]]:
    """The tables that keys refer to, and why one could not be read."""
    found: dict[str, DataFrame] = {}
    unread: dict[str, str] = {}
    for name, target in targets.items():
        try:
            read = read_all(spark, {name: target})
            found |= {name: without_loose_statistics(rows, target, settings) for name, rows in read.items()}
        except ENGINE_ERRORS as error:
            unread[name] = first_line(error)
        except FloeError as error:
            unread[name] = error.message
    return found, unread


def read_schema(target: Target, settings: Settings) -> tuple[Struct, str | None] | None:
    """A table's schema and snapshot as Spark sees them; None where there is no such table."""
    spark: SparkSession = own_session(settings)
    table = readable(target)
    try:
        if not table.exists(spark, target):
            return None
        return struct_of(table.read(spark, target).schema), table.snapshot(spark, target)
    except ENGINE_ERRORS as error:
        raise TableError(
            f"{target} cannot be read: {first_line(error)}",
            "Check the table and its catalog (`floe doctor`)",
            cause=cause_of(error),
        ) from None
